"""What a unit touches where it stands: figures on foot by their bases, vehicles by their hulls."""

from __future__ import annotations

from server.kernel.bodies import bodies
from server.kernel.space.geometry import to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.standing import TOUCH
from server.kernel.state import Figure, Unit


def in_contact(unit: Unit, figure: Figure) -> bool:
    """Return whether a unit is in contact with a figure that stands or lies on the table."""
    if figure.at is None:
        return False
    there = Body(figure.at, figure.radius)
    return any(to_mil(apart(own, there)) <= TOUCH for own in bodies(unit).values())
