"""Files of results: CSV and PGN."""

import csv
import io

from arena.tournament.runs.csv import COLUMNS


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
