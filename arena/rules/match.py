"""A match is the rules of a game and the replies so far; everything else is computed from these two.

Theory of operation: copies
---------------------------
A running coroutine cannot be copied, so a copy begins the rules anew and gives them the replies again.
That is cheap if the rules have passed a `Checkpoint`, where the position alone says how the game goes on. A
match keeps a copy of its position at one of its last checkpoints. The copy of a match begins from a copy of
that position, with the log up to there, and replays the replies since. The two matches share the entries of
the log, which never change.

Most matches are never copied. So a match keeps a position only after so many replies that the cost
disappears, and the first copy may have to replay that many. That copy keeps the position at every checkpoint
that it passes, and gives the last one to the original: a second copy replays only what came after it.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from hashlib import sha256
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any, Generic, NamedTuple

from arena.rules.choices import RulesError
from arena.rules.game import Game, Options, P, Result
from arena.rules.seats import SEAT_NAMES, seat_name, seat_number
from arena.rules.steps import ALL, Answers, Ask, Checkpoint, Draw, Reply, RollCall, Step, Tell

__all__ = ("Match", "replies_as_json", "reply_from_json")

_KEPT_EVERY = 32  # at least so many replies are between two kept positions


Pick = Callable[[str, Sequence[str]], str | None]
"""Picks the outcome of a draw, from its purpose and outcomes; None: it waits."""


def _none_absent() -> tuple[int, ...]:
    return ()


class _Kept(NamedTuple):
    """A position at a checkpoint, never changed, with the numbers of log entries and replies before it."""

    position: Any
    entries: int  # of the log
    replies: int


class Match(Generic[P]):
    """One game in progress, after these `replies`; `given` is the position of a setup file to begin from.

    Raises:
        ValueError: A reply is wrong.
        PositionError: The given position is impossible.
        RulesError: The rules end with a value that is not a `Result`.
    """

    def __init__(
        self,
        game: Game[P],
        options: Options,
        seats: int,
        replies: Iterable[Reply] = (),
        given: Mapping[str, Any] | None = None,
        copied: "Match[P] | None" = None,  # set by `copy`
    ):
        self.game, self.options, self.seats, self.given = game, options, seats, given
        self.replies: list[Reply] = []
        self.log: list[tuple[Step, Reply | None]] = []  # all steps in order; a `Tell` has no reply
        self.step: Draw | Ask | RollCall | None = None  # the rules wait for it; None: the game is over
        self.result: Result | None = None  # how it ended
        # The rules change `position` while they run; nothing else does.
        self.position: P
        self._kept: _Kept | None = None if copied is None else copied._kept
        if copied is not None and self._kept is not None:
            self.replies, self.log = copied.replies[: self._kept.replies], copied.log[: self._kept.entries]
            self.position = game.copy_position(self._kept.position)
        elif given is None:
            self.position = game.initial_position(seats, options)
        else:
            self.position = game.position_from_setup(seats, options, given)
        self._keep_at = len(self.replies) + _KEPT_EVERY  # the number of replies for the next kept position
        self._rules: Coroutine[Step | Checkpoint, Reply | None, Result] = game.rules(self.position, options)
        self._advance(None)
        for reply in replies:
            self.reply(reply)

    def reply(self, reply: Any) -> None:
        """Give the rules the `Reply` they wait for.

        Raises:
            ValueError: The reply is wrong; the match stays as it was.
            RulesError: The rules then end without a `Result`.
        """
        # Everything is checked before the rules go on: a coroutine cannot go back.
        step = self.step
        # `type is` and not isinstance: steps are final classes, and this is on the path of every answer.
        if type(step) is Ask:
            reply = _check_answers(step, reply)
        elif type(step) is Draw:
            if reply not in step.outcomes:
                raise ValueError(f"{reply!r} is not an outcome of {step.purpose}: {step.outcomes}")
        elif step is None:
            raise ValueError("the game is over")
        elif reply != ():  # a roll call, mostly without forfeits
            self._check_seats(reply)
        self.log.append((step, reply))
        self.replies.append(reply)
        self._advance(reply)

    def go_on(
        self,
        pick: Pick | None = None,
        absent: Callable[[], tuple[int, ...]] = _none_absent,
        answer: Callable[[Ask], Answers | None] | None = None,
    ) -> bool:
        """Give the rules the reply that the function for their step returns; False if there is none.

        `pick` replies to draws, `absent` to roll calls, `answer` to asks. Without a function, its steps wait.
        """
        step = self.step
        reply: Reply | None
        if type(step) is Ask:
            reply = answer(step) if answer else None
        elif type(step) is Draw:
            reply = pick(step.purpose, step.outcomes) if pick else None
        else:
            reply = absent() if step else None
        if reply is None:
            return False
        self.reply(reply)
        return True

    def drive(
        self,
        pick: Pick | None = None,
        absent: Callable[[], tuple[int, ...]] = _none_absent,
        answer: Callable[[Ask], Answers | None] | None = None,
    ) -> Draw | Ask | RollCall | None:
        """Go on (`go_on`) until a step waits, and return this step; None: the game is over."""
        # Most drivers wait at an ask.
        while (type(self.step) is not Ask or answer) and self.go_on(pick, absent, answer):
            pass
        return self.step

    def heard(self, seat: int | None, since: int = 0) -> list[Tell]:
        """The news that a seat has heard, from the entry `since` of the log on; for `ALL` the public news."""
        log = self.log[since:] if since else self.log
        return [step for step, _ in log if type(step) is Tell and step.reaches(seat)]

    def copy(self) -> "Match[P]":
        """A copy of this match. What happens later in one of the two does not change the other."""
        twin = Match(self.game, self.options, self.seats, (), self.given, self)
        twin._replay(self.replies)
        self._kept = twin._kept
        return twin

    def __copy__(self) -> "Match[P]":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "Match[P]":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Match, (self.game, self.options, self.seats, self.replies, self.given)

    @property
    def lines(self) -> list[str]:
        """The log as text, a line for each news, draw, answer and forfeit."""
        # A change of these lines changes the digests of games, and so needs a new version of all games.
        lines = []
        for step, reply in self.log:
            if type(step) is Tell:
                lines.append(f"{'all' if step.to is ALL else SEAT_NAMES[step.to]} {step.text}")
            elif type(step) is Draw:
                lines.append(f"draw {step.purpose} {reply}")
            elif isinstance(reply, dict):
                lines += [f"{SEAT_NAMES[seat]} answers {word}" for seat, word in reply.items()]
            elif isinstance(reply, tuple):
                lines += [f"forfeit {SEAT_NAMES[seat]}" for seat in reply]
        return lines

    def digest(self) -> str:
        """The SHA-256 of `lines` and a line with the result, in UTF-8 with newlines, as 64 hex digits."""
        lines = [*self.lines, f"end {self.result}", ""]
        return sha256("\n".join(lines).encode()).hexdigest()

    def _replay(self, replies: list[Reply]) -> None:
        """Play the replies that this match does not have yet, and keep the last position at a checkpoint."""
        first = len(self.replies)
        for reply in replies[first:]:
            if self.step is None:
                raise RulesError(f"the rules of {self.game.name} do not go on from a Checkpoint as they did")
            self._keep_at = first + 1  # keep every position
            self.log.append((self.step, reply))
            self.replies.append(reply)
            self._advance(reply)
        self._keep_at = len(replies) + _KEPT_EVERY

    def _advance(self, reply: Reply | None) -> None:
        log, send = self.log, self._rules.send
        try:
            # `send(None)` starts the coroutine; later it is the value of the `await` of a `Tell`.
            step = send(reply)
            while True:
                if type(step) is Tell:
                    log.append((step, None))
                elif type(step) is not Checkpoint:
                    break
                elif len(self.replies) >= self._keep_at:
                    self._keep_position()
                step = send(None)
            self.step = step
        except StopIteration as end:
            self.step, self.result = None, end.value
            # The rules may be from another package, so their result is checked like input from outside.
            if problem := _result_problem(end.value, self.seats):
                raise RulesError(f"the rules of {self.game.name} end with {end.value}: {problem}") from None

    def _keep_position(self) -> None:
        replies = len(self.replies)
        self._kept = _Kept(self.game.copy_position(self.position), len(self.log), replies)
        self._keep_at = replies + _KEPT_EVERY

    def _check_seats(self, seats: Any) -> None:
        """Raise ValueError if this is no reply to a roll call: a tuple of seats, each once and in order."""
        known = range(self.seats)
        if not isinstance(seats, tuple) or seats != tuple(seat for seat in known if seat in seats):
            raise ValueError(f"{seats!r} is not a tuple of seats, each once and in order")


def _result_problem(result: object, seats: int) -> str:
    """What is wrong with a value that should be a `Result`; "" if it is one."""
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[0], tuple):
        return "a result is a tuple of places, and a tuple of scores or None"
    places, scores = result
    for numbers in (places,) if scores is None else (places, scores):
        if not isinstance(numbers, tuple) or [type(number) for number in numbers] != [int] * seats:
            return f"places, and scores if not None, are tuples with a whole number for each of {seats} seats"
    if list(places) != [1 + sum(other < place for other in places) for place in places]:
        return "a place is 1 plus the number of seats that are better, so ties share: 1, 2, 2, 4"
    return ""


def _check_answers(step: Ask, answers: Any) -> Answers:
    """The answers in the order of the choices, unless it is a race.

    Raises:
        ValueError: An answer is missing or illegal.
    """
    choices = step.choices
    if not isinstance(answers, dict) or len(answers) != len(choices):
        raise ValueError(f"{answers!r} does not hold one answer of each of the seats {list(choices)}")
    # A referee has checked these answers, but the answers in a record from a file are unchecked.
    for seat, choice in choices.items():
        word = answers.get(seat)
        if word not in choice.options and not choice.accepts(word):
            raise ValueError(f"{seat_name(seat)} may not answer {word!r} to {choice}")
    # Replies are stored and compared, so their order must not depend on which bot was faster.
    if len(answers) > 1 and not step.race and list(answers) != list(choices):
        return {seat: answers[seat] for seat in choices}
    return answers


def reply_to_json(reply: Reply) -> str | dict[str, str] | list[str]:
    """The JSON value of a reply: an outcome is a string, answers are an object, forfeits a list of seats."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, dict):
        return {seat_name(seat): word for seat, word in reply.items()}
    return [seat_name(seat) for seat in reply]


def replies_as_json(replies: Iterable[Reply]) -> str:
    """The JSON text of the list of these replies, each in the form of `reply_to_json`."""
    # Every game of a run is stored, so this is one pass without intermediate values.
    texts = []
    for reply in replies:
        if isinstance(reply, dict):
            answers = [f'"{seat_name(seat)}":{_quoted(word)}' for seat, word in reply.items()]
            texts.append(f"{{{','.join(answers)}}}")
        elif isinstance(reply, str):
            texts.append(_quoted(reply))
        else:
            seats = [f'"{seat_name(seat)}"' for seat in reply]
            texts.append(f"[{','.join(seats)}]")
    return f"[{','.join(texts)}]"


def reply_from_json(value: object) -> Reply:
    """The reply with this JSON value.

    Raises:
        ValueError: The value is not a reply. The words of answers are not checked.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {seat_number(seat): word for seat, word in value.items()}
    if isinstance(value, list):
        return tuple(seat_number(seat) for seat in value)
    raise ValueError(f"{value!r} is not a reply")
