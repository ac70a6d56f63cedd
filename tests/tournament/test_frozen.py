"""The games of the quickstart that come with the arena, and the runs that they join."""

from dataclasses import replace

import pytest
from freeze import quickstart_games
from instant_games import Instant

from arena.config.document import ConfigError
from arena.programs.kits import quickstart
from arena.referee.deals import deal
from arena.tournament import frozen, schedule
from arena.tournament import run as tournament
from arena.tournament.frozen import FROZEN_GAMES, add_frozen_games, read_frozen_games, write_frozen_games
from arena.tournament.plan.load import load_plan, part_with
from arena.tournament.runs.store import Store
from arena.tournament.runs.verify import replay_problem, verify

ANEW = "a house bot, the rules or the plan have changed: python benchmarks/freeze.py quickstart"


@pytest.fixture(scope="module")
def house():
    return load_plan(quickstart())


@pytest.fixture(scope="module")
def records():
    return list(read_frozen_games(FROZEN_GAMES))


@pytest.fixture
def few(records, monkeypatch, tmp_path):
    """Only every twentieth game comes with the arena."""
    few = records[::20]
    write_frozen_games(tmp_path / "few.gz", few)
    monkeypatch.setattr(frozen, "FROZEN_GAMES", tmp_path / "few.gz")
    return few


@pytest.fixture
def with_mine(tmp_path):
    (tmp_path / "mine.sh").write_text("exit\n")
    return load_plan(quickstart(), more=[tmp_path / "mine.sh"])


def test_they_are_all_games_of_the_plan_by_the_house_bots_of_today(house, records):
    assert {record.fixture.id for record in records} == {game.id for game in schedule.fixtures(house, {})}, (
        ANEW
    )
    assert not any(record.faults for record in records)


def test_their_deals_are_those_of_the_plan_and_they_replay(house, records):
    for record in records:
        assert record.fixture == deal(record.fixture, house.secret, 0), ANEW
    for record in records[::40]:
        assert replay_problem(record) == "", ANEW


@pytest.mark.slow
def test_the_house_bots_play_them_again_byte_for_byte(house, records):
    """A part of them, in which each bot plays."""
    parts = {record.fixture.id: record.game_part() for record in records}
    played = quickstart_games(replace(house, config=replace(house.config, groups=1, lineups=1)))
    assert len(played) == 24 and {bot for record in played for bot in record.fixture.bots} == set(house.bots)
    for record in played:
        assert record.game_part() == parts[record.fixture.id], ANEW


def test_a_run_begins_with_them_and_a_bot_joins(house, few, with_mine, tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        assert add_frozen_games(house, store).startswith("24 games of the house bots come with the arena")
        assert store.count() == 24 and store.facts.bots == load_plan(quickstart()).identity()["bots"]
        verdict = verify(store)
        assert (verdict.run, verdict.games, verdict.checked) == ([], {}, 24)
        plan = tournament.prepare(part_with(with_mine, ["mine"]), store)
        assert not {game.id for game in schedule.due(plan, store.played())} & {
            each.fixture.id for each in few
        }


def test_the_order_of_commands_does_not_matter(house, few, with_mine, tmp_path):
    """The games that a run has are kept; the others join it, also later."""
    mine = part_with(with_mine, ["mine"])
    mine = replace(mine, part=mine.part._replace(groups=1))
    found = []
    for order in (house, mine), (mine, house):
        with Store(tmp_path / f"{order[0] is house}.db", writer=True) as store:
            for plan in order:
                if plan is house:
                    add_frozen_games(house, store)
                    assert "24 games" not in add_frozen_games(house, store), "they are there"
                else:
                    tournament.run(tournament.prepare(mine, store), store, Instant, str, str)
            found.append({game.id: game for game in store.games()})
            assert {"mine"} <= store.facts.bots.keys()
    assert found[0] == found[1] and len(found[0]) == 24 + 80


def test_a_game_of_another_version_of_a_bot_is_left_out(house, few, tmp_path):
    bots = {**house.bots, "miser": replace(house.bots["miser"], fingerprint="f" * 16)}
    fit = sum("miser" not in record.fixture.bots for record in few)
    with Store(tmp_path / "run.db", writer=True) as store:
        said = add_frozen_games(replace(house, bots=bots), store)
        assert said == (
            f"{fit} games of the house bots come with the arena, {480 - fit} do not, because house bots "
            "have changed: --full plays them"
        )
        assert store.count() == fit and not any("miser" in game.bots for game in store.games())


def test_a_closed_run_gets_none(house, few, tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        store.write_facts(replace(store.facts, revealed=True))
        assert add_frozen_games(house, store) == "" and store.count() == 0


@pytest.mark.parametrize("damage", [b"\x1f\x8b no", "{}\n"])
def test_a_damaged_file_gets_one_line(damage, house, few, tmp_path):
    path = tmp_path / "few.gz"
    if isinstance(damage, str):
        path.write_bytes(frozen.gzip.compress(damage.encode()))
    else:
        path.write_bytes(damage)
    with (
        Store(tmp_path / "run.db", writer=True) as store,
        pytest.raises(ConfigError, match=r"few\.gz: .*(install|damaged record)"),
    ):
        add_frozen_games(house, store)
