"""`arena replay --format input`: what a bot read in a game, byte for byte, from its record."""

import json
import os
from random import Random

import pytest
import stored_games
from driving import Scene, duel, game_of, relay
from programs import fixture
from samples import CHECKOUT

from arena import games
from arena.config.document import ConfigError
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.fixture import Fixture
from arena.referee.record import Record, record_from_json
from arena.referee.seat import Send
from arena.rules import Game
from arena.tournament.runs.bot_input import Sender, bot_input

LITTLE = (game_of(relay, rounds=6), game_of(duel, rounds=6))
CLOCK = TimeControl(move=1, bank=3, start=10, game=20)
HELLO = "ask 1 hello 10000 version=1 : ok\n"
DEEDS = {
    "answers": ["{id} {any}"],
    "answers without an id": ["{any}"],
    "illegal": ["{id} nonsense"],
    "twice": ["{id} {any}", "{id} again"],
    "says too much first": ["0 {any}", "{id} {any}"],
    "garbled": ["{id} \x00"],
    "garbled and too much": ["{id} \x00", "\x1b", "0 {any}"],
    "answers and dies": ["{id} {any}", None],
    "says too much and dies": ["{id} {any}", "{id} again", None],
    "dies": [None],
    "silent": [],
}


class Copied(Scene):
    """A scene that keeps a copy of everything that each seat was sent."""

    def _deliver(self, messages):
        for message in messages:
            if isinstance(message, Send):
                self.sent[message.seat] += message.text
        super()._deliver(messages)

    def play(self, chance: Random, trouble: float) -> None:
        """Bots do any of the deeds, with any time between them."""
        coming: list[list[str | None]] = [[] for _ in self.unread]
        self.sent = [""] * len(self.unread)
        self.begin()
        while not self.referee.is_over:
            for seat, lines in enumerate(self.unread):
                while lines:
                    words = lines.popleft().split()
                    if words[0] == "ask":
                        deed = chance.choice(list(DEEDS)) if chance.random() < trouble else "answers"
                        any = chance.choice(words[words.index(":") + 1 :])
                        coming[seat] += [line and line.format(id=words[1], any=any) for line in DEEDS[deed]]
            if seats := [seat for seat, lines in enumerate(coming) if lines]:
                line = coming[seat := chance.choice(seats)].pop(0)
                if line is None:
                    coming[seat].clear()
                    self.die(seat)
                    for seat in list(self.leavers):  # its process had played before: another takes the seat
                        self.sent[seat] = ""
                        self.restart(seat)
                else:
                    self.say(seat, line)
            self.wait(chance.choice([0, 0.1234567, 0.7, 1.0010000045]) if seats else 1)


def recorded(scene: Scene, conditions: Conditions) -> Record:
    """The record of the game of a scene, as a run file gives it back."""
    seats, match, referee = len(scene.unread), scene.match, scene.referee
    fixture = Fixture(
        game=match.game.name,
        version=match.game.version,
        options=match.options,
        bots=tuple(f"bot{seat}" for seat in range(seats)),
        fingerprints=("0" * 16,) * seats,
        bot_seeds=tuple(range(1, seats + 1)),
        conditions=conditions,
    )
    trace = {
        "sent": [state.sent() for state in referee.seats],
        "microseconds": [state.microseconds() for state in referee.seats],
    }
    record = Record(fixture, tuple(match.replies), tuple(referee.faults), match.result, match.digest(), trace)
    return record_from_json(record.game_part(), json.dumps(trace))


@pytest.mark.parametrize("trouble", [0, 0.1, 0.5])
@pytest.mark.parametrize(
    "game", [*LITTLE, games.GAMES["complots"], games.GAMES["intrigue"]], ids=lambda game: game.name
)
def test_it_is_what_the_referee_sent_whatever_the_bots_did(game: Game, trouble, monkeypatch):
    monkeypatch.setitem(games.INSTALLED, game.name, game)  # as if installed
    options = {} if "rounds" in game.options else {"max_turns": 8} if game.name == "complots" else {}
    conditions = Conditions(clock=CLOCK, strikes=3, names=True)
    words = {"names": "bot0,bot1,bot2"}
    for seed in range(12):
        chance = Random(seed)
        processes = [(1, 0), (17, 3), (1, 0)]  # two new ones, and one that has played
        scene = Copied(game, 3, CLOCK, 3, processes, words, ready=False, **options)
        scene.play(chance, trouble)
        record = recorded(scene, conditions)
        for seat, sent in enumerate(scene.sent):
            assert bot_input(record, seat) == HELLO + sent, (seed, seat, record.faults)
            check_parts(record, seat, sent)


def check_parts(record: Record, seat: int, sent: str) -> None:
    """Each part ends with its ask; the answers have all faults but that of a death between two asks."""
    *parts, last = Sender(record, seat).parts()
    asks = [line.split()[1:3] for line in sent.splitlines() if line.startswith("ask ")]
    assert [[str(part.id), part.choice.kind] for part in parts] == asks and last.choice is None
    assert all(part.text.splitlines()[-1].startswith(f"ask {part.id} ") for part in parts)
    faults = [(fault.kind, fault.detail) for fault in record.faults if fault.seat == seat]
    noted = [fault for part in parts for fault in part.answer.faults]
    assert noted in (faults, faults[:-1])
    times = record.trace["microseconds"][seat]
    assert [part.answer.seconds for part in parts[: len(times)]] == [time / 1e6 for time in times]
    assert all(part.answer.faults for part in parts[len(times) :])


def test_a_game_that_was_recorded_before_says_so():
    with pytest.raises(ConfigError, match="its record does not have the ids of the asks"):
        bot_input(stored_games.record(), 0)


@pytest.fixture
def written(monkeypatch):
    """What is written to each descriptor: a copy at the pipe."""
    copies: dict[int, bytes] = {}
    write = os.write

    def copy(descriptor: int, data: bytes) -> int:
        count = write(descriptor, data)
        copies[descriptor] = copies.get(descriptor, b"") + data[:count]
        return count

    monkeypatch.setattr(os, "write", copy)
    return copies


def test_with_real_processes_it_is_what_went_through_the_pipe(written):
    """The first game of a process from its hello on; of a later one, the hello and what this game added."""
    bots = {name: read_bot(CHECKOUT / "bots/python/random_bot.py", name=name) for name in ("a", "b")}
    with ProgramTable(bots) as table:
        for number in range(3):
            before = dict(written)
            record = table.play(fixture("a", "b", game="complots", move=10.0, bank=5.0, start=30.0))
            for seat, player in enumerate(table._seat(["a", "b"], 30.0)):
                hello, _, earlier = before.get(player.stdin, b"").partition(b"\n")
                now = written[player.stdin].removeprefix(before.get(player.stdin, b""))
                expected = (hello + b"\n" if number else b"") + now
                assert bot_input(record, seat).encode() == expected
                assert (number > 0) == bool(earlier)
