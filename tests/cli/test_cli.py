"""The command line: what a person sees, what a machine gets, and one line for every mistake."""

import json
import re
import subprocess
import sys

import pytest
import yaml
from samples import FIRST

from arena.games import GAMES

SETUP = """\
game: complots
options: {max_turns: 1}
position:
  hands: {p1: [captain, duchess], p2: [assassin, contessa], p3: [ambassador, ambassador]}
  turn: p1
draws:
  court: [assassin]
"""

SCRIPT = """\
import sys
answers = dict(word.split("=") for word in sys.argv[1:])
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        options = words[words.index(":") + 1 :]
        wanted = answers.get(words[2], options[0])
        print(words[1], wanted if wanted in options else options[0], flush=True)
"""


@pytest.fixture
def scripted(tmp_path):
    """A bot that answers each kind of ask as its arguments say, else by the first option."""

    def make(name: str, **answers: str):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "script.py").write_text(SCRIPT)
        words = [f"{kind}={word}" for kind, word in answers.items()]
        (folder / "bot.yaml").write_text(
            yaml.safe_dump({"name": name, "run": ["python3", "script.py", *words]})
        )
        return folder

    return make


def test_play_shows_a_game_with_open_cards(arena, first_bot):
    done = arena("play", "complots", first_bot, first_bot, first_bot, "--seed", 4)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "complots: p1 first  p2 first-2  p3 first-3"
    assert "seed 4" in lines[1]
    assert any(line.startswith("turn 1 p") for line in lines)
    assert any("alone: hand" in line for line in lines)
    assert sum(line.startswith(("1. ", "2. ", "3. ")) for line in lines) == 3
    assert arena("play", "complots", first_bot, first_bot, first_bot, "--seed", 4).stdout == done.stdout


def test_exemple_1_from_a_setup_file(arena, scripted, tmp_path):
    """GC-03 with real processes: p2 challenges a true captain, loses a card, and is robbed."""
    (tmp_path / "setup.yaml").write_text(SETUP)
    bots = [
        scripted("p1", action="captain:p2"),
        scripted("p2", challenge="challenge", lose="assassin"),
        scripted("p3"),
    ]
    done = arena("play", "complots", *bots, "--setup", "setup.yaml", "--format", "json")
    assert done.returncode == 0, done.stderr
    game = json.loads(done.stdout)
    tables = [entry["text"] for entry in game["entries"] if entry["kind"] == "table"]
    assert tables[-4:] == [
        "table treasury=48 court=9 turn=1 actor=p2",
        "p1 coins=4 cards=2 hand=duchess,assassin",
        "p2 coins=0 cards=1 lost=assassin hand=contessa",
        "p3 coins=2 cards=2 hand=ambassador,ambassador",
    ]
    assert game["places"] == [1, 1, 1] and not game["faults"]


@pytest.mark.slow
def test_record_replay_and_verify(arena, first_bot):
    for seed in (1, 2):
        arena("play", "complots", first_bot, first_bot, "--seed", seed, "--record", "games.db")
    listed = arena("list", "games.db").stdout.splitlines()
    assert len(listed) == 2 and "first-2" in listed[0]
    whole = arena("replay", "games.db", "1").stdout
    assert re.sub(r"  \(\d+\.\d\d ms\)$", "", whole, flags=re.M) == (
        arena("play", "complots", first_bot, first_bot, "--seed", 1).stdout
    )
    by_id = arena("replay", "games.db", listed[0].split()[1][:6]).stdout
    assert by_id == whole
    heard = arena("replay", "games.db", "1", "--seat", "p2").stdout
    assert "< secret hand" in heard and "> " in heard
    assert all(line.startswith(("< ", "> ", "# answered after ")) for line in heard.splitlines())
    assert arena("verify", "games.db").stdout == ("commitment: none\n2 games replayed, 0 with problems\n")


def test_a_seat_hears_only_what_is_for_it(arena, first_bot):
    arena("play", "complots", first_bot, first_bot, "--seed", 1, "--record", "games.db")
    game = json.loads(arena("replay", "games.db", "--format", "json").stdout)
    secrets = [entry for entry in game["entries"] if entry["kind"] == "secret"]
    for seat in ("p1", "p2"):
        heard = arena("replay", "games.db", "--seat", seat).stdout.splitlines()
        own = [f"< secret {entry['text']}" for entry in secrets if entry["seat"] == seat]
        assert [line for line in heard if line.startswith("< secret")] == own
        assert not any(" hand=" in line and f"state {seat}" not in line for line in heard)


