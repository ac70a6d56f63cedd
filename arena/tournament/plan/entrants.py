"""Reads and names the bots of a plan and of the files that it includes, and checks the files they share."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.document import ConfigError, Document
from arena.config.text import one_line
from arena.programs.bot import (
    Bot,
    distinct_name,
    naming_problem,
    own_name,
    remote_bot,
    to_bot_name,
    why_no_bot,
)
from arena.programs.executables import real
from arena.programs.files import Shared, chosen, share, with_shared
from arena.programs.house import is_house
from arena.programs.reading import bot_from_command, broken_bot, read_bot
from arena.tournament.plan.entrant_keys import BotKeys, Bots, EntrantKeys, IncludedKeys, items_of, paths_of
from arena.tournament.plan.included import is_among_entries, is_glob, places_of_entries
from arena.tournament.plan.models import ModelKeys, model_bot


class _KeyPlace(NamedTuple):
    """Where bots are named: a document, and the path of the key in it; () for bots of the command line."""

    document: Document
    path: tuple[Any, ...] = ()
    is_trusted: bool = True  # False if the document is among the entries

    @property
    def folder(self) -> Path:
        return self.document.path.parent

    def error(self, message: str, *key: str) -> ConfigError:
        return self.document.error((*self.path, *key), message)


@dataclass(frozen=True)
class _Entrant:
    """A bot and where the plan names it."""

    bot: Bot
    place: _KeyPlace
    name: str = ""  # the name of its file
    entry: Path | None = None  # its file or folder; None with a command
    is_named: bool = False  # by the organiser, instead of its bot.yaml or file

    def where(self) -> str:
        """The place in the plan and the name of the file, for messages."""
        document, path, _ = self.place
        return ": ".join(filter(None, [document.where(path) if path else "", self.name]))

    def claim(self) -> int:
        """The rank of its claim to its name: 0 if the plan gives the name, 1 if its file has it, else 2."""
        return 0 if self.is_named else 1 if self.entry and own_name(self.entry) == self.bot.name else 2


@dataclass(frozen=True)
class LoadedBots:
    """The bots of a plan by name, and `FILE: WHY` for each file that matches a glob but does not play.

    Such a file is not a bot, or is left out by a `!PATTERN`. `read` has the files that the plan includes or
    shares, and the templates of its models.
    """

    bots: Mapping[str, Bot]
    passed_over: Sequence[str]
    read: Sequence[Path]


def load_bots(
    keys: EntrantKeys, document: Document, refuse: bool = True, more: Sequence[Path] = ()
) -> LoadedBots:
    """The bots of a plan, and those at the paths `more`.

    Without `refuse`, a bot that cannot be read, or whose name is taken, is among the bots as broken.

    Raises:
        ConfigError: A path does not exist, a glob matches no bot, the plan gives a name twice, or a shared
            path contains an entry or is in it. With `refuse`, also: a bot cannot be read, or its name is
            taken.
    """
    if not {"bots", "include"} & document.data.keys():
        raise document.error(("bots",), "is missing")
    reader = _BotReader(keys, refuse, document)
    entrants = [*reader.entrants(keys, document), *reader.read_paths(more, document)]
    found: dict[str, _Entrant] = {}
    position = {}
    for number, entrant in sorted(enumerate(entrants), key=lambda each: each[1].claim()):
        name, path = entrant.bot.name, entrant.entry
        if other := found.get(name):
            if refuse or entrant.is_named or not path:
                advice = "to keep both, give one a name, bots: [{NAME: PATH}], or use name_from: folder"
                raise ConfigError(f"{entrant.where()}: the name {name} is taken by {other.where()}; {advice}")
            free = distinct_name(path.name, {each.bot.name for each in entrants} | found.keys())
            why = f"its name {name} is taken by {other.name or 'a bot of the plan'}"
            entrant = replace(entrant, bot=broken_bot(free, path, why))
        found[entrant.bot.name], position[entrant.bot.name] = entrant, number
    for name, entrant in found.items():
        if entrant.entry:
            named, own = reader.named, entrant.entry
            others = [each for each in named if not real(each.place.document.path).is_relative_to(own)]
            refuse_exposed([*reader.shared, *others], name, own)
    read = [*reader.read, *(each.shared.path for each in reader.shared)]
    order = sorted(found, key=position.__getitem__)  # the order of the plan
    return LoadedBots({name: found[name].bot for name in order}, reader.passed_over, read)


class SharedHere(NamedTuple):
    """A shared file or folder, and where the plan shares it."""

    shared: Shared
    place: _KeyPlace


def shared_files(names: Sequence[str], plan: Document, place: _KeyPlace | None = None) -> list[SharedHere]:
    """The files and folders that the key `files` shares with bots, in the plan or at another place.

    Raises:
        ConfigError: A path does not exist, or contains the plan.
    """
    document, path, _ = place or _KeyPlace(plan)
    found = []
    for index, name in enumerate(names):
        here, file = _KeyPlace(document, (*path, "files", index)), document.path.parent / name
        if Path(os.path.realpath(plan.path)).is_relative_to(os.path.realpath(file)):
            raise here.error(f"{name}: contains the plan, which may have the seed of the deals")
        with document.at(here.path):
            found.append(SharedHere(share(file), here))
    return found


def refuse_exposed(shared: Iterable[SharedHere], name: str, entry: Path) -> None:
    """Check that other bots cannot read the entry, and its build cannot write to files that they read.

    Raises:
        ConfigError: A shared path contains the `entry` of bot `name`, or is in it.
    """
    for each, place in shared:
        if entry == each.path and entry.is_file():
            hint = "a glob that ends with / names only folders"
            raise place.error(f"{each.path}: is shared, but also the bot {name} of bots:; {hint}")
        if entry.is_relative_to(each.path) or each.path.is_relative_to(entry):
            raise place.error(f"{each.path}: contains, or is in, the files of {name}")


def teams_of(bots: Mapping[str, Bot]) -> dict[str, str]:
    """The team of each bot, by name: `author A` if it has an author, else `bot NAME`, a team of its own."""
    return {name: f"author {bot.author}" if bot.author else f"bot {name}" for name, bot in bots.items()}


def _at(folder: Path, name: str) -> Path:
    return Path(name) if is_house(name) else folder / name


class _BotReader:
    """Reads the bots of a plan. Without `refuse`, a bot that exists but cannot be read is a broken bot."""

    def __init__(self, keys: EntrantKeys, refuse: bool, plan: Document):
        self._refuse, self._plan, self._by_folder = refuse, plan, keys.name_from == "folder"
        self.shared = shared_files(keys.files, plan)  # shared with all bots or with some
        self._for_all = [each.shared for each in self.shared]
        self.named: list[SharedHere] = []  # named by commands in files among the entries
        self.passed_over: list[str] = []
        self.read: list[Path] = []  # includes and templates of models

    def entrants(self, keys: EntrantKeys, document: Document) -> Iterator[_Entrant]:
        """The bots of the plan, then the bots of the files that it includes."""
        yield from self._read_bots(keys.bots, document)
        included = []
        for name in [keys.include] if isinstance(keys.include, str) else keys.include:
            with document.at(("include",)):
                path = document.path.parent / name
                if real(path) == real(document.path):
                    raise ConfigError(f"{name}: is this plan; it should be another file, with bots:")
                other = Document(path, regular=True, known_by="bots")
            included.append((other, other.check(IncludedKeys).bots))
            self.read.append(other.path)
        for other, bots in included:
            entries = places_of_entries(paths_of(items_of(keys.bots)), document.path.parent, beside=True)
            for another, more in included:
                if another.path != other.path:
                    entries |= places_of_entries(paths_of(items_of(more)), another.path.parent, beside=False)
            yield from self._read_bots(bots, other, not is_among_entries(other.path, document.path, entries))

    def read_paths(self, paths: Iterable[Path], document: Document) -> Iterator[_Entrant]:
        """The bots at paths that the command line gives."""
        for path in paths:
            bot = self._with_own_name(path, f"{path}: ", "")
            yield _Entrant(bot, _KeyPlace(document), str(path), bot.files[0])

    def _read_bots(self, bots: Bots, document: Document, trusted: bool = True) -> Iterator[_Entrant]:
        if isinstance(bots, str):
            hint = f"names with programs, or a list, bots: [{bots}]"
            raise document.error(("bots",), f"a folder needs format: ladder; should be {hint}")
        folder, items = document.path.parent, list(items_of(bots))
        out: dict[Path, str] = {}  # why globs leave a path out: a list excludes it, or names it itself
        for pattern in (each[1:] for _, _, each in items if isinstance(each, str) and each.startswith("!")):
            names = glob(pattern, root_dir=folder)
            out |= {real(folder / name): f"left out by !{pattern}" for name in names}
        out |= {real(folder / path): "" for path in paths_of(items) if not is_glob(path, folder)}
        for path, name, program in items:
            place = _KeyPlace(document, path, trusted)
            if name is not None:
                yield self._read_named(
                    name, BotKeys(path=program) if isinstance(program, str) else program, place
                )
            elif isinstance(program, str) and not program.startswith("!"):
                yield from self._read_listed(program, place, out)

    def _read_named(self, name: str, keys: BotKeys | ModelKeys, place: _KeyPlace) -> _Entrant:
        if problem := naming_problem(name):
            raise place.error(problem)
        if isinstance(keys, ModelKeys):
            return self._model(name, keys, place)
        if keys.run and keys.path is not None:
            raise place.error("has run: and path:, but needs only one of them")
        if keys.remote:
            for key in ("run", "path", "files"):
                if getattr(keys, key):
                    raise place.error("does not apply to a bot with remote: true", key)
            return _Entrant(remote_bot(name, keys.author or ""), place, is_named=place.is_trusted)
        if keys.run:
            bot = self._by_command(name, keys.run, keys, place)
            return _Entrant(bot, place, is_named=place.is_trusted)
        if keys.path is None:
            raise place.error("is missing", "run")
        if keys.files:
            raise place.error("needs run:; a bot with a path names them in its bot.yaml", "files")
        if is_glob(keys.path, place.folder):
            hint = f"globs go into a list, bots: [{keys.path}]"
            raise place.error(f"{keys.path}: a name is for one program; {hint}")
        with place.document.at(place.path):
            bot = self._bot(name, _at(place.folder, keys.path))
        bot = bot if keys.author is None else replace(bot, author=keys.author)
        return _Entrant(bot, place, entry=bot.files[0], is_named=place.is_trusted)

    def _model(self, name: str, keys: ModelKeys, place: _KeyPlace) -> _Entrant:
        """The entrant of a language model.

        Raises:
            ConfigError: A key is wrong, or a file among the entries names the model: it could make the arena
                send the user's key anywhere.
        """
        if not place.is_trusted:
            raise place.error("a file among the entries cannot name a model; name it in the plan", "model")
        if keys.template is not None:
            self.read.append(place.folder / keys.template)
        with place.document.at(place.path):
            return _Entrant(model_bot(name, keys, place.folder), place, is_named=True)

    def _by_command(self, name: str, run: Sequence[str], keys: BotKeys, place: _KeyPlace) -> Bot:
        """The bot of a `run:`.

        Raises:
            ConfigError: The program does not exist, or the bot may not read its files.
        """
        shared = self._shared_with(keys.files, place)
        folder = place.folder.resolve() if place.is_trusted else real(place.document.path).parent
        try:
            bot = bot_from_command(name, run, folder, None if place.is_trusted else shared)
        except ConfigError as error:
            if self._refuse:
                raise place.error(str(error)) from None
            bot = Bot(name, tuple(run), folder, "0" * 16, broken=one_line(str(error)))
        bot = with_shared(replace(bot, author=keys.author or ""), shared)
        if not place.is_trusted:
            self.named += [SharedHere(Shared(file, ""), place) for file in bot.files]
        return bot

    def _shared_with(self, names: Sequence[str], place: _KeyPlace) -> list[Shared]:
        """The paths in `files` (`names`) that a bot with a command may read besides its own files.

        Raises:
            ConfigError: The bot may not read one of them.
        """
        if place.is_trusted:
            own = shared_files(names, self._plan, place)
            self.shared += own
            return [*self._for_all, *(each.shared for each in own)]
        folder = real(place.document.path).parent
        # As in a bot.yaml, they are in its folder or among the files for all.
        with place.document.at((*place.path, "files")):
            found = [chosen(name, folder, self._for_all) or [share(folder / name)] for name in names]
        return list(chain(*found)) if names else self._for_all

    def _read_listed(self, pattern: str, place: _KeyPlace, out: Mapping[Path, str]) -> Iterator[_Entrant]:
        folder, found = place.folder, [pattern]
        if is_glob(pattern, folder):
            matches = {name: why_no_bot(folder / name) for name in sorted(glob(pattern, root_dir=folder))}
            found = [name for name, why in matches.items() if not why]
            if not found:
                others = ", ".join(one_line(f"{name}: {why}") for name, why in matches.items())
                more = f"; passed over {others}" if others else ""
                advice = f"there is no bot; a bot is a program or a folder with a bot.yaml{more}"
                raise place.error(f"{pattern}: {advice}")
            matches |= {name: out[real(folder / name)] for name in found if real(folder / name) in out}
            self.passed_over += [one_line(f"{name}: {why}") for name, why in matches.items() if why]
            found = [name for name in found if real(folder / name) not in out]
        for name in found:
            with place.document.at(place.path):
                hint = f"; give it another, bots: [{{NAME: {name}}}]"
                bot = self._with_own_name(_at(folder, name), f"{name}: ", hint)
            yield _Entrant(bot, place, name, bot.files[0], is_named=is_house(name))

    def _with_own_name(self, path: Path, place: str, hint: str) -> Bot:
        """The bot at a path, named by its bot.yaml, or by its folder or file.

        Raises:
            ConfigError: There is no such file, or the bot is refused. The message begins with `place`, and
                ends with `hint` if the name is wrong.
        """
        bot = self._bot(own_name(path) if self._by_folder and not is_house(path) else None, path)
        if not (problem := naming_problem(bot.name)):
            return bot
        if self._refuse:
            raise ConfigError(f"{place}{problem}{hint}")
        return broken_bot(to_bot_name(bot.name), path, problem)

    def _bot(self, name: str | None, path: Path) -> Bot:
        try:
            return read_bot(path, self._for_all, name=name)
        except ConfigError as error:
            if self._refuse or not path.exists():
                raise
            return broken_bot(name, path, str(error))
