"""The pages of a contest: who may do what, and that pages and JSON say the same."""

import asyncio
import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from asgi import ORIGIN, post, request, scope_of
from contest_folders import contest_with, fixed_final, put_settings
from contest_pages import Pages
from stored_runs import stored_run

from arena.contest import entrants, entries
from arena.contest.alarms import raise_alarm
from arena.contest.pages import reading
from arena.contest.pages.expected import ExpectedFinal
from arena.contest.pages.organiser import ORDERS
from arena.contest.settings import Frozen, Place, PlayerState, Published, VoidDeal
from arena.web import run_page, run_views, security
from arena.web.backup import copy_folder
from arena.web.reading import ReadingProcess, answer_by

SCRIPT = "<script>alert(1)</script>"
FROZEN, PUBLISHED = Frozen(datetime.now(UTC)), Published(datetime.now(UTC), "x")
PLACE = {"team": "", "elo": 0.0, "error": None, "range": (1, 3), "score": 0.5, "games": 6}


@pytest.fixture
def pages(tmp_path):
    return Pages(tmp_path / "spring", "ada", "bob")


@pytest.fixture
def read_here(monkeypatch):
    """Run files are read in this process: to start one takes a second."""

    async def ask(self: ReadingProcess, function: str, *arguments: Any) -> dict[str, Any]:
        functions = reading.FUNCTIONS if self._module == reading.MODULE else run_views.FUNCTIONS
        found: dict[str, Any] = json.loads(json.dumps(answer_by(functions, function, arguments)))
        return found

    monkeypatch.setattr(ReadingProcess, "ask", ask)


# Handing in.


def test_an_archive_comes_by_curl_or_by_the_page(pages):
    first = pages.hand_in("ada", b"one").json()
    assert (first["version"], first["state"], first["words"]) == (
        1,
        "received",
        "waits for its turn, number 1 in the queue",
    )
    by_page = pages.put(b"two", "/entry?as=ada", cookie=pages.cookie("ada"), origin=ORIGIN)
    assert by_page.status == 201 and by_page.json()["version"] == 2
    assert (pages.server.contest.uploads("ada") / "2").read_bytes() == b"two"
    states = [each["state"] for each in pages.json("/api/entries?as=ada", pages.cookie("ada"))["entries"]]
    assert states == ["received", "replaced"]


REFUSED = [
    ({}, 403, "no token, and no origin"),
    ({"origin": ORIGIN}, 401, "no token, by a page"),
    ({"authorization": "Bearer forged"}, 401, "a forged token"),
    ({"authorization": "Basic YWRhOmFkYQ=="}, 401, "a password"),
    ({"authorization": "Bearer TOKEN", "origin": "http://evil.example"}, 403, "a script of another site"),
    ({"authorization": "Bearer TOKEN", "sec-fetch-site": "cross-site"}, 403, "another site"),
    ({"authorization": "Bearer TOKEN", "content-length": "16777217"}, 413, "one byte more than 16 MB"),
    ({"authorization": "Bearer TOKEN", "content-length": "0"}, 400, "an empty archive"),
    ({"authorization": "Bearer TOKEN", "content-length": "-1"}, 400, "a negative length"),
    ({"authorization": "Bearer TOKEN", "content-length": "9"}, 400, "fewer bytes than it says"),
    ({"authorization": "Bearer TOKEN", "content-length": "3"}, 400, "more bytes than it says"),
    (
        {"authorization": "Bearer TOKEN", "transfer-encoding": "chunked"},
        400,
        "two lengths: a proxy may believe the other one",
    ),
]


