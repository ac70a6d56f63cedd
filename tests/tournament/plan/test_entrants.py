"""The bots of a plan: by name, by path, by glob, and from included files."""

import os
import shutil
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.config.document import ConfigError
from arena.programs.reading import bot_from_command, read_bot
from arena.tournament.plan.load import load_plan

GAME = "game: complots\n"


@pytest.fixture
def place(tmp_path):
    """A folder of entries: two programs, a folder with a bot, and other files."""
    entries, house = tmp_path / "entries", tmp_path / "house"
    for folder in (entries / "liar", entries / "notes", entries / ".hidden", house):
        folder.mkdir(parents=True)
    for name in ("entries/zoe.py", "entries/adam.sh", "entries/_tools.py", "house/honest.py"):
        (tmp_path / name).write_text("# a program\n")
    (entries / "README.md").write_text("no program\n")
    (entries / ".hidden" / "bot.yaml").write_text("run: [sh, bot.sh]\n")
    (entries / "liar" / "bot.yaml").write_text("name: Pinocchio\nauthor: Collodi\nrun: [sh, bot.sh]\n")
    return tmp_path


def plan_of(place, text):
    path = place / "plans" / "plan.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(GAME + text)
    return load_plan(path)


def names(place, text):
    return list(plan_of(place, text).bots)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bots: [../entries/*]\n", ["adam", "Pinocchio", "zoe"]),
        ("bots: [../house/honest.py, ../entries/liar]\n", ["honest", "Pinocchio"]),
        ("bots: [../entries/*.py, ../house/*]\n", ["zoe", "honest"]),
        ("bots: ['../entries/[az]*']\n", ["adam", "zoe"]),
        ("bots: [../*/*o*]\n", ["zoe", "honest"]),
        ("bots:\n- ../entries/adam.sh\n- ../entries/zoe.py\n", ["adam", "zoe"]),
    ],
)
def test_a_list_of_paths_and_globs(place, text, expected):
    assert names(place, text) == expected


def test_a_glob_with_a_whole_path(place):
    assert names(place, f"bots: ['{place}/entries/*']\n") == ["adam", "Pinocchio", "zoe"]


def test_a_file_whose_name_looks_like_a_glob(place):
    (place / "entries" / "what[1].sh").write_text("")
    with pytest.raises(ConfigError, match=r"what\[1\].sh: a name has only letters, .* bots: \[\{NAME: "):
        plan_of(place, "bots: ['../entries/what[1].sh']\n")
    assert names(place, "bots: {x: '../entries/what[1].sh', y: ../house/honest.py}\n") == ["x", "y"]


