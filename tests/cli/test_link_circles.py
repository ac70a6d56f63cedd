"""Links that lead to themselves, wherever a command takes a path: one line, with each Python."""

import pytest

LOOP = "Too many levels of symbolic links"


@pytest.mark.parametrize(
    "words, told",
    [
        (["play", "complots", "circle", "house:first"], f"circle: cannot be read: {LOOP}"),
        (["run", "quickstart", "circle"], f"circle: cannot be read: {LOOP}"),
        (["score", "circle"], f"circle: cannot be read: {LOOP}"),
        (["compare", "circle", "house:first"], f"circle: cannot be read: {LOOP}"),
        (["check", "--files", "circle", "house:first"], f"circle: {LOOP}"),
        (["run", "circle"], f"circle: cannot be read: {LOOP}"),
        (["run", "quickstart", "--out", "circle"], f"circle: cannot be written: {LOOP}"),
        (["new", "python", "circle"], "circle: File exists"),
        (["table", "circle.db"], "circle.db: no such run"),
        (["table", "circle.csv"], f"circle.csv: cannot be read: {LOOP}"),
        (["list", "circle.db"], "circle.db: no such run"),
        (["report", "circle.db", "--out", "pages"], "circle.db: no such run"),
        (["backup", ".", "circle"], "circle: is inside .; a backup should be elsewhere"),
        (["backup", "circle", "to"], "circle: no such folder"),
        (["serve", "circle"], f"circle: cannot be read: {LOOP}"),
        (["contest", "serve", "circle"], "circle: not the folder of a contest"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_a_link_to_itself_is_one_line(refused, tmp_path, words, told):
    for name in ("circle", "circle.db", "circle.csv"):
        (tmp_path / name).symlink_to(name)
    assert told in refused(*words)
