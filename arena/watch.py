"""What processes use, read from /proc as cheaply as it goes: a warden does it fifty times a second.

psutil knows all of this too, but looks through every process of the machine to find the children of one.
"""

import contextlib
import os

PAGE = os.sysconf("SC_PAGE_SIZE")
LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # most kernels do


def children(pid: int) -> list[int]:
    """The living and the unburied children of a process, in the order in which it got them."""
    if not LISTS_CHILDREN:
        return [child for child, parent in parents().items() if parent == pid]
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                found += map(int, read(f"/proc/{pid}/task/{task}/children").split())
    return found


def tree(pid: int) -> list[int]:
    """A process with all its descendants, itself first."""
    found = [pid]
    for each in found:  # and those appended meanwhile
        found += children(each)
    return found


def family(pid: int, keeper: int) -> list[int]:
    """A process that leads a session, its descendants, and orphans of the session, adopted by `keeper`."""
    found = tree(pid)
    for orphan in children(keeper):
        if orphan != pid and session(orphan) == pid:
            found += tree(orphan)
    return found


def parents() -> dict[int, int]:
    """The parent of every process of this machine."""
    found = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            with contextlib.suppress(OSError, IndexError):
                found[int(name)] = int(status(int(name))[1])
    return dict(sorted(found.items()))


def status(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat behind the name, from the state on."""
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def birth(pid: int) -> int:
    """When a process began, in clock ticks since the boot; 0 if there is none."""
    try:
        return int(status(pid)[19])
    except (OSError, IndexError):
        return 0


def session(pid: int) -> int:
    """The session of a process, 0 for one that is gone."""
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return 0


def tasks(pid: int) -> int:
    """How many threads a process has; 1 for one that is only unburied."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def resident(pid: int) -> int:
    """Bytes of memory that a process has, all that it shares with others included. Cheap."""
    try:
        return int(read(f"/proc/{pid}/statm").split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def proportional(pid: int) -> int:
    """Bytes of memory with a fair part of what is shared (PSS); where that is hidden, `resident`."""
    try:
        for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resident(pid)


def disk_use(folder: str, most: int) -> int:
    """Bytes that the files of a folder take on disk; the count ends when it is more than `most`."""
    total, folders = 0, [folder]
    with contextlib.suppress(OSError):
        for each in folders:  # and those appended meanwhile
            for entry in os.scandir(each):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                with contextlib.suppress(OSError):
                    total += max(4096, entry.stat(follow_symlinks=False).st_blocks * 512)
                if total > most:
                    return total
    return total


def read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 65536)
    finally:
        os.close(descriptor)
