"""The lesson of a game: `lesson.yaml` beside its rules, played by the rules themselves.

Each step has a text and a table. The reader chooses among answers to the ask at which the rules stop
(`answers`), or among sentences (`quiz`). The rules make the tables and the results of answers, so a lesson
cannot contradict them. A step without a `position` goes on after the right answer of the step before.

    - text: Markdown, a paragraph or two
      position: as in a setup file; with it `draws`, what chance gives
      play: answers before the reader is asked: `{p2: captain:p1}`; the other seats take their first option.
            `until p2 bribe`: first options until p2 is asked for one; `until talk with=p2`: the reader
      answers:
        duchess: {right: true, say: Markdown, play: what the other seats answer then}
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena import games
from arena.config.document import ConfigError, Document
from arena.rules import SEAT_NAMES, Ask, Choice, Game, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match

_READER = 0  # the seat of the reader


@dataclass(frozen=True)
class Scene:
    """The reader's view of a table, and all news so far; the last `fresh` entries are from this step."""

    lines: Sequence[str]
    news: Sequence[tuple[str, str]]  # text and sentence
    fresh: int


@dataclass(frozen=True)
class LessonReply:
    """A choice of the reader: the comment, and the resulting table; None in a quiz."""

    word: str  # of the protocol; "" for a sentence of a quiz
    meaning: str
    right: bool
    say: str
    scene: Scene | None = None


@dataclass(frozen=True)
class Step:
    text: str
    question: str
    scene: Scene
    replies: Sequence[LessonReply]


@dataclass(frozen=True)
class Lesson:
    title: str
    names: Sequence[str]  # of the players, by seat
    steps: Sequence[Step] = field(default_factory=list)


def path_of(game: Game) -> Path | None:
    """The file of the game's lesson, or None if it has none."""
    folder = games.folder_of(game)
    path = folder / "lesson.yaml" if folder else None
    return path if path and path.is_file() else None


def load(game: Game, path: Path) -> Lesson:
    """The lesson in this file.

    Raises:
        ConfigError: The rules of the game cannot play the lesson.
    """
    data = Document(path).data
    teller = _Teller(game, data, path)
    return Lesson(data["title"], data["names"], list(teller.steps()))


class _Teller:
    """Plays the steps of a lesson; `_match` and `_chance` are the result of the step before."""

    def __init__(self, game: Game, data: Mapping[str, Any], path: Path):
        self._game, self._data, self._path = game, data, path
        self._names: list[str] = data["names"]
        self._match: Match | None = None
        self._chance = Chance("lesson")
        self._place = ""  # the place of the step, for errors

    def steps(self) -> Iterator[Step]:
        for number, step in enumerate(self._data["steps"], 1):
            self._place = f"{self._path}: step {number}"
            if "position" in step:
                self._begin(step)
            assert self._match, "the first step has a position"
            since = 0 if "position" in step else len(self._match.log)
            self._play(self._match, self._chance, step.get("play", ()))
            scene = self._scene(self._match, since)
            yield Step(step["text"], self._question(step), scene, list(self._replies(step)))

    def _begin(self, step: Mapping[str, Any]) -> None:
        options = self._game.defaults() | self._data.get("options", {})
        self._chance = Chance("lesson", step.get("draws"))
        self._match = Match(self._game, options, len(self._names), given=step["position"])
        self._match.drive(self._chance.pick)

    def _play(self, match: Match, chance: Chance, answers: Sequence[Mapping[str, str] | str]) -> None:
        for said in answers:
            if isinstance(said, str):
                self._pass_until(match, chance, said)
            else:
                self._give(match, chance, said)

    def _pass_until(self, match: Match, chance: Chance, words: str) -> None:
        """Take first options until the ask that `words` describe.

        `until p2 bribe`: until p2 is asked for a bribe; `until talk with=p2`: until the reader is asked to
        talk, and the context of the ask has `with` p2.

        Raises:
            ConfigError: Such an ask does not follow.
        """
        found = re.fullmatch(r"until (?:(p[1-9]) )?([a-z]+)(?: ([a-z]+)=(\S+))?", words)
        if not found:
            raise ConfigError(f"{self._place}: {words!r} should be like 'until p2 bribe'")
        name, kind, key, value = found.groups()
        seat = seat_number(name) if name else _READER
        while isinstance(step := match.step, Ask):
            choice = step.choices.get(seat)
            if choice and choice.kind == kind and (not key or str(choice.context.get(key)) == value):
                return
            self._give(match, chance, {})
        raise ConfigError(f"{self._place}: the game ends {words!r}")

    def _give(self, match: Match, chance: Chance, said: Mapping[str, str]) -> None:
        """Answer an ask with the words in `said`, by seat name; the other seats take their first options.

        Raises:
            ConfigError: The rules ask nothing, a seat is not asked, or a word is not legal.
        """
        step = match.step
        if not isinstance(step, Ask):
            raise ConfigError(f"{self._place}: the rules ask nothing when {said} is answered")
        given = {seat_number(name): word for name, word in said.items()}
        if extra := given.keys() - step.choices.keys():
            asked = ", ".join(SEAT_NAMES[seat] for seat in step.choices)
            raise ConfigError(f"{self._place}: {SEAT_NAMES[min(extra)]} is not asked, only {asked}")
        words = {seat: given.get(seat, choice.default) for seat, choice in step.choices.items()}
        for seat, choice in step.choices.items():
            if not choice.accepts(words[seat]):
                raise ConfigError(f"{self._place}: {words[seat]} is not one of {', '.join(choice.options)}")
        match.reply(words)
        match.drive(chance.pick)

    def _scene(self, match: Match, since: int) -> Scene:
        """The table now; the news from the entry `since` of the log on is fresh."""
        news = [(told.text, self._game.prose.tell(told.text)) for told in match.heard(_READER)]
        fresh = len(match.heard(_READER, since))
        return Scene(self._game.view(match.position, _READER), news, fresh)

    def _question(self, step: Mapping[str, Any]) -> str:
        if "question" in step or "answers" not in step:
            return str(step.get("question", ""))
        choice = self._choice()
        return self._game.prose.ask(choice.kind, {key: str(value) for key, value in choice.context.items()})

    def _choice(self) -> Choice:
        step = self._match.step if self._match else None
        if not isinstance(step, Ask) or _READER not in step.choices:
            raise ConfigError(f"{self._place}: the rules do not ask {SEAT_NAMES[_READER]} here")
        return step.choices[_READER]

    def _replies(self, step: Mapping[str, Any]) -> Iterator[LessonReply]:
        for sentence, reply in step.get("quiz", {}).items():
            yield LessonReply("", sentence, reply.get("right", False), reply["say"])
        if "answers" not in step:
            return
        assert self._match
        choice, before, drawn = self._choice(), self._match, self._chance
        since = len(before.log)
        for word, reply in step["answers"].items():
            match, chance = before.copy(), drawn.copy()
            self._play(match, chance, [{SEAT_NAMES[_READER]: word}])
            self._play(match, chance, reply.get("play", ()))
            meaning = reply.get("meaning") or self._game.prose.option(choice.kind, word)
            yield LessonReply(
                word, meaning, reply.get("right", False), reply["say"], self._scene(match, since)
            )
            if reply.get("right"):
                self._match, self._chance = match, chance
