"""`files:` lets bots read shared files: a plan names any, a bot.yaml only those of the plan."""

import os

import pytest
from samples import FIRST

from arena.config.document import ConfigError
from arena.programs.files import share
from arena.programs.reading import read_bot
from arena.tournament.plan.load import load_plan

PLAN = "game: complots\nbots: [entries/*]\n"
COMMAND = """
game: complots
bots:
  a: {{run: [sh, entries/one.sh], files: [{}]}}
  b: entries/bob
"""


@pytest.fixture
def place(tmp_path):
    """A plan, two entries with a bot.yaml and a program, shared files, and files of the organiser."""
    for name in ("entries/ann", "entries/bob", "shared/data", "private"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("ann", "bob"):
        (tmp_path / "entries" / name / "bot.sh").write_text(FIRST)
        manifest(tmp_path, name)
    (tmp_path / "entries" / "one.sh").write_text(FIRST)
    (tmp_path / "shared" / "adapter.py").write_text("# adapter\n")
    (tmp_path / "shared" / "data" / "book").write_text("moves\n")
    (tmp_path / "private" / "secret").write_text("42\n")
    return tmp_path


def manifest(place, name: str, more: str = "") -> None:
    (place / "entries" / name / "bot.yaml").write_text(f"run: [sh, bot.sh]\n{more}")


def bots_of(place, more: str = "", text: str = PLAN):
    (place / "plan.yaml").write_text(text + more)
    return load_plan(place / "plan.yaml").bots


def shown_to(place, bot) -> list[str]:
    """The files of a bot besides its own."""
    return [str(path.relative_to(place)) for path in bot.files[1:]]


def refusal(place, more: str = "", text: str = PLAN) -> str:
    with pytest.raises(ConfigError) as error:
        bots_of(place, more, text)
    (line,) = error.value.args
    return line


def test_all_bots_may_read_what_the_plan_shares(place):
    bots = bots_of(place, "files: [shared, private/secret]\n")
    assert all(shown_to(place, bot) == ["shared", "private/secret"] for bot in bots.values())


def test_without_shared_files_nothing_changes(place):
    before = bots_of(place)
    assert bots_of(place, "files: []\n") == before
    assert before["ann"].files == (place / "entries" / "ann",)


def test_a_bot_yaml_chooses_among_them(place):
    manifest(place, "ann", "files: [../../shared/data]\n")
    manifest(place, "bob", "files: []\n")
    bots = bots_of(place, "files: [shared]\n")
    assert {name: shown_to(place, bot) for name, bot in bots.items()} == {
        "ann": ["shared/data"], "bob": [], "one": ["shared"]
    }  # fmt: skip


def test_a_bot_yaml_may_name_its_own_files(place):
    manifest(place, "ann", "files: [bot.sh, ./]\n")
    assert bots_of(place)["ann"].files == (place / "entries" / "ann",)


def test_a_command_has_files_of_its_own(place):
    text = COMMAND.format("shared/adapter.py")
    bots = bots_of(place, text=text)
    assert shown_to(place, bots["a"]) == ["shared/adapter.py"] and shown_to(place, bots["b"]) == []


@pytest.mark.parametrize("change", ["content", "name", "more", "less"])
def test_a_changed_file_makes_another_version_of_the_bots_that_may_read_it(place, change):
    manifest(place, "ann", "files: [../../shared/data]\n")
    manifest(place, "bob", "files: [../../shared/adapter.py]\n")
    before = bots_of(place, "files: [shared]\n")
    book = place / "shared" / "data" / "book"
    match change:
        case "content":
            book.write_text("other moves\n")
        case "name":
            book.rename(book.with_name("books"))
        case "more":
            book.with_name("more").write_text("")
        case "less":
            book.unlink()
    after = bots_of(place, "files: [shared]\n")
    changed = {name for name in before if before[name].fingerprint != after[name].fingerprint}
    assert changed == {"ann", "one"}


def test_the_output_of_a_build_counts_if_it_is_shared(place):
    (place / "shared" / "build").mkdir()
    before = bots_of(place, "files: [shared]\n")["one"]
    (place / "shared" / "build" / "adapter").write_text("")
    assert bots_of(place, "files: [shared]\n")["one"].fingerprint != before.fingerprint


def test_where_shared_files_are_does_not_matter(place):
    before = bots_of(place, "files: [shared]\n")
    (place / "moved").mkdir()
    (place / "shared").rename(place / "moved" / "shared")
    after = bots_of(place, "files: [moved/shared]\n")
    assert {name: bot.fingerprint for name, bot in before.items()} == {
        name: bot.fingerprint for name, bot in after.items()
    }


@pytest.mark.parametrize(
    "wanted",
    [
        "/etc/shadow",
        "/etc/no-such-file",  # nothing is said of files that the bot may not read
        "../bob",
        "../bob/bot.sh",
        "../../private",
        "../../plan.yaml",
        "../../shared/../private/secret",
        "../..",
        "/",
        "link",  # in its own folder, to the organiser's
        "link/secret",
        "../../shared-too",  # begins like a shared folder
        "~/.ssh",
    ],
)
@pytest.mark.parametrize("shared", ["", "files: [shared]\n"])
def test_a_bot_yaml_reads_nothing_that_is_not_shared(place, wanted, shared):
    (place / "entries" / "ann" / "link").symlink_to(place / "private")
    (place / "shared-too").write_text("")
    manifest(place, "ann", f"files: ['{wanted}']\n")
    said = refusal(place, shared)
    if wanted == "~/.ssh":
        assert "No such file" in said  # a folder ~ in its own folder
    else:
        assert f"ann/bot.yaml:2:1: files: {wanted}: is not in the folder of the bot; share it" in said


def test_a_link_to_shared_files_shows_their_place(place):
    (place / "entries" / "ann" / "lib").symlink_to(place / "shared" / "data")
    manifest(place, "ann", "files: [lib]\n")
    assert shown_to(place, bots_of(place, "files: [shared]\n")["ann"]) == ["shared/data"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("[nowhere]", "plan.yaml:3:9: files: 0: "),
        ("[shared, nowhere]", "No such file or directory"),
        ("[.]", "plan.yaml:3:9: files: 0: .: contains the plan, which may have the seed of the deals"),
        ("[/]", "contains the plan"),
        ("[plan.yaml]", "contains the plan"),
        ("[entries]", "contains, or is in, the files of "),
        ("[entries/ann]", "contains, or is in, the files of ann"),
        ("[entries/ann/bot.sh]", "contains, or is in, the files of ann"),
        (
            "[entries/one.sh]",
            "is shared, but also the bot one of bots:; a glob that ends with / names only folders",
        ),
        ("[to-entries]", "contains, or is in, the files of "),
        ("[circle]", "plan.yaml:3:9: files: 0: "),
        ("shared", "files: "),
        ("[1]", "files: 0: "),
    ],
)
def test_an_organiser_shares_no_entries_and_no_plan(place, files, message):
    (place / "to-entries").symlink_to("entries")
    (place / "circle").symlink_to("circle")
    assert message in refusal(place, f"files: {files}\n")


