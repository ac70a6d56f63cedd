"""The figures of each game: scenes in which a person can count, and another way to count in random games."""

from collections import Counter

import pytest
from complots_table import Table
from intrigue_table import Table as IntrigueTable
from intrigue_table import play_talking
from local_table import LocalTable
from random_games import CASES, case_name

from arena.games import GAMES, page
from arena.referee.game_check.random_games import configurations, line_ups, play
from arena.rules import ALL, Ask, Tell, seat_name, seat_number


def figures(match, kinds=None) -> dict[str, list[tuple[int, int]]]:
    """By figure, or other kind, and seat how often, of how many."""
    sums = {name: [[0, 0] for _ in range(match.seats)] for name in match.game.counted}
    for figure, seat, count, of in match.game.observe(match.log):
        sums[figure][seat][0] += count
        sums[figure][seat][1] += of
    return {name: [tuple(pair) for pair in sums[name]] for name in kinds or match.game.figures}


def shows(table, text: str, kinds=None) -> None:
    """Assert all figures, or these kinds: a line for each, with `count/of` for each seat."""
    wanted = dict(line.split(maxsplit=1) for line in text.strip().splitlines())
    found = figures(table.match, kinds)
    assert {name: " ".join(f"{count}/{of}" for count, of in pairs) for name, pairs in found.items()} == {
        name: " ".join(words.split()) for name, words in wanted.items()
    }


def test_the_page_of_a_game_defines_its_figures_in_the_same_words():
    for game in GAMES.values():
        for title, kinds in ("Figures", game.figures), ("Decisions", game.decisions):
            section = " ".join(page(game).partition(f"## {title}")[2].partition("\n## ")[0].split())
            assert list(kinds) == [word[1:-2] for word in section.split() if word.endswith("`:")]
            for name, figure in kinds.items():
                assert f"- `{name}`: {figure.meaning}." in section


# Complots


def test_a_true_claim_stays_true_when_its_card_has_gone():
    """Exemple 2, and then the same two claims again, without the cards that were shown."""
    table = Table("p1[captain,assassin] 2  p2[ambassador,duchess] 2  p3[contessa,duchess] 2").play("""
        p1: captain:p2           (true)
        p3: challenge
        ~ p1 shows captain, draw p1=contessa
        p3: lose:contessa
        p2: block:ambassador     (true)
        p3: challenge
        ~ p2 shows ambassador, draw p2=assassin
    """)
    shows(
        table,
        """
        bluffs      0/1  0/1  0/0
        caught      0/0  0/0  0/0
        challenges  0/1  0/1  2/2
        right       0/0  0/0  0/2
        blocks      0/0  1/1  0/0
        """,
    )
    table.play("""
        p2: income
        p1: captain:p2           (a bluff now)
        p2: block:ambassador     (and so is this)
        p1: challenge
        ~ p2 has no ambassador
        p2: lose:assassin
    """)
    shows(
        table,
        """
        bluffs      1/2  1/2  0/0
        caught      0/1  1/1  0/0
        challenges  1/2  0/2  2/2
        right       1/1  0/0  0/2
        blocks      0/0  2/2  0/0
        """,
    )
    shows(
        table,
        """
        missed        0/1  1/1  0/0
        false_blocks  0/0  1/2  0/0
        """,
        ("missed", "false_blocks"),
    )
    assert [count for count, _ in figures(table.match, ["by_challenge"])["by_challenge"]] == [0, 0, 2]
    assert [count for count, _ in figures(table.match, ["by_bluff"])["by_bluff"]] == [0, 1, 0]


@pytest.mark.parametrize("name", ["complots", "local"])
def test_the_cards_lost_by_cause_are_all_cards_lost(name):
    match = play(GAMES[name], GAMES[name].defaults(), 4, "causes")
    found = figures(match, [kind for kind in GAMES[name].decisions if kind.startswith("by_")])
    assert all(of == 1 for pairs in found.values() for _, of in pairs), "one game for each seat"
    told = Counter(
        step.text.split()[1] for step, _ in match.log if type(step) is Tell and "cause=" in step.text
    )
    for seat in range(4):
        assert sum(pairs[seat][0] for pairs in found.values()) == told[seat_name(seat)] > 0 or seat == 0


