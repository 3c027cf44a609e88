"""Moving along declared paths: straight to their ends, or as the match lets things happen on the way."""

from __future__ import annotations

from server.kernel.march import march
from server.kernel.procedure import Steps
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.module import Going


def past_all(game: FadGame, going: Going) -> Steps[None]:
    """Move a unit along its paths to their ends, whatever it could meet there; then do what the match has for those who have gone
    so.
    """
    began = game.unit(going.unit)
    yield from march(game, going.unit, going.paths, going.manner, going.rule, facing=going.facing)
    for hook in game.rules.passed(game.state):
        yield from hook(game, began, going, 1.0)


def along(game: FadGame, going: Going) -> Steps[None]:
    """Move a unit along its paths."""
    goes = game.rules.goes(game.state)
    if goes is None:
        yield from march(game, going.unit, going.paths, going.manner, going.rule, facing=going.facing)
    else:
        yield from goes(game, going)
