"""A table to play written scenarios of Complots at.

A position is written as on a table: hidden cards in brackets, face-up cards in parentheses, then coins.

    p1[captain,duchess] 2   p2[contessa](assassin) 0   T52   court duchess2 captain1 ambassador3   next p2

A transcript has one line per answer and per thing that is to be seen. Words in parentheses are for the
reader. Players that are asked for a challenge or a block and have no line answer `pass`; anything else
that is asked without a line is an error.

    p1: captain:p2                              an action
    p2: challenge                               also pass, block:x, lose:x, keep:x+y, show:x, exam:x, draft:x,
                                                return:x+y
    asked block: p2                             exactly these seats are asked, in this order
    offered p2 block: pass block:contessa       this seat is offered exactly this, in this order
    ~ p1 shows captain, draw p1=assassin        what all players hear next; what chance gives
    p2 forfeits                                 found at the roll call before the next turn
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena.games.complots.game import GAME
from arena.games.complots.position import CARDS, deck, living
from arena.rules import ALL, Ask, Draw, RollCall, Tell, seat_name, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

Script = Mapping[str, Sequence[str]] | None

WINDOWS = ("challenge", "block")

PHRASES = (
    (r"(p\d) announces (\S+)", r"(?:claim|action) \1 \2"),
    (r"(p\d) challenges (p\d)", r"challenge \1 \2 \\S+"),
    (r"(p\d) shows (\S+)", r"proven \1 \2"),
    (r"(p\d) has no (\S+)", r"refuted \1 \2"),
    (r"(p\d) blocks with (\S+)", r"block \1 block:\2"),
    (r"(p\d) is blocked by (p\d)", r"blocked \1 \\S+ by=\2"),
    (r"(p\d) pays (\d+)", r"pay \1 \2"),
    (r"(p\d) takes (\d+)", r"take \1 \2"),
    (r"(p\d) steals (\d) from (p\d)", r"steal \1 \3 \2"),
    (r"(p\d) loses (\S+)", r"lose \1 \2 cause=\\w+"),
    (r"(p\d) is out with (\d+)", r"out \1 coins=\2"),
    (r"(p\d) forfeits", r"forfeit \1"),
    (r"(p\d) exchanges (\d)", r"exchange \1 \2"),
    (r"(p\d) takes back (\d) returns (\d)", r"exchange \1 \2 returned=\3.*"),
    (r"(p\d) examines (p\d): (\S+)", r"exam \1 \2 \3"),
    (r"(p\d)'s (\S+) fizzles", r"fizzle \1 \2"),
    (r"manche (\d+)", r"manche \1"),
)
"""What a transcript says after `~`, and the public news that it means."""

CLAIMS = ("claim", "challenge", "block", "blocked", "fizzle")
REVEALS = ("proven", "refuted", "lose")
"""The public news that may name a card: because a player said it, or because the rules turn it up."""

SECRETS = ("hand", "drawn", "shown")
"""The news for one seat."""


@dataclass
class Answer:
    seat: int
    kinds: tuple[str, ...]
    word: str


@dataclass
class Asked:
    kind: str
    seats: list[int]


@dataclass
class Offered:
    seat: int
    kind: str
    options: tuple[str, ...]


@dataclass
class Forfeit:
    seat: int


@dataclass
class Heard:
    """One line of news that all players hear."""

    phrase: str
    pattern: str


@dataclass
class Drawn:
    """Cards that a seat draws next."""

    seat: int
    cards: list[str] = field(default_factory=list)


Line = Answer | Asked | Offered | Forfeit | Heard | Drawn


def read_transcript(text: str) -> Iterator[Line]:
    for line in re.sub(r" *\(.*?\)", "", text).splitlines():
        line = line.strip()
        if line.startswith("~"):
            yield from map(read_result, line[1:].split(","))
        elif match := re.fullmatch(r"asked (\w+):(.*)", line):
            yield Asked(match[1], [seat_number(name) for name in match[2].split()])
        elif match := re.fullmatch(r"offered (p\d) (\w+):(.*)", line):
            yield Offered(seat_number(match[1]), match[2], tuple(match[3].split()))
        elif match := re.fullmatch(r"(p\d) forfeits", line):
            yield Forfeit(seat_number(match[1]))
        elif match := re.fullmatch(r"(p\d): (\S+)", line):
            yield Answer(seat_number(match[1]), *read_answer(match[2]))
        elif line:
            raise ValueError(f"cannot read {line!r}")


def read_answer(word: str) -> tuple[tuple[str, ...], str]:
    """The kinds of ask that a word may answer, and the token that it stands for."""
    head, _, rest = word.partition(":")
    if head in ("lose", "keep", "show", "exam", "draft", "return"):
        return (head,), rest
    if word == "pass":
        return WINDOWS, word
    return (head if head in WINDOWS else "action",), word


def read_result(phrase: str) -> Line:
    phrase = phrase.strip()
    if drawn := re.fullmatch(r"draw (p\d)=(\S+)", phrase):
        return Drawn(seat_number(drawn[1]), drawn[2].split("+"))
    for form, news in PHRASES:
        if match := re.fullmatch(form, phrase):
            return Heard(phrase, match.expand(news))
    raise ValueError(f"no phrase for {phrase!r}")


@dataclass
class Seen:
    """A position as it is written; None for what is not written."""

    hands: dict[str, list[str]]
    lost: dict[str, list[str]]
    coins: dict[str, int]
    treasury: int | None
    court: list[str] | None
    turn: str | None


def read_position(text: str) -> Seen:
    seen = Seen({}, {}, {}, None, None, None)
    for name, hidden, shown, coins in re.findall(r"(p\d)(?:\[(.*?)\])?(?:\((.*?)\))? +(\d+)", text):
        if hidden or shown:
            seen.hands[name] = in_order(hidden.split(",") if hidden else [])
            seen.lost[name] = shown.split(",") if shown else []
        seen.coins[name] = int(coins)
    if treasury := re.search(r"\bT(\d+)", text):
        seen.treasury = int(treasury[1])
    if court := re.search(r"\bcourt((?: +[a-z]{7,}\d*)+)", text):
        seen.court = []
        for card, copies in re.findall(r"([a-z]+)(\d*)", court[1]):
            seen.court += [card] * int(copies or 1)
    if turn := re.search(r"\bnext (p\d)", text):
        seen.turn = turn[1]
    return seen


def in_order(cards: Sequence[str]) -> list[str]:
    return sorted(cards, key=CARDS.index)


class Table:
    """One game of Complots, played from transcripts.

    `script` says what chance gives first, by purpose. Options are those of the game.
    """

    def __init__(self, position: str, script: Script = None, seed: str = "table", **options: object):
        """Begin at a turn from a written position; what is not written is not given."""
        seen = read_position(position)
        given: dict[str, object] = {"hands": seen.hands, "lost": seen.lost, "coins": seen.coins}
        if seen.court is not None:
            given["court"] = seen.court
        if seen.turn is not None:
            given["turn"] = seen.turn
        options = GAME.defaults() | options
        seats = len(seen.coins)
        self._sit_down(Match(GAME, options, seats, given=given), Chance(seed, script))
        self.shows(position)

    @classmethod
    def dealt(cls, seats: int, script: Script = None, seed: str = "table", **options: object) -> "Table":
        """Begin before the deal."""
        table = cls.__new__(cls)
        table._sit_down(Match(GAME, GAME.defaults() | options, seats), Chance(seed, script))
        return table

    def _sit_down(self, match: Match, chance: Chance) -> None:
        self.match, self._chance = match, chance
        self.asks: list[tuple[str, list[str]]] = []  # kind and seats of every ask that was answered
        self._lines: deque[Line] = deque()
        self._read = 0  # entries of the log that the transcript has been compared with
        self._let_chance_play()

    @property
    def position(self):
        return self.match.position

    def play(self, transcript: str) -> "Table":
        """Play to the end of the transcript, and on to the next turn boundary unless it ends on a look
        at what is asked."""
        self._lines = deque(read_transcript(transcript))
        looking = False
        self._let_chance_play()
        while self.match.step is not None:
            line = next((line for line in self._lines if not isinstance(line, Heard | Drawn)), None)
            if line is None and (looking or self._at_boundary()):
                break
            looking = isinstance(line, Asked | Offered)
            if isinstance(self.match.step, RollCall):
                self._call_the_roll()
            else:
                self._answer(line)
            self._let_chance_play()
        self._compare_results()
        assert not self._lines, f"the game is over before {self._lines[0]}"
        self.check()
        return self

    # Questions about the game

    def options(self, name: str) -> tuple[str, ...]:
        """What a seat is offered right now."""
        step = self.match.step
        assert isinstance(step, Ask), f"{step} instead of an ask"
        return step.choices[seat_number(name)].options

    def asked(self, kind: str) -> list[list[str]]:
        """The seats of every ask of this kind so far."""
        return [seats for asked, seats in self.asks if asked == kind]

    def news(self, name: str | None = None) -> list[str]:
        """The public news; with a seat all that it hears, its secrets too (A9)."""
        audience = (ALL,) if name is None else (ALL, seat_number(name))
        return [step.text for step, _ in self.match.log if isinstance(step, Tell) and step.to in audience]

    def secrets(self, name: str) -> list[str]:
        """The news that only this seat hears."""
        seat = seat_number(name)
        return [step.text for step, _ in self.match.log if isinstance(step, Tell) and step.to == seat]

    def draws(self, purpose: str) -> list[Draw]:
        """What chance was asked so far, for one purpose."""
        steps = (step for step, _ in self.match.log)
        return [step for step in steps if isinstance(step, Draw) and step.purpose == purpose]

    def over(self) -> tuple[int, ...]:
        """The places; the game has to be over, or to end without another ask."""
        while isinstance(self.match.step, RollCall):
            self.match.reply(())
        assert self.match.result is not None, f"the game goes on: {self.match.step}"
        return self.match.result[0]

    def shows(self, text: str) -> "Table":
        """Assert that the position is what is written, as far as it is written."""
        seen, p = read_position(text), self.position
        for name, coins in seen.coins.items():
            assert p.coins[seat_number(name)] == coins, f"coins of {name}"
        for name, hand in seen.hands.items():
            assert p.hands[seat_number(name)] == hand, f"hidden cards of {name}"
            assert sorted(p.lost[seat_number(name)]) == sorted(seen.lost[name]), f"lost cards of {name}"
        if seen.treasury is not None:
            assert p.treasury == seen.treasury, "treasury"
        if seen.court is not None:
            assert Counter(p.court) == Counter(seen.court), "court"
        if seen.turn is not None:
            assert self._at_boundary(), f"in the middle of a turn: {self.match.step}"
            assert seat_name(p.actor) == seen.turn, "next player"
        return self

    # One step

    def _at_boundary(self) -> bool:
        step = self.match.step
        if isinstance(step, Ask):
            return all(choice.kind == "action" for choice in step.choices.values())
        return isinstance(step, RollCall)

    def _let_chance_play(self) -> None:
        """Draws, from the transcript where it has them and otherwise from the seed."""
        while isinstance(step := self.match.step, Draw):
            outcome = self._chance.pick(step.purpose, step.outcomes)
            line = next((line for line in self._lines if not isinstance(line, Heard)), None)
            if step.purpose == "court" and isinstance(line, Drawn) and line.seat == step.to:
                outcome = line.cards.pop(0)
                if not line.cards:
                    self._lines.remove(line)
            self.match.reply(outcome)

    def _call_the_roll(self) -> None:
        absent = []
        if any(isinstance(line, Forfeit) for line in self._lines):
            self._compare_results()
        while self._lines and isinstance(self._lines[0], Forfeit):
            absent.append(self._lines.popleft().seat)
        self.match.reply(tuple(sorted(absent)))

    def _answer(self, line: Line | None) -> None:
        """Answer the ask, or look at it, as the line says; pass where it is about something later."""
        choices = self.match.step.choices
        kind = next(iter(choices.values())).kind
        if isinstance(line, Asked) and line.kind == kind:
            self._compare_results()
            self._lines.popleft()
            assert list(choices) == line.seats, f"asked for {kind}: {', '.join(map(seat_name, choices))}"
        elif isinstance(line, Offered) and line.kind == kind:
            self._compare_results()
            self._lines.popleft()
            assert line.seat in choices, f"{seat_name(line.seat)} is not asked for {kind}"
            assert choices[line.seat].options == line.options
        else:
            if isinstance(line, Answer) and kind in line.kinds and line.seat in choices:
                self._compare_results()
            answers = self._said(kind)
            for seat, choice in choices.items():
                assert seat in answers or kind in WINDOWS, f"{seat_name(seat)} is asked {choice}, not {line}"
            self.asks.append((kind, [seat_name(seat) for seat in choices]))
            self.match.reply(answers | {seat: "pass" for seat in choices if seat not in answers})

    def _said(self, kind: str) -> dict[int, str]:
        """The answers to this ask that come next in the transcript, in the order it has them."""
        answers: dict[int, str] = {}
        while self._lines and isinstance(line := self._lines[0], Answer):
            if kind not in line.kinds or line.seat not in self.match.step.choices or line.seat in answers:
                break
            answers[line.seat] = line.word
            self._lines.popleft()
        return answers

    def _compare_results(self) -> None:
        """What the transcript says was heard must have been, in this order."""
        log = self.match.log
        while self._lines and isinstance(line := self._lines[0], Heard | Drawn):
            assert isinstance(line, Heard), f"no player has drawn {line}"
            since = self._read
            while not self._next_is(line.pattern):
                self._read += 1
                news = [step.text for step, _ in log[since:] if isinstance(step, Tell)]
                assert self._read < len(log), f"nothing says {line.phrase!r}; the news is {news}"
            self._read += 1
            self._lines.popleft()

    def _next_is(self, pattern: str) -> bool:
        if self._read >= len(self.match.log):
            return False
        step = self.match.log[self._read][0]
        return isinstance(step, Tell) and step.to is ALL and bool(re.fullmatch(pattern, step.text))

    # What holds in every scenario

    def check(self) -> None:
        """No coin and no card is lost, and no seat hears what it must not know."""
        p = self.position
        assert min(p.coins) >= 0
        if p.treasury is not None:
            assert p.treasury >= 0
            assert sum(p.coins) + p.treasury == p.options["treasury"]
        assert Counter(all_cards(p)) == Counter(deck(p.seats, p.options["cast"]))
        for step, _ in self.match.log:
            if isinstance(step, Tell):
                check_news(step)
        if self._at_boundary():
            for seat in living(p):
                assert remembered_hand(self.match, seat) == p.hands[seat]
                assert len(p.hands[seat]) + len(p.lost[seat]) == 2


def all_cards(p) -> list[str]:
    return [*p.court, *p.aside, *(card for pile in (*p.hands, *p.lost) for card in pile)]


def check_news(news: Tell) -> None:
    """Public news names a card only where a player has said it or the rules turn it up (C53)."""
    head, *words = re.split(r"[ :+,=]", news.text)
    if news.to is not ALL:
        assert head in SECRETS, f"{seat_name(news.to)} alone hears {news.text!r}"
    elif set(words) & set(CARDS):
        assert head in CLAIMS + REVEALS, f"all players hear {news.text!r}"


def remembered_hand(match: Match, seat: int) -> list[str]:
    """What a seat holds as far as it can tell from the lines that it hears."""
    hand: list[str] = []
    for step, _ in match.log:
        if isinstance(step, Tell) and step.to in (ALL, seat):
            head, *words = step.text.split()
            if head == "hand":
                hand = words
            elif head == "lose" and words[0] == seat_name(seat):
                hand.remove(words[1])
    return hand
