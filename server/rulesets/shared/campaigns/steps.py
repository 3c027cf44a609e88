"""The steps after a battle: those in which there is nothing to decide pass without an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from server.kernel.campaigns.facts import AnyFact, fold
from server.kernel.campaigns.state import PostBattle


def passed(
    state: PostBattle, facts: tuple[AnyFact, ...], undecided: Callable[[PostBattle], Iterable[AnyFact]]
) -> tuple[AnyFact, ...]:
    """Return facts, and behind them those of the steps in which there is nothing to decide.

    Args:
        state: the force before the facts.
        facts: the facts.
        undecided: the facts of a step that passes without dice or a decision; none if it needs one.
    """
    after, found = fold(state, *facts), list(facts)
    while more := tuple(undecided(after)):
        found += more
        after = fold(after, *more)
    return tuple(found)
