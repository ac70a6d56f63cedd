"""What an entry names grants it nothing: its command, its links, its first line, its build."""

from pathlib import Path

import pytest
from programs import PLAIN, fixture, heard, kinds, shell, table_with

from arena.config.document import ConfigError
from arena.programs.bot import Bot
from arena.programs.files import share
from arena.programs.play.build import build
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot
from arena.programs.sandbox.policy import Sandbox

SECRET = "s3cret"
READER = """#!/usr/bin/env python3
import sys
for path in {paths}:
    try:
        print(open(path).read(), file=sys.stderr)
    except OSError:
        pass
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        print(words[1], words[words.index(":") + 1], flush=True)
"""
ENTRIES = {
    "words": "run: [python3, bot.py, '{tool}', ../../private/bin/tool, '{rival}', '{plan}', '~/tool', $HOME]",
    "links": "run: [python3, bot.py, link, ./link, folder/bin/tool]",
    "a script of its own": "run: [./bot.py, '{tool}']",
    "files below a program": "run: [env, python3, bot.py, '{tool}', --data, '{secret}']",
    "options": "run: [python3, bot.py, '--tool={tool}']",
}
ELSEWHERE = {
    "a path": "run: ['{tool}', bot.py]",
    "a relative path": "run: [../../private/bin/tool]",
    "a path through the system": "run: ['/usr/../{tool}']",
    "a link": "run: [./link]",
    "a link to a folder": "run: [folder/bin/tool]",
    "a rival": "run: ['{rival}']",
    "the plan": "run: ['{plan}']",
    "what a build makes": "build: [sh, build.sh]\nrun: ['{tool}']",
    "a first line": "run: [./script]",
}


@pytest.fixture
def place(tmp_path) -> Path:
    """An entry, a rival, a plan, and a private program with what is installed beside it; all of mode 0700."""
    for name in ("private/bin/tool", "private/lib/library", "private/secret", "rival/bot", "plan.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n# {SECRET}\n")
        path.chmod(0o700)
    entry = tmp_path / "entries" / "ann"
    entry.mkdir(parents=True)
    (entry / "link").symlink_to("../../private/bin/tool")
    (entry / "folder").symlink_to("../../private")
    (entry / "script").write_text(f"#!{tmp_path}/private/bin/tool\n")
    (entry / "script").chmod(0o755)
    (entry / "bot.py").write_text(READER.format(paths=list(map(str, private(tmp_path, entry)))))
    (entry / "bot.py").chmod(0o755)
    return tmp_path


def private(place: Path, entry: Path) -> list[Path]:
    names = ["private/bin/tool", "private/lib/library", "private/secret", "rival/bot", "plan.yaml"]
    return [*(place / name for name in names), entry / "link", entry / "folder" / "secret"]


def entry(place: Path, manifest: str, shared: tuple[str, ...] = ()) -> Bot:
    names = {
        "tool": "private/bin/tool",
        "secret": "private/secret",
        "rival": "rival/bot",
        "plan": "plan.yaml",
    }
    folder = place / "entries" / "ann"
    paths = {key: place / name for key, name in names.items()}
    (folder / "bot.yaml").write_text(manifest.format(**paths) + "\n")
    return read_bot(folder, [share(place / name) for name in shared], name="misbehaving")


def said(bot: Bot, sandbox: Sandbox) -> str:
    with ProgramTable({"misbehaving": bot, "one": shell("one", PLAIN)}, sandbox=sandbox) as table:
        record = table.play(fixture("one", "misbehaving", start=10.0))
    assert record.faults == ()
    return heard(record, 1)


@pytest.mark.slow
@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize("manifest", ENTRIES.values(), ids=ENTRIES)
def test_an_entry_reads_no_file_by_naming_it(closed, place, manifest):
    assert said(entry(place, manifest), closed) == ""


@pytest.mark.slow
@pytest.mark.attack("read files of the user or other bots")
def test_a_build_reads_no_file_by_naming_it_either(closed, place):
    """Neither by a link that the build makes, once it is the program of the bot."""
    folder = place / "entries" / "ann"
    (folder / "build.sh").write_text(
        'for file in "$@" link folder/secret; do cat "$file" >>build/copies; done; ln -s "$1" build/tool'
    )
    bot = entry(place, "build: [sh, build.sh, '{tool}', '{rival}', '{plan}', '{secret}']\nrun: [build/tool]")
    build([bot], closed)
    assert (folder / "build" / "copies").read_text() == ""
    with table_with(bot, sandbox=closed) as table:
        record = table.play(fixture("one", "misbehaving"))
    assert kinds(record)[0] in ("unstarted", "crashed")
    assert SECRET not in heard(record, 1)


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize("manifest", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_program_elsewhere_has_to_be_shared(place, manifest):
    with pytest.raises(
        ConfigError, match="belongs neither to the bot nor to the system; share it by the plan"
    ):
        entry(place, manifest)


def test_a_first_line_of_a_single_program_grants_nothing_either(place):
    with pytest.raises(
        ConfigError, match=r"its first line: .*tool: belongs neither to the bot nor to the system"
    ):
        read_bot(place / "entries" / "ann" / "script")


def test_a_program_elsewhere_that_is_shared_may_be_run(place):
    tool = place / "private" / "bin" / "tool"
    for manifest in ("a path", "a relative path", "a link", "a first line"):
        bot = entry(place, ELSEWHERE[manifest], ("private/bin/tool",))
        assert bot.files[1:] == (tool,) and not any(tool.samefile(path) for path in bot.installed)
    assert read_bot(place / "entries" / "ann" / "script", [share(tool)]).command[0] == str(tool)


def test_a_bot_yaml_is_not_a_link_to_a_file_elsewhere(place):
    (place / "entries" / "ann" / "bot.yaml").symlink_to("../../private/secret")
    with pytest.raises(ConfigError, match=r"bot\.yaml: is a link to a file outside the folder of the bot"):
        read_bot(place / "entries" / "ann")
