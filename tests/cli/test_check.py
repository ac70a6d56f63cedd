"""`arena check`: good bots pass, and the problems of bad bots are listed."""

import json

import pytest
from programs import misbehaving_bot, raw, shell, survivors

from arena import games
from arena.cli.bot_check import changes, check, excerpt, lines, trial_games, with_options
from arena.core.time_control import TimeControl
from arena.games import GAMES

pytestmark = pytest.mark.slow  # real processes, most of them up to no good

CONTROL = TimeControl(move=0.1, start=2.0)
COMPLOTS = games.find("complots")


def verdicts(bot, game: str = "complots") -> dict[str, str]:
    return {finding.check: finding.verdict for finding in check(bot, [games.find(game)], CONTROL)}


def test_a_good_bot_is_fine():
    assert verdicts(misbehaving_bot()) == dict.fromkeys(
        ("starts", "plays", "answers", "time", "repeats"), "ok"
    )
    assert survivors(within=1) == []


@pytest.mark.parametrize(
    ("bot", "kind", "why"),
    [
        (raw("/no/such/program"), "starts", "cannot be started: No such file or directory"),
        (shell("misbehaving", "exit 7"), "starts", "exited with status 7 before it answered hello"),
        (shell("misbehaving", "echo so >&2; exit 7"), "starts", "  stderr:\n    so"),
        (
            shell("misbehaving", "sleep 9"),
            "starts",
            "within 2 s, nor any other line; it was waiting: flush after every answer",
        ),
        (shell("misbehaving", "while :; do :; done"), "starts", "within 2 s; it was still computing"),
        (shell("misbehaving", "exec yes"), "starts", "wrote 1000 lines, but not 'ok' to hello"),
        (
            misbehaving_bot(when="action", move="answer = words[1] + ' Income'"),
            "illegal",
            "did you mean 'income'?",
        ),
        (
            misbehaving_bot(when="action", move="print('thinking')"),
            "illegal",
            "answered 'thinking' to action",
        ),
        (misbehaving_bot(when="action", move="print(answer)"), "early", "which nothing asked for"),
        (misbehaving_bot(when="action", move="answer += chr(27) + '[0m'"), "garbled", "no colours on stdout"),
        (misbehaving_bot(when="action", move="os.write(1, b'\\xff\\n'); continue"), "garbled", "not UTF-8"),
        (misbehaving_bot(when="action", move="answer = 'x' * 9000"), "long", "more than 8192 bytes"),
        (misbehaving_bot(when="action", move="time.sleep(0.2)"), "late", "no answer to action in time"),
        (
            misbehaving_bot(when="action", move="while True: pass"),
            "late",
            "no answer in time; it was computing: an endless loop, or more work than the limit allows",
        ),
        (
            misbehaving_bot(when="action", move="sys.stdout.write(answer); continue"),
            "late",
            "no answer in time; it was waiting: flush after every answer",
        ),
        (misbehaving_bot(when="action", move="0 / 0"), "crashed", "ZeroDivisionError"),
        (misbehaving_bot(when="action", move="os.kill(os.getpid(), 11)"), "crashed", "killed by SIGSEGV"),
        (misbehaving_bot(when="action", move="os.write(1, b'x' * 2**21)"), "flood", "without a newline"),
        (
            misbehaving_bot(start="games = 0", end="games += 1", each="games and time.sleep(9)"),
            "unstarted",
            "in time",
        ),
    ],
)
def test_a_broken_bot_is_told_what_is_wrong(bot, kind, why):
    findings = check(bot, [COMPLOTS], CONTROL)
    wrong = {finding.check: finding for finding in findings if finding.verdict == "fault"}
    assert kind in wrong
    assert why in "\n".join([wrong[kind].words, *wrong[kind].details])
    assert all(len(line) <= 80 for line in lines(findings))
    assert survivors(within=1) == []


def test_a_fault_is_shown_with_what_the_bot_had_heard_and_what_it_said_on_stderr():
    bot = misbehaving_bot(when="action", move="print('choosing', file=sys.stderr); answer = 'jump'")
    [fault] = [finding for finding in check(bot, [COMPLOTS], CONTROL) if finding.verdict == "fault"]
    assert fault.words.startswith("21 in 3 of 3 games: "), "on one, two and four seats"
    where, *heard = fault.details
    assert where == "p1 of 2, seed 'check 0'"
    assert heard[0].startswith("  < ")
    assert any(line.startswith("  < state p1 coins=") for line in heard)
    ask = heard.index(next(line for line in heard if line.startswith("  < ask action : income aid")))
    assert heard[ask + 1].startswith("  ! illegal: answered 'jump' to action; legal: income aid")
    assert heard[ask + 2 :] == ["  stderr:", *["    choosing"] * 3]


def test_much_stderr_is_shown_by_its_head_and_tail():
    bot = misbehaving_bot(when="action", move="[print('line', n, file=sys.stderr) for n in range(50)]; 0 / 0")
    [fault] = [finding for finding in check(bot, [COMPLOTS], CONTROL) if finding.verdict == "fault"]
    shown = fault.details[fault.details.index("  stderr:") + 1 :]
    assert shown[:3] == ("    line 0", "    line 1", "    ...")
    assert shown[-1] == "    ZeroDivisionError: division by zero"


def test_the_error_stands_in_the_middle_of_much_stderr():
    stack = ["x.js:1", "  throw", "", "Error: no x", *["    at x"] * 8, "Node.js v20"]
    shown = list(excerpt("\n".join(stack)))
    assert shown[1:5] == ["    x.js:1", "      throw", "    ...", "    Error: no x"]


