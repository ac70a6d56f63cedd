"""A contest with commit and reveal, and the verification of runs that were changed by hand."""

import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import zlib
from dataclasses import replace
from hashlib import sha256

import pytest
from click.testing import CliRunner, Result
from plans import changed
from samples import FIRST, RANDOM

from arena.cli import main
from arena.games import GAMES
from arena.referee.conditions import Conditions
from arena.referee.deals import commitment, deal, run_name
from arena.referee.record import Record
from arena.rules import Ask, Draw
from arena.rules.chance import Chance
from arena.tournament.runs import closing, layouts, voids
from arena.tournament.runs.facts import RunFacts
from arena.tournament.runs.store import Store, VoidGame
from arena.tournament.runs.stored_game import pack

PLAN = "seats: 3\ngroups: 4\nclock: {move: 5s}\n"
STRONG = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a finished run of a plan without a seed, and the output of `arena run`."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "first.sh").write_text(FIRST)
    bots = {f"bot{number}": str(RANDOM) if number % 2 else "first.sh" for number in range(3)}
    (folder / "plan.yaml").write_text(f"game: complots\n{PLAN}bots: {json.dumps(bots)}\n")
    command = [sys.executable, "-m", "arena", "run", "plan.yaml", "--out", "run.db"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, done.stderr


@pytest.fixture
def run(finished, tmp_path):
    """A copy of this run in the folder of the test, and the output of `arena run`."""
    folder, said = finished
    shutil.copy(folder / "run.db", tmp_path)
    return said


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Runs a command of `arena` in this process, in the folder of the test."""

    def run(*words: object) -> Result:
        monkeypatch.chdir(tmp_path)
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    return run


def committed(said: str) -> str:
    """The commitment that a run has printed."""
    (line,) = [line for line in said.splitlines() if line.startswith("commitment: ")]
    assert len(line) <= 80
    return line.split()[1]


def facts_of(path) -> RunFacts:
    with Store(path) as store:
        return store.facts


# Commit


def test_a_run_commits_itself_before_the_first_game_and_once(run, arena, told, plan_file, tmp_path):
    published = committed(run)
    known = facts_of(tmp_path / "run.db")
    assert known.commitment == published and len(known.secret) == 64
    assert commitment(known.committed, known.secret) == published
    assert set(known.committed["bots"]) == {"bot0", "bot1", "bot2"}
    more = arena("run", plan_file(PLAN.replace("groups: 4", "groups: 5"), bots=4), "--out", "run.db")
    assert more.returncode == 0, more.stderr
    assert committed(more.stderr) == published, "of the beginning, though a bot has joined"
    assert set(facts_of(tmp_path / "run.db").plan["bots"]) == {"bot0", "bot1", "bot2", "bot3"}
    assert "0 with problems" in told("verify", "run.db").stdout


def test_only_the_owner_can_read_a_run(run, tmp_path):
    assert stat.S_IMODE((tmp_path / "run.db").stat().st_mode) == 0o600


@pytest.mark.slow
def test_two_runs_of_a_plan_without_a_seed_have_nothing_in_common(run, arena, plan_file):
    arena("run", plan_file(PLAN), "--out", "other.db")
    games = [map(json.loads, arena("export", name).stdout.splitlines()) for name in ("run.db", "other.db")]
    for one, other in zip(*games, strict=True):
        assert one["fixture"]["bots"] == other["fixture"]["bots"]
        assert (
            one["fixture"]["bot_seeds"] != other["fixture"]["bot_seeds"] and one["digest"] != other["digest"]
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["2026", "autumn cup", "''", "deadbeefdeadbeefdeadbeefdeadbeef"])
def test_a_seed_that_can_be_guessed_is_named_in_a_line_and_commits_to_nothing(arena, told, plan_file, seed):
    plan = plan_file(f"seed: {seed}\n{PLAN}")
    line = "the seed can be guessed, and all deals computed from it"
    done = arena("run", plan, "--out", "run.db")
    assert line in done.stderr and "commitment" not in done.stderr
    assert line in " ".join(told("plan", plan, "--no-trial").stdout.split())
    assert "commitment: none" in told("verify", "run.db").stdout


@pytest.mark.slow
def test_a_random_seed_in_a_plan_is_a_secret(arena, told, plan_file):
    plan = plan_file(f"seed: {STRONG}\n{PLAN}")
    done = arena("run", plan, "--out", "run.db")
    assert "guessed" not in done.stderr
    published = committed(done.stderr)
    shown = (
        arena("plan", plan, "--no-trial").stdout
        + arena("plan", plan, "--no-trial", "--format", "json").stdout
    )
    assert STRONG not in done.stderr + done.stdout + shown
    assert sha256(arena("reveal", "run.db", "--yes").stdout.encode()).hexdigest() == published


@pytest.mark.slow
def test_the_seed_of_the_command_line_comes_before_that_of_the_plan(arena, plan_file):
    for name, seed, words in (("a", 1, ["--seed", "2"]), ("b", 2, []), ("c", 3, ["--seed", "2"])):
        arena("run", plan_file(f"seed: {seed}\n{PLAN}"), "--out", f"{name}.db", *words)
    exports = {arena("export", f"{name}.db").stdout for name in "abc"}
    assert len(exports) == 1 and exports != {""}


@pytest.mark.slow
def test_a_run_goes_on_with_the_seed_with_which_it_began(arena, refused, plan_file):
    plan = plan_file(PLAN)
    arena("run", plan, "--out", "run.db", "--seed", "1")
    assert "12 of 12 games played" in arena("run", plan, "--out", "run.db").stderr
    assert "run.db: the run began with another seed; use --out" in refused(
        "run", plan, "--out", "run.db", "--seed", "2"
    )


def test_a_run_of_an_earlier_version_is_refused_in_a_line(run, refused, plan_file, tmp_path):
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("PRAGMA user_version = 2")
    base.close()
    for words in (["run", plan_file(PLAN), "--out"], ["table"], ["list"]):
        assert "written by an older arena, before 0.3.0 (layout 2, not 4)" in refused(*words, "run.db")


# Reveal


def test_what_is_shown_of_an_open_run_has_neither_the_secret_nor_the_seed_of_a_deal(run, told, tmp_path):
    with Store(tmp_path / "run.db") as store:
        secret = store.facts.secret
        seeds = {store.record(game.id).fixture.seed for game in store.summaries()}
    assert len(seeds) == 4
    ways = [
        *(
            ["table", "run.db", "--format", form]
            for form in ("text", "markdown", "html", "latex", "csv", "json")
        ),
        *(["table", view, "run.db"] for view in ("wide", "seats", "behaviour")),
        *(["export", "run.db", *more] for more in ([], ["--format", "csv"], ["--entries"])),
        ["list", "run.db"],
        *(["verify", "run.db", *more] for more in ([], ["--format", "json"])),
        *(["replay", "run.db", "1", "--seat", "p2", *more] for more in ([], ["--format", "input"])),
        *(["replay", "run.db", "1", "--format", form] for form in ("text", "json", "stderr")),
    ]
    for words in ways:
        done = told(*words)
        assert done.exit_code == 0, done.output
        for hidden in (secret, *seeds):
            assert hidden not in run + done.output, words


def test_to_reveal_the_secret_closes_the_run(run, told, refused, plan_file, tmp_path):
    shown = told("reveal", "run.db", "--yes")
    assert sha256(shown.stdout.encode()).hexdigest() == committed(run)
    assert json.loads(shown.stdout)["secret"] == facts_of(tmp_path / "run.db").secret
    assert shown.stderr.startswith("run.db: closed, no more games can be played")
    assert told("reveal", "run.db", "--yes").stdout == shown.stdout
    assert "the run is closed" in refused(
        "run", plan_file(PLAN.replace("groups: 4", "groups: 5")), "--out", "run.db"
    )
    finished = told("run", plan_file(PLAN), "--out", "run.db")
    assert finished.exit_code == 0 and "12 games in 4 seed groups" in finished.stdout
    games = [json.loads(line)["fixture"] for line in told("export", "run.db").stdout.splitlines()]
    assert len({game["seed"] for game in games}) == 4
    recorded = told("replay", "run.db", "1").stdout
    assert f"\nseed {games[0]['seed']}\n" in recorded
    again = told("play", "complots", *[tmp_path / "first.sh"] * 3, "--seed", games[0]["seed"]).stdout
    assert dealt(again) == dealt(recorded) and len(dealt(again)) == 3


def dealt(game: str) -> list[str]:
    """The hands before the first turn."""
    return [line for line in game.partition("\nturn ")[0].splitlines() if "alone: hand" in line]


@pytest.mark.slow
def test_a_ladder_is_closed_in_the_same_way(arena, told, refused, first_bot, tmp_path):
    (tmp_path / "entries").mkdir()
    for name in "ab":
        shutil.copy(first_bot, tmp_path / "entries" / f"{name}.sh")
    plan = tmp_path / "ladder.yaml"
    plan.write_text("game: complots\nformat: ladder\nseats: 2\ngames: 8\nbots: entries\n")
    published = committed(arena("run", plan, "--out", "run.db").stderr)
    assert sha256(told("reveal", "run.db", "--yes").stdout.encode()).hexdigest() == published
    plan.write_text(plan.read_text().replace("games: 8", "games: 12"))
    assert "the run is closed" in refused("run", plan, "--out", "run.db")


@pytest.mark.slow
def test_another_version_of_a_bot_does_not_meet_cards_that_are_known(run, told, arena, plan_file, first_bot):
    """The author may have read the old deals in an export."""
    first_bot.write_text(first_bot.read_text() + "# changed\n")
    arena("run", plan_file(PLAN), "--out", "run.db")
    games = [json.loads(line) for line in told("export", "run.db").stdout.splitlines()]
    assert len(games) == 24
    deals: dict[str, set[str]] = {}
    for game in games:
        which = game["fixture"]["group"], tuple(sorted(game["fixture"]["fingerprints"]))
        deals.setdefault(which, set()).add(json.dumps(game["replies"][:7]))  # the starter and six cards
    assert len(deals) == 8 and all(len(deal) == 1 for deal in deals.values()), deals
    assert len(set.union(*deals.values())) == 8
    assert "0 with problems" in told("verify", "run.db").stdout


def test_a_run_file_is_no_part_of_a_bot(refused, first_bot, tmp_path):
    """Else the bot could read the secret, and would have another fingerprint after each game."""
    folder = tmp_path / "mybot"
    folder.mkdir()
    (folder / "bot.yaml").write_text("run: [sh, bot.sh]\n")
    (folder / "bot.sh").write_text(FIRST)
    said = refused("compare", "mybot", first_bot, "--out", "mybot/run.db")
    assert f"mybot/run.db: is inside {folder}, where a bot can read it; use --out" in said
    assert not (folder / "run.db").exists()


def test_reveal_asks_first_and_makes_no_files(run, refused, told, tmp_path):
    assert "run.db: reveal closes the run for good; it asks first, or needs --yes" in refused(
        "reveal", "run.db"
    )
    assert not facts_of(tmp_path / "run.db").revealed
    assert "no such run" in refused("reveal", "none.db", "--yes")
    assert not (tmp_path / "none.db").exists()
    told("reveal", "run.db", "--yes")
    (tmp_path / "run.db").chmod(0o400)
    assert told("reveal", "run.db").exit_code == 0, "a copy that was published, without a question"


@pytest.mark.parametrize("words", [["run", "plan.yaml"], ["play", "complots", "first.sh", "first.sh"]])
def test_a_seed_that_is_no_text_gets_one_line(refused, plan_file, words):
    plan_file(PLAN)
    assert "seed: should be text in UTF-8" in refused(*words, "--seed", "\udcff")


def test_a_run_is_not_played_into_a_file_of_single_games(told, refused, plan_file, first_bot):
    told("play", "complots", first_bot, first_bot, "--record", "single.db")
    assert "single.db: has single games; use --out" in refused("run", plan_file(PLAN), "--out", "single.db")


@pytest.mark.slow
def test_a_seed_on_the_command_line_is_no_secret(arena, told, plan_file):
    """Every process of the machine can read the command line."""
    done = arena("run", plan_file(PLAN), "--out", "run.db", "--seed", STRONG)
    assert "the seed can be guessed" in done.stderr and "commitment" not in done.stderr
    verdict = told("verify", "run.db")
    assert verdict.exit_code == 0 and verdict.stdout.startswith("commitment: none\n")


def test_single_games_have_no_secret_and_do_not_belong_into_a_run(run, told, refused, first_bot):
    told("play", "complots", first_bot, first_bot, "--record", "single.db")
    assert "single.db: no secret; single games show their own seeds" in refused(
        "reveal", "single.db", "--yes"
    )
    assert "--record: run.db is the run of a plan" in refused(
        "play", "complots", first_bot, first_bot, "--record", "run.db"
    )


# Verify


def change(path, **facts) -> None:
    """Change the facts that a run stores about itself."""
    with sqlite3.connect(path) as base:
        for key, value in facts.items():
            base.execute("UPDATE about SET value = ? WHERE key = ?", (json.dumps(value), key))
    base.close()


def edit(path, number: int, change) -> str:
    """Change the record of a game, and nothing else. Returns the id of the game."""
    with Store(path) as store:
        id = store.summaries()[number].id
        record = store.record(id)
        data, trace = json.loads(record.game_part()), json.dumps(record.trace)
    with sqlite3.connect(path) as base:
        change(data)
        packed = zlib.compress(f"{trace}\n{json.dumps(data, separators=(',', ':'))}".encode())
        which = "number = (SELECT number FROM game WHERE id = ?)"
        base.execute(f"UPDATE record SET packed = ? WHERE {which}", (packed, id))
    base.close()
    return id


def test_a_finished_run_is_what_it_should_be(run, told):
    done = told("verify", "run.db")
    assert done.exit_code == 0
    lines = [f"commitment: {committed(run)}", "deals: one for each seed group"]
    open_run = "not closed: games may follow"
    assert done.stdout.splitlines() == [*lines, open_run, "12 games replayed, 0 with problems"]
    told("reveal", "run.db", "--yes")
    done = told("verify", "run.db")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [*lines, "12 games replayed, 0 with problems"]


def card(data) -> None:
    data["replies"][1] = "duchess" if data["replies"][1] != "duchess" else "captain"


def another_deal(data) -> None:
    data["fixture"]["seed"] = "0" * 32


def result(data) -> None:
    data["places"] = data["places"][::-1] if data["places"] != data["places"][::-1] else [1, 2, 3]


def bot_seed(data) -> None:
    data["fixture"]["bot_seeds"][1] += 1


def options(data) -> None:
    data["fixture"]["options"]["cast"] = "inquisitor"


def another_attempt(data) -> None:
    data["fixture"]["attempt"] = 1


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (card, "reply 1, deal: recorded "),
        (another_deal, "its deal does not come from the secret of the run"),
        (result, "places in the standings: "),
        (bot_seed, "the seeds of its bots do not come from the secret"),
        (options, "the record is that of game "),
        (another_attempt, "attempt 1 of its seed group, which was void 0 times"),
    ],
)
def test_a_game_that_was_changed_is_named(run, told, tmp_path, what, words):
    id = edit(tmp_path / "run.db", 5, what)
    done = told("verify", "run.db")
    assert done.exit_code == 1
    assert f"{id}: " in done.stdout and words in done.stdout
    assert "12 games replayed, 1 with problems" in done.stdout


def test_a_result_in_the_table_that_the_game_did_not_have_is_named(run, told, tmp_path):
    with Store(tmp_path / "run.db") as store:
        game = store.summaries()[3]
    places = " ".join(map(str, game.places[::-1])) if game.places != game.places[::-1] else "1 2 3"
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("UPDATE game SET places = ? WHERE id = ?", (places, game.id))
    base.close()
    done = told("verify", "run.db")
    assert done.exit_code == 1 and f"{game.id}: places in the standings: " in done.stdout


def test_a_secret_that_was_changed_is_named(run, told, tmp_path):
    change(tmp_path / "run.db", secret="0" * 64)
    done = told("verify", "run.db")
    assert done.exit_code == 1
    assert "the secret was changed: it is not the one with which the run began" in done.stdout
    assert "12 games replayed, 0 with problems" in done.stdout


def test_a_commitment_that_was_changed_is_named(run, told, tmp_path):
    change(tmp_path / "run.db", commitment="0" * 64)
    done = told("verify", "run.db")
    assert done.exit_code == 1 and "the commitment was changed, or the plan" in done.stdout


def test_a_bot_that_was_exchanged_in_the_commitment_is_named(run, told, tmp_path):
    plan = facts_of(tmp_path / "run.db").committed
    plan["bots"]["bot0"] = "f" * 16
    change(tmp_path / "run.db", committed=plan)
    done = told("verify", "run.db")
    assert done.exit_code == 1 and "the bots' fingerprints for which it was made" in done.stdout


@pytest.fixture(scope="module")
def finished_with_own_deals(finished, tmp_path_factory):
    """The run of the same plan with `deals: per-game` and a secret seed, which a test may copy."""
    path = tmp_path_factory.mktemp("own") / "own.db"
    plan = finished[0] / "own.yaml"
    keys = f"deals: per-game\nseed: {STRONG}\n"
    plan.write_text((finished[0] / "plan.yaml").read_text().replace("game:", f"{keys}game:"))
    command = [sys.executable, "-m", "arena", "run", str(plan), "--out", str(path)]
    done = subprocess.run(command, cwd=finished[0], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return plan, path


@pytest.fixture
def own_deals(finished_with_own_deals, tmp_path):
    shutil.copy(finished_with_own_deals[1], tmp_path)
    return tmp_path / "own.db"


def test_with_deals_per_game_no_two_games_have_a_deal(own_deals, told):
    with Store(own_deals) as store:
        fixtures = [store.record(game.id).fixture for game in store.summaries()]
    assert len({each.seed for each in fixtures}) == len(fixtures) == 12
    assert {deal(each, STRONG, 0).seed for each in fixtures} == {each.seed for each in fixtures}
    done = told("verify", own_deals)
    assert done.exit_code == 0 and "deals: one for each game" in done.stdout.splitlines()


@pytest.mark.slow
def test_with_deals_per_game_the_same_seed_gives_the_same_games(finished_with_own_deals, own_deals, arena):
    arena("run", finished_with_own_deals[0], "--out", "again.db")
    first, again = (arena("export", name).stdout for name in ("own.db", "again.db"))
    assert first == again and len(first.splitlines()) == 12


def test_a_game_with_the_deal_of_its_seed_group_is_named_where_each_has_its_own(own_deals, told):
    """As an organiser would put it in for a bot that has seen the deal in another rotation."""
    with Store(own_deals) as store:
        group = [store.record(game.id).fixture for game in store.summaries()[:3]]
    equal = deal(replace(group[1], conditions=Conditions(clock=group[1].conditions.clock)), STRONG, 0)
    for seed in (group[0].seed, equal.seed):
        id = forge(own_deals, 1, seed=seed)
        done = told("verify", own_deals)
        assert done.exit_code == 1
        assert f"{id}: its deal does not come from the secret of the run" in done.stdout


def test_what_has_a_deal_of_its_own_is_part_of_the_commitment(own_deals, told):
    facts = facts_of(own_deals)
    equal = {key: value for key, value in facts.committed.items() if key != "deals"}
    assert len(equal) == len(facts.committed) - 1
    change(own_deals, committed=equal, plan=equal)
    done = told("verify", own_deals)
    assert done.exit_code == 1 and "the commitment was changed, or the plan" in done.stdout
    assert done.stdout.count("deals: per-game, in the plan per-group") == 12


def test_a_run_does_not_go_on_with_other_deals(finished_with_own_deals, own_deals, refused, tmp_path):
    plan = tmp_path / "plan.yaml"
    text = finished_with_own_deals[0].read_text().replace("deals: per-game\n", "")
    plan.write_text(text.replace("first.sh", str(finished_with_own_deals[0].parent / "first.sh")))
    assert "the run began with deals: per-game, not per-group" in refused("run", plan, "--out", own_deals)


@pytest.mark.slow
def test_other_cards_need_another_secret_that_does_not_fit(run, told, arena, plan_file, tmp_path):
    """An organiser repeats the tournament until the standings please, and copies the old commitment."""
    published = committed(run)
    arena("run", plan_file(PLAN), "--out", "better.db")
    assert told("verify", "better.db").exit_code == 0
    change(tmp_path / "better.db", commitment=published)
    done = told("verify", "better.db")
    assert done.exit_code == 1 and "the commitment was changed, or the plan" in done.stdout
    assert run_name(facts_of(tmp_path / "better.db").secret) != run_name(facts_of(tmp_path / "run.db").secret)


def forge(path, number: int, keep: bool = False, **changes) -> str:
    """Play a game with another fixture, always with the first option, and put it into the run.

    The forgery is consistent: cards, result, digest and columns fit. It replaces the game unless `keep` is
    set. Returns its id.
    """
    with Store(path, writer=True) as store:
        game = store.summaries()[number]
        fixture = changed(store.record(game.id).fixture, **changes)
        match, chance = fixture.match(GAMES["complots"]), Chance(fixture.seed, fixture.draws)
        while step := match.step:
            if type(step) is Draw:
                match.reply(chance.pick(step.purpose, step.outcomes))
            elif type(step) is Ask:
                match.reply({seat: choice.default for seat, choice in step.choices.items()})
            else:
                match.reply(())
        if not keep:
            with store._transaction() as connection:
                for statement in layouts.REMOVE:
                    connection.execute(statement, (game.id,))
        store.append([pack(Record(fixture, tuple(match.replies), (), match.result, match.digest()))])
    return fixture.id


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"draws": {"deal": ["duchess", "duchess"]}}, "started from a position or with scripted cards"),
        ({"strikes": 9}, "strikes: 9, in the plan 3"),
        ({"options": {**GAMES["complots"].defaults(), "must_coup_at": 12}}, "options: "),
        ({"run": "f" * 16}, "run: ffffffffffffffff, in the plan "),
        ({"group": "bot0 bot1 bot2 77"}, "group 77 is not in the plan"),
        ({"lineup": "f" * 16}, "its line-up is not that of its bots"),
        ({"rotation": 4}, "its bots are not those of its seed group"),
        ({"seed": "f" * 32}, "its deal does not come from the secret of the run"),
        ({"attempt": 1}, "attempt 1 of its seed group, which was void 0 times"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_game_that_is_sound_but_none_of_the_run_is_named(run, told, tmp_path, changes, words):
    id = forge(tmp_path / "run.db", 4, **changes)
    done = told("verify", "run.db")
    assert done.exit_code == 1 and f"{id}: {words}" in done.stdout


def test_bots_that_sit_otherwise_are_named(run, told, tmp_path):
    with Store(tmp_path / "run.db") as store:
        seated = store.record(store.summaries()[4].id).fixture
    id = forge(tmp_path / "run.db", 4, bots=seated.bots[::-1], fingerprints=seated.fingerprints[::-1])
    done = told("verify", "run.db")
    assert f"{id}: its seating is not that of the other games of its seed group" in done.stdout


def test_a_game_that_is_there_twice_is_named(run, told, tmp_path):
    id = forge(tmp_path / "run.db", 4, keep=True, fingerprints=("e" * 16, "e" * 16, "e" * 16))
    assert f"{id}: " in told("verify", "run.db").stdout


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("secret", None, "the run has lost its secret"),
        ("secret", "x", "the secret was changed"),
        ("commitment", None, "the run has lost its commitment"),
        ("commitment", "x", "the commitment was changed"),
        ("committed", None, "the run has lost its committed plan"),
        ("plan", None, "the run has lost its plan"),
    ],
)
def test_what_a_run_has_lost_is_named(run, told, tmp_path, key, value, words):
    change(tmp_path / "run.db", **{key: value})
    done = told("verify", "run.db")
    assert done.exit_code == 1 and words in done.stdout


@pytest.mark.parametrize("part", [b"", b"nonsense", None])
def test_a_record_that_cannot_be_read_is_named_and_the_others_are_checked(run, told, tmp_path, part):
    with sqlite3.connect(tmp_path / "run.db") as base:
        if part is None:
            base.execute("DELETE FROM record WHERE number = 3")
        else:
            base.execute("UPDATE record SET packed = ? WHERE number = 3", (part,))
    base.close()
    done = told("verify", "run.db")
    assert done.exit_code == 1 and "the record is damaged: " in done.stdout
    assert "12 games replayed, 1 with problems" in done.stdout


def test_a_stopped_run_is_checked_as_far_as_it_came(run, told, tmp_path):
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("DELETE FROM game WHERE rotation = 2 AND seed_group = '3'")
    base.close()
    done = told("verify", "run.db")
    assert done.exit_code == 0
    assert "not closed: games may follow, 1 game of its plan missing so far\n" in done.stdout
    assert "incomplete seed groups: 1\n11 games replayed, 0 with problems" in done.stdout


# Verify: what is missing


def remove(path, where: str) -> None:
    with sqlite3.connect(path) as base:
        base.execute(f"DELETE FROM game WHERE {where}")
    base.close()


@pytest.mark.parametrize("where", ["seed_group = '3'", "seed_group = '0'", "rotation = 1", "number = 5"])
def test_a_closed_run_that_lacks_games_is_not_the_one_that_was_closed(run, told, tmp_path, where):
    told("reveal", "run.db", "--yes")
    remove(tmp_path / "run.db", where)
    done = told("verify", "run.db")
    assert done.exit_code == 1 and " games, and had 12 when it was closed\n" in done.stdout
    change(tmp_path / "run.db", closed=None)
    done = told("verify", "run.db")
    assert done.exit_code == 1
    assert "of its plan; no early closing is recorded" in done.stdout


def test_a_run_that_is_closed_early_says_so(run, told, tmp_path):
    remove(tmp_path / "run.db", "seed_group = '3'")
    assert (
        "run.db: closed, 3 games of its plan not played, no more games"
        in told("reveal", "run.db", "--yes").stderr
    )
    done = told("verify", "run.db")
    assert done.exit_code == 0 and "closed early: 3 games of its plan not played\n" in done.stdout
    assert json.loads(told("verify", "run.db", "--format", "json").stdout)["missing"] == 3
    remove(tmp_path / "run.db", "number = 2")
    assert "the run has 8 games, and had 9 when it was closed" in told("verify", "run.db").stdout


@pytest.mark.slow
def test_bots_that_joined_after_the_commitment_are_named_with_their_games(
    run, told, arena, plan_file, first_bot
):
    """A comment makes a new bot with new deals: the organiser may have hoped for better cards."""
    first_bot.write_text(first_bot.read_text() + "# changed\n")
    arena("run", plan_file(PLAN), "--out", "run.db")
    told("reveal", "run.db", "--yes")
    done = told("verify", "run.db")
    assert done.exit_code == 0
    names = [line for line in done.stdout.splitlines() if line.startswith("joined after the commitment: ")]
    assert names and all(line.endswith(", 12 games") and "@" in line for line in names)


def test_a_committed_bot_without_games_is_named(run, told, tmp_path):
    """All games of the committed version are gone, as if there were only its successor."""
    other = "e" * 16
    plan = facts_of(tmp_path / "run.db").plan
    change(tmp_path / "run.db", plan=plan | {"bots": plan["bots"] | {"bot0": other}})
    remove(tmp_path / "run.db", "1")
    done = told("verify", "run.db")
    assert f"in the commitment, without games: bot0@{plan['bots']['bot0'][:6]}" in done.stdout


def test_a_forged_fingerprint_is_named(run, told, tmp_path):
    """Of a bot in the table of bots, or in the plan, which the games of a closed run do not fit."""
    shutil.copy(tmp_path / "run.db", tmp_path / "other.db")
    with sqlite3.connect(tmp_path / "other.db") as base:
        base.execute("UPDATE bot SET fingerprint = ? WHERE number = 0", ("e" * 16,))
    base.close()
    assert told("verify", "other.db").exit_code == 1
    told("reveal", "run.db", "--yes")
    plan = facts_of(tmp_path / "run.db").plan
    change(tmp_path / "run.db", plan=plan | {"bots": plan["bots"] | {"bot0": "e" * 16}})
    done = told("verify", "run.db")
    assert done.exit_code == 1 and "the run is closed and lacks 12 games of its plan" in done.stdout


def test_an_open_seed_and_a_format_without_an_end_are_named(run, told, tmp_path):
    with Store(tmp_path / "run.db", writer=True) as store:
        plan = store.facts.plan | {"format": "adaptive", "games": 12}
        facts = replace(store.facts, plan=plan, committed=plan, free={})
        store.write_facts(replace(facts, open_seed=True, commitment=None))
    done = told("verify", "run.db")
    assert done.exit_code == 0
    assert "open seed: bots may have known the deals\n" in done.stdout
    assert "omitted games cannot be seen: adaptive has no fixed number of games\n" in done.stdout


# Verify: deals that were drawn again


def annul(path, group: str, failed: str | None = None) -> None:
    """Move a group to the void games, as an organiser would that does not like its cards.

    `failed` is a traceback that is made up for its first game.
    """
    with Store(path) as store:
        fixtures = [store.record(game.id).fixture for game in store.games()]
    with sqlite3.connect(path) as base:
        for fixture in (each for each in fixtures if each.group == group):
            ((number, packed),) = base.execute(
                "SELECT number, packed FROM record JOIN game USING (number) WHERE id = ?", (fixture.id,)
            )
            words, failed = packed if failed is None else failed, None
            void = (fixture.id, fixture.group, fixture.lineup, fixture.attempt, words)
            base.execute("INSERT INTO void VALUES (?, ?, ?, ?, ?)", void)
            for table in ("game", "record"):
                base.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
    base.close()


def test_a_deal_that_was_drawn_again_is_named_with_its_reason(run, told, arena, plan_file, tmp_path):
    """A group without a failure is a problem; a failure that is made up is named, as it cannot be proven."""
    again = ("run", plan_file(PLAN), "--out", "run.db")
    group = "bot0 bot1 bot2 2"
    annul(tmp_path / "run.db", group)
    done = arena(*again)
    assert done.returncode == 1, "more than a share of the run is void"
    assert "3 of 15 games were void because the arena failed: more than 5%\n" in done.stderr
    assert "12 games in 4 seed groups" in done.stdout, "but the run is complete"
    told("reveal", "run.db", "--yes")
    done = told("verify", "run.db")
    assert done.exit_code == 1 and "12 games replayed, 0 with problems" in done.stdout
    assert f"seed group {group}: its deal 1 is void, and no game of it failed\n" in done.stdout
    words = "Traceback (most recent call last):\n  File x, line 3\nOSError: no\x1b[2J space left\n"
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("UPDATE void SET words = ? WHERE rowid = 1", (words,))
    base.close()
    done = told("verify", "run.db", "--format", "json")
    found = json.loads(done.stdout)
    (void,) = found["voids"]
    assert (void[0], void[2:4]) == (group, [0, 3]) and void[4] == ["OSError: no\\x1b[2J space left"]
    assert f"void: seed group {group}, deal 1, 3 of its games: OSError: no" in told("verify", "run.db").stdout
    assert found["run"] == ["3 of 15 games were void because the arena failed: more than 5%"]


def test_a_few_void_games_do_not_make_a_run_fail(run, told, tmp_path, monkeypatch):
    annul(tmp_path / "run.db", "bot0 bot1 bot2 3", "OSError: no space left")
    for share, status in ((0.24, 1), (0.25, 0)):  # 3 of 12 are void
        monkeypatch.setattr(voids, "MAX_VOID_SHARE", share)
        assert told("verify", "run.db").exit_code == status


def test_nothing_in_a_run_can_forge_a_line_of_the_verdict(run, told, tmp_path):
    """Values of the plan, and the group of a void game, come from the organiser."""
    forged = "\ncommitment: 935d"
    plan = facts_of(tmp_path / "run.db").plan
    change(tmp_path / "run.db", plan=plan | {"scoring": f"x{forged}", "groups": 5})
    with Store(tmp_path / "run.db", writer=True) as store:
        store.add_voids([VoidGame("f" * 16, f"bot0 bot1 bot2 0{forged}", "0" * 16, 0, f"x{forged}")])
    done = told("verify", "run.db")
    assert done.exit_code == 1
    assert forged.strip() in done.stdout and forged not in done.stdout


def test_the_record_of_a_void_deal_that_was_removed_is_missed(run, told, tmp_path):
    annul(tmp_path / "run.db", "bot0 bot1 bot2 3", "OSError: no space left")
    with sqlite3.connect(tmp_path / "run.db") as base:
        base.execute("UPDATE void SET attempt = 1")
    base.close()
    done = told("verify", "run.db")
    assert "seed group bot0 bot1 bot2 3 has lost the record of a deal that was void" in done.stdout


# Verify: what was changed after the commitment


def test_more_groups_another_rating_and_exclusions_are_told(run, told, arena, plan_file, tmp_path):
    """Groups until the table pleases; and a table that is made of the same games in another way."""
    plan = plan_file(PLAN.replace("groups: 4", "groups: 5") + "rating: {forfeits: exclude}\n")
    assert arena("run", plan, "--out", "run.db").returncode == 0
    told("exclude", "run.db", "bot1", "--why", "too strong")
    told("reveal", "run.db", "--yes")
    done = told("verify", "run.db")
    assert done.exit_code == 0
    for line in (
        "changed after the commitment: groups: 5, it was 4",
        "changed after the commitment: rating: forfeits: exclude, it was count",
        "excluded from the standings, after the commitment: bot1: too strong",
    ):
        assert line in done.stdout.splitlines()


@pytest.mark.parametrize(
    ("change_of", "words"),
    [
        (
            lambda plan: {"bots": {name: made for name, made in plan["bots"].items() if name != "bot2"}},
            "bot bot2",
        ),
        (lambda plan: {"groups": 3}, "groups: 4, not 3"),
        (lambda plan: {"options": plan["options"] | {"max_turns": 3}}, "options: "),
        (lambda plan: {"format": "adaptive"}, "format: round-robin, not adaptive"),
    ],
)
def test_a_plan_that_the_run_could_not_have_gone_on_with_is_named(run, told, tmp_path, change_of, words):
    plan = facts_of(tmp_path / "run.db").plan
    change(tmp_path / "run.db", plan=plan | change_of(plan))
    done = told("verify", "run.db")
    assert done.exit_code == 1
    assert f"the plan is not the committed one: the run began with {words}" in done.stdout


@pytest.mark.parametrize("keys", [{"groups": 10_000_000}, {"seats": [3, 2], "lineups": 10_000_000}])
def test_the_plan_of_a_stranger_does_not_keep_verification_busy(run, told, tmp_path, keys, monkeypatch):
    monkeypatch.setattr(closing, "MAX_MISSING", 100)
    change(tmp_path / "run.db", plan=facts_of(tmp_path / "run.db").plan | keys)
    done = told("verify", "run.db")
    assert "missing so far" in done.stdout


def test_a_plan_with_more_line_ups_than_can_be_listed_does_not_say_what_is_missing(run, told, tmp_path):
    plan = facts_of(tmp_path / "run.db").plan
    many = {f"b{number}": "f" for number in range(5000)}
    change(tmp_path / "run.db", plan=plan | {"bots": plan["bots"] | many, "lineups": 10_000_000})
    assert "omitted games cannot be seen: its plan" in told("verify", "run.db").stdout
