"""Builds change no files but those of their entry, and leave nothing there that gives rights to others."""

import os
import stat
from pathlib import Path

import pytest
from programs import built_by

from arena.config.document import ConfigError
from arena.config.values import MB
from arena.programs.play.build import build
from arena.programs.sandbox import client
from arena.programs.sandbox.linux.folders import MAX_PATH, take_rights
from arena.referee.conditions import Limits

SHELL = "cp /bin/sh build/bot; "


def python_script(code: str) -> str:
    return f"touch build/bot; python3 -c 'import os, socket, stat; {code}'"


def failure(bot, sandbox) -> str:
    """What is said of a build that fails."""
    with pytest.raises(ConfigError) as caught:
        build([bot], sandbox)
    return str(caught.value).partition(": ")[2]


EXITED = """
touch build/bot
exec python3 -c '
import os, time
for _ in range(900):
    os.fork() or os._exit(0)
if os.fork() == 0:
    held = b"x" * 400_000_000
    time.sleep(20)
time.sleep(20)'
"""


@pytest.mark.slow
@pytest.mark.attack("use too much memory")
def test_a_build_hides_no_memory_behind_children_that_have_exited(tier, tmp_path, monkeypatch):
    monkeypatch.setattr("arena.programs.play.build.LIMITS", Limits(memory=256 * MB, processes=256))
    assert failure(built_by(tmp_path, EXITED), tier).endswith(": used more than 256 MB of memory")


@pytest.mark.slow
@pytest.mark.attack("leave set-ID files, devices or sockets")
@pytest.mark.parametrize(
    "script",
    [
        f"{SHELL}chmod 4755 build/bot",
        f"{SHELL}chmod 2755 build/bot",
        f"{SHELL}chmod 7777 build",
        "cp -p /usr/bin/passwd build/bot",
        "mknod build/bot c 0 0",
        "mknod build/bot b 8 0",
        python_script('os.fchmod(os.open("build/bot", os.O_RDONLY), 0o4755)'),
        python_script('os.open("build/x", os.O_CREAT, 0o4755)'),
        python_script('os.open("build/x", os.O_CREAT, 0o2755)'),
        python_script('os.open("build", os.O_TMPFILE | os.O_WRONLY, 0o4755)'),
        python_script('os.mkdir("build/x", 0o4755)'),
        python_script('os.mknod("build/x", 0o4755)'),
        python_script('os.mknod("build/x", stat.S_IFSOCK | 0o755)'),
        python_script('socket.socketpair()[0].bind("build/x")'),
        python_script(
            'os.setxattr("build/bot", "security.capability", bytes.fromhex("01000002") + bytes(16))'
        ),
    ],
)
def test_the_system_refuses_a_build_what_would_give_rights(closed, tmp_path, script):
    """A build fails where it tries: nothing is there for the moment until the arena looks."""
    assert (
        "not permitted" in (said := failure(built_by(tmp_path, f"set -e; {script}"), closed))
        or "denied" in said
    )
    assert take_rights(str(tmp_path)) == []


@pytest.mark.slow
@pytest.mark.attack("leave set-ID files, devices or sockets")
@pytest.mark.parametrize("end", ["", "; exit 1"])
def test_without_a_filter_the_arena_takes_them_away_before_anything_runs(tier, tmp_path, monkeypatch, end):
    without = "from arena.programs.sandbox.linux import seccomp; seccomp.load = lambda: None; from arena"
    monkeypatch.setattr(client, "PROGRAM", client.PROGRAM.replace("from arena", without, 1))
    bot = built_by(tmp_path, f"{SHELL}chmod 4755 build/bot{end}")
    expected = "exited with status 1" if end else "it has left a set-user-ID file: build/bot"
    assert failure(bot, tier) == f"build failed: {expected}"
    assert stat.S_IMODE((tmp_path / "build" / "bot").stat().st_mode) == 0o755


@pytest.mark.slow
def test_a_build_changes_the_modes_of_its_own_files(closed, tmp_path):
    build([built_by(tmp_path, f"{SHELL}chmod 700 build/bot; chmod 755 make.sh; mkfifo build/pipe")], closed)
    assert stat.S_IMODE((tmp_path / "make.sh").stat().st_mode) == 0o755


