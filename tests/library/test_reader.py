"""The reader: lines of the arena to views, and the words of a player to lines."""

import shutil
from pathlib import Path

import pytest
from programs import play_leisurely
from samples import RANDOM

import arena
from arena.library.reader import Reader
from arena.programs.files import share
from arena.programs.play.table import ProgramTable
from arena.programs.reading import read_bot

LINES = """\
ask 1 hello 10000 version=1 : ok
game 1 complots seats=3 you=p1 seed=1679127958 cast=ambassador must_coup_at=10 steal_from_dead=false
ask 2 ready 10000 : ok
event starter p1
secret hand duchess contessa
state table treasury=48 court=9 turn=1 actor=p1
state p1 coins=2 cards=2 hand=duchess,contessa
state p2 coins=2 cards=2
ask 3 action 62000 move=2000 bank=60000 : income aid duchess
error 3 illegal strikes=1/3 answered 'Aid' to action; legal: income aid duchess; played income
event action p1 income
ask 4 challenge 1000 on=p2 claim=duchess : pass challenge
end 1 place=1 places=1,3,2
bye
ask 5 action 1000 : income
"""


def test_lines_become_views():
    said, views = [], []
    reader = Reader(LINES.splitlines(True), said.append, "name=walnut")
    for view in reader:
        views.append(view)
        reader.answer("Aid" if view.kind == "action" else "pass")
    assert said == ["1 ok name=walnut", "2 ok", "3 Aid", "4 pass"]
    action, challenge = views
    assert (action.seat, action.name, action.kind, action.seconds) == (0, "p1", "action", 62.0)
    assert action.options == ("income", "aid", "duchess") and action.context == {}
    assert action.news == ("event starter p1", "secret hand duchess contessa")
    assert action.state["p1"] == {"coins": "2", "cards": "2", "hand": "duchess,contessa"}
    assert action.table[:2] == ("complots", 3)
    assert action.table.options == {"cast": "ambassador", "must_coup_at": 10, "steal_from_dead": False}
    assert challenge.context == {"on": "p2", "claim": "duchess"}
    assert challenge.line == "ask 4 challenge 1000 on=p2 claim=duchess : pass challenge"
    assert reader.places == (1, 3, 2)


def test_the_information_has_what_was_played_instead_of_a_wrong_answer():
    reader = Reader(LINES.splitlines(), lambda line: None)
    views = []
    for view in reader:
        views.append(view)
        reader.answer("Aid")
    assert views[-1].information == (
        "game complots seats=3 you=p1 cast=ambassador must_coup_at=10 steal_from_dead=false",
        "event starter p1",
        "secret hand duchess contessa",
        "ask action : income aid duchess",
        "answer income",
        "event action p1 income",
        "ask challenge on=p2 claim=duchess : pass challenge",
    )


def test_a_reader_tells_what_a_match_tells():
    """The same player sees the same beside a referee, which writes lines, and without one."""
    seen = []

    def look(view):
        seen[-1].append((view.kind, view.options, view.context, view.news, view.state, view.information))
        return view.options[len(view.information) % len(view.options)]

    for table in (arena.table("complots", seats=3), arena.table("intrigue", seats=3, rounds=2, press=3)):
        seen.clear()
        for faults in ("raise", "play"):
            seen.append([])
            arena.play(table, [look] * table.seats, seed=2, faults=faults)
        assert len(seen[0]) > 20 and sorted(map(repr, seen[0])) == sorted(map(repr, seen[1]))


BOT = """\
import sys
sys.path.insert(0, {place!r})
from arena import Reader

Reader().run(lambda view: view.options[0])
"""


@pytest.mark.slow
def test_a_bot_may_import_the_arena_in_each_tier(tier, tmp_path):
    """It sees the arena if that is installed with its Python, or in a folder that is shared with it."""
    packages = tmp_path / "packages"
    shutil.copytree(Path(arena.__file__).parent / "library", packages / "arena" / "library")
    shutil.copy(arena.__file__, packages / "arena")
    (tmp_path / "importer.py").write_text(BOT.format(place=str(packages)))
    bots = {"importer": read_bot(tmp_path / "importer.py", [share(packages)])}
    bots["random"] = read_bot(RANDOM, name="random")
    with ProgramTable(bots, True, tier) as table:
        record = play_leisurely(table, list(bots), "complots", "importer", {})
    assert record.faults == () and record.forfeits == ()
