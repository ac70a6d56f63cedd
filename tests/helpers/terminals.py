"""A real terminal: tmux, with a server of its own."""

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path


class Terminal:
    """A command in a terminal of this size, and a line with its exit status below it."""

    def __init__(self, folder: Path, command: Sequence[str], columns: int = 80, lines: int = 60):
        socket = folder / f"tmux{len([*folder.glob('tmux*')])}"
        self.tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        shell = f"{shlex.join(command)}; echo status $?; sleep 600"
        self.run("new-session", "-d", "-x", str(columns), "-y", str(lines), "-c", str(folder), shell)
        self.run("set-option", "-g", "history-limit", "100000")

    def run(self, *words: str) -> str:
        """A command of tmux, without the size of a terminal, which readline puts into our environment."""
        sizeless = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        done = subprocess.run([*self.tmux, *words], check=True, capture_output=True, text=True, env=sizeless)
        return done.stdout

    def screen(self) -> str:
        return self.run("capture-pane", "-p").rstrip()

    def everything(self) -> str:
        return self.run("capture-pane", "-p", "-S", "-")

    def wait(self, arrived: Callable[[str], object]) -> str:
        """The screen, once this is true of it."""
        until = time.monotonic() + 60
        while not arrived(screen := self.screen()):
            assert time.monotonic() < until, screen
            time.sleep(0.02)
        return screen

    def wait_for_ask(self) -> str:
        return self.wait(lambda screen: screen.endswith("\n>") or "\nstatus " in screen)

    def type(self, text: str) -> str:
        """Type a line, and wait for the next ask; returns the screen."""
        self.run("send-keys", "-l", text)
        self.wait(lambda screen: screen.endswith(f"> {text}"))
        self.run("clear-history")
        self.run("send-keys", "Enter")
        return self.wait(lambda screen: not screen.endswith(f"> {text}")) and self.wait_for_ask()

    def press(self, *keys: str) -> None:
        """Press keys, by the names that tmux has for them."""
        self.run("send-keys", *keys)

    def close(self) -> None:
        self.run("kill-server")
