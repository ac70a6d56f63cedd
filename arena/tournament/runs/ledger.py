"""The ledger of a run: a file beside it with every call of a language model. No call is paid twice.

Theory of operation
-------------------
All workers write to one SQLite file; on a cluster the coordinator writes for them
(`arena/tournament/engine/asked_ledger.py`). A call becomes a row before it is sent: *open*, with its highest
possible cost. SQLite takes the locks, so the sum of all rows is an upper limit of the cost so far, over all
workers; a row that would exceed the budget is not added. When the answer arrives, the row gets its real cost,
in a transaction that survives a power failure, before the game goes on.

If a worker, the coordinator or the machine is killed, a game is played again; it makes the same calls and
finds their answers here. A row that is still open was cut off: the server may have counted it, so it keeps
its highest cost. It is *lost*, and the call is made again.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

from arena.config.document import ConfigError
from arena.config.sqlite import FileLayout, SqliteFile
from arena.models.calls import BudgetSpent, CallId, Cassette, ModelCall
from arena.models.spec import Price
from arena.programs.bot import Bot

_SCHEMA = """
CREATE TABLE call (number INTEGER PRIMARY KEY, game TEXT NOT NULL, seat INTEGER NOT NULL,
    key TEXT NOT NULL, n INTEGER NOT NULL, state TEXT NOT NULL, bot TEXT NOT NULL, cost REAL NOT NULL,
    tokens_in INTEGER NOT NULL, cached INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
    reasoning INTEGER NOT NULL, seconds REAL NOT NULL);
