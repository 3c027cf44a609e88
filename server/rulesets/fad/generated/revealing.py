"""What a contact marker turns out to be: a unit, or nothing (fad5/scenario.recon-reveal, fad4/npc.markers-shuffled)."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import Choice, FiguresPlaced, Picked, PlacementParameter
from server.kernel import notes
from server.kernel.answers.check import Asked
from server.kernel.facts import Rolled, UnitLeft, UnitPlaced
from server.kernel.notes import secret
from server.kernel.procedure import Steps, ask, roll
from server.kernel.setup_facts import SideDeclared, UnitsRemoved
from server.kernel.space.geometry import Point, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.markers import TRUE, undeployed
from server.rulesets.fad.setup.deployment import deployment
from server.rulesets.shared.setup.berths import Berth, FreeSpace
from server.rulesets.shared.setup.deployment import NO_ROOM

AROUND = (3, 6, 10, 100)
"""How far around a marker there is looked for space for its unit, in inches, until there is some."""
DUMMY, TROOPS = "a dummy", "a unit"


def reveal(game: FadGame, marker: str, rule: str) -> Steps[None]:
    """Reveal a marker: it is taken away, and if it is True, a unit is placed where it lay."""
    unit = game.unit(marker)
    side, at = unit.side, counters.at(unit)
    if secret(game.state.sides[side].seat, TRUE) not in game.state.book:
        stands = yield from _fallen(game, unit)
        yield UnitsRemoved((marker,), rule)
        if stands:
            yield from _set_down(game, stands, at, rule)
        return
    true = marker in notes.words(game.state.book, secret(game.state.sides[side].seat, TRUE))
    yield SideDeclared(side, "revealed", rule, f"{unit.name}: {TROOPS if true else DUMMY}")
    yield UnitsRemoved((marker,), rule)
    left = undeployed(game.state, side)
    if true and left:
        yield from _named(game, side, left, at, unit.name)


def _fallen(game: FadGame, marker: Unit) -> Steps[str]:
    """Return the unit for which a marker stands that was shuffled blind, "" for none: a die says it, with a face for each marker
    of the side that is left, so that each of them was as likely to be any of those (fad4/npc.markers-shuffled).
    """
    left = [unit.id for unit in undeployed(game.state, marker.side)]
    of = max(len(counters.contacts(game.state, marker.side)), len(left))
    face = 1
    if of > 1:
        (face,) = yield from roll(1, of, purpose="marker")
        stands = left[face - 1] if face <= len(left) else ""
        rule = "npc.markers-shuffled"
        yield Rolled("marker", rule, (face,), of, outcome=stands or DUMMY, side=marker.side, unit=marker.id)
        return stands
    stands = left[0] if left else ""
    yield SideDeclared(marker.side, "revealed", "npc.markers-shuffled", f"{marker.name}: {TROOPS if stands else DUMMY}")
    return stands


def _named(game: FadGame, side: str, left: Sequence[Unit], at: Point, name: str) -> Steps[None]:
    """Ask a player which unit a True marker is and where its figures stand, and place it."""
    seat, rule = game.state.sides[side].seat, "scenario.reveal-forces"
    state = game.believed(seat)
    choices: dict[str, tuple[Choice, PlacementParameter]] = {}
    for unit in left:
        found = space(game, state, unit, at)
        if found is not None:
            zone, berth = found
            parameter = _question(game, state, unit, zone, berth)
            choices[f"stands:{unit.id}"] = (Choice(f"stands:{unit.id}", unit.name, rule, "", (parameter,)), parameter)
    if not choices:
        yield UnitLeft(left[0].id, NO_ROOM, rule)
        return
    key, (_, first) = next(iter(choices.items()))
    default = Picked(key, (FiguresPlaced(first.suggested, first.facings),))
    asked = Asked(f"{name} is True: which unit is it?", tuple(choice for choice, _ in choices.values()), default, rule)
    picked = yield from ask(seat, asked)
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    parameter = choices[picked.choice][1]
    facings = placed.facings or parameter.facings or ({},)
    yield UnitPlaced(parameter.units[0], placed.places[0], facings[0])


def _set_down(game: FadGame, unit: str, at: Point, rule: str) -> Steps[None]:
    found = space(game, game.state, game.unit(unit), at)
    if found is None:
        yield UnitLeft(unit, NO_ROOM, rule)
    else:
        yield UnitPlaced(unit, found[1].places, found[1].facings)


def space(game: FadGame, state: State, unit: Unit, at: Point) -> tuple[tuple[Point, ...], Berth] | None:
    """Return a square around a place in which a unit has space, and where it stands there; None if there is none anywhere."""
    rules = deployment(game.rules, state)
    for reach in AROUND:
        zone = _square(state, at, inches(reach))
        berth = FreeSpace(state).find(
            unit, zone, rules.gap(state, unit), rules.barred(state, unit), rules.bonds(state, unit)
        )
        if berth is not None:
            return zone, berth
    return None


def _square(state: State, at: Point, reach: int) -> tuple[Point, ...]:
    left, right = max(0, at[0] - reach), min(state.table.width, at[0] + reach)
    bottom, top = max(0, at[1] - reach), min(state.table.height, at[1] + reach)
    return ((left, bottom), (right, bottom), (right, top), (left, top))


def _question(game: FadGame, state: State, unit: Unit, zone: tuple[Point, ...], berth: Berth) -> PlacementParameter:
    rules = deployment(game.rules, state)
    return PlacementParameter(
        units=(unit.id,),
        zone=zone,
        gaps=(rules.gap(state, unit),),
        barred=(rules.barred(state, unit),),
        suggested=(berth.places,),
        gap_rule=rules.gap_rule,
        facings=(berth.facings,) if berth.facings else (),
        bonds=tuple(rules.bonds(state, unit)),
    )
