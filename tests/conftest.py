"""What several test files need: the checkout, small bots, plans, and the command line as a process."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.core.limits import Limits
from arena.sandbox.policy import LIMITS_ONLY, Sandbox, bubblewrap_problem, choose

CHECKOUT = Path(__file__).parent.parent
RANDOM = CHECKOUT / "bots" / "python" / "random_bot.py"
FIRST = (
    """while read -r verb id rest; do case $verb in ask) set -- ${rest#*: }; echo "$id $1";; esac; done\n"""
)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Slow tests measure time and look for what is left alive, so they run one at a time; None: by cores."""
    return None if config.option.markexpr == "not slow" else 0


def pytest_configure() -> None:
    """What is started in the background has Ctrl-C ignored, and so would all the programs of these tests."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Real processes on a busy machine may be late once, in a slow test or one of the clocks."""
    for item in items:
        if item.get_closest_marker("slow") or item.path.stem in ("test_fairness", "test_meter"):
            item.add_marker(pytest.mark.flaky(reruns=1))


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


def compiler() -> str:
    """A C compiler. On a machine without one the test is skipped, but never where CI is set."""
    found = shutil.which("cc")
    if not found:
        if os.environ.get("CI"):
            pytest.fail("CI needs a C compiler")
        pytest.skip("no C compiler")
    return found


def boxed_or_skip() -> Sandbox:
    """The bubblewrap tier. On a machine without it the test is skipped, but never where CI is set."""
    if bubblewrap_problem():
        if os.environ.get("CI"):
            pytest.fail(f"CI needs bubblewrap: {bubblewrap_problem()}")
        pytest.skip(bubblewrap_problem())
    return choose(Limits(), "bubblewrap")


@pytest.fixture(params=["limits", "bubblewrap"])
def tier(request) -> Sandbox:
    """Both tiers, one after the other."""
    return LIMITS_ONLY if request.param == "limits" else boxed_or_skip()
