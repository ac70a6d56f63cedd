"""The folder for copies of bots: what else may lie in its place."""

import os
import tempfile
from pathlib import Path

import pytest

from arena.config.document import MachineError
from arena.programs.files import cache_folder


@pytest.mark.parametrize("put", [Path.touch, lambda path: path.symlink_to("nowhere")])
def test_something_in_the_place_of_the_cache_is_a_problem_of_the_machine(tmp_path, monkeypatch, put):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    put(tmp_path / f"arena.bots-{os.getuid()}")
    with pytest.raises(MachineError, match="only this user can write"):
        cache_folder()


def test_the_cache_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cache_folder() == cache_folder() == tmp_path / f"arena.bots-{os.getuid()}"
