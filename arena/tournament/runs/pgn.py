"""Reads results of chess games from PGN files. White is seat 1.

Programs write PGN in many ways, so only tags and moves show where a game begins: its first tag is the first
one after moves. Some games have no moves. After such a game, once it has White, Black and Result, the next
game begins with a tag that follows an empty line, or with one that repeats. Comments may contain anything. No
game is lost silently: each tag White belongs to a game, or an error names a line.

The tags `Termination` and `TerminationDetails` report forfeits, in the words of the PGN standard (section
9.8.1), Lichess, chess.com, TCEC, cutechess, fastchess and others.

The deal of a chess game is its opening. A seed group is two games of the same players with colours swapped
from the same position (`FEN`). Games of one round are paired first: cutechess and fastchess write the same
`Round` in both games of an opening (a number after a dot counts the games of the round). The rest are paired
in the order of the file, which is right for TCEC. If unrelated games are paired, the errors become slightly
less certain, but not too small.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from arena.config.document import ConfigError
from arena.rating.outcomes import Outcome
from arena.tournament.runs.result_lines import read_lines, to_name

_WHITE_WINS, _BLACK_WINS, _DRAW = (1, 2), (2, 1), (1, 1)
_RESULTS: dict[str, tuple[tuple[int, int], frozenset[int]]] = {  # places, and forfeiting seats
    "1-0": (_WHITE_WINS, frozenset()),
    "0-1": (_BLACK_WINS, frozenset()),
    "1/2-1/2": (_DRAW, frozenset()),
    "0-0": (_DRAW, frozenset({0, 1})),
    "+--": (_WHITE_WINS, frozenset({1})),
    "--+": (_BLACK_WINS, frozenset({0})),
    "---": (_DRAW, frozenset({0, 1})),
}
_SAME = {
    "1/2": "1/2-1/2",
    "0.5-0.5": "1/2-1/2",
    "=-=": "1/2-1/2",
    "1-0F": "+--",
    "0-1F": "--+",
    "0-0F": "0-0",
}
_SAME |= {"+/-": "+--", "-/+": "--+", "-/-": "---", "=/=": "1/2-1/2", "=": "1/2-1/2"}
_ENDS = ("1-0", "0-1", "1/2-1/2", "1/2", "½-½", "*")  # without 0-0, which is castling among moves
_NO_RESULT = ("*", "?", "-", "")
_SIGNS = str.maketrans({" ": "", ":": "-", "½": "1/2", ",": "."} | dict.fromkeys("\u2013\u2014\u2212", "-"))
_FORFEIT = re.compile(
    r"\b(?:(?:on|by|out of) time|time[ -]?(?:forfeit\w*|out|loss)|flag(?:s|ged| fell)?|forfeit\w*|abandon\w*"
    r"|illegal|rules infraction|stall\w*|disconnect\w*|connection|crash\w*|no[ -]show|walkover)\b|^time$"
)
_NEEDED = ("white", "black", "result")
_READ = (*_NEEDED, "fen", "round", "termination", "terminationdetails")
_SPACE = " \t\r\n\f\v\0\x1a\ufeff"  # DOS ended files with \x1a; zeros may follow a truncated text.
_TAG_NAME = re.compile(r"\[\s*([a-z0-9][\w+#-]*)\s*[:=]?\s*", re.ASCII | re.IGNORECASE)
_TAG_END = re.compile(r'\\["\\]|"\s*\]')
_LAST_TAG_END = re.compile(r'"\s*\]\s*$')
_WHITE = re.compile(r'\[\s*white\s*"', re.ASCII | re.IGNORECASE)
_TAG = re.compile(r'\[\s*[a-z]\w*\s*"', re.ASCII | re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^][]*\]?")
_MOVES = re.compile(r"(?:[^{;[]++|\{[^}]*+\})++")  # including comments that end on the same line
_COMMENT = re.compile(r"\{[^}]*\}")
_MAX_TAG_LENGTH = 2000  # characters, for a tag of several lines


@dataclass(frozen=True)
class _Finished:
    """A game with a result, White first; `where` is FILE:LINE of its beginning, `record` a hash of it."""

    where: str
    players: tuple[str, str]
    places: tuple[int, int]
    forfeits: frozenset[int]
    fen: str
    round: str
    record: int


def read_pgn(path: Path) -> tuple[list[Outcome], list[int], int]:
    """The finished games, a hash of the record of each, and the number of games without a result.

    Raises:
        ConfigError: A line is wrong; the message names the first one.
    """
    try:
        with closing(read_lines(path)) as lines:
            tokens = _Tokenizer().tokens(lines)
            played = [_finished(path, tags, moves) for tags, moves in _games(tokens)]
    except _Wrong as wrong:
        line, message = wrong.args
        raise ConfigError(f"{path}:{line}: {message}") from None
    finished = [game for game in played if game]
    return _outcomes(finished), [game.record for game in finished], len(played) - len(finished)


class _Wrong(Exception):
    """A line that is wrong: its number, and a message."""


class _Token(NamedTuple):
    """A tag if it has a `name`, in lower case; otherwise moves, or an empty line."""

    line: int
    text: str
    name: str = ""


class _Tokenizer:
    """Cuts lines into tags, moves and empty lines; comments are left out."""

    def __init__(self) -> None:
        self._comment = 0  # the line on which an open comment began
        self._begun, self._first, self._lines = "", 0, 0  # an open tag: text, first line, number of lines

    def tokens(self, lines: Iterable[tuple[int, str]]) -> Iterator[_Token]:
        """Cut a file. _Wrong: a tag that is read has errors, or a comment is not closed before a game."""
        for number, line in lines:
            text = line.strip(_SPACE)
            if self._comment and text.startswith("[") and _WHITE.search(text):
                raise _Wrong(
                    self._comment, f"the comment should end with }} before the tags in line {number}"
                )
            if line.startswith("%") and not self._comment:
                continue
            if self._begun and text and not text.startswith("["):
                text, self._begun = f"{self._begun} {text}", ""
                self._lines += 1
                yield from self._cut(self._first, text)
                continue
            yield from self._give_up_tag()
            if text or self._comment:
                yield from self._cut(number, text)
            else:
                yield _Token(number, "")
        yield from self._give_up_tag()

    def _cut(self, number: int, text: str) -> Iterator[_Token]:
        while text := text.lstrip(_SPACE):
            if self._comment:
                _, closed, text = text.partition("}")
                self._comment = 0 if closed else self._comment
            elif found := _MOVES.match(text):
                if moves := _COMMENT.sub(" ", found[0]).strip("]}" + _SPACE):
                    yield _Token(number, moves)
                text = text[found.end() :]
            elif text[0] == "{":
                self._comment, text = number, text[1:]
            elif text[0] == "[":
                tag, text = self._tag(number, text)
                if tag:
                    yield tag
            else:  # The comment goes up to the end of the line.
                return

    def _tag(self, number: int, text: str) -> tuple[_Token | None, str]:
        """The tag at the beginning of a text, unless it is broken or not closed, and the text after it."""
        name = _TAG_NAME.match(text)
        if not name or text[name.end() : name.end() + 1] not in ('"', ""):
            return None, _without_broken_tag(number, text)
        start = name.end() + 1
        found = (each for each in _TAG_END.finditer(text, start) if each[0][0] == '"')
        # A backslash before the last quotation mark may end the path of a Windows folder.
        if end := next(found, None) or _LAST_TAG_END.search(text, start):
            value = text[start : end.start()]
            if _TAG.search(value):  # A program was killed, and another one continued on its line.
                raise _Wrong(number, f'the tag {name[1]} has no "] at its end')
            self._lines = 0
            return _Token(number, re.sub(r'\\(["\\])', r"\1", value), name[1].lower()), text[end.end() :]
        if len(text) > _MAX_TAG_LENGTH:
            raise _Wrong(number, f'the tag {name[1]} has no "] at its end')
        self._begun, self._first = text, number
        return None, ""

    def _give_up_tag(self) -> Iterator[_Token]:
        """Leave out a tag that is not closed. _Wrong: it is one that is read, or has several lines."""
        while text := self._begun:
            if self._lines:
                raise _Wrong(self._first, 'the tag has no "] at its end')
            self._begun = ""
            yield from self._cut(self._first, _without_broken_tag(self._first, text))


def _without_broken_tag(number: int, text: str) -> str:
    """A text without the brackets at its beginning. _Wrong: they are of a tag that is read."""
    name = _TAG_NAME.match(text)
    if name and name[1].lower() in _READ:
        raise _Wrong(number, f'the tag {name[1]} should be written as in [White "Fritz"]')
    return _BRACKETS.sub("", text, count=1)


_Tags = dict[str, _Token]


def _games(tokens: Iterable[_Token]) -> Iterator[tuple[_Tags, str]]:
    """The tags and the moves of each game. _Wrong: text that belongs to no game."""
    tags: list[tuple[_Token, bool]] = []  # and whether each is after an empty line
    moves: list[str] = []
    apart = False
    for token in tokens:
        if token.name:
            if moves:
                yield from _split(tags, " ".join(moves))
                tags, moves = [], []
            tags.append((token, apart))
        elif token.text:
            ended = moves and moves[-1].split()[-1] in _ENDS and token.text not in _ENDS
            if not tags or (ended and (apart or token.text.startswith("1."))):
                raise _Wrong(token.line, 'text without tags before it; a game begins as in [White "Fritz"]')
            moves.append(token.text)
        apart = not token.name and not token.text
    if tags:
        yield from _split(tags, " ".join(moves))


def _split(tags: list[tuple[_Token, bool]], moves: str) -> Iterator[tuple[_Tags, str]]:
    """The games that begin with these tags: all but the last one have no moves."""
    left = sum(tag.name == "white" for tag, _ in tags)
    game: _Tags = {}
    for tag, apart in tags:
        repeated, complete = tag.name in game, game.keys() >= set(_NEEDED)
        if left and ((apart and repeated) or (complete and (apart or repeated))):
            yield game, ""
            game = {}
        left -= tag.name == "white"
        before = game.setdefault(tag.name, tag)
        if tag.name in _NEEDED and before.text != tag.text:
            why = f"{tag.name.title()} is {before.text!r} in line {before.line} of the same game"
            raise _Wrong(tag.line, f"{why}; moves, a result or an empty line should end each game")
    yield game, moves


def _finished(path: Path, tags: _Tags, moves: str) -> _Finished | None:
    """The game with these tags and moves; None if it has no result. _Wrong: it is not known who played."""
    first = min(tag.line for tag in tags.values())
    texts = {name: tag.text for name, tag in tags.items()}
    written, ending = texts.get("result", ""), moves.split()[-1:]
    result = _plain_result(written)
    if result in _NO_RESULT:
        result = _plain_result(ending[0]) if ending and ending[0] in _ENDS else "*"
    if result in _NO_RESULT:
        return None
    if result not in _RESULTS:
        line = tags["result"].line
        raise _Wrong(line, f"Result should be 1-0, 0-1, 1/2-1/2, 0-0 or *, not {written!r:.60}")
    players = tuple(_player(tags, colour, first) for colour in ("white", "black"))
    places, forfeits = _RESULTS[result]
    if places != _DRAW and _tells_of_forfeit(texts):
        forfeits = frozenset({places.index(2)})
    return _Finished(
        f"{path}:{first}",
        (players[0], players[1]),
        places,
        forfeits,
        texts.get("fen", ""),
        texts.get("round", "").partition(".")[0].strip(),
        hash((tuple(sorted(texts.items())), " ".join(moves.split()))),
    )


def _plain_result(text: str) -> str:
    text = text.translate(_SIGNS)
    return _SAME.get(text.upper(), text)


def _player(tags: _Tags, colour: str, first: int) -> str:
    tag = tags.get(colour)
    name = to_name(tag.text) if tag else ""
    if name in ("", "?"):
        line = tag.line if tag else first
        raise _Wrong(
            line, f'the game should name its {colour.title()} player, as in [{colour.title()} "Fritz"]'
        )
    if tag and not name.isprintable():
        raise _Wrong(tag.line, f"{colour.title()} should be a name, not {tag.text!r:.60}")
    return name


def _tells_of_forfeit(texts: Mapping[str, str]) -> bool:
    """Whether the loser has forfeited, by the tags of a game."""
    for tag in ("termination", "terminationdetails"):
        words = texts.get(tag, "").lower().replace("_", " ")
        _, _, words = f" won {words}".rpartition(" won ")  # before it chess.com writes a name
        if _FORFEIT.search(words.strip(" .!")):
            return True
    return False


def _outcomes(games: Sequence[_Finished]) -> list[Outcome]:
    """The outcomes of games. The name of a seed group is FILE:LINE of its first game."""
    return [
        Outcome(game.players, game.places, group, dict.fromkeys(sorted(game.forfeits), "forfeit"))
        for game, group in zip(games, _groups(games), strict=True)
    ]


def _groups(games: Sequence[_Finished]) -> list[str]:
    """The name of the seed group of each game. Games of one round are paired first (see the module)."""
    found: dict[int, str] = {}
    for by_round in (True, False):
        waiting: dict[tuple[tuple[str, str], str, str], deque[int]] = {}
        for number, game in enumerate(games):
            if number in found:
                continue
            start = game.fen, game.round if by_round else ""
            if partners := waiting.get((game.players[::-1], *start)):
                partner = partners.popleft()
                found[partner] = found[number] = games[partner].where
            else:
                waiting.setdefault((game.players, *start), deque()).append(number)
    return [found.get(number, game.where) for number, game in enumerate(games)]
