"""What would have followed a decision if nobody had given any standing order. Pure.

An order that lets a move pass shows itself to whoever knows the rules: there could have been a reaction, and nobody was asked.
Who could then take the move back at no cost would find out all orders in turn. So a decision has shown something as soon as
something else would have followed it without orders. That is found from what everybody knows, so it tells nothing itself.
"""

from __future__ import annotations

from server.kernel.answers.check import Ask
from server.kernel.desk_facts import StandingOrder
from server.kernel.dice import RecordedDice
from server.kernel.procedure import rebuild
from server.kernel.ruleset import Ruleset
from server.matches.log.fold import Mark

KEPT = 32
"""How many findings are remembered: one is asked for again with each entry beside the table."""


class WithoutOrders:
    """Tells whether standing orders had a hand in what followed decisions of one match.

    Args:
        rules: the edition.
    """

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._found: dict[tuple[int, int], bool] = {}

    def differs(self, to: Mark, undone: tuple[Mark, ...], ask: Ask | None) -> bool:
        """Whether without orders something else would have followed.

        Args:
            to: where the decisions begin.
            undone: the decisions, no die of which has fallen.
            ask: what is open after the last of them.
        """
        if not any(order for mark in undone for order in mark.before.desk.orders.values()):
            return False
        key = (to.number, undone[-1].number)
        if key not in self._found:
            while len(self._found) >= KEPT:
                del self._found[next(iter(self._found))]
            self._found[key] = self._differs(to, undone, ask)
        return self._found[key]

    def _differs(self, to: Mark, undone: tuple[Mark, ...], ask: Ask | None) -> bool:
        try:
            run = rebuild(self._rules, to.boundary, to.since[: to.length], RecordedDice(()))
            # What was given in between is left out with the rest.
            run.fold([StandingOrder(unit, "") for unit in run.state.desk.orders])
            for mark in undone:
                assert mark.step.picked is not None, "it is a decision"
                step = run.answer(mark.step.seat, mark.step.picked)
                if step.facts != mark.step.facts:
                    return True
        except Exception:  # noqa: BLE001 - other dice, another seat asked, rules of another version: it went otherwise
            return True
        asked = set() if run.asked is None else set(run.asked.seats)
        return asked != (set() if ask is None else set(ask.seats))
