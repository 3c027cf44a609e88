"""Soldier boys: suits of powered armour that pilots far from the table steer (fad4/tech.personal-armour)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from client_protocol.choices import Why
from client_protocol.view import CardLine
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad.game import BROKEN, POWERED, SOLDIER_BOYS, SUIT_DAMAGED, FadRules
from server.rulesets.fad.module import Act, Endurance, FadModule, FigureMarker, Leaving

RULE = "tech.soldier-boys"
CUT_OFF = Leaving(
    "pilots_cut_off",
    "Disconnected",
    "Its pilots lost the connection: the suits stand idle for the rest of the match.",
    RULE,
    "is disconnected, and out of the fight",
)


def _steered(unit: Unit) -> bool:
    return has(unit, SOLDIER_BOYS)


# --- damage ---------------------------------------------------------------------------------------------------------


def _kept(rules: FadRules, unit: Unit, margins: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """Return the suits that no hit disables: only a kill does, and a second wound does no more than the first."""
    if not _steered(unit):
        return ()
    kills = rules.book.tables.wounds.killed_by
    return tuple(key for key, over in margins.items() if max(over) < kills)


def _least(rules: FadRules, unit: Unit) -> int:
    return rules.book.tables.wounds.killed_by if _steered(unit) else 0


def _note(rules: FadRules, unit: Unit) -> str:
    if not _steered(unit):
        return ""
    return f"A suit is only damaged unless the damage beats its armour by {rules.book.tables.wounds.killed_by}."


def _damaged(unit: Unit) -> int:
    return sum(SUIT_DAMAGED in figure.conditions for figure in unit.living.values())


def _bars(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    if act == Act.RUSH and _damaged(unit):
        return Why(f"A suit of {unit.name} is damaged: the squad does not Rush.", RULE)
    if act == Act.ASSAULT and _steered(unit) and BROKEN in unit.conditions:
        return Why(f"{unit.name} is Broken, and starts no Close Assault.", RULE)
    return None


# --- morale ---------------------------------------------------------------------------------------------------------


def _routs(unit: Unit) -> Leaving | None:
    return CUT_OFF if _steered(unit) else None


# --- words and files ------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, _state: State, unit: Unit) -> Iterator[CardLine]:
    if damaged := _damaged(unit):
        yield CardLine("Suits", f"{damaged} damaged: no Rush, and one weapon each", RULE)


def _suits(rules: FadRules, unit: Unit) -> None:
    """Refuse what is no powered armour, and upgrades that no remote controlled suit has. Raises `RulesetError`."""
    if SOLDIER_BOYS not in of(unit):
        return
    if is_vehicle(unit) or POWERED not in rules.armour(unit).traits:
        raise RulesetError(f"{unit.name}: soldier boys are powered armour")
    if "crude_suit" in of(unit):
        raise RulesetError(f"{unit.name}: crude suits have no other upgrade")


SOLDIER_BOYS_MODULE = FadModule(
    id="steered_suits",
    figure_markers=(FigureMarker(SUIT_DAMAGED, stays=True),),
    endurance=Endurance(_kept, SUIT_DAMAGED, RULE, _least, _note),
    stands_fast=_steered,
    routs=_routs,
    bars=_bars,
    card=_card,
    suits=_suits,
    leaving=(CUT_OFF,),
)
