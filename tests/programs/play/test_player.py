"""Programs of all kinds at a real table: what they do wrong costs them, and never the others.

Each is a line or two of shell or Python; `programs.py` plays it between two good bots, with 0.2 s for an
answer, and checks that the game ends, that the good bots have no faults, that the next game at the same
table works, and that nothing is left alive. What takes longer is in `test_hostile.py`.
"""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from programs import (
    PLAIN,
    check,
    fixture,
    heard,
    kinds,
    misbehaving_bot,
    play,
    raw,
    shell,
    survivors,
    table_with,
    words,
)

from arena.programs.play.player import Player
from arena.programs.play.stderr import KEEP, join_parts
from arena.programs.play.table import ProgramTable
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.policy import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.alone]  # real processes, most of them up to no good

# Good behaviour


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_good_bots_have_no_faults(game):
    record = play(misbehaving_bot(), game=game)
    assert record.faults == ()
    assert record.result == ((1, 1, 1), None)


def test_the_same_game_gives_the_same_record():
    with table_with(misbehaving_bot()) as table:
        parts = {table.play(fixture("one", "misbehaving", "two", seed="same")).game_part() for _ in range(3)}
    assert len(parts) == 1


def test_one_process_plays_many_games():
    bot = misbehaving_bot(each="print(os.getpid(), words[1], words[2], file=sys.stderr, flush=True)")
    with table_with(bot) as table:
        said = [heard(table.play(fixture("one", "misbehaving", rounds=1)), 1).split() for _ in range(3)]
    pid = said[0][0]
    assert said[0] == [pid, "1", "hello", pid, "2", "ready", pid, "3", "move"]
    assert said[1] == [pid, "4", "ready", pid, "5", "move"], "ids go on, and hello is said once"
    assert said[2] == [pid, "6", "ready", pid, "7", "move"]


def test_without_reuse_every_game_has_fresh_processes():
    bot = misbehaving_bot(each="print(os.getpid(), words[1], words[2], file=sys.stderr, flush=True)")
    with table_with(bot, reuse=False) as table:
        said = [heard(table.play(fixture("one", "misbehaving", rounds=1)), 1).split() for _ in range(2)]
        assert survivors() == [], "and none of them outlives its game"
    assert said[0][1::3] == said[1][1::3] == ["1", "2", "3"]
    assert said[0][0] != said[1][0]


def test_a_bot_may_sit_on_several_seats():
    with table_with(misbehaving_bot()) as table:
        record = table.play(fixture("misbehaving", "one", "misbehaving", "misbehaving"))
    assert record.faults == ()


@pytest.mark.parametrize("line_end", ["\\r\\n", "  \\n", "\\t\\r\\n"])
def test_answers_may_end_in_many_ways(line_end):
    bot = misbehaving_bot(each=f"sys.stdout.write(answer + '{line_end}'); sys.stdout.flush(); continue")
    assert play(bot).faults == ()


def test_an_answer_may_drip_in_byte_by_byte():
    drip = "[(os.write(1, bytes([byte])), time.sleep(0.002)) for byte in (answer + '\\n').encode()]; continue"
    assert play(misbehaving_bot(each=drip)).faults == ()


def test_noise_before_hello_is_thrown_away():
    bot = misbehaving_bot(start="print('Starting...\\n\\n\\x00\\xe9' + 'x' * 9000, flush=True)")
    assert play(bot).faults == ()


def test_a_bot_sees_nothing_of_the_users_environment(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "not for bots")
    record = play(misbehaving_bot(start="print(sorted(os.environ), file=sys.stderr, flush=True)"))
    assert "SECRET_TOKEN" not in heard(record, 1)
    assert "TMPDIR" in heard(record, 1)


def test_a_bot_has_no_descriptors_but_its_own():
    record = play(
        misbehaving_bot(start="print(sorted(os.listdir('/proc/self/fd')), file=sys.stderr, flush=True)")
    )
    assert heard(record, 1).startswith("['0', '1', '2', '3']"), "3 is that of the folder it lists"


