"""The turn of both variants (Déroulement du jeu): the action, its steps in order, and its effect."""

from arena.games.complots.actions import BLOCKED_BY, Action, legal_actions, read_action
from arena.games.complots.challenges import run_block_window, run_challenge_window
from arena.games.complots.coins import pay, take, take_coins
from arena.games.complots.losing import LastOneLeft, eliminate_forfeits, lose_card, places
from arena.games.complots.position import CARDS, COSTS, TurnPosition, living, rivals
from arena.games.complots.variant import P, Variant
from arena.rules import ALL, Checkpoint, Choice, Result, RollCall, Tell, ask, seat_name


async def play_turns(p: P, variant: Variant[P]) -> Result:
    """Play turns until one player is left or `max_turns` were played (C50). Returns the result."""
    while True:
        await Checkpoint()
        await eliminate_forfeits(p, variant, await RollCall())
        if len(living(p)) <= 1 or p.turn == p.options["max_turns"]:
            return places(p), None
        try:
            await _take_turn(p, variant)
        except LastOneLeft:
            continue


async def _take_turn(p: P, variant: Variant[P]) -> None:
    actor = p.actor
    p.turn += 1
    await Tell(ALL, f"turn {p.turn} {seat_name(actor)}")
    offered = legal_actions(p, variant, actor)
    word = offered[0] if len(offered) == 1 else await ask(actor, Choice("action", offered))  # A7
    action = read_action(actor, variant.announce(p, actor, word))
    if action.verb in CARDS:
        await Tell(ALL, f"claim {seat_name(actor)} {action.text}")
        await _use_character(p, variant, action)
    else:
        await Tell(ALL, f"action {seat_name(actor)} {action.text}")
        await _use_coins(p, variant, action)
    await variant.end_turn(p)


async def _use_coins(p: P, variant: Variant[P], action: Action) -> None:
    if action.verb == "income":
        await take(p, action.actor, 1)
    elif action.target is not None:
        await pay(p, action.actor, COSTS["coup"])
        await lose_card(p, variant, action.target, "coup")
    elif not await run_block_window(p, variant, action, rivals(p, action.actor)):
        await take(p, action.actor, 2)


async def _use_character(p: P, variant: Variant[P], action: Action) -> None:
    """Carry out the action of a character: challenge, cost, block, effect, in this order (C27)."""
    actor, card, target = action.actor, action.verb, action.target
    purse = 0 if target is None else p.coins[target]
    goes_on, challenger = await run_challenge_window(p, variant, actor, card, action)
    if not goes_on:
        return  # C43: a refuted claim costs nothing
    if card == "assassin":
        await pay(p, actor, COSTS["assassin"])
    if target is not None and card in BLOCKED_BY and p.is_alive(target):
        may_block = challenger != target or p.options["block_after_own_failed_challenge"]  # C36
        if may_block and await run_block_window(p, variant, action, [target]):
            return
    await _take_effect(p, variant, action, purse)


async def _take_effect(p: P, variant: Variant[P], action: Action, purse: int) -> None:
    """Carry out the effect of a character; `purse` is the target's coins when it was named."""
    actor, card, target = action.actor, action.verb, action.target
    if card == "duchess":
        await take(p, actor, 3)
    elif target is None:
        await variant.use_power(p, actor, card, None)
    elif card == "captain":
        await _steal(p, actor, target, purse)
    elif not p.is_alive(target):
        await Tell(ALL, f"fizzle {seat_name(actor)} {action.text}")  # C44, C46
    elif card == "assassin":
        await lose_card(p, variant, target, "assassin")
    else:
        await variant.use_power(p, actor, card, target)


async def _steal(p: TurnPosition, thief: int, target: int, purse: int) -> None:
    if p.is_alive(target):
        amount = min(2, p.coins[target])  # C19
        p.coins[target] -= amount
        p.coins[thief] += amount
    else:  # C45: the target's coins have gone to the treasury already
        amount = take_coins(p, thief, min(2, purse)) if p.options["steal_from_dead"] else 0
    await Tell(ALL, f"steal {seat_name(thief)} {seat_name(target)} {amount}")
