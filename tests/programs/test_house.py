"""House bots: they have a name wherever a bot is named."""

import re
import stat
from pathlib import Path

import pytest
from samples import CHECKOUT

from arena.config.document import ConfigError, Document
from arena.programs import house
from arena.programs.bot import why_no_bot
from arena.programs.house import HOUSE_BOTS
from arena.programs.reading import read_bot
from arena.tournament.plan.entrant_keys import EntrantKeys
from arena.tournament.plan.entrants import load_bots
from arena.tournament.single import distinct_bots


def plan(folder: Path, bots: str):
    file = folder / "plan.yaml"
    file.write_text(f"bots: {bots}\n")
    document = Document(file)
    return load_bots(document.check(EntrantKeys), document).bots


def test_each_has_its_own_name_and_the_fingerprint_of_its_files():
    for name in HOUSE_BOTS:
        bot, role = read_bot(Path(f"house:{name}")), HOUSE_BOTS[name].role
        assert bot.name == name
        assert bot.command[-1].endswith(role)
        assert (bot.fingerprint == read_bot(bot.files[0]).fingerprint) == (not role)


def test_the_bots_of_one_folder_differ_in_fingerprint():
    bots = {name: bot for name, bot in HOUSE_BOTS.items() if bot.role}
    prints = {read_bot(Path(f"house:{name}")).fingerprint for name in bots}
    assert len(prints) == len({(bot.file, bot.role) for bot in bots.values()})


def test_all_are_on_the_page_as_the_command_tells_them():
    rows = re.findall(
        r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$", (CHECKOUT / "bots" / "README.md").read_text(), re.M
    )
    assert rows == [(name, bot.language, bot.game or "any", bot.about) for name, bot in HOUSE_BOTS.items()]


def test_each_is_explained_on_its_page():
    page = (CHECKOUT / "docs" / "house-bots.md").read_text()
    assert [name for name in HOUSE_BOTS if f"`{name}`" not in page] == []


def test_they_play_on_the_command_line_and_in_plans(tmp_path):
    assert list(distinct_bots([Path("house:random"), Path("house:random")])) == ["random", "random-2"]
    assert list(plan(tmp_path, "[house:counting, house:random]")) == ["counting", "random"]
    named = plan(tmp_path, "{mine: house:counting}")
    assert named["mine"].fingerprint == read_bot(Path("house:counting")).fingerprint


@pytest.mark.parametrize("bots", ["[house:countng]", "{mine: house:countng}"])
def test_a_wrong_name_is_an_error_of_one_line(tmp_path, bots):
    with pytest.raises(ConfigError, match=r"plan.yaml:1:.*no house bot 'countng'; did you mean counting\?"):
        plan(tmp_path, bots)


def test_a_file_among_the_entries_cannot_pass_for_one(tmp_path):
    (tmp_path / "house:counting").write_text("")
    assert why_no_bot(tmp_path / "house:counting") == "its name begins with house:"


def test_in_an_installed_package_a_bot_is_compiled_elsewhere(tmp_path, monkeypatch):
    """The package may belong to another user, and is left as it is."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(house, "COPY", house.checkout())
    bot, installed = read_bot(Path("house:liar")), CHECKOUT / "bots" / "c" / "liar"
    assert bot.folder.is_relative_to(tmp_path) and bot.folder.name == "liar"
    assert bot.fingerprint == read_bot(installed).fingerprint
    assert not bot.folder.parent.parent.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    assert read_bot(Path("house:liar")) == bot
