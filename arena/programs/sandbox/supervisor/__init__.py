"""The supervisor: a program that starts bots, checks their usage, and kills them with all descendants.

It imports only the standard library and `arena.programs.sandbox.linux`, because a small process forks faster.

Theory of operation
-------------------
The supervisor (`main`) is one thread around a poll of the socket of its worker (`messages`) and of a pipe
that wakes it when a child exits. In between it checks its bots (`process`).

*Checks.* The pause between two checks is random, because a bot must not know when it is checked. On average
it is a hundred times the CPU time of the last check, within bounds of 20 ms and half a second. So the checks
of all bots take a hundredth of a core. (With a fixed pause they would take more with fast bots, and most on a
busy machine.) Bots that have not computed since the last check are skipped. Processes and threads are counted
every time. A bot can make the sums of its memory and disk use expensive: they take at most a hundredth of a
core per bot, with pauses of at most two seconds. In a control group the kernel enforces the limits of memory
and threads, and the supervisor only reads which limit was hit.

*Which processes belong to a bot?* The members of its control group, or else its descendants. When a process
exits, its children become orphans: children of the nearest subreaper. In a box this is bwrap, whose process
namespace ends with it; without a box it is the supervisor. Each bot has its own session, so an orphan in the
session of a living bot still belongs to that bot. Other orphans left their session or outlived their bot, and
are killed.

*Killing.* The kernel kills control groups and process namespaces as a whole. Other processes may fork after
they are found and before they are killed, so they are stopped until no new one is found (`linux.signals`). An
exited bot stays a zombie until its end is requested, because the worker names bots by PID.

*The end.* The supervisor exits when its socket closes; the kernel closes it even if the worker is killed. It
kills all bots and removes its folder. The folder lists processes for `stale`, in case the supervisor itself
is killed."""
