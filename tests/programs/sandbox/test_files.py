"""What bots read, write and change: nothing but their own files, and each process its own `$TMPDIR`."""

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from cheats import EXPLOITS, program, records_of, said_by, write_plan
from programs import (
    AMPLE,
    PLAIN,
    fixture,
    heard,
    kinds,
    misbehaving_bot,
    play,
    shell,
    table_with,
    tried,
    trying,
)
from samples import CHECKOUT

from arena.programs.executables import PACKAGE, installation, required_paths, resolve_shim
from arena.programs.files import share
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.linux import folders
from arena.programs.sandbox.policy import LIMITS_ONLY

pytestmark = pytest.mark.slow


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize(
    "path",
    ["{home}", "{other}", "{checkout}", "/etc/shadow", "/root", "/var", "/run", "/proc/{referee}/environ"],
)
def test_nothing_is_seen_but_the_system_and_the_bot(closed, tmp_path, checkout, path):
    (tmp_path / "other.py").write_text("secret")
    path = path.format(
        home=Path.home(), other=tmp_path / "other.py", checkout=checkout / "tests", referee=os.getpid()
    )
    seen = tried(closed, f"os.listdir({path!r}) if os.path.isdir({path!r}) else open({path!r}).read()")
    # to the Python that runs the bot, and to the arena that this can import
    on_the_way = {*Path(sys.prefix).parts, *Path(sys.base_prefix).parts, *PACKAGE.parts}
    assert "Error" in seen or set(eval(seen)) <= on_the_way


@pytest.mark.attack("read files of the user or other bots")
def test_a_word_of_a_command_does_not_show_what_is_beside_it(closed, tmp_path):
    """Only the program itself, and its interpreter, are shown with their installation."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "secret").write_text("secret")
    tool = tmp_path / "bin" / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    read = trying(f"open({str(tmp_path / 'secret')!r}).read()")
    bots = {"misbehaving": replace(read, command=(*read.command, str(tool))), "one": shell("one", PLAIN)}
    with ProgramTable(bots, sandbox=closed) as table:
        assert "Error" in heard(table.play(fixture("one", "misbehaving")), 1)


@pytest.mark.attack("read files of the user or other bots")
def test_a_bot_reads_shared_files_and_nothing_through_or_beside_them(closed, tmp_path):
    """Links in a shared folder, or to it, lead to no other files; a bot with a choice sees only that."""
    for name in ("shared/data", "private", "entry"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("shared/adapter", "shared/data/book", "private/secret", "beside"):
        (tmp_path / name).write_text(name)
    (tmp_path / "shared" / "link").symlink_to(tmp_path / "private")
    (tmp_path / "entry" / "data").symlink_to(tmp_path / "shared" / "data")
    (tmp_path / "entry" / "private").symlink_to(tmp_path / "private")
    paths = ["shared/adapter", "shared/data/book", "shared/link/secret", "shared/../private/secret", "beside"]
    paths += ["private/secret", "entry/data/book", "entry/private/secret"]
    code = f"""
