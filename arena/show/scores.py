"""Shows the score of a bot against a frozen pool: as text, JSON, a line of Markdown, and a badge."""

import json
from math import isfinite
from typing import Any

from jinja2 import Environment

from arena.tournament.score import Score

_LETTER, _PAD, _HEIGHT = 6.6, 8, 20  # pixels: the width of a letter, the margin of a field, the height

_BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{{ width }}" height="{{ height }}" role="img" \
aria-label="{{ label }}: {{ value }}">
<title>{{ title }}</title>
<rect width="{{ width }}" height="{{ height }}" rx="3" fill="#444"/>
<path fill="#075" d="M{{ split }} 0h{{ width - split - 3 }}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{{ split }}z"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{{ split / 2 }}" y="14" textLength="{{ split - 2 * pad }}">{{ label }}</text>
<text x="{{ (split + width) / 2 }}" y="14" textLength="{{ width - split - 2 * pad }}">{{ value }}</text>
</g>
</svg>"""


def _text(score: Score) -> str:
    rows = [f"  {row.bot:<20} {row.elo:>6.0f} {row.score:>7.1%}" for row in score.against]
    heads = f"  {'against':<20} {'Elo':>6} {'score':>7}"
    return "\n".join([f"{score.name}: {score.performance} Elo ({score.terms})", heads, *rows])


def _json(score: Score) -> str:
    return json.dumps(_values(score), indent=1)


def _values(score: Score) -> dict[str, Any]:
    """The score as JSON values. An infinite Elo, and an infinite end of an interval, is None."""
    made, pool = score.performance, score.pool
    return {
        "bot": score.name,
        "fingerprint": score.fingerprint,
        "pool": pool.name,
        "game": pool.game,
        "seats": pool.seats,
        "options": dict(pool.checked_options),
        "seed": score.seed,
        "elo": _finite(made.elo),
        "interval": [_finite(made.low), _finite(made.high)],
        "score": round(made.score, 4),
        "games": score.games,
        "groups": made.groups,
        "faults": dict(score.faults),
        "against": [vars(row) | {"score": round(row.score, 4)} for row in score.against],
    }


def _finite(number: float) -> float | None:
    return round(number, 1) if isfinite(number) else None


def _markdown(score: Score) -> str:
    return f"**{score.performance}** Elo ({score.terms})"


def _svg(score: Score) -> str:
    """A badge with the pool, the Elo, the fingerprint of the bot and the seed; the rest is in its title."""
    label = score.pool.name
    value = f"{score.performance} · bot {score.fingerprint[:8]} · seed {score.seed}"
    split, more = (round(_LETTER * len(text)) + 2 * _PAD for text in (label, value))
    page = Environment(autoescape=True).from_string(_BADGE)
    title = f"{score.name}: {score.performance} Elo ({score.terms})"
    return page.render(
        label=label, value=value, title=title, split=split, width=split + more, height=_HEIGHT, pad=_PAD
    )


_RENDERERS = {"text": _text, "json": _json, "markdown": _markdown, "svg": _svg}


def render_score(score: Score, form: str) -> str:
    """The score as `text`, `json`, a line of `markdown` for a README, or an `svg` badge."""
    return _RENDERERS[form](score)