@pytest.mark.slow
def test_tools_set_the_group_bit_of_folders_in_a_folder_that_has_it(closed, tmp_path):
    tmp_path.chmod(0o2755)
    script = f"set -e; {SHELL}mkdir build/x; chmod 750 build/x; cp -r build/x build/y; cp -a build/x build/z"
    build([built_by(tmp_path, script)], closed)
    for name in "xyz":
        assert stat.S_IMODE((tmp_path / "build" / name).stat().st_mode) == 0o2750
    assert failure(built_by(tmp_path, f"{SHELL}chmod 2755 build/bot"), closed) == (
        "build failed: it has left a set-group-ID file: build/bot"
    )


@pytest.mark.slow
@pytest.mark.attack("change modes of files in its build")
@pytest.mark.parametrize("path", ["/usr/bin/env", "/proc/self/fd", "/tmp", "{beside}"])
def test_a_build_in_a_box_changes_the_modes_of_no_other_files(box, tmp_path, path):
    """In limits it may: Landlock does not cover modes, and a filter sees no paths."""
    (tmp_path / "entry").mkdir()
    (beside := tmp_path / "beside").write_text("x")
    before = [os.stat(each).st_mode for each in ("/usr/bin/env", "/tmp", beside)]
    failure(built_by(tmp_path / "entry", f"chmod -v 777 {path.format(beside=beside)} && exit 7"), box)
    assert [os.stat(each).st_mode for each in ("/usr/bin/env", "/tmp", beside)] == before


def test_what_gives_rights_is_taken_from_a_folder(tmp_path):
    """What the arena does by itself, where no filter has prevented it."""
    make = {
        "user": lambda path: (path.touch(), path.chmod(0o4755)),
        "group": lambda path: (path.touch(), path.chmod(0o2711)),
        "folder": lambda path: (path.mkdir(), path.chmod(0o2755)),
        "deep/er/user": lambda path: (path.parent.mkdir(parents=True), path.touch(), path.chmod(0o4000)),
        "socket": lambda path: os.mknod(path, stat.S_IFSOCK | 0o600),
        "pipe": os.mkfifo,
        "plain": lambda path: path.touch(mode=0o1755),
        "link": lambda path: path.symlink_to("/bin/su"),
    }
    for name, act in make.items():
        act(tmp_path / name)
    outside = Path("/bin/su").stat().st_mode
    assert sorted(take_rights(str(tmp_path))) == [
        "a set-group-ID file: group",
        "a set-group-ID folder: folder",
        "a set-user-ID file: deep/er/user",
        "a set-user-ID file: user",
        "a socket: socket",
    ]
    assert take_rights(str(tmp_path)) == []
    assert sorted(os.listdir(tmp_path)) == ["deep", "folder", "group", "link", "pipe", "plain", "user"]
    assert stat.S_IMODE((tmp_path / "group").stat().st_mode) == 0o711
    assert Path("/bin/su").stat().st_mode == outside


def test_a_folder_keeps_the_group_bit_of_the_one_above(tmp_path):
    for path in (tmp_path, tmp_path / "kept", tmp_path / "plain", tmp_path / "plain" / "taken"):
        path.mkdir(exist_ok=True)
        path.chmod(0o755 if path.name == "plain" else 0o2755)
    assert take_rights(str(tmp_path)) == ["a set-group-ID folder: plain/taken"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives capabilities")
def test_capabilities_are_taken_from_a_file(tmp_path):
    (tmp_path / "tool").touch()
    os.setxattr(tmp_path / "tool", "security.capability", bytes.fromhex("0100000200200000") + bytes(12))
    assert take_rights(str(tmp_path)) == ["a file with capabilities: tool"]
    assert os.listxattr(tmp_path / "tool") == []


def test_a_folder_too_deep_to_search_is_removed(tmp_path):
    here = tmp_path / "top"
    here.mkdir()
    folder = os.open(here, os.O_RDONLY)
    for _ in range(MAX_PATH // 50):
        os.mkdir("x" * 100, dir_fd=folder)
        above, folder = folder, os.open("x" * 100, os.O_RDONLY, dir_fd=folder)
        os.close(above)
    os.close(os.open("tool", os.O_CREAT, 0o4755, dir_fd=folder))
    os.close(folder)
    (found,) = take_rights(str(here))
    assert found.startswith("a folder that cannot be searched: xxx")
    assert take_rights(str(here)) == []
