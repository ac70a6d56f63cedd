"""The settings of a rating: the keys below `rating:` in a plan. Pydantic checks them when a file is read.

The errors of some formats are larger than the games show, which their `Widening` says. This module imports no
numpy, because plans are read with it.
"""

from dataclasses import asdict, dataclass
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from arena.rating.methods import METHODS

if TYPE_CHECKING:  # This imports numpy, which is not needed to read a plan.
    from arena.rating.arrays import Floats, Ints

__all__ = ["Anchor", "EloModel", "RatingSettings", "Widening"]

_PRIOR = 0.5  # wins, and losses, of each bot against the virtual opponent
_MAX_PLACES = 10  # places with points
_KEYS = ConfigDict(extra="forbid", use_attribute_docstrings=True)

EloModel = Literal["logistic", "normalized"]
"""The scales of a difference between two bots in a sequential test."""

# Beyond a million, differences of Elo get lost in rounding.
Elo = Annotated[float, Field(strict=True, ge=-1e6, le=1e6, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=0, le=1e6)]


@dataclass(frozen=True)
class Anchor:
    """A bot whose Elo is given. The Elo of all others is relative to it."""

    __pydantic_config__ = _KEYS

    bot: Annotated[str, Field(strict=True)]
    """Its name."""
    elo: Elo
    """Its Elo."""


Anchors = Annotated[
    Annotated[Anchor, Tag("one")] | Annotated[tuple[Anchor, ...], Tag("several")],
    Discriminator(lambda given: "several" if isinstance(given, list | tuple) else "one"),
]


@dataclass(frozen=True, kw_only=True)
class RatingSettings:
    """How ratings are computed."""

    __pydantic_config__ = _KEYS

    method: Literal[tuple(METHODS)] = "pairs"  # type: ignore[valid-type]  # known at run time
    """What counts: all pairs of bots, the order of the places, or, for contests of wins, the winner alone."""
    prior: Weight = _PRIOR
    """Wins and losses against a virtual opponent that every bot starts with; 0 for none."""
    average: Elo = 1500
    """Mean Elo, if there is no anchor."""
    anchor: Anchors | None = None
    """The bot whose Elo is fixed, or a list of several: the mean of their Elo is that of the values given."""
    seats: Literal["report", "fit"] = "report"
    """Whether the effect of each seat is only reported, or also taken into account in the Elo."""
    confidence: Annotated[float, Field(strict=True, gt=0, lt=1)] = 0.95
    """The confidence level of the intervals."""
    forfeits: Literal["count", "exclude"] = "count"
    """Whether games with a forfeit count."""
    ranges: Literal["simultaneous", "pairwise"] = "simultaneous"
    """Whether all ranges of ranks hold together, or each comparison holds by itself."""
    points: Annotated[tuple[Weight, ...], Field(max_length=_MAX_PLACES)] = ()
    """Points for places 1, 2, …, such as [10, 6, 3, 1]; by default the share of opponents beaten."""
    order: Literal["elo", "points"] = "elo"
    """What the standings are ranked by."""

    def __post_init__(self) -> None:
        names = [each.bot for each in self.anchor] if isinstance(self.anchor, tuple) else []
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"anchor: names {twice[0]} twice")

    @property
    def anchors(self) -> dict[str, float]:
        """The given Elo of each anchor, by name."""
        anchors = self.anchor if isinstance(self.anchor, tuple) else filter(None, [self.anchor])
        return {each.bot: each.elo for each in anchors}

    def as_json(self) -> dict[str, Any]:
        """The keys as JSON values."""
        values = asdict(self)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    def prior_for(self, strong: "Ints") -> float:
        """The prior to use for a pool whose K bots are in these strong components (K,), as in `Ratings`.

        With several components no finite estimate exists without a prior, so the default replaces 0.
        """
        return self.prior or (0 if (strong == strong[0]).all() else _PRIOR)


@dataclass(frozen=True)
class Widening:
    """The part that a format adds to the variance of each Elo, as a multiple of it.

    At tables of two seats it adds the `excess` until a bot has played `groups` seed groups. After that bots
    meet more widely, and the excess falls with this `power` of their number. At larger tables each game
    compares a bot with several others, and only the share `at_larger` of the excess is added.
    """

    # If results decide which bots meet, lucky bots meet lucky ones, and their results seem to confirm each
    # other. The sandwich estimator treats the pairing as fixed, so its errors are too small. No formula gives
    # the factor. It was simulated with the pairing of each format, for equal bots, which need the largest
    # (`benchmarks/formats.py`; `evidence.md`, "Formats").

    excess: float = 0.0
    groups: float = inf
    power: int = 1
    at_larger: float = 0.0

    def factor(self, groups: "Ints", seats: int) -> "Floats":
        """The factor of the error of each bot (K,); `seats` is the size of the smallest table."""
        left = (self.groups / groups.clip(1)).clip(0, 1) ** self.power
        factor: Floats = (1 + self.excess * left * (1 if seats == 2 else self.at_larger)) ** 0.5
        return factor
