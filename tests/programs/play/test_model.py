"""A language model at the table: what it is told, whose failure is whose, and what is never paid twice."""

import json
import os
import select
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from traceback import TracebackException

import pytest
from memory_ledger import MemoryLedger
from scripted_models import (
    KEY,
    answer,
    delta,
    events,
    first_option,
    raw,
    say,
    scripted,
    silence,
    status,
    ten_megabytes,
    whole,
)

from arena.games import GAMES
from arena.library.inside import InsidePlayer
from arena.models.asking import Timing
from arena.models.calls import BudgetSpent, Cassette, CassetteMiss, EndpointLost
from arena.models.secret import Secret
from arena.models.spec import ModelSpec, Price
from arena.models.template import prompt_template
from arena.programs.bot import Bot
from arena.programs.play.loop import Loop
from arena.programs.play.model import ModelPlayer
from arena.programs.play.table import greet
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.referee import Referee
from arena.rules.chance import Chance
from arena.tournament.runs.ledger import BotLedger, CallStore

AMPLE_S = 60.0
HANDS = {"p1": ["duchess", "captain"], "p2": ["contessa", "duchess"]}


def first_player(supervisor):
    """A player that takes the first option of each ask at once."""
    bot = Bot("first", ("first",), Path.cwd(), "0" * 16)
    return InsidePlayer(bot, supervisor, lambda: lambda view: view.options[0], raises=True)


class Played:
    """A game of p1, a model, against players that take the first option."""

    def __init__(self, supervisor, spec, ledger=None, game="complots", seats=2, models=1, **more):
        self.ledger = MemoryLedger() if ledger is None else ledger
        waits: list[float] = []
        games = more.pop("games", 1)
        move_s, position = more.pop("move_s", AMPLE_S), {"hands": HANDS} if game == "complots" else None

        def wait(cancelled: Event, seconds: float) -> bool:
            waits.append(seconds)
            return cancelled.is_set()

        timing = Timing(wait=wait, jitter=lambda: 1.0)
        bot = Bot("model", ("model",), Path.cwd(), spec.fingerprint)
        words = bot, supervisor, spec, self.ledger, Secret(KEY), timing
        players = [ModelPlayer(*words) for _ in range(models)]
        players += [first_player(supervisor) for _ in range(seats - models)]
        self.waits = waits
        rules = GAMES[game]
        fixture = Fixture(
            game=game,
            version=rules.version,
            options=rules.defaults() | {"starter": "p1"} | more,
            bots=tuple(player.bot.name for player in players),
            fingerprints=tuple(player.bot.fingerprint for player in players),
            seed="1",
            bot_seeds=(1,) * seats,
            conditions=Conditions(clock=TimeControl(move=AMPLE_S, start=AMPLE_S, model=move_s)),
            position=position if seats == 2 else None,
        )
        try:
            greet(players, AMPLE_S)
            for number in range(games):
                self.play(fixture, players, number)
        finally:
            for player in players:
                player.end()

    def play(self, fixture, players, number):
        asks = [state.last_ask for state in self.referee.seats] if number else [1] * len(players)
        processes = [(each, number) for each in asks]
        match, clock = fixture.match(GAMES[fixture.game]), fixture.conditions.clock
        self.referee = Referee(match, Chance(fixture.seed), clock, 3, processes, fixture.bot_seeds)
        for seat, player in enumerate(players):
            player.begin_game()
            player.sit(self.referee, fixture, seat)
        Loop(self.referee, players).run()

    @property
    def calls(self):
        return list(self.ledger.calls.values())

    @property
    def faults(self):
        return [(fault.seat, fault.kind, fault.detail) for fault in self.referee.faults]

    @property
    def game_part(self):
        match = self.referee.match
        return match.replies, self.referee.faults, match.result, match.digest()

    @property
    def spent(self):
        """What the answers of p1 were charged, without that to `ready`."""
        return self.referee.seats[0].spent[1:]


@pytest.fixture(scope="module")
def supervisor():
    with closing(SupervisorClient(LIMITS_ONLY)) as client:
        yield client


@pytest.fixture
def play(supervisor):
    def start(server, **more):
        names = ModelSpec.__dataclass_fields__
        keys = {name: more.pop(name) for name in [*more] if name in names}
        return Played(supervisor, ModelSpec("m", server.at, "T_API_KEY", **keys), **more)

    return start


# A whole game


