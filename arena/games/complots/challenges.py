"""Challenges (B. Mettre en doute) and blocks (C. Contrer)."""

from arena.games.complots.actions import BLOCKED_BY, Action
from arena.games.complots.losing import eliminate_if_out
from arena.games.complots.position import TurnPosition, rivals
from arena.games.complots.variant import P, Variant
from arena.rules import ALL, SEAT_NAMES, Ask, Choice, Draw, Tell, seat_name, seat_number

_PASS_OR_CHALLENGE = ("pass", "challenge")


async def run_challenge_window(
    p: P, variant: Variant[P], claimant: int, card: str, action: Action
) -> tuple[bool, int | None]:
    """Let all others challenge the claim of `card`, by which the `action` is played or blocked.

    Returns whether the claimed action or block goes on, and the challenger; None: all have passed.

    Raises:
        LastOneLeft: The game is over.
    """
    on, actor = SEAT_NAMES[claimant], SEAT_NAMES[action.actor]  # for a block these are two seats
    window = Choice("challenge", _PASS_OR_CHALLENGE, on=on, claim=card, action=action.text, actor=actor)
    challenger, _ = await _first_to_speak(p, {seat: window for seat in rivals(p, claimant)})
    if challenger is None:
        return True, None
    await Tell(ALL, f"challenge {seat_name(challenger)} {seat_name(claimant)} {card}")
    if variant.can_prove(p, claimant, card):
        await Tell(ALL, f"proven {seat_name(claimant)} {card}")  # C39: a claimant with the card must show it
        await variant.prove(p, claimant, card)
        return await variant.lose_challenge(p, challenger, claimant, card), challenger
    await Tell(ALL, f"refuted {seat_name(claimant)} {card}")
    await variant.lose_bluff(p, claimant)
    await eliminate_if_out(p, claimant)
    return False, challenger


async def run_block_window(p: P, variant: Variant[P], action: Action, seats: list[int]) -> bool:
    """Let these seats block an action, and others challenge each block. Return whether it is blocked.

    Raises:
        LastOneLeft: The game is over.
    """
    actor = SEAT_NAMES[action.actor]
    while True:
        windows = {
            seat: Choice("block", ("pass", *words), on=actor, action=action.text)
            for seat in seats
            if (words := variant.blocks(p, seat, BLOCKED_BY[action.verb]))
        }
        if not windows:
            return False
        blocker, word = await _first_to_speak(p, windows)
        if blocker is None:
            return False
        block = variant.announce(p, blocker, word.removeprefix("block:"))
        await Tell(ALL, f"block {seat_name(blocker)} block:{block}")
        stands, _ = await run_challenge_window(p, variant, blocker, block, action)
        if stands:
            await Tell(ALL, f"blocked {actor} {action.text} by={seat_name(blocker)}")
            return True
        if p.options["block_attempts"] == "one":  # C33
            return False
        seats = [seat for seat in seats if seat != blocker]


async def _first_to_speak(p: TurnPosition, windows: dict[int, Choice]) -> tuple[int | None, str]:
    """Ask these seats at once. Returns the first by `priority` that does not pass, and its answer.

    None and "pass": all have passed.
    """
    priority = p.options["priority"]  # C30
    answers = await Ask(windows, race=priority == "fastest")
    willing = [seat for seat, answer in answers.items() if answer != "pass"]
    if not willing:
        return None, "pass"
    first = willing[0]
    if priority == "random" and len(willing) > 1:
        first = seat_number(await Draw("priority", tuple(map(seat_name, willing)), to=ALL))
    return first, answers[first]
