"""The pages of commands and of plan keys are those that `docs/reference.py` writes."""

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click import Command, Context, Group, Parameter
from click.testing import CliRunner

from arena.cli import main

DOCS = Path(__file__).parent.parent / "docs"


def test_the_reference_is_up_to_date():
    for name, page in runpy.run_path(str(DOCS / "reference.py"))["PAGES"].items():
        assert page() == (DOCS / name).read_text(encoding="utf-8"), "python docs/reference.py"


def properties(schema: Any) -> Iterator[str]:
    """The names of all keys in a JSON Schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from properties(each)


def test_the_reference_is_complete():
    commands = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert all(f"### arena {name}\n" in commands for name in main.list_commands(Context(main)))
    keys = (DOCS / "plan-keys.md").read_text(encoding="utf-8")
    schema = json.loads(CliRunner().invoke(main, ["schema"]).stdout)
    assert [name for name in properties(schema) if f"- `{name}` (" not in keys] == []


CALL = re.compile(r"(?:^|[\s/(])arena ([a-z][a-z-]*)([^|#\n]*)", re.M)
CODE = re.compile(r"```(?:sh|text)\n(.*?)```|`([^`\n]+)`", re.S)


def parameters(command: Command) -> list[Parameter]:
    """Those of a command, or of all commands in a group."""
    inner = command.commands.values() if isinstance(command, Group) else ()
    return [*command.params, *(parameter for each in inner for parameter in each.params)]


def test_the_pages_name_only_commands_and_options_that_there_are():
    context = Context(main)
    options = {
        name: {option for each in parameters(main.get_command(context, name)) for option in each.opts}
        | {"--help"}
        for name in main.list_commands(context)
    }
    pages = [path for place in ("*.md", "*/*.md", "arena/*/*.md") for path in DOCS.parent.glob(place)]
    for page in pages:
        if page.name in ("CHANGELOG.md", "commands.md"):  # old commands; generated
            continue
        for code in CODE.findall(page.read_text(encoding="utf-8")):
            for name, rest in CALL.findall("".join(code)):
                words = set(re.findall(r"(?<!\S)(--?[a-z][a-z0-9-]*)", rest))
                assert words <= options[name], f"{page.name}: arena {name} {rest}"
