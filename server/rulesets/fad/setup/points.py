"""The points of a unit of a force, line by line (fad4/force.building, fad5/points.system)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import floor

from client_protocol.explained import Explained, Line
from client_protocol.forces import Entries, ForceUnit
from server.kernel.files.forces import MILLI
from server.kernel.questions import total
from server.rulesets.fad.bots import GUN_BOT
from server.rulesets.fad.game import CHARACTER, LINKED, POWERED, SNIPER, SOLDIER_BOYS
from server.rulesets.fad.setup import arming
from server.rulesets.fad.setup.book import Book, Quality, Resolve
from server.rulesets.fad.vehicles.characteristics import FACINGS, armour_key

RULE = "force.building"
FACTORS = "points.traits"
BOTS = "bots"
"""The list of a squad's bots."""
HUNDREDTH = 10
"""A hundredth of a point, to which the points of a unit are rounded, in thousandths."""


def infantry_points(book: Book, unit: ForceUnit) -> Explained:
    """Return the points of a squad, in thousandths."""
    return _multiplied(book, unit, _infantry(book, unit))


def special_points(book: Book, unit: ForceUnit) -> Explained:
    """Return the points of a heavy weapons team or a character, in thousandths."""
    return _multiplied(book, unit, _character(book, unit) if unit.kind == CHARACTER else _team(book, unit))


def vehicle_points(book: Book, unit: ForceUnit) -> Explained:
    """Return the points of a vehicle, in thousandths."""
    return _multiplied(book, unit, _vehicle(book, unit))


def milli(points: float) -> int:
    """Return points as a table prints them in thousandths."""
    return round(points * 1000)


def _multiplied(book: Book, unit: ForceUnit, lines: Iterable[Line]) -> Explained:
    """Return the sum of the lines times all factors, rounded half up to hundredths at the end alone (fad5/points.system)."""
    quality, resolve = book.qualities[str(unit.fields["quality"])], book.resolves.get(str(unit.fields.get("resolve")))
    factor = quality.factor + (0 if resolve is None else resolve.factor)
    made = total([*lines, Line("SCALE", factor, _levels(quality, resolve), RULE), *_traits(book, unit)], MILLI)
    exact = Fraction(sum(line.amount for line in made.lines if line.stage == "ADD"))
    for line in made.lines:
        exact *= Fraction(line.amount, 100) if line.stage == "SCALE" else 1
    return Explained(floor(exact / HUNDREDTH + Fraction(1, 2)) * HUNDREDTH, made.lines, made.unit)


def _levels(quality: Quality, resolve: Resolve | None) -> str:
    return quality.name if resolve is None else f"{quality.name}, {resolve.name}"


def _traits(book: Book, unit: ForceUnit) -> Iterator[Line]:
    """Yield what a unit's points are multiplied by for its traits (fad5/points.traits)."""
    for key, percent in book.tables.points.factors.items():
        if unit.fields.get(key):
            yield Line("SCALE", percent, book.traits[key].name, FACTORS)


def _infantry(book: Book, unit: ForceUnit) -> Iterator[Line]:
    fields, price = unit.fields, book.tables.points
    if fields.get(SNIPER):
        yield from _sniper(book, unit)
        return
    figures, armour = int(fields["figures"]), book.armours[str(fields["armour"])]
    yield Line("ADD", figures * milli(price.figure), _counted(figures, "figure"), RULE)
    if armour.points:
        yield Line("ADD", figures * milli(armour.points), armour.name, "tech.personal-armour")
    heavy = (
        book.heavy_weapons.get(arming.weapon(book, fields, "heavy_weapon", "heavy_"))
        if "heavy_weapon" in fields
        else None
    )
    gunners = sum(int(row["count"]) for row in unit.rows["support"]) + (heavy is not None)
    riflemen, arm = figures - gunners, book.small_arms[arming.weapon(book, fields, "small_arm", "arm_")]
    # A gunner pays for his support weapon in place of a small arm.
    if riflemen > 0 and arm.points:
        yield Line("ADD", riflemen * milli(arm.points), f"{riflemen} × {arm.name}", "tech.weapon-tables")
    for row in unit.rows["support"]:
        weapon, count = book.support_weapons[arming.weapon(book, row, "weapon")], int(row["count"])
        name = f"{count} × {weapon.name}" if count > 1 else weapon.name
        yield Line("ADD", count * milli(weapon.points), name, "shoot.support-weapons")
    if riflemen > 0 and fields.get(LINKED):
        yield Line(
            "ADD", riflemen * milli(price.linked), f"{riflemen} × {book.traits[LINKED].name}", "tech.weapon-tables"
        )
    if heavy is not None:
        yield Line("ADD", milli(heavy.points), heavy.name, "tech.weapon-tables")
    for row in unit.rows.get(BOTS, ()):
        yield from _bot(book, row)
    yield from _priced(book, unit)
    yield from _each(book, unit, figures)


