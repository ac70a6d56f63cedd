"""Plans: valid ones are read; problems get one message with file, line and key."""

import pytest

from arena.config.document import ConfigError, Document
from arena.config.values import seconds, size_of
from arena.programs.reading import read_bot
from arena.referee.conditions import Conditions, Limits, TimeControl
from arena.tournament.formats.config import RunConfig
from arena.tournament.plan.load import load_plan


def test_the_smallest_plan(plan_file):
    plan = load_plan(plan_file("", bots=2))
    assert plan.name == "plan"
    assert plan.seats == (2,)
    assert plan.options["cast"] == "ambassador"
    assert (plan.format.name, plan.config.groups, plan.seed) == ("round-robin", 10, None)
    assert plan.conditions == Conditions(
        clock=TimeControl(move=1, bank=0, start=10), strikes=3, limits=Limits()
    )
    assert plan.run == RunConfig(reuse=True, sandbox="auto", require="limits")


def test_all_keys(plan_file):
    plan = load_plan(
        plan_file(
            "seats: [2, 3]\n"
            "options: {cast: inquisitor, treasury: unlimited, starter: p2, steal_from_dead: true}\n"
            "format: round-robin\ngroups: 3\nlineups: 7\nseed: 2026\n"
            "clock: {move: 250ms, bank: 1.5m, start: 5s, game: 2m}\nstrikes: 1\n"
            "reuse: false\nnames: true\nponder: false\n"
            "rating: {anchor: {bot: bot0, elo: 1000}}\nsandbox: limits\nrequire: limits\n"
            "limits: {memory: 1G, processes: 8, cpu: 2m, disk: 1.5M, output: 2048K}\n"
        )
    )
    assert plan.seats == (2, 3)
    assert plan.options["treasury"] == "unlimited" and plan.options["starter"] == "p2"
    assert plan.conditions == Conditions(
        clock=TimeControl(move=0.25, bank=90, start=5, game=120),
        strikes=1,
        names=True,
        ponder=False,
        limits=Limits(2**30, 8, 120, 3 * 2**19, 2**21),
    )
    assert plan.run.rating.anchor.elo == 1000
    assert (plan.seed, plan.config.lineups, plan.run.reuse) == ("2026", 7, False)


