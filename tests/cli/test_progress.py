"""The progress of a long work, and the option of a report that limits it."""

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.live import StepLines, seconds


def test_without_a_terminal_there_is_a_line_every_ten_seconds(capsys):
    now = 0.0
    lines = StepLines(clock=lambda: now)
    for second in range(25):
        now = float(second)
        lines("games", second, 25)
    assert capsys.readouterr().err == "games: 10 of 25\ngames: 20 of 25\n"


def test_long_work_says_what_it_does_and_for_how_long(monkeypatch, capsys):
    monkeypatch.setattr("arena.cli.live.SELDOM", 0.001)
    said = ""
    with seconds() as next_is:
        next_is("rating the bots")
        while "rating the bots: 0 s so far\n" not in said:
            said += capsys.readouterr().err


@pytest.mark.parametrize("number", ["-1", "many", "1.5", "", "1e3"])
def test_a_wrong_number_of_games_is_refused(number):
    done = CliRunner().invoke(main, ["report", "run.db", "--out", "pages", "--games", number])
    assert done.exit_code == 2
    assert f"should be a number of games, all or none, not {number!r}" in done.output


def test_a_missing_run_leaves_no_pages(refused, tmp_path):
    assert "no such run" in refused("report", "run.db", "--out", "pages")
    assert not (tmp_path / "pages").exists()
