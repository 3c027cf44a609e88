"""Indirect Artillery Fire: leaders call strikes of batteries off the table and of mortars on it."""

from __future__ import annotations

from server.rulesets.fad.calling import MayCall, TimingNeed
from server.rulesets.fad.module import Assets, FadModule, Task
from server.rulesets.fad.modules.indirect_fire import assets, calls, foretelling, spotted, words
from server.rulesets.fad.previews import luck
from server.rulesets.shared.modules import Action, Advice, Declaration, ModuleRoll

_SPOTTED = Action(key=spotted.FIRE, offer=spotted.offer, carry_out=spotted.fire, preview=foretelling.preview_spotted)

INDIRECT_FIRE = FadModule(
    id="indirect_fire",
    advisers=(Advice(MayCall, calls.may_call), Advice(TimingNeed, calls.timing)),
    tasks=(
        Task(
            key=calls.CALL,
            label="Call Fire",
            offer=calls.offer,
            ways=calls.ways,
            carry_out=calls.call,
            preview=foretelling.preview_call,
        ),
    ),
    actions=(_SPOTTED,),
    vehicle_actions=(_SPOTTED,),
    assets=Assets(assets.profile, assets.card, assets.given),
    declares={
        calls.CALL: Declaration("calls fire", "fire"),
        spotted.FIRE: Declaration("fires indirectly at a point", "fire"),
    },
    rolls={
        "timing": ModuleRoll(words.timing, luck.quality_test),
        "accuracy": ModuleRoll(words.accuracy, luck.quality_test),
        "indirect_effect": ModuleRoll(words.aimed, luck.fire_effect),
    },
)
