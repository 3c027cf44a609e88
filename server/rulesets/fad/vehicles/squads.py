"""Squads of vehicles: they activate one after the other, and keep together (fad4/move.vehicle-squads). Or each acts alone
(fad5/move.vehicles-individual), and a formation that does not keep together moves one of its vehicles each turn
(fad5/move.vehicle-formations).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from client_protocol.choices import EndRule, EndsCloser, EndsNear, PathParameter, Why
from server.kernel.bodies import apart, bodies, pose
from server.kernel.errors import RulesetError
from server.kernel.facts import UnitNoted
from server.kernel.notes import word
from server.kernel.procedure import Steps
from server.kernel.space.geometry import FULL_TURN, Point, direction, inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad.game import QUALITY, RESOLVE, FadGame, FadRules
from server.rulesets.fad.vehicles.transport import waiting
from server.rulesets.shared.setup.book import ON
from server.rulesets.shared.turns import pick_unit
from server.rulesets.shared.ways import each_shift, first_legal_shift

SQUAD = "vehicle_squad"
"""The key of a vehicle's profile under which the name of its squad stands, if it is in one."""
RULE = "move.vehicle-squads"
FORMATIONS = "vehicle_formations"
"""The option by which squads that do not keep together move one vehicle each turn."""
MOVED = "moved_in"
"""The key of a vehicle's profile under which the last turn stands in which it moved, in matches with formations."""
ASIDE = (0, 1500, -1500, 3000, -3000, 4500, -4500, 6000, -6000)
"""The directions that are tried for a way back to a squad, in hundredths of a degree from the straight one."""
LAST_TURN = 1000
"""The highest number of a turn that a setup may note."""


def squad_of(vehicle: Unit) -> str:
    """Return the name of a vehicle's squad; "" if it is in none."""
    return word(vehicle.profile, SQUAD, "")


def acts_with(rules: FadRules, unit: Unit) -> str:
    """Return the name of the squad with which a vehicle activates; "" if it activates alone."""
    return "" if rules.book.tables.vehicles.formations else squad_of(unit)


def first_of_each(rules: FadRules, units: Iterable[Unit]) -> Iterator[Unit]:
    """Yield those of the units of a side that activate alone, and the first of each squad (fad4/turn.card-activation)."""
    begun: set[str] = set()
    for unit in units:
        squad = acts_with(rules, unit)
        if squad not in begun:
            yield unit
        if squad:
            begun.add(squad)


def mates(state: State, vehicle: Unit) -> list[Unit]:
    """Return the other vehicles of its squad that are in the game, in roster order."""
    name = squad_of(vehicle)
    if not name:
        return []
    return [unit for unit in state.units_of(vehicle.side) if unit.id != vehicle.id and squad_of(unit) == name]


def next_of_squad(game: FadGame, vehicle: str) -> Steps[str]:
    """Ask which vehicle of the squad activates next, and return it; "" if all have, or if each acts alone."""
    side = game.unit(vehicle).side
    squad = acts_with(game.rules, game.unit(vehicle))

    def left(state: State) -> list[Unit]:
        return [unit for unit in waiting(state, side) if squad and squad_of(unit) == squad]

    waits = left(game.state)
    if len(waits) < 2:
        return waits[0].id if waits else ""
    return (yield from pick_unit(game, side, left, lambda unit: f"of {squad_of(unit)}", RULE))


