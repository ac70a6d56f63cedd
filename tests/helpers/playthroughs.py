"""The stored playthroughs of the games in OpenSpiel. This writes them anew, after rules have changed:

.venv/bin/python tests/helpers/playthroughs.py
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "library" / "playthroughs"
GAMES = {
    "complots": "python_arena_complots(max_turns=12)",
    "complots_inquisitor": "python_arena_complots(players=3,cast=inquisitor,max_turns=8)",
    "local": "python_arena_local(max_turns=8)",
    "intrigue": "python_arena_intrigue(rounds=2,talk_rounds=1,press=1)",
}
"""Short ones: a page of text for every third move is enough."""


def played(game: str, actions: list[int]) -> str:
    """A game with these actions, and random ones after them, as OpenSpiel writes it."""
    import arena.openspiel  # noqa: F401, I001  # registers the games
    from open_spiel.python.algorithms.generate_playthrough import playthrough

    text = playthrough(game, actions, seed=1)
    return re.sub(r"\b(\d+)\.0\b", r"\1", text)  # most of the text are zeros


def actions_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^action: (\d+)$", text, re.M)]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, game in GAMES.items():
        (FOLDER / f"{name}.txt").write_text(played(game, []), encoding="utf-8")
