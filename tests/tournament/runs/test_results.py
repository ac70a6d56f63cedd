"""Results from elsewhere: CSV and PGN files that are read, and those that are refused in one clear line."""

from dataclasses import replace
from functools import partial
from itertools import groupby

import pytest
from outcomes import luck, table, tcec
from result_files import game, refusal, to_csv, write_results

from arena.rating.outcomes import Outcome
from arena.rating.rows import standings as rows_of
from arena.rating.settings import RatingSettings
from arena.rating.standings import rate_all
from arena.show.tables.standings import EXACT
from arena.show.tables.table import Table
from arena.tournament.runs.csv import COLUMNS, FileResults, read_results

OTHER = "; number its seats in a column seat, or give another game another name"
HEADER = ",".join(COLUMNS) + "\n"


@pytest.fixture
def write(tmp_path):
    return partial(write_results, tmp_path)


# --- CSV


ONE = Outcome(("a", "b", "c", "d"), (1, 2, 2, 4), "g", {3: "forfeit"})
ROWS = ["7,g,1,a,1,ok", "7,g,2,b,2,", "7,g,3,c,2,ok", "7,g,4,d,4,forfeit"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HEADER + "\n".join(ROWS), id="as documented"),
        pytest.param(HEADER + "\n".join(reversed(ROWS)) + "\n\n", id="rows in another order"),
        pytest.param("\ufeff" + HEADER + "\r\n".join(ROWS) + "\r\n", id="byte order mark, CRLF"),
        pytest.param((HEADER + "\n".join(ROWS)).replace(",", ";"), id="semicolons"),
        pytest.param((HEADER + "\n".join(ROWS)).replace(",", "\t"), id="tabs"),
        pytest.param((HEADER + "\n".join(ROWS)).replace(",", " , "), id="spaces"),
        pytest.param(
            "Game,BOT,place,Group,status\n7,a,1,g,\n7,b,2,g,\n7,c,2,g,\n7,d,4,g,forfeit", id="no seats"
        ),
        pytest.param(
            HEADER + "7,g,p2,b,5,\n7,g,p4,d,9,forfeit\n7,g,p1,a,3,\n7,g,p3,c,5,", id="p1, any ranks"
        ),
        pytest.param(HEADER + "\n".join(ROWS).replace(",4,forfeit", ",3,forfeit"), id="dense ranks"),
        pytest.param(HEADER + "\n".join(ROWS).replace(",a,", ',"a",'), id="quoted"),
    ],
)
def test_a_game_however_it_is_written(write, text):
    assert read_results(write(text)) == FileResults((ONE,))


def test_games_may_be_mixed_and_stand_in_the_order_of_their_first_rows(write):
    path = write("game,seat,bot,place\n2,1,x,1\n1,1,a,2\n2,2,y,2\n1,2,b,1\n")
    games = (Outcome(("x", "y"), (1, 2), f"{path}: game 2"), Outcome(("a", "b"), (2, 1), f"{path}: game 1"))
    assert read_results(path) == FileResults(games, ungrouped=2)


def test_a_game_without_a_group_is_one(write):
    path = write("game,group,bot,place\n1,,a,1\n1,,b,2\n2,1,a,1\n2,1,b,2\n3,1,b,1\n3,1,a,1\n")
    found = read_results(path)
    assert [game.group for game in found.outcomes] == [f"{path}: game 1", "1", "1"]
    assert (found.ungrouped, found.repeats) == (1, False)


def test_line_ups_repeat_in_any_order_of_seats_and_only_in_games_that_count(write):
    assert read_results(write("game,bot,place\n1,a,1\n1,b,2\n2,b,1\n2,a,2\n")).repeats
    assert not read_results(write("game,bot,place\n1,a,1\n1,b,2\n2,a,1\n2,c,2\n")).repeats
    void = read_results(write("game,bot,place,status\n1,a,1,\n1,b,2,\n2,b,1,void\n2,a,2,\n"))
    assert (void.ungrouped, void.repeats, void.void) == (1, False, 1)


def test_all_seats_of_a_game_may_forfeit(write):
    (game,) = read_results(write(HEADER + "1,,1,a,1,forfeit\n1,,2,b,1,forfeit\n")).outcomes
    assert game.places == (1, 1) and set(game.forfeits) == {0, 1}


