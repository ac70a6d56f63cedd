"""The examples of docs/library.md work."""

import doctest
import random
import re
from pathlib import Path

import arena

PAGE = Path(__file__).parents[2] / "docs" / "library.md"


def test_the_examples_of_the_page():
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    assert doctest.testfile(str(PAGE), module_relative=False, optionflags=flags).failed == 0


def test_the_bot_that_searches_is_short_and_better_than_chance():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    (source,) = (block for block in blocks if "def search" in block)
    assert source.count("\n") < 40
    names = {"__name__": "bot"}
    exec(source, names)
    table = arena.table("complots")

    def searching():
        return lambda view: names["search"](view, number=15)

    def guessing():
        dice = random.Random(1)
        return lambda view: dice.choice(view.options)

    results = arena.play_many(table, {"search": searching, "chance": guessing}, games=10, seed=2)
    assert results["search"].points > 0.75
