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

_FREEZE = timedelta(hours=1)  # an example: so long before the deadline
_TEXTS = Path(__file__).with_name("files")


def create(folder: Path, game: Game, deadline: str, now: datetime | None = None) -> None:
    """Write the folder of a contest.

    `now` is compared with the deadline; None: the time of the clock.

    Raises:
        ConfigError: The folder has files already, or the deadline is wrong or past.
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
    folder.chmod(0o700)  # other users of the machine may not read the entries
    for name, text in _texts(folder.resolve().name, game, moment).items():
        (folder / name).write_text(text, encoding="utf-8")
    _write_secret(folder / SERVER / "secret")


def _texts(name: str, game: Game, deadline: datetime) -> dict[str, str]:
    """The texts of the files for people, by file name."""
    seats = max(game.seats[0], min(4, game.seats[-1]))
    known = {
        "title": f"Contest {name}",
        "quoted": json.dumps(f"Contest {name}"),  # this is YAML as well
        "game": game.name,
        "seats": seats,
        "deadline": show_moment(deadline),
        "freeze": show_moment((deadline.astimezone(UTC) - _FREEZE).astimezone(deadline.tzinfo)),
        "games": f"{30 * 100 * seats:,}",
        "conditions": (_TEXTS / "conditions.yaml.txt").read_text(encoding="utf-8").rstrip(),
    }
    names = [MARK, RULES, *(f"{plan}.yaml" for plan in (LADDER, REMOTE, FINAL))]
    return {name: (_TEXTS / f"{name}.txt").read_text(encoding="utf-8").format(**known) for name in names}


def _write_secret(path: Path) -> None:
    """Write 256 random bits, which decide the deals of the final. Only this user can read the file."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(token_hex(32) + "\n")
