"""Shows what a plan will play: its bots, the first line-ups, and an estimate of the time."""

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

from arena.config.text import duration, list_words, printable, yaml_word
from arena.config.values import MB
from arena.programs.bot import BotError
from arena.programs.executables import in_system, real
from arena.programs.house import HOUSE_AUTHOR
from arena.programs.kits import checkout
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import choose
from arena.referee.conditions import deals_in_words
from arena.referee.deals import WARNING, deal
from arena.show.tables import table
from arena.show.tables.grid import folded
from arena.show.tables.text import text_grid
from arena.tournament import schedule
from arena.tournament.broken import marked, sort_out
from arena.tournament.forecast import EXAMPLE_SEED, first_games, forecast
from arena.tournament.formats.plan import Plan
from arena.tournament.ladder import LadderEntries
from arena.tournament.run import Notify, build_all

_FIRST = 5  # line-ups that are shown
_MOST = 1000  # games that are searched for these line-ups
_TRIAL = 2.0  # seconds after which no game of the trial is started
LONGEST = 5.0  # seconds after which a game of the trial is stopped
_WANTED_ERROR = 20  # Elo
_MANY_BOTS, _MANY_GAMES = 16, 1000  # from which on an adaptive tournament is worth a line
_SEEDS = {
    "drawn": "secret: drawn when the run begins",
    "secret": "secret: the seed of the plan",
    "guessable": WARNING,
}
_BOTS = (
    table.Column("bot", "name", is_bot=True),
    table.Column("author", "author", printable, is_left=True),
    table.Column("fingerprint", "fingerprint", is_left=True),
)


@dataclass(frozen=True)
class TrialGames:
    """How many games were played in a trial, one after another, in how many seconds and with how many faults.

    `cut` further games were stopped; with the numbers of seats in `unfinished` no game ended. `each` is the
    mean time in seconds of a game of the plan, where each number of seats counts by its games in the plan; it
    is a lower bound if there are `unfinished` ones.
    """

    games: int
    seconds: float
    faults: int
    each: float
    cut: int = 0
    unfinished: tuple[int, ...] = ()


class _TimeUp(BaseException):
    """Raised in the middle of a game. A BaseException, so that no `except Exception` catches it."""


def with_entries(plan: Plan) -> Plan:
    """The plan; if it is a ladder, with the bots now in its folder. ConfigError: one of these is no bot."""
    if plan.folder is None:
        return plan
    entries = LadderEntries(plan.folder, plan.files, plan.names_by_folder)
    found = entries.read().items()
    return replace(plan, bots={name: read_bot(path, entries.shared, name=name) for name, (path, _) in found})


def lineups(plan: Plan) -> list[tuple[str, ...]]:
    """The first line-ups, at most `_FIRST`, each in the seating of its first game."""
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for game in islice(first_games(plan), _MOST):
        found.setdefault(frozenset(game.bots), game.bots)
    return [*found.values()][:_FIRST]


def trial(
    plan: Plan, now: Callable[[], float] = monotonic, notify: Notify = print, jobs: int = 1
) -> TrialGames | None:
    """Build the bots and play the first games with each number of seats for a short time.

    None: there are no games that can be played yet. BotError: a bot cannot be built or started. LeaveOut: as
    BotError, if the plan skips such bots. `now` is a clock in seconds; `jobs` bots are built at once.
    """
    sandbox = choose(plan.conditions.limits, plan.run.sandbox, plan.run.require)
    broken = build_all(plan, sandbox, jobs, notify)
    bots = marked(plan, broken).bots
    sizes = [replace(plan, seats=(seats,)) for seats in plan.seats]
    with ProgramTable(bots, plan.run.reuse, sandbox) as table:
        if starting := len(bots) - len(broken):
            notify(f"starting {starting} bots")
        faults = table.greet(plan.conditions.clock.start)
        if faults and plan.run.broken == "refuse":
            raise BotError(plan.bots, {}, faults)
        if broken := broken | faults:
            table.bots = sort_out(plan, broken, (), notify).bots
        tried = [_play_some(size, table, 1 / len(sizes), now) for size in sizes]
    known = [(schedule.size(size) or 1, some) for size, some in zip(sizes, tried, strict=True) if some]
    if not known:
        return None
    weights = sum(count for count, _ in known)
    return TrialGames(
        sum(some.games for _, some in known),
        sum(some.seconds for _, some in known),
        sum(some.faults for _, some in known),
        sum(count * some.each for count, some in known) / weights,
        sum(some.cut for _, some in known),
        tuple(seats for _, some in known for seats in some.unfinished),
    )


