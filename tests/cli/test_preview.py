"""`arena plan`: what will be played, and an estimate of the time, without a run."""

import json
import re
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import monotonic

import pytest
from click.testing import CliRunner
from contest_folders import contest_with
from psutil import STATUS_ZOMBIE, Process
from stored_runs import stored_run

from arena.cli import main
from arena.cli.preview import LONGEST, TrialGames, estimate, lines, lineups, preview, trial, with_entries
from arena.programs.house import HOUSE_AUTHOR, HOUSE_BOTS
from arena.programs.machine import usable_cores
from arena.programs.reading import read_bot
from arena.tournament.formats import ladder
from arena.tournament.plan.load import load_plan

FORMATS = {
    "round-robin": "",
    "gauntlet": "format: gauntlet\nchallengers: [bot0]\n",
    "swiss": "format: swiss\n",
    "knockout": "format: knockout\n",
    "adaptive": "format: adaptive\ntarget_error: 20\n",
    "series": "format: series\noptions: {starter: winner}\n",
}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_shown_in_80_columns(plan_file, form):
    plan = load_plan(plan_file(FORMATS[form], bots=4 if form != "series" else 2))
    names = {name: f"{name}-{'x' * 27}" for name in plan.bots}
    bots = {names[name]: replace(bot, name=names[name], author="Å " * 60) for name, bot in plan.bots.items()}
    config = plan.config
    if form == "gauntlet":
        config = replace(config, challengers=tuple(names[name] for name in config.challengers))
    plan = replace(plan, bots=bots, config=config)
    about = preview(plan, 3)
    shown = lines(about)
    assert max(map(len, shown)) <= 80
    assert about["games"] is None if form == "adaptive" else about["games"] > 0
    assert shown[0].startswith("plan: complots, ") and about["lineups"]
    assert all(set(lineup) <= set(bots) for lineup in about["lineups"])


def test_the_first_lineups_are_different_and_in_the_order_of_play(plan_file):
    plan = load_plan(plan_file("seats: 2\nseed: 1\n", bots=6))
    found = lineups(plan)
    assert len(found) == len({frozenset(lineup) for lineup in found}) == 5
    assert len(lineups(load_plan(plan_file("seats: 3\nseed: 1\n")))) == 1


def test_what_differs_from_the_defaults(plan_file):
    options = "options: {cast: inquisitor, starter: p2, max_turns: 300}\n"
    about = preview(load_plan(plan_file(options)), 1)
    assert about["options"] == {"cast": "inquisitor", "starter": "p2"}
    assert "  options: cast inquisitor, starter p2" in lines(about)
    assert "  options: the defaults of the game" in lines(preview(load_plan(plan_file("")), 1))


@pytest.mark.parametrize(
    ("keys", "bots", "words"),
    [
        ("seats: 2\n", 16, "about half of the games"),
        ("seats: 4\nlineups: 100\n", 16, "about two thirds of the games"),
        ("seats: 2\ngroups: 1\n", 16, ""),  # few games
        ("seats: 2\ngroups: 100\n", 6, ""),  # few bots
        ("seats: 2\ngroups: 100\nformat: gauntlet\nchallengers: [bot0]\n", 16, ""),
    ],
)
def test_it_says_when_an_adaptive_tournament_needs_far_fewer_games(plan_file, keys, bots, words):
    about = preview(load_plan(plan_file(keys, bots=bots)), 1)
    assert [words in line for line in about["advice"]] == [True] * bool(words)
    shown = lines(about)
    assert max(map(len, shown)) <= 80 and bool(words) == ("format: adaptive" in " ".join(shown))


@pytest.mark.parametrize(
    ("authors", "keys", "is_advised"),
    [
        (("ann", "bob", "", ""), "", True),
        (("ann", "ann", "", ""), "", False),
        (("ann", HOUSE_AUTHOR, HOUSE_AUTHOR, ""), "", False),
        (("ann", "bob", "cyd", "dan"), "deals: per-game\n", False),
    ],
)
def test_it_advises_deals_per_game_when_bots_name_different_authors(plan_file, authors, keys, is_advised):
    plan = load_plan(plan_file(keys, bots=4))
    named = zip(plan.bots.items(), authors, strict=True)
    plan = replace(plan, bots={name: replace(bot, author=author) for (name, bot), author in named})
    about = preview(plan, 1)
    assert [line[: line.index(":")] for line in about["advice"]] == ["the bots have 2 authors"] * is_advised
    shown = lines(about)
    assert ("deals: per-game" in " ".join(shown)) == is_advised and max(map(len, shown)) <= 80
    assert f"  deals: one for each {'game' if keys else 'seed group'}" in shown


