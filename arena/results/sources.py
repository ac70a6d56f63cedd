"""Where a table comes from: runs of this arena, several merged, and results of others."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Any

from arena.core.config import ConfigError, suggestion
from arena.rating.estimate import Settings, settings_of
from arena.rating.outcome import Outcome
from arena.records.record import Record, Summary
from arena.results.csv import read_results
from arena.results.store import Store

Namer = Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]
RESULTS = (".csv", ".pgn")  # suffixes of files that are no runs
MOST_ELO = 1e6  # more, and the differences drown in rounding


@dataclass(frozen=True)
class Source:
    """Outcomes, how their plan would have them rated, and what is not in them: faults, games left out."""

    outcomes: list[Outcome]
    settings: Settings = Settings()
    faults: int = 0
    voids: int = 0
    unfinished: int = 0
    excluded: Mapping[str, str] = field(default_factory=dict)


def load(paths: Sequence[Path], together: bool = False) -> Source:
    """All games of these files, each once, however often and in whatever order they are named.

    The rating keys of the plans count where all runs agree on them. With `together` the versions of a
    bot are one player. ConfigError: a file is neither a run nor results.
    """
    paths = list({path.resolve(): path for path in paths}.values())
    found = [read_results(path) for path in paths if path.suffix.lower() in RESULTS]
    runs = [read_run(path) for path in paths if path.suffix.lower() not in RESULTS]
    voids = reduce(or_, (voids for *_, voids in runs), Counter())  # runs may share them, as they share games
    outcomes = [outcome for results in found for outcome in results.outcomes]
    games: dict[str, tuple[Mapping[str, Any], Summary]] = {}
    for plan, played, *_ in runs:
        for id, game in played.items():
            if id not in games or by_value(game) > by_value(games[id][1]):  # whichever file is named first
                games[id] = plan, game
    current = versions((plan, played.values()) for plan, played, *_ in runs)
    name = (lambda bots, _: bots) if together else namer(current)
    outcomes += [to_outcome(game, name, plan) for plan, game in games.values()]
    ratings = [about.get("rating", {}) for *_, about, _ in runs]
    excluded = {bot: why for *_, about, _ in runs for bot, why in sorted(about.get("excluded", {}).items())}
    if excluded:
        outcomes = [left for outcome in outcomes if (left := outcome.without(excluded))]
    return Source(
        outcomes,
        settings_of(ratings[0])
        if ratings and all(rating == ratings[0] for rating in ratings)
        else Settings(),
        sum(game.faults for _, game in games.values()),
        sum(results.void for results in found) + voids.total(),
        sum(results.unfinished for results in found),
        excluded,
    )


def read_run(path: Path) -> tuple[Mapping[str, Any], dict[str, Summary], Mapping[str, Any], Counter[str]]:
    """The plan of a run, its games, all that it remembers, and how often each game was void."""
    with Store(path) as store:
        about = store.about()
        return about.get("plan", {}), store.played(), about, store.voids()


def exclude(path: Path, bot: str, why: str | None) -> None:
    """Take a bot out of the table of a run, or back in where `why` is None; its games stay.

    ConfigError: the run has no such bot, or is being written.
    """
    plan, played, about, _ = read_run(path)
    name = namer(versions([(plan, played.values())]))
    seen = {bot for game in played.values() for bot in name(game.bots, game.fingerprints)}
    known = sorted({*plan.get("bots", {}), *seen})
    if bot not in known:
        raise ConfigError(f"{path}: no bot {bot!r}{suggestion(bot, known)}")
    excluded = {other: words for other, words in about.get("excluded", {}).items() if other != bot}
    with Store(path, writer=True) as store:
        store.remember(excluded=excluded if why is None else excluded | {bot: why})


def by_value(game: Summary) -> tuple[Any, ...]:
    """What to order games by, whatever files they come from."""
    return game.id, game.places, sorted(game.forfeits.items()), game.faults


def records(paths: Iterable[Path]) -> Iterator[tuple[tuple[str, ...], Record]]:
    """The records of these runs, each once, with what each seat's bot is called in the table.

    ConfigError: a file is no run; results of others tell nothing but the results.
    """
    paths = list(paths)
    for path in paths:
        if path.suffix.lower() in RESULTS:
            raise ConfigError(f"{path}: has results only, no records to count behaviour in")
    runs = [read_run(path) for path in paths]
    name, seen = namer(versions((plan, played.values()) for plan, played, *_ in runs)), set()
    for path in paths:
        with Store(path) as store:
            for game in store.summaries():
                if game.id not in seen:
                    seen.add(game.id)
                    yield name(game.bots, game.fingerprints), store.record(game.id)


def versions(runs: Iterable[tuple[Mapping[str, Any], Iterable[Summary]]]) -> dict[str, str]:
    """The fingerprint of each bot as the plans of its runs know it now; "" where they do not agree.

    Bots of no plan are known by their games alone.
    """
    planned: dict[str, set[str]] = {}
    played: dict[str, set[str]] = {}
    for plan, games in runs:
        for name, made in plan.get("bots", {}).items():
            planned.setdefault(name, set()).add(made)
        for bots, fingerprints in {(game.bots, game.fingerprints) for game in games}:
            for name, made in zip(bots, fingerprints, strict=True):
                played.setdefault(name, set()).add(made)
    return {name: next(iter(made)) if len(made) == 1 else "" for name, made in {**played, **planned}.items()}


def to_outcome(game: Summary, name: Namer, plan: Mapping[str, Any]) -> Outcome:
    """What a game says to the rating. Seed groups of runs with different secrets are different ones."""
    seed_group = f"{plan.get('run', '')} {plan.get('game', '')} {game.seed_group}"
    return Outcome(name(game.bots, game.fingerprints), game.places, seed_group, game.forfeits)


def namer(current: Mapping[str, str]) -> Namer:
    """What the bots of a game are called in a table.

    A bot that was changed is another player than before: its old version has the old fingerprint in
    its name.
    """

    @cache
    def names(bots: tuple[str, ...], fingerprints: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            bot if current[bot] == made else f"{bot}@{made[:6]}"
            for bot, made in zip(bots, fingerprints, strict=True)
        )

    return names


def parse_anchor(text: str) -> tuple[str, float]:
    """`BOT=ELO`. ConfigError: it is not."""
    bot, _, elo = text.rpartition("=")
    try:
        if not bot or not abs(float(elo)) <= MOST_ELO:
            raise ValueError
        return bot, float(elo)
    except ValueError:
        raise ConfigError(f"--anchor: should be BOT=ELO, such as random=1000, not {text!r}") from None
