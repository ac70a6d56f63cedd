"""A person's asks and possible answers at a table, for the terminal and the browser."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from arena import games
from arena.referee.fixture import to_json
from arena.referee.game_check.random_games import play
from arena.referee.referee import Referee
from arena.rules import Ask, Choice
from arena.rules.match import Match

FEW = 12  # options; more than these are not listed in a sentence
_GAMES = 24  # random games; a word in none of them is rare


class Dialogue:
    """One seat of a game, in the words of its `Prose`. It sees only the choice of its own seat."""

    def __init__(self, referee: Referee, seat: int):
        self.referee, self.seat = referee, seat
        self.game = referee.match.game
        self.prose = self.game.prose

    @property
    def is_asked(self) -> bool:
        return self.referee.waits_for(self.seat)

    @property
    def choice(self) -> Choice:
        choice = self.referee.seats[self.seat].choice
        assert choice, "text is read only for an ask"
        return choice

    @property
    def context(self) -> dict[str, str]:
        return {key: str(value) for key, value in self.choice.context.items()}

    @property
    def question(self) -> str:
        return self.prose.ask(self.choice.kind, self.context)

    @property
    def options(self) -> list[tuple[str, str]]:
        """Pairs of an option and its meaning, which is "" if the word says it."""
        choice = self.choice
        return [(word, self.prose.option(choice.kind, word)) for word in choice.options]

    @property
    def open(self) -> list[tuple[str, str]]:
        """Pairs for legal words that are not options: their head, such as `offer`, and how to type them."""
        return [(head, self.prose.open.get(head, head)) for head in self.choice.open]

    @property
    def has_amounts(self) -> bool:
        """Whether the options are amounts, which a person types instead of their numbers in a list."""
        return all(word.isdecimal() and not meaning for word, meaning in self.options)

    @property
    def absent(self) -> list[tuple[str, str]]:
        """Pairs of a word that this ask does not offer, unlike others of its kind, and the reason.

        Words for which the rules know no reason are left out.
        """
        # `captain:p2@duchess` is shown up to the `@`: the rest is a detail.
        if self.has_amounts:
            return []
        choice, match = self.choice, self.referee.match
        known = _vocabulary(match.game.name, to_json(dict(match.options)), match.seats, self.seat)
        there = {_head(option) for option in choice.options}
        found: dict[str, str] = {}
        for word in known.get(choice.kind, ()):
            head = _head(word)
            if head not in there and head not in found:
                found[head] = self._reason(word)
        return [(word, reason) for word, reason in found.items() if reason]

    def word(self, text: str) -> str:
        """The legal word that a text stands for: the word itself, or its number in the list; "" if none."""
        choice = self.choice
        for word in (text, text.lower(), self.prose.answer(text)):
            if choice.accepts(word):
                return word
        if not self.has_amounts and re.fullmatch("[0-9]{1,4}", text):
            number = int(text)
            return choice.options[number - 1] if 0 < number <= len(choice.options) else ""
        return choice.same_set(text.lower())

    def slip(self, text: str, advice: str) -> str:
        """The reason why a text is not an answer, or `advice` if no known rule forbids the text."""
        choice = self.choice
        for word in (text, self.prose.answer(text)):
            if reason := choice.refusal(word):
                return reason
            if reason := self._reason(word):
                few = self.has_amounts or len(choice.options) <= FEW
                return f"{reason}; possible: {amounts(choice.options)}" if few else reason
        if self.has_amounts:
            return f"{text!r} is none of them: {amounts(choice.options)}"
        return f"{text!r} is none of the options: {advice}"

    def reason(self, text: str) -> str:
        """The rule that refuses a text; "" if the rules know none."""
        for word in (text, self.prose.answer(text)):
            if reason := self.choice.refusal(word) or self._reason(word):
                return reason
        return ""

    def _reason(self, word: str) -> str:
        return self.game.why_not(self.referee.match.position, self.seat, self.choice, word)

    @property
    def headings(self) -> Sequence[str]:
        """The headings of the sections on the game's page with the rules of this ask."""
        return self.prose.sections.get(self.choice.kind, ())

    def rules(self) -> str:
        """The sections of the rule page that the ask is about, or the whole page if none are named."""
        page = games.page(self.game)
        found = [section(page, heading) for heading in self.headings]
        return "\n".join(found) or page


def amounts(options: Sequence[str]) -> str:
    return ", ".join(options if len(options) <= FEW else (*options[:3], "...", options[-1]))


def section(page: str, heading: str) -> str:
    """The section of a Markdown page with this heading, up to the next of its level or above, or ""."""
    start = re.search(rf"^(#+) {re.escape(heading)}\n", page, re.M)
    if not start:
        return ""
    end = re.compile(rf"^#{{1,{len(start[1])}}} ", re.M).search(page, start.end())
    return page[start.start() : end.start() if end else None]


def _head(word: str) -> str:
    return word.partition("@")[0]


@lru_cache(64)
def _vocabulary(name: str, options: str, seats: int, seat: int) -> Mapping[str, Sequence[str]]:
    """The words that random games with these options (JSON) offered to the seat, by kind of ask."""
    # The rules have no list of all words: their offers follow from the position. The random games are always
    # the same and independent of the current game, so the words reveal nothing about it.
    found: dict[str, dict[str, None]] = {}

    def watch(match: Match[Any]) -> None:
        if isinstance(match.step, Ask) and (choice := match.step.choices.get(seat)):
            found.setdefault(choice.kind, {}).update(dict.fromkeys(choice.options))

    game = games.find(name)
    assert game, "it is being played"
    for number in range(_GAMES):
        play(game, json.loads(options), seats, f"vocabulary/{number}", watch=watch)
    return {kind: tuple(words) for kind, words in found.items()}
