"""A recorded game as a script for the viewer, because pages on disk may load scripts but no other data."""

import json
import zlib
from base64 import b64encode
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from arena.models.calls import ModelCall
from arena.referee.protocol import option_words
from arena.referee.record import Record
from arena.tournament.runs.account import Answered, Ended, Faulted, Happening, Told, Wrote, game_of
from arena.tournament.runs.moments import Moment

_Value = TypeVar("_Value", bound=Hashable)


class _Numbered(dict[_Value, int]):
    """Numbers for values: looking up a new value adds it with the next number from 0."""

    def __missing__(self, value: _Value) -> int:
        self[value] = len(self)
        return self[value]


def game_script(
    record: Record,
    names: Sequence[str],
    facts: Mapping[str, Any],
    moments: Iterable[Moment],
    calls: Iterable[ModelCall] = (),
) -> str:
    """The script of a game: `game_data` with the `facts`.

    The facts are `run`, `number`, `group`, and `previous` and `next`, which are ids of games or None.
    """
    return packed({**game_data(record, names, moments, calls), **facts})


def packed(data: Mapping[str, Any]) -> str:
    """A call of `arena.show` with the data of a game as JSON, compressed by zlib and in base64."""
    text = json.dumps(data, separators=(",", ":"))
    return f'arena.show("{b64encode(zlib.compress(text.encode(), 6)).decode()}");\n'


def game_data(
    record: Record, names: Sequence[str], moments: Iterable[Moment], calls: Iterable[ModelCall] = ()
) -> dict[str, Any]:
    """The game for the viewer. `names` has for each seat the name of its bot in the standings.

    The result has each text once in `texts`, and each table, a list of `state` lines, once in `tables`; the
    other keys refer to them by index. A moment is `[said, table, views]`: its events, the table with open
    cards, and the table that each seat sees. An event is `[kind, seat, text, sentence]`, where `sentence` is
    the text for a person. An answer is `[kind, seat, text, sentence, ask, milliseconds, stderr]`.

    `calls` of language models become, for each seat and each of its answers, a list of
    `[prompt, thoughts, reply, problem]`.
    """
    texts, tables = _Numbered[str](), _Numbered[tuple[str, ...]]()
    fixture = record.fixture
    tell = game_of(record).prose.tell

    def said(event: Happening) -> list[Any]:
        match event:
            case Told(_, seat, text):
                return [event.kind, seat, texts[text], texts[tell(text)]]
            case Faulted(_, seat, kind, detail):
                return ["fault", seat, *2 * [texts[f"{kind} {detail}"]]]
            case Answered(_, seat, _, word):
                known = ["answer", seat, *2 * [texts[word]], texts[event.ask]]
                return [*known, event.milliseconds, texts[event.stderr]]
            case Ended():
                return ["end", None, *2 * [texts[event.text]]]
            case Wrote(_, seat, text):
                return ["stderr", seat, *2 * [texts[text]]]

    numbered = [
        [[said(each) for each in moment.said], tables[moment.table], [tables[view] for view in moment.views]]
        for moment in moments
    ]
    places, scores = record.result
    return {
        "id": fixture.id,
        "game": fixture.game,
        "bots": names,
        "options": option_words(fixture.options.items()),
        "places": places,
        "scores": scores,
        "moments": numbered,
        "calls": _calls_of(calls, texts),
        # This adds to `texts`, so it has to be before it.
        "tables": [[texts[line] for line in table] for table in tables],
        "texts": list(texts),
    }


def _calls_of(calls: Iterable[ModelCall], texts: Mapping[str, int]) -> dict[int, list[list[list[int]]]]:
    """By seat, the calls for each of its answers in the order of attempts, as indices of four texts each.

    `texts` numbers the texts. If the game was begun several times, the last call of each attempt counts.
    """
    found: dict[int, dict[int, dict[int, ModelCall]]] = {}
    for call in calls:
        found.setdefault(call.id.seat, {}).setdefault(call.at, {})[call.attempt] = call
    return {
        seat: [
            [[texts[text] for text in _shown(asked[attempt])] for attempt in sorted(asked)]
            for _, asked in sorted(answers.items())
        ]
        for seat, answers in sorted(found.items())
    }


def _shown(call: ModelCall) -> tuple[str, str, str, str]:
    prompt = "\n\n".join(text for role, text in call.messages if role != "assistant")
    said = call.reply.values
    thoughts = [call.reply.thoughts, str(said.get("thoughts", ""))]
    reply = call.reply.text or call.reply.refusal
    return prompt, "\n\n".join(filter(None, thoughts)), reply, call.problem
