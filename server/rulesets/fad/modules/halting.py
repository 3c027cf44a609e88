"""Moves on which things happen: a unit meets what modules have in its way, and may go on where that stops it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Choice, PathParameter, PathsDeclared, Picked
from client_protocol.explained import Line
from server.kernel.answers.check import Asked, check_path
from server.kernel.answers.paths import Around
from server.kernel.bodies import is_vehicle
from server.kernel.march import Stop, march
from server.kernel.procedure import Game, Steps, ask
from server.kernel.questions import total
from server.kernel.space.geometry import Point, to_mil
from server.kernel.space.paths import stretch
from server.kernel.state import State, Unit
from server.rulesets.fad import charge, movement
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Going, Meeting, Progress
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance, closed, drive_parameter
from server.rulesets.shared.charging import following, way_into_contact
from server.rulesets.shared.untangling import MANNER, untangle

MANNERS: Mapping[str, str] = {MANNER: "makes room, {far}"}
"""The words for the moves of those among whom a unit is halted."""
_STANDARD = "move.vehicle-standard"
_DRIVES = "drive"


class _Halt(Struct):
    """What stopped a unit on its way, and at which t; None while nothing did."""

    by: Meeting | None = None
    t: float = 1.0


def go(game: FadGame, going: Going) -> Steps[None]:
    """Move a unit along its paths, with what the modules of the match have it meet there."""
    halt, began, start = _Halt(), game.unit(going.unit), game.state
    stops = [_stop(going, meeting, halt) for meeting in game.rules.meeting(start, going)]
    arrived = yield from march(game, going.unit, going.paths, going.manner, going.rule, stops, facing=going.facing)
    if not arrived:
        # Friends let it pass, and it may have been stopped among them.
        yield from untangle(game, going.unit, going.rule, _closed(game, going.unit), lambda _: False)
    for hook in game.rules.passed(game.state):
        yield from hook(game, began, going, halt.t)
    if halt.by is not None and game.unit(going.unit).on_table:
        yield from _go_on(game, going, halt.by, _rest(began, going, halt.t), _used(game.rules, start, going, halt.t))


def _closed(game: FadGame, unit: str) -> tuple[str, ...]:
    if is_vehicle(game.unit(unit)):
        return tuple(closed(game.rules, game.state, unit))
    return on_foot(game.rules, game.state).closed


def _stop(going: Going, meeting: Meeting, halt: _Halt) -> Stop:
    def happening(game: Game[FadRules]) -> Steps[bool]:
        progress = yield from meeting.happening(game)
        if progress is Progress.HALTED and _chosen(game, going):
            halt.by, halt.t = meeting, meeting.t
            return False
        return progress is not Progress.STUCK

    return Stop(meeting.t, happening)


def _rest(began: Unit, going: Going, t: float) -> dict[str, tuple[Point, ...]]:
    """Return what is left of the paths after t."""
    return {
        key: stretch((start, *path), t, 1.0)[1:]
        for key, path in going.paths.items()
        if path and (start := began.figures[key].at) is not None
    }


def _chosen(game: FadGame, going: Going) -> bool:
    """Return whether a player chose the way of a unit, and may change it."""
    if is_vehicle(game.unit(going.unit)):
        return going.manner == _DRIVES
    return bool(going.target) or going.manner in {movement.MOVE, movement.RUSH}


def _standard(rules: FadRules, unit: Unit, going: Going) -> bool:
    """Return whether a vehicle drives at standard speed, and still can."""
    return going.rule == _STANDARD and rules.vehicles.crippled(unit) is None


def _parameter(rules: FadRules, state: State, going: Going, left: int, rule: str) -> PathParameter:
    """Return how a unit may go on with `left` mil of movement, by a rule."""
    unit = state.units[going.unit]
    if is_vehicle(unit):
        parameter = drive_parameter(rules, state, unit.id, STANDARD if _standard(rules, unit, going) else CAUTIOUS)
        gone = parameter.allowance - left
        limits = tuple([(piece, max(0, limit - gone)) for piece, limit in parameter.limits])
        return replace(parameter, allowance=left, limits=limits)
    fixed = total([Line("SET", left, "what is left of its move", rule)], "mil")
    if going.target:
        parameter = charge.charge_parameter(rules, state, unit.id, going.target)
        return replace(parameter, allowance=left, full=0, less=None)
    ends = movement.rush_ends(rules, state, unit) if going.manner == movement.RUSH else ()
    return movement.path_parameter(rules, state, unit.id, going.manner, ends, fixed=fixed)


def _limit(rules: FadRules, state: State, going: Going) -> int:
    """Return how much movement a unit has in all, in mil."""
    unit = state.units[going.unit]
    if is_vehicle(unit):
        own = allowance(rules, state, going.unit, STANDARD if _standard(rules, unit, going) else CAUTIOUS).value
        return own if going.limit is None else min(own, going.limit)
    if going.limit is not None:
        return going.limit
    manner = movement.CHARGE if going.target else going.manner
    return movement.allowance(rules, state, going.unit, manner).value


def _used(rules: FadRules, state: State, going: Going, t: float) -> int:
    """Return how much movement a unit uses on its way up to t, in mil: the figure that uses most."""
    unit = state.units[going.unit]
    if is_vehicle(unit):
        parameter = drive_parameter(rules, state, unit.id, CAUTIOUS)
    else:
        parameter = movement.path_parameter(rules, state, unit.id, movement.MOVE)
    costs = Around(state, parameter).costs
    used = 0
    for key, path in going.paths.items():
        start = unit.figures[key].at
        if start is not None and path:
            used = max(used, to_mil(costs.path(stretch((start, *path), 0.0, t))))
    return used


def _go_on(game: FadGame, going: Going, by: Meeting, rest: dict[str, tuple[Point, ...]], used: int) -> Steps[None]:
    """Let the player who drew the way of a unit that was stopped take the rest of its move."""
    seat = going.seat or game.state.seat_of(going.unit)
    state = game.believed(seat)
    left = _limit(game.rules, state, going) - used
    if left <= 0:
        return
    unit, rule = state.units[going.unit], by.rule
    parameter = _parameter(game.rules, state, going, left, rule)
    kept = PathsDeclared({key: path for key, path in rest.items() if key in unit.living}, going.facing)
    default = Picked("stop")
    if by.kept and check_path(state, parameter, kept) is None:
        default = Picked("go-on", (kept,))
    elif going.target:
        way = way_into_contact(state, parameter, going.target)
        if way is None:
            return
        default = Picked("go-on", (following(state, parameter, way),))
    choices = (
        Choice("go-on", "Go on", rule, "With what is left of its move.", (parameter,)),
        Choice("stop", "Stop", rule, "It stays where it has come to."),
    )
    title = f"{unit.name} may go on, or stop where it is"
    picked = yield from ask(seat, Asked(title, choices, default, rule, going.unit))
    if picked.choice == "go-on":
        way_on = picked.values[0]
        assert isinstance(way_on, PathsDeclared), "checked against the choice"
        yield from go(game, replace(going, paths=way_on.paths, facing=way_on.facing, limit=left))