# Dying


@pytest.mark.parametrize("game", ["relay", "duel"])
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("os._exit(3)", "exited with status 3"),
        ("sys.exit()", "exited with status 0"),
        ("raise ValueError", "exited with status 1"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
        ("os.kill(os.getpid(), 40)", "killed by signal 40"),
        ("os.write(1, b'3 st'); os._exit(0)", "exited with status 0 in the middle of a line"),
        ("os.write(1, b'x' * 9000); os._exit(0)", "long"),
    ],
)
def test_a_crash_in_mid_game_forfeits(game, code, why):
    record = play(misbehaving_bot(move=code), game=game)
    assert kinds(record)[-1] == "crashed" or why == "long"
    assert why in words(record) or kinds(record)[0] == why
    assert record.forfeits == (1,)


def test_a_crash_between_asks_is_noticed_at_the_next():
    """It has answered before it died: that answer counts."""
    bot = misbehaving_bot(each="print(answer, flush=True); words[2] == 'move' and os._exit(3); continue")
    record = play(bot)
    assert [(fault.kind, fault.reply) for fault in record.faults] == [("crashed", 5)]
    assert record.replies[1] == {1: "stay"}


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_a_bot_that_closes_stdout_has_crashed_without_a_wait(game):
    """The others have 0.2 s for an answer: whatever the arena has to do now, it must not be at their cost."""
    began = time.monotonic()
    record = play(misbehaving_bot(move="os.close(1); time.sleep(100)"), game=game)
    assert kinds(record) == ["crashed"]
    assert words(record) == "closed its stdout"
    assert time.monotonic() - began < 5


def test_bots_are_not_charged_for_the_work_of_the_arena_when_another_dies():
    """p3 answers at once, and must not be charged for the time that it takes to find out how p2 died."""
    with table_with(misbehaving_bot(move="os.close(1); time.sleep(100)")) as table:
        record = table.play(fixture("one", "misbehaving", "two", game="duel", bank=10))
        assert max(record.trace["microseconds"][2]) < 150_000
        record = table.play(fixture("one", "misbehaving", "two", game="relay", bank=10))
        assert max(record.trace["microseconds"][2]) < 150_000


def test_a_crash_after_closing_stdout():
    record = play(misbehaving_bot(move="os.close(1); time.sleep(0.02); os._exit(5)"))
    assert kinds(record) == ["crashed"]
    assert "status 5" in words(record)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 7", "exited with status 7 before it answered hello"),
        ("kill -SEGV $$", "killed by SIGSEGV before it answered hello"),
        ("exec 1>&-; sleep 100", "closed its stdout before it answered hello"),
        ("read -r line; echo 1 ok; exit 7", "exited with status 7 before it was ready"),
        ("read -r line; echo 1 ok; read -r line; read -r line; exit 7", "status 7 before it was ready"),
        ("printf ok; exit 7", "status 7 in the middle of a line before it answered hello"),
    ],
)
def test_a_bot_that_exits_before_the_game_is_unstarted(script, why):
    record = play(shell("misbehaving", script))
    assert kinds(record) == ["unstarted"]
    assert why in words(record)
    assert record.result == ((1, 3, 1), None)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("/no/such/program",), "No such file or directory"),
        (("/etc",), "Permission denied"),
        (("/etc/passwd",), "Permission denied"),
    ],
)
def test_what_cannot_be_run_is_unstarted(command, why):
    record = play(raw(*command))
    assert kinds(record) == ["unstarted"]
    assert why in words(record)


def test_a_program_of_no_known_format_is_unstarted(tmp_path):
    program = tmp_path / "program"
    program.write_bytes(b"\x7fnothing")
    program.chmod(0o755)
    record = play(raw(str(program), files=[program]))
    assert kinds(record) == ["unstarted"]
    assert "Exec format error" in words(record)


