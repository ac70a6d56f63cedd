"""Copies of a match: like the original at every step, apart from it, and cheap. See `arena.rules.match`.

`test_games.py` copies random games at every step (the check `copies`). Here are the games that it leaves out,
and what a copy costs.
"""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest
from intrigue_table import play_talking, talk_at_random
from random_games import case_name

from arena.games import GAMES
from arena.referee.game_check.checks import copies
from arena.referee.game_check.random_games import configurations, line_ups, play, random_reply
from arena.rules import Ask, Checkpoint, Game, Tell
from arena.rules.match import Match

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=case_name)


def changeable(value: Any) -> Iterator[Any]:
    """All objects in a position that its rules may change; the options are fixed."""
    if isinstance(value, list | dict):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from changeable(each)
    elif hasattr(value, "__dataclass_fields__"):
        yield value
        for field in fields(value):
            if field.name != "options":
                yield from changeable(getattr(value, field.name))


def check_position(match: Match) -> None:
    position, twin = match.position, match.game.copy_position(match.position)
    assert twin == position
    assert not {id(each) for each in changeable(position)} & {id(each) for each in changeable(twin)}


@every_game
def test_positions_share_nothing_with_their_copies(game):
    for seats in (game.seats[0], game.seats[-1]):
        play(game, game.defaults(), seats, "copies", forfeits=0.05, watch=check_position)
    if game.name == "intrigue":
        play_talking(game.defaults(), 3, "copies", watch=check_position)


@every_game
def test_games_at_full_tables(game):
    *_, mixture = configurations(game)
    for changes in ({}, mixture):
        for options, _, seed in line_ups(game, changes, 1):
            assert not list(copies(game, options, game.seats[-1], seed))


@pytest.mark.parametrize("changes", [{"press": 3}, {"private": True, "bribe_unit": "advisor"}], ids=str)
def test_games_with_offers_and_promises(changes):
    """Each step is taken by a copy, and by a second one with other answers to its open asks."""
    game, dice = GAMES["intrigue"], Random(1)
    options = game.defaults() | changes
    talked = play_talking(options, 3, "talk")
    match = Match(game, options, 3)
    for reply in talked.replies:
        stray, match = match.copy(), match.copy()
        assert repr(match.step) == repr(stray.step)
        if isinstance(stray.step, Ask):
            choices = stray.step.choices
            stray.reply(
                {
                    seat: talk_at_random(stray, seat, choice, dice)
                    if choice.open
                    else dice.choice(choice.options)
                    for seat, choice in choices.items()
                }
            )
        match.reply(reply)
    assert (match.digest(), match.result) == (talked.digest(), talked.result)


GIVEN = {
    "complots": {
        "hands": {"p1": ["captain"], "p2": ["duchess"]},
        "lost": {"p1": ["duchess"], "p2": ["captain"]},
    },
    "local": {"lost": {"p1": ["duchess"]}, "coins": {"p2": 7}},
    "intrigue": {"round": 4, "money": {"p2": 9000}, "candidates": {"p1": ["p2.writer", "p3.writer"]}},
}


@every_game
def test_games_from_a_given_position(game):
    seats = 3 if game.name == "intrigue" else 2
    match, dice = Match(game, game.defaults(), seats, given=GIVEN[game.name]), Random(2)
    original = Match(game, game.defaults(), seats, given=GIVEN[game.name])
    while match.step is not None:
        reply = random_reply(match, dice)
        original.reply(reply)
        match = match.copy()
        match.reply(reply)
    assert (match.digest(), match.position) == (original.digest(), original.position)


@every_game
def test_the_copies_of_the_standard_library(game):
    """`copy.copy`, `copy.deepcopy` and `pickle` give a match that goes on by itself, compiled or not."""
    whole = play(game, game.defaults(), game.seats[-1], "library")
    half = len(whole.replies) // 2
    match = Match(game, game.defaults(), game.seats[-1], whole.replies[:half])
    for twin in (copy.copy(match), copy.deepcopy({"of": match})["of"], pickle.loads(pickle.dumps(match))):
        assert (twin.digest(), repr(twin.step)) == (match.digest(), repr(match.step))
        for reply in whole.replies[half:]:
            twin.reply(reply)
        assert (twin.digest(), twin.result) == (whole.digest(), whole.result)
    assert len(match.replies) == half


# What a copy costs


def counting(game: Game) -> tuple[Game, list[int]]:
    """The game, and a list whose only number is how many steps its rules have taken."""
    count = [0]

    async def rules(p: Any, options: Any) -> Any:
        inner, reply = game.rules(p, options), None
        while True:
            try:
                step = inner.send(reply)
            except StopIteration as end:
                return end.value
            count[0] += not isinstance(step, Tell | Checkpoint)
            reply = await step

    return replace(game, rules=rules), count


@every_game
def test_a_copy_replays_little_more_than_a_turn_wherever_it_is_made(game):
    counted, count = counting(game)
    whole = play(game, game.defaults(), 4, "cost", calm=0.5)
    first, again = [], []
    for replies in range(0, len(whole.replies), 5):
        match = Match(counted, game.defaults(), 4, whole.replies[:replies])
        for costs in (first, again):
            count[0] = 0
            match.copy()
            costs.append(count[0])
    assert max(first) <= 32 + 32, "steps of the first copy"
    assert max(again) <= 48 and sum(again) / len(again) <= 12, "steps of later copies"


def test_a_game_without_checkpoints_replays_everything():
    async def rules(p: Any, options: Any) -> Any:
        inner, reply = game.rules(p, options), None
        while True:
            try:
                step = inner.send(reply)
            except StopIteration as end:
                return end.value
            reply = None if isinstance(step, Checkpoint) else await step

    game = GAMES["complots"]
    plain = replace(game, rules=rules)
    assert not list(copies(plain, game.defaults(), 3, "plain"))
