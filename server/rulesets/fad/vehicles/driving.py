"""Driving: how far a vehicle goes at each speed, and over which ground."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from client_protocol.choices import EndRule, PathParameter, PathsDeclared, Why
from client_protocol.explained import Explained, Line
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionLost
from server.kernel.procedure import Steps
from server.kernel.questions import Question
from server.kernel.space.geometry import inches
from server.kernel.space.terrain import Terrain
from server.kernel.standing import TOUCH, enemies
from server.kernel.state import State, Unit
from server.rulesets.fad.game import LANDED, FadGame, FadRules
from server.rulesets.fad.going import along
from server.rulesets.fad.module import Going
from server.rulesets.fad.setup.book import Mobility
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.shared import driving
from server.rulesets.shared.distances import apart

CAUTIOUS = "cautious"
STANDARD = "standard"
_RULES = {CAUTIOUS: "move.vehicle-cautious", STANDARD: "move.vehicle-standard"}
_IMPASSABLE = "impassable"
FIRM, SHUT = "firm", "shut"
"""The flags of ground that vehicles enter although they do not enter its kind, and of ground that no unit enters any more."""


class DriveAllowance(Question, frozen=True):
    """How far the vehicle `unit` may drive at `speed` (cautious, standard) over open ground, in mil."""

    unit: str
    speed: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(DriveAllowance, lambda state, q: _allowance_lines(rules, state, q), unit="mil")


def _allowance_lines(rules: FadRules, state: State, question: DriveAllowance) -> Iterator[Line]:
    row = mobility(rules, state.units[question.unit])
    if row.jumps and row.standard is None and question.speed == STANDARD:
        # fad5/move.warp-standard: no place on the table is too far
        yield Line("SET", whole_table(state), f"{row.name}, anywhere on the table", "move.warp-standard")
        return
    # fad4/move.vehicle-rates, fad4/move.vehicle-cautious, fad4/move.vehicle-standard
    rate = row.cautious if question.speed == CAUTIOUS or row.standard is None else row.standard
    yield Line("SET", inches(rate), f"{row.name}, {question.speed} speed", _RULES[question.speed])


def allowance(rules: FadRules, state: State, unit: str, speed: str) -> Explained:
    """Return the answer to `DriveAllowance`."""
    return rules.advisers.answer(state, DriveAllowance(unit, speed))


def drive_parameter(
    rules: FadRules, state: State, unit_id: str, speed: str, ends: tuple[EndRule, ...] = (), *, may_stay: bool = True
) -> PathParameter:
    """Return the path parameter of a vehicle that drives at `speed`.

    Turning on the spot costs nothing, and a vehicle that drives backwards has turned before and after
    (fad4/move.vehicle-turning). Its way leads through infantry that touches it, and ends off all figures.
    """
    row = mobility(rules, state.units[unit_id])
    terrain = state.table.terrain
    # fad4/move.walk
    costly = tuple((piece.id, 100 * row.factor, row.rule) for piece in terrain if is_of(piece, row.costly_in))
    drive = driving.Drive(
        far=allowance(rules, state, unit_id, speed).value,
        slow=allowance(rules, state, unit_id, CAUTIOUS).value,
        closed=closed(rules, state, unit_id),
        # fad5/move.difficult-vehicles: by its mobility alone
        # fad4/move.hover, fad4/move.tracked, fad4/move.wheeled: any of it on the way slows all of the move
        slowing={piece.id for piece in terrain if is_of(piece, row.slow_in)},
        rule=_RULES[speed],
        slow_rule=row.rule,
        costly=costly,
    )
    parameter = driving.drive_parameter(state, unit_id, drive)
    if row.jumps:
        parameter = replace(parameter, allowance_rule=_jump_rule(row, speed))
    if row.easy_in:
        # fad5/move.wheel: off the road each inch costs more
        easy = tuple((piece.id, 100) for piece in terrain if is_of(piece, row.easy_in))
        why = Why(f"Off the road each inch costs it {row.factor}.", row.rule)
        parameter = replace(parameter, costly=easy, ground=100 * row.factor, dear=why)
    close = pressing(state, unit_id)
    return replace(
        parameter,
        # fad5/assault.vehicle-damage: infantry that assaulted it does not hold it
        avoid=tuple([enemy for enemy in parameter.avoid if enemy not in close]),
        ends=ends,
        may_stay=may_stay,
        base_rule=parameter.allowance_rule,
        table_rule=parameter.allowance_rule,
        over=row.flies,
        jump=row.jumps,
    )


def pressing(state: State, vehicle: str) -> set[str]:
    """Return the enemy units on foot that touch a vehicle."""
    unit = state.units[vehicle]
    return {foe.id for foe in enemies(state, unit.side) if not is_vehicle(foe) and apart(unit, foe) <= TOUCH}


def _jump_rule(row: Mobility, speed: str) -> str:
    return "move.warp-standard" if speed == STANDARD and row.standard is None else row.rule


def drive_rule(rules: FadRules, vehicle: Unit, speed: str) -> str:
    """Return the rule by which a vehicle goes at a speed."""
    row = mobility(rules, vehicle)
    return _jump_rule(row, speed) if row.jumps else _RULES[speed]


def whole_table(state: State) -> int:
    """Return a length in mil that leads from any place of the table to any other."""
    return math.ceil(math.hypot(state.table.width, state.table.height))


def closed(rules: FadRules, state: State, unit_id: str) -> dict[str, str]:
    """Return the terrain pieces into which a vehicle may not drive, each with the rule by which it may not."""
    row = mobility(rules, state.units[unit_id])
    if row.flies:
        # fad4/move.fly
        return {}
    return grounds_closed(rules, state, row)


def grounds_closed(rules: FadRules, state: State, row: Mobility) -> dict[str, str]:
    """Return the terrain pieces into which no vehicle of this mobility may drive, each with the rule by which it may not."""
    solid = rules.book.tables.vehicles.solid
    found: dict[str, str] = {}
    for piece in state.table.terrain:
        if is_of(piece, row.closed) and (FIRM not in piece.flags or any(flag in row.closed for flag in piece.flags)):
            # fad4/move.tracked
            found[piece.id] = row.rule
        elif is_of(piece, solid) or SHUT in piece.flags or (_IMPASSABLE in piece.flags and not is_of(piece, row.over)):
            # fad4/terrain.agreed
            found[piece.id] = "terrain.agreed"
    return found


def is_of(piece: Terrain, grounds: Collection[str]) -> bool:
    """Return whether a terrain piece is of one of these kinds of ground, or has one of them as a flag."""
    return piece.kind in grounds or any(flag in grounds for flag in piece.flags)


def drive(game: FadGame, unit: str, declared: PathsDeclared, manner: str, rule: str) -> Steps[None]:
    """Drive as declared; a flyer that goes anywhere takes off."""
    if LANDED in game.unit(unit).conditions and any(declared.paths.values()):
        yield ConditionLost(unit, LANDED, "move.flyer-airborne")
    yield from along(game, Going(unit=unit, paths=declared.paths, manner=manner, rule=rule, facing=declared.facing))
