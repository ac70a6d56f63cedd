"""Intrigue: 3 to 5 players bribe each other for the best places in one another's castles."""

from functools import cache

from arena.games.intrigue.figures import DECISIONS, FIGURES, observe
from arena.games.intrigue.foresight import foresee
from arena.games.intrigue.position import (
    TYPES,
    Advisor,
    Position,
    clockwise,
    copy_position,
    income,
    public_view,
    view,
)
from arena.games.intrigue.promises import close_book, hopeless, settle_sending, settle_turn
from arena.games.intrigue.prose import PROSE
from arena.games.intrigue.reasons import why_not
from arena.games.intrigue.setup import initial_position, position_from_setup
from arena.games.intrigue.stages import place_candidates, stages_of_turn
from arena.games.intrigue.talk import talk_once
from arena.games.shared import choose_starter, starter_option
from arena.rules import (
    ALL,
    SEAT_NAMES,
    Checkpoint,
    Choice,
    Game,
    Option,
    Options,
    Result,
    RollCall,
    Tell,
    ask,
    seat_name,
)


async def _rules(p: Position, options: Options) -> Result:
    if not p.begun:
        await _begin(p)
    while p.in_turn or p.turn < p.seats * options["rounds"]:
        await Checkpoint()
        if not p.in_turn:
            await _begin_turn(p)
        await place_candidates(p)
        await _end_turn(p)
    await close_book(p)
    await Tell(ALL, "final")
    for seat in range(p.seats):
        await _collect(p, seat)  # I8
    return _places(p, await RollCall())  # A6


async def _begin(p: Position) -> None:
    if p.starter is None:
        p.starter = await choose_starter(p.seats, p.options)  # I4
    else:
        await _resume(p)
    p.begun = True


async def _resume(p: Position) -> None:
    for seat in range(p.seats):
        audience = ALL if p.options["show_money"] == "all" else seat
        await Tell(audience, f"money {seat_name(seat)} {p.money[seat]}")


def _places(p: Position, missing: tuple[int, ...]) -> Result:
    # I9: equal ducats share a place; a seat that is missing is last (A4, A5).
    worth = [-1 if seat in missing else p.money[seat] for seat in range(p.seats)]
    return tuple(1 + sum(other > own for other in worth) for own in worth), tuple(p.money)


# The turn (Déroulement du jeu)


async def _begin_turn(p: Position) -> None:
    p.turn, p.in_turn = p.turn + 1, True
    await Tell(ALL, f"turn {p.turn} {seat_name(p.owner)}")
    p.hopeless = hopeless(p)
    if p.round > 1:  # I6
        await _collect(p, p.owner)
    p.stages = stages_of_turn(p)


async def _end_turn(p: Position) -> None:
    await Checkpoint()
    if p.last_round:
        await settle_sending(p, [], [])
    else:
        await _send_advisors(p)
    await settle_turn(p, p.hopeless)
    p.in_turn, p.hopeless = False, []


async def _collect(p: Position, seat: int) -> None:
    amount = income(p, seat)  # I7
    p.money[seat] += amount
    await Tell(ALL, f"income {seat_name(seat)} {amount}")


async def _send_advisors(p: Position) -> None:
    """Send two advisors of the owner, asked for one by one, to opponents' castles (step 3: I29, I30, I38)."""
    owner, reserve = p.owner, list(p.reserves[p.owner])
    if reserve:
        await talk_once(p, {"stage": "sending"}, placing=False)
    castles = {SEAT_NAMES[seat]: seat for seat in clockwise(p, owner)[1:]}  # I34
    sent: list[str] = []
    while len(sent) < 2 and p.reserves[owner]:
        kinds = tuple([kind for kind in TYPES if kind in p.reserves[owner]])
        options = _words_to_send(kinds, tuple(castles))
        choice = Choice("send", options, first=sent[0]) if sent else Choice("send", options)
        sent.append(await ask(owner, choice))
        p.reserves[owner].remove(sent[-1].partition("@")[0])
    for word in sent:
        kind, _, castle = word.partition("@")
        p.candidates[castles[castle]].append(Advisor(owner, kind))
    await Tell(ALL, " ".join(["send", seat_name(owner), *sent]))
    await settle_sending(p, reserve, sent)


@cache
def _words_to_send(kinds: tuple[str, ...], castles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([f"{kind}@{castle}" for kind in kinds for castle in castles])


GAME: Game[Position] = Game(
    name="intrigue",
    version=4,
    summary="Bribes, talk and broken promises for the best places in the castles of others.",
    seats=range(3, 6),
    options={
        "starter": starter_option(5, "I4"),
        "rounds": Option(5, "rounds, in the last of which no advisors are sent (I5)", (2, 3, 4, 5)),
        "bribe_unit": Option("player", "what a bribe is paid for in each stage (I15)", ("player", "advisor")),
        "show_money": Option(
            "own", "the money that a seat sees: its own, or that of all (I27)", ("own", "all")
        ),
        "press": Option(
            2, "0: no talk; 1: payer and owner; 2: all players; 3: all, and free text (I28)", (0, 1, 2, 3)
        ),
        "talk_rounds": Option(2, "rounds of talk before each payment (I28)", (1, 2, 3, 4, 5)),
        "private": Option(False, "only speaker and addressee hear a message (I28)", (False, True)),
    },
    initial_position=initial_position,
    position_from_setup=position_from_setup,
    rules=_rules,
    copy_position=copy_position,
    view=view,
    public_view=public_view,
    figures=FIGURES,
    decisions=DECISIONS,
    observe=observe,
    why_not=why_not,
    foresee=foresee,
    prose=PROSE,
)
