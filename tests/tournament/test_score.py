"""Scores against frozen pools: pools that do not change, deals that nobody learns by heart, equal numbers."""

import json
import os
import shutil
from dataclasses import replace
from hashlib import sha256
from math import inf
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from freeze import pack
from programs import play_leisurely
from samples import CHECKOUT

from arena.cli import main
from arena.config.document import ConfigError
from arena.programs.files import files_of
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.rating.performance import Performance
from arena.show.scores import render_score
from arena.tournament import pools, schedule
from arena.tournament.pools import FILE, find_pool, unpack
from arena.tournament.score import CANDIDATE, Against, Score, score_plan

BOTS = CHECKOUT / "bots"
POOLS = pools.all_pools()


@pytest.fixture
def bot(tmp_path):
    return Path(shutil.copy(BOTS / "python" / "honest.py", tmp_path / "mybot.py"))


def plan_for(path, seed="0", quick=False, seats=4):
    return score_plan(find_pool(f"house-2026/complots-{seats}"), read_bot(path), seed, quick)


# Pools


@pytest.mark.parametrize("pool", POOLS.values(), ids=POOLS.keys())
def test_a_pool_has_its_bots_and_rules_as_they_were(pool):
    assert pool.programs().keys() == pool.bots.keys()
    assert pool.rules.version == pool.version
    assert pool.quick < pool.groups


def test_no_file_of_a_pool_is_without_a_fingerprint():
    for name in {pool.archive for pool in POOLS.values()}:
        known = {bot.path for pool in POOLS.values() if pool.archive == name for bot in pool.bots.values()}
        known |= {FILE}
        folder = unpack(name)
        assert {path.relative_to(folder).parts[0] for path in files_of(folder, builds=False)} == known


def test_the_pools_of_2026_are_those_that_were_cited():
    digest = sha256((BOTS / "pools" / "house-2026.zip").read_bytes()).hexdigest()
    assert digest == "ca9d10d803f2f3959a1b8ec45bfb1862abf105b1161e80837f17d825994d7747"


@pytest.mark.parametrize(
    "change", [lambda path: path.write_text("#"), Path.unlink], ids=["changed", "missing"]
)
def test_an_unpacked_bot_that_was_changed_is_refused_until_it_is_unpacked_again(
    tmp_path, monkeypatch, change
):
    monkeypatch.setattr(pools, "cache_folder", lambda: tmp_path)
    pool = find_pool("house-2026/complots-4")
    before = pool.programs()
    (folder,) = tmp_path.iterdir()
    change(folder / pool.bots["random"].path)
    told = rf"random_bot.py: has changed, but house-2026/complots-4 is frozen; remove {folder}, and it is unp"
    with pytest.raises(ConfigError, match=told):
        pool.programs()
    shutil.rmtree(folder)
    assert pool.programs() == before


