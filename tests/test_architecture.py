"""Imports go one way, and the pure modules stay pure."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import arena
from arena.games import GAMES, page

ROOT = Path(arena.__file__).parent

# Each package may import from those behind it, which stand above it here, and from nothing else of the arena.
PACKAGES = {
    "core": "",
    "rules": "",
    "rating": "",
    "games": "core rules",
    "referee": "core rules",
    "records": "core referee rules",
    "game_check": "referee rules",
    "sandbox": "core",
    "play": "core games records referee rules sandbox",
    "formats": "core rating records rules",
    "kits": "core",
    "plan": "core formats games rules",
    "results": "core formats games rating records referee rules",
    "engine": "core games play records results sandbox",
    "tournament": "core engine formats plan play rating records referee results rules sandbox",
    "report": "core formats games rating records referee results rules",
    "stepper": "core play records results rules",
    "bot_check": "core formats game_check kits plan play records referee report rules sandbox",
    "pages": "core games records referee report results rating rules",
    "bench": "core engine formats games play records referee results sandbox tournament",
    "cli": "bench bot_check core engine formats game_check games kits plan play rating records referee "
    "pages report results rules sandbox stepper tournament",
    "__main__": "cli",
    "__init__": "",
}

# Within a package, each module may import those before it.
MODULES = {
    "core": "text values conditions clock regular config programs installation files bot "
    "machine tracebacks processes",
    "rules": "seats choices steps game chance match",
    "rating": "arrays distributions components outcome outcomes methods equations logit identified "
    "sandwich settings estimate ranges bounds points standings seats opponents pairs duels course "
    "group_scores sprt forecast adaptive nash shares surprises",
    "games": "shared complots local intrigue",
    "games/complots": "position coins variant court setup losing ending actions options challenges turn "
    "reasons figures prose game",
    "games/local": "position tours setup cards reasons figures prose game",
    "games/intrigue": "position words setup promises talk stages reasons figures prose game",
    "referee": "protocol judging seat handshake rehearsal referee",
    "records": "fixture deals record placings",
    "game_check": "random_games checks prose secrets examine",
    "sandbox": "linux supervisor promises policy stale client",
    "sandbox/linux": "procfs signals folders subreaper rlimits landlock seccomp users namespaces cgroup",
    "sandbox/supervisor": "messages restrictions process main",
    "play": "capacity process build opponent meter stderr player log recorder drawing terminal person loop "
    "trace table",
    "plan": "game included entrants support keys schema load",
    "formats": "lineups config plan seating round_robin gauntlet series rounds pairing swiss knockout "
    "adaptive ladder compare",
    "results": "facts stored_game layouts played locks opening store coded pgn csv placings closing sources "
    "game_list asks account transcript moments bot_input behaviour verify dataframes",
    "engine": "interface parcel local dask_worker dask_connection dask_cluster",
    "tournament": "schedule work_queue batches broken run ladder single rehearse compare",
    "report": "templates commands table grid text page placings report notes intervals standings matrices "
    "nash behaviour views explain render games games_csv",
    "pages": "templates static page chart game_data collect links notable records site definitions "
    "conditions standings_chart index rounds pairs course seats viewer profiles games faults times behaviour "
    "bot_charts bot_tables bots write",
    "stepper": "cursor words screen",
    "bot_check": "finding later excerpt diagnosis table explain trials start examine entries text",
    "bench": "starts bots referee runs time_limit report",
    "cli": "completion base progress faults engines machine preview live play_out table run compare "
    "list replay rehearse reveal verify explain play_log play plan schema check check_game games exclude "
    "export report doctor bench new",
}

# These neither wait nor read files nor ask the system for anything: all that they need is given to them.
PURE = """
    core/clock core/conditions rules games/shared games/complots games/local games/intrigue referee records
    formats rating results/behaviour tournament/schedule
