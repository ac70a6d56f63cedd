"""Pages from templates, which escape the values that they show."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from arena.show.tables.page import environment
from arena.web.server import server_of
from arena.web.wheel import NAME


def page(request: Request, template: str, title: str, status: int = 200, **context: Any) -> HTMLResponse:
    """The page that a template makes with `context`; it is the site's, or else in `arena/web/templates`."""
    site = server_of(request).site
    found = environment(*site.packages).get_template(template)
    return HTMLResponse(found.render(title=title, site=site, wheel=NAME, **context), status)
