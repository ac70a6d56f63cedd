"""The house bots of the local variant: they know the protocol, and the same seed makes the same game."""

import pytest
from programs import play_leisurely
from samples import CHECKOUT

from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.referee.record import Record

BOTS = {
    "honest": "python/local_honest.py",
    "bluffer": "python/local_bluffer.py",
    "reader": "python/searching/local_reader.py",
    "random": "python/random_bot.py",
}
OPTIONS = [
    {},
    {"local_ambassador": "literal_two"},
    {"local_ambassador": "self_counts", "must_coup_at": "none"},
]
"""The options change what the bots are asked, so each of them is played with."""


@pytest.fixture(scope="module")
def table():
    folder = CHECKOUT / "bots"
    with ProgramTable({name: read_bot(folder / path, name=name) for name, path in BOTS.items()}) as table:
        yield table


def play(table: ProgramTable, *bots: str, seed: str, game: str = "local", **options: object) -> Record:
    return play_leisurely(table, bots, game, seed, options)


def fill(bot: str, seats: int, first: int) -> list[str]:
    """The bot and as many others as the table needs, beginning with the `first` of them."""
    others = [name for name in BOTS if name != bot]
    return [bot, *(others[(first + seat) % len(others)] for seat in range(seats - 1))]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bot", BOTS)
def test_plays_without_a_fault(table, bot, seats):
    for number in range(6):
        bots = fill(bot, seats, first=number)
        bots = bots[number % seats :] + bots[: number % seats]
        record = play(table, *bots, seed=f"game {number}", **OPTIONS[number % len(OPTIONS)])
        assert record.faults == ()
        assert 1 in record.result[0]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bot", BOTS)
def test_the_same_seed_gives_the_same_game(table, bot, seats):
    bots = fill(bot, seats, first=1)
    record = play(table, *bots, seed="again")
    play(table, *bots, seed="something else")  # nothing is remembered from it
    again = play(table, *bots, seed="again")
    assert (again.digest, again.replies) == (record.digest, record.replies)


@pytest.mark.parametrize("bot", BOTS)
def test_answers_in_a_game_that_it_does_not_know(table, bot):
    assert play(table, bot, "random", seed="classic", game="complots").faults == ()


@pytest.mark.parametrize("bot", ["honest", "bluffer", "reader"])
def test_beats_random(table, bot):
    places = [play(table, bot, "random", seed=str(number)).result[0] for number in range(10)]
    assert sum(place[0] == 1 for place in places) >= 7
