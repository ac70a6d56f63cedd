"""`arena table` as it is typed: options, files of every kind together, and one line for each mistake."""

import csv
import io
import json
import shutil
import signal
import sqlite3
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from outcomes import duel, luck
from result_files import game as chess_game
from result_files import to_csv
from shown_tables import Page, cells, even, widths
from stored_runs import random_record, stored_run, write_run

from arena.cli import main
from arena.games import GAMES
from arena.programs.machine import install_command
from arena.rating.methods import METHODS
from arena.rating.outcomes import Outcome
from arena.referee.fixture import Fixture
from arena.referee.record import Record
from arena.referee.seat import Fault
from arena.show.tables import FORMATS
from arena.show.tables.explain import explanation
from arena.show.tables.notes import FLAGS
from arena.show.tables.views import VIEWS
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack

PLAN = {
    **{"game": "complots", "version": 1, "options": {}, "seats": [2], "format": "round-robin"},
    **{"clock": {}, "bots": {}},
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """`arena table` in a folder of its own, in this process: what it says, where it has a table to show."""
    monkeypatch.chdir(tmp_path)

    def run(*words, status=0) -> str:
        before = {ending: signal.getsignal(ending) for ending in (signal.SIGTERM, signal.SIGHUP)}
        try:
            done = CliRunner().invoke(main, ["table", *map(str, words)])
        finally:
            for ending, handler in before.items():
                signal.signal(ending, handler)
        assert done.exit_code == status, done.output
        assert done.exception is None or isinstance(done.exception, SystemExit)
        return done.stderr if status else done.stdout

    return run


@pytest.fixture
def results(tmp_path):
    """Writes outcomes as CSV."""

    def write(outcomes, name="games.csv"):
        (tmp_path / name).write_text(to_csv(outcomes))
        return name

    return write


def record(outcome: Outcome, number: int = 0, made=None) -> Record:
    """A record that ended so; its bots were made as `made` says, by name."""
    group = outcome.group.replace(" ", "-")
    prints = tuple((made or {}).get(bot, f"{bot}-made-so") for bot in outcome.bots)
    fixture = Fixture("complots", 1, GAMES["complots"].defaults(), outcome.bots, prints, "run", group, number)
    faults = tuple(Fault(seat, kind, 0, "") for seat, kind in outcome.forfeits.items())
    replies = tuple((seat,) for seat in outcome.forfeits)
    return Record(fixture, replies, faults, (outcome.places, None), "digest")


@pytest.fixture
def run_file(tmp_path):
    """Writes outcomes as a run of the arena."""

    def write(outcomes, name="run.db", plan=PLAN, made=None, **about):
        with Store(tmp_path / name, writer=True) as store:
            store.write_facts(replace(store.facts, plan=plan, **about))
            store.append(pack(record(outcome, number, made)) for number, outcome in outcomes)
        return name

    return write


def numbered(outcomes) -> list[tuple[int, Outcome]]:
    return list(enumerate(outcomes))


def rows(shown: str) -> dict[str, dict[str, str]]:
    return {row["bot"]: row for row in csv.DictReader(io.StringIO(shown))}


# --- formats and options


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_every_bot(table, results, form):
    shown = table(results(luck()), "--format", form)
    found = {
        "text": lambda: [line.split()[2] for line in shown.splitlines()[2:8]],
        "markdown": lambda: [cells(line)[2] for line in shown.splitlines()[2:8]],
        "html": lambda: [row[2] for row in Page(shown).rows[1:]],
        "latex": lambda: [line.split("&")[2].strip() for line in shown.splitlines()[4:10]],
        "csv": lambda: list(rows(shown)),
        "json": lambda: [row["bot"] for row in json.loads(shown)["standings"]],
    }[form]()
    assert sorted(found) == [*"abcdef"]


def test_every_option_applies_to_every_view(table, results):
    """The files of a view of parts are those of the options, too."""
    name = results(luck())
    words = ("--by-size", "--bots", "f,a", "--rating", "confidence=0.9", "--rating", "anchor=a=0")
    for view in VIEWS:
        if view not in ("nash", "behaviour", "models"):  # the last two rate nothing
            argument = {"opponents": ":b", "course": ":2"}.get(view, "")
            found = json.loads(table(view + argument, name, *words, "--format", "json"))
            assert [part["size"] for part in found] == [2, 3, 4]
            assert {part["settings"]["confidence"] for part in found} == {0.9}
            bots = {row.get("bot") for part in found for row in next(iter([*part.values()][1:]))}
            assert bots <= {"f", "a", None}, view


def test_html_is_a_page_that_opens_to_the_formulas(table, results):
    shown = table(results(luck()), "--format", "html")
    assert shown.startswith("<!DOCTYPE html>") and "<title>games.csv</title>" in shown
    assert "Bradley &amp; Terry" in shown


def test_explain_prints_the_definitions(arena):
    assert arena("explain").stdout == explanation() + "\n"


@pytest.mark.parametrize("method", METHODS)
def test_methods(table, results, method):
    shown = json.loads(table(results(luck()), "--rating", f"method={method}", "--format", "json"))
    assert shown["settings"]["method"] == method
    assert (method in table("games.csv", "--rating", f"method={method}")) == (method != "pairs")


def test_anchor_average_prior_seats(table, results):
    name = results(luck())
    plain = rows(table(name, "--format", "csv"))
    anchored = rows(table(name, "--format", "csv", "--rating", "anchor=c=1000"))
    assert (float(anchored["c"]["elo"]), float(anchored["c"]["error"])) == (1000, 0)
    moved = 1000 - float(plain["c"]["elo"])
    assert all(
        float(anchored[bot]["elo"]) - float(plain[bot]["elo"]) == pytest.approx(moved, abs=1e-3)
        for bot in plain
    )
    words = [word for value in ("anchor=c=1000", "anchor=d=1400") for word in ("--rating", value)]
    several = rows(table(name, "--format", "csv", *words))
    assert float(several["c"]["elo"]) + float(several["d"]["elo"]) == pytest.approx(2400, abs=1e-2)
    assert float(several["c"]["error"]) > 0
    assert "the level is the mean of the anchors, given as c 1000 and d 1400" in table(name, *words)
    level = rows(table(name, "--format", "csv", "--rating", "average=-20"))
    assert sum(float(row["elo"]) for row in level.values()) == pytest.approx(-120, abs=1e-3)
    pulled = rows(table(name, "--format", "csv", "--rating", "prior=1000"))
    assert max(abs(float(row["elo"]) - 1500) for row in pulled.values()) < 50
    assert "seats fitted" in table(name, "--rating", "seats=fit")


def test_nash_averages(table, results):
    """Paper, scissors and rock are equal; well beats rock and scissors, and paper beats it."""
    beats = ["paper rock", "rock scissors", "scissors paper", "well rock", "well scissors", "paper well"]
    name = results([duel(*pair.split(), f"{pair}{number}") for pair in beats for number in range(4)])
    found = rows(table("nash", name, "--format", "csv"))
    assert {bot: round(float(row["mass"]), 4) for bot, row in found.items()} == {
        "paper": 0.3333, "scissors": 0.3333, "well": 0.3333, "rock": 0,
    }  # fmt: skip
    assert (found["rock"]["rank"], float(found["rock"]["skill"])) == (
        "4",
        pytest.approx(1 / 6 + 1 / 6, abs=0.2),
    )
    some = json.loads(table("nash", name, "--bots", "paper,rock,scissors", "--format", "json"))
    assert [row["mass"] for row in some["nash"]] == [0.333333] * 3 and some["fewest_groups"] == 4


def test_without_the_package_for_nash_averages_one_line_says_what_to_install(table, results, monkeypatch):
    monkeypatch.delitem(sys.modules, "arena.rating.nash", raising=False)
    for name in ("scipy", "scipy.linalg", "scipy.optimize"):
        monkeypatch.setitem(sys.modules, name, None)
    said = table("nash", results(luck()), status=2)
    assert said == f"arena: the view nash needs scipy: {install_command('nash')}\n"


def test_an_anchor_may_have_any_name(table, results):
    results(even(["x=1", "b"]))
    assert (
        rows(table("games.csv", "--format", "csv", "--rating", "anchor=x=1=1000"))["x=1"]["elo"] == "1000.0"
    )


def test_forfeits_left_out(table, results):
    name = results(luck())
    counted, left = (
        rows(table(name, "--format", "csv", *words)) for words in ((), ("--rating", "forfeits=exclude"))
    )
    for bot, row in left.items():
        assert row["forfeits"] == "" and counted[bot]["forfeits"][:8] in ("", "forfeit:")
    assert [row["elo"] for row in left.values()] != [row["elo"] for row in counted.values()]
    assert "forfeits left out" in table(name, "--rating", "forfeits=exclude")
    assert "  forf" in table(name) and "  forf" not in table(name, "--rating", "forfeits=exclude")


def test_where_every_game_was_forfeited_none_is_left(table, results):
    results([Outcome(("a", "b"), (1, 2), f"{group}", {1: "forfeit"}) for group in range(40)])
    for form in FORMATS:
        for view in ("standings", "los", "seats"):
            table(view, "games.csv", "--rating", "forfeits=exclude", "--format", form)
    assert "0 games in 0 seed groups" in table("games.csv", "--rating", "forfeits=exclude")


def test_chosen_bots(table, results):
    results(luck())
    shown = table("games.csv", "--bots", "f,a", "--format", "csv")
    assert list(rows(shown)) == ["f", "a"] and rows(shown)["f"]["los"] > "0.9"
    assert len(table("los", "games.csv", "--bots", "f,a").splitlines()) == 4


def test_one_bot_against_each_opponent(table, results):
    shown = table("opponents:f", results(luck())).splitlines()
    headings = ["opponent", "Elo", "met", "W", "D", "L", "score", "expected", "diff", "performance", "LOS"]
    assert shown[0].split() == headings
    assert [line.split()[0] for line in shown[2:]] == [*"edcba", "all"]
    (read, *_) = csv.DictReader(io.StringIO(table("opponents:f", "games.csv", "--format", "csv")))
    (first, *_) = json.loads(table("opponents:f", "games.csv", "--format", "json"))["opponents"]
    assert read["bot"] == first["bot"] == "e" and float(read["expected"]) == first["expected"]


def test_the_course_of_the_elo(table, results):
    shown = table("course:4", results(luck())).splitlines()
    assert shown[0].split() == ["bot", "15", "30", "45", "60"]
    found = json.loads(table("course:4", "games.csv", "--format", "json"))["course"]
    assert [row["groups"] for row in found[::6]] == [15, 30, 45, 60] and len(found) == 4 * 6
    last = {row["bot"]: row["elo"] for row in json.loads(table("games.csv", "--format", "json"))["standings"]}
    assert {row["bot"]: row["elo"] for row in found[-6:]} == last
    tenths = json.loads(table("course", "games.csv", "--format", "json"))["course"]
    # After the first tenth, 6 groups, the interval of a bot is thousands wide.
    assert [row["groups"] for row in tenths[::6]] == [6 * part for part in range(2, 11)]


def test_what_the_versions_of_a_bot_gained(table, run_file):
    games = [Outcome(("a", "b") if number % 3 else ("b", "a"), (1, 2), f"{number}") for number in range(60)]
    old, new = {"a": "00aa11bb"}, {"a": "22cc33dd"}
    name = run_file(numbered(games[:30]), plan=PLAN | {"bots": new | {"b": "b-made-so"}}, made=old)
    with Store(Path(name), writer=True) as store:
        later = [Outcome(("a", "b"), (1, 2), f"later {number}") for number in range(29)]
        later.append(Outcome(("b", "a"), (1, 2), "later"))
        store.append(pack(record(game, 100 + number, new)) for number, game in enumerate(later))
    first, second = table("changes", name).splitlines()[2:]
    assert first.split()[0] == "a@00aa11" and len(first.split()) == 2
    assert second.split()[0] == "a" and second.split()[2].startswith("+")
    assert "no bot was changed" in table("changes", name, "--rating", "versions=together")


def test_the_standings_of_each_number_of_seats(table, results):
    games = list(luck())
    parts = json.loads(table(results(games), "--by-size", "--format", "json"))
    assert [part["size"] for part in parts] == [2, 3, 4]
    for part in parts:
        only = [game for game in games if len(game.bots) == part["size"]]
        alone = json.loads(table(results(only, "only.csv"), "--format", "json"))
        assert part["standings"] == alone["standings"]
    assert table("games.csv", "--by-size").count(" a table:\n\n") == 3


def test_another_confidence(table, results):
    shown = table(results(luck()), "--rating", "confidence=0.5")
    assert "±50" in shown
    wide, small = (
        rows(table("games.csv", "--rating", f"confidence={level}", "--format", "csv"))
        for level in ("0.99", "0.5")
    )
    assert all(float(wide[bot]["error"]) > 3 * float(small[bot]["error"]) for bot in small)
    assert all(wide[bot]["se"] == small[bot]["se"] for bot in small)


# --- mistakes


@pytest.mark.parametrize(
    "words, message",
    [
        ("", "missing argument '[VIEW] RUN...'"),
        ("los", "missing argument 'RUN...'"),
        ("standngs games.csv", "no view 'standngs'; did you mean standings?"),
        ("opponents games.csv", "the view opponents should be opponents:BOT"),
        ("los:a games.csv", "los:a: the view los takes nothing after a colon"),
        ("none.db", "none.db: no such run"),
        ("none.csv", "none.csv: no such file"),
        ("folder", "folder: no such run"),
        ("folder.csv", "folder.csv: cannot be read: Is a directory"),
        ("text.txt", "text.txt: not a run file"),
        ("other.db", "other.db: not a run file; the file was not changed"),
        ("empty.db", "empty.db: not a run file; the file was not changed"),
        ("empty.csv", "empty.csv:1: should start with a header such as game,group,seat,bot,place,status"),
        ("games.csv text.txt", "text.txt: not a run file"),
        ("behaviour games.csv", "games.csv: has only results; this needs the records of a run"),
        ("games.csv --bots a,z", "--bots: no bot 'z'; known are a, b, c, d, e, f"),
        ("games.csv --bots ,", "--bots: no bot ''; known are a, b, c, d, e, f"),
        ("games.csv --rating anchor=z=1", "--rating anchor: no bot 'z'; known are a, b, c, d, e, f"),
        ("games.csv --rating anchor=a=1 --rating anchor=z=1", "--rating anchor: no bot 'z'; known are a, b"),
        ("games.csv --rating anchor=a=1 --rating anchor=a=2", "--rating: anchor: names a twice"),
        ("games.csv --rating anchor=a=1 --rating anchor=b=x", "--rating anchor: should be a number"),
        ("games.csv --rating anchor=aa=1", "--rating anchor: no bot 'aa'; did you mean a?"),
        ("void.csv --rating anchor=a=1", "--rating anchor: no bot 'a'; there are no games"),
        ("games.csv --rating anchor=a", "--rating anchor=a: should be anchor=BOT=ELO"),
        ("games.csv --rating anchor=a=", "--rating anchor: should be a number"),
        ("games.csv --rating anchor==1", "--rating anchor==1: should be anchor=BOT=ELO"),
        ("games.csv --rating anchor=a=inf", "--rating anchor: should be"),
        ("games.csv --rating average=nan", "--rating average: should be"),
        ("games.csv --rating average=1000000000", "--rating average: should be at most 1000000"),
        ("games.csv --rating prior=-1", "--rating prior: should be at least 0, not -1"),
        ("games.csv --rating prior=much", "--rating prior: should be a number, not 'much'"),
        ("games.csv --rating method=elo", "--rating method: should be 'pairs', 'plackett-luce' or 'winner'"),
        ("games.csv --rating metod=pairs", "--rating metod: unknown key; did you mean method?"),
        ("games.csv --rating method", "--rating method: should be KEY=VALUE"),
        ("games.csv --rating versions=both", "--rating versions: should be 'apart' or 'together'"),
        ("games.csv --rating confidence=1", "--rating confidence: should be less than 1, not 1"),
        ("games.csv --rating points=3,x", "--rating points: should be a number, not 'x'"),
        ("games.csv --rating points=-1", "--rating points: should be at least 0, not -1"),
        ("games.csv --rating forfeits=bots", "--rating forfeits: should be 'count' or 'exclude'"),
        (
            "nash chain.csv",
            "nash: a and c have not met, nor have 2 other pairs; choose bots that all have, with --bots",
        ),
        ("opponents:z games.csv", "opponents: no bot 'z'; known are a, b, c, d, e, f"),
        ("course:0 games.csv", "course:0: PARTS should be a whole number from 1 to 1000"),
        ("games.csv --format xml", "'xml' is not one of"),
        ("tied.csv --rating method=plackett-luce", "12 seats share place 1; plackett-luce allows at most 10"),
        ("chain.csv --rating prior=1.0e-300", "these games and this prior lead to no estimate"),
        ("broken.db", "broken.db: a damaged record: a game does not have one place for each seat"),
    ],
)
def test_mistakes_get_one_line_and_status_2(table, results, run_file, tmp_path, words, message):
    results(luck())
    results([Outcome(tuple("abcdefghijkl"), (1,) * 12, "1")], "tied.csv")
    results([Outcome(tuple(pair), (1, 2), pair) for pair in ("ab", "bc", "cd")], "chain.csv")
    (tmp_path / "void.csv").write_text("game,bot,place,status\n1,a,1,void\n1,b,2,\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "text.txt").write_text("no run at all\n" * 100)
    (tmp_path / "empty.csv").touch()
    (tmp_path / "empty.db").touch()
    with sqlite3.connect(tmp_path / "other.db") as base:
        base.execute("CREATE TABLE game (id TEXT)")
    base.close()
    run_file([], "broken.db")
    with Store(tmp_path / "broken.db", writer=True) as store:
        store.append([pack(record(Outcome(("a", "b"), (1, 2), "1")))])
    with sqlite3.connect(tmp_path / "broken.db") as base:
        base.execute("UPDATE game SET bots = '0 1 0'")
    base.close()
    said = table(*words.split(), status=2)
    assert message in said and "Traceback" not in said
    assert words.partition(" ")[0] == "" or said.splitlines()[-1].startswith(("arena: ", "Error: "))


@pytest.mark.parametrize("prior", ["1000000", "0.5", "0.01", "0"])
def test_a_ladder_in_which_nobody_ever_beats_the_next_is_climbed(table, results, prior):
    names = [f"bot{number:02}" for number in range(40)]
    results([Outcome(pair, (1, 2), f"{number}") for number in range(50) for pair in pairwise(names)])
    shown = rows(table("games.csv", "--rating", f"prior={prior}", "--format", "csv"))
    assert list(shown) == names


# --- no games, few games, strange games


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_without_games(table, run_file, form):
    run_file([])
    shown = table("run.db", "--format", form)
    assert form != "text" or shown.startswith("no games yet\n")
    assert form != "csv" or [line[:9] for line in shown.splitlines()] == ["rank,rank"]
    assert form != "json" or json.loads(shown)["standings"] == []
    assert table("behaviour", "run.db").strip() == "no games yet"


def test_only_void_games(table, tmp_path):
    (tmp_path / "void.csv").write_text(
        "game,group,bot,place,status\n1,g,a,1,void\n1,g,b,2,\n2,g,a,1,\n2,g,b,2,\n"
    )
    assert "2 void games" in table("void.csv") and table("void.csv").startswith("no games yet\n")
    assert json.loads(table("void.csv", "--format", "json"))["void"] == 2


def test_chess_games(table, tmp_path):
    (tmp_path / "games.pgn").write_text(
        chess_game("A|B", "<i>C</i>", "1-0")
        + chess_game("<i>C</i>", "A|B", "1-0")
        + chess_game("A|B", "x", "*")
    )
    assert table("games.pgn").splitlines()[-1] == (
        "2 games in 1 seed group, 0 faults, 0 void games; 1 game without a result"
    )
    assert json.loads(table("games.pgn", "--format", "json"))["unfinished"] == 1
    assert [row[2] for row in Page(table("games.pgn", "--format", "html")).rows[1:]] == ["<i>C</i>", "A|B"]


@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\u202e", "\x00", "\u2028"])
def test_names_that_would_move_the_cursor_do_not_come_in(table, tmp_path, letter):
    (tmp_path / "games.csv").write_text(f"game,bot,place\n1,a{letter}b,1\n1,c,2\n")
    assert "games.csv:2: bot: should be a name" in table("games.csv", status=2)


# --- several files


@pytest.mark.slow
def test_a_run_split_in_two_is_the_same_table(table, run_file):
    games = numbered(luck(20))
    run_file(games)
    run_file(games[::2], "even.db")
    run_file(games[1::2], "odd.db")
    for words in (("wide",), ("standings", "--format", "json"), ("los",), ("seats",)):
        whole = table(*words, "run.db")
        assert table(*words, "even.db", "odd.db") == whole
        assert table(*words, "odd.db", "even.db") == whole
        assert table(*words, "run.db", "run.db") == whole
        assert table(*words, "./run.db", "odd.db", "run.db", "even.db") == whole


def test_runs_and_results_in_any_order(table, run_file, results, tmp_path):
    games = numbered(luck())
    run_file(games[:100])
    run_file(games[50:], "more.db")
    results(luck(seed=2), "a.csv")
    (tmp_path / "b.pgn").write_text(chess_game("a", "b", "1-0") + chess_game("b", "x", "1/2-1/2"))
    files = ["run.db", "more.db", "a.csv", "b.pgn"]
    shown = {table(*files[turn:], *files[:turn], "--format", "json") for turn in range(4)}
    assert len(shown) == 1
    assert json.loads(shown.pop())["games"] == len(games) + len(list(luck(seed=2))) + 2


def test_runs_that_disagree_on_a_game_merge_in_any_order_alike(table, run_file):
    """Bots that draw their own dice may end the same fixture otherwise in another run."""
    run_file([(0, Outcome(("a", "b"), (1, 2), "g"))], "one.db")
    run_file([(0, Outcome(("a", "b"), (2, 1), "g"))], "two.db")
    assert table("one.db", "two.db") == table("two.db", "one.db")
    assert "1 game in 1 seed group," in table("one.db", "two.db")


def test_void_games_of_a_copied_run_count_once(table, run_file, tmp_path):
    first, *games = [record(outcome, number) for number, outcome in numbered(luck())]
    run_file(numbered(luck()))
    with Store(tmp_path / "run.db", writer=True) as store:
        store.annul(games[0].fixture, "a traceback", [first.fixture])
        store.annul(games[0].fixture, "a traceback", [])
    shutil.copy(tmp_path / "run.db", tmp_path / "copy.db")
    with Store(tmp_path / "copy.db", writer=True) as store:
        store.annul(games[1].fixture, "a traceback", [])
    assert "3 void games" in table("run.db")
    assert "4 void games" in table("run.db", "copy.db")


def test_games_of_two_files_without_groups_are_of_different_groups(table, tmp_path):
    for name, last in ("one.csv", "b"), ("two.csv", "c"):
        (tmp_path / name).write_text(f"game,bot,place\n1,a,1\n1,b,2\n2,b,1\n2,a,2\n3,a,1\n3,{last},2")
    assert "6 games in 6 seed groups" in table("one.csv", "two.csv")
    for name, winner, loser in ("one.csv", "a", "b"), ("two.csv", "b", "a"):
        (tmp_path / name).write_text(f"game,group,bot,place\n1,g,{winner},1\n1,g,{loser},2\n")
    assert "2 games in 1 seed group," in table("one.csv", "two.csv")


def test_a_game_that_two_files_have_counts_once_and_that_is_said(table, run_file, tmp_path):
    games = numbered(luck())
    run_file(games)
    exported = CliRunner().invoke(main, ["export", "run.db", "--format", "csv"])
    (tmp_path / "run.csv").write_text(exported.stdout)
    one = chess_game("a", "b", "1-0", Round="1") + chess_game("b", "a", "1-0", Round="1")
    (tmp_path / "part.pgn").write_text(one)
    more = chess_game("a", "b", "0-1", Round="2") + chess_game("a", "b", "0-1", Round="2")
    (tmp_path / "all.pgn").write_text((more + one).replace("\n", "\r\n"))
    files = ["run.db", "run.csv", "part.pgn", "all.pgn"]
    for order in files, files[::-1], files[2:] + files[:2]:
        said = " ".join(table(*order).split())
        total = len(games) + 4
        assert f"{total} games in" in said
        assert f"{len(games) + 2} games in two files or more, counted once" in said
    assert json.loads(table("part.pgn", "all.pgn", "--format", "json"))["repeated"] == 2
    for files in (["all.pgn", "part.pgn"], ["part.pgn", "all.pgn"]):
        assert "4 games in 3 seed groups" in table(*files)


def test_games_without_a_group_are_said(table, tmp_path):
    def lines(text):
        (tmp_path / "games.csv").write_text(text)
        return " ".join(table("games.csv").split())

    once = "game,bot,place\n1,a,1\n1,b,2\n2,c,1\n2,a,2\n"
    assert "2 games without a group: each counts as a seed group; if games share a deal" in lines(once)
    assert "2 games without a group, and line-ups repeat:" in lines(once.replace(",c,", ",b,"))
    assert json.loads(table("games.csv", "--format", "json"))["ungrouped"] == 2
    grouped = "game,group,bot,place\n1,x,a,1\n1,x,b,2\n2,x,b,1\n2,x,a,2\n"
    assert "without a group" not in lines(grouped)
    assert "1 game without a group: each counts" in lines(grouped.replace("1,x", "1,"))


def test_names_that_differ_by_case_are_said(table, results):
    games = [duel("Ann", "ann", "1"), duel("bob", "Bob", "2"), duel("ann", "carl", "3")]
    said = "different bots, as their names differ by case: Ann, ann | Bob, bob"
    assert said in " ".join(table(results(games)).split())
    assert "by case" not in table(results(luck()))


def test_names_that_look_alike_are_said(table, results):
    games = [
        duel("Ann", "\N{CYRILLIC CAPITAL LETTER A}nn", "1"),
        duel("bob", "carl", "2"),
        duel("bob", "Ann", "3"),
    ]
    shown = " ".join(table(results(games)).split())
    assert "as their names differ by letters that look alike: Ann, \N{CYRILLIC CAPITAL LETTER A}nn" in shown


def test_fitting_seats_that_the_games_do_not_tell_is_refused(table, run_file, results):
    kept = [Outcome(("a", "b"), (1, 2) if number % 3 else (2, 1), str(number)) for number in range(60)]
    file, why = results(kept), "these games do not tell the effects of seats apart from the strengths of bots"
    assert (
        table(file, "--rating", "seats=fit", status=2) == f"arena: --rating seats=fit: tables of 2: {why}\n"
    )
    assert "Elo of seats" not in table(file)
    shown = " ".join(table(run_file(numbered(kept), rating={"seats": "fit"})).split())
    assert f"seats not fitted for tables of 2: {why}" in shown


def test_tables_that_take_more_memory_than_there_is_are_refused(table, results, monkeypatch):
    file = results(luck())
    monkeypatch.setattr("arena.show.tables.report.FEW_BOTS", 5)
    monkeypatch.setattr("arena.show.tables.report.free_memory", lambda: 20_000)
    assert table(file)
    monkeypatch.setattr("arena.show.tables.report.free_memory", lambda: 1000)
    assert table(file, status=1) == (
        "arena: the ratings of 6 bots take about 0.0 GB of memory, and 0.0 GB are free: "
        "rate the games of fewer bots, or use a machine with more memory\n"
    )


def test_points_without_one_schedule_are_said_not_to_compare(table, results):
    said = "points compare bots only if all have played the same schedule"
    assert said in table(results(luck()), "--rating", "order=points") and said not in table(results(luck()))


def test_a_bot_that_was_changed_is_another_one(table, run_file):
    old, new = {"a": "0ld0ld0ld"}, {"a": "newnewnew"}
    run_file(numbered(even("abc", 4)), made=old, plan={**PLAN, "bots": old})
    assert sorted(rows(table("run.db", "--format", "csv"))) == ["a", "b", "c"]
    run_file(numbered(even("abc", 4, seed=1)), made=new, plan={**PLAN, "bots": new})
    assert sorted(rows(table("run.db", "--format", "csv"))) == ["a", "a@0ld0ld", "b", "c"]
    assert (
        rows(table("run.db", "--format", "csv", "--rating", "anchor=a@0ld0ld=7"))["a@0ld0ld"]["elo"] == "7.0"
    )


def test_two_runs_that_know_a_bot_differently_name_both(table, run_file):
    run_file(numbered(even("ab", 4)), "one.db", {**PLAN, "bots": {"a": "111111111"}}, {"a": "111111111"})
    run_file(numbered(even("ab", 4)), "two.db", {**PLAN, "bots": {"a": "222222222"}}, {"a": "222222222"})
    assert sorted(rows(table("one.db", "two.db", "--format", "csv"))) == ["a@111111", "a@222222", "b"]


def test_games_of_no_plan_are_told_apart_too(table, run_file):
    run_file(numbered(even("ab", 4)), plan=None, made={"a": "111111111"})
    run_file(numbered(even("ab", 4, seed=1)), plan=None, made={"a": "222222222"})
    assert sorted(rows(table("run.db", "--format", "csv"))) == ["a@111111", "a@222222", "b"]


def test_the_keys_of_the_plan_count_where_all_runs_agree(table, run_file):
    ghost, none = {"method": "winner", "prior": 3.0}, {"method": "winner", "prior": 0.0}
    run_file(numbered(even("abc")), rating=ghost)
    run_file(numbered(even("abc", 2)), "same.db", rating=ghost)
    run_file(numbered(even("abc", 2)), "other.db", rating=none)
    for files, method in (
        (["run.db"], "winner"),
        (["run.db", "same.db"], "winner"),
        (["run.db", "other.db"], "pairs"),
    ):
        assert json.loads(table(*files, "--format", "json"))["settings"]["method"] == method
    assert json.loads(table("run.db", "--format", "json", "--rating", "prior=1"))["settings"]["prior"] == 1


def test_an_anchor_of_the_plan_may_not_have_played_yet(table, run_file):
    late = {"bot": "late", "elo": 1000}
    run_file(numbered(even("abc")), rating={"anchor": late})
    assert " ".join(table("run.db").split()).endswith("; the anchor late has not played")
    more = [{"bot": "never", "elo": 1}, {"bot": "a", "elo": 1300}]
    run_file(numbered(even("abc")), name="more.db", rating={"anchor": [late, *more]})
    said = " ".join(table("more.db").split())
    assert said.endswith("; the anchor late has not played; the anchor never has not played")
    assert rows(table("more.db", "--format", "csv"))["a"]["elo"] == "1300.0"


def test_forfeits_and_faults_of_a_run(table, run_file):
    games = [Outcome(("a", "b"), (1, 2), f"{n}", {1: "late" if n % 3 else "crashed"}) for n in range(9)]
    run_file(numbered([*games, *even("ab", 4)]))
    shown = table("wide", "run.db")
    assert "crashed:3 late:6" in shown and "13 games in 13 seed groups, 9 faults" in shown


# --- real runs


@pytest.mark.parametrize("form", [pytest.param("text", marks=pytest.mark.slow), "json"])
def test_the_table_of_a_tournament(arena, plan_file, tmp_path, form):
    rating = (
        "rating: {method: winner, prior: 1, seats: fit, confidence: 0.9, anchor: {bot: bot0, elo: 100}}\n"
    )
    plan = plan_file(f"seed: 1\ngroups: 2\nseats: 2\n{rating}")
    done = arena("run", plan, "--jobs", 1, "--out", "run.db", "--format", form)
    assert done.returncode == 0, done.stderr
    shown = arena("table", "run.db", "--format", form).stdout
    assert shown == done.stdout
    if form == "json":
        assert json.loads(shown)["settings"] == {
            "method": "winner", "prior": 1.0, "average": 1500, "seats": "fit",
                "anchor": {"bot": "bot0", "elo": 100.0},
            "confidence": 0.9, "forfeits": "count", "ranges": "simultaneous",
            "points": [], "order": "elo",
        }  # fmt: skip
        found = json.loads(arena("table", "behaviour", "run.db", "--format", "json").stdout)
        assert [row["games"] for row in found[0]["behaviour"]] == [8, 8, 8]
    else:
        assert (
            "±90" in shown
            and "12 games in 6 seed groups" in shown
            and "winner; seats not fitted for tables of 2" in " ".join(shown.split())
        )
        for form in ("text", "csv", "html"):
            behaviour = arena("table", "behaviour", "run.db", "--format", form)
            assert behaviour.returncode == 0 and "bot2" in behaviour.stdout and "bluffs" in behaviour.stdout


def test_a_run_that_is_being_written_has_a_table(run_file, table, tmp_path):
    """The writer holds the file, its last games are still in the log beside it."""
    games = numbered(luck())
    run_file(games[:50])
    with Store(tmp_path / "run.db", writer=True) as store:
        store.append(pack(record(outcome, number)) for number, outcome in games[50:])
        now = table("run.db")
    assert table("run.db") == now and f"{len(games)} games" in now
    shutil.copy(tmp_path / "run.db", tmp_path / "copy.db")
    assert table("copy.db", "run.db") == now


@pytest.mark.parametrize(
    "line, message",
    [
        ("method: elo", "plan.yaml:4:10: rating: method: should be 'pairs', 'plackett-luce' or 'winner'"),
        ("prior: -1", "plan.yaml:4:10: rating: prior: should be at least 0"),
        ("prior: .nan", "plan.yaml:4:10: rating: prior: should be"),
        ("prior: much", "plan.yaml:4:10: rating: prior: should be a number, not 'much'"),
        ("average: .inf", "plan.yaml:4:10: rating: average: should be a finite number"),
        ("seats: fitted", "plan.yaml:4:10: rating: seats: should be 'report' or 'fit'"),
        ("confidence: 1", "plan.yaml:4:10: rating: confidence: should be less than 1"),
        ("confidence: 95", "plan.yaml:4:10: rating: confidence: should be less than 1"),
        ("forfeits: drop", "plan.yaml:4:10: rating: forfeits: should be 'count' or 'exclude'"),
        ("metod: pairs", "plan.yaml:4:10: rating: metod: unknown key; did you mean method?"),
        ("anchor: {bot: bot9, elo: 1}", "plan.yaml:4:19: rating: anchor: bot: no bot 'bot9'; did you mean"),
        ("anchor: {bot: bot0}", "plan.yaml:4:10: rating: anchor: elo: is missing"),
        ("anchor: {bot: bot0, elo: .nan}", "plan.yaml:4:30: rating: anchor: elo: should be"),
        ("anchor: 1500", "plan.yaml:4:10: rating: anchor: should be keys and values, not 1500"),
        (
            "anchor: [{bot: bot0, elo: 1}, {bot: bot9, elo: 1}]",
            "plan.yaml:4:41: rating: anchor: 1: bot: no bot 'bot9'; did you mean",
        ),
        (
            "anchor: [{bot: bot0, elo: 1}, {bot: bot1, elo: high}]",
            "plan.yaml:4:52: rating: anchor: 1: elo: should be a number, not 'high'",
        ),
        ("anchor: [{bot: bot0, elo: 1}, {bot: bot1}]", "plan.yaml:4:40: rating: anchor: 1: elo: is missing"),
        (
            "anchor: [{bot: bot0, elo: 1}, {bot: bot0, elo: 2}]",
            "plan.yaml:4:1: rating: anchor: names bot0 twice",
        ),
    ],
)
def test_bad_rating_keys(plan_file, line, message):
    from arena.config.document import ConfigError
    from arena.tournament.plan.load import load_plan

    with pytest.raises(ConfigError) as error:
        load_plan(plan_file(f"seed: 1\ngroups: 2\nrating: {{{line}}}\n"))
    assert message in str(error.value).replace("\n", " ")


def test_bots_of_arena_play_get_names_that_a_plan_could_have(arena, first_bot, tmp_path):
    shutil.copy(first_bot, tmp_path / "my best bot (2).sh")
    done = arena("play", "complots", "my best bot (2).sh", first_bot, "--record", "run.db")
    assert done.returncode == 0, done.stderr
    assert sorted(rows(arena("table", "run.db", "--format", "csv").stdout)) == ["first", "my-best-bot--2-"]


def test_flags_in_a_terminal(table, results):
    results([Outcome(("a", "b"), (1, 2), "1")])
    shown = table("games.csv")
    assert all(f"{flag}  {FLAGS[flag]}" in shown for flag in "><~?")
    assert not any(FLAGS[flag] in shown for flag in "!C")


def test_intervals_are_drawn_below_the_standings(table, results):
    name = results(luck())
    shown = table("plot", name)
    assert shown.startswith(table(name)) and "Elo with 95 % intervals" in shown
    assert max(widths(shown)) <= 80
    assert "██" in shown and "\x1b" not in shown, "no terminal"
    assert table("plot", name, "--by-size").count("Elo with") == 3
    assert table("plot", name, "--format", "csv") == table(name, "--format", "csv")


def test_a_run_file_with_the_name_of_a_view_is_written_with_its_folder(table, run_file):
    run_file(numbered(luck()), "los")
    assert table("los", "./los") != table("./los") and "180 games" in table("./los")


def test_exclude_says_what_it_did_and_every_format_names_the_bot(told, tmp_path):
    stored_run(tmp_path / "run.db")
    assert told("exclude", "run.db", "ann", "--undo") == "ann was not excluded from run.db: nothing to undo\n"
    assert told("exclude", "run.db", "ann", "--why", "copied") == (
        "ann no longer counts in the standings of run.db; its 9 games stay in the file\n"
    )
    for view in ("standings", "los", "head-to-head", "seats"):
        for form in ("text", "markdown", "html", "latex", "json"):
            assert "without ann (copied)" in told("table", view, "run.db", "--format", form), (view, form)
    done = CliRunner().invoke(main, ["table", "run.db", "--format", "csv"])
    assert done.stderr == "without ann (copied)\n" and "copied" not in done.stdout
    assert "the reason is now the new one, not: copied" in told("exclude", "run.db", "ann", "--why", "x\n")
    assert told("exclude", "run.db", "ann", "--undo") == (
        "ann counts again in the standings of run.db, with 9 games (it was excluded: x\\n)\n"
    )
    told("exclude", "run.db", "ann", "--undo", "--why", "x", status=2)


def test_games_with_people_and_remote_bots_are_rated_in_a_table_of_their_own(table):
    made = {"ann": "remote", "human": "timed"}
    seatings = ["ann bob", "bob cat", "cat human", "cat bob"]
    records = [random_record(number, names.split()) for number, names in enumerate(seatings)]
    fixtures = [
        replace(each.fixture, fingerprints=tuple(made.get(bot, f"f{bot}") for bot in each.fixture.bots))
        for each in records
    ]
    games = [replace(each, fixture=fixture) for each, fixture in zip(records, fixtures, strict=True)]
    write_run(Path("mixed.db"), games)
    alone, together = json.loads(table("mixed.db", "--format", "json"))
    assert {row["bot"] for row in alone["standings"]} == {"bob", "cat"}
    assert alone["kind"] == "without people and remote bots" and alone["games"] == 2
    assert {row["bot"] for row in together["standings"]} == {"ann", "bob", "cat", "human"}
    assert together["games"] == 2 and "rated apart: the arena cannot confine" in together["notes"][-1]
    shown = table("mixed.db", "--bots", "bob")
    assert shown.index("Games without people and remote bots:") < shown.index("Games with people or remote")
    assert table("opponents:human", "mixed.db").count("opponent ") == 1
    assert table("behaviour", "mixed.db").count("with people") == 0
    write_run(Path("remote.db"), games[:1])
    assert "1 game in 1 seed group, 0 faults" in table("remote.db")
