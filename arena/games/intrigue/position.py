"""The table of Intrigue: castles, candidates, island, money and pending promises, and given positions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arena.rules import SEAT_NAMES, PositionError, seat_name, seat_number

ZONES = (1000, 3000, 6000, 10000)  # by value, which is also their order everywhere (I12, A10)
TYPES = ("priest", "writer", "doctor", "biologist")
CAPITAL = 32000
NOTE = 1000  # every amount is a multiple of it (I16)
RICHEST = 100_000  # what a given position may give to one seat, so that every bribe fits an ask line


class Advisor(NamedTuple):
    """One of two equal pieces (I35): whose it is, and its type. As text `p4.writer`."""

    owner: int
    type: str

    def __str__(self) -> str:
        return f"{SEAT_NAMES[self.owner]}.{self.type}"


class Promise(NamedTuple):
    """One promise of an accepted offer, as the arena's book keeps it.

    `word` is the amount, `<type>@<zone>` or `next=<pK>@<zone>`; `by` promises it `to` the other one of
    the two who made the deal. `due` is the turn that decides it.
    """

    offer: int
    by: int
    to: int
    word: str
    due: int


@dataclass
class Position:
    """The whole state of a game. Seats are numbers, `castles[seat]` maps a zone to who sits there.

    `starter` is None until it is known who begins; `turn` counts the turns that have begun, and
    `offers` the numbers given to offers. `book` are the promises not yet decided.
    """

    seats: int
    options: Mapping[str, Any]
    money: list[int]
    castles: list[dict[int, Advisor]]
    candidates: list[list[Advisor]]
    reserves: list[list[str]]  # types, in order
    island: list[Advisor] = field(default_factory=list)
    starter: int | None = None
    turn: int = 0
    offers: int = 0
    book: list[Promise] = field(default_factory=list)

    @property
    def owner(self) -> int:
        """The seat whose turn it is."""
        return ((self.starter or 0) + max(self.turn, 1) - 1) % self.seats

    @property
    def round(self) -> int:
        return (max(self.turn, 1) - 1) // self.seats + 1

    @property
    def last_round(self) -> bool:
        return self.round == self.options["rounds"]


def begin(seats: int, options: Mapping[str, Any]) -> Position:
    """The table before the first turn (I1)."""
    return Position(
        seats,
        options,
        money=[CAPITAL] * seats,
        castles=[{} for _ in range(seats)],
        candidates=[[] for _ in range(seats)],
        reserves=[[each for each in TYPES for _ in range(2)] for _ in range(seats)],
    )


def clockwise(p: Position, first: int) -> list[int]:
    """All seats, clockwise, beginning with this one."""
    return [(first + step) % p.seats for step in range(p.seats)]


def in_order(p: Position, owner: int, advisors: Iterable[Advisor]) -> list[Advisor]:
    """Clockwise from the left of the castle's owner, then by type (A10)."""
    return sorted(advisors, key=lambda each: ((each.owner - owner - 1) % p.seats, TYPES.index(each.type)))


def income(p: Position, seat: int) -> int:
    """What the advisors of a seat earn in all castles at this moment (I7)."""
    return sum(zone for castle in p.castles for zone, advisor in castle.items() if advisor.owner == seat)


# What a seat sees


def view(p: Position, seat: int | None) -> list[str]:
    """The table, then a line per seat; of the money only one's own, unless all is shown (I27)."""
    lines = [f"table round={p.round} turn={p.turn}"]
    if p.turn:
        lines[0] += f" owner={seat_name(p.owner)}"
    for other, castle in enumerate(p.castles):
        line = SEAT_NAMES[other]
        if castle:
            line += " castle=" + ",".join([f"{zone}:{castle[zone]}" for zone in ZONES if zone in castle])
        if p.candidates[other]:
            line += " candidates=" + ",".join(map(str, in_order(p, other, p.candidates[other])))
        if p.reserves[other]:
            line += " reserve=" + counts(p.reserves[other])
        if banned := [each.type for each in p.island if each.owner == other]:
            line += " island=" + counts(banned)
        if seat in (None, other) or p.options["show_money"] == "all":
            line += f" money={p.money[other]}"
        lines.append(line)
    return lines


def counts(types: list[str]) -> str:
    return ",".join([f"{each}:{number}" for each in TYPES if (number := types.count(each))])


# Given positions

BY_SEAT = ("money", "castles", "candidates", "island", "reserve")
KEYS = (*BY_SEAT, "round", "turn", "starter", "promises")


def arrange(seats: int, options: Mapping[str, Any], given: Mapping[str, Any]) -> Position:
    """A position at the beginning of a turn.

    By seat: `money`; `castles`, from zone to advisor; `candidates` beside the castle; `island` and
    `reserve`, the types that a seat has there. What is named nowhere of a seat's eight advisors is in
    its reserve, or on the island if the reserve is given. Then `round`, `turn` (whose it is), `starter`
    (who began the game), and `promises`, as `7 p4 p2 next=p1@6000`. PositionError: an impossible position.
    """
    names = SEAT_NAMES[:seats]
    check_keys(given, names)
    p = begin(seats, options)
    set_clock(p, given, names)
    for seat, name in enumerate(names):
        own = {key: given[key][name] for key in BY_SEAT if name in given.get(key, {})}
        p.money[seat] = amount_of(own.get("money", CAPITAL), ("money", name))
        fill_castle(p, seat, own.get("castles", {}), ("castles", name))
        for word in list_of(own.get("candidates", []), ("candidates", name)):
            p.candidates[seat].append(take_advisor(p, seat, word, ("candidates", name)))
    for seat, name in enumerate(names):
        set_aside(p, seat, given.get("island", {}).get(name, []), given.get("reserve", {}).get(name), name)
    for word in list_of(given.get("promises", []), ("promises",)):
        p.book.append(read_promise(p, word))
        p.offers = max(p.offers, p.book[-1].offer)
    return p


