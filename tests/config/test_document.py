"""Values in YAML files: a number means what everybody reads, and a text is what is written."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from arena.config.document import ConfigError, Document, read_value
from arena.config.values import Count, Switch, Text
from arena.tournament.formats.config import MoreThanZero

NUMBERS = {
    "0": 0, "10": 10, "-3": -3, "+5": 5, "0.5": 0.5, ".5": 0.5, "5.": 5.0, "1e3": 1000.0,
    "1.5e-3": 0.0015, "-0.0": 0.0, ".inf": float("inf"),
}  # fmt: skip
TEXTS = [
    "010", "-010", "00", "08", "010.5", "1_000", "1_000.5", "1:30", "1:30.5", "190:20:30", "0x1F",
    "0o17", "0b11", "1e", "2026-01-01", "2026-01-01 18:00:00", "1.2.3", "_1", "yes",
    "no", "On", "OFF", "y", "\u0661",
]  # fmt: skip


def document(tmp_path, text):
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8")
    return Document(path)


@pytest.mark.parametrize("written", NUMBERS)
def test_a_number_has_one_meaning(tmp_path, written):
    (value,) = document(tmp_path, f"key: {written}\n").data.values()
    assert value == NUMBERS[written] == read_value(written)
    assert type(value) is type(NUMBERS[written])


@pytest.mark.parametrize("written", TEXTS)
def test_what_others_may_read_as_another_number_is_text(tmp_path, written):
    assert document(tmp_path, f"key: {written}\n").data == {"key": written}
    assert read_value(written) == written


@dataclass
class Keys:
    count: Count = 1
    switch: Switch = True
    share: MoreThanZero = 1.0
    name: Text = ""
    names: list[Text] = field(default_factory=list)
    either: Text | dict[str, Text] = ""
    anything: Any = None


@pytest.mark.parametrize("written", [*TEXTS, *NUMBERS])
def test_text_is_what_is_written(tmp_path, written):
    text = f"name: {written}\nnames: [a, {written}]\neither: {{b: {written}}}\nanything: 3\n"
    found = document(tmp_path, text).check(Keys)
    assert (found.name, found.names, found.either) == (written, ["a", written], {"b": written})
    assert found.anything == 3


@pytest.mark.parametrize("written", [each for each in TEXTS if each != "1_000.5"])
def test_where_a_number_is_needed_another_is_refused(tmp_path, written):
    for key in "count", "share", "switch":
        with pytest.raises(ConfigError) as raised:
            document(tmp_path, f"{key}: {written}\n").check(Keys)
        assert f"file.yaml:1:1: {key}: should be " in str(raised.value)
        assert f"not {written!r}" in str(raised.value)


@pytest.mark.parametrize("written, right", [("010", "10"), ("1_000", "1000"), ("-08", "-8")])
def test_the_number_that_was_meant_is_named(tmp_path, written, right):
    with pytest.raises(ConfigError, match=f"not '{written}'; write {right}$"):
        document(tmp_path, f"count: {written}\n").check(Keys)
    with pytest.raises(ConfigError, match=r"should be text, not true$"):
        document(tmp_path, "name: true\n").check(Keys)
