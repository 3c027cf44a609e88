"""A turn with the expanded deck: two squads a side, of which the first has the commander and the second a veteran leader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from server.kernel.facts import ActivationBegan, Rolled
from server.kernel.state import State
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import load
from tests.rulesets.fad5.battlefield import fad5
from tests.support.battlefield import BattleTable, battle, play, unit
from tests.support.tabletop import Row

BLUE_1, BLUE_2, RED_1, RED_2, COMMANDER_BLUE, COMMANDER_RED, INSPIRES_BLUE, INSPIRES_RED, REACTION, COOLER = range(
    1, 11
)
"""The faces with which the first card of such a turn is drawn."""


def sides(apart: float = 34, /, **more: Mapping[str, object]) -> list[Row]:
    """Return two squads a side that face each other, so many inches apart; `more` are further fields by unit (`blue_1`)."""
    rows: list[Row] = []
    for side, y in (("blue", 6.0), ("red", 6.0 + apart)):
        for number, (x, trait) in enumerate(((6, "commander"), (30, "veteran_leader")), 1):
            own: dict[str, object] = {trait: True, **more.get(f"{side}_{number}", {})}
            rows.append(unit(side, (x, y), figures=4, leader=True, **own))  # type: ignore[arg-type]  # as `unit` takes it
    return rows


def position(
    rows: Sequence[Row],
    options: Mapping[str, object] | None = None,
    terrain: Sequence[Row] = (),
    rules: FadRuleset | None = None,
) -> State:
    """Return the position before turn 2 of a match with the expanded deck."""
    chosen = {"activation": "expanded-cards", **(options or {})}
    when = {"turn": 1, "phase": "turn", "first": "", "active": ""}
    return battle(*rows, options=chosen, terrain=terrain, rules=rules or fad5(), **when)  # type: ignore[arg-type]  # as it takes them


def dawn(
    dice: Sequence[int], options: Mapping[str, object] | None = None, apart: float = 34, **more: Mapping[str, object]
) -> BattleTable:
    """Begin turn 2 with these dice."""
    return play(position(sides(apart, **more), options), dice)


def activated(table: BattleTable) -> list[str]:
    """Return the units that have begun to activate, in order."""
    return [fact.unit for fact in table.seen(ActivationBegan)]


def drawn(table: BattleTable) -> list[tuple[str, str, int]]:
    """Return the cards that were drawn by a roll, each with its rule and from how many."""
    return [(fact.outcome, fact.rule, fact.sides) for fact in table.seen(Rolled) if fact.purpose == "card"]


def with_vehicles() -> FadRuleset:
    """Return FAD 4 with the settings and rules of the expanded deck: the family plays it with vehicles, too."""
    book, cards = load("fad4"), load("fad5")
    ours = (
        "cards_of_a_unit",
        "plasma_cooler",
        "commander_card",
        "commander_cards",
        "reaction_cards",
        "reaction_unused",
    )
    rows = [row for row in cards.edition.option if row.id == "activation" or row.id in ours]
    options = tuple(row for row in book.edition.option if row.id != "activation") + tuple(rows)
    keys = {
        key: entry if entry or not key.startswith(("turn.", "unit.")) else "fad4/turn.card-activation"
        for key, entry in book.edition.keys.items()
    }
    edition = replace(book.edition, option=options, keys=keys)
    tables = replace(book.tables, cards=cards.tables.cards)
    return FadRuleset("fad4", replace(book, edition=edition, tables=tables))
