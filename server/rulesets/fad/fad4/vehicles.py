"""FAD 4's procedures for vehicles."""

from __future__ import annotations

from server.rulesets.fad.chapters import Vehicles
from server.rulesets.fad.fad4.crew import check
from server.rulesets.fad.fad4.vehicle_damage import (
    CRITICAL,
    DAMAGED,
    MOST_TOKENS,
    TOKENS,
    admit,
    assaulted,
    crippled,
    damage,
    penetrate,
    rating,
    register,
    strike,
    suffer,
)
from server.rulesets.fad.fad4.vehicle_odds import foretell, test

VEHICLES = Vehicles(
    register=register,
    check=check,
    strike=strike,
    suffer=suffer,
    assaulted=assaulted,
    crippled=crippled,
    rating=rating,
    damage=damage,
    test=test,
    foretell=foretell,
    conditions=(DAMAGED, CRITICAL),
    notes={TOKENS: MOST_TOKENS},
    admit=admit,
    penetrate=penetrate,
)
