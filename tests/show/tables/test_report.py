"""The tables as people and programs see them: every format, every width, every odd field of bots."""

import random
import re
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from outcomes import duel, luck, tcec
from shown_tables import Page, as_json, even, records, report, show, widths

from arena.rating import logit
from arena.rating.distributions import t_below
from arena.rating.outcomes import Outcome
from arena.rating.settings import Anchor, RatingSettings
from arena.rating.superiority import superiority
from arena.show.tables.explain import SECTIONS, explanation
from arena.show.tables.grid import WIDTH
from arena.show.tables.notes import FLAGS, WINS
from arena.show.tables.report import Report
from arena.show.tables.standings import COLUMNS
from arena.show.tables.table import counted
from arena.tournament.runs.csv import read_results
from arena.tournament.runs.sources import Source

MATRICES = ("los", "head-to-head", "difference", "expected")


# --- the page that explains


def test_the_page_has_every_column_and_every_flag():
    said = " ".join(explanation().split())
    for columns in SECTIONS.values():
        for column in columns:
            assert f"- `{column.heading or column.names}`" in said and column.meaning in said
    assert all(f"- `{flag}`: {FLAGS[flag]}" in said for flag in FLAGS)


@pytest.mark.parametrize("view", ["standings", "los", "seats", "changes", "opponents:a", "course:2"])
def test_the_page_names_every_key_of_csv_and_json(view):
    found = as_json(report(luck()), view)
    names = {*records(report(luck()), view)[0]} if found[view.partition(":")[0]] else set()
    # The meaning of what is not a column stands in the text
    for name in {*names, *found} - {
        "notes",
        *("changes", "course", "opponents", "los", "seats", "standings"),
    }:
        assert f"`{name}`" in explanation(), name


def test_the_page_fits_a_terminal():
    assert [line for line in explanation().splitlines() if len(line) > 100] == []


def test_the_example_of_the_page_is_what_the_table_says(tmp_path):
    example = explanation().partition("## An example")[2].partition("\n## ")[0]
    lines = [line.strip() for line in example.splitlines() if line.startswith("    ")]
    (tmp_path / "example.csv").write_text("\n".join(line for line in lines if "," in line))
    outcomes = read_results(tmp_path / "example.csv").outcomes
    table = show(report(outcomes, prior=0, average=0)).splitlines()
    assert [lines[-3], lines[-2], lines[-1]] == [table[0].rstrip(" -"), table[2], table[3]]
    ann, bob = report(outcomes, prior=0, average=0).rows
    assert (round(ann.elo - bob.elo, 2), round(ann.error, 1), round(ann.los, 3)) == (136.97, 154.0, 0.874)
    alone = [replace(outcome, group=str(number)) for number, outcome in enumerate(outcomes)]
    spread = report(alone, prior=0).field.ratings.spread[0, 1]
    assert round(float(spread), 1) == 130.9


# --- 80 columns


def aligned(shown: str) -> bool:
    """Whether no cell of the table crosses the gaps between the columns, as the dashes have them."""
    head, dashes, *rows = shown.splitlines()
    gaps = [place for place, letter in enumerate(dashes) if letter == " "]
    body = [line for line in (head, *rows) if not line.startswith(tuple(FLAGS))]
    return all(line[gap : gap + 1] in (" ", "") for line in body for gap in gaps)


def test_the_worst_numbers_fit_80_columns():
    """200 bots with names of 32 letters, a million games each, Elo of five digits, forfeits, all flags."""
    names = [f"{number:03}{'n' * 29}" for number in range(200)]
    whole = report([Outcome(("x", "y"), (1, 2), "1")])
    (row, _) = whole.rows
    worst = replace(
        row, elo=-12345.6, error=None, bound=-23456.7, los=1.0, games=1_000_000, groups=250_000, score=1.0,
        first=1.0, mean_place=10.0, opponents=-12345.6, forfeits={"late": 123_456},
        rank_range=(100, 200), flags="~?!C", unrated=None,
    )  # fmt: skip
    whole.__dict__["rows"] = [replace(worst, bot=name, rank=199) for name in names]
    shown = show(whole)
    assert max(widths(shown)) <= WIDTH and all(name in shown for name in names)
    assert aligned("\n".join(shown.splitlines()[:202]))
    assert "-12346" in shown and ">-23457" in shown and "123456" in shown
    assert max(widths(show(whole, "wide"))) > WIDTH


