"""Set-up of the classic game (Préparation): the deal, the draft of two players, and given positions."""

from collections.abc import Mapping
from typing import Any

from arena.games.complots.coins import initial_treasury, pay_coins, set_coins_and_actor
from arena.games.complots.court import draw_cards, tell_hand
from arena.games.complots.position import Position, add_cards, characters, deck, living
from arena.games.shared import check_keys, choose_starter, list_of
from arena.rules import SEAT_NAMES, Ask, Choice, Draw, Options, PositionError

_COINS = 2  # of each player (C3)


def initial_position(seats: int, options: Options) -> Position:
    """The position before the first card is dealt; coins that are not dealt are in the treasury (C4)."""
    return Position(
        seats=seats,
        options=options,
        hands=[[] for _ in range(seats)],
        lost=[[] for _ in range(seats)],
        coins=[_COINS] * seats,
        treasury=initial_treasury(options, _COINS * seats),
    )


async def deal(p: Position) -> None:
    """Choose who starts (C6, C7), and deal two cards to each player; the rest is the Court (C2).

    With two players the starter pays a coin (C3), and each drafts one of its cards (C8).
    """
    p.actor = await choose_starter(p.seats, p.options)  # C6, C7
    if p.seats == 2:
        pay_coins(p, p.actor, 1)  # C3
        await _draft(p)
        return
    p.court = deck(p.seats, p.options["cast"])
    for seat in range(p.seats):
        await draw_cards(p, seat, 2, "deal")
        await tell_hand(p, seat)


async def _draft(p: Position) -> None:
    # C8: each of two players gets a card of the third pack, and picks one of its own pack in secret.
    pack = characters(p.options["cast"])
    p.court = list(pack)
    p.aside = [card for card in pack for _ in range(2)]
    for seat in range(2):
        await draw_cards(p, seat, 1, "deal")
        await tell_hand(p, seat)
    picks = await Ask({seat: Choice("draft", pack) for seat in range(2)})
    for seat, card in picks.items():
        p.aside.remove(card)
        add_cards(p.hands[seat], [card])
        await tell_hand(p, seat)


async def resume(p: Position) -> None:
    """Begin from a given position: draw the Court if it was left open, and tell each seat its hand."""
    while p.seats == 2 and len(p.court) < 3:  # the position left the Court open
        card = await Draw("deal", tuple(p.aside), to="nobody")
        p.aside.remove(card)
        add_cards(p.court, [card])
    for seat in living(p):
        await tell_hand(p, seat)


# Given positions

_BY_SEAT = ("hands", "lost", "coins")


def position_from_setup(seats: int, options: Options, given: Mapping[str, Any]) -> Position:
    """The position of a setup file, at the beginning of a turn.

    Raises:
        PositionError: The position is impossible.
    """
    # With three players and more the Court is the rest of the deck. With two it is the three cards of
    # `court`, or drawn from the rest when the game begins.
    check_keys(given, (*_BY_SEAT, "turn", *(["court"] if seats == 2 else [])), _BY_SEAT, seats)
    p = initial_position(seats, options)
    rest = deck(seats, options["cast"])
    for seat in range(seats):
        _place_cards(p, seat, given, rest)
    if len(living(p)) < 2:
        raise PositionError(("hands",), "at least two players need a hidden card")
    _place_court(p, given.get("court", []), rest)
    set_coins_and_actor(p, given, _COINS, living(p)[0])
    return p


def _place_cards(p: Position, seat: int, given: Mapping[str, Any], rest: list[str]) -> None:
    name = SEAT_NAMES[seat]
    add_cards(p.hands[seat], _pick_cards(rest, given.get("hands", {}).get(name, []), ("hands", name)))
    p.lost[seat] += _pick_cards(rest, given.get("lost", {}).get(name, []), ("lost", name))
    if len(p.hands[seat]) + len(p.lost[seat]) != 2:
        raise PositionError(("hands", name), f"{name} needs two cards in all, hidden or lost")


def _place_court(p: Position, court: object, rest: list[str]) -> None:
    if p.seats > 2:
        p.court = rest
        return
    add_cards(p.court, _pick_cards(rest, court, ("court",)))
    p.aside = rest
    if len(p.court) not in (0, 3):
        raise PositionError(("court",), "the Court of two players has three cards")


def _pick_cards(rest: list[str], cards: object, path: tuple[str, ...]) -> list[str]:
    """Take these cards out of the `rest` of the deck, and return them.

    Raises:
        PositionError: A card is not in the rest.
    """
    picked: list[str] = list_of(cards, path)
    for card in picked:
        if card not in rest:
            kinds = ", ".join(dict.fromkeys(rest))
            raise PositionError(path, f"no {card!r} is left in the deck; left are {kinds}")
        rest.remove(card)
    return picked
