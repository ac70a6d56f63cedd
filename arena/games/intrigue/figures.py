"""Figures of Intrigue, counted from the log: promises, offers, bribes and their success."""

from collections import Counter
from collections.abc import Iterator

from arena.games.intrigue.position import NOTE
from arena.rules import Ask, Figure, Log, Mark, Tell, seat_number

FIGURES = {
    "kept": Figure(
        "of all own promises, to any player, that were kept or broken: those kept; void ones do not count"
    ),
    "offers": Figure(
        "of all asks to talk in which an offer could be made: those answered with an offer or a promise"
    ),
    "accepted": Figure("of all own offers and promises: the share that the player addressed accepted"),
    "bribe": Figure(
        "ducats of bribes paid per ducat of income; the bank's payments are left out", ratio=True
    ),
    "sold": Figure(
        "of all conflicts between several players in the own castle, external and internal: those won by "
        "a player who had paid as much in that stage as any of them"
    ),
}


DECISIONS = {
    "lowest": Figure("of all bribes of own money: those of 1000, the least"),
    "won": Figure("of all conflicts with another player, in any castle: the share that an own advisor won"),
    "banished": Figure("of all own advisors that were placed or banished: those banished", cost=1),
}
"""The decisions that a review of a bot counts besides the figures."""


def observe(log: Log) -> Iterator[Mark]:
    """The marks of a finished game. Private talk has two hearers, and is counted from the speaker's news."""
    makers: dict[str, int] = {}  # the seat that made each offer, by number
    stage = _Stage("")
    for step, reply in log:
        if type(step) is Ask and isinstance(reply, dict):
            for seat, word in reply.items():
                if "offer" in step.choices[seat].open:
                    yield Mark("offers", seat, word.startswith(("offer:", "promise:")))
        elif type(step) is Tell:
            head, *words = step.text.split()
            if head == "stage":
                stage = _Stage(step.text)
            elif head in ("offer", "accept", "promise"):
                speaker = seat_number(words[1])
                if step.reaches(speaker):
                    yield from _observe_talk(head, words, speaker, makers)
            else:
                yield from _observe_ducats(head, words, stage)


def _observe_talk(head: str, words: list[str], speaker: int, makers: dict[str, int]) -> Iterator[Mark]:
    """The marks of news of the talk: `offer 7 p4 p2 …`, `accept 7 p2`, `promise 7 p2 broken …`."""
    number = words[0]
    if head == "offer":
        makers[number] = speaker
        yield Mark("accepted", speaker, 0)
    elif head == "accept":
        yield Mark("accepted", makers[number], 1, of=0)
    elif words[2] != "void":
        yield Mark("kept", speaker, words[2] == "kept")


def _observe_ducats(head: str, words: list[str], stage: "_Stage") -> Iterator[Mark]:
    """The marks of news of ducats and placements: `bribe p3 p2 4000`, `take p2 p3.priest 6000`."""
    if head == "income":
        yield Mark("bribe", seat_number(words[0]), 0, of=int(words[1]))
    elif head == "bribe":
        stage.paid[words[0]] += int(words[2])
        if "by=bank" not in words:
            yield Mark("lowest", seat_number(words[0]), int(words[2]) == NOTE)
            yield Mark("bribe", seat_number(words[0]), int(words[2]), of=0)
    elif head == "banish":
        yield Mark("banished", seat_number(words[1].partition(".")[0]), 1)
    elif head in ("lodge", "keep", "take"):
        winner, _, kind = words[1].partition(".")
        rivals = stage.players(kind)
        yield Mark("banished", seat_number(winner), 0)
        if len(rivals) > 1:
            most = max(stage.paid[rival] for rival in rivals)
            yield from (Mark("won", seat_number(rival), rival == winner) for rival in sorted(rivals))
            yield Mark("sold", seat_number(words[0]), stage.paid[winner] == most)


class _Stage:
    """The players in a stage, from the news of its beginning, and their payments; seats are names."""

    def __init__(self, news: str):
        keys = dict(word.split("=") for word in news.split() if "=" in word)
        self.advisors = f"{keys.get('candidates', '')},{keys.get('occupant', '')}".split(",")
        self.paid: Counter[str] = Counter()

    def players(self, kind: str) -> set[str]:
        """The players with an advisor of this type in the stage."""
        return {advisor.partition(".")[0] for advisor in self.advisors if advisor.endswith(f".{kind}")}