@pytest.mark.parametrize("letters", [1, 8, 20, 32, 60, 100, 300])
def test_long_names_fit_80_columns_whole(letters):
    names = [letter * letters for letter in "abc"]
    shown = show(report(even(names)))
    assert max(widths(shown)) <= WIDTH
    assert all(shown.count(letter) >= letters for letter in "abc")
    for kind in MATRICES:
        blocks = show(report(even(names)), kind)
        assert max(widths(blocks)) <= WIDTH and blocks.count("a") >= letters


@pytest.mark.parametrize("letters", [1, 100])
def test_nash_averages_fit_80_columns(letters):
    circle = report([duel(*pair, f"{number}") for number in range(40) for pair in rounds(letters)])
    shown = show(circle, "nash")
    assert max(widths(shown)) <= WIDTH and all(shown.count(letter) >= letters for letter in "xyz")
    assert "each pair met in 40 or more" in shown


def rounds(letters) -> list[tuple[str, str]]:
    """x beats y, y beats z, z beats x."""
    return [(one * letters, two * letters) for one, two in ("xy", "yz", "zx")]


def test_notes_are_wrapped():
    outcomes = even([f"bot{number}" for number in range(30)], 2) + even(["other", "pool"], 2)
    shown = show(report(outcomes, method="plackett-luce", prior=1, seats="fit", forfeits="exclude"))
    assert max(widths(shown)) <= WIDTH
    assert "not linked by any game: bot0, bot1" in shown and "other, pool" in shown


@pytest.mark.parametrize("kind", MATRICES)
def test_matrices_come_in_blocks_of_80_columns(kind):
    names = [f"a-bot-of-some-length-{number}" for number in range(40)]
    blocks = show(report(even(names, 2)), kind).split("\n\n")
    assert len(blocks) > 1 and max(widths("\n".join(blocks))) <= WIDTH
    columns = [number for block in blocks for number in block.splitlines()[0].split()[2:]]
    assert columns == [str(number) for number in range(1, 41)]
    assert all(len(block.splitlines()) == 42 for block in blocks)


def test_the_readme_table_has_its_plain_columns():
    names = [
        "#",
        "range",
        "bot",
        "Elo",
        "±95",
        "LOS",
        "games",
        "groups",
        "score",
        "1st",
        "net",
        "place",
        "forf",
    ]
    head = show(report(luck()), form="markdown").split("\n")[0]
    assert [cell.strip() for cell in head.split("|")[1:14]] == names
    assert "net" not in show(report(even("abc"))).split("\n")[0].split()
    wide = show(report(luck()), "wide").split("\n")[0].split()
    assert wide == [column.heading for column in COLUMNS.values() if column.heading not in ("", "direct")]


def test_the_standings_by_points():
    shown = show(report(luck(), order="points", points=(10, 6, 3)))
    head, _, *rows = shown.split("\n")
    assert head.split()[:6] == ["#", "bot", "points", "direct", "SB", "Buch"]
    points = [float(row.split()[2]) for row in rows[:6]]
    assert points == sorted(points, reverse=True) and "points for places: 10 6 3" in " ".join(shown.split())
    assert max(widths(shown)) <= WIDTH


def test_a_rank_by_points_says_nothing_of_superiority_nor_for_some_bots():
    made = report(luck(), order="points")
    for bots in [], ["a", "f"]:
        assert {row.los for row in replace(made, bots=bots).rows} == {None}


@pytest.mark.parametrize("wins, said", [(46, True), (26, False)])
def test_contests_of_wins_are_told_if_the_elo_has_another_order(wins, said):
    """The wild bot is first or last. The steady one is second, or shares the other wins with two more."""
    wild = [("wild", "steady", "x", "y")] * wins
    rest = [("steady", "x", "y", "wild"), ("x", "steady", "y", "wild"), ("y", "steady", "x", "wild")] * 25
    games = [Outcome(order, (1, 2, 3, 4), f"{n}") for n, order in enumerate([*wild, *rest[: 100 - wins]])]
    shown = report(games)
    assert shown.rows[0].bot == "steady" and (WINS in show(shown, form="markdown")) == said
    assert WINS not in show(report(games, method="winner"))


# --- pairs that the Elo does not explain