# The lines after `game: complots` (line 1), the line of the error, and a part of its message.
MISTAKES = [
    ("gruops: 3\n", 2, "gruops: unknown key; did you mean groups?"),
    ("groups: three\n", 2, "groups: should be a whole number, not 'three'"),
    ("groups: 0\n", 2, "groups: should be at least 1"),
    ("groups: 2\ngroups: 3\n", 3, "groups: the key is repeated"),
    ('seed: "\\ud800"\n', 2, "seed: has half of a character"),
    ('"\\udfff": 3\n', 2, "has half of a character"),
    ("reuse: no\n", 2, "reuse: should be true or false, not 'no'"),
    ("options: {steal_from_dead: yes}\n", 2, "steal_from_dead: should be true or false, not 'yes'"),
    ("options: {casst: ambassador}\n", 2, "casst: unknown option of complots; did you mean cast?"),
    ("options: {cast: ambasador}\n", 2, "cast: should be ambassador or inquisitor, not 'ambasador'"),
    ("options:\n  cast: ambassador\n  max_turns: 0\n", 4, "max_turns: should be a whole number from 1, not"),
    ("options: {captain_min_target: true}\n", 2, "should be 0 or 1, not true"),
    ("options: {starter: p3}\nseats: 2\n", 2, "starter: 'p3' does not fit a table of 2"),
    ("options: {starter: winner}\n", 2, "starter: winner needs format: series"),
    ("seats: 9\n", 2, "seats: complots has 2 to 8 seats, not 9"),
    ("seats: 4\n", 2, "3 bots are too few for 4 seats"),
    ("seats: [2, 2]\n", 2, "seats: should be a number of seats, or several different ones"),
    ("seats: [2, '3']\n", 2, "seats"),
    ("format: roundrobin\n", 2, "format: should be 'adaptive', 'gauntlet'"),
    ("format: series\nseats: 2\n", 2, "a series is played at one table: 3 bots need seats: 3"),
    ("clock: {move: 1}\n", 2, "clock: move: should be a time such as 500ms, 1s or 2m, not 1"),
    ("clock: {move: 0s}\n", 2, "clock: move"),
    ("clock: {start: 99999999999999m}\n", 2, "clock: start: should be from 1ms to 10080m, not 999"),
    ("clock: 1s\n", 2, "clock: should be keys and values, not '1s'"),
    ("ponder: 1\n", 2, "ponder: should be true or false, not 1"),
    ("ponder:\n", 2, "ponder: should be true or false, not nothing"),
    ("clock: {mvoe: 1s}\n", 2, "clock: mvoe: unknown key; did you mean move?"),
    ("rating: {anchor: {bot: bot7, elo: 1000}}\n", 2, "no bot 'bot7'; did you mean bot2?"),
    ("rating: {anchor: {bot: bot0}}\n", 2, "rating: anchor: elo: is missing"),
    ("strikes: 1.5\n", 2, "strikes: should be a whole number, not 1.5"),
    ("strikes: true\n", 2, "strikes: should be a whole number, not true"),
    ("deals: own\n", 2, "deals: should be 'per-group' or 'per-game', not 'own'"),
    ("deals:\n", 2, "deals: should be 'per-group' or 'per-game', not nothing"),
    ("deal: per-game\n", 2, "deal: unknown key; did you mean deals?"),
    ("seed: [1]\n", 2, "seed: should be a whole number or text, not a list"),
    ("limits: {memory: 256}\n", 2, "limits: memory: should be a size such as 512K, 256M or 1G, not 256"),
    ("limits: {memory: 256MB}\n", 2, "limits: memory: should be a size"),
    ("limits: {memory: 1M}\n", 2, "limits: memory: should be from 16M to 1024G, not 1M"),
    ("limits: {memory: 999999999999999999999999999999G}\n", 2, "limits: memory: should be from 16M to 1024G"),
    ("limits: {disk: 1K}\n", 2, "limits: disk: should be from 1M to 1024G, not 1K"),
    ("limits: {cpu: 1ms}\n", 2, "limits: cpu: should be from 1s to 10080m, not 1ms"),
    ("limits: 256M\n", 2, "limits: should be keys and values, not '256M'"),
    ("limits: {processes: 0}\n", 2, "limits: processes: should be at least 1"),
    ("limits: {cpu: 10}\n", 2, "limits: cpu: should be a time"),
    ("limits: {disc: 1M}\n", 2, "limits: disc: unknown key; did you mean disk?"),
    ("sandbox: docker\n", 2, "sandbox: should be 'auto', 'limits' or 'bubblewrap'"),
    ("require: strong\n", 2, "require: should be 'limits' or 'bubblewrap'"),
    ("sandbox: limits\nrequire: bubblewrap\n", 3, "require: should not be more than sandbox: limits"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "line", "words"), MISTAKES, ids=[words[:40] for _, _, words in MISTAKES])
