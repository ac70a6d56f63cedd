"""Complots, classic: the rulings C1-C54 and A4-A10, as far as the golden scenarios do not test them.

Each test is named by its ruling; `complots_table.py` explains how positions and transcripts are written.
"""

import json
import re
from collections import Counter
from itertools import combinations_with_replacement

import pytest
from complots_table import Table

from arena.games.complots.game import GAME
from arena.games.complots.position import CARDS
from arena.rules import Ask, PositionError, seat_name
from arena.rules.match import Match


def three(*coins: int, cast: str = "ambassador") -> str:
    """Three players with two lives each, and these coins."""
    a, b, c = coins or (2, 2, 2)
    return f"p1[duchess,captain] {a}  p2[contessa,captain] {b}  p3[assassin,{cast}] {c}"


def four(*coins: int) -> str:
    a, b, c, d = coins or (2, 2, 2, 2)
    return (
        f"p1[duchess,captain] {a}  p2[contessa,captain] {b}  "
        f"p3[assassin,ambassador] {c}  p4[duchess,assassin] {d}"
    )


def offered(position: str, **options) -> tuple[str, ...]:
    """The options of p1, the player to move."""
    return Table(position, **options).play("asked action: p1").options("p1")


def kinds(table: Table) -> list[str]:
    return [kind for kind, _ in table.asks]


# Préparation


@pytest.mark.parametrize("lost", [["contessa", "assassin"], ["assassin", "contessa"]])
def test_a_given_position_keeps_the_order_of_lost_cards_and_sorts_hands(lost):
    """As in a game, where the card that was lost first stands first."""
    hands = {"p1": ["ambassador", "duchess"], "p2": ["captain", "contessa"]}
    p = GAME.position_from_setup(3, GAME.defaults(), {"hands": hands, "lost": {"p3": lost}})
    _, p1, _, p3 = GAME.view(p, 0)
    assert p1 == "p1 coins=2 cards=2 hand=duchess,ambassador"
    assert p3 == f"p3 coins=0 cards=0 lost={','.join(lost)}"


def test_c4_unlimited_treasury_never_runs_out():
    table = Table.dealt(8, starter="p1", treasury="unlimited", must_coup_at=100)
    for turn in range(48):
        table.play(f"p{turn % 8 + 1}: duchess")
    assert table.position.coins == [20] * 8
    assert table.position.treasury is None


def test_c4_unlimited_treasury_takes_what_is_paid():
    table = Table(three(7, 2, 2), treasury="unlimited").play("""
        p1: coup:p2
        ~ p1 pays 7
        p2: lose:captain
        p2: aid
        ~ p2 takes 2
    """)
    table.shows("p1 0  p2 4  p3 2")


def test_c5_small_treasury_gives_what_it_has():
    table = Table(three(5, 5, 4), treasury=17).play("""
        p1: aid
        ~ p1 takes 2
        p2: duchess
        ~ p2 takes 1
        p3: income
        ~ p3 takes 0
        p1: captain:p2           (coins between players do not touch the Treasury, C19)
        ~ p1 steals 2 from p2
        p2: aid
        ~ p2 takes 0
        p3: assassin:p1
        ~ p3 pays 3
        p1: lose:duchess
        p1: aid
        ~ p1 takes 2
    """)
    table.shows("p1 11  p2 4  p3 1  T1  next p2")


def test_c5_an_empty_treasury_changes_no_offer():
    assert offered(three(6, 5, 5), treasury=16) == offered(three(6, 5, 5), treasury=54)


def test_c6_random_starter_is_seeded_and_public():
    starters = set()
    for seed in range(40):
        table, again = (Table.dealt(4, seed=str(seed)) for _ in range(2))
        assert table.position.actor == again.position.actor
        assert table.news()[0] == f"starter {seat_name(table.position.actor)}"
        starters.add(table.position.actor)
    assert starters == {0, 1, 2, 3}


@pytest.mark.parametrize("starter", ["p1", "p3", "p8"])
def test_c6_fixed_starter(starter):
    table = Table.dealt(8, starter=starter).play(f"asked action: {starter}")
    assert not table.draws("starter")
    assert table.news()[0] == f"starter {starter}"


def test_c6_a_starter_has_to_be_there():
    option = GAME.options["starter"]
    assert option.applies("p4", 4) and not option.applies("p5", 4)
    assert option.applies("random", 2) and option.applies("winner", 2)


def test_c7_without_an_earlier_game_chance_names_the_winner():
    table = Table.dealt(3, starter="winner", script={"starter": ["p2"]})
    table.play("asked action: p2")


def test_c8_the_third_pack_has_one_card_of_each():
    match = Match(GAME, GAME.defaults() | {"starter": "p1"}, 2)
    assert match.step.outcomes == CARDS[:5]
    match.reply("captain")
    assert match.step.outcomes == ("duchess", "assassin", "contessa", "ambassador")


def test_c11_the_inquisitor_is_in_every_pack_of_its_cast():
    table = Table.dealt(2, cast="inquisitor", starter="p2", script={"deal": ["duchess", "captain"]}).play("""
        offered p1 draft: duchess assassin contessa captain inquisitor
        p1: draft:inquisitor
        p2: draft:inquisitor
    """)
    table.shows("p1[duchess,inquisitor] 2  p2[captain,inquisitor] 1  court assassin contessa inquisitor")


# A. Les différentes Actions


@pytest.mark.parametrize(
    ("cast", "exchange"),
    [("ambassador", ["ambassador"]), ("inquisitor", ["inquisitor:draw", "inquisitor:p2", "inquisitor:p3"])],
)
def test_c13_every_action(cast, exchange):
    """No pass, and never the contessa; the inquisitor's mode and target are part of the word (C21)."""
    actions = ["income", "aid", "coup:p2", "coup:p3", "duchess", "assassin:p2", "assassin:p3"]
    actions += ["captain:p2", "captain:p3", *exchange]
    assert Counter(offered(three(7, 2, 2, cast=cast), cast=cast)) == Counter(actions)


