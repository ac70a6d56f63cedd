"""The beats of a child process (bytes in a pipe), whose absence tells its parent that it hangs."""

import os

_MOST_SILENT = 20  # looks without a beat


class Pulse:
    """A pipe to which a child process writes its beats, and after it the processes that replace it.

    We count looks, not seconds: while the whole machine is stopped, a child cannot beat, and we do not look.
    """

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        for end in (self._read, self.write):
            os.set_blocking(end, False)
        self._silent = 0
        self._has_beaten = False

    def begin(self) -> None:
        """Note that a new process starts: it does not count as hanging before its first beat."""
        self._has_beaten, self._silent = False, 0

    def look(self) -> bool:
        """Read the beats; returns whether the process hangs: it has beaten, but not in the last looks."""
        if self._drain():
            self._has_beaten, self._silent = True, 0
        self._silent += self._has_beaten
        return self._silent > _MOST_SILENT

    def _drain(self) -> bool:
        try:
            return bool(os.read(self._read, 65536))
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self._read)
        os.close(self.write)
