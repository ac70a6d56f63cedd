"""The ledger as workers of a cluster use it: the coordinator answers for it."""

import pytest

from arena.models.calls import BudgetSpent, CallId, CassetteMiss
from arena.models.spec import ModelSpec, Price
from arena.programs.bot import Bot
from arena.tournament.engine import asked_ledger
from arena.tournament.engine.asked_ledger import AskedLedger, answer_question
from arena.tournament.runs.ledger import RunLedger

SPEC = ModelSpec("m", "http://127.0.0.1/v1", price=Price(1, 1))


def bot(folder, name="gpt"):
    return Bot(name, ("m",), folder, SPEC.fingerprint, model=SPEC)


def call_id(game="a"):
    return CallId(game, 0, "0" * 64, 0)


@pytest.fixture
def wired(monkeypatch):
    """Has the questions of all bots answered by a ledger."""

    def wire(ledger_of):
        monkeypatch.setattr(
            asked_ledger, "ask", lambda question: answer_question(question, ledger_of(question.bot))
        )

    return wire


def test_workers_share_one_budget(tmp_path, wired):
    ledger = RunLedger(tmp_path / "run.db.calls", 5.0)
    wired(lambda name: ledger.of(bot(tmp_path, name)))
    one, other = AskedLedger(bot(tmp_path)), AskedLedger(bot(tmp_path, "other"))
    kept = one.reserve(call_id("a"), 3.0)
    with pytest.raises(BudgetSpent, match="3 of 5 is spent or reserved, and the next call may cost 3"):
        other.reserve(call_id("b"), 3.0)
    one.release(kept, billed=False)
    assert other.find(call_id("b")) is None
    other.reserve(call_id("b"), 3.0)
    ledger.close()


def test_a_cassette_without_the_call_is_an_error_of_the_game_that_asks(tmp_path, wired):
    (tmp_path / "empty").touch()
    ledger = RunLedger(tmp_path / "run.db.calls", None, tmp_path / "empty")
    wired(lambda name: ledger.of(bot(tmp_path, name)))
    with pytest.raises(CassetteMiss, match="has no call"):
        AskedLedger(bot(tmp_path)).find(call_id())
    ledger.close()
