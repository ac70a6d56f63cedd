"""The links of all pages lead somewhere."""

import posixpath
import re
from pathlib import Path

import arena

CHECKOUT = Path(__file__).parent.parent
PACKAGE = Path(arena.__file__).parent  # in the checkout, or where a wheel was installed
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)


def pages() -> list[str]:
    """The pages by their names in the checkout."""
    places = ("*.md", "benchmarks/*.md", "bots/*.md", "docs/*.md", "tournaments/*.md")
    found = [path.relative_to(CHECKOUT) for place in places for path in CHECKOUT.glob(place)]
    found += ["arena" / path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.md")]
    return sorted(map(str, found))


def place(name: str) -> Path:
    package, _, rest = name.partition("/")
    return PACKAGE / rest if package == "arena" else CHECKOUT / name


def anchors(page: str) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", place(page).read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere():
    for page in pages():
        for link in LINK.findall(CODE.sub("", place(page).read_text(encoding="utf-8"))):
            assert "://" not in link, f"{page}: pages are read without a network: {link}"
            name, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), name)) if name else page
            assert place(target).exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(target), f"{page}: {link}"


def test_the_site_has_every_page_once():
    """The pages of the site's navigation; `python docs/build_site.py` builds it."""
    config = (CHECKOUT / "zensical.toml").read_text(encoding="utf-8")
    named = re.findall(r'"([^"]+\.md)"', config)
    assert sorted(named) == pages()


PATH = re.compile(r"`((?:arena|bots|tests|tournaments|\.ci)/[\w./-]+)`")


def test_every_path_exists():
    """Paths from the top of the checkout; NAME stands for any name."""
    for page in pages():
        for path in PATH.findall(place(page).read_text(encoding="utf-8")):
            assert "NAME" in path or place(path).exists(), f"{page}: {path}"
