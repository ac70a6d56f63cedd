"""`arena replay` finds games, and `arena export` writes them; neither ignores an option."""

import csv
import io
import json
import shlex
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from samples import FIRST
from stored_runs import random_record, write_run

from arena.cli import main
from arena.cli.replay_list import listed
from arena.results import store
from arena.results.layouts import Layout
from arena.results.store import Store

PLAN = "game: intrigue\nseats: 3\ngroups: 2\nseed: 1\nbots: {first: first.sh, other: other.sh, bad: bad.sh}\n"
BAD = FIRST.replace('echo "$id $1"', 'echo "$id ${1}x"')  # never a legal answer, so it forfeits each game


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of 12 games of three bots: after the first 6, `other` was changed."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "first.sh").write_text(FIRST)
    (folder / "bad.sh").write_text(
        BAD.replace("ask)", 'ask) case $rest in hello*|ready*) echo "$id ok"; continue;; esac;')
    )
    (folder / "plan.yaml").write_text(PLAN)
    for version in "12":
        (folder / "other.sh").write_text(f"# version {version}\n{FIRST}")
        command = [sys.executable, "-m", "arena", "run", "plan.yaml", "--out", "run.db"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder / "run.db"


@pytest.fixture
def told(finished, tmp_path, monkeypatch):
    """Runs a command of `arena` on a copy of this run, in this process."""
    shutil.copy(finished, tmp_path)
    (tmp_path / "stranger.sh").write_text(FIRST)
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> str:
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def rows(told, *filters: str) -> list[dict]:
    found = json.loads(told("replay", "run.db", *filters, "--format", "json"))
    lines = told("replay", "run.db", *filters).splitlines()
    games = [line for line in lines if line[:7].strip()]  # without the lines of faults below them
    assert [line.split()[:2] for line in games] == [[str(row["number"]), row["game"]] for row in found]
    return found


def place(row: dict, bot: str) -> int:
    return row["places"][row["bots"].index(bot)]


# A list of games


def test_every_game_has_its_number_bots_versions_and_result(told):
    found = rows(told)
    assert [row["number"] for row in found] == list(range(1, 13))
    versions = {row["versions"][row["bots"].index("other")] for row in found}
    assert len(versions) == 2
    lines = told("replay", "run.db").splitlines()
    for row, line in zip(found, lines, strict=True):
        names = [word.partition("@")[0] for word in line.split()[3 : 3 + 2 * 3 : 2]]
        assert names == row["bots"] and line.endswith(f"faults {row['faults']}")
    assert sum("other@" in line for line in lines) == 6, "an old version has its fingerprint, as in the table"


def test_games_of_one_bot_that_it_won_or_lost_or_had_a_fault_in(told):
    games = rows(told)
    assert rows(told, "--bot", "bad") == games
    assert rows(told, "--bot", "bad", "--faults") == rows(told, "--faults") == games
    assert rows(told, "--bot", "first", "--faults") == []
    assert rows(told, "--bot", "bad", "--lost") == [row for row in games if place(row, "bad") > 1] != []
    assert rows(told, "--bot", "first", "--won") == [row for row in games if place(row, "first") == 1] != []
    assert rows(told, "--bot", "bad", "--won") == []


def test_a_bot_stands_for_all_of_its_versions_unless_one_is_named(told):
    games = rows(told, "--bot", "other")
    assert len(games) == 12
    for version in {row["versions"][row["bots"].index("other")] for row in games}:
        assert len(rows(told, "--bot", f"other@{version[:6]}")) == 6


def test_the_number_in_a_list_is_that_of_the_game(told):
    row = rows(told, "--bot", "first", "--won")[-1]
    shown = json.loads(told("replay", "run.db", row["number"], "--format", "json"))
    assert shown["id"] == row["game"]
    assert json.loads(told("replay", "run.db", row["game"], "--format", "json")) == shown


def test_a_short_number_is_a_number_even_if_an_id_begins_with_it(told, refused, tmp_path):
    with Store(tmp_path / "run.db") as store:
        ids = [game.id for game in store.summaries()]
    digits = [id[0] for id in ids if id[0].isdecimal()] + ["9"]
    for digit in digits:
        wanted = f"{digit}0000"[: 1 if digit == "0" else 5]
        assert f"no game {wanted}; games are numbered 1 to 12" in refused("replay", "run.db", wanted)
    (letter,) = [id for id in ids if id[:2] == ids[0][:2] or id == ids[0]][:1]
    assert json.loads(told("replay", "run.db", letter, "--format", "json"))["id"] == letter


# Faults


def test_the_list_of_faults_has_the_command_that_shows_each_of_them(told, tmp_path):
    """For the shell, whatever the run is called."""
    names = {"run.db": "run.db", "it's my run.db": """'it'"'"'s my run.db'""", "-o.db": "./-o.db"}
    for name, quoted in names.items():
        shutil.copy(tmp_path / "run.db", tmp_path / name) if name != "run.db" else None
        lines = told("replay", "--faults", "--", name).splitlines()
        assert len(lines) == 3 * 12
        for row, fault, command in zip(*[iter(lines)] * 3, strict=True):
            assert command.startswith(f"          arena replay {quoted} {row.split()[1]} --seat p")
            seat = command.split()[-1]
            assert fault == f"        {seat} bad illegal 3:"
        shown = told(*shlex.split(command)[1:]).splitlines()
        assert sum(line.startswith("< error illegal ") for line in shown) == 3


# What a bot read


def test_the_input_of_a_bot_makes_it_answer_as_it_did(told, tmp_path):
    """Fed to the bot again, as in a debugger, it gives the recorded answers."""
    (tmp_path / "first.sh").write_text(FIRST)
    for row in rows(told)[:3]:
        seat = f"p{row['bots'].index('first') + 1}"
        read = told("replay", "run.db", row["number"], "--seat", seat, "--input")
        assert read.startswith("ask 1 hello 10000 version=1 : ok\ngame ") and read.endswith("\n")
        said = subprocess.run(["sh", "first.sh"], input=read, capture_output=True, text=True).stdout
        answers = [line.split()[1] for line in said.splitlines()]
        recorded = told("replay", "run.db", row["number"], "--seat", seat).splitlines()
        assert answers == ["ok", "ok", *(line[2:] for line in recorded if line.startswith("> "))]


# No option is ignored


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("replay run.db --seat p1", "--seat does not apply to a list of games; add the number of a game"),
        ("replay run.db --input", "--input needs --seat"),
        ("replay run.db --seat p1 --input", "--seat does not apply to a list of games; add the number"),
        ("replay run.db 1 --input", "--input needs --seat"),
        ("replay run.db 1 --seat p1 --input --stderr", "--stderr does not apply to --input"),
        ("replay run.db 1 --seat p1 --input --format json", "--format does not apply to --input"),
        ("replay run.db 1 --seat p9 --input", "--seat: no seat p9; seats are p1 to p3"),
        ("replay run.db --against first.sh", "--against does not apply to a list of games; add the number"),
        ("replay run.db 1 --against none.sh", "none.sh: no such bot"),
        ("replay run.db 1 --against run.db", "run.db: not executable"),
        ("replay run.db 1 --against run.db --input", "--input does not apply to --against"),
        ("replay run.db 1 --against run.db --stderr", "--stderr does not apply to --against"),
        ("replay run.db 1 --against run.db --seat p9", "--seat: no seat p9; seats are p1 to p3"),
        (
            "replay run.db 1 --against stranger.sh",
            "--against: no seat is called stranger; choose one with --seat: p1 ",
        ),
        ("replay run.db 1 --files run.db", "--files needs --against"),
        ("replay run.db 1 --bot first", "the argument GAME does not apply to a list of games"),
        ("replay run.db --bot first --stderr", "--stderr does not apply to a list of games"),
        ("replay run.db --bot frist", "--bot: no bot 'frist'; did you mean first?"),
        ("replay run.db --bot first@0", "--bot: no bot 'first@0'; did you mean first@"),
        ("replay run.db --won", "--won and --lost need --bot, and exclude each other"),
        ("replay run.db --bot first --won --lost", "--won and --lost need --bot, and exclude each other"),
        ("replay run.db 1 --verify", "the argument GAME does not apply to --verify"),
        ("replay run.db --faults --verify", "--faults does not apply to --verify"),
        ("replay run.db 0", "no game 0; games are numbered 1 to 12"),
        ("replay run.db 13", "no game 13; games are numbered 1 to 12"),
        ("replay run.db zz", "no games match 'zz'; games are numbered 1 to 12"),
        ("replay run.db 1234567890123456", "no games match '1234567890123456'"),
        ("export run.db --format csv --entries", "--entries does not apply to --format csv"),
    ],
)
def test_what_would_be_ignored_is_refused(told, refused, words, message):
    assert message in refused(*words.split())


