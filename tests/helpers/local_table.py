"""A table for written scenarios of the local variant; transcripts are those of `complots_table.py`.

Here a position has for each seat the hand in brackets, the discard in braces with its newest card last,
the cemetery in parentheses, then the coins. A star marks a card that all players have seen.

    p1[contessa]{ambassador,duchess*}(captain,assassin*) 5  p2[captain] 6  T43  next p2  marker p1  tour 2

Given such a position, what is written nowhere of a seat's five cards is in its hand. In `shows`, what is
not written is not compared.
"""

import re
from collections import Counter
from dataclasses import dataclass

from complots_table import CLAIMS, REVEALS, Script, Table, in_order

from arena.games.local.game import GAME
from arena.games.local.position import OWN, PiledCard
from arena.rules import ALL, Tell, seat_name, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

SECRETS = ("hand", "taken", "buried")


@dataclass
class Seat:
    """What is written of one seat; None for what is not."""

    hand: list[str] | None
    discard: list[PiledCard] | None
    cemetery: list[PiledCard] | None
    coins: int


def read_seats(text: str) -> dict[str, Seat]:
    form = r"(p\d)(?:\[(.*?)\])?(?:\{(.*?)\})?(?:\((.*?)\))? +(\d+)"
    return {
        match[1]: Seat(
            None if match[2] is None else in_order(match[2].split(",") if match[2] else []),
            read_pile(match[3]),
            read_pile(match[4]),
            int(match[5]),
        )
        for match in re.finditer(form, text)
    }


def read_pile(words: str | None) -> list[PiledCard] | None:
    if words is None:
        return None
    return [PiledCard(word.rstrip("*"), word.endswith("*")) for word in words.split(",") if word]


def read_words(text: str) -> dict[str, str]:
    """`T43`, `next p2`, `marker p1`, `tour 2` and `manche 3`, as far as they are written."""
    words = dict(re.findall(r"\b(next|marker|tour|manche) (p\d\b(?! *\d)|\d+)", text))
    if treasury := re.search(r"\bT(\d+)", text):
        words["treasury"] = treasury[1]
    return words


class LocalTable(Table):
    """One game of the local variant, played from transcripts."""

    def __init__(self, position: str, script: Script = None, seed: str = "table", **options: object):
        seats, words = read_seats(position), read_words(position)
        given: dict[str, dict] = {"hands": {}, "discards": {}, "shown": {}, "lost": {}, "buried": {}}
        given["coins"] = {name: seat.coins for name, seat in seats.items()}
        for name, seat in seats.items():
            if seat.hand is not None:
                given["hands"][name] = seat.hand
            discard, cemetery = seat.discard or [], seat.cemetery or []
            given["discards"][name] = [pile.card for pile in discard]
            given["shown"][name] = [pile.card for pile in discard if pile.seen]
            given["lost"][name] = [pile.card for pile in cemetery if pile.seen]
            given["buried"][name] = [pile.card for pile in cemetery if not pile.seen]
        given |= {key: words[word] for word, key in (("next", "turn"), ("marker", "marker")) if word in words}
        if "tour" in words:
            given["tour"] = int(words["tour"])
        options = GAME.defaults() | options
        self._sit_down(Match(GAME, options, len(seats), given=given), Chance(seed, script))
        self.shows(position)

    @classmethod
    def dealt(cls, seats: int, script: Script = None, seed: str = "table", **options: object) -> "LocalTable":
        """Begin before the starter is known."""
        table = cls.__new__(cls)
        table._sit_down(Match(GAME, GAME.defaults() | options, seats), Chance(seed, script))
        return table

    def shows(self, text: str) -> "LocalTable":
        p, words = self.position, read_words(text)
        for name, seat in read_seats(text).items():
            number = seat_number(name)
            assert p.coins[number] == seat.coins, f"coins of {name}"
            if seat.hand is not None:
                assert p.hands[number] == seat.hand, f"hand of {name}"
            if seat.discard is not None:
                assert p.discards[number] == seat.discard, f"discard of {name}"
            if seat.cemetery is not None:
                assert sorted(p.cemeteries[number]) == sorted(seat.cemetery), f"cemetery of {name}"
        if "next" in words:
            assert self._at_boundary(), f"in the middle of a turn: {self.match.step}"
        found = {
            "next": seat_name(p.actor),
            "marker": seat_name(p.marker),
            "tour": str(p.tour + 1),
            "manche": str(p.manche),
            "treasury": str(p.treasury),
        }
        assert words.items() <= found.items()
        return self

    def check(self) -> None:
        """No coin and no card is lost, and no seat hears what it must not know."""
        p = self.position
        assert min(p.coins) >= 0
        if p.treasury is not None:
            assert p.treasury >= 0
            assert sum(p.coins) + p.treasury == p.options["treasury"]
        for seat in range(p.seats):
            assert Counter(cards_of(p, seat)) == Counter(OWN)
            assert p.hands[seat] == in_order(p.hands[seat])
        for step, _ in self.match.log:
            if isinstance(step, Tell):
                check_news(step)

    def turns(self) -> list[str]:
        """Whose turns there were so far."""
        return [line.split()[2] for line in self.news() if line.startswith("turn ")]

    def line(self, name: str, viewer: str | None = None) -> str:
        """The line of a seat in what a viewer sees; None sees everything."""
        lines = GAME.view(self.position, None if viewer is None else seat_number(viewer))
        return lines[1 + seat_number(name)]


def cards_of(p, seat: int) -> list[str]:
    """All five cards of a seat, wherever they are."""
    placed = [p.placed[seat].card] if p.placed[seat] else []
    return [*p.hands[seat], *placed, *(pile.card for pile in (*p.discards[seat], *p.cemeteries[seat]))]


def check_news(news: Tell) -> None:
    """Public news names a card only where a player said it, the rules turned it up, or all knew it (L23)."""
    head, *words = re.split(r"[ :+,=@]", news.text)
    if news.to is not ALL:
        assert head in SECRETS, f"{seat_name(news.to)} alone hears {news.text!r}"
        return
    assert "@" not in news.text
    if set(words) & set(OWN):
        known = head == "exchange" and "shown" in words
        assert head in CLAIMS + REVEALS or known, f"all players hear {news.text!r}"
