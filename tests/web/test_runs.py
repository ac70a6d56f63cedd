"""Pages of runs: what they show, what they hide, and what changes in them while a run is played."""

import asyncio
import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace as Namespace
from typing import Any

import pytest
from asgi import Answer, app_for, get, scope_of, server_for
from stored_runs import random_record, write_run

from arena.games import GAMES
from arena.programs.play.live import LiveGame
from arena.referee.conditions import REMOTE
from arena.referee.game_check.random_games import play
from arena.referee.placings import Placing, Placings
from arena.referee.record import Record
from arena.rules import Ask, Tell
from arena.rules.match import Match
from arena.show.tables.notes import WHY_APART
from arena.tournament.live import show_live, with_live_progress
from arena.tournament.run import Progress
from arena.tournament.runs.store import Store
from arena.tournament.runs.stored_game import pack
from arena.web import live_games, run_page, run_views
from arena.web.access import Access
from arena.web.app import create_app
from arena.web.reading import ReadingProcess, answer_by
from arena.web.reports import file_of_report, report_folder

NAMES = ("ann", "bob")
PLAN = {
    "run": "run",
    "game": "complots",
    "version": GAMES["complots"].version,
    "options": {},
    "seats": [2],
    "format": "round-robin",
    "clock": {},
    "bots": {name: f"f{name}" for name in NAMES},
    "groups": 2,
}


def games_of(group: int, rotations: int) -> list[Record]:
    """The first games of a seed group, all with the same deal."""
    first = random_record(group, NAMES)
    turned = [replace(first.fixture, rotation=rotation) for rotation in range(rotations)]
    return [replace(first, fixture=fixture, trace={"stderr": {"1": "canary-stderr"}}) for fixture in turned]


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run files are read in this process: to start one takes a second."""

    async def ask(self: ReadingProcess, function: str, *arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(json.dumps(answer_by(run_views.FUNCTIONS, function, arguments)))
        return answer

    monkeypatch.setattr(ReadingProcess, "ask", ask)
    for module in (live_games, run_page):
        monkeypatch.setattr(module, "_LOOK_S", 0.01)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two seed groups; a game of the second is missing."""
    (tmp_path / "runs").mkdir()
    games = [*games_of(0, 2), *games_of(1, 1)]
    return write_run(tmp_path / "runs" / "a run.db", games, plan=PLAN, secret="canary-secret")


def pages(run: Path, *paths: str, **headers: str) -> list[Answer]:
    app = app_for(run.parent / "server", runs=run.parent)
    return [get(app, path, **headers) for path in paths]


def unpacked(script: bytes) -> Any:
    found = re.fullmatch(rb'arena.show\("(.*)"\);\n', script)
    assert found
    return json.loads(zlib.decompress(b64decode(found[1])))


def ids(run: Path) -> list[str]:
    with Store(run) as store:
        return [game.id for game in store.games()]


def test_the_page_of_a_run_has_standings_and_games(run):
    home, page, games = pages(run, "/", "/runs/a%20run", "/runs/a%20run/games")
    assert "/runs/a%20run" in home.body.decode()
    assert "3 games are over" in page.body.decode() and "too few games" in page.body.decode()
    links = re.findall(r'href="(/runs/a%20run/games/\w+)">(\d)<', games.body.decode())
    first, second, _ = ids(run)
    assert links == [(f"/runs/a%20run/games/{second}", "2"), (f"/runs/a%20run/games/{first}", "1")]


def test_a_damaged_run_gets_a_sentence(run):
    run.write_bytes(b"not a database" * 1000)
    page, games = pages(run, "/runs/a%20run", "/runs/a%20run/games")
    assert page.status == 200 and page.body.decode().count("not a run file, or a damaged one") == 3
    assert games.status == 500 and str(run.parent) not in games.body.decode() + page.body.decode()


def test_too_many_games_to_rate_get_a_sentence(run, monkeypatch):
    monkeypatch.setattr(run_views, "_MAX_RATED", 2)
    assert (
        "more than 2 games: `arena table` shows the standings" in pages(run, "/runs/a%20run")[0].body.decode()
    )


