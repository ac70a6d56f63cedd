"""Answers of players, checked as the referee checks them."""

from arena.library.errors import IllegalAnswer
from arena.referee.judging import describe_illegal
from arena.rules import Choice
from arena.rules.match import Match


def check_answer(match: Match, seat: int, choice: Choice, word: object) -> str:
    """The legal answer that `word` means: itself, or the option with the same set.

    Raises:
        IllegalAnswer: There is no such answer.
    """
    if isinstance(word, str):
        if choice.accepts(word):
            return word
        if option := choice.same_set(word):
            return option
        reason = match.game.why_not(match.position, seat, choice, word)
        detail = describe_illegal(choice, word, reason=reason).removesuffix(f"; played {choice.default}")
    else:
        detail = f"answered {word!r} to {choice.kind}; an answer is a text, such as {choice.default!r}"
    raise IllegalAnswer(seat, word, detail)