def test_what_a_bot_writes_cannot_steer_the_terminal():
    bot = misbehaving_bot(when="action", move="os.write(2, b'\\x1b[2J\\n'); answer = chr(0x202e)")
    text = "\n".join(lines(check(bot, [COMPLOTS], CONTROL)))
    assert "\\x1b[2J" in text
    assert text.isascii()
    assert "\x1b" not in text


def test_a_bot_that_plays_by_chance_is_told_that_its_games_do_not_repeat():
    bot = misbehaving_bot(
        start="import random", move="answer = random.choice(words[words.index(':') + 1:])", when="action"
    )
    findings = {finding.check: finding for finding in check(bot, [COMPLOTS], CONTROL)}
    assert findings["answers"].verdict == "ok"
    assert findings["repeats"].verdict == "note"
    assert "seed=" in findings["repeats"].words


def test_a_bot_near_its_limit_is_told_so():
    assert verdicts(misbehaving_bot(when="lose", move="time.sleep(0.07)"))["time"] == "note"


@pytest.mark.parametrize("game", GAMES)
def test_a_check_sees_every_size_of_table_and_every_option_once(game, monkeypatch):
    rules = games.find(game)
    played = list(trial_games(rules, misbehaving_bot(), CONTROL))
    assert {len(fixture.bots) for fixture in played} >= {rules.seats[0], rules.seats[-1]}
    assert {"bot", "random"} == {name for fixture in played for name in fixture.bots}
    assert {fixture.bots[0] for fixture in played} == {"bot", "random"}
    changed = [set(fixture.options.items()) - set(rules.defaults().items()) for fixture in played]
    wanted = {name for change in changes(rules, 3) for name in change}
    assert {name for change in changed for name, _ in change} == wanted
    assert {"priority", "press"} & wanted


def test_given_options_hold_in_all_games_and_the_others_still_change():
    given = {"cast": "ambassador", "must_coup_at": 11}
    played = [
        fixture.options for fixture in trial_games(with_options(COMPLOTS, given), misbehaving_bot(), CONTROL)
    ]
    assert all(given.items() <= options.items() for options in played)
    changed = {name for options in played for name in options if options[name] != COMPLOTS.defaults()[name]}
    assert changed == {name for change in changes(COMPLOTS, 5) for name in change} - {"cast"} | {
        "must_coup_at"
    }


# The command


def test_the_command_ends_with_0_if_all_is_well(arena, checkout):
    done = arena("check", checkout / "bots" / "python" / "random_bot.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\nno problems found\n")
    assert "games of complots with 2, 5, 8 seats" in done.stdout


def test_the_command_ends_with_1_if_there_is_a_problem(arena, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("print('ok', flush=True)\n")
    done = arena("check", bot, "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [each["verdict"] for each in found if each["verdict"] == "fault"]
    assert arena("check", bot).stdout.endswith("1 problem found\n")


def test_the_command_plays_the_games_that_the_bot_says_it_plays(arena, tmp_path, checkout):
    bot = tmp_path / "mine"
    bot.mkdir()
    (bot / "bot.py").write_text((checkout / "bots" / "python" / "random_bot.py").read_text())
    (bot / "bot.yaml").write_text("games: [intrigue, local]\nrun: [python3, bot.py]\n")
    done = arena("check", bot)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "games of intrigue" in done.stdout
    assert "games of local" in done.stdout
    assert "complots" not in done.stdout
    assert "complots" in arena("check", bot, "--game", "complots").stdout


def test_it_says_what_it_plays_and_only_on_stderr(arena, checkout):
    done = arena("check", checkout / "bots" / "python" / "random_bot.py", "--format", "json")
    started, *played, again = done.stderr.splitlines()
    assert started == "starts the bot" and again == "complots: plays game 1 again"
    assert played[0] == f"complots: plays game 1 of {len(played)}, with 2 seats"
    assert any("cast=inquisitor" in line for line in played)
    assert {finding["verdict"] for finding in json.loads(done.stdout)} <= {"ok", "note"}


def test_a_bot_that_cannot_be_built_is_told_what_the_compiler_says(arena, tmp_path):
    (tmp_path / "make.sh").write_text("printf 'x.c:1: wrong\\n  1 | int\\033[2J\\n' >&2; exit 1\n")
    (tmp_path / "bot.yaml").write_text("build: [sh, make.sh]\nrun: [build/x]\n")
    done = arena("check", tmp_path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        "FAULT builds    sh make.sh failed",
        "        x.c:1: wrong",
        "          1 | int\\x1b[2J",
        "1 problem found",
    ]
    (tmp_path / "bot.yaml").write_text("build: ['true']\nrun: [build/x]\n")
    assert "FAULT builds    true failed: it has not made " in arena("check", tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nowhere",), "no such bot"),
        (("{bot}", "--game", "complot"), "no game 'complot'; did you mean complots?"),
        (("{bot}", "-o", "casst=inquisitor"), "casst: unknown option of complots; did you mean cast?"),
        (("{bot}", "-o", "cast"), "--option cast: should be KEY=VALUE"),
        (("{bot}", "-o", "must_coup_at=6"), "must_coup_at: should be a whole number from 7, not 6"),
        (("{bot}", "--move", "1"), "--move: should be a time such as 500ms"),
    ],
)
def test_a_mistake_of_the_user_is_one_line(arena, checkout, words, why):
    bot = checkout / "bots" / "python" / "random_bot.py"
    done = arena("check", *(word.format(bot=bot) for word in words))
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
