"""Complots, local variant: the rulings L1-L30, and A4-A10 as they apply, as far as the goldens leave them.

Each test is named by its ruling; `local_table.py` tells how positions and transcripts are written.
"""

import json
import re
from collections import Counter
from random import Random

import pytest
from local_table import LocalTable as Table

from arena.games.local.game import GAME
from arena.games.local.position import OWN
from arena.rules import ALL, Ask, Choice, Draw, PositionError, RollCall, Tell, seat_name
from arena.rules.match import Match

FOUR_GONE = "(duchess,assassin,contessa,ambassador)"  # leaves a captain


def offered(position: str, **options) -> tuple[str, ...]:
    """The options of p1, the player to move."""
    return Table(position, **options).play("asked action: p1").options("p1")


def verbs(options: tuple[str, ...]) -> list[str]:
    """Offered actions without the card to place, each once."""
    return list(dict.fromkeys(option.partition("@")[0] for option in options))


def kinds(table: Table) -> list[str]:
    return [kind for kind, _ in table.asks]


# II. Mise en place


def test_l1_l26_each_has_one_card_of_each_and_nothing_is_dealt():
    assert GAME.seats == range(2, 5)
    for seats in GAME.seats:
        table = Table.dealt(seats)
        assert {draw.purpose for step, _ in table.match.log if isinstance(draw := step, Draw)} == {"starter"}
        for seat in range(seats):
            name = seat_name(seat)
            assert table.secrets(name) == ["hand duchess assassin contessa captain ambassador"]


def test_l1_there_is_no_inquisitor():
    assert "cast" not in GAME.options
    table = Table("p1{captain} 9  p2 2  tour 2").play("asked action: p1")
    assert not any("inquisitor" in option for option in table.options("p1"))
    table.play("""
        p1: captain:p2@duchess
        asked block: p2
    """)
    assert {option.partition("@")[0] for option in table.options("p2")} == {
        "pass",
        "block:captain",
        "block:ambassador",
    }


def test_l2_unlimited_treasury():
    table = Table.dealt(2, starter="p1", treasury="unlimited", must_coup_at="none")
    for turn in range(40):
        table.play(f"p{turn % 2 + 1}: aid")
    assert table.position.coins == [41, 41]
    assert table.position.treasury is None


def test_l2_c5_a_small_treasury_gives_what_it_has():
    table = Table("p1 6  p2 6  p3 2  T2", treasury=16).play("""
        p1: duchess@contessa
        ~ p1 takes 2
        p2: income
        ~ p2 takes 0
        p3: captain:p1@duchess   (coins between players do not touch the Treasury, C19)
        ~ p3 steals 2 from p1
    """)
    table.shows("p1 6  p2 6  p3 4  T0  next p1")


def test_l3_the_marker_is_random_seeded_and_public():
    starters = set()
    for seed in range(40):
        table, again = (Table.dealt(4, seed=str(seed)) for _ in range(2))
        p = table.position
        assert p.marker == p.actor == again.position.marker
        assert table.news() == [f"starter {seat_name(p.marker)}"]
        starters.add(p.marker)
    assert starters == {0, 1, 2, 3}


@pytest.mark.parametrize(("starter", "first"), [("p3", "p3"), ("p1", "p1"), ("winner", "p2")])
def test_l3_starter(starter, first):
    """Without an earlier game chance names the winner (C7)."""
    table = Table.dealt(4, starter=starter, script={"starter": ["p2"]}).play(f"asked action: {first}")
    table.shows(f"marker {first}")
    assert len(table.draws("starter")) == (starter == "winner")


def test_l3_the_marker_stays_from_manche_to_manche():
    table = Table.dealt(3, starter="p2", tours_per_round=1)
    for _ in range(3):
        for seat in ("p2", "p3", "p1"):
            table.play(f"{seat}: income")
    table.shows("marker p2  next p2  manche 4")
    assert [line for line in table.news() if "manche" in line] == ["manche 2", "manche 3", "manche 4"]


# III. Déroulement


@pytest.mark.parametrize("tours_per_round", [1, 2, 4, 5])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_l4_tours_of_a_manche(tours_per_round, seats):
    table = Table.dealt(seats, starter="p2", tours_per_round=tours_per_round)
    for turn in range(tours_per_round * seats):
        table.shows(f"manche 1  tour {1 + turn // seats}")
        table.play(f"p{(turn + 1) % seats + 1}: income")
    table.shows("manche 2  tour 1  next p2")


def test_l4_the_last_of_a_tour_is_eliminated_before_acting():
    """p2 takes p3 out, and only p3 was still to act: the manche ends with it."""
    table = Table(f"p1 2  p2{{duchess}} 7  p3{FOUR_GONE} 2  marker p1  tour 4  next p2").play("""
        p2: coup:p3
        ~ p3 is out with 2, manche 2
    """)
    table.shows("p2{} 0  manche 2  tour 1  next p1")


def test_l4_an_actor_that_goes_out_ends_the_tour():
    table = Table(f"p1 2  p2 2  p3{FOUR_GONE} 2  marker p1  tour 4  next p3").play("""
        p3: duchess@captain
        p1: challenge
        ~ p3 has no duchess, p3 loses captain, p3 is out with 2, manche 2
    """)
    table.shows("manche 2  tour 1  next p1")


def test_l4_a_forfeit_of_the_last_of_a_tour_ends_the_manche():
    table = Table("p1 2  p2{duchess} 2  p3 2  marker p1  tour 4  next p2").play("""
        p2: income
        p3 forfeits
        ~ p3 is out with 2, manche 2
    """)
    table.shows("p2{} 3  manche 2  tour 1  next p1")


def test_l4_a_forfeited_marker_is_skipped():
    table = Table("p1 2  p2 2  p3 2  marker p1  tour 1").play("""
        p1 forfeits
        asked action: p2
        p2: income
        p3: income
    """)
    table.shows("marker p1  tour 2  next p2")


@pytest.mark.parametrize(
    ("must_coup_at", "coins", "forced"),
    [
        (10, 9, False),
        (10, 10, True),
        (10, 12, True),
        ("none", 10, False),
        ("none", 48, False),
        (7, 7, True),
        (12, 11, False),
        (12, 12, True),
    ],
)
def test_l5_coins_that_force_the_assassinat(must_coup_at, coins, forced):
    options = offered(f"p1 {coins}  p2 2  p3 2", must_coup_at=must_coup_at)
    if forced:
        assert options == ("coup:p2", "coup:p3")
    else:
        assert verbs(options)[:5] == ["income", "aid", "coup:p2", "coup:p3", "duchess"]