def test_c14_the_hand_does_not_limit_what_is_announced():
    hands = [",".join(hand) for hand in combinations_with_replacement(CARDS[:5], 2)]
    offers = {offered(f"p1[{hand}] 3  p2[contessa,captain] 2  p3[assassin,duchess] 2") for hand in hands}
    assert len(offers) == 1


@pytest.mark.parametrize(
    ("must_coup_at", "coins", "forced"),
    [
        (10, 9, False),
        (10, 10, True),
        (10, 13, True),
        (7, 6, False),
        (7, 7, True),
        (12, 12, True),
        (99, 40, False),
    ],
)
def test_c15_coins_that_force_the_assassinat(must_coup_at, coins, forced):
    options = offered(three(coins, 2, 2), must_coup_at=must_coup_at)
    if forced:
        assert set(options) == {"coup:p2", "coup:p3"}
    else:
        assert {"income", "aid", "duchess", "ambassador"} <= set(options)


@pytest.mark.parametrize(
    ("coins", "verbs"), [(2, set()), (3, {"assassin"}), (6, {"assassin"}), (7, {"assassin", "coup"})]
)
def test_c16_what_one_can_afford(coins, verbs):
    options = offered(three(coins, 2, 2))
    assert {option.partition(":")[0] for option in options} & {"assassin", "coup"} == verbs


@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
def test_c17_c24_targets_are_living_opponents(cast):
    targets: dict[str, set[str]] = {}
    position = f"p1[duchess,{cast}] 7  p2(contessa,captain) 0  p3[assassin,{cast}] 2  p4[duchess](captain) 2"
    for option in offered(position, cast=cast):
        verb, _, target = option.partition(":")
        if target not in ("", "draw"):
            targets.setdefault(verb, set()).add(target)
    targeted = ["coup", "assassin", "captain"] + (["inquisitor"] if cast == "inquisitor" else [])
    assert targets == {verb: {"p3", "p4"} for verb in targeted}


@pytest.mark.parametrize(
    ("cast", "transcript", "asks"),
    [
        ("ambassador", "p1: income", []),
        ("ambassador", "p1: aid", ["block"]),
        ("ambassador", "p1: coup:p2 / p2: lose:captain", ["lose"]),
        ("ambassador", "p1: duchess", ["challenge"]),
        ("ambassador", "p1: ambassador / p1: keep:duchess+captain", ["challenge", "keep"]),
        ("ambassador", "p1: captain:p2", ["challenge", "block"]),
        ("ambassador", "p1: assassin:p2 / p2: lose:captain", ["challenge", "block", "lose"]),
        ("inquisitor", "p1: inquisitor:draw / p1: keep:duchess+captain", ["challenge", "keep"]),
        (
            "inquisitor",
            "p1: inquisitor:p2 / p2: show:captain / p1: exam:return",
            ["challenge", "show", "exam"],
        ),
    ],
)
def test_c18_c22_c28_what_may_follow_an_action(cast, transcript, asks):
    table = Table(three(7, 2, 2, cast=cast), cast=cast).play(transcript.replace("/", "\n"))
    assert kinds(table) == ["action", *asks]
    assert all(seats == ["p2", "p3"] for seats in table.asked("challenge"))
    if "block" in asks:
        assert table.asked("block") == [["p2", "p3"] if "challenge" not in asks else ["p2"]]


@pytest.mark.parametrize(("coins", "stolen"), [(1, 1), (2, 2), (9, 2)])
def test_c19_how_much_is_stolen(coins, stolen):
    table = Table(three(2, coins, 2)).play(f"""
        p1: captain:p2
        ~ p1 steals {stolen} from p2
    """)
    table.shows(f"p1 {2 + stolen}  p2 {coins - stolen}  T{54 - 4 - coins}")


def test_c20_captain_may_rob_the_poor_where_the_key_says_so():
    assert not any(option.startswith("captain") for option in offered(three(2, 0, 0)))
    assert {"captain:p2", "captain:p3"} <= set(offered(three(2, 0, 0), captain_min_target=0))
    table = Table(three(2, 0, 0), captain_min_target=0).play("""
        p1: captain:p2
        asked challenge: p2 p3
        p2: pass
        asked block: p2
        p2: pass
        ~ p1 steals 0 from p2
    """)
    table.shows("p1 2  p2 0  p3 0  next p2")


def test_c23_a_single_card_is_shown_without_being_asked_for():
    table = Table(
        "p1[duchess,inquisitor] 2  p2[contessa](captain) 2  p3[assassin,inquisitor] 2", cast="inquisitor"
    ).play("""
        p1: inquisitor:p2
        p1: exam:return
    """)
    assert kinds(table) == ["action", "challenge", "exam"]
    assert "shown p2 contessa" in table.secrets("p1")


def test_c23_a7_two_equal_cards_are_asked_for():
    """The number of options is secret, so the time that an answer takes must tell nothing (C54)."""
    Table(
        "p1[duchess,inquisitor] 2  p2[captain,captain] 2  p3[assassin,inquisitor] 2", cast="inquisitor"
    ).play("""
        p1: inquisitor:p2
        offered p2 show: captain
        p2: show:captain
        p1: exam:return
    """)


def test_c23_a_discarded_card_is_shuffled_in_before_the_draw():
    table = Table(three(cast="inquisitor"), cast="inquisitor").play("""
        p1: inquisitor:p2
        p2: show:captain
        p1: exam:discard
        ~ p1 examines p2: discard, draw p2=duchess
    """)
    (draw,) = table.draws("court")
    assert draw.outcomes.count("captain") == 2  # one was there, one came
    table.shows("p1[duchess,captain] 2  p2[duchess,contessa] 2  p3[assassin,inquisitor] 2  next p2")
    assert table.secrets("p1") == ["hand duchess captain", "shown p2 captain"]  # not the replacement
    assert table.secrets("p3") == ["hand assassin inquisitor"]


