"""The parts that all pages share, and the folder of the pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from arena.show.pages.chart import Chart
from arena.show.pages.links import bot_path, slugs
from arena.show.pages.records import Progress, Records, quiet
from arena.show.tables.report import Report
from arena.show.tables.table import CellLink, Column, Table


@dataclass(frozen=True, eq=False)
class Site:
    """The files with results, their standings, and the folder of the pages (`out`)."""

    name: str
    runs: Sequence[Path]
    out: Path
    report: Report
    records: Records | None = None  # None if no file has records
    jobs: int = 1  # processes that draw
    progress: Progress = quiet

    @cached_property
    def kinds(self) -> list[Report]:
        """The standings of games without people and remote bots, then with them; one if all are alike."""
        parts = self.report.source.by_kind()
        return [replace(self.report, source=part, kind=kind) for kind, part in parts.items()]

    @property
    def left_out(self) -> str:
        """The sentence about the games that pages about the first kind leave out, or ""."""
        return " Games with people or remote bots are not counted here." if len(self.kinds) > 1 else ""

    @cached_property
    def slugs(self) -> dict[str, str]:
        """The name of the files of each bot in the standings, without suffix and independent of the rank."""
        return slugs(sorted(row.bot for row in self.report.rows))

    @cached_property
    def bot_paths(self) -> dict[str, str]:
        """The path of the page of each bot in the standings; {} without records: bots then have no pages."""
        if not self.records:
            return {}
        return {name: bot_path(slug) for name, slug in self.slugs.items()}

    def in_order(self, bots: Iterable[str]) -> list[str]:
        """The bots in the order of the standings, then the bots without a standing, by name."""
        ranks = {row.bot: number for number, row in enumerate(self.report.rows)}
        return sorted(bots, key=lambda bot: (ranks.get(bot, len(ranks)), bot))

    def bot(self, name: str) -> str | CellLink:
        """The cell of a bot in a table: its name, with a link if it has a page."""
        return self._link(name, name)

    def linked(self, table: Table) -> Table:
        """The table with the names of bots as links to their pages."""

        def linked(column: Column) -> Column:
            return replace(column, text=lambda bot: self._link(bot, column.text(bot)))

        columns = [linked(column) if column.is_bot else column for column in table.columns]
        return replace(table, columns=columns)

    def _link(self, name: str, title: str | CellLink) -> str | CellLink:
        path = self.bot_paths.get(name)
        return CellLink(path, title) if path and isinstance(title, str) else title

    def game(self, id: str, title: str) -> str | CellLink:
        """The cell of a game in a table: its `title`, with a link to the viewer if it has a page."""
        path = self.records and self.records.link_of(id)
        return CellLink(path, title) if path else title

    def write(self, path: str, text: str) -> None:
        """Write a file below the folder of the site."""
        place = self.out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", errors="replace")  # Paths may have bytes that are not UTF-8.

    def write_chart(self, chart: Chart) -> Chart:
        """Write the SVG and the data of a chart, and return it for the page."""
        self.write(f"charts/{chart.name}.svg", chart.svg)
        self.write(f"charts/{chart.name}.csv", chart.csv)
        return chart
