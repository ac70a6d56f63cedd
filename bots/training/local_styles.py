"""Counts how the house bots play the local variant, as `styles.py` does for Complots.

    python bots/training/local_styles.py decisions.parquet [NEW=OLD …]

The rows of a style in `local_styles.json`: `actions`, the share of each action by the cards in the hand and
what the coins can buy; `challenges`, the rate by what is at stake, what is known of the card, and own cards;
`blocks`, the rates of true and of false blocks; `worth` and `spare`, how seldom a card was lost, and placed
for a lie.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet

FOLDER = Path(__file__).parent.parent / "python" / "searching"
sys.path.insert(0, str(FOLDER))

import local_styles as rows  # noqa: E402
from rules import BLOCKERS  # noqa: E402
from styles import aim_of, mask_of  # noqa: E402

CARDS = {"duchess": 0, "assassin": 1, "contessa": 2, "captain": 3, "ambassador": 4}
VERBS = CARDS | {"income": 6, "aid": 7, "coup": 8}
COLUMNS = ["hidden_game", "seat", "hidden_bot", "news", "state", "kind", "context", "word"]


def facts_in(line):
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


class Counts:
    """What one bot did, by row."""

    def __init__(self):
        self.actions, self.challenges, self.blocks = (defaultdict(Counter) for _ in range(3))
        self.kept, self.lost, self.saved, self.spared = (Counter() for _ in range(4))

    def tables(self):
        return {
            "actions": [self.action_shares(row) for row in range(32 * 3)],
            "challenges": [self.challenge_rate(row) for row in range(5 * 3 * 3)],
            "blocks": [self.block_rates(row) for row in range(3 * 3 * 2)],
            "worth": shares(self.kept, self.lost),
            "spare": shares(self.saved, self.spared),
        }

    def action_shares(self, row):
        """The share of each action in a row; all hands where it is possible weigh as much as two actions."""
        mask, bucket = divmod(row, 3)
        alike = Counter()  # what was done with other hands that would be possible with this one
        for other, counts in self.actions.items():
            if other % 3 == bucket:
                for verb, count in counts.items():
                    claim = verb % rows.FALSE
                    holds = claim < 5 and mask >> claim & 1
                    if claim > 4 or (holds if verb == claim else mask & ~(1 << claim)):
                        alike[verb] += count
        own = self.actions[row]
        counts = {verb: own[verb] + 2 * alike[verb] / max(1, alike.total()) for verb in {*own, *alike}}
        total = sum(counts.values())
        return {verb: round(n / total, 3) for verb, n in counts.items() if n > total / 2000} or {6: 1}

    def challenge_rate(self, row):
        alike = sum(
            (counts for other, counts in self.challenges.items() if other // 3 % 3 == row // 3 % 3), Counter()
        )
        own = self.challenges[row]
        return round((own[True] + 4 * (alike[True] + 0.2) / (alike.total() + 2)) / (own.total() + 4), 3)

    def block_rates(self, row):
        own = self.blocks[row]
        return [round((own[each] + 0.1) / (own.total() + 1), 3) for each in ("true", "false")]


def shares(good, bad):
    return [round((good[card] + 1) / (good[card] + bad[card] + 2), 3) for card in range(5)]


class Watch:
    """What a seat has heard others claim in this manche."""

    def __init__(self):
        self.told = defaultdict(int)

    def hear(self, line):
        verb, *words = line.split()[1:]
        if verb == "manche":
            self.told.clear()
        elif verb in ("claim", "block"):
            card = CARDS[words[1].removeprefix("block:").partition(":")[0]]
            self.told[words[0]] = rows.told_again(self.told[words[0]], card)


def cards_of(state, key):
    return state[key].split(",") if key in state else []


def count(counts, row, watch):
    states = {line.split()[0]: facts_in(line) for line in row["state"]}
    own, facts, kind = states[row["seat"]], facts_in(row["context"]), row["kind"]
    hand = [CARDS[card] for card in cards_of(own, "hand")]
    coins, lives = int(own["coins"]), 5 - len(cards_of(own, "cemetery"))
    word, _, placed = row["word"].removeprefix("block:").partition("@")
    verb = word.partition(":")[0]
    if kind == "action" and coins < 10:
        is_true = not placed or placed == verb
        chosen = VERBS[verb] + (0 if is_true else rows.FALSE)
        counts.actions[rows.action_row(mask_of(hand), coins)][chosen] += 1
    elif kind == "challenge":
        card, claimant = CARDS[facts["claim"]], states[facts["on"]]
        open_cards = [card for key in ("discard", "cemetery") for card in cards_of(claimant, key)]
        visible = mask_of([CARDS[each] for each in open_cards if each != "hidden"])
        action, _, target = facts["action"].partition(":")
        aim = aim_of(row["seat"], facts["on"], facts["actor"], VERBS[action], target)
        story = rows.story_of(visible, watch.told[facts["on"]], card)
        counts.challenges[rows.challenge_row(aim, story, lives)][word == "challenge"] += 1
    elif kind == "block":
        action = VERBS[facts["action"].partition(":")[0]]
        has_one = any(card in hand for card in BLOCKERS[action])
        answer = "pass" if word == "pass" else "true" if word == placed else "false"
        counts.blocks[rows.block_row(action, lives, has_one)][answer] += 1
    elif kind == "lose" and len(hand) > 1:
        counts.lost[CARDS[word]] += 1
        counts.kept.update(card for card in hand if card != CARDS[word])
    if placed and placed != verb:
        counts.spared[CARDS[placed]] += 1
        counts.saved.update(card for card in hand if card not in (CARDS[placed], CARDS[verb]))


def main(file, *renamed):
    bots, watches, game = defaultdict(Counts), {}, None
    for batch in pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=2000, columns=COLUMNS):
        for row in batch.to_pylist():
            if row["hidden_game"] != game:
                game, watches = row["hidden_game"], defaultdict(Watch)
            for line in row["news"]:
                watches[row["seat"]].hear(line)
            count(bots[row["hidden_bot"]], row, watches[row["seat"]])
    place = FOLDER / "local_styles.json"
    styles = json.loads(place.read_text()) if place.exists() else {}
    for name, bot in dict(word.split("=") for word in renamed or [f"{name}={name}" for name in bots]).items():
        styles[name] = bots[bot].tables()
    lines = ",\n".join(
        f'"{name}": {json.dumps(each, separators=(",", ":"))}' for name, each in styles.items()
    )
    place.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
