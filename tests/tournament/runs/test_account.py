"""What happened in a recorded game: events in order, and all readers of records tell the same."""

from dataclasses import replace

import pytest
from stored_games import random_run, record

from arena.config.document import ConfigError
from arena.games import GAMES
from arena.referee.fixture import to_json
from arena.referee.record import record_from_json
from arena.rules import Ask, seat_name
from arena.tournament.runs import load_run
from arena.tournament.runs.account import (
    Answered,
    Asked,
    Drawn,
    Ended,
    Faulted,
    Told,
    Waiting,
    Wrote,
    account,
    replay,
)
from arena.tournament.runs.asks import traced_asks
from arena.tournament.runs.moments import moments_of
from arena.tournament.runs.store import Store
from arena.tournament.runs.transcript import entries, for_seat, for_spectator
from arena.tournament.runs.transcript import to_json as transcript_to_json
from arena.tournament.runs.verify import replay_problem

KINDS = {Told: "news", Faulted: "fault", Drawn: "draw", Asked: "ask", Answered: "answer", Ended: "end"}
NEWS = ("event", "secret")


def stored(trace: dict, made=None):
    """A record with this trace as it is read again once it was stored."""
    made = made or record()
    return record_from_json(made.game_part(), to_json(trace))


def games(path):
    with Store(path) as store:
        return [store.record(game.id) for game in store.summaries()]


def with_stderr(played):
    """The record of a game in which each bot wrote a line at its start and at each ask."""
    asks = [len(times) for times in played.trace["microseconds"]]
    said = {seat: [f"{seat} {ask}\n" for ask in range(asked)] for seat, asked in enumerate(asks, 1)}
    texts = {seat: "".join(parts) for seat, parts in said.items()}
    marks = {seat: [(ask, len(part)) for ask, part in enumerate(parts)] for seat, parts in said.items()}
    return stored({**played.trace, "stderr": texts, "stderr_asks": marks}, played)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_all_readers_tell_the_same_of_random_games(tmp_path, game):
    random_run(tmp_path / "run.db", game, games=4, forfeits=0.05)
    rows = load_run(tmp_path / "run.db").answers
    for played in map(with_stderr, games(tmp_path / "run.db")):
        events = list(account(played))
        check_moments(played, events)
        check_lines(played, events)
        check_frame(rows[rows["game"] == played.fixture.id], events)
        assert replay_problem(played) == ""
        *_, (match, rest) = replay(played)
        assert match.digest() == played.digest and rest is None
        assert [event.text for event in events if type(event) is Told] == [
            step.text for step, reply in match.log if reply is None
        ]


def check_moments(played, events):
    """They are numbered without gaps, and each has the table at which the rules next wait for answers."""
    moments = list(moments_of(played))
    assert [each.said[0].moment for each in moments] == list(range(1, len(moments) + 1))
    told = [event for event in events if isinstance(event, Told | Faulted | Answered | Ended)]
    said = [each for moment in moments for each in moment.said if not isinstance(each, Wrote)]
    assert [str(each[:4]) for each in said] == [str(event[:4]) for event in told]
    for moment in moments:
        assert len({type(each) for each in moment.said} - {Wrote}) == 1
        assert len(moment.views) == len(played.fixture.bots)
    match = played.fixture.match(GAMES[played.fixture.game])
    tables = [tuple(match.game.view(match.position, None))] if isinstance(match.step, Ask | None) else []
    for reply in played.replies:
        match.reply(reply)
        if isinstance(match.step, Ask | None):
            tables.append(tuple(match.game.view(match.position, None)))
    shown = [moment.table for moment in moments if isinstance(moment.said[0], Answered | Ended)]
    assert shown == tables
    wrote = "\n".join(each.text if isinstance(each, Wrote) else each.stderr for each in said_by(moments, 0))
    assert wrote.split("\n") == played.trace["stderr"]["1"].splitlines()


def said_by(moments, seat):
    """What has stderr of a seat: its answers, and what it wrote at the end."""
    found = [each for moment in moments for each in moment.said if each.seat == seat]
    return [each for each in found if getattr(each, "stderr", "") or isinstance(each, Wrote)]


