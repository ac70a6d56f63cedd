"""Texts in messages."""

import pytest

from arena.config.text import cut, duration, list_words, one_line, printable, quote, yaml_word


def test_what_strangers_write_cannot_steer_a_terminal():
    assert printable("error:\n  \x1b[2Jx\r\u202eé") == "error:\n  \\x1b[2Jx\\r\\u202eé"
    assert printable("a\udcff") == "a\\udcff", "as in the name of a file that is not UTF-8"
    assert one_line("a\n\tb") == "a\\n\\tb"
    assert quote("é\n") == "'\\xe9\\n'" and quote("x" * 99, 3) == "'xxx...'"


def test_a_text_is_cut_to_columns_of_the_terminal():
    assert cut("abcdef", 6) == "abcdef" and cut("abcdefg", 6) == "abc..."
    assert cut("日本語日本語", 9) == "日本語..."


def test_words_are_listed_as_in_a_sentence():
    assert [list_words("abc"[:count]) for count in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert list_words([2, 3], "or") == "2 or 3"
    assert [yaml_word(value) for value in (True, 3, "any")] == ["true", "3", "any"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "0 s"),
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (200, "3 min 20 s"),
        (3599.7, "1 h 0 min"),
        (18_720, "5 h 12 min"),
        (400_000, "111 h 6 min"),
    ],
)
def test_durations_have_the_two_units_that_matter(seconds, words):
    assert duration(seconds) == words
