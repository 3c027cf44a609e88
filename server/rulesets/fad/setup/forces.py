"""Forces: the form from which one is made, its checks, and its units (fad4/force.building, fad5/points.system)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import UnsetType

from client_protocol.explained import Explained
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
from server.kernel.files.forces import MILLI, decimals, filled
from server.kernel.notes import Note
from server.kernel.space.geometry import inches_text
from server.kernel.state import Figure, Unit
from server.kernel.traits import Traits, kept
from server.rulesets.fad.game import (
    INFANTRY,
    LEADER,
    LINKED,
    MOBILITY,
    POWERED,
    POWERED_ONLY,
    QUALITY,
    RESOLVE,
    SNIPER,
    SNIPER_RIFLE,
    VEHICLE,
    WEAPON_TEAM,
)
from server.rulesets.fad.setup import arming, chain_of_command
from server.rulesets.fad.setup.book import Book, HeavyWeapon, SmallArm, SupportWeapon
from server.rulesets.fad.setup.bots import bot_lists, bot_problems, bots_of
from server.rulesets.fad.setup.points import RULE, armour_points, infantry_points, milli, special_points, vehicle_points
from server.rulesets.fad.setup.special_forces import OFFICERS, SPECIAL, special_forms, special_problems, special_unit
from server.rulesets.fad.vehicles import squads
from server.rulesets.fad.vehicles.characteristics import (
    FACINGS,
    MOST_SHOCK,
    OPEN_TOPPED,
    PINTLE,
    SHOCK,
    armour_key,
)
from server.rulesets.fad.vehicles.fire_control import FIRE_CONTROL
from server.rulesets.fad.vehicles.fire_control import RULE as FIRING
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared.bringing import BASE
from server.rulesets.shared.setup.force_traits import other_traits, ticked, trait_field
from server.rulesets.shared.setup.hulls import arc_choices, hull_choices, mounts, vehicle_figures, weapon_list
from server.rulesets.shared.setup.rows import Row

ALONE = "none"
"""The value of a vehicle's squad if it is in none, and of a squad's heavy weapon if it has none."""
HEAVY = "heavy_weapon"
"""The field of a squad's heavy weapon."""
ARM, HEAVY_CHANGED = "arm_", "heavy_"
"""What stands before the fields that change a squad's small arm, and its heavy weapon."""
OUTSIDE = "served_outside"
"""The field of a weapon on a vehicle that is served from outside."""
PLACED = (*SPECIAL, *chain_of_command.PLACED, OPEN_TOPPED, SHOCK)
"""The traits of units that have a place of their own in the form."""
OUTSIDE_RULE = "under-fire.vehicles"
SNIPER_RULE = "shoot.individuals"
WARPS, RECEIVER = "short_range_warp", "warp_receiver"
VEHICLES_ONLY = ("cryostasis",)
ON_VEHICLES = (*VEHICLES_ONLY, "regen_unit", "guarded_systems", "haywire_emitter", RECEIVER)
"""What vehicles may be fitted with."""
TROOPS = ("First troop", "Second troop", "Third troop")
"""The squads of vehicles that a force may have."""


def points(book: Book, unit: ForceUnit) -> Explained:
    """Return the points of a unit, line by line."""
    if unit.kind in SPECIAL:
        return special_points(book, unit)
    return vehicle_points(book, unit) if unit.kind == VEHICLE else infantry_points(book, unit)


# --- the form -------------------------------------------------------------------------------------------------------


@cache
def form(book: Book) -> ForceForm:
    """Return the form from which a force is made."""
    bounds, price = book.tables.bounds, book.tables.points
    notes = (
        f"A force has 1 to {bounds.units} units; a squad 1 to {bounds.figures} figures, and 4 to 8 serve best.",
        "Points are those of the books. What the books give no price for costs nothing.",
        f"A sniper costs {price.sniper} points with its rifle"
        + (f"; linked weapons cost {price.linked} for each small arm." if LINKED in book.traits else "."),
    )
    squad, vehicle = _infantry_form(book), _vehicle_form(book)
    arms = next(field for field in squad.fields if field.key == "small_arm")
    armours = next(field for field in squad.fields if field.key == "armour").choices
    (guns,) = vehicle.lists
    heavy = next(field for field in guns.fields if field.key == "weapon")
    return ForceForm(
        (squad, vehicle, *special_forms(book, _levels(book), arms, armours, heavy)), "Points", notes, MILLI
    )


