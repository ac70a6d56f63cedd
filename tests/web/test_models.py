"""`arena serve` plays a plan with language models, and nobody reads a prompt before the deal is over."""

import http.client
import json
import threading
import zlib
from base64 import b64decode

import psutil
import pytest
from chat_server import chat_server, last_option
from servers import served, wait_for

from arena.tournament.runs.ledger import CallStore
from arena.tournament.runs.store import Store

pytestmark = pytest.mark.slow

KEY = "sk-canary-0123456789abcdef"
THOUGHT = "I hold the secret duke"
PROMPT = "Reply with one JSON object"
LIMIT_S = 60


@pytest.fixture
def plan(tmp_path, first_bot, monkeypatch):
    """Writes a plan of one seed group, two games, with a model at this host; the user has its key."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CANARY_API_KEY", KEY)

    def write(host):
        model = f"model: chat-1, at: 'http://{host}/v1', key_env: CANARY_API_KEY"
        (tmp_path / "plan.yaml").write_text(
            "game: complots\nseats: 2\nseed: 1\ngroups: 1\nclock: {move: 20s}\n"
            f"bots:\n  gpt: {{{model}}}\n  other: {first_bot}\n"
        )
        return "plan.yaml"

    return write


def first_of_stream(server, path):
    """What comes first of a stream of events."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().read1()
    finally:
        connection.close()


def test_a_plan_with_a_model_is_played_and_its_prompts_are_shown_when_the_seed_group_is_over(
    tmp_path, plan, monkeypatch
):
    release, asked = threading.Event(), threading.Event()

    def answer(number, body):
        if "You are p1." in body["messages"][0]["content"] and len(body["messages"]) > 3:
            asked.set()
            release.wait(LIMIT_S)
        return json.dumps(json.loads(last_option(number, body)) | {"thoughts": THOUGHT})

    run = tmp_path / "runs" / "plan.db"
    with chat_server(answer) as chat, served(tmp_path, plan(chat.host), "--allow", "127.0.0.1") as server:
        wait_for(lambda: asked.is_set() and run.exists() and count(run) == 1, server.said())
        with CallStore(tmp_path / "runs" / "plan.db.calls", writer=False) as calls:
            assert sum(THOUGHT in call.reply.text for _, call in calls.calls()) > 2
        (game,) = games(run)
        below = ["", "/games", "/game", f"/games/{game}", f"/games/{game}.js", "/standings.json", "/live/0"]
        below += [".calls", ".db.calls", "/plan.db.calls", "/report/index.html", f"/report/games/{game}.js"]
        shown = {path: server.get(f"/runs/plan{path}") for path in below}
        shown |= {path: server.get(path) for path in ("/", "/people", "/runs/plan.db", "/plan.db.calls")}
        for stream in ("/events", *(f"/live/{path.stem}/events" for path in live_files(run))):
            shown[stream] = (200, first_of_stream(server, f"/runs/plan{stream}"))
        assert shown[""][0] == 200
        assert shown[f"/games/{game}.js"][0] == shown[".calls"][0] == shown[".db.calls"][0] == 404
        for path, (_, body) in shown.items():
            assert THOUGHT not in body.decode() and PROMPT not in body.decode(), path
        for process in psutil.Process(server.process.pid).children(recursive=True):
            with open(f"/proc/{process.pid}/environ", "rb") as file:
                assert KEY.encode() not in file.read(), process
        release.set()
        wait_for(lambda: "nothing is left to play" in server.said(), server.said())
        packed = server.get(f"/runs/plan/games/{game}.js")[1].decode().split('"')[1]
        script = zlib.decompress(b64decode(packed)).decode()
        assert THOUGHT in script and PROMPT in script and KEY not in script
        assert KEY not in server.said()
    monkeypatch.delenv("CANARY_API_KEY")
    with served(tmp_path, "plan.yaml") as server:  # a run that is complete needs no key
        wait_for(lambda: server.said().count("nothing is left to play") == 2, server.said())


def test_a_host_that_was_not_allowed_is_one_line_and_nothing_is_served(arena, tmp_path, plan):
    done = arena("serve", plan("127.0.0.1:9"), "--port", "0")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and not done.stdout
    assert line.endswith("which you have not allowed; --allow 127.0.0.1:9")


def count(run):
    with Store(run) as store:
        return store.count()


def games(run):
    with Store(run) as store:
        return [game.id for game in store.summaries()]


def live_files(run):
    return (run.parent / f"{run.name}.live").glob("*.json")
