"""Lines to a bot as in a later version of the protocol: with words that no bot knows yet.

The protocol grows by new words, `key=value` pairs and verbs, and promises that bots may ignore them. `secret`
lines stay, because their words are lists, of cards for example.
"""

_VERB = "later"


def with_later_words(text: str) -> str:
    """`text` (whole lines) with a new word in most lines, and two new lines before each ask except hello."""
    return "".join(f"{_add_words(line)}\n" for line in text.split("\n")[:-1])


def _add_words(line: str) -> str:
    verb = line.partition(" ")[0]
    if verb == "ask":
        head, _, options = line.partition(" : ")
        news = f"{_VERB} words of=tomorrow\nevent {_VERB} p1 words of=tomorrow\n"
        return f"{'' if ' hello ' in line else news}{head} {_VERB}=1 : {options}"
    return f"{line} {_VERB}=1" if verb in ("game", "event", "state", "end") else line
