"""Checks entries: programs and folders, some of which may not even be bots."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from arena.config.document import ConfigError
from arena.programs.bot import Bot, BotError, naming_problem, own_name, why_no_bot
from arena.programs.check.examine import Notify, check_games
from arena.programs.check.finding import Finding
from arena.programs.check.start import build_failure
from arena.programs.check.trials import Terms, terms_of
from arena.programs.executables import real
from arena.programs.files import Shared, share
from arena.programs.game_options import (
    check_options,
    find_game,
    games_of,
    options_from_text,
    refuse_unsupported,
    supported,
)
from arena.programs.house import is_house
from arena.programs.play.build import build
from arena.programs.reading import broken_bot, read_bot
from arena.programs.sandbox.policy import Sandbox, choose
from arena.referee.conditions import Conditions, TimeControl
from arena.rules import Game
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.load import load_terms
from arena.tournament.processes import parallel

_DEFAULT_GAME = "complots"
_WATCH_S = 0.5  # between two looks at the files


@dataclass(frozen=True)
class CheckRequest:
    """A check that each bot plays the `plan`, or else the `games` with the `given` options.

    Without `games`, the games in its bot.yaml are checked, or Complots if there are none. All bots may read
    `files`.
    """

    plan: Plan | None
    games: Sequence[Game]
    given: Mapping[str, Any]
    conditions: Conditions
    files: Sequence[Shared]
    asked: tuple[Any, ...] = ()  # The arguments of `read_request`, to make it again in another process.

    def __reduce__(self) -> tuple[Any, ...]:
        return read_request, self.asked  # The functions of a game cannot be pickled.

    def sandbox(self) -> Sandbox:
        if self.plan:
            return choose(self.plan.conditions.limits, self.plan.run.sandbox, self.plan.run.require)
        return choose(self.conditions.limits)

    def read(self, path: Path) -> Bot:
        by_folder = self.plan and self.plan.names_by_folder and not is_house(path)
        name = own_name(path) if by_folder else None
        return read_bot(path, [*map(share, self.plan.files if self.plan else ()), *self.files], name=name)

    def games_for(self, bot: Bot) -> Sequence[Game]:
        """The games to check: the plan's game, the requested ones, or the games in the bot's bot.yaml.

        If bot.yaml names none, the game is Complots.

        Raises:
            ConfigError: The bot.yaml is wrong, or the bot does not support the plan.
        """
        if self.plan:
            refuse_unsupported(bot, self.plan.game, self.plan.seats, self.plan.options)
            return [self.plan.game]
        games = self.games or games_of(bot) or [find_game(_DEFAULT_GAME)]
        for game in games:
            supported(bot, game)
        return games


def read_request(
    plan: Path | None,
    names: Sequence[str],
    options: Mapping[str, str],
    control: TimeControl,
    files: Sequence[Path],
) -> CheckRequest:
    """The request that the arguments of `arena check` describe.

    Raises:
        ConfigError: An argument is wrong.
    """
    asked = plan, names, options, control, files
    try:
        games = [find_game(name) for name in names]
    except ConfigError as error:
        raise ConfigError(f"--game: {error}") from None
    terms, conditions = load_terms(plan) if plan else None, Conditions(clock=control)
    return CheckRequest(terms, games, options_from_text(options), conditions, [*map(share, files)], asked)


def _clashes(paths: Sequence[Path], request: CheckRequest) -> dict[Path, Finding]:
    """A finding, by path, for each bot whose name belongs to another bot at these paths.

    The name belongs to a bot whose file or folder has it, else to the first one.
    """
    names: dict[str, list[Path]] = {}
    for path in paths:
        with suppress(ConfigError):  # `check_entry` reports it
            names.setdefault(request.read(path).name, []).append(path)
    advice = "name it by its folder, name_from: folder, or in the plan, bots: [{NAME: PATH}]"
    found = {}
    for name, several in names.items():
        first, *others = sorted(several, key=lambda path: own_name(path) != name)
        for path in others:
            found[path] = Finding("name", "fault", f"the name {name} is taken by {first}", advice=advice)
    return found


def check_entry(path: Path, request: CheckRequest, sandbox: Sandbox, notify: Notify) -> list[Finding]:
    """Read and build the bot at a path, and play with it; returns all findings about it.

    Raises:
        ConfigError: The user has made a mistake, not the bot.
    """
    try:
        bot = request.read(path)
        notes = [*name_findings(bot)]
        games = request.games_for(bot)
    except ConfigError as error:
        return [Finding("entry", "fault", str(error))]
    if plan := request.plan:
        terms = [Terms(plan.game, plan.seats, plan.options, plan.conditions, reuse=plan.run.reuse)]
    else:
        for game in games:
            check_options(game, request.given, ())
        terms = [terms_of(bot, game, request.given, request.conditions) for game in games]
    try:
        build([bot], sandbox, notify)
    except BotError as error:
        return [build_failure(bot, error)]
    return [*notes, *check_games(bot, terms, sandbox, notify)]


def name_findings(bot: Bot) -> Iterator[Finding]:
    """Yields a note if a plan would refuse the bot's own name; the check does not depend on it."""
    if problem := naming_problem(bot.name):
        words = f"a plan refuses the name {bot.name}: {problem}"
        advice = "rename it; or give it a name in the plan or its bot.yaml"
        yield Finding("name", "note", words, advice=advice)


