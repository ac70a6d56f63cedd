"""`arena connect`: let a bot play from this machine, for a server elsewhere."""

import asyncio
from pathlib import Path

import click

from arena.cli.base import FILE, command
from arena.config.document import ConfigError
from arena.programs.machine import install_command

_HEADER = "Authorization: Bearer "  # the beginning of the files of `arena contest`


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("url")
@click.argument("program", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option("--token-file", type=FILE, required=True, help="The file with the token of the bot.")
@command
def connect(url: str, program: tuple[str, ...], token_file: Path) -> None:
    """Let a bot on this machine play at the server at URL.

    COMMAND starts the bot, which needs no change: it reads and writes lines, as everywhere. It runs with your
    rights, without a sandbox. Ctrl-C ends it.
    """
    from importlib.util import find_spec
    from shutil import which

    if not find_spec("websockets"):
        raise ConfigError(f"arena connect needs websockets: {install_command('web')}")
    from arena.programs.remote.client import address_of, play

    address_of(url)
    token = _read_token(token_file)
    if not which(program[0]):
        raise ConfigError(f"{program[0]}: no such program")
    asyncio.run(play(url, token, program, lambda line: click.echo(line, err=True)))


def _read_token(path: Path) -> str:
    """The token in a file, which may be a header that curl sends.

    Raises:
        ConfigError: The file cannot be read, or has no token.
    """
    try:
        token = path.read_text(encoding="ascii").strip().removeprefix(_HEADER).strip()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        token = ""
    if not token.isprintable() or not token or " " in token:
        raise ConfigError(f"{path}: should have the token of the bot, on a line of its own")
    return token
