"""Movement of infantry: how far it may go, how near to the enemy, and what happens on the way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    EndRule,
    GroundRule,
    PathParameter,
    PathsDeclared,
    Picked,
    StopParameter,
    StopTaken,
)
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.march import Stop, gone, march, on_the_way, swept
from server.kernel.procedure import Game, Steps, ask, offer_later
from server.kernel.questions import Question
from server.kernel.space.geometry import Point, inches
from server.kernel.space.paths import path_length
from server.kernel.state import Figure, State, Unit
from server.rulesets.fubar import aim, fire, reaction
from server.rulesets.fubar.game import SUPPRESSED, FubarGame, FubarRules
from server.rulesets.fubar.guns import STEADY, farthest, guns
from server.rulesets.shared import boarding
from server.rulesets.shared.untangling import untangle

ASSAULT = "assault"
AT_THE_END = "fire-at-the-end"
"""The choice to fire where the move ends."""
END = 1000
"""The end of a path, in thousandths."""
STEP = 250
"""Mil between the points of a path that are tried as places to fire from."""


class MoveAllowance(Question, frozen=True):
    """How far each figure of `unit` may go by an action, in mil."""

    unit: str
    action: str


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(MoveAllowance, lambda _, q: _allowance_lines(rules, q), unit="mil")


def _allowance_lines(rules: FubarRules, question: MoveAllowance) -> Iterator[Line]:
    # fubar4/action.table; fubar4/cover.movement, fubar4/armour.no-slowing: neither cover nor armour slows infantry
    move = rules.book.moves[question.action]
    yield Line("SET", inches(move.length), move.name, move.rule)


def allowance(rules: FubarRules, state: State, unit: str, action: str) -> Explained:
    """Return the answer to `MoveAllowance`."""
    return rules.advisers.answer(state, MoveAllowance(unit, action))


def path_parameter(
    rules: FubarRules, state: State, unit_id: str, action: str, ends: tuple[EndRule, ...] = (), *, may_stay: bool = True
) -> PathParameter:
    """Return the path parameter of infantry that moves by `action`.

    There is no limit to gaps: being out of touch only costs at the next activation (fubar4/unit.coherency).
    """
    unit = state.units[unit_id]
    barred = rules.pieces_with(state, "impassable")
    return PathParameter(
        unit=unit_id,
        allowance=allowance(rules, state, unit_id, action).value,
        barred=barred,
        avoid=tuple(enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table),
        allowance_rule=rules.book.moves[action].rule,
        ends=ends,
        may_stay=may_stay,
        # fubar4/close.by-assault: every other move keeps clear of enemies
        clear=0 if action == ASSAULT else inches(rules.book.tables.close_combat.clear),
        clear_rule="close.by-assault",
        grounds=tuple(GroundRule(piece, "cover.movement") for piece in barred),
        boards=() if action == ASSAULT else _boards(rules, state, unit),
    )


def _boards(rules: FubarRules, state: State, unit: Unit) -> tuple[tuple[str, int], ...]:
    """Return the vehicles that a unit may get into after a Walk or a Run (fubar4/vehicle.transport)."""
    reach = inches(rules.book.tables.transport.reach)
    return boarding.in_reach(state, boarding.carriers(state, unit), reach)


def halted(figure: Figure) -> bool:
    """Return whether a figure goes no farther (fubar4/action.on-guard: suppressed figures stop where they are)."""
    return figure.fallen or SUPPRESSED in figure.conditions


def go(
    game: FubarGame, unit: str, declared: PathsDeclared, manner: str, rule: str, own: Stop | None = None
) -> Steps[bool]:
    """Move `unit` as declared, and return whether it arrived. Enemies On Guard may fire at it on the way.

    `own` is what the unit itself does at a point of its path.
    """
    stops = reaction.stops(game, unit, declared)
    if own is not None:
        stops = [*stops, own]
    arrived = yield from march(game, unit, declared.paths, manner, rule, stops, halted=halted, facing=declared.facing)
    # A figure that was stopped among others makes room; those that were hit give way to those that arrived.
    barred = game.rules.pieces_with(game.state, "impassable")
    yield from untangle(game, unit, rule, barred, lambda figure: SUPPRESSED in figure.conditions)
    return arrived


def fire_on_the_way(game: FubarGame, unit: str, declared: PathsDeclared, moment: str, rule: str) -> Steps[Stop | None]:
    """Ask where on its path `unit` fires (fubar4/action.walk); return None if it does not or cannot.

    The whole unit fires at one moment.
    """
    seat = game.state.seat_of(unit)
    if next(_firing_points(game.rules, game.believed(seat), unit, declared, moment), None) is None:
        return None
    later, picked = yield from offer_later(game, seat, partial(_asked_when, game.rules, unit, declared, moment, rule))
    if picked.choice == "hold-fire":
        return None
    taken = picked.values[0] if picked.values else None
    if isinstance(taken, Assigned):
        at_the_end = later[seat].choice(AT_THE_END)
        assert at_the_end is not None, "it was chosen"
        (offered,), given = at_the_end.parameters, taken.given
        assert isinstance(offered, AssignmentParameter), "these are shots"
        return Stop(1.0, lambda g: _fire_there(g, unit, moment, rule, offered, given))
    t = taken.at / END if isinstance(taken, StopTaken) else 0.0
    return Stop(t, lambda g: _fire_here(g, unit, moment, rule))


def _asked_when(rules: FubarRules, unit: str, declared: PathsDeclared, moment: str, rule: str, state: State) -> Asked:
    own = state.units[unit]
    choices = [Choice("hold-fire", "Hold fire", rule, "Move without firing.")]
    if not _longest(own, declared):
        # The unit stays where it is, so the only choice is whether to fire.
        choices.insert(0, Choice("fire-here", "Fire", rule, "Fire from where it stands."))
    else:
        paths = {key: _whole(own, key, path) for key, path in declared.paths.items() if path}
        spans = firing_spans(rules, state, unit, declared, moment)
        parameter = StopParameter("Where on the way", unit, paths, spans, spans[-1][1])
        consequence = "Fire from a point of the move."
        choices.insert(0, Choice("fire-on-the-way", "Fire on the way", rule, consequence, (parameter,)))
        if moment == aim.WALK and spans[-1][1] == END:
            # What most units do, with targets and odds at once. A vehicle's arcs turn on its way.
            at_the_end = aim.fire_parameter(rules, at_end(state, unit, paths), unit, moment)
            if isinstance(at_the_end, AssignmentParameter):
                consequence = "Fire where the move ends."
                choices.insert(0, Choice(AT_THE_END, "Fire at the end", rule, consequence, (at_the_end,), preview=True))
    title = f"{own.name} may fire once on its way"
    return Asked(title, tuple(choices), Picked("hold-fire"), rule, unit)


def at_end(state: State, unit: str, paths: Mapping[str, tuple[Point, ...]]) -> State:
    """Return `state` with `unit` at the end of its paths, which begin where its figures stand."""
    return on_the_way(state, unit, {key: path[1:] for key, path in paths.items()}, 1.0)


def _fire_there(
    game: Game[FubarRules],
    unit: str,
    moment: str,
    rule: str,
    offered: AssignmentParameter,
    given: Mapping[str, str],
) -> Steps[bool]:
    """Fire as was said before the move, unless something has changed on the way: then ask again."""
    state = game.believed(game.state.seat_of(unit))
    if aim.fire_parameter(game.rules, state, unit, moment) != offered:
        return (yield from _fire_here(game, unit, moment, rule))
    yield from fire.fire(game, unit, moment, given)
    return any(not halted(figure) for figure in game.unit(unit).living.values())


def _fire_here(game: Game[FubarRules], unit: str, moment: str, rule: str) -> Steps[bool]:
    """Ask for targets and fire from where the unit is now; return whether it goes on with its move."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    parameter = aim.fire_parameter(game.rules, state, unit, moment)
    if isinstance(parameter, AssignmentParameter):
        picked = yield from ask(seat, fire_asked(state, unit, parameter, rule))
        given = picked.values[0] if picked.values else None
        if isinstance(given, Assigned):
            yield from fire.fire(game, unit, moment, given.given)
    return any(not halted(figure) for figure in game.unit(unit).living.values())


