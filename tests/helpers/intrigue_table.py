"""A table to play written scenarios of Intrigue at, and what holds in every game of it.

A transcript has one line per answer and per thing that is to be seen. Words in parentheses are for the
reader. Players that are asked to talk and have no line answer `pass`; anything else that is asked without
a line is an error. Players that are asked at once have their lines one after the other, in any order.

    p4: bribe 8000                              the next ask is to p4, for a bribe, and this is the answer
    p2: place 1000                              also decide, send, talk
    offered p2 place: 1000 3000 10000           p2 is asked next, and offered exactly this, in this order
    ~ lodge p2 p4.writer 1000                   what all players hear next, apart from the talk
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from arena.games.intrigue.game import GAME
from arena.games.intrigue.position import TYPES, ZONES
from arena.rules import ALL, Ask, Choice, Draw, RollCall, Tell, seat_name, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

Given = Mapping[str, Any]


class Table:
    """One game of Intrigue, played from transcripts."""

    def __init__(
        self, seats: int, given: Given | None = None, script: Given | None = None, **options: object
    ):
        """Begin at a turn of a given position, or before everything."""
        options = GAME.defaults() | options
        self.match, self._chance = Match(GAME, options, seats, given=given), Chance("table", script)
        self.asks: list[tuple[str, str]] = []  # kind and seat of everything that was answered
        self._heard = 0  # public news that transcripts have been compared with
        self._sealed: dict[int, str] = {}  # what has been said to an ask that not all have answered
        self._go_on()

    @property
    def position(self):
        return self.match.position

    @property
    def money(self) -> list[int]:
        return self.position.money

    def play(self, transcript: str) -> "Table":
        for line in re.sub(r" *\(.*?\)", "", transcript).splitlines():
            line = line.strip()
            if line.startswith("~"):
                self._hear(line[1:].strip())
            elif match := re.fullmatch(r"offered (p\d) (\w+):(.*)", line):
                assert self.choice(match[1], match[2]).options == tuple(match[3].split())
            elif match := re.fullmatch(r"(p\d): (\w+) (\S+)", line):
                self.answer(*match.groups())
            elif line:
                raise ValueError(f"cannot read {line!r}")
        if self._sealed:
            self._close_window()
        check_position(self.match)
        return self

    def answer(self, name: str, kind: str, word: str) -> None:
        choice = self.choice(name, kind)
        if word.startswith(("accept:", "reject:")) and word not in choice.options:
            self._close_window()  # it waits for the offer, which comes with the other words of this window
            choice = self.choice(name, kind)
        assert choice.accepts(word), f"{name} may not answer {word!r} to {choice}: {choice.refusal(word)}"
        self.asks.append((kind, name))
        self._sealed[seat_number(name)] = word
        if self._sealed.keys() == self.match.step.choices.keys():
            self._close_window()

    def choice(self, name: str, kind: str) -> Choice:
        """What this seat is asked next: alone, or to talk at the same time as others."""
        self._pass_over_talk(kind, seat_number(name))
        step = self.match.step
        assert isinstance(step, Ask), f"{step} instead of an ask"
        asked = [(seat_name(seat), choice.kind) for seat, choice in step.choices.items()]
        assert (name, kind) in asked, f"{asked} are asked"
        return step.choices[seat_number(name)]

    def asked(self, kind: str) -> list[str]:
        """The seats of every ask of this kind so far."""
        return [name for known, name in self.asks if known == kind]

    def next_asked(self) -> tuple[str, str]:
        """The seat asked next, and the kind of the ask; talk is passed over."""
        self._pass_over_talk("")
        ((seat, choice),) = self.match.step.choices.items()
        return seat_name(seat), choice.kind

    def news(self, name: str | None = None) -> list[str]:
        """The public news; with a seat all that it hears (A9)."""
        audience = (ALL,) if name is None else (ALL, seat_number(name))
        return [step.text for step, _ in self.match.log if isinstance(step, Tell) and step.to in audience]

    def last_news(self, head: str) -> str:
        return next(text for text in reversed(self.news()) if text.split()[0] == head)

    def castle(self, name: str) -> dict[int, str]:
        return {
            zone: str(advisor) for zone, advisor in sorted(self.position.castles[seat_number(name)].items())
        }

    def candidates(self, name: str) -> list[str]:
        return [str(advisor) for advisor in self.position.candidates[seat_number(name)]]

    @property
    def island(self) -> list[str]:
        return sorted(map(str, self.position.island))

    def finish(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Play on with first options to the end."""
        while self.match.step is not None:
            self._close_window()
        check_position(self.match)
        return self.match.result

    def _go_on(self) -> None:
        while isinstance(step := self.match.step, Draw | RollCall):
            draw = isinstance(step, Draw)
            self.match.reply(self._chance.pick(step.purpose, step.outcomes) if draw else ())

    def _close_window(self) -> None:
        """Seats without a line get their first options."""
        defaults = {seat: choice.default for seat, choice in self.match.step.choices.items()}
        sealed, self._sealed = self._sealed, {}
        self.match.reply(defaults | sealed)
        self._go_on()

    def _pass_over_talk(self, kind: str, seat: int | None = None) -> None:
        """To the next ask of another kind; or of the others, where this seat is to talk and is not asked."""
        while isinstance(step := self.match.step, Ask):
            if {choice.kind for choice in step.choices.values()} != {"talk"}:
                break
            if kind == "talk" and (
                len(step.choices) == 1 or seat in step.choices.keys() - self._sealed.keys()
            ):
                break
            self._close_window()

    def _hear(self, text: str) -> None:
        if text not in self.news()[self._heard :]:
            self._pass_over_talk("")
        news = self.news()
        assert text in news[self._heard :], f"nothing says {text!r}; the news is {news[self._heard :]}"
        self._heard = news.index(text, self._heard) + 1


