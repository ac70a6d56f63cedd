"""Large runs: flat memory of the coordinator, and the size of a game in the file."""

from dataclasses import replace

import psutil
import pytest
from instant_games import Instant, plan

from arena.referee.fixture import to_json
from arena.referee.record import Record
from arena.tournament import run as tournament
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import deflate

pytestmark = pytest.mark.alone

MB = 2**20
BESIDE_TRANSCRIPTS = 400  # bytes a game


@pytest.fixture
def instant(tmp_path):
    """Plays a plan without bots, and returns the memory of this process after each 1000 games, in bytes."""

    def run(**keys: object) -> list[int]:
        used, own = [], psutil.Process()

        def watch(progress: tournament.Progress) -> None:
            if progress.fresh // 1000 > len(used):
                used.append(own.memory_info().rss)

        with Store(tmp_path / "run.db", writer=True) as store:
            store._file.connection.execute("PRAGMA synchronous = OFF")  # the disk is not what is measured
            tournament.run(plan(**keys), store, Instant, watch, print)
        return used

    return run


@pytest.mark.slow
def test_60000_games_are_recorded_and_continued_in_flat_memory(instant):
    """One object kept for each game would be 5 MB or more; all that was kept before were 20 MB."""
    used = instant(groups=71)  # 59,640 games of 10 bots
    assert len(used) == 59 and used[-1] - used[9] < 2.5 * MB, [each / MB for each in used]
    again = instant(groups=83)
    assert len(again) == 10 and again[-1] - used[-1] < 5 * MB, [each / MB for each in again]


@pytest.mark.slow
def test_a_game_takes_at_most_400_bytes_beside_its_transcript(arena, plan_file, checkout, tmp_path):
    """Without what is stored once: of the 960 games that follow the first 240."""
    bots = checkout / "bots" / "python"
    field = "".join(
        f"  {name}: {bots}/{name.strip('2')}.py\n" for name in ("honest", "honest2", "random_bot", "first")
    )
    field = field.replace("first.py", "counting.py")
    sizes = []
    for groups in (60, 300):
        path = tmp_path / "plan.yaml"
        keys = f"game: complots\nseats: 4\ngroups: {groups}\nseed: 1\nsandbox: limits\n"
        path.write_text(f"{keys}clock: {{move: 5s}}\nbots:\n{field}")
        done = arena("run", path, "--out", "run.db")
        assert done.returncode == 0, done.stderr
        sizes.append((tmp_path / "run.db").stat().st_size)
    with Store(tmp_path / "run.db") as store:
        ((dictionary,), *_) = store._query("SELECT text FROM dictionary")
        records = [store.record(game.id) for game in store.games()]
        stored = [len(packed) for (packed,) in store._query("SELECT packed FROM record")]
    assert len(records) == 1200
    transcripts = sum(stored) - sum(len(deflate(without_transcript(each), dictionary)) for each in records)
    beside = (sizes[1] - sizes[0]) / 960 - transcripts / 1200
    assert beside < BESIDE_TRANSCRIPTS


def without_transcript(record: Record) -> str:
    """What is stored of a record besides the replies, the time of each, and what bots wrote to stderr."""
    trace = {**record.trace, "microseconds": [], "figures": {}, "stderr": {}}
    return f"{to_json(trace)}\n{replace(record, replies=(), faults=()).game_part()}"
