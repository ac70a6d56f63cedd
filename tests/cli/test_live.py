"""What is seen of a run while it is played: words, how often, at what cost, and on a real terminal."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios

import pytest

from arena.cli import live
from arena.cli.live import MAX_RATED, OFTEN, SHARE, Panel, Watch, headline, span, top
from arena.tournament.run import Progress


def progress(played, total=None, fresh=None, faults=0, waits=""):
    games = dict.fromkeys(range(played))
    return Progress(None, total, games, played if fresh is None else fresh, faults, waits)


@pytest.mark.parametrize(
    ("state", "seconds", "words"),
    [
        (progress(0, 100), 0, "0 of 100 games, 0 faults"),
        (progress(20, 100), 4, "20 of 100 games, 5.0/s, 16 s left, 0 faults"),
        (progress(100, 100), 4, "100 of 100 games, 25/s, 0 faults"),
        (progress(60, 100, fresh=10), 2, "60 of 100 games, 5.0/s, 8 s left, 0 faults"),
        (progress(60, 100, fresh=0), 2, "60 of 100 games, 0 faults"),
        (progress(60, 6000, fresh=50, faults=7), 1, "60 of 6000 games, 50/s, 1 min 59 s left, 7 faults"),
        (progress(60), 2, "60 games, 30/s, 0 faults"),
        (progress(60), 3600, "60 games, 60/h, 0 faults"),
        (progress(120, 100, fresh=20), 2, "120 games, 10/s, 0 faults"),  # of other bots, or another aim
    ],
)
def test_the_headline(state, seconds, words):
    assert headline(state, seconds) == words


@pytest.mark.parametrize(
    ("games", "seconds", "words"),
    [
        ((500, 1500), 1, "100 of 20000 games, 100/s, 4 to 14 s left, 0 faults"),
        ((30_000, 90_000), 100, "100 of 20000 games, 1.0/s, 8 to 25 h left, 0 faults"),
        ((80, 180), 1, "100 of 20000 games, 100/s, 0 to 1 s left, 0 faults"),  # more than was foreseen
        ((80, 90), 0, "100 of 20000 games, 100000/s, 0 s left, 0 faults"),
    ],
)
def test_the_headline_with_a_range_of_the_games(games, seconds, words):
    assert headline(progress(100, 20_000), seconds, games) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (4.2, 4.4, "4 s"),
        (8.4, 99.4, "8 to 99 s"),
        (40, 119, "40 s to 2 min"),
        (480, 1500, "8 to 25 min"),
        (3600, 20_000, "60 min to 6 h"),
        (40_000, 720_000, "11 h to 8 days"),
    ],
)
def test_a_range_has_round_numbers_and_as_few_units_as_will_do(low, high, words):
    assert span(low, high) == words


class Seen:
    """A watch on made-up clocks; every picture costs `cost`, a report comes twice a second."""

    def __init__(self, cost=0.0, pause=OFTEN):
        self.now, self.effort, self.cost = 100.0, 5.0, cost
        self.drawn, self.pictures = [], []
        self.watch = Watch(
            lambda words: self.drawn.append((self.now, words)),
            self.picture,
            pause,
            lambda: self.now,
            lambda: self.effort,
        )

    def picture(self, state):
        self.pictures.append(self.now)
        self.effort += self.cost
        self.now += 3 * self.cost  # the machine has other things to do, too
        return Panel(f"{len(state.played)} in the picture")

    def pass_by(self, seconds):
        end = self.now + seconds
        while self.now < end:
            self.now += 0.5
            self.watch(progress(int(self.now - 100)))


def test_nothing_is_drawn_in_the_first_moment():
    seen = Seen()
    seen.pass_by(0.5)
    assert seen.drawn == []


def test_a_picture_a_second_where_it_costs_little():
    seen = Seen(cost=OFTEN / SHARE / 2)
    seen.pass_by(60)
    gaps = [later - now for now, later in zip(seen.pictures, seen.pictures[1:], strict=False)]
    assert len(seen.pictures) == len(seen.drawn) > 45 and min(gaps) >= OFTEN
    assert seen.drawn[-1][1].splitlines()[1].endswith("in the picture")


@pytest.mark.parametrize("cost", [0.02, 0.3, 2.5])
def test_dear_pictures_come_seldom_and_the_headline_still_moves(cost):
    """At most one part in a hundred of the time goes into pictures; the last one stands meanwhile."""
    seen = Seen(cost)
    seen.pass_by(2000)
    assert len(seen.pictures) >= 0.8 * 2000 / (SHARE * cost)
    assert (len(seen.pictures) - 2) * cost <= 2000 / SHARE  # the first one is not counted
    assert len(seen.drawn) > 1500
    now, words = seen.drawn[-1]
    known = int(seen.pictures[-1] - 100)
    assert words.startswith(f"{int(now - 100)} games") and f"\n{known} in the picture" in words


def test_a_cost_that_grows_is_noticed():
    seen = Seen(0.001)
    seen.pass_by(20)
    seen.cost = 1.0
    before = len(seen.pictures)
    seen.pass_by(250)
    assert len(seen.pictures) - before <= 4


def test_an_empty_picture_leaves_the_headline_alone():
    drawn = []
    watch = Watch(drawn.append, lambda state: Panel(), 0, iter(range(9)).__next__)
    watch(progress(4, 8))
    assert drawn == ["4 of 8 games, 4.0/s, 1 s left, 0 faults"]


def test_what_is_waited_for_has_lines_of_its_own_below_the_headline():
    drawn = []
    watch = Watch(drawn.append, lambda state: Panel("picture"), 0, iter(range(9)).__next__)
    state = progress(4, 8, waits="1 game waits for a\n2 games wait for b")
    watch(state)
    assert drawn[0].splitlines()[1:] == ["1 game waits for a", "2 games wait for b", "picture"]
    state.stopped = "budget: 4 of 4"
    watch(state)
    assert drawn[1].splitlines()[1:3] == ["stopping at the budget: 4 of 4", "1 game waits for a"]


def test_a_range_of_games_is_counted_down_between_two_pictures():
    drawn, clock = [], iter(range(9))
    watch = Watch(
        drawn.append, lambda state: Panel("test", (40, 80)), 1, clock.__next__, iter([0, 0, 9]).__next__
    )
    for played in (10, 20, 30):
        watch(progress(played, 200))
    assert drawn == [
        "10 of 200 games, 10/s, 3 to 7 s left, 0 faults\ntest",
        "20 of 200 games, 10/s, 2 to 6 s left, 0 faults\ntest",
        "30 of 200 games, 10/s, 1 to 5 s left, 0 faults\ntest",
    ]


def test_a_log_gets_the_lines_that_are_made_for_it(monkeypatch, capsys):
    monkeypatch.setattr(live, "SELDOM", 0.0)
    with live.show(lambda state, in_log: Panel("for a log" if in_log else "for a terminal")) as report:
        report(progress(4))
    assert re.fullmatch(
        r"4 games, \d+/s, 0 faults\nfor a log\n4 games, \d+/s, 0 faults\n", capsys.readouterr().err
    )


# --- as it is seen


def on_terminal(command, folder, columns=80, lines=24, term="xterm-256color"):
    """All that the command writes to a terminal of this size, and its exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", *map(str, command)],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": term},
        start_new_session=True,
    )
    os.close(theirs)
    heard = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the last one has closed it
            break
        if not piece:
            break
        heard += piece
    os.close(ours)
    return heard.decode(), process.wait(timeout=30)


