"""A page of the site, from its template."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from arena.report.page import environment

STATIC = files("arena.pages") / "static"


class Page(NamedTuple):
    """One page: its path below the folder of the site, the template, and what the template needs.

    The navigation of all pages links to those that are listed.
    """

    path: str
    title: str
    template: str
    context: Mapping[str, Any]
    is_listed: bool = True


class Link(NamedTuple):
    """A link to a page of the site, or to a place on it."""

    path: str
    title: str


def render(page: Page, site: str, links: Sequence[Link]) -> str:
    """The HTML of a page. Its links to other pages are relative, so that it opens from disk."""
    root = "../" * page.path.count("/")
    return (
        environment("arena.pages")
        .get_template(page.template)
        .render(page=page, site=site, links=links, root=root, **page.context)
    )
