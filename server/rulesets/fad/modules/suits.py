"""Upgrades of powered armour, and the heavy weapons that its wearers carry (fad4/tech.personal-armour)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.explained import Line
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad.game import POWERED, FadRules
from server.rulesets.fad.melee import KillDice
from server.rulesets.fad.module import FadModule
from server.rulesets.shared.modules import Advice

RULE = "tech.suits"
SCOUT, ASSAULT, GUNNER, CRUDE, SHIELDED = (
    "scout_suit",
    "assault_suit",
    "gunner_suit",
    "crude_suit",
    "shielded_suit",
)
UPGRADES = (SCOUT, ASSAULT, GUNNER, CRUDE, SHIELDED)
"""The traits of units whose suits have been upgraded. What their rows add to is not said here."""
KILL_DICE = 1
"""How many dice more each figure in an assault suit rolls to kill."""


def _kills(_rules: FadRules, state: State, question: KillDice) -> Iterator[Line]:
    if has(state.units[question.unit], ASSAULT):
        yield Line("ADD", KILL_DICE, "assault suit", RULE)


def _suits(rules: FadRules, unit: Unit) -> None:
    """Refuse upgrades of what is no powered armour, and those that do not go together. Raises `RulesetError`."""
    worn = [key for key in UPGRADES if key in of(unit)]
    if not worn:
        return
    if is_vehicle(unit) or POWERED not in rules.armour(unit).traits:
        raise RulesetError(f"{unit.name}: {rules.book.traits[worn[0]].name.lower()}s are powered armour")
    if CRUDE in worn and len(worn) > 1:
        raise RulesetError(f"{unit.name}: crude suits have no other upgrade")
    # A team that is with the squad has a weapon of its own.
    own = [figure for figure in unit.figures.values() if not figure.of]
    if ASSAULT in worn and any(rules.heavy(figure.role) for figure in own):
        raise RulesetError(f"{unit.name}: assault suits carry no heavy weapons")


SUITS = FadModule(
    id="suits",
    advisers=(Advice(KillDice, _kills),),
    suits=_suits,
    arms_suits=True,
)
