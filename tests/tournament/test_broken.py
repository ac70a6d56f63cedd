"""Broken entries: `broken:` says whether one of them stops the run, sits out, or loses its games."""

import json
from dataclasses import replace

import pytest
from instant_games import Instant, plan
from samples import FIRST

from arena.config.document import ConfigError
from arena.programs.bot import BotError
from arena.programs.sandbox.policy import LIMITS_ONLY
from arena.tournament import run as tournament
from arena.tournament.formats.plan import Plan
from arena.tournament.plan.load import load_plan
from arena.tournament.runs.store import Store

PLAN = "game: complots\nseats: 2\ngroups: 1\nseed: 1\nbots: [bots/*]\nbroken: {}\n"
ENTRIES = {
    "faulty": ("author: Ann\nruns: [sh]\n", "faulty/bot.yaml:2:1: runs: unknown key; did you mean run?"),
    "exits": ("run: [sh, -c, 'echo no luck >&2; exit 3']\n", "exited with status 3 before it answered hello"),
    "unbuilt": ("build: [sh, -c, 'echo no compiler; exit 1']\nrun: [sh]\n", "build failed: no compiler"),
    "nowhere": ("run: [no-such-program]\n", "nowhere/bot.yaml:1:1: run: no-such-program: not found"),
}
"""Broken in each way that there is: the bot.yaml, and what is said of it."""


@pytest.fixture
def contest(tmp_path):
    """Writes a plan of two good bots and these entries."""

    def write(policy: str, *broken: str) -> None:
        for name in "ab":
            (tmp_path / "bots").mkdir(exist_ok=True)
            (tmp_path / "bots" / f"{name}.sh").write_text(f"# {name}\n{FIRST}")
        for name in broken:
            (tmp_path / "bots" / name).mkdir()
            (tmp_path / "bots" / name / "bot.yaml").write_text(ENTRIES[name][0])
        (tmp_path / "plan.yaml").write_text(PLAN.format(policy))

    return write


