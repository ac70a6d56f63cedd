"""Plays the games of scrimmages, and names their seats.

All of them are in one run file, as single games: each has a deal of its own. Only their players may read
them. If the game has more than two seats, the two take turns round the table.
"""

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from time import monotonic

from arena.contest import entries, scrimmages
from arena.contest.contest import LADDER, SCRIMMAGES, Contest
from arena.contest.scrimmages import Scrimmage
from arena.programs.bot import Bot
from arena.programs.play.table import ProgramTable
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.tournament import ladder
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack
from arena.web.database import Database

_TURN_S = 20.0  # then no further game of a scrimmage begins: the ladder and others have their turns
_LOOK_S = 0.5  # between two checks whether a game must end


def play(
    contest: Contest,
    database: Database,
    scrimmage: Scrimmage,
    notify: Callable[[str], None],
    should_stop: Callable[[], bool],
) -> None:
    """Play the games that a scrimmage still lacks; it fails if an entrant has no entry that plays.

    It ends after a turn of `_TURN_S` in which at least one game is played, and another call plays the rest.
    When `should_stop` returns True, it ends at once, in the middle of a game.
    """
    names = scrimmage.entrant, scrimmage.opponent
    bots = _newest(contest, database, names, notify)
    if missing := [name for name in names if name not in bots]:
        return scrimmages.end(database, scrimmage.id, "failed", f"{missing[0]} has no entry that plays")
    scrimmages.begin(database, scrimmage.id)
    plan = load_plan(contest.ladder)  # its `deals:` has no effect: each scrimmage game draws a secret seed
    seats = _round_the_table([bots[name] for name in names], max(plan.seats))
    until = monotonic() + _TURN_S
    with Store(contest.run(SCRIMMAGES), writer=True) as store:
        done = sum(f" /{scrimmage.id}-" in game.seed_group for game in store.games())
        by_name = {bot.name: bot for bot in seats}
        with ProgramTable(by_name, sandbox=contest.sandbox) as table, ThreadPoolExecutor(1) as pool:
            for number in range(done, scrimmage.games):
                if number > done and monotonic() > until:
                    return
                game = pool.submit(table.play, _fixture(plan, seats, number, scrimmage.id))
                if not _await(game, table, should_stop):
                    return
                store.append([pack(game.result())])
                notify(f"a game of {names[0]} against {names[1]}")
    scrimmages.end(database, scrimmage.id, "over")


def _await(game: "Future[Record]", table: ProgramTable, should_stop: Callable[[], bool]) -> bool:
    """Wait for a game; returns False if it was cut off because `should_stop` returned True."""
    must_stop = True  # after an exception as well
    try:
        while not (is_over := bool(wait([game], _LOOK_S).done)) and not should_stop():
            pass
        must_stop = not is_over
    finally:
        while must_stop and not game.done():  # its supervisor may just be starting
            table.kill()
            wait([game], _LOOK_S)
    return not must_stop


def _newest(
    contest: Contest, database: Database, names: Sequence[str], notify: Callable[[str], None]
) -> dict[str, Bot]:
    """The bots of the newest entries of these entrants, by name, built, in the ladder's copies.

    Entrants without an entry that plays, or whose build fails, are missing. `notify` gets the messages.
    """
    marks = {each.entrant: each.fingerprint for each in entries.playing(database)}
    found = {name: (contest.entries / name, marks[name]) for name in names if name in marks}
    return ladder.playable(found, contest.copies(LADDER), {}, notify, contest.sandbox)


def _round_the_table(bots: Sequence[Bot], count: int) -> list[Bot]:
    """`count` seats for the bots in turn (one, the other, one again, …), each with a name of its own."""
    each = (bots[seat % 2] for seat in range(count))
    return [replace(bot, name=_name_of(bot.name, 1 + seat // 2)) for seat, bot in enumerate(each)]


def _name_of(entrant: str, number: int) -> str:
    """The name of a seat of an entrant. Names of its further seats cannot be the name of another entrant."""
    return entrant if number == 1 else f"_{number}.{entrant}"


def seat_of(bot: str) -> tuple[str, int]:
    """The entrant for which the bot with this name plays, and the number of its seat, from 1."""
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
