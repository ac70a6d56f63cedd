"""`arena serve`: the arena in the browser."""

import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.base import ALLOW, FILE, JOBS, MODEL_GAMES, command, plan_file
from arena.cli.completion import PLANS
from arena.config.document import ConfigError
from arena.programs.machine import install_command
from arena.show.tables.commands import command_line

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.web.settings import ServerSettings

_STATE = "server"  # the folder of the state, beside the runs
_SQLITE = b"SQLite format 3\0"
INSECURE = "without encryption, others can read and change the traffic, including links and cookies"


class _Target(NamedTuple):
    """A run file or a folder of run files to serve.

    `play` plays a plan meanwhile and returns its exit status. It is None if nothing is played.
    """

    runs: Path
    play: Callable[["ServerSettings"], int] | None = None

    @property
    def state(self) -> Path:
        return (self.runs if self.runs.is_dir() else self.runs.parent) / _STATE


@click.command()
@click.argument("target", type=FILE, shell_complete=PLANS)
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, help="0 is any free port.")
@click.option("--public-url", metavar="URL", help="https://NAME of the proxy that browsers connect to.")
@click.option("--insecure", is_flag=True, help="Let other machines connect without encryption.")
@click.option("--guests", type=click.IntRange(0, 1000), default=4, help="Tables of visitors at once.")
@JOBS
@ALLOW
@command
def serve(
    target: Path,
    host: str,
    port: int,
    public_url: str | None,
    insecure: bool,
    guests: int,
    jobs: int | None,
    allow: tuple[str, ...],
) -> int:
    """Serve a PLAN while it is played, a RUN, or a FOLDER of runs.

    People play and watch in a browser. A PLAN is played or resumed as by `arena run`. Stop it with Ctrl-C.
    """
    need_web()
    from arena.web.address import check_host

    check_host(host, public_url, insecure)
    found = _find(target, jobs, allow)
    with start_server(found.state, found.runs, (host, port), public_url, guests) as settings:
        if insecure:
            click.echo(f"arena: --insecure: {INSECURE}", err=True)
        status = found.play(settings) if found.play else None
        if status == 130:
            return status
        left = "nothing is left to play; " if status == 0 else ""
        click.echo(f"arena: {left}serving until Ctrl-C", err=True)
        while True:
            signal.pause()


def need_web() -> None:
    """Refuse to serve, with a ConfigError, unless the extra `web` is installed."""
    if not find_spec("uvicorn"):
        raise ConfigError(f"a server needs the extra web: {install_command('web')}")


def _find(target: Path, jobs: int | None, allow: Sequence[str]) -> _Target:
    """Find out whether `target` is a folder, a run or a plan.

    Raises:
        ConfigError: It is none of them.
    """
    if target.is_dir():
        return _Target(target)
    if target.suffix == ".db" or _is_database(target):
        from arena.tournament.runs.store import Store

        Store(target).close()
        return _Target(target)
    return _find_plan(target, jobs, allow)


def _is_database(target: Path) -> bool:
    with suppress(OSError), target.open("rb") as file:  # `load_plan` reports errors of the file.
        return file.read(len(_SQLITE)) == _SQLITE
    return False


def _find_plan(target: Path, jobs: int | None, allow: Sequence[str]) -> _Target:
    from arena.cli.model_calls import Models
    from arena.cli.play_out import Venue, is_complete, play_plan, say
    from arena.tournament.plan.load import load_plan
    from arena.web.invite import invite
    from arena.web.reports import write_report

    load = partial(load_plan, plan_file(target))
    plan = load()
    out = Path("runs") / f"{plan.name}.db"
    models = Models(target, allow, MODEL_GAMES)
    if plan.models and not is_complete(plan, out):
        models.take_keys(plan)  # Otherwise the processes of the server would inherit them.

    def play(settings: "ServerSettings") -> int:
        for line in invite(settings, plan.remote):
            say(line)
        allowed = [word for host in allow for word in ("--allow", host)]
        again = command_line("serve", target, *(["--jobs", str(jobs)] if jobs else []), *allowed)
        place = Venue(jobs, gate=settings.bots_path, is_watched=True, models=models)
        status = play_plan(plan, load, out, place, again)
        if status == 0:
            Thread(target=write_report, args=(out, settings.folder), daemon=True).start()
        return status

    return _Target(out, play)


@contextmanager
def start_server(
    state: Path,
    runs: Path,
    place: tuple[str, int],
    public_url: str | None,
    guests: int,
    modules: Sequence[str] | None = None,
) -> "Iterator[ServerSettings]":
    """Start the processes of a server, print its address and its operator's link, and yield its settings.

    The processes run until the block ends.

    Args:
        state: The folder of the server's state.
        runs: The run file, or the folder of run files.
        place: The host and port to listen at.
        public_url: The URL of a proxy, or None.
        guests: How many tables of visitors may play at once.
        modules: The modules of the processes; None for the processes of `arena serve`.

    Raises:
        ConfigError: The folder `state` cannot be used, or the server cannot listen at `place`.
    """
    from arena.web.address import address_of
    from arena.web.database import Database
    from arena.web.parent import MODULES, children, lock_folder
    from arena.web.settings import ServerSettings

    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{state}: cannot be created: {error.strerror}") from None
    Database(state / "server.db").check()
    # The lock is taken first: if a parent was killed, its children listen there until they have ended.
    with lock_folder(state) as (lock, runtime), _listen(*place) as listening:
        host, port = listening.getsockname()[:2]
        address = address_of(host, port, public_url)
        settings = ServerSettings(state, runtime, runs, address, listening.fileno(), lock, guests)
        link = f"{address.url}/operator#{_new_token(state)}"
        with _log_file(state) as log_file, children(settings, log_file, modules or MODULES):
            click.echo(f"{address.url}\noperator: {link}")
            yield settings


@contextmanager
def _log_file(state: Path) -> Iterator[int | None]:
    """Yield the descriptor of the file to which children log, or None to let them log to our stderr.

    They log to stderr unless it is a terminal, where lines of JSON would break the picture of the run.
    """
    if not sys.stderr.isatty():
        yield None
        return
    path = state / "log"
    with path.open("w") as file:
        click.echo(f"log: {path}", err=True)
        yield file.fileno()


def _new_token(folder: Path) -> str:
    """A new token for the operator's link; the token of the last start is revoked."""
    from arena.web.database import Database
    from arena.web.sessions import OPERATOR
    from arena.web.tokens import Tokens

    database = Database(folder / "server.db")
    tokens = Tokens(database)
    tokens.revoke(OPERATOR, "link")
    token = tokens.issue(OPERATOR, "link")
    database.close()
    return token


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, and outlives the web processes.

    Raises:
        ConfigError: It cannot listen there.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigError(f"{host}:{port}: cannot listen: {why}") from None
