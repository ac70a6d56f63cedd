"""Counts how many answers of language models were their own, and adds up the cost of their calls.

An answer is not its own if the first option was played for the model because of a fault.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from arena.config.document import ConfigError
from arena.models.calls import ModelCall
from arena.models.spec import is_model
from arena.referee.record import Record, reading
from arena.tournament.runs.game_list import PlayedGame, played_games, shown_records
from arena.tournament.runs.ledger import CallStore, Spending, calls_file
from arena.tournament.runs.store import Store

FAILURES = ("unread", "illegal", "late")  # faults of a model whose answer was not its own


@dataclass
class Answers:
    """Counts for one model: its games, its answers (`asks`), and answers that were not its own (`failed`).

    `failed` counts by kind of fault.
    """

    games: int = 0
    asks: int = 0
    failed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAILURES, 0))

    @property
    def own(self) -> float | None:
        """The share of its answers that were its own, from 0 to 1; None if it has no answers."""
        return 1 - sum(self.failed.values()) / self.asks if self.asks else None


@dataclass(frozen=True)
class ModelAnswers:
    """The answers of all models in some runs, by name in the standings.

    `failed_games` are the ids of the games in which an answer was not a model's own.
    """

    by_bot: Mapping[str, Answers] = field(default_factory=dict)
    failed_games: frozenset[str] = frozenset()


def model_answers(runs: Iterable[Path], together: bool = False) -> ModelAnswers:
    """The answers of models in these runs; with `together`, all versions of a bot count as one.

    Raises:
        ConfigError: A record is damaged.
    """
    runs = list(runs)
    ids = {game.game.id for game in played_games(runs) if any(map(is_model, game.game.fingerprints))}
    found: dict[str, Answers] = {}
    failed: set[str] = set()
    for played, record in shown_records(runs, ids):
        with reading(f"{played.run}: game {played.game.id}"):
            if _add(played, record, found, together):
                failed.add(played.game.id)
    return ModelAnswers(found, frozenset(failed))


def _add(played: PlayedGame, record: Record, found: dict[str, Answers], together: bool) -> bool:
    """Add a game to `found`, by name of the model. Returns whether an answer was not a model's own."""
    seats = {seat for seat, made in enumerate(record.fixture.fingerprints) if is_model(made)}
    names = record.fixture.bots if together else played.names
    of = {seat: found.setdefault(names[seat], Answers()) for seat in seats}
    for answers in {id(each): each for each in of.values()}.values():
        answers.games += 1
    # After a forfeit the seat is not asked; the rules get its first options until they call the roll.
    forfeits = record.forfeits
    last = {seat: fault.reply for seat, fault in record.last_faults.items() if seat in forfeits}
    for number, reply in enumerate(record.replies):
        for seat in seats.intersection(reply if isinstance(reply, dict) else ()):
            of[seat].asks += number <= last.get(seat, number)
    failures = [fault for fault in record.faults if fault.seat in seats and fault.kind in FAILURES]
    for fault in failures:
        of[fault.seat].failed[fault.kind] += 1
    return bool(failures)


def spending(runs: Iterable[Path]) -> dict[str, Spending]:
    """The cost of each bot's calls, by name, in these runs together; runs without a ledger are skipped."""
    found: dict[str, Spending] = {}
    for path in map(calls_file, runs):
        if path.is_file():
            with CallStore(path, writer=False) as calls:
                for each in calls.by_bot():
                    found[each.bot] = each + found[each.bot] if each.bot in found else each
    return found


CallsOf = Callable[[str], Iterable[ModelCall]]
"""Returns the answered calls of the game with this id, in the order in which they began."""


@contextmanager
def model_calls(run: Path) -> Iterator[CallsOf]:
    """Open the ledger of a run, and yield a `CallsOf`. If there is no ledger, no game has calls."""
    path = calls_file(run)
    if not path.is_file():
        yield lambda game: ()
        return
    with CallStore(path, writer=False) as calls:
        yield lambda game: (call for _, call in calls.calls(game))


def calls_in_order(run: Path) -> Iterator[ModelCall]:
    """The answered calls of a run: its games in fixture order, then games that are not in the results.

    Raises:
        ConfigError: The run has no ledger, or a damaged one.
    """
    path = calls_file(run)
    with Store(run) as store:
        games = [game.id for game in store.summaries()]
    if not path.is_file():
        raise ConfigError(f"{run}: there is no file {path.name} with calls of language models beside it")
    with CallStore(path, writer=False) as calls:
        for game in (*games, *sorted(set(calls.games()) - set(games))):
            yield from sorted((call for _, call in calls.calls(game)), key=_order)


def _order(call: ModelCall) -> tuple[int, int, int, int]:
    return call.at, call.ask, call.id.seat, call.attempt
