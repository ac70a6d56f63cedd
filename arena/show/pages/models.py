"""The page of language models: their own answers, tokens and costs, and their differences deal by deal."""

from collections.abc import Iterator

from arena.show.pages.page import Page
from arena.show.pages.site import Site
from arena.show.tables.models import models_table, paired_table


def pages(site: Site) -> Iterator[Page]:
    if not site.records or not site.report.source.models:
        return
    models, paired = models_table(site.report), paired_table(site.report)
    context = {
        "models": site.linked(models),
        "notes": models.notes,
        "paired": site.linked(paired) if list(paired.rows) else None,
        "paired_notes": paired.notes,
    }
    yield Page("models.html", "Models", "models.html", context)
