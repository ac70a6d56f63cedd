"""The process that reads run files for the web process: it may die, and is started again."""

import asyncio
from pathlib import Path
from signal import SIGSTOP

import pytest
from stored_runs import stored_run

from arena.web import reading
from arena.web.reading import Busy, ReadingProcess

pytestmark = pytest.mark.slow


def test_a_process_that_dies_or_takes_too_long_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = str(stored_run(tmp_path / "run.db", games=3))
    (tmp_path / "broken.db").write_text("not a run")

    async def use() -> None:
        reader = ReadingProcess()
        assert (await reader.ask("progress", run))["games"] == 3
        assert "not a run file" in (await reader.ask("progress", str(tmp_path / "broken.db")))["error"]
        first = reader._process
        assert first
        first.kill()
        await first.wait()
        assert (await reader.ask("progress", run))["games"] == 3
        assert "could not be read" in (await reader.ask("progress", 1))["error"]  # it dies of this
        await reader.ask("progress", run)
        reader._process.send_signal(SIGSTOP)
        asked = asyncio.create_task(reader.ask("progress", run))
        await asyncio.sleep(0.1)
        reader._process.kill()
        assert (await asked)["games"] == 3
        monkeypatch.setattr(reading, "_TIMEOUT_S", 0.0)
        assert "could not be read" in (await reader.ask("progress", run))["error"]
        monkeypatch.undo()
        assert (await reader.ask("progress", run))["games"] == 3
        monkeypatch.setattr(reading, "_MAX_WAITING", 0)
        with pytest.raises(Busy):
            await reader.ask("progress", run)
        await reader.close()

    asyncio.run(use())