CREATE TABLE content (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE INDEX by_game ON call (game, seat, key, n);
"""
_MARK = 0x41524E43  # "ARNC"
_LAYOUT = FileLayout(
    _MARK, 1, _SCHEMA, "the calls of a run", "ledger of calls", advice="move it away", is_sent=True
)
_MAX_TEXT = 2**24  # bytes
_OPEN, _ANSWERED, _LOST = "open", "answered", "lost"


def calls_file(run: Path) -> Path:
    """The path of the ledger of a run file; it may not exist."""
    return Path(f"{run}.calls")


@dataclass(frozen=True)
class Spending:
    """The cost of the calls of a bot, or of all bots if `bot` is "".

    `calls` is the number of answered calls, `lost` of those cut off; a lost call adds its highest possible
    cost to `cost`. The cost is in the currency of the prices. `seconds` is the time from the requests to the
    ends of the replies.
    """

    bot: str = ""
    calls: int = 0
    lost: int = 0
    tokens_in: int = 0
    cached: int = 0
    tokens_out: int = 0
    reasoning: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def __add__(self, other: "Spending") -> "Spending":
        names = [each.name for each in fields(self)[1:]]
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})


class CallStore(AbstractContextManager["CallStore"]):
    """The ledger of a run, as a file.

    A `writer` creates the file if it does not exist. `budget` limits the cost of all calls together; None: no
    limit.

    Raises:
        ConfigError: The file is damaged, is no ledger, or cannot be written.
    """

    def __init__(self, path: Path, budget: float | None = None, writer: bool = True):
        self.path, self._budget = path, budget
        self._file = SqliteFile(path, _LAYOUT, writer)
        self._file.limit_lengths(_MAX_TEXT)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def begin_run(self) -> None:
        """Set open calls to lost, before the first worker plays: a kill cut them off."""
        with self._writing():
            self._run(f"UPDATE call SET state = '{_LOST}' WHERE state = '{_OPEN}'")

    def find(self, id: CallId) -> ModelCall | None:
        """The answered call with this id, or None."""
        sql = f"SELECT text FROM call JOIN content USING (number) WHERE {_IS} AND state = '{_ANSWERED}'"
        row = self._run(sql, id).fetchone()
        return self._read(row[0]) if row else None

    def reserve(self, id: CallId, bot: str, cost: float) -> int:
        """Add an open call that may cost `cost`, and return its number.

        An open call of the same game and seat was cut off, so it is set to lost first.

        Raises:
            BudgetSpent: Less than `cost` is left.
        """
        with self._writing():
            # A game is played by one worker at a time, and a seat makes one call at a time.
            was_cut_off = f"game = ? AND seat = ? AND state = '{_OPEN}'"
            self._run(f"UPDATE call SET state = '{_LOST}' WHERE {was_cut_off}", id[:2])
            if self._budget is not None and (spent := self.total().cost) + cost > self._budget:
                left = f"{spent:.4g} of {self._budget:g} is spent or reserved"
                raise BudgetSpent(f"budget: {left}, and the next call may cost {cost:.2g}")
            values = (*id, _OPEN, bot, cost, 0, 0, 0, 0, 0.0)
            added = self._run(f"INSERT INTO call VALUES (NULL{', ?' * len(values)})", values)
            assert added.lastrowid is not None
            return added.lastrowid

    def store(self, number: int, call: ModelCall, price: Price | None) -> None:
        """Store the answer of the open call with this number, and its real cost (0 without a `price`).

        If the server did not count the tokens, the call keeps the cost that was reserved for it.
        """
        usage = call.reply.usage
        with self._writing():
            answered = f"state = '{_ANSWERED}', seconds = ?"
            self._run(f"UPDATE call SET {answered} WHERE number = ?", (call.reply.latency_s, number))
            if usage:
                cost = price.cost(usage.tokens_in, usage.tokens_out, usage.cached) if price else 0.0
                counts = "cost = ?, tokens_in = ?, cached = ?, tokens_out = ?, reasoning = ?"
                values = (cost, usage.tokens_in, usage.cached, usage.tokens_out, usage.reasoning, number)
                self._run(f"UPDATE call SET {counts} WHERE number = ?", values)
            self._run("INSERT OR REPLACE INTO content VALUES (?, ?)", (number, call.line))

    def release(self, number: int, billed: bool) -> None:
        """Note that the call with this number has no answer.

        If it may be `billed`, it is lost, and keeps the cost that was reserved for it; else it is deleted.
        """
        with self._writing():
            if billed:
                self._run(f"UPDATE call SET state = '{_LOST}' WHERE number = ?", (number,))
            else:
                self._run("DELETE FROM call WHERE number = ?", (number,))

    def total(self) -> Spending:
        """The cost of all calls so far; open and lost ones count with their highest possible cost."""
        return self._spending("SELECT ''", "")[0]

    def spent(self) -> Spending:
        """The cost of the calls that have ended, answered or lost."""
        return self._spending("SELECT ''", f"WHERE state != '{_OPEN}'")[0]

    def by_bot(self) -> list[Spending]:
        """`total` for each bot, sorted by name."""
        return self._spending("SELECT bot", "GROUP BY bot ORDER BY bot")

    def calls(self, game: str | None = None) -> Iterator[tuple[str, ModelCall]]:
        """Pairs of a bot's name and an answered call, in the order in which the calls began.

        `game` is the id of a game; None: all games.
        """
        wanted = "" if game is None else "AND game = ?"
        sql = f"SELECT bot, text FROM call JOIN content USING (number) WHERE state = '{_ANSWERED}' {wanted}"
        rows = self._run(f"{sql} ORDER BY number", () if game is None else (game,))
        with self._errors():
            for bot, text in rows:
                yield str(bot), self._read(text)

    def games(self) -> list[str]:
        """The ids of the games with answered calls."""
        return [game for (game,) in self._run(f"SELECT DISTINCT game FROM call WHERE state = '{_ANSWERED}'")]

    def _spending(self, select: str, group: str) -> list[Spending]:
        sums = ", ".join(f"total({name})" for name in ("tokens_in", "cached", "tokens_out", "reasoning"))
        states = f"total(state = '{_ANSWERED}'), total(state = '{_LOST}')"
        rows = self._run(f"{select}, {states}, {sums}, total(seconds), total(cost) FROM call {group}")
        return [Spending(str(bot), *map(int, counts[:6]), *counts[6:]) for bot, *counts in rows]

    def _read(self, text: object) -> ModelCall:
        try:
            return ModelCall.from_line(str(text))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ConfigError(f"{self.path}: a damaged call: {error!r}") from None

    def _run(self, sql: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        with self._errors():
            return self._file.run(sql, values)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write in one transaction, which keeps other processes from writing."""
        with self._errors(), self._file.transaction():
            yield

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._file.error(error) from None


_IS = "game = ? AND seat = ? AND key = ? AND n = ?"


@dataclass(frozen=True)
class BotLedger:
    """The ledger as the player of one bot uses it; `arena.models.calls.Ledger` explains its methods."""

    calls: CallStore
    bot: str
    price: Price | None
    cassette: Cassette | None = None  # the source of all answers

    def find(self, call: CallId) -> ModelCall | None:
        found = self.calls.find(call)
        if found is None and self.cassette:
            found = self.cassette.find(call)
            self.store(self.reserve(call, 0), found)
        return found

    def reserve(self, call: CallId, cost: float) -> int:
        return self.calls.reserve(call, self.bot, cost)

    def store(self, reservation: int, call: ModelCall) -> None:
        self.calls.store(reservation, call, self.price)

    def release(self, reservation: int, billed: bool) -> None:
        self.calls.release(reservation, billed)


class RunLedger:
    """The ledger of a run, for the players of its bots.

    With a `cassette`, no server is asked: answers that the ledger lacks are copied from this file.
    """

    def __init__(self, path: Path, budget: float | None, cassette: Path | None = None):
        self._cassette = Cassette(cassette) if cassette else None
        self._calls = CallStore(path, budget)

    def of(self, bot: Bot) -> BotLedger:
        """The ledger for the player of one bot, a model."""
        assert bot.model, "a model has a spec"
        return BotLedger(self._calls, bot.name, bot.model.price, self._cassette)

    def close(self) -> None:
        self._calls.close()
