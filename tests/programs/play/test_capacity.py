"""How many processes a worker keeps for later games."""

import resource

import pytest
from programs import fixture, misbehaving_bot, table_with

from arena.config.document import MachineError
from arena.programs.play import capacity, table
from arena.tournament.engine.interface import Setup
from arena.tournament.engine.local import Local

pytestmark = pytest.mark.alone


@pytest.mark.parametrize(
    ("descriptors", "kept"), [(256, 64), (1024, 128), (65536, 256), (resource.RLIM_INFINITY, 256)]
)
def test_a_worker_keeps_as_many_processes_as_it_has_descriptors_for(descriptors, kept, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (descriptors, descriptors))
    monkeypatch.setattr(capacity, "most_tasks", lambda: None)
    assert capacity.processes_to_keep(2, 4, boxed=True) == kept


@pytest.mark.parametrize(("most", "boxed", "kept"), [(94, True, 4), (254, True, 24), (254, False, 52)])
def test_a_worker_keeps_fewer_processes_if_its_user_may_have_few(most, boxed, kept, monkeypatch):
    monkeypatch.setattr(capacity, "most_tasks", lambda: most)
    monkeypatch.setattr(capacity, "tasks_of_user", lambda: 18)
    assert capacity.processes_to_keep(2, 4, boxed) == kept


def test_a_limit_that_is_too_low_for_a_game_is_named_before_anything_starts(monkeypatch):
    monkeypatch.setattr(capacity, "most_tasks", lambda: 61)
    monkeypatch.setattr(capacity, "tasks_of_user", lambda: 18)
    with pytest.raises(MachineError) as raised:
        Local(Setup({}, reuse=True, start_limit=10, seats=4), jobs=2)
    assert str(raised.value) == (
        "this user may have 61 processes and threads (ulimit -u) and has 18; 2 games of 4 seats at a time "
        "need 44 more: raise the limit, or lower --jobs"
    )


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
        seats._most_kept = 9
        for name in seats.bots:  # each on three seats, so in three processes
            seats.play(fixture(name, name, name))
        assert len(seats._players) == (9 if is_free else 2)
