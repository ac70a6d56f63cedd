"""The ledger of a run for workers on other machines. They cannot open its file, so they ask the coordinator.

Theory of operation
-------------------
Each method of the ledger that a player calls is a question to the coordinator, and the game waits for the
answer. So the ledger has the same guarantees as on one machine: a reservation counts for all workers, and an
answer is in the file of the coordinator before the game goes on. Coordinator and worker may be killed at any
moment. A process that waits for an answer ends with its Dask worker, or when its hosted run is closed.

Questions need no network of their own. The process that plays the game asks the Dask worker by its pipe
(`worker_process.ask`). There the task that plays the batch ends, with the question as its result. The
coordinator answers with the next task (`go_on` in `dask_worker`), which continues the same game. So a lost
machine or connection is handled as for any task.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from arena.models.calls import BudgetSpent, CallId, CassetteMiss, Ledger, ModelCall
from arena.programs.bot import Bot
from arena.tournament.worker_process import ask


class LedgerQuestion(NamedTuple):
    """A method call on the ledger of one bot, with the names of the bot and the method."""

    bot: str
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class LedgerAnswer:
    """The value that the method returned, or the `error` that it raised; None if it raised none."""

    value: Any = None
    error: Exception | None = None


class AskedLedger:
    """The ledger as the player of one bot uses it (`arena.models.calls.Ledger`): it asks the coordinator."""

    def __init__(self, bot: Bot):
        self._bot = bot.name

    def find(self, call: CallId) -> ModelCall | None:
        found: ModelCall | None = self._ask("find", call)
        return found

    def reserve(self, call: CallId, cost: float) -> int:
        number: int = self._ask("reserve", call, cost)
        return number

    def store(self, reservation: int, call: ModelCall) -> None:
        self._ask("store", reservation, call)

    def release(self, reservation: int, billed: bool) -> None:
        self._ask("release", reservation, billed)

    def _ask(self, method: str, *arguments: Any) -> Any:
        answer: LedgerAnswer = ask(LedgerQuestion(self._bot, method, arguments))
        if answer.error:
            raise answer.error
        return answer.value


def answer_question(question: LedgerQuestion, ledger: Ledger) -> LedgerAnswer:
    """Call the method of a question on the ledger of its bot, and return the result or error for the game.

    Raises:
        ConfigError: The file of the ledger is damaged, or cannot be written.
    """
    try:
        return LedgerAnswer(getattr(ledger, question.method)(*question.arguments))
    except (BudgetSpent, CassetteMiss) as error:  # It ends the game that asked.
        return LedgerAnswer(error=error)
