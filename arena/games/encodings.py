"""The encodings of the arena's games: their answers, and the columns of their observations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from typing import Any

from arena.games.complots.position import CARDS, characters
from arena.games.intrigue.position import NOTE, TYPES, ZONES
from arena.games.local.position import OWN

__all__ = ("ENCODINGS", "Encoding")

Options = Mapping[str, Any]
Names = Sequence[str]
"""The names of all seats, clockwise, beginning with the observer."""


@dataclass(frozen=True)
class Encoding:
    """The encoding of a game as numbers for one seat, whose name is the first of the `Names`."""

    words: Callable[[Names, Options], list[str]]
    """The answers, in the order of their numbers; `accept#1` stands for the first option `accept:…`."""
    columns: Callable[[Names, Options], list[tuple[str, int]]]
    """The columns of an observation with their greatest values: `p1.coins`, `ask.claim=captain`, …"""
    spoken: Callable[[Names, Options], list[str]] = lambda names, options: []
    """The open words among the `words`: legal at times, but never listed as options."""
    spoken_by: tuple[str, ...] = ()
    """The keys of the context of an ask that decide which open words are legal."""
    outcomes: Callable[[Names, Options], list[str]] = lambda names, options: []
    """All outcomes that chance may pick, in the order of their numbers."""
    longest: Callable[[int, Options], int] = lambda seats, options: 0
    """An upper bound of the number of answers in a game, from the number of seats and the options."""
    richest: Callable[[int, Options], int] | None = None
    """A score that no seat can exceed; none is below 0. None: the game has no scores."""


_Columns = list[tuple[str, int]]

_WINDOW = ["pass", "challenge"]
_CAUSES = ("coup", "assassin", "bluff", "challenge", "forfeit")


# Both variants of Complots


def _claims(others: Names, fifth: list[str]) -> list[str]:
    aimed = [f"{verb}:{name}" for verb in ("assassin", "captain") for name in others]
    return ["duchess", *aimed, *fifth]


def _coins(options: Options) -> int:
    """An upper bound of the coins of a player, and of the treasury, in a game from its beginning."""
    total: int | str = options["treasury"]
    return total if isinstance(total, int) else 2 + 3 * int(options["max_turns"])


def _turn_columns(names: Names, options: Options, kinds: list[str], actions: list[str]) -> _Columns:
    """The columns of the table, and of the asks of a turn."""
    tokens = [
        *(f"table.actor={name}" for name in names),
        *(f"ask.kind={kind}" for kind in kinds),
        *(f"ask.{key}={name}" for key in ("on", "actor") for name in names),
        *(f"ask.claim={card}" for card in CARDS),
        *(f"ask.action={word}" for word in actions),
        *(f"ask.cause={cause}" for cause in _CAUSES),
    ]
    numbers = [("table.treasury", _coins(options)), ("table.turn", int(options["max_turns"]))]
    return [*numbers, *((token, 1) for token in tokens)]


def _longest(seats: int, options: Options) -> int:
    """An upper bound of the number of answers in a game of Complots.

    A turn has at most the action, a window for all, a block of each seat with a window of its own, cards to
    lose or to keep, and an exam.
    """
    return (int(options["max_turns"]) + 1) * (seats * seats + 2 * seats + 8)


# Complots


def _complots_actions(names: Names, options: Options) -> list[str]:
    others = names[1:]
    fifth = ["ambassador"]
    if options["cast"] == "inquisitor":
        fifth = ["inquisitor:draw", *(f"inquisitor:{name}" for name in others)]
    return ["income", "aid", *(f"coup:{name}" for name in others), *_claims(others, fifth)]


def _complots_words(names: Names, options: Options) -> list[str]:
    cast = characters(options["cast"])
    blocks = [f"block:{card}" for card in cast if card != "assassin"]
    pairs = ["+".join(pair) for pair in combinations_with_replacement(cast, 2)]
    cards = [card for card in cast if card not in ("duchess", "ambassador")]  # these are actions
    found = [
        *_complots_actions(names, options),
        *_WINDOW,
        *blocks,
        *cast,
        *cards,
        *pairs,
        "return",
        "discard",
    ]
    return list(dict.fromkeys(found))


def _complots_columns(names: Names, options: Options) -> _Columns:
    cast = characters(options["cast"])
    # Each character has three cards, or four with seven and eight players; an exchange has four cards.
    kinds = ["action", "challenge", "block", "lose", "keep", "show", "exam", "draft"]
    actions = [word for name in names for word in _complots_actions([name, *_without(names, name)], options)]
    return [
        *_turn_columns(names, options, kinds, list(dict.fromkeys(actions))),
        ("table.court", 32),
        *((f"{names[0]}.hand={card}", 4) for card in cast),
        *((f"{name}.coins", _coins(options)) for name in names),
        *((f"{name}.cards", 4) for name in names),
        *((f"{name}.lost={card}", 2) for name in names for card in cast),
        *((f"ask.{key}={name}", 1) for key in ("to", "of") for name in names),
        *((f"ask.card={card}", 1) for card in cast),
        *((f"ask.drawn={card}", 2) for card in cast),
    ]


def _complots_outcomes(names: Names, options: Options) -> list[str]:
    return [*names, *characters(options["cast"])]


def _without(names: Names, name: str) -> list[str]:
    return [other for other in names if other != name]


# Complots, local variant


def _local_actions(names: Names, options: Options) -> list[str]:
    """The actions of the seat `names[0]`, as words without the card that a claim places; no blocks."""
    others = names[1:]
    return ["income", "aid", *(f"coup:{name}" for name in others), *_claims(others, ["ambassador"])]


def _local_words(names: Names, options: Options) -> list[str]:
    actions = _local_actions(names, options)
    count = 2 + len(names) - 1  # income, aid and coups place no card
    blocks = [f"block:{card}" for card in OWN if card != "assassin"]
    placed = [f"{word}@{card}" for word in (*actions[count:], *blocks) for card in OWN]
    pairs = ["+".join(pair) for pair in permutations(OWN, 2)]
    return [*actions[:count], *placed, *_WINDOW, *OWN, *pairs]


def _local_columns(names: Names, options: Options) -> _Columns:
    kinds = ["action", "challenge", "block", "lose", "return"]
    actions = [word for name in names for word in _local_actions([name, *_without(names, name)], options)]
    piles = [f"{name}.{pile}={card}" for name in names for pile in ("discard", "cemetery") for card in OWN]
    return [
        *_turn_columns(names, options, kinds, list(dict.fromkeys(actions))),
        ("table.manche", int(options["max_turns"]) + 1),
        ("table.tour", int(options["tours_per_round"])),
        *((f"table.marker={name}", 1) for name in names),
        *((f"{names[0]}.hand={card}", 1) for card in OWN),
        *((f"{name}.coins", _coins(options)) for name in names),
        *((f"{name}.cards", 5) for name in names),
        *((pile, 1) for pile in piles),
        *((f"{name}.{pile}=hidden", 5) for name in names for pile in ("discard", "cemetery")),
        *((f"{name}.placed={card}", 1) for name in names for card in (*OWN, "hidden")),
        *((f"ask.taken={card}", 1) for card in OWN),
    ]


# Intrigue

_AMOUNTS = (2000, 4000, 8000, 16000)  # the sums of offers
_BRIBES = 24  # so many bribes, from 1000 up, have a word
_STAGES = ("free", "external", "internal", "sending")
_RICHEST = 160_000  # five players with 32000 each; the bank pays little


def _offers(names: Names, options: Options) -> list[str]:
    places = [f":{kind}@{zone}" for kind in TYPES for zone in ZONES]
    return [f"offer:{amount}{place}" for amount in _AMOUNTS for place in ("", *places)]


def _intrigue_words(names: Names, options: Options) -> list[str]:
    others = names[1:]
    advisors = [f"{name}.{kind}" for name in others for kind in TYPES]
    return [
        "pass",
        *(f"{verb}#{number}" for verb in ("accept", "reject") for number in (1, 2)),
        *_offers(names, options),
        *(str(1000 * number) for number in range(1, _BRIBES + 1)),
        *(f"{advisor}@{zone}" for advisor in advisors for zone in ZONES),
        *advisors,
        *(f"{kind}@{name}" for kind in TYPES for name in others),
    ]


def _intrigue_columns(names: Names, options: Options) -> _Columns:
    rounds = int(options["rounds"])
    advisors = [f"{name}.{kind}" for name in names for kind in TYPES]
    tokens = [
        *(f"table.owner={name}" for name in names),
        *(f"{name}.castle={zone}:{each}" for name in names for zone in ZONES for each in advisors),
        *(f"{name}.{pile}={kind}:{count}" for name in names for pile in ("reserve", "island")
          for kind in TYPES for count in (1, 2)),
        *(f"ask.kind={kind}" for kind in ("talk", "bribe", "place", "decide", "send")),
        *(f"ask.stage={stage}" for stage in _STAGES),
        *(f"ask.{key}={name}" for key in ("with", "payer", "owner", "to") for name in names),
        *(f"ask.{key}={zone}" for key in ("zones", "zone") for zone in ZONES),
        *(f"ask.advisor={advisor}" for advisor in advisors),
        *(f"ask.type={kind}" for kind in TYPES),
    ]  # fmt: skip
    return [
        ("table.round", rounds),
        ("table.turn", rounds * len(names)),
        *((f"{name}.money", _RICHEST) for name in names),
        *((token, 1) for token in tokens),
        *((f"{name}.candidates={advisor}", 2) for name in names for advisor in advisors),
        *((f"ask.for={advisor}", 2) for advisor in advisors),
    ]


def _intrigue_longest(seats: int, options: Options) -> int:
    """An upper bound of the number of answers in a game of Intrigue.

    A turn has at most, for each payment, the talk, its answers and a bribe; and the choices of the owner with
    two advisors to send.
    """
    talk = 2 * seats * (int(options["talk_rounds"]) + 1)
    return _turns(seats, options) * ((_payments(seats) + 4) * (talk + 1) + 12)


def _intrigue_richest(seats: int, options: Options) -> int:
    """An upper bound of a score: the money of all players, what advisors earn, and the bank's payments."""
    bank = NOTE * _payments(seats) * _turns(seats, options)
    return seats * (32 * NOTE + int(options["rounds"]) * sum(ZONES)) + bank


def _turns(seats: int, options: Options) -> int:
    return seats * int(options["rounds"])


def _payments(seats: int) -> int:
    """An upper bound of the payments in a turn: each player has at most eight advisors."""
    return 8 * seats


ENCODINGS = {
    "complots": Encoding(_complots_words, _complots_columns, outcomes=_complots_outcomes, longest=_longest),
    "local": Encoding(
        _local_words, _local_columns, outcomes=lambda names, options: [*names], longest=_longest
    ),
    "intrigue": Encoding(
        _intrigue_words,
        _intrigue_columns,
        _offers,
        ("with", "payer", "owner", "stage"),
        outcomes=lambda names, options: [*names],
        longest=_intrigue_longest,
        richest=_intrigue_richest,
    ),
}
"""The encodings by the name of the game."""
