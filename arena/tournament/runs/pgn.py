"""Reads results of chess games from the headers of PGN files. White is seat 1.

The header `Termination` tells of forfeits: in the words of the PGN standard (section 9.8.1; Lichess writes
the same), of cutechess and fastchess, or at the end of the sentence that chess.com writes.

The deal of a chess game is its opening. A seed group is two games of the same players with colours swapped
from the same position (`FEN`). Games of one round are paired first: cutechess and fastchess write the same
`Round` in both games of an opening (a number after a dot counts the games of the round). The rest is paired
in the order of the file, which is right for TCEC. If unrelated games are paired, the errors become slightly
less certain, but not too small.

The parser is the package `chess`, whose licence is the GPL: so it is an extra, imported only for a PGN file.
"""

import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chess.pgn import SKIP, BaseVisitor, SkipType, read_game

from arena.config.document import ConfigError
from arena.rating.outcome import Outcome

_PLACES = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}
_FORFEITS = (
    "abandoned", "illegal move", "on time", "rules infraction", "stalled connection", "time forfeit",
)  # fmt: skip


@dataclass(frozen=True)
class _Finished:
    """A game with a result, White first; `where` is FILE:LINE of its beginning."""

    where: str
    players: tuple[str, str]
    places: tuple[int, int]
    forfeited: bool
    fen: str
    round: str


class _Headers(BaseVisitor[dict[str, str]]):
    """Collects the headers of one game for the parser."""

    def begin_game(self) -> None:
        self.found: dict[str, str] = {}

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        if tagname == "White" and tagname in self.found:  # the parser sees one game here
            raise ValueError("two games run together; a blank line, moves or a result should end each")
        self.found[tagname] = tagvalue

    def end_headers(self) -> SkipType:
        return SKIP

    def result(self) -> dict[str, str]:
        return self.found


class _Lines(io.TextIOWrapper):
    """A file that counts its lines, and knows where the game that is being read began."""

    number = begun = 0

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # as typeshed has it for TextIOWrapper
        line = super().readline(size)
        self.number += 1
        if not self.begun and line.strip():
            self.begun = self.number
        return line


def read_pgn(path: Path) -> tuple[list[Outcome], int]:
    """The finished games, and the number of those without a result (`*`). ConfigError: the first bad one.

    The text is UTF-8, else Latin-1 as the standard has it.
    """
    try:
        played = list(_games(path, "utf-8-sig"))
    except UnicodeDecodeError:
        played = list(_games(path, "latin-1"))
    finished = [game for game in played if game]
    return _outcomes(finished), len(played) - len(finished)


def _games(path: Path, encoding: str) -> Iterator[_Finished | None]:
    """The games in the order of the file, None for each without a result. ConfigError: the first bad one."""
    with _Lines(path.open("rb"), encoding=encoding) as lines:
        try:
            while (headers := read_game(lines, Visitor=_Headers)) is not None:
                yield _finished(headers, f"{path}:{lines.begun}")
                lines.begun = 0
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            raise ConfigError(f"{path}:{lines.begun}: {error}") from None


def _finished(headers: dict[str, str], where: str) -> _Finished | None:
    players = headers.get("White", "?").strip(), headers.get("Black", "?").strip()
    for colour, player in zip(("White", "Black"), players, strict=True):
        if player in ("", "?") or not player.isprintable():
            raise ValueError(f'the game should name its {colour} player, as in [{colour} "Fritz"]')
    result = headers.get("Result", "").strip()
    if result == "*":
        return None
    if result not in _PLACES:
        raise ValueError(f"Result should be 1-0, 0-1, 1/2-1/2 or *, not {result!r}")
    forfeited = headers.get("Termination", "").strip(" .").lower().endswith(_FORFEITS)
    round = headers.get("Round", "").partition(".")[0].strip()
    return _Finished(where, players, _PLACES[result], forfeited, headers.get("FEN", ""), round)


def _outcomes(games: list[_Finished]) -> list[Outcome]:
    """The outcomes of games. The name of a seed group is FILE:LINE of its first game."""
    outcomes = []
    for game, group in zip(games, _groups(games), strict=True):
        lost = {game.places.index(2): "forfeit"} if game.forfeited and 2 in game.places else {}
        outcomes.append(Outcome(game.players, game.places, group, lost))
    return outcomes


def _groups(games: list[_Finished]) -> list[str]:
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
