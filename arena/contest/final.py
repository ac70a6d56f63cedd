"""The final: its deals were fixed on the first day, its entries are fixed at the deadline.

    secret (first day) ----- SHA-256 is published at once
       |
       '- HMAC-SHA256 - of the list: the plan and the fingerprints of all entries, published at the deadline
              |
              '- the secret of the run, from which all deals follow

Neither side can choose the deals: the organiser cannot change the secret, and does not know the list before
the deadline; the entrants do not know the secret. The fixed list is written into the settings (`FixedFinal`)
once. If the process is killed, the final goes on from there and from the run file.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from arena.config.document import ConfigError
from arena.config.text import duration
from arena.contest import entrants, entries
from arena.contest.contest import FINAL, LADDER, REMOTE, Contest, deadline, strict
from arena.contest.settings import Commitment, FixedFinal, Place, VoidDeal, change_settings, settings_of
from arena.programs.bot import Bot
from arena.programs.reading import read_bot
from arena.referee.deals import final_secret, hash_of, list_text
from arena.tournament.formats.plan import Plan
from arena.tournament.ladder import copy_bot
from arena.tournament.plan.load import MANY, load_terms, load_with
from arena.tournament.runs.closing import close
from arena.tournament.runs.facts import Origin
from arena.tournament.runs.store import Store
from arena.tournament.runs.voids import voids_for_pages
from arena.web.database import Database

_SETTLED_S = 10.0  # after the deadline: an entry from just before it may not be in the database yet
VERDICTS_S = 6 * 3600.0  # after the deadline, for verdicts on entries from before it
_STAND_INS = [f"bot{number}" for number in range(MANY)]
_MAX_FAILURES = 5  # failed attempts in a row, without a new game
_FORMATS = ("round-robin", "adaptive")


def read_secret(contest: Contest) -> str:
    """The secret of the contest.

    Raises:
        ConfigError: Its file cannot be read.
    """
    try:
        return contest.secret.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        why = "cannot be read: without the secret that was published on the first day there is no final"
        raise ConfigError(f"{contest.secret}: {why}") from None


def publish_commitment(contest: Contest, database: Database) -> None:
    """Publish the SHA-256 of the secret, once.

    Raises:
        ConfigError: The secret is not the one from the first day.
    """
    now = Commitment(hash_of(read_secret(contest)))
    published = settings_of(database).commitment
    if published is None:
        with change_settings(database) as settings:
            settings.commitment = now
    elif published != now:
        raise ConfigError(f"{contest.secret}: is not the secret whose SHA-256 was published")


def is_due(contest: Contest, database: Database, now: float) -> bool:
    """Whether the entries can be fixed: the deadline is over, and all verdicts are there or overdue."""
    late = now - deadline(contest, database).timestamp()
    return late > _SETTLED_S and (late > VERDICTS_S or not entries.pending(database))


def fix(contest: Contest, database: Database, now: float) -> None:
    """Fix the plan and the entries of the final: copy the entries, and write both into the setting `final`.

    Nothing is written if both are fixed already, or if the entries or the deadline have changed meanwhile.
    The final plays copies, so later changes of an entry do not count.

    Raises:
        ConfigError: The entries are too few, one of them cannot be copied yet, or the plan is wrong.
    """
    playing, seats = entries.playing(database), max(plan_between(contest, _STAND_INS).seats)
    if len(playing) < seats:
        raise ConfigError(f"the final needs {seats} entries and has {len(playing)}: extend the deadline")
    must_begin = now - deadline(contest, database).timestamp() > VERDICTS_S
    bots = {each.entrant: _copy_entry(contest, each, must_begin) for each in playing}
    text = list_text(_load(contest.final, bots).terms())
    found = FixedFinal(
        at=datetime.fromtimestamp(now, UTC),
        plan=contest.final.read_text(encoding="utf-8"),
        listed=tuple(sorted((name, bot.fingerprint) for name, bot in bots.items())),
        text=text,
        list_sha256=hash_of(text),
    )
    with change_settings(database) as settings:
        same = tuple(sorted((each.entrant, each.fingerprint) for each in entries.playing(database)))
        # The organiser may have extended the deadline, or excluded an entrant, meanwhile.
        if settings.final is None and same == found.listed and is_due(contest, database, now):
            settings.final = found
            entries.set_playing(database, dict(found.listed), now)  # some may have waited for the ladder


def excluded(database: Database) -> dict[str, str]:
    """The reason of each exclusion in the final's list, by name of the entrant."""
    fixed = settings_of(database).final
    listed = dict(fixed.listed) if fixed else {}
    return {name: why for name, why in entrants.excluded(database).items() if name in listed}