def check_keys(given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for key, value in given.items():
        if key not in KEYS:
            raise PositionError((key,), f"no such key; known are {', '.join(KEYS)}")
        if key in BY_SEAT:
            if not isinstance(value, dict):
                raise PositionError((key,), f"should have a key for each of {', '.join(names)}")
            for name in value:
                if name not in names:
                    raise PositionError((key, name), f"no such seat; seats are {', '.join(names)}")


def set_clock(p: Position, given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Whose turn it is, of which round, and who began: the seat to move, unless that is known."""
    fixed = p.options["starter"]
    starter = given.get("starter", fixed if fixed in names else given.get("turn", names[0]))
    mover = seat_of(given.get("turn", starter), ("turn",) if "turn" in given else ("starter",), names)
    p.starter = seat_of(starter, ("starter",), names)
    rounds, number = p.options["rounds"], given.get("round", 1)
    if type(number) is not int or not 1 <= number <= rounds:
        raise PositionError(("round",), f"a whole number from 1 to {rounds}")
    p.turn = (number - 1) * p.seats + (mover - p.starter) % p.seats


def fill_castle(p: Position, seat: int, given: object, path: tuple[str, ...]) -> None:
    if not isinstance(given, dict):
        raise PositionError(path, f"should have keys of {', '.join(map(str, ZONES))}")
    castle = p.castles[seat]
    for key, word in given.items():
        zone = next((zone for zone in ZONES if str(zone) == str(key)), None)
        here = (*path, str(key))
        if zone is None:
            raise PositionError(here, f"no such zone; zones are {', '.join(map(str, ZONES))}")
        advisor = take_advisor(p, seat, word, here)
        if any(advisor.type == other.type for other in castle.values()):
            raise PositionError(here, f"a second {advisor.type} in the castle of {path[-1]} (I10)")
        castle[zone] = advisor


def take_advisor(p: Position, castle: int, word: object, path: tuple[str, ...]) -> Advisor:
    """Take the advisor that a word names out of its reserve, to the castle of another seat."""
    name, _, kind = str(word).partition(".")
    if name not in SEAT_NAMES[: p.seats] or kind not in TYPES:
        raise PositionError(path, f"{word!r} is no advisor; one is p1.{TYPES[0]}")
    advisor = Advisor(seat_number(name), kind)
    if advisor.owner == castle:
        raise PositionError(path, f"{word} is no candidate in its own castle (I34)")
    if kind not in p.reserves[advisor.owner]:
        raise PositionError(path, f"{name} has two of {kind}, not more")
    p.reserves[advisor.owner].remove(kind)
    return advisor


def set_aside(p: Position, seat: int, island: object, reserve: object, name: str) -> None:
    """What a seat has neither in castles nor beside them: on the island, and in reserve."""
    left = p.reserves[seat]
    for kind in list_of(island, ("island", name)):
        if kind not in left:
            raise PositionError(("island", name), f"no {kind!r} is left; left are {', '.join(left)}")
        left.remove(kind)
        p.island.append(Advisor(seat, kind))
    if reserve is None:
        return
    kept = list_of(reserve, ("reserve", name))
    if any(kept.count(kind) > left.count(kind) for kind in kept):
        raise PositionError(("reserve", name), f"not all of this is left; left are {', '.join(left)}")
    for kind in kept:
        left.remove(kind)
    p.island += [Advisor(seat, kind) for kind in left]
    p.reserves[seat] = sorted(kept, key=TYPES.index)


def read_promise(p: Position, word: object) -> Promise:
    """A promise that is due at the promiser's next turn, from `<offer> <by> <to> next=<pK>@<zone>`."""
    names = SEAT_NAMES[: p.seats]
    parts = str(word).split()
    kinds: tuple[Callable[[str], object], ...] = (int, names.index, names.index, str)
    try:
        offer, by, to, promise = (kind(part) for kind, part in zip(kinds, parts, strict=True))
        seat, _, zone = promise.removeprefix("next=").partition("@")
        if not promise.startswith("next=") or zone not in map(str, ZONES) or by in (to, names.index(seat)):
            raise ValueError
    except ValueError:
        raise PositionError(("promises",), f"{word!r} is none; one is '7 p4 p2 next=p2@6000'") from None
    wait = (by - (p.starter or 0) - p.turn) % p.seats
    return Promise(offer, by, to, promise, p.turn + 1 + wait)


def amount_of(value: object, path: tuple[str, ...]) -> int:
    if type(value) is not int or not 0 <= value <= RICHEST or value % NOTE:
        raise PositionError(path, f"a multiple of {NOTE} from 0 to {RICHEST} (I16)")
    return value


def list_of(value: object, path: tuple[str, ...]) -> list[Any]:
    if not isinstance(value, list):
        raise PositionError(path, "should be a list of words")
    return value


def seat_of(name: object, path: tuple[str, ...], names: tuple[str, ...]) -> int:
    if name not in names:
        raise PositionError(path, f"no such seat {name!r}; seats are {', '.join(names)}")
    return names.index(name)
