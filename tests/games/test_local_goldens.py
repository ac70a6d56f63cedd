"""Complots, local variant: the golden scenarios GL-01 to GL-12, named by their numbers.

The headings in brackets are those of the rule book; `local_table.py` tells how positions are written.
"""

import pytest
from local_table import LocalTable as Table


def test_gl_01_the_worked_round():
    """[IV. Exemple] the whole manche of the rule book, with coins and cards after each action."""
    table = Table.dealt(2, starter="p1")
    full = "duchess,assassin,contessa,captain,ambassador"
    table.shows(f"p1[{full}]{{}}() 1  p2[{full}]{{}}() 1  T52  next p1  marker p1  tour 1  manche 1")
    table.play("""
        p1: duchess@ambassador   (Tour 1)
        asked challenge: p2
        p2: pass
        ~ p1 announces duchess, p1 takes 3
    """)
    table.shows(f"""
        p1[duchess,assassin,contessa,captain]{{ambassador}}() 4   p2[{full}]{{}}() 1   T49   next p2   tour 1
    """)
    table.play("""
        p2: duchess@duchess
        p1: challenge
        ~ p1 challenges p2, p2 shows duchess
        offered p1 lose: duchess assassin contessa captain
        p1: lose:captain
        ~ p1 loses hidden, p2 takes 3
    """)
    table.shows("""
        p1[duchess,assassin,contessa]{ambassador}(captain) 4
        p2[assassin,contessa,captain,ambassador]{duchess*}() 4   T46   next p1   tour 2
    """)
    table.play("""
        p1: duchess@duchess      (Tour 2)
        p2: challenge
        ~ p2 challenges p1, p1 shows duchess
        p2: lose:ambassador
        ~ p2 loses hidden, p1 takes 3
    """)
    table.shows("""
        p1[assassin,contessa]{ambassador,duchess*}(captain) 7
        p2[assassin,contessa,captain]{duchess*}(ambassador) 4   T43   next p2   tour 2
    """)
    table.play("""
        p2: captain:p1@captain
        asked challenge: p1
        p1: pass
        asked block: p1
        p1: block:captain@assassin
        asked challenge: p2
        p2: challenge
        ~ p1 blocks with captain, p2 challenges p1, p1 has no captain, p1 loses assassin
        ~ p2 steals 2 from p1
    """)
    table.shows("""
        p1[contessa]{ambassador,duchess*}(captain,assassin*) 5
        p2[assassin,contessa]{duchess*,captain}(ambassador) 6   T43   next p1   tour 3
    """)
    table.play("""
        p1: aid                  (Tour 3)
        asked block: p2
        p2: pass
        ~ p1 takes 2
    """)
    table.shows("""
        p1[contessa]{ambassador,duchess*}(captain,assassin*) 7
        p2[assassin,contessa]{duchess*,captain}(ambassador) 6   T41   next p2   tour 3
    """)
    table.play("""
        p2: assassin:p1@assassin
        p1: pass
        p1: block:contessa@contessa
        p2: pass
        ~ p2 pays 3, p1 blocks with contessa, p2 is blocked by p1
    """)
    table.shows("""
        p1[]{ambassador,duchess*,contessa}(captain,assassin*) 7
        p2[contessa]{duchess*,captain,assassin}(ambassador) 3   T44   next p1   tour 4
    """)
    assert table.position.is_alive(0)  # with an empty hand (L20)
    asks = len(table.asks)
    table.play("""
        p1: coup:p2              (Tour 4)
        ~ p1 pays 7, p2 loses hidden
        offered p2 action: income aid
    """)
    assert table.asks[asks:] == [("action", ["p1"])]  # p2's only card in hand is lost unasked
    table.shows("""
        p1[]{ambassador,duchess*,contessa}(captain,assassin*) 0
        p2[]{duchess*,captain,assassin}(ambassador,contessa) 3   T51   next p2   tour 4
    """)
    assert table.position.is_alive(0) and table.position.is_alive(1)
    asks = len(table.asks)
    table.play("""
        p2: aid
        ~ p2 takes 2, manche 2
    """)
    assert table.asks[asks:] == [("action", ["p2"])]  # p1 has no card to block with
    table.shows("""
        p1[duchess,contessa,ambassador]{}(captain,assassin*) 0
        p2[duchess,assassin,captain]{}(ambassador,contessa) 5
        T49   next p1   marker p1   tour 1   manche 2
    """)


@pytest.mark.parametrize(("seats", "coins", "treasury"), [(2, 1, 52), (3, 2, 48), (4, 2, 46)])
def test_gl_02_set_up(seats, coins, treasury):
    """[II. Mise en place] five cards each, one coin each for two players, else two (L1, L2)."""
    p = Table.dealt(seats, starter="p2").position
    assert p.hands == [["duchess", "assassin", "contessa", "captain", "ambassador"]] * seats
    assert p.coins == [coins] * seats
    assert p.treasury == treasury
    assert (p.placed, p.discards, p.cemeteries) == ([None] * seats, [[]] * seats, [[]] * seats)


