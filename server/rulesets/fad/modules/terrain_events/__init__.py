"""Terrain events: what may come of woods, buildings and swamps when they are first reached (fad5/move.terrain-events)."""

from __future__ import annotations

from server.kernel.procedure import Steps
from server.kernel.state import State
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules.halting import MANNERS, go
from server.rulesets.fad.modules.terrain_events import bogging, effects, happening
from server.rulesets.fad.modules.terrain_events.reaching import meets
from server.rulesets.fad.modules.terrain_events.words import ROLLS


def _begins(game: FadGame, unit: str) -> Steps[None]:
    yield from effects.forget(game, unit)
    yield from happening.try_here(game, unit)
    yield from effects.prey(game, unit)
    if not game.unit(unit).left:
        yield from bogging.get_free(game, unit)


def _inspect(rules: FadRules, state: State) -> None:
    happening.inspect(rules, state)
    effects.inspect(state)


TERRAIN_EVENTS = FadModule(
    id="terrain_events",
    goes=go,
    meets=meets,
    passed=effects.entered,
    beginning=_begins,
    concluding=bogging.forget,
    ended=effects.forget,
    turning=effects.turn_begins,
    closes=effects.closes,
    conceals=effects.conceals,
    bars=effects.bars,
    spent=effects.spent,
    trims=effects.trims,
    withstands=effects.withstands,
    heartened=effects.heartened,
    inspect=_inspect,
    rolls=ROLLS,
    manners=MANNERS,
)
