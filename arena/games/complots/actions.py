"""The actions of a turn (A. Les actions): the legal ones, their costs, and the characters that block them."""

from typing import NamedTuple

from arena.games.complots.position import COSTS, rivals
from arena.games.complots.variant import P, Variant
from arena.rules import SEAT_NAMES, seat_number

BLOCKED_BY = {
    "aid": ("duchess",),
    "assassin": ("contessa",),
    "captain": ("captain", "ambassador", "inquisitor"),
}
"""The characters that block an action, in P6 order."""


class Action(NamedTuple):
    """An announced action: `captain:p2` is the captain on seat 1."""

    actor: int
    text: str
    verb: str
    target: int | None


def read_action(actor: int, text: str) -> Action:
    verb, _, of = text.partition(":")
    return Action(actor, text, verb, seat_number(of) if of in SEAT_NAMES else None)


def legal_actions(p: P, variant: Variant[P], actor: int) -> tuple[str, ...]:
    """The legal actions of a player, as words, in the order of A10 (C13)."""
    coins, others = p.coins[actor], rivals(p, actor)
    coups: list[str] = []
    if coins >= COSTS["coup"]:
        strongest_first = sorted(others, key=lambda seat: (-p.strength(seat), -p.coins[seat]))
        coups += [f"coup:{SEAT_NAMES[seat]}" for seat in strongest_first]
    must = p.options["must_coup_at"]
    if must != "none" and coins >= must:
        return tuple(coups)  # C15
    claims = ["duchess"]
    if coins >= COSTS["assassin"]:  # C16
        claims += [f"assassin:{SEAT_NAMES[seat]}" for seat in others]
    least = p.options["captain_min_target"]  # C20
    claims += [f"captain:{SEAT_NAMES[seat]}" for seat in others if p.coins[seat] >= least]
    return ("income", "aid", *coups, *variant.claims(p, actor, claims))