def _levels(book: Book) -> tuple[FormField, FormField]:
    """Return the fields that squads and vehicles have alike."""
    new = book.tables.form
    qualities = tuple(
        FormChoice(key, row.name, f"passes on {row.need}+, points × {row.factor / 100:g}")
        for key, row in book.qualities.items()
    )
    resolves = tuple(FormChoice(key, row.name, _adjustment(row.factor)) for key, row in book.resolves.items())
    return (
        FormField(QUALITY, "Quality", new.quality, qualities, rule="quality.table"),
        FormField(RESOLVE, "Resolve", new.resolve, resolves, rule="resolve.infantry"),
    )


def _adjustment(factor: int) -> str:
    return f"{factor / 100:+g} to the factor of Quality" if factor else ""


def _infantry_form(book: Book) -> FormKind:
    bounds, new = book.tables.bounds, book.tables.form
    arms = tuple(FormChoice(key, row.name, _arm(row)) for key, row in book.small_arms.items() if row.issued)
    armours = tuple(FormChoice(key, row.name, _price(row.points, each=True)) for key, row in book.armours.items())
    support = tuple(FormChoice(key, row.name, _support(book, row)) for key, row in book.support_weapons.items())
    guns = FormList(
        "support",
        "Support weapons",
        "support weapon",
        (
            FormField("weapon", "Weapon", new.support, support, rule="shoot.support-weapons"),
            FormField("count", "How many", 1, least=1, most=bounds.figures),
            *arming.fields(book, "support"),
        ),
        least=0,
        most=bounds.support,
    )
    return FormKind(
        INFANTRY,
        "Squad",
        (
            FormField("figures", "Figures", new.figures, least=1, most=bounds.figures, rule=RULE),
            *_levels(book),
            FormField("small_arm", "Small arm", new.small_arm, arms, rule="tech.weapon-tables"),
            FormField("armour", "Armour", new.armour, armours, rule="tech.personal-armour"),
            FormField(LEADER, "Leader", default=True),
            *chain_of_command.fields(book, INFANTRY),
            *arming.fields(book, "small_arm", ARM, "Small arm"),
            *_carried(book),
            *other_traits(book, "unit", (*PLACED, *OFFICERS, *VEHICLES_ONLY)),
        ),
        (guns, *bot_lists(book, support)),
    )


def _vehicle_form(book: Book) -> FormKind:
    bounds, new = book.tables.bounds, book.tables.form
    mobilities = tuple(
        FormChoice(key, row.name, f"{inches_text(row.cautious * 1000)} cautious, {_price(row.points)}")
        for key, row in book.mobilities.items()
    )
    weapons = tuple(FormChoice(key, row.name, _heavy(book, row)) for key, row in book.heavy_weapons.items())
    ratings = dict(zip(FACINGS, (new.front, new.side, new.rear), strict=True))
    guns = weapon_list(
        FormField("weapon", "Weapon", new.weapon, weapons, rule="tech.weapon-tables"),
        FormField("arc", "Bears", new.arc, arc_choices(book.arcs), rule="shoot.vehicle-weapons"),
        *_outside(book),
        *arming.fields(book, "heavy"),
        least=0,
        most=bounds.weapons,
    )
    return FormKind(
        VEHICLE,
        "Vehicle",
        (
            *(_levels(book) if vehicles_have_resolve(book) else _levels(book)[:1]),
            FormField(MOBILITY, "Mobility", new.mobility, mobilities, rule="move.vehicle-standard"),
            *(_armour_field(book, facing, rating) for facing, rating in ratings.items()),
            FormField("hull", "Hull", new.hull, hull_choices(book.hulls)),
            *_fire_control(book),
            FormField(SQUAD, "Squad", ALONE, _squads(), rule=squads.RULE),
            FormField("seats", "Seats", 0, least=0, most=bounds.seats, rule=RULE),
            *(trait_field(book.traits[key]) for key in ON_VEHICLES if key in book.traits),
            *_vehicle_traits(book),
            *chain_of_command.fields(book, VEHICLE),
        ),
        (guns,),
    )


def vehicles_have_resolve(book: Book) -> bool:
    """Return whether crews have a Resolve: a number of hits at which they are Broken (fad4/resolve.vehicle)."""
    return any(row.hits for row in book.resolves.values())


def _fire_control(book: Book) -> Iterator[FormField]:
    """Yield the field of the fire control, in an edition in which vehicles have one."""
    choices = tuple(FormChoice(key, row.name, row.text) for key, row in book.fire_controls.items())
    if choices:
        yield FormField(FIRE_CONTROL, "Fire control", choices[0].value, choices, rule=FIRING)