def test_l5_only_forced_when_the_turn_begins():
    table = Table("p1 9  p2 2").play("""
        p1: duchess@duchess
        ~ p1 takes 3
        p2: income
        ~ p1 pays 7
        p2: lose:duchess
    """)  # p1's action is the only one (A7)
    table.shows("p1 5  p2[assassin,contessa,captain,ambassador](duchess) 3")


# III.1 Utiliser la capacité d'un personnage


def test_l6_every_claim_with_every_card():
    """The card placed may be any; the default comes first, cards in order, seats clockwise (A10)."""
    hand = ("assassin", "contessa", "captain")
    words = ["duchess", "assassin:p3", "assassin:p1", "captain:p3", "captain:p1", "ambassador"]
    table = Table("p1 2  p2[assassin,contessa,captain]{duchess,ambassador} 7  p3 2  next p2  tour 2")
    options = table.play("asked action: p2").options("p2")
    assert options == (
        *("income", "aid", "coup:p3", "coup:p1"),
        *(f"{word}@{card}" for word in words for card in hand),
    )


def test_l6_a_block_too_is_claimed_with_every_card():
    Table("p1 3  p2[duchess,captain]{assassin,contessa,ambassador} 2  tour 3").play("""
        p1: assassin:p2@duchess
        p2: pass
        offered p2 block: pass block:contessa@duchess block:contessa@captain
        p2: block:contessa@captain
    """).shows("p1{duchess} 0  p2[duchess]{assassin,contessa,ambassador,captain} 2  tour 3")


def test_l6_the_others_do_not_hear_what_is_placed():
    table = Table("p1 2  p2 2").play("""
        p1: captain:p2@ambassador
        p2: pass
        asked block: p2
    """)
    assert table.news("p2")[-1] == "claim p1 captain:p2"
    choice = table.match.step.choices[1]
    assert choice.context == {"on": "p1", "action": "captain:p2"}
    assert table.line("p1", "p2") == "p1 coins=2 cards=5 placed=hidden"
    assert table.line("p1", "p1") == (
        "p1 coins=2 cards=5 placed=ambassador hand=duchess,assassin,contessa,captain"
    )


def test_l7_with_an_empty_hand_one_may_challenge():
    table = Table("p1 2  p2[]{duchess,captain}(assassin,contessa,ambassador) 2  tour 3").play("""
        p1: captain:p2@duchess
        asked challenge: p2
        p2: challenge
        ~ p1 has no captain
    """)
    table.shows("p1(duchess*) 2  p2 2  next p2")


def test_l8_another_card_of_the_hand_proves_nothing():
    table = Table("p1 2  p2 2").play("""
        p1: duchess@contessa     (p1 does have the duchess)
        p2: challenge
        ~ p1 has no duchess, p1 loses contessa
    """)
    table.shows("p1[duchess,assassin,captain,ambassador]{}(contessa*) 2  p2{}() 2  next p2")


def test_l9_an_unchallenged_claim():
    table = Table("p1 2  p2 3").play("""
        p1: captain:p2@contessa
        ~ p1 steals 2 from p2
    """)
    table.shows("p1[duchess,assassin,captain,ambassador]{contessa}() 4  p2{}() 1  next p2")


# III.2 Mise en doute


def test_l10_a_proven_card_goes_to_the_discard_and_is_not_replaced():
    table = Table("p1 2  p2 2").play("""
        p1: duchess@duchess
        p2: challenge
        ~ p1 shows duchess
        p2: lose:captain
        ~ p2 loses hidden, p1 takes 3
    """)
    table.shows("p1[assassin,contessa,captain,ambassador]{duchess*}() 5  p2(captain) 2  next p2")
    assert table.secrets("p2")[-1] == "buried captain"
    assert not any("captain" in line for line in table.news())


def test_l11_a_refuted_card_is_lost_without_a_choice():
    table = Table("p1 3  p2 2  p3 2").play("""
        p1: assassin:p2@duchess
        p3: challenge
        ~ p1 has no assassin, p1 loses duchess
        asked action: p2
    """)
    assert kinds(table) == ["action", "challenge"]  # no choice, no block, no cost
    table.shows("p1[assassin,contessa,captain,ambassador]{}(duchess*) 3  p2() 2  p3() 2")


ASSASSIN = ("p1: assassin:p2@assassin", "p3: challenge", "p3: lose:duchess")


def test_l12_the_cost_is_paid_before_the_challenger_loses():
    table = Table("p1 3  p2 2  p3 2").play("\n".join(ASSASSIN))
    assert table.news()[1:] == [
        "claim p1 assassin:p2",
        "challenge p3 p1 assassin",
        "proven p1 assassin",
        "pay p1 3",
        "lose p3 duchess cause=challenge",
    ]


def test_l12_a_last_card():
    """The cost is paid although the loss ends the game."""
    table = Table(f"p1 3  p2{FOUR_GONE} 2").play("""
        p1: assassin:p2@assassin
        p2: challenge
        ~ p1 pays 3, p2 loses captain, p2 is out with 2
    """)
    table.shows("p1 0  T54")
    assert table.over() == (1, 2)


def test_l12_l19_from_the_discard_too_it_is_lost_face_up():
    table = Table("p1 3  p2[]{duchess,captain}(assassin,contessa,ambassador) 2  tour 4").play("""
        p1: assassin:p2@assassin
        p2: challenge
        p2: lose:captain
        ~ p2 loses captain
    """)
    table.shows("p1{assassin*} 0  p2[]{duchess}(assassin,contessa,ambassador,captain*) 2")


@pytest.mark.parametrize("victim", ["p2", "p3"])
def test_l12_without_the_special_rule(victim):
    """`assassin_special: false`: the challenger loses face-down; block and effect follow as for any power."""
    table = Table("p1 3  p2 2  p3 2", assassin_special=False).play(f"""
        p1: assassin:p2@assassin
        {victim}: challenge
        ~ p1 shows assassin
        {victim}: lose:duchess
        ~ {victim} loses hidden, p1 pays 3
        asked block: p2
        p2: pass
        p2: lose:captain
        ~ p2 loses hidden
    """)
    table.shows("p1{assassin*} 0  next p2")
    lost = [len(cemetery) for cemetery in table.position.cemeteries]
    assert lost == ([0, 2, 0] if victim == "p2" else [0, 1, 1])


