"""Scrimmages: unrated games that an entrant asks for, its newest version against that of another.

All of them are in one run file, as single games: each has a deal of its own. Only those who play may read
them. If the game has more than two seats, the two take turns round the table.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import time
from typing import Any

from arena.config.document import ConfigError
from arena.contest import entrants, entries
from arena.contest.contest import LADDER, SCRIMMAGES, Contest
from arena.contest.database import setting
from arena.programs.bot import Bot
from arena.programs.play.table import ProgramTable
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.tournament import ladder
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack
from arena.web.database import Database

HOURLY = 20  # that an entrant may ask for
MOST_GAMES = 20  # of one
_HOUR_S = 3600.0
WITHIN_S = 3600.0  # it is played, or fails
_OPEN = "state IN ('waiting', 'playing')"


def ask(
    database: Database, entrant: str, opponent: str, games: int, clock: Callable[[], float] = time
) -> int:
    """Ask for a scrimmage; returns its id. ConfigError: why there is none."""
    if not 1 <= games <= MOST_GAMES:
        raise ConfigError(f"a scrimmage has 1 to {MOST_GAMES} games, not {games}")
    if setting(database, "final"):
        raise ConfigError("the deadline is over: there are no more scrimmages")
    if entrant == opponent:
        raise ConfigError("a scrimmage needs another entrant")
    if entrants.find(database, opponent)["declines"]:
        raise ConfigError(f"{opponent} declines scrimmages")
    playing = {each["entrant"] for each in entries.playing(database)}
    for name in (entrant, opponent):
        if name not in playing:
            raise ConfigError(f"{name} has no entry that plays")
    now = clock()
    with database.transaction():
        sql = "SELECT count(*) AS count FROM scrimmage WHERE entrant = ? AND asked > ?"
        if database.rows(sql, entrant, now - _HOUR_S)[0]["count"] >= HOURLY:
            raise ConfigError(f"an entrant may ask for {HOURLY} scrimmages an hour")
        sql = (
            "INSERT INTO scrimmage (entrant, opponent, games, asked, state, until)"
            " VALUES (?, ?, ?, ?, 'waiting', ?) RETURNING id"
        )
        return int(database.rows(sql, entrant, opponent, games, now, now + WITHIN_S)[0]["id"])


def decline(database: Database, entrant: str, declines: bool, clock: Callable[[], float] = time) -> None:
    """Set whether an entrant declines the scrimmages that others ask it for; if so, also those that wait."""
    with database.transaction():
        database.write("UPDATE entrant SET declines = ? WHERE name = ?", declines, entrant)
        if declines:
            sql = (
                "UPDATE scrimmage SET state = 'declined', until = NULL, why = ?"
                " WHERE opponent = ? AND state = 'waiting'"
            )
            database.write(sql, f"{entrant} declines scrimmages", entrant)


def end_late(database: Database, now: float) -> None:
    """Let the scrimmages fail that were not over in time. `now` is in seconds since 1970."""
    why = "it was not played in time, through no fault of its entries"
    sql = f"UPDATE scrimmage SET state = 'failed', until = NULL, why = ? WHERE {_OPEN} AND until < ?"
    database.write(sql, why, now)


def next_due(database: Database) -> Any:
    """The row of the scrimmage to play next; None: there is none to play.

    It is the one whose entrant has had the fewest played of those it asked for since an hour before this one.
    """
    sql = (
        "SELECT * FROM scrimmage AS one WHERE state = 'waiting' OR state = 'playing'"
        " ORDER BY (SELECT count(*) FROM scrimmage AS other WHERE other.entrant = one.entrant"
        " AND other.state = 'over' AND other.asked > one.asked - ?), id LIMIT 1"
    )
    return next(iter(database.rows(sql, _HOUR_S)), None)


def end(database: Database, scrimmage: int, state: str, why: str = "") -> None:
    database.write(
        "UPDATE scrimmage SET state = ?, until = NULL, why = ? WHERE id = ?", state, why, scrimmage
    )


def play(
    contest: Contest,
    database: Database,
    scrimmage: Any,
    notify: Callable[[str], None],
    should_stop: Callable[[], bool],
) -> None:
    """Play the games that a scrimmage, a row, still lacks; it fails if an entrant has no entry that plays.

    `should_stop` is asked before each game; after it returns True, another call plays the rest.
    """
    names = scrimmage["entrant"], scrimmage["opponent"]
    bots = _newest(contest, database, names, notify)
    if missing := [name for name in names if name not in bots]:
        return end(database, scrimmage["id"], "failed", f"{missing[0]} has no entry that plays")
    database.write("UPDATE scrimmage SET state = 'playing' WHERE id = ?", scrimmage["id"])
    plan = load_plan(contest.ladder)  # its `deals:` is of no effect: each scrimmage game draws a secret seed
    seats = _round_the_table([bots[name] for name in names], max(plan.seats))
    with Store(contest.run(SCRIMMAGES), writer=True) as store:
        done = sum(f" /{scrimmage['id']}-" in game.seed_group for game in store.games())
        with ProgramTable({bot.name: bot for bot in seats}, sandbox=contest.sandbox) as table:
            for number in range(done, scrimmage["games"]):
                if should_stop():
                    return
                record = table.play(_fixture(plan, seats, number, scrimmage["id"]))
                store.append([pack(record)])
    end(database, scrimmage["id"], "over")


def _newest(
    contest: Contest, database: Database, names: Sequence[str], notify: Callable[[str], None]
) -> dict[str, Bot]:
    """The bots of the newest entries of these entrants, by name, built, in the ladder's copies.

    Entrants without an entry that plays, or whose build fails, are missing. `notify` gets the messages.
    """
    marks = {each["entrant"]: each["fingerprint"] for each in entries.playing(database)}
    found = {name: (contest.entries / name, marks[name]) for name in names if name in marks}
    return ladder.playable(found, contest.copies(LADDER), {}, notify, contest.sandbox)


def _round_the_table(bots: Sequence[Bot], count: int) -> list[Bot]:
    """`count` seats for the bots in turn (one, the other, one again, …), each with a name of its own."""
    each = (bots[seat % 2] for seat in range(count))
    return [replace(bot, name=_name_of(bot.name, 1 + seat // 2)) for seat, bot in enumerate(each)]


def _name_of(entrant: str, number: int) -> str:
    """The name of a seat of an entrant. Those of its further seats cannot be the name of another entrant."""
    return entrant if number == 1 else f"_{number}.{entrant}"


def seat_of(bot: str) -> tuple[str, int]:
    """The entrant that the bot with this name in a game plays for, and which of its seats it has, from 1."""
    if not bot.startswith("_"):
        return bot, 1
    number, _, name = bot[1:].partition(".")
    return name, int(number)


def is_of(bot: str, entrant: str) -> bool:
    """Whether the bot with this name in a game plays for this entrant."""
    return seat_of(bot)[0] == entrant


def _fixture(plan: Plan, bots: Sequence[Bot], number: int, scrimmage: int) -> Fixture:
    """The game `number`, from 0, of a scrimmage, with a deal of its own; the seats turn by one each game."""
    first = number % len(bots)
    turned = [*bots[first:], *bots[:first]]
    fixture = Fixture(
        game=plan.game.name,
        version=plan.game.version,
        options=plan.options,
        bots=tuple(bot.name for bot in turned),
        fingerprints=tuple(bot.fingerprint for bot in turned),
        seed=secrets.token_hex(16),
        conditions=plan.conditions,
    )
    group = f"{' '.join(sorted(fixture.bots))} /{scrimmage}-{number}"
    return deal_alone(replace(fixture, group=group), fixture.seed)
