"""Forces: the form from which one is made, its checks, and its weight (fubar4/unit.forces)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache

from client_protocol.explained import Explained, Line
from client_protocol.forces import (
    Entries,
    Force,
    ForceForm,
    ForceProblem,
    ForceUnit,
    FormChoice,
    FormField,
    FormKind,
    FormList,
)
from client_protocol.shapes import OptionValue
from server.kernel.files.forces import filled
from server.kernel.notes import Note
from server.kernel.questions import total
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import Figure, Unit
from server.rulesets.fubar.game import ARM, ARMOUR, CREW, CREW_ARMOUR, GRENADES, KIND, LAUNCHER, LEADER, LEVEL
from server.rulesets.fubar.setup.book import Book, Weapon
from server.rulesets.shared.bringing import BASE, ForceRules
from server.rulesets.shared.setup.force_traits import other_traits, ticked, trait_field
from server.rulesets.shared.setup.hulls import arc_choices, hull_choices, mounts, vehicle_figures, weapon_list

RULE = "unit.forces"
INFANTRY = "infantry"
VEHICLE = "vehicle"
PLACED = {GRENADES, LAUNCHER, LEADER}
"""The traits that have a place of their own in the form."""
SAME = "same"
"""The value of a leader's level if it is his unit's."""


# --- the form -------------------------------------------------------------------------------------------------------


@cache
def form(book: Book) -> ForceForm:
    """Return the form from which a force is made."""
    levels = tuple(
        FormChoice(key, row.name, f"activates on {row.activation}+, hits on {row.expertise}+")
        for key, row in book.levels.items()
    )
    armours = tuple(
        FormChoice(key, row.name, f"saves on {row.save}+" if row.save else "no save")
        for key, row in book.armours.items()
    )
    arms = tuple(_weapon_choice(row) for row in book.weapons.values() if row.kind == "small-arm")
    support = tuple(_weapon_choice(row) for row in book.weapons.values() if _carried(row))
    bounds, new = book.tables.bounds, book.tables.form
    figures = FormList(
        "figures",
        "Figures",
        "kind of figure",
        (
            FormField("count", "How many", 1, least=1, most=bounds.figures),
            FormField("arm", "Small arm", new.arm, arms, rule="weapon.small-arms"),
            trait_field(book.traits[LAUNCHER]),
            FormField(
                "support", "Support weapon", "none", (FormChoice("none", "None"), *support), rule="weapon.support"
            ),
            FormField("armour", "Armour", new.armour, armours, rule="armour.table"),
            trait_field(book.traits[LEADER]),
            FormField(
                "leader_level",
                "Leader's level",
                SAME,
                (FormChoice(SAME, "The unit's"), *levels),
                rule="activation.leader",
            ),
            *other_traits(book, "figure", PLACED),
        ),
        least=1,
        most=bounds.figures,
    )
    infantry = FormKind(
        INFANTRY,
        "Infantry",
        (
            FormField("level", "Level", new.level, levels, rule="unit.training-table"),
            trait_field(book.traits[GRENADES]),
            *other_traits(book, "unit", PLACED),
        ),
        (figures,),
    )
    return ForceForm((infantry, _vehicle_form(book, levels, armours)), "Weight", _notes(book))


def _vehicle_form(book: Book, levels: tuple[FormChoice, ...], armours: tuple[FormChoice, ...]) -> FormKind:
    bounds, new = book.tables.bounds, book.tables.form
    protections = tuple(FormChoice(key, row.name, f"saves on {row.save}+") for key, row in book.vehicle_armours.items())
    weapons = tuple(_weapon_choice(row) for row in book.weapons.values() if _mountable(row))
    guns = weapon_list(
        FormField("weapon", "Weapon", new.mount, weapons, rule="weapon.support"),
        FormField("arc", "Bears", new.arc, arc_choices(book.arcs), rule="action.on-guard"),
        least=1,
        most=bounds.weapons,
    )
    fields = (
        FormField("level", "Crew's level", new.level, levels, rule="unit.training-table"),
        FormField("armour", "Armour", new.vehicle_armour, protections, rule="vehicle.armour-table"),
        FormField("hull", "Hull", new.hull, hull_choices(book.hulls)),
        FormField("crew", "Crew", 2, least=1, most=bounds.crew, rule="vehicle.stationary"),
        FormField("crew_armour", "Crew's armour", new.crew_armour, armours, rule="vdamage.destroyed"),
        FormField("seats", "Seats", 0, least=0, most=bounds.seats, rule="vehicle.transport"),
    )
    return FormKind(VEHICLE, "Vehicle", fields, (guns,))


def _notes(book: Book) -> tuple[str, ...]:
    bounds = book.tables.bounds
    return (
        f"A force has 1 to {bounds.units} units; an infantry unit 1 to {bounds.figures} figures, all of one level.",
        "There are no points: the weight compares forces roughly, and every player accepts the others' forces before play.",
    )


def _weapon_choice(weapon: Weapon) -> FormChoice:
    points = f"{weapon.fire_points} FP"
    if weapon.close_range:
        points += f", {weapon.close_fire_points} FP up to {inches_text(inches(weapon.close_range))}"
    return FormChoice(weapon.id, weapon.name, f"{inches_text(weapon.reach)}, {points}")


def _carried(weapon: Weapon) -> bool:
    return weapon.kind == "support" and "mounted" not in weapon.traits


def _mountable(weapon: Weapon) -> bool:
    return weapon.kind == "support" or weapon.id == "light-machine-gun"


# --- checks ---------------------------------------------------------------------------------------------------------


def problems(book: Book, force: Force, options: Mapping[str, OptionValue]) -> Iterator[ForceProblem]:
    """Yield what is wrong with `force` in a match with these options. The force already fits the form and has every field."""
    most = int(options.get("most_units", 0)) or book.tables.bounds.units
    if not 1 <= len(force.units) <= most:
        yield ForceProblem(f"A force has 1 to {most} units; this one has {len(force.units)}.", RULE)
    vehicles = sum(unit.kind == VEHICLE for unit in force.units)
    allowed = options.get("most_vehicles")
    if isinstance(allowed, int) and vehicles > allowed:
        yield ForceProblem(f"At most {allowed} vehicles may be brought; this force has {vehicles}.", RULE)
    for place, unit in enumerate(force.units):
        yield from (_vehicle_problems if unit.kind == VEHICLE else _infantry_problems)(book, unit, place, options)
    limit = options.get("weight_limit")
    if isinstance(limit, int) and limit:
        heavy = sum(weight(book, unit).value for unit in force.units)
        if heavy > limit:
            yield ForceProblem(f"The force weighs {heavy}; this match allows {limit}.", RULE)


def _infantry_problems(
    book: Book, unit: ForceUnit, place: int, options: Mapping[str, OptionValue]
) -> Iterator[ForceProblem]:
    rows = unit.rows["figures"]
    figures = sum(int(row["count"]) for row in rows)
    most = int(options.get("most_figures", 0)) or book.tables.bounds.figures
    if figures > most:
        sentence = f"{unit.name} has {figures} figures; a unit has at most {most}."
        yield ForceProblem(sentence, RULE, place, "figures")
    support = sum(int(row["count"]) for row in rows if row["support"] != "none")
    allowed = int(options.get("most_support", 2))
    if support > allowed:
        sentence = f"{unit.name} has {support} support weapons; a unit has at most {allowed}."
        yield ForceProblem(sentence, RULE, place, "figures")
    leaders = sum(int(row["count"]) for row in rows if row["leader"])
    if leaders > 1:
        yield ForceProblem(f"{unit.name} has {leaders} leaders; a unit has at most one.", RULE, place, "figures")
    for number, row in enumerate(rows):
        where = f"{unit.name}, Figures row {number + 1}"
        if row["launcher"] and "takes-launcher" not in book.weapons[str(row["arm"])].traits:
            sentence = f"{where}: only assault rifles have a grenade launcher."
            yield ForceProblem(sentence, "weapon.assault-rifle-grenades", place, "figures", number, "launcher")
        if row["leader_level"] != SAME and not row["leader"]:
            sentence = f"{where}: only a leader has a level of his own."
            yield ForceProblem(sentence, "activation.leader", place, "figures", number, "leader_level")
        if (limit := _too_good(book, str(row["armour"]), options)) is not None:
            yield ForceProblem(f"{where}: {limit}", RULE, place, "figures", number, "armour")


def _too_good(book: Book, armour: str, options: Mapping[str, OptionValue]) -> str | None:
    """Return what the match allows, in words, if this personal armour is better; else None."""
    best = str(options.get("best_armour", "")) or list(book.armours)[-1]
    order = list(book.armours)
    if order.index(armour) <= order.index(best):
        return None
    return f"this match allows {book.armours[best].name.lower()} at most."


def _vehicle_problems(
    book: Book,
    unit: ForceUnit,
    place: int,
    options: Mapping[str, OptionValue],
) -> Iterator[ForceProblem]:
    fields = unit.fields
    worn = str(fields["crew_armour"])
    if (limit := _too_good(book, worn, options)) is not None:
        yield ForceProblem(f"{unit.name}, crew: {limit}", RULE, place, "crew_armour")
    for number, row in enumerate(unit.rows["weapons"]):
        weapon = book.weapons[str(row["weapon"])]
        # fubar4/weapon.cannon-mounts
        if "mounted" in weapon.traits and fields["armour"] not in book.tables.vehicles.cannon_armour:
            sentence = f"{unit.name}, Weapons row {number + 1}: only tanks, of medium armour or better, mount cannons."
            yield ForceProblem(sentence, "weapon.cannon-mounts", place, "weapons", number, "weapon")


# --- weight ---------------------------------------------------------------------------------------------------------


def weight(book: Book, unit: ForceUnit) -> Explained:
    """Return the weight of a unit, for comparing forces, line by line (fubar4/unit.forces)."""
    fields = unit.fields
    level = book.levels[str(fields["level"])]
    lines = list(_vehicle_weight(book, unit, fields) if unit.kind == VEHICLE else _infantry_weight(book, unit, fields))
    return total([*lines, Line("SCALE", level.weight, level.name, RULE)])


def _infantry_weight(book: Book, unit: ForceUnit, fields: Entries) -> Iterator[Line]:
    amount = book.tables.weight
    for row in unit.rows["figures"]:
        count, save = int(row["count"]), book.armours[str(row["armour"])].save
        each = amount.figure + _weapon_weight(book, str(row["arm"]))
        if row["support"] != "none":
            each += _weapon_weight(book, str(row["support"]))
        each += amount.launcher if row["launcher"] else 0
        each += amount.grenades if fields["grenades"] else 0
        each += amount.save * (7 - save) if save else 0
        yield Line("ADD", count * each, f"{count} × {_row_name(book, row)}", RULE)


def _vehicle_weight(book: Book, unit: ForceUnit, fields: Entries) -> Iterator[Line]:
    amount = book.tables.weight
    armour = book.vehicle_armours[str(fields["armour"])]
    yield Line("ADD", amount.vehicle, "vehicle", RULE)
    yield Line("ADD", amount.vehicle_save * (7 - armour.save), armour.name, "vehicle.armour-table")
    if fields["seats"]:
        yield Line("ADD", amount.seat * int(fields["seats"]), f"{fields['seats']} seats", RULE)
    for row in unit.rows["weapons"]:
        weapon = str(row["weapon"])
        yield Line("ADD", _weapon_weight(book, weapon), book.weapons[weapon].name, "weapon.support")


def _weapon_weight(book: Book, weapon: str) -> int:
    row = book.weapons[weapon]
    return math.ceil(max(row.fire_points, row.close_fire_points) * row.range / book.tables.weight.weapon)


def _row_name(book: Book, row: Entries) -> str:
    names = [book.weapons[str(row["support"])].name] if row["support"] != "none" else []
    names.append(book.weapons[str(row["arm"])].name)
    if row["armour"] != "none":
        names.append(book.armours[str(row["armour"])].name)
    return ", ".join(names)


# --- units ----------------------------------------------------------------------------------------------------------


def units_of(book: Book, force: Force, side: str, first: int = 1) -> list[Unit]:
    """Return the units of a valid force, for `side`; their roster numbers begin with `first`."""
    return [
        (_vehicle if unit.kind == VEHICLE else _infantry)(book, unit, side, number)
        for number, unit in enumerate(filled(form(book), force).units, first)
    ]


def _infantry(book: Book, unit: ForceUnit, side: str, number: int) -> Unit:
    fields = unit.fields
    figures: dict[str, Figure] = {}
    for row in unit.rows["figures"]:
        profile: dict[str, Note] = {ARM: str(row["arm"]), ARMOUR: str(row["armour"])}
        if row[LEADER] and row["leader_level"] != SAME:
            profile[LEVEL] = str(row["leader_level"])
        role = "" if row["support"] == "none" else str(row["support"])
        for _ in range(int(row["count"])):
            figures[str(len(figures) + 1)] = Figure(
                None, BASE // 2, role, profile=profile, traits=ticked(book, "figure", row)
            )
    own: dict[str, Note] = {KIND: INFANTRY, LEVEL: str(fields["level"])}
    return Unit(f"{side}-{number}", side, unit.name, number, own, figures, traits=ticked(book, "unit", fields))


def _vehicle(book: Book, unit: ForceUnit, side: str, number: int) -> Unit:
    fields = unit.fields
    profile: dict[str, Note] = {
        KIND: VEHICLE,
        LEVEL: str(fields["level"]),
        ARMOUR: str(fields["armour"]),
        CREW: int(fields["crew"]),
        CREW_ARMOUR: str(fields["crew_armour"]),
    }
    figures = vehicle_figures(book.hulls[str(fields["hull"])])
    armed = mounts(unit.rows["weapons"], book.arcs)
    return Unit(f"{side}-{number}", side, unit.name, number, profile, figures, mounts=armed, seats=int(fields["seats"]))


RULES = ForceRules(form=form, problems=problems, total=weight, units_of=units_of)
"""What the family says of forces."""
