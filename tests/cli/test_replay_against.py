"""`arena replay --against` feeds a recorded game to a changed bot, and shows where it answers otherwise."""

import json
import shutil

import pytest
from samples import CHECKOUT

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
WRONG = {
    "another answer": ("answer = '5 aid'", "aid"),
    "late": ("time.sleep(0.45)", "late"),
    "illegal": ("answer = '5 run'", "illegal"),
    "garbled": ("answer = '5 \\\\xff'; os.write(1, b'5 \\xff\\n'); continue", "garbled"),
    "too much": ("print(answer)", "early"),
    "crash": ("os._exit(7)", "crashed"),
    "closed": ("os.close(1)", "crashed"),
}


@pytest.fixture
def played(arena, tmp_path, first_bot):
    """Plays a game of a bot with this deed, as p2, and returns what another bot of its name does in it."""

    def play(before: str, after: str, *more: object, code: int = 1):
        (tmp_path / "new").mkdir(exist_ok=True)
        for path, deed in (("odd.py", before), ("new/odd.py", after)):
            (tmp_path / path).write_text(SCRIPT.format(deed=deed))
        words = ("--seed", 1, "-o", "max_turns=6", "--move", "300ms", "--record", "run.db")
        assert arena("play", "complots", first_bot, "odd.py", *words).returncode == 0
        done = arena("replay", "run.db", "--against", "new/odd.py", *more)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return play


@pytest.mark.parametrize("game", ["complots", "local", "intrigue"])
def test_the_same_bot_gives_the_same_answers(arena, tmp_path, game):
    """A random one, too, since it is told the seed of its random numbers again; in each of its seats."""
    bots = [BOTS / "random_bot.py"] * 3
    assert arena("play", game, *bots, "--record", "run.db", "--seed", 3).returncode == 0
    for seat in ("p1", "p2", "p3"):
        done = arena("replay", "run.db", "1", "--against", bots[0], "--seat", seat)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[1].startswith("all ") and len(done.stdout.splitlines()) == 2


def test_a_game_of_a_run_in_which_the_process_had_played_before(arena, tmp_path):
    for name in ("honest", "bluffer"):
        shutil.copy(BOTS / f"{name}.py", tmp_path)
    (tmp_path / "plan.yaml").write_text(
        "game: complots\nseats: 2\ngroups: 3\nseed: 1\nbots: {honest: honest.py, bluffer: bluffer.py}\n"
    )
    assert arena("run", "plan.yaml", "--jobs", 1, "--out", "run.db").returncode == 0
    for number in range(1, 7):
        done = arena("replay", "run.db", number, "--against", "honest.py", "--format", "json")
        assert done.returncode == 0, done.stderr
        asks = json.loads(done.stdout)["asks"]
        assert len(asks) > 3 and not any(ask["differs"] for ask in asks)


@pytest.mark.parametrize("wrong", WRONG)
def test_what_a_changed_bot_does_otherwise_is_named(played, wrong):
    deed, name = WRONG[wrong]
    first, ask, *lines = played("pass", f"print('why', file=sys.stderr); {deed}").splitlines()
    assert first.startswith("game ") and first.endswith(", p2 odd, now new/odd.py")
    assert ask.startswith("ask 5 ")
    read = [line for line in lines if line.startswith("  < ")]
    assert read[-1].startswith("  < ask 5 ") and "  # why" in lines
    (then,) = [line for line in lines if line.startswith("  then: ")]
    (now,) = [line for line in lines if line.startswith("  now:  ")]
    assert then.endswith(" ms)") and now.split()[1].rstrip(":") == name
    assert lines[-1] == "after a difference the bot still reads the recorded game, not its own"
    assert lines[-2].startswith("1 of ")
    gone = "more asks were not sent, because the process is gone" in lines[-3]
    assert gone == (name == "crashed")


@pytest.mark.parametrize("wrong", ["another answer", "late", "illegal", "crash"])
def test_what_the_recorded_bot_did_is_named(played, wrong):
    deed, name = WRONG[wrong]
    lines = played(deed, "pass").splitlines()
    (then,) = [line for line in lines if line.startswith("  then: ")]
    assert then.split()[1].rstrip(":") == name
    assert lines[-2].startswith("1 of ")


@pytest.mark.parametrize("wrong", ["late", "illegal", "crash"])
def test_the_same_fault_again_is_no_difference(played, wrong):
    deed, _ = WRONG[wrong]
    assert "answers are the same" in played(deed, f"{deed}; pass", code=0)


def test_further_differences_have_a_line_each(played):
    every = "pass\n        if words[2] == 'action': answer = words[1] + ' no'"
    lines = played("pass", every).splitlines()
    more = [line for line in lines if line.startswith("ask ")][1:]
    assert more and all(line.endswith(" action: then income, now illegal") for line in more)
    asks = json.loads(played("pass", every, 1, "--format", "json"))["asks"]
    assert sum(ask["differs"] for ask in asks) == len(more) + 1
    (fault,) = next(ask for ask in asks if ask["differs"])["now"]["faults"]
    assert fault["fault"] == "illegal" and fault["words"].startswith("answered 'no' to ")


def test_of_lines_without_end_the_first_are_named(played):
    lines = played("pass", "os.write(1, b'5 run\\n' * 4_000_000)").splitlines()
    now = [line.split()[1] for line in lines if line.startswith("  now:  ")]
    assert now == ["illegal:", "early:", "early:"] and len(lines) < 30


def test_a_bot_that_does_not_start_gets_one_line(arena, tmp_path, first_bot):
    arena("play", "complots", first_bot, first_bot, "--seed", 1, "--record", "run.db")
    (tmp_path / "bad.py").write_text("raise SystemExit('no licence')")
    done = arena("replay", "run.db", "--against", "bad.py", "--seat", "p1")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "bot bad: exited with status 1 before it answered hello; stderr: 'no licence'" in done.stderr
