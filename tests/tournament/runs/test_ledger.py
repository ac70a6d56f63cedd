"""The ledger of the calls of models: no call is paid twice, and none exceeds the budget."""

import pytest

from arena.config.document import ConfigError
from arena.models.calls import BudgetSpent, CallId, ModelCall, ModelReply, Usage
from arena.models.spec import Price
from arena.tournament.runs.ledger import BotLedger, CallStore, Spending, calls_file

PRICE = Price(input=1.0, output=10.0)
FIRST, SECOND = CallId("g1", 0, "k1", 0), CallId("g1", 1, "k2", 0)


COUNTED = Usage(1000, 100, 0, 40)


def answered(id, usage=COUNTED, text='{"answer": "income"}'):
    reply = ModelReply(text, finish="stop", usage=usage, model="m-1", latency_s=1.5)
    return ModelCall(id, 3, 0, 1, "", 0, (("user", "Your move?"),), "1", reply, "income", "")


@pytest.fixture
def calls(tmp_path):
    with CallStore(calls_file(tmp_path / "run.db"), budget=0.01) as store:
        yield store


def test_an_answered_call_is_found_again_by_another_process_and_costs_what_its_tokens_cost(calls):
    assert calls.find(FIRST) is None
    ledger = BotLedger(calls, "gpt", PRICE)
    ledger.store(ledger.reserve(FIRST, 0.009), answered(FIRST))
    with CallStore(calls.path, writer=False) as other:
        assert other.find(FIRST) == answered(FIRST)
        assert other.by_bot() == [Spending("gpt", 1, 0, 1000, 0, 100, 40, 1.5, 0.002)]
        assert list(other.calls("g1")) == [("gpt", answered(FIRST))] and not list(other.calls("g2"))


def test_a_call_begins_only_if_its_highest_cost_fits_beside_those_in_flight(calls):
    number = calls.reserve(FIRST, "gpt", 0.007)
    with pytest.raises(BudgetSpent, match=r"budget: 0\.007 of 0\.01 is spent or reserved"):
        calls.reserve(SECOND, "gpt", 0.004)
    calls.store(number, answered(FIRST), PRICE)  # it has cost 0.002
    calls.reserve(SECOND, "gpt", 0.004)
    assert (calls.total().cost, calls.spent().cost) == pytest.approx((0.006, 0.002))


@pytest.mark.parametrize(("billed", "cost", "lost"), [(False, 0, 0), (True, 0.004, 1)])
def test_a_call_without_an_answer_costs_nothing_unless_the_server_had_begun(calls, billed, cost, lost):
    calls.release(calls.reserve(FIRST, "gpt", 0.004), billed)
    assert (calls.total().cost, calls.total().lost) == (cost, lost)
    assert calls.find(FIRST) is None


def test_a_call_that_a_kill_cut_off_is_made_again_and_its_highest_cost_stays(calls):
    calls.reserve(FIRST, "gpt", 0.004)  # its worker was killed, and another plays the game
    ledger = BotLedger(calls, "gpt", PRICE)
    ledger.store(ledger.reserve(FIRST, 0.004), answered(FIRST))
    calls.reserve(SECOND, "gpt", 0.003)  # the arena was killed
    calls.begin_run()
    assert calls.total() == Spending("", 1, 2, 1000, 0, 100, 40, 1.5, pytest.approx(0.004 + 0.002 + 0.003))


def test_a_reply_whose_tokens_the_server_did_not_count_keeps_its_highest_cost(calls):
    calls.store(calls.reserve(FIRST, "gpt", 0.004), answered(FIRST, usage=None), PRICE)
    assert calls.total().cost == 0.004


def test_another_file_in_its_place_is_refused(tmp_path):
    path = tmp_path / "run.db.calls"
    path.write_text("no database " * 100)
    with pytest.raises(ConfigError, match="not the calls of a run, or a damaged one"):
        CallStore(path)
    with pytest.raises(ConfigError, match="no such ledger"):
        CallStore(tmp_path / "none", writer=False)
