"""What happens to units that come near mine markers (fad5/adv.mines.trigger)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from client_protocol.explained import Explained, Line
from server.kernel import notes
from server.kernel.bodies import body, is_vehicle
from server.kernel.facts import Noted, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import total
from server.kernel.space.geometry import Point, at_most, inches
from server.kernel.space.hulls import apart
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad import damage
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Going, Meeting, Progress
from server.rulesets.fad.modules.demolitions import ENGINEER
from server.rulesets.fad.modules.mines.fields import (
    RULE,
    expose,
    field_of,
    marker,
    markers,
    number,
    place,
    show,
    true,
)
from server.rulesets.fad.modules.touching import Paths, at, first, near
from server.rulesets.fad.shot import Shot
from server.rulesets.fad.vehicles.characteristics import mobility

TRIED = "mines.tried"
"""The note that lists which unit has come to which marker in the activation under way."""
PAST, DUMMY, MINE = "past", "dummy", "mine"


def meets(rules: FadRules, state: State, going: Going) -> Iterator[Meeting]:
    """Yield where a unit on its way comes near markers. What flies, or takes no path, comes near only where it lands."""
    for t, piece in approached(rules, state, state.units[going.unit], going.paths):
        yield Meeting(t, _encounter(going.unit, piece.id), RULE, kept=True)


def approached(rules: FadRules, state: State, unit: Unit, paths: Paths) -> list[tuple[float, Terrain]]:
    """Return where on its paths a unit comes near which markers, in their order: of those at the same place the nearest first."""
    reach = inches(rules.book.tables.mines.near)
    tried = notes.words(state.book, TRIED)
    lands = is_vehicle(unit) and mobility(rules, unit).jumps
    found: list[tuple[float, float, Terrain]] = []
    for piece in () if rules.airborne(unit) else markers(state):
        if _pair(unit.id, piece.id) in tried or not near(unit, paths, piece, reach):
            continue
        there = _near(unit, place(piece), reach)
        t = (1.0 if there(at(state, unit.id, paths, 1.0)) else None) if lands else first(state, unit.id, paths, there)
        if t is not None:
            found.append((t, min(_away(at(state, unit.id, paths, t), place(piece)).values()), piece))
    return [(t, piece) for t, _, piece in sorted(found, key=lambda row: row[:2])]


def _near(began: Unit, point: Point, reach: int) -> Callable[[Unit], bool]:
    """Return whether a figure of a unit is within reach of a point, and nearer to it than it began."""
    before = _away(began, point)
    return lambda unit: any(at_most(far, reach) and far < before[key] for key, far in _away(unit, point).items())


def _away(unit: Unit, point: Point) -> Mapping[str, float]:
    """Return how far the edge of each living figure of a unit is from a point, in mil."""
    return {key: apart(body(figure), Body(point, 0)) for key, figure in unit.living.items() if figure.at is not None}


def _pair(unit: str, piece: str) -> str:
    return f"{unit} {piece}"


# --- the encounter ------------------------------------------------------------------------------------------------------


def slips_past(rules: FadRules, unit: Unit, face: int) -> Explained:
    """Return the number that says whether a unit passes a marker."""
    lines = [Line("SET", face, "1D6", RULE)]
    if any(has(figure, ENGINEER) for figure in unit.living.values()):
        # fad5/trait.engineer.mines
        lines.append(Line("ADD", rules.book.tables.mines.engineer, "engineer", RULE))
    return total(lines)


def _encounter(unit_id: str, piece_id: str) -> Callable[[FadGame], Steps[Progress]]:
    def happening(game: FadGame) -> Steps[Progress]:
        unit = game.unit(unit_id)
        if marker(game.state, piece_id) is None or not unit.on_table:
            return Progress.ON
        yield Noted(TRIED, (*notes.words(game.state.book, TRIED), _pair(unit_id, piece_id)))
        (face,) = yield from roll(1, purpose="minefield")
        reached, needed = slips_past(game.rules, unit, face), game.rules.book.tables.mines.past_on
        kind = true(game.state, piece_id)
        result = PAST if reached.value >= needed else MINE if kind else DUMMY
        name = number(field_of(game.state, piece_id), piece_id)
        mark = "pass" if result == PAST else "fail"
        yield Rolled("minefield", RULE, (face,), 6, (mark,), (reached,), f"{name} {result}", unit.side, unit_id)
        if result == PAST:
            return Progress.ON
        if result == DUMMY:
            yield from expose(game, piece_id)
        else:
            yield from _go_off(game, unit_id, piece_id, kind)
        return Progress.HALTED

    return happening


def _go_off(game: FadGame, unit_id: str, piece_id: str, kind: str) -> Steps[None]:
    """Let a mine go off under a unit (fad5/adv.mines.vs-infantry, fad5/adv.mines.vs-vehicles)."""
    yield from show(game, piece_id, kind)
    unit, side = game.unit(unit_id), field_of(game.state, piece_id).side
    there = marker(game.state, piece_id)
    assert there is not None, "a mine stays where it lies"
    away = _away(unit, place(there))
    nearest = tuple(sorted(away, key=lambda key: away[key]))
    (face,) = yield from roll(1, purpose="mine")
    hits = dealt(unit, face)
    yield Rolled("mine", RULE, (face,), outcome=f"{kind} {hits}", side=side, target=unit_id)
    shot = Shot(unit_id, unit_id, (), nearest, 0, "", "none", (), kind, laid=side)
    yield from damage.strike(game, shot, hits)


def dealt(unit: Unit, face: int) -> int:
    """Return how many hits a unit takes from a mine: 1D3, which is half of a die, rounded up, and one on each figure on foot."""
    hits = (face + 1) // 2
    return hits if is_vehicle(unit) else min(hits, unit.strength)


def forget(game: FadGame, _unit: str) -> Steps[None]:
    """Forget at the end of an activation which units have come to which markers."""
    if notes.words(game.state.book, TRIED):
        yield Noted(TRIED, ())
