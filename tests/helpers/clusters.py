"""Dask clusters as users start them: a scheduler and workers, each a program of its own."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

DASK = [sys.executable, "-m", "dask"]


class DaskCluster:
    """A `dask scheduler` and any number of `dask worker`s; what they say is in files in `folder`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self.scheduler = self.start("scheduler", "scheduler", *options)
        self.address = self.said("scheduler", r"Scheduler at:\s+(tcp://\S+)")

    def start(self, name: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("w") as log:
            process = subprocess.Popen(
                [*DASK, *words], stdout=log, stderr=log, cwd=self.folder, env=os.environ | environment
            )
        self.processes.append(process)
        return process

    def said(self, name: str, pattern: str, within: float = 60) -> str:
        """What a program has said, when it has."""
        end = time.monotonic() + within
        while not (found := re.search(pattern, text := (self.folder / f"{name}.log").read_text())):
            assert time.monotonic() < end, text
            time.sleep(0.05)
        return found[1] if found.groups() else found[0]

    def worker(self, name: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker with a nanny, and wait until it is there."""
        words = ["--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder), *options]
        process = self.start(name, "worker", self.address, *words, **environment)
        self.said(name, r"Registered to:")
        return process

    def close(self) -> None:
        for process in self.processes:
            for each in children_of(process):
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            process.kill()
            process.wait()


def children_of(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


@contextmanager
def dask_cluster(folder: Path, workers: int = 0) -> Iterator[DaskCluster]:
    cluster = DaskCluster(folder)
    try:
        for number in range(workers):
            cluster.worker(f"worker{number}")
        yield cluster
    finally:
        cluster.close()