import sys
for path in {paths}:
    try:
        print(path, open({str(tmp_path)!r} + '/' + path).read(), file=sys.stderr)
    except OSError:
        pass
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
"""
    (tmp_path / "entry" / "bot.py").write_text(code)
    seen = {}
    for choice in ("", "files: [../shared/data]\n", "files: []\n"):
        (tmp_path / "entry" / "bot.yaml").write_text(f"run: [python3, bot.py]\n{choice}")
        bot = read_bot(tmp_path / "entry", [share(tmp_path / "shared")], name="misbehaving")
        with ProgramTable({"misbehaving": bot, "one": shell("one", PLAIN)}, sandbox=closed) as table:
            said = heard(table.play(fixture("one", "misbehaving", start=10.0)), 1)
        seen[choice] = {line.split()[0] for line in said.splitlines()}
    assert seen == {
        "": {"shared/adapter", "shared/data/book", "entry/data/book"},
        "files: [../shared/data]\n": {"shared/data/book", "entry/data/book"},
        "files: []\n": set(),
    }


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize("where", ["other", "bin", "."])
def test_no_bot_sees_another_by_naming_it_in_its_command(closed, tmp_path, where):
    """Programs in a command are shown with all that is installed beside them; bots are not installed."""
    (tmp_path / where).mkdir(exist_ok=True)
    other = tmp_path / where / "other"
    other.write_text("#!/bin/sh\n# secret")
    other.chmod(0o755)
    read = trying(f"open({str(other)!r}).read()")
    read = replace(read, command=(*read.command, str(other)))
    bots = {"misbehaving": read, "one": replace(shell("one", PLAIN), files=(other,))}
    with ProgramTable(bots, sandbox=closed) as table:
        assert "Error" in heard(table.play(fixture("one", "misbehaving")), 1)


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize(
    "code",
    [
        "os.listdir(os.path.dirname(os.environ['TMPDIR'] or '/'))",
        "open('/proc/{pid}/environ').read() or 1 / 0",
        "os.readlink('/proc/{pid}/cwd')",
        "os.listdir({home!r})",
        "open({home!r} + '/note', 'w')",
        "os.rmdir({home!r})",
        "os.rename({home!r}, {home!r} + 'x')",
        "os.chmod({home!r}, 0o700)",
        "os.symlink('/', {home!r} + '/link')",
    ],
)
def test_no_bot_reaches_the_folder_of_another(closed, code):
    """Neither does it learn its name: a random one, in a folder that it cannot list."""
    with table_with(misbehaving_bot(), sandbox=closed) as table:
        table.play(fixture("one", "two"))
        opponent = next(player for (name, *_), player in table._players.items() if name == "one")
        home = psutil.Process(opponent.pid).environ()["TMPDIR"]
        table.bots["misbehaving"] = trying(code.format(pid=opponent.pid, home=home))
        record = table.play(fixture("one", "misbehaving"))
        in_box = closed is not LIMITS_ONLY and ("dirname" in code or "home" in code)  # that is its own /tmp
        assert in_box or "Error" in heard(record, 1)
        assert table.play(fixture("one", "two")).faults == ()


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("opt/node/bin/node", "opt/node"),
        ("opt/tools/program", "opt/tools/program"),
        ("bin/program", "bin/program"),
        (".local/bin/program", ".local/bin/program"),
        (".nvm/node/bin/node", ".nvm/node"),
        (".cargo/bin/cargo", ".cargo/bin/cargo"),  # the user's credentials are beside it, and no lib
    ],
)
def test_an_installation_is_shown_whole_but_never_a_home(tmp_path, monkeypatch, program, found):
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in ("lib", ".local/lib", "opt/node/lib", "opt/lib", ".nvm/node/lib"):
        (tmp_path / folder).mkdir(parents=True)
    assert installation(tmp_path / program) == tmp_path / found


def test_an_installation_with_bots_in_it_is_not_shown_whole(tmp_path):
    (tmp_path / "lib").mkdir()
    tool = tmp_path / "bin" / "tool"
    assert installation(tool) == tmp_path
    for bot in (tool, tmp_path / "entries" / "a"):
        assert installation(tool, [bot]) == tool


def test_the_interpreter_of_a_script_is_found(tmp_path):
    script = tmp_path / "bot"
    script.write_text(f"#!{sys.executable} -I\n")
    script.chmod(0o755)
    assert Path(sys.base_prefix) in required_paths(read_bot(script).installed)


IMPORTING = """
import os, sys
from arena import Reader
for path in ({plan!r}, {beside!r}):
    try:
        print(os.listdir(path), file=sys.stderr)
    except OSError:
        print("closed", file=sys.stderr)
for view in (reader := Reader()):
    reader.answer(view.options[0])
