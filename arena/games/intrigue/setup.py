"""Set-up of Intrigue (Préparation), and given positions."""

from collections.abc import Mapping
from typing import Any

from arena.games.intrigue.position import NOTE, TYPES, ZONES, Advisor, Position, Promise
from arena.games.intrigue.words import read_deed
from arena.games.shared import check_keys, list_of, seat_of
from arena.rules import SEAT_NAMES, Options, PositionError, seat_number

_CAPITAL = 32000
_RICHEST = 100_000  # for one seat of a given position: every bribe has to fit an ask line


def initial_position(seats: int, options: Options) -> Position:
    """The position before the first turn (I1)."""
    return Position(
        seats,
        options,
        money=[_CAPITAL] * seats,
        castles=[{} for _ in range(seats)],
        candidates=[[] for _ in range(seats)],
        reserves=[[each for each in TYPES for _ in range(2)] for _ in range(seats)],
    )


# Given positions

_BY_SEAT = ("money", "castles", "candidates", "island", "reserve")
_KEYS = (*_BY_SEAT, "round", "turn", "starter", "promises")


def position_from_setup(seats: int, options: Options, given: Mapping[str, Any]) -> Position:
    """The position of a setup file, at the beginning of a turn.

    Raises:
        PositionError: The position is impossible.
    """
    # Advisors of a seat that are named nowhere are in its reserve, or on the island if the reserve is given.
    check_keys(given, _KEYS, _BY_SEAT, seats)
    p = initial_position(seats, options)
    _set_turn(p, given)
    for seat, name in enumerate(SEAT_NAMES[:seats]):
        own = {key: given[key][name] for key in _BY_SEAT if name in given.get(key, {})}
        p.money[seat] = money = own.get("money", _CAPITAL)
        if type(money) is not int or not 0 <= money <= _RICHEST or money % NOTE:
            message = f"should be a multiple of {NOTE} from 0 to {_RICHEST} (I16)"
            raise PositionError(("money", name), message)
        _fill_castle(p, seat, own.get("castles", {}), ("castles", name))
        for word in list_of(own.get("candidates", []), ("candidates", name)):
            p.candidates[seat].append(_take_advisor(p, seat, word, ("candidates", name)))
    for seat, name in enumerate(SEAT_NAMES[:seats]):
        _set_aside(p, seat, given.get("island", {}).get(name, []), given.get("reserve", {}).get(name))
    for word in list_of(given.get("promises", []), ("promises",)):
        p.book.append(_read_promise(p, word))
        p.offers = max(p.offers, p.book[-1].offer)
    return p


def _set_turn(p: Position, given: Mapping[str, Any]) -> None:
    """Set the turn and the starter of a given position.

    Without `starter` it is the seat that the option names, or else the one whose turn it is.

    Raises:
        PositionError: These values are impossible.
    """
    first, fixed = SEAT_NAMES[0], p.options["starter"]
    known = fixed if fixed in SEAT_NAMES[: p.seats] else given.get("turn", first)
    starter = given.get("starter", known)
    mover = seat_of(given.get("turn", starter), ("turn",) if "turn" in given else ("starter",), p.seats)
    p.starter = seat_of(starter, ("starter",), p.seats)
    rounds, number = p.options["rounds"], given.get("round", 1)
    if type(number) is not int or not 1 <= number <= rounds:
        raise PositionError(("round",), f"should be a whole number from 1 to {rounds}")
    p.turn = (number - 1) * p.seats + (mover - p.starter) % p.seats


def _fill_castle(p: Position, seat: int, given: object, path: tuple[str, ...]) -> None:
    if not isinstance(given, dict):
        raise PositionError(path, f"should be a mapping with keys of {', '.join(map(str, ZONES))}")
    castle = p.castles[seat]
    for key, word in given.items():
        zone = next((zone for zone in ZONES if str(zone) == str(key)), None)
        here = (*path, str(key))
        if zone is None:
            raise PositionError(here, f"no such zone; zones are {', '.join(map(str, ZONES))}")
        advisor = _take_advisor(p, seat, word, here)
        if any(advisor.type == other.type for other in castle.values()):
            raise PositionError(here, f"a second {advisor.type} in the castle of {path[-1]} (I10)")
        castle[zone] = advisor


def _take_advisor(p: Position, castle: int, word: object, path: tuple[str, ...]) -> Advisor:
    name, _, kind = str(word).partition(".")
    if name not in SEAT_NAMES[: p.seats] or kind not in TYPES:
        raise PositionError(path, f"{word!r} is not an advisor; write it as p1.{TYPES[0]}")
    advisor = Advisor(seat_number(name), kind)
    if advisor.owner == castle:
        raise PositionError(path, f"{word} cannot be in a castle of its owner (I34)")
    if kind not in p.reserves[advisor.owner]:
        raise PositionError(path, f"{name} has only two of {kind}")
    p.reserves[advisor.owner].remove(kind)
    return advisor


def _set_aside(p: Position, seat: int, island: object, reserve: object) -> None:
    """Put the advisors of a seat that are not at a castle on the island or into the reserve."""
    name, left = SEAT_NAMES[seat], p.reserves[seat]
    for kind in list_of(island, ("island", name)):
        if kind not in left:
            raise PositionError(("island", name), f"no {kind!r} is left; left are {', '.join(left)}")
        left.remove(kind)
        p.island.append(Advisor(seat, kind))
    if reserve is None:
        return
    kept = list_of(reserve, ("reserve", name))
    if any(kept.count(kind) > left.count(kind) for kind in kept):
        raise PositionError(("reserve", name), f"not all of these are left; left are {', '.join(left)}")
    for kind in kept:
        left.remove(kind)
    p.island += [Advisor(seat, kind) for kind in left]
    p.reserves[seat] = sorted(kept, key=TYPES.index)


def _read_promise(p: Position, word: object) -> Promise:
    """A promise for a later turn, from `<offer> <by> <to> <term>`.

    Raises:
        PositionError: The word is not a promise.
    """
    names = SEAT_NAMES[: p.seats]
    try:
        number, maker, other, promise = str(word).split()
        offer, by, to = int(number), names.index(maker), names.index(other)
        deed = read_deed(promise, p.seats, to)
        if offer < 1 or deed.kind not in ("next", "send", "spare", "pay") or by in (to, deed.seat):
            raise ValueError
    except ValueError:
        message = f"{word!r} is not a promise for a turn to come; write it as '7 p4 p2 next=p2@6000'"
        raise PositionError(("promises",), message) from None
    wait = (by - (p.starter or 0) - p.turn) % p.seats
    return Promise(offer, by, to, promise, 0 if deed.kind == "pay" else p.turn + 1 + wait)
