"""Imports go one way, and the pure modules stay pure."""

import ast
import re
import sys
from pathlib import Path

import pytest

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
    "report": "core formats rating records referee results rules",
    "stepper": "play records referee results rules",
    "bot_check": "core game_check kits plan play records referee report rules sandbox",
    "pages": "core games records referee report results rating rules",
    "bench": "core engine formats games play rating records referee results sandbox tournament",
    "cli": "bench bot_check core engine formats game_check games kits plan play rating records referee "
    "pages report results rules sandbox stepper tournament",
    "__main__": "cli",
    "__init__": "",
}

# Within a package, each module may import those before it.
MODULES = {
    "core": "values time_control clock limits conditions regular config programs installation files bot "
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
    "referee": "protocol seat handshake rehearsal referee",
    "records": "fixture deals record placings",
    "game_check": "random_games checks prose secrets examine",
    "sandbox": "linux supervisor promises policy stale client",
    "sandbox/linux": "procfs signals folders subreaper rlimits landlock seccomp users namespaces cgroup",
    "sandbox/supervisor": "messages restrictions process main",
    "play": "capacity process build opponent meter stderr player log recorder drawing terminal person loop "
    "trace table",
    "plan": "game included entrants support keys schema load terms",
    "formats": "lineups config plan seating round_robin gauntlet series rounds pairing swiss knockout "
    "adaptive ladder compare",
    "results": "facts stored_game layouts played locks opening store coded pgn csv placings closing sources "
    "game_list asks transcript moments bot_input behaviour verify dataframes",
    "engine": "interface parcel local dask_worker dask_connection dask_cluster",
    "tournament": "schedule work_queue batches broken run ladder single rehearse compare",
    "report": "templates commands page grid columns placings report notes standings standings_data matrices "
    "nash intervals views games behaviour games_csv",
    "pages": "templates static page chart game_data collect links notable records site definitions tables "
    "conditions standings_chart index rounds pairs course seats viewer profiles games faults times behaviour "
    "bot_charts bot_tables bots write",
    "stepper": "cursor words screen",
    "bot_check": "finding later excerpt diagnosis table explain trials start examine entries text",
    "bench": "starts bots referee metering idle runs time_limit languages report simulated pairing "
    "intervals ranges verdicts speed ratings",
    "cli": "completion base progress faults engines machine preview live play_out table run compare "
    "replay_list replay_against replay play_log play plan schema check check_game games exclude export "
    "report doctor bench new",
}

# These neither wait nor read files nor ask the system for anything: all that they need is given to them.
PURE = """
    core/clock core/limits rules games/shared games/complots games/local games/intrigue referee records
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


def test_the_packages_are_those_of_the_map():
    assert {path.stem for path in ROOT.iterdir() if path.suffix in ("", ".py")} - {"__pycache__"} == set(
        PACKAGES
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package):
    above = list(PACKAGES)[: list(PACKAGES).index(package)]
    assert set(PACKAGES[package].split()) <= set(above), "the packages would have a circle"
    for path in files(package):
        used = {name.split(".")[1] for name in imports(path) if name.startswith("arena.")}
        assert used - {"__version__"} <= {package, *PACKAGES[package].split()}, path


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_is_allowed_an_import_that_it_does_not_need(package):
    used = {
        name.split(".")[1] for path in files(package) for name in imports(path) if name.startswith("arena.")
    }
    assert used >= set(PACKAGES[package].split())


@pytest.mark.parametrize("package", MODULES)
def test_imports_within_a_package_go_one_way(package):
    modules = MODULES[package].split()
    prefix = f"arena.{package.replace('/', '.')}."
    found = {path.stem for path in (ROOT / package).glob("[!_]*") if path.suffix in ("", ".py")}
    assert found == set(modules)
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


@pytest.mark.parametrize("place", PURE.split())
def test_pure_modules_neither_wait_nor_read_nor_guess(place):
    for path in files(place):
        assert not {name.split(".")[0] for name in imports(path)} & IMPURE, path


OURS = [path for path in sorted(ROOT.rglob("*.py")) if "checkout" not in path.relative_to(ROOT).parts]
"""All but the bots that a wheel has."""


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "has no docstring"
    if "game_check" not in path.parts:  # which plays at random, from seeds that it is given
        assert "random" not in {name.split(".")[0] for name in imports(path)}, "makes random numbers"


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
