"""Laws of every game of FAD 5, in addition to those of all games."""

from __future__ import annotations

from server.kernel.facts import ActivationBegan, ActivationEnded, ConditionLost, Fact, FiguresFell, TurnBegan, UnitLeft
from server.kernel.state import State
from tests.rulesets.fad4 import laws


class Own(laws.Own):
    """The laws of squads in FAD 4. In addition, a Broken squad stays Broken, no figure leaves over the table's edge, squads are
    Pinned only if the match plays with pinning, and in a match without cards one unit at most activates twice in a turn.
    """

    fall_back = ("assault.loser-falls-back", "assault.draw-falls-back")

    def __init__(self, start: State) -> None:
        super().__init__(start)
        self._pinned = {key for key, unit in start.units.items() if "pinned" in unit.conditions}
        """The units that are Pinned since the beginning: wild positions have some."""
        self._active: set[str] = set()
        """The units that have activated this turn."""
        self._again: list[str] = []
        """Those that have done so more than once."""

    def activations(self, state: State) -> int:
        """Return how often a unit may activate in a turn."""
        return 1 if (state.options["cards_of_a_unit"], state.options["seize_initiative"]) == (1, "off") else 2

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Check the changes."""
        super().fact(before, fact, after)
        if isinstance(fact, TurnBegan):
            self._active, self._again = set(), []
        if isinstance(fact, ActivationBegan):
            self._again += [fact.unit] if fact.unit in self._active else []
            self._active.add(fact.unit)
            assert after.options["activation"] == "cards" or len(self._again) <= 1, f"{self._again} activate again"
        if isinstance(fact, ActivationEnded):
            self._pinned.discard(fact.unit)
        if isinstance(fact, ConditionLost):
            assert fact.condition != "broken", f"{fact.unit} is Broken no more"
        if isinstance(fact, FiguresFell):
            assert fact.cause != "left_table", f"{fact.unit} leaves the table"
        if isinstance(fact, UnitLeft):
            assert fact.reason != "left_table", f"{fact.unit} leaves the table"

    def state(self, state: State) -> None:
        """Check the markers."""
        super().state(state)
        if state.options["pinning"] == "off":
            pinned = {key for key, unit in state.units.items() if "pinned" in unit.conditions}
            assert pinned <= self._pinned, f"no unit is pinned here, and {pinned - self._pinned} are"
