"""Builds of bots: once, one at a time, within the sandbox, and with a clear message where they fail."""

import fcntl
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from programs import built_by

from arena.config.document import ConfigError
from arena.programs.play import build as building
from arena.programs.play.build import build, run_builds
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import LIMITS_ONLY

pytestmark = pytest.mark.slow


def with_limit(sandbox, seconds):
    """The sandbox of a plan with `limits: {build: …}`."""
    return replace(sandbox, limits=replace(sandbox.limits, build=seconds))


def test_a_build_is_done_once(tier, tmp_path):
    bot = built_by(tmp_path, "echo built >> build/bot; echo x > $TMPDIR/x; ls /proc/self/fd >&2")
    build([bot], tier)
    build([bot], tier)
    assert (tmp_path / "build" / "bot").read_text() == "built\n"
    build([built_by(tmp_path, "echo again >> build/bot")], tier)
    assert (tmp_path / "build" / "bot").read_text() == "built\nagain\n"


@pytest.mark.skipif(not shutil.which("cargo"), reason="no Rust")
@pytest.mark.parametrize(
    "build_command", ["[rustc, -o, build/bot, main.rs]", "[cargo, build, --target-dir, build]"]
)
def test_rust_is_built_by_a_toolchain_of_rustup_too(tier, tmp_path, build_command):
    """The proxies of rustup, and the caches of cargo, are in a home that a build does not see."""
    (tmp_path / "main.rs").write_text('fn main() { println!("ok"); }\n')
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "bot"\nversion = "1.0.0"\n[[bin]]\nname = "bot"\npath = "main.rs"\n'
    )
    made = "build/bot" if "rustc" in build_command else "build/debug/bot"
    (tmp_path / "bot.yaml").write_text(f"build: {build_command}\nrun: [{made}]\n")
    build([read_bot(tmp_path, name="crab")], tier)
    assert subprocess.run([tmp_path / made], capture_output=True, text=True).stdout == "ok\n"


def test_two_arenas_do_not_build_one_bot_at_the_same_time(tier, tmp_path):
    script = "echo begins >> build/log; sleep 0.3; touch build/bot; echo ends >> build/log"
    bot = built_by(tmp_path, script)
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
    ],
)
def test_a_build_that_fails_says_why(tier, tmp_path, script, words):
    tier = with_limit(tier, 0.5)
    (tmp_path / "bot").mkdir()
    (tmp_path / "notes").write_text("not for builds")
    bot = built_by(tmp_path / "bot", script)
    for _ in range(2):
        with pytest.raises(ConfigError) as caught:
            build([bot], tier)
        assert words in str(caught.value)
    assert (tmp_path / "notes").read_text() == "not for builds"


def test_a_build_that_puts_a_link_in_place_of_its_folder_fails_then_and_later(tier, tmp_path):
    bot = built_by(tmp_path, "mkdir away; touch away/bot; rmdir build; ln -s away build")
    for words in ("it has put something at", "Not a directory: .*/build"):
        with pytest.raises(ConfigError, match=f"build failed: {words}"):
            build([bot], tier)
    assert os.listdir(tmp_path / "away") == ["bot"], "the arena has followed no link"


def test_all_builds_that_fail_are_told_at_once(tier, tmp_path):
    bots = []
    for name, script in (
        ("one", "exit 1"),
        ("two", "echo x > build/bot"),
        ("three", "echo no such >&2; exit 2"),
    ):
        (tmp_path / name).mkdir()
        bots.append(replace(built_by(tmp_path / name, script), name=name))
    with pytest.raises(ConfigError) as failure:
        build(bots, tier)
    assert failure.value.args == (
        f"{tmp_path}/one: build failed: exited with status 1",
        f"{tmp_path}/three: build failed: no such",
    )


