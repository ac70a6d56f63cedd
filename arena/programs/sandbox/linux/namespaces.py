"""A network namespace without a usable interface: even its loopback is down (network_namespaces(7)).

The supervisor moves into one, and its boxes share it: the filter leaves them no socket that could have an
address in it. A namespace for each box would cost a millisecond to make and another to remove, the second
while other bots are playing.
"""

import ctypes
import os

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def leave() -> bool:
    """Move this process into a new network namespace; False if it may not. It must have one thread only."""
    # Only root may make a network namespace. Any other user has to make a user namespace as well, in which
    # its own user id is mapped to itself and is the only one (user_namespaces(7)).
    libc = ctypes.CDLL(None)
    if libc.unshare(_CLONE_NEWNET) == 0:  # we are root
        return True
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    # The kernel takes a map of groups from an ordinary user only after `setgroups` was denied, because to
    # drop a group can give rights to files. Without the maps all files would seem to belong to nobody.
    maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    for name, line in maps.items():
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    return True
