"""Checks of secrets: worlds that differ only in what one seat has drawn look alike to all others."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random

from arena.referee.game_check.checks import WORDS, Wrong
from arena.referee.game_check.random_games import Options, play
from arena.rules import ALL, SEAT_NAMES, Ask, Choice, Draw, Game, Reply, RollCall, Tell, seat_name
from arena.rules.match import Match

_Seen = tuple[str, str, list[str], list[str]]  # kind and tail of an ask, state, reasons
_SPECTATOR = -1  # hears what is told to all, and sees the public view


class _Leak(Wrong):
    """A seat can tell two worlds apart that differ only in what it must not know."""


def draws(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that before the next answer no other seat hears or sees which card a seat has drawn."""
    # Only a card that its owner has to turn up without being asked is revealed (A7), by news that the game
    # declares in `reveals`.
    match, dice = play(game, options, seats, seed), Random(seed)
    steps = [step for step, _ in match.log if not isinstance(step, Tell)]
    hidden = [k for k, step in enumerate(steps) if isinstance(step, Draw) and not step.reaches(ALL)]
    # Each draw costs two games up to there, and a leak seldom shows in only one draw. So a few are enough.
    for k in dice.sample(hidden, min(8, len(hidden))):
        draw = steps[k]
        assert isinstance(draw, Draw)
        others = [outcome for outcome in draw.outcomes if outcome != match.replies[k]]
        outcomes = match.replies[k], dice.choice(others or [str(match.replies[k])])
        # The same game once more, with each of the two outcomes; then what follows in the original.
        worlds = [Match(game, options, seats, match.replies[:k]) for _ in outcomes]
        later = match.replies[k + 1 :]
        here, there = (_until_asked(*pair, later) for pair in zip(worlds, outcomes, strict=True))
        if here is None or there is None:  # in one world a card that is drawn later is not left
            continue
        since = next(number for number, entry in enumerate(match.log) if entry[0] is draw)
        # Both worlds have the same news before the draw, so only news since then can differ.
        for seat in (*sorted({*range(seats)} - {draw.to}), _SPECTATOR):
            try:
                if not _may_tell_apart(here, there, seat, since):
                    _compare_seen(here, there, seat)
            except _Leak as leak:
                yield f"drawn is {outcomes[0]} or {outcomes[1]}, hidden from {_name(seat)}: {leak}"
                break  # the others hear the same


def _until_asked(match: Match, outcome: Reply, later: Sequence[Reply]) -> Match | None:
    """Play `outcome` and `later` replies up to an ask. Returns the match; None: a reply is impossible."""
    for reply in (outcome, *later):
        if isinstance(match.step, Ask | None):
            break
        if isinstance(match.step, Draw) and reply not in match.step.outcomes:
            return None
        match.reply(reply)
    return match


def _heard(match: Match, seat: int, since: int = 0) -> list[str]:
    """The news that a seat has heard, from the entry `since` of the log on."""
    return [news.text for news in match.heard(seat, since)]


def _name(seat: int) -> str:
    return "a spectator" if seat == _SPECTATOR else seat_name(seat)


def _seen(match: Match, seat: int) -> _Seen | None:
    """Kind and tail of the ask to a seat, its state, and reasons against words; None if it is not asked."""
    if not isinstance(match.step, Ask) or seat not in match.step.choices:
        return None
    choice = match.step.choices[seat]
    view = match.game.view(match.position, seat)
    return choice.kind, choice.tail, view, _reasons(match, seat, choice, view)


def _reasons(match: Match, seat: int, choice: Choice, view: Sequence[str]) -> list[str]:
    """What `why_not` returns for the words that a seat can make from what it reads."""
    parts = {part for option in choice.options for part in re.split("[:@+]", option)}
    # Some words name a seat: a reason such as "p2 has no coins" may reveal a secret.
    aimed = {f"{part}:{name}" for part in parts for name in SEAT_NAMES[: match.seats]}
    words = parts | aimed | WORDS | {word for line in view for word in re.split("[ ,=]", line)}
    return [match.game.why_not(match.position, seat, choice, word) for word in sorted(words)]


def _compare_seen(here: Match, there: Match, seat: int) -> None:
    """Raise _Leak if a seat sees or is asked different things in two worlds, or the public view differs."""
    # A spectator may not see more than a seat: the public view has only what each seat knows.
    _compare_public(here, there, seat)
    one, other = _seen(here, seat), _seen(there, seat)
    if one is None or other is None:
        if one is not other:
            raise _Leak(f"{_name(seat)} sees that it is asked, or is not")
        return
    for pair in zip(one, other, strict=True):
        lines = zip_longest(*pair) if isinstance(pair[0], list) else [pair]
        if different := [words for words in lines if words[0] != words[1]]:
            raise _Leak(f"{_name(seat)} sees {different[0][0]!r} or {different[0][1]!r}")


def _compare_public(here: Match, there: Match, seat: int) -> None:
    """Raise _Leak if the public view differs in two worlds that are the same to a seat."""
    view = here.game.public_view
    if view is None or any(not isinstance(match.step, Ask | None) for match in (here, there)):
        return  # a position has a view only when seats are asked, and at the end
    for one, other in zip_longest(view(here.position), view(there.position)):
        if one != other:
            raise _Leak(f"the public view has {one!r} or {other!r}, the same to {_name(seat)}")