@pytest.mark.parametrize("text", ["bots: [../entries/_tools.py]\n", "bots: {_t: ../entries/_tools.py}\n"])
def test_a_name_that_begins_with_an_underscore_is_refused(place, text):
    with pytest.raises(ConfigError, match=r"plan.yaml:\d:\d: bots\b.*begins with a letter or a digit"):
        plan_of(place, text)
    assert names(place, "bots: {t: ../entries/_tools.py, y: ../house/honest.py}\n") == ["t", "y"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bots: [../entries/*, {sam: ../house/honest.py}]\n", ["adam", "Pinocchio", "zoe", "sam"]),
        ("bots: [{sam: ../entries/liar}, ../entries/*]\n", ["sam", "adam", "zoe"]),  # not twice
        ("bots: [{a: ../entries/liar, b: ../entries/liar}]\n", ["a", "b"]),
        ("bots: [{sam: {run: [sh, ../entries/adam.sh]}}, ../house/*]\n", ["sam", "honest"]),
        ("bots: [../entries/*, '!../entries/[az]*', ../house/*]\n", ["Pinocchio", "honest"]),
        ("bots: ['!../entries/none', ../entries/*]\n", ["adam", "Pinocchio", "zoe"]),
        ("bots: ['!../entries/*', ../entries/liar, ../entries/zoe.py]\n", ["Pinocchio", "zoe"]),
        ("name_from: folder\nbots: [../entries/*]\n", ["adam", "liar", "zoe"]),
        ("name_from: folder\nbots: [../entries/*, {sam: ../entries/liar}]\n", ["adam", "zoe", "sam"]),
    ],
)
def test_names_belong_to_the_organiser(place, text, expected):
    assert names(place, text) == expected


def test_what_a_list_leaves_out_is_said(place):
    plan = plan_of(place, "bots: [../entries/*, '!../entries/liar', ../house/*]\n")
    assert "../entries/liar: left out by !../entries/liar" in plan.passed_over


def test_the_author_that_a_plan_gives_counts(place):
    own, given = "liar: ../entries/liar", "liar: {path: ../entries/liar, author: Ann}"
    of_folder = plan_of(place, f"bots:\n- {own}\n- ../house/*\n").bots["liar"]
    for text in (f"bots:\n- {given}\n- ../house/*\n", f"bots: {{{given}, x: ../house/honest.py}}\n"):
        assert plan_of(place, text).bots["liar"] == replace(of_folder, author="Ann")


def copy_of_liar(place, folder, name):
    other = place / "entries" / folder
    other.mkdir()
    (other / "bot.yaml").write_text(f"name: {name}\nrun: [sh, bot.sh]\n")


def test_a_name_that_is_taken_makes_a_broken_entry(place):
    copy_of_liar(place, "aaa", "Pinocchio")  # the first of the two in the list has the name
    copy_of_liar(place, "bbb", "zoe")  # zoe.py has it by its file, although it comes later
    text = "bots:\n- ../entries/*\n"
    with pytest.raises(ConfigError, match=r"the name zoe is taken by .*; to keep both, give one a name"):
        plan_of(place, text)
    skipped = plan_of(place, f"broken: skip\n{text}")
    assert list(skipped.bots) == ["Pinocchio", "adam", "zoe"]
    assert skipped.skipped == {
        "bbb": "its name zoe is taken by ../entries/zoe.py",
        "liar": "its name Pinocchio is taken by ../entries/aaa",
    }
    every = ["Pinocchio", "adam", "bbb", "liar", "zoe"]
    assert names(place, f"broken: forfeit\n{text}") == every
    named = plan_of(place, f"broken: skip\n{text}- adam: ../house/honest.py\n")
    assert named.skipped["adam.sh"] == "its name adam is taken by a bot of the plan"
    assert names(place, f"name_from: folder\n{text}") == ["aaa", *every[1:]]


def test_a_file_among_the_entries_cannot_take_the_name_of_another_entry(place):
    (place / "entries" / "more.yaml").write_text("bots: {zoe: {path: adam.sh}}\n")
    plan = plan_of(place, "broken: skip\ninclude: ../entries/more.yaml\nbots: [../entries/*]\n")
    assert plan.bots["zoe"].files == (place / "entries" / "zoe.py",)
    assert plan.skipped == {"adam.sh": "its name zoe is taken by ../entries/zoe.py"}


def test_a_name_that_is_given_twice_is_a_mistake_of_the_plan(place):
    text = "broken: skip\nbots: [{a: ../entries/liar}, {a: ../house/honest.py}, ../entries/*]\n"
    with pytest.raises(ConfigError, match=r"bots: 1: a: the name a is taken by .*bots: 0: a"):
        plan_of(place, text)


def test_a_folder_whose_name_no_bot_can_have_is_broken(place):
    (place / "entries" / "liar").rename(place / "entries" / "team 7")
    text = "name_from: folder\nbots: [../entries/*]\n"
    with pytest.raises(ConfigError, match=r"team 7: a name has only letters.*\{NAME: ../entries/team 7\}"):
        plan_of(place, text)
    assert plan_of(place, f"broken: skip\n{text}").skipped.keys() == {"team-7"}


def test_a_bot_is_the_same_by_name_and_by_path(place):
    one = plan_of(place, "bots: [../entries/*]\n").bots
    two = plan_of(
        place, "bots: {adam: ../entries/adam.sh, Pinocchio: ../entries/liar, zoe: ../entries/zoe.py}\n"
    ).bots
    assert one == two and one["Pinocchio"].author == "Collodi"


def test_the_smallest_useful_plan_is_two_lines(place):
    plan = plan_of(place, "bots: [../entries/*]\n")
    assert plan.seats == (3,) and plan.config.groups == 10


@pytest.mark.parametrize(
    ("include", "own", "expected"),
    [
        ("../bots.yaml", "", ["adam", "honest"]),
        ("../bots.yaml", "bots: [../entries/zoe.py]\n", ["zoe", "adam", "honest"]),
        ("../bots.yaml", "bots: {zoe: ../entries/zoe.py}\n", ["zoe", "adam", "honest"]),
        ("[../bots.yaml, ../house/more.yaml]", "", ["adam", "honest", "Pinocchio", "shell"]),
    ],
)
def test_bots_of_included_files(place, include, own, expected):
    (place / "bots.yaml").write_text("bots: {adam: entries/adam.sh, honest: house/honest.py}\n")
    (place / "house" / "more.yaml").write_text(
        "bots:\n  Pinocchio: ../entries/liar\n  shell: {run: [sh, ../entries/adam.sh]}\n"
    )
    plan = plan_of(place, f"include: {include}\n{own}")
    assert list(plan.bots) == expected
    if "shell" in expected:
        assert plan.bots["shell"].folder == place / "house"


def test_a_command_may_have_an_author(place):
    run = "run: [sh, ../entries/adam.sh]"
    plan = plan_of(
        place, f"bots:\n  one: {{{run}, author: Ann}}\n  two: {{{run}}}\n  three: ../entries/liar\n"
    )
    assert [bot.author for bot in plan.bots.values()] == ["Ann", "", "Collodi"]
    assert plan.bots["one"].fingerprint == plan.bots["two"].fingerprint
    (place / "bots.yaml").write_text("bots: {four: {run: [sh, entries/adam.sh], author: Ann}}\n")
    plan = plan_of(
        place,
        "seats: 2\nteams: apart\ninclude: ../bots.yaml\n"
        f"bots:\n  one: {{{run}, author: Ann}}\n  x: ../entries/zoe.py\n",
    )
    assert plan.teams == {"one": "author Ann", "four": "author Ann", "x": "bot x"}


ECHO = b"while read -r line; do echo ok; done"
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("run", "data", "words"),
    [
        ("a.sh", b"#!/bin/sh\r\necho\r\n", "its lines end with \\r\\n, as on Windows; they should end with"),
        ("a.sh", b"#!/bin/sh\necho 1\r\necho 2\r\n", "its lines end with \\r\\n"),
        ("a.sh", b"echo 1\r\necho 2\r\n", "its lines end with \\r\\n"),
        ("a.sh", BOM + ECHO, "begins with a byte order mark (BOM)"),
        ("a.py", BOM + b"#!/usr/bin/env python3\n", "begins with a byte order mark (BOM)"),
        ("a.py", b"#!/usr/bin/env python3\r\n", "its lines end with \\r\\n"),
        ("a.py", "import sys\n".encode("utf-16"), "is UTF-16 text; it should be UTF-8"),
        ("./a", BOM + b"#!/bin/sh\n", "begins with a byte order mark (BOM)"),
        ("./a", b"#!/bin/sh\necho 1\r\necho 2\r\n", "its lines end with \\r\\n"),
        ("sh, a", BOM + ECHO, "begins with a byte order mark (BOM)"),
        ("sh, a", b"echo 1\r\necho 2\r\n", "its lines end with \\r\\n"),
        ("python3, a", "import sys\n".encode("utf-16"), "is UTF-16 text; it should be UTF-8"),
    ],
)
def test_a_script_that_its_interpreter_cannot_read_is_named(tmp_path, run, data, words):
    """As a program, or in a bot.yaml and by `run:`."""
    script = tmp_path / run.split(", ")[-1]
    script.write_bytes(data)
    script.chmod(0o755)
    if run.startswith("a."):
        with pytest.raises(ConfigError) as caught:
            read_bot(script)
        assert f"{script}: {words}" in str(caught.value)
        return
    (tmp_path / "bot.yaml").write_text(f"run: [{run}]\n")
    with pytest.raises(ConfigError) as caught:
        read_bot(tmp_path)
    assert f"bot.yaml:1:1: run: {script}: {words}" in str(caught.value)
    with pytest.raises(ConfigError):
        bot_from_command("a", run.split(", "), tmp_path)


@pytest.mark.parametrize("first", [BOM + b"#!/bin/sh\r\n", b"#!/no/such/interpreter\n", b"#!/bin/sh\r\n"])
def test_the_first_line_of_a_script_does_not_count_if_the_command_names_the_interpreter(tmp_path, first):
    (tmp_path / "a.py").write_bytes(first + b"print(1)\r\n")
    (tmp_path / "bot.yaml").write_text("run: [python3, a.py]\n")
    assert read_bot(tmp_path, name="a").command[1:] == ("a.py",)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.py", b"\xef\xbb\xbfimport sys\r\nprint(1)\r\n"),  # Python reads both
        ("a.js", b"console.log(1)\r\n"),
        ("a.sh", b"#!/bin/sh\necho 1\nexit\n\0\r\n"),  # an archive that unpacks itself
    ],
)
def test_a_script_that_its_interpreter_can_read_is_a_bot(tmp_path, name, data):
    if name == "a.js" and not shutil.which("node"):
        pytest.skip("no Node")
    (tmp_path / name).write_bytes(data)
    assert read_bot(tmp_path / name).name == "a"


# The lines after `game: complots` of plans/plan.yaml, and a part of the error message.
MISTAKES = [
    ("bots: [../entrys/*]\n", "plan.yaml:2:8: bots: 0: ../entrys/*: there is no bot; a bot is a program"),
    ("bots:\n- ../entries/*\n- ../entries/*.md\n", "plan.yaml:4:3: bots: 1: ../entries/*.md: there is no"),
    ("bots: [../entries/none.py]\n", "entries/none.py: no such bot"),
    ("bots: [../entries/notes]\n", "notes/bot.yaml: no such file"),
    (
        "bots:\n- ../entries/*\n- ../*/adam.sh\n",
        "plan.yaml:4:3: bots: 1: ../entries/adam.sh: the name adam is taken by "
        "{plan}:3:3: bots: 0: ../entries/adam.sh",
    ),
    ("bots: {all: ../entries/*}\n", "a name is for one program; globs go into a list, bots: [../entries/*]"),
    ("bots:\n  a: {author: Ann}\n", "plan.yaml:3:3: bots: a: run: is missing"),
    ("bots:\n  a: {run: [sh], author: [Ann]}\n", "plan.yaml:3:18: bots: a: author: should be text"),
    ("bots:\n  a: {run: [sh], auhtor: Ann}\n", "bots: a: auhtor: unknown key; did you mean author?"),
    ("include: none.yaml\n", "plan.yaml:2:1: include: {folder}/none.yaml: no such file"),
    ("include: 3\n", "plan.yaml:2:1: include: {folder}/3: no such file"),
    ("include: true\n", "plan.yaml:2:1: include: should be text or a list, not true"),
    ("include: [one.yaml, one.yaml]\n", "one.yaml:1:8: bots: adam: the name adam is taken by {folder}/one"),
    (
        "bots:\n  zoe: ../entries/zoe.py\n  adam: ../entries/zoe.py\ninclude: one.yaml\n",
        "one.yaml:1:8: bots: adam: the name adam is taken by {plan}:4:3: bots: adam",
    ),
    ("include: wrong.yaml\n", "{folder}/wrong.yaml:2:1: game: unknown key"),
    ("include: folder.yaml\n", "{folder}/folder.yaml:1:1: bots: a folder needs format: ladder"),
    ("include: nested.yaml\n", "{folder}/nested.yaml:1:1: include: unknown key"),
    ("include: plan.yaml\n", "{plan}:2:1: include: plan.yaml: is this plan; it should be another file"),
    ("bots: ../entries/*\n", "should be names with programs, or a list, bots: [../entries/*]"),
    ("bots:\n- a: {run: [sh], path: x}\n", "plan.yaml:3:3: bots: 0: a: has run: and path:"),
    ("bots:\n- a: {author: Ann}\n", "bots: 0: a: run: is missing"),
    ("bots:\n- a: {remote: true, run: [sh]}\n", "bots: 0: a: run: does not apply to a bot with remote: true"),
    ("bots:\n- a: {remote: true, files: [x]}\n", "bots: 0: a: files: does not apply to a bot with remote"),
    ("bots:\n- a: {path: ../entries/liar, files: [x]}\n", "bots: 0: a: files: needs run:"),
    ("bots: ['!../entries/*']\n", "0 bots are too few"),
    (f"bots: [{{{'a' * 40}: ../entries/liar}}]\n", "a name has at most 32 characters, not 40"),
    ("name_from: author\nbots: []\n", "name_from: should be 'bot.yaml' or 'folder', not 'author'"),
    ("include: []\n", "0 bots are too few"),
    ("bots: []\n", "0 bots are too few"),
    ("bots: ../entries\nformat: ladder\nseats: 2\ninclude: one.yaml\n", "include: does not apply to a"),
    ("bots: [../entries/*]\nformat: ladder\nseats: 2\n", ":2:1: bots: should be a folder for a ladder"),
]  # fmt: skip