@pytest.mark.parametrize("may_block", [True, False])
def test_l12_c36_without_the_special_rule_the_challenger_may_still_block(may_block):
    table = Table("p1 3  p2 2", assassin_special=False, block_after_own_failed_challenge=may_block)
    table.play("""
        p1: assassin:p2@assassin
        p2: challenge
        p2: lose:duchess
    """ + ("p2: block:contessa@captain" if may_block else "p2: lose:captain"))  # fmt: skip
    if may_block:
        table.shows("p1{assassin*} 0  p2{captain}(duchess) 2  next p2")
    else:
        table.shows("p1{assassin*} 0  p2{}(duchess,captain) 2  next p2")
    assert len(table.asked("block")) == may_block


@pytest.mark.parametrize("assassin_special", [True, False])
def test_l12_is_about_challenged_assassins_only(assassin_special):
    """Unchallenged, the target loses a card face-down."""
    table = Table("p1 3  p2 2  p3 2", assassin_special=assassin_special).play("""
        p1: assassin:p2@duchess
        p2: pass
        p2: lose:contessa
        ~ p1 pays 3, p2 loses hidden
    """)
    table.shows("p1{duchess} 0  p2(contessa) 2  p3() 2  next p2")


def test_l13_the_loss_comes_before_block_and_effect():
    table = Table("p1 2  p2 2").play("""
        p1: captain:p2@captain
        p2: challenge
        p2: lose:duchess
        ~ p2 loses hidden
        asked block: p2
        p2: pass
        ~ p1 steals 2 from p2
    """)
    table.shows("p1{captain*} 4  p2(duchess) 0  next p2")


@pytest.mark.parametrize(("steal_from_dead", "stolen"), [(False, 0), (True, 2)])
def test_l13_c45_a_target_that_died_of_its_challenge(steal_from_dead, stolen):
    table = Table(f"p1 2  p2{FOUR_GONE} 3  p3 2", steal_from_dead=steal_from_dead).play(f"""
        p1: captain:p2@captain
        p2: challenge
        ~ p2 loses hidden, p2 is out with 3, p1 steals {stolen} from p2
    """)
    table.shows(f"p1{{captain*}} {2 + stolen}  p2 0  p3 2  T{50 - stolen}  next p3")


@pytest.mark.parametrize("may_block", [True, False])
def test_l13_c36_a_target_that_challenged_in_vain(may_block):
    table = Table("p1 2  p2 2  p3 2", block_after_own_failed_challenge=may_block).play("""
        p1: captain:p2@captain
        p2: challenge
        p2: lose:duchess
    """)
    assert table.asked("block") == [["p2"]] * may_block


# III.3 Contrer avec un personnage


@pytest.mark.parametrize("action", ["captain", "assassin"])
def test_l14_only_the_target_may_block_and_all_others_challenge_it(action):
    block = {"captain": "ambassador", "assassin": "contessa"}[action]
    Table("p1 3  p2 2  p3 2  p4 2").play(f"""
        p1: {action}:p3@duchess
        asked challenge: p2 p3 p4
        p2: pass
        asked block: p3
        p3: block:{block}@duchess
        asked challenge: p4 p1 p2
    """)


def test_l14_l28_one_block_attempt_or_one_each():
    lie = "p2: block:duchess@captain / p1: challenge / ~ p2 has no duchess".replace("/", "\n")
    Table("p1 2  p2 2  p3 2").play(f"p1: aid \n {lie} \n ~ p1 takes 2").shows("p1 4  next p2")
    table = Table("p1 2  p2 2  p3 2", block_attempts="each").play(f"""
        p1: aid
        {lie}
        asked block: p3
        p3: block:duchess@contessa
        ~ p1 is blocked by p3
    """)
    table.shows("p1 2  p2{}(captain*) 2  p3{contessa}() 2  next p2")


def test_l15_l29_an_unchallenged_block():
    """Both cards are spent, and lie face-down."""
    table = Table("p1 2  p2 2").play("""
        p1: captain:p2@assassin
        p2: block:ambassador@duchess
        ~ p2 blocks with ambassador, p1 is blocked by p2
    """)
    table.shows("""
        p1[duchess,contessa,captain,ambassador]{assassin}() 2
        p2[assassin,contessa,captain,ambassador]{duchess}() 2   next p2
    """)
    assert table.line("p2", "p1") == "p2 coins=2 cards=4 discard=hidden"


def test_l15_a_blocked_assassin_has_paid():
    table = Table("p1 3  p2 2").play("""
        p1: assassin:p2@duchess
        p2: block:contessa@captain
        ~ p1 pays 3, p1 is blocked by p2
    """)
    table.shows("p1{duchess}() 0  p2{captain}() 2")


@pytest.mark.parametrize("challenger", ["p1", "p3"])
def test_l16_a_proven_block(challenger):
    table = Table("p1 2  p2 2  p3 2").play(f"""
        p1: aid
        p2: block:duchess@duchess
        {challenger}: challenge
        ~ p2 shows duchess
        {challenger}: lose:assassin
        ~ {challenger} loses hidden, p1 is blocked by p2
    """)
    table.shows("p2{duchess*}() 2  next p2")
    table.shows({"p1": "p1{}(assassin) 2", "p3": "p3{}(assassin) 2"}[challenger])


def test_l16_both_placed_cards_go_to_the_discards():
    table = Table("p1 3  p2 2  p3 2").play("""
        p1: assassin:p2@captain
        p2: block:contessa@contessa
        p3: challenge
        p3: lose:duchess
        ~ p1 is blocked by p2
    """)
    table.shows("p1{captain}() 0  p2{contessa*}() 2  p3{}(duchess) 2  next p2")


@pytest.mark.parametrize("assassin_special", [True, False])
def test_l17_a_refuted_contessa_costs_two_cards(assassin_special):
    """The block's card face-up, then one of the target's choice, face-down: L12 does not apply."""
    table = Table("p1 3  p2 2  p3 2", assassin_special=assassin_special).play("""
        p1: assassin:p2@duchess
        p2: block:contessa@captain
        p1: challenge
        ~ p2 has no contessa, p2 loses captain
        offered p2 lose: duchess assassin contessa ambassador
        p2: lose:contessa
        ~ p2 loses hidden
    """)
    table.shows("p1{duchess}() 0  p2{}(captain*,contessa) 2  next p2")


