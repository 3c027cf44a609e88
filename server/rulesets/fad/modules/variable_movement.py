"""Variable movement: a squad declares where it is heading, and dice say how far it comes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from client_protocol.choices import PathsDeclared
from client_protocol.explained import Explained, Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.facts import Declared, MoveDeclared, Rolled
from server.kernel.finding.stopping_short import stopping_short
from server.kernel.march import Paths, march
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.charge import in_contact
from server.rulesets.fad.game import UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import FadModule, Pace, Travel
from server.rulesets.shared.modules import Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import added, reckon

RULE = "move.variable"
INTENT = "move.variable-declare"
SHORT = "comes-short"
SIDES = 6
INCH = 1000
"""Mil in an inch: what one point of a die is."""


class RolledMove(Question, frozen=True):
    """How far a move of `unit` comes, in mil, besides the dice. `manner` is move, rush or charge."""

    unit: str
    manner: str


def _greatest(rules: FadRules, state: State, question: movement.MoveAllowance) -> Iterator[Line]:
    # fad4/move.variable-declare: any place may be declared that the best roll reaches; what else changes the move adds to it
    most = SIDES * INCH + inches(rules.book.tables.movement.rolled)
    yield Line("SET", most, "the best roll", INTENT)


def _certain(rules: FadRules, state: State, question: RolledMove) -> Iterator[Line]:
    own, armour = rules.book.tables.movement, rules.armour(state.units[question.unit])
    # fad4/move.variable, fad4/move.modifiers-before-doubling: each half of a Rush is a die with all that is added to a Move
    for half in ("a Move", "a Rush")[: 2 if question.manner == movement.RUSH else 1]:
        yield Line("ADD", inches(own.rolled), half, RULE)
        if armour.move:
            yield Line("ADD", inches(armour.move), armour.name, "tech.personal-armour")
        if UNDER_FIRE in state.units[question.unit].conditions:
            yield Line("ADD", inches(own.under_fire), "Under Fire", "underfire.move-penalty")
    if question.manner == movement.CHARGE:
        yield Line("ADD", inches(own.charge_bonus), "charge", "move.charge-bonus")


def _dice(rules: FadRules, state: State, unit: str, manner: str) -> tuple[int, int]:
    """Return how many dice a move has of which the best counts, and how many more."""
    return rules.quality(state.units[unit]).move_dice, int(manner == movement.RUSH)


# --- the move -------------------------------------------------------------------------------------------------------


def _go(game: FadGame, unit: str, declared: Paths, manner: str, rule: str, target: str) -> Steps[None]:
    """Roll for the move of a unit and take it along its declared paths (fad4/move.variable-declare)."""
    stood = game.unit(unit).figures
    going = {key: path for key, path in declared.items() if path and path[-1] != stood[key].at}
    if not going:
        return  # it stays, and needs no dice
    kind = manner if manner in (movement.RUSH, movement.CHARGE) else movement.MOVE
    yield MoveDeclared(unit, going, INTENT)
    reach = yield from _throw(game, unit, kind)
    way = _way(game.rules, game.state, unit, declared, reach.value, target)
    yield from march(game, unit, way.paths, manner, rule)
    if not target and any(way.paths.get(key) != path for key, path in going.items()):
        yield Declared(unit, SHORT, INTENT)


def _way(rules: FadRules, state: State, unit: str, declared: Paths, reach: int, target: str) -> PathsDeclared:
    """Return how far the unit comes with `reach` mil of movement."""
    limit = rules.advisers.answer(state, movement.CoherencyDistance(unit)).value
    costly, barred = movement.difficult(rules, state), rules.pieces_with(state, "impassable")
    if target:
        # fad4/assault.move-in: the figures of a squad that has reached contact close in, so it need not keep together
        loose = stopping_short(state, unit, declared, reach, 0, costly, barred)
        if in_contact(state, unit, target, loose):
            return loose
    return stopping_short(state, unit, declared, reach, limit, costly, barred)


def _throw(game: FadGame, unit: str, manner: str) -> Steps[Explained]:
    best, more = _dice(game.rules, game.state, unit, manner)
    faces = yield from roll(best + more, purpose="move")
    kept = faces.index(max(faces[:best]))
    told = f"highest of {best}D6" if best > 1 else "1D6"
    lines = [
        Line("SET", faces[kept] * INCH, told, RULE),
        *(Line("ADD", face * INCH, "1D6", RULE) for face in faces[best:]),
    ]
    reach = game.rules.advisers.answer(game.state, RolledMove(unit, manner), *lines)
    marks = tuple("kept" if i == kept else "added" if i >= best else "" for i in range(best + more))
    side = game.unit(unit).side
    yield Rolled("move", RULE, faces, SIDES, marks, (reach,), str(reach.value), side, unit)
    return reach


# --- words and odds -------------------------------------------------------------------------------------------------


def _pace(rules: FadRules, state: State, unit: str, manner: str) -> Pace:
    best, more = _dice(rules, state, unit, manner)
    certain = rules.advisers.answer(state, RolledMove(unit, manner))
    faces = added(odds.highest(best), odds.total(more))
    dice = f"the highest of {best}D6" if best > 1 else "1D6"
    if more:
        dice = f"{dice} + {more}D6" if best > 1 else f"{best + more}D6"
    return Pace(dice, certain, {face * INCH + certain.value: weight for face, weight in faces.items()})


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    (reach,) = fact.numbers
    return f"The dice give {state.units[fact.unit].name} {inches_text(reach.value)} of movement.", "move", fact.rule


def _luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the inches, for the unit that moves."""
    (reach,) = fact.numbers
    more = fact.marks.count("added")
    counted = sum(face for face, mark in zip(fact.faces, fact.marks, strict=True) if mark)
    certain = Fraction(reach.value, INCH) - counted
    dice = added(odds.highest(len(fact.faces) - more), odds.total(more))
    # What is added to the dice is a whole number of inches in every edition.
    spread = {face + int(certain): weight for face, weight in dice.items()}
    return (reckon(fact.side, fact.unit, "inches of movement", spread, counted + int(certain)),)


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    pace = _pace(rules, state, unit.id, movement.MOVE)
    sign = "+" if pace.certain.value >= 0 else "-"
    yield CardLine("Rolled move", f"{pace.dice} {sign} {inches_text(abs(pace.certain.value))}", RULE)


VARIABLE_MOVEMENT = FadModule(
    id="variable_movement",
    advisers=(
        Advice(movement.MoveAllowance, _greatest),
        Advice(RolledMove, _certain, unit="mil"),
    ),
    card=_card,
    declares={SHORT: Declaration("comes short of where it was heading")},
    rolls={"move": ModuleRoll(_story, _luck)},
    travel=Travel(_go, _throw, _pace, INTENT),
)
