"""The calls of language models in a run: which hosts may get which keys, and what the calls cost so far."""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena.config.document import ConfigError
from arena.config.text import list_words, money
from arena.models.cassette import Cassette
from arena.models.secret import Secret
from arena.models.spec import ModelSpec
from arena.programs.sandbox.policy import Sandbox
from arena.tournament.formats.plan import Plan
from arena.tournament.models.access import ModelAccess, refuse_exposed_keys, take_keys
from arena.tournament.models.approval import HostKey, approved, is_allowed_by, remember
from arena.tournament.run import OnProgress, Progress
from arena.tournament.runs.ledger import CallStore, Spending, calls_file


class Models:
    """How the models of a plan are played: by calls to their hosts, or from a cassette.

    `allowed` are the values of `--allow`; `games` is how many games with models are played at once.
    """

    def __init__(self, plan: Path, allowed: Collection[str], games: int, cassette: Path | None = None):
        self._plan, self._allowed, self.games, self._cassette = plan, allowed, games, cassette
        self._keys: dict[str, Secret] | None = None  # taken once

    def access(self, plan: Plan, out: Path, sandbox: Sandbox | None) -> ModelAccess:
        """What the workers need to call models.

        ConfigError: a host is not allowed, a key is missing or bots could read it, or the cassette is bad.
        Without a `sandbox` the workers are those of a cluster, which have the keys in their environment.
        """
        if self._keys is None and not self._cassette:
            self.take_keys(plan, are_here=sandbox is not None)
        if self._cassette:
            Cassette(self._cassette)  # read here first: an error is that of the user
        if sandbox:
            refuse_exposed_keys(sandbox, self._keys or ())
        budget = None if self._cassette else plan.run.budget
        return ModelAccess(calls_file(out), self._keys or {}, budget, self._cassette, self.games)

    def take_keys(self, plan: Plan, are_here: bool = True) -> None:
        """Ask about hosts that are not allowed yet; take the keys out of the environment, if they `are_here`.

        To be called before the first process is started, which would inherit the keys. ConfigError: a host is
        not allowed, or a key is missing.
        """
        specs = {name: model for name, bot in plan.bots.items() if (model := bot.model)}
        _approve(self._plan, specs, self._allowed)
        self._keys = take_keys(sorted({spec.key_env for spec in specs.values() if spec.key_env and are_here}))


def _approve(plan: Path, specs: dict[str, ModelSpec], allowed: Collection[str]) -> None:
    """Ask whether each host may get its key, unless the user has allowed that; remember a yes.

    `specs` are by bot. ConfigError: one is not allowed, or there is no terminal to ask.
    """
    names: dict[HostKey, list[str]] = {}
    for name, spec in specs.items():
        names.setdefault(HostKey(spec.host, spec.key_env), []).append(name)
    known = approved()
    new = [pair for pair in names if pair not in known and not is_allowed_by(pair, allowed)]
    wanted = {pair: f"{list_words(names[pair])} would call {pair}" for pair in new}
    if wanted and not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        refused = "which you have not allowed; --allow"
        raise ConfigError(*(f"{plan}: {what}, {refused} {pair.host}" for pair, what in wanted.items()))
    for pair, what in wanted.items():
        click.echo(f"{plan}: {what}.", err=True)
        if not click.confirm("Allow it, now and later?", err=True):
            raise ConfigError(f"{plan}: {pair} was not allowed, so nothing was sent")
        remember([pair])


@contextmanager
def report_costs(access: ModelAccess | None, report: OnProgress) -> Iterator[OnProgress]:
    """Yield a function that calls `report` after it has added what the calls of the run cost so far.

    With `access` None, there are no calls: yields `report`. ConfigError: the ledger cannot be written.
    """
    if access is None:
        yield report
        return
    with CallStore(access.ledger, access.budget) as calls:
        calls.begin_run()

        def tell(progress: Progress) -> None:
            if not access.cassette:  # else nothing is paid
                progress.spent = spent(calls.spent(), access.budget)
            report(progress)

        yield tell


def spent(total: Spending, budget: float | None = None) -> str:
    """What calls cost so far, of the `budget` if there is one; or their tokens, if they cost nothing."""
    if not total.cost and budget is None:
        return f"{total.tokens_in + total.tokens_out:,} tokens"
    of = "" if budget is None else f" of {budget:g}"
    return f"{money(total.cost) or 0}{of} spent"
