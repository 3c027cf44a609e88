"""Variable movement: a squad declares where it is heading, and dice say how far it comes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from client_protocol.choices import PathsDeclared
from client_protocol.explained import Explained, Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.facts import Declared, MoveDeclared, Rolled
from server.kernel.finding.stopping_short import stopping_short
from server.kernel.march import Paths
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question, total
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.charge import in_contact
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.going import along
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import FadModule, Going, Pace, Travel
from server.rulesets.shared.modules import Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import added, reckon

RULE = "move.variable"
RUSH_RULE = "move.variable-rush"
INTENT = "move.variable-declare"
SHORT = "comes-short"
SIDES = 6
INCH = 1000
"""Mil in an inch: what one point of a die is."""
ROLLED = (movement.MOVE, movement.RUSH, movement.CHARGE)
"""The manners of moves that are rolled for."""


class RolledMove(Question, frozen=True):
    """How far a move of `unit` comes, in mil, besides the dice. `manner` is move, rush or charge."""

    unit: str
    manner: str


def _greatest(rules: FadRules, state: State, question: movement.MoveAllowance) -> Iterator[Line]:
    # fad4/transport.disembark: a squad that gets off is set down within half of a plain Move, and rolls for nothing
    if question.manner in ROLLED:
        # fad4/move.variable-declare: any place may be declared that the best roll reaches; what else changes the move adds to it
        most = SIDES * INCH + inches(rules.book.tables.movement.rolled)
        yield Line("SET", most, "the best roll", INTENT)


def _certain(rules: FadRules, state: State, question: RolledMove) -> Iterator[Line]:
    own = rules.book.tables.movement
    changes = movement.allowance(rules, state, question.unit, movement.MOVE).lines
    # fad4/move.variable, fad4/move.modifiers-before-doubling, fad5/move.variable-rush: each half of a Rush is a die with all that
    # is added to a Move
    for half, rule in (("a Move", RULE), ("a Rush", RUSH_RULE))[: 2 if question.manner == movement.RUSH else 1]:
        yield Line("ADD", inches(own.rolled), half, rule)
        yield from (line for line in changes if line.stage == "ADD")
    if question.manner == movement.CHARGE:
        yield Line("ADD", inches(own.charge_bonus), "charge", "move.charge-bonus")
    # fad4/setup.advanced-modules.recover-wounded: wounded are carried at half the distance
    yield from (line for line in changes if line.stage == "SCALE")
    yield Line("CAP", 0, "never below 0", RULE, floor=True)


class Throw(Struct, frozen=True):
    """The dice of a move: so many `times` as many as `each`, of which the best sum counts, and so many `more`."""

    times: int
    each: int
    more: int

    @property
    def best(self) -> str:
        """The dice of which the best count, in words."""
        if self.each > 1:
            return f"the higher of {self.times} × {self.each}D6" if self.times > 1 else f"{self.each}D6"
        return f"the highest of {self.times}D6" if self.times > 1 else "1D6"

    @property
    def shown(self) -> str:
        """All dice, in words."""
        if not self.more:
            return self.best
        return f"{self.best} + {self.more}D6" if self.times > 1 else f"{self.each + self.more}D6"

    @property
    def odds(self) -> dict[int, Fraction]:
        """How likely the dice come to each sum."""
        return added(odds.highest_total(self.times, self.each), odds.total(self.more))


def _dice(rules: FadRules, state: State, unit: str, manner: str) -> Throw:
    """Return the dice of a move."""
    times = rules.quality(state.units[unit]).move_dice
    if manner != movement.RUSH:
        return Throw(times, 1, 0)
    # fad5/move.variable-rush: both dice of a Rush are rolled again; fad4/move.variable: one of them is
    return Throw(times, 2, 0) if rules.book.tables.movement.rush_again else Throw(times, 1, 1)


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
    yield from along(
        game, Going(unit=unit, paths=way.paths, manner=manner, rule=rule, target=target, limit=reach.value)
    )
    if not target and any(way.paths.get(key) != path for key, path in going.items()):
        yield Declared(unit, SHORT, INTENT)


def _way(rules: FadRules, state: State, unit: str, declared: Paths, reach: int, target: str) -> PathsDeclared:
    """Return how far the unit comes with `reach` mil of movement."""
    limit = rules.advisers.answer(state, movement.CoherencyDistance(unit)).value
    ground = on_foot(rules, state)
    if target:
        # fad4/assault.move-in: the figures of a squad that has reached contact close in, so it need not keep together
        loose = stopping_short(state, unit, declared, reach, 0, ground.costly, ground.closed)
        if in_contact(state, unit, target, loose):
            return loose
    # fad5/move.variable-declare: a charge that does not arrive is a move, and keeps away from enemies
    clear = inches(rules.book.tables.movement.clear)
    # fad5/move.coherency-weapon-team: the crew of an attached team keeps nearer together
    crew = movement.crew_bond(rules, state, state.units[unit])
    return stopping_short(state, unit, declared, reach, limit, ground.costly, ground.closed, clear, (crew,))


def _throw(game: FadGame, unit: str, manner: str) -> Steps[Explained]:
    dice = _dice(game.rules, game.state, unit, manner)
    counted = dice.times * dice.each
    faces = yield from roll(counted + dice.more, purpose="move")
    sums = [sum(faces[place : place + dice.each]) for place in range(0, counted, dice.each)]
    first = dice.each * sums.index(max(sums))
    kept = range(first, first + dice.each)
    rule = RUSH_RULE if manner == movement.RUSH else RULE
    lines = [
        Line("SET", max(sums) * INCH, dice.best.removeprefix("the "), rule),
        *(Line("ADD", face * INCH, "1D6", rule) for face in faces[counted:]),
    ]
    reach = game.rules.advisers.answer(game.state, RolledMove(unit, manner), *lines)
    marks = tuple("kept" if i in kept else "added" if i >= counted else "" for i in range(len(faces)))
    side = game.unit(unit).side
    yield Rolled("move", rule, faces, SIDES, marks, (reach,), str(reach.value), side, unit)
    return reach


# --- words and odds -------------------------------------------------------------------------------------------------


def _pace(rules: FadRules, state: State, unit: str, manner: str) -> Pace:
    dice, question = _dice(rules, state, unit, manner), RolledMove(unit, manner)
    certain = total((line for line in rules.advisers.answer(state, question).lines if line.stage != "CAP"), "mil")

    def far(dice_show: int) -> dict[int, Fraction]:
        shown = Line("SET", dice_show * INCH, dice.shown, RULE)
        return {rules.advisers.answer(state, question, shown).value: Fraction(1)}

    halved = any(line.stage == "SCALE" for line in certain.lines)
    return Pace(f"half of {dice.shown}" if halved else dice.shown, certain, odds.over(dice.odds, far))


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    (reach,) = fact.numbers
    return f"The dice give {state.units[fact.unit].name} {inches_text(reach.value)} of movement.", "move", fact.rule


def _luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the inches, for the unit that moves: the whole ones also where it carries wounded, and goes half as far."""
    (reach,) = fact.numbers
    more, each = fact.marks.count("added"), fact.marks.count("kept")
    dice = Throw((len(fact.faces) - more) // each, each, more)
    counted = sum(face for face, mark in zip(fact.faces, fact.marks, strict=True) if mark)
    # What is added to the dice, whose own lines come first, is a whole number of inches in every edition.
    certain = sum(line.amount for line in reach.lines[1 + more :] if line.stage == "ADD") // INCH
    spread = odds.over(dice.odds, lambda face: {max(0, face + certain): Fraction(1)})
    return (reckon(fact.side, fact.unit, "inches of movement", spread, max(0, counted + certain)),)


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