def test_mistakes_are_named_with_file_line_and_key(plan_file, lines, line, words):
    path = plan_file(lines)
    with pytest.raises(ConfigError) as caught:
        load_plan(path)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    if "too few" not in words:  # that one is about the bots
        assert message.startswith(f"{path}:{line}:")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("groups: 0\n", ":2:1: groups: should be at least 1, not 0"),
        ("groups: 999999999999999999999\n", ":2:1: groups: should be at most 10000000, not 9999999999999999"),
        ("limits: {processes: 1000000}\n", ":2:10: limits: processes: should be at most 100000, not 1000000"),
        ("rating: {prior: -1}\n", ":2:10: rating: prior: should be at least 0, not -1"),
        ("rating: {prior: 1, confidence: 95}\n", ":2:20: rating: confidence: should be less than 1, not 95"),
        ("rating: {average: .inf}\n", ":2:10: rating: average: should be a finite number, not inf"),
        ("rating:\n  anchor:\n    {bot: bot0, elo: 1, e: 1}\n", ":4:25: rating: anchor: e: unknown key"),
        ("format: robin\n", "'series' or 'swiss', not 'robin'; did you mean round-robin?"),
        ("format: [swiss]\n", "'series' or 'swiss', not a list"),
        ("seats: [2, {]\n", ":2:13: not YAML: "),
        ("format: swiss\nseats: 2\nrounds: 4\n", ":4:1: rounds: should be at most 3, the number of bots"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_line_its_column_and_the_value(plan_file, lines, message):
    with pytest.raises(ConfigError) as caught:
        load_plan(plan_file(lines))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "game: is missing"),
        ("game: complots\n", "bots: is missing"),
        ("seats: 3\ngamme: complots\nbots: {}\n", ":2:1: gamme: unknown key; did you mean game?"),
        ("seats: x\ngroups: 3\nbots: {}\n", "seats: "),
        ("game: complot\nbots: {}\n", "no game 'complot'; did you mean complots?"),
        ("- a\n- b\n", ":1:1: should be keys and values"),
        ("game: [\n", "not YAML"),
        ("game: 'complots\nbots: {}\n", "not YAML"),
        ("game: complots\nbots: {a: missing.py, b: missing.py}\n", "bots: a: "),
        ("game: complots\nbots: {a b: x.py}\n", "a name has only letters"),
        ("game: complots\nbots: {a: {run: []}}\n", "bots: a: run"),
        (
            "game: complots\nbots: {a: {run: [no-such-program]}}\n",
            "no-such-program: not found on this machine",
        ),
        ("game: complots\nbots: {a: {rnu: [x]}}\n", "bots: a: rnu: unknown key; did you mean run?"),
        ("game: complots\nbots: {a: {}}\n", "bots: a: run: is missing"),
        ("game: complots\nbots: [a.py]\n", ":2:8: bots: 0: "),
        ("game: complots\nbots: 3\n", "bots: should be names with programs, or a list of programs"),
        ("game: complots\nbots:\n", ":2:1: bots: should be names with programs, or a list of programs"),
        ("game: complots\nbots: [3, a.py]\n", "bots: 0: {folder}/3: no such bot"),
        ("game: 2026-11-24\nbots: {}\n", "game: no game '2026-11-24'; known are"),
        ("game: complots\nbots: bots\n", "a folder needs format: ladder"),
        ("? [a, b]\n: 1\n", "a key should be one word"),
        ("game: complots\nbots: *nobody\n", "not YAML"),
        ("game: !!python/object:os.system x\n", "game"),
    ],
)
def test_broken_plans(tmp_path, text, words):
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_plan(path)
    assert words.replace("{folder}", str(tmp_path)) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bots_may_have_any_numbers_and_words_of_yaml_as_names(tmp_path):
    names = ["007", "7", "1.0", "1", "1e3", "yes", "off", "null", "true", "0x1F", "1_000", "2026-01-01"]
    plain = [name for name in names if name not in ("null", "true")]
    for name in names:
        (tmp_path / name).mkdir()
        author = name if name in plain else "Ann"
        text = f"name: '{name}'\nauthor: {author}\nrun: [sh, bot.sh, 010]\n"
        (tmp_path / name / "bot.yaml").write_text(text)
    path = tmp_path / "plan.yaml"
    by_name = ", ".join(f"{name}: ./{name}" for name in names)
    for bots in f"{{{by_name}}}", f"[{', '.join(plain)}, ./null, ./true]", f"[{{{by_name}}}]":
        path.write_text(f"game: complots\nbots: {bots}\nrating: {{anchor: {{bot: 1.0, elo: 1500}}}}\n")
        plan = load_plan(path)
        assert sorted(plan.bots) == sorted(names)
        assert plan.run.rating.anchor.bot == "1.0"
        assert {name: plan.bots[name].author for name in plain} == {name: name for name in plain}
        assert {bot.command[-1] for bot in plan.bots.values()} == {"010"}


