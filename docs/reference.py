"""Writes the pages of commands, of plan keys and of columns, from Click, `arena schema` and the tables.

`python docs/reference.py` writes them again after a change to one of them.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent
from typing import Any

import click

from arena.cli import main
from arena.show.tables.explain import columns_page

FOLDER = Path(__file__).parent
WRITTEN = "<!-- Written by docs/reference.py. -->"
COMMANDS = f"""# Commands

{WRITTEN}

`arena COMMAND --help` prints the same. A mistake in an option, a plan or a path gets one line that says where
it is and what would be right, and exit status 2.
"""
KEYS = f"""# Plan keys

{WRITTEN}

The keys of a plan, from its JSON Schema (`arena schema`). [Writing a plan](plan.md) has an example and
explains it; [the formats](../tournaments/README.md) say which bots meet.
"""


COLUMNS = f"""# The columns

{WRITTEN}

What each column of `arena table` means; [reading the table](../arena/rating/README.md) explains the terms.
"""


class _Sections(click.HelpFormatter):
    """Keeps the names of commands by the sections of the help."""

    def __init__(self) -> None:
        super().__init__(width=10_000)
        self.names: dict[str, list[str]] = {}

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        self.names[name] = []
        yield

    def write_dl(self, rows: Any, col_max: int = 30, col_spacing: int = 2) -> None:
        self.names[list(self.names)[-1]] += [first.split()[0] for first, _ in rows]


def commands_page() -> str:
    """The page of all commands, in the sections of `arena --help`."""
    context = click.Context(main, info_name="arena", **main.context_settings)
    sections = _Sections()
    main.format_commands(context, sections)
    parts = [COMMANDS]
    for section, names in sections.names.items():
        parts.append(f"## {section}\n")
        for name in names:
            command = main.get_command(context, name)
            parts.append(_command(name, command, context))
            if isinstance(command, click.Group):
                parts += [
                    _command(f"{name} {each}", command.commands[each], context) for each in command.commands
                ]
    return "\n".join(parts)


def _command(name: str, command: click.Command | None, above: click.Context) -> str:
    """The part of the page about one command."""
    assert command is not None, name
    context = click.Context(command, info_name=name, parent=above)
    usage = f"arena {name} {' '.join(command.collect_usage_pieces(context))}"
    records = [
        parameter.get_help_record(context)
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
    ]
    options = [f"- `{option}`: {_help(text)}" for option, text in filter(None, records)]
    parts = [f"### arena {name}", f"```text\n{usage}\n```", *_paragraphs(command.help or "")]
    parts += ["\n".join(options)] if options else []
    formatter = click.HelpFormatter(width=100)
    command.format_epilog(context, formatter)
    parts += [f"```text\n{dedent(text)}\n```"] if (text := formatter.getvalue().strip("\n")) else []
    return "\n\n".join(parts) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text as Markdown; those that Click does not wrap as blocks of code."""
    for paragraph in re.split(r"\n\s*\n", cleandoc(text)):
        if paragraph.startswith("\b"):
            yield "```text\n" + paragraph.removeprefix("\b").strip("\n") + "\n```"
        else:
            yield _escape(" ".join(paragraph.split()))


def _help(text: str) -> str:
    """The help of an option, with its default and its range in parentheses rather than brackets."""
    return _escape(re.sub(r"(^|  )\[([^\[\]]*)\]", r" (\2)", text)).strip()


def _escape(text: str) -> str:
    """Text in which no word is taken for HTML."""
    return re.sub(r"(`[^`]*`)|<", lambda found: found[1] or "&lt;", text)


def plan_keys_page() -> str:
    """The page of all plan keys: those of every plan, those of single formats, the options of the games."""
    words = [sys.executable, "-m", "arena", "schema"]
    schema = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    definitions = schema.get("$defs", {})
    forms = _by_format(schema, definitions)
    everywhere = {
        key: value
        for key, value in forms.pop("").items()
        if not forms or key == "format" or all(form.get(key, value) == value for form in forms.values())
    }
    objects = _variants(schema, definitions) or [schema]
    needed = [key for key in everywhere if all(key in each.get("required", []) for each in objects)]
    parts = [KEYS, "## Every plan\n", *_keys(everywhere, {"required": needed}, definitions)]
    for form, keys in sorted(forms.items()):
        if own := {
            key: value for key, value in keys.items() if everywhere.get(key) != value and key != "format"
        }:
            parts += [f"\n## format: {form}\n", *_keys(own, {}, definitions)]
    for rule in schema.get("allOf", []):
        game = rule.get("if", {}).get("properties", {}).get("game", {}).get("const")
        if game:
            options = rule["then"]["properties"]["options"].get("properties", {})
            parts += [f"\n## Options of {game}\n", *_keys(options, {}, definitions)]
    return "\n".join(parts) + "\n"


