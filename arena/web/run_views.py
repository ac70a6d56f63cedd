"""Reads the standings, lists of games and games of run files for pages: `python -m arena.web.run_views`.

The first argument of a function is the path of the run file, which is opened without the secret of the run.
`aliases` has the names that are shown in place of bots' names. A game is shown with all cards only when every
game with the same deal is over (`arena.tournament.runs.open_games`). The stderr of its bots, which may reveal
how they play, is left out. The prompts and replies of language models, which show hands, are a part of the
shown game.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.document import ConfigError
from arena.rating.outcomes import Outcomes
from arena.referee.record import Summary
from arena.show.pages.game_data import game_script
from arena.show.tables.drawn import drawn_standings
from arena.show.tables.notes import WHY_APART
from arena.show.tables.page import environment
from arena.show.tables.report import Report, rate_now
from arena.show.tables.table import CellLink, Column, Table
from arena.tournament.runs.game_list import shown_record
from arena.tournament.runs.layouts import StoredSeating
from arena.tournament.runs.model_answers import model_calls
from arena.tournament.runs.moments import moments_of
from arena.tournament.runs.open_games import open_games
from arena.tournament.runs.sources import Namer, Source, load, namer, versions
from arena.tournament.runs.store import Store
from arena.tournament.runs.voids import voids_for_pages
from arena.web.reading import GamesView, GameView, ProgressView, StandingsView, serve_answers

Aliases = Mapping[str, str]
NO_ALIASES: Aliases = {}
_MAX_RATED = 1_000_000  # games; more would take memory that the bots may need
_MAX_ROWS = 100  # of the standings


def standings(path: str, aliases: Aliases = NO_ALIASES) -> StandingsView:
    """The standings of a run so far.

    Raises:
        ConfigError: The run has too many games to rate them here.
    """
    with Store(Path(path), secret=False) as store:
        if store.count() > _MAX_RATED:
            raise ConfigError(f"more than {_MAX_RATED:,} games: `arena table` shows the standings")
    source = _with_aliases(load([Path(path)], secret=False), aliases)
    if not source.outcomes:
        return StandingsView("", 0, [])
    tables = [_standings_of(source, part, kind) for kind, part in source.by_kind().items()]
    html = _render("standings.html", tables=tables, why_apart=WHY_APART if len(tables) > 1 else "")
    data = [{"kind": each.kind, "bots": [*each.table.for_programs.records()]} for each in tables]
    return StandingsView(html, len(source.outcomes), data)


def _with_aliases(source: Source, aliases: Aliases) -> Source:
    if not aliases:
        return source
    outcomes = Outcomes.of(source.outcomes)
    seats = [(aliased(bots, aliases), seated) for bots, seated in outcomes.seats]
    excluded = {aliases.get(name, name): why for name, why in source.excluded.items()}
    return replace(source, outcomes=replace(outcomes, seats=seats), excluded=excluded)


def aliased(bots: Iterable[str], aliases: Aliases) -> tuple[str, ...]:
    """The shown names of these bots: with aliases, also in NAME@FINGERPRINT, an old version."""

    def shown(bot: str) -> str:
        name, mark, version = bot.partition("@")
        return f"{aliases.get(name, name)}{mark}{version}"

    return tuple(map(shown, bots))


class _Standings(NamedTuple):
    """The standings of one kind of games; `more` is the number of rows that are left out."""

    kind: str
    table: Table
    more: int


def _standings_of(source: Source, part: Source, kind: str) -> _Standings:
    """The standings of `part`, the games of `source` of one `kind` (`Source.by_kind`)."""
    report = Report(part, source.settings, kind=kind)
    rate_now(report)
    table = drawn_standings(report)
    rows = [*table.rows]
    return _Standings(kind, replace(table, rows=rows[:_MAX_ROWS]), len(rows[_MAX_ROWS:]))


def progress(path: str, aliases: Aliases = NO_ALIASES) -> ProgressView:
    """The progress of a run."""
    with Store(Path(path), secret=False) as store:
        plan = store.facts.plan or {}
        bots = len(store.facts.bots)
        what = f"{plan['game']}, {plan['format']}, {bots} bots" if plan else ""
        voids = [
            {**each, "group": " ".join(aliased(each["group"].split(" "), aliases))}
            for each in voids_for_pages(store)
        ]
        return ProgressView(store.count(), store.faults(), what, store.facts.revealed, voids)


def games(
    path: str, address: str, count: int, before: int | None = None, aliases: Aliases = NO_ALIASES
) -> GamesView:
    """A list of the last `count` games, the newest first, whose numbers are less than `before`; None: any.

    The pages of the games are below `address`, the run's own.
    """
    with Store(Path(path), secret=False) as store:
        found = store.latest(count, before)
        shown, name = open_games(store, (game for _, game in found)), _namer_of(store, aliases)
    rows = [_row(number, game, name, game.id in shown, address) for number, game in found]
    table = Table("games", _COLUMNS, rows, "Games")
    more = found[-1][0] if len(found) == count and found[-1][0] > 1 else None
    html = _render("games.html", table=table if rows else None, has_closed=len(shown) < len(found))
    return GamesView(html, more)


def game(path: str, id: str, aliases: Aliases = NO_ALIASES) -> GameView:
    """The script of a game, or the reason why it is not shown."""
    with Store(Path(path), secret=False) as store:
        if not (found := store.find_numbered(id)):
            return GameView()
        number, summary = found
        after, before = store.id_of(number + 1), store.id_of(number - 1)
        around = [each for id in (before, after) if id and (each := store.find(id))]
        shown = open_games(store, [summary, *around])
        if id not in shown:
            return GameView(refused=_CLOSED)
        record = shown_record(store, id).without_stderr()
        with store.reading(id):
            facts = {
                "run": Path(path).stem,
                "number": number,
                "group": " ".join(aliased(summary.seed_group.split(), aliases)),
                "previous": before if before in shown else None,
                "next": after if after in shown else None,
            }
            names = _namer_of(store, aliases)(summary.bots, summary.fingerprints)
            with model_calls(Path(path)) as calls:
                return GameView(game_script(record, names, facts, moments_of(record), calls(id)))


_CLOSED = (
    "This game is shown when all games of its seed group are over: the others have the same cards, so it"
    " would reveal the secrets of their players."
)


def _namer_of(store: Store, aliases: Aliases) -> Namer:
    seatings = [StoredSeating((name,), (made,), "") for name, made in store.versions()]
    names = namer(versions([(store.facts.plan or {}, seatings)]))
    return lambda bots, fingerprints: aliased(names(bots, fingerprints), aliases)


def _row(number: int, game: Summary, name: Namer, is_shown: bool, address: str) -> dict[str, Any]:
    finish = sorted(
        zip(game.places, name(game.bots, game.fingerprints), strict=True), key=lambda each: each[0]
    )
    return {
        "number": CellLink(f"{address}/games/{game.id}", str(number)) if is_shown else str(number),
        "finish": "  ".join(f"{place}. {bot}" for place, bot in finish),
        "faults": game.faults or "",
    }


_COLUMNS = (
    Column("Game", "number", lambda value: value, is_left=True),
    Column("Bots by place", "finish", is_left=True),
    Column("Faults", "faults"),
)


def _render(template: str, **context: Any) -> str:
    return environment("arena.web").get_template(template).render(**context)


FUNCTIONS = {each.__name__: each for each in (standings, progress, games, game)}


if __name__ == "__main__":
    serve_answers(FUNCTIONS)
