"""Pages from templates, which escape all that they are given."""

from typing import Any

from starlette.responses import HTMLResponse

from arena.show.tables.page import environment


def page(template: str, title: str, status: int = 200, **context: Any) -> HTMLResponse:
    """The page of a template of `arena/web/templates`, which extends `base.html`."""
    text = environment("arena.web").get_template(template).render(title=title, **context)
    return HTMLResponse(text, status)
