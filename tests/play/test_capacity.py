"""How many processes a worker keeps for later games."""

import resource
from dataclasses import replace

import pytest
from programs import fixture, misbehaving_bot, table_with

from arena.play import capacity, table


@pytest.mark.parametrize(
    ("descriptors", "kept"), [(256, 64), (1024, 128), (65536, 256), (resource.RLIM_INFINITY, 256)]
)
def test_a_worker_keeps_as_many_processes_as_it_has_descriptors_for(descriptors, kept, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (descriptors, descriptors))
    assert capacity.most_kept() == kept


def test_memory_that_the_control_group_may_not_use_is_not_free(tmp_path, monkeypatch):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder, limit, used in ((inner, "max", 700), (inner.parent, "1000", 700)):
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
    monkeypatch.setattr(capacity.cgroup, "of", lambda pid: str(inner))
    assert round(capacity.free_in_groups(), 3) == 0.3
    assert not capacity.most_memory_is_free()


@pytest.mark.slow
@pytest.mark.parametrize("is_free", [True, False])
def test_more_than_the_usual_number_of_processes_is_kept_while_most_memory_is_free(is_free, monkeypatch):
    monkeypatch.setattr(table, "USUAL", 2)
    monkeypatch.setattr(table, "most_memory_is_free", lambda: is_free)
    with table_with(misbehaving_bot()) as seats:
        for rotation in range(3):
            seats.play(replace(fixture("one", "two", "misbehaving"), rotation=rotation))
        assert len(seats._players) == (9 if is_free else 2)