def test_the_notes_say_where_a_third_player_makes_the_difference():
    """Each of a and b beats the other if c sits there, resp. d; the others are equal."""
    games = []
    for number in range(60):
        for third, pair in ("c", "ab"), ("d", "ba"):
            order = [*pair] if number % 5 else [*reversed(pair)]
            order.insert(number % 3, third)
            games.append(Outcome(tuple(order), (1, 2, 3), f"{third} {number}"))
    said = show(report(games), form="markdown")
    assert "does not explain" not in said, "over all games the two are equal"
    assert (
        "the score of two bots depends on a third: a against b 80.0% with c at the table, 20.0% without"
        in said
    )


def test_the_notes_say_if_no_third_player_explains_a_pair():
    beats = {("a", "b"), ("b", "c"), ("c", "a")}
    games = [
        Outcome((*(pair if number % 4 else pair[::-1]), third), (1, 2, 3), f"{pair} {third} {number}")
        for pair in sorted(beats)
        for third in "de"
        for number in range(40)
    ]
    said = show(report(games), form="markdown")
    assert (
        "the Elo does not explain all scores, and depends on who plays: a against b 75.0%, 50.0% expected"
        in said
    )
    assert "no third player makes a sure difference to the score of two bots" in said
    assert "third" not in show(report(even("abc")), form="markdown")


# --- flags and notes


ROCK = [duel(*pair, f"{pair}{number}") for pair in ("rp", "ps", "sr") for number in range(30)]
PERFECT = [*even("abc"), *(duel("top", bot, f"+{bot}{group}") for bot in "abc" for group in range(12))]
ZERO = [*even("abc"), *(duel(bot, "end", f"-{bot}{group}") for bot in "abc" for group in range(12))]


@pytest.mark.parametrize(
    "outcomes, flags",
    [
        pytest.param(even("abc"), "", id="none"),
        pytest.param(PERFECT, ">~", id="perfect"),
        pytest.param(ZERO, "<~", id="zero"),
        pytest.param(even("ab", 10), "?", id="few"),
        pytest.param(even("abc") + even("xy"), "!", id="pools"),
        pytest.param(ROCK, "C", id="cycle"),
        pytest.param([duel("a", "b", f"{group}", tie=True) for group in range(40)], "~", id="all ties"),
        pytest.param([duel("a", "b", "1")], "><~?", id="one game"),
        pytest.param([Outcome(("a", "a"), (1, 2), "1")], "?", id="self-play"),
    ],
)
def test_flags_are_explained_only_when_they_occur(outcomes, flags):
    shown = " ".join(show(report(outcomes)).split())
    for flag, meaning in FLAGS.items():
        assert (meaning in shown) == (flag in flags)


def test_cycles_and_pools_are_named():
    shown = show(report([*ROCK, *even("xy")]))
    assert "cycles: p, r, s; test that one Elo per bot fits: p = " in shown
    assert "not linked by any game: p, r, s  |  x, y" in shown


def test_what_the_table_rests_on():
    outcomes = list(tcec())
    source = Source(outcomes, faults=9, voids=2, unfinished=3)
    last = show(Report(source, RatingSettings())).splitlines()[-1]
    assert last == "112 games in 56 seed groups, 9 faults, 2 void games; 3 games without a result"
    settings = RatingSettings(
        method="winner", prior=0, seats="fit", forfeits="exclude", anchor=Anchor("no", 1)
    )
    shown = show(Report(source, settings), form="markdown").splitlines()[-1]
    assert shown == (
        "105 games in 56 seed groups, 9 faults, 2 void games; winner; forfeits left out; seats fitted; "
        "prior 0; the anchor no has not played; 3 games without a result"
    )


def test_the_confidence_is_in_the_heading():
    assert "±99.9" in show(report(luck(), confidence=0.999))
    assert "±95" not in show(report(luck(), confidence=0.5))


def test_no_number_is_minus_nothing():
    outcomes = [duel(*pair, f"{number}") for number, pair in enumerate(["ab", "ba", "ab", "ba"] * 9)]
    whole = report([*outcomes, duel("a", "b", "more"), duel("b", "a", "more")], average=-0.2)
    assert "-0" not in show(whole).replace("-0.", "") + show(whole, "seats")


# --- everything never varies, or never happens


def test_where_nothing_varies_the_error_is_not_zero():
    """Forty ties are no proof that every game will be one."""
    ties = report([Outcome(("a", "b", "c"), (1, 1, 1), f"{group}") for group in range(40)])
    assert {row.flags for row in ties.rows} == {"~"} and all(row.error > 20 for row in ties.rows)
    halves = [Outcome((*pair,), (1, 2), f"{group}") for group in range(40) for pair in ("ab", "ba", "ab")]
    first, last = report(halves).rows
    assert first.flags == last.flags == "~" and first.error > 20 and 0.5 < first.los < 1
    assert {row.error for row in ties.field.seat_effects} == {None}