def _play_some(plan: Plan, table: ProgramTable, share: float, now: Callable[[], float]) -> TrialGames | None:
    games, faults, cut, began = 0, 0, 0, now()
    try:
        with _time_limit(LONGEST * share):
            for game in first_games(plan):
                faults += len(table.play(deal(game, EXAMPLE_SEED, 0)).faults)
                games += 1
                if now() - began >= _TRIAL * share:
                    break
    except _TimeUp:
        cut = 1
    seconds = now() - began
    unfinished = plan.seats if cut and not games else ()
    # the time of a stopped game counts as time of the others, which is right if times are about exponentially
    # distributed (Epstein and Sobel 1953, J. Am. Stat. Assoc. 48:486)
    return (
        TrialGames(games, seconds, faults, seconds / max(1, games), cut, unfinished) if games or cut else None
    )


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _TimeUp in the block after this time; works only in the main thread."""

    def end(*_: object) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def opened_outside(plan: Plan, folder: Path) -> list[Path]:
    """What a plan in this folder has read outside it, or lets its bots read, besides what the arena has."""
    paths = [*plan.files, *plan.read, *([plan.folder] if plan.folder else [])]
    for bot in plan.bots.values():
        paths += [*bot.files, *(each for each in bot.installed if not in_system(real(each)))]
    known = [real(folder), real(checkout() / "bots"), *map(real, map(Path, (sys.prefix, sys.base_prefix)))]
    return [path for path in dict.fromkeys(map(real, paths)) if not any(map(path.is_relative_to, known))]


def preview(
    plan: Plan,
    jobs: int,
    tried: TrialGames | None = None,
    outside: Sequence[Path] = (),
    like: Path | None = None,
) -> dict[str, Any]:
    """What is known beforehand of a run of the plan, as values for JSON.

    `tried` is the result of `trial`, `outside` that of `opened_outside`; `like` is an earlier run. `games`,
    and the `estimate` of the time in seconds, are None if they are unknown.
    """
    games, defaults, found = schedule.size(plan), plan.game.defaults(), forecast(plan, like)
    expected = round(found["games"]) if found else None
    count = min(games, expected) if games and expected else games or expected
    return {
        "plan": plan.name,
        "game": plan.game.name,
        "format": plan.format.name,
        "seats": list(plan.seats),
        "games": games,
        "what": schedule.describe(plan).split("\n  "),
        "options": {name: value for name, value in plan.options.items() if value != defaults[name]},
        "clock": plan.conditions.clock.as_json(),
        "sandbox": plan.run.sandbox,
        "require": plan.run.require,
        "limits": vars(plan.conditions.limits),
        "deals": deals_in_words(plan.identity()),
        "seed": "drawn" if plan.seed is None else "guessable" if plan.is_open else "secret",
        "bots": [
            {"name": name, "author": bot.author, "fingerprint": bot.fingerprint}
            for name, bot in plan.bots.items()
        ],
        "models": [
            {"name": name, "model": spec.model, "at": spec.at, "key_env": spec.key_env}
            for name, bot in plan.bots.items()
            if (spec := bot.model)
        ],
        "budget": plan.run.budget,
        "remote": plan.remote,
        "skipped": dict(plan.skipped),
        "passed_over": list(plan.passed_over),
        "outside": list(map(str, outside)),
        "lineups": [list(lineup) for lineup in lineups(plan)],
        "jobs": jobs,
        "trial": tried and vars(tried),
        "estimate": round(count * tried.each / jobs, 1) if tried and count else None,
        "forecast": found,
        "advice": [*_format_advice(plan, games or 0), *_deals_advice(plan)],
    }


def _format_advice(plan: Plan, games: int) -> Iterator[str]:
    """Advice to change the format if another needs far fewer games (arena/rating/evidence.md)."""
    if plan.format.name == "round-robin" and len(plan.bots) >= _MANY_BOTS and games >= _MANY_GAMES:
        share = "half of the games" if max(plan.seats) == 2 else "two thirds of the games"
        yield f"if the bots differ by about 300 Elo, format: adaptive needs about {share} for the same errors"


def _deals_advice(plan: Plan) -> Iterator[str]:
    """Advice to give each game a deal of its own if the plan plays programs of several authors."""
    programs = [bot for bot in plan.bots.values() if not (bot.is_remote or bot.is_model)]
    authors = {bot.author for bot in programs if bot.author} - {HOUSE_AUTHOR}
    if plan.conditions.has_equal_deals and len(authors) > 1:
        yield (
            f"the bots have {len(authors)} authors: if they are strangers, write deals: per-game, so that no "
            "process can tell a later one of its author the cards of its rivals (docs/fair-deals.md)"
        )


def lines(about: dict[str, Any]) -> list[str]:
    options = ", ".join(f"{name} {yaml_word(value)}" for name, value in about["options"].items())
    what, *terms = about["what"]
    terms += [
        f"options: {options or 'the defaults of the game'}",
        "clock: " + ", ".join(f"{name} {value:g} s" for name, value in about["clock"].items()),
        f"sandbox: {about['sandbox']}, at least {about['require']}",
        f"limits: {_format_limits(about['limits'])}",
        f"deals: {about['deals']}",
        _SEEDS[about["seed"]],
        *map(_model_line, about["models"]),
    ]
    terms += [f"budget: {about['budget']:g} for all calls of models"] if about["budget"] else []
    out = [f"{name} sits out: {why}" for name, why in about["skipped"].items()]
    out += [f"{name} plays from its own machine, with deals of its own" for name in about["remote"]]
    out += [f"passed over: {each}" for each in about["passed_over"]]
    out += [f"outside the folder of the plan: {printable(each)}" for each in about["outside"]]
    seed = ", with an example seed" if about["seed"] == "drawn" else ""
    return [
        *folded(f"{about['plan']}: {what}"),
        *(line for text in terms for line in folded(text, "  ")),
        "",
        *text_grid(table.Table("bots", _BOTS, about["bots"])).splitlines(),
        *(line for text in out for line in folded(text)),
        "",
        *([f"the first line-ups{seed}:"] if about["lineups"] else []),
        *(line for lineup in about["lineups"] for line in folded("  ".join(lineup), "  ")),
        *(folded(_forecast_line(about)) if about["forecast"] else []),
        *folded(estimate(about)),
        *(line for text in about["advice"] for line in folded(text)),
    ]


def _model_line(model: dict[str, str]) -> str:
    key = f"with {model['key_env']}" if model["key_env"] else "without a key"
    return f"model {model['name']}: {model['model']} at {model['at']}, {key}"


def _format_limits(limits: dict[str, Any]) -> str:
    sizes = {name: f"{limits[name] / MB:g} MB" for name in ("memory", "disk", "output")}
    times = {name: f"{limits[name]:g} s" for name in ("cpu", "build")}
    values = {**limits, **sizes, **times}
    return ", ".join(f"{name} {value}" for name, value in values.items())


def estimate(about: dict[str, Any]) -> str:
    if not (tried := about["trial"]):
        untried = "remote bots" if about["remote"] else "language models" if about["models"] else ""
        why = f"{untried} are not tried" if untried else "no games were tried"
        return f"no estimate of the time, as {why}"
    at_a_time, basis = f"with {about['jobs']} at a time (estimate)", _basis_of(tried)
    if about["estimate"] is None:
        rate = about["jobs"] / tried["each"]
        about_as_many = "fewer than" if tried["unfinished"] else "about"
        return f"{about_as_many} {rate:.3g} games per second {at_a_time}: {basis}"
    about_as_long = "longer than" if tried["unfinished"] else "about"
    return f"{about_as_long} {duration(about['estimate'])} {at_a_time}: {basis}"


def _forecast_line(about: dict[str, Any]) -> str:
    """How exact the standings will be, and how many games a smaller error takes."""
    found = about["forecast"]
    parts = [f"Elo ± {found['error']:.0f}", f"bots {found['apart']:.0f} apart are surely told apart"]
    if found["first"] is None:
        parts.append(f"the strongest bot wins {found['best']:.0%} of such tournaments")
    else:
        parts.append(f"one bot is surely first in {found['first']:.0%} of such tournaments")
        if found["podium"] is not None:
            parts[-1] += f", three are surely the first three in {found['podium']:.0%}"
    if not about["games"] or found["games"] < about["games"]:
        parts.insert(0, f"about {_rounded(found['games'])} games")
    elif found["first"] is not None:
        times = (found["error"] / _WANTED_ERROR) ** 2
        time = f", {duration(times * about['estimate'])}" if about["estimate"] else ""
        parts += [f"± {_WANTED_ERROR} takes about {_rounded(times * found['games'])} games{time}"]
    spread = f"standard deviation of {found['spread']:.0f} Elo"
    like = (
        f"as in {printable(found['like'])}, with a {spread}" if found["like"] else f"with an assumed {spread}"
    )
    return f"forecast: {'; '.join(parts)} (simulated, for strengths {like})"


def _rounded(games: float) -> str:
    return f"{float(f'{games:.2g}'):,.0f}"


def _basis_of(tried: dict[str, Any]) -> str:
    more = f" and part of {tried['cut']} more" if tried["cut"] else ""
    basis = f"{tried['games']} games{more} took {tried['seconds']:.1f} s at one table"
    if tried["unfinished"]:
        basis += f"; no game with {list_words(tried['unfinished'], 'or')} seats ended"
    if tried["faults"]:
        basis += f", with {tried['faults']} faults"
    return basis
