"""Complots, classic: the golden scenarios GC-01 to GC-38, named by their numbers.

The headings in brackets are those of the rule book.
"""

from collections import Counter
from itertools import combinations

import pytest
from complots_table import Table

CASTS = ("ambassador", "inquisitor")
SIX = {"duchess", "assassin", "contessa", "captain", "ambassador", "inquisitor"}


@pytest.mark.parametrize("cast", CASTS)
@pytest.mark.parametrize(
    ("seats", "cards", "court", "treasury"),
    [
        (2, 15, 3, 51),
        (3, 15, 9, 48),
        (4, 15, 7, 46),
        (5, 15, 5, 44),
        (6, 15, 3, 42),
        (7, 20, 6, 40),
        (8, 20, 4, 38),
    ],
)
def test_gc_01_set_up(seats, cards, court, treasury, cast):
    """[Préparation] the deck, two cards and two coins each, Court and Treasury (C1, C2, C3, C4)."""
    table = Table.dealt(seats, cast=cast, starter="p1")
    if seats == 2:
        table.play("""
            p1: draft:duchess
            p2: draft:duchess
        """)
    p = table.position
    assert [len(hand) for hand in p.hands] == [2] * seats
    assert p.coins == ([1, 2] if seats == 2 else [2] * seats)
    assert (len(p.court), p.treasury, len(p.aside)) == (court, treasury, 8 if seats == 2 else 0)
    deck = Counter([*p.court, *p.aside, *(card for hand in p.hands for card in hand)])
    absent = "inquisitor" if cast == "ambassador" else "ambassador"
    assert deck == dict.fromkeys(SIX - {absent}, cards // 5)


def test_gc_02_two_player_draft():
    """[Partie pour 2 joueurs] one card dealt, one picked of one's own five, secretly and at once (C8-C10)."""
    table = Table.dealt(2, script={"deal": ["contessa", "duchess"]}, starter="p1")
    assert table.secrets("p1") == ["hand contessa"]  # each player knows the card before the pick (C8)
    assert table.secrets("p2") == ["hand duchess"]
    table.play("""
        asked draft: p1 p2
        offered p1 draft: duchess assassin contessa captain ambassador
        offered p2 draft: duchess assassin contessa captain ambassador
        p1: draft:contessa       (the same character: legal, C9)
        p2: draft:assassin
    """)
    table.shows("p1[contessa,contessa] 1  p2[duchess,assassin] 2  T51  court assassin captain ambassador")
    assert Counter(table.position.aside) == Counter(
        ["duchess", "assassin", "captain", "ambassador", "duchess", "contessa", "captain", "ambassador"]
    )
    assert table.news() == ["starter p1"]  # neither pick is public
    assert table.secrets("p1")[-1] == "hand contessa contessa"
    assert table.secrets("p2")[-1] == "hand duchess assassin"


def test_gc_03_exemple_1():
    """[B. Mettre en doute, Exemple 1] the wrong challenger loses a card, then the captain steals (C27)."""
    table = Table("p1[captain,duchess] 2  p2[assassin,contessa] 2  p3[ambassador,ambassador] 2  T48")
    table.play("""
        p1: captain:p2
        asked challenge: p2 p3
        p2: challenge            (p3 pass)
        ~ p2 challenges p1, p1 shows captain, draw p1=assassin
        offered p2 lose: assassin contessa
        p2: lose:assassin
        asked block: p2          (C36)
        p2: pass
        ~ p2 loses assassin, p1 steals 2 from p2
    """)
    table.shows("""
        p1[duchess,assassin] 4   p2[contessa](assassin) 0   p3[ambassador,ambassador] 2   T48
        court duchess2 assassin1 contessa2 captain3 ambassador1   next p2
    """)


def test_gc_03b_both_cards_turned_up():
    """[Exemple 1] "Si ses deux cartes sont retournées, il est éliminé": the coins are gone (C45)."""
    table = Table("p1[captain,duchess] 2  p2[contessa](assassin) 2  p3[ambassador,ambassador] 2", max_turns=1)
    table.play("""
        p1: captain:p2
        p2: challenge
        ~ p1 shows captain, p2 loses contessa, p2 is out with 2, p1 steals 0 from p2
    """)
    assert table.asked("lose") == table.asked("block") == []
    table.shows("p1 2  p2(assassin,contessa) 0  p3 2  T50  next p3")
    assert table.over() == (1, 3, 1)  # p2 is third; the others, after the only turn of this game, tie


def test_gc_04_exemple_2():
    """[C. Contrer, Exemple 2] one player loses both cards in one turn, without any assassin (X1, C29)."""
    table = Table("p1[captain,assassin] 2  p2[ambassador,duchess] 2  p3[contessa,duchess] 2")
    table.play("""
        p1: captain:p2
        p3: challenge            (p2 pass)
        ~ p1 shows captain, draw p1=contessa
        p3: lose:contessa
        asked block: p2
        p2: block:ambassador
        asked challenge: p3 p1
        p3: challenge            (p1 pass)
        ~ p2 shows ambassador, draw p2=assassin
        ~ p3 loses duchess, p3 is out with 2
        ~ p1 is blocked by p2
    """)
    table.shows("p1[assassin,contessa] 2  p2[duchess,assassin] 2  p3(contessa,duchess) 0  T50  next p2")


@pytest.mark.parametrize("block_after_own_failed_challenge", [True, False])
def test_gc_05_precision_1(block_after_own_failed_challenge):
    """[Précisions ①] to challenge a true assassin costs both lives; the same with either reading of C36."""
    table = Table(
        "p1[assassin,duchess] 3  p2[captain,ambassador] 2  p3[contessa,contessa] 2  T47",
        block_after_own_failed_challenge=block_after_own_failed_challenge,
    )
    table.play("""
        p1: assassin:p2
        p2: challenge
        ~ p1 shows assassin, draw p1=captain
        p2: lose:captain
        ~ p1 pays 3              (and p2, if it may block, passes)
        ~ p2 loses ambassador, p2 is out with 2
    """)
    assert table.asked("block") == ([["p2"]] if block_after_own_failed_challenge else [])
    table.shows("p1[duchess,captain] 0  p2(captain,ambassador) 0  p3[contessa,contessa] 2  T52  next p3")


@pytest.mark.parametrize("hand", ["assassin,duchess", "duchess,captain"], ids=["has assassin", "has none"])
def test_gc_06_precision_2(hand):
    """[Précisions ②] a refuted contessa costs both lives, whether or not there was an assassin."""
    table = Table(f"p1[{hand}] 3  p2[captain,ambassador] 2  p3[contessa,contessa] 2  T47")
    table.play("""
        p1: assassin:p2          (all pass)
        ~ p1 announces assassin:p2, p1 pays 3
        p2: block:contessa
        p1: challenge            (p3 pass)
        ~ p2 has no contessa
        p2: lose:captain
        ~ p2 loses captain, p2 loses ambassador, p2 is out with 2
    """)
    table.shows(f"p1[{hand}] 0  p2(captain,ambassador) 0  p3[contessa,contessa] 2  T52  next p3")


def test_gc_07_refuted_assassin_is_free():
    """[B. Mettre en doute, a] "les 3 pièces ne sont pas dépensées" (C43)."""
    table = Table("p1[duchess,captain] 3  p2[captain,ambassador] 2  p3[contessa,contessa] 2  T47")
    table.play("""
        p1: assassin:p2
        p3: challenge
        ~ p1 has no assassin
        p1: lose:captain
    """)
    table.shows("""
        p1[duchess](captain) 3   p2[captain,ambassador] 2   p3[contessa,contessa] 2   T47   next p2
    """)


@pytest.mark.parametrize("hand", ["contessa,captain", "duchess,captain"], ids=["has contessa", "has none"])
def test_gc_08_contessa_unchallenged(hand):
    """[C. Contrer, La Comtesse] the assassin fails, and the 3 coins are paid all the same."""
    table = Table(f"p1[assassin,duchess] 3  p2[{hand}] 2  p3[ambassador,ambassador] 2  T47")
    table.play("""
        p1: assassin:p2
        p2: block:contessa
        ~ p1 pays 3, p2 blocks with contessa, p1 is blocked by p2
    """)
    table.shows(f"p1[assassin,duchess] 0  p2[{hand}] 2  p3[ambassador,ambassador] 2  T50  next p2")


PLAIN = "p1[duchess,captain] 2  p2[contessa,captain] 2  p3[assassin,ambassador] 2  T48"


def test_gc_10_aid():
    """[A. Aide étrangère] two coins; not a character, so it cannot be challenged."""
    table = Table(PLAIN).play("""
        p1: aid
        asked block: p2 p3
        offered p3 block: pass block:duchess
        ~ p1 announces aid
    """)
    table.play("~ p1 takes 2")
    assert table.asked("challenge") == []
    table.shows("p1 4  p2 2  p3 2  T46  next p2")


@pytest.mark.parametrize("blocker", ["p2", "p3"])
def test_gc_11_aid_blocked(blocker):
    """[C. Contrer, La Duchesse] any opponent may block the aid, with or without a duchess."""
    table = Table(PLAIN).play(f"""
        p1: aid
        {blocker}: block:duchess
        ~ {blocker} blocks with duchess, p1 is blocked by {blocker}
    """)
    table.shows("p1[duchess,captain] 2  p2[contessa,captain] 2  p3[assassin,ambassador] 2  T48  next p2")


def test_gc_12_aid_blocked_by_a_liar():
    """[C. Contrer] "Si la mise en doute réussit, le contre échoue", for any challenger (C35)."""
    table = Table(PLAIN).play("""
        p1: aid
        p3: block:duchess
        asked challenge: p1 p2
        p2: challenge
        ~ p3 has no duchess
        p3: lose:assassin
        ~ p3 loses assassin, p1 takes 2
    """)
    table.shows("p1 4  p2[contessa,captain] 2  p3[ambassador](assassin) 2  T46  next p2")


def test_gc_14_the_fastest():
    """[B. Mettre en doute] "seul le plus rapide": the first clockwise from the claimant's left (C30)."""
    table = Table("""
        p1[captain,contessa] 2   p2[assassin,contessa] 2   p3[duchess,captain] 2   p4[ambassador,assassin] 2
        next p3
    """)
    table.play("""
        p3: duchess
        asked challenge: p4 p1 p2
        p1: challenge
        p2: challenge
        ~ p1 challenges p3, p3 shows duchess
        p1: lose:contessa
    """)
    for seat in ("p1", "p2", "p3", "p4"):  # p2's wish appears in no stream
        challenges = [line for line in table.news(seat) if line.startswith("challenge")]
        assert challenges == ["challenge p1 p3 duchess"]
    table.shows("p1[captain](contessa) 2  p2[assassin,contessa] 2  p3 5  p4[ambassador,assassin] 2  next p4")


def test_gc_15_ten_coins():
    """[A. IMPORTANT] with ten coins the Assassinat is the only action, and nothing stops it (C15)."""
    table = Table("p1[duchess,captain] 10  p2[contessa,captain] 2  p3[assassin,ambassador] 2  T40")
    table.play("""
        offered p1 action: coup:p2 coup:p3
        p1: coup:p3
        ~ p1 announces coup:p3, p1 pays 7
        offered p3 lose: assassin ambassador      (the victim chooses)
        p3: lose:ambassador
    """)
    assert [kind for kind, _ in table.asks] == ["action", "lose"]  # no window
    table.shows("p1[duchess,captain] 3  p2 2  p3[assassin](ambassador) 2  T47  next p2")


def test_gc_15_nine_coins():
    """[A. IMPORTANT] with nine the Assassinat is one action of all."""
    table = Table("p1[duchess,captain] 9  p2[contessa,captain] 2  p3[assassin,ambassador] 2")
    assert set(table.play("asked action: p1").options("p1")) == {
        *("income", "aid", "coup:p2", "coup:p3", "duchess", "assassin:p2", "assassin:p3"),
        *("captain:p2", "captain:p3", "ambassador"),
    }


def test_gc_16_twelve_coins():
    """[A. IMPORTANT] what counts is the money at the start of one's turn."""
    table = Table("p1[duchess,captain] 9  p2[contessa,captain] 2  p3[assassin,ambassador] 2")
    table.play("""
        p1: duchess              (9 + 3: p1 plays on without any coup)
        ~ p1 takes 3
        p2: income
        p3: income
        offered p1 action: coup:p2 coup:p3
    """)
    table.shows("p1 12")


def test_gc_16_robbed_before_the_own_turn():
    """[A. IMPORTANT] a player robbed to nine before the own turn is not forced."""
    table = Table("p1[duchess,captain] 9  p2[contessa,captain] 2  p3[assassin,ambassador] 2")
    table.play("""
        p1: aid
        p2: captain:p1
        ~ p1 takes 2, p2 steals 2 from p1
        p3: income
        asked action: p1
    """)
    table.shows("p1 9")
    assert table.options("p1")[0] == "income"


def test_gc_17_steal_one():
    """[Le Capitaine] "si ce dernier n'a qu'une seule pièce, Le Capitaine n'en prend qu'une" (C19)."""
    table = Table("p1[duchess,captain] 2  p2[contessa,captain] 1  p3[assassin,ambassador] 2  T49")
    table.play("""
        p1: captain:p2
        ~ p1 steals 1 from p2
    """)
    table.shows("p1 3  p2 0  p3 2  T49  next p2")


def test_gc_18_nothing_to_steal():
    """[Le Capitaine] a player without coins is no target (C20)."""
    table = Table("p1[duchess,captain] 2  p2[contessa,captain] 0  p3[assassin,ambassador] 2")
    options = table.play("asked action: p1").options("p1")
    assert [option for option in options if option.startswith("captain")] == ["captain:p3"]


def test_gc_19_ambassador_two_lives():
    """[L'Ambassadeur] four cards, keep two, the others go back to the Court."""
    table = Table("p1[duchess,captain] 2  p2[contessa,captain] 2  p3[assassin,ambassador] 2")
    before = Counter(table.position.court)
    pairs = " ".join(
        "+".join(pair) for pair in combinations(("duchess", "assassin", "contessa", "captain"), 2)
    )
    table.play(f"""
        p1: ambassador           (all pass)
        ~ draw p1=assassin+contessa
        offered p1 keep: {pairs}
        p1: keep:duchess+contessa
        ~ p1 exchanges 2
    """)
    table.shows("p1[duchess,contessa] 2  p2 2  p3 2  T48  next p2")
    assert Counter(table.position.court) == before + Counter(["captain"]) - Counter(["contessa"])
    for other in ("p2", "p3"):  # the others learn only of the exchange
        assert table.news(other)[1:] == ["turn 1 p1", "claim p1 ambassador", "exchange p1 2"]


def test_gc_20_ambassador_one_life():
    """[L'Ambassadeur] with one life the player keeps one of three; a face-up card never moves (C25)."""
    table = Table("p1[duchess](captain) 2  p2[contessa,captain] 2  p3[assassin,ambassador] 2")
    table.play("""
        p1: ambassador
        ~ draw p1=contessa+assassin
        offered p1 keep: duchess assassin contessa
        p1: keep:contessa
    """)
    table.shows("p1[contessa](captain) 2")
    assert len(table.position.court) == 9


INQUISITION = "p1[duchess,inquisitor] 2  p2[contessa,captain] 2  p3[assassin,inquisitor] 2"


def test_gc_22_inquisitor_draws():
    """[L'Inquisiteur ①] three cards, keep two; with one life keep one of two."""
    table = Table(INQUISITION, cast="inquisitor").play("""
        p1: inquisitor:draw
        ~ draw p1=contessa
        offered p1 keep: duchess+contessa duchess+inquisitor contessa+inquisitor
        p1: keep:contessa+inquisitor
        ~ p1 exchanges 1
    """)
    table.shows("p1[contessa,inquisitor] 2  p2 2  p3 2  next p2")
    table = Table(INQUISITION.replace("[duchess,inquisitor]", "[duchess](inquisitor)"), cast="inquisitor")
    table.play("""
        p1: inquisitor:draw
        ~ draw p1=captain
        offered p1 keep: duchess captain
        p1: keep:captain
    """)
    table.shows("p1[captain](inquisitor) 2")


def test_gc_23_exam_return():
    """[L'Inquisiteur ②] the target chooses what to show; only the examiner sees it (C23)."""
    table = Table(INQUISITION, cast="inquisitor").play("""
        p1: inquisitor:p2
        offered p2 show: contessa captain
        p2: show:captain
        offered p1 exam: return discard
        p1: exam:return
        ~ p1 examines p2: return
    """)
    table.shows("p1 2  p2[contessa,captain] 2  p3 2  next p2")
    assert "shown p2 captain" in table.secrets("p1")
    for other in ("p2", "p3"):
        assert table.news(other)[1:] == ["turn 1 p1", "claim p1 inquisitor:p2", "exam p1 p2 return"]


def test_gc_24_exam_discard():
    """[L'Inquisiteur ②] into the Court, shuffle, draw: the same card may come back."""
    table = Table(INQUISITION, cast="inquisitor").play("""
        p1: inquisitor:p2
        p2: show:captain
        p1: exam:discard
        ~ p1 examines p2: discard, draw p2=captain
    """)
    table.shows("p2[contessa,captain] 2")
    assert table.secrets("p2")[-1] == "hand contessa captain"
    assert not any("contessa" in line for line in (*table.news("p1"), *table.news("p3")))


def test_gc_26_cast_inquisitor_blocks():
    """[C. Contrer] the inquisitor takes the ambassador's place against the captain; no block of an exam."""
    Table(INQUISITION, cast="inquisitor").play("""
        p1: captain:p2
        offered p2 block: pass block:captain block:inquisitor
    """)
    table = Table(INQUISITION, cast="inquisitor").play("""
        p1: inquisitor:p2
        p2: show:contessa
        p1: exam:return
    """)
    assert table.asked("block") == []  # C22


@pytest.mark.parametrize(
    ("action", "hand"), [("captain", "captain,captain"), ("assassin", "contessa,contessa")]
)
def test_gc_27_third_party(action, hand):
    """[C. Contrer] "seul ce dernier peut le contrer": others may challenge, never block (C32)."""
    Table(f"p1[duchess,assassin] 3  p2[duchess,ambassador] 2  p3[{hand}] 2").play(f"""
        p1: {action}:p2
        asked challenge: p2 p3
        p2: pass
        asked block: p2
    """)


@pytest.mark.parametrize("may_block", [True, False])
def test_gc_28_own_failed_challenge_then_block(may_block):
    """[C. Contrer] a target that lost its challenge may still block, if it is alive (C36)."""
    table = Table(
        "p1[assassin,captain] 3  p2[contessa,duchess] 2  p3[ambassador,ambassador] 2  T47",
        block_after_own_failed_challenge=may_block,
    )
    block = "p2: block:contessa" if may_block else "~ p2 loses contessa, p2 is out with 2"
    table.play(f"""
        p1: assassin:p2
        p2: challenge
        ~ p1 shows assassin
        p2: lose:duchess
        {block}
    """)
    if may_block:
        table.shows("p1 0  p2[contessa](duchess) 2  p3 2  T50  next p2")
    else:
        table.shows("p1 0  p2(contessa,duchess) 0  p3 2  T52  next p3")


EIGHT = """
    p1[duchess,assassin] 2   p2[duchess,assassin] 2   p3[duchess,assassin] 2   p4[duchess,assassin] 2
    p5[contessa,captain] 2   p6[contessa,captain] 2   p7[contessa,captain] 2   p8[contessa,captain] 2   T38
"""


def everybody_claims_duchess(table, turns):
    for turn in range(turns):
        table.play(f"p{turn % table.position.seats + 1}: duchess")


def test_gc_32_treasury_of_eight():
    """[Matériel] 54 coins and no more: take what there is; the action stays legal (C5)."""
    table = Table(EIGHT)
    everybody_claims_duchess(table, 8)
    table.shows("T14")
    everybody_claims_duchess(table, 4)
    table.shows("T2  next p5").play("""
        p5: duchess
        ~ p5 takes 2
    """)
    table.shows("p1 8  p2 8  p3 8  p4 8  p5 7  p6 5  p7 5  p8 5  T0  next p6")
    table.play("""
        p6: duchess
        ~ p6 takes 0
        p7: income
        ~ p7 takes 0
        p8: aid
        ~ p8 takes 0
        p1: coup:p5
        ~ p1 pays 7
        p5: lose:captain
        p2: duchess
        ~ p2 takes 3
    """)
    table.shows("p1 1  p2 11  p6 5  p7 5  p8 5  T4  next p3")


@pytest.mark.parametrize(("seats", "turns"), [(5, 15), (6, 14), (7, 14)])
def test_gc_32_treasury_of_five_to_seven(seats, turns):
    """[Matériel] when the Treasury is empty, if all players only ever claim the duchess."""
    table = Table.dealt(seats, starter="p1")
    everybody_claims_duchess(table, turns - 1)
    assert table.position.treasury > 0
    table.play(f"p{(turns - 1) % seats + 1}: duchess")
    assert table.position.treasury == 0


@pytest.mark.parametrize("seats", [3, 4])
def test_gc_32_treasury_of_three_and_four(seats):
    """[Matériel] with three and four players a player is forced to coup before the Treasury is empty."""
    table = Table.dealt(seats, starter="p1")
    everybody_claims_duchess(table, 3 * seats)
    assert table.position.treasury > 0
    table.play("asked action: p1")
    assert all(option.startswith("coup:") for option in table.options("p1"))


def test_gc_33_three_duchesses_face_up():
    """[A.4] one may always announce, even what cannot be (C14); every challenge wins."""
    table = Table("p1[captain](duchess) 2  p2[contessa](duchess) 2  p3[assassin](duchess) 2")
    table.play("""
        asked action: p1
    """)
    assert "duchess" in table.options("p1")
    table.play("""
        p1: duchess
        p3: challenge
        ~ p1 has no duchess, p1 loses captain, p1 is out with 2
    """)


def test_gc_34_a_face_up_copy_proves_nothing():
    """[A. IMPORTANT] "le pouvoir de cette carte retournée n'a plus d'effet" (C34)."""
    table = Table("p1[captain](duchess) 2  p2[contessa,captain] 2  p3[assassin,ambassador] 2")
    table.play("""
        p1: duchess
        p2: challenge
        ~ p1 has no duchess, p1 is out with 2
    """)
    table.shows("p1(duchess,captain) 0  T50  next p2")


@pytest.mark.parametrize("starter", ["p1", "p2"])
def test_gc_37_two_players_the_starter_has_one_coin(starter):
    """[Partie pour 2 joueurs] the first player gets one coin, and so does a winner who begins (C3, C12)."""
    table = Table.dealt(2, starter=starter).play("""
        p1: draft:duchess
        p2: draft:duchess
    """)
    table.shows(f"p1 {1 if starter == 'p1' else 2}  p2 {1 if starter == 'p2' else 2}  T51  next {starter}")


@pytest.mark.parametrize("max_turns", [4, 300])
def test_gc_38_stealing_in_a_circle(max_turns):
    """Nothing in the rules ends it, so `max_turns` does; the survivors tie (C50)."""
    table = Table(
        "p1[duchess,captain] 2  p2[contessa,captain] 2  p3[assassin,captain] 2", max_turns=max_turns
    )
    for turn in range(max_turns):
        thief, target = turn % 3 + 1, (turn + 1) % 3 + 1
        table.play(f"p{thief}: captain:p{target}")
    assert table.over() == (1, 1, 1)
    assert table.position.turn == max_turns
