"""`arena check-game` finds what is wrong: a sound little game, and one for each mistake."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arena.referee.game_check.examine import examine
from arena.rules import (
    ALL,
    Ask,
    Checkpoint,
    Choice,
    Draw,
    Figure,
    Game,
    Mark,
    Option,
    Prose,
    RollCall,
    Tell,
    ask,
)

FLIP = Choice("guess", ("heads", "tails"))


class Coin:
    """The position: the coin that p1 alone has seen."""

    def __init__(self) -> None:
        self.coin = ""
        self.is_watched = False


async def coin(p: Coin, options: Any) -> Any:
    """p1 sees how a coin has fallen, p2 guesses, then the coin is shown."""
    p.coin = await Draw("coin", ("heads", "tails"), to=0)
    await Tell(0, f"coin {p.coin}")
    return await end(p, await ask(1, FLIP))


async def end(p: Coin, guess: str) -> Any:
    await Tell(ALL, f"show {p.coin}")
    missing = await RollCall()
    if len(missing) == 1:
        return ((2, 1) if missing == (0,) else (1, 2)), None
    return ((1, 1) if missing else (2, 1) if guess == p.coin else (1, 2)), None


def game(rules: Any = coin, **more: Any) -> Game:
    return replace(SOUND, rules=rules, **more)


SOUND = Game(
    name="coin",
    version=1,
    seats=range(2, 3),
    options={"rounds": Option(1, "for a test", (1, 2))},
    initial_position=lambda seats, options: Coin(),
    position_from_setup=lambda seats, options, given: Coin(),
    rules=coin,
    view=lambda p, seat: [f"p1 coin={p.coin}" if seat == 0 else "p1"],
    reveals=frozenset({"show"}),
)


async def never_ending(p: Coin, options: Any) -> Any:
    while True:
        await ask(1, FLIP)


async def told_to_all(p: Coin, options: Any) -> Any:
    p.coin = await Draw("coin", ("heads", "tails"), to=0)
    await Tell(ALL, f"coin {p.coin}")
    return await end(p, await ask(1, FLIP))


async def asked_by_the_coin(p: Coin, options: Any) -> Any:
    """Whether p1 is asked first tells p2 what the coin is."""
    p.coin = await Draw("coin", ("heads", "tails"), to=0)
    if p.coin == "heads":
        await ask(0, FLIP)
    return await end(p, await ask(1, FLIP))


async def p1_first(p: Coin, options: Any) -> Any:
    """p1 is asked while p2 watches."""
    p.coin = await Draw("coin", ("heads", "tails"), to=0)
    p.is_watched = True
    await ask(0, FLIP)
    p.is_watched = False
    return await end(p, await ask(1, FLIP))


def open_to_watchers(p: Coin, seat: int | None) -> list[str]:
    return [f"p1 coin={p.coin}" if seat == 0 or p.is_watched else "p1"]


async def ends_with(p: Coin, options: Any, result: Any) -> Any:
    await ask(0, FLIP)
    await RollCall()
    return result


def always(result: Any) -> Callable[..., Any]:
    return lambda p, options: ends_with(p, options, result)


async def repeated_option(p: Coin, options: Any) -> Any:
    return await end(p, await ask(1, Choice("guess", ("heads", "tails", "heads"))))


async def begun_twice(p: Coin, options: Any) -> Any:
    """The coin is thrown again if the rules begin at the checkpoint."""
    p.coin = await Draw("coin", ("heads", "tails"), to=0)
    await Checkpoint()
    return await end(p, await ask(1, FLIP))


async def option_of_two_words(p: Coin, options: Any) -> Any:
    return await end(p, await ask(1, Choice("guess", ("heads up", "tails"))))


async def long_news(p: Coin, options: Any) -> Any:
    await Tell(ALL, "x" * 9000)
    return await end(p, await ask(1, FLIP))


async def two_lines(p: Coin, options: Any) -> Any:
    await Tell(ALL, "one\nend 1 place=1")
    return await end(p, await ask(1, FLIP))


REMEMBERED: list[int] = []


async def memory(p: Coin, options: Any) -> Any:
    """A global that changes."""
    REMEMBERED.append(1)
    await Tell(ALL, f"games {len(REMEMBERED)}")
    return await end(p, await ask(1, FLIP))


async def order_of_answers(p: Coin, options: Any) -> Any:
    choices = {0: FLIP, 1: FLIP}
    answers = await Ask(choices, race=False)
    first = next(iter(answers))
    return await end(p, answers[first])


async def a_bug(p: Coin, options: Any) -> Any:
    raise KeyError("p7")


def leaking_reason(p: Coin, seat: int, choice: Choice, word: str) -> str:
    return f"it is {p.coin}"


def fussy_reason(p: Coin, seat: int, choice: Choice, word: str) -> str:
    return f"{int(word)} is no coin"


def too_many(log: Any) -> Any:
    yield Mark("guesses", 0, 2, of=1)


WRONG = [
    (game(never_ending), "ends", "has not ended after"),
    (game(a_bug), "ends", "KeyError: 'p7'"),
    (game(always(((1, 1, 2), None))), "ends", "for each of 2 seats"),
    (game(always(((0, 1), None))), "ends", "a place is 1 plus the number of seats that are better"),
    (game(always(((1, 3), None))), "ends", "a place is 1 plus"),
    (game(always(((1, 2), (5,)))), "ends", "for each of 2 seats"),
    (game(always(None)), "ends", "a result is a tuple of places"),
    (game(always(((1, 2), None))), "places", "forfeits in order"),
    (game(memory), "repeats", "the same replies give another game"),
    (game(begun_twice), "copies", "a copy is different at Ask"),
    (game(long_news), "lines", "a line of 9006 bytes"),
    (game(two_lines), "lines", "not one line of text"),
    (game(repeated_option), "answers", "an option is repeated"),
    (
        game(repeated_option),
        "lines",
        "RulesError: the options of guess should be single words, all different",
    ),
    (game(option_of_two_words), "answers", "'heads up' is not one word"),
    (game(why_not=fussy_reason), "answers", "ValueError: invalid literal"),
    (game(prose=Prose(tell=lambda news: news[99])), "prose", "IndexError"),
    (game(prose=Prose(option=lambda kind, word: None)), "prose", "no words for option"),
    (game(observe=too_many, figures={"guesses": Figure("of all")}), "figures", "counts more than there was"),
    (game(told_to_all), "draws", "p2 hears 'coin heads' or 'coin tails'"),
    (game(view=lambda p, seat: [f"p1 coin={p.coin}"]), "draws", "p2 sees 'p1 coin="),
    (game(public_view=lambda p: [f"p1 coin={p.coin}"]), "draws", "the public view has 'p1 coin="),
    (game(public_view=lambda p: [f"p1 coin={p.coin}"]), "secrets", "the public view has 'p1 coin="),
    (game(public_view=lambda p: ["a\nb"]), "lines", "not one line of text"),
    (game(why_not=leaking_reason), "draws", "p2 sees 'it is "),
    (game(asked_by_the_coin), "draws", "p2 sees that it is asked, or is not"),
    (game(p1_first, view=open_to_watchers), "secrets", "while others are asked"),
    (game(reveals=frozenset()), "secrets", "p2 hears 'show "),
    (game(version=0), "declares", "version 0"),
    (game(seats=range(2, 20)), "declares", "seats"),
    (game(options={"rounds": Option(3, "of a test", (1, 2))}), "declares", "its default 3"),
]


def problems(game: Game, games_each: int = 4) -> dict[str, list[str]]:
    return {check: found for check, _, found in examine(game, games_each) if found}


def test_a_sound_game_has_no_problems():
    assert problems(SOUND, 20) == {}


@pytest.mark.parametrize(
    ("wrong", "check", "words"), WRONG, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_mistake_is_found(wrong, check, words):
    found = problems(wrong)
    assert any(words in each for each in found[check]), found


def test_a_problem_names_the_seats_and_options_of_its_game():
    ((problem, *_),) = problems(game(a_bug)).values()
    assert problem == "KeyError: 'p7' [2 seats]"


def test_answers_are_sealed_by_the_arena_itself():
    """The order in which answers come does not reach rules that have not asked for a race."""
    assert "windows" not in problems(game(order_of_answers))