def test_l17_c44_a_refuted_last_card():
    table = Table(f"p1 3  p2{FOUR_GONE} 2  p3 2").play("""
        p1: assassin:p2@assassin
        p2: block:contessa@captain
        p3: challenge
        ~ p1 pays 3, p2 loses captain, p2 is out with 2, p1's assassin:p2 fizzles
    """)
    table.shows("p1{assassin}() 0  p2 0  next p3")


# III.4 Précisions


@pytest.mark.parametrize(
    ("transcript", "face_up", "cause"),
    [
        ("p1: coup:p2 / p2: lose:duchess", False, "coup"),  # Assassinat
        ("p1: assassin:p2@captain / p2: lose:duchess", False, "assassin"),  # unchallenged assassin
        ("p1: captain:p3@captain / p2: challenge / p2: lose:duchess", False, "challenge"),  # wrong challenge
        (
            "p1: captain:p3@contessa / p3: block:captain@captain / p2: challenge / p2: lose:duchess",
            False,
            "challenge",
        ),
        ("p1: aid / p2: block:duchess@assassin / p1: challenge", True, "bluff"),  # caught in a block
        # place of the target
        ("p1: assassin:p3@assassin / p2: challenge / p2: lose:duchess", True, "challenge"),
        ("p1: assassin:p2@assassin / p2: challenge / p2: lose:duchess", True, "challenge"),
    ],
)
def test_l18_how_a_lost_card_lies(transcript, face_up, cause):
    table = Table("p1 7  p2 2  p3 2").play(transcript.replace("/", "\n"))
    ((card, shown),) = table.position.cemeteries[1]
    assert shown == face_up
    known = f"cemetery={card}"
    assert known in table.line("p2") and known in table.line("p2", "p2")
    for other in ("p1", "p3"):  # the number is public, a face-down identity is not
        assert (known if face_up else "cemetery=hidden") in table.line("p2", other)
        assert any(f"buried {card}" == line for line in table.news(other)) is False
    assert f"lose p2 {card if face_up else 'hidden'} cause={cause}" in table.news()
    assert (f"buried {card}" in table.secrets("p2")) is not face_up


def test_l19_the_discard_is_safe_while_there_is_a_hand():
    table = Table("p1 7  p2[assassin,captain]{duchess,contessa*}(ambassador) 2  tour 3").play("""
        p1: coup:p2
        offered p2 lose: assassin captain
        p2: lose:assassin
        p2: income
    """)
    table.shows("p2[captain]{duchess,contessa*}(ambassador,assassin) 3")


def test_l19_a7_a_single_card_is_lost_unasked():
    table = Table("p1 7  p2[captain]{duchess,contessa*}(ambassador,assassin) 2  tour 3").play("p1: coup:p2")
    table.shows("p2[]{duchess,contessa*}(ambassador,assassin,captain) 2")
    table = Table("p1 7  p2[]{duchess}(ambassador,assassin,captain,contessa) 2  tour 3").play("p1: coup:p2")
    table.shows("p1 0  p2[]{}(duchess,assassin,contessa,captain,ambassador) 0  T54")
    assert kinds(table) == ["action"]


def test_l20_elimination():
    """Out without hand, placed card and discard; the coins go to the treasury."""
    table = Table(f"p1 7  p2{FOUR_GONE} 5  p3[]{{duchess}}(assassin,contessa,captain,ambassador) 2  tour 2")
    table.play("""
        p1: coup:p2
        ~ p2 loses hidden, p2 is out with 5
        asked action: p3
    """)
    table.shows("p1 0  p2(duchess,assassin,contessa,captain,ambassador) 0  p3 2  T52")
    assert [table.position.is_alive(seat) for seat in range(3)] == [True, False, True]


def test_l20_a_proven_placed_card_keeps_one_alive():
    """p1 must lose another card, but has only the proven one on the table, and loses that one."""
    table = Table(f"p1{FOUR_GONE} 2  p2 2  p3 2").play("""
        p1: captain:p2@captain
        p3: challenge
        p3: lose:duchess
        asked block: p2
    """)
    assert table.position.is_alive(0)
    table.play("""
        p2: block:captain@captain
        p1: challenge
        ~ p2 shows captain, p1 loses hidden, p1 is out with 2, p1 is blocked by p2
    """)
    table.shows("p1[]{}(duchess,assassin,contessa,ambassador,captain) 0  p2{captain*} 2  p3 2  next p2")


def test_l21_a_placed_card_counts_as_hand():
    table = Table("p1 2  p2 2").play("""
        p1: captain:p2@duchess
        p2: pass
        asked block: p2
    """)
    assert "cards=5 " in table.line("p1", "p2")
    assert table.options("p2").count("block:captain@captain") == 1
    assert "duchess" not in table.position.hands[0]  # it cannot be placed a second time


WRONG = """
    p1: captain:p2@assassin
    p2: block:captain@captain
    p1: challenge
    ~ p2 shows captain
"""


@pytest.mark.parametrize(("lost", "left"), [("assassin", "{contessa}"), ("duchess", "{contessa,assassin}")])
def test_l21_the_actor_may_lose_the_placed_card(lost, left):
    table = Table("p1[duchess,assassin]{contessa}(captain,ambassador) 2  p2 2  tour 2").play(f"""
        {WRONG}
        offered p1 lose: duchess assassin
        p1: lose:{lost}
        ~ p1 loses hidden, p1 is blocked by p2
    """)
    table.shows(f"p1{left}(captain,ambassador,{lost}) 2  p2{{captain*}}() 2  next p2")
    assert f"buried {lost}" in table.secrets("p1")


def test_l21_the_actor_must_lose_it_when_it_is_the_only_card_in_hand():
    table = Table("p1[assassin]{contessa,duchess}(captain,ambassador) 2  p2 2  tour 2").play(WRONG)
    table.shows("p1[]{contessa,duchess}(captain,ambassador,assassin) 2  p2{captain*}() 2  next p2")
    assert table.asked("lose") == []


