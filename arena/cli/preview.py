"""What a plan will play, before it does: the field, the first line-ups, and about how long it takes."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import dropwhile, islice, takewhile
from time import monotonic
from typing import Any

from arena.core.bot import bot_from_path
from arena.core.config import ConfigError
from arena.core.values import MB
from arena.formats.plan import WAIT, Plan
from arena.play.build import build
from arena.play.table import Table
from arena.records.deals import WARNING, deal
from arena.records.fixture import Fixture
from arena.referee.protocol import shown
from arena.report.grid import folded, grid
from arena.sandbox.policy import choose
from arena.tournament import schedule
from arena.tournament.ladder import Entries

FIRST = 5  # line-ups that are shown
MOST = 1000  # games that are looked at for them
TRIAL = 2.0  # seconds after which no game of the trial begins any more
LONGEST = 5.0  # seconds after which one is cut off
SECRET = "trial"  # of its deals: bots must not see those of the run beforehand
SEEDS = {
    "drawn": "secret: drawn when the run begins",
    "secret": "secret: the seed of the plan",
    "guessable": WARNING,
}
UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


@dataclass(frozen=True)
class Trial:
    """So many games were played in so many seconds, one after another, with so many faults.

    `cut` more have not ended in time; of the tables with the numbers of seats in `unfinished` none has.
    `each` is the time of a game of the plan, at least: tables of several sizes count as often as they are
    played. The part of a game that was cut off counts as time of the others, as is right for times that
    are as good as exponential (Epstein and Sobel 1953, J. Am. Stat. Assoc. 48:486).
    """

    games: int
    seconds: float
    faults: int
    each: float
    cut: int = 0
    unfinished: tuple[int, ...] = ()


class TimeUp(BaseException):
    """Raised in the middle of a game; no `except` on its way takes it for an error."""


def with_entries(plan: Plan) -> Plan:
    """A ladder's plan with the bots that are in its folder now. ConfigError: one of them is none."""
    if plan.folder is None:
        return plan
    found = Entries(plan.folder).look()
    return replace(plan, bots={name: bot_from_path(name, path) for name, (path, _) in found.items()})


def first_games(plan: Plan) -> Iterator[Fixture]:
    """The games that need no results of others, with any seed if the plan has none."""
    if len(plan.bots) >= max(plan.seats):
        seeded = replace(plan, seed=SECRET if plan.seed is None else plan.seed)
        due = dropwhile(lambda game: game is WAIT, schedule.due(seeded, {}))  # a ladder's begins so
        yield from takewhile(lambda game: game is not WAIT, due)


def lineups(plan: Plan) -> list[tuple[str, ...]]:
    """The first ones, as they sit in their first games."""
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for game in islice(first_games(plan), MOST):
        found.setdefault(frozenset(game.bots), game.bots)
        if len(found) == FIRST:
            break
    return list(found.values())


def trial(plan: Plan, now: Callable[[], float] = monotonic) -> Trial | None:
    """Play the first games of each size for a short time; None if there are none.

    ConfigError: a bot cannot be built or started.
    """
    sandbox = choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
    build(plan.bots.values(), sandbox)
    sizes, tried = [replace(plan, seats=(seats,)) for seats in plan.seats], []
    with Table(plan.bots, plan.run.reuse, sandbox) as table:
        for size in sizes:
            for name, words in table.greet(
                plan.conditions.clock.start
            ).items():  # also those that were cut off
                raise ConfigError(f"bot {name}: {words} ({' '.join(plan.bots[name].command)})")
            tried.append(play_some(size, table, 1 / len(sizes), now))
    known = [(schedule.size(size) or 1, some) for size, some in zip(sizes, tried, strict=True) if some]
    if not known:
        return None
    weights = sum(count for count, _ in known)
    return Trial(
        sum(some.games for _, some in known),
        sum(some.seconds for _, some in known),
        sum(some.faults for _, some in known),
        sum(count * some.each for count, some in known) / weights,
        sum(some.cut for _, some in known),
        tuple(seats for _, some in known for seats in some.unfinished),
    )


