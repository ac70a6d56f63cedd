"""House bots: the bots of the arena itself, named `house:NAME` wherever a bot is named."""

from itertools import chain, cycle
from pathlib import Path
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.config.text import nearest
from arena.programs.bot import HOUSE, MANIFEST
from arena.programs.files import cache_folder, copy_folder, files_of, fingerprint, put_folder
from arena.programs.kits import COPY, checkout, quickstart

HOUSE_AUTHOR = "the arena"  # the author of house bots that have a bot.yaml
_ENDINGS = {"Python": ".py", "shell": ".sh", "C": ""}


class HouseBot(NamedTuple):
    """The style of a house bot, and the place of its program below `bots/`, by language."""

    language: str
    game: str  # "": it plays every game
    about: str  # how it plays
    file: str = ""  # or folder, if its name differs from the bot's
    role: str = ""  # the argument that distinguishes the bots of one folder


HOUSE_BOTS = {
    "random": HouseBot("Python", "", "any option", "random_bot"),
    "first": HouseBot("shell", "", "the first option, as a missing answer does"),
    "miser": HouseBot("shell", "complots", "never bluffs or challenges, saves for a coup"),
    "honest": HouseBot("Python", "complots", "never bluffs, challenges what must be false"),
    "bluffer": HouseBot("Python", "complots", "claims what is best, blocks when it may"),
    "counting": HouseBot("Python", "complots", "counts cards and claims"),
    "adaptive": HouseBot(
        "Python", "complots", "learns how each player plays, looks one turn ahead", "searching", "adaptive"
    ),
    "searching": HouseBot("Python", "complots", "plays its answers on in likely hands"),
    "learned": HouseBot("Python", "complots", "a table of regrets, or a network; trained by self-play"),
    "liar": HouseBot("C", "complots", "never looks at its hand"),
    "local_honest": HouseBot("Python", "local", "never bluffs"),
    "local_bluffer": HouseBot("Python", "local", "claims what is best, places what it can spare"),
    "local_reader": HouseBot("Python", "local", "tracks every card", "searching/local_reader"),
    "local_adaptive": HouseBot("Python", "local", "as adaptive", "searching", "adaptive"),
    "local_searching": HouseBot("Python", "local", "as searching; the strongest", "searching"),
    "intrigue_miser": HouseBot("Python", "intrigue", "never talks, pays the least", "intrigue", "miser"),
    "intrigue_buyer": HouseBot(
        "Python", "intrigue", "pays what a seat will earn, takes good offers", "intrigue", "buyer"
    ),
    "negotiator": HouseBot(
        "Python", "intrigue", "bargains by value, keeps its word", "intrigue", "negotiator"
    ),
    "deviator": HouseBot("Python", "intrigue", "bargains, and betrays when it pays", "intrigue", "deviator"),
    "sanctioner": HouseBot("Python", "intrigue", "bargains, and punishes betrayal", "intrigue", "sanctioner"),
    "intrigue_chatter": HouseBot("Python", "intrigue", "says anything, to test other bots"),
}


LEVELS: dict[str, dict[str, tuple[str, ...]]] = {  # opponents of visitors, by game
    "easy": {
        "complots": ("random", "miser", "honest"),
        "local": ("random", "local_honest"),
        "intrigue": ("random", "intrigue_miser", "intrigue_buyer"),
    },
    "medium": {
        "complots": ("honest", "bluffer", "miser"),
        "local": ("local_honest", "local_bluffer"),
        "intrigue": ("intrigue_buyer", "negotiator", "intrigue_miser"),
    },
    "hard": {
        "complots": ("searching", "learned", "adaptive"),
        "local": ("local_searching", "local_adaptive", "local_reader"),
        "intrigue": ("sanctioner", "negotiator", "deviator"),
    },
}


def opponents(game: str, level: str, count: int) -> list[str]:
    """`count` house bots for a game at a level, as `house:NAME`; all `random` if the game has none.

    If the game has fewer at this level, they repeat.
    """
    names = cycle(LEVELS[level].get(game, ("random",)))
    return [HOUSE + next(names) for _ in range(count)]


def is_house(path: str | Path) -> bool:
    return str(path).startswith(HOUSE)


def find_house_bot(path: Path) -> tuple[str, Path, tuple[str, ...]]:
    """The name of the house bot with the path `house:NAME`, its program's place, and its arguments.

    Raises:
        ConfigError: There is no such bot.
    """
    own = str(path).removeprefix(HOUSE)
    if own not in HOUSE_BOTS:
        near = nearest(own, list(HOUSE_BOTS))
        raise ConfigError(f"no house bot {own!r}{near or '; arena bots lists them'}")
    known, place = HOUSE_BOTS[own], _place_of(own)
    if checkout() == COPY and (place / MANIFEST).is_file():
        place = _copy_to_build(place)
    return own, place, (known.role,) if known.role else ()


def _place_of(name: str) -> Path:
    """The file or folder of a house bot."""
    known = HOUSE_BOTS[name]
    folder = checkout() / "bots" / known.language.lower()
    place = folder / f"{known.file or name}{_ENDINGS[known.language]}"
    return place if place.exists() else folder / (known.file or name)  # a bot of several files has a folder


def copied_files() -> dict[Path, Path]:
    """The files of a checkout by the path of their copies in an installed package.

    They are the house bots, the frozen pools and the quickstart. An installed package returns none.
    """
    top = checkout()
    if top == COPY:
        return {}
    places = [*{_place_of(name) for name in HOUSE_BOTS}, top / "bots" / "pools"]
    found = [files_of(place, builds=True) if place.is_dir() else [place] for place in places]
    return {COPY / path.relative_to(top): path for path in (quickstart(), *chain.from_iterable(found))}


def _copy_to_build(folder: Path) -> Path:
    """Copy the folder of a bot outside the installed package, for its build; returns the copy."""
    place = cache_folder() / f"house-{fingerprint(files_of(folder, builds=True), [], folder)}"
    put_folder(place, lambda new: copy_folder(folder, new / folder.name, builds=True))
    return place / folder.name
