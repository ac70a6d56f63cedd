"""What a model is told: the rules once, whole, at the start, so that it knows each word when it is asked."""

import re
from collections.abc import Callable
from random import Random

import pytest

from arena.games import GAMES
from arena.models.spec import ModelSpec
from arena.programs.play.dialogue import Dialogue
from arena.programs.play.prompt import Conversation
from arena.programs.play.rules_text import compact, whole_rules
from arena.referee.conditions import TimeControl
from arena.referee.game_check.random_games import configurations, line_ups
from arena.referee.referee import Referee
from arena.rules.chance import Chance
from arena.rules.match import Match


def words_of(text):
    return {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}


SPEC = ModelSpec("m", "http://127.0.0.1:1/v1")
MAX_ASKS = 80  # of a game, which may have thousands
ENGLISH = words_of(
    "plays believe caught let returns exchanged decide leave becomes examines do gift good evening happen"
)
"""Words of asks that no rule uses, and that mean in a game what they mean everywhere."""

TERMS = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|^\| *([^|]+?) *\|", re.M)
"""The ways in which the pages mark a word that they explain; the last is the first cell of a table."""


def converse(game, options, seats, seed, watch: Callable[[Conversation, Dialogue], None], spec=SPEC):
    """Play a random game in which each seat is told what a model is told; `watch` sees each ask."""
    dice, talks, asks = Random(seed), {}, 0
    calm = dice.choice((0.0, 0.3, 0.6))
    clock = TimeControl(move=60, start=60)
    referee = Referee(
        Match(game, options, seats), Chance(seed), clock, 3, [(1, 0)] * seats, tuple(range(seats))
    )
    pending = list(referee.begin(0.0))
    while pending and asks < MAX_ASKS:
        message = pending.pop(0)
        seat = message.seat
        for line in message.text.splitlines():
            verb, _, rest = line.partition(" ")
            if verb == "game":
                words = " ".join(rest.split(" ")[5:])
                talks[seat] = Conversation(spec, Dialogue(referee, seat), words)
            elif verb != "ask":
                talks[seat].hear(verb, rest)
            elif rest.split(" ")[1] == "ready":
                pending += referee.hear(seat, f"{rest.split(' ')[0]} ok", 0.0)
            else:
                asks += 1
                talks[seat].ask()
                watch(talks[seat], Dialogue(referee, seat))
                some = referee.seats[seat].choice.options
                word = some[0] if dice.random() < calm else dice.choice(some)
                talks[seat].note_reply(f'{{"answer": "{word}"}}')
                pending += referee.hear(seat, f"{rest.split(' ')[0]} {word}", 0.0)


def terms_of(text):
    text = re.sub("```.*?```", "", text, flags=re.S)
    return words_of(" ".join(filter(None, (part for found in TERMS.findall(text) for part in found))))


class Reader:
    """Reads each message of a conversation as a model does, and notes the words that it could not know."""

    def __init__(self):
        self.unknown: dict[str, str] = {}
        self.unmarked: dict[str, str] = {}
        self._first: dict[str, tuple[set[str], set[str]]] = {}

    def __call__(self, talk, dialogue):
        begin, ask = talk.messages[0][1], talk.messages[-1][1]
        if begin not in self._first:
            self._first[begin] = words_of(begin), terms_of(begin)
        known, terms = self._first[begin]
        for word in words_of(ask) - known - ENGLISH:
            self.unknown[word] = ask
        options = " ".join([*dialogue.choice.options, *dialogue.choice.open])
        state = " ".join(line for line in ask.splitlines() if line.startswith("| "))
        rules = re.search(r"^Options of this game: (.*)$", begin, re.M)
        for word in words_of(f"{options} {state} {rules[1]}") - terms:
            self.unmarked[word] = ask


@pytest.mark.parametrize("name", GAMES)
def test_each_word_of_an_ask_is_explained_before_it_is_asked(name):
    """In random games with all options and numbers of seats. The words of options, of the lines of the table
    and of the options of the game are terms that the rules mark."""
    game, reader = GAMES[name], Reader()
    for number, changes in enumerate(configurations(game)):
        for options, seats, seed in [*line_ups(game, changes, len(game.seats))][number % len(game.seats) :][
            :1
        ]:
            converse(game, options, seats, seed, reader)
    assert reader.unknown == {}
    assert reader.unmarked == {}


def test_the_rules_are_told_once_and_begin_alike_for_all_seats():
    """So that a server that keeps what begins alike has read them for every seat and game of a plan."""
    game = GAMES["complots"]
    last: dict[int, list[tuple[str, str]]] = {}

    def watch(talk, dialogue):
        last[dialogue.seat] = list(talk.messages)

    converse(game, game.defaults(), 4, "a", watch)
    rules = whole_rules(game)
    assert len(last) == 4
    for messages in last.values():
        assert messages[0][0] == "system"
        assert "\n".join(text for _, text in messages).count(rules) == 1
    begins = {messages[0][1].partition("You are p")[0] for messages in last.values()}
    assert len(begins) == 1
    assert rules in begins.pop()


def test_the_whole_rules_leave_out_what_is_for_other_readers():
    for game in GAMES.values():
        headings = re.findall(r"^#+ (.*)$", whole_rules(game), re.M)
        assert {"Set-up", "A turn", "End and places", "Options", "Asks", "States"} <= set(headings)
        assert not {"Figures", "Decisions", "Rulings", "News", "Setup files and chance"} & set(headings)
        assert not re.search(r"Transcript|\([A-Z]{1,2}\d+[,)]", whole_rules(game))


def test_a_page_is_made_shorter_and_says_the_same():
    code = "```text\na = b\nc = d\n```"
    page = f"One line\nand more (A1).\n\n- an\n  item\n- two\n\n| a    | b |\n|------|---|\n\n{code}\n"
    assert compact(page) == f"One line and more (A1).\n\n- an item\n- two\n\n| a | b |\n|---|---|\n\n{code}"


def test_with_rules_of_the_moment_the_sections_come_with_the_first_ask_that_needs_them():
    game = GAMES["complots"]
    seen: list[tuple[str, str]] = []

    def watch(talk, dialogue):
        seen.append((dialogue.choice.kind, talk.messages[-1][1]))
        assert "## " not in talk.messages[0][1]

    spec = ModelSpec("m", "http://127.0.0.1:1/v1", rules="moment")
    converse(game, game.defaults() | {"starter": "p1"}, 2, "a", watch, spec)
    assert seen[0][0] == "draft"
    assert "## Set-up" in seen[0][1]
    assert sum("## Challenges" in text for _, text in seen) == 2, "once for each seat"
