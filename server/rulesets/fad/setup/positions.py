"""The parts of the family's positions, and the checks of a position that comes from a file."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from server.kernel import traits
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.files.position_parts import Condition, Label
from server.kernel.notes import words
from server.kernel.space.terrain import Sight
from server.kernel.state import State, Unit
from server.kernel.traits import of
from server.rulesets.fad import blast, commanders, ground, mixed_arms, rushed, special_cards
from server.rulesets.fad.game import (
    BROKEN,
    CHARACTER,
    LANDED,
    LEADER,
    LINKED,
    MOBILITY,
    POWERED,
    TOUCHED_DOWN,
    FadRules,
)
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.setup import profiles
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.vehicles import squads
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.transport import check_seats
from server.rulesets.shared.setup.admission import Marks
from server.rulesets.shared.setup.book import ON, known
from server.rulesets.shared.setup.deployment import NO_ROOM

LEFT = ("destroyed", "routed", "left_table", NO_ROOM)
"""The reasons for which units leave the game."""
VICTORY = (
    Condition(
        "kind",
        "How it is won",
        "choice",
        (
            Label(
                "break", "Break the enemy", "A side wins when half of the enemy's units are gone at the end of a turn."
            ),
            Label("objective", "Hold the objective", "The side that holds it at the end of the last turn wins."),
        ),
    ),
    Condition("objective", "The objective that decides", "objective"),
    Condition("unheld", "Who wins if neither side holds it", "side"),
)


def marks(rules: FadRules) -> Marks:
    """Return the edition's markers, and the reasons for which its units leave the game."""
    left = LEFT if rules.chapters.vehicles is None else (*LEFT, *rules.vehicles.leaving)
    left = (*left, *rules.leaving)
    return Marks(units=tuple(rules.conditions()), figures=tuple(rules.figure_conditions()), left=left)


def roles(book: Book) -> dict[str, str]:
    """Return the roles that a figure may have, by key."""
    carried = {key: row.name for key, row in book.support_weapons.items()}
    led = {CHARACTER: book.traits[CHARACTER].name} if CHARACTER in book.traits else {}
    # fad5/shoot.mixed-weapons-range
    arms = {key: row.name for key, row in book.small_arms.items() if row.issued} if profiles.mixes(book) else {}
    return {LEADER: "Leader"} | led | carried | arms | {key: row.name for key, row in book.heavy_weapons.items()}


def _check_arms(rules: FadRules, state: State, unit: Unit) -> None:
    """Refuse different small arms in a squad where the match is played without them (fad5/shoot.mixed-weapons-range)."""
    for figure in unit.figures.values():
        if figure.role in rules.book.small_arms and state.options.get(mixed_arms.OPTION) != ON:
            raise RulesetError(profiles.one_small_arm(rules.book, unit.name, figure.role))


def admit(state: State, rules: FadRules) -> None:
    """Refuse units that the family does not play, and markers that no game produces and no rule would remove.

    Raises `RulesetError`.
    """
    for unit in state.units.values():
        if is_vehicle(unit):
            _check_marks(rules, unit)
            check_seats(rules, state, unit)
        else:
            _check_broken(rules, unit)
            _check_fallen(rules, unit)
            _check_arms(rules, state, unit)
    special_cards.check(state)
    rushed.check(state)
    try:
        blast.impact(state)
    except ValueError:
        raise RulesetError(f"the book's {blast.IMPACT} is a unit, two points and a radius") from None
    _check_assets(state, rules)
    ground.check(rules, state)
    admit_units(state, rules)


def admit_units(state: State, rules: FadRules) -> None:
    """Refuse units that no force of the match may have, wherever they come from. Without options there is no match yet, and any
    module may be played. Raises `RulesetError`.
    """
    for unit in state.units.values():
        _check_unit(rules, unit)
    commanders.check(state)
    for module in rules.modules:
        if state.options and not rules.plays(state, module.id):
            _check_traits(state, rules, module)
        elif module.suits is not None:
            for unit in state.units.values():
                module.suits(rules, unit)
    for module in rules.listed:
        if module.admit is not None:
            module.admit(state)
        if module.inspect is not None:
            module.inspect(rules, state)


def _check_unit(rules: FadRules, unit: Unit) -> None:
    """Refuse a squad that is too large, or carries what it cannot. Raises `RulesetError`."""
    most = rules.book.tables.units.most_figures
    if most and len(unit.figures) > most:
        # fad5/unit.squad-size, fad5/unit.typical-force: other sizes, and how many units there are, are advice
        raise RulesetError(f"{unit.name} has {len(unit.figures)} figures; a squad has 1 to {most}")
    if traits.has(unit, LINKED) and not is_vehicle(unit) and POWERED not in rules.armour(unit).traits:
        raise RulesetError(f"{unit.name}: linked weapons need powered armour")


def without_unplayed(state: State, rules: FadRules) -> State:
    """Return a position without the units that have a trait of a module which the match does not play."""
    unplayed = {trait for module in rules.listed if not rules.plays(state, module.id) for trait in module.traits}
    staying = {key: unit for key, unit in state.units.items() if unplayed.isdisjoint(of(unit))}
    return state if len(staying) == len(state.units) else replace(state, units=staying)


WOODS_LOS = "woods_los"
"""The option that says how a line of sight ends in woods."""
_ENDS: Mapping[object, tuple[Sight, Sight]] = {
    "depth": ("depth_from_edge", "depth_in_all"),
    "terminate": ("depth_in_all", "depth_from_edge"),
}


