"""Which tier a run has, what it says about it, what bots see of its limits, and what the doctor finds."""

import json
import os
import shutil
import sys
import tomllib
from importlib.util import find_spec

import pytest
from programs import fixture, heard, misbehaving_bot, play, raw, table_with, words
from samples import CHECKOUT

from arena.cli.doctor import EXTRAS
from arena.config.document import ConfigError
from arena.config.values import MB
from arena.programs.machine import arena_build
from arena.programs.reading import bot_from_command
from arena.programs.sandbox.policy import LIMITS_ONLY, bubblewrap_problem, choose, userns_advice
from arena.referee.conditions import Limits

pytestmark = pytest.mark.slow


PYTHON_FOLDER = os.path.dirname(sys.executable)


@pytest.fixture
def without_bwrap(monkeypatch):
    """A $PATH with nothing in it but this Python."""
    monkeypatch.setenv("PATH", PYTHON_FOLDER)
    bubblewrap_problem.cache_clear()
    yield
    bubblewrap_problem.cache_clear()


def test_without_bubblewrap_the_tier_is_limits_and_says_how_to_get_more(without_bwrap):
    chosen = choose(Limits())
    assert chosen.tier == "limits"
    assert chosen.summary.startswith(
        "sandbox: limits, for bots that you trust; not promised: modes in builds, "
    )
    assert chosen.summary.endswith("a stronger one: bubblewrap is not installed: apt-get install bubblewrap")


def test_a_plan_that_asks_for_limits_is_not_told_of_more():
    assert "stronger" not in choose(Limits(), "limits").summary


@pytest.mark.parametrize(("wanted", "required"), [("bubblewrap", "limits"), ("auto", "bubblewrap")])
def test_a_machine_that_offers_less_is_refused(without_bwrap, wanted, required):
    with pytest.raises(ConfigError, match="bubblewrap is not installed: apt-get install bubblewrap"):
        choose(Limits(), wanted, required)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo bubblewrap 0.6.1", "bubblewrap 0.6.1 is too old, 0.8 is needed: apt-get install bubblewrap"),
        (
            "[ $1 = --version ] && echo bubblewrap 0.8.0 && exit; echo 'bwrap: No permissions' >&2; exit 1",
            "bubblewrap does not work here (bwrap: No permissions): ",
        ),
    ],
)
def test_a_bubblewrap_that_is_old_or_does_not_work(monkeypatch, tmp_path, script, words):
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bubblewrap_problem.cache_clear()
    try:
        assert bubblewrap_problem().startswith(words)
        assert choose(Limits()).tier == "limits"
    finally:
        bubblewrap_problem.cache_clear()


@pytest.mark.parametrize(
    ("script", "words", "advice"),
    [
        ("", "is not installed", "apt-get install bubblewrap"),
        ("echo bubblewrap 0.4.1", "0.4.1 is too old, 0.8 is needed", "apt-get install bubblewrap"),
        (
            "[ $1 = --version ] && echo bubblewrap 0.8.0 && exit; echo 'bwrap: No permissions' >&2; exit 1",
            "does not work here (bwrap: No permissions)",
            userns_advice(),
        ),
    ],
)
def test_the_doctor_separates_the_problem_from_the_advice(arena, tmp_path, script, words, advice):
    (tmp_path / "bin").mkdir()
    if script:
        (tmp_path / "bin" / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / "bwrap").chmod(0o755)
    env = {"PATH": str(tmp_path / "bin")}
    found = {each["name"]: each for each in json.loads(arena("doctor", "--format", "json", env=env).stdout)}
    assert found["bubblewrap"] == {"name": "bubblewrap", "found": words, "good": False, "advice": advice}
    assert found["sandbox"]["found"].startswith("limits, for bots that you trust")
    assert all(len(line) <= 80 for line in arena("doctor", env=env).stdout.splitlines())


def test_a_run_says_its_tier_in_one_line(arena, plan_file):
    done = arena("run", plan_file("sandbox: limits\nseats: 2\nseed: 1\ngroups: 1\n", bots=2))
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if line.startswith("sandbox: ")] == [
        LIMITS_ONLY.summary
    ]


