"""A hundred entrants hand in by HTTP, a third of them broken or hostile; then twenty hand in again.

Each entry has to get the right verdict in time, and no error of the arena may occur. The table says for each
kind of entry how many there were, how many had the right verdict, and how long they were worked on.
"""

import argparse
import gzip
import http.client
import io
import json
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tabulate import tabulate

from arena.contest import alarms, contest, create, entrants, entries
from arena.games import GAMES
from arena.programs.reading import read_bot
from arena.web.database import Database

_DEADLINE = "2099-12-31 18:00 UTC"
_LIMITS = "build: 5s"  # an endless build is over soon
_AGAIN = 20  # entrants with a second version
_TIMEOUT_S = 60.0


class Kind(NamedTuple):
    """A kind of entry, and the verdict that it has to get."""

    archive: bytes
    why: str = ""  # a part of the reason; an entry without one has to come to the ladder


def _tgz(files: Mapping[str, bytes], *more: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in more:
            tar.addfile(info)
    return out.getvalue()


def _zip(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def _source() -> bytes:
    return read_bot(Path("house:honest")).files[0].read_bytes()


def _special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def _bot(run: str = "[python3, bot.py]", source: bytes = b"", more: str = "") -> dict[str, bytes]:
    return {"bot.yaml": f"run: {run}\n{more}".encode(), "bot.py": source or _source()}


def _built_by(command: str) -> bytes:
    return _tgz(_bot(more=f"build: [sh, -c, {json.dumps(command)}]\n"))


def good() -> dict[str, Kind]:
    """Entries that come to the ladder."""
    return {
        "tar.gz": Kind(_tgz(_bot())),
        "zip of a folder": Kind(_zip({f"mine/{name}": data for name, data in _bot().items()})),
        "program alone": Kind(_tgz({"bot.py": _source()})),
        "with a build": Kind(_built_by("mkdir -p build; echo built > build/out")),
        "another's name": Kind(_tgz(_bot(more="name: e001\nauthor: e001\n"))),
        "<script> in a name": Kind(_tgz(_bot() | {"<script>alert(1)<": b""})),
    }


def bad() -> dict[str, Kind]:
    """Entries that fail, and a part of the reason."""
    silent = b"import time\ntime.sleep(1000)\n"
    return {
        "..": Kind(_tgz(_bot() | {"../../evil": b"x"}), "leads out of its folder"),
        "absolute": Kind(_zip(_bot() | {"/etc/evil": b"x"}), "absolute name"),
        "link": Kind(_tgz(_bot(), _special("x", tarfile.SYMTYPE, "/etc/passwd")), "is a symbolic link"),
        "device": Kind(_tgz(_bot(), _special("x", tarfile.CHRTYPE)), "is a device"),
        "bomb": Kind(_tgz(_bot() | {"zeros": bytes(20 * 2**20)}), "100 times its own size"),
        "bomb of gzip": Kind(gzip.compress(bytes(2**25)), "is empty"),
        "10,001 files": Kind(_zip({f"{number}": b"" for number in range(10_001)}), "more than 10000 files"),
        "control characters": Kind(_tgz(_bot() | {"a\x1b[2Jb": b""}), "no control characters"),
        "backslashes": Kind(_tgz(_bot() | {"..\\..\\evil": b""}), "a name has no"),
        "no archive": Kind(b"\x7fELF" + bytes(5000), "is a program"),
        "cut short": Kind(_tgz(_bot())[:-200], "is damaged"),
        "no bot.yaml": Kind(_tgz({"README": b"", "data": b""}), "has no bot.yaml"),
        "wrong bot.yaml": Kind(_tgz(_bot(more="runs: 3\n")), "unknown key"),
        "file of the server": Kind(_tgz(_bot("[python3, /etc/passwd]")), "before it answered hello"),
        "script in bot.yaml": Kind(
            _tgz(_bot(more="name: <script>alert(1)</script>\n")), "a name has letters"
        ),
        "another game": Kind(_tgz(_bot(more="games: [intrigue]\n")), "intrigue"),
        "failing build": Kind(_built_by("echo no >&2; exit 1"), "failed"),
        "build beside build/": Kind(_built_by("touch built"), "outside build/"),
        "half a character": Kind(_tgz(_bot(more='version: "\\ud800"\n')), "half of a character"),
        "endless build": Kind(_built_by("while :; do :; done"), "failed"),
        "build that forks": Kind(_built_by("for i in $(seq 400); do sleep 60 & done; wait"), "failed"),
        "build that fills the disk": Kind(_built_by("cat /dev/zero > build/x"), "failed"),
        "crash": Kind(_tgz(_bot(source=b"1 / 0\n")), "before it answered hello"),
        "silence": Kind(_tgz(_bot(source=silent)), "hello"),
        "nonsense": Kind(_tgz(_bot(source=_NONSENSE)), "not among the options"),
    }


_NONSENSE = b"""import sys
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["ask"]:
        print(words[1], "ok" if words[2] in ("hello", "ready") else "nonsense", flush=True)
"""


class _Server(NamedTuple):
    """A contest that is served."""

    port: int
    tokens: Mapping[str, str]
    database: Database

    def put(self, data: bytes, authorization: str) -> int:
        """The status of the answer to an archive."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT_S)
        try:
            connection.request(
                "PUT", "/entry", data, {"Authorization": authorization} if authorization else {}
            )
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def hand_in(self, name: str, data: bytes) -> None:
        status = self.put(data, f"Bearer {self.tokens[name]}")
        assert status < 300, f"{name}: {status}"


def verdict(entry: entries.Entry, kind: Kind) -> bool:
    """Whether an entry has the verdict that its kind has to get."""
    if kind.why:
        return bool(entry.state == "failed" and not entry.by_arena and kind.why in entry.why)
    return entry.state in ("waiting", "playing")


def _wait(server: _Server, seconds: float, until: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end:
            sys.exit(f"{entries.pending(server.database)} entries have no verdict after {seconds:.0f} s")
        time.sleep(0.2)


def _play(
    server: _Server, kinds: Mapping[str, Kind], sent: Mapping[str, str], again: Sequence[str], minutes: float
) -> None:
    """Hand in one archive of each entrant, and then those of some once more, while the first are built."""
    for name, kind in sent.items():
        server.hand_in(name, kinds[kind].archive)
    for name in again:
        server.hand_in(name, kinds["tar.gz"].archive)
    for wrong in ("", "Bearer forged", f"Basic {server.tokens[next(iter(sent))]}"):
        assert server.put(kinds["tar.gz"].archive, wrong) in (401, 403), wrong
    _wait(server, 60.0 * minutes, lambda: not entries.pending(server.database))


def _report(
    server: _Server, kinds: Mapping[str, Kind], sent: Mapping[str, str], again: Sequence[str]
) -> bool:
    rows, ok = [], True
    for kind in kinds:
        names = [name for name, each in sent.items() if each == kind and name not in again]
        found = [entries.of(server.database, name)[0] for name in names]
        right = [entry for entry in found if verdict(entry, kinds[kind])]
        why = next((entry.why or entry.state for entry in found if entry not in right), "")
        ok &= len(right) == len(found)
        rows.append((kind, len(found), len(right), (found[0].why if found else "")[:60], why[:60]))
    second = [entries.of(server.database, name)[0] for name in again]
    right = [entry for entry in second if entry.version == 2 and verdict(entry, kinds["tar.gz"])]
    rows.append(("second version", len(second), len(right), "", ""))
    print(tabulate(rows, ("entry", "sent", "right", "reason", "wrong"), tablefmt="simple"))
    errors = alarms.unseen(server.database)
    print(f"errors of the arena: {len(errors)}", *(each.text for each in errors), sep="\n  ")
    return ok and len(right) == len(second) and not errors


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entrants", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=30.0, help="after which it gives up")
    arguments = parser.parse_args()
    count = arguments.entrants
    names = [f"e{number:03}" for number in range(count)]
    fine, faulty = good(), bad()
    kinds = fine | faulty
    chosen = zip(names, _mixed(list(fine), list(faulty), count), strict=True)
    with TemporaryDirectory() as folder:
        place = Path(folder, "contest")
        create.create(place, GAMES["complots"], _DEADLINE)
        plan = place / "ladder.yaml"
        plan.write_text(plan.read_text().replace("build: 2m", _LIMITS))
        found = contest.open_contest(place)
        entrants.add(found.database(), [entrants.NewEntrant(name) for name in names])
        tokens = {name: entrants.new_token(found.server_database(), name) for name in names}
        command = [sys.executable, "-m", "arena", "contest", "serve", str(place), "--port", "0"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout
            port = int(process.stdout.readline().rpartition(":")[2])
            server = _Server(port, tokens, found.database())
            sent, began = dict(chosen), time.monotonic()
            again = [name for name in names if sent[name] in fine][-_AGAIN:]
            try:
                _play(server, kinds, sent, again, arguments.minutes)
                ok = _report(server, kinds, sent, again)
                print(f"{count} entrants, {time.monotonic() - began:.0f} s, {_took(server.database)}")
            finally:
                process.terminate()
    return 0 if ok else 1


def _mixed(fine: Sequence[str], faulty: Sequence[str], count: int) -> list[str]:
    """Two good entries, then a bad one, and so on through all kinds."""
    one, other = cycle(fine), cycle(faulty)
    order = (each for _ in cycle([0]) for each in (next(one), next(one), next(other)))
    return list(islice(order, count))


def _took(database: Database) -> str:
    rows = database.rows("SELECT since - received AS took FROM entry WHERE state != 'replaced'")
    took = [row["took"] for row in rows]
    return f"from hand-in to verdict: median {median(took):.0f} s, longest {max(took):.0f} s"


if __name__ == "__main__":
    sys.exit(_main())
