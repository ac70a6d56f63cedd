"""The conversation with a model at the table: its news and asks, as messages.

The first message contains the rules of the game and its options; each further one only changes: news, changed
lines of the state, and the question. The answer to a bad reply names its problem. The rules precede any text
that differs between seats, because many servers cache equal beginnings. With `rules: moment`, each section is
in the message of its first ask instead.

Each call sends the whole conversation. So if it exceeds the `context` of its spec, it restarts after its
first message, with the whole state, the latest news, and sections that are due again.
"""

import re
from collections import deque
from collections.abc import Sequence

from arena import games
from arena.models.spec import ModelSpec
from arena.programs.play.dialogue import Dialogue, section
from arena.programs.play.rules_text import aim, compact, whole_rules
from arena.rules import Game, seat_name

_MAX_REPEATED = 2000  # characters of its own reply, shown to a model again
_KEPT_NEWS = 60  # sentences, when a conversation restarts
_PER_TOKEN = 3  # characters, at least, in the words of a game
_NOTHING = "(nothing)"  # for an empty reply: some servers refuse an empty message
_MARKDOWN = "`*"  # around a word, or a part of it
_AROUND = " _\"'\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
_BEHIND = ".,;!"


class Conversation:
    """The messages between the arena and a model in one game. `words` are the options of the `game` line."""

    def __init__(self, spec: ModelSpec, dialogue: Dialogue, words: str):
        self._is_shown = spec.options == "shown"
        self._by_moment = spec.rules == "moment"
        self._most = spec.context * _PER_TOKEN  # characters
        self._dialogue = dialogue
        self._template = spec.prompt
        self.version = self._template.version
        self.messages: list[tuple[str, str]] = [("system", self._system(words))]
        self._news: list[str] = []
        self._latest: deque[str] = deque(maxlen=_KEPT_NEWS)  # news of earlier messages
        self._state: list[str] = []
        self._seen: frozenset[str] = frozenset()  # lines of the state
        self._headings: set[str] = set()  # of the rules shown so far

    def _system(self, words: str) -> str:
        dialogue = self._dialogue
        rules = "" if self._by_moment else whole_rules(dialogue.game)
        return self._template.render(
            "system",
            game=dialogue.game.name,
            seats=dialogue.referee.match.seats,
            you=seat_name(dialogue.seat),
            aim=aim(dialogue.game),
            pages=[rules] if rules else [],
            rules=words,
        )

    def hear(self, verb: str, rest: str) -> None:
        """Keep a line other than an ask for the next message."""
        if verb in ("event", "secret"):
            self._news.append(self._dialogue.prose.tell(rest))
        elif verb == "state":
            self._state.append(rest)
        elif verb == "error":
            self._news.append(f"Fault: {rest.split(' ', 3)[3]}.")

    def ask(self) -> None:
        """Add a message with the pending ask; a conversation that is too long restarts before."""
        if sum(len(text) for _, text in self.messages) > self._most:
            self._begin_anew()
        dialogue = self._dialogue
        self._add(
            "user",
            self._template.render(
                "ask",
                pages=self._new_rules() if self._by_moment else [],
                news=self._news,
                state=[line for line in self._state if line not in self._seen],
                question=dialogue.question,
                options=dialogue.options if self._is_shown else [],
                listed=self._is_list_enough,
                open=[how for _, how in dialogue.open],
            ),
        )
        self._latest.extend(self._news)
        self._seen, self._news, self._state = frozenset(self._state), [], []

    def _begin_anew(self) -> None:
        del self.messages[1:]
        self._headings.clear()
        self._seen = frozenset()
        self._news = [*self._latest, *self._news]
        self._latest.clear()

    @property
    def _is_list_enough(self) -> bool:
        """Whether a plain list of the options is enough, because none has a separate meaning."""
        return not any(meaning for _, meaning in self._dialogue.options)

    def _new_rules(self) -> list[str]:
        new = [heading for heading in self._dialogue.headings if heading not in self._headings]
        self._headings.update(new)
        page = games.page(self._dialogue.game) if new else ""
        return [compact(text) for heading in new if (text := section(page, heading))]

    def again(self, problem: str) -> None:
        """Add a message that asks again, because of the `problem` with the reply."""
        self._add("user", self._template.render("again", problem=problem))

    def note_reply(self, text: str) -> None:
        """Add a reply of the model."""
        self._add("assistant", text[:_MAX_REPEATED].strip() or _NOTHING)

    def _add(self, role: str, text: str) -> None:
        self.messages.append((role, text))

    # Legal answers

    @property
    def offered(self) -> Sequence[str]:
        """The options, if the model is shown them and no other word is legal; else ()."""
        choice = self._dialogue.choice
        return choice.options if self._is_shown and not choice.open else ()

    def legal_word(self, text: str) -> str:
        """The legal word that a text stands for, whatever the case of an option, or "".

        The text may have decorations that no option has, such as `**income**` or `income.`, or be the whole
        line of an option in the prompt, with its meaning.
        """
        options = self._dialogue.choice.options
        by_line = {f"{word}: {meaning}".casefold(): word for word, meaning in self._dialogue.options}
        item = text.removeprefix("- ")
        return by_line.get(item.casefold()) or self._word(text) or self._word(_bare(item, options))

    def _word(self, text: str) -> str:
        choice = self._dialogue.choice
        for word in (text, self._dialogue.prose.answer(text)):
            folded = word.casefold()
            for option in choice.options:
                if option.casefold() == folded:
                    return option
            if choice.accepts(word):
                return word
        return choice.same_set(text.casefold())

    def reason(self, text: str) -> str:
        """The reason why the rules refuse a text; "" if they cannot say."""
        return self._dialogue.reason(text)


def first_tokens(spec: ModelSpec, game: Game) -> int:
    """The approximate tokens of the rules in the first message; 0 if the rules are not in it."""
    is_first = spec.rules == "whole" and spec.prompt.uses("system", "pages")
    return len(whole_rules(game)) // _PER_TOKEN if is_first else 0


def _bare(text: str, options: Sequence[str]) -> str:
    """The text without Markdown, quotation marks, full stops and spaces, where no option has these."""
    used, edges = set("".join(options)), {each for word in options for each in (word[0], word[-1])}
    plain = "".join(each for each in text if each not in _MARKDOWN or each in used)
    around = "".join(set(_AROUND) - edges)
    plain = plain.strip(around).rstrip(around + "".join(set(_BEHIND) - edges))
    return re.sub(r" ?([:@+]) ?", r"\1", " ".join(plain.split()))
