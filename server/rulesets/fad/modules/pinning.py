"""Pinning: heavy fire pins a unit, which then neither shoots, moves nor assaults until its next activation is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from client_protocol.choices import Why
from client_protocol.explained import Explained, Line
from client_protocol.view import CardLine
from server.kernel.facts import ConditionGained, ConditionLost
from server.kernel.procedure import Steps
from server.kernel.questions import Question
from server.kernel.state import State, Unit
from server.rulesets.fad.game import UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import Act, Aftermath, FadMarker, FadModule, Foretold, Held
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.shared.modules import Advice, Declaration
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line

PINNED = "pinned"


class PinLevel(Question, frozen=True):
    """The highest Fire Effect that does not pin the unit."""

    unit: str


def _pin_lines(rules: FadRules, state: State, question: PinLevel) -> Iterator[Line]:
    unit = state.units[question.unit]
    quality, armour = rules.quality(unit), rules.armour(unit)
    # fad4/pin.table
    yield Line("SET", quality.pin_level, quality.name, "pin.table")
    if armour.pin_level:
        # fad4/tech.personal-armour
        yield Line("ADD", armour.pin_level, armour.name, "tech.personal-armour")


# --- the marker -----------------------------------------------------------------------------------------------------


def _bars(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    if act == Act.SHOOT:
        # fad4/pin.no-shooting: free shots neither
        return Why(f"{unit.name} is Pinned and cannot shoot.", "pin.no-shooting")
    if act == Act.MOVE:
        # fad4/pin.no-moving
        return Why(f"{unit.name} is Pinned and stays where it is.", "pin.no-moving")
    if act == Act.ASSAULT:
        # fad4/pin.no-assault
        return Why(f"{unit.name} is Pinned and cannot start a Close Assault.", "pin.no-assault")
    if act == Act.STRIKE_BACK:
        # fad5/assault.shock-vehicle-return
        return Why(f"{unit.name} is Pinned and does not strike back.", "pin.no-assault")
    return None


def _target_lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    # fad4/pin.harder-target: only for a marker that the target had before this shot
    if PINNED in state.units[question.shot.target].conditions:
        amount = rules.book.tables.fire_effect_modifiers.target_under_fire_or_pinned
        yield Line("ADD", amount, "target Pinned", "pin.harder-target")


# --- what a shot leaves behind --------------------------------------------------------------------------------------


def _pin(game: FadGame, target: str, effect: Explained) -> Steps[bool]:
    # fad4/pin.trigger: strictly greater; the marker replaces Under Fire
    if effect.value <= game.rules.advisers.answer(game.state, PinLevel(target)).value:
        return False
    if UNDER_FIRE in game.unit(target).conditions:
        yield ConditionLost(target, UNDER_FIRE, "pin.trigger")
    yield ConditionGained(target, PINNED, "pin.trigger")
    return True


def _foretell(rules: FadRules, state: State, target: str, effects: Mapping[int, Fraction]) -> Foretold:
    level = rules.advisers.answer(state, PinLevel(target))
    numbers = (("Pinned above", level),)
    if PINNED in state.units[target].conditions:
        return Foretold(numbers)
    return Foretold(numbers, (chance_line("Pinned", odds.chance(effects, lambda effect: effect > level.value)),))


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    yield CardLine("Pinned above", str(rules.advisers.answer(state, PinLevel(unit.id)).value), "pin.table")


PINNING = FadModule(
    id="pinning",
    markers=(
        FadMarker(
            id=PINNED,
            # fad4/pin.duration: no stacking; a lighter shot does not turn Pinned back; gone after the next activation
            replaces=UNDER_FIRE,
            comes_off=True,
            bars=_bars,
            advisers=(Advice(FireEffect, _target_lines, rank=Rank.MARKERS),),
            # fad4/pin.no-moving, fad4/morale.overrides: pinned troops stay put; fad4/pin.no-shooting
            held=Held(
                "refuses",
                "morale.overrides",
                "it stays broken, and being Pinned it neither falls back nor shoots",
            ),
        ),
    ),
    advisers=(Advice(PinLevel, _pin_lines),),
    card=_card,
    declares={"refuses": Declaration("is broken and Pinned, and stays put", "morale")},
    aftermath=Aftermath(_pin, _foretell),
)
