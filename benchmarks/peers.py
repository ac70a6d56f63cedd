"""Compares an ask of the arena with a ply of two chess match runners, on one core, in turns.

python benchmarks/peers.py C_CHESS_CLI FASTCHESS builds both from checkouts of their repositories, with their
own build systems, and plays matches of `shuffle.c` against itself. With `--arena NAME=PYTHON`, given several
times, several arenas are compared in the same turns. README.md explains the numbers.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import time
from typing import NamedTuple

HERE = Path(__file__).parent
SHORT = 2  # games of a match that is subtracted: the time of a runner to start and to end
CLOCK = "tc=60+0.6"
PIPE = "bare pipe in Python"


class Cost(NamedTuple):
    """Microseconds per ply or ask: wall time, and CPU time of the runner and its engines."""

    wall: float
    cpu: float


class Match(NamedTuple):
    """Seconds until the last game was in the PGN file, CPU seconds of all processes, and moves played."""

    wall: float
    cpu: float
    plies: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("c_chess_cli", type=Path, help="a checkout of c-chess-cli")
    parser.add_argument("fastchess", type=Path, help="a checkout of fastchess")
    parser.add_argument("--rounds", type=int, default=5, help="how often all are measured in turns")
    parser.add_argument("--games", type=int, default=300, help="games of a match")
    parser.add_argument("--asks", type=int, default=1000, help="games of the arena")
    help = "a Python in which an arena is installed; by default this one"
    parser.add_argument("--arena", action="append", metavar="NAME=PYTHON", help=help)
    arguments = parser.parse_args()
    arenas = dict(each.split("=", 1) for each in arguments.arena or [f"arena={sys.executable}"])
    build(["python3", "make.py"], arguments.c_chess_cli)
    build(["make", "-j"], arguments.fastchess)
    with tempfile.TemporaryDirectory() as folder:
        engine = Path(folder) / "shuffle"
        build(["cc", "-O2", "-o", str(engine), str(HERE / "shuffle.c")], HERE)
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # everything below inherits the core
        runners = {
            "c-chess-cli, ply": c_chess_cli(arguments.c_chess_cli.resolve() / "c-chess-cli", engine),
            "fastchess, ply": fastchess(arguments.fastchess.resolve() / "fastchess", engine),
        }
        found: dict[str, list[Cost]] = {}
        for number in range(arguments.rounds):
            print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr)
            for name, command in runners.items():
                found.setdefault(name, []).append(per_ply(command, arguments.games, Path(folder)))
            for name, python in arenas.items():
                for what, cost in arena(name, python, arguments.asks).items():
                    found.setdefault(what, []).append(cost)
    print(table(found, list(runners)))


def build(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{folder}: {' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def c_chess_cli(program: Path, engine: Path) -> list[str]:
    one_each = ["-engine", "name=one", "-engine", "name=two"]
    return [
        str(program),
        "-each",
        f"cmd={engine}",
        CLOCK,
        *one_each,
        "-pgn",
        "games.pgn",
        "-games",
        "{games}",
    ]


def fastchess(program: Path, engine: Path) -> list[str]:
    engines = [word for name in ("one", "two") for word in ("-engine", f"cmd={engine}", f"name={name}")]
    more = ["-pgnout", "file=games.pgn", "-autosaveinterval", "0", "-repeat", "-rounds", "{rounds}"]
    return [str(program), *engines, "-each", CLOCK, *more]


def per_ply(command: list[str], games: int, folder: Path) -> Cost:
    """The difference between a long and a short match, per ply."""
    short, long = (match(command, each, folder) for each in (SHORT, games))
    plies = long.plies - short.plies
    return Cost((long.wall - short.wall) / plies * 1e6, (long.cpu - short.cpu) / plies * 1e6)


def match(command: list[str], games: int, folder: Path) -> Match:
    """Play a match. It ends with the last write to the PGN file, because fastchess sleeps before it exits."""
    words = [word.format(games=games, rounds=games // 2) for word in command]
    pgn = folder / "games.pgn"
    pgn.unlink(missing_ok=True)
    with open(folder / "output.txt", "w") as output:
        began = time()
        process = subprocess.Popen(words, cwd=folder, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or not pgn.is_file():
        sys.exit(f"{words[0]} failed:\n{(folder / 'output.txt').read_text()[-2000:]}")
    return Match(pgn.stat().st_mtime - began, usage.ru_utime + usage.ru_stime, plies(pgn.read_text(), games))


def plies(pgn: str, games: int) -> int:
    """The number of moves in a PGN file. It must have all the games, and each must be a draw."""
    if pgn.count('[Result "1/2-1/2"]') != games:
        sys.exit(f"expected {games} draws in the PGN file:\n{pgn[:2000]}")
    moves = re.sub(r"^\[.*\]$|\{[^}]*\}|\d+\.+|1/2-1/2", " ", pgn, flags=re.MULTILINE).split()
    if len(moves) != sum(map(int, re.findall(r'\[PlyCount "(\d+)"\]', pgn))):
        sys.exit("the moves in the PGN file are not as many as its PlyCount says")
    return len(moves)


def arena(name: str, python: str, games: int) -> dict[str, Cost]:
    command = [python, "-P", "-m", "arena", "bench", "--only", "asks", "--games", str(games)]
    done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    asks = json.loads(done.stdout)["asks"]
    costs = {f"{name}, ask of {each['seats']} seats": Cost(each["ask_us"], each["cpu_us"]) for each in asks}
    return costs | {f"{name}, {PIPE}": Cost(asks[0]["bare_us"], asks[0]["bare_us"])}


def table(found: dict[str, list[Cost]], peers: list[str]) -> str:
    """Medians with their ranges, in Markdown. Ratios are of CPU time within a round."""
    heads = [
        "",
        "wall, us",
        "CPU, us",
        *(f"CPU / {peer.partition(',')[0]}" for peer in peers),
        "CPU / bare pipe",
    ]
    rows = [heads, ["---"] * len(heads)]
    for name, costs in found.items():
        others = [*peers, f"{name.partition(',')[0]}, {PIPE}"]
        ratios = [ratio(costs, found[other]) if other in found else "" for other in others]
        cells = [spread([cost.wall for cost in costs], 1), spread([cost.cpu for cost in costs], 1)]
        rows.append([name, *cells, *ratios])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def ratio(costs: list[Cost], others: list[Cost]) -> str:
    return spread([cost.cpu / other.cpu for cost, other in zip(costs, others, strict=True)], 2)


def spread(values: list[float], places: int) -> str:
    return f"{median(values):.{places}f} ({min(values):.{places}f} to {max(values):.{places}f})"


if __name__ == "__main__":
    main()
