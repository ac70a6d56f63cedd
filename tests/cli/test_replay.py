"""`arena list` and `replay` find games, `reveal` closes a run, and `export` writes the games."""

import csv
import io
import json
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest
from samples import FIRST
from stored_runs import random_record, write_run

from arena.cli.list import games_that_fit
from arena.tournament.runs import store
from arena.tournament.runs.layouts import Layout
from arena.tournament.runs.store import Store

CHANGED = "f2bob" + "0" * 11  # the fingerprint of the second version of bob
SEATS = "ann bob cat", "bob cat ann", "cat ann bob"
COMMITTED = {
    **{"game": "intrigue", "version": 1, "options": {}, "seats": [3], "format": "round-robin"},
    **{"clock": {}, "bots": {}},
}


@pytest.fixture(autouse=True)
def records(tmp_path):
    """A run of 12 games of three bots: every third has a fault, and after the first 6 `bob` was changed."""
    made = [random_record(n, SEATS[n % 3].split(), "intrigue", faulty=n % 3 == 0) for n in range(12)]
    for number, record in enumerate(made[6:], 6):
        prints = tuple(CHANGED if name == "bob" else f"f{name}" for name in record.fixture.bots)
        made[number] = replace(record, fixture=replace(record.fixture, fingerprints=prints))
    write_run(tmp_path / "run.db", made)
    write_run(tmp_path / "one.db", made[:1])
    write_run(tmp_path / "none.db", [])
    (tmp_path / "stranger.sh").write_text(FIRST)
    return made


def rows(told, *filters: str) -> list[dict]:
    found = json.loads(told("list", "run.db", *filters, "--format", "json"))
    lines = told("list", "run.db", *filters).splitlines()
    games = [line for line in lines if line[:7].strip()]  # without the lines of faults below them
    assert [line.split()[:2] for line in games] == [[str(row["number"]), row["game"]] for row in found]
    return found


# A list of games


def test_every_game_has_its_number_bots_versions_and_result(told, records):
    found = rows(told)
    assert [row["number"] for row in found] == list(range(1, 13))
    for row, record in zip(found, records, strict=True):
        assert row["game"] == record.fixture.id and tuple(row["bots"]) == record.fixture.bots
        assert tuple(row["versions"]) == record.fixture.fingerprints
        assert tuple(row["places"]) == record.result[0] and row["faults"] == len(record.faults)
    lines = told("list", "run.db").splitlines()
    assert sum("bob@fbob " in f"{line} " for line in lines) == 6, "an old version has its fingerprint"
    assert sum(line.endswith("faults 1") for line in lines) == 4


def test_games_of_a_bot_or_version_that_it_won_or_lost_or_had_a_fault_in(told, records):
    games = rows(told)

    def place(row: dict) -> int:
        return row["places"][row["bots"].index("bob")]

    assert rows(told, "bob") == games
    assert [row["number"] for row in rows(told, "bob@f2bob0")] == list(range(7, 13))
    assert len(rows(told, "bob@fbob")) == 6
    assert rows(told, "--only", "faults") == [row for row in games if row["faults"]]
    culprits = {made.fixture.id: made.fixture.bots[made.faults[0].seat] for made in records if made.faults}
    for name in ("ann", "bob", "cat"):
        expected = [row for row in games if culprits.get(row["game"]) == name]
        assert rows(told, name, "--only", "faults") == expected
    assert rows(told, "bob", "--only", "lost") == [row for row in games if place(row) > 1] != []
    won = [row for row in games if place(row) == 1 and set(row["places"]) != {1}]
    assert rows(told, "bob", "--only", "won") == won != []


