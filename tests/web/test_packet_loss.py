"""Remote bots over a wire that loses packets: each end has a network of its own, with the kernel's TCP."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import remote_games
from lossy_wire import CLIENT, SERVER, Trouble, Wire, lossy_wire
from remote_games import play_here
from servers import wait_for

pytestmark = pytest.mark.slow
ROUNDS = int(os.environ.get("ARENA_LOSSY_ROUNDS", "1"))  # of all troubles
LATE_PONGS = Path(__file__).parents[1] / "exploits/late_pongs.py"
LOSSY = Trouble(loss=0.1, double=0.05, late=0.1)
CUT_S = 3.0
TROUBLES = [
    (replace(LOSSY, is_cut=True), CUT_S),
    (replace(LOSSY, loss=0.2), 4.0),
    (replace(LOSSY, is_deaf=True), 10.0),  # a client gives up a silent connection after 8 seconds
]
MOST_LEFT_OUT = 250_000  # microseconds


@pytest.fixture
def wire():
    with lossy_wire() as wire:
        if not isinstance(wire, Wire):
            pytest.skip(wire)
        yield wire


@pytest.fixture
def playing(wire, tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    options = ("--host", SERVER, "--insecure")
    with remote_games.playing(tmp_path, *options, within=wire.within(SERVER)) as playing:
        yield playing


def times(record):
    """For each answer of ann: its wall time, what was left out, and what was charged, in microseconds."""
    seat = record.fixture.bots.index("ann")
    charged, measured = record.trace["microseconds"][seat], record.trace["figures"].get(seat + 1, {})
    return [(wall, left_out, charged[ask]) for ask, (wall, _, left_out) in measured.items()]


def test_lost_packets_change_nothing_but_the_time(wire, playing):
    """100 ms of delay, packets lost, doubled and out of order; the wire cut; half open for long."""
    playing.connect(playing.server.url, within=wire.within(CLIENT))
    playing.wait()
    wire.set(LOSSY)
    is_over = threading.Event()

    def make_trouble() -> None:
        for trouble, seconds in TROUBLES * ROUNDS:
            is_over.wait(4.0)
            wire.set(trouble)
            is_over.wait(seconds)
            wire.set(LOSSY)

    chaos = threading.Thread(target=make_trouble)
    chaos.start()
    try:
        remote = playing.play(20 * ROUNDS, lambda: not chaos.is_alive())
    finally:
        is_over.set()
        chaos.join()
    counts, here = wire.packets(), play_here(len(remote))
    assert [record.faults for record in remote] == [()] * len(remote), playing.said()
    assert [record.replies for record in remote] == [record.replies for record in here]
    assert all(counts.values()), "there was trouble of each kind"
    assert max(charged for record in remote for _, _, charged in times(record)) > (CUT_S - 1) * 1_000_000
    assert max(left_out for record in remote for _, left_out, _ in times(record)) <= MOST_LEFT_OUT


def test_a_client_that_delays_its_pongs_gains_less_than_a_quarter_of_a_second_an_answer(wire, playing):
    playing.connect(playing.server.url, program=[LATE_PONGS], within=wire.within(CLIENT))
    playing.wait()
    wait_for(lambda: times(playing.play(1)[0]), "no ping was answered")
    (record,) = playing.play(1)
    assert not record.faults
    for wall, left_out, charged in times(record):
        assert left_out == min(wall, MOST_LEFT_OUT)
        assert charged == pytest.approx(wall - left_out, abs=2)
