"""Which tier a run has, what it says about it, builds within it, and what the doctor finds."""

import fcntl
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from arena.core.bot import Bot, bot_from_path
from arena.core.config import ConfigError
from arena.core.installation import installation, required_paths
from arena.core.limits import Limits
from arena.play import build as building
from arena.play.build import build
from arena.sandbox.policy import LIMITS_ONLY, bubblewrap_problem, choose, userns_advice

pytestmark = pytest.mark.slow  # real processes, most of them up to no good

HERE = os.path.dirname(sys.executable)


@pytest.fixture
def without_bwrap(monkeypatch):
    """A $PATH with nothing in it but this Python."""
    monkeypatch.setenv("PATH", HERE)
    bubblewrap_problem.cache_clear()
    yield
    bubblewrap_problem.cache_clear()


# The tier


def test_without_bubblewrap_the_tier_is_limits_and_says_how_to_get_more(without_bwrap):
    chosen = choose(Limits())
    assert chosen.tier == "limits"
    assert chosen.summary.startswith(
        "sandbox: limits, for bots that you trust; not promised: sight of processes, "
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


# Where programs live


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("/opt/node/bin/node", "/opt/node"),
        ("/opt/tools/program", "/opt/tools/program"),
        ("/bin/sh", "/bin/sh"),
        (f"{Path.home()}/bin/program", f"{Path.home()}/bin/program"),
        (f"{Path.home()}/.local/bin/program", f"{Path.home()}/.local/bin/program"),
        (f"{Path.home()}/.nvm/node/bin/node", f"{Path.home()}/.nvm/node"),
    ],
)
def test_an_installation_is_shown_whole_but_never_a_home(program, found):
    assert installation(Path(program)) == Path(found)


def test_an_installation_with_bots_in_it_is_not_shown_whole():
    assert installation(Path("/opt/bin/a"), [Path("/opt/bin/a")]) == Path("/opt/bin/a")
    assert installation(Path("/opt/bin/tool"), [Path("/opt/entries/a")]) == Path("/opt/bin/tool")


def test_the_interpreter_of_a_script_is_found(tmp_path):
    script = tmp_path / "bot"
    script.write_text(f"#!{sys.executable} -I\n")
    script.chmod(0o755)
    assert Path(sys.base_prefix) in required_paths([str(script)])


def test_a_version_manager_is_asked_once_where_the_interpreter_is(tmp_path, monkeypatch):
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (shims / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{shims}:{os.environ['PATH']}")
    (tmp_path / "bot.yaml").write_text("run: [python3, bot.py]\n")
    assert bot_from_path(None, tmp_path).command == (sys.executable, "bot.py")


# Builds


def bot_with(folder: Path, script: str) -> Bot:
    (folder / "bot.yaml").write_text("build: [sh, make.sh]\nrun: [build/bot]\n")
    (folder / "make.sh").write_text(script)
    return bot_from_path("built", folder)


def test_a_build_is_done_once(tier, tmp_path):
    bot = bot_with(tmp_path, "echo built >> build/bot; echo x > $TMPDIR/x; ls /proc/self/fd >&2")
    build([bot], tier)
    build([bot], tier)
    assert (tmp_path / "build" / "bot").read_text() == "built\n"
    build([bot_with(tmp_path, "echo again >> build/bot")], tier)
    assert (tmp_path / "build" / "bot").read_text() == "built\nagain\n"


def test_two_arenas_do_not_build_one_bot_at_the_same_time(tier, tmp_path):
    script = "echo begins >> build/log; sleep 0.3; touch build/bot; echo ends >> build/log"
    bot = bot_with(tmp_path, script)
    with ThreadPoolExecutor() as threads:
        list(threads.map(lambda _: build([bot], tier), range(2)))
    assert (tmp_path / "build" / "log").read_text() == "begins\nends\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'bot.c:1: no such thing' >&2; exit 1", "build failed: bot.c:1: no such thing"),
        ("exit 3", "build failed: exited with status 3"),
        ("head -c 9999 /dev/zero | tr '\\0' x; echo; echo y; exit 1", f"build failed: {'x' * 200} | y"),
        ("kill -SEGV $$", "build failed: killed by SIGSEGV"),
        ("sleep 1000 & sleep 1000", "build failed: took longer than 0.5 s"),
        ("printf '\\033[31mred\\n' >&2; exit 1", "build failed: \\x1b[31mred"),
        ("mkdir -p build/bot", "build failed: it has not made"),
        ("touch build/bot; mkdir -p build/.fingerprint", "build failed: it has put something at"),
        ("touch build/bot; ln -sf ../../notes build/.fingerprint", "build failed: it has put something at"),
        (
            "mkdir -p away; touch away/bot; rmdir build; ln -sfn away build",
            "build failed: it has put something at",
        ),
    ],
)
def test_a_build_that_fails_says_why(tier, tmp_path, monkeypatch, script, words):
    monkeypatch.setattr(building, "TIMEOUT_S", 0.5)
    (tmp_path / "bot").mkdir()
    (tmp_path / "notes").write_text("not for builds")
    bot = bot_with(tmp_path / "bot", script)
    for _ in range(2):
        with pytest.raises(ConfigError) as caught:
            build([bot], tier)
        assert words in str(caught.value)
    assert (tmp_path / "notes").read_text() == "not for builds"


