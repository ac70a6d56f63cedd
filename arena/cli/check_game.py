"""`arena check-game`: checks in random games that a game keeps the promises of every game."""

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click

from arena.cli.base import FORMAT, command, print_result
from arena.cli.completion import GAMES
from arena.config.text import cause

if TYPE_CHECKING:  # These imports are slow, and other commands do not need them.
    from arena.programs.check.finding import Finding, Verdict
    from arena.rules import Game

_HASH_GAMES = 60  # games under each hash seed


@click.command("check-game")
@click.argument("name", shell_complete=GAMES)
@click.option("--games", default=2, type=click.IntRange(1, 1000), help="Games for each value of each option.")
@FORMAT
@command
def check_game(name: str, games: int, form: str) -> int:
    """Check that a game is reproducible, ends and leaks nothing.

    Random games are played with each option of the game NAME at its listed values, or at a few numbers.

    Exit status: 0 if no problem was found, else 1.
    """
    from arena.cli.check_text import lines
    from arena.programs.game_options import find_game

    findings = _check(find_game(name), games)
    print_result(form, [finding.to_json() for finding in findings], lines(findings))
    return int(any(finding.verdict == "fault" for finding in findings))


def _check(game: "Game", games: int) -> "list[Finding]":
    from arena.games import page
    from arena.programs.check.finding import Finding
    from arena.referee.game_check.examine import examine

    findings = []
    for name, sound, problems in examine(game, games):
        verdict: Verdict = "fault" if problems else "ok"
        words = f"this does not hold: {sound}" if problems else sound
        findings.append(Finding(name, verdict, words, tuple(f"  {problem}" for problem in problems)))
    if all(finding.verdict == "ok" for finding in findings):
        findings.append(hash_finding(game))
    text = page(game)
    if not text.startswith("# "):
        findings.append(Finding("page", "note", text.strip() or "its page is empty"))
    return findings


def hash_finding(game: "Game") -> "Finding":
    """Find out whether games depend on the order of sets: play them with three hash seeds."""
    from arena.programs.check.finding import Finding

    program = (
        "from arena.games import find; from arena.referee.game_check.random_games import digest_of_games; "
        f"print(digest_of_games([find({game.name!r})], {_HASH_GAMES}))"
    )
    runs = []
    for seed in ("0", "1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program]
        runs.append(subprocess.run(command, env=environment, capture_output=True, text=True))
    if failed := [run for run in runs if run.returncode]:
        return Finding("hashes", "fault", cause(failed[0].stderr))
    if len({run.stdout for run in runs}) > 1:
        return Finding("hashes", "fault", "games depend on PYTHONHASHSEED: do not use the order of a set")
    return Finding("hashes", "ok", "games are the same under any PYTHONHASHSEED")
