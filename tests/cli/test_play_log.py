"""`arena play --log`: every line both ways, also of bots that do not start, are late or crash."""

import json
import re
import subprocess
import sys

import pytest
from samples import FIRST

pytestmark = pytest.mark.slow  # real bots

LINE = re.compile(r" *\d+\.\d (p[12]) ([<>#!])( .*)?")
SCRIPT = """
import os, sys, time
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        answer = words[1] + " " + words[words.index(":") + 1]
        if words[2] == "action":
            {deed}
        print(answer, flush=True)
"""


@pytest.fixture
def log(arena, first_bot, tmp_path):
    """The log of a game of `first` against a bot that does something when it is asked for an action."""

    def play(deed: str, *more: object) -> list[str]:
        (tmp_path / "odd.py").write_text(SCRIPT.format(deed=deed))
        words = ("--seed", 1, "-o", "max_turns=4", "--move", "300ms", "--log", *more)
        done = arena("play", "complots", first_bot, "odd.py", *words)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        if "json" not in more:
            assert all(LINE.fullmatch(line) for line in lines), done.stdout
            times = [float(line.split()[0]) for line in lines]
            assert times == sorted(times) and times[0] == 0
        return lines

    return play


def texts(lines: list[str], seat: str, signs: str = "<>#!") -> list[str]:
    """The lines of a seat without their times."""
    return [
        line.lstrip(" .0123456789") for line in lines if line.split()[1] == seat and line.split()[2] in signs
    ]


def test_what_a_bot_reads_is_what_its_record_says_that_it_was_sent(log, arena):
    lines = texts(log("pass", "--record", "run.db"), "p2")
    sent = arena("replay", "run.db", "--seat", "p2", "--format", "input").stdout.splitlines()
    assert [line[5:] for line in lines if line.startswith("p2 <")] == [*sent, "bye"]
    answers = [
        line[2:] for line in arena("replay", "run.db", "--seat", "p2").stdout.splitlines() if line[0] == ">"
    ]
    wrote = [line[5:].split(" ")[1] for line in lines if line.startswith("p2 >")]
    assert wrote == ["ok", "ok", *answers]
    assert lines[-2:] == ["p2 ! exited with status 0", "p2 ! place 1, odd"]


def test_a_late_answer_is_there_and_so_is_its_fault(log):
    lines = log("time.sleep(0.5) if answer[0] != '9' else 0")
    assert any(line.startswith("p2 < error ") for line in texts(lines, "p2"))
    late = [line for line in texts(lines, "p2", "!") if "late" in line]
    assert late and set(late) == {"p2 ! late: no answer to action in time; played income"}


def test_a_bot_that_crashes_has_its_last_words_and_its_status(log):
    lines = texts(log("os.write(2, b'oh \\x1b[2J\\xff\\n'); os.write(1, b'9 inc'); os._exit(7)"), "p2")
    asked = next(number for number, line in enumerate(lines) if " action " in line)
    assert sorted(lines[asked + 1 : asked + 3]) == ["p2 # oh \\x1b[2J\\xff", "p2 > 9 inc (no newline)"]
    assert "p2 ! exited with status 7" in lines
    assert "p2 ! crashed: exited with status 7 in the middle of a line" in lines


def test_a_flood_of_stderr_is_cut(log):
    lines = log("[os.write(2, b'x' * 65535 + b'\\n') for _ in range(40)]")
    assert "p2 ! has written 1048576 bytes; the rest is not logged" in texts(lines, "p2")
    assert sum(map(len, lines)) < 2**20


def test_as_json_each_line_is_an_object(log):
    lines = [json.loads(line) for line in log("os.write(2, b'hm\\n')", "--format", "json")]
    assert lines[0] == {"ms": 0.0, "seat": "p1", "kind": "read", "text": "ask 1 hello 10000 version=1 : ok"}
    assert {line["kind"] for line in lines} == {"read", "wrote", "stderr", "note"}
    assert {"seat": "p2", "kind": "stderr", "text": "hm"}.items() <= next(
        line for line in lines if line["kind"] == "stderr"
    ).items()


@pytest.mark.parametrize(
    ("code", "last", "message"),
    [
        (
            "import sys; sys.stdout.write('1 ok'); sys.exit(1)",
            "> 1 ok (no newline)",
            "exited with status 1 in the middle of a line before it answered hello",
        ),
        ("raise SystemExit('no licence')", "# no licence", "exited with status 1 before it answered hello"),
    ],
)
def test_a_bot_that_does_not_start_is_logged_before_the_error(
    arena, first_bot, tmp_path, code, last, message
):
    (tmp_path / "bad.py").write_text(code)
    done = arena("play", "complots", first_bot, "bad.py", "--log")
    assert done.returncode == 2 and message in done.stderr and len(done.stderr.splitlines()) == 1
    lines = texts(done.stdout.splitlines(), "p2")
    assert lines[0] == "p2 < ask 1 hello 10000 version=1 : ok" and f"p2 {last}" in lines
    assert lines[-1] == "p2 ! exited with status 1"


def test_the_reader_of_a_log_may_leave(tmp_path):
    (tmp_path / "first.sh").write_text(FIRST)
    command = [sys.executable, "-m", "arena", "play", "complots", "first.sh", "first.sh", "--log"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == "      0.0 p1 < ask 1 hello 10000 version=1 : ok\n"
        process.stdout.close()
        assert process.stderr.read() == "" and process.wait(20) == 0
