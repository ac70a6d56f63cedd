"""Bots that fill the disk, or hide files that use it."""

import pytest
from programs import kinds, misbehaving_bot, play, tried, words

from arena.programs.sandbox.policy import Sandbox
from arena.referee.conditions import Limits

pytestmark = pytest.mark.slow


@pytest.mark.attack("fill the disk")
@pytest.mark.parametrize("size", [1, 40], ids=["many_files", "one_file"])
def test_filling_the_disk(tier, size):
    file = "open(os.environ['TMPDIR'] + f'/{n}', 'wb')"
    code = f"[{file}.write(b'x' * {size} * 2**20) for n in range(40)]; time.sleep(9)"
    record = play(misbehaving_bot(move=code), sandbox=tier, move=5)
    assert kinds(record) == ["crashed"]


@pytest.mark.attack("fill the disk")
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("[os.mkdir(str(n)) for n in range(900)]", "had more than 1 MB in $TMPDIR"),
        ("[(os.mkdir('d' * 99), os.chdir('d' * 99)) for _ in range(60)]", "hid files in $TMPDIR"),
    ],
    ids=["folders", "a long path"],
)
def test_what_is_hidden_on_the_disk_counts(code, why):
    small = Sandbox(Limits(disk=2**20))
    bot = misbehaving_bot(move=f"os.chdir(os.environ['TMPDIR']); {code}; time.sleep(9)")
    record = play(bot, sandbox=small, move=9)
    assert kinds(record) == ["crashed"]
    assert words(record) == why


@pytest.mark.attack("hide files that it uses")
def test_files_without_names_count_in_a_box(box):
    code = "os.open('/tmp/x', os.O_CREAT | os.O_RDWR)"
    code = f"[(f := {code}, os.unlink('/tmp/x'), os.write(f, b'x' * 2**20)) for _ in range(40)]"
    assert "No space left" in tried(box, code)


@pytest.mark.attack("fill the disk")
@pytest.mark.parametrize("where", ["/tmp", "/dev/shm"])
def test_what_a_box_lets_be_written_is_limited(box, where):
    assert "No space left" in tried(
        box, f"[open('{where}/' + str(n), 'wb').write(b'x' * 2**20) for n in range(40)]"
    )
