"""No network: a supervisor of boxes leaves it for good, and each of its boxes is spared an own one.

To make an empty network and to clear it away takes the kernel a millisecond each time, the second while
others are playing. Nothing is up in this one, not even the way back to oneself.
"""

import ctypes
import os

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


def leave() -> bool:
    """Move this process, which has one thread, to where there is no network; False: it is not allowed to.

    Whoever is not root may do so as the only user of a user namespace (namespaces(7)).
    """
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNET) == 0:
        return True
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    for name, words in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(words)
    return True