def test_house_bots_name_no_other_author():
    assert {read_bot(Path(f"house:{name}")).author for name in HOUSE_BOTS} == {"", HOUSE_AUTHOR}


@pytest.fixture
def uncut(monkeypatch):
    """A trial whose games are never stopped, however slow the machine is."""
    monkeypatch.setattr("arena.cli.preview.LONGEST", 3600.0)


def test_a_trial_plays_each_size_for_its_share_of_the_time(plan_file, uncut):
    clock = count(0, 0.25)  # each reading of the clock is a quarter of a second later
    plan = load_plan(plan_file("seats: [2, 3]\ngroups: 10\nseed: 1\n"))
    tried = trial(plan, lambda: next(clock))
    # Two sizes have a second each: readings at 0.25, 0.5, 0.75, 1 and then one at the end.
    assert (tried.games, tried.seconds, tried.faults) == (8, 2.5, 0)
    about = preview(plan, 2, tried)
    assert about["games"] == 90 and about["estimate"] == 14.1  # 90 games x 2.5 s / 8 games / 2 jobs
    words = "about 14 s with 2 at a time (estimate): 8 games took 2.5 s at one table"
    assert lines(about)[-1] == words


# Answers the first asks of a process at once (also hello), and then thinks for an hour.
THINKER = """asks=0
while read -r verb id rest; do case $verb in ask)
  asks=$((asks + 1)); [ $asks -gt {quick} ] && sleep 3600
  set -- ${{rest#*: }}; echo "$id $1";; esac
done
"""


@pytest.fixture
def thinkers(tmp_path):
    """A plan of bots that think for an hour about each ask, except the first ones."""

    def write(quick, more):
        (tmp_path / "thinker.sh").write_text(THINKER.format(quick=quick))
        path = tmp_path / "plan.yaml"
        path.write_text(
            f"game: complots\nseed: 1\nclock: {{move: 120m}}\n{more}"
            "bots: {a: thinker.sh, b: thinker.sh, c: thinker.sh}\n"
        )
        return path

    return write


@pytest.mark.slow
def test_a_trial_is_cut_off_in_the_middle_of_a_game(thinkers):
    began = monotonic()
    plan = load_plan(thinkers(200, "seats: 2\n"))
    tried = trial(plan)
    assert monotonic() - began < 3 * LONGEST and LONGEST <= tried.seconds < 2 * LONGEST
    assert tried.games > 0 and (tried.cut, tried.unfinished) == (1, ())
    assert tried.each == tried.seconds / tried.games
    alive = [other for other in Process().children(recursive=True) if other.status() != STATUS_ZOMBIE]
    assert not any("thinker.sh" in " ".join(other.cmdline()) for other in alive)
    words = rf"about .* \(estimate\): {tried.games} games and part of 1 more took \d.\d s at one table"
    assert re.fullmatch(words, " ".join(lines(preview(plan, 2, tried))[-2:]).replace("  ", ""))


@pytest.mark.slow
def test_where_no_game_ends_the_estimate_is_a_bound(thinkers):
    plan = load_plan(thinkers(2, "seats: [2, 3]\n"))
    tried = trial(plan)
    assert (tried.games, tried.cut, tried.unfinished) == (0, 2, (2, 3))
    assert LONGEST <= tried.seconds < 2 * LONGEST
    about = preview(plan, 2, tried)
    words = estimate(about)
    assert (
        words.startswith("longer than ") and " with 2 at a time (estimate): 0 games and part of 2 " in words
    )
    assert words.endswith(" s at one table; no game with 2 or 3 seats ended")
    assert estimate({**about, "estimate": None}).startswith("fewer than 0.")


@pytest.mark.slow
def test_the_command_does_not_wait_for_thinkers(arena, thinkers):
    done = arena("plan", thinkers(2, "seats: 2\n"))
    assert done.returncode == 0 and done.stderr == "starting 3 bots\n"
    assert "no game with 2 seats ended" in " ".join(done.stdout.split())


def test_a_trial_ends_with_the_games(plan_file, uncut):
    tried = trial(load_plan(plan_file("seats: 2\ngroups: 1\nseed: 1\n", bots=2)), lambda: 0.0)
    assert tried.games == 2


