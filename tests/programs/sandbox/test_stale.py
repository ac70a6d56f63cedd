"""What is cleaned up after an arena that was killed as a whole, and that nothing else is touched."""

import fcntl
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from arena.programs.sandbox import stale
from arena.programs.sandbox.linux import procfs
from arena.programs.sandbox.linux.folders import remove

pytestmark = [pytest.mark.slow, pytest.mark.alone]  # real processes, most of them up to no good


@pytest.fixture(autouse=True)
def a_temporary_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def sleeper():
    """A process in a session of its own, and its pid."""
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as process:
        yield process
        process.kill()


def abandoned(*lines: str, generation: str = "") -> str:
    """The folder of a supervisor that is dead, with this list of processes."""
    folder, lock = stale.create_folder(generation)
    with open(f"{folder}/{stale.PIDS}", "w") as file:
        file.write("".join(f"{line}\n" for line in lines))
    os.close(lock)
    return folder


def test_a_folder_is_kept_as_long_as_its_lock_is_held():
    folder, lock = stale.create_folder()
    stale.clean_up()
    assert os.path.isdir(folder)
    os.close(lock)
    stale.clean_up()
    assert not os.path.exists(folder)


def test_the_processes_of_a_dead_supervisor_are_killed(sleeper):
    folder = abandoned(f"{sleeper.pid} {procfs.birth(sleeper.pid)}")
    stale.clean_up()
    assert sleeper.wait(5) == -9
    assert not os.path.exists(folder)


def test_a_generation_waits_for_the_others_of_its_run():
    folder, lock = stale.create_folder("run 1")
    stale.wait_for_others("run 1", timeout=0)
    stale.wait_for_others("other 2", timeout=0)
    with pytest.raises(TimeoutError, match=folder):
        stale.wait_for_others("run 2", timeout=0)
    os.close(lock)
    stale.wait_for_others("run 2", timeout=0)
    assert not os.path.exists(folder)


def test_what_a_dead_supervisor_of_another_generation_has_left_is_dead_before_the_next_begins(sleeper):
    abandoned(f"{sleeper.pid} {procfs.birth(sleeper.pid)}", generation="run 1")
    stale.wait_for_others("run 2", timeout=0)
    assert not procfs.is_alive(sleeper.pid)


def test_a_process_that_only_has_the_number_is_left_alone(sleeper):
    abandoned(f"{sleeper.pid} {procfs.birth(sleeper.pid) - 1}", "torn li")
    stale.clean_up()
    assert sleeper.poll() is None


def test_orphans_of_a_dead_bots_session_are_killed():
    """The bot itself is gone; its child is known by the session alone."""
    script = "sleep 100 > /dev/null 2>&1 & echo $!"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True) as bot:
        birth = procfs.birth(bot.pid)
        child = int(bot.stdout.readline())
    abandoned(f"{bot.pid} {birth}")
    stale.clean_up()
    deadline = time.monotonic() + 2
    while procfs.state(child) not in (b"Z", b""):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_pids_of_an_earlier_boot_mean_nothing(sleeper, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(stale, "boot_id", lambda: b"another")
        folder = abandoned(f"{sleeper.pid} {procfs.birth(sleeper.pid)}")
    stale.clean_up()
    assert sleeper.poll() is None
    assert not os.path.exists(folder)


def test_a_supervisor_killed_before_it_has_started_anything_leaves_nothing():
    folder, lock = stale.create_folder()
    os.close(lock)
    stale.clean_up()
    assert not os.path.exists(folder)


@pytest.mark.parametrize("files", [[], [stale.FRESH], [stale.PIDS], [stale.PIDS, "1"]])
def test_a_folder_that_is_half_made_or_half_removed_is_removed(files):
    """It was only half made, or half removed."""
    folder = Path(tempfile.mkdtemp(prefix=stale.PREFIX))
    for name in files:
        (folder / name).touch()
    stale.clean_up()
    assert not folder.exists()


def test_a_folder_that_is_cleaned_up_while_it_is_made_is_made_anew(monkeypatch):
    """A clean-up comes just after the folder was made, and just before its lock is held."""
    made, locked = tempfile.mkdtemp, fcntl.flock

    def make(prefix):
        folder = made(prefix=prefix)
        monkeypatch.setattr(tempfile, "mkdtemp", made)
        stale.clean_up()
        return folder

    def hold(lock, how):
        monkeypatch.setattr(fcntl, "flock", locked)
        stale.clean_up()
        locked(lock, how)

    monkeypatch.setattr(tempfile, "mkdtemp", make)
    monkeypatch.setattr(fcntl, "flock", hold)
    folder, lock = stale.create_folder()
    assert os.listdir(folder) == [stale.LOCK] and os.listdir(tempfile.gettempdir()) == [Path(folder).name]
    os.close(lock)


def test_other_folders_are_left_alone(tmp_path):
    mine = tmp_path / "arena-notes"
    mine.mkdir()
    (mine / "note").touch()
    stale.clean_up()
    assert (mine / "note").exists()


def test_two_clean_ups_at_once_do_no_harm():
    folder = abandoned()
    lock = os.open(f"{folder}/{stale.LOCK}", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    stale.clean_up()
    assert os.path.exists(folder), "the other one removes it"
    os.close(lock)


# Folders that do not want to go


def deep(top: Path) -> None:
    """A recursive walk would exceed the limits of paths or of the stack."""
    for name in ["abc"] * 1500:
        os.mkdir(name)
        os.chdir(name)
    Path("file").touch()


def closed(top: Path) -> None:
    """Only root may read or change what is in them."""
    for folder in (top / "a" / "b", top / "a", top):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "file").touch()
        folder.chmod(0)


def oddly_named(top: Path) -> None:
    for name in (b"two\nlines", b"\xff\xfe", b"-rf", b"\x1b[2J", b" ", b"*", b"n" * 255):
        os.makedirs(os.path.join(os.fsencode(top), name, name))


def with_links_out(top: Path) -> None:
    (top / "folder").symlink_to(top.parent / "others", target_is_directory=True)
    (top / "everything").symlink_to("/", target_is_directory=True)
    (top / "itself").symlink_to("itself")
    os.link(top.parent / "others" / "file", top / "hard")
    os.mkfifo(top / "pipe")


def a_link(top: Path) -> None:
    top.rmdir()
    top.symlink_to(top.parent / "others", target_is_directory=True)


@pytest.mark.parametrize("make", [deep, closed, oddly_named, with_links_out, a_link])
def test_whatever_is_in_a_folder_it_is_removed_and_nothing_else(tmp_path, monkeypatch, make):
    top, others = tmp_path / "top", tmp_path / "others"
    top.mkdir()
    others.mkdir()
    (others / "file").write_text("kept")
    monkeypatch.chdir(top)
    make(top)
    monkeypatch.chdir(tmp_path)
    remove(str(top))
    assert os.listdir(tmp_path) == ["others"]
    assert (others / "file").read_text() == "kept"
