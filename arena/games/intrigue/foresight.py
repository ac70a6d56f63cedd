"""What a seat can infer about the answers of the others from its news, for `arena.worlds`.

Only talk is ever hidden, and only with the option `private`. A silent player counts as having passed, though
it may have talked to another one.
"""

from collections.abc import Mapping, Sequence

from arena.games.complots.foresight import chosen_by_all, said
from arena.games.intrigue.position import Position
from arena.rules import SEAT_NAMES, Ask, Choice, Draw, Step

_TALK = ("offer", "request", "threat", "say", "accept", "reject", "promise")


def foresee(
    p: Position, step: Step, asked: int | None, seat: int, coming: Sequence[str]
) -> Mapping[str, float] | None:
    """How well each answer or outcome fits the next news of the seat, or None: see `Game.foresee`."""
    if type(step) is Draw:
        return chosen_by_all(step, coming)
    if type(step) is not Ask or asked is None:
        return None
    choice, name = step.choices[asked], SEAT_NAMES[asked]
    if choice.kind == "talk" and not choice.open and p.options["private"]:
        return _answered(choice, name, coming)
    if choice.kind == "talk":
        speakers = list(step.choices)
        at = speakers.index(asked)
        earlier = [SEAT_NAMES[speaker] for speaker in speakers[:at]]
        return _spoken(choice, name, p.offers + 1 + at, earlier, coming)
    return _decided(choice, name, coming)


def _spoken(
    choice: Choice, name: str, number: int, earlier: list[str], coming: Sequence[str]
) -> Mapping[str, float]:
    """`{answer: 1.0}` for answers that fit the next news about the seat `name`; for `pass` without news.

    Seats that are asked at once are heard in order: `earlier` may be heard before it, each once.
    """
    for line in coming:
        _, verb, *words = line.split(" ")
        if verb not in _TALK:
            break
        if verb == "promise":  # the verdict on an offer that was accepted
            continue
        speaker = words[verb in ("accept", "reject", "offer")]
        if speaker == name:
            said = _words_for(choice, number, verb, words)
            return {word: 1.0 for word in said if choice.accepts(word)} or {"pass": 1.0}
        if speaker not in earlier:
            break
        earlier.remove(speaker)
    return {"pass": 1.0}


def _answered(choice: Choice, name: str, coming: Sequence[str]) -> Mapping[str, float]:
    """The answers of the seat `name` to offers, if they are announced together, by number."""
    found = []
    for line in coming:
        head, verb, *words = line.split(" ")
        # Asks of the seat itself may precede, if it has several offers to answer.
        if head == "answer" or (head == "ask" and verb == "talk" and " open=" not in line):
            continue
        if verb not in ("accept", "reject", "promise"):
            break
        if verb != "promise" and words[1] == name and choice.accepts(answer := f"{verb}:{words[0]}"):
            found.append(answer)
    return dict.fromkeys(found, 1.0) or {"pass": 1.0}


def _words_for(choice: Choice, number: int, verb: str, words: Sequence[str]) -> list[str]:
    """The answers that are heard as this verb and these words; an offer made now gets this number."""
    if verb in ("accept", "reject"):
        return [f"{verb}:{words[0]}"]
    if verb == "offer":
        made = ("offer", "promise") if words[0] == str(number) else ()
        return [word for each in made for word in _spellings(choice, each, words[2:])]
    return _spellings(choice, verb, words[1:])


def _spellings(choice: Choice, verb: str, words: Sequence[str]) -> list[str]:
    """The words for a message; its addressee may be left out if it is the partner."""
    said = [":".join([verb, *words])]
    return [*said, ":".join([verb, *words[1:]])] if choice.context.get("with") == words[0] else said


def _decided(choice: Choice, name: str, coming: Sequence[str]) -> Mapping[str, float]:
    """`{answer: 1.0}` for the bribe of a payer or the decision of an owner; all hear these."""
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
