"""Stunners: whom they only wound lies stunned, and can be taken prisoner (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from client_protocol.view import CardLine
from server.kernel.bodies import is_vehicle
from server.kernel.facts import FiguresGained, FiguresLost
from server.kernel.procedure import Steps
from server.kernel.space.geometry import gap, to_mil
from server.kernel.standing import TOUCH
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import FadModule, FigureMarker, WeaponEffect, Wounding

RULE = "tech.stunners"
STUNNED, CAPTURED = "stunned", "captured"


def _stunned(rules: FadRules, margins: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """Return the figures that one hit took out, by less than what kills."""
    killed_by = rules.book.tables.wounds.killed_by
    return tuple(figure for figure, over in margins.items() if len(over) == 1 and over[0] < killed_by)


def _at_once(_rules: FadRules, fallen: Sequence[str]) -> tuple[str, ...]:
    """Return the farther half of the figures that fall, rounded up."""
    return tuple(fallen[len(fallen) // 2 :])


def _note(rules: FadRules) -> str:
    least = rules.book.tables.wounds.killed_by
    return f"A figure that falls is stunned, unless the damage beats its armour by {least}: then it is wounded."


def _taken(game: FadGame, unit_id: str) -> Steps[None]:
    """Let a unit that has moved take the stunned enemies prisoner that its figures touch."""
    unit = game.unit(unit_id)
    if is_vehicle(unit):
        return
    for enemy in game.state.enemies_of(unit.side):
        touched = tuple(
            key
            for key, figure in enemy.figures.items()
            if STUNNED in figure.conditions
            and figure.at is not None
            and any(to_mil(gap(figure.at, figure.radius, at, radius)) <= TOUCH for at, radius in unit.places())
        )
        if touched and not enemy.left:
            yield FiguresLost(enemy.id, touched, STUNNED, RULE)
            yield FiguresGained(enemy.id, touched, CAPTURED, RULE)


def _card(_rules: FadRules, _state: State, unit: Unit) -> Iterator[CardLine]:
    for marker, told in ((STUNNED, "stunned"), (CAPTURED, "taken prisoner")):
        count = sum(marker in figure.conditions for figure in unit.figures.values())
        if count:
            yield CardLine("Stunners", f"{count} {told}", RULE)


PRISONERS = FadModule(
    id="prisoners",
    figure_markers=(FigureMarker(STUNNED, fallen=True, alive=True), FigureMarker(CAPTURED, fallen=True)),
    weapon_effects=(WeaponEffect(trait="stuns", wounding=Wounding(_stunned, _at_once, STUNNED, RULE, _note)),),
    arrived=_taken,
    card=_card,
)
