"""Imports go one way, and the pure modules stay pure."""

import ast
import sys
from pathlib import Path

import pytest

from arena.games import GAMES, page

ROOT = Path(__file__).parent.parent / "arena"

# Each module may import from the rooms named behind it, and from nothing else of the arena.
ROOMS = {
    "rules": "",
    "chance": "",
    "clock": "",
    "lineups": "",
    "limits": "",
    "config": "",
    "match": "rules",
    "protocol": "rules",
    "chair": "clock protocol rules",
    "referee": "rules chair chance clock match protocol",
    "meter": "clock sandbox",
    "greeting": "chair clock protocol",
    "games": "rules games",
    "bot": "config",
    "sandbox": "bot config limits",
    "build": "bot config limits sandbox",
    "player": "bot config meter protocol sandbox",
    "records": "chair clock limits match rules",
    "deals": "config records",
    "format_keys": "config",
    "entrants": "bot config format_keys",
    "plan_keys": "entrants format_keys limits",
    "plan": "bot clock config deals entrants format_keys games limits plan_keys rules",
    "formats": "chance deals lineups plan rating records rules",
    "schedule": "formats plan records",
    "agenda": "formats records",
    "store": "config records",
    "loop": "chair clock meter player protocol",
    "table": "bot config chair chance games greeting loop player protocol records referee sandbox",
    "transcript": "games protocol records rules",
    "verify": "chance deals formats games records rules store",
    "workers": "agenda bot records sandbox store table",
    "tournament": "agenda build config deals formats plan records sandbox schedule store table workers",
    "ladder": "bot build config entrants plan sandbox store table tournament",
    "live": "tournament",
    "compare": "clock config formats plan rating single",
    "single": "bot build chance clock config deals format_keys plan records rules sandbox table",
    "behaviour": "config records rules",
    "rating": "",
    "results": "config pgn rating",
    "pgn": "config rating",
    "sources": "config rating records results store",
    "report": "behaviour plan rating records results rules sources",
    "opponent": "",
    "check": "bot clock deals games opponent protocol records report rules sandbox table",
    "bench": "bot build clock config deals formats games limits plan plan_keys player protocol rating "
    "records sandbox schedule store table tournament",
    "doctor": "limits sandbox",
    "schema": "games plan_keys",
    "preview": "bot build config deals formats ladder limits plan protocol records report sandbox schedule "
    "table",
    "cli": "agenda behaviour bench bot build check clock compare config deals doctor games ladder limits "
    "live meter plan plan_keys preview protocol rating report sandbox schedule schema single sources "
    "store tournament transcript verify",
    "__main__": "cli",
    "__init__": "",
}

PURE = (
    "rules chance clock limits lineups match protocol chair referee greeting games records deals formats "
    "schedule rating behaviour"
)

# Within a package of several floors, each module may import those before it.
FLOORS = {
    "cli": "base play_out table run plan game machine",
    "formats": "seating round_robin gauntlet series rounds pairing swiss knockout adaptive ladder compare",
    "rating": "distributions components outcome methods logit sandwich estimate standings seats duels sprt "
    "adaptive",
    "sandbox": "linux supervisor promises policy stale client",
    "sandbox/linux": "procfs signals folders subreaper rlimits landlock seccomp namespaces cgroup",
    "sandbox/supervisor": "restrictions process main",
    "bench": "starts referee metering pairing ratings",
    "report": "page grid columns table matrices everything games behaviour export",
}
IMPURE = {
    "asyncio", "ctypes", "datetime", "fcntl", "io", "multiprocessing", "os", "random", "secrets", "select",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "uuid",
}  # fmt: skip


def modules() -> dict[str, list[Path]]:
    """The files of each room: a module, or all of a package."""
    rooms: dict[str, list[Path]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        rooms.setdefault(path.relative_to(ROOT).parts[0].removesuffix(".py"), []).append(path)
    return rooms


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {
                f"{node.module}.{name.name}" if node.module == "arena" else node.module for name in node.names
            }
    return found


@pytest.mark.parametrize("room", modules())
def test_imports_go_one_way(room):
    allowed = {room, *ROOMS[room].split()} if (ROOT / room).is_dir() else set(ROOMS[room].split())
    for path in modules()[room]:
        used = {name.split(".")[1] for name in imports(path) if name.startswith("arena.")}
        assert used - {"__version__"} <= allowed, f"{path.name} imports {sorted(used - allowed)}"


@pytest.mark.parametrize("room", FLOORS)
def test_imports_within_a_package_go_one_way(room):
    floors = FLOORS[room].split()
    package = f"arena.{room.replace('/', '.')}."
    assert {path.stem for path in (ROOT / room).glob("[!_]*") if path.suffix in ("", ".py")} == set(floors)
    for number, floor in enumerate(floors):
        for path in [ROOT / room / f"{floor}.py"] if f"{room}/{floor}" not in FLOORS else []:
            names = {name for name in imports(path) if name.startswith(package)}
            used = {name.removeprefix(package).split(".")[0] for name in names}
            assert used <= set(floors[:number]), f"{floor} imports {sorted(used)}"


def test_the_supervisor_needs_the_standard_library_alone():
    """It runs without the arena's packages, and the modules for the kernel know nothing of the arena."""
    for folder, allowed in (("supervisor", ("supervisor", "linux")), ("linux", ("linux",))):
        for path in (ROOT / "sandbox" / folder).glob("*.py"):
            for name in imports(path):
                package, *rest = name.split(".")
                ours = package == "arena" and rest[0] == "sandbox" and rest[1] in allowed
                assert ours or package in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_the_rooms_have_no_circle():
    seen: list[str] = []

    def visit(room: str, above: tuple[str, ...]) -> None:
        assert room not in above, f"a circle: {' -> '.join([*above, room])}"
        for other in ROOMS[room].split():
            if other != room:
                visit(other, (*above, room))
        seen.append(room)

    for room in ROOMS:
        visit(room, ())
    assert set(seen) == set(ROOMS)


@pytest.mark.parametrize("room", PURE.split())
def test_pure_modules_neither_wait_nor_read_nor_guess(room):
    for path in modules()[room]:
        if path == ROOT / "games" / "__init__.py":
            continue  # the registry reads the rule pages
        assert not {name.split(".")[0] for name in imports(path)} & IMPURE, path


def test_nothing_makes_random_numbers():
    for paths in modules().values():
        for path in paths:
            assert "random" not in {name.split(".")[0] for name in imports(path)}, path


@pytest.mark.parametrize("room", modules())
def test_every_module_opens_with_a_docstring(room):
    for path in modules()[room]:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_every_game_has_its_page():
    for game in GAMES.values():
        assert page(game).startswith("# ")
        assert all(f"`{name}" in page(game) for name in game.options)
