"""The folder of a contest: what `arena contest init` writes, and moments with their time zones."""

from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner
from contest_folders import put_settings
from contests import DEADLINE, new_contest

from arena.cli import main
from arena.config.document import ConfigError
from arena.contest.contest import deadline, open_contest
from arena.contest.moments import read_moment, show_moment
from arena.tournament.plan.load import load_terms

MOMENTS = {
    "2026-12-01 18:00 Europe/Paris": ("2026-12-01 18:00 Europe/Paris", "2026-12-01T17:00"),
    "2026-07-01 18:00:30 Europe/Paris": ("2026-07-01 18:00:30 Europe/Paris", "2026-07-01T16:00:30"),
    "2026-12-01T18:00+01:00": ("2026-12-01 18:00 +01:00", "2026-12-01T17:00"),
    "2026-12-01 9:00 UTC": ("2026-12-01 09:00 UTC", "2026-12-01T09:00"),
    "2026-12-01T18:00:00Z": ("2026-12-01 18:00 UTC", "2026-12-01T18:00"),
}
NO_MOMENTS = {
    "2026-12-01 18:00": "has no time zone; should be a time with its zone, such as",
    "2026-12-01": "should be a time with its zone",
    "tomorrow": "should be a time with its zone",
    "2026-13-01 18:00 Europe/Paris": "month must be in 1..12",
    "2026-12-01 25:00 Europe/Paris": "hour must be in 0..23",
    "2026-12-01 18:00 Mars/Olympus": "there is no time zone Mars/Olympus",
    "2026-12-01 18:00 Europe": "there is no time zone Europe",
    "2026-10-25 02:30 Europe/Paris": "comes twice in Europe/Paris",
    "0001-01-01 00:00 Asia/Tokyo": "the year should be from 2000 to 2999, not 1",
    "0226-12-01T18:00+01:00": "the year should be from 2000 to 2999, not 226",
    "2027-03-28 02:30 Europe/Paris": "does not exist in Europe/Paris",
}


@pytest.mark.parametrize("text", MOMENTS)
def test_a_moment_has_a_zone(text):
    shown, in_utc = MOMENTS[text]
    moment = read_moment(text)
    assert show_moment(moment) == shown
    assert moment == datetime.fromisoformat(in_utc).replace(tzinfo=UTC)
    assert read_moment(shown) == moment


@pytest.mark.parametrize("text", NO_MOMENTS)
def test_what_is_no_moment_is_refused_with_a_reason(text):
    with pytest.raises(ValueError) as raised:
        read_moment(text)
    assert NO_MOMENTS[text] in str(raised.value) and "\n" not in str(raised.value)


def run(*words):
    result = CliRunner().invoke(main, ["contest", *map(str, words)])
    return result.exit_code, result.output


def test_the_freeze_that_init_suggests_can_be_used(tmp_path):
    run("init", tmp_path / "spring", "--deadline", DEADLINE)
    path = tmp_path / "spring" / "contest.yaml"
    path.write_text(path.read_text().replace("# freeze:", "freeze:"))
    keys = open_contest(tmp_path / "spring").keys
    assert keys.freeze and keys.deadline - keys.freeze == timedelta(hours=1)


def test_init_writes_files_for_people_and_a_secret_for_nobody(tmp_path):
    assert run("init", tmp_path / "spring", "--deadline", DEADLINE)[0] == 0
    found = open_contest(tmp_path / "spring")
    assert found.keys.title == "Contest spring"
    assert show_moment(found.keys.deadline) == DEADLINE
    assert load_terms(found.ladder).names_by_folder and load_terms(found.final).format.name == "round-robin"
    assert DEADLINE not in found.rules.read_text(), "the organiser may extend it; the first page shows it"
    assert found.secret.stat().st_mode & 0o777 == 0o600 and len(found.secret.read_text().strip()) == 64
    assert found.server.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "deadline, why",
    [
        ("2026-12-01 18:00", "--deadline: 2026-12-01 18:00 has no time zone"),
        ("2020-12-01 18:00 UTC", "--deadline: 2020-12-01 18:00 UTC is in the past"),
        ("2036-12-01 18:00 Europa/Paris", "there is no time zone Europa/Paris"),
    ],
)
def test_init_refuses_a_deadline_in_one_line(tmp_path, deadline, why):
    status, said = run("init", tmp_path / "new", "--deadline", deadline)
    assert (status, said.count("\n")) == (2, 1) and why in said
    assert not (tmp_path / "new").exists()


def test_init_wants_a_new_folder(tmp_path):
    (tmp_path / "mine.txt").touch()
    status, said = run("init", tmp_path, "--deadline", DEADLINE)
    assert status == 2 and "is not empty; a contest needs a new folder" in said


@pytest.mark.parametrize(
    "line, why",
    [
        ("deadline: 2036-12-01 18:00", "contest.yaml:2:1: deadline: 2036-12-01 18:00 has no time zone"),
        ("deadline: 2036-12-01T18:00:00", "contest.yaml:2:1: deadline: 2036-12-01T18:00:00 has no time zone"),
        (f"deadline: {DEADLINE}\nfreez: 1", "contest.yaml:3:1: freez: unknown key; did you mean freeze?"),
        (f"deadline: {DEADLINE}\nfreeze: {DEADLINE}", "freeze: should be before the deadline"),
        (f"deadline: {DEADLINE}\nentries: open", "entries: should be 'private' or 'published', not 'open'"),
        ("", "deadline: is missing"),
    ],
)
def test_a_mistake_in_contest_yaml_has_its_place(tmp_path, line, why):
    (tmp_path / "contest.yaml").write_text(f"title: Spring\n{line}\n")
    with pytest.raises(ConfigError) as raised:
        open_contest(tmp_path)
    assert why in str(raised.value)


def test_yaml_may_read_a_moment_itself(tmp_path):
    (tmp_path / "contest.yaml").write_text("title: Spring\ndeadline: 2036-12-01T18:00:00+01:00\n")
    assert show_moment(open_contest(tmp_path).keys.deadline) == "2036-12-01 18:00 +01:00"


def test_another_folder_is_no_contest(tmp_path):
    status, said = run("serve", tmp_path)
    assert status == 2 and "not the folder of a contest; make one by arena contest init" in said


def test_an_extended_deadline_replaces_that_of_the_file(tmp_path):
    found = new_contest(tmp_path / "spring")
    database = found.database()
    put_settings(database, deadline=datetime(2037, 1, 1, 12, tzinfo=UTC))
    assert show_moment(deadline(found, database)) == "2037-01-01 12:00 UTC"


def test_a_contest_needs_a_box_unless_its_plan_does_without(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.programs.sandbox.policy.bubblewrap_problem", lambda: "it is not installed")
    found = new_contest(tmp_path / "spring")
    plan = found.ladder.read_text().replace("require: bubblewrap\n", "")
    found.ladder.write_text(plan)
    status, said = run("serve", found.folder, "--port", 0)
    assert status == 2 and "the plan needs the sandbox bubblewrap, and this machine has none" in said
    found.ladder.write_text(f"{plan}require: limits\n")
    assert open_contest(found.folder).sandbox.tier == "limits"


def test_a_damaged_database_is_named_before_anything_is_started(tmp_path, refused):
    found = new_contest(tmp_path / "spring", *(f"ada{number}" for number in range(300)))
    path = found.server / "contest.db"
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    for words in (
        ("serve", "spring", "--port", 0),
        ("entrant", "spring", "bob"),
        ("token", "spring", "ada1"),
    ):
        said = refused("contest", *words)
        assert said.startswith(f"arena: {path}: is damaged: ") and said.count("\n") == 1
