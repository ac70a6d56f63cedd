"""`arena contest`: a contest of strangers' bots, from the call to the result."""

import csv
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.base import FILE, command
from arena.cli.completion import GAMES
from arena.config.document import ConfigError

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.contest.contest import Contest

_REMOTE = "remote"  # the last word of a line of --list
_GUESTS = 4  # tables at once where visitors play against house bots
_MODULES = (
    "arena.contest.web_process",
    "arena.web.host",
    "arena.contest.intake",
    "arena.contest.player",
    "arena.contest.remote_player",
)


_TO = click.option("--to", type=FILE, help="Write each token into this folder, not to the terminal.")


@click.group()
def contest() -> None:
    """Run a contest: entrants hand in bots, which play on a ladder and in a final."""


@contest.command()
@click.argument("folder", type=FILE)
@click.option("--deadline", required=True, metavar="TIME", help='Such as "2026-12-01 18:00 Europe/Paris".')
@click.option("--game", default="complots", shell_complete=GAMES, help="The game to play.")
@command
def init(folder: Path, deadline: str, game: str) -> None:
    """Write the files of a contest into a new FOLDER.

    Read and edit them: contest.yaml, the plans of the ladder and the final, and the rules.
    """
    from arena.contest.create import create
    from arena.programs.game_options import find_game

    create(folder, find_game(game), deadline)
    click.echo(
        f"{folder}/: read and edit contest.yaml, ladder.yaml, final.yaml and rules.md\n"
        f"next: arena contest entrant {folder} NAME\n      arena contest serve {folder}"
    )


@contest.command()
@click.argument("folder", type=FILE)
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, help="0 is any free port.")
@click.option("--public-url", metavar="URL", help="https://NAME of the proxy that browsers connect to.")
@click.option("--insecure", is_flag=True, help="Let other machines connect without encryption.")
@command
def serve(folder: Path, host: str, port: int, public_url: str | None, insecure: bool) -> int:
    """Serve the contest of a FOLDER: pages, hand-in, ladder, final.

    Stop it with Ctrl-C; the next start continues where it stopped.
    """
    from arena.cli.serve import INSECURE, need_web, start_server

    need_web()
    from arena.web.address import check_host

    check_host(host, public_url, insecure)
    found = _open(folder)
    found.database().check()
    _check_machine(found)
    place = host, port
    with start_server(found.server, found.runs, place, public_url, _GUESTS, _MODULES) as settings:
        found.note_url(settings.address.url)
        if insecure:
            click.echo(f"arena: --insecure: {INSECURE}", err=True)
        click.echo("arena: serving until Ctrl-C", err=True)
        while True:
            signal.pause()


def _open(folder: Path) -> "Contest":
    from arena.contest.contest import open_contest

    return open_contest(folder)


def _check_machine(found: "Contest") -> None:
    """Print to stderr which sandbox entries get.

    Raises:
        ConfigError: A plan is wrong, or requires a stronger sandbox than this machine has.
    """
    from arena.contest.final import check_plans

    check_plans(found)
    sandbox = found.sandbox
    click.echo(f"arena: {sandbox.summary}", err=True)
    if sandbox.boxed and not sandbox.group:
        why = "no control groups, so that limits are checked now and then, not enforced by the kernel"
        click.echo(f"arena: {why}; arena doctor says how to get them", err=True)


@contest.command()
@click.argument("folder", type=FILE)
@click.argument("name", required=False)
@click.option("--team", default="", help="The team of the entrant; bots of a team may be kept apart.")
@click.option("--author", default="", help="Who has written its bot.")
@click.option("--remote", is_flag=True, help="Its bot plays from its own machine, by arena connect.")
@click.option("--list", "file", type=FILE, help="A file with a line NAME,TEAM,AUTHOR[,remote] for each.")
@_TO
@command
def entrant(
    folder: Path, name: str | None, team: str, author: str, remote: bool, file: Path | None, to: Path | None
) -> None:
    """Add the entrant NAME, or a list, and print the token of each.

    A token is shown once. An entrant opens the link with the token, or hands in by curl -T bot.tgz -H @FILE.
    A remote entrant hands in nothing: it runs arena connect URL --token-file FILE -- COMMAND.
    """
    if (name is None) == (file is None):
        raise click.UsageError("give the NAME of an entrant, or a --list of them")
    from arena.contest import entrants

    found = _open(folder)
    rows = [(name, team, author, remote)] if name else [*_read_list(file, remote)] if file else []
    new = [entrants.NewEntrant(*row) for row in rows]
    entrants.add(found.database(), new)
    _show_tokens(found, [each.name for each in new], to)


def _read_list(path: Path, remote: bool) -> Iterator[tuple[str, str, str, bool]]:
    """The name, team and author of each entrant in a list, and whether it is remote.

    With `remote` all entrants are remote, else only those with the word `remote` at the end of their line.

    Raises:
        ConfigError: The file cannot be read, or a line is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}"
        ) from None
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in next(csv.reader([line]), [])]
        if not any(cells) or cells[0].startswith("#") or (number == 1 and cells[0].lower() == "name"):
            continue
        if len(cells) > 4:
            parts = f"{len(cells)} parts; should be NAME,TEAM,AUTHOR,{_REMOTE}"
            raise ConfigError(f"{path}:{number}: has {parts}")
        name, team, author, last = (*cells, "", "", "")[:4]
        if last not in ("", _REMOTE):
            raise ConfigError(f"{path}:{number}: should end with the author or {_REMOTE}, not {last}")
        yield name, team, author, remote or last == _REMOTE


@contest.command()
@click.argument("folder", type=FILE)
@click.argument("name")
@click.option("--new", is_flag=True, help="Revoke the token that it has, and make another one.")
@_TO
@command
def token(folder: Path, name: str, new: bool, to: Path | None) -> None:
    """Show when the token of NAME ends, or give it a new one."""
    from arena.contest import entrants

    found = _open(folder)
    entrants.find(found.database(), name)
    if new:
        return _show_tokens(found, [name], to)
    click.echo(entrants.token_state(found.server_database(), name))


def _show_tokens(found: "Contest", names: Iterable[str], to: Path | None) -> None:
    """Replace the token of each entrant, and print the link with the new one.

    If `to` is a folder, the tokens are written into files there instead.
    """
    from arena.contest import entrants

    server, url = found.server_database(), found.url
    tokens = {name: entrants.new_token(server, name) for name in names}
    if to:
        _write_tokens(to, tokens)
        click.echo(f"{len(tokens)} tokens in {to}/NAME.token, each only for its entrant")
    else:
        for name, text in tokens.items():
            click.echo(f"{name}: {url}/entrant#{text}")
        click.echo("for curl: a file with the line  Authorization: Bearer TOKEN  (what follows the #)")
    if not url:
        click.echo("before the / comes the address that `arena contest serve` prints", err=True)


def _write_tokens(to: Path, tokens: Mapping[str, str]) -> None:
    """Write each token to a file `NAME.token`, in the form of a header for `curl -H @FILE`.

    Args:
        to: The folder of the files.
        tokens: The tokens by the name of the entrant.

    Raises:
        ConfigError: A file cannot be written.
    """
    try:
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in tokens.items():
            path = to / f"{name}.token"
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(f"Authorization: Bearer {text}\n")
    except OSError as error:
        raise ConfigError(f"{to}: cannot be written: {error.strerror}") from None