def test_a_game_is_shown_when_all_with_the_same_deal_are_over(run):
    first, second, closed = ids(run)
    paths = [f"/runs/a%20run/games/{id}" for id in (first, closed, "0" * 16)]
    found, refused, missing = pages(run, *paths)
    assert (found.status, found.headers["location"]) == (303, f"/runs/a%20run/game#{first}")
    assert refused.status == 404 and "same cards" in refused.body.decode()
    assert missing.status == 404
    script, refused, viewer = pages(run, f"{paths[0]}.js", f"{paths[1]}.js", "/runs/a%20run/game")
    game = unpacked(script.body)
    assert (game["bots"], game["number"], game["previous"], game["next"]) == ([*NAMES], 1, None, second)
    assert unpacked(pages(run, f"/runs/a%20run/games/{second}.js")[0].body)["next"] is None  # it is closed
    assert refused.status == 404
    assert b"/static/viewer.js" in viewer.body
    with Store(run, writer=True) as store:
        store.append(map(pack, games_of(1, 2)))
    assert pages(run, f"{paths[1]}.js")[0].status == 200


def test_a_game_with_a_deal_of_its_own_is_shown_when_it_is_over(run):
    with Store(run, writer=True) as store:
        store.write_facts(replace(store.facts, plan=PLAN | {"deals": "per-game"}))
    found = pages(run, *(f"/runs/a%20run/games/{id}.js" for id in ids(run)))
    assert [page.status for page in found] == [200] * 3


def test_a_void_game_closes_its_group_again(run):
    first = ids(run)[0]
    with Store(run, writer=True) as store:
        fixtures = [record.fixture for record in games_of(0, 2)]
        store.annul(fixtures[0], "Traceback\nOSError: <no space>\n", fixtures)
        store.append([pack(games_of(0, 2)[0])])  # with another deal
    refused, page = pages(run, f"/runs/a%20run/games/{first}.js", "/runs/a%20run")
    assert refused.status == 404
    assert b"Void games" in page.body and b"OSError: &lt;no space&gt;" in page.body


def test_no_page_and_no_log_has_the_secret_the_seeds_or_what_bots_wrote(run, capfd):
    first, _, closed = ids(run)
    below = ["", "/events", "/games", "/game", f"/games/{first}", f"/games/{first}.js", f"/games/{closed}"]
    found = pages(run, *(f"/runs/a%20run{path}" for path in below), "/", "/healthz", "/people")
    logged = "".join(capfd.readouterr()).encode()
    texts = [*(page.body for page in found), json.dumps(unpacked(found[5].body)).encode(), logged]
    for canary in (b"canary-secret", b"canary-stderr", b"secret 0", b"secret 1"):
        assert not any(canary in text for text in texts), canary
    with Store(run) as store:
        assert store.facts.secret == "canary-secret"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/runs/none", 404),
        ("/runs/none/events", 404),
        ("/runs/none/games", 404),
        ("/runs/a%20run/live/0", 200),
        ("/runs/a%20run/live/1000/events", 404),
        ("/runs/a%20run/live/" + 5000 * "9", 404),
        ("/runs/a%20run/live/-1", 404),
        ("/runs/a%20run/live/x", 404),
        ("/runs/a%20run/games?before=x", 200),
        ("/runs/a%20run/games?before=" + 5000 * "9", 200),
        ("/runs/..%2Fa%20run", 404),
        ("/runs/a%20run/report/index.html", 404),
        ("/people", 200),
        ("/people/games/" + "0" * 16, 404),
    ],
)
def test_addresses_that_lead_nowhere(run, path, status):
    assert pages(run, path)[0].status == status


def test_the_games_of_people_have_deals_of_their_own(run):
    write_run(run.parent / "server" / "people.db", [random_record(5, NAMES)])
    (id,) = ids(run.parent / "server" / "people.db")
    listed, script = pages(run, "/people", f"/people/games/{id}.js")
    assert f'href="/people/games/{id}"' in listed.body.decode()
    assert unpacked(script.body)["bots"] == [*NAMES]


