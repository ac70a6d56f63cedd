"""Complots, local variant: 2 to 4 players with five known cards each, placed face down to claim.

The turn is that of the classic game (`complots.turn`). The rulings (L1-L30) are in `local.md` beside this
file, with the sections of the variant's rule.
"""

from collections.abc import Iterable
from dataclasses import replace

from arena.games.complots.actions import ASSASSIN_COST
from arena.games.complots.coins import pay
from arena.games.complots.figures import DECISIONS
from arena.games.complots.losing import eliminate_if_out, lose_card
from arena.games.complots.options import shared_options
from arena.games.complots.position import living
from arena.games.complots.turn import play_turns
from arena.games.complots.variant import Cause, Variant
from arena.games.local import cards, tours
from arena.games.local.figures import FIGURES, observe
from arena.games.local.position import Position, view
from arena.games.local.prose import PROSE
from arena.games.local.reasons import why_not
from arena.games.local.setup import initial_position, position_from_setup
from arena.games.shared import choose_starter
from arena.rules import Game, Option, Options, Result


async def _rules(p: Position, options: Options) -> Result:
    """Play one game; no cards are dealt, as all players have the same five (L1). Returns places."""
    if not p.begun:
        p.actor = p.marker = await choose_starter(p.seats, options)  # L3: the marker stays there
    for seat in living(p):
        await tours.tell_hand(p, seat)
    return await play_turns(p, _Local())


class _Local(Variant[Position]):
    """The local variant: a claim is a word and a card placed face down, which alone can prove it."""

    def claims(self, p: Position, actor: int, usual: list[str]) -> list[str]:
        """The claims that are legal: each with each card of the hand; none with an empty hand (L7)."""
        can_take_back = ["ambassador"] if p.discards[actor] else []  # L22: there must be a card to take
        return [f"{word}@{card}" for word in [*usual, *can_take_back] for card in p.hands[actor]]

    def blocks(self, p: Position, seat: int, cards: Iterable[str]) -> tuple[str, ...]:
        """The blocks that are legal: each with each card of the hand; none with an empty hand (L7, L30)."""
        return tuple(f"block:{card}@{own}" for card in cards if card != "inquisitor" for own in p.hands[seat])

    def announce(self, p: Position, seat: int, word: str) -> str:
        """Place the card behind the `@` face down. Returns the word before it, which is public."""
        public, _, card = word.partition("@")
        if card:
            cards.place(p, seat, card)
        return public

    def can_prove(self, p: Position, claimant: int, card: str) -> bool:
        return p.placed_by(claimant).card == card  # L8: only the placed card counts

    async def prove(self, p: Position, claimant: int, card: str) -> None:
        p.placed_by(claimant).proven = True  # L10: it stays on the table, and nothing replaces it

    async def lose_bluff(self, p: Position, claimant: int) -> None:
        """Move the placed card to the cemetery, face up (L11, L17)."""
        await cards.bury(p, claimant, p.placed_by(claimant).card, "bluff", face_up=True)

    async def lose_challenge(self, p: Position, challenger: int, claimant: int, card: str) -> bool:
        """Let the challenger lose a card; with `assassin_special` it takes the place of the target (L12)."""
        if card != "assassin" or not p.options["assassin_special"]:
            await lose_card(p, self, challenger, "challenge")
            return True
        await pay(p, claimant, ASSASSIN_COST)
        await cards.lose(p, challenger, "challenge", face_up=True)
        await eliminate_if_out(p, challenger)
        return False

    async def lose(self, p: Position, seat: int, cause: Cause) -> None:
        await cards.lose(p, seat, cause, face_up=False)

    async def use_power(self, p: Position, actor: int, card: str, target: int | None) -> None:
        await cards.take_back(p, actor)

    async def surrender(self, p: Position, seat: int) -> None:
        await cards.surrender(p, seat)

    async def end_turn(self, p: Position) -> None:
        await tours.end_turn(p)


_SHARED = shared_options(4)

GAME: Game[Position] = Game(
    name="local",
    version=2,
    summary="Complots with five known cards each, placed face down to claim.",
    seats=range(2, 5),
    options={
        **_SHARED,
        "must_coup_at": replace(_SHARED["must_coup_at"], values=("none",)),  # L5
        "tours_per_round": Option(4, "tours of a manche, after which the discards come back (L4)", minimum=1),
        "assassin_special": Option(
            True, "the challenger of a true assassin takes the place of its target (L12)", (True, False)
        ),
        "local_ambassador": Option(
            "swap",
            "cards returned: as many as taken, two where there are, or one beside the ambassador (L22)",
            ("swap", "literal_two", "self_counts"),
        ),
    },
    initial_position=initial_position,
    position_from_setup=position_from_setup,
    rules=_rules,
    view=view,
    figures=FIGURES,
    decisions=DECISIONS,
    observe=observe,
    why_not=why_not,
    prose=PROSE,
    reveals=frozenset({"proven", "refuted", "lose", "exchange"}),
)
