"""FAD 5's retreat of a vehicle whose crew fell back: as fast as it can, away from the nearest enemy
(fad5/morale.result-one-vehicle).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from client_protocol.choices import (
    Choice,
    EndRule,
    EndsAtEdge,
    EndsFarther,
    EndsSpent,
    GoesAway,
    PathParameter,
    PathsDeclared,
    Picked,
    Why,
)
from server.kernel.answers.check import Asked, check_path
from server.kernel.answers.paths import Around
from server.kernel.bodies import bodies
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import FULL_TURN, Point, contains, inches, inches_text, to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import Side, State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.driving import STANDARD, drive, drive_parameter, pressing
from server.rulesets.fad.vehicles.retreat import RULE, SHARES, TURN, farthest
from server.rulesets.shared.distances import enemies_by_distance
from server.rulesets.shared.ways import legal_shifts

BOG = "adv.bogging.bogged"
DIRECTION = "morale.fall-back-direction"
_STEP = 1000
"""How near together, in mil, the places are that a warp tries."""


def flee(game: FadGame, unit: str) -> Steps[None]:
    """Let a vehicle fall back; it does not fire. One that is bogged stays with its crew (fad5/adv.bogging.bogged)."""
    if game.rules.vehicles.stuck(game.unit(unit)) is not None:
        yield Declared(unit, "stay-bogged", BOG)
        return
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    near = enemies_by_distance(state, state.units[unit])
    if not near:
        return
    if mobility(game.rules, state.units[unit]).jumps:
        home = home_of(game.rules, state, unit)
        if home is not None:
            yield Declared(unit, "fall-back", RULE)
            yield from drive(game, unit, home, "fall-back", RULE)
            return
    parameter, ways = retreat(game.rules, state, unit, near[0].unit)
    choices = [
        Choice("fall-back", "Fall back", RULE, "Away from the enemy, as fast as it can.", (parameter,), preview=True)
    ]
    default = Picked("stay")
    if ways:
        default = Picked("fall-back", (farthest(state, unit, near[0].unit, ways),))
    else:
        choices.append(Choice("stay", "Stay", RULE, "No way out was found. Stay only if you find none either."))
    asked = Asked(f"{state.units[unit].name} falls back", tuple(choices), default, RULE, unit)
    picked = yield from ask(seat, asked)
    if picked.choice == "fall-back":
        yield Declared(unit, "fall-back", RULE)
        way = picked.values[0]
        assert isinstance(way, PathsDeclared), "checked against the choice"
        yield from drive(game, unit, way, "fall-back", RULE)


def retreat(rules: FadRules, state: State, unit: str, enemy: str) -> tuple[PathParameter, list[PathsDeclared]]:
    """Return how a vehicle may fall back from an enemy, and ways on which it does: with its whole standard rate, or to where no
    enemy sees it, or to the table's edge; where it finds no such way, as far as it finds one (fad5/morale.fall-back-direction).
    """
    name, threat = state.units[unit].name, state.units[enemy].name
    why = Why(f"{name} falls back: it must end farther from {threat} than it is now.", RULE)
    ends = [EndRule((EndsFarther((enemy,)),), why)]
    if enemy not in pressing(state, unit):
        why = Why(f"{name} falls back: nowhere on its way may it come nearer to {threat}.", DIRECTION)
        ends.append(EndRule((GoesAway((enemy,)),), why))
    plain = drive_parameter(rules, state, unit, STANDARD, tuple(ends), may_stay=False)
    lengths = [plain.allowance * share // SHARES[0] for share in SHARES]
    whole = _spending(rules, state, plain, plain.allowance - inches(rules.book.tables.movement.slack))
    angles = range(0, FULL_TURN, TURN)
    ways = legal_shifts(state, whole, angles, lengths)
    if ways:
        return whole, ways
    ways = legal_shifts(state, plain, angles, lengths)
    if not ways:
        return plain, []
    most = max(_used(state, plain, way) for way in ways)
    short = _spending(rules, state, plain, most - inches(rules.book.tables.movement.slack))
    return short, [way for way in ways if check_path(state, short, way) is None]


def _spending(rules: FadRules, state: State, parameter: PathParameter, least: int) -> PathParameter:
    """Return how a vehicle falls back that uses up `least` mil of its movement, or ends out of sight or at the table's edge."""
    unit = state.units[parameter.unit]
    enemies = tuple([enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table])
    seen_over = rules.airborne(unit) or any(enemy in rules.aloft(state) for enemy in enemies)
    spent = EndsSpent(max(0, least), 1, watchers=enemies, hides=not seen_over)
    far = inches_text(max(0, least))
    sentence = (
        f"{unit.name} falls back as fast as it can: it uses up {far} at least, or ends out of every enemy's sight or at the "
        "table's edge."
    )
    return replace(parameter, ends=(*parameter.ends, EndRule((spent, EndsAtEdge()), Why(sentence, RULE))))


