"""`arena rehearse` feeds a recorded game to a changed bot, and shows where it answers otherwise."""

import json
import shutil
from pathlib import Path

import pytest
from samples import CHECKOUT, FIRST

pytestmark = pytest.mark.slow  # real bots

BOTS = CHECKOUT / "bots" / "python"
SCRIPT = """
import os, sys, time
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        answer = words[1] + " " + words[words.index(":") + 1]
        if words[1] == "5":
            {deed}
        print(answer, flush=True)
"""
DEEDS = {
    "aid": "answer = '5 aid'",
    "late": "time.sleep(0.45)",
    "illegal": "answer = '5 run'",
    "garbled": "answer = '5 \\\\xff'; os.write(1, b'5 \\xff\\n'); continue",
    "early": "print(answer)",
    "crashed": "os._exit(7)",
    "closed": "os.close(1)",
}
NAMES = {name: "crashed" if name == "closed" else name for name in DEEDS}


@pytest.fixture
def play(told, tmp_path, first_bot):
    """Records a game of a bot with this deed, as p2."""

    def record(deed: str) -> None:
        (tmp_path / "odd.py").write_text(SCRIPT.format(deed=deed))
        words = ("--seed", 1, "-o", "max_turns=6", "--move", "300ms", "--record", "run.db")
        told("play", "complots", first_bot, "odd.py", *words)

    return record


@pytest.fixture
def rehearse(told, tmp_path):
    """What another bot of its name, with this deed, does in that game."""
    (tmp_path / "new").mkdir()

    def compare(deed: str, *more: object, same: bool = False) -> str:
        (tmp_path / "new" / "odd.py").write_text(SCRIPT.format(deed=deed))
        return told("rehearse", "run.db", 1, "new/odd.py", *more, status=int(not same))

    return compare


def answers(lines: list[str], sign: str) -> list[str]:
    """What the lines of the first difference call the answer then, or now."""
    return [line.split()[1].rstrip(":") for line in lines if line.startswith(f"  {sign}: ")]


@pytest.mark.parametrize("game", ["complots", "local", "intrigue"])
def test_the_same_bot_gives_the_same_answers(told, game):
    """A random one, too, since it is told the seed of its random numbers again; in each of its seats."""
    told("play", game, *[BOTS / "random_bot.py"] * 3, "--record", "run.db", "--seed", 3)
    for seat in ("p1", "p2", "p3"):
        lines = told("rehearse", "run.db", 1, BOTS / "random_bot.py", "--seat", seat).splitlines()
        assert lines[1].startswith("all ") and len(lines) == 2


def test_a_game_of_a_run_in_which_the_process_had_played_before(told, tmp_path):
    for name in ("honest", "bluffer"):
        shutil.copy(BOTS / f"{name}.py", tmp_path)
    (tmp_path / "plan.yaml").write_text(
        "game: complots\nseats: 2\ngroups: 3\nseed: 1\nbots: {honest: honest.py, bluffer: bluffer.py}\n"
    )
    told("run", "plan.yaml", "--jobs", 1, "--out", "run.db")
    for number in (1, 6):
        asks = json.loads(told("rehearse", "run.db", number, "honest.py", "--format", "json"))["asks"]
        assert len(asks) > 3 and not any(ask["differs"] for ask in asks)


def test_what_a_changed_bot_does_otherwise_is_named(play, rehearse):
    play("pass")
    for deed, name in NAMES.items():
        first, ask, *lines = rehearse(f"print('why', file=sys.stderr); {DEEDS[deed]}").splitlines()
        assert first.startswith("game ") and first.endswith(", p2 odd, now new/odd.py")
        assert ask.startswith("ask 5 ")
        read = [line for line in lines if line.startswith("  < ")]
        assert read[-1].startswith("  < ask 5 ") and "  # why" in lines
        assert [*answers(lines, "then"), *answers(lines, "now")][1:] == [name]
        assert lines[-1] == "after a difference the bot still reads the recorded game, not its own"
        assert lines[-2].startswith("1 of ")
        gone = "more asks were not sent, because the process is gone" in lines[-3]
        assert gone == (name == "crashed")


@pytest.mark.parametrize("deed", ["aid", "late", "illegal", "crashed"])
def test_what_the_recorded_bot_did_is_named_and_is_no_difference_if_it_does_it_again(play, rehearse, deed):
    play(DEEDS[deed])
    lines = rehearse("pass").splitlines()
    assert answers(lines, "then") == [deed] and lines[-2].startswith("1 of ")
    assert "answers are the same" in rehearse(f"{DEEDS[deed]}; pass", same=True)


def test_further_differences_have_a_line_each_and_lines_without_end_are_cut(play, rehearse):
    play("pass")
    every = "pass\n        if words[2] == 'action': answer = words[1] + ' no'"
    more = [line for line in rehearse(every).splitlines() if line.startswith("ask ")][1:]
    assert more and all(line.endswith(" action: then income, now illegal") for line in more)
    asks = json.loads(rehearse(every, "--format", "json"))["asks"]
    assert sum(ask["differs"] for ask in asks) == len(more) + 1
    (fault,) = next(ask for ask in asks if ask["differs"])["now"]["faults"]
    assert fault["fault"] == "illegal" and fault["words"].startswith("answered 'no' to ")
    lines = rehearse("os.write(1, b'5 run\\n' * 4_000_000)").splitlines()
    assert answers(lines, "now") == ["illegal", "early", "early"] and len(lines) < 30


def test_a_mistake_gets_one_line(told, refused, tmp_path: Path, first_bot):
    told("play", "complots", first_bot, first_bot, "--seed", 1, "--record", "run.db")
    (tmp_path / "bad.py").write_text("raise SystemExit('no licence')")
    (tmp_path / "stranger.sh").write_text(FIRST)
    for words, message in {
        "none.sh": "none.sh: no such bot",
        "run.db": "run.db: not executable",
        "stranger.sh": "no seat is called stranger; choose one with --seat: p1 first, p2 first-2",
        "bad.py --seat p1": "bot bad: exited with status 1 before it answered hello; stderr: 'no licence'",
    }.items():
        assert message in refused("rehearse", "run.db", 1, *words.split())


def test_a_seat_that_was_asked_nothing_has_no_answers(told, tmp_path, first_bot):
    """The process of the recorded bot had not started."""
    (tmp_path / "odd.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "plan.yaml").write_text(
        f"game: complots\nseats: 2\ngroups: 1\nbroken: forfeit\nbots: {{odd: odd.py, first: {first_bot}}}\n"
    )
    told("run", "plan.yaml", "--out", "run.db")
    (tmp_path / "odd.py").write_text(SCRIPT.format(deed="pass"))
    assert "no answers to compare: it was asked nothing" in told("rehearse", "run.db", 1, "odd.py")
