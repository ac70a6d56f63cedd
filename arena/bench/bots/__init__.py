"""A minimal bot in C and one in Python. They are part of the package, so no checkout is needed."""

from pathlib import Path

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.files import copy_folder
from arena.programs.play.build import build
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY

__all__ = ("fast_bot",)

HERE = Path(__file__).parent


def minimal_bot(language: str, folder: Path) -> Bot:
    """The bot in `c` or `python`, built in a copy in `folder`.

    Raises:
        ConfigError: The bot cannot be built here.
    """
    copy = folder / language
    if not copy.exists():
        copy_folder(HERE / language, copy, builds=True)
    bot = read_bot(copy, name=language)
    build([bot], LIMITS_ONLY)
    return bot


def fast_bot(folder: Path) -> Bot:
    """The bot in C, or the one in Python where C cannot be compiled."""
    try:
        return minimal_bot("c", folder)
    except ConfigError:
        return minimal_bot("python", folder)
