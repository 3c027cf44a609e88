"""Getting off a vehicle: squads are set down near it, and then shoot or assault (fad4/transport.disembark,
fad5/transport.disembark).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from client_protocol.choices import Candidate, Choice, FiguresPlaced, Landing, Picked, UnitNamed, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import body, is_vehicle, riders
from server.kernel.facts import Declared, UnitPlaced
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import inches, inches_text
from server.kernel.standing import TOUCH
from server.kernel.state import State, Unit
from server.rulesets.fad import assault, movement
from server.rulesets.fad.charge import candidates
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.firing import fire_at, target_choice
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Act
from server.rulesets.fad.morale import FALLS_BACK, RALLIED, UNBROKEN
from server.rulesets.fad.movement import CoherencyDistance, crew_bonds
from server.rulesets.fad.vehicles import assault as vehicle_assault
from server.rulesets.fad.vehicles.landing import blocked, touch_down
from server.rulesets.fad.vehicles.passage import Passage
from server.rulesets.fad.vehicles.transport import has_team, in_the_air
from server.rulesets.fad.vehicles.walls import way_off
from server.rulesets.shared.distances import apart
from server.rulesets.shared.free_space import SpaceRound
from server.rulesets.shared.setup.book import ON

RULE = "transport.disembark"
COUNTERATTACK = "assault.vehicle-counterattack"
_LET_OFF = "let-off:"
ASSAULT = "transport.disembark-assault"
CHARGES = "disembark_charge"
"""The option that lets squads charge that get off."""


# --- being set down -------------------------------------------------------------------------------------------------


def choices(rules: FadRules, state: State, vehicle: Unit, idle: Collection[str] = ()) -> Iterator[Choice]:
    """Yield a choice for each squad aboard a vehicle, except those that are `idle`, to let it off."""
    for unit in riders(state, vehicle.id):
        if unit.id not in idle:
            yield _let_off(rules, state, vehicle, unit)


def _let_off(rules: FadRules, state: State, vehicle: Unit, unit: Unit) -> Choice:
    space, reach = _space(rules, state, vehicle, unit)
    then = _then(rules, state, unit)
    said = f"Set down near the vehicle; {then}. The vehicle may fire, and does not drive."
    if not rules.book.tables.transport.together:
        said = f"Set down within {inches_text(reach)}; {then}. The vehicle does nothing else."
    key, label = f"{_LET_OFF}{unit.id}", f"Let {unit.name} off"
    why = None
    if in_the_air(rules, vehicle) and not rules.book.tables.vehicles.touches_down:
        why = Why(f"{vehicle.name} is in the air: it lets troops off only when it has landed.", "move.fly")
    elif in_the_air(rules, vehicle) and (above := blocked(rules, state, vehicle)) is not None:
        # fad5/move.flyer-touchdown: it touches down where it could land
        why = above
    elif (stuck := rules.barred(state, unit, Act.MOVE)) is not None:
        why = stuck
    places = {} if why else space.within(reach)
    if why is None and len(places) < unit.strength:
        why = Why(f"There is no free space near {vehicle.name} for all of {unit.name}.", RULE)
    return Choice(key, label, RULE, said, () if why else (space.placement(reach, places),), why)


def _then(rules: FadRules, state: State, unit: Unit) -> str:
    acts = ("shoot", no_shot(rules, state, unit)), ("assault", rules.barred(state, unit, Act.ASSAULT))
    may = " or ".join(act for act, why in acts if why is None)
    return f"then it may {may}" if may else "then it neither shoots nor assaults"


def no_shot(rules: FadRules, state: State, unit: Unit) -> Why | None:
    """Return why a unit does not shoot as it gets off a vehicle; None if it may."""
    if has_team(unit) and not rules.book.tables.transport.together:
        # fad5/transport.disembark: infantry fires, weapon teams do not
        return Why(f"{unit.name} does not fire as it gets off.", RULE)
    return rules.barred(state, unit, Act.ALIGHT)


def _space(rules: FadRules, state: State, vehicle: Unit, unit: Unit) -> tuple[SpaceRound, int]:
    """Return the free space for a squad that gets off, and how far it goes: half of its move, on ground that it walks over, or a
    fixed length from the vehicle and off the enemy (fad5/transport.disembark).
    """
    table = rules.book.tables.transport
    if table.off:
        return _space_beside(rules, state, vehicle, unit), inches(table.off)
    half = movement.allowance(rules, state, unit.id, movement.OFF).value // rules.book.tables.transport.share
    outline = body(next(iter(vehicle.figures.values()))).outline
    enemies = tuple(enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table)
    landing = Landing(outline, half, on_foot(rules, state).costly, enemies, RULE)
    gap = rules.advisers.answer(state, CoherencyDistance(unit.id)).value
    barred = on_foot(rules, state).closed
    rule, bonds = "coherency.distance", crew_bonds(rules, state, unit)
    return SpaceRound(state, unit.id, outline, barred, gap=gap, gap_rule=rule, landing=landing, bonds=bonds), half


def _space_beside(rules: FadRules, state: State, vehicle: Unit, unit: Unit) -> SpaceRound:
    outline = body(next(iter(vehicle.figures.values()))).outline
    gap = rules.advisers.answer(state, CoherencyDistance(unit.id)).value
    charges = state.options.get(CHARGES, ON) == ON
    off = inches(rules.book.tables.transport.off)
    return SpaceRound(
        state,
        unit.id,
        outline,
        rules.pieces_with(state, "impassable"),
        gap=gap,
        gap_rule="coherency.distance",
        landing=way_off(rules, state, unit, outline, off, RULE),
        avoid=tuple(enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table),
        # Where squads assault only whom they touch as they are set down, they may be set down there.
        clear=inches(rules.book.tables.transport.clear) if charges else 0,
        clear_rule=RULE,
        bonds=crew_bonds(rules, state, unit),
    )


def picked_squad(picked: Picked) -> str:
    """Return the squad that a choice lets off; "" if it is another choice."""
    return picked.choice.removeprefix(_LET_OFF) if picked.choice.startswith(_LET_OFF) else ""


def let_off(game: FadGame, unit: str, picked: Picked, passage: Passage) -> Steps[bool]:
    """Check the Resolve of a squad that is to get off, and set it down; return whether it got off.

    A squad that falls back stays aboard and idle (fad4/transport.single-unit), or gets off all the same and does not assault
    (fad5/transport.disembark).
    """
    standing = yield from game.rules.chapters.morale.check_resolve(game, unit)
    together = game.rules.book.tables.transport.together
    if standing not in ({UNBROKEN, RALLIED} if together else {UNBROKEN, RALLIED, FALLS_BACK}):
        if not game.unit(unit).left:
            yield Declared(unit, "stay-aboard", "transport.single-unit")
        return False
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    yield from touch_down(game, game.unit(unit).aboard)
    yield UnitPlaced(unit, placed.places[0])
    if standing == FALLS_BACK:
        passage.shaken.append(unit)
        yield Declared(unit, "gets-off-shaken", RULE)
    return True


# --- then -----------------------------------------------------------------------------------------------------------


def act(game: FadGame, unit: str, vehicle: str, *, shaken: bool = False) -> Steps[None]:
    """Let a squad that has got off shoot or assault; it goes no farther. One that is `shaken` does not assault."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    own = state.units[unit]
    foes = _foes(game.rules, state, own)
    if shaken:
        # fad5/transport.disembark
        calm = Why(f"{own.name} failed to rally as it got off: it does not assault.", RULE)
        foes = tuple(replace(row, why=calm) for row in foes)
    at_once = game.rules.book.tables.transport.together
    struck = [row for row in foes if at_once and row.why is None and sudden(state, own, row.unit, vehicle)]
    shoot = target_choice(
        "fire", "Fire", "shoot.when", "Shoot from where it was set down.", targets(game.rules, state, unit)
    )
    fight = target_choice(
        "assault",
        "Close Assault",
        ASSAULT,
        "Charge from where it was set down.",
        tuple(struck) or foes,
        "assault.declare",
    )
    if (silent := no_shot(game.rules, state, own)) is not None:
        shoot = replace(shoot, parameters=(), why=silent)
    hold = Choice("hold", "Hold", RULE, "Neither shoot nor assault.")
    # fad4/assault.vehicle-counterattack: who is set down in contact with the assaulters starts a Close Assault
    offered = (fight,) if struck else (shoot, fight, hold)
    default = Picked("assault", (UnitNamed(struck[0].unit),)) if struck else Picked("hold")
    picked = yield from ask(seat, Asked(f"{own.name} has got off", offered, default, RULE, unit))
    if picked.choice == "fire":
        yield from fire_at(game, unit, picked)
    elif picked.choice == "assault":
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        if is_vehicle(game.unit(named.unit)):
            yield from vehicle_assault.assault_vehicle(game, unit, named.unit, movement.LEAP)
        else:
            quick = at_once and sudden(game.state, game.unit(unit), named.unit, vehicle)
            yield from assault.close_assault(game, unit, named.unit, manner=movement.LEAP, sudden=quick)
    else:
        yield Declared(unit, "hold", RULE)


def _foes(rules: FadRules, state: State, unit: Unit) -> tuple[Candidate, ...]:
    """Return the enemy units, each with why a squad that has got off cannot assault it."""
    found = candidates(rules, state, unit.id, movement.LEAP)
    if state.options.get(CHARGES, ON) == ON:
        return found
    return tuple(
        row
        if row.why is not None or apart(unit, state.units[row.unit]) <= TOUCH
        else replace(row, why=Why(f"{unit.name} does not touch {state.units[row.unit].name}.", ASSAULT))
        for row in found
    )


def sudden(state: State, unit: Unit, enemy: str, vehicle: str) -> bool:
    """Return whether a squad is set down in contact with infantry that stands in contact with its vehicle: neither side has time
    to shoot (fad4/assault.vehicle-counterattack).
    """
    foe, carrier = state.units[enemy], state.units[vehicle]
    if is_vehicle(foe) or not carrier.on_table or not foe.on_table:
        return False
    return apart(unit, foe) <= TOUCH and apart(foe, carrier) <= TOUCH
