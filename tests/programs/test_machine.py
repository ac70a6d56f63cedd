"""The memory of the machine."""

import psutil

from arena.programs.machine import free_memory


def test_the_free_memory_is_at_most_what_a_container_allows(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr("arena.programs.machine.MEMORY_LIMIT", limit)
    assert 0 < free_memory() <= psutil.virtual_memory().total  # there is no such file
    limit.write_text("1000\n")
    assert free_memory() == 1000
    limit.write_text("max\n")
    assert free_memory() > 1000