@pytest.mark.parametrize(
    ("position", "offers"),
    [
        ("[duchess,captain]{contessa}(assassin,ambassador)", "lose:duchess"),  # the rest of the hand
        ("[captain]{contessa}(assassin,duchess,ambassador)", "lose:contessa"),  # else the discard
    ],
)
def test_l21_a_proven_card_is_no_longer_hand(position, offers):
    table = Table(f"p1{position} 2  p2 2  p3 2  tour 2").play("""
        p1: captain:p2@captain
        p3: challenge
        p3: lose:duchess
        p2: block:captain@captain
        p1: challenge
        ~ p1 loses hidden
    """)
    assert table.asked("lose") == [["p3"]]  # p1 has but one card to lose
    assert f"buried {offers.partition(':')[2]}" in table.secrets("p1")
    assert table.position.discards[0][-1] == ("captain", True)


def test_l21_a_proven_card_stays_on_the_table_until_the_action_is_over():
    table = Table("p1 2  p2 2  p3 2").play("""
        p1: captain:p2@captain
        p3: challenge
        p3: lose:duchess
        asked block: p2
    """)
    for viewer in (None, "p1", "p2", "p3"):
        assert table.line("p1", viewer).startswith("p1 coins=2 cards=4 placed=captain")
    table.play("p2: pass").shows("p1{captain*} 4")


@pytest.mark.parametrize("placed", ["ambassador", "duchess"])
def test_l22_the_placed_card_is_no_part_of_the_exchange(placed):
    """Whatever it is, it goes on top of the returned cards."""
    table = Table("p1[duchess,ambassador]{captain}(assassin,contessa) 2  p2 2  tour 2")
    other = "duchess" if placed == "ambassador" else "ambassador"
    table.play(f"""
        p1: ambassador@{placed}
        p2: pass
        offered p1 return: {" ".join(card for card in OWN if card in (other, "captain"))}
        p1: return:{other}
        ~ p1 takes back 1 returns 1
    """)
    table.shows(f"p1[captain]{{{other},{placed}}} 2  next p2")


def test_l22_a_proven_ambassador_lies_open_on_top():
    table = Table("p1[duchess,ambassador]{captain}(assassin,contessa) 2  p2 2  tour 2").play("""
        p1: ambassador@ambassador
        p2: challenge
        p2: lose:duchess
        p1: return:captain
    """)
    table.shows("p1[duchess]{captain,ambassador*} 2  p2(duchess) 2")


def test_l22_a_refuted_ambassador_takes_nothing():
    table = Table("p1[duchess,ambassador]{captain}(assassin,contessa) 2  p2 2  tour 2").play("""
        p1: ambassador@duchess
        p2: challenge
    """)
    table.shows("p1[ambassador]{captain}(assassin,contessa,duchess*) 2  p2() 2  next p2")


def test_l22_without_a_discard_there_is_no_ambassador():
    assert "ambassador" not in verbs(offered("p1 2  p2 2"))
    assert "ambassador" in verbs(offered("p1{captain} 2  p2 2"))


def test_l22_all_players_know_which_shown_cards_were_taken():
    table = Table("p1[ambassador]{assassin,captain*,duchess*}(contessa) 2  p2 2  tour 4").play("""
        p1: ambassador@ambassador
        p2: pass
        offered p1 return: duchess+captain captain+duchess
        p1: return:captain+duchess
    """)
    assert table.news()[-1] == "exchange p1 2 returned=2 shown=duchess,captain"
    table.shows("p1[]{assassin,captain,duchess,ambassador} 2")  # all returned cards lie hidden


def test_l22_of_the_hidden_cards_only_the_number_is_told():
    table = Table("p1[ambassador]{captain*,duchess}(contessa,assassin) 2  p2 2  tour 4").play("""
        p1: ambassador@ambassador
        p1: return:captain+duchess
    """)
    assert table.news()[-1] == "exchange p1 2 returned=2 shown=captain"
    assert table.line("p1", "p2") == "p1 coins=2 cards=0 discard=hidden,hidden,hidden cemetery=hidden,hidden"


def test_l22_a7_with_one_card_there_is_nothing_to_choose():
    table = Table("p1[ambassador]{captain}(duchess,contessa,assassin) 2  p2 2  tour 4").play("""
        p1: ambassador@ambassador
        p2: pass
        ~ p1 takes back 1 returns 1
    """)
    table.shows("p1[]{captain,ambassador} 2")
    assert kinds(table) == ["action", "challenge"]


@pytest.mark.parametrize(
    ("local_ambassador", "position", "offers", "answer", "after"),
    [
        ("swap", "[duchess,ambassador]{captain}", 2, "captain", "[duchess]{captain,ambassador}"),
        (
            "literal_two",
            "[duchess,ambassador]{captain}",
            2,
            "captain+duchess",
            "[]{captain,duchess,ambassador}",
        ),
        ("literal_two", "[ambassador]{captain}", 1, None, "[]{captain,ambassador}"),
        (
            "literal_two",
            "[ambassador]{captain,duchess}",
            2,
            "duchess+captain",
            "[]{duchess,captain,ambassador}",
        ),
        ("self_counts", "[duchess,ambassador]{captain}", 2, "duchess", "[captain]{duchess,ambassador}"),
        (
            "self_counts",
            "[duchess,ambassador]{captain,contessa}",
            3,
            "contessa",
            "[duchess,captain]{contessa,ambassador}",
        ),
        ("self_counts", "[ambassador]{captain,contessa}", 2, "captain", "[contessa]{captain,ambassador}"),
    ],
)
def test_l22_how_many_are_returned(local_ambassador, position, offers, answer, after):
    there = re.findall(r"[a-z]+", position)
    gone = ",".join(card for card in OWN if card not in there)
    table = Table(f"p1{position}({gone}) 2  p2 2  tour 4", local_ambassador=local_ambassador).play("""
        p1: ambassador@ambassador
        p2: pass
        asked return: p1
    """ if answer else "p1: ambassador@ambassador")  # fmt: skip
    if answer:
        assert len(table.options("p1")) == offers
        table.play(f"p1: return:{answer}")
    table.shows(f"p1{after} 2  next p2")