def test_only_files_of_a_report_are_served(run):
    folder = report_folder(run.parent / "server", run)
    (folder / "charts").mkdir(parents=True)
    for name in ("index.html", "charts/a.svg", "other.html"):
        (folder / name).write_text(name)
    (folder / ".arena-report").write_text("index.html\ncharts/a.svg\nmissing.html\n")
    (run.parent / "server" / "server.txt").write_text("secret")
    assert all(file_of_report(folder, name) for name in ("index.html", "charts/a.svg"))
    others = ["other.html", "missing.html", ".arena-report", "../../server.txt", "charts", ""]
    assert not any(file_of_report(folder, name) for name in others)
    (page, run_page) = pages(run, "/runs/a%20run/report/charts/a.svg", "/runs/a%20run")
    assert (page.status, page.headers["content-type"]) == (200, "image/svg+xml")
    assert b"/runs/a%20run/report/index.html" in run_page.body


# Events


def events(data: bytes) -> list[tuple[str, str, Any]]:
    """The id, the name and the data of each event."""
    found = []
    for block in data.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "data" in fields:
            found.append((fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])))
    return found


class Watching:
    """A spectator of a page, which reads its events until the end of the block."""

    def __init__(self, app: Any, path: str, **headers: str):
        self._app, self._path, self._headers = app, path, headers
        self.data = b""

    async def __aenter__(self) -> "Watching":
        self._gone = asyncio.Event()
        scope = scope_of("GET", self._path, self._headers)
        self._task = asyncio.create_task(self._app(scope, self._receive, self._send))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._gone.set()
        await self._task

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.data += message.get("body", b"")

    async def end(self) -> None:
        """Wait for the end of the stream."""
        await self._task

    async def until(self, wanted: Any) -> list[tuple[str, str, Any]]:
        """All events, when `wanted` holds for them."""
        while not wanted(found := events(self.data)):
            await asyncio.sleep(0.01)
        return found


ALL_FOUR = "4 games are over", "4 games in 2 seed groups", ">4</a>"  # in the parts that change


def says(found: list[tuple[str, str, Any]], words: str) -> bool:
    return any(words in part["html"] for _, _, part in found)


def test_a_spectator_reads_what_changes_and_what_it_has_missed(run):
    async def watch() -> None:
        app = app_for(run.parent / "server", runs=run.parent)
        path = "/runs/a%20run/events"
        async with asyncio.timeout(20), Watching(app, path) as spectator:
            first = await spectator.until(lambda found: says(found, "3 games"))
            assert {part["name"] for _, _, part in first} == {"progress", "tables", "standings", "games"}
            with Store(run, writer=True) as store:
                store.append(map(pack, games_of(1, 2)))
            later = await spectator.until(lambda found: all(says(found, words) for words in ALL_FOUR))
            last = later[-1][0]
        # After that it connects again. One that has seen all hears nothing before the next change.
        async with asyncio.timeout(20), Watching(app, path, **{"last-event-id": last}) as again:
            async with Watching(app, path) as new:
                await new.until(lambda found: len(found) >= 4)
            assert events(again.data) == []

    asyncio.run(watch())


@pytest.mark.parametrize("page", ["", "/live/0"])
def test_streams_of_a_run_end_when_it_is_withheld(run, page):
    withheld = list[str]()

    class Withholding(Access):
        def withheld(self) -> list[str]:
            return withheld

    async def watch() -> None:
        server = replace(server_for(run.parent / "server", run.parent), access=Withholding())
        async with asyncio.timeout(60), Watching(create_app(server), f"/runs/a%20run{page}/events") as early:
            await early.until(len)
            withheld.append("a run")
            await early.end()

    asyncio.run(watch())


@pytest.fixture
def live(run: Path) -> Iterator[tuple[Path, Match, LiveGame]]:
    """The folder of the workers of a run, a game of Complots that is over, and the writer of worker 0."""
    rules = GAMES["complots"]
    with show_live(run) as folder:
        yield folder, play(rules, rules.defaults(), 2, "live"), LiveGame(folder / "0.json")
    assert not folder.exists()