# Export


def exported(told) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(told("export", "run.db", "--format", "csv"))))


def test_csv_has_scores_options_lengths_and_times(told, tmp_path):
    with Store(tmp_path / "run.db") as store:
        records = {game.id: store.record(game.id) for game in store.summaries()}
    lines = exported(told)
    assert len(lines) == 12 * 3
    for line in lines:
        record, seat = records[line["game"]], int(line["seat"]) - 1
        assert int(line["score"]) == record.result[1][seat]
        assert int(line["faults"]) == (3 if line["bot"] == "bad" else 0)
        assert int(line["replies"]) == len(record.replies)
        assert float(line["seconds"]) == record.trace["seconds"]
        assert float(line["thought_ms"]) == sum(record.trace["microseconds"][seat][1:]) / 1000
        options = dict(word.split("=") for word in line["options"].split())
        assert options.keys() == record.fixture.options.keys()


def test_csv_counts_the_asks_of_each_seat(told):
    line = exported(told)[1]
    heard = told("replay", "run.db", line["game"], "--seat", f"p{line['seat']}").splitlines()
    assert int(line["asks"]) == sum(each.startswith("< ask ") for each in heard)


def test_csv_has_the_seeds_once_the_run_is_closed(told, tmp_path):
    assert {line["seed"] for line in exported(told)} == {""}
    told("replay", "run.db", "--reveal")
    with Store(tmp_path / "run.db") as store:
        seeds = {game.id: store.record(game.id).fixture.seed for game in store.summaries()}
    assert all(line["seed"] == seeds[line["game"]] != "" for line in exported(told))


