"""Opens the files of strangers: a pipe could wait forever, a device have no end, a link lead elsewhere."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def open_regular(path: Path, follow_link: bool = True) -> BufferedReader:
    """Open a regular file to read it.

    Without `follow_link`, a path that is a symbolic link cannot be opened.

    Raises:
        OSError: The file cannot be opened, or is not regular.
    """
    # Without O_NONBLOCK a pipe would wait for a writer.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
    file = os.open(path, flags if follow_link else flags | os.O_NOFOLLOW)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(file, "rb")
