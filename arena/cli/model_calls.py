"""Allows the calls of language models in a run, by host and key, and reports their cost so far."""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arena.config.document import ConfigError
from arena.config.text import list_words, money
from arena.models.calls import Cassette
from arena.models.secret import Secret
from arena.models.spec import ModelSpec
from arena.programs.sandbox.policy import Sandbox
from arena.tournament.formats.plan import Plan
from arena.tournament.models.access import ModelAccess, refuse_exposed_keys, take_keys
from arena.tournament.models.approval import HostKey, approved, is_allowed_by, remember
from arena.tournament.run import OnProgress, Progress
from arena.tournament.runs.ledger import CallStore, Spending, calls_file


class Models:
    """Gives workers access to the models of a plan, by calls to their hosts or from a cassette.

    `allowed` are the values of `--allow`; `games` is how many games with models are played at once.
    """

    def __init__(self, plan: Path, allowed: Collection[str], games: int, cassette: Path | None = None):
        self._plan, self._allowed, self.games, self._cassette = plan, allowed, games, cassette
        self._keys: dict[str, Secret] | None = None  # They are taken out of the environment once.

    def access(self, plan: Plan, out: Path, sandbox: Sandbox | None) -> ModelAccess:
        """The access that workers need to call models.

        Without a `sandbox` the workers belong to a cluster, and find the keys in their own environment.

        Raises:
            ConfigError: A host is not allowed, a key is missing or bots could read it, or the cassette is
                bad.
        """
        if self._keys is None and not self._cassette:
            self.take_keys(plan, are_here=sandbox is not None)
        if self._cassette:
            Cassette(self._cassette)  # Reading it here reports an error to the user before workers start.
        if sandbox:
            refuse_exposed_keys(sandbox, self._keys or ())
        budget = None if self._cassette else plan.run.budget
        return ModelAccess(calls_file(out), self._keys or {}, budget, self._cassette, self.games)

    def take_keys(self, plan: Plan, are_here: bool = True) -> None:
        """Ask about hosts that are not allowed yet; take the keys out of the environment, if they `are_here`.

        Call it before the first process is started, because the process would inherit the keys.

        Raises:
            ConfigError: A host is not allowed, or a key is missing.
        """
        specs = {name: model for name, bot in plan.bots.items() if (model := bot.model)}
        _approve(self._plan, specs, self._allowed)
        self._keys = take_keys(sorted({spec.key_env for spec in specs.values() if spec.key_env and are_here}))


def _approve(plan: Path, specs: dict[str, ModelSpec], allowed: Collection[str]) -> None:
    """Ask whether each host may get its key, unless the user has allowed it; remember a yes.

    `specs` are by bot.

    Raises:
        ConfigError: A host is not allowed, or there is no terminal to ask.
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
    """Yield a function that adds the cost of the calls so far, and then calls `report`.

    If `access` is None, there are no calls, and `report` itself is yielded.

    Raises:
        ConfigError: The ledger cannot be written.
    """
    if access is None:
        yield report
        return
    with CallStore(access.ledger, access.budget) as calls:
        calls.begin_run()

        def tell(progress: Progress) -> None:
            if not access.cassette:  # Calls from a cassette cost nothing.
                progress.spent = spent(calls.spent(), access.budget)
            report(progress)

        yield tell


def spent(total: Spending, budget: float | None = None) -> str:
    """The cost of calls so far, with the `budget` if there is one; or their tokens, if they cost nothing."""
    if not total.cost and budget is None:
        return f"{total.tokens_in + total.tokens_out:,} tokens"
    of = "" if budget is None else f" of {budget:g}"
    return f"{money(total.cost) or 0}{of} spent"
