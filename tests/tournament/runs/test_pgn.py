"""Results in PGN files, however other programs write them: all games are read, or a line is named."""

import re
from random import Random

import pytest
from result_files import game, refusal, write_results

from arena.rating.outcomes import Outcome
from arena.tournament.runs.csv import FileResults, read_results


@pytest.mark.parametrize("result, places", [("1-0", (1, 2)), ("0-1", (2, 1)), ("1/2-1/2", (1, 1))])
def test_a_chess_game(tmp_path, result, places):
    path = write_results(tmp_path, game("A", "B", result), "games.pgn")
    assert read_results(path) == FileResults((Outcome(("A", "B"), places, f"{path}:1"),))


def test_games_without_a_result_are_counted(tmp_path):
    path = write_results(
        tmp_path, game("A", "B", "*") + game("A", "B", "1-0") + game("B", "A", "*"), "games.pgn"
    )
    results = read_results(path)
    assert (len(results.outcomes), results.unfinished) == (1, 2)
    assert results.outcomes[0].group == f"{path}:9"


@pytest.mark.parametrize(
    "termination, result, forfeits",
    [
        ("time forfeit", "1-0", {1}),  # the standard, cutechess, fastchess
        ("time forfeit", "0-1", {0}),
        ("Time forfeit", "1/2-1/2", set()),  # Lichess: the other could not have won
        ("abandoned", "1-0", {1}),
        ("rules infraction", "0-1", {0}),
        ("illegal move", "1-0", {1}),  # cutechess, fastchess
        ("stalled connection", "1-0", {1}),
        ("Fritz won on time", "1-0", {1}),  # chess.com
        ("Fritz won - game abandoned", "1-0", {1}),
        ("Fritz won by resignation", "1-0", set()),
        ("Timeout won by resignation", "1-0", set()),
        ("time", "1-0", {1}),  # older TCEC
        ("timeout", "0-1", {0}),
        ("disconnect", "1-0", {1}),
        ("forfeit", "1-0", {1}),
        ("Black disconnects", "1-0", {1}),
        ("White's connection stalls", "0-1", {0}),
        ("Black makes an illegal move: e2e9", "1-0", {1}),
        ("Black loses on time.", "1-0", {1}),
        ("TIME_FORFEIT", "1-0", {1}),
        ("ILLEGAL_MOVE", "1-0", {1}),
        ("White crashed", "0-1", {0}),
        ("Game drawn by timeout vs insufficient material", "1/2-1/2", set()),
        ("TCEC win rule", "1-0", set()),
        ("1-0 by adjudication, 40 moves in time", "1-0", set()),
        ("normal", "1-0", set()),
        ("adjudication", "0-1", set()),
        ("unterminated", "1-0", set()),
        ("death", "1-0", set()),
    ],
)
def test_forfeits_of_the_loser(tmp_path, termination, result, forfeits):
    for tags in {"Termination": termination}, {"Termination": "normal", "terminationDetails": termination}:
        (outcome,) = read(tmp_path, game("Fritz", "B", result, **tags)).outcomes
        assert outcome.forfeits.keys() == forfeits


def read(folder, text):
    return read_results(write_results(folder, text, "games.pgn"))