def test_l23_what_a_seat_may_see():
    position = """
        p1[duchess,ambassador]{captain,assassin*}(contessa) 2
        p2[captain]{contessa}(duchess,assassin*,ambassador) 3   next p2   tour 3
    """
    table = Table(position)
    assert GAME.view(table.position, 0) == [
        "table treasury=49 turn=0 manche=1 tour=3 marker=p1",
        "p1 coins=2 cards=2 discard=captain,assassin cemetery=contessa hand=duchess,ambassador",
        "p2 coins=3 cards=1 discard=hidden cemetery=assassin,hidden,hidden",
    ]
    assert GAME.view(table.position, 1) == [
        "table treasury=49 turn=0 manche=1 tour=3 marker=p1",
        "p1 coins=2 cards=2 discard=hidden,assassin cemetery=hidden",
        "p2 coins=3 cards=1 discard=contessa cemetery=assassin,duchess,ambassador hand=captain",
    ]
    hidden = [line for line in GAME.view(table.position, None) if "hidden" in line]
    assert not hidden  # the open table shows everything


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_l23_no_seat_is_told_what_others_hide(seats):
    """Games that differ in nothing but hidden cards look alike to a seat that has not seen them."""
    compared = 0
    for number in range(120):
        dice = Random(number)
        options = GAME.defaults() | {
            "starter": "p1",
            "local_ambassador": dice.choice(["swap", "self_counts"]),
        }
        seat = dice.randrange(seats)
        here, there = Match(GAME, options, seats), Match(GAME, options, seats)
        while here.step is not None:
            assert type(here.step) is type(there.step)
            if isinstance(here.step, RollCall):
                replies = (), ()
            else:
                replies = answers_for_both(here, there, seat, dice)
                if replies is None:
                    break
            since = len(here.log)
            here.reply(replies[0])
            there.reply(replies[1])
            if turned_up(here, since) != turned_up(there, since):
                break
            assert heard(here, seat) == heard(there, seat)
            assert GAME.view(here.position, seat) == GAME.view(there.position, seat)
            compared += here.position != there.position
    assert compared > 500


def answers_for_both(here: Match, there: Match, seat: int, dice: Random):
    """Answers in two worlds, the same as far as `seat` can hear; None if there are none."""
    answers: tuple[dict[int, str], dict[int, str]] = {}, {}
    assert here.step.choices.keys() == there.step.choices.keys()
    for other, choice in here.step.choices.items():
        twin = there.step.choices[other]
        assert choice.kind == twin.kind
        if other == seat:
            assert choice.tail == twin.tail
        word = choice.options[0] if dice.random() < 0.3 else dice.choice(choice.options)
        if choice.kind == "challenge" and dice.random() < 0.7:
            word = "pass"
        alike = [option for option in twin.options if same_in_public(choice, word, option)]
        if not alike:
            return None
        answers[0][other], answers[1][other] = word, word if other == seat else dice.choice(alike)
    return answers


def same_in_public(choice: Choice, word: str, other: str) -> bool:
    if choice.kind in ("lose", "return"):
        return True
    return word.partition("@")[0] == other.partition("@")[0]


def heard(match: Match, seat: int) -> list[str]:
    return [step.text for step, _ in match.log if isinstance(step, Tell) and step.to in (ALL, seat)]


def turned_up(match: Match, since: int) -> list:
    """What all players see turned up, or taken from what lay open."""
    p = match.position
    told = [
        step.text
        for step, _ in match.log[since:]
        if isinstance(step, Tell) and step.to is ALL and re.match("proven|refuted|lose|exchange", step.text)
    ]
    discards = [[card if shown else "" for card, shown in pile] for pile in p.discards]
    return [told, discards]


def test_l24_the_end_of_a_manche():
    """Discards return to the hands; cemeteries and coins stay."""
    table = Table("""
        p1[captain]{duchess,assassin*}(contessa*,ambassador) 4
        p2[duchess]{contessa,captain}(assassin,ambassador) 5   next p2   marker p1   tour 4
    """).play("""
        p2: income
        ~ p2 takes 1, manche 2
    """)
    table.shows("""
        p1[duchess,assassin,captain]{}(contessa*,ambassador) 4
        p2[duchess,contessa,captain]{}(assassin,ambassador) 6   next p1   tour 1   manche 2
    """)
    assert table.secrets("p1")[-1] == "hand duchess assassin captain"
    assert table.secrets("p2")[-1] == "hand duchess contessa captain"


@pytest.mark.parametrize("tour", [1, 4])
@pytest.mark.parametrize(
    "transcript",
    [
        "p1: captain:p2@captain / p2: challenge",  # the target, by a wrong challenge
        "p1: captain:p2@captain / p2: block:captain@contessa / p1: challenge",
        "p1: captain:p2@duchess / p2: challenge",  # the actor, caught
        "p1 forfeits",
    ],
)
def test_l25_the_last_one_wins_at_once(tour, transcript):
    """C38: nothing else happens, not even the end of the manche."""
    p1 = "[duchess](assassin,contessa,captain,ambassador)" if "duchess" in transcript else ""
    p2 = "[contessa](assassin,captain,duchess,ambassador)"
    table = Table(f"p1{p1} 2  p2{p2} 2  next p1  marker p2  tour {tour}").play(transcript.replace("/", "\n"))
    loser = "p1" if p1 or "forfeits" in transcript else "p2"
    assert table.over() == ((2, 1) if loser == "p1" else (1, 2))
    assert table.news("p1")[-1] == table.news("p2")[-1] == f"out {loser} coins=2"


@pytest.mark.parametrize(("scoring", "places"), [("ranking", (1, 1, 3)), ("winner", (1, 1, 3))])
def test_l27_max_turns(scoring, places):
    table = Table(f"p1 7  p2 2  p3{FOUR_GONE} 2", max_turns=2, scoring=scoring).play("""
        p1: coup:p3
        p2: income
    """)
    assert table.over() == places
    assert table.position.turn == 2


def test_l28_c20_captain_and_the_poor():
    assert "captain:p2" not in verbs(offered("p1 2  p2 0"))
    assert "captain:p2" in verbs(offered("p1 2  p2 0", captain_min_target=0))
    assert "captain:p2" in verbs(offered("p1 2  p2 1"))


@pytest.mark.parametrize(
    ("coins", "actions"), [(2, set()), (3, {"assassin:p2"}), (7, {"assassin:p2", "coup:p2"})]
)
def test_l28_c16_what_one_can_afford(coins, actions):
    assert set(verbs(offered(f"p1 {coins}  p2 0"))) == {"income", "aid", "duchess"} | actions


