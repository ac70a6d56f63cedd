"""The candidates of a castle in Intrigue: stages, bribes and placements (I10-I25)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.games.intrigue.position import NOTE, TYPES, ZONES, Advisor, Position, clockwise, in_order
from arena.games.intrigue.promises import settle_payment, settle_stage
from arena.games.intrigue.talk import negotiate, talk_once
from arena.games.shared import choose
from arena.rules import ALL, Choice, Tell, ask, numbers, seat_name


@dataclass
class _Stage:
    """A stage of a turn: the free stage, the external stage, or one internal conflict.

    `candidates` are in the order of A10. `zones` are the free zones, or in an internal conflict the one
    that `occupant` holds.
    """

    kind: str
    owner: int
    candidates: list[Advisor]
    zones: list[int]
    occupant: Advisor | None = None

    def involved(self) -> list[Advisor]:
        return [self.occupant, *self.candidates] if self.occupant else self.candidates

    def is_open(self) -> bool:
        """Whether the owner has a choice: several advisors of a type, or several zones."""
        kinds = [kind for _, kind in _distinct(self.involved())]
        return any(kinds.count(kind) * len(self.zones) > 1 for kind in kinds)


async def place_candidates(p: Position) -> None:
    """Play the stages of a turn: free candidates, external conflicts, internal ones by value (I12, I32)."""
    owner, castle = p.owner, p.castles[p.owner]
    free, external, internal = _classify(p, owner)
    if free:
        stage = _Stage("free", owner, free, _free_zones(p, owner))
        await _play_stage(p, stage)
    if external:
        stage = _Stage("external", owner, external, _free_zones(p, owner))
        await _play_stage(p, stage)
    for zone, candidates in internal.items():
        await _play_stage(p, _Stage("internal", owner, candidates, [zone], castle[zone]))


def _classify(p: Position, owner: int) -> tuple[list[Advisor], list[Advisor], dict[int, list[Advisor]]]:
    """The free candidates, those in external conflicts, and those in internal ones by zone."""
    # They are told apart once, before anything is placed (I11, I24).
    castle, candidates = p.castles[owner], in_order(p, owner, p.candidates[owner])
    number = Counter(each.type for each in candidates)
    zones = {castle[zone].type: zone for zone in ZONES if zone in castle}
    new = [each for each in candidates if each.type not in zones]
    return (
        [each for each in new if number[each.type] == 1],
        [each for each in new if number[each.type] > 1],
        {
            at: [each for each in candidates if each.type == kind]
            for kind, at in zones.items()
            if number[kind]
        },
    )


def _free_zones(p: Position, owner: int) -> list[int]:
    return [zone for zone in ZONES if zone not in p.castles[owner]]


async def _play_stage(p: Position, stage: _Stage) -> None:
    """Play one stage: all bribes, then all placements, then the verdicts on promises (I14, I38)."""
    words = [f"candidates={_joined(stage.candidates)}", f"zones={_joined(stage.zones)}"]
    if stage.occupant:
        words.insert(0, f"occupant={stage.occupant}")
    await Tell(ALL, " ".join(["stage", seat_name(stage.owner), stage.kind, *words]))
    for payer, advisors in _payments(p, stage):
        await _bargain(p, stage, payer, advisors)
    if stage.is_open():
        await talk_once(p, {"stage": stage.kind, "zones": _joined(stage.zones)})
    chances = {zone: stage.involved() for zone in stage.zones}
    if stage.occupant:
        await _decide(p, stage, stage.occupant)
    elif stage.kind == "external":
        await _choose_winners(p, stage)
    else:
        await _lodge_freely(p, stage)
    await settle_stage(p, chances)


def _payments(p: Position, stage: _Stage) -> Iterator[tuple[int, list[Advisor]]]:
    """The payers in order, with their advisors: a bribe of each player, or for each advisor (I15, I19)."""
    # Clockwise from the owner's left, or from the occupant, whose player pays first (I20, I22).
    first = stage.occupant.owner if stage.occupant else stage.owner
    for seat in clockwise(p, first):
        advisors = [advisor for advisor in stage.involved() if advisor.owner == seat]
        if p.options["bribe_unit"] == "advisor":
            yield from ((seat, [advisor]) for advisor in advisors)
        elif advisors:
            yield seat, advisors


async def _bargain(p: Position, stage: _Stage, payer: int, advisors: list[Advisor]) -> None:
    """Play one payment: talk, then a bribe, paid at once by the payer or the bank (I16, I17, I33)."""
    keys = {"stage": stage.kind, "for": _joined(advisors), "zones": _joined(stage.zones)}
    news = f"bribe {seat_name(payer)} {seat_name(stage.owner)}"
    await negotiate(p, payer, keys)
    if p.money[payer]:
        amounts = numbers(NOTE, p.money[payer], NOTE)  # A7: asked even if there is only one
        choice = Choice("bribe", amounts, None, to=seat_name(stage.owner), **keys, money=p.money[payer])
        amount = int(await ask(payer, choice))
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


# What the owner decides


async def _lodge_freely(p: Position, stage: _Stage) -> None:
    # I13: every one, on any free zone; I36: in the order of types.
    for advisor in sorted(stage.candidates, key=lambda each: TYPES.index(each.type)):
        zones = tuple(str(zone) for zone in _free_zones(p, stage.owner))
        zone = await choose(stage.owner, Choice("place", zones, stage=stage.kind, advisor=advisor))
        await _lodge(p, stage.owner, advisor, int(zone))


async def _choose_winners(p: Position, stage: _Stage) -> None:
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


async def _decide(p: Position, stage: _Stage, occupant: Advisor) -> None:
    zone, owner, rivals = stage.zones[0], stage.owner, stage.involved()  # I22
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


def _joined(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def _distinct(advisors: Iterable[Advisor]) -> list[Advisor]:
    return list(dict.fromkeys(advisors))  # A10
