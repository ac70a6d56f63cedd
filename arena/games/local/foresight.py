"""What a seat can infer about hidden cards of the others from its news, for `arena.worlds`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from arena.games.complots.foresight import chosen_by_all, public_answer, said, window_answer
from arena.games.local.position import Position
from arena.rules import SEAT_NAMES, Ask, Draw, Step

_SHOWN = ("proven", "lose")  # news that names a player's card
_SELDOM = 0.1  # the fit of a card that is lost later, but perhaps from the discard


def foresee(
    p: Position, step: Step, asked: int | None, seat: int, coming: Sequence[str]
) -> Mapping[str, float] | None:
    """How well each answer or outcome fits the next news of the seat, or None: see `Game.foresee`."""
    if type(step) is Draw:
        return chosen_by_all(step, coming)
    if type(step) is not Ask or asked is None:
        return None
    choice = step.choices[asked]
    name, options = SEAT_NAMES[asked], choice.options
    if choice.kind == "challenge":
        return window_answer("challenge", name, coming)
    if choice.kind == "return":
        return _laid_down(name, options, coming, lambda word: word.split("+"))
    if choice.kind == "lose":
        lost = said(coming, name, "lose")
        if lost and lost[0] != "hidden":
            return {lost[0]: 1.0}
        ever = {card for card, _ in _shown(name, coming, until_back=False)}
        return {word: 1.0 for word in options if word not in ever} or None
    return _placed(choice.kind, asked, options, coming)


def _placed(
    kind: str, asked: int, options: Iterable[str], coming: Sequence[str]
) -> Mapping[str, float] | None:
    """How well each action or block fits: all hear its word, but its card is placed face down.

    None: the word is not heard, or none fits.
    """
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
    return _laid_down(name, words, coming, lambda word: [word.partition("@")[2]])


def _laid_down(
    name: str, words: Iterable[str], coming: Sequence[str], cards: Callable[[str], list[str]]
) -> Mapping[str, float] | None:
    """How well each of `words` fits, answers that put the cards `cards(word)` into the discard of a player.

    A word does not fit if one of its cards is shown from the hand before the discard returns to it. It fits
    less well if one is lost by then, perhaps from the discard. None: no word fits.
    """
    # A player with an empty hand loses cards of its discard (L19); at a forfeit all are lost.
    shown = dict(_shown(name, coming, until_back=True))
    found = {word: [shown[card] for card in cards(word) if card in shown] for word in words}
    return {word: _SELDOM ** len(causes) for word, causes in found.items() if "hand" not in causes} or None


def _shown(name: str, coming: Sequence[str], until_back: bool) -> Iterator[tuple[str, str]]:
    """The cards that a player shows or loses face up, each with its place: `hand`, or perhaps `discard`.

    With `until_back` only the cards that are shown or lost before the discard returns to the hand.
    """
    for line in coming:
        _, verb, *words = line.split(" ")
        if verb in _SHOWN and words[0] == name:
            yield words[1], "hand" if verb == "proven" or words[2] == "cause=bluff" else "discard"
        if until_back and (verb == "manche" or (verb == "exchange" and words[0] == name)):
            return
