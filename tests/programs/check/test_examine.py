"""A check in detail: good bots pass, faults are shown with what led to them, all usual games are played."""

import json
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest
from programs import misbehaving_bot, shell, survivors

from arena import games
from arena.cli.check_text import lines, table
from arena.config.document import ConfigError
from arena.games import GAMES
from arena.programs.bot import Support
from arena.programs.check.examine import check_games as examine
from arena.programs.check.excerpt import stderr_lines
from arena.programs.check.finding import Finding
from arena.programs.check.later import with_later_words
from arena.programs.check.table import CheckedGame
from arena.programs.check.trials import Trials, terms_of, usual_kinds
from arena.programs.play.recorder import LoggedLine
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.seat import Fault
from arena.tournament.check_entries import name_findings

CONDITIONS = Conditions(clock=TimeControl(move=0.1, start=2.0))
COMPLOTS = games.find("complots")
MINE = misbehaving_bot()


def check(bot, game="complots", conditions=CONDITIONS, notify=lambda message: None):
    return examine(bot, [terms_of(bot, games.find(game), {}, conditions)], notify=notify)


def declaring(bot, **support):
    return replace(bot, games={"complots": Support(**support)})


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_good_bot_is_fine_in_every_game(game):
    told = []
    found = check(MINE, game, Conditions(clock=TimeControl(move=1.0)), told.append)
    wrong = [finding for finding in found if finding.verdict == "fault"]
    assert wrong == [] and survivors(within=1) == []
    names = [finding.check for finding in found]
    assert names == ["starts", "plays", "answers", "time", "kinds", "repeats", "words", "options"]
    assert told[0] == "starts the bot" and all(line.startswith(f"{game}: game ") for line in told[1:])
    sizes = ", ".join(map(str, games.find(game).seats))
    assert f"games of {game} with {sizes} seats" in found[1].words
    time = found[3].figures
    assert 0 <= time["p50_ms"] <= time["p99_ms"] <= time["worst_ms"] < time["limit_ms"] == 1000
    json.dumps([finding.to_json() for finding in found])


@pytest.mark.slow
def test_stderr_is_shown_by_its_head_and_tail_with_the_fault():
    bot = misbehaving_bot(when="action", move="[print('line', n, file=sys.stderr) for n in range(50)]; 0 / 0")
    [fault] = [finding for finding in check(bot) if finding.verdict == "fault"]
    assert fault.words.endswith(" (8 in 3 of 3 games)"), "on one, three and four seats"
    shown = fault.details[fault.details.index("  stderr:") + 1 :]
    assert shown[:3] == ("    line 0", "    line 1", "    ...")
    assert shown[-1] == "    ZeroDivisionError: division by zero"


def test_the_error_stands_in_the_middle_of_much_stderr():
    stack = ["x.js:1", "  throw", "", "Error: no x", *["    at x"] * 8, "Node.js v20"]
    shown = list(stderr_lines("\n".join(stack)))
    assert shown[1:5] == ["    x.js:1", "      throw", "    ...", "    Error: no x"]


@pytest.mark.slow
def test_what_a_bot_writes_cannot_steer_the_terminal():
    bot = misbehaving_bot(when="action", move="os.write(2, b'\\x1b[2J\\n'); answer = chr(0x202e)")
    text = "\n".join(lines(check(bot)))
    assert "\\x1b[2J" in text
    assert text.isascii() and "\x1b" not in text


@pytest.mark.slow
def test_a_bot_that_plays_by_chance_is_told_that_its_games_do_not_repeat():
    bot = misbehaving_bot(
        start="import random", move="answer = random.choice(words[words.index(':') + 1:])", when="action"
    )
    found = {finding.check: finding for finding in check(bot)}
    assert found["answers"].verdict == "ok"
    assert found["repeats"].verdict == "note"
    assert "seed=" in found["repeats"].advice


