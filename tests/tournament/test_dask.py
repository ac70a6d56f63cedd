"""Runs on real Dask clusters: the same records as on one machine, whatever dies on the way."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from clusters import dask_cluster
from programs import PLAIN, games_in

from arena.tournament.engine.dask_worker import IDLE_S

pytestmark = [pytest.mark.slow, pytest.mark.alone]

ARENA_RUN = [sys.executable, "-m", "arena", "run"]

COUNTER = """
import sys
sys.path.append(sys.argv[1])
import choose
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], choose.option(words[words.index(":") + 1 :]), flush=True)
"""
"""A bot that plays by a shared module, whose folder is in its command."""

IN_C = """
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[20000], id[20], option[200];
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "ask %19s", id) == 1 && sscanf(strstr(line, " : ") + 3, "%199s", option) == 1) {
            printf("%s %s\\n", id, option);
            fflush(stdout);
        }
}
"""


def write_plan(folder: Path, groups: int = 25, more: str = "") -> Path:
    """A plan of three deterministic bots: one is built, one has a shared file, one is a program."""
    built, by_module, shared = folder / "bots" / "built", folder / "bots" / "by_module", folder / "shared"
    for each in (built, by_module, shared):
        each.mkdir(parents=True, exist_ok=True)
    (built / "bot.c").write_text(IN_C)
    (built / "make.sh").write_text("#!/bin/sh\nexec cc -o build/bot bot.c\n")
    (built / "make.sh").chmod(0o755)
    (built / "bot.yaml").write_text("build: [./make.sh]\nrun: [build/bot]\n")
    (by_module / "bot.py").write_text(COUNTER)
    (by_module / "bot.yaml").write_text(
        f"run: [{sys.executable}, bot.py, ../../shared]\nfiles: [../../shared]\n"
    )
    (shared / "choose.py").write_text("def option(options):\n    return options[-1]\n")
    first = folder / "bots" / "first.sh"
    first.write_text(f"#!/bin/sh\n{PLAIN}\n")
    first.chmod(0o755)
    plan = folder / "plan.yaml"
    bots = "  built: bots/built\n  by_module: bots/by_module\n  first: bots/first.sh\n"
    head = f"game: complots\nseats: 2\ngroups: {groups}\nseed: 7\nclock: {{move: 5s, start: 20s}}\n"
    plan.write_text(f"{head}files: [shared]\n{more}bots:\n{bots}")
    return plan


def begin(plan: Path, engine: str = "dask", *words: object) -> subprocess.Popen[bytes]:
    """`arena run` on a cluster as a process of its own; what it says is added to a file."""
    with (plan.parent / "said.txt").open("a") as said:
        return subprocess.Popen(
            [*ARENA_RUN, plan, "--out", plan.parent / "run.db", "--engine", engine, *map(str, words)],
            stdout=said,
            stderr=said,
            cwd=plan.parent,
        )


def said(plan: Path) -> str:
    return (plan.parent / "said.txt").read_text()


def until(condition, process: subprocess.Popen[bytes], plan: Path, within: float = 90) -> None:
    end = time.monotonic() + within
    while not condition():
        assert process.poll() is None, said(plan)
        assert time.monotonic() < end, said(plan)
        time.sleep(0.02)


def table(arena, run: str) -> str:
    return arena("table", run, "--format", "json").stdout


@pytest.mark.compiler
def test_a_cluster_of_this_machine_gives_the_same_records(arena, tmp_path, kin):
    plan = write_plan(tmp_path)
    assert arena("run", plan, "--out", "here.db").returncode == 0
    done = arena("run", plan, "--out", "dask.db", "--engine", "dask", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert len(arena("export", "here.db").stdout.splitlines()) == 150
    assert arena("export", "dask.db").stdout == arena("export", "here.db").stdout
    assert table(arena, "dask.db") == table(arena, "here.db")
    assert psutil.wait_procs(kin(), timeout=5)[1] == []


@pytest.mark.compiler
def test_a_comparison_on_a_cluster_plays_the_same_games(arena, tmp_path):
    write_plan(tmp_path)
    words = ("compare", "bots/first.sh", "bots/built", "--max-groups", "20", "--move", "5s", "--seed", "7")
    here = arena(*words, "--out", "here.db")
    there = arena(*words, "--out", "dask.db", "--engine", "dask", "--jobs", "2")
    assert here.returncode == there.returncode in (0, 1, 3), there.stderr
    assert there.stdout == here.stdout
    assert arena("export", "dask.db").stdout == arena("export", "here.db").stdout


def test_a_ladder_on_a_cluster_plays_all_of_its_games(arena, tmp_path):
    write_plan(tmp_path)
    plan = tmp_path / "ladder.yaml"
    plan.write_text(
        "game: complots\nseats: 2\nformat: ladder\ngames: 40\nbots: bots\nfiles: [shared]\n"
        "clock: {move: 5s, start: 20s}\n"
    )
    done = arena("run", plan, "--out", "run.db", "--engine", "dask", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert games_in(tmp_path / "run.db") == 40


def dask_workers(coordinator: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The Dask workers of a coordinator, which are its children, also those that are still starting."""
    found = []
    with suppress(psutil.Error):
        for child in psutil.Process(coordinator.pid).children():
            with suppress(psutil.Error):
                if "spawn_main" in " ".join(child.cmdline()):
                    found.append(child)
    return found