def test_models_play_whole_games(play):
    with scripted(last=first_option) as server:
        game = play(server, seats=3, models=3)
    assert game.faults == []
    assert game.referee.match.result
    assert len(game.calls) == len(server.requests)
    assert all(call.answer and call.attempt == 1 for call in game.calls)
    assert not game.ledger.reserved


def test_a_model_remembers_nothing_of_the_game_before(play):
    with scripted(last=first_option) as server:
        game = play(server, games=2)
    # The second game is word for word the first, so all its calls are in the ledger.
    assert game.referee.seats[0].game_number == 2
    assert len(server.requests) == len(game.calls)


def test_the_first_message_has_the_rules_and_the_next_what_is_new(play):
    with scripted(answer("income"), last=first_option) as server:
        play(server)
    first, second, third = (body["messages"] for _, _, body in server.requests[:3])
    assert [each["role"] for each in first] == ["system", "user"]
    assert first[0]["content"].startswith("You play complots. 2 to 8 players have two hidden cards each. ")
    assert "## Actions" in first[0]["content"]
    assert (
        first[1]["content"]
        == """\
Your hand: duchess, captain.
Turn 1: p1 is to act.
| table treasury=50 court=3 turn=1 actor=p1
| p1 coins=2 cards=2 hand=duchess,captain
| p2 coins=2 cards=2
It is your turn. What do you do?
Answer with one of:
- income: take 1 coin
- aid: take 2 coins; a duchess may block it
- duchess: claim the duchess: take 3 coins
- captain:p2: claim the captain: take 2 coins of p2
- ambassador: claim the ambassador: draw 2 cards from the Court, and return 2"""
    )
    assert second[:2] == first
    assert second[2] == {"role": "assistant", "content": '{"thoughts": "why not", "answer": "income"}'}
    assert second[3]["content"].startswith(
        """\
p1 plays income.
p1 takes 1 coin.
Turn 2: p2 is to act.
p2 plays income.
p2 takes 1 coin.
Turn 3: p1 is to act.
| table treasury=48 court=3 turn=3 actor=p1
"""
    )
    assert third[:4] == second


def test_another_template_may_say_less(play):
    text = "=== system\nJSON!\n=== ask\n{{ question }} {{ options[0][0] }}\n=== again\n{{ problem }}"
    with scripted(last=first_option) as server:
        game = play(server, template=text)
    assert server.requests[0][2]["messages"] == [
        {"role": "system", "content": "JSON!"},
        {"role": "user", "content": "It is your turn. What do you do? income"},
    ]
    assert game.calls[0].version == prompt_template(text).version != prompt_template().version


@pytest.mark.parametrize(("rules", "context"), [("whole", 5500), ("moment", 2500)])
def test_a_long_conversation_is_begun_anew(play, rules, context):
    with scripted(last=first_option) as server:
        game = play(server, rules=rules, context=context)
        assert game.faults == []
    lengths = [len(body["messages"]) for _, _, body in server.requests]
    anew = [number for number, length in enumerate(lengths) if length == 2]
    assert len(anew) > 1
    assert [number for number, call in enumerate(game.calls) if call.first == 0] == anew
    before, after = (server.requests[anew[1] + step][2]["messages"] for step in (-1, 0))
    assert after[0] == before[0]
    assert "".join(each["content"] for each in after).count("## Actions") == 1
    assert "p1 has" in after[1]["content"] or "Turn 1: p1 is to act." in after[1]["content"]
    conversation: list[tuple[str, str]] = []
    for call, (_, _, body) in zip(game.calls, server.requests, strict=True):
        conversation[call.first :] = call.messages
        assert [(each["role"], each["content"]) for each in body["messages"]] == conversation


# Replies that are no answer

