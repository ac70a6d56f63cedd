"""The web process: `python -m arena.web.process`, started by the parent."""

import socket

import uvicorn

from arena.web.app import create_app
from arena.web.limits import MOST_BODY
from arena.web.log import use_log
from arena.web.protocol import BoundedProtocol
from arena.web.server import Server
from arena.web.settings import read_settings, when_parent_ends

_GRACEFUL_S = 5  # for requests and streams to end, once the server is asked to stop


def _main() -> None:
    use_log()
    settings = read_settings()
    config = uvicorn.Config(
        create_app(Server(settings)),
        http=BoundedProtocol,
        ws="websockets-sansio",
        ws_max_size=MOST_BODY,
        ws_per_message_deflate=False,  # lines are short, and a small message could unpack to a large one
        proxy_headers=False,  # `security` reads them
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=_GRACEFUL_S,
    )
    server = uvicorn.Server(config)

    def stop() -> None:
        server.should_exit = True

    when_parent_ends(stop)
    server.run(sockets=[socket.socket(fileno=settings.socket)])


if __name__ == "__main__":
    _main()
