"""Lists the decisions in a run for learners: the knowledge of a seat, and its answer."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from arena.referee.protocol import option_words
from arena.referee.record import Record
from arena.rules import seat_name
from arena.tournament.runs.account import Answered, Told, account, game_of
from arena.tournament.runs.asks import time_usage
from arena.tournament.runs.game_list import PlayedGame, shown_records
from arena.tournament.runs.open_games import open_games
from arena.tournament.runs.store import Store


class Decision(NamedTuple):
    """An answer of a seat: a row of the Parquet file. docs/notebooks.md explains the columns.

    The seat did not know the values of columns that begin with `hidden_` when it was asked.
    """

    split: str
    rules: str
    rules_version: int
    rules_options: str
    seats: int
    seat: str
    ask: int
    turn: int
    news: tuple[str, ...]
    state: tuple[str, ...]
    kind: str
    context: str
    options: tuple[str, ...]
    word: str
    hidden_game: str
    hidden_group: str
    hidden_bot: str
    hidden_version: str
    hidden_moment: int
    hidden_fault: str | None
    hidden_ms: float | None
    hidden_wall_ms: float | None
    hidden_cpu_ms: float | None
    hidden_place: int
    hidden_score: int | None
    hidden_state: tuple[str, ...]


def decisions(run: Path) -> Iterator[Decision]:
    """All decisions of a run: its games in fixture order, and the answers of each in the order of play.

    Answers in place of a seat that forfeited, at this ask or before, are left out. So are games whose deal
    other games still play, because their rows have the cards of all seats.

    Raises:
        ConfigError: A record is damaged, or does not replay.
    """
    with Store(run) as store:
        shown = open_games(store, store.games())
    for played, record in shown_records([run], shown):
        yield from _decisions_of(played, record)


def _decisions_of(played: PlayedGame, record: Record) -> Iterator[Decision]:
    game = game_of(record)
    match, turn = record.fixture.match(game), 0
    facts = [_facts_of(played, record, seat) for seat in range(match.seats)]
    news: list[list[str]] = [[] for _ in facts]
    for event in account(record, match):
        if isinstance(event, Told):
            turn += event.begins_turn
            for each in news if event.seat is None else [news[event.seat]]:
                each.append(f"{event.kind} {event.text}")
        elif isinstance(event, Answered) and not _is_of_nobody(event, record):
            seat, choice, position = event.seat, event.choice, match.position
            wall, cpu, _ = time_usage(record, seat, event.number)
            yield Decision(
                **facts[seat],
                ask=event.number,
                turn=turn,
                news=tuple(news[seat]),
                state=tuple(game.view(position, seat)),
                kind=choice.kind,
                context=choice.tail.partition(": ")[0].strip(),
                options=choice.options,
                word=event.word,
                hidden_moment=event.moment,
                hidden_fault=event.fault,
                hidden_ms=event.milliseconds,
                hidden_wall_ms=wall,
                hidden_cpu_ms=cpu,
                hidden_state=tuple(game.view(position, None)),
            )
            news[seat].clear()


def _facts_of(played: PlayedGame, record: Record, seat: int) -> dict[str, Any]:
    """The columns that are the same in all decisions of a seat."""
    fixture, (places, scores) = record.fixture, record.result
    return {
        "hidden_game": fixture.id,
        "hidden_group": fixture.group,
        "split": _split_of(fixture.group or fixture.id),
        "rules": fixture.game,
        "rules_version": fixture.version,
        "rules_options": option_words(fixture.options.items()),
        "seats": len(fixture.bots),
        "seat": seat_name(seat),
        "hidden_bot": played.names[seat],
        "hidden_version": fixture.fingerprints[seat],
        "hidden_place": places[seat],
        "hidden_score": scores and scores[seat],
    }


def _is_of_nobody(event: Answered, record: Record) -> bool:
    """Whether the rules got this answer in place of a bot because its seat had forfeited."""
    return event.microseconds is None and event.seat in record.forfeits


_TRAIN, _VALIDATION = 205, 231  # 80 % of 256 values, and the next 10 %


def _split_of(group: str) -> str:
    """`train`, `validation` or `test`: the part of a seed group, the same for all its games in every run."""
    point = sha256(group.encode()).digest()[0]
    return "train" if point < _TRAIN else "validation" if point < _VALIDATION else "test"