def _outside(book: Book) -> Iterator[FormField]:
    """Yield the field that says whether a vehicle's weapon is served from outside, where that makes a difference."""
    if OPEN_TOPPED in book.traits:
        yield FormField(OUTSIDE, "Served from outside", default=False, rule=OUTSIDE_RULE)


def _vehicle_traits(book: Book) -> Iterator[FormField]:
    """Yield the fields of the traits that only vehicles have."""
    if OPEN_TOPPED in book.traits:
        yield trait_field(book.traits[OPEN_TOPPED])
    if SHOCK in book.traits:
        # fad5/assault.shock-vehicle
        trait = book.traits[SHOCK]
        yield FormField(SHOCK, "Shock dice", 0, least=0, most=MOST_SHOCK, rule=trait.rule, group=trait.group)


def _carried(book: Book) -> Iterator[FormField]:
    """Yield the fields of the heavy weapon that a figure of a squad carries, in an edition in which one may."""
    if book.tables.bounds.heavy:
        name = "Heavy weapon"
        yield FormField(HEAVY, name, ALONE, _heavy_on_foot(book), rule="tech.weapon-tables", group=name)
        yield from arming.fields(book, "heavy", HEAVY_CHANGED, name, name)


def _heavy_on_foot(book: Book) -> tuple[FormChoice, ...]:
    """Return the heavy weapons that a figure of a squad may serve: those that strike at a point, and others in powered armour."""
    choices = (
        FormChoice(key, row.name, _heavy(book, row) + ("" if row.blasts else "; for powered armour"))
        for key, row in book.heavy_weapons.items()
    )
    return FormChoice(ALONE, "None"), *choices


def _squads() -> tuple[FormChoice, ...]:
    return FormChoice(ALONE, "On its own"), *(FormChoice(name, name) for name in TROOPS)


def _armour_field(book: Book, facing: str, rating: int) -> FormField:
    soft = book.tables.vehicles.soft_below
    most = soft + len(book.tables.points.of(facing))
    choices = tuple(
        FormChoice(rating, str(rating), _price(armour_points(book, facing, rating))) for rating in range(soft, most)
    )
    label = f"{facing.title()} armour"
    return FormField(
        armour_key(facing), label, rating, (FormChoice(0, "Soft skin"), *choices), rule="tech.vehicle-armour"
    )


def _price(number: float, *, each: bool = False) -> str:
    """Return points in words; where most things cost something, none are a price too."""
    told = decimals(milli(number))
    what = f"+{told}" if each and number > 0 else told
    return f"{what} {'point' if abs(number) == 1 else 'points'}{' a figure' if each else ''}"


def _arm(row: SmallArm) -> str:
    return f"range ×{row.range_multiplier}, damage +{row.damage}, {_price(row.points, each=True)}"


def _support(book: Book, row: SupportWeapon) -> str:
    powered = ", for powered armour" if POWERED_ONLY in row.traits else ""
    return f"{book.adds(row)}{powered}, {_price(row.points)}"


def _heavy(book: Book, row: HeavyWeapon) -> str:
    effect = f", Fire Effect +{row.fire_effect}" if row.fire_effect else ""
    piercing = "" if row.anti_tank is None else f", anti-tank +{row.anti_tank}"
    blast = f", blast {inches_text(row.blast * 1000)}" if row.blast else ""
    numbers = f"range ×{row.range_multiplier}, damage +{row.damage}{effect}{piercing}{blast}"
    return f"{numbers}{book.footnotes(row)}, {_price(row.points)}"


# --- checks ---------------------------------------------------------------------------------------------------------


def problems(book: Book, force: Force, options: Mapping[str, OptionValue]) -> Iterator[ForceProblem]:
    """Yield what is wrong with `force` in a match with these options. The force already fits the form and has every field."""
    most = book.tables.bounds.units
    if not 1 <= len(force.units) <= most:
        yield ForceProblem(f"A force has 1 to {most} units; this one has {len(force.units)}.", RULE)
    vehicles = sum(unit.kind == VEHICLE for unit in force.units)
    allowed = options.get("most_vehicles")
    if isinstance(allowed, int) and vehicles > allowed:
        yield ForceProblem(f"At most {allowed} vehicles may be brought; this force has {vehicles}.", RULE)
    for place, unit in enumerate(force.units):
        yield from _arming_problems(book, unit, place)
        if unit.kind == INFANTRY:
            yield from _squad_problems(book, unit, place)
            yield from bot_problems(unit, place)
        elif unit.kind in SPECIAL:
            yield from special_problems(book, unit, place)
    yield from chain_of_command.problems(force)
    yield from _troop_problems(book, force)
    yield from _receiver_problems(force)
    yield from _regen_problems(book, force)
    limit = options.get("points_limit")
    if isinstance(limit, int) and limit:
        cost = sum(points(book, unit).value for unit in force.units)
        if cost > milli(limit):
            yield ForceProblem(f"The force costs {decimals(cost)} points; this match allows {limit}.", RULE)


