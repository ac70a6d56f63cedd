"""Files that a plan includes. One that lies among the entries is trusted no more than a `bot.yaml`."""

from collections.abc import Iterable
from glob import glob
from pathlib import Path

from arena.programs.installation import is_in, real


def is_among_entries(included: Path, plan: Path, entries: Iterable[Path]) -> bool:
    """Whether a file is in an entry, or in a folder of entries. If the plan is there, too, it is not."""
    file, plan = real(included), real(plan)
    places = [place for place in entries if not is_in(plan, [place])]
    return file.parent != plan.parent and is_in(file, places)


def places_of_entries(patterns: Iterable[str], folder: Path, beside: bool) -> set[Path]:
    """Each entry, and the folder in which a glob, or with `beside` also a path, finds it."""
    found = set[Path]()
    for pattern in patterns:
        several = is_glob(pattern, folder)
        for name in glob(pattern, root_dir=folder) if several else [pattern]:
            found |= {real(folder / name), *([real((folder / name).parent)] if several or beside else [])}
    return found


def is_glob(text: str, folder: Path) -> bool:
    return any(letter in text for letter in "*?[") and not (folder / text).exists()
