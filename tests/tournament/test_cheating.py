"""What the author of a cheating bot would try: to meet a deal twice, to compute it, or to be told of it.

`tests/exploits` has the programs. Where a program must find nothing, it is also played in a way in which it
does find something: so each of these tests could fail.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

import pytest
from cheats import (
    SECRET,
    Apart,
    Shared,
    Sighting,
    believing,
    is_whole,
    met_twice,
    played_by,
    program,
    records_of,
    said_by,
    sightings,
    witnesses,
    write_plan,
)
from programs import games_in

from arena.programs.reading import read_bot
from arena.rating.outcomes import Outcome
from arena.rating.rows import standings
from arena.rating.standings import rate_all
from arena.referee.deals import deal
from arena.referee.record import Record
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store

pytestmark = pytest.mark.slow  # whole tournaments, and what tries to get more out of them


# --- A memory of hands


def test_a_memory_would_win_if_a_process_played_a_whole_seed_group(cheats):
    """The positive control: this is what it was worth. The interval is that of the lead over the copy."""
    plan = load_plan(cheats("memory", seed=SECRET))
    records = list(played_by(Shared, plan))
    outcomes = [Outcome(record.fixture.bots, record.result[0], record.fixture.group) for record in records]
    rows = {row.bot: row for row in standings(rate_all(outcomes, plan.run.rating))}
    assert len(records) == 720
    assert rows["memory"].elo - rows["memory"].error > 0
    assert 40 < rows["memory"].elo < 140
    assert believing(records, "memory") > 0.9


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_memory_is_worth_nothing(arena, cheats, tmp_path, jobs):
    """The same deals, by the command line; what a memory was worth would be seen."""
    done = arena("run", cheats("memory", seed=SECRET), "--out", "run.db", "--jobs", jobs, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {row["bot"]: row for row in json.loads(done.stdout)["standings"]}
    assert rows["memory"]["groups"] == 180
    assert rows["memory"]["error"] < 45
    assert abs(rows["memory"]["elo"]) < rows["memory"]["error"]
    assert believing(records_of(tmp_path / "run.db"), "memory") < 0.1


def test_a_memory_of_all_games_is_worth_nothing_where_each_has_a_deal_of_its_own(cheats):
    """Not even if one process plays all games. So nothing is that a process leaves for later ones."""
    plan = load_plan(cheats("memory", seed=SECRET, deals="per-game"))
    records = list(played_by(Shared, plan))
    outcomes = [Outcome(record.fixture.bots, record.result[0], record.fixture.group) for record in records]
    rows = {row.bot: row for row in standings(rate_all(outcomes, plan.run.rating))}
    assert len(records) == len({record.fixture.seed for record in records}) == 720
    assert abs(rows["memory"].elo) < rows["memory"].error < 45
    assert believing(records, "memory") < 0.1


# --- No process meets a deal twice

FORMATS = {
    "round-robin": {"groups": 3, "seats": [2, 3]},
    "gauntlet": {"groups": 6, "challengers": ["a", "b"]},
    "swiss": {"groups": 5, "rounds": 3},
    "knockout": {"groups": 8, "advance": 1},
    "series": {"groups": 30, "seats": 5},
    "adaptive": {"games": 90},
    "ladder": {"games": 90},
}


def test_shared_processes_would_meet_every_deal_again(tmp_path):
    """The positive control: what is looked for below is found."""
    plan = load_plan(write_plan(tmp_path, witnesses(tmp_path, "abc"), groups=4, seed=SECRET))
    seen = sightings(played_by(Shared, plan))
    assert len(seen) == 36 and len(met_twice(seen)) == 12
    assert not met_twice(sightings(played_by(Apart, plan)))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("form", FORMATS)
def test_no_process_meets_a_deal_twice(arena, tmp_path, form, jobs):
    plan = write_plan(tmp_path, witnesses(tmp_path, "abcde"), format=form, **FORMATS[form])
    if form == "ladder":
        (tmp_path / "entries").mkdir()
        witnesses(tmp_path / "entries", "abcde")
        plan.write_text(json.dumps(json.loads(plan.read_text()) | {"bots": "entries"}))
    done = arena("run", plan, "--out", "run.db", "--jobs", jobs)
    assert done.returncode == 0, done.stderr
    records = records_of(tmp_path / "run.db")
    seen = sightings(records)
    assert len(seen) == sum(len(record.fixture.bots) for record in records) > 100
    assert max(each.number for each in seen) > 3, "processes play many games"
    for seats in {len(record.fixture.bots) for record in records}:
        games = [record for record in records if len(record.fixture.bots) == seats]
        assert is_whole(games, 1 if form == "series" else seats)
    assert not met_twice(seen)


def test_without_reuse_every_game_is_the_first_of_its_process(arena, tmp_path):
    plan = write_plan(tmp_path, witnesses(tmp_path, "abc"), groups=5, reuse=False)
    assert arena("run", plan, "--out", "run.db").returncode == 0
    seen = sightings(records_of(tmp_path / "run.db"))
    assert len({each.process for each in seen}) == len(seen) == 45
    assert {each.number for each in seen} == {1}


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_process_meets_a_deal_twice_in_a_comparison(arena, tmp_path, jobs):
    """The opponents meet each seating twice, once with either of the two. Then the comparison goes on."""
    bots = witnesses(tmp_path, "abcd")
    against = ["--against", bots["c"], "--against", bots["d"]]
    command = ["compare", bots["a"], bots["b"], "--jobs"]
    for more, size in ((against, 6), ([], 2)):
        arena(*command, jobs, *more, "--max-groups", 6, "--out", f"{size}.db")
        done = arena(*command, 3 - jobs, *more, "--max-groups", 12, "--out", f"{size}.db")
        assert done.returncode == 3, done.stderr
        records = records_of(tmp_path / f"{size}.db")
        seen = sightings(records)
        assert len(records) == 12 * size and is_whole(records, size)
        assert max(each.number for each in seen) > 3
        assert not met_twice(seen)


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_process_meets_a_deal_twice_after_a_kill(arena, tmp_path, jobs):
    """The run goes on, on more or fewer workers, with seed groups of which a part was played."""
    plan = write_plan(tmp_path, witnesses(tmp_path, "abcd"), groups=24)
    command = [sys.executable, "-m", "arena", "run", plan, "--out", "run.db", "--jobs"]
    with subprocess.Popen([*command, str(jobs)], cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        end = monotonic() + 30
        while games_in(tmp_path / "run.db") < 60 and monotonic() < end:
            sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = {record.fixture.id for record in records_of(tmp_path / "run.db")}
    done = arena("run", plan, "--out", "run.db", "--jobs", 3 - jobs)
    assert done.returncode == 0, done.stderr
    records = records_of(tmp_path / "run.db")
    assert len(records) == 288 and is_whole(records, 3)
    parts = {(record.fixture.group, record.fixture.id in before) for record in records}
    assert len(parts) > len({group for group, _ in parts}), "some groups were played in two parts"
    assert not met_twice(sightings(records))


# The rules of Complots, which fail after the game of this number, once its bots have seen it all.
FAILING = """
import dataclasses
import pathlib