def screen(text):
    """The lines that stand on the terminal in the end, and all that have ever stood there."""
    lines, row, ever = [""], 0, []
    for piece in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r|\n)", text):
        if piece == "\n":
            ever.append(lines[row])
            row += 1
            lines += [""] * (row == len(lines))
        elif piece == "\x1b[2K":
            lines[row] = ""
        elif found := re.fullmatch(r"\x1b\[(\d*)A", piece):
            row -= int(found[1] or 1)
        elif piece and not piece.startswith("\x1b") and piece != "\r":
            lines[row] += piece
    return lines, ever


SLOW = """import sys, time
for line in sys.stdin:
    words = line.split()
    if words[0] == "ask":
        time.sleep(0.004)
        print(words[1], words[words.index(":") + 1], flush=True)
"""


@pytest.fixture
def slow_plan(tmp_path):
    """Some seconds of games."""
    (tmp_path / "slow.py").write_text(SLOW)
    path = tmp_path / "plan.yaml"
    bots = "".join(f"  a_bot_with_a_long_name_{number}: slow.py\n" for number in range(3))
    path.write_text(f"game: complots\nseats: 2\ngroups: 9\nseed: 1\nbots:\n{bots}")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 40])
def test_a_picture_in_place_that_goes_at_the_end(slow_plan, tmp_path, columns):
    text, status = on_terminal(["run", slow_plan, "--out", "x.db"], tmp_path, columns)
    assert status == 0
    during, _, _ = text.rpartition("\x1b[?25h")  # where the cursor is shown again
    pictures = [line for line in screen(during)[1] if re.match(r"\d+ of 54 games, \d|1 +1-\d  a_bot", line)]
    assert {line[0] == "1" and "a_bot" in line for line in pictures} == {True, False}
    assert max(map(len, pictures)) <= columns
    last, _ = screen(text)
    (stays,) = [line for line in last if re.match(r"\d+ of 54 games, \d", line)]
    assert re.fullmatch(r"54 of 54 games, [\d.]+/s, 0 faults", stays)
    assert sum(line.startswith("#  range  bot") for line in last) == 1  # the final table alone
    assert any("54 games in 27 seed groups" in line for line in last)


