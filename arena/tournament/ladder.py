"""Runs a ladder: plays the bots of a folder, and checks the folder for new and changed bots."""

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

from arena.config.document import ConfigError
from arena.programs.bot import Bot, BotError, is_bot, naming_problem, own_name
from arena.programs.files import Shared, copy_folder, share
from arena.programs.game_options import refuse_unsupported
from arena.programs.play.build import run_builds
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY, Sandbox
from arena.tournament import run as tournament
from arena.tournament.batches import no_stop
from arena.tournament.engine.interface import OpenEngine
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.entrants import teams_of
from arena.tournament.runs.store import Store

CHECK_INTERVAL_S = 2.0  # the shortest time between two checks of the folder

OnLeftOut = Callable[[str, str], None]  # called with a bot's name and the reason why it does not play


def run(
    plan: Plan,
    store: Store,
    open_engine: OpenEngine,
    on_progress: tournament.OnProgress,
    notify: tournament.Notify,
    sandbox: Sandbox | None,
    jobs: int = 1,
    should_stop: Callable[[], bool] = no_stop,
    leave_out: OnLeftOut | None = None,
) -> None:
    """Play until there are enough games, the hours are over, `should_stop` returns True, or Ctrl-C.

    When bots are added or changed, the workers finish their games, and then all current bots play. If there
    are too few bots, the run waits for more.

    Args:
        sandbox: The sandbox for builds; None: only the engine builds bots.
        leave_out: Is called for each bot that cannot be read, built or started; it is left out until it
            changes. None: `notify` is called.
    """
    assert plan.folder is not None
    end = float("inf") if plan.config.hours is None else monotonic() + 3600 * plan.config.hours
    copies, entries = (
        store.path.with_suffix(".bots"),
        LadderEntries(plan.folder, plan.files, plan.names_by_folder),
    )
    failed: dict[str, str] = {}  # fingerprints of bots that are left out, or errors of reading them
    leave_out = leave_out or _told_by(notify)
    fresh = faults = 0
    messages: set[str] = set()

    def notify_once(message: str) -> None:
        if message not in messages:
            messages.add(message)
            notify(message)

    def is_over() -> bool:
        return monotonic() > end or should_stop()

    while not is_over() and (plan.config.games is None or store.count() < plan.config.games):
        found = entries.read()
        bots = playable(found, copies, failed, notify, sandbox, entries.shared, plan, jobs, leave_out)
        current = replace(plan, bots=bots, teams=teams_of(bots) if plan.keeps_teams_apart else {})
        if len(set(current.teams.values() or bots)) < max(plan.seats):
            reason = _shortage(current, found)
            notify(f"{plan.folder}: {reason}")
            waiting = tournament.Progress(current, plan.config.games, store.played(), fresh, faults, reason)
            while not entries.have_changed() and not is_over():
                on_progress(waiting)
                sleep(min(CHECK_INTERVAL_S, max(0.0, end - monotonic())))
            continue
        notify(f"on the ladder: {', '.join(sorted(bots))}")

        def add(progress: tournament.Progress, before: tuple[int, int] = (fresh, faults)) -> None:
            on_progress(
                replace(progress, fresh=progress.fresh + before[0], faults=progress.faults + before[1])
            )

        def must_change() -> bool:
            return is_over() or entries.have_changed()

        try:
            done = tournament.run(current, store, open_engine, add, notify_once, must_change, sandbox)
            fresh, faults = fresh + done.fresh, faults + done.faults
        except BotError as error:
            for name, detail in error.unstarted.items():
                leave_out(name, detail)
                failed[name] = bots[name].fingerprint


def _told_by(notify: tournament.Notify) -> OnLeftOut:
    return lambda name, why: notify(f"bot {name} is left out until it changes: {why}")


def _shortage(plan: Plan, entries: Collection[str]) -> str:
    """The reason why a ladder waits: too few bots, or bots of too few authors."""
    bots = f"{len(plan.bots)} bots"
    if plan.teams:
        authors = len(set(plan.teams.values()))
        bots += f" by {authors} authors" if authors != 1 else " by one author"
    message = f"{bots} are too few for {max(plan.seats)} seats; waiting for more"
    broken = sorted(set(entries) - set(plan.bots))
    return message + (f", or for a change in {', '.join(broken)}" if broken else "")