def replayed(match: Match, live: LiveGame) -> Any:
    """Play a game again as the loop does; yields the match whenever its file was written."""
    again = Match(match.game, match.options, match.seats)
    live.begin(random_record(0, NAMES).fixture, again)
    now = 0.0
    for reply in match.replies:
        again.reply(reply)
        now += 0.2
        if now >= live.due and isinstance(again.step, Ask | None) and now < live.look(now) < inf:
            yield again


def steps_of_turn(match: Match) -> list[Any]:
    steps = [step for step, _ in match.log]
    begins = [isinstance(step, Tell) and step.text.startswith("turn ") for step in steps]
    return steps[len(begins) - begins[::-1].index(True) :]


def test_a_live_game_has_whole_turns_and_what_all_have_heard(run, live):
    folder, match, writer = live
    written = 0
    for again in replayed(match, writer):
        written += 1
        found = json.loads((folder / "0.json").read_text())
        told = [step.text for step, _ in again.log if isinstance(step, Tell) and step.to is None]
        assert found["news"] == told
        assert not any(type(step) is Ask for step in steps_of_turn(again)), "a seat has answered in it"
        assert not any(" hand=" in line for line in found["view"])
        assert found["view"] == again.game.public_view(again.position)
    assert written > 2
    writer.close()
    assert not (folder / "0.json").exists()


def test_spectators_of_a_game_hear_the_rest_of_it(run, live):
    folder, match, writer = live
    with Store(run) as store:
        plan = Namespace(format=Namespace(placings=lambda plan, played: Placings((Placing("bob", 0.5),))))
        with_live_progress(folder, lambda progress: None)(Progress(plan, 4, store.played()))

    async def watch() -> None:
        app = app_for(run.parent / "server", runs=run.parent)
        writes = replayed(match, writer)
        next(writes)
        async with asyncio.timeout(20), Watching(app, "/runs/a%20run/live/0/events") as early:
            await early.until(lambda found: len(found) == 1)
            for count, _ in enumerate(writes, 2):
                await early.until(lambda found, count=count: len(found) == count)
            async with Watching(app, "/runs/a%20run/live/0/events") as late:
                (whole,) = await late.until(lambda found: found)
            heard = [news for _, _, game in events(early.data) for news in game["news"]]
            assert heard == whole[2]["news"] and heard[0] == ["starter p2", "p2 has the first turn."]
            writer.close()
            found = await early.until(lambda found: found[-1][2] is None)
            assert found[0][1] == "game"

    asyncio.run(watch())
    page, home = pages(run, "/runs/a%20run", "/")
    assert "being played: 3 of 4 games are over" in home.body.decode()
    assert "3 of 4 games are over" in page.body.decode() and "Places so far" in page.body.decode()
    known = json.loads((folder / "progress.json").read_text())
    (folder / "progress.json").write_text(json.dumps(known | {"process": [known["process"][0], 0.0]}))
    assert "3 games are over" in pages(run, "/runs/a%20run")[0].body.decode(), "its process was killed"


def test_a_full_disk_hurts_no_game(live):
    folder, match, writer = live
    rmtree(folder)
    assert list(replayed(match, writer)) == [] and writer.due == inf


def test_games_of_remote_bots_are_rated_apart_and_have_deals_of_their_own(tmp_path):
    def remote(record: Record) -> Record:
        return replace(record, fixture=replace(record.fixture, fingerprints=("fann", REMOTE)))

    path = tmp_path / "remote.db"
    games = [*games_of(0, 2), remote(games_of(1, 1)[0])]
    plan = PLAN | {"bots": {"ann": "fann", "bob": REMOTE}}
    write_run(path, games, plan=plan, secret="canary-secret")
    page, listed = pages(path, "/runs/remote", "/runs/remote/games")
    assert WHY_APART.capitalize() in page.body.decode()
    assert len(re.findall("/runs/remote/games/", listed.body.decode())) == 3