@pytest.mark.slow
def test_a_bot_near_its_limit_is_told_so():
    found = check(misbehaving_bot(when="lose", move="time.sleep(0.07)"))
    assert {finding.check: finding.verdict for finding in found}["time"] == "note"


@pytest.mark.slow
def test_output_before_hello_is_noted():
    bot = misbehaving_bot(start="print('loading'); print('done', flush=True)")
    notes = [finding for finding in check(bot) if finding.verdict == "note" and finding.check == "starts"]
    assert "which is ignored: loading" in notes[0].words and "stderr" in notes[0].advice


NO_INQUISITOR = "if 'inquisitor' in line: os._exit(3)"


@pytest.mark.slow
def test_an_option_that_a_bot_does_not_claim_to_support_is_a_note_and_one_that_it_claims_a_fault():
    bot = misbehaving_bot(each=NO_INQUISITOR, news=NO_INQUISITOR)
    found = {finding.check: finding for finding in check(bot)}
    assert [finding for finding in found.values() if finding.verdict == "fault"] == []
    note = found["options"]
    assert note.verdict == "note" and note.words.startswith("does not play well with cast=inquisitor: ")
    assert "bot.yaml" in note.advice and "exited with status 3" in "\n".join(note.details)
    claims = check(declaring(bot, options={"cast": ("ambassador", "inquisitor")}))
    assert "unstarted" in {finding.check for finding in claims if finding.verdict == "fault"}
    honest = {each.check: each for each in check(declaring(bot, options={"cast": ("ambassador",)}))}
    assert honest["options"].verdict == "ok"


@pytest.mark.slow
def test_a_bot_plays_only_the_seats_that_it_supports():
    few = misbehaving_bot(news="if words[0] == 'game' and words[3] > 'seats=3': os._exit(3)")
    assert [each.check for each in check(few) if each.verdict == "fault"] == ["unstarted"]
    found = check(declaring(few, seats=(2, 3)))
    assert [each.check for each in found if each.verdict == "fault"] == []
    assert "games of complots with 2, 3 seats" in found[1].words


# Which games are played


@pytest.mark.parametrize("game", GAMES)
def test_the_games_that_count_have_every_number_of_seats_and_both_bots_at_every_place(game):
    rules = games.find(game)
    due = Trials(terms_of(MINE, rules, {}, CONDITIONS), MINE, ["random"]).due()
    assert sorted(len(fixture.bots) for fixture in due) == list(rules.seats)
    assert {fixture.bots[0] for fixture in due} == {"bot", "random"}
    assert all(set(fixture.bots) == {"bot", "random"} for fixture in due)
    assert all(fixture.options == rules.defaults() for fixture in due)


def test_every_supported_value_counts_and_the_first_is_played_where_the_default_is_not_supported():
    bot = declaring(MINE, seats=(3, 2), options={"cast": ("inquisitor",), "must_coup_at": (10, 11, 12)})
    terms = terms_of(bot, COMPLOTS, {}, CONDITIONS)
    due = Trials(terms, bot, ["random"]).due()
    assert [len(fixture.bots) for fixture in due] == [2, 3, 3, 3]
    assert [fixture.options["must_coup_at"] for fixture in due] == [10, 10, 11, 12]
    assert {fixture.options["cast"] for fixture in due} == {"inquisitor"}
    assert "cast" not in terms.others and "must_coup_at" not in terms.others and "treasury" in terms.others


def test_given_options_hold_in_all_games():
    terms = terms_of(MINE, COMPLOTS, {"starter": "p4", "cast": "inquisitor"}, CONDITIONS)
    assert terms.seats == [4, 5, 6, 7, 8], "p4 sits at no smaller table"
    assert terms.options["cast"] == "inquisitor" and not {"cast", "starter"} & terms.others.keys()
    with pytest.raises(ConfigError, match="no number of seats of local fits"):
        terms_of(MINE, games.find("local"), {"starter": "p9"}, CONDITIONS)