def _bot(book: Book, row: Entries) -> Iterator[Line]:
    kind = str(row["bot"])
    yield Line("ADD", milli(book.tables.points.bots[kind]), book.traits[kind].name, book.traits[kind].rule)
    if kind == GUN_BOT:
        weapon = book.support_weapons[str(row["weapon"])]
        yield Line("ADD", milli(weapon.points), f"{weapon.name} of the bot", "shoot.support-weapons")


def _priced(book: Book, unit: ForceUnit) -> Iterator[Line]:
    for key, points in book.tables.points.traits.items():
        if unit.fields.get(key):
            yield Line("ADD", milli(points), book.traits[key].name, book.traits[key].rule)


def _each(book: Book, unit: ForceUnit, figures: int) -> Iterator[Line]:
    if unit.fields.get(SOLDIER_BOYS):
        row, armour = book.traits[SOLDIER_BOYS], book.armours[str(unit.fields["armour"])]
        yield Line("ADD", figures * milli(armour.remote), f"{figures} × {row.name}", row.rule)
    for key, each in book.tables.points.each.items():
        if unit.fields.get(key):
            yield Line("ADD", figures * milli(each), f"{figures} × {book.traits[key].name}", book.traits[key].rule)


def _team(book: Book, unit: ForceUnit) -> Iterator[Line]:
    fields = unit.fields
    crew, weapon = int(fields["crew"]), book.heavy_weapons[arming.weapon(book, fields, "weapon")]
    yield Line("ADD", crew * milli(book.tables.points.crewman), f"Crew of {crew}", RULE)
    armour, arm = book.armours[str(fields["armour"])], book.small_arms[str(fields["small_arm"])]
    if armour.points:
        yield Line("ADD", crew * milli(armour.points), armour.name, "tech.personal-armour")
    # A crew with cheaper small arms costs no less.
    if arm.points > 0:
        yield Line("ADD", crew * milli(arm.points), f"{crew} × {arm.name}", "tech.weapon-tables")
    yield Line("ADD", milli(weapon.points), weapon.name, "tech.weapon-tables")


def _character(book: Book, unit: ForceUnit) -> Iterator[Line]:
    fields = unit.fields
    yield Line("ADD", milli(book.tables.points.character), book.traits[CHARACTER].name, RULE)
    armour, arm = book.armours[str(fields["armour"])], book.small_arms[str(fields["small_arm"])]
    if armour.points:
        yield Line("ADD", milli(armour.points), armour.name, "tech.personal-armour")
    if arm.points:
        yield Line("ADD", milli(arm.points), arm.name, "tech.weapon-tables")
    leads = book.leaderships[str(fields["leadership"])]
    if leads.points:
        yield Line("ADD", milli(leads.points), leads.name, "adv.characters.leadership")
    yield from _priced(book, unit)


def _sniper(book: Book, unit: ForceUnit) -> Iterator[Line]:
    armour = book.armours[str(unit.fields["armour"])]
    if POWERED in armour.traits:
        yield Line("ADD", milli(book.tables.points.figure), _counted(1, "figure"), RULE)
    yield Line("ADD", milli(book.tables.points.sniper), book.traits[SNIPER].name, "shoot.individuals")
    if armour.points:
        yield Line("ADD", milli(armour.points), armour.name, "tech.personal-armour")


def _vehicle(book: Book, unit: ForceUnit) -> Iterator[Line]:
    fields, price = unit.fields, book.tables.points
    for facing in FACINGS:
        rating = int(fields[armour_key(facing)])
        points = armour_points(book, facing, rating)
        if points:
            yield Line("ADD", milli(points), f"{facing.title()} armour {rating}", "tech.vehicle-armour")
    mobility = book.mobilities[str(fields["mobility"])]
    if mobility.points:
        yield Line("ADD", milli(mobility.points), mobility.name, mobility.rule)
    weapons = unit.rows["weapons"]
    for row in weapons:
        weapon = book.heavy_weapons[arming.weapon(book, row, "weapon")]
        yield Line("ADD", milli(weapon.points), weapon.name, "tech.weapon-tables")
    # Nothing in play asks who serves what. A driver, a commander who also serves the first weapon, a gunner for each other one:
    commander, gunners = min(1, len(weapons)), max(0, len(weapons) - 1)
    crew = price.crewman * (1 + gunners) + price.doubling * commander
    yield Line("ADD", milli(crew), f"Crew of {1 + commander + gunners}", RULE)
    seats = int(fields["seats"])
    if seats:
        yield Line("ADD", seats * milli(price.seat), _counted(seats, "seat"), RULE)
    yield from _priced(book, unit)


def armour_points(book: Book, facing: str, rating: int) -> int:
    """Return the points of an armour rating on a facing; a soft skin costs nothing."""
    place = rating - book.tables.vehicles.soft_below
    return book.tables.points.of(facing)[place] if place >= 0 else 0


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
