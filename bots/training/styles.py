"""Counts how the house bots play Complots, for the searching bot: `bots/python/searching/styles.json`.

    arena run PLAN --out runs/field.db                       # many games between the bots in question
    arena export runs/field.db --format parquet > field.parquet
    python bots/training/styles.py field.parquet [NEW=OLD …]    # the bot OLD of the run is the style NEW

The rows of a style: `actions`, the share of each action by seats (two or more), hidden cards, their kinds and
what the coins can buy; `challenges`, the rate by what is at stake, the copies of the card that the challenger
does not see, its own cards, and whether the claimant has claimed more kinds than it has cards; `blocks`, the
rate by action, cards and whether it would be true; `worth`, how often each card was kept when another one was
lost; `strongest`, how often the target was the player with most cards, then coins; `drafts`, the picks.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet

FOLDER = Path(__file__).parent.parent / "python" / "searching"
sys.path.insert(0, str(FOLDER))

from rules import BLOCKERS, FIFTH  # noqa: E402
from styles import BITS, action_row, aim_of, block_row, challenge_row, mask_of  # noqa: E402

CARDS = {"duchess": 0, "assassin": 1, "contessa": 2, "captain": 3, "ambassador": 4, "inquisitor": 4}
VERBS = CARDS | {"income": 6, "aid": 7, "coup": 8}
COLUMNS = [
    "hidden_game",
    "seats",
    "seat",
    "hidden_bot",
    "news",
    "state",
    "kind",
    "context",
    "options",
    "word",
]


def facts_in(line):
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


class Counts:
    """What one bot did, by row."""

    def __init__(self):
        self.actions, self.challenges, self.blocks = (defaultdict(Counter) for _ in range(3))
        self.kept, self.lost, self.drafts, self.targets = Counter(), Counter(), Counter(), Counter()

    def tables(self):
        return {
            "actions": [self.action_shares(row) for row in range(2 * 2 * 32 * 3)],
            "challenges": smoothed(self.challenges, 5 * 4 * 2 * 2, lambda row: row // 4 % 4),
            "blocks": smoothed(self.blocks, 3 * 2 * 2, lambda row: row % 2),
            "worth": [
                round((self.kept[card] + 1) / (self.kept[card] + self.lost[card] + 2), 3) for card in range(5)
            ],
            "strongest": round((self.targets[True] + 1) / (self.targets.total() + 2), 3),
            "drafts": [
                round((self.drafts[card] + 0.5) / (self.drafts.total() + 2.5), 3) for card in range(5)
            ],
        }

    def action_shares(self, row):
        """The share of each action in a row; similar rows weigh as much as two actions. [] if impossible."""
        mask, bucket = row // 3 % 32, row % 3
        if not 1 <= BITS[mask] <= 1 + row // 96 % 2:
            return []
        alike = Counter()  # each action by whether its card is held, in rows with the same cards and coins
        for other, counts in self.actions.items():
            if other % 3 == bucket and other // 96 == row // 96:
                for verb, count in counts.items():
                    if verb > FIFTH or (other // 3 % 32) >> verb & 1 == mask >> verb & 1:
                        alike[verb] += count
        counts = {
            verb: self.actions[row][verb] + 2 * alike[verb] / max(1, alike.total()) for verb in range(9)
        }
        total = sum(counts.values())
        shares = [round(counts[verb] / total, 3) if total else 0.0 for verb in range(9)]
        return shares if any(shares) else [0.25, 0, 0, 0.25, 0, 0, 0.25, 0.25, 0]


def smoothed(counts, rows, group):
    """The rate of each row, where rows of the same group have the weight of four answers."""
    totals = defaultdict(Counter)
    for row, count in counts.items():
        totals[group(row)].update(count)
    rates = []
    for row in range(rows):
        all_alike, own = totals[group(row)], counts[row]
        rate = (all_alike[True] + 0.2) / (all_alike.total() + 2)
        rates.append(round((own[True] + 4 * rate) / (own.total() + 4), 3))
    return rates


class Watch:
    """What a seat has heard others claim in its game."""

    def __init__(self):
        self.claimed = defaultdict(int)

    def hear(self, line):
        verb, *words = line.split()[1:]
        if line.startswith("secret"):
            return
        if verb in ("claim", "block"):
            self.claimed[words[0]] |= 1 << CARDS[words[1].removeprefix("block:").partition(":")[0]]
        elif verb == "exchange":
            self.claimed[words[0]] = 0
        elif verb in ("proven", "refuted", "lose"):
            self.claimed[words[0]] &= ~(1 << CARDS[words[1]])


def count(counts, row, watch):
    states = {line.split()[0]: facts_in(line) for line in row["state"]}
    own, facts = states[row["seat"]], facts_in(row["context"])
    hand = [CARDS[card] for card in own["hand"].split(",")]
    kind, word, coins = row["kind"], row["word"], int(own["coins"])
    if kind == "action" and coins < 10:
        verb, _, target = word.partition(":")
        where = action_row(row["seats"] == 2, len(hand), mask_of(hand), coins)
        counts.actions[where][VERBS[verb]] += 1
        if target.startswith("p") and row["seats"] > 2:
            strength = {
                option.partition(":")[2]: [
                    int(states[option.partition(":")[2]][key]) for key in ("cards", "coins")
                ]
                for option in row["options"]
                if option.startswith(verb + ":p")
            }
            if len(strength) > 1:
                counts.targets[strength[target] == max(strength.values())] += 1
    elif kind == "challenge":
        card, claimant, actor = CARDS[facts["claim"]], facts["on"], facts["actor"]
        verb, _, target = facts["action"].partition(":")
        seen = hand.count(card) + sum(
            [CARDS[each] for each in state["lost"].split(",")].count(card)
            for state in states.values()
            if "lost" in state
        )
        is_long = BITS[watch.claimed[claimant]] > int(states[claimant]["cards"])
        left = max(0, min(3, (4 if row["seats"] > 6 else 3) - seen))
        aim = aim_of(row["seat"], claimant, actor, VERBS[verb], target)
        counts.challenges[challenge_row(aim, left, len(hand), is_long)][word == "challenge"] += 1
    elif kind == "block":
        verb = VERBS[facts["action"].partition(":")[0]]
        has_one = any(card in hand for card in BLOCKERS[verb])
        counts.blocks[block_row(verb, len(hand), has_one)][word != "pass"] += 1
    elif kind == "lose" and hand[0] != hand[1]:
        counts.lost[CARDS[word]] += 1
        counts.kept[sum(hand) - CARDS[word]] += 1
    elif kind == "draft":
        counts.drafts[CARDS[word]] += 1


def count_all(file):
    bots, watches, game = defaultdict(Counts), {}, None
    for batch in pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=2000, columns=COLUMNS):
        for row in batch.to_pylist():
            if row["hidden_game"] != game:
                game, watches = row["hidden_game"], defaultdict(Watch)
            watch = watches[row["seat"]]
            for line in row["news"]:
                watch.hear(line)
            count(bots[row["hidden_bot"]], row, watch)
    return bots


def main(file, *renamed):
    names = dict(word.split("=") for word in renamed)
    place = FOLDER / "styles.json"
    styles = json.loads(place.read_text()) if place.exists() else {}
    bots = count_all(file)
    for name, bot in (names or {name: name for name in bots}).items():
        styles[name] = bots[bot].tables()
    lines = ",\n".join(
        f'"{name}": {json.dumps(each, separators=(",", ":"))}' for name, each in styles.items()
    )
    place.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
