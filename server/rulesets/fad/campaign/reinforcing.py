"""Sharing reinforcements out, and forming a new squad of them (fad5/campaign.reinforcements, fad5/campaign.new-squad)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from client_protocol.campaigns import CampaignOffer, CampaignPrompt, FormSquad, Share
from client_protocol.forces import FORCE_FORMAT, Entries, Force, ForceUnit
from server.kernel.campaigns.facts import AnyFact, SquadFormed, TroopersJoined, TroopersLeft
from server.kernel.campaigns.roster import RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.kernel.files.forces import filled
from server.rulesets.fad.campaign import hands
from server.rulesets.fad.campaign.rolls import REINFORCEMENTS
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.commanders import PLATOON
from server.rulesets.fad.game import INFANTRY, LEADER, QUALITY, RESOLVE, SNIPER
from server.rulesets.fad.setup.forces import ARM
from server.rulesets.shared.campaigns.rolls import first_back

NEW_SQUAD = "campaign.new-squad"
NAME = "New Squad"
ARMED = ("small_arm", "armour")
"""The fields with which squads are armed and armoured alike, besides those that change their small arm."""


# --- sharing out ------------------------------------------------------------------------------------------------------


def gaps(state: PostBattle) -> dict[int, int]:
    """Return how many troopers each unit may take, by its number: as many as it lacks to its first strength.

    A lone figure that has fallen is not made good by troopers (fad5/campaign.lone-figures).
    """
    numbered = ((number, state.unit(number)) for number in state.roster.there)
    return {number: unit.gap for number, unit in numbered if unit.gap and not unit.vehicle and not unit.lone}


def share_prompt(own: Terms, state: PostBattle) -> CampaignPrompt:
    """Return the prompt that asks how the reinforcements are shared out."""
    most = gaps(state)
    shares = largest_first(most, state.troopers)
    default = Share(tuple(shares.items()))
    told = ", ".join(f"{count} to {state.unit(number).name}" for number, count in shares.items())
    title = f"How are {state.troopers} reinforcements shared out?"
    rule = own.rule(REINFORCEMENTS)
    return CampaignPrompt(
        "share", title, (CampaignOffer(default, told, rule=rule),), default, state.troopers, tuple(most.items()), rule
    )


def largest_first(most: dict[int, int], troopers: int) -> dict[int, int]:
    """Return how troopers are shared out if their owner does not say: each goes to the unit that lacks most."""
    left, shares = dict(most), dict.fromkeys(most, 0)
    for _ in range(min(troopers, sum(most.values()))):
        number = max(left, key=lambda one: (left[one], -one))
        left[number] -= 1
        shares[number] += 1
    return {number: count for number, count in shares.items() if count}


def share_barred(state: PostBattle, answer: Share) -> str:
    """Return why reinforcements cannot be shared out so, as a sentence; "" if they can."""
    most = gaps(state)
    shares = dict(answer.shares)
    if len(shares) < len(answer.shares):
        return "A unit is named twice."
    for number, count in shares.items():
        if number not in most:
            return "Reinforcements join units on foot that have lost figures, and no others."
        if not 0 <= count <= most[number]:
            name = state.unit(number).name
            return f"{name} can take 0 to {most[number]} reinforcements: no unit exceeds its first strength."
    asked = sum(shares.values())
    return f"There are {state.troopers} reinforcements, not {asked}." if asked > state.troopers else ""


def shared(own: Terms, state: PostBattle, answer: Share) -> Iterator[AnyFact]:
    """Yield the facts of reinforcements that are shared out so."""
    rule = own.rule(REINFORCEMENTS)
    for number, count in sorted(answer.shares):
        if count:
            yield TroopersJoined(rule=rule, unit=number, figures=first_back(state.unit(number), count))
    left = state.troopers - sum(count for _, count in answer.shares)
    if left:
        yield TroopersLeft(rule=rule, troopers=left)


# --- a new squad ------------------------------------------------------------------------------------------------------


def sizes(own: Terms, state: PostBattle) -> tuple[int, ...]:
    """Return how many reinforcements may form a new squad now; () if none may."""
    if len(state.roster.there) >= own.book.tables.bounds.units:
        return ()
    least, most = own.table.new_squad
    return tuple(size for size in range(least, min(most, state.troopers) + 1) if _squad(own, state, size) is not None)


def squad_prompt(own: Terms, state: PostBattle) -> CampaignPrompt:
    """Return the prompt that asks whether reinforcements form a new squad. They can."""
    rule = own.rule(NEW_SQUAD)
    offers = (
        CampaignOffer(FormSquad(), "Form none", rule=rule),
        *(CampaignOffer(FormSquad(size), f"A squad of {size}", rule=rule) for size in sizes(own, state)),
    )
    title = f"Do some of the {state.troopers} reinforcements form a new squad?"
    return CampaignPrompt("squad", title, offers, FormSquad(), state.troopers, rule=rule)


def squad_barred(own: Terms, state: PostBattle, answer: FormSquad) -> str:
    """Return why no new squad of this size can be formed, as a sentence; "" if it can."""
    found = sizes(own, state)
    if not answer.figures or answer.figures in found:
        return ""
    return f"A new squad has {found[0]} to {found[-1]} figures." if found else "No new squad can be formed."


def squad_formed(own: Terms, state: PostBattle, figures: int) -> SquadFormed:
    """Return the fact that a new squad is formed (fad5/campaign.new-squad). It can be."""
    squad = _squad(own, state, figures)
    assert squad is not None, "checked before"
    return SquadFormed(rule=own.rule(NEW_SQUAD), unit=squad, figures=figures)


def _squad(own: Terms, state: PostBattle, figures: int) -> ForceUnit | None:
    """Return a new squad, armed as the typical squad of the force; None if there is none, or the rules refuse it."""
    model = typical(state)
    if model is None:
        return None
    rows = _fitting(model, figures)
    fields: Entries = {
        **_armed(model.started),
        hands.FIGURES: figures,
        LEADER: bool(model.fields.get(LEADER)),
        QUALITY: own.table.new_quality,
        RESOLVE: own.table.new_resolve,
    }
    if PLATOON in model.fields:
        fields[PLATOON] = model.fields[PLATOON]
    names = {unit.name for unit in state.roster.units}
    name = next(name for number in range(1, len(names) + 2) if (name := _named(number)) not in names)
    squad = ForceUnit(INFANTRY, name, fields, {hands.SUPPORT: rows})
    return _whole(own, state, squad)


def _named(number: int) -> str:
    return NAME if number == 1 else f"{NAME} {number}"


def _whole(own: Terms, state: PostBattle, squad: ForceUnit) -> ForceUnit | None:
    """Return a squad with every field filled in, or None if the rules refuse it."""
    whole = filled(own.form, Force(FORCE_FORMAT, state.roster.edition, state.roster.name, (squad,)))
    return None if own.examine(whole).problems else whole.units[0]


def typical(state: PostBattle) -> RosterUnit | None:
    """Return a typical squad of the force: one with the small arm and the armour that most squads have, and of these with the
    support weapons that most have. The first of those that are as many; None if there is no squad.
    """
    squads = [
        unit
        for number in state.roster.there
        if (unit := state.unit(number)).started.kind == INFANTRY and not unit.lone and not unit.fields.get(SNIPER)
    ]
    if not squads:
        return None
    alike = Counter(_key(_armed(unit.started)) for unit in squads)
    armed = max(alike, key=lambda key: alike[key])
    same = [unit for unit in squads if _key(_armed(unit.started)) == armed]
    lists = Counter(_rows_key(unit) for unit in same)
    most = max(lists, key=lambda key: lists[key])
    return next(unit for unit in same if _rows_key(unit) == most)


def _armed(squad: ForceUnit) -> Entries:
    return {key: value for key, value in squad.fields.items() if key in ARMED or key.startswith(ARM)}


def _key(entries: Entries) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, repr(value)) for key, value in entries.items()))


def _rows_key(unit: RosterUnit) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple(_key(row) for row in unit.started.rows.get(hands.SUPPORT, ()))


def _fitting(model: RosterUnit, figures: int) -> tuple[Entries, ...]:
    """Return the support weapons of the typical squad, as many as a squad of this size has hands for besides its leader."""
    left = figures - bool(model.fields.get(LEADER))
    rows: list[Entries] = []
    for row in model.started.rows.get(hands.SUPPORT, ()):
        count = min(int(row["count"]), left)
        if count:
            rows.append({**row, "count": count})
        left -= count
    return tuple(rows)
