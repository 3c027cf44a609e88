"""Findings about two units as they stand: distance, sight, cover, and whether one may fire at the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from client_protocol.choices import AssignmentParameter, AssignmentRow
from client_protocol.explained import Explained, Line
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.ruleset import Finding, Topic
from server.kernel.space.geometry import about, inches_text
from server.kernel.space.hulls import apart as bodies_apart
from server.kernel.space.terrain import NO_COVER
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fubar.aim import ABOARD, AIMED, DRIVE, HALT, MOMENT_RULES, REACTION, WALK, fire_parameter, guns
from server.rulesets.fubar.cover import cover_of, covering, figure_cover
from server.rulesets.fubar.fire import WEAPON_RULES, HitNeed
from server.rulesets.fubar.game import ON_GUARD, REACTED, FubarRules, level_of
from server.rulesets.fubar.previews.what_if import moments
from server.rulesets.shared.distances import apart
from server.rulesets.shared.previews.findings import covered, listed, measured, piece_named, sight, who

MEASURE = "measure.units"
SIGHT = "fire.line-of-sight"
_WORDS = {
    WALK: "On a Walk",
    AIMED: "With Aimed Fire",
    REACTION: "On Guard",
    DRIVE: "While it drives",
    HALT: "Halted",
    ABOARD: "From aboard",
}


def finding(rules: FubarRules, state: State, topic: Topic, unit_id: str, target_id: str) -> Finding:
    """Return the finding on `topic`. See `server.kernel.ruleset.Ruleset.finding`."""
    return _TOPICS[topic](rules, state, state.units[unit_id], state.units[target_id])


def _sight(_rules: FubarRules, state: State, unit: Unit, target: Unit) -> Finding:
    # fubar4/fire.line-of-sight
    return sight(state, unit, target, SIGHT)


def _range(rules: FubarRules, state: State, unit: Unit, target: Unit) -> Finding:
    # fubar4/measure.units
    mil = apart(unit, target)
    parts = []
    for key in _weapons(rules, state, unit):
        weapon = rules.weapon(key)
        rule = WEAPON_RULES[weapon.kind]
        there = "in range" if mil <= weapon.reach else "out of range"
        reach = Explained(weapon.reach, (Line("SET", weapon.reach, weapon.name, rule),), "mil")
        sentence = f"{weapon.name} reaches {inches_text(weapon.reach)}: {there}."
        parts.append(Finding(sentence, rule, mil <= weapon.reach, (("Range", reach),)))
    sentence = f"{target.name} is {about(mil)} away from {unit.name}."
    return Finding(sentence, MEASURE, numbers=(measured(mil, MEASURE),), parts=tuple(parts))


def _weapons(rules: FubarRules, state: State, unit: Unit) -> list[str]:
    """Return the weapons that the unit could fire if it stays where it is."""
    return list(dict.fromkeys(gun.weapon for gun in guns(rules, state, unit.id, _steady(unit))))


def _steady(unit: Unit) -> str:
    return HALT if is_vehicle(unit) else AIMED


# --- cover ----------------------------------------------------------------------------------------------------------


def _cover(rules: FubarRules, state: State, unit: Unit, target: Unit) -> Finding:
    # fubar4/cover.half-of-unit
    firing = tuple(bodies(unit).values())
    cover = cover_of(rules, state, target, firing)
    parts = tuple(_figures(rules, state, target, firing))
    needs = {(gun.weapon, level_of(unit, gun.figure)) for gun in guns(rules, state, unit.id, _steady(unit))}
    numbers = tuple(
        (f"{rules.weapon(weapon).name}, each die", rules.advisers.answer(state, HitNeed(level, weapon, cover)))
        for weapon, level in sorted(needs)
    )
    sentence = covered(target, unit, rules.book.covers[cover.level].name, parts)
    return Finding(sentence, cover.rule, cover.level != NO_COVER, numbers, parts)


def _figures(rules: FubarRules, state: State, target: Unit, firing: tuple[Body, ...]) -> Iterator[Finding]:
    for key, body in bodies(target).items():
        own = figure_cover(rules, state, target, key, body, firing)
        nearest = min(firing, key=lambda firer: bodies_apart(firer, body))
        pieces = [piece.id for piece in covering(rules, state, body, nearest.at)]
        by = f" by {listed(piece_named(state, piece) for piece in pieces)}" if pieces else ""
        yield Finding(
            f"{who(target, [key])}: {rules.book.covers[own.level].name}{by}.", own.rule, own.level != NO_COVER
        )


# --- fire -----------------------------------------------------------------------------------------------------------


def _fire(rules: FubarRules, state: State, unit: Unit, target: Unit) -> Finding:
    parts = tuple(_at(rules, state, unit, target, moment) for moment in _moments(unit))
    may = next((part for part in parts if part.holds), None)
    if may is not None:
        return Finding(f"{unit.name} may fire at {target.name}.", may.rule, holds=True, parts=parts)
    return Finding(f"{unit.name} may not fire at {target.name} now.", parts[-1].rule, holds=False, parts=parts)


def _moments(unit: Unit) -> tuple[str, ...]:
    """Return the moments at which the unit may fire: in its own activation, and as a reaction while it is On Guard."""
    if unit.aboard:
        return (ABOARD,)
    own = moments(unit)
    return (*own, REACTION) if ON_GUARD in unit.conditions and REACTED not in unit.conditions else own


def _at(rules: FubarRules, state: State, unit: Unit, target: Unit, moment: str) -> Finding:
    """Return which figures fire with which weapons at this moment, or why they cannot."""
    parameter = fire_parameter(rules, state, unit.id, moment, [target.id])
    words = _WORDS[moment]
    if not isinstance(parameter, AssignmentParameter):
        return Finding(f"{words}: {parameter.sentence}", parameter.rule, holds=False)
    # The label of a mount's row is its weapon's name, which its options repeat.
    shots = "; ".join(f"{f'{row.label}, ' if row.figure else ''}{_options(row)}" for row in parameter.rows)
    most = f" At most {parameter.most} of them." if parameter.most < len(parameter.rows) else ""
    return Finding(f"{words}: {shots}.{most}", MOMENT_RULES[moment], holds=True)


def _options(row: AssignmentRow) -> str:
    return " or ".join(f"{option.label} ({option.note})" for option in row.options)


_TOPICS: dict[Topic, Callable[[FubarRules, State, Unit, Unit], Finding]] = {
    "range": _range,
    "sight": _sight,
    "cover": _cover,
    "fire": _fire,
}
