"""What no position may be, whatever is played: figures on top of each other, units without a side or a place."""

from __future__ import annotations

from server.kernel.geometry import Outline
from server.kernel.hulls import Pose, hull_overlaps, inside_table, outline, smaller
from server.kernel.paths import Base, on_table, overlaps
from server.kernel.ruleset import RulesetError
from server.kernel.state import Figure, State


def check(state: State) -> None:
    """Refuse what nobody could play on. Raises `RulesetError`."""
    if len(state.sides) < 2:
        raise RulesetError("a match is between two sides at least, each with an id of its own")
    ground = _Ground((state.table.width, state.table.height))
    for unit in state.units.values():
        places = [] if unit.left else unit.places()
        if places and len(places) < unit.strength:
            raise RulesetError(f"{unit.name}: either all of its figures are on the table, or none")
        if unit.aboard and unit.aboard not in state.units:
            raise RulesetError(f"{unit.name} is aboard {unit.aboard!r}, which the setup does not have")
        if unit.aboard and places:
            raise RulesetError(f"{unit.name} cannot be aboard a vehicle and on the table at once")
        if not unit.left and not unit.aboard and not places and len(state.sides[unit.side].zone) < 3:
            raise RulesetError(f"{unit.name} is not on the table, and its side has no deployment zone")
        if places:
            for figure in unit.living.values():
                ground.take(unit.name, figure)


class _Ground:
    """What the figures of a setup take up on a table of this size, as they are looked at one by one."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._bases: list[Base] = []
        self._hulls: list[Outline] = []

    def take(self, name: str, figure: Figure) -> None:
        """Let a figure of the unit of this name stand where it stands. Raises `RulesetError` when it cannot."""
        assert figure.at is not None, "only figures on the table stand somewhere"
        where = f"{name}: the figure at {[x / 1000 for x in figure.at]}"
        if figure.hull is None:
            inside = on_table(figure.at, figure.radius, self._size)
            crowded = overlaps(figure.at, figure.radius, self._bases, self._hulls)
            self._bases.append((figure.at, figure.radius))
        else:
            inside = inside_table(outline(Pose(figure.at, figure.facing), smaller(figure.hull)), self._size)
            whole = outline(Pose(figure.at, figure.facing), figure.hull)
            crowded = hull_overlaps(whole, self._bases, self._hulls)
            self._hulls.append(whole)
        if not inside:
            raise RulesetError(f"{where} does not stand wholly on the table")
        if crowded:
            raise RulesetError(f"{where} stands on another base or in a vehicle")
