"""A recorded game as moments to be watched."""

import pytest

from arena.results.moments import moments_of
from arena.results.store import Store
from arena.results.transcript import entries

SHOWN = ("event", "secret", "fault", "answer", "end")


def games(path):
    with Store(path) as store:
        return [store.record(game.id) for game in store.summaries()]


@pytest.mark.slow
def test_the_moments_have_all_that_the_transcript_has(arena, plan_file, tmp_path):
    assert arena("run", plan_file(), "--out", "run.db").returncode == 0
    for record in games(tmp_path / "run.db"):
        said = [each for moment in moments_of(record) for each in moment.said]
        answers = [(each.seat, each.text) for each in said if each.kind == "answer"]
        told = [entry for entry in entries(record) if entry.kind in SHOWN]
        assert [(each.kind, each.seat) for each in said] == [(entry.kind, entry.seat) for entry in told]
        assert answers == [
            (entry.seat, entry.text.partition(" ")[2]) for entry in told if entry.kind == "answer"
        ]
        assert all(each.milliseconds is not None for each in said if each.kind == "answer")
        *_, last = moments_of(record)
        assert last.said[0].text.startswith("places=")


TALKER = """\
echo up >&2
while read -r verb id rest; do
  case $verb in
    ask) n=$((n + 1)); echo "ask $n" >&2
         [ $n -lt 4 ] || { echo tired >&2; exit 1; }
         set -- ${rest#*: }; echo "$id $1";;
  esac
done
"""


def test_what_a_bot_wrote_stands_with_its_answer_or_at_the_end(arena, first_bot, tmp_path):
    (tmp_path / "talker.sh").write_text(TALKER)
    assert arena("play", "complots", "talker.sh", first_bot, "--record", "run.db").returncode == 0
    (record,) = games(tmp_path / "run.db")
    said = [each for moment in moments_of(record) for each in moment.said]
    wrote = [each.stderr or each.text for each in said if each.stderr or each.kind == "stderr"]
    assert wrote[0] == "up\nask 1\nask 2\nask 3"  # hello, ready, and the first of the game
    assert "\n".join(wrote).endswith("ask 4\ntired")
    assert [each.text.split()[0] for each in said if each.kind == "fault"] == ["crashed"]