def test_the_anchor_has_no_bound():
    top, *others = report(PERFECT, anchor=Anchor("top", 1000)).rows
    assert (top.elo, top.error, top.bound) == (1000, 0, None)
    assert {row.flags for row in others} == {"~"}
    far = report(PERFECT, anchor=Anchor("a", 1e6)).rows[0]
    near = report(PERFECT, anchor=Anchor("a", 0)).rows[0]
    assert far.bound - near.bound == pytest.approx(1e6, abs=1e-3)


@pytest.mark.parametrize("outcomes", [[], [Outcome(("a", "a"), (1, 2), "1")], [duel("a", "b", "1")]])
def test_the_smallest_fields_have_every_table(outcomes):
    whole = report(outcomes)
    assert len(records(whole)) == len(as_json(whole)["standings"]) == len(whole.rows)
    both = counted(len(outcomes), "game"), counted(len(outcomes), "seed group")
    assert " in ".join(both) in show(whole)
    for view in (*MATRICES, "seats", "changes", "course"):
        assert show(whole, view) and show(whole, view, "csv") and as_json(whole, view)


def test_two_hundred_bots(tmp_path):
    names = [f"bot-{number}" for number in range(200)]
    outcomes = [
        Outcome(
            tuple(names[(start + step * turn) % 200] for turn in range(4)), (1, 2, 3, 4), f"{start} {step}"
        )
        for start in range(200)
        for step in (1, 7, 51)
    ]
    whole = report(outcomes)
    assert len(show(whole).splitlines()) > 202 and max(widths(show(whole))) <= WIDTH
    assert len(as_json(whole)["standings"]) == 200
    assert len(show(whole, "los", "csv").splitlines()) == 1 + 200 * 199


def test_a_race_of_forty_seats():
    names = tuple(f"car {number}" for number in range(40))
    grid = [(number * 7) % 40 for number in range(40)]
    outcomes = [
        Outcome(names[start:] + names[:start], tuple(1 + place for place in grid), str(start))
        for start in range(0, 40, 3)
    ]
    assert "p40" in show(report(outcomes), "seats") and len(show(report(outcomes)).splitlines()) > 42


def test_every_heading_of_the_page_leads_to_its_meaning():
    shown = Page(show(report(luck()), "wide", "html"))
    assert len(shown.ids) == len(set(shown.ids)) == len(COLUMNS) - 2
    assert [link.removeprefix("#") for link in shown.links] == shown.ids
    found = [column.definition for column in COLUMNS.values() if column.heading not in ("", "direct")]
    assert shown.titles == found


def test_the_page_needs_nothing_from_elsewhere():
    shown = show(report(luck()), form="html")
    assert shown.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?:|//|src=|@import|url\(", shown.partition("<pre")[0])


# --- the same numbers everywhere


def test_csv_and_json_agree():
    whole = report(luck())
    for row, words in zip(as_json(whole)["standings"], records(whole), strict=True):
        assert list(row) == list(words)
        for key, word in words.items():
            value = row[key]
            if value is None:
                assert word == ""
            elif isinstance(value, int | float):
                assert float(word) == value
        assert words["rank_range"] == "-".join(map(str, row["rank_range"]))
        assert words["forfeits"] == " ".join(f"{kind}:{count}" for kind, count in row["forfeits"].items())


def test_json_keeps_a_hundredth_of_an_elo():
    for row, exact in zip(as_json(report(luck()))["standings"], report(luck()).rows, strict=True):
        assert row["elo"] == pytest.approx(exact.elo, abs=1e-4)
        assert row["error"] == pytest.approx(exact.error, abs=1e-4)


