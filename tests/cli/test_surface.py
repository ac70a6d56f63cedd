"""The commands and options as a whole: few, in groups, and each option means the same everywhere."""

from collections import defaultdict

import click
import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, GROUPS, main

CONTEXT = click.Context(main, info_name="arena")
FOUND = {name: main.get_command(CONTEXT, name) for name in COMMANDS}
PARTS = [
    (name, part)
    for name, command in FOUND.items()
    for part in (command.commands.values() if isinstance(command, click.Group) else [command])
]
OPTIONS = [
    (name, option) for name, part in PARTS for option in part.params if isinstance(option, click.Option)
]
MOST = 100
WITHOUT_FORMAT = ("backup", "connect", "contest", "exclude", "explain", "report", "schema", "serve")
OF_ONE_COMMAND = {  # options of one spelling that count or name other things, as their help says
    "--games": "check-game bench report",
    "--game": "check new",
    "--out": "report",
    "--seat": "rehearse",
    "--seats": "table",
    "--only": "bench list",
    "--format": "replay",
}


def test_there_are_few_options():
    assert len(OPTIONS) <= MOST, "let an argument, a view or a plan key do it, or remove another option"


def test_each_command_is_in_one_group_and_says_what_the_group_says():
    assert len(set(COMMANDS)) == len(COMMANDS)
    for group in GROUPS.values():
        for name, told in group.items():
            assert " ".join(FOUND[name].help.split("\n\n")[0].split()) == told, name
    assert all(option.help for _, option in OPTIONS), "every option has a help text"


def test_an_option_means_the_same_in_each_command():
    texts, kinds = defaultdict(set), defaultdict(set)
    for name, option in OPTIONS:
        for spelling in option.opts:
            if name not in OF_ONE_COMMAND.get(spelling, "").split():
                text = option.help.partition("  [")[0].rstrip(".")
                texts[spelling].add(text.partition(", ")[0])
                kinds[spelling].add((option.is_flag, option.multiple, option.nargs))
    assert {spelling: found for spelling, found in texts.items() if len(found) > 1} == {}
    assert {spelling: found for spelling, found in kinds.items() if len(found) > 1} == {}


def test_commands_that_print_results_have_a_format_for_programs():
    for name, command in FOUND.items():
        forms = {each for option in command.params if option.name == "form" for each in option.type.choices}
        has_format = bool(forms & {"json", "jsonl"})
        advice = "a command that prints results has @FORMAT; others are in WITHOUT_FORMAT"
        assert has_format == (name not in WITHOUT_FORMAT), f"{name}: {advice}"


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_a_terminal(name):
    said = CliRunner().invoke(main, [*name.split(), "--help"], terminal_width=80).output
    assert said.startswith(f"Usage: {f'arena {name}'.strip()} ") and "..." not in said.partition("\n")[2]
    assert all(len(line) <= 80 for line in said.splitlines())
