"""Where those stand who get out of a vehicle, or bail out of it."""

from __future__ import annotations

from server.kernel.space.geometry import Outline, inches
from server.kernel.state import State
from server.rulesets.fubar.game import FubarRules
from server.rulesets.shared.free_space import SpaceRound


def space_round(rules: FubarRules, state: State, unit: str, outline: Outline) -> SpaceRound:
    """Return the free space for a unit round a hull or a wreck: clear of enemies, since only an Assault ends in contact with
    them (fubar4/close.by-assault).
    """
    enemies = [enemy.id for enemy in state.enemies_of(state.units[unit].side) if enemy.on_table]
    return SpaceRound(
        state,
        unit,
        outline,
        rules.pieces_with(state, "impassable"),
        avoid=enemies,
        clear=inches(rules.book.tables.close_combat.clear),
        clear_rule="close.by-assault",
    )