def check_lines(played, events):
    """The transcript has every event; a seat's is what is for all and for it (A9)."""
    lines = [("news" if kind in NEWS else kind, seat) for kind, seat, _ in entries(played)]
    shown = [each for each in lines if each[0] in KINDS.values()]
    assert shown == [(KINDS[type(event)], event.seat) for event in events if type(event) in KINDS]
    everything = list(entries(played, trace=True))
    assert [each["text"] for each in transcript_to_json(played, True)["entries"]] == [
        each.text for each in everything
    ]
    for seat in range(len(played.fixture.bots)):
        own = [
            each for each in everything if each.seat in (None, seat) and each.kind not in ("table", "draw")
        ]
        assert len(list(for_seat(played, seat, trace=True))) == len(own)
        written = [each.text for each in own if each.kind == "stderr"]
        assert written == played.trace["stderr"][str(seat + 1)].splitlines()
    spectator = "\n".join(for_spectator(played, trace=True))
    assert all(event.text in spectator for event in events if type(event) is Told)
    assert all(
        f"! {seat_name(event.seat)} {event.kind}" in spectator for event in events if type(event) is Faulted
    )


def check_frame(rows, events):
    answers = [event for event in events if type(event) is Answered]
    wanted = [(event.moment, seat_name(event.seat), event.choice.kind, event.word) for event in answers]
    assert [*rows[["moment", "seat", "kind", "word"]].itertuples(index=False, name=None)] == wanted
    assert [*rows["ms"].dropna()] == [each.milliseconds for each in answers if each.milliseconds is not None]


def test_the_position_is_that_at_which_the_rules_wait(tmp_path):
    random_run(tmp_path / "run.db", games=1)
    (played,) = games(tmp_path / "run.db")
    waits = [
        (len(event.match.replies), event.match.step) for event in account(played) if type(event) is Waiting
    ]
    assert [number for number, _ in waits] == list(range(len(played.replies) + 1))
    assert waits[-1][1] is None


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ((), "the record ends before the game is over"),
        (("p9",), "'p9' is not an outcome of starter"),
        (({0: "income"},), "is not an outcome of starter"),
    ],
)
def test_a_record_that_its_rules_refuse_is_named(tmp_path, replies, words):
    random_run(tmp_path / "run.db", games=1)
    (played,) = games(tmp_path / "run.db")
    wrong = replace(played, replies=replies)
    for read in (account, replay, moments_of, entries):
        with pytest.raises(ConfigError, match=f"game {played.fixture.id}: does not replay: .*{words}"):
            list(read(wrong))
    assert replay_problem(wrong)


# What the trace has for each ask

TIMES = {"microseconds": [[100, 200, 300], [400]], "sent": [[1, 0, 4, []], [5, 1, 7, []]]}


@pytest.mark.parametrize(
    ("seat", "more", "asks"),
    [
        (0, {"stderr": {1: "up\none\nthree"}, "stderr_asks": {1: [[0, 3], [1, 4], [2, 5]]}},
         [(100, "up\n"), (200, "one\n"), (300, "three")]),
        (1, {"stderr": {2: "dead"}, "stderr_asks": {2: [[1, 4]]}}, [(400, ""), (None, "dead")]),  # no answer
        (1, {"stderr": {2: "a b"}, "stderr_asks": {2: [[1, 2], [2, 1]]}}, [(400, ""), (None, "a b")]),
        (0, {}, [(100, ""), (200, ""), (300, "")]),
    ],
)  # fmt: skip
def test_each_ask_has_its_time_and_its_stderr(seat, more, asks):
    assert traced_asks(stored({**TIMES, **more}), seat) == asks


def test_what_a_bot_wrote_without_an_ask_is_kept():
    assert traced_asks(stored({"stderr": {1: "no such file\n"}}), 0) == [(None, "no such file\n")]
    assert traced_asks(stored({}), 0) == []


TALKER = """\
echo up >&2
while read -r verb id rest; do
  case $verb in
    ask) n=$((n + 1)); echo "ask $n" >&2
         [ $n -lt 4 ] || { echo tired >&2; exit 1; }
         set -- ${rest#*: }; echo "$id $1";;
  esac
done
"""


@pytest.mark.slow
def test_what_a_bot_wrote_stands_with_its_answer_or_at_the_end(arena, first_bot, tmp_path):
    (tmp_path / "talker.sh").write_text(TALKER)
    assert arena("play", "complots", "talker.sh", first_bot, "--record", "run.db").returncode == 0
    (played,) = games(tmp_path / "run.db")
    moments = list(moments_of(played))
    wrote = [each.text if isinstance(each, Wrote) else each.stderr for each in said_by(moments, 0)]
    assert wrote[0] == "up\nask 1\nask 2\nask 3"  # hello, ready, and the first of the game
    assert "\n".join(wrote).endswith("ask 4\ntired")
    assert [each.kind for moment in moments for each in moment.said if isinstance(each, Faulted)] == [
        "crashed"
    ]