def test_a_ladder_shows_who_is_there_now(tmp_path, first_bot):
    folder = tmp_path / "entries"
    folder.mkdir()
    path = tmp_path / "plan.yaml"
    path.write_text("game: complots\nformat: ladder\nseats: 2\nbots: entries\n")
    empty = with_entries(load_plan(path))
    assert lineups(empty) == [] and trial(empty) is None and lines(preview(empty, 1))
    for name in ("a.sh", "b.sh"):
        (folder / name).write_text(first_bot.read_text())
    about = preview(with_entries(load_plan(path)), 1)
    assert [bot["name"] for bot in about["bots"]] == ["a", "b"] and about["lineups"] == [["a", "b"]]
    assert about["estimate"] is None


def test_the_command(arena, plan_file, tmp_path):
    path = plan_file("seats: 2\ngroups: 3\n")
    done = arena("plan", path)
    assert done.returncode == 0, done.stderr
    assert "3 line-ups x 3 groups x 2 rotations = 18 games" in done.stdout
    assert "bot0" in done.stdout and "  secret: drawn when the run begins" in done.stdout
    assert (
        "  sandbox: auto, at least limits\n  limits: memory 256 MB, processes 32, cpu 1200 s," in done.stdout
    )
    words = rf"with {usable_cores()} at a time \(estimate\): \d+ games (and part of 1 more )?took"
    assert re.search(words, " ".join(done.stdout.split()))
    assert not (tmp_path / "runs").exists()
    about = json.loads(arena("plan", path, "--no-trial", "--format", "json").stdout)
    assert about["games"] == 18 and about["trial"] is about["estimate"] is None


def test_a_bot_that_does_not_start(arena, plan_file, first_bot):
    path = plan_file("seats: 2\n")
    first_bot.write_text("exit 3\n")
    done = arena("plan", path)
    assert done.returncode == 2
    first, *others = done.stderr.splitlines()
    assert first == "starting 3 bots"
    assert [line[:16] for line in others] == ["arena: bot bot0:", "arena: bot bot2:"]
    assert arena("plan", path, "--no-trial").returncode == 0
    assert arena("plan", "none.yaml").stderr == "arena: none.yaml: no such file\n"


def test_what_a_plan_opens_outside_its_folder_is_listed(tmp_path, first_bot):
    """What it shares and includes, bots, prompts and programs; not what is in it, nor the arena's own."""
    for name in ("private/key", "private/template", "plans/own", "tool"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / "private" / "template").write_text("=== system\nA\n=== ask\nB\n=== again\nC\n")
    (tmp_path / "more.yaml").write_text(f"bots: {{b: {{run: [sh, '{first_bot}']}}}}\n")
    (tmp_path / "tool").chmod(0o755)
    model = "{model: m, at: 'https://example.org', template: ../private/template}"
    (tmp_path / "plans" / "plan.yaml").write_text(
        f"game: complots\nseats: 2\nfiles: [own, ../private/key]\ninclude: ../more.yaml\n"
        f"bots: {{a: 'house:first', c: {model}, d: {{run: [../tool]}}}}\n"
    )
    command = ["plan", str(tmp_path / "plans" / "plan.yaml"), "--no-trial"]
    done = CliRunner().invoke(main, [*command, "--format", "json"])
    paths = ("private/key", "private/template", "more.yaml", "tool", first_bot.name)
    assert set(json.loads(done.stdout)["outside"]) == {str(tmp_path.resolve() / path) for path in paths}
    assert CliRunner().invoke(main, command).stdout.count("outside the folder of the plan:") == 5


def test_a_plan_with_remote_bots_is_shown_and_not_tried(plan_file):
    path = plan_file("seats: 2\n")
    path.write_text(path.read_text().replace("bots:", "bots:\n  ann: {remote: true}", 1))
    about = preview(load_plan(path), 1)
    assert about["remote"] == ["ann"]
    shown = lines(about)
    assert "ann plays from its own machine, with deals of its own" in shown
    assert shown[-1] == "no estimate of the time, as remote bots are not tried"


