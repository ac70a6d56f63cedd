"""The disk of a server is full: it says so, nothing is lost, and games go on when there is room."""

import shutil
import subprocess
from pathlib import Path

import pytest
from browsers import Browser
from servers import served, wait_for

from arena.tournament.runs.store import Store

FULL = "The disk of the server is full."


class Disk:
    """The folder `disk`, which is a disk of 4 MB for one server alone."""

    def __init__(self, folder: Path):
        self.folder = folder / "disk"
        self.folder.mkdir()
        mount = 'mount -t tmpfs -o size=4m none disk && exec "$@"'
        self.within = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh")

    def inside(self, server) -> Path:
        """The folder as the server sees it."""
        return Path(f"/proc/{server.process.pid}/root{self.folder}")

    def fill(self, server) -> None:
        path = self.inside(server) / "filler"
        with path.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left on device"):
            for _ in range(2**11):
                file.write(bytes(4096))


def play(browser: Browser, answers: int = 1000) -> None:
    """Give the first option, so many times or to the end of the game."""
    while not browser.is_over and answers:
        browser.look()
        if ask := browser.due():
            browser.answer(ask["id"], ask["options"][0][0])
            answers -= 1


@pytest.mark.slow
def test_a_game_waits_until_the_disk_has_room(tmp_path):
    disk = Disk(tmp_path)
    tried = subprocess.run([*disk.within, "true"], cwd=tmp_path, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no mount namespaces are permitted here: {tried.stderr.strip()}")
    with served(tmp_path, "disk", within=disk.within) as server:
        guest, late = Browser(server), Browser(server)
        status, found = guest.call("POST", "/guest", {"game": "complots"})
        assert status == 200, found
        guest.open(found["seat"])
        play(guest, 2)
        ask = guest.next_ask()
        seen = len(guest.views)
        disk.fill(server)
        assert guest.call("POST", f"{guest.at}/answer", {"ask": ask["id"], "word": ask["options"][0][0]}) == (
            503,
            {"error": f"{FULL} Try again later."},
        )
        status, found = late.call("POST", "/guest", {"game": "complots"})
        assert (status, found["error"]) == (503, f"{FULL} Try again later.")
        assert server.get("/healthz")[0] == 503
        server.child("arena.web.table_process").kill()
        wait_for(lambda: "Games wait." in server.said(), server.said())
        assert server.get("/")[0] == 200, "what is there is shown"
        (disk.inside(server) / "filler").unlink()
        play(guest)
        assert server.get("/healthz")[0] == 200
        assert len(guest.views) > seen and "There is room again." in server.said()
        for name in ("people.db", "people.db-wal"):
            if (path := disk.inside(server) / "server" / name).exists():
                shutil.copy(path, tmp_path)
    with Store(tmp_path / "people.db") as store:
        assert not store.record(guest.views[-1]["over"]["record"]).faults
