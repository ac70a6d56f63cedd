"""The wheel that a server offers of the arena that it runs."""

import base64
import csv
import re
import shutil
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from zipfile import ZipFile

import pytest
from asgi import ORIGIN, app_for, get, server_for
from samples import CHECKOUT

import arena
from arena.web import wheel
from arena.web.invite import invite


@pytest.fixture
def app(tmp_path):
    return app_for(tmp_path)


def test_a_visitor_gets_a_wheel_whose_record_is_right(app, tmp_path):
    answer = get(app, f"/bot_arena-{arena.__version__}-py3-none-any.whl")
    sent = tmp_path / wheel.NAME  # the file that the answer sends
    assert (answer.status, answer.headers["content-length"]) == (200, str(sent.stat().st_size))
    with ZipFile(sent) as found:
        names = found.namelist()
        (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        assert f"\nName: bot-arena\nVersion: {arena.__version__}\n" in found.read(f"{info}/METADATA").decode()
        assert "arena = arena.cli:main" in found.read(f"{info}/entry_points.txt").decode()
        rows = {name: (digest, size) for name, digest, size in csv.reader(lines(found, f"{info}/RECORD"))}
        assert [*rows] == names
        for name in names[:-1]:
            digest = base64.urlsafe_b64encode(sha256(found.read(name)).digest()).decode().rstrip("=")
            assert rows[name] == (f"sha256={digest}", str(found.getinfo(name).file_size))
    again = tmp_path / "again.whl"
    wheel.write_wheel(again)
    assert again.read_bytes() == sent.read_bytes()


def lines(archive, name):
    return archive.read(name).decode().splitlines()


def test_of_a_checkout_it_has_only_the_package_and_the_house_bots(tmp_path, monkeypatch):
    """An organiser may write bots in its checkout, and entrants must not read them."""
    private = tmp_path / "checkout"
    for name in "bots", "tournaments":
        shutil.copytree(CHECKOUT / name, private / name)
    (private / "bots" / "python" / "unpublished.py").write_text("print('the best bot')")
    for module in "house", "kits":
        monkeypatch.setattr(f"arena.programs.{module}.checkout", lambda: private)
    wheel.write_wheel(tmp_path / "made.whl")
    with ZipFile(tmp_path / "made.whl") as made:
        names = made.namelist()
    assert any(name.endswith("bots/python/honest.py") for name in names)
    assert not any(re.search(r"unpublished|\.so$|\.pyc$|/\.", name) for name in names)


def test_an_arena_that_was_not_installed_has_no_wheel(app, monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(wheel, "distribution", missing)
    answer = get(app, f"/{wheel.NAME}")
    assert answer.status == 404 and "was not installed, so it has no wheel" in answer.json()["error"]


def test_authors_of_remote_bots_are_told_its_address(app, tmp_path):
    told = [*invite(server_for(tmp_path).settings, ["ada"])]
    (path,) = re.findall(rf"pip install 'bot-arena\[web\] @ {ORIGIN}(/[^' ]+\.whl)'", "\n".join(told))
    assert get(app, path).status == 200
