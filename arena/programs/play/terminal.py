"""The game on the terminal of a person: news in words, the table drawn, options numbered."""

import re
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from arena.config.text import printable
from arena.programs.play.dialogue import FEW, Dialogue, amounts
from arena.programs.play.drawing import draw_table
from arena.referee.referee import Referee
from arena.rules import seat_name

_HELP = "Type a number or a word; ? explains, rules shows the rules, quit leaves."


class Terminal:
    """Shows one seat its game, and reads its answers. It sees only the choice of its own seat."""

    def __init__(self, referee: Referee, seat: int, names: Sequence[str]):
        self._referee, self._seat, self._names = referee, seat, names
        self._dialogue = Dialogue(referee, seat)
        self._game, self._prose = self._dialogue.game, self._dialogue.prose
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # for terminals without Unicode
        self._console = Console(highlight=False)
        self._states: list[str] = []
        self._drawn: list[str] = []

    @property
    def is_asked(self) -> bool:
        return self._dialogue.is_asked

    # News for the seat

    def hear(self, verb: str, rest: str) -> None:
        """Show the seat a line other than an ask; `ask` shows asks."""
        if verb == "game":
            self._greet()
        elif verb in ("event", "secret"):
            self._tell(rest, "bold" if verb == "secret" else "")
        elif verb == "state":
            self._states.append(rest)
        elif verb == "error":
            self._print(f"! {rest.partition(' ')[2]}", "bold red")
        elif verb == "end":
            self._show_end()

    def say_late(self) -> None:
        self._print("Too late: the time for this answer is over.", "bold red")

    def _greet(self) -> None:
        names = [f"{seat_name(seat)} {name}" for seat, name in enumerate(self._names)]
        names[self._seat] = f"{seat_name(self._seat)} (you)"
        self._print(f"{self._game.name}: {', '.join(names)}", "bold")
        self._print(_HELP, "dim")

    def _tell(self, news: str, style: str) -> None:
        if news.startswith("turn "):
            self._print("")
            self._print(self._prose.tell(news), style or self._style(news))
        else:
            said = Text(printable(self._prose.tell(news)), style=style or self._style(news))
            for number, line in enumerate(said.wrap(self._console, max(20, self._console.width - 4))):
                # Only news begins in the third column: free text cannot imitate news.
                self._console.print(Padding(line, (0, 0, 0, 4 if number else 2)))

    def _style(self, news: str) -> str:
        return "cyan" if seat_name(self._seat) in re.split(r"[ .:@=]", news) else ""

    def _show_end(self) -> None:
        match = self._referee.match
        assert match.result
        places, scores = match.result
        self._print("\nThe game is over. The table with open cards:", "bold")
        self._draw(self._game.view(match.position, None))
        for place, seat in sorted((place, seat) for seat, place in enumerate(places)):
            score = "" if scores is None else f", {scores[seat]}"
            you = " (you)" if seat == self._seat else ""
            self._print(f"{place}. {seat_name(seat)} {self._names[seat]}{you}{score}")

    def _draw(self, states: Sequence[str]) -> None:
        titles = ["you" if seat == self._seat else name for seat, name in enumerate(self._names)]
        for part in draw_table(states, titles, self._prose, self._seat):
            self._console.print(part)

    # Asks

    def ask(self, limit: float | None = None) -> None:
        """Draw the table if it has changed, and list the options; `limit` is in seconds, or None."""
        self._print("")
        if self._states != self._drawn:
            self._draw(self._states)
        self._drawn, self._states = self._states, []
        self._print(self._dialogue.question, "bold")
        if limit is not None:
            self._print(f"You have {limit:g} s.", "dim")
        self._list()
        self._prompt()

    def read(self, typed: str) -> str:
        """The answer that was typed; "" if the person has to type again, after a slip, `?` or `rules`.

        Raises:
            KeyboardInterrupt: `quit` was typed.
        """
        text = typed.strip()
        if not sys.stdin.isatty():  # a terminal has already shown it
            self._print(text)
        word = self._dialogue.word(text)
        if word:
            return word
        if text.lower() == "quit":
            raise KeyboardInterrupt
        if text.lower() in ("?", "help"):
            self._explain()
        elif text.lower() == "rules":
            self._console.print(Markdown(self._dialogue.rules()))
        elif text:
            self._print(f"! {self._slip(text)}", "bold red")
        self._prompt()
        return ""

    def _slip(self, text: str) -> str:
        last = len(self._dialogue.choice.options)
        return self._dialogue.slip(text, f"type a number from 1 to {last}, or the word")

    def _list(self, explained: bool = False) -> None:
        dialogue = self._dialogue
        options = dialogue.options
        if dialogue.has_amounts:
            return self._print(f"  {amounts(dialogue.choice.options)}")
        numbered = [Text(f"{number:>3}  {word}") for number, (word, _) in enumerate(options, 1)]
        if len(numbered) > FEW and not explained:
            self._console.print(Columns(numbered, column_first=True, padding=(0, 2)))
        else:
            grid = Table.grid(padding=(0, 2))
            for line, (_, meaning) in zip(numbered, options, strict=True):
                grid.add_row(line, Text(printable(meaning)))
            self._console.print(grid)
        if heads := [head for head, _ in dialogue.open]:
            self._print(f"     or {', '.join(heads)} ... (? shows how)")

    def _explain(self) -> None:
        dialogue = self._dialogue
        self._draw(self._drawn)
        self._print(dialogue.question, "bold")
        self._list(explained=True)
        for _, how in dialogue.open:
            self._print(f"     {how}")
        said = "  ".join(f"{key}={value}" for key, value in dialogue.context.items())
        self._print(f"As a bot reads it: {dialogue.choice.kind} {said}".rstrip(), "dim")
        self._print(_HELP, "dim")

    def _prompt(self) -> None:
        self._console.print("> ", end="")
        self._console.file.flush()

    def _print(self, text: str, style: str = "") -> None:
        """Print an untrusted text, with controls escaped and without markup."""
        self._console.print(Text(printable(text), style=style))
