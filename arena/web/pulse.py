"""The beats of a child process (bytes in a pipe). If they stop, the parent knows that it hangs.

Time does not distinguish a process that hangs from a busy one. A web process with thousands of clients may be
slow to beat, and a player may compute a large result. So the parent also reads the CPU time of the process. A
process that computes counts as hanging only after much CPU time without a beat. The CPU time does not grow
while the process is stopped or waits for ever.
"""

import os

_MAX_SILENT = 20  # looks without a beat and without work
_MIN_WORK_S = 0.2  # of CPU time in these looks; threads that only look at a clock need much less
_MAX_WORK_S = 300.0  # of CPU time without a beat: an endless loop


class Pulse:
    """A pipe to which a child process writes its beats, and after it the processes that replace it.

    We count looks, not seconds: while the whole machine is stopped, a child cannot beat, and we do not look.
    """

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        for end in (self._read, self.write):
            os.set_blocking(end, False)
        self.begin()

    def begin(self) -> None:
        """Note that a new process starts: it does not count as hanging before its first beat."""
        self._has_beaten, self._silent = False, 0
        self._at_beat = self._at_sign = (
            0.0  # its computing time at the last beat, and at the last sign of life
        )

    def look(self, work: float) -> bool:
        """Read the beats; returns whether the process hangs. `work` is its computing time so far, in seconds.

        It hangs if it has beaten, but neither beaten nor worked in the last looks.
        """
        if self._drain():
            self._has_beaten, self._silent = True, 0
            self._at_beat = self._at_sign = work
        elif work - self._at_sign >= _MIN_WORK_S:
            self._silent, self._at_sign = 0, work
        self._silent += self._has_beaten
        return self._has_beaten and (self._silent > _MAX_SILENT or work - self._at_beat > _MAX_WORK_S)

    def _drain(self) -> bool:
        try:
            return bool(os.read(self._read, 65536))
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self._read)
        os.close(self.write)
