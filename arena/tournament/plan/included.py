"""Files that a plan includes. One that lies among the entries is trusted no more than a `bot.yaml`."""

from collections.abc import Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path

from arena.programs.installation import is_in, real


def is_among_entries(included: Path, plan: Path, entries: Sequence[Path]) -> bool:
    """Whether a file is in an entry, or in a folder of entries. If the plan is there, too, it is not."""
    file, plan = real(included), real(plan)
    places = [place for place in entries if not is_in(plan, [place])]
    return file.parent != plan.parent and is_in(file, places)


def places_of_entries(
    bots: Mapping[str, object] | Sequence[str], folder: Path, beside: bool
) -> Iterator[Path]:
    """Each entry, and the folder in which a glob, or with `beside` also a path, finds it."""
    for pattern in _patterns(bots):
        several = is_glob(pattern, folder)
        names = glob(pattern, root_dir=folder) if several else [pattern]
        for path in (folder / name for name in names):
            yield real(path)
            if several or beside:
                yield real(path.parent)


def _patterns(bots: Mapping[str, object] | Sequence[str]) -> list[str]:
    """The paths and globs that the key `bots` names; its commands are left out."""
    if isinstance(bots, str):
        return [bots]
    given = bots.values() if isinstance(bots, Mapping) else bots
    return [each for each in given if isinstance(each, str)]


def is_glob(text: str, folder: Path) -> bool:
    return any(letter in text for letter in "*?[") and not (folder / text).exists()
