"""The open connections by holder of their token. They end if the token is revoked."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from arena.web.tokens import Holder

Scope = MutableMapping[str, Any]
_KEY = "arena.connection"  # in the scope of a request


class Connection:
    """One request, or one WebSocket."""

    def __init__(self) -> None:
        self.task = asyncio.current_task()
        self.holders: set[Holder] = set()
        self.is_ended = False


class Connections:
    """The connections of each holder of a token."""

    def __init__(self) -> None:
        self._of: dict[Holder, set[Connection]] = defaultdict(set)

    @contextmanager
    def answering(self, scope: Scope) -> Iterator[Connection]:
        """Register a request that the current task answers in the block.

        If `end` cancels it, the block is left, no error is raised, and `is_ended` of the connection is set.
        """
        scope[_KEY] = connection = Connection()
        try:
            yield connection
        except asyncio.CancelledError:
            if not connection.is_ended or not connection.task:
                raise
            connection.task.uncancel()
        finally:
            for holder in connection.holders:
                self._of[holder].discard(connection)
                if not self._of[holder]:
                    del self._of[holder]

    def hold(self, scope: Scope, holder: Holder) -> None:
        """Note that this request acts for the holder: `end` will end it."""
        connection: Connection = scope[_KEY]
        connection.holders.add(holder)
        self._of[holder].add(connection)

    def end(self, holder: Holder) -> None:
        """End all connections of this holder except the current task's."""
        for connection in self._of.get(holder, set()).copy():
            if connection.task and connection.task is not asyncio.current_task():
                connection.is_ended = True
                connection.task.cancel()
