"""The house bots: no faults in any configuration, the same games again, and what their README says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from samples import CHECKOUT

from arena.config.document import ConfigError
from arena.games import GAMES
from arena.programs.play.build import build
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import Sandbox
from arena.referee.deals import deal_alone
from arena.referee.fixture import Fixture
from arena.tournament.plan.load import load_plan

BOTS = CHECKOUT / "bots"
PLAIN = [BOTS / "python" / f"{name}.py" for name in ("random_bot", "honest", "bluffer", "counting")] + [
    BOTS / "shell" / f"{name}.sh" for name in ("first", "miser")
]
COMPILED = [BOTS / "c" / name for name in ("random", "liar")]


def play(paths: list[Path], games: int, **options: object) -> list[str]:
    """Games between these bots, all seats taken in turn; the digests of their records."""
    bots = {f"{path.stem}{number}": read_bot(path) for number, path in enumerate(paths)}
    for bot in bots.values():
        build([bot], Sandbox())
    game, names, digests = GAMES["complots"], tuple(bots), []
    with ProgramTable(bots) as table:
        for number in range(games):
            turn = number % len(names)
            record = table.play(
                deal_alone(
                    Fixture(
                        game.name,
                        game.version,
                        game.defaults() | options,
                        names[turn:] + names[:turn],
                        ("",) * len(names),
                    ),
                    f"bots {number}",
                )
            )
            assert record.faults == (), record.faults
            digests.append(record.digest)
    return digests


@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_the_bots_that_need_no_compiler_play_every_table_without_a_fault(seats, cast):
    first = 3 * (cast == "inquisitor")
    play([PLAIN[(first + step) % len(PLAIN)] for step in range(seats)], 3, cast=cast)


def test_the_bots_that_need_no_compiler_play_the_same_games_again():
    assert play(PLAIN, 6) == play(PLAIN, 6)


@pytest.mark.compiler
@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_the_bots_in_c_play_every_table_without_a_fault(seats, cast):
    paths = [COMPILED[step % len(COMPILED)] for step in range(seats)]
    assert play(paths, 10, cast=cast) == play(paths, 10, cast=cast)


@pytest.mark.compiler
@pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.name)
def test_the_bots_in_c_compile_without_a_warning(path, tmp_path):
    words = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", tmp_path / "bot", path / f"{path.name}.c"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ten_lines_suffice_for_a_random_bot():
    lines = [line for line in (BOTS / "python" / "random_bot.py").read_text().splitlines() if line.strip()]
    assert len([line for line in lines if not line.startswith(('"""', "#"))]) <= 11


SNIPPETS = {"python": "py", "sh": "sh"}


@pytest.mark.parametrize("language", SNIPPETS)
def test_the_random_bots_of_the_readme_play(language, tmp_path):
    text = (BOTS / "README.md").read_text(encoding="utf-8")
    path = tmp_path / f"bot.{SNIPPETS[language]}"
    path.write_text(re.search(rf"```{language}\n(.*?)```", text, re.S)[1])
    play([path, path, path], 3)


@pytest.mark.parametrize("plan", sorted(path.name for path in (CHECKOUT / "tournaments").glob("*.yaml")))
def test_every_ready_plan_can_be_read(plan):
    assert len(load_plan(CHECKOUT / "tournaments" / plan).bots) >= 4


def test_every_house_bot_is_in_the_readme():
    text = (BOTS / "README.md").read_text(encoding="utf-8")
    for path in [*BOTS.glob("python/*.py"), *BOTS.glob("shell/*.sh"), *BOTS.glob("c/*/bot.yaml")]:
        name = path.parent.name if path.name == "bot.yaml" else path.stem.removesuffix("_bot")
        assert f"`{name}`" in text, path


def script(folder: Path, first: str, name: str = "bot.py") -> Path:
    path = folder / name
    path.write_text(f"{first}\nprint('never run')\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("first", "command"),
    [
        ("#!/bin/sh", ("/bin/sh",)),
        ("#! /bin/sh -e", ("/bin/sh", "-e")),
        ("#!/bin/sh -e -u", ("/bin/sh", "-e -u")),  # one word, as the kernel has it
        ("#!/usr/bin/env sh", (shutil.which("sh"),)),
        ("#!/usr/bin/env -S sh -e -u", (shutil.which("sh"), "-e", "-u")),
        ("# no such line", (sys.executable,)),
    ],
)
def test_the_first_line_of_a_script_says_what_runs_it(tmp_path, first, command):
    """Before its name does: #!/usr/bin/python3.12 is that version, whatever runs the arena."""
    path = script(tmp_path, first)
    assert read_bot(path).command == (*command, str(path))


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("#!/no/such/python", "its first line, #!/no/such/python, names no program on this machine"),
        ("#!/usr/bin/env nothing-like-it", "names no program on this machine"),
        ("#!/usr/bin/env", "names no program on this machine"),
        ("#!", "names no program on this machine"),
        ("#!/bin/sh\r", "its lines end with .*, as on Windows"),
    ],
)
@pytest.mark.parametrize("name", ["bot.py", "bot"])
def test_a_script_whose_interpreter_is_missing(tmp_path, first, words, name):
    with pytest.raises(ConfigError, match=words):
        read_bot(script(tmp_path, first, name))