"""


@pytest.mark.attack("read files of the user or other bots")
def test_a_bot_imports_the_arena_and_sees_nothing_beside_it(tier, tmp_path):
    """Also where the arena is an editable install, as here: the environment has only a link to it."""
    script = tmp_path / "bot.py"
    script.write_text(IMPORTING.format(plan=str(CHECKOUT / "tournaments"), beside=str(CHECKOUT / "tests")))
    bot = replace(read_bot(script, name="misbehaving"), name="misbehaving")
    with table_with(bot, sandbox=tier) as table:
        record = table.play(fixture("one", "misbehaving", game="complots", **AMPLE))
    assert record.faults == () and heard(record, 1) == "closed\nclosed\n"


def test_only_python_gets_the_package_of_the_arena_and_none_with_a_bot_in_it():
    python = (Path(sys.executable),)
    assert PACKAGE in required_paths(python)
    for bot in (PACKAGE / "programs" / "kits" / "python", PACKAGE, PACKAGE.parent):
        assert PACKAGE not in required_paths(python, [bot])
    assert PACKAGE not in required_paths([Path("/bin/sh")])


def test_a_version_manager_is_asked_once_where_the_interpreter_is(tmp_path, monkeypatch):
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (shims / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{shims}:{os.environ['PATH']}")
    (tmp_path / "bot.yaml").write_text("run: [python3, bot.py]\n")
    assert read_bot(tmp_path).command == (sys.executable, "bot.py")


@pytest.mark.parametrize("proxy", [Path.symlink_to, Path.hardlink_to])
def test_rustup_is_asked_where_its_toolchain_is(tmp_path, proxy):
    """Its proxies need the home of the user, which a build does not see."""
    cargo = tmp_path / "toolchains" / "stable" / "bin" / "cargo"
    rustup = tmp_path / "home" / "bin" / "rustup"
    for path, script in ((cargo, ""), (rustup, f'[ "$1 $2" = "which cargo" ] && echo {cargo}')):
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    (cargo.parent.parent / "lib").mkdir()
    for name in ("cargo", "rustc"):
        proxy(rustup.with_name(name), rustup)
    assert resolve_shim(str(rustup.with_name("cargo"))) == str(cargo)
    assert installation(cargo) == cargo.parent.parent
    assert resolve_shim(str(rustup)) == str(rustup)
    assert resolve_shim(str(rustup.with_name("rustc"))) == str(rustup.with_name("rustc"))  # it has none


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
@pytest.mark.parametrize(
    "where",
    [
        "/note",
        "/usr/note",
        "/dev/note",
        "/etc/note",
        "{own}/note",
        "{own}/own.txt",
        "/proc/self/oom_score_adj",
    ],
)
def test_nothing_else_is_written(closed, tmp_path, where):
    own = tmp_path / "own"
    own.mkdir()
    (own / "own.txt").write_text("mine")
    write = f"open({where.format(own=own)!r}, 'w').write('x')"
    assert "Error" in tried(closed, write, own=own)
    assert tried(closed, f"open('{own}/own.txt').read()", own=own) == "'mine'"
    assert (own / "own.txt").read_text() == "mine"


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_no_setting_of_the_kernel_is_changed(closed):
    """Root could do that without any capabilities."""
    assert "Error" in tried(closed, "open('/proc/sys/kernel/core_pattern', 'a')")


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_nothing_in_proc_is_opened_for_writing(closed):
    """Such as `/proc/pressure`, which all users may write to. What `fd` links to is no file of /proc."""
    find = """
found = []
for top, folders, names in os.walk("/proc"):
    folders[:] = [name for name in folders if not name.isdigit() and name not in ("fd", "task")]
    for name in names:
        try:
            os.close(os.open(f"{top}/{name}", os.O_WRONLY | os.O_NONBLOCK))
            found.append(f"{top}/{name}")
        except OSError:
            pass
"""
    bot = misbehaving_bot(start=f"{find}\nprint(found, file=sys.stderr)")
    assert heard(play(bot, sandbox=closed, start=20.0), 1).strip() == "[]"


def test_what_a_bot_writes_is_gone_with_its_process(tier, tmp_path):
    start = "print(os.listdir(os.environ['TMPDIR']), file=sys.stderr)"
    bot = misbehaving_bot(
        start=start, move="open(os.environ['TMPDIR'] + '/note', 'w').write('x'); os._exit(1)"
    )
    with table_with(bot, sandbox=tier) as table:
        for _ in range(2):
            record = table.play(fixture("one", "misbehaving"))
            assert kinds(record) == ["crashed"]
            assert heard(record, 1).startswith("[]\n") or "note" not in heard(record, 1)


SWAP = """
import os, sys, time
os.chdir(os.environ["TMPDIR"])
for n in range(1500): os.mkdir(f"d{{n}}")
if os.fork() == 0:
    os.close(1)
    names = len(os.listdir("."))
    while len(os.listdir(".")) == names: pass
    for n in reversed(range(1500)):
        try: os.rmdir(f"d{{n}}"); os.symlink({victim!r}, f"d{{n}}")
        except OSError: pass
    os._exit(0)
