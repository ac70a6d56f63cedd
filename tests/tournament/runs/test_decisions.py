"""The decisions of a run for learners: what a seat knew, what was hidden from it, which part of the data."""

import os
import re
import sys
from importlib import import_module

import pytest
from click.testing import CliRunner
from samples import CHECKOUT
from stored_games import random_run

from arena.cli import main
from arena.games import GAMES
from arena.tournament import runs
from arena.tournament.runs import parquet
from arena.tournament.runs.decisions import Decision, decisions

PAGE = (CHECKOUT / "docs" / "decisions.md").read_text(encoding="utf-8")


@pytest.fixture
def run_file(tmp_path):
    random_run(tmp_path / "run.db", games=6)
    return tmp_path / "run.db"


def test_a_row_has_what_a_seat_knew_and_what_it_answered(run_file):
    rows = list(decisions(run_file))
    assert rows[0].game == rows[1].game
    for row in rows:
        assert row.word in row.options and row.rules_version == GAMES["complots"].version
        hands = {line[:2] for line in row.state if " hand=" in line}
        assert hands <= {row.seat} and row.ms == row.ask, "of the others it sees no hand"
        assert {line.partition(" hand=")[0] for line in row.state} == {
            line.partition(" hand=")[0] for line in row.hidden_state
        }
    mine = [row for row in rows if (row.game, row.seat) == (rows[0].game, rows[0].seat)]
    assert [row.ask for row in mine] == list(range(1, len(mine) + 1))
    heard = [line for row in mine for line in row.news]
    assert heard[0].startswith("event") and f"event turn {mine[-1].turn} " in "\n".join(heard)


def test_answers_that_no_bot_gave_are_left_out(tmp_path):
    random_run(tmp_path / "run.db", games=12, forfeits=0.3)
    assert not any(row.ms is None for row in decisions(tmp_path / "run.db"))


def test_games_with_one_deal_are_in_one_part(tmp_path):
    random_run(tmp_path / "run.db", games=60)
    parts = {row.group: row.split for row in decisions(tmp_path / "run.db")}
    assert len(parts) == 60 and set(parts.values()) == {"train", "validation", "test"}
    assert sum(part == "train" for part in parts.values()) > 40


def test_a_game_whose_deal_is_still_played_is_left_out(run_file, monkeypatch):
    """Its rows would tell the cards of the games that follow."""
    shown = {next(decisions(run_file)).game}
    monkeypatch.setattr(runs.decisions, "open_games", lambda store, games: shown)
    assert {row.game for row in decisions(run_file)} == shown


def test_the_page_explains_every_column():
    told = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[a-z_`, ]+) \|", PAGE, re.M)))
    assert tuple(told) == Decision._fields


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--entries"], "--entries needs --format jsonl"),
        ([], "parquet needs the package pyarrow (extra arena[parquet])"),
    ],
)
def test_what_cannot_be_exported(run_file, monkeypatch, options, message):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = CliRunner().invoke(main, ["export", str(run_file), "--format", "parquet", *options])
    assert result.exit_code == 2 and message in result.output


def read_parquet():
    """The module that reads Parquet files: too large for quick tests, but never missing where CI is set."""
    name = "pyarrow.parquet"
    return import_module(name) if os.environ.get("CI") else pytest.importorskip(name)


@pytest.mark.slow
def test_the_example_of_the_page(tmp_path, run_file, monkeypatch, capsys):
    read_parquet()
    written = CliRunner().invoke(main, ["export", str(run_file), "--format", "parquet"])
    (tmp_path / "decisions.parquet").write_bytes(written.stdout_bytes)
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    exec(example, {})
    assert re.search(r"^bot\d +(true|bluff) +\d+$", capsys.readouterr().out, re.M)


@pytest.mark.slow
def test_the_file_has_all_rows_in_row_groups(run_file, tmp_path, monkeypatch):
    read = read_parquet()
    monkeypatch.setattr(parquet, "_ROWS", 100)
    with (tmp_path / "out.parquet").open("wb") as out:
        parquet.write_parquet(run_file, out)
    file = read.ParquetFile(tmp_path / "out.parquet")
    rows = [Decision(**row) for row in file.read().to_pylist()]
    assert file.num_row_groups == -(-len(rows) // 100)
    whole = list(decisions(run_file))
    assert [tuple(row) for row in rows] == [
        tuple(list(each) if isinstance(each, tuple) else each for each in row) for row in whole
    ]
