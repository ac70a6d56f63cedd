"""The settings of a rating: the keys below `rating:` in a plan. Pydantic checks them where a file is read."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from arena.rating.methods import METHODS

if TYPE_CHECKING:  # imports numpy, which the reader of a plan does not need
    from arena.rating.arrays import Ints

_PRIOR = 0.5  # wins, and losses, of each bot against the virtual opponent
_MOST_PLACES = 10  # that a contest gives points for
_KEYS = ConfigDict(extra="forbid", use_attribute_docstrings=True)

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
    points: Annotated[tuple[Weight, ...], Field(max_length=_MOST_PLACES)] = ()
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
