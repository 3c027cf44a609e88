"""Bots in forces: the list that asks for them, its checks, and their figures (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.forces import ForceProblem, ForceUnit, FormChoice, FormField, FormList
from server.kernel.files.forces import decimals
from server.kernel.state import Figure
from server.rulesets.fad.bots import BOT_KINDS, GUN_BOT
from server.rulesets.fad.game import SNIPER
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.points import BOTS, milli
from server.rulesets.shared.bringing import BASE

RULE = "tech.bots"
MOST = 1
"""The most bots that a squad of a force has. Engineers, who may have more, are figures of setups alone."""


def bot_lists(book: Book, support: tuple[FormChoice, ...]) -> Iterator[FormList]:
    """Yield the list of a squad's bots, in an edition that has some. `support` are the weapons that a gun-bot may carry."""
    kinds = tuple(
        FormChoice(kind, book.traits[kind].name, f"{decimals(milli(book.tables.points.bots[kind]))} points")
        for kind in BOT_KINDS
        if kind in book.traits
    )
    if kinds:
        fields = (
            FormField("bot", "Bot", BOT_KINDS[0], kinds, rule=RULE),
            FormField("weapon", "Weapon of a gun-bot", book.tables.form.support, support, rule=RULE),
        )
        yield FormList(BOTS, "Bots", "bot", fields, least=0, most=MOST)


def bot_problems(unit: ForceUnit, place: int) -> Iterator[ForceProblem]:
    """Yield why a squad cannot have the bots that it has."""
    if unit.rows.get(BOTS) and unit.fields.get(SNIPER):
        yield ForceProblem(f"{unit.name} is a sniper, who goes alone: no bot.", RULE, place, BOTS)


def bots_of(unit: ForceUnit) -> list[Figure]:
    """Return the bots of a squad."""
    found = []
    for row in unit.rows.get(BOTS, ()):
        kind = str(row["bot"])
        found.append(Figure(None, BASE // 2, str(row["weapon"]) if kind == GUN_BOT else "", traits={kind: True}))
    return found
