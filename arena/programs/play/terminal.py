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

from arena import games
from arena.config.text import printable
from arena.programs.play.drawing import draw_table
from arena.referee.referee import Referee
from arena.rules import Choice, seat_name

_MOST_LINES = 12  # of options; more than these stand in columns
_HELP = "Type a number or a word; ? explains, rules shows the rules, quit leaves."


class Terminal:
    """Shows one seat its game, and reads its answers. It sees the choice of its own seat alone."""

    def __init__(self, referee: Referee, seat: int, names: Sequence[str]):
        self._referee, self._seat, self._names = referee, seat, names
        self._game = referee.match.game
        self._prose = self._game.prose
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # for terminals without Unicode
        self._console = Console(highlight=False)
        self._states: list[str] = []
        self._drawn: list[str] = []

    @property
    def is_asked(self) -> bool:
        return self._referee.waits_for(self._seat)

    @property
    def _choice(self) -> Choice:
        choice = self._referee.seats[self._seat].choice
        assert choice, "nothing is read without an ask"
        return choice

    @property
    def _context(self) -> dict[str, str]:
        return {key: str(value) for key, value in self._choice.context.items()}

    # What the seat hears

    def hear(self, verb: str, rest: str) -> None:
        """Show a line to the seat that is no ask; an ask is shown by `ask`."""
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
                # News begins in the third column and nothing else does: free text cannot pass for news.
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

    # What the seat is asked

    def ask(self, limit: float | None = None) -> None:
        """Draw the table if it has changed, and list the options; `limit` is the time in seconds."""
        self._print("")
        if self._states != self._drawn:
            self._draw(self._states)
        self._drawn, self._states = self._states, []
        self._print(self._prose.ask(self._choice.kind, self._context), "bold")
        if limit is not None:
            self._print(f"You have {limit:g} s.", "dim")
        self._list()
        self._prompt()

    def read(self, typed: str) -> str:
        """The answer that was typed; "" if it was a request (`?`), or wrong: the person is asked again."""
        text = typed.strip()
        if not sys.stdin.isatty():  # a terminal has shown it
            self._print(text)
        word = self._word(text)
        if word:
            return word
        if text.lower() == "quit":
            raise KeyboardInterrupt
        if text.lower() in ("?", "help"):
            self._explain()
        elif text.lower() == "rules":
            self._show_rules()
        elif text:
            self._print(f"! {self._slip(text)}", "bold red")
        self._prompt()
        return ""

    def _word(self, text: str) -> str:
        """The legal word that a text stands for: the word itself, or its number in the list; "" if none."""
        choice = self._choice
        for word in (text, text.lower(), self._prose.answer(text)):
            if choice.accepts(word):
                return word
        if not self._has_amounts and re.fullmatch("[0-9]{1,4}", text):
            number = int(text)
            return choice.options[number - 1] if 0 < number <= len(choice.options) else ""
        return choice.same_set(text.lower())

    def _slip(self, text: str) -> str:
        """The reason why a text is no answer, for the person."""
        choice, match = self._choice, self._referee.match
        for word in (text, self._prose.answer(text)):
            if reason := choice.refusal(word):
                return reason
            if reason := match.game.why_not(match.position, self._seat, choice, word):
                few = self._has_amounts or len(choice.options) <= _MOST_LINES
                return f"{reason}; possible: {_amounts(choice.options)}" if few else reason
        if self._has_amounts:
            return f"{text!r} is none of them: {_amounts(choice.options)}"
        return f"{text!r} is none of the options: type a number from 1 to {len(choice.options)}, or the word"

    @property
    def _has_amounts(self) -> bool:
        kind, options = self._choice.kind, self._choice.options
        return all(option.isdecimal() and not self._prose.option(kind, option) for option in options)

    def _list(self, explained: bool = False) -> None:
        choice = self._choice
        if self._has_amounts:
            return self._print(f"  {_amounts(choice.options)}")
        numbered = [Text(f"{number:>3}  {option}") for number, option in enumerate(choice.options, 1)]
        if len(numbered) > _MOST_LINES and not explained:
            self._console.print(Columns(numbered, column_first=True, padding=(0, 2)))
        else:
            grid = Table.grid(padding=(0, 2))
            for line, option in zip(numbered, choice.options, strict=True):
                grid.add_row(line, Text(printable(self._prose.option(choice.kind, option))))
            self._console.print(grid)
        if choice.open:
            self._print(f"     or {', '.join(choice.open)} ... (? shows how)")

    def _explain(self) -> None:
        choice = self._choice
        self._draw(self._drawn)
        self._print(self._prose.ask(choice.kind, self._context), "bold")
        self._list(explained=True)
        for head in choice.open:
            self._print(f"     {self._prose.open.get(head, head)}")
        said = "  ".join(f"{key}={value}" for key, value in self._context.items())
        self._print(f"As a bot reads it: {choice.kind} {said}".rstrip(), "dim")
        self._print(_HELP, "dim")

    def _show_rules(self) -> None:
        """Print the sections of the rule page that the ask is about, or the whole page if none are named."""
        page = games.page(self._game)
        found = [section(page, heading) for heading in self._prose.sections.get(self._choice.kind, ())]
        self._console.print(Markdown("\n".join(found) or page))

    def _prompt(self) -> None:
        self._console.print("> ", end="")
        self._console.file.flush()

    def _print(self, text: str, style: str = "") -> None:
        """Print a text from anywhere, with controls escaped and without markup."""
        self._console.print(Text(printable(text), style=style))


def _amounts(options: Sequence[str]) -> str:
    return ", ".join(options if len(options) <= _MOST_LINES else (*options[:3], "...", options[-1]))


def section(page: str, heading: str) -> str:
    """The section of a Markdown page with this heading, up to the next heading of its level; "" if none."""
    start = re.search(rf"^(#+) {re.escape(heading)}\n", page, re.M)
    if not start:
        return ""
    end = re.compile(rf"^#{{1,{len(start[1])}}} ", re.M).search(page, start.end())
    return page[start.start() : end.start() if end else None]
