"""Runs a ladder: plays the bots of a folder, and looks again and again for new and changed ones."""

import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

from arena.core.bot import BOT_NAME, NOT_HASHED, Bot, bot_from_path, is_bot
from arena.core.config import ConfigError
from arena.formats.plan import Plan
from arena.plan.entrants import teams_of
from arena.play.build import build
from arena.play.table import Unstarted
from arena.results.store import Store
from arena.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.tournament import run as tournament

LOOK = 2.0  # seconds between two looks at the folder, at least


def run(
    plan: Plan,
    store: Store,
    jobs: int,
    report: tournament.Report,
    sandbox: Sandbox,
    say: Callable[[str], None],
) -> None:
    """Play until there are enough games, the hours are over, or Ctrl-C; new bots join within seconds.

    A bot that cannot be read, built or started is left out with a line, until it changes. With too few
    others the run waits for what comes or changes, and says so.
    """
    assert plan.folder is not None
    end = float("inf") if plan.config.hours is None else monotonic() + 3600 * plan.config.hours
    copies, entries = store.path.with_suffix(".bots"), Entries(plan.folder)
    failed: dict[str, str] = {}  # the fingerprint of each bot that is left out
    fresh = faults = 0
    told: set[str] = set()

    def say_once(words: str) -> None:
        if words not in told:
            told.add(words)
            say(words)

    while monotonic() < end and (plan.config.games is None or store.count() < plan.config.games):
        known = entries.look()
        bots = playable(known, copies, failed, say, sandbox)
        now = replace(plan, bots=bots, teams=teams_of(bots) if plan.keeps_teams_apart else {})
        if len(set(now.teams.values() or bots)) < max(plan.seats):
            wanting = shortage(now, known)
            say(f"{plan.folder}: {wanting}")
            waiting = tournament.Progress(now, plan.config.games, store.played(), fresh, faults, wanting)
            while not entries.have_changed() and monotonic() < end:
                report(waiting)
                sleep(min(LOOK, max(0.0, end - monotonic())))
            continue
        say(f"on the ladder: {', '.join(sorted(bots))}")

        def add(progress: tournament.Progress, before: tuple[int, int] = (fresh, faults)) -> None:
            report(replace(progress, fresh=progress.fresh + before[0], faults=progress.faults + before[1]))

        try:
            done = tournament.run(
                now, store, jobs, add, sandbox, say_once, lambda: monotonic() > end or entries.have_changed()
            )
            fresh, faults = fresh + done.fresh, faults + done.faults
        except Unstarted as error:
            for name, words in error.faults.items():
                say(f"bot {name} is left out until it changes: {words}")
                failed[name] = bots[name].fingerprint


def shortage(plan: Plan, entries: Collection[str]) -> str:
    """What a ladder waits for that has too few bots, or too few that are not of one author."""
    few = f"{len(plan.bots)} bots"
    if plan.teams:
        authors = len(set(plan.teams.values()))
        few += f" by {authors} authors" if authors != 1 else " by one author"
    words = f"{few} are too few for {max(plan.seats)} seats; waiting for more"
    broken = sorted(set(entries) - set(plan.bots))
    return words + (f", or for a change in {', '.join(broken)}" if broken else "")


class Entries:
    """The bots of a folder by name, as they were at the last look."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._known: Mapping[str, tuple[Path, str]] = {}
        self._next = 0.0
        self._changed = False

    def look(self) -> Mapping[str, tuple[Path, str]]:
        """Where each is, and its fingerprint, or why it has none."""
        self._known, self._changed = self._read(), False
        return self._known

    def have_changed(self) -> bool:
        """Since the last `look`, as far as was seen; the folder is not read at every question."""
        if not self._changed and monotonic() >= self._next:
            self._next = monotonic() + LOOK
            self._changed = self._read() != self._known
        return self._changed

    def _read(self) -> dict[str, tuple[Path, str]]:
        found: dict[str, tuple[Path, str]] = {}
        for path in sorted(self._folder.glob("*")):
            if is_bot(path):
                name = path.name if path.is_dir() or path.stem in found else path.stem
                try:
                    found[name] = path, bot_from_path(name, path).fingerprint
                except (ConfigError, OSError) as error:  # half written, perhaps
                    found[name] = path, str(error)
        return found


def playable(
    entries: Mapping[str, tuple[Path, str]],
    copies: Path,
    failed: dict[str, str],
    say: Callable[[str], None],
    sandbox: Sandbox = LIMITS_ONLY,
) -> dict[str, Bot]:
    """The bots that can be read and built, but for those that `failed` as they are now."""
    bots = {}
    for name, (path, made) in entries.items():
        if failed.get(name) == made:
            continue
        try:
            if not BOT_NAME.fullmatch(name):
                raise ConfigError("a name has letters, digits and . + - _ alone, at most 32")
            bots[name] = copied(name, path, copies)
            build([bots[name]], sandbox)
        except (ConfigError, OSError) as error:
            bots.pop(name, None)
            failed[name] = made
            say(f"bot {name} is left out until it changes: {error}")
    return bots


def copied(name: str, path: Path, copies: Path) -> Bot:
    """A copy of the bot, so that a change of its files does not change it in the middle of a game."""
    made = bot_from_path(name, path).fingerprint
    place, part = copies / f"{name}-{made}", copies / "part"
    if not place.exists():
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        if path.is_dir():
            shutil.copytree(path, part / path.name, symlinks=True, ignore=shutil.ignore_patterns(*NOT_HASHED))
        else:
            shutil.copy2(path, part)
        if bot_from_path(name, part / path.name).fingerprint != made:
            raise ConfigError(f"{path}: was changed at this moment")
        part.rename(place)
    return bot_from_path(name, place / path.name)