def test_c26_exchange_after_being_proven():
    """The proven ambassador is shuffled away first, so it may come back in the draw."""
    table = Table(f"{three()}  next p3").play("""
        p3: ambassador
        p2: challenge
        ~ p3 shows ambassador, draw p3=duchess
        p2: lose:captain
        ~ p2 loses captain, draw p3=ambassador+contessa
        p3: keep:contessa+ambassador
        ~ p3 exchanges 2
    """)
    table.shows("p1 2  p2[contessa](captain) 2  p3[contessa,ambassador] 2  next p1")


# B. Mettre en doute


@pytest.mark.parametrize(
    ("priority", "script", "first"),
    [("clockwise", [], "p4"), ("random", ["p2"], "p2"), ("random", ["p4"], "p4"), ("fastest", [], "p2")],
)
def test_c30_which_challenge_counts(priority, script, first):
    """p3 claims; p1 passes, then p2 speaks before p4, the player on p3's left."""
    table = Table(f"{four()}  next p3", script={"priority": script}, priority=priority).play(f"""
        p3: duchess
        p1: pass
        p2: challenge
        p4: challenge
        ~ {first} challenges p3, p3 has no duchess
        p3: lose:ambassador
    """)
    assert [draw.outcomes for draw in table.draws("priority")] == [("p4", "p2")] * (priority == "random")
    for name in ("p1", "p2", "p3", "p4"):  # no player hears of the other's wish
        assert [line for line in table.news(name) if "challenge" in line] == [f"challenge {first} p3 duchess"]


@pytest.mark.parametrize(
    ("priority", "script", "first"),
    [("clockwise", [], "p2"), ("random", ["p3"], "p3"), ("random", ["p2"], "p2"), ("fastest", [], "p4")],
)
def test_c30_c33_which_block_counts(priority, script, first):
    table = Table(four(), script={"priority": script}, priority=priority).play(f"""
        p1: aid
        asked block: p2 p3 p4
        p4: block:duchess
        p3: block:duchess
        p2: block:duchess
        ~ {first} blocks with duchess, p1 is blocked by {first}
    """)
    assert len([line for line in table.news() if line.startswith("block ")]) == 1


def test_c30_chance_is_not_asked_about_a_single_challenger():
    table = Table(three(), priority="random").play("""
        p1: duchess
        p3: challenge
        ~ p3 challenges p1, p1 shows duchess
        p3: lose:assassin
    """)
    assert not table.draws("priority")


@pytest.mark.parametrize("priority", ["clockwise", "random", "fastest"])
def test_c30_only_the_fastest_is_a_race(priority):
    table = Table(three(), priority=priority).play("""
        p1: duchess
        asked challenge: p2 p3
    """)
    assert table.match.step.race == (priority == "fastest")


def test_c31_one_challenge_per_claim():
    table = Table(four()).play("""
        p1: captain:p2
        p4: challenge
        ~ p1 shows captain
        p4: lose:duchess
        asked block: p2          (p2 and p3 may not challenge the captain once more)
    """)
    assert table.asked("challenge") == [["p2", "p3", "p4"]]


def test_c29_a_second_challenge_after_a_lost_one():
    Table(four()).play("""
        p1: captain:p2
        p4: challenge
        p4: lose:duchess
        p2: block:captain
        asked challenge: p3 p4 p1
        p4: challenge
        ~ p2 shows captain, p4 loses assassin, p4 is out with 2, p1 is blocked by p2
    """)


def test_c33_one_attempt():
    """After a refuted block the aid is taken, and no other player may try."""
    table = Table(four()).play("""
        p1: aid
        p2: block:duchess
        p4: challenge
        ~ p2 has no duchess
        p2: lose:captain
        ~ p1 takes 2
    """)
    assert table.asked("block") == [["p2", "p3", "p4"]]


def test_c33_each_opponent_may_try():
    table = Table(four(), block_attempts="each").play("""
        p1: aid
        p2: block:duchess
        p1: challenge
        ~ p2 has no duchess
        p2: lose:captain
        asked block: p3 p4       (p2 has had its attempt)
        p3: block:duchess
        p1: challenge
        ~ p3 has no duchess
        p3: lose:assassin
        asked block: p4
        p4: block:duchess
        p1: challenge
        ~ p4 shows duchess
        p1: lose:captain
        ~ p1 is blocked by p4
    """)
    table.shows("p1[duchess](captain) 2  p2[contessa](captain) 2  p3[ambassador](assassin) 2  p4 2  next p2")


def test_c33_the_aid_is_taken_when_every_attempt_has_failed():
    table = Table(three(), block_attempts="each").play("""
        p1: aid
        p3: block:duchess
        p2: challenge
        p3: lose:assassin
        asked block: p2
        p2: block:duchess
        p3: challenge
        p2: lose:captain
        ~ p1 takes 2
    """)
    assert len(table.asked("block")) == 2


def test_c33_a_target_has_one_attempt():
    table = Table(three(), block_attempts="each").play("""
        p1: captain:p2
        p2: block:ambassador
        p1: challenge
        p2: lose:contessa
        ~ p1 steals 2 from p2
    """)
    assert table.asked("block") == [["p2"]]


def test_c34_other_copies_keep_their_power():
    Table("p1[duchess](captain) 2  p2[contessa](duchess) 2  p3[assassin,ambassador] 2").play("""
        p1: duchess
        p3: challenge
        ~ p1 shows duchess
        p3: lose:ambassador
        ~ p1 takes 3
    """)