def test_a_run_is_refused_where_the_plan_requires_more(arena, plan_file, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    done = arena("run", plan_file("require: bubblewrap\n"), env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "arena: the plan needs the sandbox bubblewrap, and this machine has none; "
        "bubblewrap is not installed: apt-get install bubblewrap"
    ]


def test_other_limits_are_another_tournament(arena, plan_file):
    keys = "seats: 2\nseed: 1\ngroups: 1\nsandbox: limits\n"
    arena("run", plan_file(keys, bots=2), "--out", "run.db")
    done = arena("run", plan_file(f"{keys}limits: {{processes: 9}}\n", bots=2), "--out", "run.db")
    assert done.returncode == 2
    assert "the run began with limits:" in done.stderr


@pytest.mark.sandbox
def test_a_whole_run_in_boxes(arena, plan_file, tmp_path):
    """One of the bots is a command, with its file on a crooked way."""
    (tmp_path / "here").mkdir()
    plan = plan_file("require: bubblewrap\nseats: 2\nseed: 1\ngroups: 1\n")
    plan.write_text(plan.read_text() + "  crooked: {run: [sh, here/../first.sh]}\n")
    done = arena("run", plan)
    assert done.returncode == 0, done.stderr
    assert "sandbox: bubblewrap" in done.stderr
    assert "0 faults" in done.stdout


def test_the_doctor_says_what_is_there(arena):
    findings = {each["name"]: each for each in json.loads(arena("doctor", "--format", "json").stdout)}
    assert findings["system"]["good"]
    assert findings["cores"]["found"].partition(",")[0].isdecimal()  # then the CPU, if it is known
    assert findings["cc"]["good"] == bool(shutil.which("cc"))
    assert findings["sandbox"]["good"] == (not bubblewrap_problem())


def test_the_doctor_says_what_is_compiled_and_which_extras_are_there(arena):
    findings = {each["name"]: each for each in json.loads(arena("doctor", "--format", "json").stdout)}
    assert findings["arena"]["found"].endswith(arena_build())
    assert ("ARENA_COMPILE=1" in findings["arena"]["advice"]) == (arena_build() == "interpreted")
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {*EXTRAS} == extras.keys() - {"docs", "test"}
    for extra, (package, _) in EXTRAS.items():
        assert findings[f"extra {extra}"]["good"] == bool(find_spec(package))


def test_the_doctor_says_how_to_install_what_is_missing(arena):
    done = arena("doctor", env={"PATH": PYTHON_FOLDER})
    assert done.returncode == 0
    assert "--  bubblewrap       is not installed  -> apt-get install bubblewrap" in done.stdout
    assert "-> apt-get install gcc" in done.stdout


def test_the_doctor_says_if_rustup_has_no_toolchain(arena, tmp_path):
    (tmp_path / "rustup").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "rustup").chmod(0o755)
    (tmp_path / "cargo").symlink_to("rustup")
    found = json.loads(
        arena("doctor", "--format", "json", env={"PATH": f"{tmp_path}:{PYTHON_FOLDER}"}).stdout
    )
    (cargo,) = [each for each in found if each["name"] == "cargo"]
    assert (cargo["good"], cargo["advice"]) == (False, "rustup default stable")


def test_limits_as_a_bot_sees_them(tier):
    names = "r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_MEMLOCK"
    start = f"import resource as r\nprint([r.getrlimit(x)[1] for x in ({names})], file=sys.stderr)"
    record = play(misbehaving_bot(start=start), sandbox=tier)
    assert heard(record, 1) == f"[0, {16 * MB}, 128, 0]\n"


NODE = """
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "ask") console.log(words[1], words[words.indexOf(":") + 1]);
});
"""

JAVA = """
import java.util.*;
public class Main {
    public static void main(String[] none) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            List<String> w = Arrays.asList(lines.nextLine().split(" "));
            if (w.get(0).equals("ask")) System.out.println(w.get(1) + " " + w.get(w.indexOf(":") + 1));
        }
    }
}
"""


@pytest.mark.parametrize(("command", "file", "text"), [("node", "bot.js", NODE), ("java", "Main.java", JAVA)])
def test_interpreters_start_with_the_default_limits(tier, tmp_path, command, file, text):
    if not (found := shutil.which(command)):
        pytest.skip(f"no {command}")
    (tmp_path / file).write_text(text)
    bot = bot_from_command("misbehaving", [found, file], tmp_path)
    record = play(bot, sandbox=tier, move=2, start=20)
    assert record.faults == ()


def test_a_command_that_no_system_takes(tier):
    with table_with(raw("/bin/sh", "-c", "zero \0 byte"), sandbox=tier) as table:
        record = table.play(fixture("one", "misbehaving"))
        assert words(record) == "cannot be started: embedded null byte"
        assert table.play(fixture("one", "two")).faults == ()
