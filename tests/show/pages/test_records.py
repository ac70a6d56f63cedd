"""What the report reads from the records: the same whatever the number of processes and of game pages."""

import json
import re
import zlib
from base64 import b64decode
from collections import Counter
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace

import pytest
from stored_runs import random_record, stored_run, write_run

from arena.games import GAMES
from arena.referee.seat import Fault
from arena.show.pages.collect import MAX_EXAMPLES, Collected, FaultExample, Faults, Slowest
from arena.show.pages.links import slugs
from arena.show.pages.notable import notable_games
from arena.show.pages.records import GamePages, choose, quiet, read_records
from arena.show.pages.write import write_site
from arena.show.tables.table import CellLink
from arena.tournament.runs.behaviour import behaviour, summaries
from arena.tournament.runs.game_list import played_games, records
from arena.tournament.runs.store import Store

COMPLOTS = GAMES["complots"]
ELO = {"ann": 1700.0, "bob": 1500.0, "cat": 1500.0, "dan": 1300.0}


def read(path, folder, most=100, jobs=1, elo=ELO):
    return read_records([path], folder, elo, GamePages(most), jobs, quiet)


def game_file(folder, id):
    """The data of the page of a game."""
    packed = re.fullmatch(r'arena\.show\("(.*)"\);\n', (folder / f"{id}.js").read_text())
    return json.loads(zlib.decompress(b64decode(packed[1])))


def test_the_counts_are_those_of_the_table_of_behaviour(tmp_path):
    path = stored_run(tmp_path / "run.db")
    found = read(path, tmp_path / "games").collected
    assert summaries(COMPLOTS, found.tallies["complots"]) == behaviour(COMPLOTS, records([path]))
    assert read(path, tmp_path / "none", most=0).collected.tallies == found.tallies


def test_the_faults_are_those_of_the_records_each_at_its_moment(tmp_path):
    path = stored_run(tmp_path / "run.db", games=60)
    found = read(path, tmp_path / "games")
    wanted = Counter(
        (names[each.seat], each.kind) for names, record in records([path]) for each in record.faults
    )
    assert {key: faults.count for key, faults in found.collected.faults.items()} == wanted
    for (_, kind), faults in found.collected.faults.items():
        for example in faults.examples:
            game = game_file(tmp_path / "games", found.games[example.at].game.id)
            (said,) = game["moments"][example.moment][0]
            assert (
                said[:2] == ["fault", example.seat] and game["texts"][said[2]] == f"{kind} {example.detail}"
            )
            assert example.cause == (
                "'ValueError: <b> is no card'" if kind in ("crashed", "unstarted") else ""
            )


def test_the_slowest_answer_is_found(tmp_path):
    record = random_record(1, ["ann", "bob"])
    spent = record.trace["microseconds"]
    spent[0][3], spent[1] = 12_345, [9_000]
    found = read(write_run(tmp_path / "run.db", [record]), tmp_path / "games")
    ann, bob = found.collected.slowest["ann"], found.collected.slowest["bob"]
    game = game_file(tmp_path / "games", record.fixture.id)
    (said,) = [each for each in game["moments"][ann.moment][0] if each[1] == 0]
    assert (ann.microseconds, said[0], said[5]) == (12_345, "answer", 12.345)
    assert (bob.microseconds, bob.moment) == (9_000, 0)  # it was slow to be ready


def test_secret_seeds_are_not_in_the_pages(tmp_path):
    path = write_run(tmp_path / "run.db", [random_record(1, ["ann", "bob"])], secret="x")
    played = read(path, tmp_path / "games").games[0]
    assert "secret 1" not in json.dumps(game_file(tmp_path / "games", played.game.id))


def test_only_games_with_a_page_have_links(tmp_path):
    path = stored_run(tmp_path / "run.db", games=20)
    found = read(path, tmp_path / "games", most=5)
    ids = [played.game.id for played in found.games]
    written = {each.stem for each in (tmp_path / "games").iterdir()}
    assert len(written) == 5 == len(found.with_pages)
    linked = {id for at, id in enumerate(ids) if isinstance(found.cell(at), CellLink)}
    assert {id for id in ids if found.link_of(id)} == linked == written
    assert all(found.games[at].game.faults for at in found.with_pages)  # those first
    for at in found.with_pages:
        neighbours = game_file(tmp_path / "games", ids[at])
        assert {neighbours["previous"], neighbours["next"]} <= {*written, None}


@pytest.mark.parametrize("stderr", [True, False])
def test_what_bots_wrote_to_stderr_can_be_left_out(tmp_path, stderr):
    """Of the games, and of the examples of faults."""
    path = stored_run(tmp_path / "run.db", games=20)
    found = read_records([path], tmp_path / "games", ELO, GamePages(stderr=stderr), 1, quiet)
    examples = [each for faults in found.collected.faults.values() for each in faults.examples]
    games = [json.dumps(game_file(tmp_path / "games", each.game.id)) for each in found.games]
    assert any("ValueError" in each.cause for each in examples) == stderr
    assert any("ValueError" in game for game in games) == stderr


def test_games_with_pages_are_those_with_faults_then_the_linked_ones_then_the_first(tmp_path):
    games = list(played_games([stored_run(tmp_path / "run.db", games=30)]))
    notable = notable_games(games, ELO)
    faulty = {at for at, played in enumerate(games) if played.game.faults}
    linked = {each.at for found in notable.values() for side in found for each in side}
    assert choose(games, notable, 3) == sorted(faulty)[:3]
    assert set(choose(games, notable, len(faulty | linked))) == faulty | linked
    rest = sorted(set(range(30)) - faulty - linked)
    assert set(choose(games, notable, len(faulty | linked) + 1)) == faulty | linked | {rest[0]}
    assert choose(games, notable, 10**9) == list(range(30))


