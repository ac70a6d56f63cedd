"""A game from another package: the one on the page about adding games, under another name.

Its name is changed: who tries the page may have installed it as `kuhn`.
"""

import os
import re
from pathlib import Path

from arena import games

PAGE = Path(games.__file__).with_name("README.md")


def install(folder: Path) -> dict[str, str]:
    """The environment in which a package `poker`, below this folder, offers the game by an entry point."""
    page = PAGE.read_text(encoding="utf-8")
    package = folder / "site"
    info = package / "poker-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    rules = re.search(r"```python\n(.*?)```", page, re.S)[1]
    (package / "poker.py").write_text(rules.replace('name="kuhn"', 'name="poker"'))
    (package / "poker.md").write_text("# Kuhn poker\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: poker\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\npoker = poker:GAME\n")
    return os.environ | {"PYTHONPATH": str(package)}
