"""Completes words of the command line when Tab is pressed (docs/running.md). Mistakes complete to nothing."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
_MAX_ENTRIES, _MAX_GAMES = 2000, 20_000  # the most entries of a folder and games of a run that are read


class _BashComplete(BashComplete):
    """Completes words with colons, such as `house:counting`, which bash takes apart."""

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        *args, incomplete = re.sub("\0:\0?", ":", "\0".join([*args, incomplete])).split("\0")
        self._before = incomplete.rfind(":") + 1  # characters that are on the line already
        return args, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type},{item.value[self._before :]}"


add_completion_class(_BashComplete)


def completer(words: Callable[[click.Context, str], Iterator[str]], or_files: bool = False) -> Completer:
    """A completer that offers each of the `words` that continues the typed text.

    With `or_files` it offers files if there are no such words.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found: list[CompletionItem] = []
        with suppress(Exception):  # A traceback would be printed into the line that is being typed.
            known = words(context, incomplete)
            found = [CompletionItem(word) for word in known if word.startswith(incomplete)]
        return found or ([CompletionItem(incomplete, type="file")] if or_files else [])

    return complete


def _games_here(context: click.Context, incomplete: str) -> Iterator[str]:
    from arena.games import names

    return iter(names())


def _options_here(context: click.Context, incomplete: str) -> Iterator[str]:
    """KEY=VALUE for each value of each option of the typed game, by default Complots."""
    from arena.config.text import yaml_word
    from arena.games import find

    given: Any = context.params
    names = given.get("game") or given.get("names") or "complots"
    game = find(names if isinstance(names, str) else names[0])
    for key, option in game.options.items() if game else ():
        yield from (f"{key}={yaml_word(value)}" for value in option.values)


def _languages(context: click.Context, incomplete: str) -> Iterator[str]:
    from arena.programs.kits import LANGUAGES

    return iter(LANGUAGES)


def _bots_of_run(context: click.Context, incomplete: str) -> Iterator[str]:
    """The names of the bots in the first games of the typed run."""
    from arena.tournament.runs.store import Store

    runs = context.params.get("run") or context.params["runs"]
    with Store(runs if isinstance(runs, Path) else runs[0]) as store:
        yield from sorted({name for game in islice(store.games(), _MAX_GAMES) for name in game.bots})


def _entries(incomplete: str, *folders: str) -> Iterator[Path]:
    """The entries of the typed folder; if none was typed, of the current folder and of `folders`."""
    typed = incomplete.rpartition("/")[0] or ("/" if incomplete.startswith("/") else "")
    for folder in (typed,) if typed else (".", *folders):
        yield from sorted(Path(folder).glob("*"))[:_MAX_ENTRIES]


def _bots_here(context: click.Context, incomplete: str) -> Iterator[str]:
    from arena.programs.bot import HOUSE, is_bot
    from arena.programs.house import HOUSE_BOTS

    yield from (str(path) for path in _entries(incomplete, "bots") if is_bot(path))
    if incomplete:  # Without a beginning, house bots would crowd out the files.
        yield from (HOUSE + name for name in HOUSE_BOTS)


def _players_here(context: click.Context, incomplete: str) -> Iterator[str]:
    yield "human"
    yield from _bots_here(context, incomplete)


def _runs_here(context: click.Context, incomplete: str) -> Iterator[str]:
    return (str(path) for path in _entries(incomplete, "runs") if path.suffix == ".db")


def _views_here(context: click.Context, incomplete: str) -> Iterator[str]:
    """The run files, and before the first word also the views."""
    from arena.show.tables.views import VIEWS

    if not context.params.get("words"):
        yield from VIEWS
    yield from _runs_here(context, incomplete)


def _ratings_here(context: click.Context, incomplete: str) -> Iterator[str]:
    from arena.tournament.formats.config import RATING_KEYS

    return (f"{key}=" for key in RATING_KEYS)


def _plans_here(context: click.Context, incomplete: str) -> Iterator[str]:
    found = _entries(incomplete, "tournaments")
    yield from (str(path) for path in found if path.suffix in (".yaml", ".yml") and path.name != "bot.yaml")
    yield "quickstart"  # the plan that the arena includes


def _pools_here(context: click.Context, incomplete: str) -> Iterator[str]:
    from arena.tournament.pools import all_pools

    return iter(all_pools())


GAMES = completer(_games_here)
LANGUAGES = completer(_languages)
OPTIONS = completer(_options_here)
BOTS = completer(_bots_here, or_files=True)
PLAYERS = completer(_players_here, or_files=True)
RUNS = completer(_runs_here, or_files=True)
VIEWS_OR_RUNS = completer(_views_here, or_files=True)
RATINGS = completer(_ratings_here)
PLANS = completer(_plans_here, or_files=True)
POOLS = completer(_pools_here)
BOTS_OF_RUN = completer(_bots_of_run)