def test_a_liar_with_his_last_card_is_caught_by_all_who_challenge():
    """Whose challenge counts is clockwise order; both have seen through it (C30)."""
    table = Table(
        "p1[duchess](captain) 2  p2[captain,captain] 2  p3[duchess,contessa] 2  p4[contessa,assassin] 2"
    )
    table.play("""
        p1: ambassador
        p4: challenge
        p2: challenge            (this one counts)
        ~ p2 challenges p1, p1 has no ambassador, p1 loses duchess, p1 is out with 2
    """)
    shows(
        table,
        """
        bluffs      1/1  0/0  0/0  0/0
        caught      1/1  0/0  0/0  0/0
        challenges  0/0  1/1  0/1  1/1
        right       0/0  1/1  0/0  1/1
        blocks      0/0  0/0  0/0  0/0
        """,
    )


def test_a_card_lost_to_ones_own_challenge_makes_the_block_a_bluff():
    table = Table("p1[assassin,duchess] 3  p2[contessa,duchess] 2  p3[captain,captain] 2").play("""
        p1: assassin:p2
        p2: challenge
        ~ p1 shows assassin, draw p1=captain
        p2: lose:contessa
        p2: block:contessa       (nobody doubts it)
    """)
    found = figures(table.match)
    assert found["bluffs"] == [(0, 1), (1, 1), (0, 0)]
    assert found["caught"] == [(0, 0), (0, 1), (0, 0)]
    assert found["right"] == [(0, 0), (0, 1), (0, 0)]


def test_hands_change_by_exchange_and_exam():
    position = "p1[inquisitor,duchess] 2  p2[contessa,captain] 2  p3[duchess,duchess] 2"
    table = Table(position, cast="inquisitor").play("""
        p1: inquisitor:p2
        p2: show:captain
        p1: exam:discard
        ~ p1 examines p2: discard, draw p2=assassin
        p2: captain:p1           (not any more)
        p3: inquisitor:draw      (a bluff, but it brings one)
        ~ draw p3=inquisitor
        p3: keep:duchess+inquisitor
        p1: income
        p2: income
        p3: inquisitor:draw      (true)
        ~ draw p3=captain
        p3: keep:duchess+captain
        p1: captain:p3           (a bluff against a bluff)
        p3: block:inquisitor
    """)
    assert figures(table.match)["bluffs"] == [(1, 2), (1, 1), (2, 3)]


def test_the_draft_counts_as_dealt_and_picked():
    table = Table.dealt(2, script={"deal": ["contessa", "duchess"]}, starter="p1").play("""
        p1: draft:contessa
        p2: draft:assassin
        p1: duchess              (a bluff)
        p2: duchess              (true: it was dealt)
        p1: captain:p2           (a bluff)
        p2: block:ambassador     (a bluff)
        p2: assassin:p1          (true: it was picked)
        p1: block:contessa       (true)
    """)
    assert figures(table.match)["bluffs"] == [(2, 3), (1, 3)]


def test_each_may_bluff_against_the_same_aid():
    table = Table(
        "p1[captain,captain] 2  p2[captain,contessa] 2  p3[contessa,contessa] 2", block_attempts="each"
    ).play("""
        p1: aid
        p2: block:duchess
        p3: block:duchess        (a block, but no claim: p2 was first)
        p1: challenge
        ~ p2 has no duchess
        p2: lose:captain
        p3: block:duchess
        p2: challenge
        ~ p3 has no duchess
        p3: lose:contessa
        ~ p1 takes 2
    """)
    shows(
        table,
        """
        bluffs      0/0  1/1  1/1
        caught      0/0  1/1  1/1
        challenges  1/2  1/1  0/1
        right       1/1  1/1  0/0
        blocks      0/0  1/1  2/2
        """,
    )


