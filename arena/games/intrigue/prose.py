"""Intrigue in words, for a person who plays it."""

from collections.abc import Callable, Mapping
from urllib.parse import quote, unquote

from arena.rules import Prose

_NEWS: dict[str, Callable[..., str]] = {
    "starter": lambda seat: f"{seat} has the first turn.",
    "turn": lambda number, seat: f"Turn {number}: {seat} is the owner.",
    "income": lambda seat, amount: f"{seat} has an income of {amount}.",
    "stage": lambda seat, kind, *words: _stage_words(seat, kind, *map(_value, words)),
    "offer": lambda number, seat, to, terms: f"Offer {number}, {seat} to {to}: {_terms_words(terms)}.",
    "promise": lambda number, seat, verdict, term: (
        f"The promise of {seat} in offer {number} is {verdict}: {_terms_words(term)}."
    ),
    "accept": lambda number, seat: f"{seat} accepts offer {number}.",
    "reject": lambda number, seat: f"{seat} rejects offer {number}.",
    "request": lambda seat, to, terms: f"{seat} asks {to} for this: {_terms_words(terms)}.",
    "threat": lambda seat, to, terms: f"{seat} threatens {to}: {_terms_words(terms)}.",
    "say": lambda seat, to, text: f"{seat} to {to}: {' '.join(unquote(text).split())}",
    "bribe": lambda seat, owner, amount, *more: _bribe_words(seat, owner, amount, *more),
    "lodge": lambda seat, advisor, zone: f"{seat} places {advisor} on zone {zone}.",
    "keep": lambda seat, advisor, zone: f"{seat} keeps {advisor} on zone {zone}.",
    "take": lambda seat, advisor, zone: f"{seat} places {advisor} on zone {zone} instead.",
    "banish": lambda seat, advisor: f"{advisor} goes to the island.",
    "send": lambda seat, *advisors: (
        f"{seat} sends {' and '.join(advisors).replace('@', ' to ')}."
        if advisors
        else f"{seat} has no advisor to send."
    ),
    "final": lambda: "The last turn is over: the last incomes follow.",
    "forfeit": lambda seat: f"{seat} forfeits the game.",
    "money": lambda seat, amount: f"{seat} has {amount} ducats.",
}


def _tell(news: str) -> str:
    head, *words = news.split(" ")
    return _NEWS[head](*words) if head in _NEWS else news


def _stage_words(seat: str, kind: str, *lists: str) -> str:
    """The news of a new stage; `lists` are the occupant if there is one, candidates and zones."""
    if kind == "internal":
        occupant, candidates, zone = lists
        return f"Internal conflict at {seat}: {candidates} against {occupant} on zone {zone}."
    candidates, zones = lists
    if kind == "free":
        return f"Free stage at {seat}: {candidates} may be placed on zones {zones}."
    return f"{kind.capitalize()} conflict at {seat}: {candidates} for zones {zones}."


def _bribe_words(seat: str, owner: str, amount: str, *more: str) -> str:
    """The news of a bribe; `more` has `by=bank` if the bank pays, and `for=` if it is for one advisor."""
    of = dict(word.split("=") for word in more)
    for_advisor = f" for {of['for']}" if "for" in of else ""
    if "by" in of:
        return f"{seat} has no money: the bank pays {amount} to {owner}{for_advisor}."
    return f"{seat} pays {amount} to {owner}{for_advisor}."


def _value(part: str) -> str:
    """The value of `key=a,b` as a list."""
    return part.partition("=")[2].replace(",", ", ")


def _terms_words(terms: str) -> str:
    return "; ".join(_term_words(term) for term in terms.split(":"))


def _term_words(term: str) -> str:
    """A term of a message in words: `p2/next=writer@6000`."""
    by, slash, deed = term.rpartition("/")
    kind, _, rest = deed.rpartition("=")
    who, _, where = rest.rpartition("@")
    said = {
        "turn": f"{_place_words(rest)} at the end of this turn",
        "next": f"{_place_words(rest)} in the next turn at home",
        "send": f"sends {who or 'an advisor'} to {where}",
        "spare": f"sends no {who or 'advisor'} to {where}",
        "pay": f"pays {who} to {where} at the next payment",
    }.get(kind)
    said = said or (f"pays {deed}" if deed.isdigit() else _place_words(deed, "on a zone of this stage"))
    return f"{by}: {said}" if slash else said


