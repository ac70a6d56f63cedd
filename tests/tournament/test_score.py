"""Scores against frozen pools: pools that do not change, deals that nobody learns by heart, equal numbers."""

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from math import inf
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from samples import CHECKOUT

from arena.cli import main
from arena.config.document import ConfigError
from arena.programs.bot import bot_from_path
from arena.programs.files import files_of
from arena.rating.performance import Performance
from arena.show.scores import render_score
from arena.tournament import pools, schedule
from arena.tournament.pools import FILE, find_part, pool_folder, read_pool
from arena.tournament.score import CANDIDATE, Against, Score, score_plan

BOTS = CHECKOUT / "bots"
PARTS = [part for pool in pools.pools() for part in read_pool(pool)]


@pytest.fixture
def bot(tmp_path):
    return Path(shutil.copy(BOTS / "python" / "honest.py", tmp_path / "mybot.py"))


def plan_for(path, seed="0", quick=False, seats=None):
    return score_plan(find_part("house-2026", "complots", seats), bot_from_path(None, path), seed, quick)


# Pools


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.pool}-{part.game}-{part.seats}")
def test_a_pool_has_its_bots_and_rules_as_they_were(part):
    assert part.programs().keys() == part.bots.keys()
    assert part.rules.version == part.version
    assert part.quick < part.groups


def test_no_file_of_a_pool_is_without_a_fingerprint():
    for pool in pools.pools():
        known = {bot.path for part in read_pool(pool) for bot in part.bots.values()} | {FILE}
        folder = pool_folder(pool)
        assert {path.relative_to(folder).parts[0] for path in files_of(folder)} == known


def test_a_bot_that_was_changed_is_refused(tmp_path, monkeypatch):
    shutil.copytree(BOTS / "pools", tmp_path / "pools")
    monkeypatch.setattr(pools, "pool_folder", lambda name: tmp_path / "pools" / name)
    part = find_part("house-2026", "complots", None)
    changed = tmp_path / "pools" / "house-2026" / part.bots["random"].path
    changed.write_text(changed.read_text() + "\n")
    with pytest.raises(ConfigError, match=r"random_bot.py: has changed, but house-2026 is frozen"):
        part.programs()


def test_another_version_of_the_rules_is_refused():
    part = find_part("house-2026", "complots", None)
    older = replace(part, version=part.version - 1)
    with pytest.raises(ConfigError, match=f"with version {older.version} of complots, and this arena has"):
        score_plan(older, older.programs()["random"], "0", quick=False)


# Deals


def test_deals_follow_from_pool_fingerprint_and_seed(bot, tmp_path):
    secret = sha256(f"house-2026 complots 4 {bot_from_path(None, bot).fingerprint} 0".encode()).hexdigest()
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
    find_part("house-2026", "complots", 4),
    "mybot",
    "31d7be202c0b74b0",
    "0",
    400,
    Performance(1523.4, 1502.1, 1544.7, 0.62, 1200, 100),
    (Against("counting", 1500, 0.52, 240),),
    {},
)
TERMS = "house-2026 complots, 4 seats, 400 games, seed 0, bot 31d7be202c0b74b0"


def test_each_format_names_pool_bot_and_seed():
    assert render_score(SCORE, "text").startswith(f"mybot: 1523 ± 21 Elo ({TERMS})\n")
    assert render_score(SCORE, "markdown") == f"**1523 ± 21** Elo ({TERMS})"
    badge = ElementTree.fromstring(render_score(SCORE, "svg"))
    assert [each.text for each in badge.iter() if each.text and each.text.strip()] == [
        f"mybot: 1523 ± 21 Elo ({TERMS})",
        "house-2026 complots, 4 seats",
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
        (["--pool", "house-2025"], "no pool 'house-2025'; did you mean house-2026?"),
        (["--game", "complot"], "complots"),
        (["--seats", "9"], "house-2026 plays complots with 4 or 2 seats, not 9"),
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
    small = tmp_path / "pools" / "house-2026"
    shutil.copytree(BOTS / "pools" / "house-2026", small)
    parts = json.loads((small / FILE).read_text())
    (small / FILE).write_text(json.dumps([{**part, "quick": 1} for part in parts]))
    monkeypatch.setattr(pools, "pool_folder", lambda name: tmp_path / "pools" / name)
    found = []
    for person in "ann", "ben", "ben":
        (tmp_path / person).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / person)
        words = ["score", str(bot), "--quick", "--seats", "2", "--format", "json"]
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 0, result.stderr
        found.append(json.loads(result.stdout))
    assert found[0] == found[1] == found[2]
    assert found[0]["games"] == 2 * len(found[0]["against"]) and not found[0]["faults"]