def standings(arena, *words) -> dict:
    done = arena("run", "plan.yaml", "--out", "run.db", "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"said": done.stderr}


@pytest.mark.parametrize("name", ["faulty", "exits", "unbuilt"])
def test_by_default_one_of_them_stops_the_run(refused, contest, name):
    contest("refuse", name)
    assert ENTRIES[name][1] in refused("run", "plan.yaml", "--out", "run.db")


@pytest.mark.slow
def test_skipped_ones_stand_in_the_table_with_their_reason(arena, contest, tmp_path):
    contest("skip", *ENTRIES)
    table = standings(arena)
    assert [row["bot"] for row in table["standings"]] == ["a", "b"] and table["games"] == 2
    assert table["skipped"].keys() == ENTRIES.keys()
    for name, (_, why) in ENTRIES.items():
        assert why in table["skipped"][name]
        assert table["said"].count(f"bot {name} sits out: {table['skipped'][name]}") == 1
    done = arena("run", "plan.yaml", "--out", "run.db")
    assert "sits out" not in done.stdout and done.stderr.count("sits out") == len(ENTRIES)  # told once
    shown = " ".join(arena("table", "run.db").stdout.split())
    assert all(f"{name} sits out: {why}" in shown for name, why in table["skipped"].items())
    # A skipped bot that was repaired joins the run, and leaves the list.
    (tmp_path / "bots" / "exits" / "bot.yaml").write_text("run: [sh, bot.sh]\n")
    (tmp_path / "bots" / "exits" / "bot.sh").write_text(FIRST)
    table = standings(arena)
    assert table["games"] == 6 and table["skipped"].keys() == ENTRIES.keys() - {"exits"}
    # One that has played and is broken now keeps its games; the others go on without it.
    (tmp_path / "bots" / "exits" / "bot.yaml").write_text("runs: [sh, bot.sh]\n")
    (tmp_path / "bots" / "c.sh").write_text(f"# c\n{FIRST}")
    table = standings(arena)
    assert {row["bot"]: row["games"] for row in table["standings"]} == {"a": 6, "b": 6, "c": 4, "exits": 4}
    assert "0 with problems" in arena("verify", "run.db").stdout


@pytest.mark.slow
def test_others_lose_their_games_and_are_not_started(arena, contest, tmp_path):
    contest("forfeit", *ENTRIES)
    table = standings(arena)
    rows = {row["bot"]: row for row in table["standings"]}
    assert rows.keys() == {"a", "b", *ENTRIES} and table["skipped"] == {}
    assert all(rows[name]["forfeits"] == {"unstarted": rows[name]["games"]} for name in ENTRIES)
    assert all(rows[name]["forfeits"] == {} and rows[name]["games"] == 10 for name in "ab")
    with Store(tmp_path / "run.db") as store:
        faults = {
            (game.bots[fault.seat], fault.kind, fault.detail)
            for game in store.summaries()
            for fault in store.record(game.id).faults
        }
    assert {(name, kind) for name, kind, _ in faults} == {(name, "unstarted") for name in ENTRIES}
    assert all(detail.startswith(ENTRIES[name][1][:20]) for name, _, detail in faults)
    exported = arena("export", "run.db").stdout
    again = arena("run", "plan.yaml", "--out", "again.db")
    assert again.returncode == 0 and arena("export", "again.db").stdout == exported
    assert str(tmp_path) not in exported


def test_a_command_whose_program_is_missing_is_broken_too(contest, tmp_path):
    contest("skip")
    plan = tmp_path / "plan.yaml"
    bots = "{a: bots/a.sh, b: bots/b.sh, c: {run: [no-such-program]}}"
    plan.write_text(f"game: complots\nbots: {bots}\nbroken: skip\n")
    assert list(load_plan(plan).skipped) == ["c"] and list(load_plan(plan).bots) == ["a", "b"]
    plan.write_text(f"game: complots\nbots: {bots}\nbroken: forfeit\n")
    assert "no-such-program: not found" in load_plan(plan).bots["c"].broken
    plan.write_text(f"game: complots\nbots: {bots}\n")
    with pytest.raises(ConfigError, match="no-such-program: not found"):
        load_plan(plan)


def test_too_few_are_left(refused, contest, tmp_path):
    contest("skip", "faulty", "exits")
    (tmp_path / "bots" / "a.sh").unlink()
    said = refused("run", "plan.yaml", "--out", "run.db")
    assert "1 bots are too few for 2 seats; skipped faulty: " in said and "skipped exits: exited" in said


@pytest.mark.slow
def test_a_swiss_cannot_go_on_without_a_bot(arena, contest, tmp_path):
    contest("skip")
    for name in "cd":
        (tmp_path / "bots" / name).mkdir()
        (tmp_path / "bots" / name / "bot.yaml").write_text("run: [sh, bot.sh]\n")
        (tmp_path / "bots" / name / "bot.sh").write_text(FIRST)
    plan = tmp_path / "plan.yaml"
    plan.write_text(plan.read_text().replace("groups: 1", "format: swiss"))
    standings(arena)
    (tmp_path / "bots" / "c" / "bot.yaml").write_text("runs: [sh]\n")
    done = arena("run", "plan.yaml", "--out", "run.db")
    assert done.returncode == 2
    assert "the run began with bot c, and a swiss cannot go on without it: c/bot.yaml:1:1:" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("broken: repair\nbots: [bots/*]\n", "broken: should be"),
        ("broken: skip\nbots: [bots/*, bots/none.sh]\n", "none.sh: no such bot"),
        (
            "broken: skip\nformat: ladder\nseats: 2\nbots: bots\n",
            "a ladder leaves out broken bots until they",
        ),
        (
            "broken: skip\nbots: [bots/*]\nrating: {anchor: {bot: faulty, elo: 0}}\n",
            "skipped faulty: faulty/bot",
        ),
    ],
)
def test_a_mistake_in_the_plan_is_no_broken_entry(contest, tmp_path, text, message):
    contest("skip", "faulty")
    (tmp_path / "plan.yaml").write_text(f"game: complots\n{text}")
    with pytest.raises(ConfigError) as error:
        load_plan(tmp_path / "plan.yaml")
    assert message in str(error.value)