def test_builds_run_in_parallel_and_say_what_is_built(tmp_path, monkeypatch):
    """Each of two builds waits until the other has begun."""
    monkeypatch.setattr(building, "_TELL_EVERY_S", 0.3)
    bots, told = [], []
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / name).mkdir()
        script = f"touch begun build/bot; until [ -e {tmp_path}/{other}/begun ]; do sleep 0.05; done; sleep 1"
        bots.append(replace(built_by(tmp_path / name, script), name=name))
    assert run_builds(bots, with_limit(LIMITS_ONLY, 60), jobs=2, tell=told.append) == {}
    assert told[:2] == [
        "building 2 bots: one, two",
        "still building 2 bots: one, two: 0 s of at most 1 min 0 s",
    ]
    assert run_builds(bots, LIMITS_ONLY, jobs=2, tell=told.append) == {} and told[-1] != told[0], (
        "built already"
    )


def test_an_interrupted_build_ends_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "_TELL_EVERY_S", 0.3)

    def interrupt(message):
        if message.startswith("still"):
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_builds([built_by(tmp_path, "sleep 1000")], LIMITS_ONLY, tell=interrupt)
    assert time.monotonic() - began < 60


def test_a_build_waits_for_a_locked_folder_only_so_long(tmp_path):
    lock = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(ConfigError, match="locked by another process"):
        build([built_by(tmp_path, "echo x > build/bot")], with_limit(LIMITS_ONLY, 0.2))
    os.close(lock)


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda folder: folder.write_text("x"), "Not a directory"),
        (
            lambda folder: (folder.mkdir(), (folder / ".fingerprint").write_bytes(b"\xff")),
            "exited with status 1",
        ),
        (lambda folder: folder.symlink_to("nowhere"), "Not a directory"),
    ],
    ids=["a file", "no text", "a link"],
)
def test_whatever_lies_where_a_build_writes_is_no_traceback(tmp_path, prepare, words):
    prepare(tmp_path / "build")
    with pytest.raises(ConfigError, match=f"build failed: .*{words}"):
        build([built_by(tmp_path, "exit 1")], LIMITS_ONLY)


def test_no_file_is_removed_or_read_through_a_link(tmp_path):
    """A build begins with the removal of the fingerprint of the build before."""
    entry, other = tmp_path / "entry", tmp_path / "other"
    for folder in (entry, other):
        folder.mkdir()
    (other / ".fingerprint").write_text("of another")
    bot = built_by(entry, "exit 1")
    (entry / "build").symlink_to(other)
    with pytest.raises(ConfigError, match="Not a directory"):
        build([bot], LIMITS_ONLY)
    assert (other / ".fingerprint").read_text() == "of another"


@pytest.mark.parametrize("words", ["no-such-compiler, bot.c", "{other}, bot.c"])
def test_a_build_without_its_program_fails_alone(tmp_path, words):
    """Builds of other bots go on."""
    (tmp_path / "private").mkdir()
    shutil.copy(shutil.which("true"), tmp_path / "private" / "cc")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = built_by(tmp_path / "one", ""), built_by(tmp_path / "two", "touch build/bot")
    one = replace(one, name="one", build=tuple(words.format(other=tmp_path / "private" / "cc").split(", ")))
    failed = run_builds([one, two], LIMITS_ONLY)
    assert list(failed) == ["one"]
    assert "not found on this machine" in failed["one"][0] or "share it by the plan" in failed["one"][0]


def test_a_build_may_not_fill_the_disk(tier, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "LIMITS", replace(building.LIMITS, disk=2**20))
    (tmp_path / "weights").write_bytes(b"x" * 2**21)  # what was there before does not count
    build([built_by(tmp_path, "cp /bin/true build/bot")], tier)
    script = "for n in $(seq 9); do head -c 500000 /dev/zero > build/$n; done; sleep 9"
    with pytest.raises(ConfigError, match="build failed: wrote more than 1 MB"):
        build([built_by(tmp_path, script)], tier)


def test_a_build_in_a_box_has_no_network_and_sees_nothing_else(box, tmp_path):
    (tmp_path / "secret").write_text("secret")
    own = tmp_path / "own"
    own.mkdir()
    check = f"[ -e {tmp_path}/secret ] && exit 3; grep -q : /proc/net/dev; wc -l < /proc/net/dev > build/bot"
    build([built_by(own, check)], box)
    assert (own / "build" / "bot").read_text().strip() == "3", "two lines of head, and the loop to itself"
