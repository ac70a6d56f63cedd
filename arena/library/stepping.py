"""A game step by step: seats to act, legal answers, chance, copies."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.config.document import ConfigError
from arena.library.answers import check_answer
from arena.library.errors import LibraryError, SeatError
from arena.library.tables import Table, check_table, match_from_setup
from arena.library.views import MatchView, information, told_to
from arena.referee.deals import check_seed
from arena.referee.record import Record
from arena.rules import Ask, Choice, Draw, Log, Result
from arena.rules.chance import Chance
from arena.rules.match import Match
from arena.tournament.runs.account import Answered, account, game_of
from arena.tournament.runs.store import Store


class State:
    """A game that waits for the answers of the seats in `to_act`, or for an outcome of chance, or is over.

    With a seed, all chance follows from it. Without a seed, the caller picks each outcome by `draw`.
    """

    def __init__(self, table: Table, match: Match, chance: Chance | None = None):
        self.table, self.match = table, match
        self._chance = chance
        self._since = [0] * match.seats  # by seat: the entries of the log before its last ask
        self._asks = [0] * match.seats  # asks so far, by seat
        self._note_asks(match.log)
        self._settle()

    def __repr__(self) -> str:
        waits = "it is over" if self.over else f"to act: {list(self.to_act)}" if self.to_act else "chance"
        return f"State({self.table.name}, {self.table.seats} seats, {waits})"

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that are asked now, all at once; () if chance is to pick or the game is over."""
        return tuple(self.match.step.choices) if isinstance(self.match.step, Ask) else ()

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What chance may pick now, or (). All are equally probable; two equal cards are two outcomes."""
        return self.match.step.outcomes if isinstance(self.match.step, Draw) else ()

    @property
    def over(self) -> bool:
        return self.match.result is not None

    @property
    def result(self) -> Result | None:
        """At the end the places by seat, and the scores or None; None before the end."""
        return self.match.result

    @property
    def rewards(self) -> list[float]:
        """The reward of each seat: from 1 if it is first to -1 if it is last; 0 before the end."""
        return [0.0] * self.match.seats if self.match.result is None else rewards(self.match.result[0])

    def legal(self, seat: int) -> tuple[str, ...]:
        """The options of a seat that is asked.

        Raises:
            SeatError: It is not asked.
        """
        return self._choice(seat).options

    def view(self, seat: int) -> MatchView:
        """The view that a player on this seat gets now.

        Raises:
            SeatError: It is not asked.
        """
        self._check_seat(seat)
        choice = self._choice(seat)
        return MatchView(self.table, self.match, seat, choice, self._since[seat], self._asks[seat])

    def check(self, seat: int, word: str) -> str:
        """The legal answer that `word` means, which may be an open word.

        Raises:
            SeatError: The seat is not asked.
            IllegalAnswer: The word is not legal.
        """
        self._check_seat(seat)
        return check_answer(self.match, seat, self._choice(seat), word)

    def answer(self, answers: Mapping[int, str]) -> None:
        """Give the answers of all seats in `to_act`; with `priority: fastest` in the order of time.

        After an error the game is unchanged.

        Raises:
            SeatError: Another seat has an answer, or one of these has none.
            IllegalAnswer: An answer is not legal.
            LibraryError: No seat is asked.
        """
        if not isinstance(answers, Mapping):
            raise LibraryError(f"answers: should be a word for each of {self.to_act}, not {answers!r}")
        match, since = self.match, len(self.match.log)
        step = match.step
        choices = step.choices if isinstance(step, Ask) else {}
        if not choices or answers.keys() != choices.keys():
            self._refuse(answers)
        # This test saves `check` on the path of every answer.
        match.reply(
            {
                seat: word if word in choices[seat].options else self.check(seat, word)
                for seat, word in answers.items()
            }
        )
        for seat in choices:
            self._since[seat] = since
            self._asks[seat] += 1
        self._settle()

    def draw(self, outcome: str) -> None:
        """Set the outcome that chance picks.

        Raises:
            LibraryError: The outcome is not among the `outcomes`.
        """
        if outcome not in self.outcomes:
            raise LibraryError(
                f"chance cannot pick {outcome!r} here; possible: {', '.join(self.outcomes) or 'nothing'}"
            )
        self.match.reply(outcome)
        self._settle()

    def news(self, seat: int) -> tuple[str, ...]:
        """The `event` and `secret` lines that a seat was told since the last ask that it has answered."""
        self._check_seat(seat)
        return tuple(told_to(seat, self.match.log[self._since[seat] :]))

    def information(self, seat: int) -> tuple[str, ...]:
        """The news, asks and answers of a seat, as lines, for `worlds`.

        The seat may see more than these lines, such as the pile from which a card was lost.
        """
        self._check_seat(seat)
        lines, step = information(self.table, seat, self.match.log), self.match.step
        pending = [self.view(seat).information[-1]] if isinstance(step, Ask) and seat in step.choices else []
        return (*lines, *pending)

    def copy(self, seed: str | None = None) -> "State":
        """A copy. Later chance is the same as here. With a seed it follows from the seed instead."""
        copied = object.__new__(State)
        copied.table, copied.match = self.table, self.match.copy()
        copied._since, copied._asks = self._since.copy(), self._asks.copy()
        copied._chance = Chance(seed) if seed is not None else self._chance and self._chance.copy()
        if seed is not None:
            copied._settle()
        return copied

    def _refuse(self, answers: Mapping[int, str]) -> None:
        """Raise the error of `answer` for answers of other seats than exactly those asked."""
        for seat in answers:
            self._choice(seat)
        for seat in self.to_act:
            if seat not in answers:
                raise SeatError(
                    seat, f"is asked, too: answers to an ask are given together, here by {self.to_act}"
                )
        why = "the game is over" if self.over else "chance is to pick"
        raise LibraryError(f"no seat is asked now: {why}")

    def _choice(self, seat: int) -> Choice:
        step = self.match.step
        if isinstance(step, Ask) and seat in step.choices:
            return step.choices[seat]
        self._check_seat(seat)
        raise SeatError(seat, "the game is over" if self.over else f"is not asked now; to act: {self.to_act}")

    def _check_seat(self, seat: int) -> None:
        if not isinstance(seat, int) or seat not in range(self.match.seats):
            raise LibraryError(f"no seat {seat!r}; the seats are 0 to {self.match.seats - 1}")

    def _note_asks(self, log: Log) -> None:
        for number, (step, _) in enumerate(log):
            if isinstance(step, Ask):
                for seat in step.choices:
                    self._since[seat] = number
                    self._asks[seat] += 1

    def _settle(self) -> None:
        """Let the game go on until a seat or the caller has to choose."""
        self.match.drive(self._chance.pick if self._chance else None)


def new(table: Table, seed: str | None = None) -> State:
    """A new game. With a seed all chance follows from it, as in `play`; without, `State.draw` decides."""
    check_table(table)
    return State(table, Match(table.game, table.options, table.seats), _chance(seed))


def from_setup(
    table: Table,
    position: Mapping[str, Any],
    seed: str | None = None,
    draws: Mapping[str, Sequence[str]] | None = None,
) -> State:
    """A game from a given position, as in a setup file.

    `draws` are the first outcomes of chance, by purpose. They need a seed, which decides what follows. An
    outcome that is impossible when it is due raises ScriptError.

    Raises:
        ConfigError: The position is impossible.
    """
    check_table(table)
    if not isinstance(position, Mapping):
        raise ConfigError(f"position: should be a mapping, not {position!r}")
    if draws and seed is None:
        raise ConfigError("draws: need a seed, which decides what follows them")
    return State(table, match_from_setup(table, position), None if seed is None else Chance(seed, draws))


def from_record(run: str | Path, game: str, at: int = 0) -> State:
    """A recorded game of a run file, at the ask whose answers are the moment `at`, or at the next ask.

    `game` is the id of the game, or its beginning; `arena replay` shows the numbers of moments. All chance
    from there on follows from the seed of the game; if the run hides it, `State.draw` decides.

    Raises:
        ConfigError: There is no such game, or several, or no seat is asked from that moment on.
    """
    with Store(Path(run)) as store:
        ids = store.ids_from(game)
        if len(ids) > 1:
            raise ConfigError(f"{run}: several games begin with {game}: {', '.join(ids[:3])}, …")
        record = store.record(ids[0] if ids else game)
        seed = "" if store.hides_seeds else record.fixture.seed
    fixture = record.fixture
    table = Table(fixture.game, len(fixture.bots), fixture.options)
    match = _match_at(record, at)
    return State(table, match, _chance_after(seed, fixture.draws, match.log) if seed else None)


def rewards(places: tuple[int, ...]) -> list[float]:
    """The reward of each seat: from 1 if its place is above all others to -1 if it is below all others."""
    others = len(places) - 1
    return [sum((place > own) - (place < own) for place in places) / others for own in places]


def _match_at(record: Record, at: int) -> Match:
    match = record.fixture.match(game_of(record))
    for event in account(record, match):
        if isinstance(event, Answered) and event.moment >= at:
            return match  # it waits for this answer: the rules get it with the next event
    raise ConfigError(f"game {record.fixture.id}: no seat is asked from moment {at} on")


def _chance(seed: str | None) -> Chance | None:
    return None if seed is None else Chance(check_seed(str(seed)))


def _chance_after(seed: str, script: Mapping[str, Sequence[str]], log: Log) -> Chance:
    """Chance as it is after the draws of a log."""
    chance = Chance(seed, script)
    for step, _ in log:
        if isinstance(step, Draw):
            chance.pick(step.purpose, step.outcomes)
    return chance
