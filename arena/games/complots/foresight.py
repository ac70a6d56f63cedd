"""What a seat can infer about hidden cards from its news, for `arena.worlds`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum

from arena.games.complots.position import Position, characters
from arena.rules import ALL, SEAT_NAMES, Ask, Draw, Step

_Facts = list[tuple[str, str]]
"""The news about hidden cards of a seat: `lose`, `proven`, `refuted` or `shown`, and the card."""


def foresee(
    p: Position, step: Step, asked: int | None, seat: int, coming: Sequence[str]
) -> Mapping[str, float] | None:
    """How well each answer or outcome fits the next news of the seat, or None: see `Game.foresee`."""
    if type(step) is Draw:
        return _outcomes(p, step, seat, coming)
    if type(step) is not Ask or asked is None:
        return None
    kind = step.choices[asked].kind
    if kind in ("draft", "keep"):
        return _cards(p, asked, kind, step.choices[asked].options, coming)
    if kind == "show":
        shown = said(coming[:1], SEAT_NAMES[asked], "shown")
        return {shown[0]: 1.0} if shown else None
    return public_answer(kind, asked, coming)


def public_answer(kind: str, asked: int, coming: Sequence[str]) -> Mapping[str, float] | None:
    """`{answer: 1.0}` if all players hear the answer of the seat `asked`; None if it is not in the news."""
    name = SEAT_NAMES[asked]
    if kind in ("challenge", "block"):
        return window_answer(kind, name, coming)
    if kind == "action":
        word = said(coming, name, "claim", "action")
        return {word[0]: 1.0} if word else None
    if kind == "lose":
        lost = said(coming, name, "lose")
        return {lost[0]: 1.0} if lost else None
    if kind == "exam":
        verdict = said(coming, name, "exam")
        return {verdict[-1]: 1.0} if verdict else None
    return None


def window_answer(kind: str, name: str, coming: Sequence[str]) -> Mapping[str, float] | None:
    """`{answer: 1.0}` of the seat `name` to an ask of this kind, `challenge` or `block`; None: no news.

    The answer is in the next news about the seat; without such news it is `pass`. If another seat was first
    (C30), the seat may have spoken as well, but that changes nothing.
    """
    if not coming:
        return None
    words = coming[0].split(" ")
    if words[1:3] != [kind, name]:
        return {"pass": 1.0}
    return {"challenge" if kind == "challenge" else words[3]: 1.0}


def said(coming: Sequence[str], name: str, *verbs: str) -> list[str]:
    """The words after the name in the first news of this seat with one of these verbs; else []."""
    for line in coming:
        _, verb, *words = line.split(" ")
        if verb in verbs and words[0] == name:
            return words[1:]
    return []


def chosen_by_all(step: Draw, coming: Sequence[str]) -> Mapping[str, float] | None:
    """`{outcome: 1.0}` if all hear the outcome of a draw, such as the starter; None if not."""
    words = coming[0].split(" ") if coming else []
    found = [word for word in words[2:3] if word in step.outcomes]
    return {found[0]: 1.0} if step.reaches(ALL) and found else None


def _outcomes(p: Position, step: Draw, seat: int, coming: Sequence[str]) -> Mapping[str, float] | None:
    to = step.to
    if not isinstance(to, int):
        return chosen_by_all(step, coming)
    hand, hidden = p.hands[to], 2 - len(p.lost[to])
    if to == seat:
        return _own_card(hand, hidden, coming)
    facts = _facts(to, coming)
    if step.purpose == "deal":
        pool = list(characters(p.options["cast"])) if p.seats == 2 else list(step.outcomes)
        return {card: _chance(facts, [*hand, card], 1 - len(hand), pool) for card in step.outcomes}
    if not _is_exchange(to, coming):
        return {card: _chance(facts, [*hand, card], 0, []) for card in step.outcomes}
    drawn = int(said(coming, SEAT_NAMES[to], "exchange")[0])
    more = drawn - (len(hand) - hidden) - 1
    after = _facts(to, _after_exchange(to, coming))
    return {card: _kept(after, [*hand, card], more, hidden, list(step.outcomes)) for card in step.outcomes}


def _own_card(hand: list[str], hidden: int, coming: Sequence[str]) -> Mapping[str, float] | None:
    """How well each outcome of the seat's own draw fits: its next news names the card. None: it does not.

    `hidden` is the number of its cards between draws; further cards in `hand` were just drawn.
    """
    for line in coming:
        if line.startswith("secret hand "):
            left = Counter(line.split(" ")[2:])
            left.subtract(hand)
            return {card: 1.0 for card, number in left.items() if number > 0}
        if line.startswith("secret drawn "):
            return {line.split(" ")[2 + len(hand) - hidden]: 1.0}
    return None


def _cards(
    p: Position, asked: int, kind: str, options: Iterable[str], coming: Sequence[str]
) -> Mapping[str, float]:
    """How well each way to draft or to keep cards fits later news about the seat."""
    if kind == "draft":
        facts, hand = _facts(asked, coming), p.hands[asked]
        return {card: _chance(facts, [*hand, card], 0, []) for card in options}
    facts = _facts(asked, _after_exchange(asked, coming))
    return {cards: _chance(facts, cards.split("+"), 0, []) for cards in options}


def _is_exchange(seat: int, coming: Sequence[str]) -> bool:
    """Whether a seat draws cards for an exchange, and not a card in place of one that it returned."""
    name = SEAT_NAMES[seat]
    for line in coming:
        words = line.split(" ")
        if words[1] == "exchange" and words[2] == name:
            return True
        if words[1] in ("turn", "lose", "claim", "action", "forfeit"):
            return False
    return False


def _after_exchange(seat: int, coming: Sequence[str]) -> Sequence[str]:
    head = f"event exchange {SEAT_NAMES[seat]} "
    at = next((number for number, line in enumerate(coming) if line.startswith(head)), len(coming))
    return coming[at + 1 :]


def _facts(seat: int, coming: Sequence[str]) -> _Facts:
    """The news about the cards of a seat until it gets other cards."""
    name, facts = SEAT_NAMES[seat], []
    for line in coming:
        if name not in line:
            continue
        _, verb, *words = line.split(" ")
        if verb in ("lose", "proven", "refuted", "shown") and words[0] == name:
            facts.append((verb, words[1]))
        if (verb in ("proven", "exchange") and words[0] == name) or (
            verb == "exam" and words[1:] == [name, "discard"]
        ):
            break
    return facts


def _kept(facts: _Facts, cards: list[str], more: int, keep: int, pool: list[str]) -> float:
    """About how probable it is that a seat with `cards`, and `more` from the pool, keeps `keep` that fit."""
    if not facts:
        return 1.0
    if more:
        counts = Counter(pool).items()
        return fsum(n * _kept(facts, [*cards, card], more - 1, keep, pool) for card, n in counts) / len(pool)
    kept = set(combinations(sorted(cards), keep))
    return sum(_fits(facts, [*each]) for each in kept) / len(kept)


def _chance(facts: _Facts, hand: list[str], more: int, pool: list[str]) -> float:
    """About how probable it is that a hand, with `more` cards from the pool, fits the facts."""
    if not facts:
        return 1.0
    if more:
        counts = Counter(pool).items()
        return fsum(n * _chance(facts, [*hand, card], more - 1, pool) for card, n in counts) / len(pool)
    return float(_fits(facts, hand))


def _fits(facts: _Facts, hand: list[str]) -> bool:
    """Whether a seat with this hand can have shown and lost the cards in the facts."""
    left = list(hand)
    for verb, card in facts:
        if (card in left) == (verb == "refuted"):
            return False
        if verb == "lose":
            left.remove(card)
    return True