def test_verify_finds_a_record_that_was_tampered_with(arena, first_bot, tmp_path):
    from dataclasses import replace

    from arena.tournament.runs.store import Store
    from arena.tournament.runs.stored_game import pack

    arena("play", "complots", first_bot, first_bot, "--seed", 1, "--record", "games.db")
    with Store(tmp_path / "games.db", writer=True) as store:
        (game,) = store.summaries()
        record = store.record(game.id)
        for number, changed in enumerate(
            [
                replace(record, result=((1, 1), None)),
                replace(record, digest="0" * 64),
                replace(record, replies=record.replies[:-1]),
                replace(record, replies=("duchess", *record.replies[1:])),
            ]
        ):
            packed = pack(changed)
            store.append([packed._replace(columns=packed.columns._replace(id=f"changed{number}"))])
    done = arena("verify", "games.db")
    assert done.returncode == 1
    assert "5 games replayed, 4 with problems" in done.stdout


def test_games_lists_and_explains(arena):
    assert "complots  2-8 players" in arena("games").stdout
    explained = arena("games", "complots").stdout
    assert explained.startswith("# Complots")
    assert all(f"`{name}`" in explained for name in GAMES["complots"].options)
    prose, *_ = explained.partition("### Transcript")  # lines of the protocol are as long as they are
    assert all(len(line) <= 80 for line in prose.splitlines())
    (described,) = json.loads(arena("games", "complots", "--format", "json").stdout)
    assert described["options"]["cast"]["values"] == ["ambassador", "inquisitor"]
    assert described["seats"] == [2, 3, 4, 5, 6, 7, 8]


# Mistakes: the words of the command, and of the one line that answers


