"""The files that belong to a bot: its fingerprint, copies, parcel and entry in a contest agree."""

import shutil

import pytest
from contests import hand_in, new_contest, tgz

from arena.contest import entries
from arena.contest.stages import EntryWork, _remove_made
from arena.programs.reading import read_bot
from arena.tournament.engine.parcel import lay_out, pack, unpack
from arena.tournament.ladder import copy_bot

OWN = [
    "build.py",
    "lib/build",
    "node_modules/pick/build/index.js",
    "target/release/bot",
    ".git/HEAD",
    ".hidden/.DS_Store",
    "lib/__MACOSX/data",
    "lib/._data",
    "__pycache__/data.json",
    "lib/__pycache__/strategy.py",
    "lib/strategy.cpython-311.pyc",
    "old/__pycache__",
]
COMPILED = [
    "__pycache__/bot.cpython-311.pyc",
    "lib/__pycache__/a.cpython-311.opt-1.pyc",
    "lib/__pycache__/a.cpython-311.pyc.140234",
    "lib/__pycache__/a.f-3.py311.nbi",
    "lib/__pycache__/a.f-3.py311.1.nbc",
]
BUILDS, BUILDS_NOT = "build: [make]\nrun: [build/bot]\n", "run: [sh, build/bot]\n"


def make(folder, manifest):
    for name in (*OWN, *COMPILED, "build/bot", "build/deep/build/data"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "bot.yaml").write_text(manifest)
    return folder


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("manifest", [BUILDS, BUILDS_NOT], ids=["it builds", "no build"])
def test_fingerprint_copies_parcel_and_entry_have_the_same_files(tmp_path, manifest):
    """Only `build` at the top of a bot that builds is left out, and compiled Python."""
    folder = make(tmp_path / "one", manifest)
    own = {*OWN, "bot.yaml"} | (set() if manifest == BUILDS else {"build/bot", "build/deep/build/data"})
    bot = read_bot(folder, name="one")
    assert files(copy_bot("one", folder, tmp_path / "copies").folder) == own
    parcels, parts = pack([bot])
    (tmp_path / "cache").mkdir()
    unpack(parts, tmp_path / "cache")
    assert files(lay_out(parcels["one"], tmp_path / "cache").folder) == own
    entry = tmp_path / "entry"
    shutil.copytree(folder, entry)
    _remove_made(entry, bool(bot.build))
    assert files(entry) == own
    decide = set()
    for name in files(folder) - {"bot.yaml"}:
        (folder / name).write_text("changed")
        if read_bot(folder, name="one").fingerprint != bot.fingerprint:
            decide.add(name)
        (folder / name).write_text(name)
    assert decide == own - {"bot.yaml"}


PROGRAM = b"""import sys
sys.path.insert(0, sys.argv[1])
assert sys.argv[2:] == ["1.10", "010", "3"]
from strategy import pick
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], pick(words[words.index(":") + 1 :]), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("library", ["lib/build", "build", "build/build"])
def test_an_entry_whose_library_is_in_a_folder_build_passes_and_has_it(tmp_path, box, library):
    spring = new_contest(tmp_path / "spring", "ada")
    database = spring.database()
    files = {"bot.py": PROGRAM, f"{library}/strategy.py": b"pick = lambda options: options[0]\n"}
    manifest = f"run: [python3, bot.py, {library}, 1.10, 010, 3]\nversion: 1.10\n".encode()
    number = hand_in(spring, "ada", tgz(files | {"bot.yaml": manifest}))
    EntryWork(spring, database, entries.find(database, number)).run()
    entry = entries.find(database, number)
    assert (entry.state, entry.why) == ("waiting", "")
    assert read_bot(spring.entries / "ada").version == "1.10"
    assert (spring.entries / "ada" / library / "strategy.py").is_file()
