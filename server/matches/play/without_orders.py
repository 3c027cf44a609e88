"""Whether a decision would have gone otherwise without any standing orders. Pure.

An order that lets a move pass is visible to a player who knows the rules: a reaction was possible, and was not asked for. A
player who could then take the move back for free could find out all orders one by one. So a decision has shown something as
soon as something else would have followed it without orders. This is computed from what all players know, so it reveals
nothing itself.
"""

from __future__ import annotations

from server.kernel.answers.check import Ask
from server.kernel.desk_facts import StandingOrder
from server.kernel.dice import RecordedDice
from server.kernel.procedure import rebuild
from server.kernel.ruleset import Ruleset
from server.matches.log.fold import Fold
from server.matches.log.trail import Mark

KEPT = 32
"""How many results are cached: each entry on the desk asks for one again."""


class WithoutOrders:
    """Finds out whether standing orders had a hand in what followed decisions of one match.

    Args:
        rules: the edition.
    """

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._found: dict[tuple[int, int], bool] = {}

    def differs(self, fold: Fold, to: Mark, undone: tuple[Mark, ...], ask: Ask | None) -> bool:
        """Return whether something else would have followed without orders.

        Args:
            fold: the match.
            to: the mark before the decisions.
            undone: the decisions, in which no die fell.
            ask: the open ask after the last of them.
        """
        if not any(mark.ordered for mark in undone):
            return False
        key = (to.number, undone[-1].number)
        if key not in self._found:
            while len(self._found) >= KEPT:
                del self._found[next(iter(self._found))]
            self._found[key] = self._differs(fold, to, ask)
        return self._found[key]

    def _differs(self, fold: Fold, to: Mark, ask: Ask | None) -> bool:
        try:
            boundary, since = fold.at(to)
            run = rebuild(self._rules, boundary, since, RecordedDice(()))
            # Orders given in between are left out too.
            run.fold([StandingOrder(unit, "") for unit in run.state.desk.orders])
            for _, made in fold.steps_after(to.number):
                assert made.picked is not None, "it is a decision"
                step = run.answer(made.seat, made.picked)
                if step.facts != made.facts:
                    return True
        except Exception:  # noqa: BLE001 - other dice, another seat asked, rules of another version: it went otherwise
            return True
        asked = set() if run.asked is None else set(run.asked.seats)
        return asked != (set() if ask is None else set(ask.seats))
