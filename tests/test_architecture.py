"""Imports go one way, packages say what is public, and the map names what there is."""

import ast
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

from importlinter.cli import lint_imports

import arena
from arena.games import GAMES, page

ROOT = Path(arena.__file__).parent
MAP = Path(__file__).parent.parent / "ARCHITECTURE.md"
# The packages with modules of their own.
PUBLIC = (
    *("bench", "config", "contest", "games", "library", "models"),
    *("programs", "rating", "referee", "rules", "show", "tournament"),
)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def sources() -> dict[str, Path]:
    """The modules of the arena, without the bots and kits that it comes with."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "kits" not in parts or path.parent.name == "kits":
            found[".".join(("arena", *parts)).removesuffix(".__init__")] = path
    return found


def python_in(place: str) -> list[Path]:
    """The Python files of a folder of the checkout, if it is one."""
    return sorted((MAP.parent / place).rglob("*.py"))


@cache
def imported(path: Path) -> set[str]:
    """What a module imports: modules, and with their modules the names that it takes from them."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


def test_the_import_contracts_of_pyproject_hold():
    """`lint-imports` tells which import breaks one, and in which line."""
    assert lint_imports(str(MAP.with_name("pyproject.toml")), no_cache=True, no_logo=True) == 0


def test_packages_import_only_what_others_say_is_public():
    for package in PUBLIC:
        public = import_module(f"arena.{package}").PUBLIC.split()
        assert {f"arena.{package}.{name}" for name in public} <= set(sources()), package
        prefix = f"arena.{package}."
        for module, path in sources().items():
            if not module.startswith(f"arena.{package}"):
                for name in imported(path):
                    inner = name.removeprefix(prefix).split(".")
                    paths = {".".join(inner[:length]) for length in (1, 2, 3)}
                    is_module = name.startswith(prefix) and f"{prefix}{inner[0]}" in sources()
                    assert not is_module or paths & set(public), f"{module} imports {name}"


def test_names_that_only_their_own_module_uses_begin_with_an_underscore():
    """Functions and constants; a class or a type may be what a public function returns."""
    paths = [
        *sources().values(),
        *(path for place in ("tests", "benchmarks", "docs") for path in python_in(place)),
    ]
    files_with = Counter(word for path in paths for word in set(re.findall(r"\w+", path.read_text("utf-8"))))
    for module, path in sources().items():
        for node in parsed(path).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            found = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            names = [name for name in found if name.isupper()]
            names += [node.name] if isinstance(node, ast.FunctionDef) else []
            for name in names:
                assert name.startswith("_") or files_with[name] > 1, f"{module}.{name}"


def test_only_the_steps_themselves_decide_who_hears_news():
    for module, path in sources().items():
        if not module.startswith("arena.rules"):
            text = path.read_text(encoding="utf-8")
            # An offer of Intrigue has an addressee as well.
            decides = r"(?<!offer)\.to (is|==|!=)( not)? (ALL|None|seat)\b|\.to (not )?in \("
            assert not re.search(decides, text), module
            assert not re.search(r'f"(event|secret) \{', text), module


def test_every_module_has_a_docstring():
    for module, path in sources().items():
        assert ast.get_docstring(parsed(path)), f"{module} has no docstring"


def test_every_game_has_its_page():
    for game in GAMES.values():
        assert page(game).startswith("# ")
        assert all(f"`{name}" in page(game) for name in game.options)


def test_the_map_has_every_package():
    listed = re.findall(r"^\| `arena/(\w+)` \|", MAP.read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def test_the_map_names_only_what_there_is():
    text = MAP.read_text(encoding="utf-8")
    for package, modules in re.findall(r"^\| `arena/(\w+)` \|.*\| ([^|]*) \|$", text, re.M):
        for module in re.findall(r"`([\w/]+\.py)`", modules):
            assert (ROOT / package / module).is_file(), f"{package}/{module}"
    for path in re.findall(r"`arena/([a-z_/]+\.py)`", text):
        assert (ROOT / path).is_file(), path
    for name, path in re.findall(r"`(\w+)`\s(?:in|of)\s`((?:arena|tests|benchmarks)/[a-z_/]+\.py)`", text):
        # The wheel is tested in a folder that has the map but not arena/: that is an installed package there.
        place = ROOT.parent if path.startswith("arena/") else MAP.parent
        assert re.search(rf"\b{name}\b", (place / path).read_text(encoding="utf-8")), f"{name} in {path}"
    everything = "".join(path.read_text(encoding="utf-8") for path in [*ROOT.rglob("*.py"), Path(__file__)])
    for name in re.findall(r"`([A-Z]\w+)`", text):
        assert re.search(rf"\b{name}\b", everything), name


def test_the_walks_through_packages_name_modules_that_there_are():
    packages = {module: path for module, path in sources().items() if path.stem == "__init__"}
    for module, path in packages.items():
        for name in re.findall(r"`(arena(?:\.[a-z_]+)+)`", ast.get_docstring(parsed(path)) or ""):
            place = ROOT.joinpath(*name.split(".")[1:])
            assert place.is_dir() or place.with_suffix(".py").is_file(), f"{module} names {name}"


def glossary() -> dict[str, str]:
    """The meaning of each word."""
    text = MAP.read_text(encoding="utf-8").partition("## Glossary")[2]
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", text, re.M)[1:]
    assert len(rows) == len(dict(rows)) > 50
    return dict(rows)


def test_the_glossary_is_in_order():
    assert list(glossary()) == sorted(glossary(), key=str.lower)


@cache
def named() -> tuple[set[str], str]:
    """The classes, and the names of modules, classes, functions, arguments and fields, as `_seed_group_`."""
    classes, names = set(), {part for module in sources() for part in module.split(".")}
    for path in sources().values():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                classes.add(node.name)
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.id if isinstance(node, ast.Name) else node.attr)
    parts = (re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name) for name in names)
    return classes, " ".join(f"_{'_'.join(words).lower()}_" for words in parts)


def test_the_words_of_the_glossary_are_in_the_code():
    _, names = named()
    for word in glossary():
        name = re.sub("[ -]", "_?", word)
        assert re.search(f"_{name}s?_", names), f"{word}: nothing in the code is called so"


def test_the_map_names_classes_that_there_are():
    """In backticks; `ProgramTable` plays, so `Table` alone would name another class."""
    classes, _ = named()
    for word, meaning in glossary().items():
        assert set(re.findall(r"`([A-Z]\w+)`", meaning)) <= classes, word
