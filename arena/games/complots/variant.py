"""The options of both variants of Complots, and the interface to their differences: claims and losses."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, Literal, TypeVar

from arena.games.complots.position import COSTS, TurnPosition
from arena.games.shared import starter_option
from arena.rules import Option

P = TypeVar("P", bound=TurnPosition)

Cause = Literal["coup", "assassin", "bluff", "challenge", "forfeit"]
"""Why a card is lost: the two attacks, a bluff that was refuted, a challenge of a true claim, a forfeit."""


class Variant(ABC, Generic[P]):
    """A variant of Complots. It has no state: all state is in the position `p`."""

    @abstractmethod
    def claims(self, p: P, actor: int, usual: list[str]) -> Iterable[str]:
        """The options to claim a character as an action; `usual` are those without the fifth character."""

    @abstractmethod
    def blocks(self, p: P, seat: int, cards: Iterable[str]) -> tuple[str, ...]:
        """The options by which a seat may claim one of these characters to block."""

    @abstractmethod
    def announce(self, p: P, seat: int, word: str) -> str:
        """Make the claim or action of this word. Returns the public part of the word."""

    @abstractmethod
    def can_prove(self, p: P, claimant: int, card: str) -> bool:
        """Whether the claimant has the card to show."""

    @abstractmethod
    async def prove(self, p: P, claimant: int, card: str) -> None:
        """Show the card that proves a claim, and move it as the variant requires."""

    @abstractmethod
    async def lose_bluff(self, p: P, claimant: int) -> None:
        """Let a claimant lose a card, because it cannot prove its claim; it is not eliminated yet."""

    @abstractmethod
    async def lose_challenge(self, p: P, challenger: int, claimant: int, card: str) -> bool:
        """Let a challenger lose a card, because the claim of `card` was true. Without another card it is out.

        Returns whether the claimed action or block goes on.

        Raises:
            LastOneLeft: The game is over.
        """

    @abstractmethod
    async def lose(self, p: P, seat: int, cause: Cause) -> None:
        """Let a seat lose a card of its choice; it is not eliminated yet, even if that was its last one."""

    @abstractmethod
    async def use_power(self, p: P, actor: int, card: str, target: int | None) -> None:
        """Carry out the effect of the fifth character, `card`; `target` None: on the actor's own cards."""

    @abstractmethod
    async def surrender(self, p: P, seat: int) -> None:
        """Turn up all cards of a seat that has forfeited."""

    @abstractmethod
    async def end_turn(self, p: P) -> None:
        """Clear the table, and set `p.actor` to the next seat."""


def shared_options(seats: int) -> dict[str, Option]:
    """The options of both variants, for at most this number of seats."""
    return {
        "starter": starter_option(seats, "C6, C7"),
        "priority": Option(
            "clockwise",
            "which of several challenges or blocks counts (C30)",
            ("clockwise", "random", "fastest"),
        ),
        "block_after_own_failed_challenge": Option(
            True, "the target may block after challenging in vain (C36)", (True, False)
        ),
        "block_attempts": Option(
            "one", "blocks of one aid that may be tried: one, or one by each opponent (C33)", ("one", "each")
        ),
        "captain_min_target": Option(1, "coins a captain's target must have (C20)", (0, 1)),
        "steal_from_dead": Option(
            False, "a captain still robs a target that went out meanwhile (C45)", (True, False)
        ),
        "must_coup_at": Option(10, "coins that force the Assassinat (C15)", minimum=COSTS["coup"]),
        "treasury": Option(54, "coins in the game (C4, C5)", ("unlimited",), minimum=16),
        "max_turns": Option(300, "turns after which the survivors share the win (C50)", minimum=1),
        "scoring": Option(
            "ranking",
            "places by order of elimination, or winner: all losers tie (C51)",
            ("ranking", "winner"),
        ),
    }
