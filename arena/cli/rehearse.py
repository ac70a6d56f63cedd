"""`arena rehearse`: compares the answers of a changed bot with a recorded game."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.base import FILE, FILES, FORMAT, command, print_result
from arena.cli.completion import BOTS, RUNS
from arena.cli.replay import open_record, seat_of
from arena.config.text import printable
from arena.rules import seat_name

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.referee.record import Record
    from arena.referee.rehearsal import RehearsedAnswer
    from arena.tournament.rehearse import Compared


@click.command()
@click.argument("run", type=FILE, shell_complete=RUNS)
@click.argument("game")
@click.argument("bot", type=FILE, shell_complete=BOTS)
@click.option("--seat", metavar="pK", help="The seat to play.  [default: that of the bot of this name]")
@FILES
@FORMAT
@command
def rehearse(run: Path, game: str, bot: Path, seat: str | None, files: tuple[Path, ...], form: str) -> int:
    """Show where a changed BOT answers a recorded game otherwise.

    GAME is as in `arena replay`. The bot, for example a changed version of one that played, reads exactly
    what its seat read. Exit status: 0 if all answers are the same, 1 if one differs.
    """
    from arena.tournament import rehearse

    with open_record(run, game) as record:
        wanted = None if seat is None else seat_of(record, seat)
        number, asks = rehearse.rehearse(record, bot, wanted, files, partial(click.echo, err=True))
    lines = map(printable, _text(record, bot, number, asks))
    print_result(form, _to_json(record, bot, number, asks), lines)
    return int(any(each.differs for each in asks))


def _to_json(record: "Record", path: Path, seat: int, asks: "Sequence[Compared]") -> dict[str, Any]:
    heads = {"game": record.fixture.id, "seat": seat_name(seat), "bot": record.fixture.bots[seat]}
    return heads | {"program": str(path), "asks": [_ask_to_json(each) for each in asks]}


def _ask_to_json(each: "Compared") -> dict[str, Any]:
    answers = {"then": _answer_to_json(each.part.answer), "now": _answer_to_json(each.now)}
    told = {"id": each.part.id, "text": each.part.text}
    return told | answers | {"stderr": each.stderr, "differs": each.differs}


def _answer_to_json(answer: "RehearsedAnswer") -> dict[str, Any]:
    faults = [{"fault": kind, "words": detail} for kind, detail in answer.faults]
    ms = None if answer.seconds is None else round(answer.seconds * 1000, 3)
    return {"answer": answer.word, "faults": faults, "ms": ms}


def _text(record: "Record", path: Path, seat: int, asks: "Sequence[Compared]") -> Iterator[str]:
    """The report: the first difference after the lines before it, a line for each other one, a summary."""
    fixture = record.fixture
    yield f"game {fixture.id}, {seat_name(seat)} {fixture.bots[seat]}, now {path}"
    differences = [each for each in asks if each.differs]
    for number, (part, now, stderr) in enumerate(differences):
        kind = part.choice.kind if part.choice else ""
        if number:
            yield f"ask {part.id} {kind}: then {_brief(part.answer)}, now {_brief(now)}"
            continue
        yield f"ask {part.id} {kind}:"
        yield from (f"  < {line}" for line in part.text.splitlines())
        yield from (f"  then: {line}" for line in _long(part.answer))
        yield from (f"  now:  {line}" for line in _long(now))
        yield from (f"  # {line}" for line in stderr.splitlines() if line.strip())
    earlier, _, last, _ = record.trace["sent"][seat]
    if unasked := last - earlier - len(asks):
        yield f"{unasked} more asks were not sent, because the process is gone"
    if differences:
        yield f"{len(differences)} of {len(asks)} answers differ"
        yield "after a difference the bot still reads the recorded game, not its own"
    elif asks:
        yield f"all {len(asks)} answers are the same"
    else:
        yield "no answers to compare: it was asked nothing"


def _brief(answer: "RehearsedAnswer") -> str:
    return " and ".join(kind for kind, _ in answer.faults) or answer.word


def _long(answer: "RehearsedAnswer") -> Iterator[str]:
    if answer.seconds is not None and not answer.faults:
        yield f"{answer.word}  ({answer.seconds * 1000:.2f} ms)"
    yield from (f"{kind}: {detail}" for kind, detail in answer.faults)
