"""A process that reads run files for the web process, one request after another.

Ratings and replays take seconds of CPU time in large runs. In the web process they would delay the answers of
people and remote bots, so they run here, with a low priority. The process is started with the first request,
and again after it has died or has taken too long. It ends when the web process closes its stdin or is gone.

A request is a line of JSON, `[function, arguments]`. The answer is a line of JSON, too: what the function
returns, with the CPU seconds that it took as `cpu_s`. This module, run as a program, has the functions of
`arena.web.run_views`.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import process_time
from typing import Any

from arena.web.log import log
from arena.web.settings import python

_TIMEOUT_S = 120.0
_MOST_WAITING = 64  # requests
_MOST_ANSWER = 64 * 2**20  # bytes
_NICE = 10


class Busy(Exception):
    """Too many requests wait for the process."""


class ReadingProcess:
    """The web process's handle of the process that runs a module; it is started when it is needed."""

    def __init__(self, module: str = "arena.web.reading") -> None:
        self._module = module
        self._process: Process | None = None
        self._is_killed = False
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def ask(self, function: str, *arguments: Any) -> dict[str, Any]:
        """What the process answers: the values that `function` returns, or `error`, why there are none.

        Busy: too many requests wait.
        """
        if self._waiting >= _MOST_WAITING:
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
                if not line:  # the process was killed: asked once more, unless this request itself kills it
                    self._kill()
                    line = await self._line(request)
            answer: dict[str, Any] = json.loads(line)
            return answer
        except (OSError, TimeoutError, ValueError) as error:
            log("reading failed", request=request.decode().strip(), error=repr(error))
            self._kill()
            return {"error": "the file could not be read"}
        except BaseException:  # the answer would be taken for that of the next request
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
                *python(self._module), stdin=PIPE, stdout=PIPE, limit=_MOST_ANSWER, start_new_session=True
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


def serve_answers(answer: Callable[[str, Sequence[Any]], dict[str, Any]]) -> None:
    """Answer the requests on stdin, until that is closed; `answer` gets a function's name and arguments."""
    os.nice(_NICE)
    for line in sys.stdin:
        began = process_time()
        found = answer(*json.loads(line))
        print(json.dumps({**found, "cpu_s": process_time() - began}), flush=True)


if __name__ == "__main__":
    from arena.web import run_views

    serve_answers(run_views.answer)
