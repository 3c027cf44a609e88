"""Special grenades, which units use in close assaults (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, Picked
from client_protocol.explained import Line
from client_protocol.from_server import Chance
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared, Rolled
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad import supply
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.melee import DeflectNumber
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.previews import luck
from server.rulesets.fad.quality import QualityNeed, quality_test
from server.rulesets.shared.modules import Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line

HAZE, JINX, RAZORFIELD = "haze_grenades", "jinx_grenades", "razorfield_grenades"
"""The traits of units that have them. Defensive grenades do what their row says."""
DICE = 1
"""The dice of the Quality Test of a unit that fires through haze."""
PUSHES = "razorfield"


def _clouded(game: FadGame, unit: str, attacker: str) -> Steps[bool]:
    """Let a unit test its Quality that fires at assaulters with haze grenades, and return whether it does not fire."""
    if not has(game.unit(attacker), HAZE):
        return False
    passes = yield from quality_test(
        game, unit, "haze", "tech.haze-grenades", lambda count: "fires" if count else "blinded", dice=DICE
    )
    return not passes


def _foretell(rules: FadRules, state: State, unit: Unit, attacker: Unit) -> Chance | None:
    if not has(attacker, HAZE):
        return None
    need = rules.advisers.answer(state, QualityNeed(unit.id)).value
    return chance_line("Fires through the haze, or else not at all", odds.chance(odds.passes(DICE, need), bool))


def _jinxed(_rules: FadRules, state: State, question: DeflectNumber) -> Iterator[Line]:
    if has(state.units[question.enemy], JINX):
        yield Line("SET", 0, "jinx grenades", "tech.jinx-grenades")


def _push(game: FadGame, unit: str, enemy: str) -> Steps[tuple[int, str] | None]:
    """Ask a unit with razorfield grenades that must fall back whether it uses one."""
    if not has(game.unit(unit), RAZORFIELD):
        return None
    name = game.rules.book.traits[RAZORFIELD].name
    if supply.left(game.state, unit, name) == 0:
        return None
    length, rule = inches(game.rules.book.tables.technology.razorfield), "tech.razorfield-grenades"
    seat, other = game.state.seat_of(unit), game.unit(enemy).name
    choices = (
        Choice(PUSHES, "Use a razorfield", rule, f"{other} must fall back {inches_text(length)} as well."),
        Choice("no-razorfield", "Save it", rule),
    )
    asked = Asked(f"{game.unit(unit).name} falls back from {other}", choices, Picked(PUSHES), rule, unit)
    picked = yield from ask(seat, asked)
    if picked.choice != PUSHES:
        return None
    yield Declared(unit, PUSHES, rule, enemy)
    yield from supply.used(game, unit, name)
    return length, rule


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "fires through the haze" if fact.outcome == "fires" else "sees nothing in the haze, and does not fire"
    return f"{state.units[fact.unit].name} {result}.", "fire", fact.rule


GRENADES = FadModule(
    id="grenades",
    advisers=(Advice(DeflectNumber, _jinxed),),
    hinders=_clouded,
    foretell_hindrance=_foretell,
    pushes=_push,
    declares={PUSHES: Declaration("throws a razorfield at", "assault")},
    rolls={"haze": ModuleRoll(_story, luck.quality_test)},
)