class LadderEntries:
    """The bots of a folder by name, and whether they have changed since they were last read."""

    def __init__(self, folder: Path, files: Sequence[Path] = (), names_by_folder: bool = False):
        self._folder, self._files, self._names_by_folder = folder, files, names_by_folder
        self.shared: Sequence[Shared] = ()  # the files that all bots may read, when they were last read
        self._known: Mapping[str, tuple[Path, str]] = {}
        self._next_check = 0.0
        self._changed = False

    def read(self) -> Mapping[str, tuple[Path, str]]:
        """Read the folder; returns the path and the fingerprint of each bot, by name.

        If a bot cannot be read, the error replaces the fingerprint.
        """
        self._known, self._changed = self._read(), False
        return self._known

    def have_changed(self) -> bool:
        """Whether the bots have changed since `read`; the folder is checked only every `CHECK_INTERVAL_S`."""
        if not self._changed and monotonic() >= self._next_check:
            self._next_check = monotonic() + CHECK_INTERVAL_S
            self._changed = self._read() != self._known
        return self._changed

    def _read(self) -> dict[str, tuple[Path, str]]:
        self.shared = [share(path) for path in self._files]
        read: list[tuple[str, Path, str]] = []
        for path in sorted(self._folder.glob("*")):
            if is_bot(path):
                try:
                    bot = read_bot(path, self.shared, name=own_name(path) if self._names_by_folder else None)
                    read.append((bot.name, path, bot.fingerprint))
                except (ConfigError, OSError) as error:  # Perhaps its author is still writing it.
                    read.append((own_name(path), path, str(error)))
        return self._by_name(read)

    def _by_name(self, read: Sequence[tuple[str, Path, str]]) -> dict[str, tuple[Path, str]]:
        """The entries by the names in their bot.yaml, else by those of their files or folders.

        If several have one name, it goes to the entry whose file has it, else to its previous owner. So no
        entry can take the name of another. The others get the whole names of their files, with the suffix.
        """
        found: dict[str, tuple[Path, str]] = {}
        had = {path: name for name, (path, _) in self._known.items()}
        files = {each.name: each for _, each, _ in read}
        order = sorted(read, key=lambda each: (own_name(each[1]) != each[0], had.get(each[1]) != each[0]))
        for name, path, made in order:
            taken = name in found or files.get(name, path) != path
            found[path.name if taken else name] = path, made
        return dict(sorted(found.items()))


def playable(
    entries: Mapping[str, tuple[Path, str]],
    copies: Path,
    failed: dict[str, str],
    notify: tournament.Notify,
    sandbox: Sandbox | None = LIMITS_ONLY,
    shared: Sequence[Shared] = (),
    plan: Plan | None = None,
    jobs: int = 1,
    leave_out: OnLeftOut | None = None,
) -> dict[str, Bot]:
    """Copy the entries and build them.

    Args:
        copies: The folder for the copies.
        failed: The versions of bots that were left out before: they are skipped, and new ones are added.
        sandbox: The sandbox for builds; None: nothing is built.
        leave_out: Is called for each bot that cannot be read or built, does not support the `plan`, or has a
            wrong name.

    Returns:
        The bots that may play, by name.
    """
    bots, leave_out = {}, leave_out or _told_by(notify)
    for name, (path, version) in entries.items():
        if failed.get(name) == version:
            continue
        try:
            if problem := naming_problem(name):
                raise ConfigError(problem)
            if plan:
                refuse_unsupported(read_bot(path, shared, name=name), plan.game, plan.seats, plan.options)
            bots[name] = copy_bot(name, path, copies, shared)
        except (ConfigError, OSError) as error:
            failed[name] = version
            leave_out(name, str(error))
    unbuilt = run_builds(bots.values(), sandbox, jobs, notify) if sandbox else {}
    for name, (why, _) in unbuilt.items():
        failed[name] = entries[name][1]
        leave_out(name, f"{bots.pop(name).folder}: build failed: {why}")
    return bots


def copy_bot(name: str, path: Path, copies: Path, shared: Sequence[Shared] = ()) -> Bot:
    """Copy a bot into a folder below `copies`, if this version is not there; returns the bot in the copy.

    Its files must not change in the middle of a game.

    Raises:
        ConfigError: The bot was changed meanwhile.
    """
    made, bot = read_bot(path, None, name=name).fingerprint, read_bot(path, shared, name=name)
    copy, part = copies / f"{name}-{made}", copies / "part"
    if not copy.exists():
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        if path.is_dir():
            copy_folder(path, part / path.name, bool(bot.build))
        else:
            shutil.copy2(path, part)
        if read_bot(part / path.name, None, name=name).fingerprint != made:
            raise ConfigError(f"{path}: was changed while it was copied")
        part.rename(copy)
    played = read_bot(copy / path.name, None, name=name)
    program, *words = played.command
    if not Path(bot.command[0]).is_relative_to(bot.files[0]):  # A relative path would begin at the copy.
        program = bot.command[0]
    files = (*played.files, *bot.files[1:])
    return replace(bot, command=(program, *words), folder=played.folder, build=played.build, files=files)
