"""The full-screen view of a recorded game: the table at the top, events below it, the keys at the bottom."""

from collections.abc import Sequence
from itertools import chain
from typing import ClassVar

from rich.console import Console, Group
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from arena.programs.play.drawing import draw_table
from arena.referee.record import Record
from arena.rules import seat_name
from arena.show.stepper.cursor import Cursor
from arena.show.stepper.words import MomentText
from arena.tournament.runs.moments import Moment

PAUSES = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)  # seconds for a moment while the game plays, by speed
_CONSOLE = Console()  # Rich needs a console to wrap texts.
HELP = "← → step  ↑ ↓ turn  f fault  space play  s seat  g go to  ? all keys  q quit"
_KEYS = """\
→ n enter       the next moment        ← b backspace   the one before
↓ page down     the next turn          ↑ page up       the turn before
end             the end                home            the beginning
f               the next fault         F               the fault before
g               go to a moment, as 17, or to a turn, as t4
space           play, or pause         + -             faster, slower
s               the view of the next seat, or all seats open again
0               all seats open         1 to 9          the view of this seat
w               news and answers in words, or as bots read and write them
j k             scroll a table that is too tall
q ctrl+c        quit                   ?               these keys"""


class News(Widget):
    """The last events up to this moment, as many as fit; the events of the moment are marked."""

    def __init__(self, cursor: Cursor, words: MomentText):
        super().__init__()
        self._cursor, self._words = cursor, words

    def render(self) -> Text:
        width, height = self.size
        cursor, lines = self._cursor, list[Text]()
        for at in reversed([each for each in cursor.seen if each <= cursor.at]):
            is_now = at == cursor.at
            told = [self._wrapped(line, width, is_now) for line in self._words.lines(cursor.said(at), is_now)]
            lines[:0] = chain.from_iterable(told)
            if len(lines) >= height:
                break
        return Text("\n").join(lines[-height:])

    def _wrapped(self, line: Text, width: int, is_now: bool) -> list[Text]:
        """A line wrapped to the width, with an indent in further lines; marked if it is new."""
        indent = len(line.plain) - len(line.plain.lstrip()) + 2
        first, *rest = line.wrap(_CONSOLE, max(20, width - indent - 2)) or [line]
        more = [Text(" " * indent).append_text(each) for each in rest]
        mark = ("▌ ", "cyan") if is_now and line else ("  ", "")
        return [Text.assemble(mark, each) for each in (first, *more)]


