"""The examples of docs/notebooks.md, run from the first to the last as in a notebook."""

import re

import pytest
from samples import CHECKOUT

PAGE = (CHECKOUT / "docs" / "notebooks.md").read_text().partition("\n## Decisions")[0]


@pytest.mark.slow
def test_every_example_runs(arena, tmp_path, monkeypatch, capsys):
    plan = (CHECKOUT / "tournaments" / "quickstart.yaml").read_text().replace("groups: 8", "groups: 1")
    (tmp_path / "quickstart.yaml").write_text(plan.replace("../bots", str(CHECKOUT / "bots")))
    done = arena("run", "quickstart.yaml")
    assert done.returncode == 0, done.stderr
    assert arena("report", "runs/quickstart.db", "--out", "site").returncode == 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    for block in blocks:
        exec(compile(block, "docs/notebooks.md", "exec"), names)
    assert len(blocks) >= 6
    assert all((tmp_path / name).stat().st_size for name in ("times.pdf", "standings.pdf"))
    command = re.search(
        r"\w+: [\d.]+ ms; arena (replay runs/quickstart.db \d+) --at \d+", capsys.readouterr().out
    )
    assert command and arena(*command[1].split()).returncode == 0


def test_the_page_has_every_frame():
    assert re.findall(r"^\| `run\.(\w+)` \|", PAGE, re.M) == ["games", "seats", "answers", "times", "faults"]