@pytest.mark.parametrize("challenger", ["p1", "p3", "p4"])
def test_c35_all_but_the_blocker_may_challenge_a_block(challenger):
    lost = {"p1": "captain", "p3": "assassin", "p4": "assassin"}[challenger]
    Table(four()).play(f"""
        p1: captain:p2
        p2: block:captain
        asked challenge: p3 p4 p1
        {challenger}: challenge
        ~ {challenger} challenges p2, p2 shows captain
        {challenger}: lose:{lost}
        ~ p1 is blocked by p2
    """)


def test_c36_the_key_is_about_the_targets_own_challenge_only():
    """In Exemple 2 the target blocks after another player has challenged in vain."""
    table = Table(three(), block_after_own_failed_challenge=False).play("""
        p1: captain:p2
        p3: challenge
        p3: lose:assassin
        asked block: p2
        p2: block:captain
    """)
    table.shows("p1 2  p2 2  p3[ambassador](assassin) 2  next p2")


def test_c36_a_target_too_slow_to_challenge_may_block():
    Table(three(), block_after_own_failed_challenge=False).play("""
        p1: captain:p3
        p2: challenge
        p3: challenge            (too late, C30)
        ~ p2 challenges p1, p1 shows captain
        p2: lose:contessa
        asked block: p3
    """)


@pytest.mark.parametrize(("block", "proof"), [("captain", "shows"), ("ambassador", "has no")])
def test_c37_a_block_names_its_character(block, proof):
    """p2 has a captain; a block as ambassador is a lie all the same."""
    table = Table(three()).play(f"""
        p1: captain:p2
        offered p2 block: pass block:captain block:ambassador
        p2: block:{block}
        p3: challenge
        ~ p2 {proof} {block}
        {"p3: lose:assassin" if block == "captain" else "p2: lose:contessa"}
    """)
    table.shows("p1 2  p2[contessa,captain] 2" if block == "captain" else "p1 4  p2[captain](contessa) 0")


def test_c38_the_game_ends_before_the_cost_is_paid():
    table = Table("p1[assassin,duchess] 3  p2[contessa](captain) 2").play("""
        p1: assassin:p2
        p2: challenge
        ~ p1 shows assassin, p2 loses contessa, p2 is out with 2
    """)
    table.shows("p1 3  p2(contessa,captain) 0  T51")
    assert table.over() == (1, 2)
    assert not any(line.startswith("pay") for line in table.news())


def test_c38_the_game_ends_before_the_effect():
    table = Table("p1[duchess,captain] 2  p2[contessa](captain) 2").play("""
        p1: captain:p2
        p2: block:captain
        p1: challenge
        ~ p2 has no captain, p2 loses contessa, p2 is out with 2
    """)
    table.shows("p1 2  T52")
    assert table.over() == (1, 2)
    assert not any(line.startswith("steal") for line in table.news())


def test_c38_the_actor_may_end_the_game_against_himself():
    lie = Table("p1[contessa](captain) 2  p2[contessa,captain] 2").play("""
        p1: duchess
        p2: challenge
    """)
    block = Table("p1[contessa](captain) 2  p2[contessa,captain] 2").play("""
        p1: captain:p2
        p2: block:captain
        p1: challenge
    """)
    assert lie.over() == block.over() == (2, 1)


def test_c39_a_claimant_with_the_card_is_not_asked():
    table = Table(three()).play("""
        p1: captain:p2
        p3: challenge
        ~ p1 shows captain
        p3: lose:assassin
    """)
    assert table.asks == [
        ("action", ["p1"]),
        ("challenge", ["p2", "p3"]),
        ("lose", ["p3"]),
        ("block", ["p2"]),
    ]


def test_c40_a7_two_equal_cards_are_asked_for_and_a_single_one_is_not():
    table = Table("p1[duchess,captain] 14  p2[captain,captain] 2  p3[assassin,ambassador] 2").play("""
        p1: coup:p2
        offered p2 lose: captain
        p2: lose:captain
    """)
    table.shows("p1 7  p2[captain](captain) 2")
    table = Table("p1[duchess,captain] 7  p2[captain](captain) 2  p3[assassin,ambassador] 2").play("""
        p1: coup:p2
        ~ p2 loses captain, p2 is out with 2
    """)
    assert kinds(table) == ["action"]


@pytest.mark.parametrize(
    ("transcript", "cause"),
    [
        ("p1: coup:p2 / p2: lose:contessa", "coup"),
        ("p1: assassin:p2 / p2: lose:contessa", "assassin"),
        ("p1: captain:p3 / p2: challenge / p2: lose:contessa", "challenge"),
        ("p1: aid / p2: block:duchess / p3: challenge / p2: lose:contessa", "bluff"),
    ],
)
def test_the_ask_and_the_news_of_a_lost_card_say_why_it_is_lost(transcript, cause):
    *before, answer = transcript.split(" / ")
    table = Table(three(7, 2, 2)).play("\n".join([*before, "asked lose: p2"]))
    assert table.match.step.choices[1].context == {"cause": cause}
    assert f"lose p2 contessa cause={cause}" in table.play(answer).news("p3")


def test_a_card_lost_unasked_or_by_a_forfeit_has_its_cause_too():
    table = Table("p1[duchess](captain) 2  p2[captain,contessa] 2  p3[assassin,ambassador] 2").play("""
        p1: captain:p2
        p3: challenge
        p2 forfeits
    """)
    causes = [line for line in table.news() if line.startswith("lose")]
    assert causes == [
        "lose p1 duchess cause=bluff",
        "lose p2 contessa cause=forfeit",
        "lose p2 captain cause=forfeit",
    ]


