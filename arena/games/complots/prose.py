"""Complots in words, for a person who plays it."""

from collections.abc import Callable, Mapping

from arena.rules import Prose

_POWERS = {
    "duchess": "take 3 coins",
    "assassin": "pay 3 coins, and {} loses a card",
    "captain": "take 2 coins of {}",
    "ambassador": "draw 2 cards from the Court, and return 2",
    "inquisitor": "see a card of {}, and decide whether it is exchanged",
}
_CAUSES = {
    "coup": "the Assassinat",
    "assassin": "the assassin",
    "bluff": "a bluff that was caught",
    "challenge": "a challenge of a true claim",
    "forfeit": "a forfeit",
}


_NEWS: dict[str, Callable[..., str]] = {
    "starter": lambda seat: f"{seat} has the first turn.",
    "turn": lambda number, seat: f"Turn {number}: {seat} is to act.",
    "action": lambda seat, action: f"{seat} plays {_action_words(action)}.",
    "claim": lambda seat, claim: f"{seat} claims {_action_words(claim)}.",
    "challenge": lambda seat, claimant, card: f"{seat} challenges the {card} of {claimant}.",
    "proven": lambda seat, card: f"{seat} shows the {card}: the claim was true.",
    "refuted": lambda seat, card: f"{seat} has no {card} to show: the claim was a bluff.",
    "block": lambda seat, block: f"{seat} blocks with the {block.partition(':')[2]}.",
    "blocked": lambda seat, action, by: f"{_action_of(seat, action)} is blocked by {by.removeprefix('by=')}.",
    "lose": lambda seat, card, cause: f"{seat} loses a card: {card} ({cause_words(cause)}).",
    "out": lambda seat, coins: f"{seat} is out; {_coin_words(coins.removeprefix('coins='))} to the treasury.",
    "take": lambda seat, coins: f"{seat} takes {_coin_words(coins)}.",
    "pay": lambda seat, coins: f"{seat} pays {_coin_words(coins)}.",
    "steal": lambda seat, target, coins: f"{seat} takes {_coin_words(coins)} of {target}.",
    "exchange": lambda seat, number: f"{seat} draws {number} from the Court and returns {number}.",
    "exam": lambda seat, target, verdict: (
        f"{seat} sees a card of {target}, which {target} must exchange."
        if verdict == "discard"
        else f"{seat} sees a card of {target} and returns it."
    ),
    "fizzle": lambda seat, action: f"{_action_of(seat, action)} has no target left.",
    "forfeit": lambda seat: f"{seat} forfeits the game.",
    "hand": lambda *cards: f"Your hand: {', '.join(cards)}." if any(cards) else "Your hand is empty.",
    "drawn": lambda *cards: f"You draw: {', '.join(cards)}.",
    "shown": lambda seat, card: f"{seat} shows you a card: {card}.",
}


def tell(news: str) -> str:
    head, *words = news.split(" ")
    return _NEWS[head](*words) if head in _NEWS else news


def cause_words(cause: str) -> str:
    """Why a card was lost, from `cause=coup`."""
    return _CAUSES[cause.removeprefix("cause=")]


def ask(kind: str, context: Mapping[str, str]) -> str:
    of = context.get
    match kind:
        case "draft":
            return "Which of your own five cards is the second card of your hand?"
        case "action":
            return "It is your turn. What do you do?"
        case "challenge" if of("actor") == of("on"):
            return f"{of('on')} claims {_action_words(context['action'])}. Do you challenge it?"
        case "challenge":
            return f"{of('on')} claims the {of('claim')} to block {of('actor')}. Do you challenge it?"
        case "block":
            return f"{of('on')} plays {_action_words(context['action'])}. Do you block it?"
        case "lose":
            return f"You lose a card by {_CAUSES[context['cause']]}. Which one?"
        case "keep":
            return f"You have drawn {context['drawn'].replace(',', ' and ')}. Which cards do you keep?"
        case "show":
            return f"{of('to')} examines you. Which card do you show?"
        case "exam":
            return f"{of('of')} shows you: {of('card')}. What becomes of it?"
    return f"Your {kind}?"


def option(kind: str, word: str) -> str:
    verb, _, rest = word.partition(":")
    if kind == "action":
        return _action_meaning(verb, rest)
    if kind == "block" and verb == "block":
        return f"claim the {rest}"
    return {
        "pass": "let it happen" if kind == "block" else "believe it",
        "challenge": "say that it is a bluff",
        "return": "leave it in the hand",
        "discard": "have it exchanged for a card of the Court",
    }.get(word, "")


def _action_meaning(verb: str, target: str) -> str:
    unclaimed = {
        "income": "take 1 coin",
        "aid": "take 2 coins; a duchess may block it",
        "coup": f"the Assassinat: pay 7 coins, and {target} loses a card",
    }
    if verb in unclaimed:
        return unclaimed[verb]
    if target == "draw":
        return "claim the inquisitor: draw 1 card from the Court, and return 1"
    return f"claim the {verb}: {_POWERS[verb].format(target)}"


def _action_words(action: str) -> str:
    """An action or a claim in words: `coup:p2` is "the Assassinat on p2"."""
    verb, _, target = action.partition(":")
    named = {"income": "income", "aid": "the aid", "coup": "the Assassinat"}.get(verb, f"the {verb}")
    if target == "draw":
        return f"{named}, to draw a card"
    return f"{named} on {target}" if target else named


def _action_of(seat: str, action: str) -> str:
    """An action with its actor in words: `captain:p1` of p4 is "The captain of p4 on p1"."""
    verb, _, target = action.partition(":")
    on = f" on {target}" if target not in ("", "draw") else ""
    return f"The {_action_words(verb).removeprefix('the ')} of {seat}{on}"


def _coin_words(coins: str) -> str:
    return "1 coin" if coins == "1" else f"{coins} coins"


def cell(key: str, value: str) -> str:
    return " ".join(["[?]"] * int(value)) if key == "cards" else value.replace(",", ", ")


_SECTIONS = {
    "draft": ("Set-up",),
    "action": ("A turn", "Actions", "Characters"),
    "challenge": ("Challenges", "Characters"),
    "block": ("Blocks", "Characters"),
    "lose": ("Losing a card",),
    "keep": ("Characters",),
    "show": ("Characters",),
    "exam": ("Characters",),
}
_COLUMNS = ("coins", "cards", "lost", "hand")
PROSE = Prose(tell=tell, ask=ask, option=option, cell=cell, columns=_COLUMNS, sections=_SECTIONS)
