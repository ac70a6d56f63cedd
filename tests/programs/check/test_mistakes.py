"""A correct bot is made wrong in every usual way: the verdict names the mistake, and says what to change."""

from contextlib import closing

import pytest
from programs import survivors

from arena import games
from arena.cli.check_text import lines
from arena.programs.check.table import CheckTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import Conditions, TimeControl
from arena.tournament.check_entries import CheckRequest, check_entry

pytestmark = pytest.mark.slow  # real processes, most of them up to no good

GOOD = """#!/usr/bin/env python3
import os, sys, time

def say(answer):
    print(answer, flush=True)

for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        # thinks
        answer = words[words.index(":") + 1]
        say(f"{words[1]} {answer}")
    # other lines
"""
SHELL = """while read -r verb id kind rest; do
    case $verb in ask) ;; *) continue ;; esac
    options=${rest#*: }
    echo "$id ${options%% *}"
done
"""
ACTION = 'words[2] == "action"'


def request(move=0.1):
    conditions = Conditions(clock=TimeControl(move=move, start=1.0))
    return CheckRequest(None, [games.find("complots")], {}, conditions, [])


def findings(path, move=0.1):
    return check_entry(path, request(move), LIMITS_ONLY, lambda message: None)


def wrong(path, move=0.1):
    """What is wrong, by the name of the check, as one text."""
    found = findings(path, move)
    assert all(len(line) <= 80 for line in lines(found))
    assert survivors(within=1) == []
    texts = {}
    for each in found:
        if each.verdict == "fault":  # answers to several kinds of asks are several findings
            text = "\n".join([each.words, *each.details, f"change: {each.advice}"])
            texts[each.check] = "\n".join(filter(None, [texts.get(each.check), text]))
    return texts


def program(folder, text, name="bot.py", mode=0o755):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return path


def thinking(code):
    """The good bot, which does this at each ask for an action."""
    return GOOD.replace("# thinks", f"if {ACTION}: {code}")


def test_the_correct_bots_have_no_faults(tmp_path):
    assert wrong(program(tmp_path, GOOD), move=1.0) == {}
    assert wrong(program(tmp_path, SHELL, "bot.sh", 0o644), move=1.0) == {}


