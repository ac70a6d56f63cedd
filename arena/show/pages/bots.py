"""A page for each bot in the standings."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.games import find
from arena.rating.standings import Opponent, Standing
from arena.rules import seat_name
from arena.show.pages.bot_charts import MAX_OPPONENTS, opponents_chart
from arena.show.pages.chart import Chart
from arena.show.pages.conditions import said_of_bots
from arena.show.pages.faults import fault_kinds
from arena.show.pages.notable import NotableGames
from arena.show.pages.page import Page
from arena.show.pages.records import Records, order_of_finish
from arena.show.pages.site import Site
from arena.show.pages.times import answer_times, times_table
from arena.show.tables.review import SeatScore, Telling, decisions, decisions_table, telling_moment
from arena.show.tables.standings import COLUMNS
from arena.show.tables.table import Column, Table, share
from arena.show.tables.views import changes_table, opponents_table
from arena.tournament.processes import parallel
from arena.tournament.runs.game_list import PlayedGame, shown_record
from arena.tournament.runs.store import Store

_PARALLEL = 8  # bots; with fewer, starting processes would take longer than drawing


def pages(site: Site) -> Iterator[Page]:
    if not (records := site.records):
        return
    bots, rows = _Bots(site, records), site.report.rows
    jobs = site.jobs if len(rows) >= _PARALLEL else 1
    drawn = parallel(_prepare, (bots.work(row.bot) for row in rows), jobs)
    for number, (row, (rivals, tellings)) in enumerate(zip(rows, drawn, strict=True), 1):
        site.progress("pages of bots", number, len(rows))
        context = bots.context(row, rivals and site.write_chart(rivals), tellings)
        yield Page(site.bot_paths[row.bot], row.bot, "bot.html", context, is_listed=False)


_Work = tuple[str, Sequence[Opponent], Collection[str], Sequence[tuple[PlayedGame, int]]]
"""The arguments of `opponents_chart` for a bot, and its worst games: `_Bots.lost`."""


def _prepare(work: _Work) -> tuple[Chart | None, list[Telling | None]]:
    """The chart of a bot, or None without opponents, and the telling moments of its worst games.

    Both take long, so this runs in several processes.
    """
    slug, opponents, significant, lost = work
    tellings = []
    for played, seat in lost:
        with Store(played.run) as store, store.reading(played.game.id):
            tellings.append(telling_moment(shown_record(store, played.game.id), seat))
    return opponents_chart(slug, opponents, significant) if opponents else None, tellings


class _Bots:
    """The data for the pages of bots, collected once for all of them."""

    def __init__(self, site: Site, records: Records):
        self.site, self.records = site, records
        field, outcomes = site.report.field, site.report.source.outcomes
        self._opponents = field.opponents(site.slugs)
        self._significant: dict[str, set[str]] = {bot: set() for bot in site.slugs}
        for test in field.pair_tests:
            if test.is_significant:
                one, two = field.names[test.one], field.names[test.two]
                self._significant[one].add(two)
                self._significant[two].add(one)
        self._times, self._said = answer_times(records), said_of_bots(site.runs)
        self._places: dict[str, dict[int, Counter[int]]] = {}  # by bot and number of seats, counts of places
        self._fingerprints: dict[str, dict[str, None]] = {}
        for played in records.games:
            seats = zip(played.names, played.game.places, played.game.fingerprints, strict=True)
            for name, place, fingerprint in seats:
                sizes = self._places.setdefault(name, {})
                sizes.setdefault(len(played.names), Counter())[place] += 1
                self._fingerprints.setdefault(name, {})[fingerprint] = None
        self._changes = {change.bot: each for each in field.changes(outcomes) for change in each}

    def work(self, bot: str) -> _Work:
        rivals = [row for row in self._opponents[bot] if row.bot]
        return self.site.slugs[bot], rivals, self._significant[bot], self.lost(bot)

    def lost(self, bot: str) -> list[tuple[PlayedGame, int]]:
        """The worst games of a bot that have a page, lost or not, each with the seat of the bot."""
        worst = self.records.notable.get(bot, NotableGames([], [])).worst
        measured = self.records.collected.measured
        return [(self.records.games[each.at], each.seat) for each in worst if each.at in measured]

    def _opponent_table(self, bot: str) -> Table:
        """The opponents of a bot, and whether its score against each differs from the expected one."""

        def differs(rival: str) -> str:
            return "" if not rival else "yes" if rival in self._significant[bot] else "no"

        table = opponents_table(self._opponents[bot])
        return replace(table, columns=[*table.columns, Column("significant", "", differs, uses="bot")])

    def context(
        self, row: Standing, rivals: Chart | None, tellings: Sequence[Telling | None]
    ) -> dict[str, Any]:
        site, records, bot = self.site, self.records, row.bot
        notable = records.notable.get(bot, NotableGames([], []))
        times = self._times.get(bot)
        found = {
            played.game.id: telling for (played, _), telling in zip(self.lost(bot), tellings, strict=True)
        }
        decided = [
            decisions_table(game, decisions(game, tallies, bot))
            for name, tallies in sorted(records.collected.tallies.items())
            if bot in tallies and (game := find(name))
        ]
        return {
            "has_figures": any((game := find(name)) and game.figures for name in records.collected.tallies),
            "decisions": [table for table in decided if table.rows],
            "row": row,
            "bots": len(site.report.rows),
            "standing": _standing_table(row),
            "said": self._said.get(bot, ""),
            "fingerprints": [*self._fingerprints.get(bot, ())],
            "has_games": bool(records.with_pages),
            "opponents": rivals,
            "most_opponents": MAX_OPPONENTS,
            "has_more_opponents": sum(bool(row.bot) for row in self._opponents[bot]) > MAX_OPPONENTS,
            "opponent_table": site.linked(self._opponent_table(bot)),
            "places": _place_table(self._places[bot]) if bot in self._places else None,
            "changes": site.linked(changes_table(self._changes[bot])) if bot in self._changes else None,
            "notable": {
                "Better than expected": [_notable_row(records, each) for each in notable.best],
                "Worse than expected": [
                    _notable_row(records, each, found.get(records.games[each.at].game.id))
                    for each in notable.worst
                ],
            },
            "faults": fault_kinds(records, bot),
            "times": times_table(records, {bot: times}) if times and times.limits else None,
        }


_FACTS = (
    "rank", "range", "elo", "error", "games", "groups", "score", "first", "net", "mean_place", "opponents",
    "results", "forfeits",
)  # fmt: skip


def _standing_table(row: Standing) -> Table:
    """The row of the bot in the standings."""
    columns = [COLUMNS[name] for name in _FACTS if COLUMNS[name].cell(row.shown)]
    return Table("standing", columns, [row.shown], "In the standings")


def _notable_row(records: Records, notable: SeatScore, telling: Telling | None = None) -> dict[str, object]:
    """A game of a bot for its page: seat, scores, bots by place, and the moment that cost it most."""
    played = records.games[notable.at]
    return {
        "game": records.cell(notable.at),
        "seat": seat_name(notable.seat),
        "score": share(notable.score),
        "expected": share(notable.expected),
        "finish": order_of_finish(played),
        "telling": records.cell(notable.at, telling.moment - 1, telling.text) if telling else "",
    }


def _place_table(counts: Mapping[int, Counter[int]]) -> Table:
    """A row for each number of seats: the share of games at each place."""
    places = range(1, max(counts) + 1)
    columns = [
        Column("table", "table", "{} seats".format, is_left=True),
        Column("games", "games", "{:,}".format),
    ]
    columns += [Column(f"place {place}", str(place), share) for place in places]
    rows = [
        {"table": size, "games": count.total()}
        | {str(place): count[place] / count.total() if place <= size else None for place in places}
        for size, count in sorted(counts.items())
    ]
    return Table("places", columns, rows, "Places")
