"""The fingerprint of a folder, and the folder for copies of bots: what else may lie in its place."""

import os
import tempfile
from pathlib import Path

import pytest

from arena.config.document import MachineError
from arena.programs.files import cache_folder, files_of, fingerprint


@pytest.mark.parametrize("put", [Path.touch, lambda path: path.symlink_to("nowhere")])
def test_something_in_the_place_of_the_cache_is_a_problem_of_the_machine(tmp_path, monkeypatch, put):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    put(tmp_path / f"arena.bots-{os.getuid()}")
    with pytest.raises(MachineError, match="only this user can write"):
        cache_folder()


def test_the_cache_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cache_folder() == cache_folder() == tmp_path / f"arena.bots-{os.getuid()}"


@pytest.mark.parametrize("targets", [("v1/data", "v2/data"), ("v1", "v2"), ("nowhere", "never")])
def test_a_link_counts_by_its_target_and_is_not_followed(tmp_path, targets):
    """Links to a file, to a folder, and to nothing: with another target the bot is another version."""
    for version in "v1", "v2":
        (tmp_path / version).mkdir()
        (tmp_path / version / "data").write_text("")
    link = tmp_path / "link"
    made = set()
    for each in targets:
        link.symlink_to(each)
        assert files_of(tmp_path, builds=False) == [link, tmp_path / "v1" / "data", tmp_path / "v2" / "data"]
        made.add(fingerprint(files_of(tmp_path, builds=False), [], tmp_path))
        link.unlink()
    assert len(made) == 2
