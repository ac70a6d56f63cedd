"""`arena replay RUN GAME` in a real terminal, and without one."""

import json
import os
import re
import signal
import subprocess
import sys

import psutil
import pytest
from click.testing import CliRunner
from other_game import install
from stored_games import random_run

from arena.cli import main, replay
from arena.games import GAMES
from arena.programs.machine import install_command


@pytest.fixture
def run_file(tmp_path):
    random_run(tmp_path / "run.db", games=3)
    return "run.db"


def test_without_a_terminal_the_table_at_a_moment_is_printed(run_file, told):
    head, *lines = told("replay", run_file, 1, "--at", 3, "--seat", "p2").splitlines()
    assert re.fullmatch(r"complots: moment \d of \d+, seen by p2", head)
    assert all(len(line) <= 80 for line in lines)
    assert sum(line.startswith(("p1 ", "p2 ", "p3 ")) for line in lines) == 2, "a row for each seat"
    found = json.loads(told("replay", run_file, 1, "--at", 3, "--format", "json"))
    assert found["moment"] == 3 and found["table"] and found["happened"]


def test_a_moment_that_there_is_not_is_refused(run_file, refused):
    assert "no moment 9999; the game has the moments 1 to " in refused("replay", run_file, 1, "--at", 9999)
    assert "--at does not apply" in refused("replay", run_file, 1, "--at", 3, "--format", "stderr")
    assert "'0' is not" in refused("replay", run_file, 1, "--at", 0).replace("0 is not", "'0' is not")


def test_no_other_command_imports_textual():
    words = "sys.modules.get('textual') or sys.modules.get('arena.show.stepper')"
    check = f"import sys, arena.cli.replay, arena.cli.play, arena.cli.table; print({words})"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.stdout == "None\n", done.stderr


def test_without_textual_the_text_is_printed_and_one_line_says_how_to_get_the_stepper(
    run_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(replay, "_in_terminal", lambda: True)
    monkeypatch.setattr(replay, "find_spec", lambda name: None)
    for words, shown in (([], "1. p"), (["--at", "3"], "complots: moment ")):
        done = CliRunner().invoke(main, ["replay", run_file, "1", *words])
        assert done.exit_code == 0 and shown in done.stdout
        told = "arena: with textual, replay shows a game step by step: "
        assert done.stderr == f"{told}{install_command('stepper')}\n"
    assert "textual>=" in done.stderr
    done = CliRunner().invoke(main, ["replay", run_file, "1", "--format", "text"])
    assert (done.exit_code, done.stderr) == (0, ""), "no advice for text that was asked for"


@pytest.mark.slow
@pytest.mark.terminal
@pytest.mark.parametrize("columns, lines", [(80, 24), (120, 40)])
@pytest.mark.parametrize("game", GAMES)
class TestInATerminal:
    def test_a_game_is_stepped_through_to_its_end(self, terminal, tmp_path, game, columns, lines):
        random_run(tmp_path / "run.db", GAMES[game], games=3)
        seat = terminal("replay", "run.db", 3, "--at", 2, columns=columns, lines=lines)
        seat.wait(lambda screen: f"{game}: moment 2 of " in screen)
        seat.press("n")
        seat.wait(lambda screen: "moment 3 of " in screen)
        seat.press("2")
        seat.wait(lambda screen: "seen by p2" in screen)
        seat.press("0")
        seat.press("End")
        screen = seat.wait(lambda screen: "The game is over." in screen)
        assert len(screen.splitlines()) == lines and "▌ 1. p" in screen
        seat.press("q")
        assert seat.wait(lambda screen: "status" in screen) == "status 0"


@pytest.mark.slow
@pytest.mark.terminal
def test_a_game_of_another_package_is_stepped_through(terminal, arena, tmp_path, first_bot, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", install(tmp_path)["PYTHONPATH"])
    played = arena("play", "poker", first_bot, first_bot, "--seed", 1, "--record", "run.db")
    assert played.returncode == 0, played.stderr
    seat = terminal("replay", "run.db", columns=80, lines=24)
    seat.wait(lambda screen: "poker: moment 1 of " in screen)
    seat.press("End")
    seat.wait(lambda screen: "The game is over." in screen and "1. p" in screen)


@pytest.mark.slow
@pytest.mark.terminal
class TestLeaving:
    @pytest.mark.parametrize("key", ["q", "C-c"])
    def test_a_key_leaves_the_terminal_as_it_was(self, terminal, run_file, key):
        seat = terminal("replay", run_file, 1)
        seat.wait(lambda screen: "moment 1 of" in screen)
        seat.press(key)
        assert seat.wait(lambda screen: "status" in screen) == "status 0"
        assert " -icanon" not in settings(seat) and " -echo " not in settings(seat)

    def test_a_signal_leaves_the_terminal_as_it_was(self, terminal, run_file):
        seat = terminal("replay", run_file, 1)
        seat.wait(lambda screen: "moment 1 of" in screen)
        shell = psutil.Process(int(seat.run("display-message", "-p", "#{pane_pid}")))
        (stepper,) = [each for each in shell.children(recursive=True) if "replay" in each.cmdline()]
        stepper.send_signal(signal.SIGTERM)
        assert "status 143" in seat.wait(lambda screen: "status" in screen)
        assert " -icanon" not in settings(seat) and "moment" not in seat.screen()

    def test_a_moment_that_is_none_is_one_line(self, terminal, run_file):
        seat = terminal("replay", run_file, 1, "--at", 9999)
        screen = seat.wait(lambda screen: "status" in screen)
        assert screen.startswith("arena: --at: no moment 9999; the game has the moments 1 to ")
        assert screen.endswith("\nstatus 2")

    def test_a_format_prints_the_game(self, terminal, run_file):
        seat = terminal("replay", run_file, 1, "--format", "text")
        screen = seat.wait(lambda screen: "status" in screen)
        assert "1. p" in screen and screen.endswith("status 0")

    def test_a_resize_is_followed(self, terminal, run_file):
        seat = terminal("replay", run_file, 1, "--at", 5, columns=80, lines=24)
        seat.wait(lambda screen: "moment 5 of" in screen)
        seat.run("resize-window", "-x", "120", "-y", "40")
        seat.wait(lambda screen: "moment 5 of" in screen and len(screen.splitlines()) == 40)


def settings(seat) -> str:
    """The settings of the terminal."""
    device = seat.run("display-message", "-p", "#{pane_tty}").strip()
    with open(os.open(device, os.O_RDONLY | os.O_NOCTTY)) as file:
        return subprocess.run(["stty", "-a"], stdin=file, capture_output=True, text=True).stdout