def test_the_list_of_faults_has_the_command_that_shows_each_of_them(told, records, tmp_path):
    """For the shell, whatever the run is called."""
    for name, quoted in {"it's my run.db": """'it'"'"'s my run.db'""", "-o.db": "./-o.db"}.items():
        (tmp_path / "run.db").rename(tmp_path / name) if (tmp_path / "run.db").exists() else None
        write_run(tmp_path / name, records)
        lines = told("list", "--only", "faults", "--", name).splitlines()
        assert len(lines) == 3 * 4
        for row, fault, command in zip(*[iter(lines)] * 3, strict=True):
            assert command.startswith(f"          arena replay {quoted} {row.split()[1]} --seat p")
            seat, kind = command.split()[-1], fault.split()[2]
            assert fault.startswith(f"        {seat} ") and fault.endswith(f" {kind} 1:")
        told(*shlex.split(command)[1:])


# A game


def test_a_game_is_found_by_its_number_or_the_beginning_of_its_id_or_as_the_only_one(told, records):
    ids = [made.fixture.id for made in records]
    for words in (["run.db", 5], ["run.db", ids[4]], ["run.db", ids[4][:9]]):
        assert json.loads(told("replay", *words, "--format", "json"))["id"] == ids[4]
    assert json.loads(told("replay", "one.db", "--format", "json"))["id"] == ids[0]


def test_the_formats_of_a_game(told):
    heard = told("replay", "run.db", 2, "--seat", "p2").splitlines()
    assert all(line.startswith(("< ", "> ", "# ")) for line in heard)
    assert json.loads(told("replay", "run.db", 2, "--seat", "p2", "--format", "json")) == heard
    assert told("replay", "run.db", 2).startswith("intrigue: p1 bob  p2 cat  p3 ann\n")
    said = "p2:\n  Traceback\n  ValueError: <b> is no card\n"
    assert told("replay", "run.db", 2, "--format", "stderr") == said
    assert told("replay", "run.db", 2, "--format", "stderr", "--seat", "p2") == said
    assert told("replay", "run.db", 2, "--format", "stderr", "--seat", "p1") == ""


def test_the_input_of_a_bot_makes_it_answer_as_it_did(told, first_bot):
    """Fed to the bot again, as in a debugger, it gives the recorded answers."""
    told("play", "intrigue", first_bot, first_bot, first_bot, "--record", "played.db")
    read = told("replay", "played.db", "--seat", "p2", "--format", "input")
    assert read.startswith("ask 1 hello 10000 version=1 : ok\ngame ") and read.endswith("\n")
    said = subprocess.run(["sh", first_bot], input=read, capture_output=True, text=True).stdout
    answers = [line.split()[1] for line in said.splitlines()]
    recorded = told("replay", "played.db", "--seat", "p2").splitlines()
    assert answers == ["ok", "ok", *(line[2:] for line in recorded if line.startswith("> "))]


# Mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("list run.db bib", "run.db: no bot 'bib'; did you mean bob?"),
        ("list run.db bob@0", "run.db: no bot 'bob@0'; did you mean bob@"),
        ("list run.db --only won", "--only won needs a BOT after the RUN; see arena list --help"),
        ("list run.db bob --only drawn", "'drawn' is not one of 'faults', 'won', 'lost'"),
        ("replay run.db", "run.db: which GAME? arena list run.db shows them"),
        ("replay none.db", "none.db: no game was played yet"),
        ("replay run.db 0", "no game 0; games are numbered 1 to 12"),
        ("replay run.db 13", "no game 13; games are numbered 1 to 12"),
        ("replay run.db 90000", "no game 90000; games are numbered 1 to 12"),
        ("replay run.db zz", "no games match 'zz'; games are numbered 1 to 12"),
        ("replay run.db 1234567890123456", "no games match '1234567890123456'"),
        ("replay run.db 1 --format input", "--format input needs --seat"),
        *(
            (f"replay run.db 1 --seat p9 --format {form}", "--seat: no seat p9; seats are p1 to p3")
            for form in ("text", "json", "input", "stderr")
        ),
        ("rehearse run.db 1 run.db --seat p9", "--seat: no seat p9; seats are p1 to p3"),
        ("rehearse run.db 13 stranger.sh", "no game 13; games are numbered 1 to 12"),
        ("reveal none.db", "none.db: no game was played yet"),
        ("reveal run.db", "run.db: no secret; single games show their own seeds"),
        ("export run.db --format csv --entries", "--entries needs --format jsonl"),
    ],
)
def test_a_mistake_gets_one_line(refused, words, message):
    assert message in refused(*words.split())