def test_all_builds_that_fail_are_told_at_once(tier, tmp_path):
    bots = []
    for name, script in (
        ("one", "exit 1"),
        ("two", "echo x > build/bot"),
        ("three", "echo no such >&2; exit 2"),
    ):
        (tmp_path / name).mkdir()
        bots.append(bot_with(tmp_path / name, script))
    with pytest.raises(ConfigError) as failure:
        build(bots, tier)
    assert failure.value.args == (
        f"{tmp_path}/one: build failed: exited with status 1",
        f"{tmp_path}/three: build failed: no such",
    )


def test_a_build_waits_for_a_locked_folder_only_so_long(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "TIMEOUT_S", 0.2)
    lock = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(ConfigError, match="locked by another process"):
        build([bot_with(tmp_path, "echo x > build/bot")], LIMITS_ONLY)
    os.close(lock)


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda folder: folder.write_text("x"), "File exists"),
        (
            lambda folder: (folder.mkdir(), (folder / ".fingerprint").write_bytes(b"\xff")),
            "exited with status 1",
        ),
        (lambda folder: folder.symlink_to("nowhere"), "File exists"),
    ],
    ids=["a file", "no text", "a link"],
)
def test_whatever_lies_where_a_build_writes_is_no_traceback(tmp_path, prepare, words):
    prepare(tmp_path / "build")
    with pytest.raises(ConfigError, match=f"build failed: .*{words}"):
        build([bot_with(tmp_path, "exit 1")], LIMITS_ONLY)


def test_a_build_may_not_fill_the_disk(tier, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "LIMITS", replace(building.LIMITS, disk=2**20))
    (tmp_path / "weights").write_bytes(b"x" * 2**21)  # what was there before does not count
    build([bot_with(tmp_path, "cp /bin/true build/bot")], tier)
    script = "for n in $(seq 9); do head -c 500000 /dev/zero > build/$n; done; sleep 9"
    with pytest.raises(ConfigError, match="build failed: wrote more than 1 MB"):
        build([bot_with(tmp_path, script)], tier)


def test_a_build_in_a_box_has_no_network_and_sees_nothing_else(box, tmp_path):
    (tmp_path / "secret").write_text("secret")
    own = tmp_path / "own"
    own.mkdir()
    check = f"[ -e {tmp_path}/secret ] && exit 3; grep -q : /proc/net/dev; wc -l < /proc/net/dev > build/bot"
    build([bot_with(own, check)], box)
    assert (own / "build" / "bot").read_text().strip() == "3", "two lines of head, and the loop to itself"


# The doctor


def test_the_doctor_says_what_is_there(arena):
    findings = {each["name"]: each for each in json.loads(arena("doctor", "--format", "json").stdout)}
    assert findings["system"]["good"]
    assert findings["cores"]["found"].isdecimal()
    assert findings["cc"]["good"] == bool(shutil.which("cc"))
    assert findings["sandbox"]["good"] == (not bubblewrap_problem())


def test_the_doctor_says_how_to_install_what_is_missing(arena):
    done = arena("doctor", env={"PATH": HERE})
    assert done.returncode == 0
    assert "--  bubblewrap       is not installed  -> apt-get install bubblewrap" in done.stdout
    assert "-> apt-get install gcc" in done.stdout
