"""The checks of one random game. Each yields the problems that it finds."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from random import Random

from arena.referee.game_check.random_games import Options, play, random_reply
from arena.referee.protocol import MAX_LINE, ask_line, check_lines
from arena.rules import Ask, Draw, Game, Reply, RollCall, Tell, seat_name
from arena.rules.match import Match, replies_as_json, reply_from_json

WORDS = {"", " ", "nonsense", "pass pass", "p1", "None", "p99:p99@@", "a+b", "1e3", "-1", "é", "x" * MAX_LINE}
"""Answers that a bot may give at any time, and that no game expects."""

_MAX_STEPS = 20_000  # of a game; a longer one is reported as endless
_FIRST_STEPS = 3  # of each game: answers are checked there, and at random later steps
_MAX_REASON = 200  # characters of the reason against a word
_MAX_TIME = 1e6  # seconds: a time that makes an ask line as long as it can get


class Wrong(Exception):
    """A problem after which a check cannot go on."""


def ends(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that games end with random answers, and if all seats are silent and play first options (A1)."""
    # Silent seats may repeat themselves for ever, and random ones may undo their moves.
    for calm, how in ((1.0, "if all seats are silent"), (0.0, "with random answers")):

        def watch(match: Match, how: str = how) -> None:
            if len(match.replies) == _MAX_STEPS:
                raise Wrong(f"{how}, the game has not ended after {_MAX_STEPS} steps")

        play(game, options, seats, seed, calm=calm, watch=watch)
    yield from ()


