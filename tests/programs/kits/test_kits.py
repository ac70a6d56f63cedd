"""The starter kits, built and played: every language, and all alike."""

import json
import os
import re
import shutil
import subprocess

import pytest
from cheats import write_plan
from programs import play_leisurely
from samples import RANDOM

from arena.games import GAMES
from arena.programs import kits
from arena.programs.play.build import build
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.referee.conditions import TimeControl
from arena.tournament.runs.bot_input import bot_input
from arena.tournament.single import play_one

IN_CI = {"python", "c", "cpp", "rust", "go", "java", "javascript", "ruby", "perl", "lua", "bash"}
"""The languages that .ci/tools installs; no test of theirs is skipped there."""

FUTURE = """\
omen p1
ask 1 hello 1000 version=2 mood=good : ok
game 1 complots seats=2 you=p2 seed=0 new=yes =odd a=b=c
weather
ask 2 ready 1000 new=yes : ok
event omen
event refuted p1 captain new=yes
secret hand duchess
state table
state p1 coins=2 cards=2 mood=good
state p9 nothing=yet
state p2 coins=2 cards=2 hand=duchess,captain new=a,b
error 2 late strikes=1/3 no answer to ready in time; played ok
ask 3 challenge 1000 on=p1 claim=duchess new=yes : pass challenge
ask 4 duel 1000 : swords pistols chess
ask 5 action 1000 : assassin:p1 contessa:p1
ask 6 lose 1000 cause=coup : duchess captain
end 1 place=1 places=1,2 mood=good
game 2 complots seats=2 you=p1 seed=2147483647
ask 7 ready 1000 : ok
state p1 coins=2 hand= cards=0,duchess
ask 8 challenge 1000 on=p2 claim=duchess : pass challenge
ask 9 action 1000 : income duchess
end 2 place=1 places=1,2
bye
ask 10 action 1000 : income
"""
"""A later version of the protocol, with more of everything, and two games."""


def tools_or_skip(language: str) -> None:
    if missing := kits.missing_tools(language):
        assert not os.environ.get("CI") or language not in IN_CI, f"CI needs {missing}"
        pytest.skip(f"no {', '.join(missing)}")


def answers(language: str, folder, texts: list[str], game: str = "complots") -> list[str]:
    """What a kit answers to each of these texts, once it is built."""
    kits.create(language, folder / game, game)
    bot = read_bot(folder / game)
    build([bot], LIMITS_ONLY)
    done = [
        subprocess.run(bot.command, cwd=bot.folder, input=text, capture_output=True, text=True, timeout=60)
        for text in texts
    ]
    assert all(each.returncode == 0 for each in done)
    assert [each.stderr for each in done] == [
        "".join(line for line in text.splitlines(True) if line.startswith("error ")) for text in texts
    ]
    return [each.stdout for each in done]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What a bot reads in whole games of each kind, and what the kit in Python for a game answers."""
    folder, texts = tmp_path_factory.mktemp("inputs"), [FUTURE]
    for game in GAMES:
        reader = folder / game / "reader"
        kits.create("python", reader, game)
        for seed in ("1", "2"):
            record = play_one(
                game, [reader, RANDOM, reader], seed, {}, TimeControl(move=10.0), sandbox=LIMITS_ONLY
            )
            texts.append(bot_input(record, 0))
    assert all(text.count("\nask ") > 8 for text in texts)
    # two games, of which one has a strategy that knows no cards
    return texts, {game: answers("python", folder / game, texts, game) for game in ("complots", "intrigue")}


@pytest.mark.parametrize("game", GAMES)
def test_a_kit_has_a_page_for_agents_with_the_card_of_its_game(game, tmp_path):
    kits.create("rust", tmp_path / "crab", game)
    page = (tmp_path / "crab/AGENTS.md").read_text(encoding="utf-8")
    assert f"`crab` plays {game} in the arena. It is written in Rust; `bot.rs` is the whole program" in page
    assert f"arena compare . house:random --game {game}" in page
    assert "on a card" in page and "](" not in page and not re.search("@[A-Z]+@", page)


@pytest.mark.slow
@pytest.mark.parametrize("language", [name for name in kits.LANGUAGES if name != "python"])
def test_all_kits_answer_alike(language, expected, tmp_path):
    """Their idea and their numbers are the same, and what they make of the lines of a later version."""
    tools_or_skip(language)
    texts, by_game = expected
    for game, said in by_game.items():
        assert answers(language, tmp_path / game, texts, game) == said
        assert said[0].count("\n") == 9, "it ends with `bye`"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "cpp", "java", "bash"])
def test_a_kit_passes_the_check(language, arena):
    """That of Python, whose answers all others give, in every game; others start or answer otherwise."""
    tools_or_skip(language)
    assert arena("new", language, "mybot").returncode == 0
    games = [word for game in GAMES for word in ("--game", game)] if language == "python" else []
    done = arena("check", "mybot", *games)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", kits.LANGUAGES)
def test_every_kit_plays_every_game_in_each_tier(language, tier, tmp_path):
    """At every number of seats, against house bots, in the same process."""
    tools_or_skip(language)
    kits.create(language, tmp_path / "mybot", "complots")
    house = [RANDOM, kits.checkout() / "bots" / "shell" / "first.sh"]
    paths = {"mybot": tmp_path / "mybot", **{f"house{number}": house[number % 2] for number in range(7)}}
    bots = {name: read_bot(path, name=name) for name, path in paths.items()}
    build(bots.values(), tier)
    with ProgramTable(bots, True, tier) as table:
        for game in GAMES.values():
            for seats in game.seats:
                record = play_leisurely(table, list(bots)[:seats], game.name, language, {})
                assert record.faults == () and record.forfeits == ()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_strategy_is_better_than_chance(game, arena, tmp_path):
    """So that a reader who plays with it sees that it does something."""
    kits.create("python", tmp_path / "mybot", game)
    plan = write_plan(
        tmp_path,
        {"mybot": tmp_path / "mybot", "random": RANDOM, "other": RANDOM},
        game=game,
        groups=40,
        seed=1,
    )
    done = arena("run", plan, "--format", "json")
    assert done.returncode == 0, done.stderr
    best = json.loads(done.stdout)["standings"][0]
    assert best["bot"] == "mybot" and best["score"] > 0.8


def test_every_tool_has_its_package():
    assert {tool for language in kits.LANGUAGES for tool in kits.tools(language)} == set(kits.PACKAGES)
    assert {path.name for path in kits.HERE.glob("[a-z]*") if path != kits.COPY} == set(kits.LANGUAGES)


def test_the_kits_have_a_strategy_for_every_game():
    assert set(kits.STRATEGIES) == set(GAMES)


@pytest.mark.parametrize("language", kits.LANGUAGES)
def test_a_kit_is_small_and_has_nothing_left_to_fill_in(language, tmp_path):
    source = kits.create(language, tmp_path / "mybot", "local")
    assert source.read_text().count("\n") < 165
    text = source.read_text() + (tmp_path / "mybot" / "bot.yaml").read_text()
    assert not any(f"@{key}@" in text for key in ("NAME", "AUTHOR", "GAME", "CARDS", "WANTED"))
    assert text.count("mybot") == 3 and text.count("captain") == 2
    assert all(len(line) <= 140 for line in text.splitlines())
    bot = read_bot(tmp_path / "mybot") if shutil.which(kits.tools(language)[-1]) else None
    assert bot is None or (bot.name, list(bot.games)) == ("mybot", ["local"])
