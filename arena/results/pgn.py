"""Reads results of chess games from the headers of PGN files; the moves are not read.

White is seat 1. A game that was lost by the player's own failure counts as a forfeit of the loser. The header
`Termination` says so, in the terms of the PGN standard (abandoned, rules infraction, time forfeit; section
9.8.1, also Lichess), of cutechess and fastchess (illegal move, stalled connection), or at the end of the
sentence that chess.com writes (won on time, game abandoned).

The seed of a chess game is its opening. The two games of a seed group have the same two players with colours
swapped and start from the same position (the header `FEN`, if present). Games of the same round are paired
first: cutechess and fastchess write the same `Round` in both games of a repeated opening (after a dot follows
the number of the game in the round: 3.1, 3.2). The remaining games are paired in the order of the file, which
is right for TCEC, where the games of one opening are in different rounds. A game without a partner is a group
of its own. Pairing games that have nothing in common makes errors slightly larger, never too small.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from arena.core.config import ConfigError
from arena.rating.outcome import Outcome

PLACES = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}
FORFEITS = (
    "abandoned", "illegal move", "on time", "rules infraction", "stalled connection", "time forfeit",
)  # fmt: skip


@dataclass(frozen=True)
class Finished:
    """A game with a result; `where` is the file and line at which it starts."""

    where: str
    players: tuple[str, str]
    places: tuple[int, int]
    forfeited: bool
    fen: str
    round: str


class Tags(dict[str, str]):
    """The headers of one game. python-chess does not notice if a second game starts within them."""

    def __setitem__(self, tag: str, text: str) -> None:
        if tag == "White" and tag in self:
            raise ValueError("two games are joined; a blank line, moves or a result should end each")
        super().__setitem__(tag, text)


class Lines:
    """A file for python-chess that counts its lines; `start` is the first line of the current game."""

    def __init__(self, file: TextIO):
        self._file, self.number, self.start = file, 0, 0

    def readline(self) -> str:
        line = self._file.readline()
        self.number += 1
        if not self.start and line.strip():
            self.start = self.number
        return line


def read_pgn(path: Path) -> tuple[list[Outcome], int]:
    """The finished games, and the number of games without a result (`*`). ConfigError: a game is invalid.

    The text is UTF-8, or else Latin-1 as in the standard.
    """
    try:
        played = list(_games(path, "utf-8-sig"))
    except UnicodeDecodeError:
        played = list(_games(path, "latin-1"))
    finished = [game for game in played if game]
    return outcomes(finished), len(played) - len(finished)


def _games(path: Path, encoding: str) -> Iterator[Finished | None]:
    """Each game in turn, None for one that has no result."""
    try:  # here, as the import takes a quarter of a second and few commands need it
        from chess import pgn
    except ImportError:
        message = "PGN files need python-chess, which is not installed: pip install chess"
        raise ConfigError(f"{path}: {message}") from None
    read_headers: Callable[..., Tags | None] = pgn.read_game  # from any object that has `readline`
    builder: Callable[..., object] = pgn.HeadersBuilder  # fills any mapping

    with path.open(encoding=encoding) as file:
        lines = Lines(file)
        try:
            while (tags := read_headers(lines, Visitor=lambda: builder(Headers=Tags))) is not None:
                yield _finished(tags, f"{path}:{lines.start}")
                lines.start = 0
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            raise ConfigError(f"{path}:{lines.start}: {error}") from None


def _finished(tags: Tags, where: str) -> Finished | None:
    players = tags.get("White", "?").strip(), tags.get("Black", "?").strip()
    for colour, player in zip(("White", "Black"), players, strict=True):
        if player in ("", "?") or not player.isprintable():
            raise ValueError(f'the game should name its {colour} player, as in [{colour} "Fritz"]')
    result = tags.get("Result", "").strip()
    if result == "*":
        return None
    if result not in PLACES:
        raise ValueError(f"Result should be 1-0, 0-1, 1/2-1/2 or *, not {result!r}")
    forfeited = tags.get("Termination", "").strip(" .").lower().endswith(FORFEITS)
    return Finished(where, players, PLACES[result], forfeited, tags.get("FEN", ""), _round(tags))


def _round(tags: Tags) -> str:
    return tags.get("Round", "").partition(".")[0].strip()


def outcomes(games: list[Finished]) -> list[Outcome]:
    """The games for the rating; a seed group is named after the file and line of its first game."""
    return [
        Outcome(
            game.players,
            game.places,
            group,
            {game.places.index(2): "forfeit"} if game.forfeited and 2 in game.places else {},
        )
        for game, group in zip(games, groups(games), strict=True)
    ]


def groups(games: list[Finished]) -> list[str]:
    """The seed group of each game: games are paired within a round first, then regardless of the round."""
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
