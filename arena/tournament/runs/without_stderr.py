"""Copies a run for publication, without its bots' stderr, which may reveal how they play."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from arena.tournament.runs.facts import Author, RunFacts
from arena.tournament.runs.store import CHUNK, Store
from arena.tournament.runs.stored_game import StoredGame, pack


def copy_without_stderr(run: Path, to: Path, anonymous: Collection[str] = (), hidden: str = "") -> None:
    """Write a new run file with the same games in the same order. Void games are only listed, with reasons.

    Args:
        run: The run file to copy.
        to: The path of the new file.
        anonymous: Bots whose authors and versions are left out, unless the plan keeps teams apart: then the
            games follow from the authors.
        hidden: A path of the server, which is removed from the reasons.

    Raises:
        ConfigError: A record is damaged, or `to` cannot be written.
    """
    with Store(run) as source, Store(to, writer=True) as copy:
        copy.write_facts(_for_others(source.facts, anonymous))
        games = _packed(source)
        while some := list(islice(games, CHUNK)):
            copy.append(some)
        copy.add_voids(source.void_rows(hidden))


def _packed(source: Store) -> Iterator[StoredGame]:
    # Games are compressed with the first one that was packed. Here that must be one without stderr.
    dictionaries: dict[str, bytes] = {}
    for game in source.games():
        yield pack(source.record(game.id).without_stderr(), dictionaries)


def _for_others(facts: RunFacts, anonymous: Collection[str]) -> RunFacts:
    """The facts of a run for the copy: without authors of `anonymous` bots, and without `started`."""
    if facts.plan and facts.plan.get("teams"):  # The games follow from the authors.
        anonymous = ()
    nobody = Author(author="", version="")
    authors = {name: nobody if name in anonymous else author for name, author in facts.authors.items()}
    return replace(facts, started={}, authors=authors)
