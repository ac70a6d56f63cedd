"""A real language model plays a real game, on this machine alone."""

import json
from pathlib import Path

import pytest
from memory_ledger import MemoryLedger
from small_model import small_model

from arena.games import GAMES
from arena.models.calls import Cassette
from arena.models.client import Exchange
from arena.models.request import Dialect, answer_schema
from arena.models.secret import Secret
from arena.models.spec import ModelSpec
from arena.programs.bot import Bot
from arena.programs.play.model import ModelPlayer
from arena.programs.play.table import ProgramTable, start_player
from arena.programs.reading import read_bot
from arena.referee.conditions import Conditions, TimeControl
from arena.referee.fixture import Fixture

PROMPT = """\
=== system
A card game. Reply in JSON: {"thoughts": "short", "answer": "one of the options"}
=== ask
Options: {{ options | map(attribute=0) | join(" ") }}
=== again
{{ problem }}
"""
"""In a few tokens: the model reads some dozens of them in a second."""

CLOCK = TimeControl(move=60, start=60, model=1200)


def play(fixture, spec, bots, ledger):
    def player(bot, supervisor):
        if bot.name == "smol":
            return ModelPlayer(bot, supervisor, spec, ledger, Secret())
        return start_player(bot, supervisor)

    with ProgramTable(bots, player=player) as table:
        return table.play(fixture)


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(1500)
def test_a_small_model_plays_a_whole_game_against_a_house_bot(checkout, tmp_path):
    game = GAMES["complots"]
    ledger = MemoryLedger()
    with small_model() as at:
        spec = ModelSpec("smollm2", at, temperature=0.0, max_tokens=48, template=PROMPT, context=1000)
        bots = {
            "smol": Bot("smol", ("smollm2",), Path.cwd(), spec.fingerprint),
            "honest": read_bot(checkout / "bots" / "python" / "honest.py", name="honest"),
        }
        fixture = Fixture(
            "complots",
            game.version,
            game.defaults(),
            tuple(bots),
            tuple(bot.fingerprint for bot in bots.values()),
            seed="1",
            bot_seeds=(1, 2),
            conditions=Conditions(clock=CLOCK),
        )
        record = play(fixture, spec, bots, ledger)
    assert sorted(record.result[0]) == [1, 2]
    calls = list(ledger.calls.values())
    assert any(call.answer for call in calls)
    assert all("SmolLM2" in call.reply.model for call in calls)
    assert all(call.reply.usage and call.reply.usage.tokens_in > 20 for call in calls)
    own = sum(fault.seat == 0 for fault in record.faults)
    assert len({call.ask for call in calls if call.answer}) + own == len({call.ask for call in calls})

    cassette = tmp_path / "calls.jsonl"
    cassette.write_text("".join(f"{call.line}\n" for call in calls))
    assert play(fixture, spec, bots, Cassette(cassette)).game_part() == record.game_part()


ASK = """\
| p1 coins=2 hand=duchess,captain
It is your turn. What do you do?
Answer with one of:
- income: take 1 coin
- aid: take 2 coins; a duchess may block it
- duchess: claim the duchess: take 3 coins
- captain:p2: claim the captain: take 2 coins of p2"""
OPTIONS = ("income", "aid", "duchess", "captain:p2")


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(600)
def test_a_small_model_comes_to_its_answer_whatever_it_thinks():
    """Without the cap on its thoughts a third of these replies is cut off at the limit of tokens."""
    messages = (("system", "A card game. Reply in JSON, thoughts first."), ("user", ASK))
    schema, replies = answer_schema(OPTIONS, 48), []
    with small_model() as at:
        for seed in range(6):
            spec = ModelSpec(
                "smollm2", at, temperature=0.7, max_tokens=48, parameters=json.dumps({"seed": seed})
            )
            exchange = Exchange(spec, Secret(), Dialect().body(spec, messages, schema), 300.0)
            replies.append(exchange.run())
    assert [reply.finish for reply in replies] == ["stop"] * 6
    assert {json.loads(reply.text)["answer"] for reply in replies} <= {*OPTIONS}
