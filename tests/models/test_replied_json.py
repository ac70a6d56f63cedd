"""JSON as models write it: what leaves no doubt is read, and the rest is no object."""

import json
from random import Random
from time import process_time

import pytest

from arena.models.replied_json import last_object

NEARLY = {
    "a line feed in a string": '{"thoughts": "First.\nThen.", "answer": "pass"}',
    "other control characters in a string": '{"thoughts": "a\tb\x00\x1f\r\x7f", "answer": "pass"}',
    "an escape that JSON does not have": r'{"thoughts": "it\'s 5\% \x41", "answer": "pass"}',
    "a comma before the end": '{"thoughts": "x", "answer": "pass",}',
    "single quotation marks": "{'thoughts': 'say \"x\" \\'y\\'', 'answer': 'pass'}",
    "quotation marks of print": "{“thoughts”: “x”, “answer”: “pass”}",
    "keys without quotation marks": '{thoughts: "x", answer: "pass"}',
    "an answer without quotation marks": '{"thoughts": "x", "answer": pass}',
    "constants of Python": '{"sure": True, "other": None, "answer": "pass"}',
    "no end": '{"thoughts": "x", "answer": "pass"',
    "no end in a block of code": '```json\n{"answer": "pass"\n```',
    "lists without an end": '{"answer": "pass", "others": ["a", ["b"',
    "a key in other letters": '{"Thoughts": "x", "ANSWER": "pass"}',
    "comments": '{"thoughts": "x", // why\n"answer": /* now */ "pass"}',
    "punctuation of Chinese": '{"thoughts"\uff1a"x"\uff0c"answer"\uff1a"pass"}',
    "a mark of the byte order": '\ufeff{\ufeff"answer": "pass"}',
    "a word in braces before it": 'Of {duchess, captain} {I} take {"answer": "pass"}',
    "an example without a value behind it": 'So {"answer": "pass"}, as in {"answer": ...}.',
    "a quotation with another answer in it": "{'thoughts': 'not {\"answer\": \"coup\"}', 'answer': 'pass'}",
}


@pytest.mark.parametrize("name", NEARLY)
def test_what_leaves_no_doubt_is_read(name):
    assert last_object(NEARLY[name]).values["answer"] == "pass"


DOUBTFUL = {
    "a quotation mark inside a string": '{"thoughts": "He said "no".", "answer": "pass"}',
    "an answer inside the thoughts": '{"answer": "pass", "thoughts": "not "answer": "coup""}',
    "a string without an end": '{"answer": "pass',
    "a word that may go on": '{"answer": pass',
    "a key that may follow": '{"answer": "pass",',
    "an apostrophe": "{'thoughts': 'it's', 'answer': 'pass'}",
    "two values": '{"answer": "pass" "coup"}',
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_leaves_a_doubt_is_no_object_and_the_reason_is_told(name):
    found = last_object(DOUBTFUL[name])
    assert found.values is None
    assert found.problem


def test_strings_are_what_json_says():
    text = json.dumps({"a": 'é \U0001f600 " \\ / \b\f\n\r\t \x01'})
    assert last_object(text).values == json.loads(text)
    assert last_object('{"a": "\\ud83d!"}').values == {"a": "\N{REPLACEMENT CHARACTER}!"}, (
        "half of a character"
    )


def _random_value(dice, depth):
    kind = dice.randrange(7 if depth < 4 else 5)
    if kind == 5:
        return [_random_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 6:
        return {
            _random_text(dice).casefold(): _random_value(dice, depth + 1) for _ in range(dice.randrange(4))
        }
    return (None, True, dice.randrange(-99, 99), dice.uniform(-1e9, 1e9), _random_text(dice))[kind]


def _random_text(dice):
    return "".join(dice.choice("ab \"'\\{}[],:/*\n\u201c\U0001f600é") for _ in range(dice.randrange(9)))


def test_all_that_is_json_is_read_as_json():
    for seed in range(2000):
        dice = Random(seed)
        values = {_random_text(dice).casefold(): _random_value(dice, 0) for _ in range(dice.randrange(4))}
        text = json.dumps(values, ensure_ascii=dice.random() < 0.5, indent=dice.choice((None, 1)))
        assert last_object(f"so: {text} or {{so}}").values == values, text


def test_the_last_object_is_none_within_another():
    assert last_object('{"a": {"answer": "x"}}').values == {"a": {"answer": "x"}}


HUGE = {
    "braces": "{" * 10**5,
    "objects in objects": '{"a":' * 10**5,
    "lists in lists": '{"a":' + "[" * 10**5,
    "a list for many objects": '{"a":[' * 200 + "1," * 10**5,
    "strings without an end": '{"a": "' * 300 + '\\"' * 10**5,
    "spaces": '{"a" ' * 200 + " " * 10**5,
    "comments": '{"a" ' * 200 + "/*" * 10**5,
}


@pytest.mark.parametrize("name", HUGE)
def test_no_text_takes_long(name):
    """A tenth of this is usual; a mistake takes minutes."""
    began = process_time()
    assert last_object(HUGE[name]).values is None
    assert process_time() - began < 10
