"""The candidates of a castle in Intrigue: stages, bribes and placements (I10-I25)."""

from collections.abc import Iterable

from arena.games.intrigue.position import (
    NOTE,
    TYPES,
    ZONES,
    Advisor,
    Payment,
    Position,
    Stage,
    clockwise,
    in_order,
    joined,
)
from arena.games.intrigue.promises import settle_payment, settle_stage
from arena.games.intrigue.talk import negotiate, talk_once
from arena.games.shared import choose
from arena.rules import ALL, SEAT_NAMES, Checkpoint, Choice, Tell, ask, numbers, seat_name

_AMOUNTS = numbers(NOTE, 2_000_000, NOTE)  # of bribes, up to more than the money in a game

# The stages of a turn (I10-I12, I32)


def stages_of_turn(p: Position) -> list[Stage]:
    """The stages of a turn: free candidates, external conflicts, internal ones by value (I12, I32)."""
    # Their kinds are decided once, before anything is placed (I11, I24).
    owner, castle = p.owner, p.castles[p.owner]
    candidates = in_order(p, owner, p.candidates[owner])
    types = [each.type for each in candidates]
    sitting = [each.type for each in castle.values()]
    new = [each for each in candidates if each.type not in sitting]
    free = tuple([each for each in new if types.count(each.type) == 1])
    external = tuple([each for each in new if types.count(each.type) > 1])
    stages = [Stage(kind, owner, some) for kind, some in (("free", free), ("external", external)) if some]
    for zone in ZONES:
        if (occupant := castle.get(zone)) and occupant.type in types:
            rivals = tuple([each for each in candidates if each.type == occupant.type])
            stages.append(Stage("internal", owner, rivals, (zone,), occupant))
    return stages


async def place_candidates(p: Position) -> None:
    """Play the stages of this turn that are not over; one that has begun goes on."""
    while p.stages:
        await _play_stage(p, p.stages[0])
        del p.stages[0]


def _free_zones(p: Position, owner: int) -> list[int]:
    return [zone for zone in ZONES if zone not in p.castles[owner]]


async def _play_stage(p: Position, stage: Stage) -> None:
    """Play one stage: all bribes, then all placements, then the verdicts on promises (I14, I38)."""
    if not stage.begun:
        await _begin_stage(p, stage)
    while stage.due:
        await Checkpoint()
        await _bargain(p, stage, *stage.due[0])
        del stage.due[0]
    await Checkpoint()
    if _is_open(stage):
        await talk_once(p, {"stage": stage.kind, "zones": _zones(stage)})
    chances = {zone: stage.involved() for zone in stage.zones}
    if stage.occupant:
        await _decide(p, stage, stage.occupant)
    elif stage.kind == "external":
        await _choose_winners(p, stage)
    else:
        await _lodge_freely(p, stage)
    await settle_stage(p, chances)


async def _begin_stage(p: Position, stage: Stage) -> None:
    if not stage.occupant:
        stage.zones = tuple(_free_zones(p, stage.owner))
    words = [f"candidates={joined(stage.candidates)}", f"zones={_zones(stage)}"]
    if stage.occupant:
        words.insert(0, f"occupant={stage.occupant}")
    await Tell(ALL, " ".join(["stage", seat_name(stage.owner), stage.kind, *words]))
    stage.due, stage.begun = _payments(p, stage), True


def _is_open(stage: Stage) -> bool:
    """Whether the owner has a choice: several advisors of a type, or several zones."""
    kinds = [kind for _, kind in _distinct(stage.involved())]
    return any([kinds.count(kind) * len(stage.zones) > 1 for kind in kinds])


def _payments(p: Position, stage: Stage) -> list[Payment]:
    """The payments of a stage, in order: each with its payer, and the advisors for which it pays.

    A player pays once for all its advisors, or once for each of them, by the option `bribe_unit` (I15, I19).
    """
    # The order is clockwise from the owner's left, or from the occupant, whose player pays first (I20, I22).
    first = stage.occupant.owner if stage.occupant else stage.owner
    payments: list[Payment] = []
    for seat in clockwise(p, first):
        advisors = tuple([advisor for advisor in stage.involved() if advisor.owner == seat])
        if p.options["bribe_unit"] == "advisor":
            payments += [(seat, (advisor,)) for advisor in advisors]
        elif advisors:
            payments.append((seat, advisors))
    return payments


