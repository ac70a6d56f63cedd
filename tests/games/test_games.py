"""What holds in every game of the arena, tested with random play.

Every game gets these tests for free. It adds what only it knows: its checks (`CHECKS`), and which of its
public news may name something hidden (`MAY_SAY`, `MAY_REVEAL`). `ARENA_GAMES=2000 pytest
tests/games/test_games.py` plays that many games per configuration instead of a few.
`python tests/helpers/random_games.py` writes the stored games of `tests/replays` anew.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise, zip_longest
from random import Random

import pytest
from intrigue_table import IntrigueCheck
from random_games import CASES, GAMES_EACH, REPLAYS, case_name, line_ups, play
from samples import CHECKOUT

from arena.games import GAMES
from arena.games.complots.position import deck
from arena.games.intrigue.position import NOTE, ZONES
from arena.games.local.position import OWN
from arena.referee.protocol import ask_line, check_lines
from arena.rules import ALL, Ask, Choice, Draw, RollCall, Tell, seat_name, seat_number
from arena.rules.chance import Chance
from arena.rules.match import Match, Reply, reply_from_json, reply_to_json

# What only the game itself knows


def check_coins(match: Match) -> None:
    """The coins of both variants of Complots (C4, C5)."""
    p, options = match.position, match.options
    assert min(p.coins) >= 0
    if options["treasury"] != "unlimited":
        assert p.treasury >= 0
        assert sum(p.coins) + p.treasury == options["treasury"]
    if options["treasury"] == 54 and options["must_coup_at"] == 10:
        assert max(p.coins) <= 12
        assert p.treasury > 0 or p.seats >= 5


class ComplotsCheck:
    """Coins, cards and asks of one game of Complots; called at every step."""

    def __init__(self) -> None:
        self.asks = 0  # of the turn
        self.court: int | None = None

    def __call__(self, match: Match) -> None:
        check_coins(match)
        if isinstance(match.step, Ask):
            self.asks += len(match.step.choices)
        if isinstance(match.step, RollCall | None):
            self._check_boundary(match)

    def _check_boundary(self, match: Match) -> None:
        p = match.position
        cards = [card for pile in (p.court, p.aside, *p.hands, *p.lost) for card in pile]
        assert Counter(cards) == Counter(deck(p.seats, p.options["cast"]))
        assert all(len(hand) + len(lost) == 2 for hand, lost in zip(p.hands, p.lost, strict=True))
        assert self.court in (None, len(p.court))
        self.court = len(p.court)
        if p.options["block_attempts"] == "one":
            assert self.asks <= 4 + 3 * p.seats
        self.asks = 0


class LocalCheck:
    """Coins, cards, tours and asks of one game of the local variant; called at every step."""

    def __init__(self) -> None:
        self.asks = 0  # of the turn
        self.cemeteries: list[list] = []
        self.read = 0  # entries of the log whose turns were counted
        self.tours = [0]  # of each manche
        self.place = -1  # in its tour, of the seat that was last to move

    def __call__(self, match: Match) -> None:
        p, step = match.position, match.step
        check_coins(match)
        for seat in range(p.seats):
            placed = [p.placed[seat].card] if p.placed[seat] else []
            piles = (*p.discards[seat], *p.cemeteries[seat])
            assert Counter([*p.hands[seat], *placed, *(pile.card for pile in piles)]) == Counter(OWN)
        for before, now in zip(self.cemeteries, p.cemeteries, strict=False):
            assert now[: len(before)] == before
        self.cemeteries = [list(cemetery) for cemetery in p.cemeteries]
        if isinstance(step, Ask):
            self.asks += len(step.choices)
        if isinstance(step, RollCall | None):
            if p.options["block_attempts"] == "one":
                assert self.asks <= 4 + 3 * p.seats
            self.asks = 0
            self._count_tours(match)

    def _count_tours(self, match: Match) -> None:
        """By the public news alone: a tour is over when the turn goes back towards the marker (L4)."""
        p = match.position
        news = [step.text.split() for step, _ in match.log[self.read :] if isinstance(step, Tell)]
        self.read = len(match.log)
        for words in news:
            if words[0] == "turn":
                place = (seat_number(words[2]) - p.marker) % p.seats
                self.tours[-1] += place <= self.place or self.tours[-1] == 0
                self.place = place
            elif words[0] == "manche":
                self.tours.append(0)
        assert set(self.tours[:-1]) <= {p.options["tours_per_round"]}
        assert len(self.tours) == p.manche
        assert self.tours[-1] > 0 or p.discards == [[]] * p.seats


CHECKS: dict[str, Callable[[], Callable[[Match], None]]] = {
    "complots": ComplotsCheck,
    "local": LocalCheck,
    "intrigue": IntrigueCheck,
}
"""Makes a check for one game, to be called at every step."""

MAY_SAY = {
    "complots": {"claim", "challenge", "block", "blocked", "fizzle"},
    "local": {"claim", "challenge", "block", "blocked", "fizzle"},
    "intrigue": set(),
}
"""The first words of public news that name what a player has said, whether it is true or not."""

MAY_REVEAL = {
    "complots": {"proven", "refuted", "lose", "shown"},
    "local": {"proven", "refuted", "lose", "exchange"},
    "intrigue": set(),
}
"""The first words of news by which the rules tell what was hidden from those who hear it."""


def test_every_game_is_listed_here():
    assert set(GAMES) == set(CHECKS) == set(MAY_SAY) == set(MAY_REVEAL)


# Random play


every_configuration = pytest.mark.parametrize(("game", "changes"), CASES, ids=case_name)


def heard(match: Match, seat: int, since: int = 0) -> list[str]:
    """The news that a seat has heard, from an entry of the log on."""
    return [step.text for step, _ in match.log[since:] if isinstance(step, Tell) and step.to in (ALL, seat)]


def shown(match: Match, seat: int) -> tuple[str, str, list[str]] | None:
    """The ask to a seat, and the state that goes with it; None if it is not asked."""
    if not isinstance(match.step, Ask) or seat not in match.step.choices:
        return None
    choice = match.step.choices[seat]
    return choice.kind, choice.tail, match.game.view(match.position, seat)


# Games end, and can be played again


@every_configuration
def test_games_end_and_replay(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        match = play(game, options, seats, seed, forfeits=0.02, watch=check_length)
        again = Match(game, options, seats, match.replies)
        assert (again.digest(), again.result) == (match.digest(), match.result), seed
        stored = json.loads(json.dumps([reply_to_json(reply) for reply in match.replies]))
        again = Match(game, options, seats, map(reply_from_json, stored))
        assert (again.digest(), again.result) == (match.digest(), match.result), seed


def check_length(match: Match) -> None:
    """No line for a bot is longer than the protocol allows, however long the times in it are."""
    step = match.step
    if isinstance(step, Tell):
        check_lines([f"secret {step.text}"])
    if isinstance(step, Ask):
        for seat, choice in step.choices.items():
            check_lines([ask_line(10**9, choice, 1e6, 1e6, 1e6)])
            check_lines(f"state {line}" for line in match.game.view(match.position, seat))


def test_the_richest_player_of_intrigue_gets_no_line_that_is_too_long():
    """Five players with 32000 each, and five incomes from four full zones in each of five castles."""
    money = 5 * 32000 + 5 * 5 * sum(ZONES)
    amounts = tuple(str(amount) for amount in range(NOTE, money + NOTE, NOTE))
    castles = " ".join(f"for=p{seat}.biologist@10000" for seat in range(1, 41))
    check_lines([ask_line(10**9, Choice("bribe", amounts, advisors=castles), 1e6, 1e6, 1e6)])


@every_configuration
def test_a_copy_goes_on_equally(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        replies = play(game, options, seats, seed).replies
        half = len(replies) // 2
        match = Match(game, options, seats, replies[:half])
        before = match.digest()
        copy = match.copy()
        for reply in replies[half:]:
            copy.reply(reply)
        assert match.digest() == before, seed  # the copy has left it alone
        for reply in replies[half:]:
            match.reply(reply)
        assert (copy.digest(), copy.result) == (match.digest(), match.result), seed


@every_configuration
def test_silence_ends_too(game, changes):
    """A seat that never answers plays the first option of everything (A1)."""
    for options, seats, seed in line_ups(game, changes, len(game.seats)):
        assert play(game, options, seats, seed, calm=1.0).result is not None


@every_configuration
def test_what_the_game_promises_of_itself(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        try:
            play(game, options, seats, seed, forfeits=0.02, watch=CHECKS[game.name]())
        except AssertionError as error:
            raise AssertionError(f"in game {seed!r} with {seats} seats") from error


@every_configuration
def test_figures_are_counted_from_the_log_alone(game, changes):
    """Whole numbers for the seats that there are; no share counts more than there was."""
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        match = play(game, options, seats, seed, forfeits=0.02)
        sums = Counter()
        for figure, seat, count, of in game.observe(tuple(match.log)):
            assert figure in game.figures and seat in range(seats), seed
            assert isinstance(count, int) and isinstance(of, int) and min(count, of) >= 0, seed
            sums[figure, seat] += of - count
        shares = [name for name, figure in game.figures.items() if not figure.ratio]
        assert all(sums[name, seat] >= 0 for name in shares for seat in range(seats)), seed
        assert match.digest() == Match(game, options, seats, match.replies).digest(), seed


def test_the_same_log_under_every_hash_seed():
    """No game may depend on the order of a set."""
    program = "import random_games; print(random_games.digest_of_games(100))"
    digests = set()
    for hash_seed in ("0", "1", "2", "3"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        folder = CHECKOUT / "tests" / "helpers"
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


# What may be answered


@every_configuration
def test_every_option_is_accepted_and_nothing_else(game, changes):
    """`Match.reply` raises ValueError for everything else, and leaves the match as it was."""
    words = {"", " ", "nonsense", "pass pass", "p1", "None"}

    def watch(match: Match) -> None:
        if isinstance(match.step, Ask):
            words.update(word for choice in match.step.choices.values() for word in choice.options)
            if dice.random() < 0.05:
                accept_options(match)
                refuse_words(match, words)
        elif dice.random() < 0.05:
            refuse_words(match, words)

    for options, seats, seed in line_ups(game, changes, max(1, GAMES_EACH // 7)):
        dice = Random(seed)
        play(game, options, seats, seed, watch=watch)


def accept_options(match: Match) -> None:
    choices = match.step.choices
    answers = {seat: choice.default for seat, choice in choices.items()}
    match.copy().reply(answers)
    for seat, choice in choices.items():
        assert len(set(choice.options)) == len(choice.options) > 0
        assert all(re.fullmatch(r"[!-~]+", option) for option in choice.options)
        for option in choice.options[1:]:
            match.copy().reply(answers | {seat: option})


def refuse_words(match: Match, words: set[str]) -> None:
    """Words that were options at some other time, misspelt options, and answers from the wrong seats."""
    step = match.step
    before = match.digest(), deepcopy(match.position), len(match.log), len(match.replies)
    for reply in wrong_replies(match, words):
        with pytest.raises(ValueError):
            match.reply(reply)
        assert match.step is step
    assert before == (match.digest(), match.position, len(match.log), len(match.replies))


def wrong_replies(match: Match, words: set[str]) -> Iterator[Reply]:
    step = match.step
    if isinstance(step, Draw):
        yield from words - set(step.outcomes)
    if not isinstance(step, Ask):
        return
    answers = {seat: choice.default for seat, choice in step.choices.items()}
    for seat, choice in step.choices.items():
        misspelt = {
            word for option in choice.options for word in (option.upper(), f"{option} ", f" {option}")
        }
        for word in sorted((words | misspelt) - set(choice.options)):
            if not choice.accepts(word) or not choice.open:  # open words are legal too
                yield answers | {seat: word}
        yield {other: word for other, word in answers.items() if other != seat}
    yield {}
    yield answers | {match.seats: "pass"}


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_a_game_that_is_over_hears_no_more(game):
    match = play(game, game.defaults(), game.seats[0], "over")
    before = match.digest()
    for reply in ((), "pass", {0: "pass"}):
        with pytest.raises(ValueError):
            match.reply(reply)
    assert match.digest() == before


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_replies_of_the_wrong_kind_are_refused(game):
    """So that a damaged record is told from a sound one: ValueError, and the match is as it was."""
    wrong = {
        Draw: [(), {0: "pass"}, None],
        Ask: ["pass", (), (0,), None, {}],
        RollCall: ["p1", {0: "pass"}, ("p1",), (99,), (-1,), (0, 0), (1, 0), None],
    }
    problems = []

    def watch(match: Match) -> None:
        replies = wrong.pop(type(match.step), [])
        if replies and isinstance(match.step, Ask):
            replies += [dict.fromkeys(match.step.choices, 5), dict.fromkeys(match.step.choices)]
        before = match.digest(), match.replies, match.position
        for reply in replies:
            copy = match.copy()
            try:
                copy.reply(reply)
                problems.append(f"{type(match.step).__name__} accepts {reply!r}")
            except ValueError:
                if (copy.digest(), copy.replies, copy.position) != before:
                    problems.append(f"{type(match.step).__name__} refuses {reply!r} and changes")
            except Exception as error:
                problems.append(f"{type(match.step).__name__} answered {reply!r} raises {error!r}")

    play(game, game.defaults(), game.seats[-1], "wrong kinds", watch=watch)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("value", [None, True, 5, 1.5, [5], [None], ["p99"], {"p99": "pass"}])
def test_json_that_is_no_reply_is_refused(value):
    with pytest.raises(ValueError):
        reply_from_json(value)


# Places


@every_configuration
def test_places_and_forfeits(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        match = play(game, options, seats, seed, forfeits=Random(seed).choice((0.0, 0.05, 0.3, 1.0)))
        places, scores = match.result
        assert scores is None or len(scores) == seats
        assert len(places) == seats
        assert list(places) == [1 + sum(other < place for other in places) for place in places], seed
        rolls = [reply for step, reply in match.log if isinstance(step, RollCall) and reply]
        forfeited = [seat for seats_missing in rolls for seat in seats_missing]
        assert len(set(forfeited)) == len(forfeited)
        if len(forfeited) == seats:
            assert set(places) == {1}, seed  # A5
            continue
        present = [places[seat] for seat in range(seats) if seat not in forfeited]
        assert all(places[seat] > max(present) for seat in forfeited), seed  # A4
        assert all(len({places[seat] for seat in roll}) == 1 for roll in rolls), seed  # A5
        assert all(places[earlier[0]] > places[later[0]] for earlier, later in pairwise(rolls)), seed


# Who learns what


def may_tell_apart(here: Match, there: Match, seat: int, since: int) -> bool:
    """Whether a seat has heard different news in two worlds; it may begin to only with `MAY_REVEAL`."""
    both = zip_longest(heard(here, seat, since), heard(there, seat, since), fillvalue="silence")
    for first, second in both:
        if first != second:
            words = {first.split()[0], second.split()[0]}
            assert words <= MAY_REVEAL[here.game.name], f"{seat_name(seat)} hears {first!r} or {second!r}"
            return True
    return False


def secret_words(match: Match) -> set[str]:
    """The outcomes of chance that were hidden from at least one seat."""
    draws = [step for step, _ in match.log if isinstance(step, Draw) and step.to is not ALL]
    return {outcome for draw in draws for outcome in draw.outcomes}


@every_configuration
def test_public_news_names_secrets_only_where_it_may(game, changes):
    for options, seats, seed in line_ups(game, changes, GAMES_EACH):
        match = play(game, options, seats, seed, forfeits=0.02)
        secrets = secret_words(match)
        for step, _ in match.log:
            if isinstance(step, Tell) and step.to is ALL:
                head, *words = re.split(r"[^\w]+", step.text)
                if secrets & set(words):
                    assert head in MAY_SAY[game.name] | MAY_REVEAL[game.name], f"{step.text!r} in {seed}"


@every_configuration
def test_a_draw_is_news_only_to_its_audience(game, changes):
    """When another card is drawn, no other seat hears, sees or is asked anything else before an answer.

    Only a card that its owner has to turn up without being asked tells what it was (A7).
    """
    for options, seats, seed in line_ups(game, changes, max(2, GAMES_EACH // 3)):
        match, dice = play(game, options, seats, seed), Random(seed)
        steps = [step for step, _ in match.log if not isinstance(step, Tell)]
        hidden = [k for k, step in enumerate(steps) if isinstance(step, Draw) and step.to is not ALL]
        for k in dice.sample(hidden, min(8, len(hidden))):
            others = [outcome for outcome in steps[k].outcomes if outcome != match.replies[k]]
            worlds = [
                until_asked(
                    Match(game, options, seats, match.replies[:k]), [outcome, *match.replies[k + 1 :]]
                )
                for outcome in (match.replies[k], dice.choice(others or [match.replies[k]]))
            ]
            if None in worlds:
                continue
            since = next(number for number, entry in enumerate(match.log) if entry[0] is steps[k])
            for seat in set(range(seats)) - {steps[k].to}:
                told = may_tell_apart(*worlds, seat, since)
                assert told or shown(worlds[0], seat) == shown(worlds[1], seat), f"game {seed!r}, reply {k}"


def until_asked(match: Match, replies: list[Reply]) -> Match | None:
    """Go on with these outcomes until a seat is asked; None if one of them is not left."""
    for reply in replies:
        if isinstance(match.step, Ask | None):
            break
        if isinstance(match.step, Draw) and reply not in match.step.outcomes:
            return None
        match.reply(reply)
    return match


@pytest.mark.slow
@every_configuration
def test_equal_news_equal_asks(game, changes):
    """Two games in which a seat has heard the same show it the same. The same seats are asked in both, so
    that not even the time that others take tells anything (C54).

    The two worlds differ in what only others have drawn. They go on with equal answers until the rules
    themselves tell the worlds apart.
    """
    for options, seats, seed in line_ups(game, changes, max(4, GAMES_EACH // 3)):
        dice = Random(seed)
        seat = dice.randrange(seats)
        try:
            worlds = Match(game, options, seats), Match(game, options, seats)
            while worlds and worlds[0].step is not None:
                compare_worlds(*worlds, seat)
                worlds = next_worlds(*worlds, seat, dice)
            if worlds:
                compare_worlds(*worlds, seat)
        except AssertionError as error:
            raise AssertionError(f"{seat_name(seat)} in game {seed!r} with {seats} seats") from error


def compare_worlds(here: Match, there: Match, seat: int) -> None:
    assert heard(here, seat) == heard(there, seat)
    assert type(here.step) is type(there.step)
    assert shown(here, seat) == shown(there, seat)
    if isinstance(here.step, Ask):
        kinds = [
            {other: choice.kind for other, choice in world.step.choices.items()} for world in (here, there)
        ]
        assert kinds[0] == kinds[1]
    if isinstance(here.step, Draw):
        assert (here.step.purpose, here.step.to) == (there.step.purpose, there.step.to)


def next_worlds(here: Match, there: Match, seat: int, dice: Random) -> tuple[Match, Match] | None:
    """Both worlds one step on, by replies that tell the seat no difference if a few tries find any.

    None when the rules tell it a difference.
    """
    for _ in range(6):
        replies = replies_for_both(here, there, seat, dice)
        if replies is None:
            return None
        worlds = here.copy(), there.copy()
        for world, reply in zip(worlds, replies, strict=True):
            world.reply(reply)
        if not may_tell_apart(*worlds, seat, len(here.log)):
            return worlds
    return None


def replies_for_both(here: Match, there: Match, seat: int, dice: Random) -> tuple[Reply, Reply] | None:
    """What only others learn is drawn apart; all else is equal where it can be, None where it has to be."""
    step, twin = here.step, there.step
    if isinstance(step, RollCall):
        return (), ()
    if isinstance(step, Draw):
        if step.to not in (ALL, seat):
            return dice.choice(step.outcomes), dice.choice(twin.outcomes)
        common = [outcome for outcome in step.outcomes if outcome in twin.outcomes]
        return (dice.choice(common),) * 2 if common else None
    answers: tuple[dict[int, str], dict[int, str]] = {}, {}
    for other, choice in step.choices.items():
        options = choice.options, twin.choices[other].options
        common = [option for option in options[0] if option in options[1]]
        same = dice.choice([common[0]] * len(common) + common) if common else None
        for number in (0, 1):
            answers[number][other] = same or dice.choice(options[number])
    return answers


# Stored games


@pytest.mark.parametrize("game", GAMES.values(), ids=case_name)
def test_stored_games_replay(game):
    """Rules of one version replay their records for ever."""
    hint = f"""
        The rules of {game.name} play this game of version {game.version} differently. If that is meant, old
        records cannot be replayed: raise `version` in the game, and run
        `python tests/helpers/random_games.py`."""
    path = REPLAYS / f"{game.name}-{game.version}.json"
    assert path.exists(), (
        f"no stored games of {game.name} {game.version}: run `python tests/helpers/random_games.py`"
    )
    for stored in json.loads(path.read_text()):
        replies = [reply_from_json(reply) for reply in stored["replies"]]
        try:
            match = Match(game, stored["options"], stored["seats"], replies)
        except ValueError as error:
            raise AssertionError(hint) from error
        assert match.step is None and match.digest() == stored["digest"], hint
        draws = [(step, reply) for step, reply in match.log if isinstance(step, Draw)]
        chance = Chance(stored["seed"])
        assert [chance.pick(step.purpose, step.outcomes) for step, _ in draws] == [
            reply for _, reply in draws
        ]