"""


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_a_folder_that_a_child_changes_while_it_is_removed_leads_nowhere_else(tmp_path):
    """It is removed with all rights of the user; if links were followed, their targets would be removed."""
    victim = tmp_path / "victim"
    victim.mkdir(mode=0o755)
    (victim / "file").write_text("mine")
    for _ in range(3):
        with table_with(misbehaving_bot(start=SWAP.format(victim=str(victim)))) as table:
            table.play(fixture("one", "misbehaving", start=20))
    assert (victim / "file").read_text() == "mine"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o755


@pytest.mark.attack("write anywhere but to its own $TMPDIR")
def test_links_that_come_while_a_folder_is_removed_are_not_followed(tmp_path, monkeypatch):
    """The same, sure: each subfolder becomes a link in the moment before it is opened."""
    victim, top = tmp_path / "victim", tmp_path / "top"
    victim.mkdir()
    (victim / "file").write_text("mine")
    (top / "sub").mkdir(parents=True)
    rename = os.rename

    def swap(*names, **more):
        rename(*names, **more)
        moved = next(path for path in top.iterdir() if path.name == names[1])
        moved.rmdir()
        moved.symlink_to(victim)

    monkeypatch.setattr(os, "rename", swap)
    folders.remove(str(top))
    assert (victim / "file").read_text() == "mine"


@pytest.mark.attack("change modes, owners, times of files")
@pytest.mark.parametrize(
    "change",
    [
        "os.chmod({path}, os.stat({path}).st_mode)",
        "os.chown({path}, -1, -1)",
        "os.utime({path}, (os.stat({path}).st_atime, os.stat({path}).st_mtime))",
        "os.setxattr({path}, 'user.arena', b'1')",
        "fcntl.ioctl(open({path} if os.path.isfile({path}) else '/usr/bin/env'), 0x40086602, bytes(8))",
        "ctypes.CDLL(None).syscall(452, -100, {path}.encode(), os.stat({path}).st_mode, 0)",  # fchmodat2
    ],
)
@pytest.mark.parametrize("where", ["'{own}'", "os.environ['TMPDIR']", "'/dev/null'", "'/usr/bin/env'"])
def test_no_bot_leaves_a_note_in_the_rights_or_times_of_a_file(closed, tmp_path, where, change):
    """Its next process could read it there, whatever folder it may write to; and all bots share /dev/null."""
    own = tmp_path / "own.txt"
    own.write_text("mine")
    said = tried(closed, change.format(path=where.format(own=own)), own=own)
    assert "PermissionError" in said or said == "-1"


@pytest.fixture
def places(tmp_path):
    """A folder of files that belong to a rival, and what a courier is told of places."""
    rival = tmp_path / "rival"
    rival.mkdir()
    shutil.copy(EXPLOITS / "witness.sh", rival / "rival.sh")
    (tmp_path / "everywhere").mkdir()
    machine = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", "/", str(Path.home())]

    def make(*folders: str) -> Path:
        file = tmp_path / "places.json"
        known = [*(folders or machine), str(tmp_path / "everywhere"), str(rival)]
        file.write_text(json.dumps({"folders": known, "files": [str(rival), str(rival / "rival.sh")]}))
        return file

    return make


def of_files(folder: Path) -> dict[Path, tuple[Any, ...]]:
    """All that a file shows without being read, but for its atime."""
    return {
        path: (stat.filemode(known.st_mode), known.st_mtime_ns, known.st_size, tuple(os.listxattr(path)))
        for path in [folder, *folder.rglob("*")]
        for known in [path.stat()]
    }


def test_notes_would_be_found_outside_of_a_sandbox(tmp_path, places):
    """The positive control: two processes one after the other, which share a $TMPDIR."""
    folder = program(tmp_path / "courier", "courier.py", files=[places("/none")])
    said = [
        subprocess.run(
            [sys.executable, "courier.py"],
            cwd=folder,
            env={"TMPDIR": str(tmp_path / "everywhere"), "HOME": str(tmp_path)},
            input="game 1 complots\n",
            capture_output=True,
            text=True,
        ).stderr
        for _ in range(2)
    ]
    assert "found" not in said[0] and "left 0" not in said[0]
    for what in ("note in", "mtime of", "mode of", "attribute of"):
        assert f"found {what}" in said[1], said


@pytest.mark.parametrize("reuse", [True, False])
def test_no_process_finds_a_note_of_another(arena, tmp_path, tier, places, reuse):
    """Two couriers, also in a second run. Each finds its own notes in $TMPDIR, if its process plays again."""
    bots = {name: program(tmp_path / name, "courier.py", files=[places()]) for name in ("one", "two")}
    bots["rival"] = tmp_path / "rival" / "rival.sh"
    folders = [tmp_path / name for name in bots]
    before = list(map(of_files, folders))
    plan = write_plan(tmp_path, bots, groups=3, reuse=reuse, sandbox=tier.tier)
    for run in ("first.db", "second.db"):
        done = arena("run", plan, "--out", run)
        assert done.returncode == 0 and " 0 faults" in done.stdout, done.stderr + done.stdout
        said = [
            line
            for record in records_of(tmp_path / run)
            for seat in range(3)
            for line in said_by(record, seat)
        ]
        assert not [line for line in said if line.startswith("found")]
        assert len([line for line in said if line.startswith("left")]) == 18
        own = [line for line in said if line.startswith("own note in")]
        assert bool(own) == reuse
    assert before == list(map(of_files, folders))
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", tmp_path / "everywhere", Path.home()):
        assert not list(Path(folder).glob("arena-courier-*"))