FEN = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize(
    "games, together",
    [
        pytest.param(
            [
                ("A", "B", "1"),
                ("C", "D", "1"),
                ("B", "A", "1"),
                ("A", "B", "2"),
                ("B", "A", "2"),
                ("D", "C", "1"),
            ],
            [0, 1, 0, 3, 3, 1],
            id="cutechess -games 2 -repeat: the round of a pair",
        ),
        pytest.param(
            [("A", "B", "1"), ("A", "B", "2"), ("B", "A", "2"), ("B", "A", "1")],
            [0, 1, 1, 0],
            id="fastchess: rounds as they finish",
        ),
        pytest.param(
            [("A", "B", "1.1"), ("B", "A", "1.2"), ("A", "B", "2.1"), ("B", "A", "2.2")],
            [0, 0, 2, 2],
            id="games of a round",
        ),
        pytest.param(
            [("A", "B", "1.1"), ("C", "D", "1.2"), ("B", "A", "2.1"), ("A", "B", "3.1"), ("B", "A", "4.1")],
            [0, 1, 0, 3, 3],
            id="TCEC: each game in its own round",
        ),
        pytest.param(
            [("A", "B", "1"), ("B", "A", "1"), ("A", "B", "1"), ("B", "A", "1")],
            [0, 0, 2, 2],
            id="cutechess -games 4: all in round 1",
        ),
        pytest.param(
            [("A", "B", "?", FEN), ("A", "B", "?"), ("B", "A", "?"), ("B", "A", "?", FEN)],
            [0, 1, 1, 0],
            id="openings in FEN",
        ),
        pytest.param([("A", "B", "1", FEN), ("B", "A", "1")], [0, 1], id="two openings are never one group"),
        pytest.param(
            [("A", "B", "1"), ("A", "B", "1"), ("A", "B", "2")], [0, 1, 2], id="colours not swapped"
        ),
        pytest.param([("A", "B"), ("C", "A"), ("B", "C")], [0, 1, 2], id="everybody once"),
        pytest.param([("A", "A", "1"), ("A", "A", "1"), ("A", "A", "1")], [0, 0, 2], id="against itself"),
    ],
)
def test_the_two_games_of_an_opening_are_a_group(tmp_path, games, together):
    texts = [
        game(white, black, "1-0", **dict(zip(("Round", "FEN"), rest, strict=False)))
        for white, black, *rest in games
    ]
    groups = [
        outcome.group
        for outcome in read_results(write_results(tmp_path, "".join(texts), "games.pgn")).outcomes
    ]
    assert [groups.index(group) for group in groups] == together


CUTECHESS = """[Event "My Tournament"]
[Site "?"]
[Date "2024.09.14"]
[Round "1"]
[White "dev"]
[Black "base"]
[Result "0-1"]
[FEN "rnbq1knr/pp3ppp/4p3/2bpP3/5BQ1/2N5/PPP2PPP/R3KBNR w KQ - 0 1"]
[SetUp "1"]
[Termination "stalled connection"]
[TimeControl "3.37+0.03"]

1. Na4 {+0.60 10/0 189 246501} Bb6 {-0.62 12/0 191 361829; [White "x"]}
; [White "not a header"]
% [Black "nor this"]
2. Nf3 {White's connection
stalls

[Result "1-0"]} 0-1

"""


