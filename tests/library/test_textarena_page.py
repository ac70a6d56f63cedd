"""TextArena in docs/learning.md, where it is installed: it brings too much for the tests."""

import re

import pytest
from samples import CHECKOUT

pytest.importorskip("textarena")

PAGE = (CHECKOUT / "docs" / "learning.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")  # of what TextArena imports
def test_whole_games_of_every_game_and_of_players_that_make_mistakes(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(CHECKOUT / "docs" / "examples" / "textarena"))
    names: dict[str, object] = {}
    (example,) = re.findall(r"```python\n(import random\n\nimport arena_env.*?)```", PAGE, re.S)
    exec(example, names)
    for game in ("local", "intrigue"):
        exec(example.replace('"arena/complots", cast="inquisitor"', f'"arena/{game}"'), names)
        assert sum(names["rewards"].values()) == pytest.approx(0)
        assert not any(each["invalid_move"] for each in names["info"].values())
    exec(example.replace("{random.choice(options)}", "nonsense"), names)
    assert all(each["invalid_move"] for each in names["info"].values())
    assert capsys.readouterr().out.count("{0: ") == 4
