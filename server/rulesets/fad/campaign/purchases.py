"""What campaign points buy, each with what it asks for (fad5/campaign.experience)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from client_protocol.campaigns import Buy, CampaignOffer, CampaignPrompt, GoOn
from client_protocol.forces import FORCE_FORMAT, Entry, Force, FormField
from server.kernel.campaigns.facts import (
    AnyFact,
    DiceBought,
    FieldChanged,
    PointsSpent,
    UnitRestored,
    fold,
)
from server.kernel.campaigns.roster import RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fad.campaign import roster
from server.rulesets.fad.campaign.rolls import DIE, EXPERIENCE
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.game import QUALITY, RESOLVE
from server.rulesets.fad.setup.forces import ALONE
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

PERSONALITY, LEADERSHIP = "personality", "leadership"
"""The fields of a unit's personality and of a leader's Leadership, in editions that have them."""
RULES: Mapping[str, str] = {
    "quality": "campaign.buy.quality",
    "resolve": "campaign.buy.resolve",
    "reinforcement_die": DIE,
    "return_lone_figure": "campaign.buy.return-lone-figure",
    "repair_vehicle": "campaign.buy.repair-vehicle",
    "personality": "campaign.buy.personality",
    "leadership": "campaign.buy.leadership",
    "replace_vehicle": "campaign.buy.replace-vehicle",
    "trait": "campaign.buy.trait",
}
"""The purchases, each with its rule."""
_GONE = ("lost", "struck")


# --- what each asks for -----------------------------------------------------------------------------------------------


# fad5/campaign.buy.quality: crews of vehicles too
def _quality(own: Terms, unit: RosterUnit, _value: str) -> str:
    levels, best = own.book.qualities, own.table.best_quality
    if own.book.level(roster.quality(unit)) >= own.book.level(best):
        return f"{unit.name} is {levels[roster.quality(unit)].name}; no better Quality than {levels[best].name} can be bought."
    return out_of_service(unit)


# fad5/campaign.buy.resolve
def _resolve(own: Terms, unit: RosterUnit, _value: str) -> str:
    if not roster.resolve(unit):
        return f"{unit.name} has no Resolve."
    if any(unit.fields.get(trait) for trait in own.table.steadfast):
        return f"The Resolve of {unit.name} never changes."
    if stepped(own.book.resolves, roster.resolve(unit), 1) == roster.resolve(unit):
        return f"{unit.name} is {own.book.resolves[roster.resolve(unit)].name} already: there is no better Resolve."
    return out_of_service(unit)


# fad5/campaign.buy.return-lone-figure
def _lone_figure(_own: Terms, unit: RosterUnit, _value: str) -> str:
    return "" if unit.lone and not unit.strength else f"{unit.name} is no lone figure that has fallen."


# fad5/campaign.buy.personality
def _personality(own: Terms, unit: RosterUnit, value: str) -> str:
    field = own.field(unit.started.kind, PERSONALITY)
    if field is None:
        return f"{unit.name} can have no personality in this edition."
    if value not in _others(field, unit):
        return f"{unit.name} cannot have the personality {value!r}."
    return out_of_service(unit)


# fad5/campaign.buy.leadership
def _leadership(own: Terms, unit: RosterUnit, _value: str) -> str:
    field = own.field(unit.started.kind, LEADERSHIP)
    if field is None:
        return f"{unit.name} is no leader with a Leadership."
    if unit.fields[LEADERSHIP] == field.choices[-1].value:
        return f"{unit.name} is {field.choices[-1].label} already: there is no better Leadership."
    return out_of_service(unit)


# fad5/campaign.buy.trait
def _trait(own: Terms, unit: RosterUnit, value: str) -> str:
    if value not in traits(own, unit):
        return f"{unit.name} cannot buy the trait {value!r}."
    return out_of_service(unit)


_ASKS: Mapping[str, Callable[[Terms, RosterUnit, str], str]] = {
    "quality": _quality,
    "resolve": _resolve,
    "return_lone_figure": _lone_figure,
    # fad5/campaign.buy.repair-vehicle, fad5/campaign.buy.replace-vehicle
    "repair_vehicle": lambda _own, unit, _value: repair_barred(unit),
    "personality": _personality,
    "leadership": _leadership,
    "replace_vehicle": lambda _own, unit, _value: replacement_barred(unit),
    "trait": _trait,
}


def traits(own: Terms, unit: RosterUnit) -> tuple[str, ...]:
    """Return the traits that a unit may buy: those that are priced by what they do for a whole unit, and that such units can have
    (fad5/campaign.buy.trait).
    """
    table = own.table
    return tuple(
        key
        for key in own.book.traits
        if key in own.book.tables.points.factors
        and (own.settings.traits == "any" or key in table.trained)
        and own.field(unit.started.kind, key) is not None
        and not unit.fields.get(key)
        and (key not in table.single or unit.lone)
    )


def _others(field: FormField, unit: RosterUnit) -> tuple[str, ...]:
    """Return the values that a field of a unit may be given, besides none and the one that it has."""
    taken: tuple[Entry, ...] = (ALONE, "", unit.fields.get(field.key, field.default))
    return tuple(str(choice.value) for choice in field.choices if choice.value not in taken)


def _values(own: Terms, what: str, unit: RosterUnit) -> tuple[str, ...]:
    """Return of which kinds a purchase may be for a unit; ("",) if it has none."""
    if what == "trait":
        return traits(own, unit)
    if what == "personality":
        field = own.field(unit.started.kind, PERSONALITY)
        return () if field is None else _others(field, unit)
    return ("",)


# --- buying -----------------------------------------------------------------------------------------------------------


def barred(own: Terms, state: PostBattle, answer: Buy) -> str:
    """Return why something cannot be bought now, as a sentence; "" if it can."""
    if answer.what not in RULES:
        return unknown(answer)
    price = own.table.prices[answer.what]
    if answer.what == "reinforcement_die":
        if state.step != "more_dice":
            return "Reinforcement dice are bought before the reinforcements are shared out."
        return unpaid(state, price)
    if state.step != "spend":
        return "The other improvements are bought when the reinforcements have been shared out."
    if answer.unit not in state.roster.there:
        return "There is no such unit on the roster."
    unit = state.unit(answer.unit)
    # fad5/campaign.experience: the same improvement once for each unit after a battle
    if key_of(answer) in state.bought:
        return f"{unit.name} has had such an improvement after this battle."
    why = _ASKS[answer.what](own, unit, answer.value) or unpaid(state, price)
    return why or _refused(own, state, answer)


def _refused(own: Terms, state: PostBattle, answer: Buy) -> str:
    """Return what the rules of the edition say against the unit that comes of it; "" if nothing."""
    if answer.what not in {"trait", "personality", "leadership"}:
        return ""
    after = fold(state, *bought(own, state, answer)).roster
    now = roster.now(after.units[answer.unit])
    assert now is not None, "only units in service are improved so"
    # What is bought so touches no other unit of the force.
    problems = own.examine(Force(FORCE_FORMAT, after.edition, after.name, (now,))).problems
    return problems[0].sentence if problems else ""


def bought(own: Terms, state: PostBattle, answer: Buy) -> Iterator[AnyFact]:
    """Yield the facts of a purchase that can be made."""
    rule, price = own.rule(RULES[answer.what]), own.table.prices[answer.what]
    if answer.what == "reinforcement_die":
        yield PointsSpent(rule=rule, what=answer.what, points=price)
        yield DiceBought(rule=rule)
        return
    number, unit = answer.unit, state.unit(answer.unit)
    yield PointsSpent(rule=rule, what=answer.what, points=price, key=key_of(answer), unit=number)
    match answer.what:
        case "quality":
            level = stepped(own.book.qualities, roster.quality(unit), 1)
            yield FieldChanged(rule=rule, unit=number, key=QUALITY, value=level)
        case "resolve":
            level = stepped(own.book.resolves, roster.resolve(unit), 1)
            yield FieldChanged(rule=rule, unit=number, key=RESOLVE, value=level)
        case "personality":
            yield FieldChanged(rule=rule, unit=number, key=PERSONALITY, value=answer.value)
        case "leadership":
            field = own.field(unit.started.kind, LEADERSHIP)
            assert field is not None, "checked before"
            ranks = {str(choice.value): choice for choice in field.choices}
            level = stepped(ranks, str(unit.fields[LEADERSHIP]), 1)
            yield FieldChanged(rule=rule, unit=number, key=LEADERSHIP, value=level)
        case "trait":
            yield FieldChanged(rule=rule, unit=number, key=answer.value, value=True)
        case "replace_vehicle":
            # fad5/campaign.buy.replace-vehicle: of the same design and the first Quality
            yield UnitRestored(rule=rule, unit=number, fields=(QUALITY,))
        case _:
            yield UnitRestored(rule=rule, unit=number)


# --- the prompts ------------------------------------------------------------------------------------------------------


def more_dice_prompt(own: Terms, state: PostBattle) -> CampaignPrompt:
    """Return the prompt that asks whether another die for reinforcements is bought (fad5/campaign.buy.reinforcement-die)."""
    return _prompt(own, "more_dice", f"{state.troopers} reinforcements come. Buy another die?", DIE, (_die(own),))


def _die(own: Terms) -> CampaignOffer:
    price = own.table.prices["reinforcement_die"]
    return CampaignOffer(Buy("reinforcement_die"), "Roll another die for reinforcements", price, own.rule(DIE))


def spend_prompt(own: Terms, state: PostBattle) -> CampaignPrompt:
    """Return the prompt that asks what campaign points are spent on (fad5/campaign.experience)."""
    return _prompt(own, "spend", spending_title(state), EXPERIENCE, offers(own, state))


def _prompt(
    own: Terms, step: Literal["more_dice", "spend"], title: str, rule: str, found: tuple[CampaignOffer, ...]
) -> CampaignPrompt:
    keep = keeping_label(kept=own.settings.bank_points or step == "more_dice")
    return CampaignPrompt(
        step, title, (CampaignOffer(GoOn(), keep, rule=own.rule(rule)), *found), GoOn(), rule=own.rule(rule)
    )


def offers(own: Terms, state: PostBattle) -> tuple[CampaignOffer, ...]:
    """Return everything that can be bought for a unit now."""
    found = (
        Buy(what, number, value)
        for number in state.roster.there
        for what in RULES
        if what != "reinforcement_die"
        for value in _values(own, what, state.unit(number))
    )
    return tuple(
        CampaignOffer(answer, _label(own, state, answer), own.table.prices[answer.what], own.rule(RULES[answer.what]))
        for answer in found
        if not barred(own, state, answer)
    )


def _label(own: Terms, state: PostBattle, answer: Buy) -> str:
    unit = state.unit(answer.unit)
    match answer.what:
        case "quality":
            return (
                f"{unit.name}: Quality {own.book.qualities[stepped(own.book.qualities, roster.quality(unit), 1)].name}"
            )
        case "resolve":
            return f"{unit.name}: Resolve {own.book.resolves[stepped(own.book.resolves, roster.resolve(unit), 1)].name}"
        case "trait":
            return f"{unit.name}: {own.book.traits[answer.value].name}"
        case "personality":
            return f"{unit.name}: a personality, {answer.value.replace('_', ' ')}"
        case "leadership":
            return f"{unit.name}: Leadership"
        case "return_lone_figure":
            return f"{unit.name}: back to duty"
        case "repair_vehicle":
            return f"{unit.name}: repaired"
        case _:
            return f"{unit.name}: replaced"
