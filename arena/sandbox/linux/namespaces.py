"""A network namespace without interfaces, not even a loopback that is up.

The supervisor moves into it once, so that its boxes need none of their own: to make and to remove one takes
the kernel a millisecond each, the second while others are playing.
"""

import ctypes
import os

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


def leave() -> bool:
    """Move this process, which has one thread, to where there is no network; False: it is not allowed to.

    Without root it does so in a new user namespace, in which its own user id is the only one
    (user_namespaces(7)).
    """
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNET) == 0:
        return True
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    for name, words in maps.items():
        with open(f"/proc/self/{name}", "w") as file:
            file.write(words)
    return True