def keeping(rules: FadRules, state: State, parameter: PathParameter) -> PathParameter:
    """Return how a vehicle may drive that keeps within reach of a mate that has activated before it this turn; or where no way
    is found on which it comes so near, that gets nearer to one than it was.
    """
    vehicle = state.units[parameter.unit]
    acted = [unit for unit in mates(state, vehicle) if unit.activated == state.turn.number and unit.on_table]
    if rules.book.tables.vehicles.formations or not acted:
        return parameter
    reach = inches(rules.book.tables.vehicles.coherency)
    ids = tuple(unit.id for unit in acted)
    told = f"{vehicle.name} must end within {inches_text(reach)} of a vehicle of its squad that has activated"
    near = EndsNear(ids, reach, 1)
    keeps = replace(parameter, ends=(EndRule((near,), Why(f"{told}.", RULE)),))
    if _comes_near(state, keeps, acted, reach):
        return keeps
    return replace(parameter, ends=(EndRule((near, EndsCloser(ids)), Why(f"{told}, or nearer to one.", RULE)),))


def _comes_near(state: State, parameter: PathParameter, acted: Sequence[Unit], reach: int) -> bool:
    """Return whether a vehicle is within reach of one of these mates, or is found a straight way on which it comes so near."""
    vehicle = state.units[parameter.unit]
    far, mate = min((apart(bodies(vehicle).values(), bodies(unit).values()), unit.id) for unit in acted)
    if far <= reach:
        return True
    if far > reach + parameter.allowance:
        return False
    towards = direction(pose(vehicle).at, pose(state.units[mate]).at)
    angles = [(towards + aside) % FULL_TURN for aside in ASIDE]
    lengths = [parameter.allowance * eighth // 8 for eighth in range(8, 0, -1)]
    return first_legal_shift(state, parameter, each_shift(angles, lengths)) is not None


def check(rules: FadRules, state: State) -> None:
    """Refuse squads that are too large, or whose vehicles differ in Quality or Resolve. Raises `RulesetError`."""
    if rules.book.tables.vehicles.formations:
        return
    for unit in state.units.values():
        others = mates(state, unit)
        if others and len(others) >= rules.book.tables.vehicles.most_in_squad:
            raise RulesetError(f"{squad_of(unit)} has more than {rules.book.tables.vehicles.most_in_squad} vehicles")
        for other in others:
            if any(unit.profile[key] != other.profile[key] for key in (QUALITY, RESOLVE)):
                raise RulesetError(
                    f"{unit.name} and {other.name} are one squad: give them the same quality and resolve"
                )


# --- formations -----------------------------------------------------------------------------------------------------


def played(state: State) -> bool:
    """Return whether the match is played with formations."""
    return state.options.get(FORMATIONS) == ON


def scattered(rules: FadRules, state: State, vehicle: Unit) -> bool:
    """Return whether the vehicles of a formation do not keep together: no chain of gaps up to the limit joins all of them."""
    formation = [bodies(unit).values() for unit in (vehicle, *mates(state, vehicle)) if unit.on_table]
    reach = inches(rules.book.tables.vehicles.coherency)
    joined, waiting = formation[:1], formation[1:]
    while near := [one for one in waiting if any(apart(one, other) <= reach for other in joined)]:
        joined += near
        waiting = [one for one in waiting if one not in near]
    return bool(waiting)


def held(rules: FadRules, state: State, vehicle: Unit) -> Why | None:
    """Return why a vehicle may not move: its formation does not keep together, and another one of it has moved this turn. None
    if it may (fad5/move.vehicle-formations).
    """
    if not played(state) or not squad_of(vehicle):
        return None
    moved = next((unit for unit in mates(state, vehicle) if unit.profile.get(MOVED) == state.turn.number), None)
    if moved is None or not scattered(rules, state, vehicle):
        return None
    reach = inches_text(inches(rules.book.tables.vehicles.coherency))
    return Why(
        f"{squad_of(vehicle)} does not keep within {reach}: one of its vehicles moves each turn, and {moved.name} has.",
        RULE,
    )


def note(game: FadGame, vehicle: str, began: Point) -> Steps[None]:
    """Note that a vehicle of a formation has moved this turn from where it `began`."""
    unit = game.unit(vehicle)
    if played(game.state) and squad_of(unit) and unit.on_table and pose(unit).at != began:
        yield UnitNoted(vehicle, MOVED, game.state.turn.number)
