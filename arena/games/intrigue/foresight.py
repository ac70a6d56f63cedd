"""What the news that a seat has heard tells of the answers of the others, for `arena.worlds`.

Only talk is ever hidden, and only with the option `private`: words between others are taken for silence.
"""

from collections.abc import Mapping, Sequence

from arena.games.complots.foresight import chosen_by_all, said
from arena.games.intrigue.position import Position
from arena.rules import SEAT_NAMES, Ask, Choice, Draw, Step

_TALK = ("offer", "request", "threat", "say", "accept", "reject", "promise")


def foresee(
    p: Position, step: Step, asked: int | None, seat: int, coming: Sequence[str]
) -> Mapping[str, float] | None:
    """How well each answer, or each outcome of chance, fits what the seat hears next; see `Game.foresee`."""
    if type(step) is Draw:
        return chosen_by_all(step, coming)
    if type(step) is not Ask or asked is None:
        return None
    choice, name = step.choices[asked], SEAT_NAMES[asked]
    if choice.kind == "talk":
        speakers = list(step.choices)
        return _spoken(choice, name, p.offers + 1 + speakers.index(asked), coming)
    return _decided(choice, name, coming)


def _spoken(choice: Choice, name: str, number: int, coming: Sequence[str]) -> Mapping[str, float]:
    """The words by which a seat can have said what is heard of it next, before anything else happens."""
    for line in coming:
        _, verb, *words = line.split(" ")
        if verb not in _TALK:
            break
        if verb in ("accept", "reject"):
            if words[1] == name and f"{verb}:{words[0]}" in choice.options:
                return {f"{verb}:{words[0]}": 1.0}
        elif verb == "offer" and words[:2] == [str(number), name]:
            said = [word for each in ("offer", "promise") for word in _spellings(choice, each, words[2:])]
            return {word: 1.0 for word in said if choice.accepts(word)} or {"pass": 1.0}
        elif verb != "promise" and words[0] == name:
            said = _spellings(choice, verb, words[1:])
            return {word: 1.0 for word in said if choice.accepts(word)} or {"pass": 1.0}
    return {"pass": 1.0}


def _spellings(choice: Choice, verb: str, words: Sequence[str]) -> list[str]:
    """The words for a message; its addressee may be left out if it is the partner."""
    said = [":".join([verb, *words])]
    return [*said, ":".join([verb, *words[1:]])] if choice.context.get("with") == words[0] else said


def _decided(choice: Choice, name: str, coming: Sequence[str]) -> Mapping[str, float] | None:
    """The bribe of a payer, or what an owner decides: all hear it."""
    if choice.kind == "bribe":
        return {said(coming, name, "bribe")[1]: 1.0}
    if choice.kind == "decide":
        word = said(coming, name, "keep", "take")
        return {word[0]: 1.0}
    if choice.kind == "place":
        advisor, zone = said(coming, name, "lodge")
        return {zone if "advisor" in choice.context else f"{advisor}@{zone}": 1.0}
    sent = said(coming, name, "send")
    return {sent["first" in choice.context]: 1.0}
