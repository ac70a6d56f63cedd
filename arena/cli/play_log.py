"""Prints the log of `arena play --log`: the lines of all bots, both ways, with their times."""

import json
from collections.abc import Mapping
from functools import partial
from time import monotonic

import click

from arena.config.text import printable
from arena.programs.bot import Bot
from arena.programs.play.log import LoggedPlayer
from arena.programs.sandbox.client import SupervisorClient
from arena.referee.record import Record
from arena.rules import seat_name

_KINDS = {"<": "read", ">": "wrote", "#": "stderr", "!": "note"}  # in JSON, by the sign in text


class GameLog:
    """Prints lines as they arrive, with the milliseconds since the first; `form` is "text" or "json"."""

    def __init__(self, form: str):
        self._form = form
        self._began = 0.0
        self._closed = False

    def line(self, seat: str, sign: str, text: str) -> None:
        if self._closed:  # The reader is gone, and the bots are being ended.
            return
        now = monotonic()
        self._began = self._began or now
        ms = round((now - self._began) * 1000, 1)
        try:
            if self._form == "json":
                click.echo(json.dumps({"ms": ms, "seat": seat, "kind": _KINDS[sign], "text": text}))
            else:
                click.echo(f"{ms:9.1f} {seat} {sign} {printable(text)}".rstrip())
        except OSError:
            self._closed = True
            raise

    def player(self, seats: Mapping[str, str], bot: Bot, supervisor: SupervisorClient) -> LoggedPlayer:
        """A player whose lines this log prints; `seats` are seats such as "p1" by the name of the bot."""
        return LoggedPlayer(bot, supervisor, partial(self.line, seats[bot.name]))

    def end(self, record: Record) -> None:
        """Print the places and all faults, including faults that were announced to no bot."""
        for fault in record.faults:
            self.line(seat_name(fault.seat), "!", f"{fault.kind}: {fault.detail}")
        for seat, place in enumerate(record.result[0]):
            self.line(seat_name(seat), "!", f"place {place}, {record.fixture.bots[seat]}")