def test_the_forecast_says_how_exact_the_standings_will_be(plan_file):
    """A round robin, adaptive runs, and a swiss, in which rounds decide the places."""
    robin = preview(load_plan(plan_file("seats: 2\ngroups: 10\n", bots=4)), 1)
    assert 10 < robin["forecast"]["error"] < 200 and "forecast: Elo ± " in " ".join(lines(robin))
    words = "% of such tournaments, three are surely the first three in"
    assert words in " ".join(" ".join(lines(robin)).split())
    more = preview(load_plan(plan_file("seats: 2\ngroups: 40\n", bots=4)), 1)
    assert more["forecast"]["error"] == pytest.approx(robin["forecast"]["error"] / 2, rel=0.2)
    keys = f"seats: 2\nformat: adaptive\ngames: {robin['games']}\n"
    adaptive = preview(load_plan(plan_file(keys, bots=4)), 1)
    assert adaptive["forecast"]["error"] == pytest.approx(robin["forecast"]["error"], rel=0.3)
    swiss = preview(load_plan(plan_file("seats: 2\nformat: swiss\nrounds: 2\n", bots=4)), 1)
    shown = " ".join(" ".join(lines(swiss)).split())
    assert "the strongest bot wins" in shown and "surely first" not in shown


def test_a_target_has_a_forecast_of_the_games_and_the_time(plan_file):
    plan = load_plan(plan_file("seats: 2\nformat: adaptive\ntarget_error: 60\n", bots=4))
    about = preview(plan, 2, TrialGames(10, 1.0, 0, 0.1))
    games = about["forecast"]["games"]
    assert about["games"] is None and about["estimate"] == pytest.approx(games * 0.1 / 2, abs=0.1)
    shown = " ".join(lines(about))
    assert "forecast: about " in shown and "games per second" not in shown


def test_a_ladder_without_end_has_no_forecast(plan_file):
    plan = load_plan(plan_file("seats: 2\n")).in_format(ladder.FORMAT)
    assert preview(plan, 1)["forecast"] is None


def test_the_strengths_are_those_of_the_run_of_the_plan_or_of_another(arena, plan_file, tmp_path):
    path = plan_file("seats: 2\ngroups: 20\n")
    words = [arena("plan", path, "--no-trial", "--format", "json")]
    stored_run(tmp_path / "runs" / "plan.db", ("bot0", "bot1", "bot2"), games=90, seats=2)
    stored_run(tmp_path / "other.db", ("x", "y", "z"), games=90, seats=2)
    words += [arena("plan", path, *run, "--no-trial", "--format", "json") for run in ((), ("other.db",))]
    found = [json.loads(done.stdout)["forecast"] for done in words]
    assert [each["like"] for each in found] == [None, "runs/plan.db", "other.db"]
    assert found[0]["spread"] == 200 > max(each["spread"] for each in found[1:])
    text = " ".join(arena("plan", path, "--no-trial").stdout.split())
    assert "(simulated, for strengths as in runs/plan.db, with a standard deviation of " in text


def test_a_run_that_tells_nothing_is_refused_in_one_line(arena, plan_file, tmp_path):
    path = plan_file("seats: 2\ngroups: 20\n")
    stored_run(tmp_path / "few.db", ("x", "y"), games=2, seats=2)
    stored_run(tmp_path / "runs" / "plan.db", ("bot0", "bot1"), games=2, seats=2)
    (tmp_path / "text.db").write_text("text")
    for run, words in (
        ("few.db", "too few games for a forecast: three bots or more should have an Elo"),
        ("text.db", "not a run file"),
        ("none.db", "no such run"),
    ):
        done = arena("plan", path, run, "--no-trial")
        assert (done.returncode, done.stdout) == (2, "") and len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith(f"arena: {run}: ") and words in done.stderr
    assert "an assumed standard deviation" in " ".join(arena("plan", path, "--no-trial").stdout.split())


def test_the_plan_of_a_contests_final_is_shown_with_the_entries_of_now(arena, tmp_path):
    contest = contest_with(tmp_path / "spring", ("ada", "bob", "cyd", "dan"), groups=20)
    stored_run(contest.run("ladder"), ("ada", "bob", "cyd", "dan"), games=120, seats=2)
    about = json.loads(arena("plan", "spring/final.yaml", "--no-trial", "--format", "json").stdout)
    assert [bot["name"] for bot in about["bots"]] == ["ada", "bob", "cyd", "dan"] and about["games"] == 240
    assert about["forecast"]["like"].endswith("ladder.db") and about["forecast"]["podium"] is not None
    contest_with(tmp_path / "lone", ("ada",))
    done = arena("plan", "lone/final.yaml")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "too few" in done.stderr
