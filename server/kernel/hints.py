"""What an edition tells a computer opponent: rough numbers, by which it weighs what it could do.

None of it decides anything: what is legal the prompts say, and what happens the rules. An edition that says nothing here is
played all the same, by its prompts and previews alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import Point, inches
from server.kernel.space.values import Body
from server.kernel.state import State, Unit

if TYPE_CHECKING:
    from server.kernel.ruleset import Preview


class Manner(Struct, frozen=True, gc=False):
    """What comes with a choice apart from its parameters.

    Attributes:
        fire: the share of a unit's fire that it can give after it (0: none).
        seen: the share of the enemies' fire that a unit has to expect after it.
        moves: whether the unit may move once more after it.
        worth: what else it is worth, in figures.
    """

    fire: float = 0.0
    seen: float = 1.0
    moves: bool = False
    worth: float = 0.0


class Worth(Struct, frozen=True, gc=False):
    """What is expected of a choice, in figures: losses `dealt` to enemies, and those `taken`."""

    dealt: float = 0.0
    taken: float = 0.0


class Goal(Struct, frozen=True, gc=False):
    """A place that a side wants to have: its middle, and within what distance of it (mil) a unit has it."""

    at: Point
    radius: int


class Hints:
    """The hints of an edition. These are for one that has none of its own."""

    def manner(self, choice: str) -> Manner:  # noqa: ARG002 - an edition looks at the choice's key
        """Return what comes with a choice of this key."""
        return Manner()

    def menace(
        self,
        state: State,  # noqa: ARG002 - an edition looks at it
        unit: Unit,
        target: Unit,
        distance: int,
        cover: str,  # noqa: ARG002 - an edition looks at it
    ) -> float:
        """Return the losses, in figures, that the fire of all of `unit` at `target` has on average.

        Args:
            state: the state as the seat may know it.
            unit: the one that fires.
            target: the one that is fired at.
            distance: how far it is, in mil.
            cover: the level of cover of the target.
        """
        return 0.1 * unit.strength if distance <= inches(18) and not is_vehicle(target) else 0.0

    def covers(self, levels: Iterable[str]) -> str:
        """Return the best of these levels of cover; the edition's word for no cover if there is none."""
        return next(iter(levels), "none")

    def worth(self, unit: Unit) -> float:
        """Return what a figure of `unit` is worth, where an ordinary figure is worth 1."""
        return 4.0 if is_vehicle(unit) else 1.0

    def near(self, unit: Unit) -> int:
        """Return the distance (mil) to which `unit` wants to come up to its enemies."""
        return inches(12) if unit.left == "" else 0

    def firing(self, state: State, places: Iterable[Body]) -> float:  # noqa: ARG002 - an edition looks at both
        """Return which share of figures could fire at what they see if they stood so."""
        return 1.0

    def posts(self, state: State, radius: int) -> tuple[tuple[Point, ...], ...]:  # noqa: ARG002 - an edition looks at both
        """Return groups of places where figures whose bases have this radius (mil) stand well, as behind a window, the best of
        each group first.
        """
        return ()

    def bystander(self, unit: Unit) -> bool:  # noqa: ARG002 - an edition looks at it
        """Return whether a unit obeys no side."""
        return False

    def goals(self, state: State) -> tuple[Goal, ...]:
        """Return the places that decide the match; none if it is decided by losses."""
        return tuple(Goal(one.at, one.radius) for one in state.objectives.values())

    def told(self, state: State, unit: str, preview: Preview) -> Worth:  # noqa: ARG002 - an edition reads its own previews
        """Return what a preview of a choice of `unit` says, in figures."""
        return Worth()