def legal(choice: Choice, *words: str) -> list[bool]:
    return [choice.accepts(word) for word in words]


# Random play with random talk

Talker = Callable[[Match, int, Choice, Random], str]


def talk_at_random(match: Match, seat: int, choice: Choice, dice: Random) -> str:
    """Anything that may be said, in every form that is open; in vain attempts it passes."""
    form = dice.choice(["pass", "option", *choice.open, *choice.open])
    if form == "option":
        return dice.choice(choice.options)
    attempts = [form if form == "pass" else random_word(match.seats, form, dice) for _ in range(12)]
    return next((word for word in attempts if choice.accepts(word)), "pass")


def random_word(seats: int, form: str, dice: Random) -> str:
    """A message or a text by the grammar, which not every seat may say at every time."""
    names = [seat_name(seat) for seat in range(seats)]
    to = dice.choice(["", *names, *names])
    if form == "say":
        return f"say:{to or 'all'}:{dice.choice(['hello', 'na%C3%AFve%3A%20oui', '%E4%BD%A0%E5%A5%BD'])}"
    terms = [random_promise(names, dice) for _ in range(dice.choice([0, 1, 1, 2, 4]))]
    if not terms or dice.random() < 0.3:
        terms.insert(0, f"{dice.choice([1, 2, 5, 12, 40])}000")
    return ":".join([form, *filter(None, [to]), *terms])


def random_promise(names: list[str], dice: Random) -> str:
    by = dice.choice(["", "", *(f"{name}/" for name in names)])
    kind, name, zone = dice.choice(TYPES), dice.choice(names), dice.choice(ZONES)
    if dice.random() < 0.1:
        return f"{by}pay={dice.choice([1, 4, 20])}000@{name}"
    if dice.random() < 0.3:
        return by + dice.choice(["send=", "spare="]) + dice.choice(["", f"{kind}@"]) + name
    who = dice.choice([kind, name, f"{name}.{kind}"])
    place = dice.choice([f"{who}@{zone}"] * 3 + [f"!{who}@{zone}", f"!{who}"])
    return f"{by}{dice.choice(['', 'turn=', 'next='])}{place}"


