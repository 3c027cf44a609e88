"""FAD 4's close assaults on vehicles and by vehicles: dice against the weakest armour, and a fight with a squad."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, Picked, UnitNamed
from server.kernel.procedure import Steps
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.fad.chapters import AtVehicles
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.previews.vehicles import preview_ram, preview_strike
from server.rulesets.fad.vehicles.assault import ASSAULT, BY_VEHICLE, allowed, assault_infantry, strike, victims
from server.rulesets.fad.vehicles.characteristics import armoured
from server.rulesets.shared.targets import target_choice


def _nerve(rules: FadRules, vehicle: Unit) -> tuple[int, int]:
    # fad4/assault.vehicle-nerve: none at a soft skin
    if not armoured(rules, vehicle):
        return 0, 0
    return rules.book.tables.quality_test.dice, rules.book.tables.morale.rally_passes


def _strike(game: FadGame, attacker: str, vehicle: str) -> Steps[None]:
    yield from strike(game, attacker, vehicle, charging=True)


def _charges(rules: FadRules, state: State, vehicle: str) -> Iterator[Choice]:
    if allowed(state):
        said = "Engage the Enemy: drive into infantry at cautious speed; it shoots first."
        yield target_choice(ASSAULT, "Close Assault", BY_VEHICLE, said, victims(rules, state, vehicle), BY_VEHICLE)


def _charge(game: FadGame, vehicle: str, picked: Picked) -> Steps[None]:
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    yield from assault_infantry(game, vehicle, named.unit)


def _foretell_charge(rules: FadRules, state: State, vehicle: str, target: str, _choice: str) -> Preview:
    return preview_ram(rules, state, vehicle, target)


AT_VEHICLES = AtVehicles(
    nerve=_nerve,
    strike=_strike,
    foretell=preview_strike,
    charges=_charges,
    charge=_charge,
    foretell_charge=_foretell_charge,
)
