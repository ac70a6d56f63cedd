"""The names of bots: what a name may be, and which one a file gives to its bot."""

import pytest

from arena.programs.bot import BOT_NAME, to_bot_name
from arena.programs.reading import read_bot
from arena.tournament.single import distinct_bots


@pytest.mark.parametrize("name", ["a", "7", "Ann-2", "v1.2+x_y", "é", "棋", "x" * 32])
def test_a_name_begins_with_a_letter_or_a_digit(name):
    assert BOT_NAME.fullmatch(name) and to_bot_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "_a", ".a", "-a", "+a", "__init__", "-", "a b", "a/b", "a\n", "a@1", "x" * 33]
)
def test_all_else_is_no_name(name):
    assert not BOT_NAME.fullmatch(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("_bot", "bot"),
        (".bot", "bot"),
        ("--help", "help"),
        ("_my bot (2)", "my-bot--2-"),
        ("(1) bot", "1--bot"),
        ("_" + "x" * 40, "x" * 32),
        ("...", "bot"),
        ("", "bot"),
    ],
)
def test_any_text_gives_a_name(text, name):
    assert to_bot_name(text) == name and BOT_NAME.fullmatch(name)


def test_bots_of_one_name_are_numbered(tmp_path):
    """Also where two bots are different, and where the number does not fit behind the name."""
    paths = []
    for folder, name in [
        ("a", "bot"),
        ("a", "_bot"),
        ("b", "bot"),
        ("b", "bot-2"),
        ("a", "x" * 40),
        ("b", "x" * 40),
    ]:
        path = tmp_path / folder / f"{name}.sh"
        path.parent.mkdir(exist_ok=True)
        path.write_text("exit\n")
        paths.append(path)
    bots = distinct_bots(paths)
    assert list(bots) == ["bot", "bot-2", "bot-3", "bot-2-2", "x" * 32, "x" * 30 + "-2"]
    assert [bot.name for bot in bots.values()] == list(bots)
    assert [bot.files[0] for bot in bots.values()] == paths


def test_an_accent_in_the_name_of_a_file_may_be_a_character_of_its_own(tmp_path):
    """As macOS writes it; so a name has one form in all tables."""
    (tmp_path / "zoe\u0308.sh").write_text("")
    (tmp_path / "bea\u0301").mkdir()
    (tmp_path / "bea\u0301" / "bot.yaml").write_text("run: [sh]\n")
    assert read_bot(tmp_path / "zoe\u0308.sh").name == "zo\u00eb"
    assert read_bot(tmp_path / "bea\u0301").name == "be\u00e1"
