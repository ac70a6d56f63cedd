"""The games: their rules for people, and their lessons."""

import re
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena import games
from arena.config.document import ConfigError
from arena.programs.play.dialogue import section
from arena.rules import Game
from arena.web import lessons
from arena.web.pages import page
from arena.web.requests import Refusal
from arena.web.static_files import drawings

_PARSER = MarkdownIt("js-default", {"linkify": False})  # HTML in the text is shown as text
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")  # to another page of the documentation, not served


async def _rules(request: Request) -> Response:
    """The page of a game's rules; with `only` in the query, at most nine sections with these headings."""
    game = _game(request)
    text = games.page(game)
    parts = [section(text, heading) for heading in request.query_params.getlist("only")[:9]]
    body = "\n".join(filter(None, parts)) or text.partition("\n")[2]
    title = f"Rules of {game.name.capitalize()}"
    has_lesson = bool(lessons.path_of(game))
    return page(request, "rules.html", title, game=game.name, text=html_of(body), has_lesson=has_lesson)


async def _lesson(request: Request) -> Response:
    game = _game(request)
    lesson = _lesson_of(game.name)
    if not lesson:
        raise Refusal(404, f"There is no lesson of {game.name}.")
    texts = [html_of(step.text) for step in lesson.steps]
    says = [[html_of(reply.say) for reply in step.replies] for step in lesson.steps]
    scenes = [
        {"scene": _plain(step.scene), "after": [_plain(reply.scene) for reply in step.replies]}
        for step in lesson.steps
    ]
    return page(
        request,
        "lesson.html",
        lesson.title,
        game=game.name,
        lesson=lesson,
        texts=texts,
        says=says,
        scenes=scenes,
        drawings=drawings(),
    )


def _plain(scene: lessons.Scene | None) -> list[object] | None:
    """A scene as a list for JSON."""
    return [scene.lines, scene.news, scene.fresh] if scene else None


@cache
def _lesson_of(name: str) -> lessons.Lesson | None:
    game = games.find(name)
    path = lessons.path_of(game) if game else None
    return lessons.load(game, path) if game and path else None


def _game(request: Request) -> Game:
    name = request.path_params["name"]
    try:
        game = games.find(name)
    except ConfigError as error:
        raise Refusal(404, str(error)) from None
    if not game:
        raise Refusal(404, "There is no such game.")
    return game


def html_of(markdown: str) -> Markup:
    """Markdown as HTML. Headings have ids; tables and code, which may be wide, can be scrolled with keys."""
    tokens = _PARSER.parse(_LINK.sub(r"\1", markdown))
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", re.sub(r"[^a-z0-9]+", "-", following.content.lower()).strip("-"))
    for token in tokens:
        if token.type in ("code_block", "fence", "table_open"):
            token.attrSet("tabindex", "0")
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, {}))


ROUTES = [Route("/games/{name}/rules", _rules), Route("/games/{name}/lesson", _lesson)]
