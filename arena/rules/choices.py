"""Choices: the answers that a seat may give to an ask."""

from collections.abc import Callable, Mapping, Sequence
from typing import final


class RulesError(Exception):
    """Raised if the rules of a game break the contract of all games. The message is for their author."""


@final
class Choice:
    """The answers that one seat may give to one ask; `kind` and `context` head the ask line."""

    def __init__(
        self,
        kind: str,
        options: Sequence[str],  # single words, all legal
        # Maps the heads of further words (`offer` of `offer:5000:writer@10000`) to a function that returns
        # the problem of the whole word; empty if it is legal.
        open: Mapping[str, Callable[[str], str]] | None = None,
        **context: object,
    ):
        self.kind = kind
        self.options = tuple(options)
        self.open = open or {}
        self.sets = False
        self.context = context
        self._tail = ""
        self._like: Choice | None = None  # a choice with the same tail

    @classmethod
    def of_sets(cls, kind: str, options: Sequence[str], **context: object) -> "Choice":
        """A choice of sets: `a+b` is an option, and a bot may name its members in any order."""
        choice = cls(kind, options, None, **context)
        choice.sets = True
        return choice

    @staticmethod
    def in_context(
        kind: str,
        options: Sequence[str],
        open: Mapping[str, Callable[[str], str]] | None,
        context: dict[str, object],
    ) -> "Choice":
        """A choice that keeps `context` itself, not a copy: the caller must not change it afterwards."""
        choice = Choice(kind, options, open)
        choice.context = context
        return choice

    def with_open(self, open: Mapping[str, Callable[[str], str]]) -> "Choice":
        """A copy with other checks for the same open words. Both share the `tail`, which is made once."""
        choice = Choice(self.kind, self.options, open)
        choice.context, choice.sets, choice._like = self.context, self.sets, self
        return choice

    @property
    def default(self) -> str:
        """The answer of a seat that does not answer: the first option (A1)."""
        return self.options[0]

    def accepts(self, word: object) -> bool:
        """Whether a word is a legal answer: an option, or an open word whose check finds nothing wrong."""
        if word in self.options:
            return True
        if not self.open or not isinstance(word, str):
            return False
        check = self.open.get(word.partition(":")[0])
        return check is not None and not check(word)

    def refusal(self, word: str) -> str:
        """The problem of a word with a head of `open`; "" if it is legal, or has no such head."""
        check = None if word in self.options else self.open.get(word.partition(":")[0])
        return check(word) if check else ""

    def same_set(self, word: str) -> str:
        """The option with the members of a word such as `b+a`; "" if none, or in a choice without sets."""
        members = sorted(word.split("+"))
        equal = (option for option in self.options if sorted(option.split("+")) == members)
        return next(equal, "") if self.sets else ""

    @property
    def tail(self) -> str:
        """The end of the ask line: context, colon, options.

        Raises:
            RulesError: There is no option, two are equal, or a word has a space.
        """
        if self._like is not None:
            return self._like.tail
        if not self._tail:
            options, most = " ".join(self.options), len(self.options)
            if len(set(self.options)) < most or options.count(" ") >= most:
                raise RulesError(
                    f"the options of {self.kind} should be single words, all different: {self.options}"
                )
            self._tail = f"{self._context()}: {options}"
        return self._tail

    def _context(self) -> str:
        words = "".join([f"{key}={value} " for key, value in self.context.items()])
        return f"{words}open={','.join(self.open)} " if self.open else words

    def __repr__(self) -> str:
        return f"Choice({self.kind} {self._context()}: {' '.join(self.options)})"


def numbers(low: int, high: int, step: int = 1) -> tuple[str, ...]:
    """The numbers from `low` up to `high` at most, in steps of `step`, as options."""
    return tuple(map(str, range(low, high + 1, step)))
