"""Figures of Complots, counted from the log; both variants differ only in the truth of a claim."""

from collections.abc import Iterator

from arena.rules import Answers, Ask, Figure, Log, Mark, Tell, seat_number

CLAIMS = ("claim", "block")  # the first words of news that a player claims a character

SHARED_FIGURES = {
    "caught": Figure("of all bluffs: those that were challenged, and so refuted"),
    "challenges": Figure(
        "of all asks to challenge: those answered with a challenge, whichever of several counted (C30)"
    ),
    "right": Figure("of all these challenges: those of a bluff"),
    "blocks": Figure("of all asks to block: those answered with a block, whichever of several counted (C30)"),
}

_CAUSES = {
    "coup": ("coups", 1),
    "assassin": ("assassins", 1),
    "challenge": ("own challenges of true claims", 2),
    "bluff": ("own bluffs that were challenged", 2),
    "forfeit": ("forfeits", 1),
}  # in words, with the cost: a player's own decisions say more about it

DECISIONS = {
    "missed": Figure("of all asks to challenge a bluff: those answered with a pass"),
    "false_blocks": Figure("of all blocks: those with a character not held"),
    **{
        f"by_{cause}": Figure(f"cards lost by {words}, in a game", ratio=True, cost=cost)
        for cause, (words, cost) in _CAUSES.items()
    },
}
"""The decisions that a review of a bot counts besides the figures."""

FIGURES = {
    "bluffs": Figure("of all claims, to act or to block: those of a character not held at that moment"),
    **SHARED_FIGURES,
}


def observe(log: Log) -> Iterator[Mark]:
    return observe_claims(log, _truths(log))


def _truths(log: Log) -> Iterator[bool]:
    """Whether the claimant held the character at that moment, for each claim of a game in order."""
    hands: dict[int | None, list[str]] = {}
    for step, _ in log:
        if type(step) is Tell:
            head, *words = step.text.split()
            if head == "hand":
                hands[step.to] = words
            elif head == "lose":
                hands[seat_number(words[0])].remove(words[1])
            elif head in CLAIMS:
                yield claimed_character(words[1]) in hands[seat_number(words[0])]


def claimed_character(word: str) -> str:
    """The character that a claim names: `captain` of `captain:p2`, or of `block:captain`."""
    return word.removeprefix("block:").partition(":")[0]


def observe_claims(log: Log, truths: Iterator[bool]) -> Iterator[Mark]:
    """The marks of a finished game; `truths` says whether each claim, in order, was true."""
    true = True  # of the newest claim
    dealt = set[int]()
    for step, reply in log:
        if type(step) is Tell and step.is_public:
            head, seat, *words = step.text.split()
            if head in CLAIMS:
                true = next(truths)
                yield Mark("bluffs", seat_number(seat), not true)
                if head == "block":
                    yield Mark("false_blocks", seat_number(seat), not true)
                if not true:
                    yield Mark("caught", seat_number(seat), 0)
            elif head == "refuted":
                yield Mark("caught", seat_number(seat), 1, of=0)
            elif head == "lose":
                yield Mark(f"by_{words[-1].removeprefix('cause=')}", seat_number(seat), 1, of=0)
        elif type(step) is Tell and isinstance(step.to, int) and step.to not in dealt:
            dealt.add(step.to)  # all players hear of their hands
            yield from (Mark(f"by_{cause}", step.to, 0) for cause in _CAUSES)
        elif type(step) is Ask and isinstance(reply, dict):
            yield from _observe_answers(step, reply, true)


def _observe_answers(step: Ask, answers: Answers, true: bool) -> Iterator[Mark]:
    kind = next(iter(step.choices.values())).kind  # all seats of an ask are asked the same question
    if kind == "block":
        for seat, word in answers.items():
            yield Mark("blocks", seat, word != "pass")
    elif kind == "challenge":
        for seat, word in answers.items():
            yield Mark("challenges", seat, word != "pass")
            if word != "pass":
                yield Mark("right", seat, not true)
            if not true:
                yield Mark("missed", seat, word == "pass")
