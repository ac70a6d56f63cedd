"""A ledger of calls of models in memory."""

from dataclasses import dataclass, field

from arena.models.calls import CallId, ModelCall


@dataclass
class MemoryLedger:
    """Keeps the calls of one process, without a budget."""

    calls: dict[CallId, ModelCall] = field(default_factory=dict)
    reserved: dict[int, float] = field(default_factory=dict)
    numbered: int = 0

    def find(self, call: CallId) -> ModelCall | None:
        return self.calls.get(call)

    def reserve(self, call: CallId, cost: float) -> int:
        self.numbered += 1
        self.reserved[self.numbered] = cost
        return self.numbered

    def store(self, reservation: int, call: ModelCall) -> None:
        del self.reserved[reservation]
        self.calls[call.id] = call

    def release(self, reservation: int, billed: bool) -> None:
        del self.reserved[reservation]
