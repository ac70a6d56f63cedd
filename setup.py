"""Compiles the hot modules, and puts the quickstart and house bots into a wheel. The rest: pyproject.toml.

The hot modules are those that every answer of a bot passes through; mypyc compiles them if a wheel is built
with ARENA_COMPILE=1, which takes two to five minutes. Otherwise the same modules run as Python, with the same
results. An editable install is never compiled, because an edit would have no effect until the next build.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

PACKAGES = ("rules", "games", "games/complots", "games/local", "games/intrigue")
MODULES = """
    referee/clock referee/protocol referee/judging referee/seat referee/handshake referee/rehearsal
    referee/referee
    programs/play/loop programs/play/meter programs/play/stderr programs/play/player
    library/game library/numbering library/encoding
"""
SUBCLASSES = """
    library/inside programs/play/journalled programs/play/link programs/play/log programs/play/model
    programs/play/person programs/play/processless programs/play/recorder programs/play/remote
    tournament/runs/bot_input
"""  # of compiled classes
INTERPRETED = ("arena/rules/game.py", "arena/games/encodings.py")  # dataclasses for authors of games
GROUP = "arena.compiled"  # the library is arena/compiled__mypyc.*.so


COPY = "arena/programs/kits/checkout"  # where arena.programs.kits looks for the quickstart and the bots


def hot_modules() -> list[str]:
    found = [path.as_posix() for package in PACKAGES for path in sorted(Path("arena", package).glob("*.py"))]
    found += [f"arena/{module}.py" for module in (*MODULES.split(), *SUBCLASSES.split())]
    return [path for path in found if not path.endswith("__init__.py") and path not in INTERPRETED]


IS_ASKED = os.environ.get("ARENA_COMPILE") == "1"


def problem() -> str:
    """The reason why this machine cannot compile; "" if it can."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    if shutil.which(compiler.split()[0]) is None:
        return f"the C compiler {compiler.split()[0]!r} is not found"
    header = Path(sysconfig.get_path("include"), "Python.h")
    return "" if header.is_file() else f"the headers of Python are missing: no {header}"


def extensions() -> list[Extension]:
    if "bdist_wheel" not in sys.argv or not IS_ASKED:
        return []
    if why := problem():
        sys.exit(f"arena: ARENA_COMPILE=1 was asked for, but {why}")
    modules = hot_modules()
    print(f"arena: compiling {len(modules)} modules, which takes two to five minutes", file=sys.stderr)
    from mypyc.build import mypycify

    options = ["--config-file=", "--ignore-missing-imports"]  # the build needs none of our dependencies
    found = mypycify([*options, *modules], opt_level="2", debug_level="0", group_name=GROUP)
    for extension in found:  # compilers differ in their warnings
        extension.extra_compile_args = [each for each in extension.extra_compile_args if each != "-Werror"]
    return found


class BuildPy(build_py):
    """Copies the quickstart and the house bots; an editable install has them in the checkout."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name in self.quickstart():
                copy = Path(self.build_lib, COPY, name)
                self.mkpath(str(copy.parent))
                self.copy_file(name, str(copy))

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *self.quickstart()]

    @staticmethod
    def quickstart() -> list[str]:
        depths = ("*/*.*", "*/*/*.*")  # scripts, and folders
        found = [path for depth in depths for path in Path("bots").glob(depth) if path.parts[1] != "training"]
        bots = sorted(path.as_posix() for path in found if path.is_file() and path.suffix != ".pyc")
        return ["tournaments/quickstart.yaml", "tournaments/quickstart.jsonl.gz", *bots]


setup(
    ext_modules=extensions(),
    cmdclass={"build_py": BuildPy},
    setup_requires=["mypy>=2.4"] if IS_ASKED else [],  # pip gets it for the build alone
)
