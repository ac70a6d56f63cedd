"""The review of a bot: its decisions by kind, compared with the field, and the games that it lost worst."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Any, NamedTuple

import numpy as np

from arena.config.document import ConfigError
from arena.games import find
from arena.rating.outcomes import Tallied, error_of_mean
from arena.rating.standings import surprises
from arena.referee.record import Record, reading
from arena.rules import Game, Log, Tell, seat_name
from arena.show.tables.behaviour import figure_text
from arena.show.tables.commands import command_line
from arena.show.tables.report import Report
from arena.show.tables.standings import COLUMNS, at_confidence
from arena.show.tables.table import Column, Table, share, words
from arena.show.tables.views import opponents_table
from arena.tournament.runs.account import Told, account, game_of
from arena.tournament.runs.behaviour import Tallies, add_game, log_of
from arena.tournament.runs.game_list import PlayedGame, played_games, shown_record, shown_records
from arena.tournament.runs.store import Store

_MAX_GAMES = 3  # games in `_telling_table`
_STANDING = ("rank", "range", "elo", "error", "games", "groups", "score", "first", "forfeits", "flags")


# Decisions


@dataclass(frozen=True)
class DecisionKind:
    """A kind of decision: how often a bot took it, compared with all other bots.

    Attributes:
        kind: The name of the kind.
        meaning: Its definition.
        ratio: Whether the values may be any number from 0; otherwise they are shares.
        counted: How often the bot took it.
        of: The number of its chances.
        value: `counted` divided by `of`; None without chances.
        interval: From the differences between seed groups; None if fewer than two had chances.
        others: The value of all other bots together.
        others_interval: The interval of `others`.
        differs: "more" or "less" if the bot surely differs from the others, each kind by itself, else "".
    """

    kind: str
    meaning: str
    ratio: bool
    counted: int
    of: int
    value: float | None
    interval: tuple[float, float] | None
    others: float | None
    others_interval: tuple[float, float] | None
    differs: str


def decisions(game: Game, tallies: Tallies, bot: str, confidence: float = 0.95) -> list[DecisionKind]:
    """The kinds of decisions of a bot in a game, from the counts of all bots."""
    found = []
    for kind, figure in game.counted.items():
        own, rest = tallies[bot].figures.get(kind, Tallied()), Tallied()
        for other, tally in tallies.items():
            if other != bot:
                rest.merge(tally.figures.get(kind, Tallied()))
        interval, others_interval = (each.interval(figure.ratio, confidence) for each in (own, rest))
        compared = own.value, interval, rest.value, others_interval
        differs = _difference(*compared)
        counts = own.counted, own.of, *compared
        found.append(DecisionKind(kind, figure.meaning, figure.ratio, *counts, differs))
    return found


def _difference(
    value: float | None,
    interval: tuple[float, float] | None,
    others: float | None,
    others_interval: tuple[float, float] | None,
) -> str:
    """Whether `value` is surely "more" or "less" than `others`; otherwise, or if something is None, ""."""
    # The interval of the difference follows from both intervals (Zou & Donner 2008, Statist. Med. 27:1693).
    if value is None or others is None or interval is None or others_interval is None:
        return ""
    if value - others > hypot(value - interval[0], others_interval[1] - others):
        return "more"
    return "less" if others - value > hypot(interval[1] - value, others - others_interval[0]) else ""


_KIND = Column("decision", "kind", is_left=True, meaning="a kind of decision; its meaning is below")
# fmt: off
DECISIONS = (
    _KIND,
    Column("count", "counted", words, "how often the bot did it"),
    Column("of", "of", words, "out of how many chances"),
    Column("value", "value", words, "the one divided by the other"),
    Column("95 %", "low high", words, "confidence interval of the value, from the differences between seed "
        "groups"),
    Column("others", "others", words, "the value of all other bots together"),
    Column("95 %", "others_low others_high", words, "its confidence interval"),
    Column("", "differs", words, "whether the bot did it surely more or less often than the others. Each "
        "kind is tested by itself, so one in twenty kinds without a difference is marked as well"),
)
# fmt: on


def decisions_table(game: Game, rows: Sequence[DecisionKind]) -> Table:
    """The decisions of a bot as a table, with their meanings below.

    Kinds without chances for the bot, and kinds that no bot took, are left out.
    """
    rows = [row for row in rows if row.of and (row.value or row.others)]

    def cells(row: DecisionKind) -> dict[str, Any]:
        text = figure_text(game.counted[row.kind])
        return {
            **vars(row),
            "value": text(row.value),
            "low": " to ".join(map(text, row.interval)) if row.interval else "-",
            "others": text(row.others),
            "others_low": " to ".join(map(text, row.others_interval)) if row.others_interval else "-",
        }

    def values(row: DecisionKind) -> dict[str, Any]:
        low, high = row.interval or (None, None)
        others_low, others_high = row.others_interval or (None, None)
        return {**vars(row), "low": low, "high": high, "others_low": others_low, "others_high": others_high}

    exact = [*DECISIONS, Column("", "meaning")]
    shown = [replace(column, names=column.names.partition(" ")[0]) for column in DECISIONS]
    return Table(
        "decisions",
        shown,
        [cells(row) for row in rows],
        f"Decisions in {game.name}",
        notes=[f"{row.kind}: {row.meaning}" for row in rows],
        exact=Table("decisions", exact, [values(row) for row in rows]),
        empty="no game has kinds of decisions",
    )


# Seats and telling games


class _Seen(NamedTuple):
    """A game from one seat of the bot: the score there, and the score that the Elo of its bots expects."""

    played: PlayedGame
    seat: int
    score: float
    expected: float


class SeatScore(NamedTuple):
    """One seat of the game with the index `at`; `score` and `expected` are shares of opponents beaten."""

    at: int
    seat: int
    score: float
    expected: float


def seat_scores(games: Sequence[PlayedGame], elo: Mapping[str, float]) -> dict[str, list[SeatScore]]:
    """By bot in `elo`, its seats in these games, in order. Games with a bot that has no Elo are left out."""
    found: dict[str, list[SeatScore]] = {bot: [] for bot in elo}
    by_size: dict[int, list[int]] = {}
    for at, played in enumerate(games):
        if all(name in elo for name in played.names):
            by_size.setdefault(len(played.names), []).append(at)
    for rated in by_size.values():
        strengths = np.array([[elo[name] for name in games[at].names] for at in rated])
        scores = surprises(strengths, np.array([games[at].game.places for at in rated]))
        for at, *both in zip(rated, *(each.tolist() for each in scores), strict=True):
            for seat, (name, score, expected) in enumerate(zip(games[at].names, *both, strict=True)):
                found[name].append(SeatScore(at, seat, score, expected))
    return {bot: sorted(seats) for bot, seats in found.items()}


def _games_of(report: Report, bot: str) -> list[_Seen]:
    """The games of a bot in the order of the runs. Games with an unrated bot are left out."""
    elo = dict(zip(report.field.names, report.field.ratings.elo.tolist(), strict=True))
    games = [*played_games(report.runs)]
    return [_Seen(games[each.at], *each[1:]) for each in seat_scores(games, elo).get(bot, ())]


def _above(score: float, expected: float, error: float | None) -> str:
    return f"{100 * (score - expected):+.1f}" + ("" if error is None else f"±{100 * error:.1f}")


# fmt: off
OWN_SEATS = (
    Column("seats", "size", words, "seats of a table"),
    Column("seat", "seat", lambda seat: seat_name(seat - 1), "the seat of the bot"),
    Column("games", "games", words, "its games there"),
    Column("score", "score", share, "mean share of opponents beaten; ties count half"),
    Column("expected", "expected", share, "the score that the Elo of the bots at its tables expects"),
    Column("diff", "error", lambda error, score, expected: _above(score, expected, error), "score less "
        "expected, in percentage points, ± half its confidence interval", uses="score expected"),
)
# fmt: on
_SEAT_VALUES = ("size", "seat", "games", "score", "expected", "error")


def _seats_table(seen: Iterable[_Seen], confidence: float) -> Table:
    by_seat: dict[tuple[int, int], list[_Seen]] = {}
    for each in seen:
        by_seat.setdefault((len(each.played.names), each.seat), []).append(each)
    rows: list[dict[str, Any]] = []
    for (size, seat), games in sorted(by_seat.items()):
        scores, expected = (
            np.array([getattr(each, name) for each in games]) for name in ("score", "expected")
        )
        error = error_of_mean(scores - expected, [each.played.game.seed_group for each in games], confidence)
        values = size, seat + 1, len(games), float(scores.mean()), float(expected.mean()), error
        rows.append(dict(zip(_SEAT_VALUES, values, strict=True)))
    return Table("seats", OWN_SEATS, rows, "Seats")


class Telling(NamedTuple):
    """The moment that cost a seat most: its number from 1, as in `arena replay --at`, and its news."""

    moment: int
    text: str


def telling_moment(record: Record, seat: int) -> Telling | None:
    """The moment that cost a seat most, the last of equal ones; None if it had no cost that the game counts.

    Raises:
        ConfigError: The record does not replay.
    """
    game = game_of(record)
    costs = {kind: figure.cost for kind, figure in game.counted.items() if figure.cost}
    told = [event for event in account(record) if isinstance(event, Told)]
    log = log_of(game, record)
    ends = [end for end, (step, _) in enumerate(log, 1) if type(step) is Tell]
    found, most, paid = None, 0, 0
    # Counts have no position in the log, so the costs are counted again up to each news.
    for event, end in zip(told, ends, strict=True):
        before, paid = paid, _paid(game, log[:end], seat, costs)
        if paid - before >= max(most, 1):
            found, most = Telling(event.moment, game.prose.tell(event.text)), paid - before
    return found


def _paid(game: Game, log: Log, seat: int, costs: Mapping[str, int]) -> int:
    marks = (mark for mark in game.observe(log) if mark.seat == seat)
    return sum(costs.get(mark.figure, 0) * mark.counted for mark in marks)


# fmt: off
TELLING = (
    Column("game", "game", words, "its number in `arena list`"),
    Column("seat", "seat", lambda seat: seat_name(seat - 1), "the seat of the bot"),
    Column("score", "score", share, "share of opponents beaten"),
    Column("expected", "expected", share, "the score that the Elo of its bots expects"),
    Column("moment", "moment", words, "the moment that cost the bot most"),
    Column("what happened", "text", words, "the news of that moment", is_left=True),
)
# fmt: on


def _telling_table(seen: Sequence[_Seen]) -> Table:
    """At most `_MAX_GAMES` games in which the score was furthest below the expected one."""
    lost = sorted(
        (each for each in seen if each.score < each.expected), key=lambda each: each.score - each.expected
    )
    rows: list[dict[str, Any]] = []
    commands = []
    for played, seat, score, expected in lost[:_MAX_GAMES]:
        with Store(played.run) as store, store.reading(played.game.id):
            telling = telling_moment(shown_record(store, played.game.id), seat)
        at = ["--at", str(telling.moment)] if telling else []
        command = command_line("replay", played.run, str(played.number), *at)
        row = {"game": played.number, "seat": seat + 1, "score": score, "expected": expected}
        moment = telling._asdict() if telling else {"moment": None, "text": ""}
        rows.append({**row, **moment, "id": played.game.id, "command": command})
        commands.append(command)
    exact = Table("telling", [*TELLING, Column("", "id"), Column("", "command")], rows)
    empty = "no game in which it scored less than expected"
    return Table("telling", TELLING, rows, "Where it lost most", notes=commands, exact=exact, empty=empty)


# The whole review


def review(report: Report, bot: str) -> list[Table]:
    """The decisions of a bot in each game of the runs, its seats and opponents, and its most telling games.

    Raises:
        ConfigError: The bot has no games, a game is not installed, or a file has no records.
    """
    report.check_bots("review", [bot])
    tallies: dict[str, Tallies] = {}
    for played, record in shown_records(report.runs):
        name = record.fixture.game
        if not (game := find(name)):
            raise ConfigError(f"the game {name} is not installed")
        with reading(f"game {played.number} of {played.run}"):
            log = log_of(game, record) if game.counted else []
            add_game(tallies.setdefault(name, {}), game, played.names, record, log)
    confidence, seen = report.settings.confidence, _games_of(report, bot)
    standing = [row.shown for row in report.rows if row.bot == bot]
    games = [(game, each) for name, each in sorted(tallies.items()) if bot in each and (game := find(name))]
    return [
        Table("standing", at_confidence(report, [COLUMNS[name] for name in _STANDING]), standing, bot),
        *(decisions_table(game, decisions(game, each, bot, confidence)) for game, each in games),
        _seats_table(seen, confidence),
        opponents_table(report.field.opponents([bot])[bot]),
        _telling_table(seen),
    ]
