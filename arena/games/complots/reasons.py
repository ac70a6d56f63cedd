"""The rules that answers of Complots break, from the knowledge of the seat that was asked."""

from arena.games.complots.actions import BLOCKED_BY
from arena.games.complots.position import CARDS, COSTS, Position, TurnPosition, characters, rivals
from arena.rules import SEAT_NAMES, Choice

_TARGETED = ("coup", "assassin", "captain")


def why_not(p: Position, seat: int, choice: Choice, word: str) -> str:
    """The rule that a refused word breaks, in words for the seat; "" if the word has no meaning here."""
    cast = characters(p.options["cast"])
    if choice.kind == "action":
        return why_no_action(p, seat, word, cast)
    if choice.kind == "block":
        return why_no_block(choice, word, cast)
    if choice.kind == "keep":
        return _why_not_kept(choice, word)  # C25
    if word not in CARDS or choice.kind not in ("draft", "lose", "show"):
        return ""
    return f"you have no hidden {word}" if word in cast else _absent(word)


def why_no_action(p: TurnPosition, seat: int, word: str, cast: tuple[str, ...]) -> str:
    """The rule on actions that a word breaks; "" if none. A local claim is given without its `@card`."""
    verb, _, of = word.partition(":")
    if verb == "pass":
        return "a turn cannot be passed"  # C13
    if verb == "contessa":
        return "the contessa only blocks"  # C13
    if verb in CARDS and verb not in cast:
        return _absent(verb)
    if verb not in cast and verb not in ("income", "aid", "coup"):
        return ""
    must = p.options["must_coup_at"]
    if must != "none" and p.coins[seat] >= must and verb != "coup":
        return f"with {must} coins or more you must coup"  # C15
    if verb not in _TARGETED and not (verb == "inquisitor" and of != "draw"):
        return f"{verb} has no target" if of in SEAT_NAMES else ""
    return _why_no_target(p, seat, verb, of) or _too_expensive(p, seat, verb)  # C16


def _why_no_target(p: TurnPosition, seat: int, verb: str, of: str) -> str:
    """The rule on targets that an action at seat `of` breaks (C17, C20, C24); "" if none."""
    if not of:
        return f"name a target, as in {verb}:{SEAT_NAMES[rivals(p, seat)[0]]}"
    if of not in SEAT_NAMES:
        return ""
    target = SEAT_NAMES.index(of)
    if target >= p.seats:
        return f"there is no {of} in this game"
    if target == seat:
        return "you cannot be your own target"
    if not p.is_alive(target):
        return f"{of} is out"
    if verb == "captain" and p.coins[target] < p.options["captain_min_target"]:
        return f"{of} has no coins to take"
    return ""


def _too_expensive(p: TurnPosition, seat: int, verb: str) -> str:
    cost = COSTS.get(verb, 0)
    return f"{verb} costs {cost} coins, and you have {p.coins[seat]}" if p.coins[seat] < cost else ""


def why_no_block(choice: Choice, word: str, cast: tuple[str, ...]) -> str:
    """The rule on blocks that a word breaks; "" if none. A local block is given without its `@card`."""
    card = word.removeprefix("block:")
    if card not in CARDS:
        return ""
    if card not in cast:
        return _absent(card)
    verb = str(choice.context["action"]).partition(":")[0]
    return "" if card in BLOCKED_BY[verb] else f"{card} does not block {verb}"


def _why_not_kept(choice: Choice, word: str) -> str:
    cards, number = word.split("+"), len(choice.default.split("+"))
    if not set(cards) <= set(CARDS):
        return ""
    if len(cards) != number:
        return f"keep {number} of the cards, not {len(cards)}"
    return "you do not hold these cards"


def _absent(card: str) -> str:
    return f"there is no {card} in this game"  # C14