def test_all_usual_kinds_are_known_without_a_bot():
    terms = terms_of(MINE, games.find("intrigue"), {}, CONDITIONS)
    assert usual_kinds(terms) == {"bribe", "decide", "place", "send", "talk"}


def test_words_of_a_later_protocol_leave_the_known_ones_as_they_are():
    text = "game 1 relay seats=2\nsecret hand a b\nstate p1 coins=2\nask 2 move 100 on=p1 : a b\n"
    assert with_later_words(text).splitlines() == [
        "game 1 relay seats=2 later=1",
        "secret hand a b",
        "state p1 coins=2 later=1",
        "later words of=tomorrow",
        "event later p1 words of=tomorrow",
        "ask 2 move 100 on=p1 later=1 : a b",
    ]
    assert with_later_words("ask 1 hello 9 version=1 : ok\n") == "ask 1 hello 9 version=1 later=1 : ok\n"
    assert with_later_words("bye\n") == "bye\n"


# The table


def test_the_table_of_several_bots_gives_each_cause_in_full_in_80_columns(tmp_path):
    faults = [
        Finding("late", "fault", "a reason of many words, " * 9 + "to its end"),
        Finding("time", "ok", "", figures=TIMES),
    ]
    entry = tmp_path / "entries" / "kim"
    checked = {
        "entries/ann": [Finding("starts", "ok", "well"), Finding("time", "ok", "", figures=TIMES)],
        "entries/" + "b" * 40: faults,
        "entries/README.md": [Finding("entry", "note", "no bot: not executable")],
        str(entry): [Finding("entry", "fault", f"{entry}/bot.yaml:3:1: seets: unknown key")],
        "entries/max": [Finding("builds", "fault", "make failed", ("  x.c:1: error: no such type",))],
        "entries/\x1b[2J": [Finding("entry", "fault", "caf\u00e9 \u65e5\u672c " * 20)],
    }
    text = "\n".join(table(checked, lambda bot: f"arena check {bot}"))
    assert "\x1b" not in text and str(tmp_path) not in text
    rows = text.splitlines()
    assert rows[2].split() == ["ann", "ok", "12.5"]
    assert "FAULT" in rows[3] and "late: a reason" in rows[3]
    words = " ".join(text.split())
    assert "reason of many words, to its end" in words
    assert "README.md no bot not executable" in words
    assert "kim FAULT entry: kim/bot.yaml:3:1: seets: unknown key" in words
    assert "max FAULT builds: make failed; x.c:1: error: no such type" in words
    assert rows[-1] == f"4 of 5 bots have problems; for more: arena check entries/{'b' * 40}"
    assert max(map(len, rows[:-1])) <= 80


TIMES = {"p50_ms": 0.1, "p99_ms": 3.0, "worst_ms": 12.5, "limit_ms": 1000.0}


def test_a_name_that_a_plan_would_refuse_is_noted():
    (found,) = name_findings(shell("_mine", "exit"))
    assert found.verdict == "note" and "refuses the name _mine: a name has only letters" in found.words
    assert not list(name_findings(shell("mine", "exit")))


# When it ends, and what it blames, without processes


class FakeTable:
    """Plays games in no time, of 40 answers each; `faults_of(number, later)` are those of the bot."""

    def __init__(self, faults_of):
        self.faults_of, self.number, self.bots = faults_of, 0, {"bot": MINE, "random": MINE}

    def close(self):
        pass

    def play_checked(self, fixture, later=False):
        self.number += 1
        faults = list(self.faults_of(self.number, later))
        log = [LoggedLine(True, "ask 1 ready 9 : ok", 0), LoggedLine(False, "1 ok", 0)]
        for ask, fault in enumerate(faults, 2):
            kind = "block" if "block" in fault else "action"
            log += [
                LoggedLine(True, f"ask {ask} {kind} 100 : income pass", 0),
                LoggedLine(False, f"{ask} coup", 0),
            ]
            log.append(LoggedLine(True, f"error {ask} illegal {fault}", 0))
        trace = {"microseconds": [[9] * 41] * len(fixture.bots), "stderr": {}, "figures": {}}
        told = [Fault(0, "illegal", 1, fault) for fault in faults]
        return CheckedGame(
            SimpleNamespace(fixture=fixture, faults=told, trace=trace, replies=()), {0: log}, []
        )


