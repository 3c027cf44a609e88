"""What flyers of some editions do besides driving: they scoot anywhere, and fire straight ahead at standard speed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from msgspec.structs import replace

from client_protocol.choices import Choice, PathsDeclared, Picked, PointParameter, Why
from server.kernel.answers.check import Asked, check_path
from server.kernel.bodies import pose
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import Point, angle_difference, direction
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.travel import arrive
from server.rulesets.fad.vehicles.characteristics import mobility, weapons
from server.rulesets.fad.vehicles.driving import STANDARD, drive, drive_parameter, whole_table
from server.rulesets.fad.vehicles.fire_control import Pace
from server.rulesets.fad.vehicles.firing import at_these, fire, fire_choices

SCOOT = "scoot"
STRAFE = "strafe"
SCOOTS = "move.flyer-scoot"
STRAFES = "move.strafing-run"
_LATER = "fire-later"


def choices(rules: FadRules, state: State, unit: Unit, barred: Why | None) -> Iterator[Choice]:
    """Yield what a flyer may do in the place of other moves at standard speed; `barred` is why it makes none."""
    row = mobility(rules, unit)
    if row.scoots:
        said = "Redeploy anywhere on the table, without firing."
        jump = replace(
            drive_parameter(rules, state, unit.id, STANDARD, may_stay=False),
            allowance=whole_table(state),
            allowance_rule=SCOOTS,
            base_rule=SCOOTS,
            table_rule=SCOOTS,
            jump=True,
        )
        yield Choice(SCOOT, "Scoot", SCOOTS, said, (jump,), barred)
    if row.strafes:
        said = "Fly straight ahead at standard speed, and fire before or after at what is straight ahead."
        line = replace(
            drive_parameter(rules, state, unit.id, STANDARD, may_stay=False), allowance_rule=STRAFES, straight=True
        )
        if barred is None and not weapons(unit):
            barred = Why(f"{unit.name} has no weapon.", STRAFES)
        yield Choice(STRAFE, "Strafing Run", STRAFES, said, (line,), barred)


def scoot(game: FadGame, unit: str, way: PathsDeclared) -> Steps[None]:
    """Redeploy a flyer anywhere on the table (fad5/move.flyer-scoot)."""
    yield Declared(unit, "move-out", SCOOTS)
    yield from drive(game, unit, way, "scoot", SCOOTS)
    yield from arrive(game, unit)


# --- straight ahead -------------------------------------------------------------------------------------------------


def strafe(game: FadGame, unit: str, way: PathsDeclared) -> Steps[None]:
    """Let a flyer fly straight ahead, and fire either before or after that at what lies ahead (fad5/move.strafing-run)."""
    yield Declared(unit, "strafe", STRAFES)
    at = pose(game.unit(unit)).at
    ((end,),) = way.paths.values()
    course = direction(at, end)
    fired = False
    if _turns(game, unit, course):
        yield from drive(game, unit, PathsDeclared({}, course), "drive", STRAFES)
        fired = yield from _fire_ahead(game, unit, course, before=True)
    if game.unit(unit).left:
        return
    yield from drive(game, unit, way, "strafe", STRAFES)
    yield from arrive(game, unit)
    if not fired:
        yield from _fire_ahead(game, unit, course, before=False)


def _turns(game: FadGame, unit: str, course: int) -> bool:
    """Return whether a flyer can face along its course where it is, and there is something ahead to fire at then."""
    state = game.state
    turned = PathsDeclared({}, course)
    if check_path(state, drive_parameter(game.rules, state, unit, STANDARD), turned) is not None:
        return False
    key, figure = next(iter(state.units[unit].figures.items()))
    flyer = replace(state.units[unit], figures={key: replace(figure, facing=course)})
    return any(True for _ in _ahead(game.rules, state.with_unit(flyer), flyer, course, frozenset()))


def _fire_ahead(game: FadGame, unit: str, course: int, *, before: bool) -> Steps[bool]:
    """Offer fire at what lies ahead until the owner holds fire or nothing is left to fire; return whether it fired."""
    seat = game.state.seat_of(unit)
    spent: frozenset[str] = frozenset()
    fired = False
    while not game.unit(unit).left:
        state = game.believed(seat)
        able = tuple(_ahead(game.rules, state, state.units[unit], course, spent))
        if not able:
            break
        name = state.units[unit].name
        hold = Choice("hold-fire", "Hold fire", STRAFES)
        title = f"{name} may fire straight ahead"
        if before and not fired:
            hold = Choice(_LATER, "Fire after the run", STRAFES, "Fly first, and fire at what is ahead then.")
            title = f"{name} may fire straight ahead before its run, or after it"
        picked = yield from ask(seat, Asked(title, (*able, hold), Picked(hold.key), STRAFES, unit))
        if picked.choice == hold.key:
            break
        fired = True
        spent = yield from fire(game, unit, picked, spent)
    return fired


def _ahead(rules: FadRules, state: State, unit: Unit, course: int, spent: Collection[str]) -> Iterator[Choice]:
    """Yield the choices to fire that can be taken at units that are straight ahead."""
    targets = frozenset(straight_ahead(rules, state, unit, course))
    choices = fire_choices(rules, state, unit.id, ("fire", "Fire"), STRAFES, "", spent, Pace.CAUTIOUS)
    yield from at_these(state, (choice for choice in choices if not _anywhere(choice)), targets)


def _anywhere(choice: Choice) -> bool:
    """Return whether a choice strikes any point, whatever lies ahead of the flyer."""
    (parameter,) = choice.parameters or (None,)
    return isinstance(parameter, PointParameter) and not parameter.near


def straight_ahead(rules: FadRules, state: State, unit: Unit, course: int) -> list[str]:
    """Return the enemies of which a figure lies ahead of a flyer on its course, as seen from where it is."""
    at = pose(unit).at
    spread = 100 * rules.book.tables.vehicles.ahead

    def ahead(place: Point) -> bool:
        return place != at and angle_difference(direction(at, place), course) <= spread

    return [enemy.id for enemy in state.enemies_of(unit.side) if any(ahead(place) for place, _ in enemy.places())]


FLIGHTS: Mapping[str, Callable[[FadGame, str, PathsDeclared], Steps[None]]] = {SCOOT: scoot, STRAFE: strafe}
"""What a flyer does by each of these choices, along its way."""
