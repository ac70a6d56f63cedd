"""Standings as text for people and as plain values for machines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tabulate

from arena import ratings
from arena.ratings import Outcome, Standing
from arena.rules import Game
from arena.store import Store, Summary

COLUMNS = ("#", "bot", "Elo", "±95", "LOS", "games", "score", "1st", "place", "forf", "")
FLAGS = {
    ">": "never beaten: the Elo is a lower estimate",
    "<": "never beat anybody: the Elo is an upper estimate",
    "~": "compared with most others only one way; the error is a rough one",
    "?": "fewer than 30 seed groups",
    "!": "played in a pool of its own: not comparable with the others",
}


def standings_of(store: Store) -> list[Standing]:
    """The standings of a run, by the rating keys of its plan."""
    about, games = store.about(), store.summaries()
    rating = about.get("rating", {})
    anchor = rating.get("anchor")
    return ratings.standings(
        outcomes(games, about.get("plan", {}).get("bots", {})),
        anchor=(anchor["bot"], anchor["elo"]) if anchor else None,
        average=rating.get("average", 1500),
    )


def outcomes(games: Iterable[Summary], current: Mapping[str, str]) -> list[Outcome]:
    """What the games say to the rating.

    A bot that was changed during the run is another player than before: its old version has the
    old fingerprint in its name.
    """
    return [
        Outcome(
            tuple(
                name if current.get(name, made) == made else f"{name}@{made[:6]}"
                for name, made in zip(game.bots, game.fingerprints, strict=True)
            ),
            game.places,
            game.seed_group,
            frozenset(game.forfeits),
        )
        for game in games
    ]


def text_table(rows: Sequence[Standing], games: Sequence[Summary]) -> str:
    """The table in 80 columns, the flags that occur, and what it rests on."""
    body = [
        (
            row.rank,
            row.bot,
            round(row.elo),
            "-" if row.error is None else round(row.error),
            "" if row.los is None else f"{row.los:.0%}",
            row.games,
            f"{row.score:.1%}",
            f"{row.first:.1%}",
            f"{row.mean_place:.2f}",
            row.forfeits or "",
            row.flags,
        )
        for row in rows
    ]
    table = tabulate.tabulate(body, COLUMNS, disable_numparse=True, colalign=ALIGN)
    notes = [
        f"{flag}  {meaning}" for flag, meaning in FLAGS.items() if any(flag in row.flags for row in rows)
    ]
    return "\n".join([table, *notes, footing(games)])


ALIGN = ("right", "left", *["right"] * 8, "left")


def footing(games: Sequence[Summary]) -> str:
    groups = len({game.seed_group for game in games})
    faults = sum(game.faults for game in games)
    return f"{len(games)} games in {groups} seed groups, {faults} faults"


def json_table(rows: Iterable[Standing]) -> list[dict[str, Any]]:
    return [ratings.to_json(row) for row in rows]


def describe_game(game: Game) -> str:
    """One line for a list of games."""
    low, high = game.seats[0], game.seats[-1]
    players = f"{low} players" if low == high else f"{low}-{high} players"
    return f"{game.name}  {players}  {game.summary}"


def game_json(game: Game) -> dict[str, Any]:
    return {
        "game": game.name,
        "version": game.version,
        "seats": list(game.seats),
        "summary": game.summary,
        "options": {
            name: {
                "default": option.default,
                "values": list(option.values),
                "minimum": option.minimum,
                "meaning": option.meaning,
            }
            for name, option in game.options.items()
        },
    }