def test_a_glob_says_what_it_passed_over_and_why(arena, contest, tmp_path):
    contest("refuse")
    for name in ("kim", "README.md", "_tools.py", "bot.c", "bot.yaml"):
        (tmp_path / "bots" / name).write_text("")
    (tmp_path / "bots" / "notes").mkdir()
    expected = [
        "bots/README.md: not executable, and .md is not a known language; chmod +x if it is a bot",
        "bots/_tools.py: its name begins with _",
        "bots/bot.c: has to be compiled; make a folder with a bot.yaml",
        "bots/bot.yaml: the bot is its folder",
        "bots/kim: not executable; chmod +x if it is a bot",
        "bots/notes: a folder without bot.yaml",
    ]
    plan = load_plan(tmp_path / "plan.yaml")
    assert list(plan.bots) == ["a", "b"] and plan.passed_over == expected
    shown = " ".join(arena("plan", "plan.yaml", "--no-trial").stdout.split())
    assert " ".join(f"passed over: {each}" for each in expected) in shown
    assert shown.count("passed over: ") == len(expected)
    (tmp_path / "plan.yaml").write_text("game: complots\nbots: ['bots/[kn]*']\n")
    with pytest.raises(
        ConfigError, match=r"there is no bot; .*; passed over bots/kim: not executable; chmod \+x"
    ):
        load_plan(tmp_path / "plan.yaml")


@pytest.mark.slow
def test_a_plan_shows_who_sits_out(arena, contest):
    contest("skip", *ENTRIES)
    about = json.loads(arena("plan", "plan.yaml", "--format", "json").stdout)
    assert about["skipped"].keys() == ENTRIES.keys() and about["games"] == about["trial"]["games"] == 2


def tried_by(path, whole: Plan, *broken: str, sandbox=LIMITS_ONLY) -> list[set[str]]:
    """The bots that a run need not start once more, each time that it opens an engine."""
    tried = []

    def open_engine(setup):
        tried.append(set(setup.tried))
        if unstarted := {name: "no" for name in broken if name not in setup.excused}:
            raise BotError(whole.bots, {}, unstarted)
        return Instant(setup)

    with Store(path, writer=True) as store:
        tournament.run(tournament.prepare(whole, store), store, open_engine, str, str, sandbox=sandbox)
    return tried


def test_a_bot_that_has_started_once_is_not_started_again_just_to_look(tmp_path):
    path, few, more = tmp_path / "run.db", plan(bots=5, groups=1), plan(bots=6, groups=2)
    everyone = set(few.bots)
    lenient = replace(few, run=replace(few.run, broken="forfeit"))
    assert tried_by(path, lenient, "bot01") == [set(), everyone], "those that have started have done so"
    assert tried_by(path, plan(bots=5, groups=2)) == [everyone - {"bot01"}]
    assert tried_by(path, more) == [everyone], "a bot joins"
    changed = replace(more.bots["bot02"], fingerprint="f" * 16)
    assert tried_by(path, replace(more, bots={**more.bots, "bot02": changed})) == [{*more.bots} - {"bot02"}]


def test_a_bot_that_joins_a_run_must_start(tmp_path):
    """A bot that the run has loses its games instead, so that it cannot end the run."""
    path, few, more = tmp_path / "run.db", plan(bots=5, groups=1), plan(bots=6, groups=1)
    tried_by(path, few)
    with pytest.raises(BotError, match="bot bot05: no"):
        tried_by(path, more, "bot05", sandbox=None)
    with pytest.raises(BotError, match="bot bot05: no"):
        tried_by(path, more, "bot01", "bot05", sandbox=None)
    assert len(tried_by(path, more, "bot01", sandbox=None)) == 2
    with Store(path) as store:
        assert store.count() == 15 * 4


def test_another_sandbox_and_a_cluster_try_all_bots(tmp_path):
    path = tmp_path / "run.db"
    assert tried_by(path, plan(bots=5, groups=1), sandbox=None) == [set()]
    assert tried_by(path, plan(bots=5, groups=2)) == [set()]
    assert tried_by(path, plan(bots=5, groups=3), sandbox=replace(LIMITS_ONLY, tier="bubblewrap")) == [set()]