def test_a_command_shares_no_entry_either(place):
    text = COMMAND.format("entries")
    assert "contains, or is in, the files of b" in refusal(place, text=text)


def test_a_ladder_does_not_share_its_folder(place):
    ladder = "game: complots\nformat: ladder\nseats: 2\nbots: entries\n"
    assert "contains, or is in, the files of the bots" in refusal(place, "files: [entries/ann]\n", ladder)
    (place / "plan.yaml").write_text(ladder + "files: [shared]\n")
    assert load_plan(place / "plan.yaml").files == (place / "shared",)


def test_files_for_single_games(place, refused, arena):
    manifest(place, "ann", "files: [../../shared]\n")
    ann = place / "entries" / "ann"
    assert "share it by the plan or --files" in refused("play", "complots", place / "entries" / "one.sh", ann)
    assert " ".join(arena("check", ann).stdout.split()).count("share it by the plan or --files") == 1
    done = arena("play", "complots", ann, place / "entries" / "one.sh", "--files", place / "shared")
    assert done.returncode == 0, done.stderr
    assert "nowhere: No such file" in refused("check", ann, "--files", "nowhere")


def test_a_pipe_in_a_shared_folder_is_not_read(place):
    os.mkfifo(place / "shared" / "pipe")
    (place / "shared" / "link").symlink_to("pipe")
    assert share(place / "shared").made
    assert read_bot(place / "entries" / "one.sh", [share(place / "shared")]).fingerprint
