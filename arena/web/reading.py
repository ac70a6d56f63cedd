"""A process that reads run files for the web process, one request after another.

Ratings and replays take seconds of CPU time in large runs. In the web process they would delay the answers of
people and remote bots, so they run here, with a low priority. The process is started with the first request,
and again after it has died or was too slow. It ends when the web process closes its stdin or is gone.

A request is a line of JSON, `[function, arguments]`. The answer is a line of JSON with the fields of the
value that the function returns, and `cpu_s`, the CPU seconds that it took. The functions are those of the
module that the process runs, such as `arena.web.run_views`.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, Generic, NamedTuple, TypeVar

from arena.config.document import ConfigError
from arena.web.log import log
from arena.web.settings import python

_TIMEOUT_S = 120.0
_MAX_WAITING = 64  # requests
_MAX_ANSWER = 64 * 2**20  # bytes
_NICE = 10

_View = TypeVar("_View")
Functions = Mapping[str, Callable[..., Any]]
"""The functions that may be called, by the name in a request. Each returns a dataclass of JSON values."""


class Busy(Exception):
    """Raised if too many requests wait for the process."""


class Unreadable(Exception):
    """Raised if there is no answer; the text says why. `cpu_s` is the CPU time that this took."""

    def __init__(self, why: str, cpu_s: float):
        super().__init__(why)
        self.cpu_s = cpu_s


@dataclass(frozen=True)
class StandingsView:
    """The standings of a run so far: as HTML, and for programs by kind of game, of so many `games`."""

    html: str
    games: int
    data: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ProgressView:
    """The progress of a run."""

    games: int
    faults: int
    what: str  # the game, the format and the number of bots, in words
    is_closed: bool
    voids: Sequence[Mapping[str, str]]  # `voids_for_pages`


@dataclass(frozen=True)
class GamesView:
    """A list of games as HTML. `more` is the `before` of the next list; None: there are no earlier games."""

    html: str
    more: int | None


@dataclass(frozen=True)
class GameView:
    """The `script` for the viewer of a game, or the reason why it is `refused`; both empty: no such game."""

    script: str = ""
    refused: str = ""


class Reading(NamedTuple, Generic[_View]):
    """A view, and the CPU seconds that it took."""

    view: _View
    cpu_s: float


class ReadingProcess:
    """The web process's handle of the process that runs a module; it is started when it is needed."""

    def __init__(self, module: str = "arena.web.run_views") -> None:
        self._module = module
        self._process: Process | None = None
        self._is_killed = False
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def read(self, view: type[_View], function: str, *arguments: Any) -> Reading[_View]:
        """The `view` that a function returns.

        Raises:
            Busy: Too many requests wait.
            Unreadable: There is no answer.
        """
        found = await self.ask(function, *arguments)
        cpu_s = found.pop("cpu_s", 0.0)
        if "error" in found:
            raise Unreadable(found["error"], cpu_s)
        return Reading(view(**found), cpu_s)

    async def ask(self, function: str, *arguments: Any) -> dict[str, Any]:
        """The fields of the value that `function` returns, or `error`, the reason why there is none.

        Raises:
            Busy: Too many requests wait.
        """
        if self._waiting >= _MAX_WAITING:
            raise Busy
        self._waiting += 1
        try:
            async with self._turn:
                return await self._ask(json.dumps([function, arguments]).encode() + b"\n")
        finally:
            self._waiting -= 1

    async def _ask(self, request: bytes) -> dict[str, Any]:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                line = await self._line(request)
                # The process was killed; this request is tried once more, because it may not be the cause.
                if not line:
                    self._kill()
                    line = await self._line(request)
            answer: dict[str, Any] = json.loads(line)
            return answer
        except (OSError, TimeoutError, ValueError) as error:
            log("reading failed", request=request.decode().strip(), error=repr(error))
            self._kill()
            return {"error": "the file could not be read"}
        except BaseException:  # this answer would be taken for the next request's
            self._kill()
            raise

    async def _line(self, request: bytes) -> bytes:
        """The line that answers a request; empty if the process ends instead."""
        process = await self._start()
        assert process.stdin and process.stdout
        process.stdin.write(request)
        return await process.stdout.readline()

    async def _start(self) -> Process:
        """The process; another one is started if there is none, or if it was killed or has ended."""
        if self._is_killed or (self._process and self._process.returncode is not None):
            await self.close()
        if not self._process:
            self._process = await asyncio.create_subprocess_exec(
                *python(self._module), stdin=PIPE, stdout=PIPE, limit=_MAX_ANSWER, start_new_session=True
            )
        return self._process

    def _kill(self) -> None:
        self._is_killed = True
        if self._process:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process; another request starts it again."""
        self._kill()
        if self._process and self._process.stdin:
            self._process.stdin.close()
            await self._process.wait()
        self._process, self._is_killed = None, False


def answer_by(functions: Functions, name: str, arguments: Sequence[Any]) -> dict[str, Any]:
    """The fields of the value that the function with this name returns.

    If it raises ConfigError, the only field is `error`, a line. The first argument is the path of a run file.
    """
    try:
        return dict(vars(functions[name](*arguments)))
    except ConfigError as error:
        path = Path(arguments[0])
        return {"error": str(error).replace(str(path), path.name)}  # visitors need not know its folder


def serve_answers(functions: Functions) -> None:
    """Answer the requests on stdin by these functions, until it is closed."""
    os.nice(_NICE)
    for line in sys.stdin:
        began = process_time()
        found = answer_by(functions, *json.loads(line))
        print(json.dumps({**found, "cpu_s": process_time() - began}), flush=True)