def test_a_bot_without_memory_knows_who_acts():
    """`on=` of a challenge is the claimant, who is the blocker if a block is challenged; `actor=` acts."""
    table = Table(three()).play("p1: captain:p2 / asked challenge: p2 p3".replace("/", "\n"))
    challenge = table.match.step.choices[2].context
    assert challenge == {"on": "p1", "claim": "captain", "action": "captain:p2", "actor": "p1"}
    table.play("p2: block:ambassador / asked challenge: p3 p1".replace("/", "\n"))
    challenge = table.match.step.choices[2].context
    assert challenge == {"on": "p2", "claim": "ambassador", "action": "captain:p2", "actor": "p1"}
    assert GAME.view(table.position, 2)[0] == "table treasury=48 court=9 turn=1 actor=p1"
    dealt = Table.dealt(2, starter="p2")  # before the first turn, at the draft
    assert GAME.view(dealt.position, 0)[0] == "table treasury=51 court=3 turn=0"


def test_c41_proven_with_two_copies():
    table = Table("p1[captain,captain] 2  p2[contessa,duchess] 2  p3[assassin,ambassador] 2").play("""
        p1: captain:p2
        p3: challenge
        ~ p1 shows captain, draw p1=duchess
        p3: lose:assassin
    """)
    table.shows("p1[duchess,captain] 4")


def test_c42_the_replacement_comes_from_court_and_shown_card():
    table = Table(three())
    court = Counter(table.position.court)
    table.play("""
        p1: captain:p2
        p3: challenge
        ~ p1 shows captain, draw p1=captain
        p3: lose:assassin
    """)
    (draw,) = table.draws("court")
    assert Counter(draw.outcomes) == court + Counter(["captain"])
    table.shows("p1[duchess,captain] 4")
    assert table.secrets("p1") == ["hand duchess captain"] * 2
    assert table.secrets("p2") == ["hand contessa captain"]
    assert table.secrets("p3") == ["hand assassin ambassador"]


@pytest.mark.parametrize(
    ("transcript", "cost"),
    [
        ("p3: challenge / p1: lose:duchess", 0),
        ("p2: block:contessa", 3),
        ("p2: block:contessa / p1: challenge / p1: lose:duchess", 3),
        ("p2: block:contessa / p3: challenge / p3: lose:assassin", 3),
        ("p2: lose:captain", 3),
    ],
    ids=["refuted", "blocked", "proven block", "proven block of another's challenge", "unblocked"],
)
def test_c43_the_cost_of_the_assassin(transcript, cost):
    table = Table(three(5, 2, 2)).play(f"p1: assassin:p2 / {transcript}".replace("/", "\n"))
    table.shows(f"p1 {5 - cost}  T{45 + cost}  next p2")


def test_c44_target_eliminated_by_its_own_challenge():
    table = Table("p1[assassin,duchess] 3  p2[captain](contessa) 2  p3[contessa,contessa] 2").play("""
        p1: assassin:p2
        p2: challenge
        ~ p1 shows assassin, p2 loses captain, p2 is out with 2
        ~ p1 pays 3, p1's assassin:p2 fizzles
    """)
    assert table.asked("block") == []
    table.shows("p1 0  p2(contessa,captain) 0  p3[contessa,contessa] 2  T52  next p3")


def test_c44_target_eliminated_by_a_refuted_block():
    table = Table("p1[duchess,duchess] 3  p2[captain](captain) 2  p3[contessa,contessa] 2").play("""
        p1: assassin:p2
        p2: block:contessa
        p3: challenge
        ~ p1 pays 3, p2 has no contessa, p2 loses captain, p2 is out with 2, p1's assassin:p2 fizzles
    """)
    table.shows("p1 0  p2(captain,captain) 0  p3[contessa,contessa] 2  T52  next p3")


@pytest.mark.parametrize(("steal_from_dead", "purse", "stolen"), [(False, 5, 0), (True, 5, 2), (True, 1, 1)])
@pytest.mark.parametrize(
    "death",
    [
        "p2: challenge / ~ p1 shows captain, p2 loses contessa",
        "p2: block:captain / p3: challenge / ~ p2 has no captain",
    ],
    ids=["own challenge", "refuted block"],
)
def test_c45_target_of_the_captain_eliminated_before_the_effect(death, steal_from_dead, purse, stolen):
    table = Table(
        f"p1[captain,duchess] 2  p2[contessa](assassin) {purse}  p3[ambassador,ambassador] 2",
        steal_from_dead=steal_from_dead,
    ).play(f"p1: captain:p2 / {death}, p2 is out with {purse}, p1 steals {stolen} from p2".replace("/", "\n"))
    table.shows(f"p1 {2 + stolen}  p2(contessa,assassin) 0  p3 2  T{50 - stolen}  next p3")


def test_c46_target_of_the_exam_eliminated_by_its_own_challenge():
    table = Table(
        "p1[inquisitor,duchess] 2  p2[contessa](assassin) 2  p3[captain,captain] 2", cast="inquisitor"
    ).play("""
        p1: inquisitor:p2
        p2: challenge
        ~ p1 shows inquisitor, p2 is out with 2, p1's inquisitor:p2 fizzles
    """)
    assert kinds(table) == ["action", "challenge"]
    assert not any(line.startswith("shown") for line in table.secrets("p1"))
    table.shows("p1 2  p3 2  T50  next p3")


def test_c47_actor_eliminated_by_challenging_a_true_block():
    table = Table("""
        p1[assassin](duchess) 5   p2(captain,captain) 0   p3[contessa,duchess] 2   p4[contessa,duchess] 2
    """).play("""
        p1: assassin:p3
        p3: block:contessa
        p1: challenge
        ~ p1 pays 3, p3 shows contessa, p1 loses assassin, p1 is out with 2, p1 is blocked by p3
    """)
    table.shows("p1(duchess,assassin) 0  p3 2  p4 2  T50  next p3")


