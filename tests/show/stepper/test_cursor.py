"""Where the keys lead in a recorded game, with open cards and through the eyes of one seat."""

import pytest
from stored_games import random_run

from arena.games import GAMES
from arena.rules import Choice, seat_name
from arena.show.stepper.cursor import Cursor
from arena.show.stepper.words import MAX_STDERR_LINES, MomentText
from arena.tournament.runs.account import Answered, Ended, Faulted, Happening, Told, Wrote
from arena.tournament.runs.moments import Moment, moments_of
from arena.tournament.runs.store import Store

MOVE = Choice("move", ("go", "stay"))


def moment(*said: Happening) -> Moment:
    return Moment(said, ("open",), (("p1 sees",), ("p2 sees",)))


def answer(seat: int, word: str, stderr: str = "") -> Answered:
    return Answered(1, seat, MOVE, word, 1, None, 500, stderr)


GAME = (
    moment(Told(1, 0, "hand a"), Told(1, 1, "hand b")),
    moment(Told(2, None, "turn 1 p1")),
    moment(answer(0, "go")),
    moment(Faulted(4, 1, "illegal", "words")),
    moment(Told(5, None, "turn 2 p2")),
    moment(Told(6, 1, "drawn c")),
    moment(answer(1, "stay")),
    moment(Ended(8, ((1, 2), None))),
)


def test_a_step_leads_to_the_next_moment_and_stays_at_the_ends():
    cursor = Cursor(GAME)
    assert (cursor.at, cursor.table) == (0, ("open",))
    cursor.step(-1)
    assert cursor.at == 0
    for at in (1, 2, 3, 4, 5, 6, 7, 7):
        cursor.step(1)
        assert cursor.at == at


def test_turns():
    cursor = Cursor(GAME)
    found = []
    for by in (1, 1, 1, -1, -1, -1):
        cursor.step_turn(by)
        found.append(cursor.at)
    assert found == [1, 4, 7, 4, 1, 0]
    cursor.turn(9)
    assert cursor.at == 7


def test_faults():
    cursor = Cursor(GAME)
    assert cursor.step_fault(1) and cursor.at == 3
    assert not cursor.step_fault(1) and cursor.at == 3
    cursor.go(7)
    assert cursor.step_fault(-1) and cursor.at == 3
    assert not Cursor(GAME, seat=0).step_fault(1), "it is that of another seat"


def test_a_seat_passes_over_what_it_does_not_learn():
    cursor = Cursor(GAME, seat=0)
    assert cursor.seen == [0, 1, 2, 4, 7] and cursor.table == ("p1 sees",)
    assert [each.text for each in cursor.said(0)] == ["hand a"]
    cursor.go(6)
    assert cursor.at == 4, "the last moment before it that the seat sees"
    cursor.look(1)
    assert cursor.at == 4 and cursor.table == ("p2 sees",)
    cursor.look(None)
    assert cursor.seen == list(range(8))


def test_a_seat_that_sees_nothing_at_the_beginning_begins_where_it_does():
    assert Cursor([moment(Told(1, 1, "hand b")), *GAME[1:]], seat=0).at == 1


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def record(request, tmp_path):
    random_run(tmp_path / "run.db", request.param, games=2, forfeits=0.05)
    with Store(tmp_path / "run.db") as store:
        return store.record(store.summaries()[-1].id)


def test_a_seat_sees_what_it_was_told_and_nothing_else(record):
    found, seats = list(moments_of(record)), range(len(record.fixture.bots))
    for seat in seats:
        cursor, heard = Cursor(found, seat), []
        for at in cursor.seen:
            cursor.go(at)
            assert cursor.table == found[at].views[seat]
            heard += [each.seat for each in cursor.said(at) if each.seat is not None]
        assert set(heard) == {seat}


def test_every_moment_has_words_and_the_last_has_the_result(record):
    words, found = MomentText(record), list(moments_of(record))
    for moment in found:
        assert any(line.plain for line in words.lines(moment.said, asked=True))
    places = zip(record.result[0], record.fixture.bots, strict=True)
    wanted = [f"{place}. {seat_name(seat)} {bot}" for seat, (place, bot) in enumerate(places)]
    lines = [line.plain.partition(",")[0] for line in words.lines(found[-1].said, asked=False)]
    assert sorted(line for line in lines if line[:1].isdigit()) == sorted(wanted)


HOSTILE = "[red]x[/red]\x1b[2J\u202ey\nTurn 9: p1 is to act."


@pytest.mark.parametrize("as_bots_read", [False, True])
def test_hostile_texts_stay_in_their_lines(record, as_bots_read):
    """No markup, no control characters, nothing at the margin, where only turns and the result stand."""
    words = MomentText(record)
    words.as_bots_read = as_bots_read
    hostile = Answered(1, 0, Choice(HOSTILE.replace("\n", ""), ("go",)), HOSTILE, 1, None, 1000, HOSTILE)
    told = (
        Told(1, None, HOSTILE),
        Told(1, 0, HOSTILE),
        Faulted(1, 0, "illegal", HOSTILE),
        Wrote(1, 0, HOSTILE),
    )
    for event in (hostile, *told):
        lines = [part for line in words.lines([event], True) for part in line.plain.split("\n")]
        assert "\\x1b" in "".join(lines) and "\\u202e" in "".join(lines) and "[red]" in "".join(lines)
        assert not set("\x1b\u202e") & set("".join(lines))
        assert all(line.startswith("  ") for line in lines)


def test_long_stderr_is_cut(record):
    text = "\n".join(f"line {number}" for number in range(100))
    lines = list(MomentText(record).lines([answer(0, "go", text)], False))
    assert len(lines) == MAX_STDERR_LINES + 2 and "and 95 more lines" in lines[MAX_STDERR_LINES].plain
