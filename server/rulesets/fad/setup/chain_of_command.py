"""Platoons, commanders and veteran leaders in forces: their fields, their checks, and what units have of them
(fad5/unit.platoon-company).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from client_protocol.forces import Entries, Force, ForceProblem, ForceUnit, FormChoice, FormField
from server.kernel.notes import Note
from server.rulesets.fad.commanders import COMMANDER, COMPANY, PLATOON, RULE, VETERAN
from server.rulesets.fad.game import INFANTRY, LEADER, VEHICLE
from server.rulesets.fad.setup.book import Book
from server.rulesets.shared.setup.force_traits import trait_field

ALL = "none"
"""The value of a unit's platoon if it belongs to none, and supports all."""
PLATOONS = ("First platoon", "Second platoon", "Third platoon", "Fourth platoon")
"""The platoons that a force may have."""
GROUP = "Command"
_LEADS: Mapping[str, tuple[str, ...]] = {INFANTRY: (COMMANDER, COMPANY, VETERAN), VEHICLE: (COMMANDER, COMPANY)}
"""Who may be with a unit of a kind; with other kinds of units there is none of them."""
PLACED = (COMMANDER, COMPANY, VETERAN)
"""The traits that have a place of their own in the form."""


def fields(book: Book, kind: str) -> Iterator[FormField]:
    """Yield the fields of a kind of unit, in an edition that has commanders."""
    if COMMANDER not in book.traits:
        return
    # fad5/unit.support-attachment: what belongs to no platoon supports all
    choices = (FormChoice(ALL, "None: supports all"), *(FormChoice(name, name) for name in PLATOONS))
    yield FormField(PLATOON, "Platoon", ALL, choices, rule=RULE, group=GROUP)
    for trait in _LEADS.get(kind, ()):
        yield trait_field(book.traits[trait])


def problems(force: Force) -> Iterator[ForceProblem]:
    """Yield what is wrong with the commanders and veteran leaders of a force."""
    taken: dict[str, ForceUnit] = {}
    for place, unit in enumerate(force.units):
        led = [trait for trait in PLACED if unit.fields.get(trait)]
        if led and int(unit.fields.get("figures", 1)) > 1 and not unit.fields.get(LEADER):
            sentence = f"{unit.name} has {_WHO[led[0]]} and no leader: tick Leader, or take {_IT[led[0]]} off."
            yield ForceProblem(sentence, RULE, place, field=led[0])
        if COMMANDER not in led:
            continue
        platoon = str(unit.fields[PLATOON])
        other = taken.setdefault(platoon, unit)
        if other is not unit:
            whose = "those that support all" if platoon == ALL else f"the {platoon.lower()}"
            sentence = f"{other.name} and {unit.name} both have the commander of {whose}: a platoon has one."
            yield ForceProblem(sentence, RULE, place, field=COMMANDER)


_WHO = {COMMANDER: "a platoon's commander", COMPANY: "the company's commander", VETERAN: "a veteran leader"}
_IT = {COMMANDER: "the commander", COMPANY: "the commander", VETERAN: "the veteran"}


def profile(entries: Entries) -> dict[str, Note]:
    """Return what the profile of a unit with these fields has of its platoon."""
    platoon = str(entries.get(PLATOON, ALL))
    return {} if platoon == ALL else {PLATOON: platoon}