def test_no_such_plan(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_plan(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_plan(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"game: \xe9\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_plan(tmp_path / "latin.yaml")


def test_an_anchor_and_its_alias(tmp_path, first_bot):
    path = tmp_path / "plan.yaml"
    path.write_text(f"game: complots\nbots: {{a: &bot {first_bot}, b: *bot}}\n")
    assert load_plan(path).bots["b"].command == load_plan(path).bots["a"].command


def test_keys_merged_from_a_base(tmp_path, first_bot):
    path = tmp_path / "plan.yaml"
    path.write_text(
        "game: complots\n"
        "clock: &base {bank: 2s, move: 3s}\n"
        "options:\n"
        "  max_turns: 7\n"
        "bots:\n"
        "  a: &a\n"
        f"    run: [sh, {first_bot}]\n"
        "  b: {<<: *a}\n"
        f"  c: {{run: [sh, {first_bot}, -x], <<: [*a, *base]}}\n"
    )
    with pytest.raises(ConfigError, match=r"plan.yaml:2:15: bots: c: bank: unknown key"):
        load_plan(path)
    path.write_text(path.read_text().replace("[*a, *base]", "*a"))
    bots = load_plan(path).bots
    assert bots["a"].command == bots["b"].command and bots["c"].command[-1] == "-x"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        # a key of the mapping has its own place, before and after the base; the first of two bases wins
        ("a: &a {x: 1}\nb:\n  x: 2\n  <<: *a\n", "3:3", {"x": 2}),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n", "4:3", {"x": 2}),
        ("a: &a {x: 1}\nc: &c {x: 3, y: 4}\nb: {<<: [*a, *c]}\n", "1:8", {"x": 1, "y": 4}),
        ("a: &a {x: 1}\nc: &c {x: 3, y: 4}\nb: {<<: [*c, *a]}\n", "2:8", {"x": 3, "y": 4}),
        ("a: &a\n  x: 1\nc: &c {<<: *a}\nb: {<<: *c}\n", "2:3", {"x": 1}),
        ("b: {'<<': 1, x: 2}\n", "1:14", {"<<": "1", "x": 2}),
    ],
)
def test_the_place_of_a_merged_key_is_where_it_was_written(tmp_path, text, place, words):
    path = tmp_path / "any.yaml"
    path.write_text(text)
    document = Document(path)
    assert {key: type(words[key])(value) for key, value in document.data["b"].items()} == words
    assert document.where(("b", "x")) == f"{path}:{place}: b: x"


@pytest.mark.parametrize("text", ["a: &a 1\nb: {<<: *a}\n", "a: &a [1]\nb: {<<: *a}\n"])
def test_only_keys_can_be_merged(tmp_path, text):
    path = tmp_path / "any.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="<<: should name keys and values"):
        Document(path)


def test_bots_as_file_command_and_folder(tmp_path, first_bot):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "bot.yaml").write_text("name: other\nauthor: somebody\nrun: [sh, bot.sh]\n")
    (folder / "bot.sh").write_text(first_bot.read_text())
    path = tmp_path / "plan.yaml"
    path.write_text("game: complots\nbots:\n  a: first.sh\n  b: {run: [sh, first.sh]}\n  c: folder\n")
    bots = load_plan(path).bots
    assert bots["c"].name == "c" and bots["c"].author == "somebody" and bots["c"].folder == folder
    assert len({bot.fingerprint for bot in bots.values()}) == 3


def test_what_a_folder_links_to_is_not_read(tmp_path):
    """Some files are endless, and reading others blocks (`/proc/kmsg`)."""
    (tmp_path / "bot.yaml").write_text("run: [sh, bot.sh]\n")
    (tmp_path / "bot.sh").write_text("exit")
    prints = []
    for target in ("/proc/kmsg", "/proc/uptime", "/proc/uptime"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(target)
        prints.append(read_bot(tmp_path, name="a").fingerprint)
    assert prints[0] != prints[1] == prints[2]


def test_a_fingerprint_tells_what_a_bot_is_made_of_and_not_where(tmp_path):
    prints = []
    for place, text, built in (("one", "a", "x"), ("two", "a", "y"), ("three", "b", "x")):
        folder = tmp_path / place / "bot"
        (folder / "build").mkdir(parents=True)
        (folder / "bot.yaml").write_text("build: [make]\nrun: [sh, bot.sh]\n")
        (folder / "bot.sh").write_text(text)
        (folder / "build" / "output").write_text(built)
        plan = tmp_path / place / "plan.yaml"
        plan.write_text("game: complots\nbots: {a: bot, b: bot}\n")
        prints.append(load_plan(plan).bots["a"].fingerprint)
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize(
    ("text", "value"), [("500ms", 0.5), ("1s", 1), ("1.5s", 1.5), ("2m", 120), ("0s", 0), (0, 0)]
)
def test_times(text, value):
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["1", 1, "s", "-1s", "1 s", "1h", "1e3s", None, True])
def test_times_that_are_none(text):
    with pytest.raises(ValueError, match="should be a time such as"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "value"), [("512K", 2**19), ("1M", 2**20), ("1.5G", 3 * 2**29), ("256M", 2**28)]
)
def test_sizes(text, value):
    assert size_of(text) == value


@pytest.mark.parametrize("text", ["1", 1, "M", "-1M", "1 M", "1m", "1T", "1MB", None, True])
def test_sizes_that_are_none(text):
    with pytest.raises(ValueError, match="should be a size such as"):
        size_of(text)
