"""Copies a run without what its bots wrote to stderr, which may tell how they play: for publication."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from arena.tournament.runs.facts import RunFacts
from arena.tournament.runs.store import CHUNK, Store
from arena.tournament.runs.stored_game import StoredGame, pack


def copy_without_stderr(run: Path, to: Path) -> None:
    """Write a new run file with the same games in the same order. What void games were is left out, too."""
    with Store(run) as source, Store(to, writer=True) as copy:
        copy.write_facts(_without_machine(source.facts))
        games = _packed(source)
        while some := list(islice(games, CHUNK)):
            copy.append(some)
        copy.add_voids(source.void_rows())


def _packed(source: Store) -> Iterator[StoredGame]:
    # Games are compressed with the first one that was packed, so here that is one without stderr.
    dictionaries: dict[str, bytes] = {}
    for game in source.games():
        yield pack(source.record(game.id).without_stderr(), dictionaries)


def _without_machine(facts: RunFacts) -> RunFacts:
    """Facts for other machines: on those no bot has started yet."""
    return replace(facts, started={})
