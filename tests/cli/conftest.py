"""What the tests of commands share: a command that runs in this process."""

import pytest
from click.testing import CliRunner

from arena.cli import main


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Runs a command of `arena` in the folder of the test, and returns what it prints."""

    def run(*words: object, status: int = 0) -> str:
        monkeypatch.chdir(tmp_path)
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code == status, done.output + done.stderr
        return done.stdout

    return run