def test_matrices_have_the_numbers_of_all_pairs():
    """The likelihoods of a pair add up to 1, its points to the meetings; differences are those of the Elo."""
    whole = report(luck())
    elo = {row["bot"]: row["elo"] for row in as_json(whole)["standings"]}
    found = {kind: as_json(whole, kind)[kind] for kind in MATRICES}
    values = {(kind, row["bot"], row["opponent"]): row for kind, rows in found.items() for row in rows}
    for one, two in permutations(elo, 2):
        los, points, difference, expected = (values[kind, one, two] for kind in MATRICES)
        back = [values[kind, two, one] for kind in MATRICES]
        assert los["los"] + back[0]["los"] == pytest.approx(1, abs=2e-6)
        assert points["points"] + back[1]["points"] == points["meetings"] == back[1]["meetings"]
        assert difference["difference"] == pytest.approx(elo[one] - elo[two], abs=2e-4)
        assert difference["error"] == back[2]["error"]
        assert expected["expected"] == pytest.approx(1 / (1 + 10 ** ((elo[two] - elo[one]) / 400)), abs=1e-6)
    assert all(len(rows) == 30 for rows in found.values())
    for row, following in pairwise(whole.rows):
        assert values["los", row.bot, following.bot]["los"] == pytest.approx(row.los, abs=1e-6)
    shown = show(whole, "head-to-head").splitlines()[2].split()
    assert shown[:3] == ["1", "f", "{points:g}/{meetings:.0f}".format(**values["head-to-head", "f", "e"])]


def test_opponents_seats_and_versions_have_the_numbers_of_the_games():
    """Counted here again from the places."""
    whole, games = report(luck()), list(luck())
    against = {row["bot"]: row for row in as_json(whole, "opponents:b")["opponents"]}
    for other in "acdef":
        pairs = [
            (one, two)
            for game in games
            for one, bot in zip(game.places, game.bots, strict=True)
            for two, rival in zip(game.places, game.bots, strict=True)
            if (bot, rival) == ("b", other)
        ]
        score = sum((one < two) + (one == two) / 2 for one, two in pairs) / len(pairs)
        assert (against[other]["meetings"], against[other]["score"]) == (
            len(pairs),
            pytest.approx(score, abs=1e-6),
        )
    assert against[""]["meetings"] == sum(against[other]["meetings"] for other in "acdef")
    seats = {(row["size"], row["seat"]): row for row in as_json(whole, "seats")["seats"]}
    for (size, seat), row in seats.items():
        places = [game.places for game in games if len(game.places) == size]
        firsts = [each[seat - 1] == 1 and each != (1, 1) for each in places]
        assert (row["games"], row["first"]) == (
            len(places),
            pytest.approx(sum(firsts) / len(places), abs=1e-6),
        )
    assert sum(row["elo"] for (size, _), row in seats.items() if size == 4) == pytest.approx(0, abs=1e-3)


def test_chosen_bots_keep_their_numbers_but_look_at_the_next_one_shown():
    whole, some = report(luck()), report(luck(), bots=("f", "d", "a"))
    rows = {row.bot: row for row in whole.rows}
    assert [row.bot for row in some.rows] == [row.bot for row in whole.rows if row.bot in "fda"]
    assert [replace(row, los=None) for row in some.rows] == [
        replace(rows[row.bot], los=None) for row in some.rows
    ]
    los = {(row["bot"], row["opponent"]): row["los"] for row in as_json(whole, "los")["los"]}
    first, second, last = (row.bot for row in some.rows)
    assert [row.los and round(row.los, 6) for row in some.rows] == [
        los[first, second], los[second, last], None,
    ]  # fmt: skip
    assert {(row["bot"], row["opponent"]) for row in as_json(some, "los")["los"]} == {*permutations("fda", 2)}
    assert [row["bot"] for row in as_json(some, "opponents:b")["opponents"]] == [first, second, last]


def test_a_fit_that_did_not_converge_is_said(monkeypatch):
    assert as_json(report(luck()))["converged"] and "converge" not in show(report(luck()))
    monkeypatch.setattr(logit, "STEPS", 4)
    assert not as_json(report(luck()))["converged"]
    assert "the fit of the Elo did not converge" in " ".join(show(report(luck())).split())


def test_what_ranges_and_likelihoods_assume_is_said():
    plain = show(report(luck()))
    assert "pairwise" not in plain
    pairwise = " ".join(show(report(luck(), ranges="pairwise")).split())
    assert "ranges pairwise: each comparison holds by itself, not all together" in pairwise
    assert as_json(report(luck()))["settings"]["ranges"] == "simultaneous"


def verdict(outcomes, **settings) -> str:
    return " ".join(as_json(report(outcomes, **settings))["notes"][0].split())


def matches(one, two, games, won):
    return [duel(*((one, two) if n < won else (two, one)), f"{one}{two}{n}") for n in range(games)]


