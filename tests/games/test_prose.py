"""The games in words, for a person: nothing that happens in a game is without them."""

from collections.abc import Iterator

import pytest

from arena.games import GAMES, page
from arena.programs.play.dialogue import section
from arena.referee.game_check.random_games import configurations, line_ups, play
from arena.rules import Ask, Choice, Prose, Tell
from arena.rules.match import Match

DEFAULT = Prose()


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request):
    return request.param


def matches(game) -> Iterator[Match]:
    """A few games with each option at each value, with forfeits among them."""
    for changes in configurations(game):
        for options, seats, seed in line_ups(game, changes, 3):
            yield play(game, options, seats, seed, forfeits=0.02)


def choices(match: Match) -> Iterator[Choice]:
    return (choice for step, _ in match.log if isinstance(step, Ask) for choice in step.choices.values())


def test_everything_that_happens_in_a_game_has_words(game):
    """And a sentence of every kind that the page lists is among them."""
    heard = set()
    for match in matches(game):
        for step, _ in match.log:
            if isinstance(step, Tell):
                heard.add(step.text.split()[0])
                said = game.prose.tell(step.text)
                assert said != step.text and "=" not in said, step.text
                assert said.endswith((".", ":")) or step.text.startswith("say "), said
        for choice in choices(match):
            context = {key: str(value) for key, value in choice.context.items()}
            assert game.prose.ask(choice.kind, context) != DEFAULT.ask(choice.kind, context), choice
            for option in choice.options:
                game.prose.option(choice.kind, option)
            assert choice.open.keys() <= game.prose.open.keys()
            assert choice.kind in game.prose.sections
    listed = {
        line.split("`event ")[1].split()[0].rstrip("`:")
        for line in page(game).splitlines()
        if line.startswith("- `event ")
    }
    talk = {"offer", "accept", "request", "promise", "say"}  # players at random only pass
    assert listed - heard <= talk


@pytest.mark.parametrize(
    ("news", "sentence"),
    [
        ("bribe p4 p2 8000", "p4 pays 8000 to p2."),
        ("bribe p4 p2 8000 for=p4.writer", "p4 pays 8000 to p2 for p4.writer."),
        ("bribe p3 p2 1000 by=bank", "p3 has no money: the bank pays 1000 to p2."),
        (
            "bribe p3 p2 1000 by=bank for=p3.priest",
            "p3 has no money: the bank pays 1000 to p2 for p3.priest.",
        ),
    ],
)
def test_bribes(news, sentence):
    assert GAMES["intrigue"].prose.tell(news) == sentence


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("8000", "pays 8000"),
        ("pay=8000@p2", "pays 8000 to p2 at the next payment"),
        ("p4/pay=8000@p2", "p4: pays 8000 to p2 at the next payment"),
        ("writer@6000", "writer on zone 6000"),
        ("!p4.priest", "p4.priest not on a zone of this stage"),
        ("!p4@6000", "p4 not on zone 6000"),
        ("turn=!p1@3000", "p1 not on zone 3000 at the end of this turn"),
        ("next=p2@6000", "p2 on zone 6000 in the next turn at home"),
        ("next=!p2", "p2 not in the castle in the next turn at home"),
        ("spare=doctor@p3", "sends no doctor to p3"),
    ],
)
def test_terms_of_messages(term, words):
    assert GAMES["intrigue"].prose.tell(f"threat p1 p2 {term}") == f"p1 threatens p2: {words}."


@pytest.mark.parametrize(
    ("kind", "word", "meaning"),
    [
        ("action", "ambassador@captain", "claim the ambassador: take back cards; place the captain"),
        ("lose", "ambassador", ""),
        ("return", "ambassador", ""),
        ("return", "duchess+ambassador", "duchess, then ambassador"),
        ("block", "block:captain@duchess", "claim the captain; place the duchess"),
    ],
)
def test_options_of_the_local_variant(kind, word, meaning):
    assert GAMES["local"].prose.option(kind, word) == meaning


def test_the_headings_of_the_rules_are_those_of_the_page(game):
    for headings in game.prose.sections.values():
        for heading in headings:
            assert section(page(game), heading).count("\n") > 2, heading


def test_a_section_ends_at_the_next_heading_of_its_level():
    text = "# Game\n\n## One\n\na\n\n### Part\n\nb\n\n## Two\n\nc\n"
    assert section(text, "One") == "## One\n\na\n\n### Part\n\nb\n\n"
    assert section(text, "Part") == "### Part\n\nb\n\n"
    assert section(text, "Three") == ""


@pytest.mark.parametrize(
    "news, said",
    [
        ("offer 7 p4 p2 8000:writer@10000", "Offer 7, p4 to p2: pays 8000; writer on zone 10000."),
        ("accept 7 p2", "p2 accepts offer 7."),
        ("request p1 p4 send=writer@p1", "p1 asks p4 for this: sends writer to p1."),
        ("threat p1 p4 spare=p4", "p1 threatens p4: sends no advisor to p4."),
        ("promise 7 p2 kept p1.writer@1000", "The promise of p2 in offer 7 is kept: p1.writer on zone 1000."),
        ("say p4 all na%C3%AFve%3F", "p4 to all: naïve?"),
    ],
)
def test_talk_has_words(news, said):
    assert GAMES["intrigue"].prose.tell(news) == said


def test_a_question_after_the_rounds_says_that_only_answers_are_left():
    context = {"payer": "p4", "owner": "p2", "for": "p4.writer", "others": "2:p2:8000:writer@10000"}
    assert GAMES["intrigue"].prose.ask("talk", context).splitlines() == [
        "p4 and p2 talk about the bribe for p4.writer (after the last round: only answers).",
        "Offer 2 of p2: pays 8000; writer on zone 10000.",
        "What do you say?",
    ]