def test_all_who_do_not_start_are_told_at_once(arena, first_bot, tmp_path):
    (tmp_path / "broken.sh").write_text("exit 3\n")
    (tmp_path / "dead.sh").write_text("kill -KILL $$\n")
    (tmp_path / "plan.yaml").write_text("game: complots\nseats: 2\nbots: [first.sh, broken.sh, dead.sh]\n")
    for words in ("run plan.yaml", "play complots first.sh broken.sh dead.sh"):
        done = arena(*words.split())
        assert done.returncode == 2
        assert [line.partition(" before")[0] for line in done.stderr.splitlines() if "bot " in line] == [
            "arena: bot broken: exited with status 3",
            "arena: bot dead: killed by SIGKILL",
        ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run none.yaml", "none.yaml: no such file"),
        ("table none.db", "none.db: no such run"),
        ("table none.db --format yaml", "arena: invalid value for '--format': 'yaml' is not one of 'text', "),
        ("replay none.db -1", "arena: no such option '-1'; see "),
        ("--formt json", "arena: no such option '--formt'"),
        ("repaly none.db", "arena: no such command 'repaly'"),
        ("check", "arena: missing argument 'BOT...'; see "),
        ("replay none.db 1", "none.db: no such run"),
        ("list none.db", "none.db: no such run"),
        ("rehearse none.db 1 first.sh", "none.db: no such run"),
        ("export none.db", "none.db: no such run"),
        ("games complot", "no game 'complot'; did you mean complots?"),
        ("play complots first.sh", "complots has 2 to 8 seats, not 1"),
        ("play coup first.sh first.sh", "no game 'coup'"),
        ("play complots first.sh none.py", "none.py: no such bot"),
        (
            "play complots first.sh first.sh -o cast=inquisiteur",
            "option cast: should be ambassador or inquisitor",
        ),
        (
            "play complots first.sh first.sh -o casts=inquisitor",
            "unknown option of complots; did you mean cast?",
        ),
        ("play complots first.sh first.sh -o cast", "--option cast: should be KEY=VALUE"),
        ("play complots first.sh first.sh -o starter=p5", "option starter: 'p5' does not fit a table of 2"),
        ("play complots first.sh first.sh --move 2", "--move: should be a time"),
        ("play complots first.sh first.sh --move 0s", "--move: should be from 1ms to 10080m, not 0s"),
        ("play complots first.sh first.sh --setup none.yaml", "none.yaml: no such file"),
        ("play complots first.sh first.sh --record first.sh", "first.sh: not a run file"),
        ("play complots first.sh broken.sh", "bot broken: exited with status 3 before it answered hello"),
        ("play complots circle.py circle.py", "circle.py: cannot be read: "),
        (
            "play complots named named",
            "bot.yaml:1:1: name: a name has only letters, digits and . + - _, at most 32, and begins with",
        ),
        ("play complots chess chess", "bot.yaml:2:1: games: does not support complots, only chess"),
        ("play complots empty empty", "bot.yaml:1:1: run: should be a command, as a list of words"),
        ("play complots missing missing", "bot.yaml:1:1: run: no-such-program: not found on this machine"),
        ("play complots bot.c bot.c", "bot.c: has to be compiled; make a folder with a bot.yaml"),
        ("play complots first.sh dumb.bin", "not executable, and its suffix is not a known language"),
        ("play complots first.sh folder", "folder/bot.yaml: no such file"),
        ("run bad.yaml", "bad.yaml:2:1: optoins: unknown key; did you mean options?"),
        pytest.param("run quiet.yaml", "bot b: no 'ok' to hello within 0.3 s", marks=pytest.mark.slow),
    ],
)
def test_mistakes_get_one_line_and_status_2(refused, first_bot, tmp_path, words, message):
    (tmp_path / "broken.sh").write_text("exit 3\n")
    (tmp_path / "quiet.sh").write_text("sleep 30\n")
    (tmp_path / "dumb.bin").write_text("?")
    for name, text in (
        ("named", "name: a b\nrun: [sh]\n"),
        ("chess", "run: [sh]\ngames: [chess]\n"),
        ("empty", "run: ['']\n"),
        ("missing", "run: [no-such-program]\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.yaml").write_text(text)
    (tmp_path / "bot.c").write_text("int main() {}\n")
    (tmp_path / "circle.py").symlink_to("circle.py")
    (tmp_path / "folder").mkdir()
    (tmp_path / "bad.yaml").write_text("game: complots\noptoins: {}\nbots: {a: first.sh, b: first.sh}\n")
    (tmp_path / "quiet.yaml").write_text(
        "game: complots\nclock: {start: 300ms}\nbots: {a: first.sh, b: quiet.sh}\n"
    )
    assert message in refused(*words.split())


SETUP_MISTAKES = [
    ("hands: {p1: [captain, duchess], p2: [assassin, contessa]}", "position: hands: p3: p3 needs two cards"),
    ("hands: {p1: [king, duchess]}", "position: hands: p1: no 'king' is left in the deck"),
    ("hands: {p1: [duchess, duchess], p2: [duchess, duchess]}", "position: hands: p2: no 'duchess' is left"),
    ("hands: {p4: [duchess, duchess]}", "position: hands: p4: no seat 'p4'"),
    ("hands: [duchess]", "position: hands: should be a mapping"),
    ("coin: {p1: 3}", "position: coin: unknown key; known keys: hands, lost, coins, turn"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), SETUP_MISTAKES)
def test_impossible_positions_name_file_line_and_key(refused, first_bot, tmp_path, line, message):
    (tmp_path / "setup.yaml").write_text(f"game: complots\nposition:\n  {line}\n")
    words = ("play", "complots", first_bot, first_bot, first_bot, "--setup", "setup.yaml")
    assert re.search(rf"setup.yaml:3:\d+: {re.escape(message)}", refused(*words))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gmae: complots\n", "setup.yaml:1:1: gmae: unknown key; did you mean game?"),
        ("game: intrigue\n", "setup.yaml:1:1: game: this is a setup of intrigue, not of complots"),
        ("options: {casts: x}\n", "setup.yaml:1:11: options: casts: unknown option"),
        ("draws: {deal: duchess}\n", "setup.yaml:1:9: draws: deal: should be a list, not 'duchess'"),
        ("draws:\n  deal: [duke]\n", "setup.yaml: draws: deal: duke is impossible here; possible: duchess"),
    ],
)
def test_broken_setups(refused, first_bot, tmp_path, text, message):
    (tmp_path / "setup.yaml").write_text(text)
    assert message in refused("play", "complots", first_bot, first_bot, first_bot, "--setup", "setup.yaml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run --format", "'--format' needs a value: text, markdown, html, latex, csv or json; see arena run"),
        ("check --game", "'--game' needs a value: complots, local or intrigue; see arena check --help"),
        ("compare --sprt", "'--sprt' needs a value: KEY=VALUE, such as elo0=0, elo1=20, alpha=0.05"),
        ("run --jobs", "'--jobs' needs a value, a whole number from 1 to 1000; see arena run --help"),
        ("play --move", "'--move' needs a value: TIME; see arena play --help"),
        ("run --out", "'--out' needs a value; see arena run --help"),
    ],
)
def test_an_option_that_lacks_its_value_names_the_values(refused, words, message):
    assert message in refused(*words.split())


def test_help_is_there(arena):
    assert "Games of bluff and bargaining" in arena("--help").stdout


@pytest.mark.parametrize("words", ["games", "--help", "run --help"])
def test_an_output_that_is_full_gets_one_line(tmp_path, words):
    command = [sys.executable, "-m", "arena", *words.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "arena: the output: No space left on device\n")


