"""What was played: the record of a game."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from arena.core.conditions import conditions_from_json
from arena.records.fixture import Fixture, to_json
from arena.referee.seat import Fault
from arena.rules import Reply, Result, seat_name, seat_number
from arena.rules.match import reply_from_json, reply_to_json


@dataclass(frozen=True)
class Record:
    """A game that was played.

    Everything but `trace` is the *game part*: the same, byte for byte, whenever the same bots play
    the same fixture. `trace` has what differs from run to run: times, stderr, versions.
    """

    fixture: Fixture
    replies: tuple[Reply, ...]
    faults: tuple[Fault, ...]
    result: Result
    digest: str
    trace: Mapping[str, Any] = field(default_factory=dict)

    def without_seed(self) -> "Record":
        """The same as it may be published while more games of the run may be played."""
        return replace(self, fixture=replace(self.fixture, seed=""))

    @property
    def forfeits(self) -> tuple[int, ...]:
        """The seats that forfeited, in the order in which the rules noticed."""
        return tuple(seat for reply in self.replies if isinstance(reply, tuple) for seat in reply)

    def game_part(self) -> str:
        """The game part as one line of JSON; answers stand in the order in which the rules had them."""
        return to_json(
            {
                "fixture": self.fixture.plain(),
                "replies": [reply_to_json(reply) for reply in self.replies],
                "faults": [
                    {"seat": seat_name(seat), "fault": kind, "reply": reply, "words": words}
                    for seat, kind, reply, words in self.faults
                ],
                "places": self.result[0],
                "scores": self.result[1],
                "digest": self.digest,
            }
        )


class Summary(NamedTuple):
    """What a table needs of a game. Seats are numbers from 0; `forfeits` has the fault that did it."""

    id: str
    bots: tuple[str, ...]
    fingerprints: tuple[str, ...]
    places: tuple[int, ...]
    forfeits: Mapping[int, str]
    faults: int
    seed_group: str
    rotation: int


def record_from_json(game_part: str, trace: str = "{}") -> Record:
    """The record that `game_part` wrote. ValueError, KeyError or TypeError: it is none."""
    data = json.loads(game_part)
    made = data["fixture"]
    conditions = conditions_from_json(made)
    names = made.keys() - conditions.plain().keys()
    fixture = Fixture(
        **{name: made[name] for name in names}
        | {
            "bots": tuple(made["bots"]),
            "fingerprints": tuple(made["fingerprints"]),
            "bot_seeds": tuple(made["bot_seeds"]),
            "conditions": conditions,
        }
    )
    scores = data["scores"]
    return Record(
        fixture,
        tuple(reply_from_json(reply) for reply in data["replies"]),
        tuple(
            Fault(seat_number(each["seat"]), each["fault"], each["reply"], each["words"])
            for each in data["faults"]
        ),
        (tuple(data["places"]), None if scores is None else tuple(scores)),
        data["digest"],
        json.loads(trace),
    )
