"""`arena serve`: the arena in the browser."""

import os
import signal
import socket
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, command
from arena.cli.completion import RUNS
from arena.config.document import ConfigError

if TYPE_CHECKING:  # heavy imports, which other commands do not need
    from arena.web.address import Address

_STATE = "server"  # the folder of the state, beside the runs


@click.command()
@click.argument("target", type=FILE, shell_complete=RUNS)
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, help="0 is any free port.")
@click.option(
    "--public-url", metavar="URL", help="What browsers open: https://NAME of a proxy that encrypts."
)
@click.option("--insecure", is_flag=True, help="Let other machines connect without encryption.")
@click.option("--guests", type=click.IntRange(0, 1000), default=4, help="Tables of visitors at once.")
@command
def serve(target: Path, host: str, port: int, public_url: str | None, insecure: bool, guests: int) -> None:
    """Serve a PLAN while it is played, a RUN, or a FOLDER of runs."""
    from arena.web.address import check_host
    from arena.web.parent import children
    from arena.web.settings import Settings

    check_host(host, public_url, insecure)
    folder = (target if target.is_dir() else target.parent) / _STATE
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _listen(host, port) as listening, TemporaryDirectory(prefix="arena-") as runtime:
        address = _address(listening, public_url)
        settings = Settings(folder, Path(runtime), target, address, listening.fileno(), guests)
        operator = _new_link(folder)
        with children(settings):
            click.echo(f"{address.url}\noperator: {address.url}/operator#{operator}")
            signal.pause()


def _new_link(folder: Path) -> str:
    """The token of the operator's link; that of the last start is not valid any more."""
    from arena.web.database import Database
    from arena.web.sessions import OPERATOR
    from arena.web.tokens import Tokens

    tokens = Tokens(Database(folder / "server.db"))
    tokens.revoke(OPERATOR, "link")
    return tokens.issue(OPERATOR, "link")


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, which outlives the web processes. ConfigError: it cannot."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        why = error.strerror or os.strerror(error.errno or 0)
        raise ConfigError(f"{host}:{port}: cannot listen: {why}") from None


def _address(listening: socket.socket, public_url: str | None) -> "Address":
    from arena.web.address import address_of

    host, port = listening.getsockname()[:2]
    return address_of(host, port, public_url)
