"""Complots, classic: 2 to 8 players bluff about two hidden characters each."""

from collections.abc import Iterable

from arena.games.complots.court import examine, exchange, replace
from arena.games.complots.figures import DECISIONS, FIGURES, observe
from arena.games.complots.foresight import foresee
from arena.games.complots.losing import lose_card
from arena.games.complots.position import (
    Position,
    characters,
    copy_position,
    distinct,
    public_view,
    rivals,
    view,
)
from arena.games.complots.prose import PROSE
from arena.games.complots.reasons import why_not
from arena.games.complots.setup import deal, initial_position, position_from_setup, resume
from arena.games.complots.turn import play_turns
from arena.games.complots.variant import Cause, Variant, shared_options
from arena.rules import ALL, Choice, Game, Option, Options, Result, Tell, ask, seat_name


async def _rules(p: Position, options: Options) -> Result:
    if not p.begun:
        await (resume(p) if any(p.hands) else deal(p))
        p.begun = True
    return await play_turns(p, _Classic())


class _Classic(Variant[Position]):
    """The classic variant: a claim is a word; any card of the hand can prove it; lost cards are face up."""

    def claims(self, p: Position, actor: int, usual: list[str]) -> list[str]:
        """The claims that are legal: any character of the cast (C14); the inquisitor in two ways (C21)."""
        if p.options["cast"] == "ambassador":
            return [*usual, "ambassador"]
        return [*usual, "inquisitor:draw", *(f"inquisitor:{seat_name(seat)}" for seat in rivals(p, actor))]

    def blocks(self, p: Position, seat: int, cards: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"block:{card}" for card in cards if card in characters(p.options["cast"]))

    def announce(self, p: Position, seat: int, word: str) -> str:
        return word

    def can_prove(self, p: Position, claimant: int, card: str) -> bool:
        return card in p.hands[claimant]

    async def prove(self, p: Position, claimant: int, card: str) -> None:
        await replace(p, claimant, card)

    async def lose_bluff(self, p: Position, claimant: int) -> None:
        await self.lose(p, claimant, "bluff")

    async def lose_challenge(self, p: Position, challenger: int, claimant: int, card: str) -> bool:
        await lose_card(p, self, challenger, "challenge")
        return True

    async def lose(self, p: Position, seat: int, cause: Cause) -> None:
        hand = p.hands[seat]  # C40: it chooses one of these
        card = hand[0] if len(hand) == 1 else await ask(seat, Choice("lose", distinct(hand), cause=cause))
        await _turn_up(p, seat, card, cause)

    async def use_power(self, p: Position, actor: int, card: str, target: int | None) -> None:
        if target is not None:
            await examine(p, actor, target)
        else:
            await exchange(p, actor, 2 if card == "ambassador" else 1)

    async def surrender(self, p: Position, seat: int) -> None:
        for card in tuple(p.hands[seat]):
            await _turn_up(p, seat, card, "forfeit")

    async def end_turn(self, p: Position) -> None:
        p.actor = rivals(p, p.actor)[0]  # C49: even if the actor just went out


async def _turn_up(p: Position, seat: int, card: str, cause: Cause) -> None:
    p.hands[seat].remove(card)
    p.lost[seat].append(card)
    await Tell(ALL, f"lose {seat_name(seat)} {card} cause={cause}")


GAME: Game[Position] = Game(
    name="complots",
    version=2,
    summary="Bluff with two hidden characters; the last one left wins.",
    seats=range(2, 9),
    options={
        "cast": Option("ambassador", "the fifth character (C1)", ("ambassador", "inquisitor")),
        **shared_options(8),
    },
    initial_position=initial_position,
    position_from_setup=position_from_setup,
    rules=_rules,
    copy_position=copy_position,
    view=view,
    public_view=public_view,
    figures=FIGURES,
    decisions=DECISIONS,
    observe=observe,
    why_not=why_not,
    foresee=foresee,
    prose=PROSE,
    reveals=frozenset({"proven", "refuted", "lose", "shown"}),
)