def test_c48_a_player_who_is_out_is_never_asked():
    table = Table("p1[duchess](captain) 2  p2[contessa,captain] 2  p3[assassin,ambassador] 7").play("""
        p1: duchess
        p2: challenge
        ~ p1 shows duchess
        p2: lose:captain
        p2: income
        p3: coup:p1              (whatever p1 has now)
        ~ p1 is out with 5
        asked action: p2
        p2: aid
        asked block: p3
        p3: pass
        asked action: p3
        p3: duchess
        asked challenge: p2
    """)
    assert len(table.position.lost[0]) == 2
    assert any(line.startswith("p1 ") and "lost=" in line for line in GAME.view(table.position, 1))


def test_c49_clockwise_from_the_actors_seat_even_if_the_actor_is_out():
    table = Table("""
        p1(captain,captain) 0   p2[contessa,duchess] 2   p3[contessa,duchess] 2   p4[contessa](ambassador) 2
        next p4
    """).play("""
        p4: duchess
        p3: challenge
        ~ p4 is out with 2
    """)
    table.shows("p4(contessa,ambassador) 0  next p2")


def test_c50_survivors_share_the_win():
    table = Table("p1[duchess,captain] 2  p2(contessa,captain) 0  p3[assassin](ambassador) 2", max_turns=2)
    table.play("""
        p1: income
        p3: income
    """)
    assert table.over() == (1, 3, 1)


RICH = "p1[duchess,captain] 21  p2[contessa](captain) 2  p3[assassin](captain) 2  p4[duchess](assassin) 2"


@pytest.mark.parametrize(("scoring", "places"), [("ranking", (1, 3, 4, 2)), ("winner", (1, 2, 2, 2))])
def test_c51_places_by_elimination(scoring, places):
    table = Table(RICH, scoring=scoring).play("""
        p1: coup:p3
        p2: income
        p4: income
        p1: coup:p2
        p4: income
        p1: coup:p4
        ~ p3 is out with 2, p2 is out with 3, p4 is out with 4
    """)
    assert table.over() == places


@pytest.mark.parametrize(("scoring", "places"), [("ranking", (1, 3, 4, 1)), ("winner", (1, 3, 3, 1))])
def test_c51_two_eliminations_in_one_turn(scoring, places):
    table = Table(
        """
        p1[captain,duchess] 2   p2[contessa](assassin) 2   p3[ambassador](assassin) 2   p4[duchess,duchess] 2
        """,
        scoring=scoring,
        max_turns=1,
    ).play("""
        p1: captain:p2
        p3: challenge
        ~ p3 is out with 2
        p2: block:captain
        p4: challenge
        ~ p2 is out with 2
    """)
    assert table.over() == places


def test_c51_players_out_at_the_start_went_out_in_seat_order():
    table = Table(
        "p1(captain,captain) 0  p2[duchess,duchess] 2  p3(contessa,duchess) 0  p4[assassin,assassin] 2",
        max_turns=1,
    ).play("p2: income")
    assert table.over() == (4, 1, 3, 1)


# What all players know, and which are asked


def test_c52_nothing_but_the_options_may_be_said():
    table = Table(three(3, 2, 2)).play("""
        p1: assassin:p2
        p2: block:contessa
        p3: challenge
        p3: lose:assassin
        p2: ambassador
        p2: keep:contessa+captain
    """)
    asks = [step for step, _ in table.match.log if isinstance(step, Ask)]
    assert not any(choice.open for step in asks for choice in step.choices.values())


def test_c53_what_a_seat_may_see():
    position = (
        "p1[duchess,captain] 4  p2[contessa](ambassador) 2  p3(assassin,ambassador) 0  p4[duchess,assassin] 3"
    )
    table = Table(position)
    for seat, hand in enumerate([["duchess", "captain"], ["contessa"], None, ["duchess", "assassin"]]):
        text = "\n".join(GAME.view(table.position, seat))
        assert [int(number) for number in re.findall(r"\bcoins=(\d+)", text)] == [4, 2, 0, 3]
        assert [int(number) for number in re.findall(r"\bcards=(\d+)", text)] == [2, 1, 0, 2]
        assert re.findall(r"\btreasury=(\w+) court=(\d+)", text) == [("45", "7")]
        lost = ["ambassador", "assassin", "ambassador"]
        assert Counter(re.findall("|".join(CARDS), text)) == Counter(lost + (hand or []))
    open_table = "\n".join(GAME.view(table.position, None))
    assert len(re.findall("|".join(CARDS), open_table)) == 8


def test_c54_the_seats_asked_do_not_depend_on_hands():
    hands = ["captain,captain", "contessa,duchess", "ambassador,captain", "duchess,ambassador"]
    asks = set()
    for hand in hands:
        table = Table(f"p1[assassin,captain] 3  p2[{hand}] 2  p3[contessa,duchess] 2").play("""
            p1: captain:p2
            offered p2 challenge: pass challenge
            p2: pass
            offered p2 block: pass block:captain block:ambassador
            p2: block:captain
        """)
        asks.add(str(table.asks))
    assert len(asks) == 1


# Forfeits (A4, A5)


def test_a4_forfeit_before_the_first_turn():
    table = Table(f"{three()}  T48").play("""
        p1 forfeits
        ~ p1 forfeits, p1 loses duchess, p1 loses captain, p1 is out with 2
        p2: income
    """)
    table.shows("p1(duchess,captain) 0  p2 3  p3 2  T49  next p3")


def test_a4_forfeit_after_the_draft():
    table = Table.dealt(2, starter="p1").play("""
        p1: draft:duchess
        p2: draft:duchess
        p1 forfeits
        ~ p1 is out with 1
    """)
    assert table.over() == (2, 1)
    assert kinds(table) == ["draft"]