def play_some(plan: Plan, table: Table, share: float, now: Callable[[], float]) -> Trial | None:
    """Play for this share of the time."""
    games, faults, cut, began = 0, 0, 0, now()
    try:
        with time_limit(LONGEST * share):
            for game in first_games(plan):
                faults += len(table.play(deal(game, SECRET, 0)).faults)
                games += 1
                if now() - began >= TRIAL * share:
                    break
    except TimeUp:
        cut = 1
    seconds = now() - began
    unfinished = plan.seats if cut and not games else ()
    return Trial(games, seconds, faults, seconds / max(1, games), cut, unfinished) if games or cut else None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TimeUp: it is over, whatever is being done; in the main thread alone."""

    def end(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def preview(plan: Plan, jobs: int, tried: Trial | None = None) -> dict[str, Any]:
    """Plain values: what is known of the run beforehand.

    `games` and `estimate`, in seconds, are None where nobody can know.
    """
    games, defaults = schedule.size(plan), plan.game.defaults()
    return {
        "plan": plan.name,
        "game": plan.game.name,
        "format": plan.format.name,
        "seats": list(plan.seats),
        "games": games,
        "what": schedule.describe(plan).split("\n  "),
        "options": {name: value for name, value in plan.options.items() if value != defaults[name]},
        "clock": plan.conditions.clock.plain(),
        "sandbox": plan.run.sandbox,
        "require": plan.run.require,
        "limits": vars(plan.conditions.limits),
        "seed": "drawn" if plan.seed is None else "guessable" if plan.is_open else "secret",
        "bots": [
            {"name": name, "author": bot.author, "fingerprint": bot.fingerprint}
            for name, bot in plan.bots.items()
        ],
        "lineups": [list(lineup) for lineup in lineups(plan)],
        "jobs": jobs,
        "trial": tried and vars(tried),
        "estimate": round(games * tried.each / jobs, 1) if tried and games else None,
    }


def lines(about: dict[str, Any]) -> list[str]:
    """The same for people, in the width of a terminal."""
    options = ", ".join(f"{name} {word(value)}" for name, value in about["options"].items())
    clock = "clock: " + ", ".join(f"{name} {value:g} s" for name, value in about["clock"].items())
    rows = [[bot["name"], shown(bot["author"]), bot["fingerprint"]] for bot in about["bots"]]
    table = grid(rows, ["bot", "author", "fingerprint"], [True, True, True], fold=28).splitlines()
    first = "the first line-ups, with some seed:" if about["seed"] == "drawn" else "the first line-ups:"
    return [
        *folded(f"{about['plan']}: {about['what'][0]}"),
        *[line for words in about["what"][1:] for line in folded(words, "  ")],
        *folded(f"options: {options or 'all as the game has them'}", "  "),
        *folded(clock, "  "),
        *folded(f"sandbox: {about['sandbox']}, at least {about['require']}", "  "),
        *folded(f"limits: {limits_words(about['limits'])}", "  "),
        *folded(SEEDS[about["seed"]], "  "),
        "",
        *table,
        "",
        *([first] if about["lineups"] else []),
        *[line for lineup in about["lineups"] for line in folded("  ".join(lineup), "  ")],
        *folded(estimate(about)),
    ]


def limits_words(limits: dict[str, Any]) -> str:
    """Such as `memory 256 MB, processes 32, cpu 1200 s`."""
    sizes = {name: f"{limits[name] / MB:g} MB" for name in ("memory", "disk", "output")}
    words = {**limits, **sizes, "cpu": f"{limits['cpu']:g} s"}
    return ", ".join(f"{name} {value}" for name, value in words.items())


def estimate(about: dict[str, Any]) -> str:
    """How long it takes, in words, and what that rests on."""
    if not (tried := about["trial"]):
        return "how long it takes was not tried"
    at_a_time, words = f"with {about['jobs']} at a time, an estimate", rests_on(tried)
    if about["estimate"] is None:
        rate = about["jobs"] / tried["each"]
        about_as_many = "fewer than" if tried["unfinished"] else "about"
        return f"{about_as_many} {rate:.3g} games a second {at_a_time}: {words}"
    about_as_long = "longer than" if tried["unfinished"] else "about"
    return f"{about_as_long} {duration(about['estimate'])} {at_a_time}: {words}"


def rests_on(tried: dict[str, Any]) -> str:
    more = f" and a part of {tried['cut']} more" if tried["cut"] else ""
    words = f"{tried['games']} games{more} took {tried['seconds']:.1f} s at one table"
    if tried["unfinished"]:
        words += f", and none with {' or '.join(map(str, tried['unfinished']))} seats has ended"
    if tried["faults"]:
        words += f", with {tried['faults']} faults"
    return words


def duration(seconds: float) -> str:
    """Such as `25 seconds` or `3.5 hours`."""
    size, unit = next((each for each in UNITS if seconds >= 1.5 * each[0]), UNITS[-1])
    count = seconds / size
    return f"{max(1, round(count)) if size == 1 else round(count, 1):g} {unit}"


def word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
