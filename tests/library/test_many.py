"""Many games: seats rotate over equal deals, on any number of processes, into a run file."""

import subprocess
import sys
from collections import Counter

import pytest
from click.testing import CliRunner
from library_players import Bold, First, Wrong

import arena
from arena.cli import main
from arena.tournament.runs.store import Store

TABLE = arena.table("complots", seats=3, max_turns=30)


FACTORIES = {"first": First, "bold": Bold, "other": Bold}


def test_every_player_has_every_seat_of_each_deal(tmp_path):
    results = arena.play_many(TABLE, FACTORIES, games=10, seed=3, out=tmp_path / "run.db")
    assert results.games == 12  # in groups of three
    assert {name: tally.games for name, tally in results.items()} == dict.fromkeys(FACTORIES, 12)
    assert sum(tally.points for tally in results.values()) == pytest.approx(1.5)
    assert str(results).startswith("12 games; ")
    with Store(tmp_path / "run.db") as store:
        games = [store.record(game.id).fixture for game in store.games()]
    seats = Counter((game.seed, name, seat) for game in games for seat, name in enumerate(game.bots))
    assert len(seats) == 4 * 3 * 3 and set(seats.values()) == {1}


def test_processes_change_nothing():
    one, two = (arena.play_many(TABLE, FACTORIES, games=6, seed=4, jobs=jobs) for jobs in (1, 2))
    assert one == two


def test_the_commands_of_the_arena_read_the_run_file(tmp_path):
    run = str(tmp_path / "run.db")
    arena.play_many(TABLE, FACTORIES, games=9, seed=5, out=run)
    shown = CliRunner().invoke(main, ["table", run], catch_exceptions=False)
    assert shown.exit_code == 0 and all(name in shown.output for name in FACTORIES)
    listed = CliRunner().invoke(main, ["list", run, "--format", "json"], catch_exceptions=False)
    assert listed.output.count('"id"') >= 9 or listed.exit_code == 0
    with pytest.raises(arena.ConfigError, match="has games already"):
        arena.play_many(TABLE, FACTORIES, games=9, seed=5, out=run)


def test_a_recorded_game_can_be_taken_up_again(tmp_path):
    run = tmp_path / "run.db"
    arena.play_many(TABLE, FACTORIES, games=3, seed=6, out=run)
    with Store(run) as store:
        game = store.record(next(iter(store.games())).id)
    state = arena.from_record(run, game.fixture.id[:8], at=12)
    while not state.over:
        number = len(state.match.replies)
        reply = game.replies[number]
        _ = state.answer(reply) if state.to_act else state.draw(reply)  # the run hides its seed
    assert state.match.digest() == game.digest


def test_programs_play_beside_factories():
    factories = [First, arena.program("house:first"), arena.program("house:first")]
    results = arena.play_many(TABLE, factories, games=3, seed=7)
    assert list(results) == ["First", "first", "first-2"]
    assert [tally.points for tally in results.values()] == [0.5] * 3


@pytest.mark.parametrize(
    ("factories", "message"),
    [
        ([First] * 2, "a table of 3 seats needs as many players, not 2"),
        ([First, First, lambda view: "pass"], "is not a factory: a function without arguments, or a class"),
        ([First, First, First()], "is not a factory"),
    ],
)
def test_mistakes(factories, message):
    with pytest.raises(arena.LibraryError, match=message):
        arena.play_many(TABLE, factories, games=3)


def test_faults_are_raised_or_played():
    with pytest.raises(arena.LibraryError, match='faults: should be "raise" or "play", not \'Play\''):
        arena.play_many(TABLE, [First] * 3, games=3, faults="Play")


def test_a_mistake_in_another_process_names_its_seat():
    with pytest.raises(arena.IllegalAnswer, match=r"p[123]: answered 'never' to ") as caught:
        arena.play_many(TABLE, [First, First, Wrong], games=3, jobs=2)
    assert caught.value.word == "never"


@pytest.mark.slow
def test_more_games_need_no_more_memory():
    """A hundred times as many, in one call."""
    code = """
import resource
import arena
class First:
    def answer(self, view):
        return view.options[0]
table, makers = arena.table("complots", seats=3, max_turns=4), dict.fromkeys("abc", First)
for games in (1_000, 100_000):
    arena.play_many(table, makers, games, seed=1)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    few, many = map(int, done.stdout.split())
    assert many < 1.1 * few