UNREAD = {
    "prose": (say("I play income."), "There is no JSON object in your reply"),
    "the limit of tokens": (say('{"answer": "income"}', finish="length"), "too long"),
    "nothing": (events("[DONE]"), "empty"),
    "no choices": (whole({"choices": []}), "empty"),
    "a refusal": (say("", refusal="no"), "refused"),
    "a tool call": (say("", tool_calls=[{}]), "called a tool"),
    "10 MB": (ten_megabytes, "too long"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_cannot_be_read_is_asked_for_again(play, name):
    step, problem = UNREAD[name]
    with scripted(step, answer("duchess"), last=first_option) as server:
        game = play(server)
    assert game.faults == []
    bad, good = game.calls[:2]
    assert problem in bad.problem
    assert (good.again, good.attempt, good.answer) == (bad.problem, 2, "duchess")
    asked = server.requests[1][2]["messages"]
    assert [each["role"] for each in asked[-2:]] == ["assistant", "user"]
    assert bad.problem in asked[-1]["content"]


@pytest.mark.parametrize(
    "said",
    ["`captain:p2`", "**captain:p2**", "Captain:P2.", " 'captain:p2'. ", "captain: p2", "captain p2",
     "`captain`:p2!", "- captain:p2", "captain:p2: claim the captain: take 2 coins of p2", "_captain:p2_",
     "\u201ccaptain:p2\u201d"],
)  # fmt: skip
def test_an_option_is_read_with_what_no_option_has(play, said):
    with scripted(answer(said), last=first_option) as server:
        game = play(server)
    assert (game.calls[0].answer, game.calls[1].attempt) == ("captain:p2", 1)


@pytest.mark.parametrize(
    "said", ["captain", "captain:p2 or income", "captain:p2/income", "not captain:p2", "p2"]
)
def test_what_is_more_or_less_than_an_option_is_none(play, said):
    with scripted(answer(said), last=first_option) as server:
        game = play(server)
    assert game.calls[0].problem.startswith(f"{said!r} is no legal answer")


def test_a_line_feed_in_a_string_leaves_no_doubt(play):
    with scripted(say('{"thoughts": "First.\nThen.", "answer": "duchess"}'), last=first_option) as server:
        game = play(server)
    assert (game.calls[0].answer, game.calls[0].problem) == ("duchess", "")


def test_four_unread_replies_are_a_fault_that_is_shown(play):
    with scripted(*[say("I play income.")] * 4, last=first_option) as server:
        game = play(server)
    why = "no answer in 4 replies: There is no JSON object in your reply; played income"
    assert game.faults == [(0, "unread", why)]
    assert f"Fault: {why}." in game.calls[4].messages[-1][1]


def test_an_illegal_answer_gets_the_reason_and_is_a_fault_in_the_end(play):
    with scripted(*[answer("coup:p2")] * 4, last=first_option) as server:
        game = play(server)
    ((seat, kind, detail),) = game.faults
    why = "'coup:p2' is no legal answer: coup costs 7 coins, and you have 2"
    assert (seat, kind) == (0, "illegal")
    assert detail == f"no legal answer in 4 replies: {why}; played income"
    assert [call.again for call in game.calls[1:4]] == [f"{why}."] * 3


def test_three_faults_cost_the_game(play):
    with scripted(last=say("no")) as server:
        game = play(server)
    assert [kind for _, kind, _ in game.faults] == ["unread"] * 3
    assert len(server.requests) == 12
    assert game.referee.match.result[0] == (2, 1)


def test_hidden_options_are_not_told(play):
    with scripted(answer("coup:p9"), answer("INCOME"), last=answer("?")) as server:
        game = play(server, options="hidden")
    assert all("- income" not in text for call in game.calls for _, text in call.messages)
    said = game.calls[0].messages[-1][1]
    assert "- income" not in said
    body = server.requests[0][2]["response_format"]["json_schema"]["schema"]
    assert body["properties"]["answer"] == {"type": "string"}
    assert game.calls[1].answer == "income"
    assert game.calls[1].again == "'coup:p9' is no legal answer: there is no p9 in this game."


def test_talk_is_free_text_that_the_rules_check(play):
    with scripted(answer("say p9 Hello"), answer("say p2 Good evening!"), last=answer("pass")) as server:
        game = play(server, game="intrigue", seats=3, press=3)
    first, second = game.calls[:2]
    assert first.problem
    assert second.answer == "say:p2:Good%20evening%21"
    schema = server.requests[0][2]["response_format"]["json_schema"]["schema"]
    assert "enum" not in schema["properties"]["answer"]


# Time, and the failures of servers


def test_a_model_that_has_begun_and_is_slow_is_late(play):
    with scripted(last=events(delta('{"answer'), waits=True)) as server:
        game = play(server, move_s=0.2)
    assert game.faults[0] == (0, "late", "no answer to action in time; played income")
    assert [kind for _, kind, _ in game.faults] == ["late"] * 3
    assert all(call.reply.is_late for call in game.calls)
    again = play(server, ledger=game.ledger, move_s=0.2)
    assert again.game_part == game.game_part


@contextmanager
def priced_ledger(folder, budget=None):
    """The ledger file of a run, and as the player of a model with a price uses it."""
    with CallStore(folder / "run.db.calls", budget) as calls:
        yield calls, BotLedger(calls, "model", PRICE)


PRICE = Price(1.0, 1.0)


def test_a_model_that_never_begins_is_late_and_paid(play, tmp_path):
    """It was asked: the server may count every token of it, and asking again would cost more."""
    with priced_ledger(tmp_path) as (calls, ledger), scripted(last=silence) as server:
        game = play(server, ledger=ledger, move_s=0.2, price=PRICE)
        assert [kind for _, kind, _ in game.faults] == ["late"] * 3
        assert len(server.requests) == 3
        assert calls.spent() == calls.total()
        prompts = [json.dumps(body["messages"]) for _, _, body in server.requests]
        assert calls.total().cost > (sum(map(len, prompts)) / 2 + 3 * 1000) / 1e6
        again = play(server, ledger=ledger, move_s=0.2, price=PRICE)
        assert len(server.requests) == 3
    assert again.game_part == game.game_part


@pytest.mark.parametrize("lost", [raw(b""), events(delta("half")), status(504)])
def test_each_request_that_may_be_billed_counts_with_the_most_that_it_may_cost(play, tmp_path, lost):
    with priced_ledger(tmp_path) as (calls, ledger), scripted(lost, status(503), last=first_option) as server:
        game = play(server, ledger=ledger, price=PRICE)
        assert game.faults == []
        total = calls.total()
        answered = [call for _, call in calls.calls()]
    assert (total.lost, total.calls) == (1, len(server.requests) - 2)
    usages = [call.reply.usage for call in answered]
    known = sum(PRICE.cost(each.tokens_in, each.tokens_out, each.cached) for each in usages)
    prompt = sum(len(text.encode()) + 16 for _, text in answered[0].messages)
    assert total.cost == pytest.approx(known + (prompt + 1000) / 1e6)


def test_a_spent_budget_stops_a_model_whose_server_loses_its_answers(play, tmp_path):
    with (
        priced_ledger(tmp_path, budget=0.03) as (calls, ledger),
        scripted(last=events(delta("half"))) as server,
        pytest.raises(BudgetSpent),
    ):
        play(server, ledger=ledger, price=PRICE)
    assert 1 < len(server.requests) < 9
    with priced_ledger(tmp_path) as (calls, _):
        total = calls.total()
    assert total.lost == len(server.requests)
    assert 0.02 < total.cost <= 0.03


def test_a_server_that_fails_costs_the_model_nothing(play):
    broken = [status(500), status(429, Retry_After="30"), events(delta("half")), whole("<p>", "text/html")]
    with scripted(*broken, answer("duchess"), last=first_option) as server:
        game = play(server)
    assert game.faults == []
    assert game.waits == [0.5, 30.5, 2, 4]
    call = game.calls[0]
    assert (call.answer, call.attempt) == ("duchess", 1)
    assert game.spent[0] == pytest.approx(call.reply.latency_s, abs=1e-5)


def test_a_game_without_a_server_is_void_and_goes_on_where_it_was(play):
    ledger = MemoryLedger()
    with (
        scripted(*[first_option] * 3, last=status(503, "busy")) as server,
        pytest.raises(EndpointLost, match="status 503: busy"),
    ):
        play(server, ledger=ledger, patience_s=0.2)
    assert len(ledger.calls) == 3
    assert not ledger.reserved
    with scripted(last=first_option) as other:
        game = play(other, ledger=ledger)
    assert game.calls[:3] == list(ledger.calls.values())[:3]
    assert len(other.requests) == len(ledger.calls) - 3


class Killed(MemoryLedger):
    """Is killed after some answers: each was stored before it was used."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def store(self, reservation, call):
        super().store(reservation, call)
        if len(self.calls) == self.after:
            raise KeyboardInterrupt


def test_no_answer_is_paid_twice_after_a_kill(play):
    with scripted(last=first_option) as server:
        ledger = Killed(after=4)
        with pytest.raises(KeyboardInterrupt):
            play(server, ledger=ledger)
        game = play(server, ledger=ledger)
        whole_game = play(server)
    assert game.game_part == whole_game.game_part
    assert len(server.requests) == 2 * len(whole_game.calls)


class Broken(MemoryLedger):
    """Fails as a bug of the arena does."""

    def store(self, reservation, call):
        raise RuntimeError("a bug")


def test_an_error_of_the_arena_itself_does_not_show_the_key(play):
    """Not even with the values of all variables, as some tools show tracebacks."""
    with scripted(last=first_option) as server, pytest.raises(RuntimeError) as caught:
        play(server, ledger=Broken())
    shown = "".join(TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert "a bug" in shown
    assert KEY[:8] not in shown


def test_an_answer_that_came_when_the_game_was_given_up_is_kept(supervisor):
    with scripted(first_option) as server:
        spec, ledger, rules = ModelSpec("m", server.at), MemoryLedger(), GAMES["complots"]
        bot = Bot("model", ("model",), Path.cwd(), spec.fingerprint)
        fixture = Fixture(
            "complots",
            1,
            rules.defaults(),
            ("model", "b"),
            (bot.fingerprint, "0" * 16),
            position={"hands": HANDS},
        )
        clock = fixture.conditions.clock
        referee = Referee(fixture.match(rules), Chance("1"), clock, 3, [(1, 0)] * 2, (1, 1))
        player = ModelPlayer(bot, supervisor, spec, ledger, Secret())
        player.sit(referee, fixture, 0)

        def deliver(messages):
            for message in messages:
                if message.seat == 0:
                    player.write(message.text.encode())

        deliver(referee.begin(0.0))
        os.read(player.out, 99)  # the bell for its `ok`
        deliver(referee.hear(0, "ok", 0.0))
        deliver(referee.hear(1, "ok", 0.0))
        assert select.select([player.out], [], [], AMPLE_S)[0]
        player.end()
    assert [call.answer for call in ledger.calls.values()] == ["income"]
    assert not ledger.reserved


class Costs(MemoryLedger):
    """Notes what was reserved."""

    def __init__(self):
        super().__init__()
        self.costs = []

    def reserve(self, call, cost):
        self.costs.append(round(cost * 1e6))
        return super().reserve(call, cost)


def test_what_the_server_has_counted_is_reserved_as_it_was_counted(play):
    ledger = Costs()
    with scripted(last=first_option) as server:
        game = play(server, ledger=ledger, price=Price(1.0, 1.0), max_tokens=1000)
    first, second = (call.messages for call in game.calls[:2])
    assert ledger.costs[0] == sum(len(text.encode()) + 16 for _, text in first) + 1000
    assert ledger.costs[1] == 100 + sum(len(text.encode()) + 16 for _, text in second) + 1000


class Poor(MemoryLedger):
    """Has no money for a call."""

    def reserve(self, call, cost):
        raise BudgetSpent(f"{cost:.6f}")


def test_a_call_that_may_cost_too_much_is_not_made(play):
    with scripted() as server, pytest.raises(BudgetSpent) as caught:
        play(server, ledger=Poor(), price=Price(1.0, 1.0), max_tokens=1000)
    assert server.requests == []
    assert 0.001 < float(str(caught.value)) < 0.02


# Replays


def test_a_cassette_gives_the_same_game_without_a_server(play, tmp_path):
    with scripted(say("hm"), answer("duchess"), *[say("hm")] * 4, last=first_option) as server:
        game = play(server)
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(f"{call.line}\n" for call in game.calls))
    again = play(server, ledger=Cassette(path))
    assert again.game_part == game.game_part
    assert again.spent == game.spent
    assert len(game.faults) == 1
    with pytest.raises(CassetteMiss, match=r"calls.jsonl: has no call"):
        play(server, ledger=Cassette(path), move_s=2 * AMPLE_S)


def test_the_key_is_in_no_record(play):
    echo = json.dumps({"thoughts": KEY, "answer": KEY})
    with scripted(say(echo), say(echo, reasoning_content=KEY), *[say(echo)] * 2, last=first_option) as server:
        game = play(server)
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    shown = "\n".join([*(call.line for call in game.calls), repr(game.game_part)])
    assert "[key]" in shown
    for part in (KEY[:9], "0123456789"):
        assert part not in shown


def test_the_clock_of_a_model_is_its_own():
    fixture = Fixture("complots", 1, {}, ("m", "b"), ("model-0123456789", "0" * 16))
    assert fixture.control(0).move == 180
    assert fixture.control(1).move == 1
    slow = replace(fixture, conditions=Conditions(clock=TimeControl(model=600.0)))
    assert slow.control(0).move == 600
