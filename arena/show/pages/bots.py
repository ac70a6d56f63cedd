"""A page for each bot in the standings."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from arena.games import find
from arena.rating.course import changes
from arena.rating.opponents import all_opponents
from arena.rating.standings import Standing
from arena.rules import Game
from arena.show.pages.bot_charts import MOST, BotCharts, BotDrawing, draw
from arena.show.pages.bot_tables import notable_row, place_table, profile_table, standing_table
from arena.show.pages.conditions import said_of_bots
from arena.show.pages.faults import fault_kinds
from arena.show.pages.notable import NotableGames
from arena.show.pages.page import Page
from arena.show.pages.profiles import Profile, profile
from arena.show.pages.records import Records
from arena.show.pages.site import Site
from arena.show.pages.times import answer_times, times_table
from arena.show.tables.views import changes_table, opponents_table
from arena.tournament.processes import parallel

_PARALLEL = 8  # bots; with fewer, starting processes takes longer than drawing


def pages(site: Site) -> Iterator[Page]:
    if not (records := site.records):
        return
    bots, rows = _Bots(site, records), site.report.rows
    jobs = site.jobs if len(rows) >= _PARALLEL else 1
    drawn = parallel(draw, (bots.drawing(row.bot) for row in rows), jobs)
    for number, (row, charts) in enumerate(zip(rows, drawn, strict=True), 1):
        for chart in charts.all:
            site.write_chart(chart)
        site.progress("pages of bots", number, len(rows))
        yield Page(site.bot_paths[row.bot], row.bot, "bot.html", bots.context(row, charts), is_listed=False)


class _Bots:
    """What the pages of the bots show, collected once for all of them."""

    def __init__(self, site: Site, records: Records):
        self.site, self.records = site, records
        field, outcomes = site.report.field, site.report.source.outcomes
        self._slugs = site.slugs
        self._opponents = all_opponents(field, self._slugs)
        self._times, self._places = answer_times(records), _places(records)
        self._fingerprints, self._said = _fingerprints(records), said_of_bots(site.runs)
        self._changes = {change.bot: each for each in changes(field, outcomes) for change in each}
        self._games: dict[str, Game] = {}
        self._profiles: dict[str, dict[str, Profile]] = {}
        for name, tallies in sorted(records.collected.tallies.items()):
            if (game := find(name)) and game.figures:
                self._games[name] = game
                self._profiles[name] = {bot: profile(game, tallies, bot) for bot in tallies}

    def drawing(self, bot: str) -> BotDrawing:
        profiles = {
            game: (known[bot], _others(known, bot))
            for game, known in self._profiles.items()
            if bot in known and any(each.value is not None for each in known[bot].values())
        }
        ratios = (name for game in self._games.values() for name, each in game.figures.items() if each.ratio)
        rivals = [row for row in self._opponents[bot] if row.bot]
        return BotDrawing(bot, self._slugs[bot], rivals, profiles, frozenset(ratios))

    def context(self, row: Standing, charts: BotCharts) -> dict[str, Any]:
        site, records, bot = self.site, self.records, row.bot
        notable = records.notable.get(bot, NotableGames([], []))
        times = self._times.get(bot)
        found = {
            "row": row,
            "bots": len(site.report.rows),
            "standing": standing_table(row),
            "said": self._said.get(bot, ""),
            "fingerprints": self._fingerprints.get(bot, []),
            "has_games": bool(records.with_pages),
            "opponents": charts.opponents,
            "most_opponents": MOST,
            "has_more_opponents": sum(bool(row.bot) for row in self._opponents[bot]) > MOST,
            "opponent_table": site.linked(opponents_table(self._opponents[bot])),
            "places": place_table(self._places[bot]) if bot in self._places else None,
            "changes": site.linked(changes_table(self._changes[bot])) if bot in self._changes else None,
            "notable": {
                "Better than expected": [notable_row(records, each) for each in notable.best],
                "Worse than expected": [notable_row(records, each) for each in notable.worst],
            },
            "faults": fault_kinds(records, bot),
            "times": times_table(records, {bot: times}) if times and times.limits else None,
        }
        profiles = []
        for name, chart in charts.profiles.items():
            game, known = self._games[name], self._profiles[name]
            table = profile_table(game, known[bot], _others(known, bot))
            profiles.append({"game": name, "chart": chart, "table": table, "figures": game.figures})
        return {**found, "profiles": profiles}


def _others(known: Mapping[str, Profile], bot: str) -> dict[str, list[float]]:
    """The values of all other bots for each figure."""
    rest = [figures for other, figures in known.items() if other != bot]
    return {
        name: [value for figures in rest if (value := figures[name].value) is not None] for name in known[bot]
    }


def _places(records: Records) -> dict[str, dict[int, Counter[int]]]:
    """For each bot and number of seats, how often it finished at each place."""
    found: dict[str, dict[int, Counter[int]]] = {}
    for played in records.games:
        size = len(played.names)
        for name, place in zip(played.names, played.game.places, strict=True):
            found.setdefault(name, {}).setdefault(size, Counter())[place] += 1
    return found


def _fingerprints(records: Records) -> dict[str, list[str]]:
    """The fingerprints with which each bot of the standings played."""
    found: dict[str, dict[str, None]] = {}
    for played in records.games:
        for name, fingerprint in zip(played.names, played.game.fingerprints, strict=True):
            found.setdefault(name, {})[fingerprint] = None
    return {name: list(each) for name, each in found.items()}