def _used(state: State, parameter: PathParameter, way: PathsDeclared) -> int:
    """Return how much movement a way uses up, in mil."""
    ((key, path),) = way.paths.items()
    at = state.units[parameter.unit].figures[key].at
    assert at is not None, "a vehicle that drives is on the table"
    return to_mil(Around(state, parameter).costs.path((at, *path)))


# --- a warp ---------------------------------------------------------------------------------------------------------


def home_of(rules: FadRules, state: State, unit: str) -> PathsDeclared | None:
    """Return the way of a warp to the place of its side's deployment zone, or at its edge of the table, that is farthest from all
    enemies; None if its side has neither, or there is no free place.
    """
    vehicle = state.units[unit]
    ((key, figure),) = vehicle.figures.items()
    assert figure.hull is not None, "a vehicle has a hull"
    foes = [foe for enemy in state.enemies_of(vehicle.side) if enemy.on_table for foe in bodies(enemy).values()]
    places = dict.fromkeys(_places(state, state.sides[vehicle.side], max(figure.hull.length, figure.hull.width) // 2))
    parameter = drive_parameter(rules, state, unit, STANDARD)

    def off(at: Point) -> int:
        return min(to_mil(apart(Body(at, 0), foe)) for foe in foes)

    ways = (
        PathsDeclared({key: (at,)}, figure.facing)
        for at in sorted(places, key=lambda at: (-off(at), at))
        if at != figure.at
    )
    return next((way for way in ways if check_path(state, parameter, way) is None), None)


def _places(state: State, side: Side, margin: int) -> Iterator[Point]:
    """Yield places an inch apart in the deployment zone of a side, and along its edge of the table."""
    width, height = state.table.width, state.table.height
    across, up = _spread(width, margin), _spread(height, margin)
    if side.zone:
        yield from ((x, y) for x in across for y in up if contains(side.zone, (x, y)))
    if side.edge in {"south", "north"}:
        yield from ((x, margin if side.edge == "south" else height - margin) for x in across)
    elif side.edge:
        yield from ((margin if side.edge == "west" else width - margin, y) for y in up)


def _spread(length: int, margin: int) -> Sequence[int]:
    return [*range(margin, length - margin, _STEP), length - margin]


def vehicle_note(rules: FadRules, state: State, unit: Unit, way: PathsDeclared) -> str:
    """Return the sentence on whether a vehicle that falls back along a way ends out of sight."""
    ((key, path),) = way.paths.items() or (("", ()),)
    if not path:
        return ""
    figure = unit.figures[key]
    moved = state.with_unit(replace(unit, figures={key: replace(figure, at=path[-1])}))
    seen = any(
        rules.sees(moved, enemy, moved.units[unit.id]) for enemy in moved.enemies_of(unit.side) if enemy.on_table
    )
    return "It ends in an enemy's sight." if seen else "It ends out of every enemy's sight."
