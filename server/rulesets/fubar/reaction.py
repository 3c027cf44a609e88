"""Reactions: units On Guard that fire at an enemy during its move."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from functools import partial

from client_protocol.choices import Assigned, AssignmentParameter, Choice, PathsDeclared, Picked
from client_protocol.view import Word
from server.kernel.answers.check import Asked
from server.kernel.bodies import apart, bodies, is_vehicle
from server.kernel.facts import ConditionGained
from server.kernel.march import Stop, gone, swept
from server.kernel.procedure import Steps, ask_later
from server.kernel.space.geometry import about
from server.kernel.space.paths import path_length
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.rulesets.fubar import fire
from server.rulesets.fubar.aim import REACTION, can_fire, fire_parameter
from server.rulesets.fubar.game import (
    IMMOBILISED,
    ON_GUARD,
    REACTED,
    FubarGame,
    FubarRules,
    fighting,
    standing,
)
from server.rulesets.fubar.guns import farthest
from server.rulesets.shared.turns import round_from

RULE = "action.on-guard"
STEP = 500
"""Mil between the points of the mover's path that are tried as places to fire at it."""

# Standing orders
ASK = ""
FIRST = "first"
CLOSEST = "closest"
HOLD = "hold"
ORDERS = {
    ASK: Word(
        "Ask me", "Ask at each moment when it could fire. When the time runs out, it fires at the closest point.", RULE
    ),
    FIRST: Word("Fire at first sight", "Fires without asking as soon as an enemy on the move can be fired at.", RULE),
    CLOSEST: Word("Fire when closest", "Fires without asking where the enemy's move comes closest.", RULE),
    HOLD: Word("Hold fire", "Does not react to moving enemies.", RULE),
}
"""The standing orders of a unit On Guard, by key: what it does without a prompt."""


class Point(Fixed, frozen=True):
    """A point of a move at which `unit` may react.

    Attributes:
        unit: the unit that may react.
        t: how far along the move the point is, from 0 to 1.
        closest: whether the mover will not come closer.
        last: whether this is the last such point.
        ahead: how near the mover will still come, in mil; -1 if it comes no closer.
    """

    unit: str
    t: float
    closest: bool
    last: bool
    ahead: int = -1


def stops(game: FubarGame, mover: str, declared: PathsDeclared) -> list[Stop]:
    """Return the stops of a move at which enemies On Guard may fire at it, each with its prompt (fubar4/action.on-guard).

    Each enemy unit has up to three: the first point at which a moving figure is a legal target, the closest one, and the end.
    When the move gets there, the target is checked again. Enemies at the same point react in the turn order of their sides,
    from the mover's side on, and in roster order within a side.
    """
    moving = tuple(_moving(game.unit(mover), declared))
    silent: set[str] = set()
    there: dict[float, Unit] = {}
    found: list[Stop] = []
    for reactor in _on_guard(game.state, mover):
        found += [
            Stop(point.t, lambda g, p=point: _reach(g, mover, p, moving, silent))  # type: ignore[misc]  # bound here
            for point in points(game.rules, game.state, mover, declared, reactor, there)
        ]
    return found


def points(
    rules: FubarRules,
    state: State,
    mover_id: str,
    declared: PathsDeclared,
    reactor: str,
    there: dict[float, Unit] | None = None,
) -> Iterator[Point]:
    """Yield the points at which `reactor` is offered to fire at a move, in order.

    `there` is where the mover is kept as it stands on the way, by the t of the move, for several reactors.
    """
    mover = state.units[mover_id]
    moving = _moving(mover, declared)
    longest = max(moving.values(), default=0.0)
    if not longest:
        return
    reach = farthest(rules, state, reactor, REACTION)
    if swept(mover, declared.paths).apart(rules.group(state.units[reactor])) > reach + 1:
        return
    steps = math.ceil(longest / STEP)
    way = _Way(rules, state, mover, declared, reactor, reach, moving, {} if there is None else there)
    shares = [step / steps for step in range(steps + 1)]
    first = next((t for t in shares if way.open_at(t)), None)
    if first is None:
        return
    # Of equally near points the first one counts.
    closest = next(t for t in sorted(shares, key=way.apart_at) if t >= first and way.open_at(t))
    offered = sorted({first, closest, *([1.0] if way.open_at(1.0) else [])})
    for t in offered:
        ahead = way.apart_at(closest) if t < closest else -1
        yield Point(reactor, t, t >= closest, t == offered[-1], ahead)