def _compare_views(here: Match, there: Match, seat: int) -> None:
    """Raise _Leak if a seat that watches while others are asked, as people do, sees different states."""
    views = [world.game.view(world.position, seat) for world in (here, there)]
    for lines in zip_longest(*views):
        if lines[0] != lines[1]:
            raise _Leak(f"{seat_name(seat)} sees {lines[0]!r} or {lines[1]!r} while others are asked")


def _may_tell_apart(here: Match, there: Match, seat: int, since: int) -> bool:
    """Whether a seat has heard different news in two worlds. _Leak: of a kind that is not in `reveals`."""
    both = zip_longest(_heard(here, seat, since), _heard(there, seat, since), fillvalue="silence")
    for first, second in both:
        # Only the first difference counts: later ones may follow from it.
        if first != second:
            if not {first.split()[0], second.split()[0]} <= here.game.reveals:
                heard = f"{first!r} or {second!r}"
                raise _Leak(f"{_name(seat)} hears {heard}, which no news in `reveals` tells")
            return True
    return False


def equal_news(game: Game, options: Options, seats: int, seed: str) -> Iterator[str]:
    """Check that two games in which a seat has heard the same look the same to it, and ask the same seats.

    For a spectator only the public views are compared, because the seats may all know more.
    """
    # The two worlds differ only in draws of the others. They go on with equal answers until the rules
    # themselves treat them differently. If other seats were asked, time would reveal it (C54).
    dice = Random(seed)
    seat = dice.randrange(_SPECTATOR, seats)  # must not see a difference between the worlds
    worlds: tuple[Match, Match] | None = Match(game, options, seats), Match(game, options, seats)
    try:
        while worlds:
            _compare_worlds(*worlds, seat)
            goes_on = worlds[0].step is not None and _ask_alike(*worlds)
            worlds = _next_worlds(*worlds, seat, dice) if goes_on else None
    except _Leak as leak:
        yield f"{leak}, but what it has heard before is equal"


def _ask_alike(here: Match, there: Match) -> bool:
    """Whether both worlds wait for the same kind of step by the same seats. If not, the walk is over."""
    asked = [step.choices.keys() if isinstance(step, Ask) else {} for step in (here.step, there.step)]
    return type(here.step) is type(there.step) and asked[0] == asked[1]


def _compare_worlds(here: Match, there: Match, seat: int) -> None:
    if seat == _SPECTATOR:
        _compare_public(here, there, seat)
        return
    name = seat_name(seat)
    if _heard(here, seat) != _heard(there, seat) or type(here.step) is not type(there.step):
        raise _Leak(f"{name} can tell from the course of the game what was drawn")
    _compare_seen(here, there, seat)
    # Only the kinds: the options of the others may follow from their own cards.
    if isinstance(here.step, Ask) and isinstance(there.step, Ask):
        _compare_views(here, there, seat)
        kinds = [
            {other: choice.kind for other, choice in step.choices.items()} for step in (here.step, there.step)
        ]
        if kinds[0] != kinds[1]:
            raise _Leak(f"{name} can tell from which seats are asked: {kinds[0]} or {kinds[1]}")


def _next_worlds(here: Match, there: Match, seat: int, dice: Random) -> tuple[Match, Match] | None:
    """Both worlds one step on, by replies that show the seat no difference; None if a few tries find none."""
    since = len(here.log)
    # If a challenge succeeds in one world and fails in the other, the seat hears a difference. Another answer
    # may show none. Without further tries most walks would end at the first challenge.
    for _ in range(6):
        replies = _replies_for_both(here, there, seat, dice)
        if replies is None:
            return None
        for world, reply in zip((here, there), replies, strict=True):
            world.reply(reply)
        if not _may_tell_apart(here, there, seat, since):
            return here, there
        here, there = _one_reply_back(here), _one_reply_back(there)  # a copy before each step would cost more
    return None


def _one_reply_back(match: Match) -> Match:
    return Match(match.game, match.options, match.seats, match.replies[:-1], match.given)


def _replies_for_both(here: Match, there: Match, seat: int, dice: Random) -> tuple[Reply, Reply] | None:
    """A reply for each world: equal if possible, but what only others learn is drawn separately.

    None: the seat learns what is drawn, and the worlds have no outcome in common.
    """
    step, twin = here.step, there.step
    if isinstance(step, Draw) and isinstance(twin, Draw):
        if not step.reaches(seat):  # here the worlds part
            return dice.choice(step.outcomes), dice.choice(twin.outcomes)
        common = [outcome for outcome in step.outcomes if outcome in twin.outcomes]
        return (dice.choice(common),) * 2 if common else None
    if not isinstance(step, Ask) or not isinstance(twin, Ask):
        assert isinstance(step, RollCall), "the worlds wait for the same kind of step"
        return (), ()
    answers: tuple[dict[int, str], dict[int, str]] = {}, {}
    for other, choice in step.choices.items():
        options = choice.options, twin.choices[other].options
        common = [option for option in options[0] if option in options[1]]
        # The first option is as likely as all others together, because games of passes last longer.
        same = dice.choice([common[0]] * len(common) + common) if common else None
        for number in (0, 1):
            answers[number][other] = same or dice.choice(options[number])
    return answers
