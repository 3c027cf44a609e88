"""Figures that fall, and the effect on their unit."""

from __future__ import annotations

from server.kernel.facts import FigureRearmed, FiguresFell, UnitLeft
from server.kernel.procedure import Steps
from server.kernel.space.geometry import gap, to_mil
from server.kernel.state import Figure
from server.kernel.traits import has
from server.rulesets.fubar.fights import cease
from server.rulesets.fubar.game import LEADER, FubarGame
from server.rulesets.fubar.guns import CREWED


def fell(game: FubarGame, unit: str, figures: tuple[str, ...], cause: str, rule: str) -> Steps[None]:
    """Take `figures` of `unit` out of the game. A unit without figures leaves the game, and its fights end."""
    yield FiguresFell(unit, figures, cause, rule)
    if game.unit(unit).strength == 0:
        yield UnitLeft(unit, "destroyed", rule)
        yield from cease(game, unit)
        return
    for figure in figures:
        yield from _hand_over(game, unit, figure)


def _hand_over(game: FubarGame, unit_id: str, gunner: str) -> Steps[None]:
    """Let another figure take over the crew-served weapon of a fallen gunner (fubar4/weapon.hmg-crew)."""
    unit, weapons = game.unit(unit_id), game.rules.book.weapons
    fallen = unit.figures[gunner]
    if fallen.role not in weapons or CREWED not in weapons[fallen.role].traits:
        return
    able = [
        (has(figure, LEADER), _apart(fallen, figure), key)
        for key, figure in unit.living.items()
        if figure.role not in weapons
    ]
    if able:
        # The nearest figure takes it, the leader only if there is no other.
        yield FigureRearmed(unit_id, min(able, key=lambda one: one[:2])[2], fallen.role, "weapon.hmg-crew")


def _apart(one: Figure, other: Figure) -> int:
    """Return the mil between two figures; 0 for those who get out of a vehicle, and have no places yet."""
    if one.at is None or other.at is None:
        return 0
    return to_mil(gap(one.at, one.radius, other.at, other.radius))