def test_gl_03_true_assassin_challenged_by_a_third_party():
    """[III.2 Cas particulier] the challenger takes the place of the target (L12)."""
    table = Table("p1 3  p2 2  p3 2  T47").play("""
        p1: assassin:p2@assassin
        asked challenge: p2 p3
        p3: challenge
        ~ p3 challenges p1, p1 shows assassin, p1 pays 3
        p3: lose:duchess
        ~ p3 loses duchess
        asked action: p2
    """)
    assert table.asked("block") == []
    table.shows("""
        p1[duchess,contessa,captain,ambassador]{assassin*}() 0
        p2[duchess,assassin,contessa,captain,ambassador]{}() 2
        p3[assassin,contessa,captain,ambassador]{}(duchess*) 2   T50   next p2
    """)


def test_gl_04_true_assassin_challenged_by_its_target():
    """[III.2 Cas particulier] with two players: exactly one card, face-up."""
    table = Table("p1 3  p2 2  T49").play("""
        p1: assassin:p2@assassin
        p2: challenge
        p2: lose:contessa
        ~ p1 pays 3, p2 loses contessa
        asked action: p2
    """)
    assert table.asked("block") == []
    table.shows("""
        p1{assassin*}() 0   p2[duchess,assassin,captain,ambassador]{}(contessa*) 2   T52   next p2
    """)


def test_gl_07_a_card_lost_from_the_discard():
    """[III.4] with all cards in the discard, the victim of an Assassinat chooses one there (L19)."""
    table = Table("p1 7  p2[]{duchess*,captain}(assassin,contessa,ambassador) 2").play("""
        p1: coup:p2
        offered p2 lose: duchess captain
        p2: lose:duchess
        ~ p2 loses hidden
        asked action: p2
    """)
    table.shows("p1 0  p2[]{captain}(assassin,contessa,ambassador,duchess) 2  next p2")
    assert table.position.is_alive(1)


def test_gl_09_ambassador():
    """[III.4 N.B.] the two newest cards of the discard for two of the hand, in a chosen order (L22)."""
    table = Table("p1[contessa,ambassador]{duchess,captain,assassin} 2  p2 2  tour 4").play("""
        p1: ambassador@ambassador
        p2: pass
        offered p1 return: assassin+contessa assassin+captain contessa+assassin contessa+captain \
captain+assassin captain+contessa
        p1: return:contessa+assassin
        ~ p1 takes back 2 returns 2
        asked action: p2
    """)
    table.shows("p1[captain]{duchess,contessa,assassin,ambassador}() 2  next p2")
    assert "taken assassin captain" in table.secrets("p1")
    assert not any("taken" in line for line in table.news("p2"))


def test_gl_10_eliminated_before_acting():
    """[III] p2 is eliminated in tour 2 before it has acted: the tour is p1 and p3 alone (L4)."""
    lost = "(duchess,assassin,contessa,captain)"
    table = Table(f"p1 6  p2{lost} 2  p3 2  marker p1").play("""
        p1: income
        p2: income
        p3: income
    """)
    table.shows("p1 7  tour 2  next p1").play("""
        p1: coup:p2
        ~ p2 loses hidden, p2 is out with 3
    """)
    table.shows("tour 2  next p3").play("p3: duchess@captain")
    table.shows("p3{captain} 6  tour 3  next p1").play("""
        p1: income
        p3: income
    """)
    table.shows("tour 4  next p1").play("p1: income")
    table.shows("p3{captain} 7  tour 4  next p3  manche 1").play("p3: income")
    table.shows("p3[duchess,assassin,contessa,captain,ambassador]{}() 8  tour 1  next p1  manche 2")
    assert table.turns() == ["p1", "p2", "p3", "p1", "p3", "p1", "p3", "p1", "p3"]


def test_gl_10_the_marker_is_eliminated():
    """[III] The owner of the marker is eliminated at the end of tour 2: p2 opens the later tours (L4)."""
    lost = "(duchess,assassin,contessa,captain)"
    table = Table(f"p1{lost} 2  p2 2  p3 6  marker p1").play("""
        p1: income
        p2: income
        p3: income
        p1: income
        p2: duchess@contessa
    """)
    table.shows("tour 2  next p3").play("""
        p3: coup:p1
        ~ p1 is out with 4
    """)
    table.shows("marker p1  tour 3  next p2").play("""
        p2: income
        p3: income
    """)
    table.shows("p2{contessa} 7  tour 4  next p2").play("""
        p2: income
        p3: income
        ~ manche 2
    """)
    table.shows("p2{} 8  p3 2  tour 1  manche 2  next p2  marker p1")
    assert table.turns() == ["p1", "p2", "p3", "p1", "p2", "p3", "p2", "p3", "p2", "p3"]


@pytest.mark.parametrize(
    ("coins", "offers"), [(6, "income aid"), (7, "income aid coup:p2"), (9, "income aid coup:p2")]
)
def test_gl_11_empty_hand(coins, offers):
    """[III.1] a card has to come from the hand (L7)."""
    Table(f"p1[]{{duchess,captain}}(assassin,contessa,ambassador) {coins}  p2 2  tour 3").play(f"""
        offered p1 action: {offers}
    """)


def test_gl_12_aid_blocked_by_a_liar():
    """[III.3] any player may challenge a block; a false one goes face-up into the cemetery (L14)."""
    table = Table("p1 2  p2 2  p3 2  T48").play("""
        p1: aid
        asked block: p2 p3
        p2: block:duchess@captain
        asked challenge: p3 p1
        p3: challenge
        ~ p2 blocks with duchess, p3 challenges p2, p2 has no duchess, p2 loses captain, p1 takes 2
    """)
    table.shows("p1 4  p2[duchess,assassin,contessa,ambassador]{}(captain*) 2  p3{}() 2  T46  next p2")
