"""The pages of a report, in a browser."""

import pytest


@pytest.mark.slow
@pytest.mark.browser
def test_the_first_page_opens_from_disk(page, arena, plan_file, tmp_path):
    assert arena("run", plan_file(), "--out", "run.db").returncode == 0
    assert arena("report", "run.db", "--out", "pages").stdout == "pages/index.html\n"
    page.goto((tmp_path / "pages" / "index.html").as_uri())
    assert page.locator("figure svg").get_attribute("aria-label").startswith("Elo of 3 bots")
