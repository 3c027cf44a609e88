"""FAD 5's procedures for vehicles."""

from __future__ import annotations

from server.kernel.procedure import Steps
from server.rulesets.fad.chapters import Vehicles
from server.rulesets.fad.fad5.crew import check
from server.rulesets.fad.fad5.shock import AT_VEHICLES
from server.rulesets.fad.fad5.vehicle_damage import (
    BOGGED,
    IMMOBILISED,
    OUT_OF_ACTION,
    SHAKEN,
    admit,
    crippled,
    immobile,
    immobilise,
    penetrate,
    rating,
    register,
    strike,
    stuck,
)
from server.rulesets.fad.fad5.vehicle_odds import after, foretell, test
from server.rulesets.fad.fad5.vehicle_retreat import flee, vehicle_note
from server.rulesets.fad.fad5.vehicle_state import card, state, tank
from server.rulesets.fad.game import MOBILITY, QUALITY, FadGame
from server.rulesets.fad.vehicles.characteristics import PINTLE
from server.rulesets.fad.vehicles.fire_control import FIRE_CONTROL
from server.rulesets.fad.vehicles.squads import LAST_TURN, MOVED


def _assaulted(game: FadGame, vehicle: str, penetrating: int) -> Steps[None]:
    for _ in range(penetrating):
        if not game.unit(vehicle).left:
            yield from penetrate(game, vehicle, "assault.vehicle-damage")


VEHICLES = Vehicles(
    register=register,
    check=check,
    strike=strike,
    immobilise=immobilise,
    penetrate=penetrate,
    assaulted=_assaulted,
    crippled=crippled,
    stuck=stuck,
    immobile=immobile,
    rating=rating,
    state=state,
    card=card,
    odds=after,
    tank=tank,
    test=test,
    foretell=foretell,
    conditions=(IMMOBILISED, OUT_OF_ACTION, SHAKEN, BOGGED),
    notes={MOVED: LAST_TURN},
    # fad5/resolve.dismounted-crew: no Resolve, as crews that leave their vehicle leave the game
    fields={QUALITY: "qualities", MOBILITY: "mobilities", FIRE_CONTROL: "fire_controls"},
    defaults={FIRE_CONTROL: "primitive"},
    marked=(PINTLE,),
    leaving=("bailed_out",),
    wreck_rule="damage.wrecks",
    admit=admit,
    close=AT_VEHICLES,
    flee=flee,
    foretell_flight=vehicle_note,
)