def _squad_problems(book: Book, unit: ForceUnit, place: int) -> Iterator[ForceProblem]:
    figures, leader = int(unit.fields["figures"]), int(bool(unit.fields[LEADER]))
    gunners = sum(int(row["count"]) for row in unit.rows["support"])
    carried = str(unit.fields.get(HEAVY, ALONE))
    heavy = int(carried != ALONE)
    if leader + gunners + heavy > figures:
        who = "a leader and " if leader else ""
        what = "" if not heavy else " and a heavy weapon" if gunners else "a heavy weapon"
        arms = f"{gunners} support weapons{what}" if gunners else what
        sentence = f"{unit.name} has {figures} figures, too few for {who}{arms}."
        yield ForceProblem(sentence, RULE, place, "support")
    powered = POWERED in book.armours[str(unit.fields["armour"])].traits
    weapon = book.heavy_weapons.get(carried)
    if weapon is not None and not weapon.blasts and not powered:
        sentence = f"{unit.name}: a {weapon.name.lower()} needs a crew of its own, or powered armour."
        yield ForceProblem(sentence, "tech.suits", place, field=HEAVY)
    if not powered:
        for row in unit.rows["support"]:
            support = book.support_weapons[str(row["weapon"])]
            if POWERED_ONLY in support.traits:
                sentence = f"{unit.name}: {support.name} needs powered armour."
                yield ForceProblem(sentence, "tech.weapon-tables", place, "support")
        if unit.fields.get(LINKED):
            sentence = f"{unit.name}: linked weapons need powered armour."
            yield ForceProblem(sentence, "tech.weapon-tables", place, field=LINKED)
    if unit.fields.get(SNIPER) and (figures > 1 or gunners or heavy):
        sentence = f"{unit.name} is a sniper: one figure with a sniper rifle and nothing else."
        yield ForceProblem(sentence, SNIPER_RULE, place, field=SNIPER)


def _arming_problems(book: Book, unit: ForceUnit, place: int) -> Iterator[ForceProblem]:
    """Yield the weapons that do not have the traits or rounds that are asked for."""
    asked: list[tuple[Mapping[str, Row], Entries, str, str, str]] = []
    if unit.kind == INFANTRY:
        asked.append((book.small_arms, unit.fields, "small_arm", ARM, ""))
        if HEAVY in unit.fields:
            asked.append((book.heavy_weapons, unit.fields, HEAVY, HEAVY_CHANGED, ""))
        asked += [(book.support_weapons, row, "weapon", "", "support") for row in unit.rows["support"]]
    elif unit.kind == VEHICLE:
        asked += [(book.heavy_weapons, row, "weapon", "", "weapons") for row in unit.rows["weapons"]]
    elif unit.kind == WEAPON_TEAM:
        asked.append((book.heavy_weapons, unit.fields, "weapon", "", ""))
    for rows, entries, key, prefix, listed in asked:
        why = arming.unfit(book, rows, entries, key, prefix)
        if why:
            field = "" if listed else prefix + arming.TRAITS[0]
            yield ForceProblem(f"{unit.name}: a {why}.", arming.TRAIT_RULE, place, listed, field=field)


def _regen_problems(book: Book, force: Force) -> Iterator[ForceProblem]:
    """Yield the vehicles with a regen unit that have no place for it (fad4/tech.weapon-tables)."""
    most = book.tables.bounds.weapons
    for place, unit in enumerate(force.units):
        if unit.kind == VEHICLE and unit.fields.get("regen_unit") and len(unit.rows["weapons"]) >= most:
            sentence = f"{unit.name}: a regen unit takes the place of one of its {most} heavy weapons."
            yield ForceProblem(sentence, "tech.gear", place, "weapons")


def _receiver_problems(force: Force) -> Iterator[ForceProblem]:
    """Yield the unit with which more receivers are carried than squads warp (fad4/tech.weapon-tables)."""
    carriers = [place for place, unit in enumerate(force.units) if unit.fields.get(RECEIVER)]
    warping = sum(bool(unit.fields.get(WARPS)) for unit in force.units)
    if len(carriers) > warping:
        sentence = f"{len(carriers)} units carry a warp receiver, and {warping} have short range warp: each brings one."
        yield ForceProblem(sentence, "tech.warp", carriers[warping], field=RECEIVER)


