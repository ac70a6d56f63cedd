"""The questions of the local variant: what each answer does in a game, and which are worth a search."""

from rules import ASSASSIN, BLOCKERS, CAPTAIN, COUP, DUCHESS
from table import NAMES, action_of, seat_of

KEEP = [1.6, 1.8, 2.0, 1.2, 0.4]  # what the cards are worth in the hand
FALSE_CARDS = 2  # of the cards that may be placed for a lie, those that are worth least
TARGETS = 2  # of the players that an action may aim at, the strongest


def candidates(table, kind, facts, options):
    """By option worth a search, a function that plays it; None if this kind of ask is not searched."""
    make = {"action": act, "challenge": challenge, "block": block, "lose": lose, "return": give_back}.get(
        kind
    )
    if make is None:
        return None
    some = worthwhile(table, kind, options)
    if len(table.others()) > 1 and (first := simple(table, kind, facts, options)) not in some:
        some = [*some, first]
    return {option: make(table, facts, option) for option in some}


def parts(option):
    """The claim, the target and the card of an action or a block: `captain:p2@duchess` is 3, 1 and 0."""
    word, _, card = option.removeprefix("block:").partition("@")
    return (*action_of(word), NAMES[card] if card else None)


def worthwhile(table, kind, options):
    """The options worth a search: they lie with the cheapest cards, and aim at the strongest or at coins."""
    if kind not in ("action", "block"):
        return options
    cheap = sorted(table.hand, key=KEEP.__getitem__)
    strongest = sorted(table.others(), key=lambda seat: (table.gone[seat], -table.coins[seat]))[:TARGETS]
    kept = []
    for option in options:
        if option == "pass":
            kept.append(option)
            continue
        claim, target, card = parts(option)
        lies = [each for each in cheap if each != claim][:FALSE_CARDS]
        rich = claim == CAPTAIN and table.coins[target] >= 2
        if (target < 0 or target in strongest or rich) and (card is None or card == claim or card in lies):
            kept.append(option)
    return kept


def act(table, facts, option):
    action = parts(option)
    return lambda game: game.act(*action)


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
    claim, _, card = (None, None, None) if option == "pass" else parts(option)

    def play(game):
        game.said = table.me, None if claim is None else (claim, card)
        game.block(verb, target)

    return play


def lose(table, facts, option):
    card, cause = NAMES[option], facts["cause"]
    verb, target, blocker = table.verb, table.target, table.blocker

    def play(game):
        instead = cause == "challenge" and blocker is None and verb == ASSASSIN and game.is_special
        game.bury(table.me, card, instead)
        if cause == "challenge" and blocker is None and not instead:
            game.go_on(verb, target, game.may_block_after or table.me != target)
        else:
            game.end_turn()

    return play


def give_back(table, facts, option):
    cards = [NAMES[word] for word in option.split("+")]

    def play(game):
        game.give_back(table.me, cards)
        game.end_turn()

    return play


# The simple player


def simple(table, kind, facts, options):
    """What a careful player would answer at once.

    With one rival it never lies, and doubts only what must be false. With more it is `local_reader`, which
    knows that fights let others win.
    """
    if len(table.others()) > 1:
        return table.reader.answer(kind, facts, options)
    if kind == "action":
        return simple_action(table, options)
    if kind == "block":
        verb, _ = action_of(facts["action"])
        true = [option for option in options if option != "pass" and parts(option)[0] == parts(option)[2]]
        return true[0] if true and verb in BLOCKERS else "pass"
    if kind == "challenge":
        claimant, card = seat_of(facts["on"]), NAMES[facts["claim"]]
        is_open = (table.seen[claimant] | table.open[claimant]) >> card & 1
        return "challenge" if is_open else "pass"
    if kind == "lose":
        return min(options, key=worth)
    return min(options, key=worth) if kind == "return" else options[0]


def worth(option):
    return sum(KEEP[NAMES[card]] for card in option.split("+"))


def simple_action(table, options):
    def strength(option):
        _, target, _ = parts(option)
        return -table.gone[target] * 20 + table.coins[target] if target >= 0 else 0

    for verb in (COUP, ASSASSIN, DUCHESS, CAPTAIN):
        found = [option for option in options if parts(option)[0] == verb]
        found = [option for option in found if parts(option)[2] in (None, verb)]
        if found:
            return max(found, key=strength)
    return "aid" if "aid" in options else options[0]
