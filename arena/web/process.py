"""The web process: `python -m arena.web.process`, started by the parent."""

import resource
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from starlette.routing import BaseRoute

from arena.web.app import create_app
from arena.web.limits import ACCEPTED, DESCRIPTORS, MAX_BODY
from arena.web.log import use_log
from arena.web.protocol import BoundedProtocol
from arena.web.server import Server
from arena.web.settings import ServerSettings, read_settings, when_parent_ends

_GRACEFUL_S = 5  # for requests and streams to end, once the server is asked to stop


class _Uvicorn(uvicorn.Server):
    """Beats (`ServerSettings.beat`) while its event loop runs. It ends all event streams when it stops."""

    def __init__(self, config: uvicorn.Config, server: Server):
        super().__init__(config)
        self._streams, self._settings = server.streams, server.settings

    async def on_tick(self, counter: int) -> bool:
        self._settings.beat()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: Any = None) -> None:
        self._streams.close()
        await super().shutdown(sockets)


def _raise_descriptor_limit() -> None:
    """Allow as many descriptors as connections need, or as many as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def run_web_process(make: Callable[[ServerSettings], Server], routes: Sequence[BaseRoute] = ()) -> None:
    """Serve until the parent ends. `make` gives the state of the process; `routes` come before ours."""
    use_log()
    _raise_descriptor_limit()
    settings = read_settings()
    state = make(settings)
    config = uvicorn.Config(
        create_app(state, routes),
        http=BoundedProtocol,
        ws="websockets-sansio",
        ws_max_size=MAX_BODY,
        ws_per_message_deflate=False,  # lines are short, and a small message could unpack to a large one
        proxy_headers=False,  # `security` reads them
        access_log=False,
        log_config=None,
        server_header=False,
        backlog=ACCEPTED,
        timeout_graceful_shutdown=_GRACEFUL_S,
    )
    server = _Uvicorn(config, state)

    def stop() -> None:
        server.should_exit = True

    when_parent_ends(stop)
    server.run(sockets=[socket.socket(fileno=settings.socket)])


if __name__ == "__main__":
    run_web_process(Server)