def test_a_remote_bot_has_a_name_and_perhaps_an_author_and_only_a_server_plays_with_it(place):
    plan = plan_of(place, "bots:\n  ann: {remote: true, author: Ann}\n  bob: {remote: true}\n")
    assert plan.remote == ["ann", "bob"] and plan.bots["ann"].author == "Ann"
    assert plan.identity()["bots"] == {"ann": "remote", "bob": "remote"}
    done = CliRunner().invoke(main, ["run", str(place / "plans/plan.yaml")])
    assert done.exit_code == 2 and "(ann and bob), which connect to a server; use arena serve" in done.stderr


@pytest.mark.parametrize(("text", "words"), MISTAKES, ids=[words[:40] for _, words in MISTAKES])
def test_mistakes(place, text, words):
    folder = place / "plans"
    folder.mkdir()
    (folder / "one.yaml").write_text("bots: {adam: ../entries/adam.sh}\n")
    (folder / "wrong.yaml").write_text("bots: {}\ngame: complots\n")
    (folder / "folder.yaml").write_text("bots: ../entries\n")
    (folder / "nested.yaml").write_text("include: one.yaml\nbots: {}\n")
    with pytest.raises(ConfigError) as caught:
        plan_of(place, text)
    assert words.format(plan=folder / "plan.yaml", folder=folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "root:canary:20228:0:99999:7:::\n",  # /etc/shadow is keys and values, for YAML
        "*canary: x\n",
        "%canary 1\n---\n",
        "canary: 'x\n",
        "canary: x: y\n",
        '"\\canary"\n',
        "!<canary> x\n",
        "canary: 2024-99-99\n",
        "on: canary\n",
        "canary: 1\ncanary: 2\n",
        "- canary\n",
        "canary\n",
        "{canary: [}\n",
        "<<: canary\n",
    ],
)
def test_a_file_that_is_no_list_of_bots_is_not_quoted(place, text):
    """A plan from a stranger may include any private file of its reader."""
    (place / "private").write_text(text)
    with pytest.raises(ConfigError, match="include: ") as caught:
        plan_of(place, "include: ../private\n")
    assert "canary" not in str(caught.value) and "private" in str(caught.value)


