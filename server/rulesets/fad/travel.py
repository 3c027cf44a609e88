"""Going along declared paths: to their ends, or as far as the rules of the match let a move come."""

from __future__ import annotations

from client_protocol.choices import PathsDeclared, Value
from server.kernel.march import Paths
from server.kernel.procedure import Steps
from server.kernel.space.geometry import inches_text
from server.kernel.state import State
from server.rulesets.fad import rushed
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.going import along
from server.rulesets.fad.module import Going
from server.rulesets.fad.movement import CHARGE, LEAP, MOVE, RUSH, allowance, set_out

WANTED = (MOVE, RUSH)
"""The manners of moves that a unit's player wants. He need not go anywhere with them."""


def go(game: FadGame, unit: str, paths: Value, manner: str, rule: str, target: str = "") -> Steps[None]:
    """Move `unit` along the paths that its owner declared. A charge or a leap names the unit that is assaulted."""
    assert isinstance(paths, PathsDeclared), "checked against the choice"
    yield from set_out(game, unit, paths)
    yield from cover(game, unit, paths.paths, manner, rule, target)
    if game.unit(unit).left:
        # It has met its end on the way.
        return
    if manner == RUSH:
        yield from rushed.note(game, unit)
    if not target and manner in WANTED:
        yield from arrive(game, unit)


def cover(game: FadGame, unit: str, paths: Paths, manner: str, rule: str, target: str = "") -> Steps[None]:
    """Take `unit` along its paths as far as it comes."""
    travel = game.rules.travel(game.state)
    if manner == LEAP:
        # fad4/transport.disembark, fad5/transport.disembark-assault: the bonus of a charge, for which no dice are rolled
        far = allowance(game.rules, game.state, unit, LEAP).value
        yield from along(game, Going(unit=unit, paths=paths, manner=CHARGE, rule=rule, target=target, limit=far))
    elif travel is None:
        yield from along(game, Going(unit=unit, paths=paths, manner=manner, rule=rule, target=target))
    else:
        yield from travel.go(game, unit, paths, manner, rule, target)


def arrive(game: FadGame, unit: str) -> Steps[None]:
    """Do what the modules of the match have when a unit has ended a move that its player wanted."""
    for hook in game.rules.arrived(game.state):
        if not game.unit(unit).left:
            yield from hook(game, unit)


def intent(rules: FadRules, state: State, unit: str, manner: str) -> str:
    """Return what a choice says of a move that may come less far than it is drawn, as a sentence with a space before it; "" in
    other matches.
    """
    travel = rules.travel(state)
    if travel is None or manner == LEAP:
        return ""
    pace = travel.pace(rules, state, unit, manner)
    return f" Draw where it is heading; then {pace.dice} {_plus(pace.certain.value)} says how far it comes."


def _plus(certain: int) -> str:
    return f"+ {inches_text(certain)}" if certain >= 0 else f"- {inches_text(-certain)}"