def test_who_forfeits_has_done_what_was_done():
    table = Table("p1[captain,captain] 2  p2[captain,contessa] 2  p3[contessa,contessa] 2").play("""
        p1: duchess
        p1 forfeits
        ~ p1 loses captain, p1 loses captain, p1 is out with 5
        p2: captain:p3           (true)
        p3: challenge
        ~ p2 shows captain, draw p2=duchess
        p3: lose:contessa
        p2 forfeits
    """)
    assert table.over() == (3, 2, 1)
    shows(
        table,
        """
        bluffs      1/1  0/1  0/0
        caught      0/1  0/0  0/0
        challenges  0/0  0/1  1/2
        right       0/0  0/0  0/1
        blocks      0/0  0/0  0/1
        """,
    )


# The local variant


def test_the_worked_round():
    """[IV. Exemple] of the variant's rule, as on its page."""
    table = LocalTable.dealt(2, starter="p1").play("""
        p1: duchess@ambassador   (1.1, a bluff)
        p2: duchess@duchess      (1.2)
        p1: challenge
        p1: lose:captain
        p1: duchess@duchess      (2.1)
        p2: challenge
        p2: lose:ambassador
        p2: captain:p1@captain   (2.2)
        p1: block:captain@assassin
        p2: challenge
        p1: aid                  (3.1)
        p2: assassin:p1@assassin (3.2)
        p1: block:contessa@contessa
        p1: coup:p2              (4.1)
        p2: aid                  (4.2, and p1 has no card to block with)
    """)
    shows(
        table,
        """
        bluffs      2/4  0/3
        caught      1/2  0/0
        challenges  1/3  2/4
        right       0/1  1/2
        blocks      2/2  0/1
        """,
    )


def test_only_the_placed_card_makes_a_claim_true():
    """A captain in the hand is no help (L8); a placed card lost face down was still what it was (L21)."""
    table = LocalTable.dealt(2, starter="p1").play("""
        p1: captain:p2@contessa
        p2: block:captain@captain
        p1: challenge
        ~ p2 shows captain
        p1: lose:contessa        (the placed one, unseen)
        p2: duchess@duchess
    """)
    shows(
        table,
        """
        bluffs      1/1  0/2
        caught      0/1  0/0
        challenges  1/2  0/1
        right       0/1  0/0
        blocks      0/0  1/1
        """,
    )


# Intrigue

WRITER = {"turn": "p2", "castles": {"p2": {6000: "p3.priest"}}, "candidates": {"p2": ["p4.writer"]}}
COMPOSITE = WRITER | {"candidates": {"p2": ["p4.writer", "p1.biologist", "p3.biologist", "p4.priest"]}}


@pytest.mark.parametrize(("private", "offers"), [(False, "0/1 1/6 0/2 1/3"), (True, "0/2 1/10 0/4 1/4")])
@pytest.mark.parametrize("unit", ["player", "advisor"])
def test_the_composite_turn(private, offers, unit):
    """[pp. 7-8]: one offer of two is accepted; p2 breaks a promise, and sells one place of two.

    Private talk has all its rounds.
    """
    table = IntrigueTable(4, COMPOSITE, press=1, private=private, bribe_unit=unit).play("""
        p4: talk offer:5000:writer@10000:next=p2@10000
        p2: talk offer:8000:writer@10000
        p4: talk accept:2
        p2: talk pass
        p4: bribe 8000
        p2: place 1000
        p3: bribe 4000
        p1: bribe 12000
        p2: place p1.biologist@3000
        p3: bribe 1000
        p4: bribe 4000
        p2: decide p3.priest
    """)
    shows(
        table,
        f"""
        kept      0/0      0/1  0/0     1/1
        offers    {offers}
        accepted  0/0      1/1  0/0     0/1
        bribe     12000/0  0/0  5000/0  12000/0
        sold      0/0      1/2  0/0     0/0
        """,
    )
    shows(
        table,
        """
        lowest    0/1  0/0  1/2  0/2
        won       1/1  0/0  1/2  0/1
        banished  0/1  0/0  1/2  1/2
        """,
        ("lowest", "won", "banished"),
    )