# Limits of entries, which are read outside of the sandbox, before any of their programs runs


def aliases(entry):
    """Nine lines whose aliases expand to nine to the tenth values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    (entry / "bot.yaml").write_text("\n".join([*lines, "run: [sh, bot.sh]"]))


def merges(entry):
    lines = ["a0: &a0 {}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 10)]
    (entry / "bot.yaml").write_text("\n".join([*lines, "run: [sh, bot.sh]"]))


def itself(entry):
    (entry / "bot.yaml").write_text("run: &all [sh, *all]\n")


def brackets(entry):
    (entry / "bot.yaml").write_text("run: " + "[" * 30_000)


def a_million_items(entry):
    (entry / "bot.yaml").write_text(f"run: [{', '.join(['x'] * 1_000_000)}]")


def endless(entry):
    (entry / "bot.yaml").unlink()
    (entry / "bot.yaml").symlink_to("/dev/zero")


def a_pipe(entry):
    (entry / "bot.yaml").unlink()
    os.mkfifo(entry / "bot.yaml")


def a_sparse_file(entry):
    with open(entry / "data", "wb") as file:
        file.truncate(60 * 2**30)


def two_that_are_large_together(entry):
    for name in "ab":
        with open(entry / name, "wb") as file:
            file.truncate(600 * 2**20)


def many_files(entry):
    for number in range(10_001):
        (entry / f"{number}").touch()


def many_folders(entry):
    for number in range(10_001):
        (entry / f"{number}").mkdir()


def deep_folders(entry):
    os.makedirs(entry.joinpath(*["d"] * 60))


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (aliases, r"bot.yaml:\d+:\d+: more than 100000 values, aliases written out"),
        (merges, r"bot.yaml:\d+:\d+: more than 100000 values, aliases written out"),
        (itself, "bot.yaml: lists and keys are nested too deeply"),
        (brackets, "bot.yaml: lists and keys are nested too deeply"),
        (a_million_items, "bot.yaml: longer than 64 KB"),
        (endless, "bot.yaml: cannot be read: not a regular file"),
        (a_pipe, "bot.yaml: cannot be read: not a regular file"),
        (a_sparse_file, "liar: has more than 1 GB of files"),
        (two_that_are_large_together, "liar: has more than 1 GB of files"),
        (many_files, "liar: has more than 10000 files and folders"),
        pytest.param(many_folders, "liar: has more than 10000 files and folders", marks=pytest.mark.slow),
        (deep_folders, "liar: has folders that are more than 50 deep"),
    ],
)
def test_an_entry_that_would_cost_the_arena_too_much_is_refused(place, fill, words):
    fill(place / "entries" / "liar")
    before = time.process_time()
    with pytest.raises(ConfigError, match=words):
        plan_of(place, "bots: [../entries/liar]\n")
    assert time.process_time() - before < 10, "bounded, also on a slow machine"


def test_a_program_of_60_gb_is_refused(place):
    a_sparse_file(place / "house")
    (place / "house" / "data").chmod(0o755)
    with pytest.raises(ConfigError, match="data: has more than 1 GB of files"):
        plan_of(place, "bots: {x: ../house/data}\n")


@pytest.mark.slow
@pytest.mark.parametrize("fill", [a_sparse_file, many_files, deep_folders])
def test_what_a_build_makes_is_its_own_affair(place, fill):
    with (place / "entries" / "liar" / "bot.yaml").open("a") as manifest:
        manifest.write("build: [sh, make.sh]\n")
    (place / "entries" / "liar" / "build").mkdir()
    fill(place / "entries" / "liar" / "build")
    assert names(place, "bots: [../entries/liar, ../house/*]\n") == ["Pinocchio", "honest"]


def test_a_link_that_leads_out_of_an_entry_is_not_followed(place):
    """It is neither read, since it may be large, nor taken for a part of the bot."""
    entry, rival = place / "entries" / "liar", place / "house" / "honest.py"

    def made() -> str:
        return plan_of(place, "bots: [../entries/liar, ../entries/adam.sh]\n").bots["Pinocchio"].fingerprint

    before = made()
    for name, target in (("system", "/usr"), ("zero", "/dev/zero"), ("rival", rival)):
        (entry / name).symlink_to(target)
    first = made()
    rival.write_text("# changed\n")
    assert before != first == made()


def test_a_bot_has_a_version_for_people(tmp_path):
    """A number is taken as it is written, such as 1.10, which YAML reads as 1.1."""
    folder = tmp_path / "mybot"
    folder.mkdir()
    (folder / "bot.py").write_text("")
    for written in ("2", "1.10", "'1.10'", "007", "1e3", "2026-01-01"):
        (folder / "bot.yaml").write_text(f"author: Ann\nversion: {written}\nrun: [python3, bot.py]\n")
        assert read_bot(folder).title == f"mybot {written.strip(chr(39))} by Ann"


AMONG = ["entries/more.yaml", "entries/notes/more.yaml", "entries/liar/more.yaml", "plans/link.yaml"]


@pytest.mark.attack("read files of the user or other bots")
@pytest.mark.parametrize("file", AMONG)
@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("run: ['{private}/bin/tool']", "belongs neither to the bot nor to the system; share it by"),
        ("run: [sh, ok.txt], files: ['{private}']", "is not in the folder of the bot; share it by the plan"),
        ("run: [sh, ok.txt, '{private}/secret', '{rival}', link]", ""),
    ],
)
def test_an_included_file_among_the_entries_grants_nothing_outside(place, file, bot, why):
    """It could be the work of a stranger, as a bot.yaml is."""
    private, rival = place / "private", place / "house" / "honest.py"
    (private / "bin").mkdir(parents=True)
    (private / "secret").write_text("42")
    shutil.copy(shutil.which("true"), private / "bin" / "tool")
    written = place / ("entries/notes/more.yaml" if "link" in file else file)
    written.write_text(f"bots: {{x: {{{bot.format(private=private, rival=rival)}}}}}\n")
    (written.parent / "ok.txt").write_text("")
    (written.parent / "link").symlink_to(private / "secret")
    (place / "plans").mkdir()
    (place / "plans" / "link.yaml").symlink_to(written)
    text = f"include: ../{file}\nbots: [../entries/*, ../house/*]\n"
    if why:
        with pytest.raises(ConfigError, match=rf"(more|link)\.yaml:1:.*{why}"):
            plan_of(place, text)
    else:
        assert plan_of(place, text).bots["x"].files == (written.parent / "ok.txt",)


def test_an_included_file_among_the_entries_shows_none_of_them(place):
    (place / "entries" / "more.yaml").write_text("bots: {x: {run: [sh, adam.sh], files: [liar/bot.yaml]}}\n")
    with pytest.raises(ConfigError, match=r"more\.yaml:1:.*is shared, but also the bot adam"):
        plan_of(place, "include: ../entries/more.yaml\nbots: [../entries/*]\n")
    (place / "entries" / "more.yaml").write_text("bots: {x: {run: [sh, x.sh], files: [liar/bot.yaml]}}\n")
    (place / "entries" / "x.sh").write_text("")
    with pytest.raises(ConfigError, match=r"more\.yaml:1:.*contains, or is in, the files of Pinocchio"):
        plan_of(place, "include: ../entries/more.yaml\nbots: [../entries/liar]\n")


@pytest.mark.parametrize("file", ["more.yaml", "house/more.yaml", "plans/more.yaml"])
def test_an_included_file_elsewhere_is_the_organisers(place, file):
    (place / "secret").write_text("42")
    (place / "plans").mkdir()
    (place / file).write_text(f"bots: {{x: {{run: [sh, '{place}/secret']}}}}\n")
    plan = plan_of(place, f"include: ../{file}\nbots: [../entries/*]\n")
    assert plan.bots["x"].files == (place / "secret",)