def repeats(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that the replies determine the game, also after they were written as JSON and read."""
    match = play(game, options, seats, seed, forfeits=0.02)
    end = match.digest(), match.result
    again = Match(game, options, seats, match.replies)
    if (again.digest(), again.result) != end:
        yield "the same replies give another game"
    stored = json.loads(replies_as_json(match.replies))
    again = Match(game, options, seats, map(reply_from_json, stored))
    if (again.digest(), again.result) != end:
        yield "the replies as JSON give another game"


def copies(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that at every step a copy goes on like the original, and neither changes the other."""
    # Each step has two copies. One leaves the game by other answers. The second and the original get the same
    # reply. Then chance says in which of these two the game goes on.
    match, dice = play(game, options, seats, seed, forfeits=0.02), Random(seed)
    here = Match(game, options, seats)
    for reply in match.replies:
        stray, twin = here.copy(), here.copy()
        if _state_of(twin) != _state_of(here):
            raise Wrong(f"a copy is different at {here.step}; is a part of the position not copied?")
        stray.reply(random_reply(stray, dice))
        one, other = dice.sample((here, twin), 2)
        one.reply(reply)
        other.reply(reply)
        here = other
    if (here.digest(), here.result) != (match.digest(), match.result):
        yield "a copy of a game goes on differently, or changes the original"


def _state_of(match: Match) -> tuple[str, list[str], int, int]:
    # Before the deal a position may have nothing to view.
    view = match.game.view(match.position, None) if isinstance(match.step, Ask) else []
    return repr(match.step), view, len(match.log), len(match.replies)


def windows(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that the order of the answers of several seats makes no difference, except in a race."""
    match = play(game, options, seats, seed)
    again = Match(game, options, seats)
    for reply in match.replies:
        # In a race the order is what counts (C30).
        race = isinstance(again.step, Ask) and again.step.race
        again.reply(dict(reversed(reply.items())) if isinstance(reply, dict) and not race else reply)
    if again.digest() != match.digest():
        yield "answers that come in another order give another game"


def lines(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that news, states and asks are single lines that the protocol allows."""
    problems: list[str] = []

    def watch(match: Match) -> None:
        if isinstance(step := match.step, Ask):
            for seat, choice in step.choices.items():
                if seat not in range(seats):
                    problems.append(f"seat {seat} is asked, but there are {seats} seats")
                    continue
                state = [f"state {line}" for line in game.view(match.position, seat)]
                # These are the longest numbers: a long game with a large bank has no longer line.
                check([*state, ask_line(10**9, choice, _MAX_TIME, _MAX_TIME, _MAX_TIME)])

    def check(texts: list[str]) -> None:
        problems.extend(f"not one line of text: {text[:80]!r}" for text in texts if not text.isprintable())
        try:
            check_lines(texts)
        except ValueError as error:
            problems.append(str(error))

    match = play(game, options, seats, seed, forfeits=0.02, watch=watch)
    check([step.line for step, _ in match.log if isinstance(step, Tell)])
    check(game.view(match.position, None))  # the open table
    check(game.public_view(match.position) if game.public_view else [])
    yield from dict.fromkeys(problems)


def answers(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that options are different single words, and that each is accepted and nothing else."""
    # A late bot says words that were options earlier in the game.
    words, dice = set(WORDS), Random(seed)

    def watch(match: Match) -> None:
        step = match.step
        if isinstance(step, Ask):
            words.update(word for choice in step.choices.values() for word in choice.options)
        # Each check plays the game again for each option, so not every step is checked.
        if dice.random() < 0.05 or len(match.replies) < _FIRST_STEPS:
            if isinstance(step, Ask):
                _check_options(match, step)
                _check_reasons(match, step, words)
            _check_refusals(match, words)

    play(game, options, seats, seed, watch=watch)
    yield from ()


def _check_options(match: Match, step: Ask) -> None:
    choices = step.choices
    defaults = {seat: choice.default for seat, choice in choices.items()}
    for seat, choice in choices.items():
        if len(set(choice.options)) != len(choice.options):
            raise Wrong(f"{choice.kind}: an option is repeated: {' '.join(choice.options)}")
        for option in choice.options:
            if not re.fullmatch(r"[!-~]+", option):
                raise Wrong(f"{choice.kind}: the option {option!r} is not one word of ASCII")
            match.copy().reply(defaults | {seat: option})


def _check_reasons(match: Match, step: Ask, words: set[str]) -> None:
    """Raise Wrong if `why_not` changes the game, or returns anything but a short line."""
    # `why_not` is called in the middle of a game, whenever a bot has said something wrong.
    before = _Snapshot(match)
    for seat, choice in step.choices.items():
        for word in sorted(words - set(choice.options)):
            why = match.game.why_not(match.position, seat, choice, word)
            if not isinstance(why, str) or not why.isprintable() or len(why) > _MAX_REASON:
                raise Wrong(f"the reason against {word!r} should be a short line: {why!r}")
    if before.differs():
        raise Wrong(f"why_not changes the position at {step}")


def _check_refusals(match: Match, words: set[str]) -> None:
    """Raise Wrong if `Match.reply` accepts a wrong reply, or changes the match when it refuses one."""
    step, before = match.step, _Snapshot(match)
    for reply in _wrong_replies(match, words):
        try:
            match.reply(reply)
        except ValueError:
            continue
        raise Wrong(f"{reply!r} should be refused by {step}")
    if before.differs():
        raise Wrong(f"a refused answer to {match.step} changes the game")


class _Snapshot:
    """The state of a match, to compare with a later one. A position that has no `==` is left out."""

    def __init__(self, match: Match):
        self._match = match
        self._state = match.step, match.digest(), len(match.replies)
        copy = deepcopy(match.position)
        self._position = copy if copy == match.position else None

    def differs(self) -> bool:
        match = self._match
        if self._position is not None and self._position != match.position:
            return True
        return self._state != (match.step, match.digest(), len(match.replies))


def _wrong_replies(match: Match, words: set[str]) -> Iterator[Reply]:
    step = match.step
    if isinstance(step, Draw):
        yield from sorted(words - set(step.outcomes))
    if not isinstance(step, Ask):
        return
    defaults = {seat: choice.default for seat, choice in step.choices.items()}
    for seat, choice in step.choices.items():
        misspelt = {
            word for option in choice.options for word in (option.upper(), f"{option} ", f" {option}")
        }
        # Misspelt options: an answer that is nearly right must not pass as right.
        for word in sorted((words | misspelt) - set(choice.options)):
            if not choice.accepts(word) or not choice.open:  # open words are legal too
                yield defaults | {seat: word}
        yield {other: word for other, word in defaults.items() if other != seat}  # one answer is missing
    yield {}
    yield defaults | {match.seats: "pass"}  # a seat that there is not


def places(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that places fit the forfeits (A4, A5); `Match` checks that they fit each other."""
    match = play(game, options, seats, seed, forfeits=Random(seed).choice((0.0, 0.05, 0.3, 1.0)))
    assert match.result, "the game is over"
    found, _ = match.result
    rolls = [reply for step, reply in match.log if isinstance(step, RollCall) and isinstance(reply, tuple)]
    rolls = [roll for roll in rolls if roll]
    forfeited = [seat for roll in rolls for seat in roll]
    told = f"places {found}, forfeits in order {[[seat_name(seat) for seat in roll] for roll in rolls]}"
    if len(forfeited) == seats:
        if set(found) != {1}:
            yield f"all have forfeited, so all should tie (A5): {told}"
        return
    # A4 puts all forfeits below all other seats: the best forfeit is compared with the worst other seat.
    present = [found[seat] for seat in range(seats) if seat not in forfeited]
    if any(found[seat] <= max(present) for seat in forfeited):
        yield f"a forfeit should be below all that have not forfeited (A4): {told}"
    if any(len({found[seat] for seat in roll}) > 1 for roll in rolls):
        yield f"forfeits found at one roll call should tie (A5): {told}"
    if any(found[earlier[0]] <= found[later[0]] for earlier, later in pairwise(rolls)):
        yield f"a later forfeit should be better than an earlier one (A5): {told}"


def figures(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that marks are whole numbers for known seats, and that no share counts more than there was."""
    match = play(game, options, seats, seed, forfeits=0.02)
    before = match.digest()
    sums, known = Counter[tuple[str, int]](), game.counted
    for mark in game.observe(tuple(match.log)):
        name, seat, counted, of = mark
        if name not in known or seat not in range(seats):
            yield f"{mark}: an unknown figure or seat"
        elif not isinstance(counted, int) or not isinstance(of, int) or min(counted, of) < 0:
            yield f"{mark}: not counted in whole numbers from 0"
        else:
            sums[name, seat] += of - counted
    for (name, seat), left in sums.items():
        if not known[name].ratio and left < 0:
            yield f"{name} of {seat_name(seat)} counts more than there was"
    if match.digest() != before:
        yield "observe changes the log"


def prose(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that all news, asks, options and states of a game can be put in words for a person."""
    words, told = game.prose, dict[str, object]()

    def watch(match: Match) -> None:
        for seat in match.step.choices if isinstance(match.step, Ask) else ():
            for line in game.view(match.position, seat):
                for key, equals, value in [word.partition("=") for word in line.split(" ")]:
                    if equals:
                        told[f"cell {key}={value}"] = words.cell(key, value)

    match = play(game, options, seats, seed, forfeits=0.02, watch=watch)
    for step, _ in match.log:
        if isinstance(step, Tell):
            told[f"news {step.text}"] = words.tell(step.text)
        elif isinstance(step, Ask):
            for choice in step.choices.values():
                context = {key: str(value) for key, value in choice.context.items()}
                told[f"ask {choice.kind}"] = words.ask(choice.kind, context)
                told.update({f"option {each}": words.option(choice.kind, each) for each in choice.options})
    for what, said in told.items():
        if not isinstance(said, str) or (not said and what.startswith(("news", "ask"))):
            yield f"no words for {what}: {said!r}"