# Reveal


@pytest.mark.slow
@pytest.mark.terminal
@pytest.mark.parametrize(("answer", "is_closed"), [("y", True), ("n", False), ("", False), ("C-c", False)])
def test_reveal_asks_before_it_closes_a_run(terminal, tmp_path, answer, is_closed):
    with Store(tmp_path / "run.db", writer=True) as run:
        run.write_facts(replace(run.facts, secret="x", committed=COMMITTED, commitment="c"))
    seat = terminal("reveal", "run.db")
    seat.wait(lambda screen: "Close run.db for good? No more games can be played. [y/N]:" in screen)
    seat.press(*filter(None, [answer]), *["Enter"] * (answer != "C-c"))
    screen = seat.wait(lambda screen: "\nstatus " in screen)
    assert screen.endswith("status 0" if is_closed else "status 1")
    assert ("nothing was changed" in screen) != is_closed
    with Store(tmp_path / "run.db") as run:
        assert run.facts.revealed == is_closed


# Export


def exported(told) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(told("export", "run.db", "--format", "csv"))))


def test_csv_has_scores_options_lengths_and_times(told, records):
    by_id = {record.fixture.id: record for record in records}
    lines = exported(told)
    assert len(lines) == 12 * 3
    for line in lines:
        record, seat = by_id[line["game"]], int(line["seat"]) - 1
        assert int(line["score"]) == record.result[1][seat]
        assert int(line["faults"]) == sum(fault.seat == seat for fault in record.faults)
        assert int(line["replies"]) == len(record.replies)
        assert float(line["seconds"]) == record.trace["seconds"]
        assert float(line["thought_ms"]) == sum(record.trace["microseconds"][seat][1:]) / 1000
        options = dict(word.split("=") for word in line["options"].split())
        assert options.keys() == record.fixture.options.keys()
    line = lines[1]
    heard = told("replay", "run.db", line["game"], "--seat", f"p{line['seat']}").splitlines()
    assert int(line["asks"]) == sum(each.startswith("< ask ") for each in heard)


def test_csv_has_the_seeds_once_the_run_is_closed(told, records, tmp_path):
    with Store(tmp_path / "run.db", writer=True) as run:
        run.write_facts(replace(run.facts, secret="x", committed=COMMITTED, commitment="c"))
    assert {line["seed"] for line in exported(told)} == {""}
    told("reveal", "run.db", "--yes")
    seeds = {record.fixture.id: record.fixture.seed for record in records}
    assert all(line["seed"] == seeds[line["game"]] != "" for line in exported(told))


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
    *_, head, bad, dead, rest, _ = done.stderr.splitlines()
    assert head == "12 faults; each command shows the first game with such a fault:"
    assert bad.startswith("  bad illegal 9: arena replay '") and dead.startswith(
        "  dead crashed 3: arena replay '"
    )
    assert rest.startswith("all games with faults: arena list '") and rest.endswith("run.db' --only faults")
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


def test_no_command_reads_more_games_than_it_needs(told, records, summaries_read, tmp_path):
    id = records[6].fixture.id
    assert told("replay", "run.db", "7") == told("replay", "run.db", id[:9])
    assert set(summaries_read) == {id}
    summaries_read.clear()
    with Store(tmp_path / "run.db") as run:
        next(games_that_fit(run, None, None))
    assert len(summaries_read) == 2, "a list is printed while it is read"


def test_a_game_keeps_its_number_while_the_run_goes_on(told, tmp_path):
    """The second group of games was played first: the list is in the order of play."""
    records = [random_record(number, ("ann", "bob")) for number in (5, 4, 3)]
    numbers = []
    for count in (2, 3):
        write_run(tmp_path / "more.db", records[:count])
        found = json.loads(told("list", "more.db", "--format", "json"))
        numbers.append({row["game"]: row["number"] for row in found})
    assert numbers[0].items() <= numbers[1].items()
    assert list(numbers[1].values()) == [1, 2, 3]