def test_figures_in_csv_have_all_digits(told):
    """As in JSON: people read 33.3 %, programs 0.333333."""
    (found,) = json.loads(told("table", "behaviour", "run.db", "--format", "json"))
    plain = {row["bot"]: row for row in found["behaviour"]}
    lines = csv.DictReader(io.StringIO(told("table", "behaviour", "run.db", "--format", "csv")))
    for line in lines:
        row = plain[line["bot"]]
        assert line == {"game": "intrigue"} | {
            name: "" if value is None else str(value) for name, value in row.items()
        }


# The end of a run


@pytest.mark.slow
def test_a_run_ends_with_the_commands_that_show_its_faults(arena, tmp_path):
    folder = tmp_path / "it's mine"
    folder.mkdir()
    (folder / "good.sh").write_text(FIRST)
    deeds = {"bad": 'echo "$id ${1}x"; echo oh >&2', "dead": "exit 3"}
    for name, deed in deeds.items():
        ready = 'case $rest in hello*|ready*) echo "$id ok"; continue;; esac'
        (folder / f"{name}.sh").write_text(
            FIRST.replace("ask)", f"ask) {ready};").replace('echo "$id $1"', deed)
        )
    (folder / "plan.yaml").write_text(
        "game: intrigue\nseats: 3\ngroups: 1\nseed: 1\nbots: [good.sh, bad.sh, dead.sh]\n"
    )
    done = arena("run", folder / "plan.yaml", "--out", folder / "run.db")
    assert done.returncode == 0, done.stderr
    *_, head, bad, dead, rest = done.stderr.splitlines()
    assert head == "12 faults; each command shows the first game with such a fault:"
    assert bad.startswith("  bad illegal 9: arena replay '") and dead.startswith(
        "  dead crashed 3: arena replay '"
    )
    assert rest.startswith("all games with faults: arena replay '") and rest.endswith("run.db' --faults")
    program = f'arena() {{ "{sys.executable}" -m arena "$@"; }}; '
    for line, expected in ((bad, "# stderr: oh"), (dead, "< error crashed exited with status 3"), (rest, "")):
        command = program + line.partition(": ")[2]
        shown = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
        assert not expected or expected in shown.splitlines()


# Large runs


@pytest.fixture
def summaries_read(monkeypatch):
    """The ids of the games that were read from the table of games, in chunks of two."""
    read: list[str] = []
    summary = Layout.summary
    monkeypatch.setattr(store, "CHUNK", 2)
    monkeypatch.setattr(Layout, "summary", lambda self, row: read.append(row[1]) or summary(self, row))
    return read


def test_a_game_is_found_by_its_number_or_id_without_reading_the_others(told, summaries_read):
    game = rows(told)[6]["game"]
    summaries_read.clear()
    assert told("replay", "run.db", "7", "--format", "json") == told(
        "replay", "run.db", game[:9], "--format", "json"
    )
    assert summaries_read == [game]


def test_the_list_is_printed_while_it_is_read(told, summaries_read, tmp_path):
    with Store(tmp_path / "run.db") as run:
        games = listed(run, None, False, False, False)
        next(games)
        assert len(summaries_read) == 2


def test_a_game_keeps_its_number_while_the_run_goes_on(tmp_path, monkeypatch):
    """The second group of games was played first: the list is in the order of play."""
    monkeypatch.chdir(tmp_path)
    records = [random_record(number, ("ann", "bob")) for number in (5, 4, 3)]
    numbers = []
    for count in (2, 3):
        write_run(tmp_path / "run.db", records[:count])
        done = CliRunner().invoke(main, ["replay", "run.db", "--format", "json"])
        numbers.append({row["game"]: row["number"] for row in json.loads(done.stdout)})
    assert numbers[0].items() <= numbers[1].items()
    assert list(numbers[1].values()) == [1, 2, 3]
