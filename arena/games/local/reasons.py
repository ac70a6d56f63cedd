"""The rules that answers of the local variant break."""

from arena.games.complots.reasons import why_no_action, why_no_block
from arena.games.local.position import OWN, Position
from arena.rules import Choice


def why_not(p: Position, seat: int, choice: Choice, word: str) -> str:
    """The rule that a refused word breaks, in words for the seat; "" if the word has no meaning here."""
    public, at, card = word.partition("@")
    if choice.kind == "action":
        return why_no_action(p, seat, public, OWN) or _why_no_claim(p, seat, public, at, card)
    if choice.kind == "block":
        named = public if public.startswith("block:") else f"block:{public}"  # the prefix may be forgotten
        return why_no_block(choice, public, OWN) or _why_no_claim(p, seat, named, at, card)
    if choice.kind == "lose":
        return _why_not_lost(p, seat, word)  # L19, L21
    if choice.kind == "return":
        return _why_not_returned(p, seat, choice, word)  # L22
    return ""


def _why_no_claim(p: Position, seat: int, public: str, at: str, card: str) -> str:
    """The rule on the card to place that a claim breaks (L6, L7, L22); "" if none."""
    verb = public.removeprefix("block:").partition(":")[0]
    if verb not in OWN:
        return f"{verb} places no card" if at and verb in ("income", "aid", "coup", "pass") else ""
    if not p.hands[seat]:
        return "your hand is empty, so you can claim nothing"
    if not at:
        return f"name the card to place, as in {public}@{p.hands[seat][0]}"
    if card in OWN and card not in p.hands[seat]:
        return f"you have no {card} in hand"
    if public == "ambassador" and not p.discards[seat]:
        return "your discard is empty, so the ambassador has no card to take"
    return ""


def _why_not_lost(p: Position, seat: int, word: str) -> str:
    if word not in OWN:
        return ""
    if any(pile.card == word for pile in p.discards[seat]):
        return "a card of the discard is lost only with an empty hand"
    return f"you have no {word} to lose"


def _why_not_returned(p: Position, seat: int, choice: Choice, word: str) -> str:
    cards, number = word.split("+"), len(choice.default.split("+"))
    if not set(cards) <= set(OWN):
        return ""
    if len(cards) != number:
        return f"return {number} of the cards, not {len(cards)}"
    if missing := [card for card in cards if card not in p.hands[seat]]:
        return f"you have no {missing[0]} in hand"
    return "each card can be returned once"
