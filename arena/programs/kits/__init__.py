"""The starter kits in several languages, and the quickstart, for users without a checkout.

A kit is a folder here with a small bot, the same in all languages: a reader of the protocol, a table of the
news, and one strategy. `create` fills in the parts that depend on the game.
"""

import getpass
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from arena import games
from arena.config.document import ConfigError
from arena.config.text import suggestion
from arena.programs.bot import BOT_NAME, MANIFEST, NAMING
from arena.programs.executables import real
from arena.rules import Game

HERE = Path(__file__).parent
_NOTES, _TEMPLATE = "AGENTS.md", "_agents.txt"
_READER = HERE.parents[1] / "library" / "reader.py"  # reads the protocol for a bot in Python
COPY = HERE / "checkout"  # in a wheel, setup.py puts the quickstart and its bots there

LANGUAGES = {
    "python": "Python", "c": "C", "cpp": "C++", "rust": "Rust", "go": "Go", "java": "Java",
    "javascript": "JavaScript", "typescript": "TypeScript", "csharp": "C#", "ruby": "Ruby", "perl": "Perl",
    "lua": "Lua", "bash": "Bash", "haskell": "Haskell", "kotlin": "Kotlin",
}  # fmt: skip
_OTHER_NAMES = {
    "c++": "cpp", "c#": "csharp", "js": "javascript", "ts": "typescript", "golang": "go", "sh": "bash",
}  # fmt: skip

PACKAGES = {  # of Debian, with the tools of the kits
    "python3": "python3", "cc": "gcc libc6-dev", "c++": "g++", "rustc": "rustc", "go": "golang-go",
    "javac": "default-jdk-headless", "java": "default-jdk-headless", "kotlinc": "kotlin", "node": "nodejs",
    "tsc": "node-typescript", "mcs": "mono-mcs", "mono": "mono-runtime", "ruby": "ruby", "perl": "perl",
    "lua": "lua5.4", "bash": "bash", "ghc": "ghc",
}  # fmt: skip


class Strategy(NamedTuple):
    """The facts about a game that the kits' strategy needs."""

    cards: str = ""  # words in options that claim a card, with spaces between
    wanted: str = ""  # first words of options, the best first; the rest by chance


_BLUFFING = Strategy(
    "duchess assassin contessa captain ambassador inquisitor",
    "coup assassin captain duchess contessa block ambassador inquisitor aid income pass",
)
STRATEGIES = {"complots": _BLUFFING, "local": _BLUFFING, "intrigue": Strategy("", "pass 1000")}
"""For any other game the kits choose by chance."""


def find_language(name: str) -> str:
    """The folder of the kit for a language, such as `cpp` for `C++`.

    Raises:
        ConfigError: There is no such kit.
    """
    found = _OTHER_NAMES.get(name.lower(), name.lower())
    if found not in LANGUAGES:
        raise ConfigError(f"no kit for {name!r}{suggestion(found, list(LANGUAGES))}")
    return found


def tools(language: str) -> list[str]:
    """The names of the programs that must be installed to build and run the kit of a language."""
    manifest = yaml.safe_load(_filled(HERE / language / MANIFEST, {}).replace("@", ""))
    commands = [manifest.get("build", []), manifest["run"]]
    return list(dict.fromkeys(command[0] for command in commands if command and "/" not in command[0]))


def missing_tools(language: str) -> list[str]:
    return [tool for tool in tools(language) if shutil.which(tool) is None]


def install_command(missing: list[str]) -> str:
    """The command that installs these tools on Debian."""
    return f"apt-get install {' '.join(dict.fromkeys(PACKAGES[tool] for tool in missing))}"


def create(language: str, folder: Path, game: str) -> Path:
    """Write the kit of a language into a new folder; returns its source file with the strategy.

    Raises:
        ConfigError: The folder has files already, cannot be written, or its name cannot be that of a bot.
    """
    name = real(folder).name
    if not BOT_NAME.fullmatch(name):
        raise ConfigError(f"{folder}: the bot has the name of its folder, and {NAMING}")
    strategy = STRATEGIES.get(game, Strategy())
    texts = {"NAME": name, "GAME": game, "CARDS": strategy.cards, "WANTED": strategy.wanted}
    (source,) = (path for path in (HERE / language).glob("[bB]ot.*") if path.name != MANIFEST)
    manifest = {key: _as_yaml(text) for key, text in (texts | {"AUTHOR": author()}).items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConfigError(f"{folder}: has files already; name a new or an empty folder")
        (folder / MANIFEST).write_text(_filled(source.with_name(MANIFEST), manifest), encoding="utf-8")
        (folder / source.name).write_text(_filled(source, texts), encoding="utf-8")
        (folder / _NOTES).write_text(_notes(language, source.name, texts), encoding="utf-8")
        if language == "python":
            shutil.copyfile(_READER, folder / "arena_reader.py")
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}") from None
    return folder / source.name


def _notes(language: str, source: str, texts: Mapping[str, str]) -> str:
    """The text of AGENTS.md: notes on changing the bot, with the card of its game."""
    game = games.find(texts["GAME"])
    assert game, "its name was checked"
    found = {"LANGUAGE": LANGUAGES[language], "SOURCE": source, "CARD": _card(game)}
    return _filled(HERE / _TEMPLATE, {**texts, **found, "SEATS": " ".join("." * max(2, game.seats[0]))})


def _card(game: Game) -> str:
    """The card of a game, its links as plain text; its name and summary if it has no card."""
    folder = games.folder_of(game)
    card = folder / "card.md" if folder else None
    if not card or not card.is_file():
        return f"{game.name}\n\n{game.summary}\n"
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", card.read_text(encoding="utf-8").removeprefix("# "))


def _filled(file: Path, values: Mapping[str, str]) -> str:
    text = file.read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _as_yaml(text: str) -> str:
    """A text as a YAML value in one line, in quotes if it looks like a number, for example."""
    dumped: str = yaml.safe_dump(text, allow_unicode=True)
    return dumped.splitlines()[0]


def author() -> str:
    """The login name of the user, or "unknown"; the author of a new bot."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the system has no name for this user
        return "unknown"


def checkout() -> Path:
    """The folder with `bots/` and `tournaments/`: a copy in the package, or the checkout around it."""
    return COPY if COPY.is_dir() else HERE.parents[2]


def quickstart() -> Path:
    return checkout() / "tournaments" / "quickstart.yaml"
