"""Figures of the local variant; the figures of both variants are in `complots.figures`."""

from collections.abc import Iterator

from arena.games.complots.figures import CLAIMS, SHARED_FIGURES, claimed_character, observe_claims
from arena.rules import Ask, Figure, Log, Mark, Tell, seat_number

FIGURES = {
    "bluffs": Figure(
        "of all claims, to act or to block: those with another card placed, whatever is in the hand (L8)"
    ),
    **SHARED_FIGURES,
}


def observe(log: Log) -> Iterator[Mark]:
    return observe_claims(log, _truths(log))


def _truths(log: Log) -> Iterator[bool]:
    """Whether the placed card is the claimed one, for each claim of a game in order."""
    answers: dict[int, str] = {}
    for step, reply in log:
        if type(step) is Ask and isinstance(reply, dict):
            answers = reply  # only these name the placed card
        elif type(step) is Tell:
            head, *words = step.text.split()
            if head in CLAIMS:
                yield answers[seat_number(words[0])].partition("@")[2] == claimed_character(words[1])