@pytest.mark.parametrize(
    ("priority", "script", "first"),
    [("clockwise", [], "p4"), ("random", ["p2"], "p2"), ("random", ["p4"], "p4"), ("fastest", [], "p2")],
)
def test_l28_c30_which_challenge_counts(priority, script, first):
    table = Table("p1 2  p2 2  p3 2  p4 2  next p3", script={"priority": script}, priority=priority)
    table.play(f"""
        p3: duchess@contessa
        p1: pass
        p2: challenge
        p4: challenge
        ~ {first} challenges p3, p3 has no duchess
    """)
    assert len([line for line in table.news() if line.startswith("challenge")]) == 1


@pytest.mark.parametrize(("scoring", "places"), [("ranking", (1, 2, 3)), ("winner", (1, 2, 2))])
def test_l28_c51_places(scoring, places):
    table = Table(f"p1 9  p2{FOUR_GONE} 2  p3{FOUR_GONE} 2", scoring=scoring).play("""
        p1: coup:p3
        p2: captain:p1@captain
        p1: block:captain@captain
        p2: challenge
    """)
    assert table.over() == places


@pytest.mark.parametrize("hand", ["duchess", "captain"])
def test_l30_which_seats_are_asked(hand):
    """Challenge: every living opponent; block: opponents with a card in hand, whatever it is (C54)."""
    gone = ",".join(card for card in OWN if card not in ("assassin", hand))
    table = Table(f"p1 2  p2[]{{assassin,{hand}}}({gone}) 2  p3[{hand}]{{assassin}}({gone}) 2  tour 3")
    table.play(f"""
        p1: aid
        asked block: p3
        offered p3 block: pass block:duchess@{hand}
        p3: pass
        p2: aid
        p3: captain:p2@{hand}
        asked challenge: p1 p2
        p1: pass
        ~ p3 steals 2 from p2
    """)
    assert table.asked("block") == [["p3"], ["p3", "p1"]]


def test_l30_a_target_with_an_empty_hand_may_not_block():
    table = Table("p1 3  p2[]{captain,contessa}(duchess,assassin,ambassador) 2  tour 3").play("""
        p1: assassin:p2@captain
        p2: pass
        offered p2 lose: contessa captain
        p2: lose:contessa
    """)
    assert table.asked("block") == []


# Forfeits, offers and chance (A4, A5, A7, A8, A10)


def test_a4_a_forfeit_turns_up_hand_and_discard_and_leaves_the_cemetery():
    table = Table("p1 2  p2[duchess,captain]{assassin,contessa*}(ambassador) 4  p3 2  tour 3").play("""
        p1: income
        p2 forfeits
        ~ p2 forfeits, p2 loses duchess, p2 loses assassin, p2 loses contessa, p2 loses captain
        ~ p2 is out with 4
        asked action: p3
    """)
    table.shows("p1 3  p2[]{}(duchess*,assassin*,contessa*,captain*,ambassador) 0  p3 2  T49")
    assert "ambassador" not in table.line("p2", "p1")  # what lay face-down stays so


def test_a4_a_placed_card_is_in_the_discard_by_then():
    """A seat that forfeits in its own turn is eliminated after the turn, with the card that it placed."""
    table = Table("p1 2  p2 2  p3 2").play("""
        p1: duchess@captain
        p1 forfeits
        ~ p1 takes 3, p1 forfeits, p1 loses captain, p1 is out with 5
    """)
    table.shows("p1[]{}(duchess*,assassin*,contessa*,captain*,ambassador*) 0  next p2  tour 1")


def test_a4_the_last_one_left_forfeits_with_a_card_on_the_table():
    """The game ended in mid-turn, so p1's captain still lies there."""
    table = Table(f"p1 2  p2{FOUR_GONE} 2").play("""
        p1: captain:p2@captain
        p2: challenge
        p1 forfeits
        ~ p2 is out with 2, p1 forfeits, p1 loses captain, p1 is out with 2
    """)
    assert table.over() == (2, 1)
    table.shows("p1[]{}(duchess*,assassin*,contessa*,captain*,ambassador*) 0  T54")
    assert table.position.placed == [None, None]


def test_a4_a_forfeit_is_placed_below_those_eliminated_earlier():
    table = Table(f"p1 7  p2 2  p3{FOUR_GONE} 2").play("""
        p1: coup:p3
        p2 forfeits
    """)
    assert table.over() == (1, 3, 2)


@pytest.mark.parametrize(
    ("transcript", "places"),
    [
        ("p1: income / p2 forfeits / p3 forfeits", (1, 2, 2)),
        ("p1: income / p2 forfeits / p3: income / p3 forfeits", (1, 3, 2)),
        ("p1 forfeits / p2 forfeits / p3 forfeits", (1, 1, 1)),
    ],
)
def test_a5_places_of_forfeits(transcript, places):
    assert Table("p1 2  p2 2  p3 2").play(transcript.replace("/", "\n")).over() == places


def test_a8_chance_is_drawn_for_starter_and_priority_alone():
    table = Table("p1 2  p2 2  p3 2", priority="random", script={"priority": ["p2"]}).play("""
        p1: duchess@duchess
        p2: challenge
        p3: challenge
        p2: lose:duchess
    """)
    draws = [step for step, _ in table.match.log if isinstance(step, Draw)]
    assert [(draw.purpose, draw.to) for draw in draws] == [("priority", ALL)]


def test_a10_coups_the_strongest_first():
    """Most cards that still count, then most coins, then clockwise."""
    options = offered("p1 10  p2(captain) 9  p3[]{duchess,assassin,contessa,captain}(ambassador) 9  p4 2")
    assert options == ("coup:p4", "coup:p2", "coup:p3")


def test_a10_the_default_comes_first_and_no_option_twice():
    table = Table.dealt(3, starter="p1").play("""
        p1: captain:p2@captain
        p3: challenge
        p3: lose:duchess
        p2: block:captain@duchess
        p2: duchess@assassin
    """)
    asks = [step for step, _ in table.match.log if isinstance(step, Ask)]
    for choice in (choice for step in asks for choice in step.choices.values()):
        assert max(Counter(choice.options).values()) == 1
        assert choice.default == {"action": "income", "lose": "duchess"}.get(choice.kind, "pass")
        assert not choice.open