def test_headers_count_only_at_the_head(tmp_path):
    """Comments hold anything, blank lines too; a variant or a bad position does not matter."""
    odd = game("base", "dev", "1-0", moves="", Variant="nonsense", FEN="nonsense", SetUp="1")
    path = write_results(tmp_path, "\n\n" + CUTECHESS.replace("\n", "\r\n") + odd, "games.pgn")
    assert read_results(path).outcomes == (
        Outcome(("dev", "base"), (2, 1), f"{path}:3", {0: "forfeit"}),
        Outcome(("base", "dev"), (1, 2), f"{path}:23"),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_the_text_is_utf_8_or_latin_1(tmp_path, encoding):
    path = write_results(tmp_path, game("Zoë", "B", "1-0"), "games.pgn", encoding)
    assert read_results(path).outcomes[0].bots == ("Zoë", "B")


TWICE = "; moves, a result or an empty line should end each game"
GOOD = game("A", "B", "1-0")  # 8 lines


@pytest.mark.parametrize(
    "text, message",
    [
        (game("", "B", "1-0"), '3: the game should name its White player, as in [White "Fritz"]'),
        (GOOD + game("A", "?", "1-0"), '12: the game should name its Black player, as in [Black "Fritz"]'),
        ('[Black "B"]\n\n1. e4 1-0\n', '1: the game should name its White player, as in [White "Fritz"]'),
        (GOOD + "no game\n", '9: text without tags before it; a game begins as in [White "Fritz"]'),
        (GOOD + "1. e4 1-0\n", '9: text without tags before it; a game begins as in [White "Fritz"]'),
        ("1. e4 1-0\n", '1: text without tags before it; a game begins as in [White "Fritz"]'),
        (game("A\x1b[2J", "B", "1-0"), "3: White should be a name, not 'A\\x1b[2J'"),
        (game("A\0B", "B", "1-0"), "3: White should be a name, not 'A\\x00B'"),
        (
            GOOD + "\n\n" + game("A", "B", "1-1"),
            "15: Result should be 1-0, 0-1, 1/2-1/2, 0-0 or *, not '1-1'",
        ),
        (
            '[White "A"]\n[White "B"]\n[Black "B"]\n[Result "1-0"]\n',
            f"2: White is 'A' in line 1 of the same game{TWICE}",
        ),
        (
            '[White "A"]\n[Black "B"]\n[Result "1-0"]\n[Result "0-1"]\n\n1. e4 0-1\n',
            f"4: Result is '1-0' in line 3 of the same game{TWICE}",
        ),
        ('[White Ann]\n[Black "B"]\n', '1: the tag White should be written as in [White "Fritz"]'),
        ("[White 'Ann']\n", '1: the tag White should be written as in [White "Fritz"]'),
        ('[White "Ann]\n[Black "B"]\n', '1: the tag White should be written as in [White "Fritz"]'),
        ('[Site "x]\n[Site "y] [White "A"] [Black "B"]\n', '2: the tag Site has no "] at its end'),
        ('[White "An[Event "x"]\n', '1: the tag White has no "] at its end'),
        ('[Site "x\ny\n\n[White "A"]\n', '1: the tag has no "] at its end'),
        (
            game("A", "B", "1-0", moves="1. e4 {not closed") + GOOD,
            "7: the comment should end with } before the tags in line 11",
        ),
    ],
)
def test_bad_pgn(tmp_path, text, message):
    assert refusal(write_results(tmp_path, text, "games.pgn")) == message


# --- other programs


def players_of(results):
    return [each.bots for each in results.outcomes]


@pytest.mark.parametrize("gap", ["", "\n", "\n\n"], ids=["no empty line", "one", "two"])
@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2"])
def test_no_empty_line_is_needed_between_or_in_games(tmp_path, gap, result):
    texts = [game("A", "B", result), game("B", "A", result), game("A", "C", result)]
    text = "".join(texts).replace("\n\n", f"\n{gap}")
    assert players_of(read(tmp_path, text)) == [("A", "B"), ("B", "A"), ("A", "C")]


@pytest.mark.parametrize("gap", ["", "\n"], ids=["no empty line", "empty lines"])
def test_games_without_moves(tmp_path, gap):
    """With other tags in each, and with a tag that is repeated."""
    head = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n[ECO "A00"]\n[ECO "A01"]\n'
    text = head + gap + '[White "B"]\n[Black "A"]\n[Result "1-0"]\n' + gap + head
    assert players_of(read(tmp_path, text)) == [("A", "B"), ("B", "A"), ("A", "B")]


@pytest.mark.parametrize(
    "head",
    [
        '[White "Ann"] [WhiteElo "2000"]\n[Black "Bob"][Result "1-0"]\n',
        '[White\n"Ann"]\n[Black "Bob"\n]\n[Result "1-0"]\n',
        '[white "Ann"]\n[BLACK "Bob"]\n[rEsult "1-0"]\n',
        '[ White "Ann" ]\n[Black   "Bob"]   \n\t[Result"1-0"]\n',
        '[White: "Ann"]\n[Black="Bob"]\n[Result "1-0"]\n',
        '[White "Ann"]\n\n[Black "Bob"]\n\n[Result "1-0"]\n',
        '[White "Ann"]\n{a comment\n\n}[Black "Bob"]\n; another\n[Result "1-0"]\n% escape\n',
        '[White "  Ann "]\n[Black "Bob\t"]\n[Result " 1-0 "]\n',
        '[White "Ann"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n[Result "1-0"]\n',
        '[Annotator "not closed]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n[Site no quotes]\n',
        '[Site "C:\\games\\"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n',
        '[Event "the "big" match"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n',
        '[White "Ann"]\n[Black "Bob"]\n',
        '[White "Ann"]\n[Black "Bob"]\n[Result "?"]\n',
        '[White "Ann"]\n[Black "Bob"]\n[Result "*"]\n',
        '\ufeff[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n',
    ],
)
def test_tags_however_they_are_written(tmp_path, head):
    text = head + "\n1. e4 e5 1-0\n"
    found = read(tmp_path, text * 3 + game("Bob", "Ann", "0-1") + "\x1a\0\0")
    assert players_of(found) == [("Ann", "Bob")] * 3 + [("Bob", "Ann")]
    assert [each.places for each in found.outcomes] == [(1, 2)] * 3 + [(2, 1)]


@pytest.mark.parametrize(
    "written, name",
    [
        (r"Ann \"the\" 1.0", 'Ann "the" 1.0'),
        (r"C:\\ann", r"C:\ann"),
        (r"C:\ann", r"C:\ann"),
        ('Ann "the" 1.0', 'Ann "the" 1.0'),
        ("Zoe\u0308", "Zo\u00eb"),
        ("Ann\u00a0 B", "Ann B"),
        ("Ann [x] {y} ; z", "Ann [x] {y} ; z"),
    ],
)
def test_a_name_has_one_form(tmp_path, written, name):
    assert players_of(read(tmp_path, game(written, "B", "1-0"))) == [(name, "B")]
    cell = written.replace(r"\"", '"').replace(r"\\", "\\").replace('"', '""')
    csv = write_results(tmp_path, f'game,bot,place\n1,"{cell}",1\n1,B,2\n')
    assert players_of(read_results(csv)) == [(name, "B")]


@pytest.mark.parametrize(
    "result, places, forfeits",
    [
        ("0-0", (1, 1), {0, 1}),
        ("-:-", (1, 1), {0, 1}),
        ("+:-", (1, 2), {1}),
        ("-/+", (2, 1), {0}),
        ("1 - 0", (1, 2), set()),
        ("0\u20131", (2, 1), set()),
        ("1:0", (1, 2), set()),
        ("\u00bd-\u00bd", (1, 1), set()),
        ("1/2", (1, 1), set()),
    ],
)
def test_results_however_they_are_written(tmp_path, result, places, forfeits):
    (outcome,) = read(tmp_path, game("A", "B", result)).outcomes
    assert (outcome.places, set(outcome.forfeits)) == (places, forfeits)


def test_a_record_that_was_cut_off_and_goes_on_in_its_line_with_another(tmp_path):
    for cut in ("1. e4 e", "1. e4 {+0.3", "1. e4 {+0.3} ", ""):
        first = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n' + cut
        path = write_results(tmp_path, first + GOOD, "games.pgn")
        if "{" in cut and "}" not in cut:
            assert refusal(path) == "4: the comment should end with } before the tags in line 6"
        else:
            assert players_of(read_results(path)) == [("A", "B")] * 2


def test_castling_with_zeros_at_the_end_of_the_moves_is_no_result(tmp_path):
    found = read(tmp_path, '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. 0-0\n\n' + GOOD)
    assert (players_of(found), found.unfinished) == ([("A", "B")], 1)


def test_empty_records_between_games_have_no_result(tmp_path):
    """As broadcasts leave them after a restart."""
    empty = '[Event "x"]\n[White "?"]\n[Black "?"]\n'
    for record in (empty, f'{empty}[Result "?"]\n', f'{empty}[Result "*"]\n\n*\n'):
        found = read(tmp_path, GOOD + f"{record}\n\n" * 2 + GOOD)
        assert (len(found.outcomes), found.unfinished) == (2, 2)


def test_files_that_are_joined_keep_their_encodings(tmp_path):
    path = tmp_path / "games.pgn"
    texts = [game("Zo\u00eb", "B", "1-0").encode(each) for each in ("utf-8-sig", "cp1252", "utf-8-sig")]
    path.write_bytes(b"".join(texts))
    assert players_of(read_results(path)) == [("Zo\u00eb", "B")] * 3


NAMES = [
    "Ann",
    "Zo\u00eb",
    'the "Rook"',
    r"C:\ann",
    "A, B.",
    "x]",
    "{y",
    "Ann;",
    "% z",
    "(w)",
    "1-0",
    "[White",
]
COMMENTS = [
    "{a comment}",
    "{[%clk 0:00:01] }",
    '{; [White "x"]}',
    "{two\n\nlines; ( }",
    '{\n[Result "1-0"]\n}',
    "; {not one [ \n",
]
MOVES = ["1. e4", "e5", "2. 0-0", "(2. d4 (2. c4 1-0) {a} *)", "$3", "...", "Nf3!?", "[#]"]
TAGS = ['[{} "{}"]', '[ {}  "{}" ]', '[{}\n"{}"]', '[{} "{}"\n]']


def written(random, white, black, result):
    """A game in one of the styles of other programs."""
    tags = [("White", white), ("Black", black), ("Result", result)]
    has_moves = random.random() < 0.8
    if has_moves and random.random() < 0.3:
        tags[2] = ("Result", "?")
    extra = [
        ("Event", "?"),
        ("Round", "1.1"),
        ("Annotator", r"the \"best\""),
        ("WhiteElo", "2000"),
        ("FEN", FEN),
    ]
    tags = [tags.pop(0), *random.sample(extra, random.randrange(len(extra))), *tags]
    if random.random() < 0.5:
        random.shuffle(tags)
    change, style = random.choice([str, str.lower, str.upper]), random.choice(TAGS)
    escaped = [(change(tag), text.replace("\\", r"\\").replace('"', r"\"")) for tag, text in tags]
    head = random.choice(["\n", " ", "\n; a comment\n", "\n% escape [\n"]).join(
        style.format(*tag) for tag in escaped
    )
    words = [random.choice([*MOVES, *COMMENTS]) for _ in range(random.randrange(9))]
    moves = random.choice([" ", "\n"]).join([*words, result]) if has_moves else ""
    return f"{head}\n{random.choice(['', chr(10)])}{moves}\n"


@pytest.mark.parametrize("seed", range(60))
def test_no_game_is_lost_however_a_file_is_written(tmp_path, seed):
    random = Random(seed)
    results = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1), "*": None}
    games = [(*random.choices(NAMES, k=2), random.choice([*results])) for _ in range(random.randrange(1, 30))]
    gap = random.choice(["", "\n", "\n\n\n"])
    text = gap.join(written(random, *each) for each in games)
    text = random.choice(["", "\n\n"]) + text.rstrip() + random.choice(["", "\n", "\n\n\x1a"])
    tag_is_cut = re.search(r'\[\w+\n|"\n\]', text)  # another newline would put an empty line into it
    broken = [] if tag_is_cut else ["\r\r\n"]
    text = text.replace("\n", random.choice(["\n", "\r\n", "\r", *broken]))
    encoding = random.choice(["utf-8", "utf-8-sig", "latin-1", "utf-16"])
    path = write_results(tmp_path, text, "games.pgn", encoding)
    finished = [(white, black, results[result]) for white, black, result in games if results[result]]
    found = read_results(path)
    assert [(*each.bots, each.places) for each in found.outcomes] == finished
    assert found.unfinished == len(games) - len(finished)
