"""What the log of the local variant tells of its players; what it shares with the classic game is there."""

from collections.abc import Iterator

from arena.games.complots.figures import CLAIMS, SHARED_FIGURES, claimed, observe_claims
from arena.rules import Ask, Figure, Log, Mark, Tell, seat_number

FIGURES = {
    "bluffs": Figure(
        "of all claims, to act or to block: those with another card placed, whatever is in the hand (L8)"
    ),
    **SHARED_FIGURES,
}


def observe(log: Log) -> Iterator[Mark]:
    return observe_claims(log, truths(log))


def truths(log: Log) -> Iterator[bool]:
    """Of each claim, whether the card placed, which stands in the answer alone, is the one claimed."""
    said: dict[int, str] = {}
    for step, reply in log:
        if type(step) is Ask:
            said = reply
        elif type(step) is Tell:
            head, *words = step.text.split()
            if head in CLAIMS:
                yield said[seat_number(words[0])].partition("@")[2] == claimed(words[1])