class Stepper(App[None]):
    """Steps through a game from the moment `at`, in the view of `seat`, or with all seats open."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""  # The keys go to the game until the user wants to type a moment.
    CSS = """
    Screen { background: ansi_default; color: ansi_default; }
    #title { text-style: reverse; }
    #table { height: auto; max-height: 65%; }
    News { height: 1fr; margin-top: 1; }
    Input { border: none; height: 1; padding: 0; display: none; background: ansi_default; }
    #help { height: auto; text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n,enter", "step(1)"),
        Binding("left,b,backspace", "step(-1)"),
        Binding("down,pagedown", "turn(1)"),
        Binding("up,pageup", "turn(-1)"),
        Binding("home", "go(0)"),
        Binding("end", "go(-1)"),
        Binding("f", "fault(1)"),
        Binding("F", "fault(-1)"),
        Binding("g", "ask_where"),
        Binding("space", "play"),
        Binding("plus", "speed(1)"),
        Binding("minus", "speed(-1)"),
        Binding("s", "next_seat"),
        *(Binding(str(seat), f"seat({seat})") for seat in range(10)),
        Binding("w", "words"),
        Binding("j", "scroll_table(1)"),
        Binding("k", "scroll_table(-1)"),
        Binding("question_mark", "keys"),
        Binding("escape", "leave_input"),
        Binding("q", "quit"),
        Binding("ctrl+c", "quit", priority=True),
    ]

    def __init__(self, record: Record, moments: Sequence[Moment], at: int = 0, seat: int | None = None):
        super().__init__(ansi_color=True)
        self.cursor = Cursor(moments, seat, at)
        self._game, self._bots = record.fixture.game, record.fixture.bots
        self._words = MomentText(record)
        self._speed = PAUSES.index(1.0)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with VerticalScroll(id="table", can_focus=False):
            yield Static(id="drawing")
        yield News(self.cursor, self._words)
        yield Input(placeholder="a moment, as 17, or a turn, as t4", max_length=9)
        yield Static(Text(HELP), id="help")

    def on_mount(self) -> None:
        self._show()

    def _show(self, note: str = "") -> None:
        """Draw the current moment. A note replaces the help line until the next step."""
        cursor = self.cursor
        eyes = "all seats" if cursor.seat is None else f"seen by {seat_name(cursor.seat)}"
        turn = f", turn {turn}" if (turn := cursor.turns[cursor.at]) else ""
        playing = f"  ▶ {PAUSES[self._speed]:g} s" if self._timer else ""
        title = f" {self._game}: moment {cursor.at + 1} of {len(cursor.moments)}{turn}, {eyes}{playing}"
        self.query_one("#title", Static).update(Text(title.ljust(self.size.width)))
        parts = draw_table(cursor.table, self._bots, self._words.prose, cursor.seat)
        self.query_one("#drawing", Static).update(Group(*parts))
        self.query_one(News).refresh()
        self.query_one("#help", Static).update(Text(note or HELP))

    # What the keys do

    def action_step(self, by: int) -> None:
        self.cursor.step(by)
        self._show()

    def action_turn(self, by: int) -> None:
        self.cursor.step_turn(by)
        self._show()

    def action_go(self, at: int) -> None:
        """Go to a moment; -1 is the last one."""
        self.cursor.go(range(len(self.cursor.moments))[at])
        self._show()

    def action_fault(self, by: int) -> None:
        where = "further on" if by > 0 else "before"
        self._show("" if self.cursor.step_fault(by) else f"There is no fault {where}.")

    def action_seat(self, number: int) -> None:
        """Change to the view of a seat, by its number from 1; 0 opens all seats."""
        if number > len(self._bots):
            return self._show(f"The seats are p1 to p{len(self._bots)}.")
        self.cursor.look(number - 1 if number else None)
        self._show()

    def action_next_seat(self) -> None:
        seat = self.cursor.seat
        self.action_seat(1 if seat is None else (seat + 2) % (len(self._bots) + 1))

    def action_scroll_table(self, by: int) -> None:
        self.query_one("#table").scroll_relative(y=by, animate=False)

    def action_words(self) -> None:
        self._words.as_bots_read = not self._words.as_bots_read
        self._show()

    def action_keys(self) -> None:
        self._show(_KEYS)

    # Play

    def action_play(self) -> None:
        if self._timer:
            self._timer.stop()
            self._timer = None
        else:
            self._timer = self.set_interval(PAUSES[self._speed], self._play_on)
        self._show()

    def action_speed(self, by: int) -> None:
        self._speed = max(0, min(self._speed + by, len(PAUSES) - 1))
        if self._timer:
            self.action_play()
            self.action_play()
        else:
            self._show(f"A moment lasts {PAUSES[self._speed]:g} s.")

    def _play_on(self) -> None:
        self.action_step(1)
        if self.cursor.at == self.cursor.seen[-1]:
            self.action_play()

    # Go to a moment or a turn

    def action_ask_where(self) -> None:
        where = self.query_one(Input)
        where.value, where.display = "", True
        where.focus()

    def action_leave_input(self) -> None:
        self.query_one(Input).display = False
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.action_leave_input()
        typed = event.value.strip().lower()
        number, is_turn = typed.removeprefix("t"), typed.startswith("t")
        most = self.cursor.turns[-1] if is_turn else len(self.cursor.moments)
        if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= most):
            turns = f", turns t1 to t{self.cursor.turns[-1]}" if self.cursor.turns[-1] else ""
            return self._show(f"The moments are 1 to {len(self.cursor.moments)}{turns}.")
        if is_turn:
            self.cursor.turn(int(number))
        else:
            self.cursor.go(int(number) - 1)
        self._show()
