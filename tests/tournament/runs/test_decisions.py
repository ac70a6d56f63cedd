"""The decisions of a run for learners: what a seat knew, what was hidden from it, which part of the data."""

import os
import re
import sys
from collections import defaultdict
from importlib import import_module

import pytest
from click.testing import CliRunner
from samples import CHECKOUT
from stored_games import random_run

from arena.cli import main
from arena.games import GAMES
from arena.tournament import runs
from arena.tournament.runs import parquet
from arena.tournament.runs.bot_input import bot_input
from arena.tournament.runs.decisions import Decision, decisions
from arena.tournament.runs.store import Store

PAGE = (CHECKOUT / "docs" / "notebooks.md").read_text(encoding="utf-8").partition("## Decisions")[2]


@pytest.fixture
def run_file(tmp_path):
    random_run(tmp_path / "run.db", games=6)
    return tmp_path / "run.db"


def test_a_row_has_what_a_seat_knew_and_what_it_answered(run_file):
    rows = list(decisions(run_file))
    assert rows[0].hidden_game == rows[1].hidden_game
    for row in rows:
        assert row.word in row.options and row.rules_version == GAMES["complots"].version
        hands = {line[:2] for line in row.state if " hand=" in line}
        assert hands <= {row.seat} and row.hidden_ms == row.ask, "of the others it sees no hand"
        assert {line.partition(" hand=")[0] for line in row.state} == {
            line.partition(" hand=")[0] for line in row.hidden_state
        }
    mine = [row for row in rows if (row.hidden_game, row.seat) == (rows[0].hidden_game, rows[0].seat)]
    assert [row.ask for row in mine] == list(range(1, len(mine) + 1))
    heard = [line for row in mine for line in row.news]
    assert heard[0].startswith("event") and f"event turn {mine[-1].turn} " in "\n".join(heard)


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_reads_exactly_what_the_seat_had_received(name, tmp_path):
    """All columns but the hidden ones, made again from the lines of the bot; private talk is among them."""
    private = {"private": True} if name == "intrigue" else {}
    random_run(tmp_path / "run.db", GAMES[name], games=4, forfeits=0, changes=private)
    rows = defaultdict(list)
    for row in decisions(tmp_path / "run.db"):
        rows[row.hidden_game, row.seat].append(received(row))
    with Store(tmp_path / "run.db") as store:
        for record in (store.record(game.id) for game in store.games()):
            for seat in range(len(record.fixture.bots)):
                assert rows[record.fixture.id, f"p{seat + 1}"] == list(heard_by(record, seat))


def received(row):
    """What a policy may read, without the version of the rules, which every bot is made for."""
    row = row._replace(rules_options=sorted(row.rules_options.split()))
    columns = {key: each for key, each in row._asdict().items() if not key.startswith("hidden_")}
    return {key: columns[key] for key in columns.keys() - {"split", "word", "rules_version"}}


def heard_by(record, seat):
    """The same from the lines that the bot of a seat got on its stdin."""
    asks, turn, news, state, about = 0, 0, [], [], {}
    for line in bot_input(record, seat).splitlines():
        head, _, text = line.partition(" ")
        if head == "game":
            _, rules, *words = text.split()
            keys = dict(word.split("=") for word in words)
            about = {"rules": rules, "seats": int(keys.pop("seats")), "seat": keys.pop("you")}
            del keys["seed"]
            about["rules_options"] = sorted("=".join(pair) for pair in keys.items())
        elif head in ("event", "secret"):
            turn += line.startswith("event turn ")
            news.append(line)
        elif head == "state":
            state.append(text)
        elif head == "ask" and text.split()[1] not in ("hello", "ready"):
            _, kind, _, *rest = text.split()
            context = [
                word for word in rest[: rest.index(":")] if word.partition("=")[0] not in ("move", "bank")
            ]
            asks += 1
            yield about | {
                "ask": asks,
                "turn": turn,
                "news": tuple(news),
                "state": tuple(state),
                "kind": kind,
                "context": " ".join(context),
                "options": tuple(rest[rest.index(":") + 1 :]),
            }
            news, state = [], []


def test_answers_that_no_bot_gave_are_left_out(tmp_path):
    random_run(tmp_path / "run.db", games=12, forfeits=0.3)
    assert not any(row.hidden_ms is None for row in decisions(tmp_path / "run.db"))


def test_games_with_one_deal_are_in_one_part(tmp_path):
    random_run(tmp_path / "run.db", games=60)
    parts = {row.hidden_group: row.split for row in decisions(tmp_path / "run.db")}
    assert len(parts) == 60 and set(parts.values()) == {"train", "validation", "test"}
    assert sum(part == "train" for part in parts.values()) > 40


def test_a_game_whose_deal_is_still_played_is_left_out(run_file, monkeypatch):
    """Its rows would tell the cards of the games that follow."""
    shown = {next(decisions(run_file)).hidden_game}
    monkeypatch.setattr(runs.decisions, "open_games", lambda store, games: shown)
    assert {row.hidden_game for row in decisions(run_file)} == shown


def test_the_page_explains_every_column():
    told = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[a-z_`, ]+) \|", PAGE, re.M)))
    assert tuple(told) == Decision._fields


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--entries"], "--entries needs --format jsonl"), ([], "parquet needs pyarrow: ")],
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
