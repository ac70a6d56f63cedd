"""Language models among the bots of a plan: it alone has them, and no variable leaves it but a key."""

import pytest

from arena.config.document import ConfigError
from arena.models.spec import Price
from arena.tournament.plan.load import load_plan

HEAD = "game: complots\nseats: 2\n"
PROMPT = "=== system\nPlay {{ game }} well.\n=== ask\n{{ question }}\n=== again\n{{ problem }}\n"
GPT = "model: m-1, at: 'https://api.example.com/v1'"


@pytest.fixture
def place(tmp_path):
    entry = tmp_path / "entries/liar"
    entry.mkdir(parents=True)
    (entry / "bot.py").write_text("print()\n")
    (entry / "bot.yaml").write_text("run: [python3, bot.py]\n")
    (tmp_path / "prompt.txt").write_text(PROMPT)
    (tmp_path / "whole.txt").write_text(PROMPT.replace("well.", "by {{ pages[0] }}."))
    (tmp_path / "moment.txt").write_text(PROMPT.replace("{{ question", "{{ pages[0] }} {{ question"))
    return tmp_path


def plan_of(place, text):
    path = place / "plan.yaml"
    path.write_text(HEAD + text)
    return load_plan(path)


def two(keys=GPT, more=""):
    return f"bots:\n  gpt: {{{keys}}}\n  honest: house:honest\n{more}"


def test_a_model_has_its_keys_and_no_files(place):
    keys = (
        f"{GPT}, key_env: EXAMPLE_API_KEY, options: hidden, temperature: 0.5, max_tokens: 300, patience: 2m"
    )
    more = "price: {in: 0.5, cached: 0.1, out: 2}, parameters: {reasoning_effort: low}, template: prompt.txt"
    plan = plan_of(place, two(f"{keys}, {more}, author: Ann", "budget: 5\n"))
    bot, spec = plan.bots["gpt"], plan.bots["gpt"].model
    assert plan.models == ["gpt"] and plan.run.budget == 5 and (bot.author, bot.files) == ("Ann", ())
    assert (spec.model, spec.host, spec.key_env, spec.options) == (
        "m-1", "api.example.com", "EXAMPLE_API_KEY", "hidden"
    )  # fmt: skip
    assert (spec.temperature, spec.max_tokens, spec.patience_s) == (0.5, 300, 120)
    assert (spec.price, spec.template) == (Price(0.5, 2, 0.1), PROMPT)
    assert spec.more_parameters == {"reasoning_effort": "low"}


def test_the_rules_come_whole_or_by_moment(place):
    specs = [
        plan_of(place, two(f"{GPT}{more}")).bots["gpt"].model
        for more in ("", ", template: whole.txt", ", rules: moment", ", rules: moment, template: moment.txt")
    ]
    assert [spec.rules for spec in specs] == ["whole", "whole", "moment", "moment"]
    assert len({spec.fingerprint for spec in specs}) == 4


def test_a_budget_and_a_price_are_no_part_of_what_a_run_is_but_the_parameters_of_a_model_are(place):
    before = plan_of(place, two(more="seed: 1\n")).identity()
    assert before["bots"]["gpt"].startswith("model-")
    assert (
        plan_of(place, two(f"{GPT}, price: {{in: 1, out: 2}}", "seed: 1\nbudget: 3\n")).identity() == before
    )
    assert plan_of(place, two(f"{GPT}, temperature: 0", "seed: 1\n")).identity() != before


def test_the_rules_of_the_game_fit_into_the_context(place):
    small = f"{GPT}, context: 2000"
    words = (
        "gpt: context: 2000 tokens are not enough for the rules of complots, about [0-9]+; give more, or set"
    )
    with pytest.raises(ConfigError, match=words):
        plan_of(place, two(small))
    for more in (", rules: moment", ", template: prompt.txt"):
        assert plan_of(place, two(f"{small}{more}")).bots["gpt"].model.context == 2000


def test_a_file_among_the_entries_cannot_name_a_model(place):
    (place / "entries/more.yaml").write_text(f"bots: {{gpt: {{{GPT}}}}}\n")
    with pytest.raises(
        ConfigError, match=r"more\.yaml:1:\d+: bots: gpt: model: a file among the entries cannot"
    ):
        plan_of(place, "bots: [entries/*/]\ninclude: entries/more.yaml\n")
    (place / "entries/liar/bot.yaml").write_text("run: [python3, bot.py]\nmodel: m-1\n")
    with pytest.raises(ConfigError, match=r"bot\.yaml:2:1: model: an entry cannot name a language model"):
        plan_of(place, "bots: [entries/*/, house:honest]\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (two("model: m-1"), "plan.yaml:4:3: bots: gpt: at: is missing"),
        (two(f"{GPT}, key_env: SSH_AUTH_SOCK"), "bots: gpt: key_env: SSH_AUTH_SOCK is not the name of a key"),
        (two("model: m-1, at: 'http://api.example.com/v1'"), "bots: gpt: at: http://api.example.com/v1 is"),
        (two("model: m-1, at: 'https://me:pw@api.example.com'"), "has a user or a password"),
        (two(f"{GPT}, run: [sh]"), "bots: gpt: run: unknown key"),
        (two(f"{GPT}, optons: hidden"), "bots: gpt: optons: unknown key; did you mean options?"),
        (two(f"{GPT}, template: none.txt"), "bots: gpt: template: none.txt: cannot be read: No such file"),
        (two(f"{GPT}, template: plan.yaml"), "bots: gpt: template: plan.yaml: "),
        (two(f"{GPT}, rules: all"), "bots: gpt: rules: should be 'whole' or 'moment', not"),
        (two(f"{GPT}, template: moment.txt"), "moment.txt: with rules: whole the pages come in the part sy"),
        (two(f"{GPT}, template: whole.txt, rules: moment"), "rules: moment the pages come in the part ask,"),
        (two(f"{GPT}, context: 10"), "bots: gpt: context: should be at least 1000, not 10"),
        (two(f"{GPT}, parameters: {{messages: []}}"), "parameters: messages: the arena sets it itself"),
        (two(f"{GPT}, price: {{in: 1}}"), "bots: gpt: price: out: is missing"),
        (two(more="budget: 5\n"), "budget: needs the price: of gpt, such as {in: 0.5, out: 2}"),
        ("bots: {a: house:honest, b: house:bluffer}\nbudget: 5\n", "budget: is for language models"),
        (two(f"{GPT}, price: {{in: 1, out: 1}}", "budget: 0\n"), "budget: should be more than 0, not 0"),
    ],
)  # fmt: skip
def test_mistakes(place, text, words):
    with pytest.raises(ConfigError) as error:
        plan_of(place, text)
    assert words in str(error.value)
