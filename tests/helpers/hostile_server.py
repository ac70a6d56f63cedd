"""A server that is none: it opens a WebSocket as the arena does, and then sends whatever a test wants."""

import hashlib
import json
import re
import socket
import struct
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

_KEY = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of RFC 6455
TEXT, BINARY, CLOSE = 1, 2, 8


def frame(data: bytes, kind: int = TEXT, flags: int = 0x80) -> bytes:
    """A frame as a server sends it, without a mask."""
    length = len(data)
    if length < 126:
        return bytes([flags | kind, length]) + data
    return bytes([flags | kind, 126 if length < 65536 else 127]) + (
        struct.pack("!H" if length < 65536 else "!Q", length) + data
    )


def text(message: object) -> bytes:
    """A frame with a message of JSON."""
    return frame(json.dumps(message).encode())


@contextmanager
def hostile_server(send: Callable[[socket.socket], object], has_handshake: bool = True) -> Iterator[str]:
    """The address of a server that calls `send` with each connection, then reads until the client closes."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                Thread(target=handle, args=(connection,), daemon=True).start()

    def handle(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            if has_handshake:
                connection.sendall(_accept(head))
            send(connection)
            while connection.recv(65536):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def _accept(head: bytes) -> bytes:
    found = re.search(rb"sec-websocket-key: *(\S+)", head, re.IGNORECASE)
    assert found
    key = b64encode(hashlib.sha1(found[1] + _KEY).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + key + b"\r\n\r\n"
    )
