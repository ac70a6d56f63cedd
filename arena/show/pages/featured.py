"""Three games worth watching: the biggest upset, the longest chain of bluffs, the closest ending.

No game is chosen twice. If one of the three is missing, further upsets take its place. Only games with a page
are shown. docs/pages.md explains the measures to readers:

- An upset is measured by how much more of its opponents the winner beat than its Elo expects. Games with a
  forfeit do not count.
- A chain of bluffs is measured by its length: the claims in a row, of any seat, that were bluffs and were not
  caught. In Intrigue broken promises count.
- An ending of a game with scores is measured by the share of the best score by which it is ahead of the
  second. Without scores, the turns of the last stand count, in which the last two have one card each and no
  card falls until the end. Games with a forfeit do not count.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.referee.record import Record
from arena.rules import Game, Log, seat_name
from arena.show.pages.notable import NotableGames
from arena.tournament.runs.account import Told
from arena.tournament.runs.game_list import PlayedGame
from arena.tournament.runs.moments import Moment

_MAX_GAMES = 3
_FEWEST = 2  # the least bluffs, or turns, that are worth showing
_LAST = 40  # A game with scores is shown from so many moments before its end.
_LIES = {  # by figure: the first words of the news of its marks, in the same order, and the name of a chain
    "bluffs": ({"claim", "block"}, "bluffs in a row, and none of them was caught"),
    "kept": ({"promise"}, "promises in a row were broken"),
}


class Drama(NamedTuple):
    """Why a game is worth watching, in `words`, and from which moment on, counted from 0.

    Of two games with the same measure, the one with the larger `value` is better.
    """

    value: float
    moment: int
    words: str


class Featured(NamedTuple):
    """A game that is worth watching, by its index, with the moment to begin at, and why."""

    at: int
    moment: int
    title: str
    words: str


def longest_bluff(game: Game, log: Log, moments: Sequence[Moment]) -> Drama | None:
    """The longest chain of uncaught bluffs, or of broken promises; None if it is shorter than two."""
    lie = next((figure for figure in _LIES if figure in game.figures), "")
    if not lie:
        return None
    lied: list[bool] = []  # for each claim or promise
    for figure, _, counted, of in game.observe(log):
        if figure == lie:
            lied.append(bool(counted) == (lie == "bluffs"))
        elif figure == "caught" and counted and not of:  # The newest claim was caught.
            lied[-1] = False
    heads, words = _LIES[lie]
    length, begin = _longest_run(lied)
    told = [number for number, moment in enumerate(moments) if {*_news(moment)[:1]} & heads]
    if length < _FEWEST or begin >= len(told):
        return None
    return Drama(length, told[begin], f"{length} {words}")


def _longest_run(found: Sequence[bool]) -> tuple[int, int]:
    """The length of the longest run of true values, and the index at which it begins."""
    lengths = [0]
    for each in found:
        lengths.append(lengths[-1] + 1 if each else 0)
    longest = max(lengths)
    return longest, lengths.index(longest) - longest


def _news(moment: Moment) -> list[str]:
    """The words of the news for all seats; [] if there is none, or if it is about a void promise."""
    news = (each.text.split() for each in moment.said if isinstance(each, Told) and each.seat is None)
    words = next(news, [])
    return [] if words[:1] == ["promise"] and "void" in words[:4] else words


def closest_ending(record: Record, moments: Sequence[Moment]) -> Drama | None:
    """How close the end was.

    It is None if the best score is not above 0, or without scores, if there was no last stand of at least two
    turns.
    """
    places, scores = record.result
    if scores is not None:
        first, second, *_ = sorted(scores, reverse=True)
        if first <= 0:
            return None
        words = (
            f"{first - second:,} of {first:,} between the first two" if first > second else "a tie at the top"
        )
        return Drama(-(first - second) / first, max(0, len(moments) - _LAST), words)
    news = [_news(moment) for moment in moments]
    lost = [(number, words[1]) for number, words in enumerate(news) if words[:1] == ["lose"]]
    fallen = Counter(seat for _, seat in lost)
    winners = [seat for seat, place in enumerate(places) if place == 1]
    if len(lost) < _FEWEST or len(winners) != 1 or fallen[seat_name(winners[0])] != max(fallen.values()) - 1:
        return None
    begin, end = lost[-2][0], lost[-1][0]
    turns = sum(words[:1] == ["turn"] for words in news[begin:end])
    return Drama(turns, begin, f"{turns} turns with one card each") if turns >= _FEWEST else None


def featured_games(
    games: Sequence[PlayedGame],
    notable: Mapping[str, NotableGames],
    bluffs: Mapping[int, Drama],
    endings: Mapping[int, Drama],
) -> Iterator[Featured]:
    """At most three games worth watching; `bluffs` and `endings` are by the index of the game.

    They are chosen from these and the `best` games in `notable`, which need not have a page.
    """
    taken: set[int] = set()
    upsets = {
        best.at: Drama(
            best.score - best.expected,
            0,
            f"{bot} beat {best.score:.0%} of its opponents, where its Elo expects {best.expected:.0%}",
        )
        for bot, found in notable.items()
        for best in reversed(found.best)
        if games[best.at].game.places[best.seat] == 1 and not games[best.at].game.forfeits
    }
    dramas = {
        "The biggest upset": upsets,
        "The longest chain of bluffs": bluffs,
        "The closest ending": endings,
        "Another upset": upsets,
        "One more upset": upsets,
    }
    for title, found in dramas.items():
        left = {at: drama for at, drama in found.items() if at not in taken}
        if left and len(taken) < _MAX_GAMES:
            at = max(left, key=lambda at: (left[at].value, -at))
            taken.add(at)
            yield Featured(at, left[at].moment, title, left[at].words)
