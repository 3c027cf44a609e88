"""Terrain events: what may come of woods, buildings and swamps when they are first reached (fad5/move.terrain-events)."""

from __future__ import annotations

from server.kernel.procedure import Steps
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules.halting import MANNERS, go
from server.rulesets.fad.modules.terrain_events import bogging, effects, happening
from server.rulesets.fad.modules.terrain_events.reaching import meets
from server.rulesets.fad.modules.terrain_events.words import ROLLS


def _begins(game: FadGame, unit: str) -> Steps[None]:
    yield from happening.try_here(game, unit)
    yield from effects.prey(game, unit)
    if not game.unit(unit).left:
        yield from bogging.get_free(game, unit)


TERRAIN_EVENTS = FadModule(
    id="terrain_events",
    goes=go,
    meets=meets,
    passed=effects.entered,
    beginning=_begins,
    concluding=bogging.forget,
    turning=effects.turn_begins,
    closes=effects.closes,
    conceals=effects.conceals,
    bars=effects.bars,
    spent=effects.spent,
    trims=effects.trims,
    withstands=effects.withstands,
    heartened=effects.heartened,
    inspect=happening.inspect,
    rolls=ROLLS,
    manners=MANNERS,
)
