"""All pages of a server in a browser, under the content security policy that it sends."""

from urllib.parse import urljoin, urlsplit

import pytest
from servers import served, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LINKS = "all => all.map(each => each.getAttribute('href'))"
MOST = 60  # pages


def test_no_page_breaks_its_own_policy_and_no_link_leads_nowhere(chromium, plan_file, tmp_path):
    """A walk over all links, as the operator: no message in the console, no status of an error."""
    plan = plan_file("seed: 1\ngroups: 4\nseats: 2\n")
    run, wrong = f"/runs/{plan.stem}", []
    with served(tmp_path, plan.name) as server:
        pages = tmp_path / "runs" / "server" / "reports" / plan.stem
        wait_for((pages / "index.html").exists, "no report")
        page = chromium.new_context().new_page()

        def note(said) -> None:
            if said.type in ("error", "warning"):
                wrong.append(f"{page.url}: {said.text}")

        page.on("console", note)
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.goto(server.operator)
        page.wait_for_selector("form[data-game]", state="attached")
        assert page.url == f"{server.url}/operator", "the token has left the address"
        due, seen = ["/", "/people", run], set()
        while due and len(seen) < MOST:
            path = due.pop(0)
            if path in seen:
                continue
            seen.add(path)
            if path.endswith((".csv", ".svg")):
                status = page.request.get(server.url + path).status
                links = []
            else:
                status = page.goto(server.url + path).status
                links = [
                    urlsplit(urljoin(page.url, link)) for link in page.eval_on_selector_all("a[href]", LINKS)
                ]
            if status >= 400:
                wrong.append(f"{path}: {status}")
            due += [link.path for link in links if link.netloc == f"127.0.0.1:{server.port}"]
    assert not wrong, "\n".join(wrong)
    assert {"/games/complots/lesson", f"{run}/games", f"{run}/report/index.html"} <= seen
