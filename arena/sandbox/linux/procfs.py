"""What processes use, read from /proc as cheaply as it goes: a supervisor does it fifty times a second.

psutil knows all of this too, but looks through every process of the machine to find the children of one.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from math import inf

LONGEST_PATH = 1024  # characters
PAGE = os.sysconf("SC_PAGE_SIZE")
HOLD = {stat.S_IFIFO: 64 * 1024, stat.S_IFSOCK: 208 * 1024}  # bytes, where nobody may change it (the filter)
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
    for speaker in speakers(pid):
        with contextlib.suppress(OSError, IndexError):
            if pages := int(read(f"/proc/{speaker}/statm").split()[1]):
                return pages * PAGE
    return 0


def proportional(pid: int) -> tuple[int, int]:
    """Bytes of memory with a fair part of what is shared (PSS), and how much of it are files in memory.

    Where that is hidden, `resident` and 0.
    """
    for speaker in speakers(pid):
        with contextlib.suppress(OSError):
            sizes = dict(line.split()[:2] for line in read(f"/proc/{speaker}/smaps_rollup").splitlines()[1:])
            if b"Pss:" in sizes:
                return int(sizes[b"Pss:"]) * 1024, int(sizes.get(b"Pss_Shmem:", 0)) * 1024
    return resident(pid), 0


def speakers(pid: int) -> Iterator[int]:
    """Who can tell of what a process has: its first thread, and when that has ended, the others."""
    yield pid
    with contextlib.suppress(OSError):
        yield from map(int, os.listdir(f"/proc/{pid}/task"))


def holds(pid: int, file: os.stat_result) -> bool:
    """Whether a process has this file open; True if that is hidden, False for one that has ended."""
    for path in descriptors(pid):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(path), file):
                return True
    return closed(pid)


def unlinked_files(pids: list[int]) -> dict[tuple[int, int], int]:
    """Bytes of the files that processes have open and that no folder has, by device and inode.

    They take up a disk like others, or memory (memfd), and are in nobody's account. A pipe or a socket
    counts with all that it may hold.
    """
    found = {}
    for pid in pids:
        for path in descriptors(pid):
            with contextlib.suppress(OSError):
                file = os.stat(path)
                if file.st_nlink == 0 and stat.S_ISREG(file.st_mode):
                    found[file.st_dev, file.st_ino] = file.st_blocks * 512
                elif room := HOLD.get(stat.S_IFMT(file.st_mode)):
                    found[file.st_dev, file.st_ino] = room
    return found


def closed(pid: int) -> bool:
    """Whether a process lets nobody see what it has open, as the copy of a program that it cannot read.

    Nor does one that is about to end, but that has no memory any more.
    """
    for speaker in speakers(pid):
        if os.access(f"/proc/{speaker}/fd", os.R_OK):
            return False
        with contextlib.suppress(OSError):
            if b"VmRSS:" in read(f"/proc/{speaker}/status"):
                return True
    return False


def descriptors(pid: int) -> list[str]:
    """The files that a process has open; its threads have the same (the filter sees to that)."""
    for speaker in speakers(pid):
        with contextlib.suppress(OSError):
            if names := os.listdir(f"/proc/{speaker}/fd"):
                return [f"/proc/{speaker}/fd/{name}" for name in names]
    return []


def mapped(pid: int) -> tuple[int, int]:
    """A thread of a process that can tell of its memory, and how many bytes of addresses it has."""
    for speaker in speakers(pid):
        with contextlib.suppress(OSError, IndexError):
            if pages := int(read(f"/proc/{speaker}/statm").split()[0]):
                return speaker, pages * PAGE
    return pid, 0


def tables(pids: list[int], most: int) -> int:
    """Bytes of the page tables of processes, which are in nobody's account.

    They are at most a 512th of what is mapped, so only who has mapped very much is looked at.
    """
    total = 0
    for speaker, size in map(mapped, pids):
        if size > 16 * most:
            with contextlib.suppress(OSError, IndexError):
                total += int(read(f"/proc/{speaker}/status").partition(b"VmPTE:")[2].split()[0]) * 1024
    return total


def shared(pids: list[int], most: int) -> dict[bytes, int]:
    """Bytes of the memory that processes have mapped to share it with children, by what names it.

    In full, whether it is in use or not: what was written and is mapped no more counts nowhere else. To
    look is dear, so only at those who have mapped more than `most` of anything.
    """
    found = {}
    for speaker, size in map(mapped, pids):
        with contextlib.suppress(OSError, ValueError):
            if size > most:
                with open(f"/proc/{speaker}/maps", "rb") as file:
                    mappings = [line.split(maxsplit=5) for line in file if b"/dev/zero (deleted)" in line]
                for addresses, _, offset, device, inode, _ in mappings:
                    first, last = (int(address, 16) for address in addresses.split(b"-"))
                    found[device + inode] = max(found.get(device + inode, 0), last - first + int(offset, 16))
    return found


def disk_use(folder: str, most: int) -> float:
    """Bytes that the files of a folder take on disk; the count ends when it is more than `most`.

    Infinite where a folder is kept from being read: closed to its owner, or deeper than anybody needs,
    for the time that a look takes grows with the square of the depth.
    """
    total, folders = 0, [folder]
    for each in folders:  # and those appended meanwhile
        if len(each) > LONGEST_PATH:
            return inf
        try:
            for entry in os.scandir(each):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                with contextlib.suppress(OSError):
                    total += max(4096, entry.stat(follow_symlinks=False).st_blocks * 512)
                if total > most:
                    return total
        except OSError as error:
            if error.errno == errno.EACCES:
                return inf
    return total


def box_use(pid: int, folder: str, size: int) -> int:
    """Bytes that the files of a folder with this size take in the box of a process, each at least a page.

    The system counts the bytes of such a folder, but not what its files cost themselves.
    """
    with contextlib.suppress(OSError):
        room = os.statvfs(f"/proc/{pid}/root{folder}")
        if room.f_blocks * room.f_frsize == -(-size // PAGE) * PAGE:  # or the box is not ready
            return (room.f_files - room.f_ffree) * PAGE
    return 0


def read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 65536)
    finally:
        os.close(descriptor)
