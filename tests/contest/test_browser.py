"""A contest by its pages alone, in a browser: hand in, verdict, standings, question, exclusion."""

import http.client

import pytest
from axe_playwright_python.sync_playwright import Axe
from contests import bot_archive, new_contest, tgz
from servers import Served, served, wait_for

from arena.contest import entrants

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.sandbox]
WAIT_MS = 120_000  # for real processes on a busy machine
SIZES = ({"width": 390, "height": 800}, {"width": 1440, "height": 900})


class Screen:
    """The browser of one person; what goes wrong in its pages is kept."""

    def __init__(self, chromium, wrong: list[str]):
        self.page = chromium.new_context(viewport=SIZES[0]).new_page()
        self._wrong = wrong
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("pageerror", lambda error: wrong.append(f"{self.page.url}: {error}"))
        self.page.on("console", self._note)
        self.page.on("dialog", lambda dialog: dialog.accept())

    def _note(self, said) -> None:
        if said.type in ("error", "warning"):
            self._wrong.append(f"{self.page.url}: {said.text}")

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def hands_in(self, data: bytes) -> None:
        file = {"name": "bot.tgz", "mimeType": "application/gzip", "buffer": data}
        self.page.set_input_files("input[type=file]", file)
        self.page.get_by_role("button", name="Hand in").click()

    def check(self) -> None:
        """The page is for everybody, on a phone and on a large screen."""
        for size in SIZES:
            self.page.set_viewport_size(size)
            found = [each["id"] for each in Axe().run(self.page).response["violations"]]
            if found:
                self._wrong.append(f"{self.page.url}: {found}")
            if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                self._wrong.append(f"{self.page.url}: wider than {size['width']}")


def hand_in(server: Served, token: str, data: bytes) -> int:
    """As curl does; returns the status."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("PUT", "/entry", data, {"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_contest_by_its_pages_alone(chromium, tmp_path, box):
    contest = new_contest(tmp_path / "spring", "ada", "bob", "cal")
    contest.ladder.write_text(contest.ladder.read_text().replace("seats: 4", "seats: 2"))
    tokens = {name: entrants.new_token(contest.server_database(), name) for name in ("ada", "bob", "cal")}
    wrong: list[str] = []
    with served(tmp_path, "spring", command=("contest", "serve")) as server:
        ada, bob, organiser, visitor = (Screen(chromium, wrong) for _ in range(4))
        ada.page.goto(f"{server.url}/entrant#{tokens['ada']}")
        bob.page.goto(f"{server.url}/entrant#{tokens['bob']}")
        ada.page.wait_for_url("**/entrant/ada")
        bob.page.wait_for_url("**/entrant/bob")
        organiser.page.goto(server.operator)
        visitor.page.goto(server.url)

        assert hand_in(server, tokens["cal"], bot_archive("cal")) == 201
        ada.hands_in(bot_archive())
        ada.sees("Version 1 is received")
        ada.page.get_by_text("What arena check says").click()
        ada.sees("no faults")
        bob.hands_in(tgz({"../evil": b"x"}))
        bob.sees("Version 1: did not pass")
        ada.page.get_by_label("Your question").fill("May a bot use two threads?")
        ada.page.get_by_role("button", name="Ask", exact=True).click()
        answer = organiser.page.get_by_label("Answer to ada")
        answer.fill("Yes, on its own core.")
        organiser.page.get_by_label("show question and answer to all").check()
        organiser.page.get_by_role("button", name="Answer", exact=True).click()
        ada.sees("Yes, on its own core.")
        organiser.page.locator("[data-fresh=questions]").get_by_text("Yes, on its own core.").wait_for()

        organiser.page.get_by_text("New link, exclude, delete").click()
        form = organiser.page.locator("form[data-post='/organiser/exclude']")
        form.get_by_role("combobox").select_option("bob")
        form.get_by_label("Reason").fill("Its archive attacked the server.")
        form.get_by_role("button").click()
        bob.sees("Its archive attacked the server.")
        organiser.page.get_by_label("A notice for all").fill("The final is at six.")
        organiser.page.get_by_role("button", name="Put up").click()
        ada.sees("The final is at six.")
        visitor.page.reload()
        visitor.sees("The final is at six.")
        organiser.page.locator("form[data-post='/organiser/link'] button").click()
        ada.sees("Your link is not valid any more")
        again = organiser.page.locator("#link input").input_value()
        ada.page.goto(f"{server.url}/entrant")
        ada.page.get_by_label("Link or token").fill(f"Authorization: Bearer {again.partition('#')[2]}")
        ada.page.get_by_role("button", name="Open").click()
        ada.page.wait_for_url("**/entrant/ada")
        standings = visitor.page.locator("[data-part=standings]")
        wait_for(lambda: visitor.page.reload() and standings.count(), "no standings")
        standings.get_by_text("ada").first.wait_for()
        ada.sees("plays on the ladder")
        for screen in (ada, bob, organiser, visitor):
            screen.check()
        for path in ("/runs/ladder", "/rules", "/final", "/play", "/entrant"):
            visitor.page.goto(server.url + path)
            visitor.check()
        assert server.get("/api/entries", Authorization=f"Bearer {tokens['ada']}")[0] == 401
        assert server.get("/api/entries", Authorization=f"Bearer {tokens['cal']}")[0] == 200
    wrong = [each for each in wrong if "status of 403" not in each]  # as ada's link was replaced
    assert not wrong, "\n".join(wrong)
