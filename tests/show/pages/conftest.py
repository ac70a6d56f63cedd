"""A page of a real browser for the tests of pages."""

import pytest


@pytest.fixture
def page(chromium):
    """A page in a new profile. The test fails if a page logs an error, or asks for anything but files."""
    context = chromium.new_context()
    found = context.new_page()
    wrong = []
    found.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    found.on("request", lambda sent: sent.url.startswith(("file:", "data:")) or wrong.append(sent.url))
    yield found
    context.close()
    assert not wrong
