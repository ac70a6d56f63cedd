"""Complots, local variant: 2 to 4 players with five known cards each, placed face down to claim."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations

from arena.games.complots.coins import pay
from arena.games.complots.figures import DECISIONS
from arena.games.complots.losing import eliminate_if_out, lose_card
from arena.games.complots.position import COSTS, in_order, living
from arena.games.complots.turn import play_turns
from arena.games.complots.variant import Cause, Variant, shared_options
from arena.games.local.figures import FIGURES, observe
from arena.games.local.foresight import foresee
from arena.games.local.position import (
    PiledCard,
    Placed,
    Position,
    copy_position,
    offset,
    public_view,
    tour_order,
    view,
)
from arena.games.local.prose import PROSE
from arena.games.local.reasons import why_not
from arena.games.local.setup import initial_position, position_from_setup
from arena.games.shared import choose, choose_starter
from arena.rules import ALL, Choice, Game, Option, Options, Result, Tell, seat_name


async def _rules(p: Position, options: Options) -> Result:
    if not p.begun:
        await _begin(p)
    return await play_turns(p, _Local())


async def _begin(p: Position) -> None:
    if not p.given:
        p.actor = p.marker = await choose_starter(p.seats, p.options)  # L3: the marker stays there
    for seat in living(p):
        await _tell_hand(p, seat)  # L1: nothing is dealt, because all players have the same five cards
    p.begun = True


class _Local(Variant[Position]):
    """The local variant: a claim is a word and a card placed face down. Only this card can prove it."""

    # Claims (§III.1). With an empty hand there are none (L7, L30).

    def claims(self, p: Position, actor: int, usual: list[str]) -> list[str]:
        can_take_back = ["ambassador"] if p.discards[actor] else []  # L22: there must be a card to take
        return [f"{word}@{card}" for word in [*usual, *can_take_back] for card in p.hands[actor]]

    def blocks(self, p: Position, seat: int, cards: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"block:{card}@{own}" for card in cards if card != "inquisitor" for own in p.hands[seat])

    def announce(self, p: Position, seat: int, word: str) -> str:
        """Place the card behind the `@`, if any, face down. Returns the public word before it."""
        public, _, card = word.partition("@")
        if card:
            p.hands[seat].remove(card)
            p.placed[seat] = Placed(card)  # L6: any card may be placed
        return public

    def can_prove(self, p: Position, claimant: int, card: str) -> bool:
        return p.placed_by(claimant).card == card  # L8: only the placed card counts

    async def prove(self, p: Position, claimant: int, card: str) -> None:
        p.placed_by(claimant).proven = True  # L10: it stays on the table, and nothing replaces it

    # Losing a card (§III.2, §III.4, L18, L19, L21)

    async def lose_bluff(self, p: Position, claimant: int) -> None:
        await _bury(p, claimant, p.placed_by(claimant).card, "bluff", face_up=True)  # L11, L17

    async def lose_challenge(self, p: Position, challenger: int, claimant: int, card: str) -> bool:
        """Let the challenger of a true claim lose a card; returns whether the action or block goes on.

        With `assassin_special`, the challenger of an assassin loses it in place of the target (L12).
        """
        if card != "assassin" or not p.options["assassin_special"]:
            await lose_card(p, self, challenger, "challenge")
            return True
        await pay(p, claimant, COSTS["assassin"])
        await _lose(p, challenger, "challenge", face_up=True)
        await eliminate_if_out(p, challenger)
        return False

    async def lose(self, p: Position, seat: int, cause: Cause) -> None:
        await _lose(p, seat, cause, face_up=False)

    async def surrender(self, p: Position, seat: int) -> None:
        placed = p.placed[seat]  # C38: the last one left may have one, because its turn did not end
        cards = [*p.hands[seat], *(pile.card for pile in p.discards[seat])]
        for card in in_order([*cards, placed.card] if placed else cards):
            await _bury(p, seat, card, "forfeit", face_up=True)

    # The ambassador takes back from the player's own discard (§III.4, L22)

    async def use_power(self, p: Position, actor: int, card: str, target: int | None) -> None:
        """Let a player take the newest two cards of its discard (or one), and return cards of its hand."""
        pile = p.discards[actor]
        taken = [pile.pop() for _ in range(min(2, len(pile)))]
        p.hands[actor] = in_order([*p.hands[actor], *(each.card for each in taken)])
        await Tell(actor, f"taken {' '.join(each.card for each in taken)}")
        # XL7: the rule does not say how many go back when the ambassador finds only one.
        counts = {"swap": len(taken), "literal_two": min(2, len(p.hands[actor])), "self_counts": 1}
        number = counts[p.options["local_ambassador"]]
        offered = tuple("+".join(some) for some in permutations(p.hands[actor], number))
        answer = await choose(actor, Choice("return", offered, taken=",".join(each.card for each in taken)))
        for returned in answer.split("+"):  # the last one on top
            p.hands[actor].remove(returned)
            pile.append(PiledCard(returned, False))
        seen = ",".join(each.card for each in taken if each.seen)
        known = f" shown={seen}" if seen else ""
        await Tell(ALL, f"exchange {seat_name(actor)} {len(taken)} returned={number}{known}")
        await _tell_hand(p, actor)

    # The end of a turn, of a tour and of a manche (§III)

    async def end_turn(self, p: Position) -> None:
        """Move placed cards to their owners' discards (L21), and pass the turn on in the tour (L4)."""
        if len(living(p)) == 1:
            return  # C38, L25: nothing follows the end of the game
        for seat, placed in enumerate(p.placed):
            if placed:
                p.discards[seat].append(PiledCard(placed.card, placed.proven))
                p.placed[seat] = None
        later = [seat for seat in tour_order(p) if offset(p, seat) > offset(p, p.actor)]
        if not later:
            p.tour += 1
            if p.tour == p.options["tours_per_round"]:
                await _end_manche(p)
        p.actor = [*later, *tour_order(p)][0]


