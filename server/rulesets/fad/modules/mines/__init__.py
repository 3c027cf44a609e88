"""Minefields: markers of which some are mines, laid before the sides deploy and by rounds (fad5/adv.mines.fields)."""

from __future__ import annotations

from server.rulesets.fad.module import FadModule, Preparation, WeaponEffect
from server.rulesets.fad.modules.ground_rounds import at_a_point, foretell_unharmed, unharmed
from server.rulesets.fad.modules.halting import MANNERS, go
from server.rulesets.fad.modules.mines import laying, setting_off, spiders, words
from server.rulesets.fad.modules.mines.fields import inspect
from server.rulesets.shared.modules import Declaration

MINES = FadModule(
    id="mines",
    secretive=True,
    preparing=Preparation(laying.due, laying.prepare),
    goes=go,
    meets=setting_off.meets,
    ended=setting_off.forget,
    beginning=spiders.crawl,
    inspect=inspect,
    warns=words.warns,
    card=words.card,
    rolls=words.ROLLS,
    manners=MANNERS,
    declares={laying.SCATTERS: Declaration("lays a minefield where the round lands", "fire")},
    weapon_effects=tuple(
        WeaponEffect(
            trait=trait,
            unfit=at_a_point,
            burst=unharmed,
            landed=landed,
            foretell_burst=foretell_unharmed,
            foretell_landing=laying.foretell_landing,
            anywhere=True,
            note=note,
        )
        for trait, landed, note in (
            (
                laying.LAYS,
                laying.scatter_mines,
                "A mine and two dummies lie there afterwards; units there are unharmed.",
            ),
            (
                laying.LAYS_SPIDERS,
                laying.scatter_spiders,
                "A spider mine and two dummies lie there afterwards; units there are unharmed.",
            ),
        )
    ),
)
