"""Command suits: an officer in one leads a unit of powered armour anywhere on the table (fad4/tech.personal-armour)."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, Noted
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad.attached import characters, is_character
from server.rulesets.fad.game import COMMAND_SUIT, POWERED, FadGame, FadRules
from server.rulesets.fad.leading import LENT, Lent, lent
from server.rulesets.fad.module import FadModule
from server.rulesets.shared.modules import Declaration

RULE = "tech.command-suit"
LEADS = "leads-from-afar"


def _wearers(state: State, unit: Unit) -> list[Unit]:
    """Return the officers in Command suits whose unit this is: who is on his own, and who stands among its figures."""
    found = [unit] if is_character(unit) else characters(state, unit)
    return [one for one in found if has(one, COMMAND_SUIT)]


def _begin(game: FadGame, unit_id: str) -> Steps[None]:
    """Let an officer whose unit activates pick the unit that he leads until it activates again."""
    for key in [one.id for one in _wearers(game.state, game.unit(unit_id))]:
        yield from _pick(game, unit_id, key)


def _pick(game: FadGame, unit_id: str, officer: str) -> Steps[None]:
    turn = game.state.turn.number
    before = next((row for row in lent(game.state) if row.officer == officer), None)
    if before is not None and before.turn == turn:
        # One unit benefits in a turn.
        return
    state = game.believed(game.state.seat_of(unit_id))
    suited = tuple(Candidate(other.id) for other in _suited(game.rules, state, state.units[unit_id]))
    named = ""
    if suited and state.units[unit_id].on_table:
        choices = (
            Choice(
                LEADS, "Lead another unit", RULE, "Until his unit activates again.", (UnitParameter("Unit", suited),)
            ),
            Choice("leads-own", "Lead his own unit", RULE),
        )
        name = state.units[officer].name
        title = f"{name} wears a Command suit: which unit does he lead?"
        picked = yield from ask(state.seat_of(unit_id), Asked(title, choices, Picked("leads-own"), RULE, unit_id))
        if picked.choice == LEADS:
            value = picked.values[0]
            assert isinstance(value, UnitNamed), "checked against the choice"
            named = value.unit
    others = tuple(row for row in lent(game.state) if row.officer != officer)
    now = (*others, Lent(officer, named, turn)) if named else others
    if now != lent(game.state):
        yield Noted(LENT, tuple((row.officer, row.unit, row.turn) for row in now))
    if named:
        yield Declared(officer, LEADS, RULE, named)


def _suited(rules: FadRules, state: State, own: Unit) -> Iterator[Unit]:
    """Yield the other units in powered armour of a side that stand on the table."""
    for unit in state.units_of(own.side):
        if unit.id != own.id and unit.on_table and not is_vehicle(unit) and POWERED in rules.armour(unit).traits:
            yield unit


# --- words and files ------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    found = next((row for row in lent(state) if row.officer == unit.id), None)
    if found is not None and has(unit, COMMAND_SUIT):
        yield CardLine("Command suit", f"leads {state.units[found.unit].name}", RULE)


def _suits(rules: FadRules, unit: Unit) -> None:
    """Refuse Command suits of other than officers, and of other armour. Raises `RulesetError`."""
    if COMMAND_SUIT not in of(unit):
        return
    if not is_character(unit):
        raise RulesetError(f"{unit.name}: only officers wear Command suits")
    if POWERED not in rules.armour(unit).traits:
        raise RulesetError(f"{unit.name}: Command suits are powered armour")


def _admit(state: State) -> None:
    try:
        rows = lent(state)
    except ValueError:
        raise RulesetError(f"the book's {LENT} list an officer, a unit and a turn each") from None
    for row in rows:
        if not {row.officer, row.unit} <= state.units.keys():
            raise RulesetError(f"the book's {LENT} name a unit that is not there")


COMMAND_SUITS = FadModule(
    id="leading_from_afar",
    beginning=_begin,
    card=_card,
    suits=_suits,
    declares={LEADS: Declaration("leads from afar", "morale")},
    admit=_admit,
)
