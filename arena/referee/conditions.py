"""The conditions under which all games of a plan are played: times, limits of a bot, and the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from arena.config.values import KEYS, MB, Checked, Count, Size, Switch, Time

# With eight times as many threads it stays below 2**22, the most that `pids.max` of a control group takes.
Processes = Annotated[int, Checked(strict=True, ge=1, le=100_000)]
_MOVE = Time("1ms")
MoveTime = Annotated[float, _MOVE]
CpuTime = Annotated[float, Time("1s")]
MemorySize = Annotated[int, Size("16M")]  # an interpreter does not start with less memory
FileSize = Annotated[int, Size("1M")]

TIMED, UNTIMED = "timed", "untimed"  # the fingerprints of a person, with the clock of the bots and without
REMOTE = "remote"  # the fingerprint of a bot that plays from its own machine: the arena never sees its files
MODEL = "model-"  # begins the fingerprint of a language model
REMEMBERING = frozenset((TIMED, UNTIMED, REMOTE))  # players that may know in one game what another has dealt
_MODEL_MOVE_S = 180.0
PER_GROUP, PER_GAME = "per-group", "per-game"  # values of `Conditions.deals`


@dataclass(frozen=True)
class TimeControl:
    """The times that bots get, such as 500ms, 1s or 2m."""

    __pydantic_config__ = KEYS

    # The values are in seconds here.
    move: MoveTime = 1.0
    """Time for an answer; 1s by default."""
    bank: Annotated[float, Time("0s")] = 0.0
    """Time for a whole game, taken when an answer needs more than `move`; 0 by default."""
    start: MoveTime = 10.0
    """Time for a process to start and say ready; 10s by default."""
    game: MoveTime | None = None
    """Time for all answers of a game together; no limit by default."""
    model: MoveTime | None = None
    """Time for an answer of a language model, in place of the others; 3m by default."""

    @classmethod
    def of(cls, move: str) -> "TimeControl":
        """The times with this time for an answer, such as `500ms`.

        Raises:
            ValueError: The value is not a time, or out of bounds.
        """
        return cls(move=_MOVE.read(move))

    def as_json(self) -> dict[str, float]:
        return {name: value for name, value in vars(self).items() if value is not None}

    @property
    def of_models(self) -> "TimeControl":
        """The times of a language model: it is far slower than a program, and needs no bank."""
        return TimeControl(_MODEL_MOVE_S if self.model is None else self.model, start=self.start)


@dataclass(frozen=True)
class Limits:
    """What one bot may use, with all its processes; sizes such as 512K, 256M or 1G."""

    __pydantic_config__ = KEYS

    # The values are in bytes and seconds here. Without a control group, memory is counted as PSS.
    memory: MemorySize = 256 * MB
    """Memory; 256M by default."""
    processes: Processes = 32
    """Processes at a time, and eight times as many threads; 32 by default."""
    cpu: CpuTime = 1200.0
    """CPU time of each process while it lives; 20m by default."""
    disk: FileSize = 16 * MB
    """Files in $TMPDIR; 16M by default."""
    output: FileSize = 16 * MB
    """What may be written to stdout in a game; 16M by default."""
    build: CpuTime = 300.0
    """Time for the build of a bot, before the first game; 5m by default."""

    def as_json(self) -> dict[str, Any]:
        """The limits that hold in a game: all except the build limit."""
        return {name: value for name, value in vars(self).items() if name != "build"}


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What decides a game besides its rules, its options and its bots."""

    # All fixtures of a plan share them. Each field is a key of a plan. A new field is a number, a text or a
    # switch, and its default never changes, because records leave out a field that has its default.

    __pydantic_config__ = KEYS

    clock: TimeControl = TimeControl()
    """How long a bot may think."""
    strikes: Count = 3
    """Faults that cost the game."""
    names: Switch = False
    """Whether bots are told the names of their opponents."""
    ponder: Switch = True
    """Whether bots may think while it is not their turn."""
    limits: Limits = Limits()
    """What one bot may use."""
    deals: Literal["per-group", "per-game"] = "per-group"
    """Whether the games of a seed group have the same deal, or each game has a deal of its own: for bots of
    strangers, which could tell their later processes a deal."""

    @property
    def has_equal_deals(self) -> bool:
        """Whether the games of a seed group have the same deal, unless a person or a remote bot plays."""
        return self.deals != PER_GAME

    def as_json(self) -> dict[str, Any]:
        """The conditions as values of JSON, with the clock as `control`."""
        # The ids of fixtures are hashes of these values. A condition that was added later is left out while
        # it has its default, so the ids of earlier games do not change.
        values: dict[str, Any] = {"control": self.clock.as_json()}
        for each in fields(self)[1:]:
            value = getattr(self, each.name)
            if each.name in ORIGINAL or value != each.default:
                values[each.name] = value
        return values | {"limits": self.limits.as_json()}


DEFAULTS = {each.name: each.default for each in fields(Conditions)}
ORIGINAL = ("clock", "strikes", "names", "ponder", "limits")  # every record has these conditions


def deals_in_words(plan: Mapping[str, Any]) -> str:
    """Whether seed groups or games have their own deals under a plan (JSON values), in words for people."""
    deals = str(plan.get("deals", DEFAULTS["deals"]))
    return {PER_GROUP: "one for each seed group", PER_GAME: "one for each game"}.get(deals, deals)


def conditions_from_json(values: Mapping[str, Any]) -> Conditions:
    """The conditions that `Conditions.as_json` turned into these values, with the default `build` limit.

    Other keys are ignored.
    """
    read = {name: values[name] for name in DEFAULTS.keys() & values.keys()}
    clock, limits = TimeControl(**values["control"]), Limits(**values["limits"])
    return Conditions(**read | {"clock": clock, "limits": limits})
