"""The keys of the full-screen view, and what it shows at each size."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest
from stored_games import random_run
from textual.pilot import Pilot

from arena.games import GAMES
from arena.show.stepper.screen import HELP, PAUSES, Stepper
from arena.show.tables.grid import width
from arena.tournament.runs.moments import moments_of
from arena.tournament.runs.store import Store


@pytest.fixture
def stepper(tmp_path):
    """Makes the view of a random game: of one with faults, if it should have some."""

    def make(game="complots", forfeits=0.0, **more) -> Stepper:
        path = tmp_path / f"{game}-{forfeits}.db"
        random_run(path, GAMES[game], games=3, forfeits=forfeits)
        with Store(path) as store:
            record = store.record(store.summaries()[-1].id)
        return Stepper(record, list(moments_of(record)), **more)

    return make


def used(app: Stepper, use: Callable[[Pilot], Awaitable[None]], size=(80, 24)) -> None:
    """Open the view in a terminal of this size, without one, and do something with it."""

    async def run():
        async with app.run_test(size=size) as pilot:
            await use(pilot)

    asyncio.run(run())


def screen(app: Stepper) -> list[str]:
    """The lines that are on the screen."""
    return [
        "".join(segment.text for segment in line).rstrip() for line in app.screen._compositor.render_strips()
    ]


def pressed(app: Stepper, *keys: str, size=(80, 24)) -> list[str]:
    """The screen after these keys."""
    seen = []

    async def use(pilot):
        await pilot.press(*keys)
        await pilot.pause()
        seen.extend(screen(app))

    used(app, use, size)
    return seen


def test_the_first_screen_has_the_table_the_news_and_the_keys(stepper):
    lines = pressed(stepper())
    assert lines[0].startswith(" complots: moment 1 of ") and lines[0].endswith("all seats")
    assert any("coins" in line for line in lines) and any("p1 bot" in line for line in lines)
    assert any(line.startswith("▌ ") for line in lines) and lines[-1] == HELP


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "moment"),
    [("right", 2), ("n n b", 2), ("right enter left", 2), ("left", 1), ("end home", 1), ("g 1 7 enter", 17),
     ("g 1 7 escape n", 2), ("g t 1 enter", 0), ("n n home", 1)],
)  # fmt: skip
def test_keys_lead_to_moments(stepper, keys, moment):
    app = stepper()
    wanted = moment - 1 if moment else app.cursor.turns.index(1)
    pressed(app, *keys.split())
    assert app.cursor.at == wanted


def test_the_end_has_the_result(stepper):
    lines = pressed(stepper(), "end")
    assert "▌ The game is over." in lines and any(line.startswith("▌ 1. p") for line in lines)


@pytest.mark.slow
def test_turns_and_faults_are_found(stepper):
    app = stepper(forfeits=0.2)
    lines = pressed(app, "f")
    assert any(line.startswith("▌   ! p") and "crashed" in line for line in lines)
    assert pressed(stepper(), "f")[-1] == "There is no fault further on."
    app = stepper()
    pressed(app, "down", "down", "down", "up")
    assert app.cursor.turns[app.cursor.at] == 2 and app.cursor.turns[app.cursor.at - 1] == 1


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["0", "9999", "x", "t", "t999", "-1", "²", ""])
def test_a_moment_that_is_none_is_refused_in_one_line(stepper, typed):
    app = stepper()
    keys = ["minus" if key == "-" else key for key in typed]
    lines = pressed(app, "g", *keys, "enter")
    assert lines[-1].startswith(f"The moments are 1 to {len(app.cursor.moments)}, turns t1 to t")
    assert app.cursor.at == 0


def test_one_seat_sees_its_own_hand_alone(stepper):
    lines = pressed(stepper(), "1", "end", "home", "n")
    assert lines[0].endswith("seen by p1")
    assert any("p1 alone: Your hand" in line for line in lines)
    assert not any("p2 alone" in line for line in lines)
    lines = pressed(stepper(), "1", *"gt2", "enter")
    (own,) = [line for line in lines if line.startswith("p1 bot")]
    assert "captain, ambassador" in own
    assert all(line.endswith("[?]") for line in lines if line.startswith(("p2 bot", "p4 bot")))
    app = stepper(seat=1)
    assert pressed(app, "s")[0].endswith("seen by p3")
    assert pressed(stepper(), *["s"] * 5)[0].endswith("all seats"), "after the last of four"
    assert pressed(stepper(), "9")[-1] == "The seats are p1 to p4."


@pytest.mark.slow
def test_it_plays_to_the_end_and_stops(stepper):
    app = stepper(at=0)

    async def use(pilot):
        await pilot.press(*["minus"] * len(PAUSES), "space")
        assert "▶ 4 s" in screen(app)[0]
        await pilot.press("space", *["plus"] * len(PAUSES), "end", "left", "left", "space")
        while app.cursor.at < len(app.cursor.moments) - 1 or "▶" in screen(app)[0]:
            await pilot.pause(0.05)

    used(app, use)


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["q", "ctrl+c"])
def test_it_is_left(stepper, keys):
    app = stepper()
    pressed(app, keys)
    assert app.return_code == 0 and not app.is_running


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 12)])
def test_every_line_fits_at_every_size(stepper, game, size):
    app = stepper(game)
    columns, rows = size

    async def use(pilot):
        for keys in ("n", "down", "s", "question_mark", "end"):
            await pilot.press(keys)
            await pilot.pause()
            lines = screen(app)
            assert len(lines) == rows and max(map(width, lines)) <= columns
            assert any(line.startswith("▌") for line in lines)

    used(app, use, size)


@pytest.mark.slow
def test_a_resize_keeps_the_moment(stepper):
    app = stepper()

    async def use(pilot):
        await pilot.press("n", "n")
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        lines = screen(app)
        assert app.cursor.at == 2 and len(lines) == 40 and any(line.startswith("▌") for line in lines)

    used(app, use)


@pytest.mark.slow
def test_the_keys_are_listed(stepper):
    lines = pressed(stepper(), "question_mark")
    assert any("go to a moment, as 17, or to a turn, as t4" in line for line in lines)
    assert pressed(stepper(), "question_mark", "n")[-1] == HELP


@pytest.mark.slow
def test_lines_are_shown_as_bots_read_them(stepper):
    lines = pressed(stepper(), *"gt2", "enter", "n", "w")
    assert any(re.match(r"▌   p\d < ask action ", line) for line in lines)
    assert any(re.fullmatch(r"▌   p\d > \S+  \([\d.]+ ms\)", line) for line in lines)
    assert any(re.fullmatch(r"    all < event turn 2 p\d", line) for line in lines)