def _copy_entry(contest: Contest, entry: entries.Entry, must_begin: bool) -> Bot:
    """Copy an entry for the final; returns the bot in the copy.

    If its files are lost or changed and the final must begin, the bot is broken, and loses its games.

    Raises:
        ConfigError: The entry cannot be copied yet.
    """
    name, mark = entry.entrant, entry.fingerprint
    try:
        bot = copy_bot(name, contest.entries / name, contest.copies(FINAL))
        if bot.fingerprint == mark:
            return bot
        why = "its files were changed since it was checked"
    except ConfigError as error:
        why = str(error)
    except OSError as error:  # the machine is at fault, and more than one entry could lose by it
        raise ConfigError(f"the final waits: entry {name} cannot be copied: {error}") from None
    if must_begin:
        return _lost(contest, name, mark)
    later = f"{duration(VERDICTS_S)} after the deadline the final begins, and it loses its games"
    raise ConfigError(f"the final waits: entry {name}: {why}; judge it again, or exclude it: {later}")


def _lost(contest: Contest, name: str, mark: str) -> Bot:
    """The bot of an entry whose files are gone: it is broken, and loses its games."""
    path = copy_of(contest, name, mark)
    return Bot(name, (str(path),), path.parent, mark, broken="its files are gone")


def _load(path: Path, bots: Mapping[str, Bot]) -> Plan:
    """The plan of a final with these bots.

    Raises:
        ConfigError: The file cannot be the plan of a final.
    """
    plan = load_with(path, bots)
    if plan.format.name not in _FORMATS:
        formats = " or ".join(_FORMATS)
        raise ConfigError(f"{path}: format: should be {formats} for a final, not {plan.format.name}")
    if plan.seed is not None:
        raise ConfigError(f"{path}: seed: should not be here: it follows from the secret of the contest")
    # No entry may stop the final: one that cannot be built or started loses its games.
    return strict(replace(plan, run=replace(plan.run, broken="forfeit")), path)


def check_plans(contest: Contest) -> None:
    """Check the plan of the final, and if there are remote entrants, the plan of their ladder.

    Raises:
        ConfigError: A plan is wrong.
    """
    plan_between(contest, _STAND_INS)
    if entrants.remote(contest.database()):
        load_terms(contest.plan(REMOTE))


def plan_between(contest: Contest, names: Iterable[str]) -> Plan:
    """The plan of the final, with stand-ins for entries of these names.

    Raises:
        ConfigError: The file cannot be the plan of a final.
    """
    return _load(contest.final, {name: Bot(name, (), Path(), "") for name in names})


def plan_now(contest: Contest, database: Database) -> tuple[Plan, Path]:
    """The plan of the final with the entries that would play in it now, and the run of their ladder.

    Raises:
        ConfigError: It cannot be the plan of a final, or an entry cannot be read.
    """
    names = [each.entrant for each in entries.playing(database)]
    bots = {name: read_bot(contest.entries / name, name=name) for name in names}
    return _load(contest.final, bots), contest.run(LADDER)


def plan_of(contest: Contest, fixed: FixedFinal) -> Plan:
    """The plan as it was fixed, with the secret of its run.

    Raises:
        ConfigError: The plan or a copy was changed since.
    """
    plan = _load(contest.final, {name: _open_copy(contest, name, mark) for name, mark in fixed.listed})
    if list_text(plan.terms()) != fixed.text:
        why = "is not the plan that was published at the deadline; the page of the final has it: restore it"
        raise ConfigError(f"{contest.final}: {why}")
    return replace(plan, seed=final_secret(read_secret(contest), fixed.text))