def with_woods(state: State) -> State:
    """Return a position whose woods end lines of sight as the match's option says (fad5/shoot.los-vegetation)."""
    told = _ENDS.get(state.options.get(WOODS_LOS))
    if told is None or not any(piece.sight == told[0] for piece in state.table.terrain):
        return state
    was, becomes = told
    terrain = tuple(replace(one, sight=becomes) if one.sight == was else one for one in state.table.terrain)
    return replace(state, table=replace(state.table, terrain=terrain))


def check_vehicles(state: State, rules: FadRules) -> None:
    """Refuse vehicles that the edition does not play, or that lack what a vehicle has. Raises `RulesetError`."""
    for unit in state.units.values():
        if rules.chapters.vehicles is None:
            if is_vehicle(unit) or unit.mounts or unit.seats or unit.aboard:
                raise RulesetError(f"{unit.name}: no vehicles are played here")
        elif is_vehicle(unit) != (MOBILITY in unit.profile):
            raise RulesetError(f"{unit.name}: only vehicles have hulls and a mobility, and every vehicle has both")
        elif not is_vehicle(unit) and (unit.mounts or unit.seats):
            raise RulesetError(f"{unit.name}: only vehicles have mounts and seats")
        elif is_vehicle(unit) and unit.aboard:
            raise RulesetError(f"{unit.name}: a vehicle is never aboard another one")
        for mount in unit.mounts.values():
            known(f"{unit.name}: a mount", mount.weapon, rules.book.heavy_weapons)
        for key in () if rules.chapters.vehicles is None else rules.vehicles.marked:
            for mounted in words(unit.profile, key):
                known(f"{unit.name}: {key}", mounted, unit.mounts)
    squads.check(rules, state)


def _check_marks(rules: FadRules, vehicle: Unit) -> None:
    """Refuse markers that no vehicle has, or that do not go with its damage. Raises `RulesetError`."""
    if vehicle.left:
        return
    for marker in rules.markers:
        if marker.id in vehicle.conditions:
            raise RulesetError(
                f"{vehicle.name} is a vehicle, and is never marked {rules.book.conditions[marker.id].name}. Take the marker off"
            )
    if LANDED in vehicle.conditions and not mobility(rules, vehicle).flies:
        raise RulesetError(f"{vehicle.name} does not fly, and is never marked Landed. Take the marker off")
    if TOUCHED_DOWN in vehicle.conditions and not rules.airborne(vehicle):
        raise RulesetError(f"{vehicle.name} is not in the air, and is never marked Touched down. Take the marker off")
    rules.vehicles.admit(rules, vehicle)


def _check_broken(rules: FadRules, unit: Unit) -> None:
    """Refuse a unit that is marked Broken without the losses that break it (fad4/resolve.infantry).

    No rule would ever test it, so it would shoot at −3 for the rest of the game. Raises `RulesetError`.
    """
    if not unit.left and rules.chapters.vehicles is not None:
        for condition in (LANDED, TOUCHED_DOWN, *rules.vehicles.conditions):
            if condition in unit.conditions:
                name = rules.book.conditions[condition].name
                raise RulesetError(f"{unit.name} is marked {name}, which only vehicles are. Take the marker off")
    if not rules.chapters.morale.broken_persists or unit.left or BROKEN not in unit.conditions:
        return
    if casualties_break(rules, unit):
        return
    # A character may have joined it since.
    original = sum(not figure.of or figure.role != CHARACTER for figure in unit.figures.values())
    resolve = rules.resolve(unit)
    least = next(lost for lost in range(1, original + 1) if resolve.broken(lost, original))
    lost = rules.casualties(unit)
    raise RulesetError(
        f"{unit.name} is marked Broken, but its losses do not break it: {resolve.name} squads of {original} break at {least} "
        f"fallen, and {lost} {'has' if lost == 1 else 'have'} fallen. Take the marker off, or let more figures fall"
    )


def _check_traits(state: State, rules: FadRules, module: FadModule) -> None:
    """Refuse units with a trait of a module, which the match does not play. Raises `RulesetError`."""
    option = next((row.title for row in rules.book.edition.option if row.id == module.id), module.id)
    for unit in state.units.values():
        if module.needed is not None and module.needed(rules, unit):
            raise RulesetError(f"{unit.name} has a weapon that is fired with the option {option}: switch it on")
        for trait in module.traits:
            if trait in of(unit) or any(trait in of(figure) for figure in unit.figures.values()):
                name = rules.book.traits[trait].name
                raise RulesetError(f"{unit.name} has the trait {name}: switch the option {option} on, or take it off")


def _check_assets(state: State, rules: FadRules) -> None:
    """Refuse what sides have off the table in a match that does not play it. Raises `RulesetError`."""
    found = rules.assets()
    if found is None or rules.plays(state, found[0].id):
        return
    option = next((row.title for row in rules.book.edition.option if row.id == found[0].id), found[0].id)
    for side in state.sides.values():
        for asset in side.off_table.values():
            raise RulesetError(
                f"{side.name} has {asset.name} off the table: switch the option {option} on, or leave it out"
            )


def _check_fallen(rules: FadRules, unit: Unit) -> None:
    """Refuse a marker of fallen figures on one that stands, and the other way round. Raises `RulesetError`."""
    for key, figure in unit.figures.items():
        for condition in figure.conditions:
            marker = rules.figure_markers.get(condition)
            if marker is not None and not (marker.apart or marker.stays) and figure.fallen != marker.fallen:
                name = rules.book.conditions[condition].name
                has, let = ("has fallen", "stand") if figure.fallen else ("has not fallen", "fall")
                raise RulesetError(
                    f"{unit.name}, figure {key}: it is marked {name}, and {has}. Take the marker off, or let the figure {let}"
                )
