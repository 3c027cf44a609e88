"""Previews of fire: the numbers that the procedures use, and exact odds in place of dice."""

from __future__ import annotations

from fractions import Fraction

from client_protocol.choices import Assigned, AssignmentParameter, Picked, StopParameter
from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.ruleset import Preview
from server.kernel.state import State
from server.rulesets.fubar import dice
from server.rulesets.fubar.aim import ABOARD, DRIVE, MOMENT_RULES, REACTION, WALK, closed
from server.rulesets.fubar.fire import Bout, bouts, numbers, shots_of, volleys
from server.rulesets.fubar.game import SUPPRESSED, FubarRules
from server.rulesets.fubar.guns import crews
from server.rulesets.fubar.hits import still_suppressible
from server.rulesets.fubar.movement import AT_THE_END, at_end
from server.rulesets.fubar.saves import Save
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line, or_more

_MOMENTS = {rule: moment for moment, rule in MOMENT_RULES.items()}
DESTROYED = "destroyed"
_CLOSED = 3
"""The most enemies for which a preview says why they cannot be fired at."""


def preview(rules: FubarRules, believed: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the preview of the fire that `picked` assigns, or None if it assigns none."""
    choice = asked.choice(picked.choice)
    if choice is None or not picked.values or not isinstance(picked.values[-1], Assigned):
        return None
    parameter, given = choice.parameters[-1], picked.values[-1].given
    if not isinstance(parameter, AssignmentParameter) or not all("@" in option for option in given.values()):
        return None
    if choice.key == AT_THE_END:
        # fubar4/action.walk: from where the move ends
        paths = next(one.paths for other in asked.choices for one in other.parameters if isinstance(one, StopParameter))
        believed = at_end(believed, parameter.unit, paths)
    unit = believed.units[parameter.unit]
    moving = ABOARD if unit.aboard else DRIVE if is_vehicle(unit) else WALK
    return preview_fire(rules, believed, unit.id, _MOMENTS.get(choice.rule, moving), given)


def preview_fire(rules: FubarRules, state: State, unit_id: str, moment: str, given: dict[str, str]) -> Preview | None:
    """Return the odds of a unit's fire at a moment, for each target apart; None if no figure fires."""
    planned = bouts(rules, state, unit_id, moment, given)
    if not planned:
        return None
    told = [_bout(rules, state, bout, several=len(planned) > 1) for bout in planned]
    # A unit that reacts may only fire at the moving unit, so no other enemy is mentioned.
    others = [] if moment == REACTION else closed(rules, state, unit_id, moment)
    targets = " and ".join(state.units[bout.target].name for bout in planned)
    return Preview(
        f"{state.units[unit_id].name} at {targets}",
        "a D6 for each Fire Point; a 6 always succeeds, a 1 always fails",
        tuple(number for numbers_, _, _ in told for number in numbers_),
        tuple(chance for _, chances, _ in told for chance in chances),
        (
            *(note for _, _, note in told),
            *crew_notes(rules, state, unit_id, moment, given),
            *(why.sentence for why in others[:_CLOSED]),
        ),
    )


def crew_notes(rules: FubarRules, state: State, unit_id: str, moment: str, given: dict[str, str]) -> list[str]:
    """Return notes on the figures that serve another's weapon instead of firing, and on weapons without a second man
    (fubar4/weapon.hmg-crew).
    """
    shots = shots_of(rules, state, unit_id, moment, given)
    found = crews(rules, state.units[unit_id], shots)

    def gun(row: str) -> str:
        return f"the {rules.weapon(shots[row].weapon).words} of figure {row}"

    notes = [
        f"Figure {mate} serves {gun(row)} and does not fire{': its own shot is lost' if mate in shots else ''}."
        for mate, row in found.serving.items()
    ]
    return notes + [f"No figure is free to serve {gun(row)}: it does not fire." for row in found.silent]


def _bout(
    rules: FubarRules, state: State, bout: Bout, *, several: bool
) -> tuple[list[tuple[str, Explained]], list[Chance], str]:
    target = state.units[bout.target]
    at = f" ({target.name})" if several else ""
    told: list[tuple[str, Explained]] = []
    hitting: list[Fraction] = []
    for volley in volleys(state, bout):
        asked = numbers(rules, state, bout, volley)
        name = rules.weapon(volley.weapon).name
        told += [(f"{name}: dice{at}", asked.dice), (f"{name}: each needs{at}", asked.need)]
        if asked.bonus.lines:
            told.append((f"{name}: added to each die{at}", asked.bonus))
        hitting += [dice.chance(asked.need.value, asked.bonus.value)] * asked.dice.value
    save = rules.advisers.answer(state, Save(bout.shooter, bout.target, bout.firing))
    through = 1 - dice.chance(save.value) if save.value else Fraction(1)
    if save.value:
        told.append((f"{target.name} saves on", save))
    spread = odds.successes([chance * through for chance in hitting])
    chances = [
        expected_line(f"Expected hits{at}", sum(hitting, Fraction(0))),
        expected_line(f"Expected hits after saves{at}", odds.mean(spread)),
        chance_line(f"At least one gets through{at}", or_more(spread, 1)),
    ]
    if is_vehicle(target):
        # fubar4/vdamage.table: a die for each hit that gets through
        faces = rules.book.tables.vehicle_damage.faces
        share = Fraction(sum(result == DESTROYED for result in faces), len(faces))
        kills = 1 - _none([chance * through * share for chance in hitting])
        return told, [*chances, chance_line(f"Destroyed{at}", kills)], f"{len(bout.aims)} weapons fire."
    # fubar4/fire.unsaved: a hit on a figure that cannot be suppressed is a casualty
    upright = sum(SUPPRESSED not in target.figures[key].conditions for key in bout.seen)
    spared = min(still_suppressible(rules, target), upright)
    if spared < len(bout.seen):
        chances.append(chance_line(f"At least one casualty{at}", or_more(spread, spared + 1)))
    more = f"At most {spared} more" if spared else "No more"
    note = (
        f"{len(bout.aims)} shots; {len(bout.seen)} of {target.strength} figures of {target.name} can be hit. "
        f"{more} of them can be suppressed."
    )
    return told, chances, note


def _none(events: list[Fraction]) -> Fraction:
    """Return the chance that none of some independent events happens."""
    whole = Fraction(1)
    for event in events:
        whole *= 1 - event
    return whole
