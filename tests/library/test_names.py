"""The public names: they are listed here, and cost nothing before they are used."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import arena

NAMES = {
    *("ConfigError", "IllegalAnswer", "LibraryError", "NoWorld", "PlayerError", "SeatError"),
    *("FewWorlds", "World", "Worlds"),
    *("Played", "Player", "Program", "Reader", "Seating", "State", "Table", "View", "Results", "Tally"),
    *("from_record", "from_setup", "new", "play", "play_many", "program", "table", "worlds"),
}


def test_the_public_names_are_these():
    assert sorted(import_module("arena.library").PLACES) == sorted(NAMES)
    assert set(NAMES) <= set(dir(arena))
    assert all(getattr(arena, name) for name in NAMES)


def test_type_checkers_know_all_names():
    stub = Path(arena.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert all(f" import {name} as {name}\n" in stub for name in NAMES)
    assert stub.count(" import ") == len(NAMES)


def modules_after(code: str) -> set[str]:
    """The modules of the arena, and foreign ones, that are loaded after this code."""
    shown = f"import sys; before = set(sys.modules); {code}; print(*(sys.modules.keys() - before))"
    done = subprocess.run([sys.executable, "-I", "-c", shown], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_arena_loads_nothing_but_itself():
    loaded = modules_after("import arena")
    assert {name.partition(".")[0] for name in loaded} <= {"arena", *sys.stdlib_module_names}
    assert not {name for name in loaded if name.startswith("arena.")}


def test_a_bot_that_reads_loads_only_the_reader():
    loaded = {name for name in modules_after("from arena import Reader") if name.startswith("arena")}
    assert loaded == {"arena", "arena.library", "arena.library.reader"}