async def _lose(p: Position, seat: int, cause: Cause, face_up: bool) -> None:
    """Let a seat choose a card to lose, which goes to the cemetery."""
    card = await choose(seat, Choice("lose", _losable(p, seat), cause=cause))
    await _bury(p, seat, card, cause, face_up)


def _losable(p: Position, seat: int) -> tuple[str, ...]:
    placed = p.placed[seat]
    if placed and not placed.proven:  # L21: it still belongs to the hand
        return tuple(in_order([*p.hands[seat], placed.card]))
    if p.hands[seat]:
        return tuple(p.hands[seat])
    if p.discards[seat]:
        return tuple(in_order([pile.card for pile in p.discards[seat]]))
    return (p.placed_by(seat).card,)


async def _bury(p: Position, seat: int, card: str, cause: Cause, face_up: bool) -> None:
    placed = p.placed[seat]
    if placed and placed.card == card:
        p.placed[seat] = None
    elif card in p.hands[seat]:
        p.hands[seat].remove(card)
    else:
        p.discards[seat] = [pile for pile in p.discards[seat] if pile.card != card]
    p.cemeteries[seat].append(PiledCard(card, face_up))
    await Tell(ALL, f"lose {seat_name(seat)} {card if face_up else 'hidden'} cause={cause}")
    if not face_up:
        await Tell(seat, f"buried {card}")


async def _end_manche(p: Position) -> None:
    p.tour, p.manche = 0, p.manche + 1  # L24: cemeteries and coins stay
    await Tell(ALL, f"manche {p.manche}")
    for seat in living(p):
        p.hands[seat] = in_order([*p.hands[seat], *(pile.card for pile in p.discards[seat])])
        p.discards[seat] = []
        await _tell_hand(p, seat)


async def _tell_hand(p: Position, seat: int) -> None:
    await Tell(seat, " ".join(["hand", *p.hands[seat]]))


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
    copy_position=copy_position,
    view=view,
    public_view=public_view,
    figures=FIGURES,
    decisions=DECISIONS,
    observe=observe,
    why_not=why_not,
    foresee=foresee,
    prose=PROSE,
    reveals=frozenset({"proven", "refuted", "lose", "exchange"}),
)