@pytest.mark.parametrize(
    ("private", "offers"), [(False, "1/12 0/12 2/12 0/12"), (True, "1/15 0/15 2/15 0/15")]
)
def test_promises_between_any_two_players_count_alike(private, offers):
    """p1 and p3 have no part in the payment; p3 promises twice, p1 and p4 once, and p2 breaks its word."""
    table = IntrigueTable(4, WRITER, private=private, rounds=2).play("""
        p4: talk pass
        p2: talk pass
        p3: talk promise:p4:send=p4
        p1: talk offer:p2:p2/p4.writer@1000:spare=p2
        p4: talk accept:3
        p2: talk accept:4
        p3: talk request:p2:p4.writer@1000
        p1: talk pass
        p4: bribe 1000
        p3: talk offer:p2:spare=writer@p2:p2/turn=p4@1000
        p2: talk accept:9
        p2: place 3000
        p2: send priest@p1
        p2: send doctor@p1
        p3: send writer@p4
        p3: send writer@p2
        p3: bribe 1000
        p4: place 1000
        p4: send biologist@p1
        p4: send biologist@p3
        p2: bribe 1000
        p4: bribe 1000
        p1: place 1000
        p1: place 3000
        p1: place 6000
        p1: send doctor@p3
        p1: send doctor@p3
    """)
    shows(
        table,
        f"""
        kept      1/1  0/2  1/2  0/0
        offers    {offers}
        accepted  1/1  0/0  2/2  0/0
        bribe     0/0  1000/4000  1000/0  2000/0
        sold      0/0  0/0  0/0  0/0
        """,
    )


def test_a_void_promise_and_the_banks_money_count_for_nothing():
    table = IntrigueTable(4, WRITER | {"money": {"p4": 0}}).play("""
        p4: talk offer:p2:doctor@1000:p2/send=p1
        p2: talk accept:1
        ~ bribe p4 p2 1000 by=bank
        p2: place 1000
        ~ promise 1 p2 void doctor@1000
    """)
    found = figures(table.match)
    assert found["kept"] == [(0, 0)] * 4
    assert found["accepted"][3] == (1, 1)
    assert found["bribe"][3] == (0, 0)
    assert found["sold"][1] == (0, 0)  # no other player fought for it


def test_a_promise_not_due_is_not_counted_before_it_is():
    """p4 promises a place of his next turn; the game goes on until it is decided."""
    table = IntrigueTable(4, WRITER, rounds=2).play("""
        p4: talk offer:1000:next=p2@6000
        p2: talk accept:1
        p4: bribe 1000
    """)
    assert figures(table.match)["kept"][3] == (1, 1)
    table.finish()  # first options: no player comes to p4's castle before that turn
    assert figures(table.match)["kept"][3] == (1, 1)
    assert "promise 1 p4 void next=p2@6000" in table.news()
    earned = [text.split() for text in table.news() if text.startswith("income")]
    assert [of for _, of in figures(table.match)["bribe"]] == [
        sum(int(amount) for _, name, amount in earned if name == seat_name(seat)) for seat in range(4)
    ]


@pytest.mark.parametrize(
    ("bribes", "winner", "sold"),
    [
        ((1000, 4000), "p4", (1, 1)),
        ((1000, 4000), "p3", (0, 1)),
        ((4000, 1000), "p3", (1, 1)),
        ((2000, 2000), "p3", (1, 1)),  # no player had paid more
        ((2000, 2000), "p4", (1, 1)),
    ],
)
def test_a_conflict_is_sold_to_one_who_paid_as_much_as_any(bribes, winner, sold):
    given = WRITER | {"candidates": {"p2": ["p4.priest"]}}
    table = IntrigueTable(4, given).play(f"""
        p3: bribe {bribes[0]}
        p4: bribe {bribes[1]}
        p2: decide {winner}.priest
    """)
    assert figures(table.match)["sold"] == [(0, 0), sold, (0, 0), (0, 0)]


