"""Commands that read records refuse one that was edited by hand in one line, whatever was edited."""

import json
import random
from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from stored_runs import stored_run

from arena.cli import main
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import deflate

COMMANDS = (
    *(
        "list run.db",
        "replay run.db --format json",
        "replay run.db --seat p2",
        "replay run.db --format stderr",
    ),
    *("replay run.db --seat p1 --format input", "verify run.db", "table behaviour run.db"),
    *("export run.db", "export run.db --entries", "export run.db --format csv"),
)
VALUES = (None, -1, 0, 10**9, 0.5, "x", "", [], {}, True)


def places(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of keys and indices to every value in JSON."""
    yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def edited(text: str, random: random.Random) -> str:
    """This JSON with one value replaced."""
    data = [json.loads(text)]
    *path, last = random.choice([*places(data)][1:])
    parent: object = data
    for key in path:
        parent = parent[key]
    parent[last] = random.choice(VALUES)
    return json.dumps(data[0])


@pytest.mark.parametrize("seed", range(30))
def test_no_edit_gives_a_traceback(tmp_path, monkeypatch, seed):
    chosen = random.Random(seed)
    path = stored_run(tmp_path / "run.db", games=1)
    with Store(path, writer=True) as store:
        ((packed,),) = store._query("SELECT packed FROM record")
        part, trace = store.layout.texts((packed,))
        part, trace = (edited(part, chosen), trace) if seed % 3 else (part, edited(trace, chosen))
        with store._transaction() as connection:
            connection.execute("UPDATE record SET packed = ?", (deflate(f"{trace}\n{part}"),))
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        done = CliRunner().invoke(main, command.split())
        lines = done.stderr.splitlines()
        refused = done.exit_code == 2 and len(lines) == 1 and lines[0].startswith("arena: ")
        verified = done.exit_code == 1 and command.startswith("verify ")
        assert refused or verified or done.exit_code == 0, (command, part, trace, done.exception, lines)