def test_help_imports_no_command_and_nothing_heavy(tmp_path):
    """So that it starts in half of the time: each of these takes as long as all the rest."""
    command = [sys.executable, "-X", "importtime", "-m", "arena", "--help"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stderr
    imported = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    assert "click" in imported
    assert not imported & {"numpy", "scipy", "pydantic", "yaml", "rich", "psutil", "tabulate", "sqlite3"}
    assert {name for name in imported if name.startswith("arena")} == {"arena", "arena.cli"}


def test_output_into_a_closed_pipe_is_no_error(arena, first_bot, tmp_path):
    import subprocess
    import sys

    command = f"{sys.executable} -m arena games complots | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_exported_csv_gives_the_same_table(arena, plan_file, tmp_path):
    arena("run", plan_file("seats: [2, 3]\ngroups: 2\nseed: 1\n"), "--out", "run.db")
    (tmp_path / "games.csv").write_text(arena("export", "run.db", "--format", "csv").stdout)
    first, *rows = (tmp_path / "games.csv").read_text().splitlines()
    assert (
        first.startswith("game,group,seat,bot,place,status,score,")
        and len(rows) == 3 * 2 * 2 * 2 + 1 * 2 * 3 * 3
    )
    assert arena("table", "games.csv").stdout == arena("table", "run.db").stdout


@pytest.mark.slow
def test_entries_say_who_heard_what(arena, plan_file):
    """A card is told only to its owner; a draw that no seat sees says so."""
    arena("run", plan_file("seats: 2\ngroups: 1\nseed: 1\n"), "--out", "run.db")
    games = [json.loads(line) for line in arena("export", "run.db", "--entries").stdout.splitlines()]
    entries = [entry for game in games for entry in game["entries"]]
    assert {entry["seat"] for entry in entries if entry["kind"] == "secret"} == {"p1", "p2"}
    assert {entry["seat"] for entry in entries if entry["kind"] == "draw"} <= {"p1", "p2", None, "nobody"}
    assert all(entry["seat"] is None for entry in entries if entry["kind"] in ("event", "table", "end"))


def test_a_replay_shows_what_bots_wrote_to_stderr_in_a_game_without_a_fault(arena, tmp_path, first_bot):
    (tmp_path / "loud.sh").write_text("printf 'one\\033[2J\\ntwo\\n' >&2\n" + first_bot.read_text())
    done = arena("play", "complots", first_bot, "loud.sh", "--record", "run.db")
    assert "two" not in done.stdout
    assert arena("replay", "run.db", "--format", "stderr").stdout == "p2:\n  one\\x1b[2J\n  two\n"
    assert arena("replay", "run.db", "--format", "stderr", "--seat", "p1").stdout == ""


@pytest.mark.slow
def test_a_replay_shows_stderr_beside_the_answer_that_it_came_with(arena, tmp_path, first_bot):
    (tmp_path / "loud.sh").write_text(
        FIRST.replace("ask)", "ask) case $rest in action*) printf 'coins\\033[2J?\\n\\n\\377' >&2;; esac;")
    )
    arena("play", "complots", first_bot, "loud.sh", "--seed", 1, "-o", "max_turns=4", "--record", "run.db")
    whole = arena("replay", "run.db").stdout.splitlines()
    answers = [number for number, line in enumerate(whole) if line.startswith("    p2 action: ")]
    assert len(answers) == 2
    for number in answers:
        said = ["      p2 stderr: coins\\x1b[2J?", "      p2 stderr: \ufffd"]
        assert whole[number - 2 : number] == said
        assert re.fullmatch(r"    p2 action: income  \(\d+\.\d\d ms\)", whole[number])
    assert sum("stderr" in line for line in whole) == 4
    heard = arena("replay", "run.db", "--seat", "p2").stdout.splitlines()
    number = heard.index("# stderr: coins\\x1b[2J?")
    assert heard[number - 1].startswith("< ask action ") and heard[number + 1] == "# stderr: \ufffd"
    assert heard[number + 2].startswith("# answered after ") and heard[number + 3] == "> income"
    assert not any("stderr" in line for line in arena("replay", "run.db", "--seat", "p1").stdout.splitlines())
    entries = json.loads(arena("replay", "run.db", "--format", "json").stdout)["entries"]
    (first, *_) = [number for number, entry in enumerate(entries) if entry["kind"] == "stderr"]
    kinds = ["stderr", "stderr", "time", "answer"]
    assert [entry["kind"] for entry in entries[first : first + 4]] == kinds
    assert {entry["seat"] for entry in entries[first : first + 4]} == {"p2"}


def test_a_replay_shows_the_last_words_of_a_bot_that_crashed_and_nothing_that_could_steer_a_terminal(
    arena, tmp_path, first_bot
):
    bot = tmp_path / "crash.py"
    bot.write_text(
        "import sys\nfor line in sys.stdin:\n    words = line.split()\n"
        "    if words[0] == 'ask' and words[2] not in ('hello', 'ready'): sys.exit('no \\x1b[31mluck')\n"
        "    if words[0] == 'ask': print('ok', flush=True)\n"
    )
    done = arena("play", "complots", bot, first_bot)
    assert "! p1 crashed exited with status 1\n    (p1 to stderr: 'no \\x1b[31mluck')" in done.stdout
    assert "\x1b" not in done.stdout
