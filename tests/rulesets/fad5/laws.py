"""Laws of every game of FAD 5, in addition to those of all games."""

from __future__ import annotations

from server.kernel.facts import ConditionLost, Fact, FiguresFell, UnitLeft
from server.kernel.state import State
from tests.rulesets.fad4 import laws


class Own(laws.Own):
    """The laws of squads in FAD 4. In addition, a Broken squad stays Broken, no figure leaves over the table's edge, and
    squads are Pinned only if the match plays with pinning.
    """

    fall_back = "assault.loser-falls-back"

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Check the changes."""
        super().fact(before, fact, after)
        if isinstance(fact, ConditionLost):
            assert fact.condition != "broken", f"{fact.unit} is Broken no more"
        if isinstance(fact, FiguresFell):
            assert fact.cause != "left_table", f"{fact.unit} leaves the table"
        if isinstance(fact, UnitLeft):
            assert fact.reason != "left_table", f"{fact.unit} leaves the table"

    def state(self, state: State) -> None:
        """Check the markers."""
        super().state(state)
        # Wild positions begin with some Pinned squads.
        if state.options["pinning"] == "off" and state.turn.number > 1:
            assert not any("pinned" in unit.conditions for unit in state.units.values()), "nobody is pinned here"
