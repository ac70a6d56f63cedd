"""What is left of runs that are killed."""

import psutil
import pytest

from arena.programs.sandbox.linux import subreaper


@pytest.fixture
def kin(tmp_path, monkeypatch):
    """All that was started since, however it is related to us by now, by a call."""
    subreaper.become()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    before = set(psutil.Process().children(recursive=True))
    return lambda: [each for each in psutil.Process().children(recursive=True) if each not in before]
