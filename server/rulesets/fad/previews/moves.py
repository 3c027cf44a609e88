"""Previews of moves that may come less far than they are drawn: how likely they arrive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from msgspec.structs import replace

from client_protocol.choices import EndsTouching, PathParameter, PathsDeclared, Picked
from client_protocol.from_server import Chance
from server.kernel.answers.check import Asked
from server.kernel.bodies import bodies
from server.kernel.ruleset import Preview
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import inches_text, to_mil
from server.kernel.space.values import Body
from server.kernel.standing import bases, end_places, terrain_of, touches
from server.kernel.state import State
from server.rulesets.fad import movement
from server.rulesets.fad.charge import charge_parameter
from server.rulesets.fad.cover import figures_in_cover
from server.rulesets.fad.falling_back import spends
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.shared.charging import way_into_contact
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, or_more

_MANNERS = {"move.infantry": movement.MOVE, "move.rush": movement.RUSH, "move.charge-bonus": movement.CHARGE}
"""The manners of moves for which dice may be rolled, by the rule that says how far one goes."""


def preview_move(rules: FadRules, state: State, asked: Asked, choice: str, paths: PathsDeclared) -> Preview | None:
    """Return how likely a unit comes as far as `paths`; None where that is sure."""
    travel, taken = rules.travel(state), asked.choice(choice)
    parameter = taken.parameters[0] if taken is not None and taken.parameters else None
    if not isinstance(parameter, PathParameter):
        return None
    manner = _MANNERS.get(parameter.allowance_rule)
    if travel is None or manner is None:
        return _hiding(rules, state, parameter, paths) if spends(parameter) else None
    costs = _costs(rules, state, asked.unit, paths)
    if not any(costs.values()):
        return None
    pace = travel.pace(rules, state, asked.unit, manner)
    chances = [*_touching(state, parameter, paths, costs, pace.spread)]
    far = max(costs.values())
    chances.append(chance_line("All figures arrive", or_more(pace.spread, far)))
    if min(costs.values()) < far:
        chances.append(chance_line("A figure arrives", or_more(pace.spread, min(costs.values()))))
    chances.append(Chance("Movement on average", inches_text(round(odds.mean(pace.spread)))))
    name = state.units[asked.unit].name
    return Preview(
        f"{name} is heading there", pace.dice, (("Movement (without the dice)", pace.certain),), tuple(chances)
    )


def warned(rules: FadRules, state: State, asked: Asked, picked: Picked, told: Preview | None) -> Preview | None:
    """Return a preview with what may happen to the unit on the way that it takes."""
    ways = [value for value in picked.values if isinstance(value, PathsDeclared)]
    notes = [note for way in ways for note in rules.warnings(state, state.units[asked.unit], way)] if asked.unit else []
    if not notes:
        return told
    if told is None:
        return Preview(f"{state.units[asked.unit].name} goes there", "", (), (), tuple(notes))
    return replace(told, notes=(*told.notes, *notes))


def _hiding(rules: FadRules, state: State, parameter: PathParameter, paths: PathsDeclared) -> Preview:
    """Return how many figures of a unit that falls back end in cover, and out of sight (fad5/morale.fall-back-direction)."""
    unit = state.units[parameter.unit]
    ends = list(end_places(unit, paths).values())
    field, blocking = rules.field(state), rules.hulls(state)
    foes = [foe for enemy in state.enemies_of(unit.side) if enemy.on_table for foe in bodies(enemy).values()]
    hidden = sum(not any(field.sees_body(Body(at, base), foe, blocking) for foe in foes) for at, base in ends)
    covered = figures_in_cover(rules, state, ends)
    note = f"Of {len(ends)} figures, {covered} end in cover, and {hidden} out of every enemy's sight."
    return Preview(f"{unit.name} falls back there", "", (), (), (note,))


def contact_chance(rules: FadRules, state: State, attacker: str, target: str) -> Iterator[Chance]:
    """Yield the chance that a charge straight from where the unit stands reaches contact; nothing where it is sure."""
    travel = rules.travel(state)
    if travel is None:
        return
    way = way_into_contact(state, charge_parameter(rules, state, attacker, target), target)
    if way is not None:
        # The first figure is the one with the shortest way; the others make room for it.
        leader = next(iter(way.paths), None)
        costs = _costs(rules, state, attacker, way)
        pace = travel.pace(rules, state, attacker, movement.CHARGE)
        chance = or_more(pace.spread, costs[leader]) if leader is not None else Fraction(1)
        yield chance_line("Reaches contact", chance)


def _costs(rules: FadRules, state: State, unit: str, paths: PathsDeclared) -> dict[str, int]:
    """Return what each figure's path uses up, in mil."""
    percent = dict(on_foot(rules, state).costly)
    priced = Costs([(piece, percent[piece.id]) for piece in terrain_of(state, tuple(percent))])
    costs: dict[str, int] = {}
    for key, path in paths.paths.items():
        start = state.units[unit].figures[key].at
        if path and start is not None:
            costs[key] = to_mil(priced.path((start, *path)))
    return costs


def _touching(
    state: State, parameter: PathParameter, paths: PathsDeclared, costs: dict[str, int], spread: Mapping[int, Fraction]
) -> Iterator[Chance]:
    """Yield the chance that a move which must end in contact gets there."""
    for end in (condition for rule in parameter.ends for condition in rule.any_of):
        if isinstance(end, EndsTouching):
            foes = bases(state, only=end.units)
            ends = end_places(state.units[parameter.unit], paths)
            near = [costs.get(key, 0) for key, base in ends.items() if any(touches(base, foe) for foe in foes)]
            yield chance_line("Reaches contact", or_more(spread, min(near)) if near else Fraction(0))
