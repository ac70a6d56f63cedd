"""Makes the players of language models in a worker process."""

from collections.abc import Callable
from dataclasses import dataclass

from arena.models.calls import Ledger
from arena.models.secret import Secret
from arena.programs.bot import Bot
from arena.programs.play.model import ModelPlayer
from arena.programs.sandbox.client import SupervisorClient
from arena.tournament.engine.asked_ledger import AskedLedger
from arena.tournament.models.access import ModelAccess, hide_memory
from arena.tournament.runs.ledger import RunLedger
from arena.tournament.worker_process import tell_caller


@dataclass(frozen=True)
class ModelSeats:
    """Makes the players of language models, with the keys and the ledger of the run."""

    access: ModelAccess
    ledger_of: Callable[[Bot], Ledger]

    def player(self, bot: Bot, supervisor: SupervisorClient) -> ModelPlayer:
        assert bot.model, "a model has a spec"
        key = self.access.keys.get(bot.model.key_env, Secret())
        return ModelPlayer(bot, supervisor, bot.model, self.ledger_of(bot), key, on_wait=tell_caller)


def open_models(access: ModelAccess) -> ModelSeats:
    """The seats of models in this worker. Opens the ledger; on a cluster, only the coordinator has it.

    The memory of the worker is hidden from other processes, because it has the keys.
    """
    hide_memory()
    if access.is_elsewhere:
        return ModelSeats(access, AskedLedger)
    return ModelSeats(access, RunLedger(access.ledger, access.budget, access.cassette).of)
