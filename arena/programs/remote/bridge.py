"""The processes of a bot on its own machine, one for each link of the server, and the lines between them."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from arena.config.document import ConfigError
from arena.config.text import one_line
from arena.programs.machine import describe_status
from arena.programs.remote.exchange import Inbox, Outbox
from arena.programs.remote.messages import BrokenServer
from arena.referee.protocol import MAX_LINE

_MAX_LINKS = 64  # processes: no server asks for more
_MAX_KEPT = 1000  # unconfirmed lines; then the bot is not read for a while
_MAX_UNREAD = 2**23  # characters for processes that do not read; a game has much less
ITEM = 200  # characters added to each text, to bound many empty ones
_CHUNK = 65536
_GRACE_S = 0.5  # for a process to exit after the end of its stdin
_LOST_S = 60.0  # a process without its link ends after this time
_GAME = re.compile(r"game (\d{1,20}) (\S{1,99}) seats=(\d{1,3}) you=(p\d{1,3}) ")
_END = re.compile(r"end (\d{1,20}) place=(\d{1,3}) ")

Send = Callable[[Mapping[str, Any]], None]
Tell = Callable[[str], None]


class _Seat:
    """One link at the end of the client: the process of the bot, and the messages of both directions."""

    def __init__(self) -> None:
        self.inbox = Inbox()
        self.outbox: Outbox[tuple[str, str]] = Outbox()  # kinds ("line" or "exit") with their texts
        self.texts: asyncio.Queue[str] = asyncio.Queue()  # for the stdin of the bot
        self.unread = 0  # their characters, including the text being written
        self.has_room = asyncio.Event()
        self.path = 0
        self.is_open = False
        self.lost = 0.0  # when it was last open
        self.game = ""  # the game in progress, in words
        self.task: asyncio.Task[None] | None = None


class Bridge:
    """Carries lines between a server and the processes of a bot; it has no connection of its own.

    `send` sends a message, or drops it without a connection. `failure` gets the error that ends the client: a
    ConfigError if the bot does not start, or exits before any answer.
    """

    def __init__(self, command: Sequence[str], tell: Tell):
        self._command, self._tell = command, tell
        self._seats: dict[str, _Seat] = {}
        self._has_answered = False  # any process so far
        self.send: Send = _send_nowhere
        self.failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def disconnect(self) -> None:
        """Note that the connection is lost: the bot's lines are kept from now on."""
        self.send = _send_nowhere
        for seat in self._seats.values():
            _close(seat)

    async def take(self, message: Mapping[str, Any]) -> None:
        """Handle a message of the server about one link.

        Raises:
            BrokenServer: The server sends more than the bot reads.
        """
        id = message["link"]
        if "over" in message:
            await self._end(id)
        elif "open" in message:
            self._open(id, message["open"])
        elif seat := self._seats.get(id):
            if "gone" in message:
                _close(seat)
                return
            seat.outbox.confirm(message["heard"])
            seat.has_room.set()
            if "lines" not in message:
                self._resume(id, seat, message["heard"])
            elif seat.inbox.is_new(message["n"]):
                self._give(id, seat, message["lines"])

    def _open(self, id: str, path: int) -> None:
        if id not in self._seats and len(self._seats) >= _MAX_LINKS:
            return
        seat = self._seats.setdefault(id, _Seat())
        _close(seat)
        seat.path = path
        self.send({"link": id, "path": path, "got": seat.inbox.last})

    def _resume(self, id: str, seat: _Seat, heard: int) -> None:
        """Send the lines after number `heard`, the last one that the server received."""
        seat.is_open = True
        for number, (kind, text) in seat.outbox.after(heard):
            self.send({"link": id, "m": number, kind: text})

    def _give(self, id: str, seat: _Seat, lines: str) -> None:
        if seat.task is None:
            seat.task = asyncio.create_task(self._play(id, seat))
        seat.texts.put_nowait(lines)
        seat.unread += len(lines) + ITEM
        if sum(each.unread for each in self._seats.values()) > _MAX_UNREAD:
            raise BrokenServer(f"has sent {_MAX_UNREAD // 2**20} MB that the bot has not read")
        for line in lines.splitlines():
            if found := _GAME.match(line):
                seat.game = f"game {found[1]}: {found[2]}, {found[4]} of {found[3]} seats"
            elif (found := _END.match(line)) and seat.game:
                self._tell(one_line(f"{seat.game}: place {found[2]}"))

    def _put(self, id: str, seat: _Seat, kind: str, text: str) -> None:
        number = seat.outbox.add((kind, text))
        if seat.is_open:
            self.send({"link": id, "m": number, kind: text})

    async def _play(self, id: str, seat: _Seat) -> None:
        """Run one process of the bot until it ends."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C ends the client, which then ends the processes
            )
        except OSError as error:
            self.fail(ConfigError(f"{self._command[0]}: cannot be started: {error.strerror or error}"))
            return
        assert process.stdin and process.stdout
        writing = asyncio.create_task(_write(seat, process.stdin))
        try:
            async for line in _lines(process.stdout):
                self._has_answered = True
                self._put(id, seat, "line", line)
                while len(seat.outbox) > _MAX_KEPT:
                    seat.has_room.clear()
                    await seat.has_room.wait()
            how = describe_status(await process.wait())
            if not self._has_answered:
                self.fail(ConfigError(f"{' '.join(self._command)}: {how} before it answered"))
            self._tell(f"the bot {how}")
            self._put(id, seat, "exit", how)
        finally:
            writing.cancel()
            await _stop(process)

    def fail(self, error: ConfigError | BrokenServer) -> None:
        """End the client with this error, if it is the first."""
        if not self.failure.done():
            self.failure.set_exception(error)

    async def end_lost(self, since: float) -> None:
        """End the processes whose links are lost for `_LOST_S`.

        The time before `since`, when we connected, does not count.
        """
        for id, seat in list(self._seats.items()):
            if not seat.is_open and monotonic() - max(seat.lost, since) > _LOST_S:
                await self._end(id)

    async def end_all(self) -> None:
        await asyncio.gather(*map(self._end, list(self._seats)))

    async def _end(self, id: str) -> None:
        seat = self._seats.pop(id, None)
        if seat and seat.task:
            seat.task.cancel()
            with suppress(asyncio.CancelledError):
                await seat.task


def _send_nowhere(message: Mapping[str, Any]) -> None:
    """Drop a message, because there is no connection; important messages are sent again later."""


def _close(seat: _Seat) -> None:
    if seat.is_open:
        seat.is_open, seat.lost = False, monotonic()


async def _write(seat: _Seat, stdin: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):  # the bot has closed its stdin
        while True:
            text = await seat.texts.get()
            stdin.write(text.encode())
            await stdin.drain()
            seat.unread -= len(text) + ITEM


async def _lines(stdout: asyncio.StreamReader) -> AsyncIterator[str]:
    """The lines that a bot writes; a line that is too long is cut to a length that is still too long."""
    rest = b""
    while data := await stdout.read(_CHUNK):
        *lines, rest = (rest + data).split(b"\n")
        rest = rest[: MAX_LINE + 1]
        for line in lines:
            yield line[: MAX_LINE + 1].decode(errors="surrogateescape")


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End a process, by force after `_GRACE_S`, and kill the rest of its process group."""
    if process.stdin:
        with suppress(ConnectionError):
            process.stdin.write(b"bye\n")
        process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            await process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # `wait` returns only at the end of the pipe, which a process outside the group may keep open.
    with suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            while process.stdout and await process.stdout.read(_CHUNK):
                pass
            await process.wait()