def test_a_script_whose_interpreter_is_missing_is_unstarted(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    record = play(raw(str(program), files=[program]))
    assert kinds(record) == ["unstarted"]
    assert "No such file" in words(record)
    assert "its first line, #!/no/such/interpreter, names no program on this machine" in words(record)


def test_a_bot_may_leave_after_its_game():
    """It did nothing wrong in the game that it played, and the next one has a fresh process."""
    for pause in ("", "time.sleep(0.05); "):
        bot = misbehaving_bot(end=f"{pause}sys.exit()")
        with table_with(bot) as table:
            for _ in range(4):
                assert table.play(fixture("one", "misbehaving", "two", rounds=1)).faults == ()


def test_answers_without_ids_survive_the_restart_of_another_bot():
    """Whatever is needed to replace a process, each ask of the others has its one answer."""
    bare = misbehaving_bot(
        each="words[2] == 'ready' and time.sleep(0.05); answer = words[words.index(':') + 1]"
    )
    bots = {"leaver": misbehaving_bot(end="sys.exit()"), "bare": bare, "one": shell("one", PLAIN)}
    with ProgramTable(bots) as table:
        for _ in range(4):
            assert table.play(fixture("bare", "leaver", "one", rounds=2)).faults == ()
            time.sleep(0.05)


def test_a_fresh_bot_has_all_of_its_time_to_get_ready_beside_one_that_has_left():
    """Its first `ready` has the start limit, though another process has to be replaced meanwhile."""
    slow = misbehaving_bot(when="ready", move="time.sleep(0.4)")
    bots = {"leaver": misbehaving_bot(end="sys.exit()"), "slow": slow, "one": shell("one", PLAIN)}
    with ProgramTable(bots) as table:
        assert table.play(fixture("one", "leaver", rounds=1)).faults == ()
        time.sleep(0.05)
        assert table.play(fixture("slow", "leaver", rounds=1)).faults == ()


def test_a_bot_that_has_left_and_cannot_be_started_again_is_unstarted(tmp_path):
    program = tmp_path / "leaver"
    program.write_text(f"#!/bin/sh\n{PLAIN.replace('esac', 'end) exit;; esac')}\n")
    program.chmod(0o755)
    with table_with(raw(str(program), files=[program])) as table:
        assert table.play(fixture("one", "misbehaving", "two", rounds=1)).faults == ()
        program.unlink()
        record = table.play(fixture("one", "misbehaving", "two", rounds=1))
        check(record)
        assert kinds(record) == ["unstarted"]
        assert "No such file" in words(record)
        assert table.play(fixture("one", "two", rounds=1)).faults == ()


def test_bots_that_can_play_only_one_game_do_not_go_round_in_circles():
    """Several of them die of their second `game` line, and are replaced each time."""
    one_game = misbehaving_bot(
        start="games = []", each="words[2] == 'ready' and (games.append(1), games[1:] and os._exit(0))"
    )
    bots = {name: one_game for name in ("p", "q", "r")}
    with time_limit(10), ProgramTable(bots) as table:
        for _ in range(4):
            assert table.play(fixture("p", "q", "r", rounds=1)).faults == ()


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Break off what would go on for ever."""

    def break_off(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, break_off)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_a_bot_that_died_unnoticed_has_a_fresh_process_in_the_next_game():
    """Its death in one game was never noticed: it was not asked again. It costs the next game nothing."""
    bot = misbehaving_bot(each="print(answer, flush=True); words[2] == 'move' and os._exit(3); continue")
    with table_with(bot) as table:
        for _ in range(4):
            assert table.play(fixture("one", "misbehaving", rounds=1)).faults == ()


def test_a_bot_that_was_killed_for_its_faults_has_a_fresh_process_in_the_next_game():
    said = []
    with table_with(
        misbehaving_bot(start="print(os.getpid(), file=sys.stderr)", move="answer = 'jump'")
    ) as table:
        for _ in range(2):
            record = table.play(fixture("one", "misbehaving"))
            assert kinds(record) == ["illegal"] * 3
            said.append(heard(record, 1))
    assert said[0] != said[1]


# Wrong answers


@pytest.mark.parametrize(
    ("code", "kind", "why"),
    [
        ("answer = words[1] + ' jump'", "illegal", "answered 'jump' to move; legal: stay go gone"),
        ("answer = ''", "illegal", "answered ''"),
        ("answer = answer.upper()", "illegal", "did you mean 'stay'?"),
        ("os.write(1, b'\\xff\\xfe\\x00\\n'); continue", "garbled", "not UTF-8"),
        ("answer += '\\0'", "garbled", "control characters"),
        ("answer += chr(0x1b) + '[0m'", "garbled", "control characters"),
        ("answer = 'x' * 10_000", "long", "more than 8192 bytes"),
        ("answer = 'x' * 500_000", "long", "more than 8192 bytes"),
        ("print(answer)", "early", "said "),
    ],
)
def test_wrong_answers_are_faults_until_they_cost_the_game(code, kind, why):
    record = play(misbehaving_bot(move=code))
    assert kinds(record) == [kind] * 3
    assert why in words(record)
    assert record.forfeits == (1,)


def test_for_an_illegal_answer_the_first_option_is_played():
    record = play(misbehaving_bot(move="answer = 'jump' if moves == 1 else 'go'"), rounds=2)
    assert kinds(record) == ["illegal"]
    assert [reply[1] for reply in record.replies if isinstance(reply, dict) and 1 in reply] == ["stay", "go"]


def test_a_bot_that_answers_twice_is_told_the_same_in_every_game():
    """Whatever the process has played before, the record is the same."""
    with table_with(misbehaving_bot(move="print(answer)")) as table:
        records = [table.play(fixture("one", "misbehaving", seed="same")) for _ in range(2)]
    with table_with(misbehaving_bot(move="print(answer)")) as table:
        table.play(fixture("misbehaving", "one", rounds=1, strikes=9))
        records.append(table.play(fixture("one", "misbehaving", seed="same")))
    assert len({record.game_part() for record in records}) == 1


def test_faults_of_one_window_are_the_same_in_every_run():
    """Two bots answer wrong at the same moment, now the one first and now the other."""
    wrong = "time.sleep(0.02 * ((int(words[1]) + {}) % 2)); answer = 'jump'"
    bots = [misbehaving_bot(move=wrong.format(number)) for number in range(2)]
    with ProgramTable({"p": bots[0], "q": bots[1]}) as table:
        parts = {
            table.play(fixture("p", "q", game="duel", seed="same", strikes=9, rounds=2)).game_part()
            for _ in range(4)
        }
    assert len(parts) == 1


def test_a_bot_late_once_goes_on():
    record = play(misbehaving_bot(move="moves == 2 and time.sleep(0.3)"))
    assert kinds(record) == ["late"]
    assert words(record) == "no answer to move in time; played stay"
    assert record.result == ((1, 1, 1), None)


# stderr


def test_stderr_is_kept_for_each_game():
    bot = misbehaving_bot(each="print(words[1:3], file=sys.stderr, flush=True)")
    with table_with(bot) as table:
        said = [heard(table.play(fixture("one", "misbehaving", rounds=1)), 1) for _ in range(2)]
    assert said[0] == "['1', 'hello']\n['2', 'ready']\n['3', 'move']\n"
    assert said[1] == "['4', 'ready']\n['5', 'move']\n"


def test_much_stderr_is_cut_in_the_middle_and_does_not_delay_the_game():
    code = "sys.stderr.write('begin ' + 'x' * 10_000_000 + ' end'); sys.stderr.flush()"
    record = play(misbehaving_bot(start=code))
    assert record.faults == ()
    said = heard(record, 1)
    assert said.startswith("begin xxx")
    assert said.endswith("xxx end")
    assert len(said) < 2 * KEEP + 20


@pytest.mark.parametrize("game", ["relay", "duel"])
def test_stderr_is_kept_with_the_ask_that_it_came_with(game):
    """What is written before an answer never counts for the next ask, and a start counts for `ready`."""
    say = "os.write(2, b'%d %s\\n' % (moves, b'x' * 20))"
    bot = misbehaving_bot(start="os.write(2, b'start ')", move=f"{say}; moves % 2 and {say}")
    with table_with(bot) as table:
        for number in range(3):
            record = table.play(fixture("one", "misbehaving", "two", game=game, rounds=40))
            marks, text = record.trace["stderr_asks"][2], heard(record, 1)
            parts, at = {}, 0
            for ask, length in marks:
                parts[ask], at = text[at : at + length], at + length
            assert at == len(text)
            assert parts.pop(0, "") == ("" if number else "start ")
            assert [part.split()[0] for part in parts.values()] == [str(ask) for ask in range(1, 41)]
            assert [len(part.split()) // 2 for part in parts.values()] == [1 + ask % 2 for ask in parts]


def test_a_process_that_replaces_another_counts_its_asks_anew():
    """It exits after each game, and says hello in the middle of the next."""
    bot = misbehaving_bot(start="os.write(2, b'start ')", move="os.write(2, b'move ')", end="sys.exit()")
    with table_with(bot) as table:
        for _ in range(3):
            record = table.play(fixture("one", "misbehaving", rounds=2))
            assert record.trace["stderr_asks"][2] == [(0, 6), (1, 5), (2, 5)], heard(record, 1)
            time.sleep(0.1)


def test_stderr_that_is_no_text_is_kept_as_well_as_may_be():
    record = play(misbehaving_bot(start="os.write(2, b'caf\\xc3\\xa9 \\xff\\n')"))
    assert heard(record, 1) == "café \ufffd\n"


@pytest.mark.parametrize("first", ["pass", "os.close(1)"], ids=["at_once", "after_stdout"])
@pytest.mark.parametrize("when", ["hello", "ready", "move"])
def test_the_last_words_of_a_bot_are_kept(when, first):
    """The traceback of a crash is what its author needs most, and it comes just before the end."""
    crash = f"{first}; os.write(2, b'last words'); os._exit(1)"
    with table_with(misbehaving_bot(when=when, move=crash)) as table:
        said = [heard(table.play(fixture("one", "misbehaving", "two", rounds=1)), 1) for _ in range(5)]
    assert said == ["last words"] * 5


# One process by itself


@pytest.fixture
def player():
    players, supervisor = [], SupervisorClient(Sandbox())

    def start(script: str) -> Player:
        players.append(Player(shell("misbehaving", script), supervisor))
        return players[-1]

    yield start
    for each in players:
        each.end()
    supervisor.close()


def wait_for(condition, seconds: float = 2.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_writing_never_waits_for_the_reader(player):
    """What the pipe does not take is kept, and goes out in order."""
    slow = player("read -r line; echo ready; cat")
    slow.write(b"x" * 200_000 + b"\n")
    assert 0 < len(slow.unsent) < 200_001
    lines = []

    def carry():
        slow.write()
        lines.extend(slow.read() or [])
        return "ready" in lines and not slow.unsent

    wait_for(carry)


def test_writing_to_a_bot_that_has_closed_stdin_is_no_error(player):
    deaf = player("exec 0<&-; echo closed; sleep 100")
    wait_for(deaf.read)
    deaf.write(b"hello\n")
    assert deaf.unsent == b""


def test_reading_does_not_wait(player):
    silent = player("sleep 100")
    began = time.monotonic()
    assert silent.read() == []
    assert silent.read_stderr()
    assert time.monotonic() - began < 0.1


def test_the_end_of_a_process_ends_its_group(player):
    parent = player("sleep 1000 & echo started; exec sleep 1000")
    wait_for(parent.read)
    parent.end()
    assert not parent.is_alive
    assert survivors(within=1) == []


def test_ending_twice_is_ending_once(player):
    sleeper = player("sleep 1000")
    sleeper.end()
    sleeper.end()
    assert survivors() == []


def test_bye_is_said_before_the_end(player):
    polite = player('read -r line; echo "$line" >&2; read -r line || echo "no more" >&2')
    polite.dismiss()
    polite.end(2)
    assert join_parts(polite.take_stderr()) == "bye\nno more\n"


# The table


def test_closing_a_table_does_not_take_long():
    """Bots that leave when told so are not waited for; one that does not has half a second."""
    for script, most in ((PLAIN, 0.4), (f"{PLAIN}; sleep 100", 1.0)):
        with table_with(shell("misbehaving", script)) as table:
            table.play(fixture("one", "misbehaving"))
            began = time.monotonic()
        assert time.monotonic() - began < most


def test_greeting_tells_which_bots_do_not_start():
    bots = [shell("good", PLAIN), shell("bad", "exit 1"), raw("/no/such/program"), shell("mute", "sleep 9")]
    bots.append(shell("loud", "printf 'a\\nb\033[2J\\n\\n' >&2; exit 1"))
    bots += [shell("wordy", "echo hi; sleep 9"), shell("busy", "while :; do :; done")]
    late = "no 'ok' to hello within 0.3 s"
    with ProgramTable({bot.name: bot for bot in bots}) as table:
        assert table.greet(0.3) == {
            "bad": "exited with status 1 before it answered hello",
            "loud": r"exited with status 1 before it answered hello; stderr: 'b\x1b[2J'",
            "misbehaving": "cannot be started: No such file or directory",
            "mute": f"{late}, nor any other line; it was waiting: flush after every answer",
            "wordy": f"{late}; the last line was 'hi'; it was waiting",
            "busy": f"{late}; it was still computing: an endless loop, or a slow start",
        }
    assert survivors(within=1) == []


def test_greeting_many_bots_that_do_not_start_takes_no_longer_than_greeting_one():
    bots = [shell(f"mute{number}", "exec sleep 9") for number in range(6)]
    began = time.monotonic()
    with ProgramTable({bot.name: bot for bot in bots}) as table:
        assert len(table.greet(0.3)) == 6
    assert time.monotonic() - began < 1.5
    assert survivors(within=1) == []


def test_a_game_that_breaks_off_leaves_the_table_whole(monkeypatch):
    """A fault of the arena's own. Ids are never used twice, so the bots of that game are not used again."""
    with table_with(misbehaving_bot(each="print(words[1], words[2], file=sys.stderr, flush=True)")) as table:
        with monkeypatch.context() as patch:
            patch.setattr("driving.MOVE", None)
            with pytest.raises(AttributeError):
                table.play(fixture("one", "misbehaving"))
        record = table.play(fixture("one", "misbehaving", rounds=1))
    assert record.faults == ()
    assert heard(record, 1) == "1 hello\n2 ready\n3 move\n"


def test_killing_a_table_ends_everything_even_where_a_bot_could_not_be_started():
    """What a worker does when the coordinator is gone, perhaps in the middle of a game."""
    bots = [shell("good", PLAIN), raw("/no/such/program")]
    table = ProgramTable({bot.name: bot for bot in bots})
    table._seat(["good", "misbehaving"], 2)
    table.kill()
    assert survivors(within=1) == []
    table.close()


def test_other_children_of_this_process_are_left_alone():
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        with table_with(misbehaving_bot(move="os._exit(1)")) as table:
            table.play(fixture("one", "misbehaving"))
        assert child.poll() is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("os.close(0)", []),
        ("os.close(1); time.sleep(9)", ["crashed"]),
        ("os._exit(255)", ["crashed"]),
        ("os.kill(os.getpid(), signal.SIGSEGV)", ["crashed"]),
        ("os.write(2, b'x' * 10_000_000)", []),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(1); time.sleep(9)", ["crashed"]),
        ("[os.write(1, bytes([byte])) for byte in (answer + '\\n').encode()]; continue", []),
    ],
)
def test_the_faults_are_the_same_in_a_box(box, code, kind):
    bot = misbehaving_bot(move=code, start="os.environ.clear()")
    record = play(bot, sandbox=box, move=1, rounds=1)
    assert kinds(record) == kind
    if "SIGSEGV" in code:
        assert words(record) == "killed by SIGSEGV"
    if "255" in code:
        assert words(record) == "exited with status 255"