@pytest.mark.compiler
def test_400_games_with_a_worker_killed_again_and_again_and_the_coordinator_once(arena, tmp_path, kin):
    """Every game is recorded once, and the table is the same as without."""
    plan = write_plan(tmp_path, groups=67)  # 402 games
    assert arena("run", plan, "--out", "whole.db").returncode == 0
    moments, process, kills, was_killed = random.Random(5), begin(plan, "dask", "--jobs", "4"), 0, False
    end, due = time.monotonic() + 300, 1  # how many games there are when the next worker is killed
    until(lambda: games_in(tmp_path / "run.db"), process, plan)
    while process.poll() is None:
        assert time.monotonic() < end, said(plan)
        games = games_in(tmp_path / "run.db")
        if not was_killed and games > 150:
            process.kill()
            process.wait()
            was_killed = True
            process = begin(plan, "dask", "--jobs", "4")
        with suppress(psutil.Error):
            workers = [worker for worker in dask_workers(process) if worker.children()]
            if workers and games >= due:
                moments.choice(workers).kill()
                kills, due = kills + 1, games + 50
        time.sleep(0.1)
    assert process.returncode == 0, said(plan)
    assert was_killed and kills >= 3
    whole = arena("export", "whole.db").stdout
    assert len(set(whole.splitlines())) == 402
    assert arena("export", "run.db").stdout == whole
    assert table(arena, "run.db") == table(arena, "whole.db")
    assert "Traceback" not in said(plan)
    assert psutil.wait_procs(kin(), timeout=5)[1] == []


