"""FAD 4's procedures for vehicles."""

from __future__ import annotations

from server.rulesets.fad.chapters import Vehicles
from server.rulesets.fad.fad4.crew import check
from server.rulesets.fad.fad4.vehicle_assault import AT_VEHICLES
from server.rulesets.fad.fad4.vehicle_damage import (
    CRITICAL,
    DAMAGED,
    MOST_TOKENS,
    TOKENS,
    admit,
    assaulted,
    crippled,
    immobile,
    immobilise,
    penetrate,
    rating,
    register,
    strike,
    stuck,
)
from server.rulesets.fad.fad4.vehicle_odds import foretell, test
from server.rulesets.fad.fad4.vehicle_state import card, chances, state, tank
from server.rulesets.fad.game import MOBILITY, QUALITY, RESOLVE
from server.rulesets.fad.vehicles.retreat import flee

VEHICLES = Vehicles(
    register=register,
    check=check,
    strike=strike,
    immobilise=immobilise,
    penetrate=penetrate,
    assaulted=assaulted,
    crippled=crippled,
    stuck=stuck,
    immobile=immobile,
    rating=rating,
    state=state,
    card=card,
    odds=chances,
    tank=tank,
    test=test,
    foretell=foretell,
    conditions=(DAMAGED, CRITICAL),
    notes={TOKENS: MOST_TOKENS},
    fields={QUALITY: "qualities", RESOLVE: "resolves", MOBILITY: "mobilities"},
    leaving=("beyond_repair", "bailed_out"),
    admit=admit,
    close=AT_VEHICLES,
    flee=flee,
)