def fire_asked(state: State, unit: str, parameter: AssignmentParameter, rule: str) -> Asked:
    """Return the prompt for the targets of a unit that fires from where it is."""
    choices = (
        Choice("fire", "Fire", rule, "", (parameter,), preview=True),
        Choice("hold-fire", "Hold fire", rule),
    )
    default = Picked("fire", (Assigned(parameter.suggested),))
    return Asked(f"{state.units[unit].name} fires", choices, default, rule, unit)


def firing_spans(
    rules: FubarRules, state: State, unit: str, declared: PathsDeclared, moment: str
) -> tuple[tuple[int, int], ...]:
    """Return the stretches of the declared path, in thousandths, from which a figure of `unit` has a target."""
    if not _longest(state.units[unit], declared):
        return ((0, 1000),) if aim.can_fire(rules, state, unit, moment) else ()
    spans: list[tuple[int, int]] = []
    for before, at in _firing_points(rules, state, unit, declared, moment):
        if spans and spans[-1][1] == before:
            spans[-1] = (spans[-1][0], at)
        else:
            spans.append((at, at))
    return tuple(spans)


def _firing_points(
    rules: FubarRules, state: State, unit: str, declared: PathsDeclared, moment: str
) -> Iterator[tuple[int, int]]:
    """Yield the points of the declared path, in thousandths, at which a figure of `unit` has a target, each after the point that
    was looked at before it (-1: none).
    """
    longest = _longest(state.units[unit], declared)
    if not longest:
        if aim.can_fire(rules, state, unit, moment):
            yield -1, 0
        return
    # Only a steady unit serves what is built into the ground that it stands on.
    own = None if moment in STEADY else guns(rules, state, unit, moment)
    reach, box = farthest(rules, state, unit, moment), swept(state.units[unit], declared.paths)
    moving = state.units[unit]
    near = {
        enemy.id: group
        for enemy in state.enemies_of(moving.side)
        if enemy.on_table and box.apart(group := rules.group(enemy)) <= reach + 1
    }
    if not near:
        return
    steps = max(4, math.ceil(longest / STEP))
    before = -1
    for step in range(steps + 1):
        at = 1000 * step // steps
        there = gone(moving, declared.paths, step / steps, declared.facing)
        own_group = rules.group(there)
        close = [enemy for enemy, group in near.items() if own_group.apart(group) <= reach + 1]
        if close and aim.can_fire(rules, state.with_unit(there), unit, moment, close, own=own):
            yield before, at
        before = at


def _longest(unit: Unit, declared: PathsDeclared) -> float:
    return max((path_length(_whole(unit, key, path)) for key, path in declared.paths.items() if path), default=0.0)


def _whole(unit: Unit, figure: str, path: tuple[Point, ...]) -> tuple[Point, ...]:
    at = unit.figures[figure].at
    assert at is not None, "only figures on the table move"
    return (at, *path)