def test_one_sentence_says_who_is_surely_better_and_what_would_separate_the_first_two():
    ladder = [*matches("a", "b", 60, 50), *matches("b", "c", 60, 50), *matches("a", "c", 60, 58)]
    assert verdict(ladder) == "Surely better (95 %): a than b and all below; b than c."
    close = [*matches("a", "b", 60, 33), *matches("b", "c", 60, 55), *matches("a", "c", 60, 55)]
    found = verdict(close)
    assert found.startswith("Surely better (95 %): a and b than c. About ")
    more = int(found.partition("About ")[2].split()[0].replace(",", ""))
    again = [
        replace(game, group=f"{game.group} {k}") for k in range(1 + -(-more // 180) + 1) for game in close
    ]
    assert verdict(again).startswith("Surely better (95 %): a than b and all below"), "the same results again"
    few = again[: 180 * (1 + more // 540)]
    assert verdict(few).startswith("Surely better (95 %): a and b than c."), "a third of them does not"


def test_equal_bots_are_said_to_be_perhaps_equal():
    even_games = matches("a", "b", 60, 30)
    assert verdict(even_games) == (
        "Surely better (95 %): no bot than another. "
        "a and b may be equal: 100 times as many seed groups would not tell them apart."
    )
    assert not as_json(report([duel("a", "b", "1")]))["notes"][0].startswith("Surely")


def flat_likelihoods(found):
    """The likelihoods of superiority as if all strengths had been equally likely before the games."""
    ratings = found.field.ratings
    apart = ratings.elo[:, None] - ratings.elo
    return t_below(apart / np.maximum(ratings.spread, 1e-6), ratings.spread_freedom)


def test_the_likelihood_of_a_leader_of_close_bots_is_shrunk():
    rng = random.Random(3)
    games = [
        duel(*rng.sample("abcdefgh", 2), f"{number}") for number in range(200)
    ]  # all are equal, so the leader leads by luck
    close = report(games)
    shrunk = max(row["los"] for row in as_json(close, "los")["los"])
    assert 0.5 <= as_json(close)["standings"][0]["los"] <= shrunk < 0.8 < 0.9 < flat_likelihoods(close).max()
    far = [*matches("a", "b", 99, 80), *matches("b", "c", 99, 80), *matches("c", "d", 99, 80)]
    wide = report(far)
    np.testing.assert_allclose(superiority(wide.field.ratings), flat_likelihoods(wide), atol=0.01)


def test_a_misfit_without_a_cycle_is_said():
    """Stronger bots win less often than they should against the weakest one, but there is no cycle."""
    games = []
    for pair, wins in ("ab", 36), ("bc", 36), ("ac", 21), ("cd", 36), ("bd", 22), ("ad", 21):
        games += [duel(*(pair if number < wins else pair[::-1]), f"{pair}{number}") for number in range(40)]
    found = report(games)
    assert not found.field.transitivity.cycles and found.field.transitivity.probability < 0.01
    assert "one Elo per bot does not explain the games of two" in show(found)
    assert "one Elo" not in show(report(even("abcd")))


def test_a_prior_that_was_replaced_is_said():
    shown = report(PERFECT, prior=0)
    assert "prior 0.5 instead of 0" in show(shown) and as_json(shown)["prior_replaced"]
    possible = report(even("abc"), prior=0)
    assert "instead" not in show(possible) and "prior 0" in show(possible)
    assert not as_json(possible)["prior_replaced"]


def test_methods_that_are_not_comparable_are_named():
    assert "not comparable" in " ".join(show(report(luck(), method="winner")).split())
    assert "not comparable with Elo" not in show(report(even("abc"), method="winner"))
    assert "not comparable with Elo" not in show(report(luck()))


def test_pools_stand_in_blocks_with_ranks_of_their_own():
    shown = report([*even("xyz"), *even("abcd")])
    assert "".join(row.bot for row in shown.rows) in ("abcdxyz",)
    assert [row.rank for row in shown.rows] == [1] * 7
    assert {row.rank_range for row in shown.rows} == {(1, 4), (1, 3)}
    assert show(shown).splitlines()[6].strip() == "" and show(shown).splitlines()[7].split()[2] == "x"
    assert "" not in show(shown, form="markdown").split("\n\n")[0].splitlines()


def test_a_draw_of_two_is_not_a_first_place():
    rows = report(
        [duel("a", "b", "1", tie=True), duel("a", "b", "2"), Outcome(("a", "b", "c"), (1, 1, 3), "3")]
    )
    assert {row.bot: row.first for row in rows.rows} == {"a": 2 / 3, "b": 1 / 3, "c": 0}
    assert [seat.first for seat in rows.field.seat_effects] == [1 / 2, 0, 1, 1, 0]