@pytest.mark.parametrize("suffix", [".zip", ".sha256"])
def test_a_damaged_archive_is_refused(tmp_path, monkeypatch, suffix):
    shutil.copytree(BOTS / "pools", tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(pools, "_folder", lambda: tmp_path)
    path = tmp_path / f"house-2026{suffix}"
    path.write_bytes(path.read_bytes().replace(b"0", b"1"))
    with pytest.raises(ConfigError, match=r"house-2026.zip: is damaged: has the SHA-256 "):
        unpack("house-2026")
    path.unlink()
    with pytest.raises(ConfigError, match=f"cannot be read.*house-2026{suffix}|no pool"):
        find_pool("house-2026/complots-4")


def test_an_archive_follows_from_the_contents_of_its_files(tmp_path):
    """Not from times, modes, or the order in which they were written."""
    one, two = tmp_path / "one", tmp_path / "two"
    shutil.copytree(unpack("house-2026"), one)
    for path in reversed(files_of(one, builds=False)):
        copy = two / path.relative_to(one)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        copy.chmod(0o600)
        os.utime(copy, (10**9, 10**9))
    for folder in one, two:
        pack(folder, folder.with_suffix(".zip"))
    assert one.with_suffix(".zip").read_bytes() == two.with_suffix(".zip").read_bytes()
    with ZipFile(one.with_suffix(".zip")) as made, ZipFile(BOTS / "pools" / "house-2026.zip") as frozen:
        assert made.namelist() == frozen.namelist()  # the bytes also follow from the version of zlib
        assert all(made.read(name) == frozen.read(name) for name in made.namelist())


def test_another_version_of_the_rules_is_refused():
    pool = find_pool("house-2026/complots-4")
    older = replace(pool, version=pool.version - 1)
    with pytest.raises(ConfigError, match=f"with version {older.version} of complots, and this arena has"):
        score_plan(older, older.programs()["random"], "0", quick=False)


@pytest.mark.parametrize("pool", POOLS.values(), ids=POOLS.keys())
def test_the_bots_of_a_pool_remember_nothing(pool):
    """The same deal is the same game again, after another deal in the same processes."""
    names = sorted(pool.bots, key=lambda name: -pool.bots[name].elo)[: pool.seats]

    def digest(table, seed):
        record = play_leisurely(table, names, pool.game, seed, pool.options)
        assert record.faults == ()
        return record.digest

    with ProgramTable(pool.programs()) as table:
        first = digest(table, "one"), digest(table, "two")
        assert (digest(table, "two"), digest(table, "one")) == first[::-1]


# Deals


def test_deals_follow_from_pool_fingerprint_and_seed(bot, tmp_path):
    secret = sha256(f"house-2026/complots-4 {read_bot(bot).fingerprint} 0".encode()).hexdigest()
    assert plan_for(bot).secret == secret
    other_folder = tmp_path / "elsewhere"
    other_folder.mkdir()
    same = Path(shutil.copy(bot, other_folder))
    changed = Path(shutil.copy(bot, other_folder / "changed.py"))
    changed.write_text(bot.read_text() + "# better\n")
    games = {path: [each for each in schedule.due(plan_for(path, quick=True), {})] for path in (bot, same)}
    assert games[bot] == games[same]
    secrets = {plan_for(bot).secret, plan_for(changed).secret, plan_for(bot, seed="1").secret}
    assert len(secrets | {plan_for(bot, seats=2).secret}) == 4


def test_a_quick_score_plays_the_first_games_of_a_whole_one(bot):
    few = [game.id for game in schedule.due(plan_for(bot, quick=True), {})]
    assert few == [game.id for game in schedule.due(plan_for(bot), {})][: len(few)]
    assert all(CANDIDATE in game.bots for game in schedule.due(plan_for(bot, quick=True), {}))


# What is shown

SCORE = Score(
    find_pool("house-2026/complots-4"),
    "mybot",
    "31d7be202c0b74b0",
    "0",
    400,
    Performance(1523.4, 1502.1, 1544.7, 0.62, 1200, 100),
    (Against("counting", 1500, 0.52, 240),),
    {},
)
TERMS = "house-2026/complots-4, 400 games, seed 0, bot 31d7be202c0b74b0"


def test_each_format_names_pool_bot_and_seed():
    assert render_score(SCORE, "text").startswith(f"mybot: 1523 ± 21 Elo ({TERMS})\n")
    assert render_score(SCORE, "markdown") == f"**1523 ± 21** Elo ({TERMS})"
    badge = ElementTree.fromstring(render_score(SCORE, "svg"))
    assert [each.text for each in badge.iter() if each.text and each.text.strip()] == [
        f"mybot: 1523 ± 21 Elo ({TERMS})",
        "house-2026/complots-4",
        "1523 ± 21 · bot 31d7be20 · seed 0",
    ]
    values = json.loads(render_score(SCORE, "json"))
    assert (values["elo"], values["interval"]) == (1523.4, [1502.1, 1544.7])


def test_a_perfect_score_has_no_elo_but_a_bound():
    perfect = replace(SCORE, performance=Performance(inf, 1811.2, inf, 1.0, 1200, 100))
    assert render_score(perfect, "text").startswith("mybot: over 1811 Elo (")
    values = json.loads(render_score(perfect, "json"))
    assert (values["elo"], values["interval"]) == (None, [1811.2, None])


# The command


@pytest.mark.parametrize(
    "words, told",
    [
        (["nobot.py"], "nobot.py: no such bot"),
        (
            ["--pool", "house-2026/complots-5"],
            "no pool 'house-2026/complots-5'; did you mean house-2026/comp",
        ),
        (["--format", "png"], "'png' is not one of"),
    ],
)
def test_bad_input_is_one_line(words, told, bot):
    words = words if words[0] == "nobot.py" else [str(bot), *words]
    result = CliRunner().invoke(main, ["score", *words])
    assert result.exit_code == 2
    assert told in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.slow
def test_two_people_get_the_same_number(bot, tmp_path, monkeypatch):
    """Each in a folder of their own; the second call of one plays nothing."""
    small = tmp_path / "house-2026"
    shutil.copytree(unpack("house-2026"), small)
    written = json.loads((small / FILE).read_text())
    (small / FILE).write_text(json.dumps([{**pool, "quick": 1} for pool in written]))
    pack(small, small.with_suffix(".zip"))
    monkeypatch.setattr(pools, "_folder", lambda: tmp_path)
    found = []
    for person in "ann", "ben", "ben":
        (tmp_path / person).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / person)
        words = ["score", str(bot), "--quick", "--pool", "house-2026/complots-2", "--format", "json"]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.stderr
        found.append(json.loads(result.stdout))
    assert found[0] == found[1] == found[2]
    assert found[0]["games"] == 2 * len(found[0]["against"]) and not found[0]["faults"]
