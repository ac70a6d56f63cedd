"""What the news that a seat has heard tells of the hidden cards of the others, for `arena.worlds`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from arena.games.complots.foresight import chosen_by_all, public_answer, said, window_answer
from arena.games.local.position import Position
from arena.rules import SEAT_NAMES, Ask, Draw, Step

_SHOWN = ("proven", "lose")  # news that name a card which a player had


def foresee(
    p: Position, step: Step, asked: int | None, seat: int, coming: Sequence[str]
) -> Mapping[str, float] | None:
    """How well each answer, or each outcome of chance, fits what the seat hears next; see `Game.foresee`."""
    if type(step) is Draw:
        return chosen_by_all(step, coming)
    if type(step) is not Ask or asked is None:
        return None
    choice = step.choices[asked]
    name, options = SEAT_NAMES[asked], choice.options
    if choice.kind == "challenge":
        return window_answer("challenge", name, coming)
    if choice.kind == "return":
        gone = set(_shown(name, coming, until_back=True))
        return _weights(options, lambda word: not gone & set(word.split("+")))
    if choice.kind == "lose":
        lost = said(coming, name, "lose")
        if lost and lost[0] != "hidden":
            return {lost[0]: 1.0}
        ever = set(_shown(name, coming, until_back=False))
        return _weights(options, lambda word: word not in ever)
    return _placed(choice.kind, asked, options, coming)


def _placed(
    kind: str, asked: int, options: Iterable[str], coming: Sequence[str]
) -> Mapping[str, float] | None:
    """The answers with a word that all hear and a card that is placed face down."""
    name = SEAT_NAMES[asked]
    heard = public_answer(kind, asked, coming)
    if not heard:
        return None
    (word,) = heard
    words = [option for option in options if option.partition("@")[0] == word]
    card = word.removeprefix("block:").partition(":")[0]
    for number, line in enumerate(coming):
        news = line.split(" ")
        if number and news[1] in ("turn", "manche", "claim", "action", "block") and news[2:3] != [name]:
            break
        if news[1:] == ["proven", name, card]:
            return {each: 1.0 for each in words if each.endswith(f"@{card}")}
        if news[1:] == ["refuted", name, card]:
            lost = said(coming[number:], name, "lose")
            return {each: 1.0 for each in words if not lost or each.endswith(f"@{lost[0]}")}
    gone = set(_shown(name, coming, until_back=True))
    return {each: 1.0 for each in words if each.partition("@")[2] not in gone} or None


def _shown(name: str, coming: Sequence[str], until_back: bool) -> Iterator[str]:
    """The cards that a player shows or loses face up; those that it has before its discard comes back."""
    for line in coming:
        _, verb, *words = line.split(" ")
        if verb in _SHOWN and words[0] == name:
            yield words[1]
        if until_back and (verb == "manche" or (verb == "exchange" and words[0] == name)):
            return


def _weights(options: Iterable[str], fits: Callable[[str], bool]) -> Mapping[str, float] | None:
    return {word: 1.0 for word in options if fits(word)} or None
