"""Files of results: CSV and PGN."""

import csv
import io

import pytest

from arena.config.document import ConfigError
from arena.tournament.runs.csv import COLUMNS, read_results


def to_csv(outcomes):
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    for number, game in enumerate(outcomes):
        for seat, (bot, place) in enumerate(zip(game.bots, game.places, strict=True)):
            status = "forfeit" if seat in game.forfeits else "ok"
            rows.writerow([number, game.group, seat + 1, bot, place, status])
    return file.getvalue()


def game(white, black, result, moves="1. e4 e5 {a comment}", **tags):
    lines = {"Event": "?", "Site": "?", "White": white, "Black": black, "Result": result} | tags
    return "".join(f'[{tag} "{text}"]\n' for tag, text in lines.items()) + f"\n{moves} {result}\n\n"


def write_results(folder, text, name="games.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def refusal(path):
    """Why a file with results is refused, after its path: in one line."""
    with pytest.raises(ConfigError) as error:
        read_results(path)
    message = str(error.value)
    assert message.startswith(f"{path}:") and "\n" not in message
    return message.removeprefix(f"{path}:").strip()
