"""Builds the site of all pages with Zensical (the extra `docs`); a broken link fails.

`python docs/build_site.py` copies the pages, and the files that they link to, into `build/pages`, at their
paths in the checkout. So the same links work on the site and on a forge. Zensical writes `build/site`.
"""

import posixpath
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
PLACES = ("*.md", "docs/*.md", "bots/*.md", "tournaments/*.md", "benchmarks/*.md", "arena/**/*.md")
LINK = re.compile(r"\]\(([^)\s#]+)")
CODE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)


def pages() -> list[str]:
    """The paths of all pages."""
    found = {path.relative_to(CHECKOUT).as_posix() for place in PLACES for path in CHECKOUT.glob(place)}
    return sorted(found)


def linked(page: str) -> Iterator[str]:
    """The paths that a page links to."""
    for link in LINK.findall(CODE.sub("", (CHECKOUT / page).read_text(encoding="utf-8"))):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def build() -> int:
    """Zensical's exit status."""
    folder = CHECKOUT / "build" / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    for name in {*pages(), *(link for page in pages() for link in linked(page))}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / name, folder / name)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=CHECKOUT).returncode


if __name__ == "__main__":
    sys.exit(build())
