"""The text of the prompt, which a plan may replace."""

import re

import pytest

from arena.config.document import ConfigError
from arena.models.template import PromptTemplate, prompt_template


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Play well.", "has the parts system, ask, again"),
        ("=== system\n=== ask\n{% if %}\n=== again\n", "is not a template"),
        ("=== system\n{{ secret }}\n=== ask\n=== again\n", "part system: 'secret' is undefined"),
        ("=== system\n{{ seats / 0 }}\n=== ask\n=== again\n", "part system: division by zero"),
        ("=== system\n{{ [].__class__.__mro__ }}\n=== ask\n=== again\n", "part system: "),
    ],
)
def test_a_bad_template_is_an_error_of_the_plan(text, problem):
    with pytest.raises(ConfigError, match=problem):
        PromptTemplate(text).check()


def test_a_template_has_a_version():
    other = prompt_template("=== system\na\n=== ask\nb\n=== again\nc\n")
    assert other.version != prompt_template().version
    prompt_template().check()
    assert [other.render(part) for part in ("system", "ask", "again")] == ["a", "b", "c"]


def test_the_template_of_the_page_is_one(checkout):
    (text,) = re.findall(r"```text\n(=== system.*?)```", (checkout / "docs" / "models.md").read_text(), re.S)
    template = PromptTemplate(text)
    template.check()
    assert template.uses("system", "pages")
    assert not template.uses("ask", "pages")
    said = template.render(
        "ask",
        news=["p1 plays income."],
        state=["p1 coins=2"],
        open=["say p2 Hello"],
        question="What do you do?",
        options=[("income", "take 1 coin"), ("aid", "")],
        listed=False,
    )
    assert said.split("\n") == [
        "p1 plays income.",
        "p1 coins=2",
        "say p2 Hello",
        "What do you do?",
        "income aid",
    ]
    rules = dict(game="complots", aim="Win.", pages=["Rules."], rules="cast=inquisitor", seats=3, you="p2")
    assert template.render("system", **rules).startswith(
        "complots: Win. Rules. Options: cast=inquisitor\n3 players, you are p2. Reply with JSON"
    )