MISTAKES = {
    "late, computing": (
        thinking("\n            while True: pass"),
        "late",
        ["it was computing: an endless loop", "nothing for 100 ms", "change: keep an eye on the clock"],
    ),
    "late, sleeping": (thinking("time.sleep(0.5)"), "late", ["it was waiting", "change: does it sleep"]),
    "illegal": (
        GOOD.replace('words[words.index(":") + 1]', '"Income"'),
        "starts",
        ["no 'ok' to hello", "last line was '1 Income'", "change: answer `ask 1 hello ...` with `1 ok`"],
    ),
    "illegal action": (
        GOOD.replace("say(f", f'if {ACTION}: answer = "Income"\n        say(f'),
        "illegal",
        ["not among the options", "! > 4 Income", "did you mean 'income'?", "change: answer one of"],
    ),
    "crash": (
        thinking("words[99]"),
        "crashed",
        ["exited during a game", "exited with status 1", "IndexError", "change: catch the error that stderr"],
    ),
    "debug output": (
        thinking("print('I think so')"),
        "illegal",
        ["debug output on stdout", "! > I think so", "  > 4 income", "change: write debug output to stderr"],
    ),
    "debug output after the answer": (
        GOOD.replace("# other lines", "print('read', line)"),
        "early",
        ["debug output on stdout", "! > read event starter p1", "change: write debug output to stderr"],
    ),
    "never flushes": (
        GOOD.replace(", flush=True", ""),
        "starts",
        ["its answer came only when its stdin was closed", "change: flush after every answer"],
    ),
    "flushes hello and ready alone": (
        GOOD.replace("flush=True", "flush=answer.endswith('ok')"),
        "late",
        ["has written one, but not flushed it", "nothing for 100 ms", "change: flush after every answer"],
    ),
    "a byte order mark in its output": (
        GOOD.replace('say(f"', 'say(f"\\ufeff'),
        "starts",
        ["no 'ok' to hello", "UTF-8 needs no byte order mark"],
    ),
    "a byte order mark before an action": (
        GOOD.replace("say(f", f'if {ACTION}: answer = "\\ufeff" + answer\n        say(f'),
        "garbled",
        ["not plain text", "UTF-8 needs no byte order mark", "change: write UTF-8 without byte order mark"],
    ),
    "colours": (
        GOOD.replace("say(f", f'if {ACTION}: answer = "\\x1b[1m" + answer\n        say(f'),
        "garbled",
        ["no colours on stdout"],
    ),
    "wrong id": (
        GOOD.replace("{words[1]} {answer}", "{int(words[1]) + (words[2] == 'action')} {answer}"),
        "early",
        ["the wrong id: 5, where 4 was due", "! > 5 income", "change: begin the answer with the id of"],
    ),
    "answers before it is asked": (
        GOOD.replace("# other lines", 'if words[0] == "event": say("income")'),
        "early",
        ["! > income"],
    ),
    "answers twice": (
        GOOD.replace("say(f", f'if {ACTION}: say(f"{{words[1]}} {{answer}}")\n        say(f'),
        "early",
        ["more than one answer to an ask", "change: write exactly one line for each"],
    ),
    "ends after a game": (
        GOOD.replace("# other lines", 'if words[0] == "end": sys.exit()'),
        "process",
        ["does not play a second game", "exited with status 0", "change: after `end` read on"],
    ),
    "cannot play a second game": (
        GOOD.replace("import os", "games = 0\nimport os").replace(
            "# other lines", 'if words[0] == "end": games += 1\n    if games: time.sleep(9)'
        ),
        "unstarted",
        ["not ready at the start of a game", "no 'ok' to ready in time"],
    ),
    "output without end": (
        thinking("[say(n) for n in range(10**9)]"),
        "illegal or early or flood",  # by how much of it has arrived when the referee reads
        ["output without end", "change: write one line for each ask"],
    ),
    "output without a newline": (thinking("os.write(1, b'x' * 2**21)"), "flood", ["without a newline"]),
    "reads only one line": (
        GOOD.replace("for line in sys.stdin:", "for line in [input()]:"),
        "unstarted",
        ["exited with status 0", "change: read lines in a loop until stdin ends"],
    ),
    "reads all lines before it answers": (
        GOOD.replace("in sys.stdin:", "in sys.stdin.read().splitlines():"),
        "starts",
        ["its answer came only when its stdin was closed", "read line by line, not all of stdin"],
    ),
    "leaves in the middle of a game": (
        thinking("sys.exit()"),
        "crashed",
        ["exited during a game, without an error", "change: read lines in a loop until stdin ends"],
    ),
    "an unknown verb": (
        GOOD.replace("# other lines", 'assert words[0] in "ask game event secret state end bye".split()'),
        "words",
        ["a word of a later protocol upset it", "< later words of=tomorrow", "change: ignore verbs"],
    ),
    "an unknown key of an ask": (
        GOOD.replace(
            "# thinks",
            'if words[2] == "challenge": on, claim, action, actor = words[4 : words.index(":")]',
        ),
        "words",
        ["a word of a later protocol upset it", "change: ignore verbs, words and key=value pairs"],
    ),
    "an unknown event": (
        GOOD.replace("# other lines", 'if words[0] == "event": assert words[1] != "later", line'),
        "words",
        ["AssertionError: event later", "change: ignore verbs, words and key=value pairs"],
    ),
    "never answers": (
        GOOD.replace("for line in sys.stdin:", "while True: pass\nfor line in sys.stdin:"),
        "starts",
        ["it was still computing", "change: look for an endless loop"],
    ),
    "writes without end at its start": (
        GOOD.replace("for line in sys.stdin:", "while True: say('ready')\nfor line in sys.stdin:"),
        "starts",
        ["wrote 1000 lines, but not 'ok' to hello", "change: write one line for each ask"],
    ),
    "crashes at its start": (
        GOOD.replace("import os", "import numpyy, os"),
        "starts",
        ["exited with status 1", "ModuleNotFoundError", "change: the bot's interpreter does not find this"],
    ),
    "too much memory": (
        thinking("keep = bytearray(400 * 2**20)"),
        "memory",
        ["more memory than allowed", "change: keep less"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_verdict_names_the_mistake_and_what_to_change(mistake, tmp_path):
    text, check, words = MISTAKES[mistake]
    found = wrong(program(tmp_path, text), move=0.1 if check == "late" else 1.0)
    assert any(each in found for each in check.split(" or ")), found
    said = "\n".join(found.values())
    assert all(each in said for each in words), said


FILES = {
    "not executable": ("bot", GOOD, 0o644, ["not executable", "chmod +x"]),
    "a shell script with Windows lines": ("bot.sh", SHELL.replace("\n", "\r\n"), 0o755, [r"end with \r\n"]),
    "a first line with Windows lines": ("bot.py", GOOD.replace("\n", "\r\n"), 0o755, [r"end with \r\n"]),
    "a script with a byte order mark": ("bot.sh", "\ufeff" + SHELL, 0o755, ["byte order mark"]),
    "UTF-16": ("bot.py", GOOD.encode("utf-16"), 0o755, ["UTF-16"]),
    "no such interpreter": ("bot.py", GOOD.replace("python3", "python9"), 0o755, ["names no program"]),
    "source that has to be compiled": ("bot.c", "int main(void) {}", 0o755, ["has to be compiled"]),
    "a script without a first line": (
        "bot", GOOD.partition("\n")[2], 0o755, ["name its interpreter in its first line"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", FILES)
def test_a_file_that_cannot_run_is_named(mistake, tmp_path):
    name, text, mode, words = FILES[mistake]
    (found,) = wrong(program(tmp_path, text, name, mode)).values()
    assert all(each in found for each in words), found


MANIFESTS = {
    "no run": ("name: ann\n", ["run: is missing"]),
    "an unknown key": ("run: [./bot.py]\nseats: 3\n", ["seats: unknown key"]),
    "no such game": ("run: [./bot.py]\ngames: [complot]\n", ["no game 'complot'; did you mean complots?"]),
    "no such file": ("run: [python3, bit.py]\n", ["can't open file", "bit.py"]),
    "no such program": ("run: [./bit.py]\n", ["bit.py: no such program"]),
    "not executable": ("run: [./plain]\n", ["cannot be started: Permission denied", "chmod +x plain"]),
    "a compile error": (
        "build: [sh, make.sh]\nrun: [build/bot]\n",
        ["sh make.sh failed", "x.c:1: error: no", "change: fix what the compiler names"],
    ),
    "nothing is built": ("build: ['true']\nrun: [build/bot]\n", ["it has not made"]),
}


@pytest.mark.parametrize("mistake", MANIFESTS)
def test_a_folder_that_cannot_run_is_named(mistake, tmp_path):
    text, words = MANIFESTS[mistake]
    program(tmp_path, GOOD)
    program(tmp_path, GOOD, "plain", 0o644)
    (tmp_path / "make.sh").write_text("echo 'x.c:1: error: no' >&2; exit 1\n")
    (tmp_path / "bot.yaml").write_text(text)
    asked = CheckRequest(None, [], {}, request().conditions, [])
    found = check_entry(tmp_path, asked, LIMITS_ONLY, lambda message: None)
    (fault,) = [each for each in found if each.verdict == "fault"]
    said = "\n".join([fault.words, *fault.details, f"change: {fault.advice}"])
    assert all(each in said for each in words), said


def test_a_slow_bot_is_not_taken_for_one_that_does_not_flush(tmp_path):
    """It still works on the asks that came before: it has to be quiet before its stdin is closed."""
    slow = program(tmp_path, GOOD.replace("# thinks", "time.sleep(0.5)"))
    with closing(CheckTable(read_bot(slow, name="slow"), {}, LIMITS_ONLY)) as table:
        asks = "".join(f"ask {number} ready 1000 : ok\n" for number in range(1, 5))
        assert table.at_end_of_input(asks, quiet=1.5, after=2.0) == []
