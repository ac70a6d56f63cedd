"""What several folders of tests need: small bots, plans, the command line as a process, and sandboxes."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import bytecode  # noqa: F401  # first: what follows is compiled once
import lonely
import pytest
import small_model
from cheats import program, write_plan
from click.testing import CliRunner
from samples import CHECKOUT, FIRST, RANDOM
from terminals import Terminal

from arena.cli import main
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox, bubblewrap_problem, choose
from arena.referee.conditions import Limits

NEEDS = {
    "sandbox": bubblewrap_problem,
    "compiler": lambda: "" if shutil.which("cc") else "no C compiler",
    "terminal": lambda: "" if shutil.which("tmux") else "no tmux",
    "openspiel": lambda: "" if find_spec("pyspiel") else "no OpenSpiel; the extra openspiel installs it",
    "model": small_model.problem,
    "browser": lambda: "" if shutil.which("chromium") else "no chromium",
}
"""What a machine may lack, by the marker of the tests that need it; a function tells what is wrong."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Slow tests wait more than they compute: two at a time. None: by cores."""
    return None if config.option.markexpr == "not slow" else 2


def pytest_configure() -> None:
    """What is started in the background has Ctrl-C ignored, and so would all the programs of these tests.

    Workers of xdist have the size of a terminal, which is not that of the terminals that tests open.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Real processes on a busy machine may be late once, in a slow test; `box` is the bubblewrap tier.

    Tests marked `alone` come last, so that the workers wait for each other only at the end.
    """
    items.sort(key=lambda item: item.get_closest_marker("alone") is not None)
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if "box" in item.fixturenames:
            item.add_marker(pytest.mark.sandbox)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # outside the time limit of the test
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """No other slow test of this checkout runs beside one that is marked `alone`."""
    if not item.get_closest_marker("slow"):
        return (yield)
    with lonely.turn(alone=item.get_closest_marker("alone") is not None):
        return (yield)


@pytest.hookimpl(tryfirst=True)  # before the fixtures of the test
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test is skipped on a machine that lacks what it needs, but never where CI is set."""
    for name, problem in NEEDS.items():
        if item.get_closest_marker(name) and problem():
            if os.environ.get("CI"):
                pytest.fail(f"CI needs all that tests need: {problem()}")
            pytest.skip(problem())


@pytest.fixture
def checkout() -> Path:
    return CHECKOUT


@pytest.fixture
def first_bot(tmp_path) -> Path:
    """A bot that always takes the first option; it costs next to nothing to start."""
    path = tmp_path / "first.sh"
    path.write_text(FIRST)
    return path


@pytest.fixture
def plan_file(tmp_path, first_bot):
    """Writes a plan of random and first bots, with further lines, and returns its path."""

    def write(more: str = "seed: 1\ngroups: 2\nseats: 2\n", game: str = "complots", bots: int = 3) -> Path:
        names = "".join(f"  bot{number}: {RANDOM if number % 2 else first_bot}\n" for number in range(bots))
        path = tmp_path / "plan.yaml"
        path.write_text(f"game: {game}\n{more}bots:\n{names}")
        return path

    return write


@pytest.fixture
def arena(tmp_path):
    """Runs the command line as a user does, in an empty folder."""

    def run(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "arena", *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            **more,
        )

    return run


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Runs a command of `arena` in the folder of the test, and returns what it prints."""

    def run(*words: object, status: int = 0) -> str:
        monkeypatch.chdir(tmp_path)
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code == status, done.output + done.stderr
        return done.stdout

    return run


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Runs the command line within this process, in the same folder: for mistakes, that nothing comes of."""

    def run(*words: object) -> str:
        """What a person is told, after one line of which the status is 2."""
        monkeypatch.chdir(tmp_path)
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code == 2, done.output
        assert isinstance(done.exception, SystemExit), done.exception
        assert sum(line.startswith("arena: ") for line in done.output.splitlines()) == 1, done.output
        return done.output

    return run


@pytest.fixture(scope="module")
def chromium():
    """A real browser: Debian's Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=[
                "--no-sandbox",  # which root may not use, and the pages are ours
                "--disable-dev-shm-usage",  # /dev/shm is small in many containers
            ],
        )
        yield found
        found.close()


@pytest.fixture
def terminal(tmp_path):
    """Runs the command line in a real terminal, in the same folder."""
    opened: list[Terminal] = []

    def start(*words: object, columns: int = 80, lines: int = 60) -> Terminal:
        command = [sys.executable, "-m", "arena", *map(str, words)]
        opened.append(Terminal(tmp_path, command, columns, lines))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


@pytest.fixture
def box() -> Sandbox:
    """The bubblewrap tier."""
    return choose(Limits(), "bubblewrap")


@pytest.fixture(params=["limits", pytest.param("bubblewrap", marks=pytest.mark.sandbox)])
def tier(request) -> Sandbox:
    """Both tiers, one after the other."""
    return LIMITS_ONLY if request.param == "limits" else choose(Limits(), "bubblewrap")


@pytest.fixture
def cheats(tmp_path, checkout):
    """A plan in which a cheat, its honest copy and two others play 240 seed groups at tables of three."""

    def make(cheat: str, *more: str, argument: str = "", groups: int = 60, **keys: object) -> Path:
        bots = checkout / "bots" / "python"
        field = {name: bots / f"{name}.py" for name in ("counting", "bluffer", "honest")}
        files = [field["counting"]]
        made = program(tmp_path / cheat, f"{cheat}.py", *more, argument=argument, files=files)
        rating = {"anchor": {"bot": "counting", "elo": 0}}
        return write_plan(tmp_path, {**field, cheat: made}, groups=groups, rating=rating, **keys)

    return make
