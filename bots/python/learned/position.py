"""What a seat of Complots knows: the newest `state` lines, the ask, and what was claimed."""

CARDS = ["duchess", "assassin", "contessa", "captain", "fifth"]
FIFTH = ("ambassador", "inquisitor")
VERBS = ["income", "aid", "coup", "duchess", "assassin", "captain", "draw", "exam"]


def facts_in(words):
    """The `key=value` words of a line, as a dictionary."""
    return dict(word.split("=", 1) for word in words if "=" in word)


def card_of(name):
    """The number of a character; the fifth is the ambassador or the inquisitor."""
    return 4 if name in FIFTH else CARDS.index(name)


def verb_of(action):
    """The number of an action in VERBS, and the seat that it is aimed at, if there is one."""
    verb, _, target = action.partition(":")
    if verb in FIFTH:
        verb = "exam" if target not in ("", "draw") else "draw"
    return VERBS.index(verb), target


class Story:
    """What a seat has claimed and shown: the same as in bots/training/complots.c."""

    def __init__(self):
        self.last = 0  # 1 + the character that it claimed last; 0 if its cards may have changed
        self.claimed, self.denied = set(), set()  # what it pretends to hold, and cannot hold
        self.lies = self.truths = 0  # claims that were challenged
        self.heard = self.doubts = 0  # claims of others, and how many of them it challenged

    def claim(self, card):
        self.claimed.add(card)
        self.last = card + 1

    def take_back(self, card):
        self.claimed.discard(card)
        if self.last == card + 1:
            self.last = 0

    def forget(self):
        self.claimed, self.denied, self.last = set(), set(), 0


class Position:
    """A game as one seat sees it."""

    def __init__(self, words):
        facts = facts_in(words)
        self.me, self.number = facts["you"], int(facts["seats"])
        self.names = [f"p{1 + seat}" for seat in range(self.number)]
        self.stories = {name: Story() for name in self.names}
        self.states = {}
        self.actor, self.action = "", (-1, "")  # of this turn: who acts, the verb and its target
        self._pending = None  # a claim that may still be challenged: it counts from the next news on

    def state(self, words):
        self.states[words[0]] = facts_in(words)

    def coins(self, seat):
        return int(self.states[seat]["coins"])

    def cards(self, seat, key):
        """The cards in `hand=` or `lost=` of a seat, as sorted numbers; no such key means no cards."""
        text = self.states[seat].get(key)
        return sorted(map(card_of, text.split(","))) if text else []

    def size(self, seat):
        return int(self.states[seat]["cards"])

    def event(self, verb, *words):
        """Follow an `event` line: its verb and its words."""
        self._settle()
        if verb == "turn":
            self.actor, self.action = words[1], (-1, "")
        if verb in ("claim", "action"):
            self.action = verb_of(words[1])
        if verb in ("claim", "block"):
            self._pending = words[0], card_of(words[1].removeprefix("block:").partition(":")[0])
        elif verb == "challenge":
            self.stories[words[0]].doubts += 1
            self.stories[words[1]].take_back(card_of(words[2]))
        elif verb in ("refuted", "proven"):
            self._tried(self.stories[words[0]], card_of(words[1]), verb == "proven")
        elif verb == "lose":
            self.stories[words[0]].take_back(card_of(words[1]))
        elif verb == "exchange":
            self.stories[words[0]].forget()
        elif verb == "exam" and words[2] == "discard":
            self.stories[words[1]].forget()

    def ask(self, kind):
        """Note an ask, before it is answered: unless it is a challenge, the last claim was not challenged."""
        if kind != "challenge":
            self._settle()

    def _settle(self):
        if self._pending:
            self._note(*self._pending)
            self._pending = None

    def _note(self, claimant, card):
        for name, story in self.stories.items():
            story.heard += name != claimant
        self.stories[claimant].claim(card)

    def _tried(self, story, card, is_true):
        if is_true:
            story.truths += 1
            story.denied.clear()
        else:
            story.lies += 1
            story.denied.add(card)
