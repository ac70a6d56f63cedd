"""The cards of the protocol and of the games: short, and true."""

import re
from pathlib import Path

import pytest

from arena import games
from arena.games import GAMES
from arena.games.intrigue.words import read_deed

ROOT = Path(__file__).parent.parent.parent
MOST_WORDS = 700  # with those of the tables


def card(game) -> str:
    return Path(games.__file__).parent.joinpath(game.name, "card.md").read_text(encoding="utf-8")


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request):
    return request.param


def test_a_card_has_every_kind_of_ask(game):
    text = card(game)
    asked = text.partition("**What you are asked**")[2].partition("\n\n**")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", asked, re.M)) == game.prose.sections.keys()
    assert len(text.split()) <= MOST_WORDS


def test_what_a_card_lets_you_hear_is_told_in_the_game(game):
    heard = card(game).partition("**What you hear")[2].partition("\n\n")[0]
    for news in re.findall("`([^`]+)`", heard.replace("\n", " ")):
        if not re.search("[…<=]", news.replace("cause=", "").replace("by=", "").replace("returned=", "")):
            news = news.removeprefix("event ").removeprefix("secret ")
            assert news in ("event", "secret") or game.prose.tell(news) != news, news


def test_the_terms_on_the_card_of_intrigue_are_terms():
    terms = card(GAMES["intrigue"]).partition("| term | means |")[2].partition("\n\n")[0]
    for line in terms.splitlines()[2:]:
        for term in re.findall("`([^`]+)`", line.split(" | ")[0]):
            assert read_deed(term.rpartition("/")[2], 4, 3)


def test_the_transcript_on_the_card_is_that_of_the_page():
    page, text = (
        ROOT.joinpath(name).read_text(encoding="utf-8") for name in ("protocol.md", "protocol-card.md")
    )
    lines = re.search(r"```text\n(.*?)```", text, re.S)[1].splitlines()
    known = page.splitlines()
    for line in lines:
        assert any(each.startswith(line.removesuffix(" …")) for each in known), line
    bot = re.search(r"```python\n.*?```", text, re.S)[0]
    assert bot in page and len(text.split()) <= MOST_WORDS