def _place_words(place: str, anywhere: str = "in the castle") -> str:
    """A place in words: `writer@6000`; or `!p4.priest`, for nowhere that `anywhere` names."""
    advisor, at, zone = place.partition("@")
    where = f"on zone {zone}" if at else anywhere
    return f"{advisor[1:]} not {where}" if advisor.startswith("!") else f"{advisor} {where}"


def _ask(kind: str, context: Mapping[str, str]) -> str:
    of = context.get
    match kind:
        case "talk":
            return "\n".join([_talk_words(context), *_offer_lines(context), "What do you say?"])
        case "bribe":
            what, zones = (context[key].replace(",", ", ") for key in ("for", "zones"))
            return f"How much do you pay to {of('to')} for {what} (zones: {zones})? You have {of('money')}."
        case "place" if of("advisor"):
            return f"On which zone of your castle do you place {of('advisor')}?"
        case "place":
            return f"Which {of('type')} do you place, and on which zone?"
        case "decide":
            return f"Which advisor is to have zone {of('zone')} of your castle?"
        case "send":
            first = f"You send {context['first'].replace('@', ' to ')}. " if of("first") else ""
            return f"{first}Which {'other ' if first else ''}advisor do you send to which castle?"
    return f"Your {kind}?"


def _talk_words(context: Mapping[str, str]) -> str:
    of = context.get
    about = f" for {context['for'].replace(',', ', ')}" if of("for") else ""
    if of("with"):
        return f"You and {of('with')} talk about the bribe{about} (round {of('round')})."
    if of("payer"):
        when = f"round {of('round')}" if of("round") else "after the last round: only answers"
        return f"{of('payer')} and {of('owner')} talk about the bribe{about} ({when})."
    if of("stage") == "sending":
        return f"{of('owner')} is about to send advisors."
    return f"{of('owner')} is about to decide the {of('stage')} stage."


def _offer_lines(context: Mapping[str, str]) -> list[str]:
    own = [(each, context.get("with", "")) for each in context.get("offers", "").split(",") if each]
    found = [(number, by, terms) for each, by in own for number, _, terms in [each.partition(":")]]
    for each in filter(None, context.get("others", "").split(",")):
        number, by, terms = each.split(":", 2)
        found.append((number, by, terms))
    return [f"Offer {number} of {by}: {_terms_words(terms)}." for number, by, terms in found]


def _option(kind: str, word: str) -> str:
    if kind == "talk":
        verb, _, number = word.partition(":")
        return "say nothing" if word == "pass" else f"{verb} offer {number}"
    if kind == "send":
        return word.replace("@", " to ")
    if kind == "place" and word.isdecimal():
        return f"on zone {word}"
    return word.replace("@", " on zone ") if "@" in word else ""


def _cell(key: str, value: str) -> str:
    if key in ("reserve", "island"):  # shortened, because there are many
        counts = [each.split(":") for each in value.split(",")]
        return " ".join(f"{kind[:3]}:{number}" for kind, number in counts)
    return value.replace(",", ", ")


def _answer(typed: str) -> str:
    verb, _, rest = typed.partition(" ")
    to, _, text = rest.strip().partition(" ")
    if verb.lower() == "say" and text.strip():
        return f"say:{to}:{quote(text.strip(), safe='')}"
    return ":".join(typed.split())


_OPEN = {
    "offer": "offer p2 8000 writer@10000: an exchange, which p2 may accept",
    "promise": "promise p2 next=p2@6000: a gift, which p2 may accept",
    "request": "request p2 spare=p1: asks p2 for something",
    "threat": "threat p2 !p2.priest: says what you will do, here that you throw its priest out",
    "say": "say p2 Good evening! (or: say all ...): free text",
}
_SECTIONS = {
    "talk": ("Messages", "Terms", "Answers"),
    "bribe": ("Bribes",),
    "place": ("Placing",),
    "decide": ("Placing",),
    "send": ("A turn",),
}
_COLUMNS = ("castle", "candidates", "reserve", "island", "money")
PROSE = Prose(_tell, _ask, _option, _cell, _COLUMNS, answer=_answer, open=_OPEN, sections=_SECTIONS)