@pytest.mark.slow
def test_a_terminal_that_cannot_move_up_gets_lines(slow_plan, tmp_path):
    text, status = on_terminal(["run", slow_plan, "--out", "x.db"], tmp_path, term="dumb")
    assert status == 0 and "\x1b" not in text and "54 games in 27 seed groups" in text


@pytest.mark.slow
def test_names_that_would_be_markup_are_plain_words(tmp_path):
    for name in ("[red]one", "[b]two"):
        (tmp_path / f"{name}.py").write_text(SLOW)
    command = ["compare", "[red]one.py", "[b]two.py", "--max-groups", 27, "--seed", 1]
    text, status = on_terminal(command, tmp_path)
    assert status == 3
    lines = screen(text)[1]
    assert sum("undecided whether red-one is better than b-two" in line for line in lines) > 1


@pytest.mark.slow
def test_a_comparison_in_a_log_shows_its_test_and_a_range_of_the_time_left(tmp_path):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(SLOW.replace("0.004", "0.02"))
    command = ["compare", "one.py", "two.py", "--sprt", "elo1=1", "--seed", "1", "--jobs", "1"]
    words = [sys.executable, "-m", "arena", *command]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for line in process.stderr:
            if line.startswith(b"LLR"):
                break
            before = line.decode()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    assert re.fullmatch(r"\d+ of 20000 games, [\d.]+/s, \d+ (\w+ )?to \d+ \w+ left, 0 faults\n", before)
    groups = r"LLR [+-]\d\.\d\d \(-2\.94 to \+2\.94\), \d+ groups, [+-]\d+ Elo \(\S+ to \S+\)\n"
    assert re.fullmatch(groups, line.decode())
    assert process.returncode == 130 and re.match(groups, output.decode())


def test_without_a_terminal_there_is_no_picture(arena, plan_file):
    done = arena("run", plan_file())
    assert "\x1b" not in done.stderr + done.stdout and "range" not in done.stderr
    *_, last, pages = done.stderr.splitlines()
    assert re.fullmatch(r"(\d+) of \1 games, [\d.]+/s, 0 faults", last), "a log ends with where the run was"
    assert pages == "pages: arena report runs/plan.db --out pages"


def test_a_large_run_shows_no_standings_while_it_is_played():
    """They would take seconds, and memory for every game."""
    told = top(progress(MAX_RATED + 1), in_log=False).below
    assert told == "more than 100,000 games: `arena table` shows the standings"


def many_bots(folder, names):
    """A plan of so many bots that take their time."""
    (folder / "slow.py").write_text(SLOW)
    bots = "".join(f"  {name}: slow.py\n" for name in names)
    (folder / "plan.yaml").write_text(
        f"game: complots\nseats: 2\ngroups: 50\nlineups: 60\nseed: 1\nbots:\n{bots}"
    )


@pytest.mark.slow
@pytest.mark.terminal
@pytest.mark.parametrize("columns, lines", [(80, 24), (120, 40)])
def test_long_names_and_many_bots_fit_and_the_last_line_stays(terminal, tmp_path, columns, lines):
    many_bots(tmp_path, [f"{number:02}-{'n' * 29}" for number in range(14)])
    seat = terminal("run", "plan.yaml", "--out", "x.db", columns=columns, lines=lines)
    screen = seat.wait(lambda screen: re.search(r"\nand \d more$", screen))
    told, picture = re.split(r"\n\d+ of \d+ games, [\d.]+/s, .* left, 0 faults\n", screen)
    head, _, *rows, _ = filter(None, picture.split("\n"))  # an empty line is between bots that no games link
    assert head.endswith("score") and len(rows) == 10 and "…" not in picture
    assert all(row.endswith("%") and "n" * 29 in row for row in rows)
    assert "(arena doctor)" in " ".join(told.split()), "lines end between words"
    seat.press("C-c")
    left = seat.wait(lambda screen: "\nstatus " in screen)
    assert re.search(r"\n\d+ of \d+ games, .*, 0 faults\n+stopped; resume with: ", left)
    assert "score" not in left and left.endswith("status 130")