from arena.games import GAMES

GAME = GAMES["complots"]
FAIL = pathlib.Path({path!r})
_rules = GAME.rules


async def rules(position, options):
    result = await _rules(position, options)
    left = int(FAIL.read_text()) - 1
    FAIL.write_text(str(left))
    if left == 0:
        raise RuntimeError("these rules have a mistake")
    return result


GAME = dataclasses.replace(GAME, name="flawed", rules=rules)
"""


def flawed(tmp_path: Path, games: int) -> dict[str, str]:
    """The environment in which there is a game `flawed`, in which the arena itself fails once."""
    package, fail = tmp_path / "site", tmp_path / "fail"
    info = package / "flawed-1.0.dist-info"
    info.mkdir(parents=True)
    fail.write_text(str(games))
    (package / "flawed.py").write_text(FAILING.format(path=str(fail)))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flawed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\nflawed = flawed:GAME\n")
    return os.environ | {"PYTHONPATH": str(package)}


def test_a_void_seed_group_is_played_again_from_another_deal(arena, tmp_path):
    """It fails near the end, so other games of the group were played, and had counted."""
    plan = write_plan(tmp_path, witnesses(tmp_path, "abc"), game="flawed", groups=40)
    done = arena("run", plan, "--out", "run.db", "--jobs", 1, env=flawed(tmp_path, games=110))
    assert done.returncode == 0, done.stderr
    records = records_of(tmp_path / "run.db")
    again = [record for record in records if record.fixture.attempt]
    seen = sightings(records)
    assert len(records) == 120 and is_whole(records, 3) and not met_twice(seen)
    ((group, attempt),) = {(record.fixture.group, record.fixture.attempt) for record in again}
    assert len(again) == 3 and attempt == 1
    assert len([each for each in seen if each.group == group]) == 9
    with Store(tmp_path / "run.db") as store:
        secret = store.facts.secret
    with closing(sqlite3.connect(tmp_path / "run.db")) as base:
        voids = [words for (words,) in base.execute("SELECT words FROM void")]  # the failure, and two games
    with Store(tmp_path / "run.db") as store:
        games = [json.loads(store.layout.texts((part,))[0]) for part in voids if isinstance(part, bytes)]
    earlier = [game["fixture"] for game in games]
    assert earlier and all(game["group"] == group for game in earlier)
    seeds = {record.fixture.seed for record in again}
    assert seeds == {deal(again[0].fixture, secret, 1).seed}
    assert seeds.isdisjoint({game["seed"] for game in earlier}), "nothing of the first deal comes back"


# --- Notes


# --- Gossip


# --- Guessed seeds


@pytest.fixture
def seeker(tmp_path) -> dict[str, Path]:
    """A bot that searches for the secret of a run, and three witnesses; all line-ups have four groups."""
    known = tmp_path / "known.json"
    rivals = witnesses(tmp_path, "abc")
    prints = {name: read_bot(path, name=name).fingerprint for name, path in rivals.items()}
    names = [*rivals, "seeker"]
    known.write_text(json.dumps({"me": "seeker", "names": names, "fingerprints": prints, "groups": 4}))
    return {"seeker": program(tmp_path / "seeker", "seed_search.py", files=[known]), **rivals}


def found(path: Path) -> list[tuple[Record, list[str]]]:
    """What the seeker said in each game that it played, where it said anything."""
    games = [record for record in records_of(path) if "seeker" in record.fixture.bots]
    said = [(record, said_by(record, record.fixture.bots.index("seeker"))) for record in games]
    return [(record, line.split()) for record, lines in said for line in lines]


CLOCK = {"start": "60s", "move": "5s"}


@pytest.mark.parametrize("way", ["plan", "command line"])
def test_a_short_seed_is_guessed_and_the_deal_with_it(arena, tmp_path, seeker, way):
    """The positive control, and what the warning says: with such a seed a bot knows every card."""
    keys = {"seed": 2026} if way == "plan" else {}
    plan = write_plan(tmp_path, seeker, groups=4, clock=CLOCK, **keys)
    done = arena("run", plan, "--out", "run.db", *([] if keys else ["--seed", 2026]))
    assert done.returncode == 0, done.stderr
    assert "can be guessed" in done.stderr
    said = found(tmp_path / "run.db")
    assert len(said) == 36 and all(words[:2] == ["found", "2026"] for _, words in said)
    held = {
        (each.record.fixture.id, f"p{each.seat + 1}={each.hand.replace(' ', ',')}")
        for each in sightings(record for record, _ in said)
    }
    claimed = {(record.fixture.id, hand) for record, words in said for hand in words[2:]}
    assert len(held) == 72 and held <= claimed, "every hand of its rivals"


def test_the_secret_of_a_run_is_not_found(arena, tmp_path, seeker):
    """Each of its processes tries all that it could guess, with every formula that there ever was."""
    plan = write_plan(tmp_path, seeker, groups=4, clock=CLOCK)
    done = arena("run", plan, "--out", "run.db")
    assert done.returncode == 0 and "can be guessed" not in done.stderr
    said = found(tmp_path / "run.db")
    assert len(said) >= 3 and {words[0] for _, words in said} == {"nothing"}
    assert all(int(words[1]) > 200_000 for _, words in said)


OLD = json.dumps(["2026", "complots", 3, ["a", "c", "seeker"], 2], separators=(",", ":"))


@pytest.mark.parametrize("text", [f"{sha256(OLD.encode()).hexdigest()[:32]}/bot/1", "2026/bot/1"])
def test_the_seeker_would_have_found_the_seeds_of_old(seeker, text):
    """The positive control for the formulas of before, of which there are no runs any more."""
    seed = int.from_bytes(sha256(text.encode()).digest()[:8], "big") % 2**31
    lines = f"game 1 complots seats=3 you=p2 seed={seed}\nask 2 ready 60000 : ok\n"
    command = [sys.executable, "seed_search.py"]
    done = subprocess.run(command, cwd=seeker["seeker"], input=lines, capture_output=True, text=True)
    assert done.stderr.startswith("found 2026 "), done.stderr


# --- What a process is told in all its games


def repeats(seen: Iterable[Sighting]) -> float:
    """The part of the games of which the process has seen a game with the same hands on all seats before."""
    hands: dict[str, dict[int, str]] = {}
    for each in seen:
        hands.setdefault(each.record.fixture.id, {})[each.seat] = each.hand
    by_process: dict[str, Counter[str]] = {}
    for each in seen:
        dealt = str(sorted(hands[each.record.fixture.id].items()))
        by_process.setdefault(each.process, Counter())[dealt] += 1
    again = sum(games - 1 for deals in by_process.values() for games in deals.values())
    return again / sum(deals.total() for deals in by_process.values())


def test_nothing_that_a_process_is_told_comes_back(arena, tmp_path):
    """Three hands of independent deals are seldom the same. In the games of a seed group they always are."""
    plan = write_plan(tmp_path, witnesses(tmp_path, "abc"), groups=60, seed=SECRET)
    control = sightings(played_by(Shared, load_plan(plan)))
    assert arena("run", plan, "--out", "run.db", "--jobs", 1).returncode == 0
    seen = sightings(records_of(tmp_path / "run.db"))
    assert len(control) == len(seen) == 540
    assert {each.seed for each in control} == {each.seed for each in seen}
    assert len({each.seed for each in seen}) == 540, "no two seats of any game are told the same number"
    assert repeats(control) >= 2 / 3
    assert repeats(seen) < 0.1


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_a_new_version_of_a_bot_meets_no_deal_of_the_old_one(arena, tmp_path, form):
    """Its author has read what the old version saw, and may have written it into the new one, by `seed=`."""
    bots, keys = witnesses(tmp_path, "abc"), {"challengers": ["a"]} if form == "gauntlet" else {}
    plan = write_plan(tmp_path, bots, groups=4, format=form, **keys)
    assert arena("run", plan, "--out", "run.db").returncode == 0
    old = sightings(records_of(tmp_path / "run.db"))
    bots["a"].write_text(bots["a"].read_text() + "# version 2\n")
    assert arena("run", plan, "--out", "run.db").returncode == 0
    seen = sightings(records_of(tmp_path / "run.db"))
    assert len(seen) == 2 * len(old), "all was played again"
    known = {each.record.fixture.id for each in old}
    new = [each for each in seen if each.record.fixture.id not in known]
    assert {each.seed for each in new}.isdisjoint(each.seed for each in old)
    assert {each.record.fixture.seed for each in new}.isdisjoint(each.record.fixture.seed for each in old)


# --- What is no bot
