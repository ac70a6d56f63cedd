"""`arena play`: play a single game and show it."""

from functools import partial
from pathlib import Path

import click

from arena.cli.base import FILE, FILES, FORMAT, OPTION, command, control_of, is_given, move_option, pairs
from arena.cli.completion import GAMES, PLAYERS, RUNS
from arena.cli.replay import print_record
from arena.config.document import ConfigError


@click.command()
@click.argument("game", shell_complete=GAMES)
@click.argument("bots", nargs=-1, required=True, type=FILE, shell_complete=PLAYERS)
@click.option("--seed", help="Determines the deals.  [default: random]")
@OPTION
@FILES
@move_option("2s")
@click.option("--setup", type=FILE, help="A setup file: a position to start from, scripted chance.")
@click.option("--record", type=FILE, shell_complete=RUNS, help="Add the record of the game to this run file.")
@click.option("--log", is_flag=True, help="Print instead all lines of the bots, as they come, with times.")
@FORMAT
@command
def play(
    game: str,
    bots: tuple[Path, ...],
    seed: str | None,
    options: tuple[str, ...],
    files: tuple[Path, ...],
    move: str,
    setup: Path | None,
    record: Path | None,
    log: bool,
    form: str,
) -> None:
    """Play one GAME between BOTS and show it.

    A bot is a program, or a folder with a bot.yaml, or the word human: then you play in this terminal. You
    have a time limit only with --move.

    In the lines of --log, `<` marks input of a bot, `>` its output, `#` its stderr, and `!` notes such as its
    faults and its place; times are in milliseconds.
    """
    from contextlib import nullcontext

    from arena.cli.play_log import GameLog
    from arena.programs.bot import HUMAN
    from arena.tournament.runs.store import Store
    from arena.tournament.runs.stored_game import pack
    from arena.tournament.single import play_one

    control, game_log = control_of(move), GameLog(form) if log else None
    given, player = pairs(options), game_log.player if game_log else None
    human, timed = Path(HUMAN) in bots, is_given("move")
    if human and form == "json":
        raise ConfigError("--format json: not while a person plays; --record the game, and replay it")
    if human and log:
        raise ConfigError("--log: not while a person plays, who would see the hands of the others")
    with Store(record, writer=True) if record else nullcontext() as store:
        if store and store.facts.plan:
            raise ConfigError(f"--record: {record} is the run of a plan; single games need another file")
        try:
            played = play_one(
                game,
                bots,
                seed,
                given,
                control,
                setup,
                files=files,
                timed=timed,
                player=player,
                tell=partial(click.echo, err=True),
            )
        except KeyboardInterrupt:
            if human:
                click.echo("\narena: you have left the game, and it is not recorded", err=True)
            raise
        if store:
            store.append([pack(played)])
    if game_log:
        game_log.end(played)
    elif not human or played.fixture.person in played.forfeits:  # People see their games until they forfeit.
        print_record(played, form)
