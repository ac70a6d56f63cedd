"""The seats of language models in a worker."""

from dataclasses import dataclass

from arena.models.calls import Ledger
from arena.models.cassette import Cassette
from arena.models.secret import Secret
from arena.programs.bot import Bot
from arena.programs.play.model import ModelPlayer
from arena.programs.sandbox.client import SupervisorClient
from arena.tournament.models.access import ModelAccess, hide_memory
from arena.tournament.processes import tell_caller
from arena.tournament.runs.ledger import BotLedger, CallStore


@dataclass(frozen=True)
class ModelSeats:
    """Makes the players of language models, with the keys and the ledger of the run."""

    access: ModelAccess
    calls: CallStore
    cassette: Cassette | None

    def player(self, bot: Bot, supervisor: SupervisorClient) -> ModelPlayer:
        assert bot.model, "a model has a spec"
        key = self.access.keys.get(bot.model.key_env, Secret())
        ledger: Ledger = BotLedger(self.calls, bot.name, bot.model.price, self.cassette)
        return ModelPlayer(bot, supervisor, bot.model, ledger, key, on_wait=tell_caller)


def open_models(access: ModelAccess) -> ModelSeats:
    """Open the ledger in this worker, which has the keys from now on."""
    hide_memory()
    cassette = Cassette(access.cassette) if access.cassette else None
    return ModelSeats(access, CallStore(access.ledger, access.budget), cassette)