async def _bargain(p: Position, stage: Stage, payer: int, advisors: tuple[Advisor, ...]) -> None:
    """Play one payment: talk, then a bribe, paid at once by the payer or the bank (I16, I17, I33)."""
    keys: dict[str, object]
    keys = {"stage": stage.kind, "for": joined(advisors), "zones": _zones(stage)}
    owner = SEAT_NAMES[stage.owner]
    news = f"bribe {SEAT_NAMES[payer]} {owner}"
    await negotiate(p, payer, keys)
    if p.money[payer]:
        amounts = _AMOUNTS[: p.money[payer] // NOTE]  # A7: asked even if there is only one
        context = {"to": owner, **keys, "money": p.money[payer]}
        amount = int(await ask(payer, Choice.in_context("bribe", amounts, None, context)))
        p.money[payer] -= amount
        news += f" {amount}"
    else:
        amount = NOTE
        news += f" {amount} by=bank"  # I17
    p.money[stage.owner] += amount
    if p.options["bribe_unit"] == "advisor":
        news += f" for={advisors[0]}"
    await Tell(ALL, news)
    await settle_payment(p, payer, amount)


# The decisions of the owner


async def _lodge_freely(p: Position, stage: Stage) -> None:
    # I13: every one, on any free zone; I36: in the order of types.
    for advisor in sorted(stage.candidates, key=lambda each: TYPES.index(each.type)):
        zones = tuple(str(zone) for zone in _free_zones(p, stage.owner))
        zone = await choose(stage.owner, Choice("place", zones, stage=stage.kind, advisor=advisor))
        await _lodge(p, stage.owner, advisor, int(zone))


async def _choose_winners(p: Position, stage: Stage) -> None:
    # I13, I14: of each type one winner and its zone; the others go to the island.
    for kind in TYPES:
        rivals = [each for each in stage.candidates if each.type == kind]
        if not rivals:
            continue
        options = [f"{each}@{zone}" for each in _distinct(rivals) for zone in _free_zones(p, stage.owner)]
        word = await choose(stage.owner, Choice("place", tuple(options), stage=stage.kind, type=kind))
        winner, _, zone = word.partition("@")
        chosen = next(each for each in rivals if str(each) == winner)
        rivals.remove(chosen)
        await _lodge(p, stage.owner, chosen, int(zone))
        await _banish(p, stage.owner, rivals)


async def _decide(p: Position, stage: Stage, occupant: Advisor) -> None:
    zone, owner, rivals = stage.zones[0], stage.owner, list(stage.involved())  # I22
    options = tuple(str(each) for each in _distinct(rivals))
    word = await choose(owner, Choice("decide", options, stage=stage.kind, zone=zone))
    chosen = next(each for each in rivals if str(each) == word)
    if chosen == occupant:
        await Tell(ALL, f"keep {seat_name(owner)} {occupant} {zone}")
        await _banish(p, owner, stage.candidates)
        return
    p.candidates[owner].remove(chosen)
    p.castles[owner][zone] = chosen
    await Tell(ALL, f"take {seat_name(owner)} {chosen} {zone}")
    p.candidates[owner].append(occupant)
    rivals.remove(chosen)
    await _banish(p, owner, rivals)


async def _lodge(p: Position, owner: int, advisor: Advisor, zone: int) -> None:
    p.candidates[owner].remove(advisor)
    p.castles[owner][zone] = advisor
    await Tell(ALL, f"lodge {seat_name(owner)} {advisor} {zone}")


async def _banish(p: Position, owner: int, advisors: Iterable[Advisor]) -> None:
    for advisor in advisors:
        p.candidates[owner].remove(advisor)
        p.island.append(advisor)  # I25: until the end
        await Tell(ALL, f"banish {seat_name(owner)} {advisor}")


def _zones(stage: Stage) -> str:
    return ",".join([str(zone) for zone in stage.zones])


def _distinct(advisors: Iterable[Advisor]) -> list[Advisor]:
    return list(dict.fromkeys(advisors))  # A10
