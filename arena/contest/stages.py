"""Unpacks, builds and checks one entry: `python -m arena.contest.stages`, started by the intake.

If something is wrong with the entry, a `BadEntry` describes it, and the entry fails. Any other exception is a
failure of the arena or the machine: the entry is not to blame, and is tried again once.
"""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import Any

import yaml

from arena.config.document import ConfigError, MachineError
from arena.config.text import duration
from arena.contest import entrants, entries, folders, places, unpacker
from arena.contest.contest import Contest, open_contest
from arena.programs.bot import MANIFEST, Bot, BotError
from arena.programs.check.finding import Finding
from arena.programs.check.start import build_failure
from arena.programs.executables import INTERPRETERS
from arena.programs.files import BUILD_FOLDER, belongs, share
from arena.programs.game_options import refuse_unsupported
from arena.programs.play import build
from arena.programs.reading import read_bot, read_manifest
from arena.programs.sandbox.client import SupervisorClient
from arena.programs.sandbox.linux.folders import remove, take_rights
from arena.referee.conditions import Conditions, Limits
from arena.tournament.check_entries import CheckRequest, check_entry
from arena.web.database import Database
from arena.web.log import log, use_log
from arena.web.settings import read_settings, when_parent_ends

_UNPACK_S = 60.0
_UNPACK_LIMITS = Limits(memory=512 * unpacker.MB, processes=4, cpu=_UNPACK_S, disk=320 * unpacker.MB)
_SLACK_S = 60.0  # for the arena itself, in each state
_CHECK_S = 540.0  # a check starts no further game after a minute, but games may be long
WAIT_S = 900.0  # an entry should not wait longer for the ladder
MIN_FREE = build.LIMITS.disk  # free bytes; with fewer, the disk may be the cause of a failure


def limit_of(contest: Contest, state: str) -> float:
    """The seconds that an entry may be in a state of `entries.WORKED_ON`."""
    limits = {"unpacking": _UNPACK_S, "building": contest.terms.conditions.limits.build, "checking": _CHECK_S}
    return limits[state] + _SLACK_S


class BadEntry(Exception):
    """Raised if an entry fails, with the reason in one line and its findings."""

    def __init__(self, why: str, findings: Sequence[Finding]):
        super().__init__(why)
        self.findings = findings


def _fault(check: str, words: str, advice: str = "") -> BadEntry:
    return BadEntry(words, [Finding(check, "fault", words, advice=advice)])


class _OutOfTurn(Exception):
    """The entry was withdrawn, or is judged again by another process."""


