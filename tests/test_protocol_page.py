"""The transcripts in `protocol.md` and on the pages of the games are true: each is played, word for word.

A comment before each transcript says how to play it: the seat whose stream it is, seed, options, position,
draws and clock, and the answers of the other seats in order. `python tests/test_protocol_page.py` writes the
`<` lines anew, from those comments and the `>` lines.
"""

import re
from pathlib import Path

import pytest
import yaml

from arena import games
from arena.games import GAMES
from arena.referee.conditions import TimeControl
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.referee.handshake import Handshake
from arena.referee.referee import Referee
from arena.referee.seat import Send
from arena.rules import seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

PAGE = Path(__file__).parent.parent / "protocol.md"
PAGES = [
    PAGE,
    *(Path(games.__file__).parent / name / f"{name}.md" for name in ("complots", "local", "intrigue")),
]
BLOCK = re.compile(r"<!-- transcript\n(?P<setup>.*?)-->\n```text\n(?P<lines>.*?)```\n", re.S)
SILENCE = "(nothing, until it is too late)"


def transcripts() -> list[tuple[dict, list[str]]]:
    return [
        (yaml.safe_load(found["setup"]), found["lines"].splitlines())
        for page in PAGES
        for found in BLOCK.finditer(page.read_text(encoding="utf-8"))
    ]


def played(setup: dict, lines: list[str]) -> list[str]:
    """What the seat of a setup hears and says, its answers taken from the `>` lines."""
    seat = seat_number(setup["seat"])
    said = [line[2:] for line in lines if line.startswith("> ")]
    others = [(seat_number(line.split()[0]), line.split(" ", 1)[1]) for line in setup["answers"]]
    stream, now = [], 0.0
    control = TimeControl(**setup["clock"])
    if setup.get("hello"):
        handshake = Handshake(1, control.start)
        stream += [f"< {line}" for line in handshake.begin(now)[0].text.splitlines()]
        stream.append(f"> {said[0]}")
        handshake.hear(0, said.pop(0), now)
        assert handshake.is_over
    game = GAMES[setup.get("game", "complots")]
    options = game.defaults() | setup.get("options", {})
    seats = setup.get("seats", 3)
    match = Match(game, options, seats, given=setup.get("position"))
    asks = 1 if setup.get("hello") else setup.get("asks", 1)
    chance = Chance(setup["seed"], setup.get("draws"))
    fixture = Fixture(game.name, game.version, options, ("bot",) * seats, ("",) * seats)
    told = deal_alone(fixture, setup["seed"]).bot_seeds
    referee = Referee(match, chance, control, 3, [(asks, 0)] * seats, told)

    def deliver(messages):
        for message in messages:
            if type(message) is Send and message.seat == seat:
                stream.extend(f"< {line}" for line in message.text.splitlines())

    deliver(referee.begin(now))
    while True:
        asked = [state.seat for state in referee.seats if state.choice]
        other = next((index for index, (who, _) in enumerate(others) if who in asked), None)
        if seat in asked and said:
            line = said.pop(0)
            stream.append(f"> {line}")
            if line == SILENCE:
                now = referee.deadline
                deliver(referee.expire(now))
            else:
                deliver(referee.hear(seat, line, now))
        elif other is not None:
            who, word = others.pop(other)
            deliver(referee.hear(who, word, now))
        else:
            break
    assert not said, f"no ask for {said}"
    assert not others, f"no ask for {others}"
    return stream


@pytest.mark.parametrize(
    ("setup", "lines"), transcripts(), ids=lambda value: value.get("name") if isinstance(value, dict) else ""
)
def test_transcript_is_played_word_for_word(setup, lines):
    assert played(setup, lines) == lines


def test_every_kind_of_ask_has_a_transcript():
    kinds = {line.split()[3] for _, lines in transcripts() for line in lines if line.startswith("< ask ")}
    of_all = {"hello", "ready"}
    of_complots = {"draft", "action", "challenge", "block", "lose", "keep", "show", "exam"}
    of_the_others = {"return", "talk", "bribe", "place", "decide", "send"}
    assert kinds == of_all | of_complots | of_the_others


def test_the_page_of_a_game_is_shown_without_the_comments_for_these_tests():
    for game in GAMES.values():
        assert "## The protocol of this game" in games.page(game)
        assert "<!--" not in games.page(game)


def test_the_ten_line_bot_is_the_house_bot():
    """The bot on the page answers whatever is asked, with a legal word."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def rewrite(found: re.Match) -> str:
    lines = played(yaml.safe_load(found["setup"]), found["lines"].splitlines())
    return f"<!-- transcript\n{found['setup']}-->\n```text\n" + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(BLOCK.sub(rewrite, path.read_text(encoding="utf-8")), encoding="utf-8")
