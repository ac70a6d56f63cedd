"""Pages from templates, which escape the values that they show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import HTMLResponse

from arena.show.tables.page import environment
from arena.web.wheel import NAME

_OURS = "arena.web"


@dataclass(frozen=True)
class WebSite:
    """What the pages of a web process have in common: its name, and links at the head of each page."""

    name: str = "Arena"
    links: Mapping[str, str] = field(default_factory=lambda: {"/": "Play", "/people": "People"})
    package: str = _OURS  # has more templates and static files

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.package, _OURS)))


_site = WebSite()


def use_site(site: WebSite) -> None:
    """Have all pages of this process made with the name, links and templates of a site."""
    global _site
    _site = site


def current_site() -> WebSite:
    return _site


def page(template: str, title: str, status: int = 200, **context: Any) -> HTMLResponse:
    """The page that a template makes with `context`; it is the site's, or else in `arena/web/templates`."""
    found = environment(*_site.packages).get_template(template)
    return HTMLResponse(found.render(title=title, site=_site, wheel=NAME, **context), status)
