"""Chess games with results: what the headers of a PGN file say to the rating; the moves are not read.

White is seat 1. A game lost by the player's own failure counts as a forfeit of the loser. That stands in
`Termination`, in the words of the PGN standard (abandoned, rules infraction, time forfeit; section 9.8.1,
Lichess writes the same), of cutechess and fastchess (illegal move, stalled connection) or at the end of the
sentence of chess.com (won on time, game abandoned).

The seed of a chess game is its opening. The two games of a seed group have the same two players with colours
swapped and begin at the same position (the FEN header, where it is given). Among these, games of one round
belong together first: cutechess and fastchess write the same `Round` in both games of a repeated opening
(after a dot comes the game of the round: 3.1, 3.2). What is left is paired in the order of the file, which
is right for TCEC, where the games of one opening are in different rounds. A game without a partner is a group
of its own. To pair games that had nothing in common costs a little certainty and makes no error too small.
"""

from collections import deque
from collections.abc import Iterator
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
    """A game that has a result; `where` is the file and line at which it begins."""

    where: str
    players: tuple[str, str]
    places: tuple[int, int]
    forfeited: bool
    fen: str
    round: str


class Tags(dict[str, str]):
    """The headers of one game; a second White begins another game, of which the reader does not know."""

    def __setitem__(self, tag: str, text: str) -> None:
        if tag == "White" and tag in self:
            raise ValueError("two games run together; a blank line, moves or a result should end each")
        super().__setitem__(tag, text)


class Lines:
    """The lines of a file for the reader of games, counted."""

    def __init__(self, file: TextIO):
        self._file, self.number, self.begun = file, 0, 0

    def readline(self) -> str:
        line = self._file.readline()
        self.number += 1
        if not self.begun and line.strip():
            self.begun = self.number
        return line


def read_pgn(path: Path) -> tuple[list[Outcome], int]:
    """The finished games, and the number of those without a result (`*`); ConfigError on the first bad one.

    The text is UTF-8, else Latin-1 as the standard has it.
    """
    try:
        played = list(_games(path, "utf-8-sig"))
    except UnicodeDecodeError:
        played = list(_games(path, "latin-1"))
    finished = [game for game in played if game]
    return outcomes(finished), len(played) - len(finished)


def _games(path: Path, encoding: str) -> Iterator[Finished | None]:
    """Each game in turn, None for one that has no result."""
    from chess.pgn import HeadersBuilder, read_game  # takes a quarter of a second, and few need it

    with path.open(encoding=encoding) as file:
        lines = Lines(file)
        try:
            while (tags := read_game(lines, Visitor=lambda: HeadersBuilder(Headers=Tags))) is not None:
                yield _finished(tags, f"{path}:{lines.begun}")
                lines.begun = 0
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            raise ConfigError(f"{path}:{lines.begun}: {error}") from None


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
    """What the games say to the rating; a group has the name of the place where its first game stands."""
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
    """The seed group of each game: within a round each is paired with the first that swaps colours, the
    others regardless of the round."""
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
