"""What campaign points buy, each with what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from client_protocol.campaigns import Buy, CampaignOffer, CampaignPrompt, GoOn
from server.kernel.campaigns.facts import AnyFact, FieldChanged, PointsSpent, UnitRestored
from server.kernel.campaigns.roster import RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fubar.campaign.roster import level
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.fubar.game import LEVEL
from server.rulesets.shared.campaigns.purchases import (
    keeping_label,
    key_of,
    out_of_service,
    repair_barred,
    replacement_barred,
    spending_title,
    unknown,
    unpaid,
)
from server.rulesets.shared.campaigns.terms import stepped

# --- what each asks for -----------------------------------------------------------------------------------------------


def _replacements(_own: Terms, unit: RosterUnit) -> str:
    if unit.vehicle:
        return f"{unit.name} is a vehicle: it is repaired or replaced."
    return "" if unit.gap else f"{unit.name} is at full strength."


def _level(own: Terms, unit: RosterUnit) -> str:
    levels, best = own.book.levels, own.table.best_level
    order = list(levels)
    if order.index(level(unit)) >= order.index(best):
        return f"{unit.name} is {levels[level(unit)].name}; no better level than {levels[best].name} can be bought."
    return out_of_service(unit)


_ASKS: Mapping[str, Callable[[Terms, RosterUnit], str]] = {
    "replacements": _replacements,
    "level": _level,
    "repair_vehicle": lambda _own, unit: repair_barred(unit),
    "replace_vehicle": lambda _own, unit: replacement_barred(unit),
}
"""The purchases, each with what says why it cannot be made for a unit."""


# --- buying -----------------------------------------------------------------------------------------------------------


def barred(own: Terms, state: PostBattle, answer: Buy) -> str:
    """Return why something cannot be bought now, as a sentence; "" if it can."""
    if answer.what not in _ASKS:
        return unknown(answer)
    if answer.unit not in state.roster.there:
        return "There is no such unit on the roster."
    unit = state.unit(answer.unit)
    if key_of(answer) in state.bought:
        return f"{unit.name} has had such an improvement after this battle."
    return _ASKS[answer.what](own, unit) or unpaid(state, own.table.prices.of(answer.what))


def bought(own: Terms, state: PostBattle, answer: Buy) -> Iterator[AnyFact]:
    """Yield the facts of a purchase that can be made."""
    number, unit = answer.unit, state.unit(answer.unit)
    price = own.table.prices.of(answer.what)
    yield PointsSpent(what=answer.what, points=price, key=key_of(answer), unit=number)
    if answer.what == "level":
        yield FieldChanged(unit=number, key=LEVEL, value=stepped(own.book.levels, level(unit), 1))
    else:
        yield UnitRestored(unit=number)


# --- the prompt -------------------------------------------------------------------------------------------------------


def spend_prompt(own: Terms, state: PostBattle) -> CampaignPrompt:
    """Return the prompt that asks what campaign points are spent on."""
    keep = CampaignOffer(GoOn(), keeping_label(kept=own.settings.bank_points))
    return CampaignPrompt("spend", spending_title(state), (keep, *offers(own, state)), GoOn())


def offers(own: Terms, state: PostBattle) -> tuple[CampaignOffer, ...]:
    """Return everything that can be bought for a unit now."""
    found = (Buy(what, number) for number in state.roster.there for what in _ASKS)
    return tuple(
        CampaignOffer(answer, _label(own, state.unit(answer.unit), answer.what), own.table.prices.of(answer.what))
        for answer in found
        if not barred(own, state, answer)
    )


def _label(own: Terms, unit: RosterUnit, what: str) -> str:
    match what:
        case "replacements":
            return f"{unit.name}: full strength, {unit.initial} instead of {unit.strength}"
        case "level":
            return f"{unit.name}: level {own.book.levels[stepped(own.book.levels, level(unit), 1)].name}"
        case "repair_vehicle":
            return f"{unit.name}: repaired"
        case _:
            return f"{unit.name}: replaced"
