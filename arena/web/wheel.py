"""The wheel of this arena: visitors install the server's own version from it, at `/NAME`.

No index has the arena. The wheel is made from the files of the package, installed or in a checkout. From a
checkout it gets the house bots and no other file beside the package, because an organiser may write bots
there. Compiled modules are left out: each has its Python source beside it, so the wheel fits every machine.
"""

import os
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path
from threading import Lock
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from arena import __distribution__, __version__
from arena.programs.house import copied_files
from arena.web.requests import Refusal
from arena.web.server import server_of

_STEM = f"{__distribution__.replace('-', '_')}-{__version__}"
NAME = f"{_STEM}-py3-none-any.whl"
_INFO = f"{_STEM}.dist-info"
_TAG = "Wheel-Version: 1.0\nGenerator: arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_PACKAGE = Path(__file__).parents[1]
_LEFT_OUT = (".pyc", *EXTENSION_SUFFIXES)
_writing = Lock()


async def _serve(request: Request) -> Response:
    path = server_of(request).settings.runtime / NAME
    try:
        await run_in_threadpool(_write_once, path)
    except PackageNotFoundError:  # it runs from a folder on PYTHONPATH
        raise Refusal(404, f"This arena {__version__} was not installed, so it has no wheel.") from None
    return FileResponse(path, media_type="application/octet-stream", filename=NAME)


ROUTES = [Route(f"/{NAME}", _serve)]


def _write_once(path: Path) -> None:
    with _writing:
        if not path.exists():
            new = path.with_suffix(".new")
            write_wheel(new)
            new.rename(path)


def write_wheel(path: Path) -> None:
    """Write the wheel; the same arena gives the same bytes.

    Raises:
        PackageNotFoundError: The arena is not installed, so its dependencies are not known.
    """
    installed = distribution(__distribution__)
    record = f"{_INFO}/RECORD"
    lines = []
    with ZipFile(path, "w") as wheel:
        for name, content, mode in chain(_files(), _metadata(installed)):
            digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
            _add(wheel, name, content, mode)
        _add(wheel, record, "".join([*lines, f"{record},,\n"]).encode(), 0o644)


def _add(wheel: ZipFile, name: str, content: bytes, mode: int) -> None:
    entry = ZipInfo(name)  # its default date is the oldest of a ZIP file
    entry.external_attr = mode << 16
    wheel.writestr(entry, content, ZIP_DEFLATED)


def _files() -> Iterator[tuple[str, bytes, int]]:
    """The name, the content and the mode of each file of the package."""
    found = {path: path for path in _PACKAGE.rglob("*") if _is_installed(path)} | copied_files()
    for place, path in sorted(found.items()):
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        yield place.relative_to(_PACKAGE.parent).as_posix(), path.read_bytes(), mode


def _is_installed(path: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in path.relative_to(_PACKAGE).parts)
    return path.is_file() and not path.is_symlink() and not is_hidden and not path.name.endswith(_LEFT_OUT)


def _metadata(installed: Distribution) -> Iterator[tuple[str, bytes, int]]:
    # In the folder of a checkout, Python finds what `pip install -e` wrote there, under the older name.
    metadata = installed.read_text("METADATA") or installed.read_text("PKG-INFO") or ""
    texts = {"METADATA": metadata, "WHEEL": _TAG}
    texts["METADATA"] = re.sub("(?m)^Version: .*$", f"Version: {__version__}", texts["METADATA"], count=1)
    texts["entry_points.txt"] = installed.read_text("entry_points.txt") or ""
    for name in installed.metadata.get_all("License-File") or ():
        texts[f"licenses/{name}"] = installed.read_text(f"licenses/{name}") or ""
    for name, text in texts.items():
        yield f"{_INFO}/{name}", text.encode(), 0o644
