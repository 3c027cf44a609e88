"""FAD 5's close assaults on vehicles: each figure in contact with a weapon against armour strikes the side that it touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from client_protocol.choices import Assigned, AssignmentParameter, Choice, PathsDeclared, Picked
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.bodies import pose
from server.kernel.procedure import Steps, ask
from server.kernel.questions import total
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, heading
from server.kernel.space.values import Body, Hull
from server.kernel.standing import TOUCH, end_bodies, hulls, nearest
from server.kernel.state import State, Unit
from server.rulesets.fad.assault import hindered
from server.rulesets.fad.charge import charge_parameter
from server.rulesets.fad.fad5.vehicle_damage import SHAKEN, VehicleArmour, mark, rating, resolve
from server.rulesets.fad.fad5.vehicle_odds import chances_of, damage_of, damages
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.given_fire import given_fire
from server.rulesets.fad.mixed_arms import arm_of
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.shooting import shoot
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.vehicles.assault import DAMAGE, in_contact
from server.rulesets.fad.vehicles.characteristics import FRONT, REAR, SIDE
from server.rulesets.fad.vehicles.firing import given
from server.rulesets.fad.vehicles.passengers import Fate
from server.rulesets.shared.charging import surrounding, way_into_contact
from server.rulesets.shared.previews import odds
from server.rulesets.shared.setup.book import ON
from server.rulesets.shared.words.chances import chance_line, expected_line

FREE_SHOT = "vehicle_free_shot"
"""The option by which vehicles shoot at squads that come to assault them."""


def nerve(rules: FadRules, _vehicle: Unit) -> tuple[int, int]:
    """Return the dice of the test of nerve, and how many must pass (fad5/assault.vehicle-nerve)."""
    table = rules.book.tables.vehicles
    return table.nerve_dice, table.nerve_passes


def strike(game: FadGame, attacker: str, vehicle: str) -> Steps[None]:
    """Let those in contact strike at a vehicle. If it is not destroyed its crew must test its morale
    (fad5/assault.vehicle-damage, fad5/resolve.vehicles).
    """
    yield from blows(game, attacker, vehicle, in_contact(game.state, game.unit(attacker), game.unit(vehicle)))
    if not game.unit(vehicle).left:
        yield from mark(game, vehicle, SHAKEN, "resolve.vehicle")


def blows(game: FadGame, attacker: str, vehicle: str, figures: Iterable[str]) -> Steps[None]:
    """Resolve a hit for each of these figures that has a weapon against armour. Those aboard a vehicle that is destroyed so are
    killed (fad5/assault.transport-destroyed).
    """
    for key in figures:
        unit, target = game.unit(attacker), game.unit(vehicle)
        hit = rated(game.rules, unit, key)
        at = unit.figures[key].at
        if target.left or unit.left or hit is None or at is None:
            continue
        close = key in in_contact(game.state, unit, target)
        facing = (touched if close else _met)(game.rules, game.state, target, at)
        yield from resolve(game, attacker, vehicle, [hit], facing, fate=Fate.KILLED)


def rated(rules: FadRules, unit: Unit, figure: str) -> Explained | None:
    """Return the best anti-tank rating that a figure strikes with; None if nothing that it carries has one."""
    carried = dict(rules.carried(unit))
    if figure in carried:
        weapon = carried[figure]
        rows = [rules.book.support_weapons[mode] for mode in weapon.modes] or [weapon]
        found = [(row.anti_tank, row.name, DAMAGE) for row in rows if row.anti_tank is not None]
    else:
        arm = arm_of(rules.book, unit, figure)
        found = [] if arm.anti_tank is None else [(arm.anti_tank, arm.name, DAMAGE)]
    # fad5/grenade.improvised-charges, fad5/grenade.penetrator
    found += [(line.amount, line.reason, line.rule) for line in rules.trait_lines("vehicle", unit)]
    if not found:
        return None
    amount, name, rule = max(found, key=lambda row: row[0])
    return total([Line("SET", amount, f"{name}, anti-tank", rule)])


def touched(rules: FadRules, state: State, vehicle: Unit, at: Point) -> str:
    """Return the side of a hull that a figure at this place touches, or that is nearest to it; at a corner the better armoured
    one (fad5/assault.vehicle-damage).
    """
    along, across = _from_centre(vehicle, at)
    hull = _hull(vehicle)
    return _side(rules, state, vehicle, along, round(abs(along) - hull.length / 2) - round(across - hull.width / 2))


def _met(rules: FadRules, state: State, vehicle: Unit, at: Point) -> str:
    """Return the side of a hull that the line from a place to its centre meets (fad5/assault.shock-vehicle-return)."""
    along, across = _from_centre(vehicle, at)
    hull = _hull(vehicle)
    return _side(rules, state, vehicle, along, round(abs(along) * hull.width - across * hull.length))


def _side(rules: FadRules, state: State, vehicle: Unit, along: float, more: int) -> str:
    """Return the end of a hull that a place `along` it is nearer to, if the place lies `more` off that end than off the side,
    else the side; the better armoured one where it is as far off both.
    """
    end = FRONT if along >= 0 else REAR
    if more == 0:
        return max((end, SIDE), key=lambda facing: rating(rules, state, vehicle, facing))
    return end if more > 0 else SIDE


def _from_centre(vehicle: Unit, at: Point) -> tuple[float, float]:
    """Return how far (mil) a place is ahead of the centre of a hull, below 0 behind it, and how far aside of it."""
    stands = pose(vehicle)
    ux, uy = heading(stands.facing)
    dx, dy = at[0] - stands.at[0], at[1] - stands.at[1]
    return dx * ux + dy * uy, abs(dy * ux - dx * uy)


def _hull(vehicle: Unit) -> Hull:
    hull = next(iter(vehicle.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    return hull


# --- the vehicle's free shot ------------------------------------------------------------------------------------------


def free_shot(game: FadGame, vehicle: str, attacker: str) -> Steps[None]:
    """Offer a vehicle a shot at a squad that comes to assault it, where the match has it so: with what its fire control lets it
    fire from where it stands, and without markers (fad5/assault.vehicle-nerve).
    """
    if game.state.options.get(FREE_SHOT) != ON:
        return
    seat, rule = game.state.seat_of(vehicle), "assault.free-shot"
    state = game.believed(seat)
    name, other = state.units[vehicle].name, state.units[attacker].name
    hindrances = game.rules.hindrances(state, state.units[vehicle], state.units[attacker])
    told = "".join(f" {row.label}: {row.value}." for row in hindrances)
    text = f"A free shot at {other} before it charges.{told}"
    fire = given_fire(game.rules, state, state.units[vehicle], ("free-shot", "Fire"), rule, (attacker,), text=text)
    if fire.why is not None:
        return
    (weapons,) = fire.parameters
    assert isinstance(weapons, AssignmentParameter), "each weapon has its target"
    default = Picked("free-shot", (Assigned(weapons.suggested),))
    choices = (replace(fire, preview=False), Choice("hold-fire", "Hold fire", rule))
    asked = Asked(f"{name} may fire at the assaulters", choices, default, rule, vehicle)
    picked = yield from ask(seat, asked)
    # fad5/grenade.haze
    if picked.choice != "free-shot" or (yield from hindered(game, vehicle, attacker)):
        return
    for mount in given(picked):
        shot = aim(game.rules, game.state, vehicle, attacker, mount)
        if isinstance(shot, Shot) and not game.unit(attacker).left:
            yield from shoot(game, shot, free=True)


# --- what may come of it ------------------------------------------------------------------------------------------------


def foretell(rules: FadRules, state: State, attacker: str, vehicle: str) -> Preview:
    """Return the odds of a close assault on a vehicle by the way that the server suggests."""
    unit, target = state.units[attacker], state.units[vehicle]
    hits = list(_hits(rules, state, unit, target))
    dice, passes = nerve(rules, target)
    need = rules.advisers.answer(state, QualityNeed(attacker))
    steady = odds.chance(odds.passes(dice, need.value), lambda number: number >= passes)
    through = [odds.at_least(armour.value - hit.value) for hit, armour in hits]
    before = damage_of(target)
    numbers: dict[str, Explained] = {"Nerve, each die": need}
    for hit, armour in hits:
        numbers.setdefault(f"{hit.lines[0].reason} (plus 1D6)", hit)
        numbers.setdefault(f"Armour to reach ({armour.lines[0].reason})", armour)
    chances = [chance_line("Keeps its nerve", steady)]
    if hits:
        chances.append(expected_line("Expected penetrating hits", odds.mean(odds.successes(through))))
        chances += chances_of(before, damages(before, through))
    notes = [f"Reckoned with {len(hits)} figures in contact that can harm it, once they have kept their nerve."]
    if not hits:
        notes = ["No figure that comes into contact can harm it; its crew must test its morale all the same."]
    return Preview(
        f"{unit.name} assaults {target.name}",
        f"{dice}D6 for its nerve, then 1D6 for each figure in contact",
        tuple(numbers.items()),
        tuple(chances),
        tuple(notes),
    )


def _hits(rules: FadRules, state: State, unit: Unit, vehicle: Unit) -> Iterator[tuple[Explained, Explained]]:
    """Yield the hits of those who come into contact, each with the armour that it must reach."""
    sides = hulls(state, only=[vehicle.id])
    for key, own in _ends(rules, state, unit, vehicle).items():
        hit = rated(rules, unit, key)
        if hit is not None and nearest(own, (), sides) <= TOUCH:
            yield hit, rules.advisers.answer(state, VehicleArmour(vehicle.id, touched(rules, state, vehicle, own.at)))


def _ends(rules: FadRules, state: State, unit: Unit, vehicle: Unit) -> Mapping[str, Body]:
    """Return where figures stand after the way into contact that the server suggests."""
    touches = in_contact(state, unit, vehicle)
    parameter = charge_parameter(rules, state, unit.id, vehicle.id)
    way = PathsDeclared({}) if touches else way_into_contact(state, parameter, vehicle.id)
    return end_bodies(unit, PathsDeclared({}) if way is None else surrounding(state, parameter, way))
