"""The questions of Complots: what each answer does in a game, and what a simple player would answer."""

from rules import ASSASSIN, CAPTAIN, COUP, DUCHESS
from table import NAMES, WORTH, action_of, seat_of


def candidates(table, kind, facts, options):
    """By option, a function that plays it in a game; None if this kind of ask is not searched."""
    make = {
        "action": act,
        "challenge": challenge,
        "block": block,
        "lose": lose,
        "keep": keep,
        "show": show,
        "exam": exam,
    }.get(kind)
    return {option: make(table, facts, option) for option in options} if make else None


def act(table, facts, option):
    verb, target = action_of(option)
    return lambda game: game.act(verb, target)


def challenge(table, facts, option):
    me, doubts = table.me, option == "challenge"
    verb, target = action_of(facts["action"])
    blocker, card = seat_of(facts["on"]), NAMES[facts["claim"]]

    def play(game):
        game.said = me, doubts
        if table.blocker is None:
            game.challenge_action(verb, target)
        else:
            game.challenge_block(verb, target, blocker, card)

    return play


def block(table, facts, option):
    verb, target = action_of(facts["action"])
    card = None if option == "pass" else NAMES[option.removeprefix("block:")]

    def play(game):
        game.said = table.me, card
        game.block(verb, target)

    return play


def lose(table, facts, option):
    card, cause = NAMES[option], facts["cause"]
    verb, target = table.verb, table.target

    def play(game):
        game.turn_up(table.me, card)
        if cause == "bluff" and table.blocker is not None:
            game.effect(verb, target)
        elif cause == "challenge" and table.blocker is None:
            game.go_on(verb, target, game.may_block_after or table.me != target)
        else:
            game.end_turn()

    return play


def keep(table, facts, option):
    cards = [NAMES[word] for word in option.split("+")]

    def play(game):
        game.keep(table.me, cards)
        game.end_turn()

    return play


def show(table, facts, option):
    examiner, card = seat_of(facts["to"]), NAMES[option]

    def play(game):
        discards = game.players[examiner].exam(game, examiner, table.me, card)
        game.end_exam(table.me, card, discards)
        game.end_turn()

    return play


def exam(table, facts, option):
    target, card = seat_of(facts["of"]), NAMES[facts["card"]]

    def play(game):
        game.end_exam(target, card, option == "discard" and card in game.hands[target])
        game.end_turn()

    return play


# The simple player


def simple(table, kind, facts, options):
    """What a careful player would answer at once; the search needs a reason to deviate."""
    if kind == "action":
        return simple_action(table, options)
    if kind == "block":
        held = [word for word in options if NAMES.get(word.removeprefix("block:")) in table.hand]
        return held[0] if held else "pass"
    if kind == "keep":
        return max(options, key=worth)
    if kind in ("lose", "show"):
        return min(options, key=worth)
    if kind == "exam":
        return "discard" if WORTH[NAMES[facts["card"]]] > 0.55 else "return"
    if kind == "draft":
        return max(options, key=lambda word: worth(word) - 0.3 * (NAMES[word] in table.hand))
    return options[0]


def worth(option):
    cards = option.split("+")
    return sum(WORTH[NAMES[card]] for card in cards) - 0.3 * (len(cards) - len(set(cards)))


def simple_action(table, options):
    def strength(option):
        _, target = action_of(option)
        return table.cards[target] * 20 + table.coins[target] if target >= 0 else 0

    for verb in (COUP, ASSASSIN, CAPTAIN, DUCHESS):
        found = [option for option in options if action_of(option)[0] == verb]
        if found and (verb == COUP or verb in table.hand):
            return max(found, key=strength)
    return "aid" if "aid" in options else options[0]