@dataclass(frozen=True)
class EntryWork:
    """The work on one entry."""

    contest: Contest
    database: Database
    entry: entries.Entry

    @property
    def _folder(self) -> Path:
        return self.contest.work(self.entry.id, self.entry.turn)

    def run(self) -> None:
        """Unpack, build and check the entry; then install it for the ladder, or let it fail."""
        try:
            self._run()
        except _OutOfTurn:
            pass
        except BadEntry as bad:
            self._check_disk()
            found = self._shown(bad.findings)
            entries.fail(self.database, self.entry, _first_line(found, str(bad)), found, time())
        finally:
            remove(str(self._folder))

    def _run(self) -> None:
        self._check_disk()
        remove(str(self._folder))
        self._folder.mkdir(mode=0o755, parents=True)
        place, left_out = self._unpack()
        bot = self._adopt(place)
        left_out += _remove_made(place, bool(bot.build))
        self._enter("building")
        self._build(bot, place)
        self._enter("checking")
        found = [*_note_left_out(left_out), *self._check(place)]
        if faults := [each for each in found if each.verdict == "fault"]:
            raise BadEntry(faults[0].words, found)
        self._install(bot, place, found)

    def _enter(self, state: entries.State) -> None:
        if not entries.enter(self.database, self.entry, state, time(), limit_of(self.contest, state)):
            raise _OutOfTurn
        log("entry", entrant=self.entry.entrant, number=self.entry.version, state=state)

    def _check_disk(self) -> None:
        """Check that the disk has room.

        Raises:
            MachineError: The disk is nearly full, so the entry may not be to blame.
        """
        if shutil.disk_usage(self.contest.server).free < MIN_FREE:
            raise MachineError("the disk is nearly full")

    def _unpack(self) -> tuple[Path, int]:
        """Unpack the archive; returns the folder of the bot, and the number of members that were left out.

        Raises:
            BadEntry: The archive cannot be unpacked.
        """
        archive = self.contest.uploads(self.entry.entrant) / str(self.entry.version)
        new = self._folder / "new"
        new.mkdir()
        done = unpack(archive, new, self.contest)
        inside = [*new.iterdir()]
        if not (new / MANIFEST).exists() and len(inside) == 1 and inside[0].is_dir():
            new = inside[0]  # an archive of a folder
        place = self._folder / self.entry.entrant  # messages of a build name this folder
        new.rename(place)
        return place, done["left_out"]

    def _adopt(self, place: Path) -> Bot:
        """Write entrant and author into the bot.yaml in `place`; returns the bot.

        Raises:
            BadEntry: The entry is not a bot.
        """
        if not (place / MANIFEST).exists():
            _write_manifest(place / MANIFEST, {"run": _command_of_program(place)})
        try:
            self._read(place)
            document, _ = read_manifest(place)  # an argument such as 1.10 is text there
            entrant = entrants.find(self.database, self.entry.entrant)
            named = {"name": entrant.name, "author": entrant.bot_author}
            _write_manifest(place / MANIFEST, {**document.data, **named})
            return self._read(place)
        except ConfigError as error:
            raise _fault("entry", str(error)) from None

    def _read(self, place: Path) -> Bot:
        bot = read_bot(place, [share(path) for path in self.contest.terms.files], name=place.name)
        terms = self.contest.terms
        refuse_unsupported(bot, terms.game, terms.seats, terms.options)
        return bot

    def _build(self, bot: Bot, place: Path) -> None:
        """Build the bot.

        Raises:
            BadEntry: The build fails, or changes files that distinguish its versions.
        """
        try:
            build.build([bot], self.contest.sandbox)
        except BotError as error:
            raise BadEntry(error.unbuilt[bot.name], [build_failure(bot, error)]) from None
        try:
            is_same = self._read(place).fingerprint == bot.fingerprint
        except ConfigError:
            is_same = False
        if not is_same:
            words = "its build changes files outside build/, which would be another version of it"
            raise _fault(
                "build", words, "let the build write only into build/, and run the program from there"
            )

    def _check(self, place: Path) -> list[Finding]:
        request = CheckRequest(self.contest.terms, [], {}, Conditions(), [])
        return check_entry(place, request, self.contest.sandbox, lambda message: None)

    def _install(self, bot: Bot, place: Path, found: Sequence[Finding]) -> None:
        def install() -> None:
            folders.install(place, self.contest.entries / bot.name)

        shown = self._shown(found)
        if bot.build:
            remove(str(place / BUILD_FOLDER))  # ladder and final build their copies anew
        entries.accept(self.database, self.entry, bot.fingerprint, shown, time(), WAIT_S, install)
        log("entry", entrant=bot.name, number=self.entry.version, state="waiting")

    def _shown(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings without paths of the server."""

        def hide(text: str) -> str:
            return places.hide(text, self.contest.folder, self._folder / self.entry.entrant)

        return [
            replace(
                each, words=hide(each.words), details=tuple(map(hide, each.details)), advice=hide(each.advice)
            )
            for each in findings
        ]


def _remove_made(place: Path, builds: bool) -> int:
    """Remove files and folders that do not belong to the unpacked bot in `place`; returns their number."""
    made = [path for path in place.rglob("*") if not belongs(path.relative_to(place), builds)]
    for path in made:
        remove(str(path))
    return len(made)


def _note_left_out(count: int) -> list[Finding]:
    """A note that files were left out, if there were any."""
    words = f"left out {count} files and folders made by builds, Python or macOS"
    return [Finding("unpack", "note", words)] if count else []


def _first_line(found: Sequence[Finding], why: str) -> str:
    """The words of the first fault that was found, or else `why`."""
    return next((each.words for each in found if each.verdict == "fault"), why)


def _write_manifest(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True), encoding="utf-8")


def _command_of_program(place: Path) -> list[str]:
    """The command of the only program in a folder without a bot.yaml.

    Raises:
        BadEntry: The folder has no program, or several.
    """
    programs = [path for path in place.iterdir() if path.suffix in INTERPRETERS and path.is_file()]
    if len(programs) != 1:
        words = f"has no {MANIFEST}, at the top of the archive or in its only folder"
        raise _fault("entry", words, f"add one that says how to run the bot: arena new writes a {MANIFEST}")
    return [{**INTERPRETERS, ".py": "python3"}[programs[0].suffix], programs[0].name]


def unpack(archive: Path, folder: Path, contest: Contest) -> Mapping[str, int]:
    """Unpack an archive into an empty folder, inside the box; returns the counts of `unpacker.unpack`.

    Raises:
        BadEntry: The file is not an allowed archive.
        MachineError: The unpacker itself has failed.
    """
    sandbox = replace(contest.sandbox, limits=_UNPACK_LIMITS)
    program = read_bot(Path(unpacker.__file__), name="unpacker")
    with (
        archive.open("rb") as source,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        closing(SupervisorClient(sandbox)) as supervisor,
    ):
        descriptors = (source.fileno(), output.fileno(), errors.fileno())
        pid = supervisor.start(program, [*program.command, str(folder)], descriptors, writable=[folder])
        status = supervisor.end(pid, _UNPACK_S)
        violation = supervisor.violation(pid)
        take_rights(str(folder))
        if violation:
            raise _fault("unpack", f"the archive cannot be unpacked: it {violation[1]}")
        if status is None:
            raise _fault("unpack", f"the archive cannot be unpacked within {duration(_UNPACK_S)}")
        errors.seek(0)
        output.seek(0)
        if status:
            said = errors.read(4096).decode(errors="replace").strip().splitlines()
            raise MachineError(f"the unpacker failed: {said[-1] if said else status}")
        done: dict[str, Any] = json.loads(output.read(65536))
    if "refused" in done:
        why = str(done["refused"])  # of the archive, or of a file whose quoted name comes first
        raise _fault("unpack", f"in the archive {why}" if why[0] in "'\"" else f"the archive {why}")
    return done


def _main() -> None:
    use_log()
    settings = read_settings()
    number, turn = map(int, sys.stdin.readline().split())
    when_parent_ends(lambda: os._exit(1))  # the supervisors of this process end with it
    contest = open_contest(settings.folder.parent)
    database = contest.database()
    entry = entries.find(database, number)
    if entry and entry.turn == turn:
        try:
            EntryWork(contest, database, entry).run()
        except Exception as error:
            why = str(error) or type(error).__name__
            log("error", process="stages", entrant=entry.entrant, number=entry.version, message=why)
            entries.lose(database, entry, "the server failed while it worked on it", time(), why)
            raise


if __name__ == "__main__":
    _main()
