"""What holds in every game of the arena, tested with random play.

Every game gets these tests for free. It adds what only it knows: its promises (`PROMISES`), and which of its
public news may name something hidden (`MAY_SAY`). `ARENA_GAMES=2000 pytest tests/games/test_games.py` plays
that many games per configuration instead of a few.
`python tests/helpers/random_games.py` writes the stored games of `tests/replays` anew.
"""

import json
import re
from collections import Counter
from collections.abc import Callable

import pytest
from intrigue_table import IntrigueCheck
from random_games import CASES, GAMES_EACH, REPLAYS, case_name

from arena.cli.check_game import hash_finding
from arena.games import GAMES
from arena.games.complots.position import deck
from arena.games.intrigue.position import NOTE, ZONES
from arena.games.local.position import OWN
from arena.referee.game_check.examine import CHECKS, declaration
from arena.referee.game_check.random_games import line_ups, play
from arena.referee.protocol import ask_line, check_lines
from arena.rules import ALL, Ask, Choice, Draw, RollCall, Tell, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match, replies_as_json, reply_from_json, reply_to_json

# What only the game itself knows


def check_coins(match: Match) -> None:
    """The coins of both variants of Complots (C4, C5)."""
    p, options = match.position, match.options
    assert min(p.coins) >= 0
    if options["treasury"] != "unlimited":
        assert p.treasury >= 0
        assert sum(p.coins) + p.treasury == options["treasury"]
    if options["treasury"] == 54 and options["must_coup_at"] == 10:
        assert max(p.coins) <= 12
        assert p.treasury > 0 or p.seats >= 5


class ComplotsCheck:
    """Coins, cards and asks of one game of Complots; called at every step."""

    def __init__(self) -> None:
        self.asks = 0  # of the turn
        self.court: int | None = None

    def __call__(self, match: Match) -> None:
        check_coins(match)
        if isinstance(match.step, Ask):
            self.asks += len(match.step.choices)
        if isinstance(match.step, RollCall | None):
            self._check_boundary(match)

    def _check_boundary(self, match: Match) -> None:
        p = match.position
        cards = [card for pile in (p.court, p.aside, *p.hands, *p.lost) for card in pile]
        assert Counter(cards) == Counter(deck(p.seats, p.options["cast"]))
        assert all(len(hand) + len(lost) == 2 for hand, lost in zip(p.hands, p.lost, strict=True))
        assert self.court in (None, len(p.court))
        self.court = len(p.court)
        if p.options["block_attempts"] == "one":
            assert self.asks <= 4 + 3 * p.seats
        self.asks = 0


class LocalCheck:
    """Coins, cards, tours and asks of one game of the local variant; called at every step."""

    def __init__(self) -> None:
        self.asks = 0  # of the turn
        self.cemeteries: list[list] = []
        self.read = 0  # entries of the log whose turns were counted
        self.tours = [0]  # of each manche
        self.place = -1  # in its tour, of the seat that was last to move

    def __call__(self, match: Match) -> None:
        p, step = match.position, match.step
        check_coins(match)
        for seat in range(p.seats):
            placed = [p.placed[seat].card] if p.placed[seat] else []
            piles = (*p.discards[seat], *p.cemeteries[seat])
            assert Counter([*p.hands[seat], *placed, *(pile.card for pile in piles)]) == Counter(OWN)
        for before, now in zip(self.cemeteries, p.cemeteries, strict=False):
            assert now[: len(before)] == before
        self.cemeteries = [list(cemetery) for cemetery in p.cemeteries]
        if isinstance(step, Ask):
            self.asks += len(step.choices)
        if isinstance(step, RollCall | None):
            if p.options["block_attempts"] == "one":
                assert self.asks <= 4 + 3 * p.seats
            self.asks = 0
            self._count_tours(match)

    def _count_tours(self, match: Match) -> None:
        """By the public news alone: a tour is over when the turn goes back towards the marker (L4)."""
        p = match.position
        news = [step.text.split() for step, _ in match.log[self.read :] if isinstance(step, Tell)]
        self.read = len(match.log)
        for words in news:
            if words[0] == "turn":
                place = (seat_number(words[2]) - p.marker) % p.seats
                self.tours[-1] += place <= self.place or self.tours[-1] == 0
                self.place = place
            elif words[0] == "manche":
                self.tours.append(0)
        assert set(self.tours[:-1]) <= {p.options["tours_per_round"]}
        assert len(self.tours) == p.manche
        assert self.tours[-1] > 0 or p.discards == [[]] * p.seats


