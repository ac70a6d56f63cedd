"""A bad network: a proxy that delays all that passes, breaks connections, or lets them hang half-open."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class BadNetwork:
    """Passes bytes to a port of this machine, each `delay` seconds late in both directions."""

    def __init__(self, port: int, delay: float):
        self.port, self._to, self._delay = 0, port, delay
        self.passed = 0  # messages from the clients, about
        self._writers: set[asyncio.StreamWriter] = set()
        self._frozen: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()

    def drop(self) -> None:
        """Break all connections."""
        self._loop.call_soon_threadsafe(self._drop)

    def freeze(self) -> None:
        """Let all connections hang: they stay open, but nothing passes any more."""
        self._loop.call_soon_threadsafe(lambda: self._frozen.update(self._writers))

    def _drop(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, back}
        try:
            with suppress(asyncio.CancelledError):  # at the end of the test; `asyncio` would log it
                await asyncio.gather(self._pass(reader, back, True), self._pass(there, writer, False))
        finally:
            self._writers -= {writer, back}
            self._frozen -= {writer, back}
            writer.close()
            back.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counts: bool) -> None:
        with suppress(OSError):
            while data := await reader.read(2**16):
                data = data.replace(b"Host: 127.0.0.1:%d" % self.port, b"Host: 127.0.0.1:%d" % self._to)
                self._loop.call_later(self._delay, self._write, writer, data)
                self.passed += counts
        if writer not in self._frozen:
            self._loop.call_later(self._delay, writer.close)

    def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        if writer not in self._frozen and not writer.is_closing():
            writer.write(data)

    def run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)

        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()
        server.close()
        self._drop()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.05))
        self._loop.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)


@contextmanager
def bad_network(port: int, delay: float = 0.05) -> Iterator[BadNetwork]:
    """A proxy with a port of its own, as long as the context lasts."""
    network, started = BadNetwork(port, delay), threading.Event()
    thread = threading.Thread(target=network.run, args=[started], daemon=True)
    thread.start()
    assert started.wait(30)
    try:
        yield network
    finally:
        network.stop()
        thread.join(30)
