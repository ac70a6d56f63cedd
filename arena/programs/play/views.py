"""The views of one seat, which its person sees one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.programs.play.dialogue import Dialogue
from arena.rules import Ask


class Views:
    """Makes and keeps the views of a seat. Only the latest has an ask: the others are over."""

    def __init__(self, dialogue: Dialogue):
        self.dialogue = dialogue
        self.all: list[dict[str, Any]] = []
        self._told = 0  # entries of the match's log in the views so far
        self._more: list[Sequence[str]] = []  # news that is not in the log

    def add_news(self, kind: str, text: str, sentence: str) -> None:
        """Keep news from outside the rules, such as a fault, for the next view.

        `text` is as on the wire, "" if there is none; `sentence` is for the person.
        """
        self._more.append([kind, text, sentence])

    def take_news(self) -> list[Sequence[str]]:
        """Take the news since the last call: kind, text and sentence of each."""
        dialogue, match = self.dialogue, self.dialogue.referee.match
        news, self._more = self._more, []
        for told in match.heard(dialogue.seat, self._told):
            news.append([told.kind, told.text, dialogue.prose.tell(told.text)])
        self._told = len(match.log)
        return news

    def add(
        self,
        news: Sequence[Sequence[str]],
        ask: Mapping[str, Any] | None,
        refused: Mapping[str, str] | None,
        over: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        """Add a view, and return it; it has the pending ask from now on, instead of the previous view.

        `refused` is a slip of the person, or None. `over` says how the game ended, or is None.
        """
        match = self.dialogue.referee.match
        if self.all:
            self.all[-1]["ask"] = None
        self.all.append(
            {
                "n": len(self.all),
                "news": news,
                # The table is open when the game is over.
                "state": match.game.view(match.position, None if match.result else self.dialogue.seat),
                "ask": ask,
                "refused": refused,
                "over": over,
                "turn": [*match.step.choices] if isinstance(match.step, Ask) else [],
            }
        )
        return self.all[-1]

    def ask(self, number: int, at: float, is_timed: bool) -> dict[str, Any]:
        """The pending ask, as part of a view."""
        dialogue = self.dialogue
        clock = dialogue.referee.seats[dialogue.seat].clock
        return {
            "id": number,
            "kind": dialogue.choice.kind,
            "text": dialogue.question,
            "options": dialogue.options,
            "amounts": dialogue.has_amounts,
            "open": dialogue.open,
            "absent": dialogue.absent,
            "rules": list(dialogue.headings),
            "move": clock.move if is_timed else None,
            "bank": clock.bank if is_timed else None,
            "at": at,  # seconds since 1970
            "context": dialogue.context,
        }
