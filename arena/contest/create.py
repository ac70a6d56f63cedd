"""Writes the folder of a new contest: plans, rules page and secret, for people to read and edit."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex

from arena.config.document import ConfigError
from arena.contest.contest import FINAL, LADDER, MARK, REMOTE, RULES, SERVER
from arena.contest.moments import read_moment, show_moment
from arena.rules import Game

_FREEZE = timedelta(hours=1)  # before the deadline, as an example

_CONTEST = """\
# The contest. The server reads this file when it starts; the deadline can also be extended on its pages.

title: {quoted}

# The last moment to hand in, with its time zone. What counts is when the last byte of an entry has come.
deadline: {deadline}

# From this moment on the public standings do not change until the end; delete the # before it to use it.
# freeze: {freeze}

# Whether the programs of all entries are published with the result of the final: private or published.
entries: private
"""

_CONDITIONS = """\
# Time for an answer of a bot. More keys: arena schema, and docs/plan-keys.md.
clock: {{move: 1s}}

# What a bot may use, with all its processes.
limits: {{memory: 256M, processes: 32, build: 2m}}

# The weakest sandbox in which programs of strangers may run. With `limits` they could read the files of this
# user and reach the network: for entrants that you trust, on a machine without bubblewrap.
require: bubblewrap

# Each game has cards of its own, so that no program can tell a later one the hands of its rivals. With
# per-group the games of a seed group have the same cards: see docs/fair-deals.md before you choose it.
deals: per-game
"""

_LADDER = """\
# The ladder runs from the start to the deadline. It tells entrants where they are, and decides nothing.

game: {game}
seats: {seats}
format: ladder
bots: entries      # the newest version of each entrant, as the intake has checked it
name_from: folder  # the organiser gives the names, not the bot.yaml of an entry

{conditions}"""

_REMOTE = """\
# The ladder of remote entrants, whose bots play from their own machines (arena contest entrant --remote). It
# is played by those that are connected, with house bots if they are too few, until the deadline.

game: {game}
seats: {seats}
format: ladder

# The bank is what a bot with a lost connection lives on.
clock: {{move: 2s, bank: 30s}}
"""

_FINAL = """\
# The final, which is played after the deadline. Its bots are the entries of that moment, and its deals follow
# from the secret of this contest, whose SHA-256 is published from the first day.

game: {game}
seats: {seats}
format: round-robin
groups: 30         # of each line-up, each with a game for every rotation of the seats: more decide more
lineups: 100       # a balanced sample of so many line-ups, if there are more
# That is at most groups * lineups * seats = {games} games: rules.md has this number, too.

{conditions}"""

_RULES = """\
# {title}

The game is **{game}**, with {seats} bots at a table; `arena games {game}` shows its rules.

## Handing in

Until the deadline, which the first page shows, you may hand in new versions, at most three an hour. What
counts is the moment at which the last byte has come. An entry is a tar.gz or zip file of at most 16 MB, with
a `bot.yaml` as `arena new` writes it. It plays as soon as it was built and has passed `arena check` here.

## Ladder and final

The ladder runs all the time with the newest version of each entry. It decides nothing. The final is
played after the deadline, with fresh deals that were fixed on the first day: the public page shows the
SHA-256 of the secret from which they follow. It has at most {games} games; its standings give 95 % intervals.
"""


def create(folder: Path, game: Game, deadline: str, now: datetime | None = None) -> None:
    """Write the folder of a contest. ConfigError: it has files already, or the deadline is wrong or past.

    `now` is the moment that the deadline is compared with; None: the time of the clock.
    """
    try:
        moment = read_moment(deadline)
    except ValueError as error:
        raise ConfigError(f"--deadline: {error}") from None
    if moment <= (now or datetime.now(UTC)):
        raise ConfigError(f"--deadline: {show_moment(moment)} is in the past")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder}: is not empty; a contest needs a new folder")
    for name in ("entries", "runs", SERVER):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / SERVER).chmod(0o700)
    folder.chmod(0o700)  # other users of the machine do not read the entries
    for name, text in _texts(folder.resolve().name, game, moment).items():
        (folder / name).write_text(text, encoding="utf-8")
    _write_secret(folder / SERVER / "secret")


def _texts(name: str, game: Game, deadline: datetime) -> dict[str, str]:
    """The texts of the files that people read and edit, by the names of the files."""
    seats = max(game.seats[0], min(4, game.seats[-1]))
    known = {
        "title": f"Contest {name}",
        "quoted": json.dumps(f"Contest {name}"),  # also one of YAML
        "game": game.name,
        "seats": seats,
        "deadline": show_moment(deadline),
        "freeze": show_moment((deadline.astimezone(UTC) - _FREEZE).astimezone(deadline.tzinfo)),
        "games": f"{30 * 100 * seats:,}",
        "conditions": _CONDITIONS.format(),
    }
    plans = {LADDER: _LADDER, REMOTE: _REMOTE, FINAL: _FINAL}
    files = {MARK: _CONTEST, RULES: _RULES} | {f"{name}.yaml": text for name, text in plans.items()}
    return {file: text.format(**known) for file, text in files.items()}


def _write_secret(path: Path) -> None:
    """Write 256 random bits, from which the deals of the final follow; only this user can read the file."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(token_hex(32) + "\n")
