"""Heavy weapons teams and characters in forces: their forms, their checks, and their units (fad4/force.building)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.forces import ForceProblem, ForceUnit, FormChoice, FormField, FormKind
from server.kernel.files.forces import decimals
from server.kernel.notes import Note
from server.kernel.state import Figure, Unit
from server.rulesets.fad.game import CHARACTER, COMMAND_SUIT, POWERED, QUALITY, RESOLVE, WEAPON_TEAM
from server.rulesets.fad.setup import arming, chain_of_command
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.points import RULE, milli
from server.rulesets.shared.bringing import BASE
from server.rulesets.shared.setup.force_traits import trait_field

SPECIAL = {WEAPON_TEAM, CHARACTER}
OFFICERS = (COMMAND_SUIT,)
"""The traits that characters alone may have."""


def special_forms(
    book: Book, levels: tuple[FormField, ...], arms: FormField, armours: tuple[FormChoice, ...], heavy: FormField
) -> Iterator[FormKind]:
    """Yield the forms of teams and characters, of an edition that has them.

    Args:
        book: the edition's.
        levels: the fields of Quality and Resolve.
        arms: the field of the small arm.
        armours: the armours that squads may have.
        heavy: the field of the heavy weapon.
    """
    new = book.tables.form
    if WEAPON_TEAM in book.traits:
        light = tuple(choice for choice in armours if POWERED not in book.armours[str(choice.value)].traits)
        crew = FormField("crew", "Crew", new.crew, least=1, most=book.tables.bounds.figures, rule=RULE)
        armour = FormField("armour", "Armour", new.armour, light, rule="tech.personal-armour")
        name = book.traits[WEAPON_TEAM].name
        changes = arming.fields(book, "heavy")
        platoon = chain_of_command.fields(book, WEAPON_TEAM)
        yield FormKind(WEAPON_TEAM, name, (heavy, crew, *levels, arms, armour, *changes, *platoon), ())
    if CHARACTER in book.traits:
        armour = FormField("armour", "Armour", new.armour, armours, rule="tech.personal-armour")
        ratings = tuple(
            FormChoice(key, row.name, f"+{row.rating}, {decimals(milli(row.points))} points")
            for key, row in book.leaderships.items()
        )
        branches = tuple(FormChoice(key, row.name) for key, row in book.branches.items())
        fields = (
            FormField(
                "leadership", "Leadership", next(iter(book.leaderships)), ratings, rule="adv.characters.leadership"
            ),
            FormField(
                "leader_branch", "Branch", next(iter(book.branches)), branches, rule="adv.characters.branch-bonus"
            ),
        )
        name = book.traits[CHARACTER].name
        own = [trait_field(book.traits[key]) for key in OFFICERS if key in book.traits]
        yield FormKind(CHARACTER, name, (*fields, *levels, arms, armour, *own), ())


def special_problems(book: Book, unit: ForceUnit, place: int) -> Iterator[ForceProblem]:
    """Yield what is wrong with a team or a character."""
    if unit.kind == WEAPON_TEAM:
        crew = int(unit.fields["crew"])
        weapon = book.heavy_weapons.get(arming.weapon(book, unit.fields, "weapon"))
        if weapon is not None and crew < weapon.crew:
            sentence = f"{unit.name} has a crew of {crew}; a {weapon.name.lower()} needs {weapon.crew}."
            yield ForceProblem(sentence, RULE, place, field="crew")


def special_unit(book: Book, unit: ForceUnit, side: str, number: int) -> Unit:
    """Return a team or a character of a valid force, for `side`."""
    fields = unit.fields
    keys = [QUALITY, RESOLVE, "small_arm", "armour"]
    if unit.kind == CHARACTER:
        keys += ["leadership", "leader_branch"]
        roles = [CHARACTER]
    else:
        roles = [arming.weapon(book, fields, "weapon")] + [""] * (int(fields["crew"]) - 1)
    profile: dict[str, Note] = {key: str(fields[key]) for key in keys} | chain_of_command.profile(fields)
    figures = {str(place): Figure(None, BASE // 2, role) for place, role in enumerate(roles, 1)}
    own = {key: True for key in OFFICERS if fields.get(key)}
    return Unit(f"{side}-{number}", side, unit.name, number, profile, figures, traits={unit.kind: True, **own})