def _open_copy(contest: Contest, name: str, mark: str) -> Bot:
    """The bot in the copy of the entry with the fingerprint `mark`; broken if the copy is gone.

    Raises:
        ConfigError: The copy was changed.
    """
    path = copy_of(contest, name, mark)
    if not path.exists():  # its entrant was deleted, for example; the entry stays in the list
        return _lost(contest, name, mark)
    bot = read_bot(path, name=name)
    if bot.fingerprint != mark:
        raise ConfigError(f"{path}: was changed since the deadline; restore it from a backup")
    return bot


def copy_of(contest: Contest, name: str, mark: str) -> Path:
    """The path of the final's copy of the entry of the entrant `name` with the fingerprint `mark`."""
    return contest.copies(FINAL) / f"{name}-{mark}" / name


def note_origin(database: Database, store: Store) -> None:
    """Write the SHA-256 of the contest's secret into the run file, unless it is there already."""
    commitment = settings_of(database).commitment
    if commitment and store.facts.origin is None:
        store.write_facts(replace(store.facts, origin=Origin(sha256=commitment.sha256)))


def update(database: Database, change: Callable[[FixedFinal], FixedFinal]) -> FixedFinal:
    """Change the setting `final` of a fixed final; returns its new value."""
    with change_settings(database) as settings:
        assert settings.final
        settings.final = change(settings.final)
    return settings.final


def tell_voids(contest: Contest, database: Database, store: Store) -> None:
    """Show on the pages which deals the final has given up, and why, without paths of the server."""
    voids = tuple(VoidDeal(**each) for each in voids_for_pages(store, hidden=f"{contest.folder}/"))
    update(database, lambda fixed: replace(fixed, voids=voids))


def give_up(database: Database, has_new_games: bool) -> bool:
    """Note a failed attempt to play the remaining games; returns whether the final ends without them.

    It does after `_MAX_FAILURES` failed attempts in a row. An attempt that `has_new_games` restarts the
    count.
    """
    found = update(
        database, lambda fixed: replace(fixed, failures=1 if has_new_games else fixed.failures + 1)
    )
    return found.failures >= _MAX_FAILURES


def result(contest: Contest, database: Database) -> tuple[tuple[Place, ...], str]:
    """The places, the best first, and which entrants may be first, as a line; without excluded entrants.

    The Elo decides the `place`, or the score where the games are too few for an Elo. The `range` is at the
    confidence of the plan: entrants whose ranges overlap were not told apart. The line is empty if points
    decide.
    """
    from arena.show.tables.report import Report  # imports numpy, which no other part of this module needs
    from arena.tournament.runs.sources import load

    source = load([contest.run(FINAL)])
    report = Report(source, source.settings)
    rows, (first, podium) = report.rows, report.contenders
    teams = {each.name: each.team for each in entrants.all_entrants(database)}
    places = tuple(
        Place(
            place=row.rank or 1 + sum(bool(each.rank) or each.score > row.score for each in rows),
            range=row.rank_range,
            may_be_first=row.bot in first,
            may_be_on_podium=row.bot in podium,
            name=row.bot,
            team=teams.get(row.bot, ""),
            elo=row.shown["elo"] and round(row.shown["elo"], 1),
            error=row.shown["error"] and round(row.shown["error"], 1),
            score=round(row.score, 4),
            games=row.games,
        )
        for row in rows
    )
    return places, report.prize_line


def reveal(contest: Contest) -> None:
    """Write the contest's secret into the run of the final, and close the run: now anyone can verify it."""
    with Store(contest.run(FINAL), writer=True) as store:
        origin = store.facts.origin
        assert origin
        store.write_facts(replace(store.facts, origin=replace(origin, secret=read_secret(contest))))
        if not store.facts.revealed:
            close(store)
