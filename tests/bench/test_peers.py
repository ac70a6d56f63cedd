"""The comparison with other runners: its engine plays legal games, and its plies are counted from moves."""

import subprocess

import chess
import peers
import pytest
from samples import CHECKOUT

BENCHMARKS = CHECKOUT / "benchmarks"
PGN = """[Result "1/2-1/2"]
[PlyCount "3"]

1. Nf3 {+0.00/1 0.000s} Nf6 {1. e4 is no move here} 2. Ne5 {0/1}
1/2-1/2
"""


def test_plies_are_counted_from_the_moves():
    assert peers.plies(PGN, 1) == 3
    assert peers.plies(PGN + PGN, 2) == 6


@pytest.mark.parametrize("wrong", [PGN.replace('"3"', '"4"'), PGN.replace("1/2-1/2", "1-0"), PGN + PGN])
def test_other_games_than_were_asked_for_are_refused(wrong):
    with pytest.raises(SystemExit):
        peers.plies(wrong, 1)


def test_the_table_has_medians_ranges_and_ratios_within_a_round():
    found = {"a, ply": [peers.Cost(1, 2), peers.Cost(3, 4)], "b": [peers.Cost(10, 4), peers.Cost(20, 4)]}
    assert peers.table(found, ["a, ply"]).splitlines()[2:] == [
        "| a, ply | 2.0 (1.0 to 3.0) | 3.0 (2.0 to 4.0) | 1.00 (1.00 to 1.00) |  |",
        "| b | 15.0 (10.0 to 20.0) | 4.0 (4.0 to 4.0) | 1.50 (1.00 to 2.00) |  |",
    ]


@pytest.mark.compiler
def test_the_engine_plays_a_hundred_legal_plies_to_a_draw(tmp_path):
    engine = tmp_path / "shuffle"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", engine, BENCHMARKS / "shuffle.c"], check=True)
    board = chess.Board()
    with subprocess.Popen([engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        while not (board.is_fifty_moves() or board.is_repetition(3)):
            moves = " ".join(map(str, board.move_stack))
            process.stdin.write(f"position startpos{' moves ' * bool(moves)}{moves}\ngo movetime 1\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith("info ")
            board.push(board.parse_uci(process.stdout.readline().split()[1]))  # ValueError: not legal
        process.stdin.write("quit\n")
    assert board.ply() == 100 and board.is_fifty_moves() and not board.is_repetition(3)
