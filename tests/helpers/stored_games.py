"""Records to store: a small one with a fault and a draw, and those of random games."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from arena.games import GAMES
from arena.referee.fixture import Fixture
from arena.referee.game_check.random_games import line_ups, play
from arena.referee.record import Record
from arena.referee.seat import Fault
from arena.rules import Game
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack

GAME = GAMES["complots"]


def fixture(number: int = 0, **more) -> Fixture:
    return Fixture("complots", 1, GAME.defaults(), ("a", "b"), ("fa", "fb"), "run", f"a b {number}", **more)


def record(number: int = 0, **more) -> Record:
    fault = Fault(1, "illegal", 4, "answered '\\x1b[31m' to action; played income")
    replies = ("p1", "duchess", {0: "captain", 1: "duchess"}, (1,), {0: "income"})
    made = Record(fixture(number), replies, (fault,), ((1, 2), None), "digest", {"seconds": 0.5})
    return replace(made, **more)


def random_run(
    path: Path,
    game: Game = GAME,
    games: int = 4,
    forfeits: float = 0.02,
    changes: Mapping[str, object] = MappingProxyType({}),
    **about: object,
) -> None:
    """Write a run of random games, in which each answer took as many milliseconds as it has a number.

    `changes` are options of the game.
    """
    with Store(path, writer=True) as store:
        for number, (options, seats, seed) in enumerate(line_ups(game, changes, games)):
            match = play(game, options, seats, seed, forfeits)
            names = tuple(f"bot{(number + seat) % 9}" for seat in range(seats))
            asked = [
                sum(isinstance(reply, dict) and seat in reply for reply in match.replies)
                for seat in range(seats)
            ]
            out = [seat for reply in match.replies if isinstance(reply, tuple) for seat in reply]
            times = [
                [1000 * ask for ask in range(1 + (0 if seat in out else asked[seat]))]
                for seat in range(seats)
            ]
            faults = tuple(Fault(seat, "crashed", 0, "exit status 1") for seat in out)
            fixture = Fixture(
                game.name,
                game.version,
                options,
                names,
                names,
                "run",
                f"group {number}",
                seed=seed,
                bot_seeds=(number,) * seats,
            )
            sent = [[1, 0, 1 + len(each), []] for each in times]
            trace = {"seconds": 0.5, "microseconds": times, "sent": sent}
            made = Record(fixture, tuple(match.replies), faults, match.result, match.digest(), trace)
            store.append([pack(made)])
        store.write_facts(replace(store.facts, **about))
