"""The weapons that a unit could fire at a moment, and the figures that serve them; targets come later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from server.kernel.bodies import is_vehicle
from server.kernel.notes import number, word
from server.kernel.space.geometry import centroid, distance, gap, inches, to_mil
from server.kernel.space.terrain import Terrain
from server.kernel.state import Figure, State, Unit
from server.kernel.structs import Fixed
from server.rulesets.fubar.game import ARM, CREW, SUPPRESSED, FubarRules, standing
from server.rulesets.fubar.setup.book import Weapon

# The moments at which a unit fires.
WALK = "walk"
AIMED = "aimed"
REACTION = "reaction"
DRIVE = "drive"
HALT = "halt"
ABOARD = "aboard"

MOMENT_RULES = {
    WALK: "action.walk",
    AIMED: "action.aimed-fire",
    REACTION: "action.on-guard",
    DRIVE: "vehicle.move-open",
    HALT: "vehicle.stationary",
    ABOARD: "vehicle.transport",
}
"""The rule by which a unit fires at each moment."""

CREWED = "crewed"
MOUNTED = "mount:"
"""A terrain flag with this prefix names the weapon that is built into a bunker."""

_ON_FOOT = (WALK, AIMED, REACTION, ABOARD)
STEADY = (AIMED, REACTION)
"""The moments at which a unit stands still: it may then fire support weapons and those of a bunker."""
_BY_VEHICLE = (DRIVE, HALT, REACTION)


class Gun(Fixed, frozen=True):
    """A weapon that `figure` may fire. `row` is the figure's id, or the mount's for a vehicle.

    `mount` is the vehicle's mount or the terrain piece that the weapon is built into, or "" if the figure carries it.
    """

    row: str
    figure: str
    weapon: str
    mount: str = ""


def guns(rules: FubarRules, state: State, unit_id: str, moment: str) -> list[Gun]:
    """Return the weapons that a unit could fire at this moment if there were a target: row by row, a small arm first."""
    unit = state.units[unit_id]
    if is_vehicle(unit):
        if moment not in _BY_VEHICLE or not unit.on_table:
            return []
        (hull,) = unit.figures
        # fubar4/vdamage.weapon-destroyed: a lost weapon fires no more
        return [Gun(key, hull, mount.weapon, key) for key, mount in unit.mounts.items() if not mount.lost]
    if moment not in _ON_FOOT:
        return []
    bunkers = _bunkers(rules, state, unit) if moment in STEADY else {}
    found: list[Gun] = []
    # fubar4/fire.suppressed-cannot
    for key, carried in _in_hand(rules, unit, moment).items():
        found += carried
        if bunkers:
            found += [Gun(key, key, weapon, piece) for piece, weapon in bunkers.get(key, ())]
    return found


def farthest(rules: FubarRules, state: State, unit_id: str, moment: str) -> int:
    """Return the mil beyond which no weapon of a unit reaches at this moment, wherever on the table others will stand."""
    weapons = {gun.weapon for gun in guns(rules, state, unit_id, moment)}
    # Who serves what is built into the ground changes as others move.
    weapons.update([weapon for _, weapon in _mounted(rules, state)])
    return max((rules.weapon(weapon).reach for weapon in weapons), default=0)


def _in_hand(rules: FubarRules, unit: Unit, moment: str) -> dict[str, list[Gun]]:
    """Return what each figure that could fire at this moment carries. It is remembered as long as the unit is the same."""
    known = rules.in_hand.get(unit, moment)
    if known is None:
        known = rules.in_hand.keep(
            unit,
            moment,
            {
                key: [Gun(key, key, weapon.id) for weapon in _carried(rules, unit, figure, moment)]
                for key, figure in _firers(unit, moment).items()
            },
        )
    return known


def _firers(unit: Unit, moment: str) -> Mapping[str, Figure]:
    if moment != ABOARD:
        return standing(unit)
    return {key: f for key, f in unit.living.items() if SUPPRESSED not in f.conditions} if unit.aboard else {}


def _carried(rules: FubarRules, unit: Unit, figure: Figure, moment: str) -> Iterator[Weapon]:
    weapons = rules.book.weapons
    arm = weapons.get(word(figure.profile, ARM, ""))
    if arm is not None:
        yield arm
    # fubar4/weapon.assault-rifle-grenades: part of a small arm; and what is thrown
    for trait, _ in (*rules.borne(figure), *rules.borne(unit)):
        yield from rules.weapons_of.get(trait.carries, ())
    # fubar4/weapon.support, fubar4/action.walk: not on the move
    support = weapons.get(figure.role)
    if support is not None and moment in STEADY:
        yield support


def crew(unit: Unit) -> int:
    """Return how many of a vehicle's weapons its crew can fire at once (fubar4/vehicle.stationary)."""
    return number(unit.profile, CREW, 1)


