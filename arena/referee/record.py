"""Records: games that were played, and how they are written as JSON."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from arena.config.document import ConfigError
from arena.config.text import SURROGATE, UNSAFE
from arena.referee.conditions import conditions_from_json
from arena.referee.fixture import Fixture, to_json
from arena.referee.seat import Fault
from arena.rules import Reply, Result, RulesError, seat_name, seat_number
from arena.rules.match import replies_as_json, reply_from_json

ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
DAMAGE = (*ERRORS, RulesError, zlib.error)  # an edited record may raise any of these when it is used

STDERR = "; stderr: "
"""Precedes the stderr of a bot that did not start, in the detail of a fault."""


@dataclass(frozen=True)
class Record:
    """The record of a game that was played. Without the trace it is the *game part*."""

    # The game part is the same, byte for byte, whenever the same bots play the same fixture.
    fixture: Fixture
    replies: tuple[Reply, ...]
    faults: tuple[Fault, ...]
    result: Result
    digest: str
    trace: Mapping[str, Any] = field(default_factory=dict)  # times, stderr, versions: these may differ

    def without_seed(self) -> "Record":
        """A copy without the seed of its deal, which stays secret until the run is closed."""
        return replace(self, fixture=replace(self.fixture, seed=""))

    def without_stderr(self) -> "Record":
        """A copy without the stderr of the bots, which their authors may want to keep secret."""
        left = {key: self.trace[key] for key in self.trace if key not in ("stderr", "stderr_asks")}
        faults = (fault._replace(detail=fault.detail.partition(STDERR)[0]) for fault in self.faults)
        return replace(self, trace=left, faults=tuple(faults))

    @property
    def forfeits(self) -> tuple[int, ...]:
        """The seats that forfeited, in the order in which the rules received them."""
        return tuple(seat for reply in self.replies if isinstance(reply, tuple) for seat in reply)

    @property
    def last_faults(self) -> dict[int, Fault]:
        """The last fault of each seat with faults. If the seat forfeited, this fault is the reason."""
        return {fault.seat: fault for fault in self.faults}

    def game_part(self) -> str:
        """The game part as one line of JSON, with answers in the order in which the rules received them."""
        played = to_json(
            {
                "faults": [
                    {"seat": seat_name(seat), "fault": kind, "reply": reply, "words": detail}
                    for seat, kind, reply, detail in self.faults
                ],
                "places": self.result[0],
                "scores": self.result[1],
                "digest": self.digest,
            }
        )
        replies = replies_as_json(self.replies)
        return f'{{"fixture":{self.fixture.json()},"replies":{replies},{played[1:]}'


class Summary(NamedTuple):
    """A game that was played, as ratings and formats need it; `forfeits` is the kind of fault, by seat."""

    id: str
    bots: tuple[str, ...]
    fingerprints: tuple[str, ...]
    places: tuple[int, ...]
    forfeits: Mapping[int, str]
    faults: int
    seed_group: str
    rotation: int


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Turn the errors of `DAMAGE` in code that uses a record into ConfigErrors, which begin with `where`."""
    # Checking a record takes time, so it is not checked when it is read. An edited one may have anything
    # anywhere.
    try:
        yield
    except UnicodeEncodeError:  # the terminal cannot show a character
        raise
    except DAMAGE as error:
        raise ConfigError(f"{where}: damaged record: {error!r}") from None


def record_from_json(game_part: str, trace: str = "{}") -> Record:
    """The record that `Record.game_part` wrote, with its trace. Raises an error of `DAMAGE` if it is none."""
    data = json.loads(game_part)
    if "\\" in game_part or not game_part.isprintable():  # most have no such text
        check_texts(data, UNSAFE)
    fixture = fixture_from_json(data["fixture"])
    scores, more = data["scores"], json.loads(trace)
    if "\\u" in trace:  # control characters are allowed there: bots may write them to stderr
        check_texts(more, SURROGATE)
    return Record(
        fixture,
        tuple(reply_from_json(reply) for reply in data["replies"]),
        tuple(
            Fault(seat_number(each["seat"]), each["fault"], each["reply"], each["words"])
            for each in data["faults"]
        ),
        (tuple(data["places"]), None if scores is None else tuple(scores)),
        data["digest"],
        more,
    )


def fixture_from_json(fields: Mapping[str, Any]) -> Fixture:
    """The fixture from a mapping that `Fixture.json` wrote. Raises an error of `DAMAGE` if it is none."""
    # These two choose the rules, before anything else is looked at.
    if not (isinstance(fields["game"], str) and isinstance(fields["version"], int)):
        raise TypeError(f"game {fields['game']!r}, version {fields['version']!r}")
    conditions = conditions_from_json(fields)
    names = fields.keys() - conditions.as_json().keys()
    return Fixture(
        **{name: fields[name] for name in names}
        | {
            "bots": tuple(fields["bots"]),
            "fingerprints": tuple(fields["fingerprints"]),
            "bot_seeds": tuple(fields["bot_seeds"]),
            "conditions": conditions,
        }
    )


def check_texts(data: Any, unsafe: re.Pattern[str]) -> None:
    """Raise ValueError if a text or key in this JSON value has a character that is `unsafe`."""
    if isinstance(data, str):
        if found := unsafe.search(data):
            raise ValueError(f"the character {ascii(found[0])[1:-1]} in a text")
    elif isinstance(data, dict):
        check_texts([*data, *data.values()], unsafe)
    elif isinstance(data, list):
        for each in data:
            check_texts(each, unsafe)