def test_a_void_game_takes_its_group_with_it(write):
    void = "1,x,1,a,1,\n1,x,2,b,2,void\n2,x,1,b,1,\n2,x,2,a,2,\n3,,1,a,1,void\n3,,2,b,1,\n"
    path = write(HEADER + void + "4,y,1,a,1,\n4,y,2,b,2,forfeit\n")
    assert read_results(path) == FileResults((Outcome(("a", "b"), (1, 2), "y", {1: "forfeit"}),), void=3)
    assert read_results(write(HEADER + void)) == FileResults((), void=3)


def test_a_bot_may_sit_twice(write):
    assert read_results(write("game,bot,place\n1,a,1\n1,a,2\n")).outcomes[0].bots == ("a", "a")


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "1: should start with a header such as game,group,seat,bot,place,status"),
        ("\n1,a,1\n", "1: should start with a header such as game,group,seat,bot,place,status"),
        (HEADER, "has no games"),
        ("1,g,1,a,1,ok\n", "1: unknown column '1'; known are game, group, seat, bot, place, status"),
        ("game,bot,palce\n", "1: unknown column 'palce'; did you mean place?"),
        (
            "game,bot\n",
            "1: the column place is missing; a header looks like game,group,seat,bot,place,status",
        ),
        ("game,bot,place,bot\n", "1: the column bot appears twice"),
        (
            "game|bot|place\n",
            "1: unknown column 'game|bot|place'; known are game, group, seat, bot, place, status",
        ),
        ("game,bot,place\n1,a\n", "2: should have 3 columns, like the header, not 2"),
        ("game,bot,place\n1,a,1,\n", "2: should have 3 columns, like the header, not 4"),
        ("game,bot,place\n1,a,1\n\n1,b,2nd\n", "4: place: should be a whole number from 1 up, not '2nd'"),
        ("game,bot,place\n1,a,0\n", "2: place: should be a whole number from 1 up, not '0'"),
        ("game,bot,place\n1,a,-1\n", "2: place: should be a whole number from 1 up, not '-1'"),
        ("game,bot,place\n1,a,1.0\n", "2: place: should be a whole number from 1 up, not '1.0'"),
        ("game,bot,place\n1,a,²\n", "2: place: should be a whole number from 1 up, not '²'"),
        (
            f"game,bot,place\n1,a,{'9' * 11}\n",
            f"2: place: should be a whole number from 1 up, not '{'9' * 11}'",
        ),
        ("game,bot,place\n1,a,\n", "2: place: should be a whole number from 1 up, not ''"),
        ("game,bot,place\n1,,1\n", "2: bot: should be a name, not ''"),
        ("game,bot,place\n1,\x1b[2J,1\n", "2: bot: should be a name, not '\\x1b[2J'"),
        ("game,bot,place\n ,a,1\n", "2: game: should be a name or number"),
        ('game,bot,place\n1,"a"b,1\n', "2: not CSV: ',' expected after '\"'"),
        ('game,bot,place\n1,"a,1\n', "2: not CSV: unexpected end of data"),
        (HEADER + "1,,0,a,1,\n", "2: seat: should be a whole number from 1 to 64, not '0'"),
        (HEADER + "1,,,a,1,\n", "2: seat: should be a whole number from 1 to 64, not ''"),
        (HEADER + "1,,p65,a,1,\n", "2: seat: should be a whole number from 1 to 64, not '65'"),
        (
            HEADER + "1,,1,a,1,\n1,,1,b,2,\n",
            "3: seat: game 1 has seat 1 twice; give another game another name",
        ),
        (
            "game,bot,place\n1,a,1\n1,b,2\n2,a,1\n2,b,2\n1,a,1\n1,b,2\n2,b,1\n2,a,2\n",
            f"6: game: the rows of game 1 are not together{OTHER}",
        ),
        ("game,bot,place\n1,a,1\n1,b,2\n1,a,2\n1,b,1\n", f"2: game: game 1 has the bot a twice{OTHER}"),
        (
            "game,bot,place\n1,a,1\n2,a,1\n1,b,2\n2,b,2\n",
            f"4: game: the rows of game 1 are not together{OTHER}",
        ),
        (HEADER + "1,,1,a,1,\n1,,3,b,2,\n", "3: seat: game 1 has no seat 2"),
        (HEADER + "1,,2,a,1,\n1,,3,b,2,\n", "3: seat: game 1 has no seat 1"),
        (HEADER + "1,,1,a,1,lost\n", "2: status: unknown status 'lost'; known are ok, forfeit, void"),
        (HEADER + "1,,1,a,1,forfiet\n", "2: status: unknown status 'forfiet'; did you mean forfeit?"),
        (HEADER + "1,x,1,a,1,\n1,y,2,b,2,\n", "3: group: game 1 is in 'x' on line 2 and in 'y' here"),
        ("game,bot,place\n1,a,1\n2,a,1\n2,b,2\n", "2: game 1 has only one seat"),
        (
            HEADER + "1,,2,b,2,ok\n1,,1,a,1,forfeit\n",
            "3: place: a forfeits, so its place should be behind those of the bots that do not, not 1",
        ),
        (
            "game,bot,place,status\n1,a,7,\n1,b,7,forfeit\n1,c,9,\n",
            "3: place: b forfeits, so its place should be behind those of the bots that do not, not 7",
        ),
        ("game,bot,place\n" + "1,a,1\n" * 65, "66: game 1 has more than 64 seats"),
    ],
)
def test_bad_csv(write, text, message):
    assert refusal(write(text)) == message