@pytest.mark.parametrize("headers, status, what", REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_refused_leaves_nothing(pages, headers, status, what):
    sent = {name: value.replace("TOKEN", pages.tokens["ada"]) for name, value in headers.items()}
    assert pages.put(b"archive", **sent).status == status
    assert not [*pages.server.contest.uploads("").glob("*/*")]
    assert pages.json("/api/entries?as=ada", pages.cookie("ada"))["entries"] == []


def test_an_archive_without_a_length_is_refused(pages):
    headers = {"authorization": f"Bearer {pages.tokens['ada']}", "transfer-encoding": "chunked"}
    assert request(pages.app, "PUT", "/entry", b"archive", headers).status == 411


def test_only_the_address_of_entries_takes_a_put(pages):
    headers = {"authorization": f"Bearer {pages.tokens['ada']}"}
    assert [pages.put(b"x", path, **headers).status for path in ("/", "/entrant", "/entry/x")] == [405] * 3


def test_a_connection_that_ends_in_the_middle_leaves_nothing(pages):
    parts = [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]
    headers = {"authorization": f"Bearer {pages.tokens['ada']}", "content-length": "8"}

    async def receive() -> dict[str, Any]:
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    asyncio.run(pages.app(scope_of("PUT", "/entry", headers), receive, send))
    assert not [*pages.server.contest.uploads("").glob("*/*")]


def test_an_archive_that_stops_coming_is_not_waited_for(pages, monkeypatch):
    monkeypatch.setattr(security, "UPLOAD_PAUSE_S", 0.01)
    parts = [{"type": "http.request", "body": b"half", "more_body": True}]
    headers = {"authorization": f"Bearer {pages.tokens['ada']}", "content-length": "8"}
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return parts.pop(0) if parts else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(pages.app(scope_of("PUT", "/entry", headers), receive, send))
    assert sent[0]["status"] == 400 and not [*pages.server.contest.uploads("").glob("*/*")]


def test_a_token_that_was_replaced_or_revoked_opens_nothing(pages):
    cookie, old = pages.cookie("ada"), pages.tokens["ada"]
    link = pages.order("link", entrant="ada").json()["link"]
    assert pages.hand_in("ada").status == 401
    assert pages.get("/api/entrant?as=ada", cookie=cookie).status == 401
    assert post(pages.app, "/entrant/open", {"token": old}).status == 403
    pages.tokens["ada"] = link.partition("#")[2]
    assert pages.hand_in("ada").status == 201


# What belongs to one entrant.


def test_an_entrant_reads_nothing_of_another(pages):
    pages.hand_in("bob")
    ada = pages.cookie("ada")
    for path in ("/api/entrant", "/api/entries", "/api/games/g1/lines", "/api/games/g1/stderr"):
        assert pages.get(f"{path}?as=bob", cookie=ada).status == 401
    assert pages.get("/entrant/bob", cookie=ada).status == 403
    assert pages.get("/entrant/bob/games", cookie=ada).status == 403
    for what in ("withdraw", "declines", "question", "scrimmage"):
        assert post(pages.app, f"/entrant/{what}?as=bob", {}, cookie=ada).status == 401
    assert entrants.find(pages.state, "bob").withdrawn is None


def test_names_of_entrants_may_have_any_letters(tmp_path):
    pages = Pages(tmp_path / "spring", "müller+1")
    cookie = pages.cookie("müller+1")
    assert "müller+1" in pages.page("/entrant/m%C3%BCller%2B1", cookie)
    assert pages.put(b"x", "/entry?as=m%C3%BCller%2B1", cookie=cookie, origin=ORIGIN).status == 201


def test_the_pages_say_what_equal_deals_leave_open(pages, tmp_path):
    """Both plans that `init` writes have a deal for each game; the fixed list decides for a final."""
    open_to = "A program may still leave traces in the machine"
    own = "a program that knows the cards of one game knows nothing of another"
    home, final = (pages.page(path) for path in ("/", "/final"))
    assert open_to not in home + final and own in final
    assert pages.json("/api/contest")["deals"] == pages.json("/api/final")["deals"] == "per-game"
    for plan in ("ladder", "final"):
        path = tmp_path / "spring" / f"{plan}.yaml"
        path.write_text(path.read_text().replace("deals: per-game", "deals: per-group"))
    pages = Pages(tmp_path / "spring")
    home, final = (pages.page(path) for path in ("/", "/final"))
    assert open_to in home and open_to in final and own not in final
    assert pages.json("/api/contest")["deals"] == pages.json("/api/final")["deals"] == "per-group"
    put_settings(pages.state, final=fixed_final(text='{"deals":"per-game"}'))
    assert pages.json("/api/final")["deals"] == "per-game" and own in pages.page("/final")
    put_settings(pages.state, final=None)
    (tmp_path / "spring" / "final.yaml").write_text("deals: [")
    assert pages.json("/api/final")["deals"] is None and own not in pages.page("/final")


def test_a_page_that_a_browser_has_opened_is_found_again(pages):
    assert '<a href="/entrant/ada">ada</a>' in pages.page("/entrant", pages.cookie("ada"))
    assert "/entrant/ada" not in pages.page("/entrant")


def test_it_is_said_what_plays_whatever_its_state(pages):
    """An entry that is judged again plays on; one whose entrant is excluded does not."""
    pages.hand_in("ada")
    database = pages.server.contest.database()
    database.write("UPDATE entry SET state = 'playing', fingerprint = 'abc'")
    entries.rejudge(database)

    def told():
        found = pages.json("/api/entries?as=ada", pages.cookie("ada"))["entries"]
        return found[0]["words"], pages.json("/api/contest")["counts"]["playing"]

    assert told() == ("waits for its turn, number 1 in the queue; it plays on", 1)
    assert pages.json("/api/contest")["counts"]["entries"] == 1
    pages.order("exclude", entrant="ada", why="x")
    assert told() == ("does not play: its entrant is excluded", 0)
    pages.order("readmit", entrant="ada")
    database.write("UPDATE entry SET state = 'playing'")
    put_settings(pages.state, final=fixed_final(listed=(("ada", "abc"),)))
    assert told() == ("plays in the final", 1)


def test_the_seats_of_a_scrimmage_have_names_for_people():
    """Also where an entrant was deleted meanwhile."""
    assert reading._shown(["ada", "_2.bob", "_3.ada"], {"bob": "deleted-1"}) == [
        "ada", "deleted-1 (2)", "ada (3)",
    ]  # fmt: skip


@pytest.fixture
def ladder(pages, read_here):
    """A ladder with games of ada, bob and others, of seed groups that are over and that are not."""
    return stored_run(pages.server.contest.runs / "ladder.db", ("ada", "bob", "cal", "dan"))


def test_an_entrant_has_the_lines_and_the_stderr_of_its_own_seats(pages, ladder):
    ada = pages.cookie("ada")
    games = reading.games(str(ladder), "ada", 100).games
    assert games and all("ada" in game["bots"] for game in games)
    page = pages.page("/entrant/ada/games", ada)
    for game in games:
        address = f"/api/games/{game['id']}/lines?run=ladder&amp;as=ada"
        assert (address in page) == game["is_shown"]
        answer = pages.get(address.replace("&amp;", "&"), cookie=ada)
        assert answer.status == (200 if game["is_shown"] else 404)
        if game["is_shown"]:
            assert answer.headers["content-type"].startswith("text/plain")
            assert answer.headers["content-disposition"].startswith("attachment")
            seats = [line for line in answer.body.decode().splitlines() if line.startswith("# p")]
            assert seats == [f"# {seat} ada" for seat in game["seats"]]
    others = [game for game in reading.games(str(ladder), "bob", 100).games if "ada" not in game["bots"]]
    assert others
    assert pages.get(f"/api/games/{others[0]['id']}/lines?as=ada", cookie=ada).status == 404


@pytest.mark.parametrize("run", ["final", "people", "../server/server", "/etc/passwd", "ladder.db"])
def test_no_other_file_is_read_for_an_entrant(pages, ladder, run):
    answer = pages.get(f"/api/games/g1/lines?as=ada&run={run}", cookie=pages.cookie("ada"))
    assert answer.status == 404


# The organiser.


def test_only_the_organiser_gives_orders(pages):
    ada = pages.cookie("ada")
    for name in ORDERS:
        pages.server.rates._buckets.clear()  # who guesses so often has to wait
        for headers in ({}, {"cookie": ada}, {"authorization": f"Bearer {pages.tokens['ada']}"}):
            values = {"entrant": "bob", "why": "x", "again": "bob", "paused": True, "text": "x"}
            assert post(pages.app, f"/organiser/{name}", values, **headers).status == 403
        cross = {"origin": "http://evil.example", "cookie": pages.operator}
        assert post(pages.app, f"/organiser/{name}", {}, **cross).status == 403
    assert pages.get("/api/organiser", cookie=ada).status == 403
    assert "bob" not in pages.page("/operator", ada)


def test_what_the_organiser_does(pages):
    """A day of an organiser, as its page posts it, and what entrants see of it."""
    ada = pages.cookie("ada")
    assert pages.order("notice", text="Lunch is at noon.").status == 200
    assert "Lunch is at noon." in pages.page("/") and "Lunch is at noon." in pages.page("/entrant/ada", ada)
    assert pages.act("ada", "question", text="May a bot use two threads?").status == 200
    question = pages.json("/api/organiser", pages.operator)["questions"][0]["id"]
    assert pages.order("answer", question=question, answer="Yes.", is_public=False).status == 200
    assert "two threads" not in pages.page("/") and "Yes." in pages.page("/entrant/ada", ada)
    assert pages.order("answer", question=question, answer="Yes, two.", is_public=True).status == 200
    assert "Yes, two." in pages.page("/") and "ada" not in json.dumps(pages.json("/api/contest")["answers"])
    pages.order("pause", paused=True)
    waits = "2 bots are too few for 4 seats; waiting for more"
    put_settings(pages.state, players={"player": PlayerState(waits=waits)})
    assert "no games yet: 2 bots are too few for 4 seats; waiting for more." in pages.page("/")
    assert "paused" in pages.page("/") and pages.json("/api/contest")["is_paused"]
    pages.order("pause", paused=False)
    assert "paused" not in pages.page("/")
    pages.order("exclude", entrant="bob", why="It attacked the server.")
    assert "It attacked the server." in pages.page("/entrant/bob", pages.cookie("bob"))
    assert pages.hand_in("bob").status == 403
    pages.order("readmit", entrant="bob")
    assert pages.hand_in("bob").status == 201
    assert pages.order("deadline", deadline="2037-01-01 12:00 Europe/Paris").status == 200
    assert "The deadline was moved to 2037-01-01 12:00 Europe/Paris." in pages.page("/")
    raise_alarm(pages.state, 1.0, "player", "the engine has died")
    assert "the engine has died" in pages.page("/operator", pages.operator)
    pages.order("see", alarm=pages.json("/api/organiser", pages.operator)["alarms"][0]["id"])
    assert "the engine has died" not in pages.page("/operator", pages.operator)


def test_the_data_of_an_entrant_is_deleted_with_its_tokens(pages):
    pages.hand_in("bob")
    cookie = pages.cookie("bob")
    assert pages.order("delete", entrant="bob", again="bop").status == 400
    assert pages.order("delete", entrant="bob", again="bob").status == 200
    assert pages.get("/api/entrant?as=bob", cookie=cookie).status == 401
    assert pages.hand_in("bob").status == 401
    assert "bob" not in json.dumps(pages.json("/api/organiser", pages.operator))


def test_the_games_of_a_deleted_entrant_have_another_name(pages, ladder):
    pages.order("delete", entrant="bob", again="bob")
    assert entrants.aliases(pages.state) == {"bob": "deleted-1"}
    rows = pages.json("/api/standings")["standings"][0]["bots"]
    assert {row["bot"] for row in rows} == {"ada", "deleted-1", "cal", "dan"}
    texts = [pages.page(path) for path in ("/", "/runs/ladder", "/runs/ladder/games")]
    game = next(each["id"] for each in reading.games(str(ladder), "bob", 9).games if each["is_shown"])
    (packed,) = re.findall(r'arena.show\("(.*)"\)', pages.page(f"/runs/ladder/games/{game}.js"))
    texts.append(zlib.decompress(b64decode(packed)).decode())
    texts.append(pages.page("/entrant/ada/games", pages.cookie("ada")))
    assert [("bob" in text, "deleted-1" in text) for text in texts] == [(False, True)] * 5


WRONG = [
    ("deadline", {"deadline": "2036-12-01 18:00"}, 400, "zone"),
    ("deadline", {"deadline": "2001-01-01 18:00 UTC"}, 400, "past"),
    ("freeze", {"freeze": "2040-01-01 18:00 UTC"}, 400, "before the deadline"),
    ("add", {"name": "../x", "team": "", "author": ""}, 400, "name"),
    ("add", {"name": "ADA", "team": "", "author": ""}, 400, "taken"),
    ("add", {"name": "x"}, 400, "team"),
    ("exclude", {"entrant": "nobody", "why": "x"}, 404, "no such entrant"),
    ("exclude", {"entrant": "ada", "why": " "}, 400, "reason"),
    ("judge", {"entry": 99}, 409, "no such entry"),
    ("judge", {}, 400, "a number"),
    ("judge", {"entry": True}, 400, "a number"),
    ("see", {"alarm": "x"}, 400, "a number"),
    ("answer", {"question": 10**30, "answer": "x"}, 400, "a number"),
    ("freeze", {"freeze": "0226-12-01 18:00 UTC"}, 400, "the year"),
    ("notice", {"text": ""}, 400, "characters"),
    ("notice", {"text": "x" * 6000}, 400, "characters"),
    ("take-back", {"notice": 3}, 404, "no such notice"),
    ("answer", {"question": 3, "answer": "x"}, 404, "no such question"),
    ("tell", {}, 409, "not over"),
    ("publish", {}, 409, "not over"),
]


@pytest.mark.parametrize("what, values, status, text", WRONG)
def test_orders_that_make_no_sense_are_refused_with_a_reason(pages, what, values, status, text):
    answer = pages.order(what, **values)
    assert answer.status == status and text in answer.json()["error"], answer.body


# What strangers write.


def test_no_text_of_a_stranger_becomes_html(pages):
    pages.state.write("UPDATE entrant SET team = ?, author = ? WHERE name = 'ada'", SCRIPT, SCRIPT)
    id = pages.hand_in("ada").json()["id"]
    findings = json.dumps([{"check": SCRIPT, "verdict": "fault", "words": SCRIPT, "details": [SCRIPT]}])
    sql = "UPDATE entry SET state = 'failed', why = ?, findings = ? WHERE id = ?"
    pages.state.write(sql, SCRIPT, findings, id)
    pages.act("ada", "question", text=SCRIPT)
    pages.order("notice", text=SCRIPT)
    pages.order("exclude", entrant="ada", why=SCRIPT)
    pages.server.contest.rules.write_text(f"# Rules\n\n{SCRIPT}\n")
    raise_alarm(pages.state, 1.0, "player", SCRIPT)
    final = fixed_final(state="over", listed=((SCRIPT, SCRIPT),), why=SCRIPT, plan=SCRIPT)
    place = Place(**PLACE | {"place": 1, "name": SCRIPT, "team": SCRIPT})
    put_settings(pages.state, final=final, places=(place,), podium=1)
    texts = [pages.page(path) for path in ("/", "/rules", "/final")]
    texts += [pages.page("/entrant/ada", pages.cookie("ada")), pages.page("/operator", pages.operator)]
    assert [("alert(1)" in text, SCRIPT in text) for text in texts] == [(True, False)] * len(texts)
    assert not [
        text for text in texts if re.search(r"<script(?! defer src=\"/static/)|\son\w+=|style=", text)
    ]


def test_a_question_is_short_and_few_wait_for_an_answer(pages):
    assert pages.act("ada", "question", text="x" * 3000).status == 400
    assert [pages.act("ada", "question", text="x").status for _ in range(11)] == [200] * 10 + [429]


# Pages and JSON.


def numbers(text: str) -> set[str]:
    """The texts of a page, without its markup."""
    return set(re.sub(r"<[^>]*>", "\n", text).replace(",", "").split())


def test_standings_that_take_long_come_later(pages, ladder, monkeypatch):
    """On a busy machine, or just after the start: a page does not wait, and a program does."""
    read = ReadingProcess.ask

    async def ask(self: ReadingProcess, *arguments: Any) -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return await read(self, *arguments)

    monkeypatch.setattr(ReadingProcess, "ask", ask)
    monkeypatch.setattr(run_page, "_FIRST_S", 0.0)
    home = pages.page("/")
    assert "The games are being rated" in home and "run.js" in home and "no games yet" not in home
    assert pages.json("/api/standings")["games"] > 0


def test_pages_and_json_agree(pages, ladder):
    pages.hand_in("ada")
    pages.order("freeze", freeze="2036-11-30 18:00 Europe/Paris")
    pages.order("notice", text="Lunch")
    found, home = pages.json("/api/contest"), pages.page("/")
    assert found["title"] in home and found["deadline"]["text"] in home and "Lunch" in home
    assert found["deadline"]["at"] == "2036-12-01T18:00:00+01:00"
    counts = found["counts"]
    way = counts["received"] + counts["in_work"] + counts["waiting"]
    assert f"{counts['entrants']} entrants take part" in home and f"{way} entry is on the way" in home
    standings = pages.json("/api/standings")
    (kind,) = standings["standings"]
    assert standings["games"] and {row["bot"] for row in kind["bots"]} == {"ada", "bob", "cal", "dan"}
    shown = numbers(home)
    for row in kind["bots"]:
        assert {row["bot"], str(row["games"])} <= shown
    assert standings == pages.json("/runs/ladder/standings.json") | {"run": "ladder"}
    me = pages.json("/api/entrant?as=ada", pages.cookie("ada"))
    page = pages.page("/entrant/ada", pages.cookie("ada"))
    (entry,) = me["entries"]
    assert me["entries"] == pages.json("/api/entries?as=ada", pages.cookie("ada"))["entries"]
    for name in ("words", "sha256", "bytes"):
        assert str(entry[name]) in page
    organiser, text = pages.json("/api/organiser", pages.operator), pages.page("/operator", pages.operator)
    assert organiser["contest"]["counts"] == counts and organiser["contest"]["freeze"]["text"] in text
    assert f"{counts['received']} in the queue, {counts['in_work']} in work" in text


def test_places_of_the_final_are_told_from_the_last_one_upwards(pages):
    names = ["ada", "bob", "cal"]
    places = tuple(Place(place=number, name=name, **PLACE) for number, name in enumerate(names, 1))
    final = fixed_final(state="over", listed=tuple((name, "f") for name in names))
    prize = "May be first: ada, bob."
    places = (places[0], replace(places[1], may_be_first=True, may_be_on_podium=True), places[2])
    put_settings(pages.state, places=places, final=final, prize=prize)
    seen = []
    for told in range(4):
        found, page = pages.json("/api/final"), pages.page("/final")
        assert page.count("It may be first.") == (told > 1)
        assert (prize in page) == (found["prize"] == prize) == (told == 3)
        seen.append([each["name"] for each in found["places"]])
        assert page.count('<li class="place-') == told == 3 - found["untold"]
        assert pages.order("tell").status == 200
    assert seen == [[], ["cal"], ["bob", "cal"], ["ada", "bob", "cal"]]


def expected_of(pages):
    """The forecast of the final after the process that computes it has answered."""
    expected = ExpectedFinal(pages.server.contest, pages.state)

    async def wait():
        assert expected.newest() is None
        await asyncio.gather(*filter(None, [expected._task]))
        return expected.newest()

    return asyncio.run(wait())


def test_the_organiser_sees_how_sure_the_podium_of_the_final_will_be(tmp_path, read_here):
    """With strengths as on the ladder, and before its first game with assumed ones."""
    contest = contest_with(tmp_path / "spring", ("ada", "bob", "cyd", "dan"), groups=40)
    pages = Pages(contest.folder)
    assumed = expected_of(pages)
    assert (assumed["like"], assumed["spread"], assumed["entries"]) == (None, 200, 4)
    stored_run(contest.run("ladder"), ("ada", "bob", "cyd", "dan"), games=120)
    found = expected_of(pages)
    assert found["like"] == "ladder" and found["spread"] < 200 and found["first"] < assumed["first"]
    assert str(contest.folder) not in json.dumps(found)
    contest.final.write_text(contest.final.read_text().replace("groups: 40", "groups: 400"))
    assert expected_of(pages)["error"] < assumed["error"] / 2


def test_without_enough_entries_there_is_no_forecast(tmp_path, read_here):
    contest = contest_with(tmp_path / "spring", ("ada",))
    pages = Pages(contest.folder)
    assert expected_of(pages) is None


def test_the_organisers_page_has_the_forecast(pages, monkeypatch):
    values = {"entries": 12, "error": 39.4, "apart": 101.2, "spread": 143, "like": "ladder"}
    for first, podium, words in (
        (0.45, 0.2, "in 45 % of such finals, and three entries are surely the first three in 20 %."),
        (0.45, None, "in 45 % of such finals."),
    ):
        found = values | {"first": first, "podium": podium}
        monkeypatch.setattr(ExpectedFinal, "newest", lambda self, found=found: found)
        page = pages.page("/operator", pages.operator)
        assert "the 12 entries that play now: Elo ± 39" in page and words in page and "on the ladder" in page
        assert pages.json("/api/organiser", pages.operator)["forecast"] == found
    put_settings(pages.state, final=fixed_final())
    assert pages.json("/api/organiser", pages.operator)["forecast"] is None
    assert "forecast" not in pages.json("/api/contest") and "forecast" not in pages.json("/api/final")


def test_the_final_shows_each_void_group_with_its_reason(pages):
    voids = [{"group": "ada bob 3", "deal": 1, "games": 2, "why": "OSError: <b>full</b>"}]
    assert "Void games" not in pages.page("/final")
    put_settings(pages.state, final=fixed_final(voids=tuple(VoidDeal(**each) for each in voids)))
    page = pages.page("/final")
    assert "ada bob 3" in page and "OSError: &lt;b&gt;full&lt;/b&gt;" in page
    assert pages.json("/api/final")["voids"] == voids


def test_the_final_and_scrimmages_are_no_public_runs(pages, read_here):
    for name in ("ladder", "final", "scrimmages", "frozen"):
        stored_run(pages.server.contest.runs / f"{name}.db", ("ada", "bob", "cal", "dan"))

    def public() -> list[str]:
        names = ("ladder", "final", "scrimmages", "frozen")
        return [name for name in names if pages.get(f"/runs/{name}/standings.json").status == 200]

    assert public() == ["ladder"]
    put_settings(pages.state, frozen=FROZEN)
    assert public() == ["frozen"] and pages.json("/api/standings")["run"] == "frozen"
    put_settings(pages.state, published=PUBLISHED)
    assert public() == ["ladder", "final"] and pages.json("/api/standings")["run"] == "ladder"


def test_while_the_standings_are_frozen_the_organiser_alone_sees_the_ladders(pages, read_here):
    runs = ("ladder", "remote", "final", "scrimmages")
    for name in (*runs, "frozen"):
        stored_run(pages.server.contest.run(name), ("ada", "bob", "cal", "dan"))
    put_settings(pages.state, frozen=FROZEN)

    def seen(cookie: str) -> list[str]:
        below = "", "/standings.json", "/games", "/live/0"
        paths = {name: [f"/runs/{name}{path}" for path in below] for name in runs}
        return [
            name for name in runs if {pages.get(path, cookie=cookie).status for path in paths[name]} == {200}
        ]

    assert (seen(""), seen(pages.cookie("ada")), seen(pages.operator)) == ([], [], ["ladder", "remote"])
    assert 'href="/runs/ladder"' in pages.page("/operator", pages.operator)
    assert "/runs/ladder" not in pages.page("/") and pages.json("/api/remote")["run"] == "frozen-remote"


def test_a_remote_entrant_has_a_page_without_what_only_entries_need(pages, read_here):
    assert pages.order("add", name="eve", team="", author="", remote=True).status == 200
    pages.tokens["eve"] = entrants.new_token(pages.server.database, "eve")
    stored_run(pages.server.contest.run("remote"), ("eve", "bob", "cal", "dan"))
    page = pages.page("/entrant/eve", pages.cookie("eve"))
    assert "arena connect" in page and "eve.token" in page and "is not connected" in page
    assert "<h2>Hand in</h2>" not in page and "<h2>Scrimmages</h2>" not in page
    games = pages.page("/entrant/eve/games", pages.cookie("eve"))
    assert "/lines?run=remote" in games and "/stderr?" not in games
    assert "remote, not connected" in pages.page("/operator", pages.operator)
    assert pages.json("/api/entrant?as=ada", pages.cookie("ada"))["opponents"] == ["bob"]
    found = pages.json("/api/remote")
    assert found["entrants"] == [{"name": "eve", "team": "", "is_connected": False}]
    assert found["games"] == 12
    assert "<h2>Remote entrants</h2>" in pages.page("/") and "0 of 1 are connected" in pages.page("/")
    stored_run(pages.server.contest.run("ladder"), ("ada", "bob", "cal", "dan"))
    page = pages.page("/")
    ids = re.findall(r' id="([^"]+)"', page)
    assert page.count('class="standings"') == 2 and len(ids) == len({*ids}), "the columns are explained once"


def test_the_pages_install_the_wheel_that_the_server_offers(pages):
    assert pages.order("add", name="eve", team="", author="", remote=True).status == 200
    pages.tokens["eve"] = entrants.new_token(pages.server.database, "eve")
    for page in (pages.page("/"), pages.page("/final"), pages.page("/entrant/eve", pages.cookie("eve"))):
        (path,) = re.findall(rf"pip install (?:'bot-arena\[web\] @ )?{ORIGIN}(/[^' ]+\.whl)", page)
        assert pages.get(path).status == 200


@pytest.mark.parametrize(
    "order, why",
    [
        (None, ""),
        (("exclude", {"entrant": "eve", "why": "a person"}), "the organiser has excluded eve: a person"),
        (("delete", {"entrant": "eve", "again": "eve"}), "the token is not valid there (or not any more)"),
        (("link", {"entrant": "eve"}), "the token is not valid there (or not any more)"),
    ],
)
def test_a_remote_entrant_connects_by_its_token_as_long_as_it_takes_part(pages, order, why):
    pages.order("add", name="eve", team="", author="", remote=True)
    token = entrants.new_token(pages.server.database, "eve")
    if order:
        assert pages.order(order[0], **order[1]).status == 200
    answers = [_connect(pages, each) for each in (token, pages.tokens["ada"], "")]
    hands_in = "ada hands in its bot (curl -T): only a remote entrant plays from its own machine"
    assert answers == [why, hands_in, "the token is not valid there (or not any more)"]


def _connect(pages, token: str) -> str:
    """Why the server does not accept a client with this token; "" if it does."""
    scope = scope_of("GET", "/connect", {"authorization": f"Bearer {token}"})
    scope |= {"type": "websocket", "scheme": "ws", "subprotocols": []}
    scope["extensions"] = {"websocket.http.response": {}}
    messages, sent = [{"type": "websocket.connect"}], []

    async def receive() -> Any:
        await asyncio.sleep(0)
        return messages.pop(0) if messages else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(pages.app(scope, receive, send))
    assert sent[0].get("status", 401) == 401
    return b"".join(each.get("body", b"") for each in sent).decode().strip()


def test_the_files_of_the_result_are_public_once_it_is_published(pages):
    folder = pages.server.contest.published
    (folder / "entries").mkdir(parents=True)
    (folder / "final.db").write_bytes(b"run")
    (folder / "link").symlink_to(pages.server.contest.secret)
    paths = ("final.db", "link", "entries", "..%2Fserver%2Fsecret", "%2Fetc%2Fpasswd", "")
    assert [pages.get(f"/published/{path}").status for path in paths] == [404] * 6
    put_settings(pages.state, published=PUBLISHED)
    assert [pages.get(f"/published/{path}").status for path in paths] == [200] + [404] * 5
    assert pages.json("/api/final")["files"] == [{"name": "final.db", "bytes": 3}]
    answer = pages.get("/published/final.db")
    assert answer.headers["content-length"] == "3"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert 'href="/published/final.db"' in pages.page("/final")


def test_no_page_is_stored_or_opened_by_another_site(pages):
    for path in ("/", "/entrant/ada", "/api/contest"):
        headers = pages.get(path).headers
        assert (
            headers["cache-control"] == "no-store"
            and "default-src 'none'" in headers["content-security-policy"]
        )


def test_a_backup_of_a_contest_is_a_contest(pages, tmp_path):
    """Tokens stay valid, and each entry has its archive."""
    pages.hand_in("ada", b"archive")
    copy_folder(tmp_path / "spring", tmp_path / "copy")
    copy = Pages(tmp_path / "copy")
    copy.tokens = pages.tokens
    (entry,) = copy.json("/api/entries?as=ada", copy.cookie("ada"))["entries"]
    assert (copy.server.contest.uploads("ada") / str(entry["version"])).read_bytes() == b"archive"
    assert copy.server.contest.secret.read_text() == pages.server.contest.secret.read_text()
