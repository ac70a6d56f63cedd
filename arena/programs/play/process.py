"""One process of a bot in its sandbox: its pipes, its descendants, and its end."""

import functools
import os

from arena.programs.bot import Bot
from arena.programs.sandbox.client import SupervisorClient, SupervisorLost
from arena.programs.sandbox.linux import cgroup, procfs
from arena.programs.sandbox.supervisor.messages import Violation
from arena.programs.sandbox.supervisor.process import BOX_PROCESSES


class SandboxedProcess:
    """One process of a bot; `stdin`, `out`, `err` are our ends of its pipes.

    Raises:
        OSError: It does not start.
        SupervisorLost: It does not start, and the bot is not at fault.
    """

    def __init__(self, supervisor: SupervisorClient, bot: Bot):
        self._supervisor, self.limits = supervisor, supervisor.sandbox.limits
        try:
            theirs, (self.stdin, self.out, self.err) = _open_pipes()
        except OSError as error:
            raise SupervisorLost(f"this machine has no room for more pipes: {error}") from None
        try:
            # The supervisor's child, which in a box is bwrap.
            self.root = supervisor.start(bot, bot.command, theirs)
        except BaseException:
            self.close()
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        self._boxed = supervisor.sandbox.boxed
        self._pid = 0 if self._boxed else self.root

    @property
    def pid(self) -> int:
        """The PID of the bot itself: in a box the inner bwrap's child, but `root` until that runs."""
        if not self._pid:
            inside = procfs.children(self.root)[:1]
            self._pid = next(iter(procfs.children(inside[0])), 0) if inside else 0
        return self._pid or self.root

    @property
    def group(self) -> str:
        """The folder of the bot's control group; "" if it has none."""
        return cgroup.of(self.root) if self._supervisor.sandbox.group else ""

    def members(self) -> list[int]:
        """The PIDs of the bot and all its descendants, without the box around it."""
        if self._boxed:
            return procfs.tree(self.root)[BOX_PROCESSES:]
        return procfs.family(self.root, procfs.children(self._supervisor.pid))

    def forget_children(self) -> None:
        """Forget the bot's earlier children: a script may have used some to start it."""
        self._supervisor.forget_children(self.root)

    def has_had_children(self) -> bool:
        """Whether the supervisor has seen children of the bot since `forget_children`."""
        self._supervisor.process_events()
        return self.root in self._supervisor.parents

    @property
    def has_closed_stdout(self) -> bool:
        """Whether a bot in a box closed its stdout. (Its end cannot be read, because bwrap has it open.)"""
        if not self._boxed:
            return False
        has_open = functools.partial(procfs.has_open, file=os.fstat(self.out))
        return not has_open(self.pid) and not any(map(has_open, self.members()))

    def violation(self) -> Violation | None:
        return self._supervisor.violation(self.root)

    def end(self, grace: float) -> int | None:
        """End the process, killing it after `grace` seconds; the pipes stay open: they may contain data.

        Returns its exit status, or -signal; None if it was killed here.
        """
        return self._supervisor.end(self.root, grace)

    def close(self) -> None:
        self.close_stdin()
        os.close(self.out)
        os.close(self.err)

    def close_stdin(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1


def _open_pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Open pipes for stdin, stdout and stderr. Returns the ends of the bot, then ours, which do not block."""
    into, stdin = os.pipe()
    from_out, out = os.pipe()
    from_err, err = os.pipe()
    for descriptor in (stdin, from_out, from_err):
        os.set_blocking(descriptor, False)
    return (into, out, err), (stdin, from_out, from_err)
