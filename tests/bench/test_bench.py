"""The benchmark of starts and of the referee, in small."""

import re

import pytest
from samples import CHECKOUT

pytestmark = pytest.mark.slow  # hundreds of real starts


@pytest.mark.compiler
@pytest.mark.sandbox
def test_it_measures_starts_round_trips_games_and_memory(arena):
    done = arena("bench", CHECKOUT / "bots" / "c" / "random", "--games", 100)
    assert done.returncode == 0, done.stderr
    names = [re.split(r"  +", line)[0] for line in done.stdout.splitlines()]
    assert names[:3] == ["nothing around the bot", "limits around the bot", "bubblewrap around the bot"]
    assert names[3:6] == [
        "2 seats, one table, one core",
        "4 seats, one table, one core",
        "memory over 248 games",
    ]
    assert names[8] == "start of `arena --help`"
    assert names[9:] == ["metering, 8 threads to 1", "bots with one thread", "bots with 8 threads"]
    assert float(re.search(r"([0-9.]+) times the cost", done.stdout)[1]) < 1.5, "1.1 is aimed at"
    starts = [float(figure) for figure in re.findall(r"([0-9.]+) ms from start", done.stdout)]
    assert 0 < starts[0] < starts[1] < starts[2]


def test_who_says_nothing_cannot_be_measured(arena, tmp_path):
    (tmp_path / "silent.sh").write_text("exit 0\n")
    done = arena("bench", "silent.sh")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["arena: the bot does not answer hello"]