def test_records_without_times(tmp_path):
    """As those of older versions."""
    found = read(stored_run(tmp_path / "run.db", traced=False), tmp_path / "games").collected
    assert not found.slowest and {each.seconds for each in found.measured.values()} == {None}
    assert not any(tally.times.limits for tally in found.tallies["complots"].values())


def test_games_that_do_not_replay_have_no_page_and_say_why(tmp_path):
    good, other, short = (random_record(number, ["ann", "bob"]) for number in range(3))
    object.__setattr__(other.fixture, "version", 1)
    object.__setattr__(short, "replies", short.replies[:3])
    path = write_run(tmp_path / "run.db", [good, other, short])
    for most in (0, 10):
        found = read(path, tmp_path / "games", most).collected
        assert sorted(why.partition(": ")[2] for why in found.unshown.values()) == [
            "does not replay: the record ends before the game is over",
            "played by version 1 of complots, and this arena has version 2, so it cannot be shown",
        ]
        assert found.tallies["complots"]["ann"].games == 1


def test_stories_of_parts_of_the_games_can_be_merged_in_any_order():
    parts = [
        Faults(2, 1, [FaultExample(at, 0, "", "", moment)])
        for at, moment in ((1, 4), (2, None), (3, 5), (4, 1), (5, 9))
    ]
    for order in permutations(parts):
        whole = Faults()
        for part in order:
            whole.merge(part)
        assert (whole.count, whole.games) == (10, 5)
        assert [example.at for example in whole.examples] == [1, 3, 4][
            :MAX_EXAMPLES
        ]  # those with a page first


def test_of_equally_slow_answers_the_first_game_has_the_slowest_in_any_order():
    parts = [Collected(slowest={"ann": Slowest(*each)}) for each in ((7, 3, 0), (9, 2, 5), (9, 1, 4))]
    for order in permutations(parts):
        whole = Collected()
        for part in order:
            whole.merge(part)
        assert whole.slowest == {"ann": (9, 1, 4)}


def test_notable_games_are_the_furthest_from_what_the_elo_expect():
    def played(names, places):
        return SimpleNamespace(names=names, game=SimpleNamespace(places=places))

    games = [
        played(("ann", "dan"), (1, 2)),
        played(("ann", "dan"), (2, 1)),
        played(("dan", "bob", "ann"), (1, 2, 3)),
        played(("bob", "cat"), (1, 1)),
        played(("ann", "nobody"), (2, 1)),
    ]
    found = notable_games(games, ELO)
    assert [(each.at, each.seat) for each in found["dan"].best] == [(1, 1), (2, 0)]
    assert [each.at for each in found["ann"].worst] == [1, 2]
    assert [each.at for each in found["ann"].best] == [0]
    assert found["cat"] == ([], [])  # a draw of equal bots is expected
    assert found["ann"].best[0].expected == pytest.approx(10 / 11)
    assert notable_games([], ELO) == {}


def test_paths_of_bots_are_safe_and_different():
    names = [
        "Ann",
        "ann",
        "a/../b",
        "..",
        "<script>",
        "$x$ %",
        "עברית",
        "‮evil",
        "n" * 300,
        "n" * 301,
        "",
        "bot-2",
    ]
    found = slugs(names)
    assert list(found) == names and len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_-]{1,50}", slug) for slug in found.values())
    assert (found["Ann"], found["ann"], found["a/../b"], found["<script>"]) == (
        "ann",
        "ann-2",
        "a-b",
        "script",
    )


@pytest.mark.slow
def test_several_processes_find_the_same(tmp_path):
    path = stored_run(tmp_path / "run.db", games=120)
    one, two = (read(path, tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2))
    assert one.collected == two.collected and list(one.collected.measured) == list(two.collected.measured)
    texts = [{each.name: each.read_bytes() for each in (tmp_path / str(jobs)).iterdir()} for jobs in (1, 2)]
    assert texts[0] == texts[1] and len(texts[0]) == 100


@pytest.mark.slow
def test_a_damaged_record_is_named_and_the_pages_of_before_stay(tmp_path, arena):
    path = stored_run(tmp_path / "run.db", games=120)
    assert arena("report", "run.db", "--out", "pages").returncode == 0
    before = {each: each.stat().st_mtime for each in (tmp_path / "pages").rglob("*.html")}
    with Store(path, writer=True) as store, store._transaction() as connection:
        connection.execute("UPDATE record SET packed = 'x' WHERE number = 100")
    done = arena("report", "run.db", "--out", "pages")
    assert done.returncode == 2
    said = done.stderr.splitlines()[-1]  # after its progress, on a slow machine
    assert re.fullmatch(r"arena: run.db: game [0-9a-f]{16}: damaged record: .*", said)
    assert before == {each: each.stat().st_mtime for each in (tmp_path / "pages").rglob("*.html")}


def test_games_of_other_rules_keep_their_faults_and_the_first_page_says_why_they_are_missing(tmp_path):
    faults = (Fault(1, "illegal", 0, "is no answer"),)
    made = [replace(random_record(number, ("a", "b", "c")), faults=faults) for number in range(4)]
    old = [replace(each, fixture=replace(each.fixture, version=1)) for each in made]
    path = write_run(tmp_path / "run.db", old)
    found = read(path, tmp_path).collected
    assert not found.measured and len(found.unshown) == 4
    assert {key: faults.count for key, faults in found.faults.items()} == {("b", "illegal"): 4}
    write_site([path], tmp_path / "pages")
    assert "played by version 1 of complots" in (tmp_path / "pages" / "index.html").read_text()
    assert "4 faults in 4 games" in (tmp_path / "pages" / "faults.html").read_text()