# Given positions


def test_a_given_position():
    """Five cards in hand, one or two coins, and the first to move, where nothing is said."""
    for seats, coins in ((2, 1), (3, 2)):
        p = GAME.position_from_setup(seats, GAME.defaults(), {})
        assert p.hands == [list(OWN)] * seats
        assert (p.coins, p.marker, p.actor, p.tour) == ([coins] * seats, 0, 0, 0)
    given = {"lost": {"p1": list(OWN)}, "buried": {"p3": ["duchess"]}, "discards": {"p2": ["captain"]}}
    p = GAME.position_from_setup(3, GAME.defaults(), given)
    assert (p.coins, p.treasury, p.marker, p.actor) == ([0, 2, 2], 50, 1, 1)
    assert p.fallen == [0]
    match = Match(GAME, GAME.defaults(), 3, given=given)
    assert [(step.to, step.text) for step, _ in match.log] == [
        (1, "hand duchess assassin contessa ambassador"),
        (2, "hand assassin contessa captain ambassador"),
    ]


def test_a_marker_whose_owner_is_out_may_be_given():
    """The next living seat clockwise opens the tour (L4)."""
    p = GAME.position_from_setup(3, GAME.defaults(), {"lost": {"p2": list(OWN)}, "marker": "p2"})
    assert (p.marker, p.actor) == (1, 2)


def test_a_given_position_stays_as_it_was():
    given = {"discards": {"p1": ["captain"]}, "tour": 2}
    before = json.dumps(given)
    match = Match(GAME, GAME.defaults(), 2, given=given)
    for reply in ((), {0: "ambassador@duchess"}, {1: "pass"}, {0: "assassin"}):
        match.reply(reply)
    assert json.dumps(given) == before
    assert match.position.hands[0] == ["contessa", "captain", "ambassador"]
    assert match.copy().digest() == match.digest()
    assert given == {"discards": {"p1": ["captain"]}, "tour": 2}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"hand": {}}, ("hand",)),
        ({"hands": [["duchess"]]}, ("hands",)),
        ({"coins": None}, ("coins",)),
        ({"hands": {"p4": []}}, ("hands", "p4")),
        ({"lost": {"nobody": ["captain"]}}, ("lost", "nobody")),
        ({"coins": {"p9": 2}}, ("coins", "p9")),
        ({"hands": {"p1": ["duchess"]}}, ("hands", "p1")),
        ({"hands": {"p1": ["duchess"] * 5}}, ("hands", "p1")),
        ({"hands": {"p1": [*OWN, "inquisitor"]}}, ("hands", "p1")),
        ({"hands": {"p1": ["king", *OWN[1:]]}}, ("hands", "p1")),
        ({"hands": {"p1": 5}}, ("hands", "p1")),
        ({"hands": {"p1": list(OWN)}, "lost": {"p1": ["captain"]}}, ("hands", "p1")),
        ({"discards": {"p1": "captain"}}, ("discards", "p1")),
        ({"discards": {"p1": ["captain", "captain"]}}, ("discards", "p1")),
        ({"discards": {"p1": ["inquisitor"]}}, ("discards", "p1")),
        ({"discards": {"p1": ["captain"]}, "lost": {"p1": ["captain"]}}, ("lost", "p1")),
        ({"lost": {"p1": ["captain"]}, "buried": {"p1": ["captain"]}}, ("buried", "p1")),
        ({"buried": {"p1": None}}, ("buried", "p1")),
        ({"shown": {"p1": ["captain"]}}, ("shown", "p1")),
        ({"shown": {"p1": None}}, ("shown", "p1")),
        ({"discards": {"p1": ["captain"]}, "shown": {"p1": "captain"}}, ("shown", "p1")),
        ({"lost": {"p1": list(OWN), "p2": list(OWN)}}, ("lost",)),
        ({"coins": {"p1": -1}}, ("coins", "p1")),
        ({"coins": {"p1": "2"}}, ("coins", "p1")),
        ({"coins": {"p1": True}}, ("coins", "p1")),
        ({"coins": {"p1": 50, "p2": 5, "p3": 0}}, ("coins",)),
        ({"lost": {"p3": list(OWN)}, "coins": {"p3": 1}}, ("coins", "p3")),
        ({"lost": {"p3": list(OWN)}, "turn": "p3"}, ("turn",)),
        ({"turn": "p4"}, ("turn",)),
        ({"turn": 1}, ("turn",)),
        ({"marker": "p4"}, ("marker",)),
        ({"marker": ["p1"]}, ("marker",)),
        ({"tour": 0}, ("tour",)),
        ({"tour": 5}, ("tour",)),
        ({"tour": "2"}, ("tour",)),
        ({"tour": True}, ("tour",)),
    ],
)
def test_impossible_positions(given, path):
    with pytest.raises(PositionError) as error:
        GAME.position_from_setup(3, GAME.defaults(), given)
    assert error.value.path == path
    assert str(error.value)


def test_tours_of_a_given_position_are_those_of_the_options():
    assert GAME.position_from_setup(2, GAME.defaults() | {"tours_per_round": 6}, {"tour": 6}).tour == 5
    with pytest.raises(PositionError):
        GAME.position_from_setup(2, GAME.defaults() | {"tours_per_round": 1}, {"tour": 2})


@pytest.mark.parametrize("lost", [["contessa", "assassin"], ["assassin", "contessa"]])
def test_a_given_position_keeps_the_order_of_its_piles_and_sorts_hands(lost):
    """The owner sees all names, and not which of them lie face up; the others see by name what does."""
    given = {
        "hands": {"p2": ["ambassador"]},
        "lost": {"p2": lost},
        "discards": {"p2": ["duchess", "captain"]},
        "shown": {"p2": ["duchess"]},
    }
    p = GAME.position_from_setup(2, GAME.defaults(), given)
    piles = f"cemetery={','.join(lost)}"
    assert GAME.view(p, 0)[2] == f"p2 coins=1 cards=1 discard=duchess,hidden {piles}"
    assert GAME.view(p, 1)[2] == f"p2 coins=1 cards=1 discard=duchess,captain {piles} hand=ambassador"
    assert GAME.view(p, 0)[1].endswith("hand=duchess,assassin,contessa,captain,ambassador")