def _by_format(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The keys of each format, and under "" those that stand in every plan.

    The schema is one object, a union of one object for each format, or an object with rules for formats.
    """
    variants = _variants(schema, definitions)
    forms: dict[str, dict[str, Any]] = {}
    for variant in variants:
        form = _resolve(variant["properties"].get("format", {}), definitions)
        for name in form.get("enum", [form.get("const", form.get("default"))]):
            forms[str(name)] = variant["properties"]
    for rule in schema.get("allOf", []):
        form = rule.get("if", {}).get("properties", {}).get("format", {})
        for name in form.get("enum", [form["const"]] if "const" in form else []):
            forms.setdefault(name, {}).update(rule.get("then", {}).get("properties", {}))
    shared = dict(schema.get("properties", {}))
    if variants:
        first, *others = (each["properties"] for each in variants)
        shared |= {key: value for key, value in first.items() if all(key in other for other in others)}
        names = sorted({name for name in forms})
        shared["format"] = {"enum": names, "default": "round-robin"} | {
            key: value for key, value in first.get("format", {}).items() if key == "description"
        }
    return {"": shared, **forms}


def _variants(schema: dict[str, Any], definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of a union; none if the schema is no union."""
    union = [_resolve(each, definitions) for each in schema.get("oneOf", schema.get("anyOf", []))]
    return [each for each in union if "properties" in each]


def _resolve(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema without a reference at its top."""
    while "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = definitions[schema["$ref"].rpartition("/")[2]] | rest
    return schema


def _keys(
    keys: dict[str, Any], above: dict[str, Any], definitions: dict[str, Any], indent: str = ""
) -> Iterator[str]:
    """A line for each key, and below it the keys inside of it."""
    needed = above.get("required", [])
    for name, value in sorted(keys.items(), key=lambda item: (item[0] not in needed, item[0])):
        given = _resolve(value, definitions)
        words = [_kind(given, definitions), "required" if name in needed else ""]
        if given.get("default", "") != "":
            words.append(f"default `{_literal(given['default'])}`")
        about = " ".join(_escape(given.get("description", "")).split())
        about = about and about[0].upper() + about[1:].rstrip(".") + "."
        yield f"{indent}- `{name}` ({', '.join(filter(None, words))}). {about}".rstrip()
        objects = {json.dumps(inside): inside for inside in _objects(given, definitions)}
        for inside in objects.values():  # one, or a list of such, has the same keys
            yield from _keys(inside["properties"], inside, definitions, indent + "    ")


def _kind(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """What a value may be, in words."""
    schema = _resolve(schema, definitions)
    if alternatives := schema.get("anyOf", schema.get("oneOf")):
        return " or ".join(dict.fromkeys(_kind(each, definitions) for each in alternatives))
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        *most, last = (f"`{_literal(each)}`" for each in values)
        return f"{', '.join(most)} or {last}" if most else last
    if "examples" in schema:
        return "such as " + ", ".join(f"`{_literal(each)}`" for each in schema["examples"])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_plural(_kind(schema.get('items', {}), definitions))}"
    if kind == "object":
        return "keys and values" if "properties" in schema else "names and values"
    return {"string": "text", "boolean": "`true` or `false`", None: "any value"}.get(kind, kind) + _range(
        schema
    )


def _plural(kind: str) -> str:
    """The plural of what `_kind` says."""
    return re.sub(r"^(integer|number|text)\b", r"\1s", kind)


def _range(schema: dict[str, Any]) -> str:
    """The bounds of a number, as ` from 1 to 10`."""
    words = {"exclusiveMinimum": "above", "minimum": "from", "maximum": "to", "exclusiveMaximum": "below"}
    return "".join(f" {word} {schema[key]:,.10g}" for key, word in words.items() if key in schema)


def _literal(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _objects(schema: dict[str, Any], definitions: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects with keys of their own that a value may be or contain."""
    schema = _resolve(schema, definitions)
    if "properties" in schema:
        yield schema
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _objects(schema[key], definitions)
    for each in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        yield from _objects(each, definitions)


def tables_page() -> str:
    """The page of the columns of all tables, and of the flags."""
    return "\n".join([COLUMNS, *map(_escape, columns_page())]) + "\n"


PAGES = {"columns.md": tables_page, "commands.md": commands_page, "plan-keys.md": plan_keys_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