def play_talking(
    options: Given,
    seats: int,
    seed: str,
    given: Given | None = None,
    watch: Callable[[Match], None] = lambda match: None,
    talker: Talker = talk_at_random,
) -> Match:
    """A random game in which all players talk."""
    match, chance, dice = Match(GAME, options, seats, given=given), Chance(seed), Random(seed)
    while (step := match.step) is not None:
        watch(match)
        if isinstance(step, Draw):
            match.reply(chance.pick(step.purpose, step.outcomes))
        elif isinstance(step, RollCall):
            match.reply(())
        else:
            match.reply(
                {
                    seat: talker(match, seat, choice, dice)
                    if choice.kind == "talk"
                    else dice.choice(choice.options[:12])
                    for seat, choice in step.choices.items()
                }
            )
    watch(match)
    return match


# What holds in every game


def check_position(match: Match) -> None:
    """Pieces, places and money, at any moment."""
    p = match.position
    assert all(amount >= 0 and amount % 1000 == 0 for amount in p.money)
    for seat, castle in enumerate(p.castles):
        assert set(castle) <= set(ZONES)
        assert len({advisor.type for advisor in castle.values()}) == len(castle)  # I10
        assert all(advisor.owner != seat for advisor in [*castle.values(), *p.candidates[seat]])  # I34
    half_sent = isinstance(match.step, Ask) and any("first" in c.context for c in match.step.choices.values())
    pieces = Counter(
        [*p.island]
        + [advisor for castle in p.castles for advisor in castle.values()]
        + [advisor for some in p.candidates for advisor in some]
        + [(seat, kind) for seat, kinds in enumerate(p.reserves) for kind in kinds]
    )
    assert sum(pieces.values()) == 8 * p.seats - half_sent
    assert max(pieces.values()) <= 2
    if match.result is not None:
        assert not any(p.candidates) or match.given is not None  # GI-01
        assert not p.book


class IntrigueCheck:
    """Money, places and asks of one game; called at every step."""

    def __init__(self) -> None:
        self.zones: dict[tuple[int, str], int] = {}
        self.turn, self.asks, self.talks = 0, 0, 0
        self.read, self.bank = 0, 0
        self.money: int | None = None

    def __call__(self, match: Match) -> None:
        p, options, step = match.position, match.options, match.step
        check_position(match)
        self._read_news(match)
        self.money = sum(p.money) - self.bank if self.money is None else self.money
        assert sum(p.money) == self.money + self.bank
        if match.given is None:
            assert self.money == 32000 * p.seats
        for seat, castle in enumerate(p.castles):
            for zone, advisor in castle.items():
                assert self.zones.setdefault((seat, advisor.type), zone) == zone  # I10
        if isinstance(step, Ask):
            kinds = [choice.kind for choice in step.choices.values()]
            self.talks += kinds.count("talk")
            self.asks += len(kinds) - kinds.count("talk")
        assert self.asks <= 8 * (p.seats - 1) + 12
        press = options["press"]
        payment = options["talk_rounds"] * {0: 0, 1: 2}.get(press, p.seats)  # turns to speak
        once = p.seats if press > 1 else 0  # before a decision and before sending
        offers = self.payments * payment + (self.stages + 1) * once
        assert self.talks <= 2 * offers  # each with an answer

    payments = 1  # that have begun in this turn, at most
    stages = 0

    def _read_news(self, match: Match) -> None:
        """What the bank has paid, and where a turn begins."""
        for step, _ in match.log[self.read :]:
            if isinstance(step, Tell):
                words = step.text.split()
                if words[0] == "turn":
                    self.asks = self.talks = 0
                    self.payments, self.stages = 1, 0
                self.stages += words[0] == "stage"
                if words[0] == "bribe":
                    self.payments += 1
                    self.bank += int(words[3]) if "by=bank" in words else 0
                if words[0] == "income":
                    self.bank += int(words[2])
        self.read = len(match.log)
