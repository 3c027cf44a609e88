"""The modules of the family: what an edition plays always, or lets a match switch on. Each is a file, listed here."""

from __future__ import annotations

from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules.bots import BOTS
from server.rulesets.fad.modules.bursts import CONVERSION_GUNS
from server.rulesets.fad.modules.characters import CHARACTERS
from server.rulesets.fad.modules.command_suit import COMMAND_SUITS
from server.rulesets.fad.modules.crossfire import CROSSFIRE
from server.rulesets.fad.modules.cryostasis import STASIS
from server.rulesets.fad.modules.demolitions import DEMOLITIONS
from server.rulesets.fad.modules.gear import GEAR
from server.rulesets.fad.modules.generated_setups import GENERATED_SETUPS
from server.rulesets.fad.modules.grenades import GRENADES
from server.rulesets.fad.modules.ground_rounds import GROUND_ROUNDS
from server.rulesets.fad.modules.indirect_fire import INDIRECT_FIRE
from server.rulesets.fad.modules.losing_heart import LOSING_HEART
from server.rulesets.fad.modules.mines import MINES
from server.rulesets.fad.modules.munitions import MUNITIONS
from server.rulesets.fad.modules.noncombatants import NONCOMBATANTS
from server.rulesets.fad.modules.pinning import PINNING
from server.rulesets.fad.modules.prisoners import PRISONERS
from server.rulesets.fad.modules.recover_wounded import RECOVER_WOUNDED
from server.rulesets.fad.modules.scout import SCOUT_MODULE
from server.rulesets.fad.modules.snipers import SNIPERS
from server.rulesets.fad.modules.soldier_boys import SOLDIER_BOYS_MODULE
from server.rulesets.fad.modules.special_weapons import SPECIAL_WEAPONS
from server.rulesets.fad.modules.suits import SUITS
from server.rulesets.fad.modules.terrain_events import TERRAIN_EVENTS
from server.rulesets.fad.modules.uncontrolled import UNCONTROLLED_FORCES
from server.rulesets.fad.modules.variable_movement import VARIABLE_MOVEMENT
from server.rulesets.fad.modules.warp import WARP_GEAR
from server.rulesets.fad.modules.weapon_teams import CREWS, WEAPON_TEAMS
from server.rulesets.fad.modules.weapon_traits import WEAPON_TRAITS

MODULES: tuple[FadModule, ...] = (
    PINNING,
    CROSSFIRE,
    VARIABLE_MOVEMENT,
    RECOVER_WOUNDED,
    SNIPERS,
    SCOUT_MODULE,
    DEMOLITIONS,
    NONCOMBATANTS,
    INDIRECT_FIRE,
    WEAPON_TEAMS,
    CREWS,
    CHARACTERS,
    COMMAND_SUITS,
    SPECIAL_WEAPONS,
    CONVERSION_GUNS,
    LOSING_HEART,
    GRENADES,
    SUITS,
    SOLDIER_BOYS_MODULE,
    GEAR,
    BOTS,
    STASIS,
    PRISONERS,
    WEAPON_TRAITS,
    MUNITIONS,
    GROUND_ROUNDS,
    MINES,
    WARP_GEAR,
    UNCONTROLLED_FORCES,
    GENERATED_SETUPS,
    TERRAIN_EVENTS,
)
"""All modules, in the order in which they are asked."""
