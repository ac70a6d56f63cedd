"""What a bot.yaml says that a bot supports, and the plans and commands that respect it."""

import pytest

from arena.config.document import ConfigError
from arena.games import find
from arena.programs.bot import Support
from arena.programs.game_options import games_of, refuse_unsupported, supported
from arena.programs.reading import read_bot
from arena.referee.conditions import TimeControl
from arena.tournament.ladder import LadderEntries, playable
from arena.tournament.plan.load import load_plan
from arena.tournament.single import play_one

COMPLOTS = find("complots")
CLASSIC = "{complots: {seats: [2, 3], options: {cast: ambassador, must_coup_at: [10, 11]}}}"


def bot(folder, games, name="ann"):
    entry = folder / name
    entry.mkdir(exist_ok=True)
    (entry / "bot.py").write_text("# a program\n")
    (entry / "bot.yaml").write_text(f"run: [python3, bot.py]\ngames: {games}\n")
    return read_bot(entry)


@pytest.mark.parametrize(
    ("games", "support"),
    [
        ("[complots]", Support()),
        ("{complots: }", Support()),
        ("{complots: {seats: 3}}", Support((3,))),
        (CLASSIC, Support((2, 3), {"cast": ("ambassador",), "must_coup_at": (10, 11)})),
    ],
)
def test_a_bot_names_its_games_and_what_it_supports_of_them(tmp_path, games, support):
    made = bot(tmp_path, games)
    assert games_of(made) == [COMPLOTS]
    assert supported(made, COMPLOTS) == support


@pytest.mark.parametrize(
    ("games", "words"),
    [
        ("complots", "2:1: games: should be a list or keys and values, not 'complots'"),
        ("[5]", "2:1: games: no game '5'; known are"),
        ("[true]", "2:9: games: 0: should be text, not true"),
        ("[complot]", "2:1: games: no game 'complot'; did you mean complots?"),
        ("{complots: 4}", "2:9: games: complots: should be keys and values, not 4"),
        ("{complots: {seat: 2}}", "2:20: games: complots: seat: unknown key; did you mean seats?"),
        ("{complots: {seats: two}}", "complots: seats: should be a whole number or a list, not 'two'"),
        ("{complots: {seats: [2, x]}}", "complots: seats: 1: should be a whole number, not 'x'"),
        ("{complots: {seats: []}}", "complots: seats: should be a number of seats, or several"),
        ("{complots: {seats: 9}}", "2:20: games: complots: seats: complots has 2 to 8 seats, not 9"),
        ("{complots: {options: [cast]}}", "complots: options: should be keys and values, not a list"),
        ("{complots: {options: {casst: a}}}", "options: casst: unknown option; did you mean cast?"),
        ("{complots: {options: {cast: []}}}", "cast: should be ambassador or inquisitor, or a list of these"),
        ("{complots: {options: {cast: [5]}}}", "cast: should be ambassador or inquisitor, not 5"),
        ("{complots: {options: {steal_from_dead: 0}}}", "steal_from_dead: should be true or false, not 0"),
        ("{complots: {options: {must_coup_at: 6}}}", "must_coup_at: should be a whole number from 7, not 6"),
    ],
)
def test_a_mistake_in_it_is_one_line_with_its_place(tmp_path, games, words):
    with pytest.raises(ConfigError) as error:
        made = bot(tmp_path, games)
        for game in games_of(made):
            supported(made, game)
    assert str(error.value).startswith(f"{tmp_path}/ann/bot.yaml:2:")
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_bot_that_declares_nothing_supports_everything(tmp_path):
    (tmp_path / "bot.py").write_text("# a program\n")
    for game in ("complots", "local", "intrigue"):
        rules = find(game)
        refuse_unsupported(read_bot(tmp_path / "bot.py"), rules, rules.seats, rules.defaults())


@pytest.mark.parametrize(
    ("seats", "options", "words"),
    [
        ((2, 3), {}, ""),
        ((3,), {"must_coup_at": 11, "treasury": "unlimited"}, ""),
        ((2, 4), {}, "complots: seats: does not support 4 seats, only 2 and 3"),
        ((2,), {"cast": "inquisitor"}, "cast: does not support cast=inquisitor, only ambassador"),
        ((2,), {"must_coup_at": 12}, "must_coup_at: does not support must_coup_at=12, only 10 and 11"),
    ],
)
def test_what_a_bot_does_not_support_is_refused_and_what_it_does_not_name_is_not(
    tmp_path, seats, options, words
):
    made = bot(tmp_path, CLASSIC)
    try:
        refuse_unsupported(made, COMPLOTS, seats, COMPLOTS.defaults() | options)
        said = ""
    except ConfigError as error:
        said = str(error)
    assert said.endswith(words) and bool(said) == bool(words)


def plan(folder, text, entries=4):
    for number in range(entries):
        bot(folder, "[complots]" if number else CLASSIC, f"bot{number}")
    path = folder / "plan.yaml"
    path.write_text(f"game: complots\nbots: [bot*/]\n{text}")
    return path


def test_a_plan_refuses_a_bot_that_does_not_support_it(tmp_path):
    with pytest.raises(ConfigError) as error:
        load_plan(plan(tmp_path, "seats: 4\n"))
    where = "bot bot0: bot0/bot.yaml:2:20: games: complots: seats"
    assert error.value.args == (f"{where}: does not support 4 seats, only 2 and 3",)
    load_plan(plan(tmp_path, "seats: 3\n"))
    with pytest.raises(ConfigError, match=r"bot bot0: .*: does not support local, only complots"):
        path = plan(tmp_path, "seats: 3\n")
        path.write_text(path.read_text().replace("complots", "local", 1))
        load_plan(path)


def test_broken_entries_and_those_that_do_not_support_the_plan_are_treated_alike(tmp_path):
    skipping = load_plan(plan(tmp_path, "seats: [2, 4]\nbroken: skip\n", entries=5))
    assert list(skipping.bots) == ["bot1", "bot2", "bot3", "bot4"]
    assert "does not support 4 seats" in skipping.skipped["bot0"]
    losing = load_plan(plan(tmp_path, "seats: [2, 4]\nbroken: forfeit\n"))
    assert [name for name, each in losing.bots.items() if each.broken] == ["bot0"]


def test_without_a_bot_that_sits_out_the_tables_are_smaller(tmp_path):
    made = plan(tmp_path, "broken: skip\n")
    loaded = load_plan(made)
    assert (list(loaded.bots), loaded.seats) == (["bot1", "bot2", "bot3"], (3,))


def test_a_single_game_refuses_a_bot_that_does_not_support_it(tmp_path):
    bot(tmp_path, CLASSIC)
    with pytest.raises(ConfigError, match="does not support cast=inquisitor, only ambassador"):
        play_one("complots", [tmp_path / "ann"] * 2, "1", {"cast": "inquisitor"}, TimeControl())


def test_a_ladder_leaves_out_an_entry_that_does_not_support_it(tmp_path):
    for number in range(3):
        bot(tmp_path, "[complots]" if number else CLASSIC, f"bot{number}")
    path, said = tmp_path / "ladder.yaml", []
    path.write_text("game: complots\nformat: ladder\nseats: 4\nbots: .\n")
    entries = LadderEntries(tmp_path).read()
    found = playable(entries, tmp_path / "copies", {}, said.append, None, (), load_plan(path))
    assert list(found) == ["bot1", "bot2"]
    assert len(said) == 1 and said[0].startswith("bot bot0 is left out until it changes: ")
    assert said[0].endswith("does not support 4 seats, only 2 and 3")
