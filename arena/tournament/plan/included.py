"""Finds included files that are among the entries: they are trusted no more than a bot.yaml."""

from collections.abc import Iterable
from glob import glob
from pathlib import Path

from arena.programs.executables import real


def is_among_entries(included: Path, plan: Path, entries: Iterable[Path]) -> bool:
    """Whether an included file is in one of `entries`, which are entries and folders of entries.

    A file beside the plan is not, and a folder that also contains the plan does not count.
    """
    file, plan = real(included), real(plan)
    places = [place for place in entries if not plan.is_relative_to(place)]
    return file.parent != plan.parent and any(map(file.is_relative_to, places))


def places_of_entries(patterns: Iterable[str], folder: Path, beside: bool) -> set[Path]:
    """The entries that paths and globs name in a folder, and the folders in which globs find them.

    With `beside`, also the folders of entries that are named by their paths.
    """
    found = set[Path]()
    for pattern in patterns:
        several = is_glob(pattern, folder)
        for name in glob(pattern, root_dir=folder) if several else [pattern]:
            found |= {real(folder / name), *([real((folder / name).parent)] if several or beside else [])}
    return found


def is_glob(text: str, folder: Path) -> bool:
    """Whether a text is a glob, and not the path of an existing file in the folder."""
    return any(letter in text for letter in "*?[") and not (folder / text).exists()