def test_a4_forfeit_is_found_between_two_turns():
    table = Table(three()).play("""
        p1: income
        p3 forfeits
        ~ p1 takes 1, p3 forfeits, p3 is out with 2
        p2: duchess
        asked challenge: p1
        p1: pass
        asked action: p1         (p3's turn is skipped, C49)
    """)
    assert table.position.turn == 3


def test_a4_forfeit_is_placed_below_those_eliminated_earlier():
    table = Table("p1[duchess,captain] 7  p2[contessa,captain] 2  p3[assassin](ambassador) 2").play("""
        p1: coup:p3
        ~ p3 is out with 2
        p2 forfeits
    """)
    assert table.over() == (1, 3, 2)


def test_a4_seat_eliminated_in_the_turn_of_its_forfeit():
    """Its cards are up already; it is placed as a forfeit all the same."""
    table = Table(
        "p1[duchess,captain] 7  p2[contessa](captain) 2  p3(assassin,ambassador) 0  p4[duchess,duchess] 2"
    )
    table.play("""
        p1: coup:p2
        ~ p2 is out with 2
        p2 forfeits
        ~ p2 forfeits
        p4: income
        p4 forfeits
    """)
    assert [line for line in table.news() if line.startswith("out p2")] == ["out p2 coins=2"]
    assert table.over() == (1, 4, 2, 3)


def test_a4_last_survivor_has_forfeited():
    table = Table("p1[duchess,captain] 7  p2[contessa](captain) 2").play("""
        p1: coup:p2
        p1 forfeits
        ~ p2 is out with 2, p1 forfeits, p1 loses duchess, p1 loses captain, p1 is out with 0
    """)
    assert table.over() == (2, 1)


def test_a4_last_survivor_of_three_has_forfeited():
    table = Table("p1[duchess,captain] 7  p2[contessa](captain) 2  p3(assassin,ambassador) 0").play("""
        p1: coup:p2
        p1 forfeits
    """)
    assert table.over() == (3, 1, 2)


def test_a4_forfeits_are_eliminated_before_max_turns_is_checked():
    table = Table(three(), max_turns=1).play("""
        p1: income
        p2 forfeits
        ~ p2 is out with 2
    """)
    assert table.over() == (1, 3, 1)


def test_a4_a5_scoring_by_winner_keeps_forfeits_below():
    table = Table(RICH, scoring="winner").play("""
        p1: coup:p3
        p2 forfeits
        p4: income
    """)  # p1's next action is the only one (A7)
    assert table.over() == (1, 4, 2, 2)


def test_a5_forfeits_of_one_roll_call_tie():
    table = (
        Table(four())
        .play("""
        p1: income
        p3 forfeits
        p4 forfeits
    """)
        .play("""
        p2: income
        p1 forfeits
    """)
    )
    assert table.over() == (2, 1, 3, 3)  # and one that is found later is better


@pytest.mark.parametrize(
    "transcript",
    [
        "p1 forfeits / p2 forfeits / p3 forfeits",
        "p1: income / p2 forfeits / p3: income / p1 forfeits / p3 forfeits",
        "p1: income / p2 forfeits / p3: coup:p1 / p1: income / p1 forfeits / p3 forfeits",
    ],
)
def test_a5_when_all_have_forfeited_all_tie(transcript):
    table = Table("p1[duchess,captain] 2  p2[contessa,captain] 2  p3[assassin,ambassador] 7")
    table.play(transcript.replace("/", "\n").replace("coup:p1", "coup:p1 \n p1: lose:captain"))
    assert table.over() == (1, 1, 1)


# Offers and chance (A7, A8, A10)


def test_a7_a_single_public_option_is_not_asked():
    """With ten coins and one opponent there is nothing to choose."""
    table = Table("p1[duchess,captain] 10  p2[contessa,captain] 2").play("""
        offered p2 lose: contessa captain
        p2: lose:captain
    """)
    assert kinds(table) == ["lose"]
    table.shows("p1 3  p2[contessa](captain) 2  next p2")


@pytest.mark.parametrize(("seats", "dealt"), [(2, 2), (3, 6), (8, 16)])
def test_a8_one_stream_per_purpose(seats, dealt):
    table = Table.dealt(seats)
    assert [len(table.draws(purpose)) for purpose in ("starter", "deal", "court")] == [1, dealt, 0]


@pytest.mark.parametrize(
    "options",
    [
        {"starter": "random"},
        {"priority": "random"},
        {"captain_min_target": 0, "block_attempts": "each", "max_turns": 5},
        {"treasury": "unlimited", "must_coup_at": 7, "scoring": "winner"},
    ],
)
def test_a8_an_option_does_not_shift_the_deal(options):
    plain, other = Table.dealt(5, starter="p1"), Table.dealt(5, **{"starter": "p1"} | options)
    assert plain.position.hands == other.position.hands


def test_a8_drawn_priority_does_not_shift_the_court():
    drawn = {}
    for priority in ("clockwise", "random"):
        table = Table(three(), priority=priority, script={"priority": ["p2"]}).play("""
            p1: captain:p2
            p2: challenge
            p3: challenge
            ~ p2 challenges p1, p1 shows captain
            p2: lose:captain
        """)
        drawn[priority] = table.position.hands[0]
    assert drawn["clockwise"] == drawn["random"]


def test_a10_coups_the_strongest_first():
    """Most hidden cards, then most coins, then clockwise."""
    options = offered("""
        p1[duchess,captain] 10   p2[contessa](captain) 8   p3[assassin,ambassador] 3   p4[duchess,assassin] 5
        p5[contessa](captain) 8   p6[contessa,assassin] 3
    """)
    assert options == ("coup:p4", "coup:p3", "coup:p6", "coup:p2", "coup:p5")