class _Way:
    """The way of a mover past a unit that may react. Only the points that matter are looked at, each once."""

    def __init__(
        self,
        rules: FubarRules,
        state: State,
        mover: Unit,
        declared: PathsDeclared,
        reactor: str,
        reach: int,
        moving: Collection[str],
        there: dict[float, Unit],
    ) -> None:
        self._rules = rules
        self._state = state
        self._mover = mover
        self._declared = declared
        self._reactor = reactor
        self._reach = reach
        self._moving = moving
        self._own = list(bodies(state.units[reactor]).values())
        self._there = there
        self._open: dict[float, bool] = {}

    def open_at(self, t: float) -> bool:
        """Return whether the unit may fire at a moving figure when the move has come as far as `t`."""
        known = self._open.get(t)
        if known is None:
            known = self._open[t] = self.apart_at(t) <= self._reach and self._fires_at(self._at(t))
        return known

    def _fires_at(self, there: Unit) -> bool:
        state = self._state.with_unit(there)
        return can_fire(self._rules, state, self._reactor, REACTION, [there.id], self._moving)

    def apart_at(self, t: float) -> int:
        """Return the mil from the unit to the nearest figure in motion at `t`."""
        theirs = bodies(self._at(t))
        return apart(self._own, [one for key, one in theirs.items() if key in self._moving])

    def _at(self, t: float) -> Unit:
        known = self._there.get(t)
        if known is None:
            known = self._there[t] = gone(self._mover, self._declared.paths, t, self._declared.facing)
        return known


def _moving(mover: Unit, declared: PathsDeclared) -> dict[str, float]:
    """Return how far each figure goes that moves at all, in mil."""
    found: dict[str, float] = {}
    for key, path in declared.paths.items():
        at = mover.figures[key].at
        if path and at is not None:
            found[key] = path_length((at, *path))
    return {key: length for key, length in found.items() if length > 0}


def _on_guard(state: State, mover: str) -> list[str]:
    """Return the enemies of `mover` that may react, in the order in which they do."""
    own = state.units[mover].side
    return [
        unit.id
        for side in round_from(own, list(state.sides))
        if side != own
        for unit in state.units_of(side)
        if _may_react(unit)
    ]


def _may_react(unit: Unit) -> bool:
    """Return whether a unit may react at all: it is On Guard, has not reacted this turn, and is not in close combat."""
    conditions = unit.conditions
    return unit.on_table and ON_GUARD in conditions and REACTED not in conditions and not fighting(unit)


# --- at a point of the move -----------------------------------------------------------------------------------------


def _reach(game: FubarGame, mover: str, point: Point, moving: Collection[str], silent: set[str]) -> Steps[bool]:
    """Let the unit of `point` fire, wait or hold when the move gets there, and return whether the move goes on."""
    if point.unit not in silent and _has_target(game, mover, point.unit, moving):
        given = yield from _decide(game, mover, point, silent)
        if given:
            yield ConditionGained(point.unit, REACTED, RULE)
            yield from fire.fire(game, point.unit, REACTION, given)
    return goes_on(game.unit(mover))


def _has_target(game: FubarGame, mover: str, reactor: str, moving: Collection[str]) -> bool:
    """Return whether a figure that is still moving is a legal target now."""
    if not _may_react(game.unit(reactor)) or game.unit(mover).left:
        return False
    figures = standing(game.unit(mover))
    among = [key for key in moving if key in figures]
    return bool(among) and can_fire(game.rules, game.state, reactor, REACTION, [mover], among)


def _decide(game: FubarGame, mover: str, point: Point, silent: set[str]) -> Steps[dict[str, str]]:
    """Return the shots by the owner's answer or his standing order; empty if the unit does not fire now."""
    order = game.state.desk.orders.get(point.unit, ASK)
    if order == HOLD or (order == CLOSEST and not point.closest):
        return {}
    seat = game.state.seat_of(point.unit)
    if order in {FIRST, CLOSEST}:
        return _shots(game.rules, game.believed(seat), mover, point).suggested
    picked = yield from ask_later(game, seat, partial(_asked, game.rules, mover, point))
    if picked.choice == "hold":
        silent.add(point.unit)
    if picked.choice != "fire":
        return {}
    value = picked.values[0]
    assert isinstance(value, Assigned), "checked against the choice"
    return value.given


def _shots(rules: FubarRules, state: State, mover: str, point: Point) -> AssignmentParameter:
    parameter = fire_parameter(rules, state, point.unit, REACTION, [mover])
    assert isinstance(parameter, AssignmentParameter), "it has a target"
    return parameter


def _asked(rules: FubarRules, mover: str, point: Point, state: State) -> Asked:
    parameter = _shots(rules, state, mover, point)
    reactor, moving = state.units[point.unit], state.units[mover]
    fire_now = Choice(
        "fire", "Fire now", RULE, f"{moving.name} is stopped here while it is fired at.", (parameter,), preview=True
    )
    hold = Choice("hold", "Hold fire", RULE, "Let this move pass; it may still react to another one.")
    choices: tuple[Choice, ...] = (fire_now, hold)
    if not point.last:
        nearer = point.ahead >= 0
        later = f"Asked again when it is closest, {about(point.ahead)} away." if nearer else "Asked again at its end."
        choices = (fire_now, Choice("wait", "Wait", RULE, later), hold)
    # The default is what the standing order "Fire when closest" would do.
    default = Picked("fire", (Assigned(parameter.suggested),)) if point.closest else Picked("wait")
    return Asked(f"{reactor.name} may react to {moving.name}", choices, default, RULE, point.unit)


def goes_on(mover: Unit) -> bool:
    """Return whether a unit that was fired at can finish its move."""
    if not mover.on_table:
        return False
    return IMMOBILISED not in mover.conditions if is_vehicle(mover) else bool(standing(mover))
