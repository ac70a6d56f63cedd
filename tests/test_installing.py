"""What pages, templates and messages tell readers to install: nothing of ours by name from an index."""

import json
import re
import shlex
import subprocess
import tomllib
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from samples import CHECKOUT

from arena import __distribution__
from arena.cli.doctor import EXTRAS
from arena.programs import machine
from arena.programs.machine import install_command
from arena.web.wheel import NAME

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
OTHERS = {"textarena", "numpy"}
"""Packages of others that pages name, each by its name on PyPI."""
_SUFFIXES = {".md", ".html", ".py", ".txt", ".yaml"}
_COMMAND = re.compile(
    r"\b(?:pip|pip3|pipx|uv|uvx|uv pip|uv tool) (?:install|add|run|download|wheel)\b((?:[^`\n#&;|:]|:(?! ))*)"
)
_OPTIONS = re.compile(r"(?:^|(?<= ))(?:-q|-e|--no-deps|--dest wheels|\(not -e\))(?: |$)")
_EXTRAS = rf"\[(?:{'|'.join(PROJECT['optional-dependencies'])}|NAME|,)+\]"
_WHEEL = rf"(?:https://[\w.]+/)?{re.escape(NAME)}"
_CHECKOUT = rf"\.|'(?:\.|/src){_EXTRAS}'"
_RIGHT = re.compile(rf"(?:{_CHECKOUT}|{_WHEEL}|'bot-arena{_EXTRAS} @ {_WHEEL}'|{'|'.join(OTHERS)})?")


def texts():
    """The name and the text of each page, template and module of the arena."""
    folders = [path for name in ("arena", "bots", "docs") for path in (CHECKOUT / name).rglob("*")]
    for path in sorted({*CHECKOUT.glob("*.md"), *folders}):
        if path.suffix in _SUFFIXES and "site" not in path.relative_to(CHECKOUT).parts:
            text = path.read_text(encoding="utf-8").replace("{{ url }}", "https://contest.example")
            yield path.relative_to(CHECKOUT), text.replace("{{ wheel }}", NAME)


def commands():
    """The place and the end of each command that installs something."""
    for path, text in texts():
        for found in _COMMAND.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}", found[1].strip()


def is_right(words):
    return _RIGHT.fullmatch(_OPTIONS.sub("", words).strip())


def test_pages_install_the_arena_from_a_checkout_or_a_wheel_of_this_version():
    found = dict(commands())
    found = {place: words for place, words in found.items() if "invite.py" not in place}  # see test_wheel.py
    assert len(found) > 20
    assert {place: words for place, words in found.items() if not is_right(words)} == {}


@pytest.mark.parametrize(
    "words",
    [
        "arena",
        "'arena[web]'",
        "bot-arena",
        "'bot-arena[web]'",
        "bot_arena-0.2.0-py3-none-any.whl",
        "-e '.[all]'",
    ],
)
def test_other_commands_would_be_found(words):
    assert _COMMAND.search(f"`pip install {words}`")[1].strip() == words
    assert not is_right(words)


def test_no_text_names_an_extra_as_an_index_would():
    named = re.compile(r"(?<!bot-)\barena\[(?!\d)[a-z]+\]")
    assert {str(path): named.findall(text) for path, text in texts() if named.search(text)} == {}


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_message_names_the_packages_of_an_extra(extra):
    wanted = {Requirement(each) for each in PROJECT["optional-dependencies"][extra]}
    words = shlex.split(install_command(extra))
    assert words[-len(wanted) - 1] == "install"
    assert {Requirement(each) for each in words[-len(wanted) :]} == wanted


def test_the_command_of_a_message_works_where_the_user_is(tmp_path):
    """With the pip of this Python, also if the shell finds another one."""
    command = f"{install_command('web')} --dry-run --no-index"  # all of it is installed here
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "already satisfied: starlette" in done.stdout, done.stderr


def test_an_arena_that_was_not_installed_names_the_extra(monkeypatch):
    monkeypatch.setattr(machine, "__distribution__", "no-such-distribution")
    assert install_command("web") == "install the arena with its extra web"


def test_the_distribution_does_not_need_itself_from_an_index():
    """Only its extra `test` names it, which pip takes from the checkout."""
    assert PROJECT["name"] == __distribution__
    ours = [each for each in requires(__distribution__) or () if each.startswith(("arena", "bot-arena"))]
    assert all('extra == "test"' in each for each in ours)


def test_the_doctor_names_an_arena_of_others(told, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    foreign = tmp_path / "arena-0.0.5.dist-info"
    foreign.mkdir()
    (foreign / "METADATA").write_text("Metadata-Version: 2.1\nName: arena\nVersion: 0.0.5\n")
    assert "namesake" not in told("doctor"), "what a build has left over was not installed"
    (foreign / "RECORD").write_text("arena/__init__.py,,\n")
    (found,) = [each for each in json.loads(told("doctor", "--format", "json")) if each["name"] == "namesake"]
    assert found["found"].startswith("arena 0.0.5 of others") and not found["good"]
    assert found["advice"] == "pip uninstall arena, then install this arena again"


@pytest.mark.parametrize("words", [["serve", "quickstart"], ["contest", "serve", "."]])
def test_a_server_without_its_extra_is_one_line(refused, monkeypatch, words):
    monkeypatch.setattr("arena.cli.serve.find_spec", lambda name: None)
    assert refused(*words) == f"arena: a server needs the extra web: {install_command('web')}\n"
