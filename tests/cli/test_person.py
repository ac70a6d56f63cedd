"""`arena play GAME human BOT…` as a person uses it: over pipes, and in a real terminal."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from terminals import Terminal

from arena import games
from arena.config.document import ConfigError
from arena.referee.conditions import TimeControl
from arena.tournament.single import play_one

LEFT = "arena: you have left the game, and it is not recorded"


def test_only_one_seat_may_be_a_person(refused, first_bot):
    assert "only one seat can be human" in refused("play", "complots", "human", "human", first_bot)


def test_a_person_needs_input(monkeypatch, first_bot):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ConfigError, match="human: needs a terminal, or answers on stdin"):
        play_one("complots", [Path("human"), first_bot], None, {}, TimeControl())


def test_a_file_of_answers_is_no_output_for_programs(refused, first_bot):
    assert "--log: not while a person plays" in refused("play", "complots", "human", first_bot, "--log")
    assert "--format json: not while a person plays" in refused(
        "play", "complots", "human", first_bot, "--format", "json"
    )


@pytest.mark.slow
class TestOverPipes:
    @pytest.mark.parametrize("typed", ["quit\n", "", "1\n2\n?\n", "quit"])
    def test_quit_and_the_end_of_the_input_leave_in_one_line(self, arena, first_bot, typed):
        done = arena("play", "complots", "human", first_bot, "--record", "games.db", input=typed)
        assert (done.returncode, done.stderr.strip()) == (130, LEFT)
        assert "no game was played yet" in arena("replay", "games.db").stderr

    def test_a_terminal_without_unicode_shows_what_it_can(self, arena, first_bot):
        ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
        done = arena("play", "complots", "human", first_bot, input="rules\n2\nrules\nquit\n", env=ascii_only)
        assert done.returncode == 130 and done.stderr.strip() == LEFT

    def test_a_game_is_recorded_as_if_a_bot_had_played_it(self, arena, first_bot):
        """And the same answers give the same game again."""
        words = ("play", "complots", "human", first_bot, "--seed", 1, "-o", "max_turns=6", "--record")
        typed = "zz\n" + "1\n" * 20
        played = [arena(*words, name, input=typed) for name in ("one.db", "two.db")]
        assert [done.returncode for done in played] == [0, 0], played[0].stderr
        assert played[0].stdout == played[1].stdout
        assert "The game is over." in played[0].stdout and "'zz' is none of" in played[0].stdout
        games = [arena("export", name).stdout for name in ("one.db", "two.db")]
        assert games[0] == games[1]
        shown = arena("replay", "one.db").stdout
        assert "p1 human" in shown and "!" not in shown
        assert "1 games replayed, 0 with problems" in arena("verify", "one.db").stdout
        asked = arena("replay", "one.db", "1", "--seat", "p1", "--format", "input").stdout
        assert "ask 3 draft 604800000 : " in asked  # a week: no clock
        assert (
            "ask 3 draft 2000 : "
            in arena("replay", "one.db", "1", "--seat", "p2", "--format", "input").stdout
        )

    def test_a_late_person_forfeits_and_sees_how_the_game_went_on(self, arena, first_bot):
        silence, mouth = os.pipe()
        done = arena("play", "complots", "human", first_bot, "--move", "100ms", stdin=silence)
        os.close(silence)
        os.close(mouth)
        assert done.returncode == 0, done.stderr
        assert "! late strikes=3/3" in done.stdout and "forfeit p1" in done.stdout

    def test_a_bot_that_hangs_loses_while_a_person_has_no_clock(self, arena, first_bot, tmp_path):
        hangs = tmp_path / "hangs.sh"
        hangs.write_text(
            "while read -r verb id kind rest; do case $verb,$kind in "
            'ask,ready|ask,hello) echo "$id ok";; ask,*) sleep 60;; esac; done\n'
        )
        words = ("play", "complots", "human", hangs, "-o", "starter=p2", "--seed", 1)
        done = arena(*words, input="1\n" * 50)
        assert done.returncode == 0 and "p2 forfeits the game." in done.stdout, done.stderr
        assert "1. p1 human (you)" in done.stdout

    def test_bots_are_stopped_while_a_person_thinks(self, tmp_path):
        """So that an hour of thought does not use up their CPU time."""
        bot = tmp_path / "ponders.py"
        bot.write_text(
            "import sys, threading\n"
            "threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()\n"
            "for line in sys.stdin:\n"
            "    words = line.split()\n"
            "    if words[0] == 'ask':\n"
            "        print(words[1], words[words.index(':') + 1], flush=True)\n"
        )
        command = [sys.executable, "-m", "arena", "play", "complots", "human", bot, "-o", "starter=p1"]
        played = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert played.stdin and played.stdout
        played.stdin.write("1\n")  # the draft
        played.stdin.flush()
        while "What do you do?" not in played.stdout.readline():
            pass
        until = time.monotonic() + 30
        while time.monotonic() < until:
            family = psutil.Process(played.pid).children(recursive=True)
            stopped = [each for each in family if each.status() == psutil.STATUS_STOPPED]
            if any("ponders.py" in " ".join(each.cmdline()) for each in stopped):
                break
            time.sleep(0.05)
        else:
            raise AssertionError("it still runs")
        played.communicate("quit\n")
        assert played.returncode == 130 and not psutil.pid_exists(stopped[0].pid)

    def test_a_game_of_another_package_is_shown_as_bots_read_it(self, arena, first_bot, kuhn):
        done = arena("play", "kuhn", "human", first_bot, "--seed", 1, input="?\nrules\n1\n1\n", env=kuhn)
        assert done.returncode == 0, done.stderr
        for words in ("hand ", "Your move?", "  1  check", "Kuhn poker", "The game is over."):
            assert words in done.stdout
        assert re.search(r"^1\. p\d ", done.stdout, re.M)


def block(screen: str) -> str:
    """The last question with its options."""
    return screen.rpartition("\n\n")[2]


def answer(screen: str) -> str:
    """The last option, or the least amount."""
    numbers = re.findall(r"^ {1,2}(\d+)  \S", block(screen), re.M)
    amounts = re.findall(r"^  (\d+)(?:, |$)", block(screen), re.M)
    return numbers[-1] if numbers else amounts[0]


def play_on(seat: Terminal, until: str, asks: int = 400) -> str:
    """Answer asks until this is on the screen."""
    screen = seat.wait_for_ask()
    for _ in range(asks):
        if until in screen:
            return screen
        assert "\nstatus " not in screen
        screen = seat.type(answer(screen))
    raise AssertionError(screen)


def check_the_end(seat: Terminal, bots: int) -> None:
    screen = play_on(seat, "\nstatus ")
    assert screen.endswith("\nstatus 0")
    ended = seat.everything()
    assert "The game is over. The table with open cards:" in ended and "Traceback" not in ended
    assert len(re.findall(r"^\d\. p\d ", ended, re.M)) == bots + 1
    assert all(len(line) <= 80 for line in ended.splitlines())


@pytest.mark.slow
@pytest.mark.terminal
class TestInATerminal:
    def test_complots_is_played_to_its_end(self, terminal, checkout):
        bots = [checkout / "bots" / "python" / f"{name}.py" for name in ("honest", "bluffer")]
        seat = terminal("play", "complots", "human", *bots, "--seed", 3, "-o", "starter=p1")
        assert "p1 (you), p2 honest, p3 bluffer" in seat.wait_for_ask()
        assert "! '99' is none of the options" in seat.type("99")
        assert "As a bot reads it: action" in seat.type("?")
        seat.type("rules")
        assert "The player whose turn it is must act; there is no pass." in seat.everything()
        seat.type("income")
        assert "p1 takes 1 coin." in seat.everything()
        check_the_end(seat, 2)

    def test_the_local_variant_is_played_to_its_end(self, terminal, checkout):
        bots = [checkout / "bots" / "python" / f"local_{name}.py" for name in ("bluffer", "honest")]
        seat = terminal("play", "local", "human", *bots, "--seed", 4, "-o", "starter=p1")
        assert "duchess@duchess" in seat.wait_for_ask()
        assert "! assassin costs 3 coins, and you have 2" in seat.type("assassin:p2@duchess")
        assert "claim the duchess: take 3 coins; place the captain" in seat.type("?")
        seat.type("rules")
        assert "A card is placed." in " ".join(seat.everything().split())
        seat.type("duchess@captain")
        assert "p1 claims the duchess." in seat.everything()
        check_the_end(seat, 2)

    def test_intrigue_is_played_to_its_end_with_talk(self, terminal, checkout):
        bots = ["house:negotiator", "house:intrigue_buyer"]
        words = ("intrigue", "human", *bots, "-o", "starter=p1", "-o", "rounds=3", "-o", "press=3")
        seat = terminal("play", *words, "--seed", 1, "--record", "games.db")
        assert "What do you say?" in play_on(seat, "or offer, promise, request, threat, say ...")
        assert "! there is no zone '2000'" in seat.type("offer p2 next=p2@2000")
        assert "offer p2 8000 writer@10000" in seat.type("?")
        assert "Only an acceptance makes promises" in seat.type("rules")
        seat.type("offer p2 send=writer@p2")
        assert re.search(r"Offer \d+, p1 to p2: sends writer to p2\.", seat.everything())
        play_on(seat, "or offer, promise, request, threat, say ...")
        seat.type("say all Good evening, everybody")
        assert "p1 to all: Good evening, everybody" in seat.everything()
        check_the_end(seat, 2)

    @pytest.mark.parametrize("keys", ["C-c", "C-d"])
    def test_a_key_leaves_in_one_line(self, terminal, first_bot, keys):
        seat = terminal("play", "complots", "human", first_bot)
        seat.wait_for_ask()
        seat.run("send-keys", keys)
        screen = seat.wait(lambda screen: "status 130" in screen)
        assert screen.splitlines()[-2:] == [LEFT, "status 130"] and "Traceback" not in seat.everything()

    def test_a_terminal_may_be_resized_and_stopped(self, terminal, first_bot):
        seat = terminal("play", "complots", "human", first_bot, "--seed", 1, "-o", "max_turns=4")
        seat.wait_for_ask()
        seat.run("resize-window", "-x", "40", "-y", "30")
        seat.wait_for_ask()
        assert max(map(len, seat.type("?").splitlines())) <= 40
        assert play_on(seat, "\nstatus ").endswith("\nstatus 0")


@pytest.fixture
def kuhn(tmp_path):
    """The environment in which a package offers the game of the page on adding games."""
    page = Path(games.__file__).with_name("README.md").read_text()
    package = tmp_path / "site"
    info = package / "kuhn-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "kuhn.py").write_text(re.search(r"```python\n(.*?)```", page, re.S)[1])
    (package / "kuhn.md").write_text("# Kuhn poker\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kuhn\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\nkuhn = kuhn:GAME\n")
    return os.environ | {"PYTHONPATH": str(package)}