def findings(monkeypatch, faults_of, seconds=0.0, seats=(3,)):
    """What is found. Each look at the clock takes some seconds."""
    monkeypatch.setattr("arena.programs.check.examine.CheckTable", lambda *_: FakeTable(faults_of))
    monkeypatch.setattr("arena.programs.check.examine.check_start", lambda *_: ())
    bot, clock = declaring(MINE, seats=tuple(seats)), count(0.0, seconds)
    return examine(bot, [terms_of(bot, COMPLOTS, {}, CONDITIONS)], now=lambda: next(clock))


def examined(monkeypatch, faults_of=lambda number, later: (), seconds=0.0, seats=(3,)):
    return {each.check: each.words for each in findings(monkeypatch, faults_of, seconds, seats)}


@pytest.mark.parametrize(
    ("seats", "seconds", "faults", "words"),
    [
        # Enough answers come with the eighth game, and more games for kinds of asks that do not come.
        ([3], 0, (), "17 games of complots with 3 seats, 680 answers (300 are enough)"),
        ([3], 3, (), "4 games of complots with 3 seats, 160 answers; ended after 20 s, before 300 answers"),
        ([3], 0, ("x",), "3 games of complots with 3 seats, 120 answers; ended after 3 games with faults"),
        ([], 25, (), "2 games of complots with 2, 8 seats, 80 answers; no time for 5 more"),
    ],
)
def test_the_games_end_after_enough_answers_or_time_or_faults_and_the_line_says_which(
    monkeypatch, seats, seconds, faults, words
):
    assert examined(monkeypatch, lambda *_: faults, seconds, seats)["plays"] == words


def test_a_rare_fault_is_found(monkeypatch):
    found = examined(monkeypatch, lambda number, _: ["x"] if number == 7 else [])
    assert found["illegal"].endswith("(1 in 1 of 8 games)"), "300 answers are enough after a fault"


def test_options_that_were_not_tried_do_not_read_like_failures(monkeypatch):
    assert examined(monkeypatch)["options"] == "plays with other values of its options"
    tried = examined(monkeypatch, seconds=2.5)["options"]
    assert tried == "plays with other values of its options; tried 3 of 8, for lack of time"


@pytest.mark.parametrize(
    ("upset", "blamed"),
    [
        (lambda number, later: later, "illegal: a word of a later protocol upset it"),
        (lambda number, later: number >= 19, "in one of 20 games: an answer that was not among"),
        (lambda number, later: number == 19, "in one of 21 games: an answer that was not among"),
    ],
    ids=["with the words alone", "in the same game without them", "once"],
)
def test_words_of_a_later_protocol_are_blamed_only_if_the_fault_goes_away_without_them(
    monkeypatch, upset, blamed
):
    found = examined(monkeypatch, lambda number, later: ["x"] if upset(number, later) else [])
    assert found["words" if "later" in blamed else "illegal"].startswith(blamed)
    assert ("words" in found) == ("later" in blamed)


def test_illegal_answers_to_two_kinds_of_asks_are_two_findings(monkeypatch):
    found = findings(monkeypatch, lambda *_: ["a", "block"])
    first, second = (each for each in found if each.verdict == "fault")
    assert first.words == "an answer that was not among the options, to action (3 in 3 of 3 games)"
    assert second.words == "an answer that was not among the options, to block (3 in 3 of 3 games)"
    assert "! illegal: a" in first.details and "! illegal: block" in second.details
