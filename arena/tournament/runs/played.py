"""The games of a run as a mapping that reads its file, so that a run of any length needs no memory."""

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Protocol

from arena.referee.record import Summary


class Games(Protocol):
    """What `Played` needs of a store."""

    def count(self) -> int: ...
    def find(self, id: str) -> Summary | None: ...
    def games(self) -> Iterator[Summary]: ...


class Played(Mapping[str, Summary]):
    """Every game by the id of its fixture, in the order of play. ConfigError: a game is damaged.

    A game that is added to the store is in the mapping at once.
    """

    def __init__(self, store: Games):
        self._store = store

    def __len__(self) -> int:
        return self._store.count()

    def __iter__(self) -> Iterator[str]:
        return (game.id for game in self._store.games())

    def __getitem__(self, id: str) -> Summary:
        if game := self._store.find(id):
            return game
        raise KeyError(id)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._store.find(id) is not None

    def values(self) -> ValuesView[Summary]:
        return _Values(self._store)

    def items(self) -> ItemsView[str, Summary]:
        return _Items(self._store)


class _Values(ValuesView[Summary]):
    """One pass over the file instead of a look-up for each game."""

    def __init__(self, store: Games):
        super().__init__(Played(store))
        self._store = store

    def __iter__(self) -> Iterator[Summary]:
        return self._store.games()


class _Items(ItemsView[str, Summary]):
    def __init__(self, store: Games):
        super().__init__(Played(store))
        self._store = store

    def __iter__(self) -> Iterator[tuple[str, Summary]]:
        return ((game.id, game) for game in self._store.games())