def test_a_player_in_conflict_with_himself_is_none():
    """Two priests of p4 alone, new to the castle: one bribe, and one of them is placed (I21)."""
    table = IntrigueTable(4, {"turn": "p2", "candidates": {"p2": ["p4.priest", "p4.priest"]}})
    table.play("p4: bribe 1000\np2: place p4.priest@1000\n~ banish p2 p4.priest")
    assert figures(table.match)["sold"][1] == (0, 0)


# Random games, counted in another way


class CountByPosition:
    """Both games of Complots: the asks of each seat, and the cards on the table, as the game is played."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.found: Counter[tuple[str, int]] = Counter()
        self.chances: Counter[tuple[str, int]] = Counter()
        self.asked = None

    def __call__(self, match) -> None:
        if self.asked:
            self.count(*self.asked, match.replies[self.number])
        self.asked, self.number = None, len(match.replies)
        if isinstance(match.step, Ask):
            choice = next(iter(match.step.choices.values()))
            if choice.kind in ("challenge", "block"):
                self.asked = choice.kind, *self.bluffer(match.position, choice)

    def bluffer(self, p, choice) -> tuple[int, bool]:
        """Whose claim the window is about, and whether that is a bluff."""
        seat, card = seat_number(choice.context["on"]), choice.context.get("claim")
        if choice.kind == "block":
            return seat, False
        if self.game == "local":
            return seat, p.placed[seat].card != card
        return seat, card not in p.hands[seat]

    def count(self, kind: str, claimant: int, bluff: bool, answers: dict[int, str]) -> None:
        willing = [seat for seat, word in answers.items() if word != "pass"]
        for seat in answers:
            self.add("blocks" if kind == "block" else "challenges", seat, seat in willing)
        if kind == "challenge":
            for seat in willing:
                self.add("right", seat, bluff)
            self.add("bluffs", claimant, bluff)
            if bluff:
                self.add("caught", claimant, bool(willing))

    def add(self, figure: str, seat: int, yes: bool) -> None:
        self.found[figure, seat] += yes
        self.chances[figure, seat] += 1


BLUFFING = [case for case in CASES if case[0].name != "intrigue"]


@pytest.mark.parametrize(("game", "changes"), BLUFFING, ids=case_name)
def test_bluffs_are_those_that_the_open_table_shows(game, changes):
    for options, seats, seed in line_ups(game, changes, 4):
        other = CountByPosition(game.name)
        match = play(game, options, seats, seed, forfeits=0.02, watch=other)
        found = figures(match)
        for name in game.figures:
            wanted = [(other.found[name, seat], other.chances[name, seat]) for seat in range(seats)]
            assert found[name] == wanted, (name, seed)
        heads = Counter(step.text.split()[0] for step, _ in match.log if isinstance(step, Tell))
        assert sum(of for _, of in found["bluffs"]) == heads["claim"] + heads["block"]
        assert sum(count for count, _ in found["caught"]) == heads["refuted"]


class CountByAsks:
    """Intrigue: what was asked and answered, and what the purses say."""

    def __init__(self) -> None:
        self.found: Counter[tuple[str, int]] = Counter()
        self.chances: Counter[tuple[str, int]] = Counter()
        self.paid: Counter[tuple[tuple, str]] = Counter()
        self.received: Counter[int] = Counter()
        self.asked = None

    def __call__(self, match) -> None:
        if self.asked:
            turn, choices = self.asked
            for seat, word in match.replies[self.number].items():
                self.count(turn, seat, choices[seat], word)
        self.asked, self.number = None, len(match.replies)
        if isinstance(match.step, Ask):
            self.asked = match.position.turn, match.step.choices

    def count(self, turn: int, seat: int, choice, word: str) -> None:
        keys = choice.context
        stage = turn, keys.get("stage"), str(keys.get("zone", keys.get("zones")))
        if choice.kind == "bribe":
            self.paid[stage, seat_name(seat)] += int(word)
            self.found["bribe", seat] += int(word)
            self.received[seat_number(keys["to"])] += int(word)
        elif choice.kind == "talk":
            made = word.startswith(("offer:", "promise:"))
            self.found["offers", seat] += made
            self.chances["offers", seat] += "offer" in choice.open
            self.chances["accepted", seat] += made
            verb, _, number = word.partition(":")
            if verb == "accept":
                offers = [offer.split(":") for offer in keys.get("others", "").split(",")]
                makers = {offer[0]: offer[1] for offer in offers if offer[1:]}
                self.found["accepted", seat_number(makers.get(number) or keys["with"])] += 1
        elif choice.kind == "decide" or keys.get("stage") == "external":
            self.count_sale(stage, seat, {option.partition(".")[0] for option in choice.options}, word)

    def count_sale(self, stage: tuple, seat: int, rivals: set[str], word: str) -> None:
        """By what was paid in this stage; in the external one the zones get fewer as it goes on."""
        if stage[1] == "external":
            same = [key for key, _ in self.paid if key[:2] == stage[:2]]
            stage = same[0] if same else stage
        if len(rivals) > 1:
            paid = {name: self.paid[stage, name] or 1000 for name in rivals}  # 1000: by the bank
            self.chances["sold", seat] += 1
            self.found["sold", seat] += paid[word.partition(".")[0]] == max(paid.values())


TALKING = [changes for game, changes in CASES if game.name == "intrigue"]
TALKING += [
    {"press": press, "private": private, "bribe_unit": unit}
    for press in (1, 2, 3)
    for private in (False, True)
    for unit in ("player", "advisor")
]


def test_bribes_and_talk_are_those_that_were_asked_for():
    game = GAMES["intrigue"]
    for number, changes in enumerate(TALKING):
        options, seats, seed = list(line_ups(game, changes, 3))[number % 3]
        other = CountByAsks()
        match = play_talking(options, seats, seed, watch=other)
        found = figures(match)
        for name in ("offers", "accepted", "sold"):
            wanted = [(other.found[name, seat], other.chances[name, seat]) for seat in range(seats)]
            assert found[name] == wanted, (name, seed)
        banks = [
            step.text.split() for step, _ in match.log if isinstance(step, Tell) and "by=bank" in step.text
        ]
        for seat in range(seats):
            paid, earned = found["bribe"][seat]
            assert paid == other.found["bribe", seat]
            received = other.received[seat] + 1000 * sum(words[2] == seat_name(seat) for words in banks)
            assert match.position.money[seat] == 32000 + earned + received - paid
            assert found["kept"][seat] == promises(match, seat)


def promises(match, seat: int) -> tuple[int, int]:
    """Kept, and kept or broken, as this seat hears of its own promises."""
    heard = [step.text.split() for step, _ in match.log if isinstance(step, Tell) and step.to in (ALL, seat)]
    verdicts = Counter(words[3] for words in heard if words[0] == "promise" and words[2] == seat_name(seat))
    return verdicts["kept"], verdicts["kept"] + verdicts["broken"]


def test_random_games_have_something_to_count():
    """So that no comparison above is one of nothing with nothing."""
    for game in GAMES.values():
        sums: Counter[str] = Counter()
        for changes in list(configurations(game))[-6:]:
            for options, seats, seed in line_ups(game, changes, 3):
                match = (
                    play_talking(options, seats, seed)
                    if game.name == "intrigue"
                    else play(game, options, seats, seed)
                )
                for name, pairs in figures(match).items():
                    sums[name] += sum(count for count, _ in pairs)
        assert min(sums[name] for name in game.figures) > 0, sums
