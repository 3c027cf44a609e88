"""Laws of every game of FAD 5, in addition to those of all games."""

from __future__ import annotations

from server.kernel.bodies import apart, bodies, is_vehicle
from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    ConditionLost,
    Fact,
    FiguresFell,
    TurnBegan,
    UnitLeft,
    UnitMoved,
)
from server.kernel.space.geometry import gap, inches, to_mil
from server.kernel.space.paths import path_length
from server.kernel.space.values import Body
from server.kernel.state import State
from server.rulesets.fad.commanders import commands
from server.rulesets.fad.movement import coherent
from server.rulesets.fad.sequence import by_cards
from tests.rulesets.fad4 import laws
from tests.rulesets.fad5.battlefield import fad5

MOVES = {"move", "rush", "fall-back"}
"""The manners of moves that are no assault."""


class Own(laws.Own):
    """The laws of squads in FAD 4. In addition, a Broken squad stays Broken, no figure leaves over the table's edge, squads are
    Pinned only if the match plays with pinning, and in a match without cards one unit at most activates twice in a turn.
    Who falls back from a fight ends clear of the enemy.
    """

    aboard = ("broken", "losing_heart", "heart_gone")
    contact = inches(0.5)
    off = inches(1)
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
        if state.options["activation"] == "alternate":
            return 1 if state.options["seize_initiative"] == "off" else 2
        each = int(state.options["cards_of_a_unit"])
        if (state.options["activation"], state.options["commander_card"]) != ("expanded-cards", "extra"):
            return each
        commanders = sum(commands(unit) for unit in state.units.values())
        return each + int(state.options["commander_cards"]) * commanders

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Check the changes."""
        super().fact(before, fact, after)
        if isinstance(fact, TurnBegan):
            self._active, self._again = set(), []
        if isinstance(fact, ActivationBegan):
            self._again += [fact.unit] if fact.unit in self._active else []
            self._active.add(fact.unit)
            assert by_cards(after) or len(self._again) <= 1, f"{self._again} activate again"
        if isinstance(fact, ActivationEnded):
            self._pinned.discard(fact.unit)
        if isinstance(fact, ConditionLost):
            found = fact.rule == "terrain-event.building.unexpected-find"
            assert fact.condition != "broken" or found, f"{fact.unit} is Broken no more"
        stops = after.options["fallback_off_table"] == "stop"
        if isinstance(fact, FiguresFell):
            assert fact.cause != "left_table" or not stops, f"{fact.unit} leaves the table"
        if isinstance(fact, UnitLeft):
            assert fact.reason != "left_table" or not stops, f"{fact.unit} leaves the table"
        if (
            isinstance(fact, UnitMoved)
            and fact.manner in {"move", "rush", "fall-back"}
            and not is_vehicle(before.units[fact.unit])
        ):
            _keeps_away(before, after, fact)

    def _goes_back(self, _whole: State, before: State, after: State, fact: UnitMoved) -> None:
        """Check that each figure that falls back goes no farther than it may, and ends clear of the enemy and farther from it."""
        enemy, score = self._scores[fact.unit]
        table = fad5().book.tables.close_assault
        draw = score == self._scores[enemy][1]
        length, clear = inches(table.fall_back_draw if draw else table.fall_back_lost), inches(table.fall_back_clear)
        theirs = before.units[enemy].places()
        for key, path in fact.paths.items():
            figure, start = after.units[fact.unit].figures[key], before.units[fact.unit].figures[key].at
            assert figure.at is not None
            assert start is not None
            told = f"figure {key} of {fact.unit}"
            gone = to_mil(path_length((start, *path)))
            assert gone <= length, f"{told} fell back {gone} mil, of {length}"
            was = min((to_mil(gap(start, figure.radius, *base)) for base in theirs), default=-1)
            now = min((to_mil(gap(figure.at, figure.radius, *base)) for base in theirs), default=clear)
            assert now > was, f"{told} fell back to {now} mil from the enemy, from {was}"
            assert now >= clear, f"{told} fell back to {now} mil from the enemy"

    def _together(self, before: State, after: State, fact: UnitMoved) -> None:
        """A unit that is out of coherency and hemmed in falls back all the same, each figure as it can."""
        if fact.manner != "fall-back" or coherent(fad5().rules, before, before.units[fact.unit]):
            super()._together(before, after, fact)

    def state(self, state: State) -> None:
        """Check the markers."""
        super().state(state)
        if state.options["pinning"] == "off":
            pinned = {key for key, unit in state.units.items() if "pinned" in unit.conditions}
            assert pinned <= self._pinned, f"no unit is pinned here, and {pinned - self._pinned} are"


def _keeps_away(before: State, after: State, fact: UnitMoved) -> None:
    """Check that figures on foot which move end an inch from each enemy, or no nearer to it than they began."""
    if is_vehicle(before.units[fact.unit]):
        return
    was, now = before.units[fact.unit], after.units[fact.unit]
    foes = [body for enemy in after.enemies_of(now.side) for body in bodies(enemy).values()]
    for key in fact.paths:
        start, end = was.figures[key], now.figures[key]
        assert start.at is not None
        assert end.at is not None
        for foe in foes:
            far = apart([Body(end.at, end.radius)], [foe])
            # A vehicle may stand nearer than that already: it drives and lands where it likes.
            assert far >= min(1000, apart([Body(start.at, start.radius)], [foe])), f"{fact.unit} comes within {far} mil"
