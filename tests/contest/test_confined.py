"""The web process of a contest writes its own state, and no other file of the contest."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.programs.sandbox.linux import landlock

CONFINED = """
import sys
from pathlib import Path
from arena.contest.web_process import confine
folder = Path(sys.argv[1])
confine(folder / "server", folder / "runtime")
for name in ("runs/ladder.db", "entries/ada/bot.py", "final.yaml", "server/contest.db", "runtime/gate"):
    try:
        (folder / name).write_text("changed")
        print("wrote", name)
    except OSError as error:
        print(error.strerror, name)
print((folder / "runs/ladder.db").read_text())
"""


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_the_web_process_changes_no_run_and_no_entry(tmp_path: Path) -> None:
    for name in ("runs/ladder.db", "entries/ada/bot.py", "final.yaml", "server/contest.db", "runtime/gate"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("kept")
    done = subprocess.run([sys.executable, "-c", CONFINED, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "Permission denied runs/ladder.db",
        "Permission denied entries/ada/bot.py",
        "Permission denied final.yaml",
        "wrote server/contest.db",
        "wrote runtime/gate",
        "kept",
    ], done.stderr
