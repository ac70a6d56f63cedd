"""A wire between two network namespaces that loses, delays, doubles and reorders packets of IP.

Theory of operation
-------------------
The kernel's own `netem` is often not there, so this program is the wire. Each end is a TUN device: the
program reads the packets that the kernel sends there, and writes those that it should receive. TCP above it
sends again what was lost, as on any bad line. `python lossy_wire.py`, started in a user and network namespace
of its own, makes a second network namespace and prints the process ids of both. Each line on its stdin sets
the trouble: an object of JSON with the keys of `Trouble`. It ends with its stdin.
"""

import fcntl
import heapq
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from random import Random

SERVER, CLIENT = "10.77.0.1", "10.77.0.2"
_DEVICES = ("arena0", "arena1")  # of the server, and of the client
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


@dataclass
class Trouble:
    """What befalls packets, the same in both directions, unless `deaf` names one."""

    delay: float = 0.05  # seconds in each direction
    loss: float = 0.0  # shares of all packets
    double: float = 0.0
    late: float = 0.0  # by another delay, so that others overtake them
    is_cut: bool = False
    is_deaf: bool = False  # nothing comes back from the server: half open


class Wire:
    """The wire as its test has it."""

    def __init__(self, process: "subprocess.Popen[str]", namespaces: Sequence[int]):
        self._process = process
        self._namespaces = namespaces

    def within(self, end: str) -> list[str]:
        """What to write before a command that is to run at an end of the wire."""
        pid = self._namespaces[end == CLIENT]
        return ["nsenter", "--target", str(pid), "--user", "--net", "--preserve-credentials", "--"]

    def set(self, trouble: Trouble) -> None:
        assert self._process.stdin
        print(json.dumps(asdict(trouble)), file=self._process.stdin, flush=True)

    def packets(self) -> dict[str, int]:
        """How many packets were passed on, lost, doubled and late until now."""
        assert self._process.stdin and self._process.stdout
        print("null", file=self._process.stdin, flush=True)
        return dict(json.loads(self._process.stdout.readline()))


@contextmanager
def lossy_wire() -> Iterator[Wire | str]:
    """A wire as long as the context lasts; or why there can be none on this machine."""
    missing = [each for each in ("ip", "unshare", "nsenter") if not shutil.which(each)]
    if missing:
        yield f"no {missing[0]} on this machine"
        return
    command = ["unshare", "--user", "--map-root-user", "--net", sys.executable, __file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stdout and process.stderr
        try:
            if first := process.stdout.readline():
                yield Wire(process, json.loads(first))
            else:
                said = process.stderr.read().strip().splitlines() or [""]
                yield f"network namespaces with a TUN device are not permitted here: {said[-1]}"
        finally:
            process.stdin.close()
            process.wait(30)


# The program.


def _open_device(name: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI))
    return descriptor


def _run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def _lay() -> tuple[list[int], "subprocess.Popen[bytes]"]:
    """Make both ends; returns their descriptors, and the process that holds the namespace of the client."""
    ends = [_open_device(name) for name in _DEVICES]
    holder = subprocess.Popen(
        ["unshare", "--net", sys.executable, "-c", "print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout
    holder.stdout.readline()
    _run("ip", "link", "set", _DEVICES[1], "netns", str(holder.pid))
    there = ["nsenter", "--target", str(holder.pid), "--net"]
    for before, address, device in (([], SERVER, _DEVICES[0]), (there, CLIENT, _DEVICES[1])):
        _run(*before, "ip", "address", "add", f"{address}/24", "dev", device)
        for each in (device, "lo"):
            _run(*before, "ip", "link", "set", each, "up")
    return ends, holder


class _Passing:
    """The packets that are on their way."""

    def __init__(self, ends: Sequence[int]):
        self._ends, self._trouble = ends, Trouble()
        self._dice, self._numbers = Random("wire"), count()
        self._waiting: list[tuple[float, int, int, bytes]] = []  # when due, in order, for which end
        self._counts = dict.fromkeys(("passed", "lost", "doubled", "late"), 0)

    def run(self) -> None:
        """Pass packets on until stdin ends."""
        os.set_blocking(0, False)
        while True:
            wait = max(0.0, self._waiting[0][0] - time.monotonic()) if self._waiting else None
            ready, _, _ = select.select([0, *self._ends], [], [], wait)
            if 0 in ready and not self._obey():
                return
            for here, end in enumerate(self._ends):
                if end in ready:
                    self._take(os.read(end, 65536), 1 - here)
            while self._waiting and self._waiting[0][0] <= time.monotonic():
                _, _, there, packet = heapq.heappop(self._waiting)
                os.write(self._ends[there], packet)

    def _obey(self) -> bool:
        data = os.read(0, 65536)
        for line in data.splitlines():
            if trouble := json.loads(line):
                self._trouble = Trouble(**trouble)
            else:
                print(json.dumps(self._counts), flush=True)
        return bool(data)

    def _take(self, packet: bytes, there: int) -> None:
        trouble = self._trouble
        if trouble.is_cut or (trouble.is_deaf and there == 1) or self._falls("lost", trouble.loss):
            return
        for _ in range(1 + self._falls("doubled", trouble.double)):
            delay = trouble.delay * (1 + self._falls("late", trouble.late))
            self._counts["passed"] += 1
            heapq.heappush(self._waiting, (time.monotonic() + delay, next(self._numbers), there, packet))

    def _falls(self, what: str, share: float) -> bool:
        found = self._dice.random() < share
        self._counts[what] += found
        return found


def _main() -> None:
    ends, holder = _lay()
    print(json.dumps([os.getpid(), holder.pid]), flush=True)
    try:
        _Passing(ends).run()
    finally:
        holder.send_signal(signal.SIGTERM)
        holder.wait()


if __name__ == "__main__":
    _main()