def test_a10_seats_clockwise_from_the_asked_seat():
    table = Table(f"{four(2, 2, 7, 2)}  next p3").play("asked action: p3")
    options = table.options("p3")
    for verb in ("assassin", "captain", "coup"):
        targets = [option.partition(":")[2] for option in options if option.startswith(verb + ":")]
        assert targets == ["p4", "p1", "p2"]


def test_a10_equal_outcomes_are_one_option_and_cards_in_order():
    table = Table("p1[duchess,captain] 2  p2[contessa,captain] 2  p3[assassin,ambassador] 2").play("""
        p1: ambassador
        ~ draw p1=captain+duchess
        offered p1 keep: duchess+duchess duchess+captain captain+captain
        p1: keep:captain+captain
    """)
    table.shows("p1[captain,captain] 2")


@pytest.mark.parametrize("cast", ["ambassador", "inquisitor"])
def test_a10_the_default_comes_first(cast):
    assert offered(three(7, 2, 2, cast=cast), cast=cast)[0] == "income"


# Given positions


def test_a_given_position_begins_at_a_turn():
    """Every living seat is told what it holds; what is not given is two coins each, and the first to move."""
    given = {
        "hands": {"p2": ["captain"], "p3": ["duchess", "assassin"]},
        "lost": {"p1": ["duchess", "duchess"], "p2": ["contessa"]},
    }
    match = Match(GAME, GAME.defaults(), 3, given=given)
    position = match.position
    told = [(step.to, step.text) for step, _ in match.log]
    assert told == [(1, "hand captain"), (2, "hand duchess assassin")]
    assert (position.coins, position.treasury, position.actor, len(position.court)) == ([0, 2, 2], 50, 1, 9)


def test_a_given_position_stays_as_it_was():
    given = {"hands": {"p1": ["captain", "duchess"], "p2": ["captain", "duchess"]}}
    given |= {"court": ["captain", "duchess", "contessa"]}
    before = json.dumps(given)
    match = Match(GAME, GAME.defaults(), 2, given=given)
    for reply in ((), {0: "ambassador"}, {1: "pass"}, "contessa", "captain", {0: "contessa+captain"}):
        match.reply(reply)
    assert json.dumps(given) == before
    assert match.position.hands[0] == ["contessa", "captain"]
    assert match.copy().digest() == match.digest()
    assert given["court"] == ["captain", "duchess", "contessa"]


def test_the_court_of_two_may_be_left_open():
    table = Table("p1[captain,duchess] 2  p2[captain,duchess] 2")
    assert (len(table.position.court), len(table.position.aside)) == (3, 8)
    assert all(draw.to == "nobody" for draw in table.draws("deal"))


TWO = {"p1": ["captain", "duchess"], "p2": ["contessa", "duchess"]}
FULL = TWO | {"p3": ["assassin", "assassin"]}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"hands": FULL | {"p4": ["captain", "captain"]}}, ("hands", "p4")),
        ({"hands": FULL, "coins": {"p9": 2}}, ("coins", "p9")),
        ({"hands": FULL, "court": ["captain"] * 3}, ("court",)),
        ({"hands": FULL, "coin": {"p1": 2}}, ("coin",)),
        ({"hands": [["captain", "duchess"]]}, ("hands",)),
        ({"hands": FULL, "coins": None}, ("coins",)),
        ({"hands": FULL, "lost": {"nobody": ["captain"]}}, ("lost", "nobody")),
        ({"hands": TWO}, ("hands", "p3")),
        ({}, ("hands", "p1")),
        ({"hands": FULL | {"p2": ["captain"]}}, ("hands", "p2")),
        ({"hands": FULL | {"p2": ["captain", "captain", "contessa"]}}, ("hands", "p2")),
        ({"hands": FULL, "lost": {"p3": ["captain"]}}, ("hands", "p3")),
        ({"hands": FULL | {"p3": ["duchess", "duchess"]}}, ("hands", "p3")),
        ({"hands": FULL | {"p3": ["assassin"]}, "lost": {"p3": ["king"]}}, ("lost", "p3")),
        ({"hands": FULL | {"p2": ["captain", "inquisitor"]}}, ("hands", "p2")),
        ({"hands": FULL | {"p2": "captain"}}, ("hands", "p2")),
        (
            {"hands": {"p1": ["duchess"] * 2}, "lost": {"p2": ["captain"] * 2, "p3": ["assassin"] * 2}},
            ("hands",),
        ),
        ({"hands": FULL, "coins": {"p1": -1}}, ("coins", "p1")),
        ({"hands": FULL, "coins": {"p1": "2"}}, ("coins", "p1")),
        ({"hands": FULL, "coins": {"p1": 1.5}}, ("coins", "p1")),
        ({"hands": FULL, "coins": {"p1": True}}, ("coins", "p1")),
        ({"hands": FULL, "coins": {"p1": 50, "p2": 5, "p3": 0}}, ("coins",)),
        ({"hands": TWO, "lost": {"p3": ["captain"] * 2}, "coins": {"p3": 1}}, ("coins", "p3")),
        ({"hands": TWO, "lost": {"p3": ["captain"] * 2}, "turn": "p3"}, ("turn",)),
        ({"hands": FULL, "turn": "p4"}, ("turn",)),
        ({"hands": FULL, "turn": 1}, ("turn",)),
    ],
)
def test_impossible_positions_of_three(given, path):
    with pytest.raises(PositionError) as error:
        GAME.position_from_setup(3, GAME.defaults(), given)
    assert error.value.path == path
    assert str(error.value)


@pytest.mark.parametrize(
    "court",
    [
        ["captain"],
        ["captain"] * 3,
        ["captain", "contessa", "king"],
        ["assassin"] * 3 + ["captain"],
        "captain",
    ],
)
def test_impossible_courts_of_two(court):
    with pytest.raises(PositionError) as error:
        GAME.position_from_setup(2, GAME.defaults(), {"hands": TWO, "court": court})
    assert error.value.path == ("court",)