def _troop_problems(book: Book, force: Force) -> Iterator[ForceProblem]:
    """Yield what is wrong with squads of vehicles (fad4/move.vehicle-squads)."""
    most = book.tables.vehicles.most_in_squad
    for name in TROOPS:
        places = [place for place, unit in enumerate(force.units) if unit.fields.get(SQUAD) == name]
        if most and len(places) > most:
            sentence = f"{name} has {len(places)} vehicles; a squad has at most {most}."
            yield ForceProblem(sentence, squads.RULE, places[most], field=SQUAD)
        for place in places[1:]:
            first, other = force.units[places[0]], force.units[place]
            if book.tables.vehicles.formations:
                # fad5/move.vehicles-individual: vehicles of a formation act alone, and need not be alike
                continue
            if any(first.fields[key] != other.fields[key] for key in (QUALITY, RESOLVE)):
                sentence = f"{first.name} and {other.name} are one squad: give them the same Quality and Resolve."
                yield ForceProblem(sentence, squads.RULE, place, field=SQUAD)


# --- units ----------------------------------------------------------------------------------------------------------


def units_of(book: Book, force: Force, side: str) -> list[Unit]:
    """Return the units of a valid force, for `side`."""
    units = enumerate(filled(form(book), force).units, 1)
    return [_unit(book, unit, side, number) for number, unit in units]


def _unit(book: Book, unit: ForceUnit, side: str, number: int) -> Unit:
    if unit.kind in SPECIAL:
        return special_unit(book, unit, side, number)
    return (_vehicle if unit.kind == VEHICLE else _squad)(book, unit, side, number)


def _squad(book: Book, unit: ForceUnit, side: str, number: int) -> Unit:
    fields = unit.fields
    # A sniper is no leader of anyone: its one figure has its rifle.
    roles = [LEADER] * bool(fields[LEADER] and not fields.get(SNIPER))
    for row in unit.rows["support"]:
        roles += [arming.weapon(book, row, "weapon")] * int(row["count"])
    if fields.get(HEAVY, ALONE) != ALONE:
        roles.append(arming.weapon(book, fields, HEAVY, HEAVY_CHANGED))
    roles += [""] * (int(fields["figures"]) - len(roles))
    figures = {str(place): Figure(None, BASE // 2, role) for place, role in enumerate(roles, 1)}
    figures |= {str(place): bot for place, bot in enumerate(bots_of(unit), len(figures) + 1)}
    profile: dict[str, Note] = {key: str(fields[key]) for key in (QUALITY, RESOLVE, "armour")}
    profile["small_arm"] = arming.weapon(book, fields, "small_arm", ARM)
    profile |= chain_of_command.profile(fields)
    if fields.get(SNIPER):
        profile["small_arm"] = SNIPER_RIFLE
    return Unit(f"{side}-{number}", side, unit.name, number, profile, figures, traits=ticked(book, "unit", fields))


def _vehicle(book: Book, unit: ForceUnit, side: str, number: int) -> Unit:
    fields = unit.fields
    keys = (QUALITY, RESOLVE, MOBILITY, FIRE_CONTROL)
    profile: dict[str, Note] = {key: str(fields[key]) for key in keys if key in fields}
    profile |= {armour_key(facing): int(fields[armour_key(facing)]) for facing in FACINGS}
    if fields[SQUAD] != ALONE:
        profile[SQUAD] = str(fields[SQUAD])
    figures = vehicle_figures(book.hulls[str(fields["hull"])])
    rows = [{**row, "weapon": arming.weapon(book, row, "weapon")} for row in unit.rows["weapons"]]
    armed = mounts(rows, book.arcs)
    outside = tuple(mount for mount, row in zip(armed, rows, strict=True) if row.get(OUTSIDE))
    if outside:
        # fad5/under-fire.vehicles
        profile[PINTLE] = outside
    profile |= chain_of_command.profile(fields)
    seats, traits = int(fields["seats"]), _borne(book, fields)
    return Unit(f"{side}-{number}", side, unit.name, number, profile, figures, mounts=armed, seats=seats, traits=traits)


def _borne(book: Book, fields: Entries) -> Traits | UnsetType:
    """Return the traits of a vehicle: what is ticked, and with how many dice it drives into infantry."""
    borne = dict(ticked(book, "unit", {key: value for key, value in fields.items() if key != SHOCK}) or {})
    dice = int(fields.get(SHOCK, 0))
    return kept({**borne, SHOCK: dice} if dice else borne)