def _check_quietly(entry: tuple[Path, CheckRequest]) -> list[Finding]:
    path, request = entry
    return check_entry(path, request, request.sandbox(), lambda message: None)


def check_all(
    paths: Sequence[Path], request: CheckRequest, notify: Notify, jobs: int = 1
) -> Iterator[tuple[Path, list[Finding]]]:
    """Yields each path, in order, with the findings about it; several bots are checked by `jobs` processes.

    A path without a bot gets a note if others have bots.

    Raises:
        ConfigError: A path does not exist, none of several is a bot, or an option is wrong.
    """
    for path in paths:
        if is_house(path):
            request.read(path)
        elif not os.path.lexists(path):
            raise ConfigError(f"{path}: no such bot")
    entries = [path for path in paths if not is_house(path)] if len(paths) > 1 else []
    no_bots = {path: why for path in entries if (why := why_no_bot(path))}
    if len(no_bots) == len(paths):
        path, why = next(iter(no_bots.items()))
        raise ConfigError(f"none of these is a bot, such as {path}: {why}")
    sandbox, taken = request.sandbox(), _clashes([path for path in paths if path not in no_bots], request)
    entries = [path for path in paths if path not in no_bots]
    at_once = min(jobs, len(entries))
    if at_once > 1:
        notify(f"checking {len(entries)} bots, {at_once} at a time")
        results = parallel(_check_quietly, [(path, request) for path in entries], at_once)
    for number, path in enumerate(paths, 1):
        if path in no_bots:
            yield path, [Finding("entry", "note", f"no bot: {no_bots[path]}")]
            continue
        head = f"{real(path).name} ({number} of {len(paths)}): " if len(paths) > 1 else ""

        def notify_of_this(message: str, head: str = head) -> None:
            notify(f"{head}{message}")

        if at_once > 1:
            found = next(results)
            notify_of_this("checked")
        else:
            found = check_entry(path, request, sandbox, notify_of_this)
        yield path, [taken[path], *found] if path in taken else found


def read_versions(paths: Sequence[Path], request: CheckRequest) -> list[str]:
    """A text for each path that changes with the bot's files: its version, or the error of reading it."""
    found = []
    for path in paths:
        try:
            found.append(request.read(path).fingerprint)
        except ConfigError as error:
            found.append(f"{broken_bot(None, path, str(error)).fingerprint} {error}")
    return found


def wait_for_change(paths: Sequence[Path], request: CheckRequest, before: Sequence[str]) -> None:
    """Wait until the versions of the entries differ from `before` and no longer change."""
    seen = read_versions(paths, request)
    while True:
        sleep(_WATCH_S)
        now = read_versions(paths, request)
        if now == seen and now != before:
            return
        seen = now