PROMISES: dict[str, Callable[[], Callable[[Match], None]]] = {
    "complots": ComplotsCheck,
    "local": LocalCheck,
    "intrigue": IntrigueCheck,
}
"""Makes a check for one game, to be called at every step."""

MAY_SAY = {
    "complots": {"claim", "challenge", "block", "blocked", "fizzle"},
    "local": {"claim", "challenge", "block", "blocked", "fizzle"},
    "intrigue": set(),
}
"""The first words of public news that name what a player has said, whether it is true or not."""


def test_every_game_is_listed_here():
    assert set(GAMES) == set(PROMISES) == set(MAY_SAY)


# Random play


EACH = {
    "answers": max(1, GAMES_EACH // 7),
    "draws": max(2, GAMES_EACH // 3),
    "secrets": max(4, GAMES_EACH // 3),
    "prose": max(2, GAMES_EACH // 3),
}
"""Games per configuration of the checks that take longer."""

every_configuration = pytest.mark.parametrize(("game", "changes"), CASES, ids=case_name)


@every_configuration
def test_what_holds_in_every_game(game, changes):
    """These are the checks of `arena check-game`."""
    for name, (check, _) in CHECKS.items():
        for options, seats, seed in line_ups(game, changes, EACH.get(name, GAMES_EACH)):
            problems = list(check(game, options, seats, seed))
            assert not problems, f"{name}, in game {seed!r} with {seats} seats"


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_the_game_as_a_value(game):
    assert list(declaration(game)) == []


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_the_same_log_under_every_hash_seed(game):
    """No game may depend on the order of a set."""
    assert hash_finding(game).verdict == "ok"


def test_the_richest_player_of_intrigue_gets_no_line_that_is_too_long():
    """Five players with 32000 each, and five incomes from four full zones in each of five castles."""
    money = 5 * 32000 + 5 * 5 * sum(ZONES)
    amounts = tuple(str(amount) for amount in range(NOTE, money + NOTE, NOTE))
    castles = " ".join(f"for=p{seat}.biologist@10000" for seat in range(1, 41))
    check_lines([ask_line(10**9, Choice("bribe", amounts, advisors=castles), 1e6, 1e6, 1e6)])


@every_configuration
def test_what_the_game_promises_of_itself(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        try:
            play(game, options, seats, seed, forfeits=0.02, watch=PROMISES[game.name]())
        except AssertionError as error:
            raise AssertionError(f"in game {seed!r} with {seats} seats") from error


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_a_game_that_is_over_hears_no_more(game):
    match = play(game, game.defaults(), game.seats[0], "over")
    before = match.digest()
    for reply in ((), "pass", {0: "pass"}):
        with pytest.raises(ValueError):
            match.reply(reply)
    assert match.digest() == before


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_replies_of_the_wrong_kind_are_refused(game):
    """So that a damaged record is told from a sound one: ValueError, and the match is as it was."""
    wrong = {
        Draw: [(), {0: "pass"}, None],
        Ask: ["pass", (), (0,), None, {}],
        RollCall: ["p1", {0: "pass"}, ("p1",), (99,), (-1,), (0, 0), (1, 0), None],
    }
    problems = []

    def watch(match: Match) -> None:
        replies = wrong.pop(type(match.step), [])
        if replies and isinstance(match.step, Ask):
            replies += [dict.fromkeys(match.step.choices, 5), dict.fromkeys(match.step.choices)]
        before = match.digest(), match.replies, match.position
        for reply in replies:
            copy = match.copy()
            try:
                copy.reply(reply)
                problems.append(f"{type(match.step).__name__} accepts {reply!r}")
            except ValueError:
                if (copy.digest(), copy.replies, copy.position) != before:
                    problems.append(f"{type(match.step).__name__} refuses {reply!r} and changes")
            except Exception as error:
                problems.append(f"{type(match.step).__name__} answered {reply!r} raises {error!r}")

    play(game, game.defaults(), game.seats[-1], "wrong kinds", watch=watch)
    assert not problems, "\n".join(problems)


def test_replies_are_written_as_the_json_of_each():
    replies = [(), "duchess", {0: "pass", 3: 'say:all:"%C3%A9\\'}, (0, 2), {2: "é"}]
    assert json.loads(replies_as_json(replies)) == [reply_to_json(reply) for reply in replies]
    assert [reply_from_json(each) for each in json.loads(replies_as_json(replies))] == replies


@pytest.mark.parametrize("value", [None, True, 5, 1.5, [5], [None], ["p99"], {"p99": "pass"}])
def test_json_that_is_no_reply_is_refused(value):
    with pytest.raises(ValueError):
        reply_from_json(value)


def test_lists_are_as_good_as_tuples():
    """Rules of other packages may pass any sequence, whether the arena is compiled or not."""
    choice = Choice("move", ["stay", "go"])
    assert choice.options == ("stay", "go") and choice.tail == ": stay go"
    assert Choice.of_sets("keep", ["a+b", "c"]).same_set("b+a") == "a+b"
    assert Draw("deal", ["duchess", "captain"], to=ALL).outcomes == ("duchess", "captain")


# Going on


def test_a_match_goes_on_until_a_step_waits():
    """Without a function for its step, or if that returns None."""
    game, chance = GAMES["complots"], Chance("drive")
    match = Match(game, game.defaults(), 3)
    assert match.drive() is match.step and isinstance(match.step, Draw) and not match.replies
    assert isinstance(match.drive(lambda purpose, outcomes: None), Draw) and not match.replies
    assert isinstance(match.drive(chance.pick), Ask)
    before = len(match.replies)
    assert not match.go_on(chance.pick) and len(match.replies) == before

    def answer(step):
        return {seat: choice.default for seat, choice in step.choices.items()}

    assert match.go_on(chance.pick, answer=answer) and len(match.replies) == before + 1
    assert match.drive(chance.pick, lambda: (0, 1), answer) is None and match.result
    assert match.result[0][2] == 1, "two seats were absent at the next roll call"
    assert not match.go_on(chance.pick, answer=answer)


# Who learns what


def test_news_reaches_its_audience_and_no_other_seat():
    public, secret, hand = Tell(ALL, "turn 1 p1"), Tell(1, "turn of luck"), Tell(0, "hand duchess")
    assert [each.line for each in (public, secret)] == ["event turn 1 p1", "secret turn of luck"]
    assert [each.kind for each in (public, secret)] == ["event", "secret"]
    assert [each.begins_turn for each in (public, secret)] == [True, False]
    assert [each.is_public for each in (public, secret, hand)] == [True, False, False]
    for news, audience in ((public, [0, 1, 2]), (secret, [1]), (hand, [0])):
        assert [*news.audience(range(3))] == audience
        assert [seat for seat in range(3) if news.reaches(seat)] == audience
    match = Match(GAMES["complots"], GAMES["complots"].defaults(), 2)
    match.log[:] = [(public, None), (secret, None), (hand, None)]
    assert [match.heard(seat) for seat in (ALL, 0, 1)] == [[public], [public, hand], [public, secret]]
    assert [match.heard(seat, since=1) for seat in (ALL, 0, 1)] == [[], [hand], [secret]]
    draws = {to: Draw("deal", ["duchess"], to=to) for to in (ALL, 0, 1, "nobody")}
    reached = {to: [seat for seat in (ALL, 0, 1) if draw.reaches(seat)] for to, draw in draws.items()}
    assert reached == {ALL: [ALL, 0, 1], 0: [0], 1: [1], "nobody": []}


def secret_words(match: Match) -> set[str]:
    """The outcomes of chance that were hidden from at least one seat."""
    draws = [step for step, _ in match.log if isinstance(step, Draw) and step.to is not ALL]
    return {outcome for draw in draws for outcome in draw.outcomes}


@every_configuration
def test_public_news_names_secrets_only_where_it_may(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        match = play(game, options, seats, seed, forfeits=0.02)
        secrets = secret_words(match)
        for step, _ in match.log:
            if isinstance(step, Tell) and step.to is ALL:
                head, *words = re.split(r"[^\w]+", step.text)
                if secrets & set(words):
                    assert head in MAY_SAY[game.name] | game.reveals, f"{step.text!r} in {seed}"


# Stored games


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_stored_games_replay(game):
    """Rules of one version replay their records for ever."""
    hint = f"""
        The rules of {game.name} play this game of version {game.version} differently. If that is meant, old
        records cannot be replayed: raise `version` in the game, and run
        `python tests/helpers/random_games.py`."""
    path = REPLAYS / f"{game.name}-{game.version}.json"
    assert path.exists(), (
        f"no stored games of {game.name} {game.version}: run `python tests/helpers/random_games.py`"
    )
    for stored in json.loads(path.read_text()):
        replies = [reply_from_json(reply) for reply in stored["replies"]]
        try:
            match = Match(game, stored["options"], stored["seats"], replies)
        except ValueError as error:
            raise AssertionError(hint) from error
        assert match.step is None and match.digest() == stored["digest"], hint
        draws = [(step, reply) for step, reply in match.log if isinstance(step, Draw)]
        chance = Chance(stored["seed"])
        assert [chance.pick(step.purpose, step.outcomes) for step, _ in draws] == [
            reply for _, reply in draws
        ]
