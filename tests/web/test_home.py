"""The first page, the files of the pages, and the health of the server."""

from dataclasses import replace

from asgi import app_for, get, server_for

import arena
from arena.web.app import create_app
from arena.web.server import WebSite


def test_the_first_page_lists_the_runs_of_the_folder(tmp_path):
    (tmp_path / "spring.db").touch()
    answer = get(app_for(tmp_path), "/")
    assert answer.status == 200 and b'href="/runs/spring"' in answer.body


def test_servers_in_one_process_share_no_state(tmp_path):
    """A library may make several; each has its own name, runs and seats."""
    sites = {name: WebSite(name, {"/play": f"Play {name}"}) for name in ("North", "South")}
    servers = {name: replace(server_for(tmp_path / name), site=site) for name, site in sites.items()}
    apps = {name: create_app(server) for name, server in servers.items()}
    (tmp_path / "North" / "spring.db").touch()
    for name, other in (("North", "South"), ("South", "North")):
        shown = get(apps[name], "/").body.decode()
        assert f"Play {name}" in shown and other not in shown
        assert ("/runs/spring" in shown) == (name == "North")
    assert servers["North"].gate is not servers["South"].gate


def test_the_health_of_the_server_is_for_programs(tmp_path):
    server = server_for(tmp_path)
    app = create_app(server)
    get(app, "/", host="evil.example")
    assert get(app, "/healthz").json() == {
        "ok": True,
        "arena": arena.__version__,
        "counts": {"refused 421": 1},
    }
    server.database.write("DROP TABLE token")
    assert get(app, "/healthz").status == 503


def test_the_packages_have_the_style_the_scripts_and_the_drawings(tmp_path):
    app = app_for(tmp_path)
    for name in ("style.css", "viewer.css", "draw.js", "complots.js", "intrigue.css"):
        answer = get(app, f"/static/{name}")
        assert answer.status == 200 and answer.body
        assert get(app, f"/static/{name}", if_none_match=answer.headers["etag"]).status == 304
    for name in ("nothing.js", "../app.py", "..%2fapp.py", "%2e%2e/app.py"):
        assert get(app, f"/static/{name}").status == 404