# --- bunkers --------------------------------------------------------------------------------------------------------


def _mounted(rules: FubarRules, state: State) -> list[tuple[Terrain, str]]:
    """Return the weapons that are built into bunkers, each with its terrain piece. They are remembered until that changes."""
    terrain = state.table.terrain
    known = rules.mounted.get(terrain)
    if known is None:
        found = [(piece, flag) for piece in terrain for flag in piece.flags if flag.startswith(MOUNTED)]
        known = rules.mounted.keep(terrain, [(piece, flag.removeprefix(MOUNTED)) for piece, flag in found])
    return known


def _bunkers(rules: FubarRules, state: State, unit: Unit) -> dict[str, list[tuple[str, str]]]:
    """Return the bunker weapons that figures of `unit` serve, by figure, as (terrain piece, weapon)
    (fubar4/weapon.cannon-mounts).
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for piece, weapon in _mounted(rules, state):
        figure = _gunner(state, unit, piece)
        if figure:
            found.setdefault(figure, []).append((piece.id, weapon))
    return found


def _gunner(state: State, unit: Unit, bunker: Terrain) -> str:
    """Return the figure of `unit` that serves a bunker's weapon, or "" if another unit's figure does.

    Of all figures in the bunker that could, the one nearest to its middle serves it.
    """
    if not any(figure.at is not None and bunker.holds(figure.at) for figure in standing(unit).values()):
        return ""
    middle = centroid(bunker.outline)
    inside = [
        (to_mil(distance(figure.at, middle)), other.id, key)
        for other in state.units.values()
        if not other.left and not is_vehicle(other)
        for key, figure in standing(other).items()
        if figure.at is not None and bunker.holds(figure.at)
    ]
    if not inside:
        return ""
    # Of equally near figures the first in the roster serves it.
    _, owner, figure = min(inside, key=lambda one: one[0])
    return figure if owner == unit.id else ""


# --- crew-served weapons --------------------------------------------------------------------------------------------


def needs_mate(rules: FubarRules, unit: Unit, gun: Gun) -> bool:
    """Return whether a second man must serve this weapon. In a vehicle or a bunker one man is enough
    (fubar4/weapon.hmg-crew).
    """
    return CREWED in rules.weapon(gun.weapon).traits and not gun.mount


def mates(rules: FubarRules, unit: Unit, gunner: str) -> list[str]:
    """Return the figures near enough to serve the gunner's weapon with him, nearest first (fubar4/weapon.hmg-crew)."""
    reach = inches(rules.book.tables.crew.mate_reach)
    own = unit.figures[gunner]
    near = [
        (to_mil(gap(own.at, own.radius, other.at, other.radius)), key)
        for key, other in standing(unit).items()
        if key != gunner and own.at is not None and other.at is not None
    ]
    return [key for mil, key in sorted(near, key=lambda one: one[0]) if mil <= reach]


class Crews(Fixed, frozen=True):
    """The figures that fire, and those that serve another's weapon.

    Attributes:
        fired: the shots that can be fired together, by row.
        serving: the gunner whose weapon a second man serves, by the second man's figure.
        silent: the gunners for whom no second man is free.
    """

    fired: dict[str, Gun]
    serving: dict[str, str]
    silent: tuple[str, ...]


def crews(rules: FubarRules, unit: Unit, shots: Mapping[str, Gun]) -> Crews:
    """Sort `shots` (by row) into what is fired and what is not, for crew-served weapons (fubar4/weapon.hmg-crew).

    A figure that serves another's weapon does not fire, and without a second man such a weapon does not fire. The second man
    is the nearest figure that fires nothing itself, or else the nearest one.
    """
    left = dict(shots)
    serving: dict[str, str] = {}
    silent: list[str] = []
    busy: set[str] = set()
    for row, gun in shots.items():
        if row not in left or not needs_mate(rules, unit, gun):
            continue
        able = [key for key in mates(rules, unit, row) if key not in busy]
        mate = next((key for key in able if key not in left), able[0] if able else "")
        if not mate:
            del left[row]
            silent.append(row)
            continue
        left.pop(mate, None)
        serving[mate] = row
        busy |= {row, mate}
    return Crews(left, serving, tuple(silent))


def manned(rules: FubarRules, unit: Unit, shots: Mapping[str, Gun]) -> dict[str, Gun]:
    """Return those of `shots` (by row) that can be fired together (see `crews`)."""
    return crews(rules, unit, shots).fired