"""
IMPURE = {
    "asyncio", "ctypes", "datetime", "fcntl", "io", "multiprocessing", "os", "random", "secrets", "select",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "uuid",
}  # fmt: skip


def files(place: str) -> list[Path]:
    """The files of a package with all below it, or that of a module."""
    path = ROOT / f"{place}.py"
    return [path] if path.is_file() else sorted((ROOT / place).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {
                f"{node.module}.{name.name}" if node.module == "arena" else node.module for name in node.names
            }
    return found


def test_the_packages_are_those_of_the_map():
    assert {path.stem for path in ROOT.iterdir() if path.suffix in ("", ".py")} - {"__pycache__"} == set(
        PACKAGES
    )


def test_imports_go_one_way():
    """And no package is allowed an import that it does not need."""
    for number, (package, allowed) in enumerate(PACKAGES.items()):
        above = list(PACKAGES)[:number]
        assert set(allowed.split()) <= set(above), f"{package}: the packages would have a circle"
        used = set()
        for path in files(package):
            here = {name.split(".")[1] for name in imports(path) if name.startswith("arena.")}
            assert here - {"__version__"} <= {package, *allowed.split()}, path
            used |= here
        assert used >= set(allowed.split()), package


def test_imports_within_a_package_go_one_way():
    for package, listed in MODULES.items():
        modules = listed.split()
        prefix = f"arena.{package.replace('/', '.')}."
        found = {path.stem for path in (ROOT / package).glob("[!_]*") if path.suffix in ("", ".py")}
        assert found == set(modules), package
        for number, module in enumerate(modules):
            for path in files(f"{package}/{module}"):
                names = {name for name in imports(path) if name.startswith(prefix)}
                used = {name.removeprefix(prefix).split(".")[0] for name in names}
                assert used <= {*modules[:number], module}, f"{path} imports {sorted(used)}"


def test_the_supervisor_needs_the_standard_library_alone():
    """It runs without the arena's packages, and the modules for the kernel know nothing of the arena."""
    for folder, allowed in (("supervisor", ("supervisor", "linux")), ("linux", ("linux",))):
        for path in (ROOT / "sandbox" / folder).glob("*.py"):
            for name in imports(path):
                package, *rest = name.split(".")
                ours = package == "arena" and rest[0] == "sandbox" and rest[1] in allowed
                assert ours or package in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_pure_modules_neither_wait_nor_read_nor_guess():
    for place in PURE.split():
        for path in files(place):
            assert not {name.split(".")[0] for name in imports(path)} & IMPURE, path


def test_every_module_has_a_docstring_and_makes_no_random_numbers():
    """All but the bots that a wheel has; `arena check-game` plays at random, from seeds that it is given."""
    for path in sorted(ROOT.rglob("*.py")):
        if "checkout" not in path.relative_to(ROOT).parts:
            assert ast.get_docstring(parsed(path)), f"{path} has no docstring"
            if "game_check" not in path.parts:
                assert "random" not in {name.split(".")[0] for name in imports(path)}, path


def test_every_game_has_its_page():
    for game in GAMES.values():
        assert page(game).startswith("# ")
        assert all(f"`{name}" in page(game) for name in game.options)


def test_the_map_has_every_package_in_order():
    text = (Path(__file__).parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `arena/(\w+)` \|", text, re.M)
    order = [name for name in PACKAGES if not name.startswith("__")]
    assert sorted(listed) == sorted(order)
    for name in listed:
        above = listed[: listed.index(name)]
        assert set(PACKAGES[name].split()) <= set(above), f"{name} stands before what it imports"


def test_the_map_names_only_what_there_is():
    text = (Path(__file__).parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for package, modules in re.findall(r"^\| `arena/(\w+)` \|.*\| ([^|]*) \|$", text, re.M):
        for module in re.findall(r"`([\w/]+\.py)`", modules):
            assert (ROOT / package / module).is_file(), f"{package}/{module}"
    for path in re.findall(r"`arena/([a-z_/]+\.py)`", text):
        assert (ROOT / path).is_file(), path
    sources = "".join(path.read_text(encoding="utf-8") for path in [*ROOT.rglob("*.py"), Path(__file__)])
    for name in re.findall(r"`([A-Z]\w+)`", text):
        assert re.search(rf"\b{name}\b", sources), name


def test_the_glossary_is_in_order():
    text = (Path(__file__).parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| (.+?) \|", text.partition("## Glossary")[2], re.M)[2:]
    assert words == sorted(words, key=str.lower) and len(words) == len(set(words))
