"""What the searching bot believes: the truth is always among it, and news move it the right way."""

import sys
from random import Random

import pytest
from samples import CHECKOUT

import arena

sys.path.insert(0, str(CHECKOUT / "bots" / "python" / "searching"))
import local_styles
import styles
from beliefs import PLACE, ways
from local_view import LocalTable
from table import NAMES, Table, facts_in

STYLES = {"complots": styles.load_styles(), "local": local_styles.load_styles()}
TABLES = {"complots": Table, "local": LocalTable}


def new_table(name: str, seats: int, you: int = 0, **options: object):
    facts = {"seats": str(seats), "you": f"p{you + 1}"} | {key: str(value) for key, value in options.items()}
    some = STYLES[name]
    return TABLES[name](facts, [some] * seats, [dict.fromkeys(some, 1 / len(some))] * seats)


def hear(table, lines):
    for line in lines:
        verb, *words = line.split()
        if verb == "state":
            table.state(words[0], facts_in(words[1:]))
        else:
            getattr(table, verb)(words[0], words[1:])


def numbers(cards) -> list[int]:
    return sorted(NAMES[card] for card in cards)


def believes(table, seat: int, p) -> float:
    """The weight of the truth for a seat."""
    belief, hand = table.beliefs[seat], numbers(p.hands[seat])
    if isinstance(table, Table):
        unseen = {pick: table.unseen(pick) for pick in belief.picks}
        place = PLACE[tuple(hand)]
        return max(belief.by_hand(pick)[place] for pick, left in unseen.items() if ways(hand, left) > 0)
    placed = NAMES[p.placed[seat].card] if p.placed[seat] else -1
    layout = sum(1 << card for card in hand), placed, tuple(NAMES[each.card] for each in p.discards[seat])
    return sum(belief.layouts.get(layout, [0.0]))


def cards_of(world, seat: int) -> list[int]:
    """All cards of a seat that are not in the cemetery."""
    if hasattr(world, "court"):
        return world.hands[seat]
    placed = [world.placed[seat]] if world.placed[seat] is not None else []
    return [*world.hands[seat], *placed, *world.discards[seat]]


@pytest.mark.parametrize(
    "name, seats, options",
    [
        ("complots", 2, {}),
        ("complots", 4, {}),
        ("complots", 3, {"cast": "inquisitor"}),
        ("complots", 2, {"cast": "inquisitor"}),
        ("local", 2, {}),
        ("local", 4, {}),
        ("local", 3, {"assassin_special": False}),
    ],
)
def test_the_truth_is_never_excluded_and_worlds_are_possible(name, seats, options):
    """Random games, where anything is done with any cards."""
    for game in range(4):
        dice, state = (
            Random(f"{name} {seats} {game}"),
            arena.new(arena.table(name, seats=seats, **options), seed=f"beliefs {game}"),
        )
        tables = [new_table(name, seats, seat, **options) for seat in range(seats)]
        while not state.over:
            answers = {}
            for seat in state.to_act:
                view, table, p = state.view(seat), tables[seat], state.match.position
                hear(table, view.news)
                for key, facts in view.state.items():
                    table.state(key, dict(facts))
                answers[seat] = dice.choice(view.options)
                if view.kind in ("draft", "keep", "return") or not p.turn:
                    continue
                world, _ = next(table.worlds(dice))
                for other in table.others():
                    assert believes(table, other, p) > 0, (game, view.line)
                    assert len(cards_of(world, other)) == (
                        len(p.hands[other]) if name == "complots" else 5 - len(p.cemeteries[other])
                    )
            state.answer(answers)


def share(table, seat: int, card: str) -> float:
    """How probable a card is in a hand: over many worlds."""
    dice, worlds = Random(1), []
    for world, weight in table.worlds(dice):
        worlds.append((weight, NAMES[card] in cards_of(world, seat)))
        if len(worlds) == 400:
            return sum(weight * has for weight, has in worlds) / sum(weight for weight, _ in worlds)
    raise AssertionError


BEGINNING = ["secret hand contessa ambassador", "event turn 1 p2"]


@pytest.mark.parametrize(
    "news, card, least, most",
    [
        ([], "duchess", 0.3, 0.5),
        (["event claim p2 duchess", "event take p2 3"], "duchess", 0.55, 1.0),
        (["event claim p2 captain:p3", "event steal p2 p3 2"], "captain", 0.55, 1.0),
        (["event action p2 income"], "duchess", 0.0, 0.36),
        (
            [
                "event claim p2 duchess",
                "event challenge p3 p2 duchess",
                "event refuted p2 duchess",
                "event lose p2 captain cause=bluff",
            ],
            "duchess",
            0.0,
            0.0,
        ),
        (
            [
                "event claim p2 duchess",
                "event challenge p3 p2 duchess",
                "event proven p2 duchess",
                "event lose p3 duchess cause=challenge",
                "event take p2 3",
            ],
            "duchess",
            0.05,
            0.4,
        ),
        (["event claim p2 ambassador", "event exchange p2 2"], "ambassador", 0.0, 0.3),
    ],
)
def test_what_is_heard_moves_beliefs(news, card, least, most):
    table = new_table("complots", 3)
    hear(table, [*BEGINNING, *news, "event turn 2 p3"])
    assert least <= share(table, 1, card) <= most


def test_a_card_that_all_see_is_in_no_world():
    table = new_table("complots", 3)
    hear(table, ["secret hand duchess duchess", "event turn 1 p2", "event lose p3 duchess cause=coup"])
    assert share(table, 1, "duchess") == 0


def test_local_a_proven_card_is_known_until_it_is_taken_back():
    table = new_table("local", 2)
    proof = ["event claim p2 duchess", "event challenge p1 p2 duchess", "event proven p2 duchess"]
    hear(table, ["event turn 1 p2", *proof, "event take p2 3", "event turn 2 p1"])
    assert {layout[2] for layout in table.beliefs[1].layouts} == {(0,)}
    hear(table, ["event manche 2", "event turn 3 p2"])
    assert list(table.beliefs[1].layouts) == [(31, -1, ())]


def test_a_style_shows_in_what_a_player_does():
    table = new_table("complots", 3)
    for turn in range(2, 8):
        hear(
            table, ["secret hand contessa ambassador", f"event turn {turn} p2", "event claim p2 assassin:p3"]
        )
        hear(table, ["event pay p2 3", "event block p3 block:contessa", "event blocked p2 assassin:p3 by=p3"])
        table.coins[1] = 3
    shares = table.style_shares()[1]
    assert shares["honest"] + shares["bluffer"] + shares["random"] > shares["miser"] + shares["first"]