def test_files_that_are_no_results(write, tmp_path):
    assert refusal(tmp_path / "none.csv") == "no such file"
    assert refusal(tmp_path / "none.pgn") == "no such file"
    assert refusal(write("", "games.txt")) == "the name of a file with results should end in .csv or .pgn"
    assert refusal(write("", "games.pgn")) == "has no games"
    assert refusal(write(HEADER + "1,,1,Zoë,1,", encoding="latin-1")) == "2: not UTF-8 text"
    assert refusal(write(HEADER, encoding="utf-16")) == "1: not UTF-8 text"
    (tmp_path / "folder.csv").mkdir()
    assert refusal(tmp_path / "folder.csv") == "cannot be read: Is a directory"


def nameless(outcome):
    """The outcome as CSV has it: a forfeit, not the fault that did it."""
    return replace(outcome, forfeits=dict.fromkeys(outcome.forfeits, "forfeit"))


def test_outcomes_come_back_from_csv(write):
    outcomes = [*luck(), Outcome(('odd, "bot"; \u00e9', "a"), (2, 1), "1")]
    assert read_results(write(to_csv(outcomes), "GAMES.CSV")) == FileResults(tuple(map(nameless, outcomes)))


# --- real games


def tcec_pgn():
    results = {"1": "1-0", "0.5": "1/2-1/2", "0": "0-1"}
    for number, row in enumerate(table("tcec_s12_div4/games.csv")):
        ending = "time forfeit" if row["status"] == "forfeit" else "adjudication"
        tags = {"Round": f"{number // 4 + 1}.{number % 4 + 1}", "Termination": ending}
        yield game(row["seat0"], row["seat1"], results[row["score0"]], **tags)


def partition(outcomes):
    """The numbers of the games of each group."""
    numbered = sorted((game.group, number) for number, game in enumerate(outcomes))
    return sorted([number for _, number in of] for _, of in groupby(numbered, key=lambda pair: pair[0]))


def test_tcec_is_the_same_from_csv_and_pgn_and_to_ordo(write):
    expected = [nameless(outcome) for outcome in tcec()]
    for path in write(to_csv(expected)), write("".join(tcec_pgn()), "games.pgn"):
        outcomes = read_results(path).outcomes
        assert partition(outcomes) == partition(expected)
        shown, same = (
            [*Table("standings", EXACT, rows_of(rate_all(each, RatingSettings()))).records()]
            for each in (outcomes, expected)
        )
        assert shown == same
        ordo = {row["PLAYER"]: float(row["RATING"]) for row in table("tcec_s12_div4/ordo_basic.csv")}
        elo = {row.bot: row.elo for row in rows_of(rate_all(outcomes, RatingSettings(average=0, prior=0)))}
        assert elo == pytest.approx(ordo, abs=1e-3)
