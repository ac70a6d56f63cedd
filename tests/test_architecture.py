"""Imports go one way, and the pure modules stay pure."""

import ast
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
    "student": "",
    "limits": "",
    "watch": "",
    "ending": "",
    "rlimits": "",
    "config": "",
    "match": "rules",
    "protocol": "rules",
    "chair": "clock protocol rules",
    "referee": "rules chair chance clock match protocol",
    "greeting": "chair protocol",
    "games": "rules games",
    "bot": "config",
    "sandbox": "bot config limits",
    "charge": "ending watch",
    "warden": "charge ending rlimits watch",
    "orphans": "ending watch",
    "leftovers": "ending watch",
    "ward": "bot ending leftovers orphans sandbox watch",
    "build": "bot config limits sandbox ward",
    "player": "bot protocol ward",
    "plan": "bot clock config games limits rules",
    "records": "chair clock limits match rules",
    "schedule": "chance lineups plan records rules",
    "store": "config records",
    "loop": "chair player protocol",
    "table": "bot chair chance games greeting loop player protocol records referee sandbox ward",
    "transcript": "games protocol records rules",
    "verify": "games records",
    "tournament": "bot build config orphans plan records sandbox schedule store table",
    "single": "bot build chance clock config plan records rules sandbox table",
    "doctor": "limits sandbox watch",
    "bradley_terry": "student",
    "ratings": "bradley_terry",
    "report": "ratings rules store",
    "bench": "bot build clock config games plan sandbox schedule store table tournament",
    "cli": (
        "bench clock config doctor games plan report sandbox schedule single store tournament "
        "transcript verify"
    ),
    "__main__": "cli",
    "__init__": "",
}

PURE = (
    "rules chance clock limits lineups student match protocol chair referee greeting games records schedule "
    "bradley_terry ratings"
)
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
    allowed = {room, *ROOMS[room].split()} if room == "games" else set(ROOMS[room].split())
    for path in modules()[room]:
        used = {name.split(".")[1] for name in imports(path) if name.startswith("arena.")}
        assert used - {"__version__"} <= allowed, f"{path.name} imports {sorted(used - allowed)}"


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
