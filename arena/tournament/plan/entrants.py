"""The bots of a plan: given by name, as a list of paths and globs, or in included files."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Discriminator, Field, Tag

from arena.config.document import ConfigError, Document
from arena.config.text import one_line
from arena.config.values import KEYS, Text
from arena.programs.bot import BOT_NAME, NAMING, Bot, bot_from_command, broken_bot, why_no_bot, with_shared
from arena.programs.files import Shared, chosen, share
from arena.programs.house import find_bot, is_house
from arena.programs.installation import is_in, real
from arena.tournament.plan.included import is_among_entries, is_glob, places_of_entries

_KINDS = {dict: "by name", list: "a list", str: "a folder"}  # tags that cannot be names of bots


@dataclass(frozen=True, kw_only=True)
class BotKeys:
    """A bot given by the command that starts it."""

    __pydantic_config__ = KEYS

    run: Annotated[list[Text], Field(min_length=1)]
    """The command and its arguments."""
    author: Text = ""
    """Its author, as in a bot.yaml; `teams: apart` uses it."""
    files: list[Text] = field(default_factory=list)
    """Files and folders that it may read, besides the files in the command."""


Bots = Annotated[
    Annotated[dict[Text, Text | BotKeys], Tag("by name")]
    | Annotated[list[Text], Tag("a list")]
    | Annotated[Text, Tag("a folder")],
    Discriminator(
        lambda given: _KINDS.get(type(given)),
        custom_error_type="bots",
        custom_error_message="should be names with programs, or a list of programs and folders",
    ),
]


@dataclass(frozen=True, kw_only=True)
class EntrantKeys:
    """The keys of a plan that name the bots."""

    __pydantic_config__ = KEYS

    bots: Bots = field(default_factory=dict)
    """Names with programs, or a list of programs and globs; for a ladder, a folder.

    A program is a file, a folder with a bot.yaml, or a house bot (`house:NAME`).
    By name it may also be {run: [any, command]}. Paths begin here.
    """
    include: Text | list[Text] = field(default_factory=list)
    """A YAML file, or several, with more `bots:`; their paths begin at that file."""
    files: list[Text] = field(default_factory=list)
    """Files and folders that all bots may read, such as adapters and data. Paths begin here."""


@dataclass(frozen=True, kw_only=True)
class _IncludedKeys:
    """The keys of a file that a plan includes."""

    __pydantic_config__ = KEYS

    bots: Bots
    """As in a plan."""


@dataclass(frozen=True)
class _Entrant:
    """A bot and where the plan names it: a key of a document, without a path if the command line does."""

    bot: Bot
    document: Document
    path: tuple[Any, ...]
    name: str = ""  # of its file
    entry: Path | None = None  # its file or folder, unless a command is given

    def place(self) -> str:
        return ": ".join(filter(None, [self.document.where(self.path) if self.path else "", self.name]))


@dataclass(frozen=True)
class Entries:
    """The bots of a plan by name, and why each other file that a glob matches is not a bot."""

    bots: Mapping[str, Bot]
    passed_over: Sequence[str]


def load_bots(
    keys: EntrantKeys, document: Document, refuse: bool = True, more: Sequence[Path] = ()
) -> Entries:
    """The bots of a plan and `more`. ConfigError: two share a name, or we `refuse` one that is unreadable."""
    if not {"bots", "include"} & document.data.keys():
        raise document.error(("bots",), "is missing")
    found: dict[str, _Entrant] = {}
    reader = _Reader(refuse, document, shared_files(keys.files, document, (), document))
    for entrant in chain(reader.entrants(keys, document), reader.added(more, document)):
        name = entrant.bot.name
        if name in found:
            raise ConfigError(
                f"{entrant.place()}: the name {name} is taken by {found[name].place()}; "
                "to keep both, name them in the plan: bots: {NAME: PATH}"
            )
        found[name] = entrant
    for name, entrant in found.items():
        if entrant.entry:
            others = [each for each in reader.named if not is_in(real(each.document.path), [entrant.entry])]
            refuse_exposed([*reader.shared, *others], name, entrant.entry)
    return Entries({name: entrant.bot for name, entrant in found.items()}, reader.passed_over)


class SharedHere(NamedTuple):
    """A shared file or folder, and where the plan shares it."""

    shared: Shared
    document: Document
    path: tuple[Any, ...]


def shared_files(
    names: Sequence[str], document: Document, path: tuple[Any, ...], plan: Document
) -> list[SharedHere]:
    """The files that a key `files` shares with bots. ConfigError: one does not exist, or shows the plan."""
    found = []
    for index, name in enumerate(names):
        place = (*path, "files", index)
        file = document.path.parent / name
        if Path(os.path.realpath(plan.path)).is_relative_to(os.path.realpath(file)):
            raise document.error(place, f"{name}: contains the plan, which may have the seed of the deals")
        with document.at(place):
            found.append(SharedHere(share(file), document, place))
    return found


def refuse_exposed(shared: Iterable[SharedHere], name: str, entry: Path) -> None:
    """ConfigError: a shared folder would show an entry to other bots, or is in one, where a build writes."""
    for each, document, place in shared:
        if entry == each.path and entry.is_file():
            hint = "a glob that ends with / names only folders"
            raise document.error(place, f"{each.path}: is shared, but also the bot {name} of bots:; {hint}")
        if entry.is_relative_to(each.path) or each.path.is_relative_to(entry):
            raise document.error(place, f"{each.path}: contains, or is in, the files of {name}")


def teams_of(bots: Mapping[str, Bot]) -> dict[str, str]:
    """The team of each bot: its author, or the bot itself if it has none."""
    return {name: f"author {bot.author}" if bot.author else f"bot {name}" for name, bot in bots.items()}


def _at(folder: Path, name: str) -> Path:
    return Path(name) if is_house(name) else folder / name


class _Reader:
    """Reads the bots of a plan. If it does not `refuse` a bot that cannot be read, that bot is `broken`."""

    def __init__(self, refuse: bool, plan: Document, shared: Sequence[SharedHere]):
        self._refuse, self._plan = refuse, plan
        self._for_all = [each.shared for each in shared]
        self.shared = list(shared)  # with all bots or with some
        self.named: list[SharedHere] = []  # by commands of files among the entries
        self.passed_over: list[str] = []

    def entrants(self, keys: EntrantKeys, document: Document) -> Iterator[_Entrant]:
        """The bots of the plan, then the bots of the files that it includes."""
        yield from self._given(keys.bots, document)
        included = []
        for name in [keys.include] if isinstance(keys.include, str) else keys.include:
            with document.at(("include",)):
                other = Document(document.path.parent / name, regular=True)
            included.append((other, other.check(_IncludedKeys).bots))
        for other, bots in included:
            entries = places_of_entries(keys.bots, document.path.parent, beside=True)
            for another, more in included:
                if another.path != other.path:
                    entries |= places_of_entries(more, another.path.parent, beside=False)
            yield from self._given(bots, other, not is_among_entries(other.path, document.path, entries))

    def added(self, paths: Iterable[Path], document: Document) -> Iterator[_Entrant]:
        for path in paths:
            bot = self._bot(None, path)
            if not BOT_NAME.fullmatch(bot.name):
                raise ConfigError(f"{path}: {NAMING}")
            yield _Entrant(bot, document, (), str(path), bot.files[0])

    def _given(
        self, bots: Mapping[str, str | BotKeys] | list[str] | str, document: Document, trusted: bool = True
    ) -> Iterator[_Entrant]:
        if isinstance(bots, str):
            raise document.error(("bots",), "a folder needs format: ladder; should be names with programs")
        if isinstance(bots, list):
            for index, pattern in enumerate(bots):
                yield from self._listed(pattern, ("bots", index), document)
            return
        for name, program in bots.items():
            if not isinstance(program, str):
                yield _Entrant(self._by_command(name, program, document, trusted), document, ("bots", name))
                continue
            with document.at(("bots", name)):
                bot = self._named(name, program, document.path.parent)
            yield _Entrant(bot, document, ("bots", name), entry=bot.files[0])

    def _named(self, name: str, program: str, folder: Path) -> Bot:
        if not BOT_NAME.fullmatch(name):
            raise ConfigError(NAMING)
        if is_glob(program, folder):
            raise ConfigError(
                f"{program}: a name is for one program; globs go into a list, bots: [{program}]"
            )
        return self._bot(name, _at(folder, program))

    def _by_command(self, name: str, keys: BotKeys, document: Document, trusted: bool) -> Bot:
        """ConfigError: we refuse a bot whose program is not on this machine, or it may not read its files."""
        path = ("bots", name)
        if not BOT_NAME.fullmatch(name):
            raise document.error(path, NAMING)
        shared = self._shared_with(keys.files, document, path, trusted)
        folder = (document.path if trusted else real(document.path)).parent.resolve()
        try:
            bot = bot_from_command(name, keys.run, folder, None if trusted else shared)
        except ConfigError as error:
            if self._refuse:
                raise document.error(path, str(error)) from None
            bot = Bot(name, tuple(keys.run), folder, "0" * 16, broken=one_line(str(error)))
        bot = with_shared(replace(bot, author=keys.author), shared)
        if not trusted:
            self.named += [SharedHere(Shared(file, ""), document, path) for file in bot.files]
        return bot

    def _shared_with(
        self, names: Sequence[str], document: Document, path: tuple[Any, ...], trusted: bool
    ) -> list[Shared]:
        """What a bot that is given by a command may read besides. ConfigError: it wants more than it may."""
        if trusted:
            own = shared_files(names, document, path, self._plan)
            self.shared += own
            return [*self._for_all, *(each.shared for each in own)]
        folder = real(document.path).parent
        with document.at((*path, "files")):  # as in a bot.yaml: of its folder, or chosen from those for all
            found = [chosen(name, folder, self._for_all) or [share(folder / name)] for name in names]
        return list(chain(*found)) if names else self._for_all

    def _listed(self, pattern: str, path: tuple[Any, ...], document: Document) -> Iterator[_Entrant]:
        folder, found = document.path.parent, [pattern]
        if is_glob(pattern, folder):
            matches = {name: why_no_bot(folder / name) for name in sorted(glob(pattern, root_dir=folder))}
            found = [name for name, why in matches.items() if not why]
            others = [one_line(f"{name}: {why}") for name, why in matches.items() if why]
            if not found:
                more = f"; passed over {', '.join(others)}" if others else ""
                advice = f"there is no bot; a bot is a program or a folder with a bot.yaml{more}"
                raise document.error(path, f"{pattern}: {advice}")
            self.passed_over += others
        for name in found:
            with document.at(path):
                bot = self._bot(None, _at(folder, name))
                if not BOT_NAME.fullmatch(bot.name):
                    raise ConfigError(f"{name}: {NAMING}; give it another, bots: {{NAME: {name}}}")
            yield _Entrant(bot, document, path, name, bot.files[0])

    def _bot(self, name: str | None, path: Path) -> Bot:
        try:
            return find_bot(name, path, self._for_all)
        except ConfigError as error:
            if self._refuse or not path.exists():
                raise
            return broken_bot(name, path, str(error))