def test_a_worker_that_cannot_give_the_sandbox_that_the_plan_requires_gets_no_games(arena, tmp_path):
    """Nor does one with two threads. A good worker that joins later plays all games."""
    plan = write_plan(tmp_path, groups=5, more="require: bubblewrap\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "cc", "ld", "as"):
        (tools / name).symlink_to(shutil.which(name))
    with dask_cluster(tmp_path) as cluster:
        cluster.worker("unfit", PATH=str(tools))
        done = arena("run", plan, "--out", "run.db", "--engine", cluster.address)
        assert done.returncode == 2
        assert "gets no games: the plan needs the sandbox bubblewrap" in done.stderr.splitlines()[-1]
        cluster.worker("threads", "--nthreads", "2")
        process = begin(plan, cluster.address)
        assert process.wait(60) == 2
        assert "it has 2 threads; start it with --nthreads 1" in said(plan)
        cluster.worker("good")
        done = arena("run", plan, "--out", "run.db", "--engine", cluster.address)
        assert done.returncode == 0, done.stderr
    assert games_in(tmp_path / "run.db") == 30


@pytest.mark.compiler
def test_a_worker_without_a_compiler_is_unfit_and_no_bot_loses_for_it(arena, tmp_path):
    plan = write_plan(tmp_path, groups=30, more="sandbox: limits\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to(shutil.which("sh"))
    with dask_cluster(tmp_path) as cluster:
        cluster.worker("poor", PATH=str(tools), TMPDIR=str(tools))
        words = ("run", plan, "--out", "run.db", "--engine", cluster.address)
        done = arena(*words)
        assert done.returncode == 2
        assert "build failed" in done.stderr
        cluster.worker("good")
        done = arena(*words)
        assert done.returncode == 0, done.stderr
        assert (
            f"bot built: build failed: {tmp_path}/bots/built/make.sh: 2: exec: cc: not found" in done.stderr
        )
    assert arena("run", plan, "--out", "here.db").returncode == 0
    assert arena("export", "run.db").stdout == arena("export", "here.db").stdout


def test_a_scheduler_that_dies_ends_the_run_with_a_line_and_the_run_resumes(arena, tmp_path, kin):
    """The first worker joins when the run has begun, the second in the middle."""
    plan = write_plan(tmp_path, groups=400)
    store = tmp_path / "run.db"
    with dask_cluster(tmp_path) as cluster:
        process = begin(plan, cluster.address)
        until(lambda: "waiting for workers" in said(plan), process, plan)
        cluster.worker("worker0")
        until(lambda: games_in(store) > 20, process, plan)
        cluster.worker("worker1")
        until(lambda: games_in(store) > 200, process, plan)
        cluster.scheduler.kill()
        assert process.wait(60) == 1
    last = said(plan).splitlines()[-1]
    assert last.startswith(f"arena: the Dask scheduler {cluster.address} no longer answers"), said(plan)
    assert "Traceback" not in said(plan)
    before = games_in(store)
    with dask_cluster(tmp_path, workers=1) as cluster:
        process = begin(plan, cluster.address)
        until(lambda: games_in(store) > before + 50, process, plan)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130, said(plan)
        assert f"resume with: arena run {plan} --out {store} --engine {cluster.address}" in said(plan)
    assert psutil.wait_procs(kin(), timeout=10)[1] == []


@pytest.mark.skipif(
    not Path("/usr/sbin/sshd").is_file(), reason="no ssh server: apt-get install openssh-server"
)
def test_workers_started_by_ssh_as_on_the_page_about_clusters(arena, tmp_path, kin):
    """A server for ssh on this machine stands for another host."""
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name]
        subprocess.run(command, check=True)
    (tmp_path / "authorized").write_text((tmp_path / "user.pub").read_text())
    Path("/run/sshd").mkdir(exist_ok=True)
    port = free_port()
    options = {
        "HostKey": tmp_path / "host",
        "AuthorizedKeysFile": tmp_path / "authorized",
        "StrictModes": "no",
        "ListenAddress": "127.0.0.1",
        "Port": port,
        "PidFile": "none",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    server = subprocess.Popen(
        ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", *words], stderr=subprocess.DEVNULL
    )
    ssh = ["ssh", "-p", str(port), "-i", str(tmp_path / "user"), "-o", "StrictHostKeyChecking=no"]
    ssh += ["-o", "UserKnownHostsFile=/dev/null", "-tt", "127.0.0.1"]
    plan = write_plan(tmp_path)
    try:
        with dask_cluster(tmp_path) as cluster:
            remote = (
                f"{sys.executable} -m dask worker {cluster.address} --nthreads 1 --nworkers 2 --no-dashboard"
            )
            with (tmp_path / "ssh.log").open("w") as log:
                worker = subprocess.Popen([*ssh, remote], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            done = arena("run", plan, "--out", "run.db", "--engine", cluster.address)
            assert done.returncode == 0, done.stderr
            worker.terminate()
            worker.wait()
    finally:
        server.terminate()
        server.wait()
    assert arena("run", plan, "--out", "here.db").returncode == 0
    assert arena("export", "run.db").stdout == arena("export", "here.db").stdout
    assert psutil.wait_procs(kin(), timeout=15)[1] == []


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


DEADLY = """
import os
import signal
from pathlib import Path

from driving import game_of, relay

async def deadly(ring, options):
    if ring.seats == 3 and not Path(__file__).with_name("cured").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return await relay(ring, options)

GAME = game_of(deadly)
"""
"""A game that kills the process that plays it at a table of three."""


def test_games_that_kill_their_workers_are_named_and_set_aside_and_a_resume_plays_them(arena, tmp_path):
    info = tmp_path / "site" / "deadly-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\ndeadly = deadly:GAME\n")
    (tmp_path / "site" / "deadly.py").write_text(DEADLY)
    helpers = Path(__file__).parent.parent / "helpers"
    installed = os.environ | {"PYTHONPATH": f"{tmp_path / 'site'}:{helpers}"}
    plan = write_plan(tmp_path, groups=2)
    plan.write_text(plan.read_text().replace("game: complots\nseats: 2", "game: deadly\nseats: [2, 3]"))
    words = ("run", plan, "--out", "run.db", "--engine", "dask", "--jobs", "2")
    done = arena(*words, env=installed)
    assert done.returncode == 1, done.stderr
    assert games_in(tmp_path / "run.db") == 12
    last, resume = done.stderr.splitlines()[-2:]
    assert last.startswith("6 games were set aside, because each killed 4 workers: "), done.stderr
    assert all(last.count(name) == 6 for name in ("built", "by_module", "first"))
    assert resume == f"resume with: arena run {plan} --out run.db --engine dask"
    assert "Traceback" not in done.stderr
    (tmp_path / "site" / "cured").touch()
    done = arena(*words, env=installed)
    assert done.returncode == 0, done.stderr
    assert games_in(tmp_path / "run.db") == 18


@pytest.mark.compiler
def test_a_coordinator_that_is_killed_is_followed_by_another_on_the_same_workers(arena, tmp_path, kin):
    """What the first has left on the workers ends by itself, while the workers live on."""
    plan = write_plan(tmp_path, groups=60)
    store = tmp_path / "run.db"
    with dask_cluster(tmp_path, workers=2) as cluster:
        process = begin(plan, cluster.address)
        until(lambda: games_in(store) > 50, process, plan)
        process.kill()
        process.wait()
        assert games_in(store) < 360
        process = begin(plan, cluster.address)
        assert process.wait(100) == 0, said(plan)
        end = time.monotonic() + IDLE_S + 10
        while any("arena.programs.sandbox.supervisor" in " ".join(command_of(each)) for each in kin()):
            assert time.monotonic() < end
            time.sleep(0.2)
    assert arena("run", plan, "--out", "here.db").returncode == 0
    assert arena("export", "run.db").stdout == arena("export", "here.db").stdout


def command_of(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def test_mistakes_get_one_line(arena, tmp_path, plan_file):
    plan = plan_file()
    nobody = arena("run", plan, "--engine", "tcp://127.0.0.1:9")
    assert nobody.returncode == 2
    assert nobody.stderr.startswith("arena: --engine tcp://127.0.0.1:9: no Dask scheduler answers there")
    assert len(nobody.stderr.splitlines()) == 1
    for words, why in (
        (("--engine", "dsk"), "should be local, dask, or an address such as tcp://host:8786, not 'dsk'"),
        (("--engine", "tcp://127.0.0.1:9", "--jobs", "2"), "--jobs does not apply"),
    ):
        done = arena("run", plan, *words)
        assert (done.returncode, why in done.stderr) == (2, True)
