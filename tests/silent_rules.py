"""Rules that no fact of a game can name, and why.

A case or a game reaches every other rule by a fact that names it; each of these has a test of its own instead, marked with it.
"""

from __future__ import annotations

FRAME = "it says in what order things happen, and what happens in it names other rules"
BARS = "it forbids something: a prompt or a refusal names it, and nothing happens"
BOUNDS = "it bounds a move: what may be drawn names it, and the move names the action"
NUMBER = "it is worked into a number or a place that names the rule asking for it"
ROWS = "it is a table, whose rows are named one by one"

SILENT: dict[str, dict[str, str]] = {
    "fad4": {
        "turn.structure": FRAME,
        "turn.alternate-activation": FRAME,
        "turn.once-per-turn": FRAME,
        "turn.leftover-units": FRAME,
        "activation.resolve-first": FRAME,
        "activation.one-action": FRAME,
        "quality.test": NUMBER,
        "resolve.infantry": NUMBER,
        "move.charge-bonus": BOUNDS,
        "move.modifiers-before-doubling": BOUNDS,
        "move.difficult-infantry": BOUNDS,
        "terrain.agreed": BOUNDS,
        "coherency.distance": BOUNDS,
        "coherency.broken": BOUNDS,
        "underfire.move-penalty": BOUNDS,
        "underfire.rush-limits": BOUNDS,
        "underfire.duration": FRAME,
        "pin.duration": FRAME,
        "shoot.when": BARS,
        "shoot.method": BARS,
        "shoot.line-of-sight": BARS,
        "shoot.fire-priority": BARS,
        "shoot.range-bands": BARS,
        "pin.no-shooting": BARS,
        "pin.no-moving": BARS,
        "pin.no-assault": BARS,
        "fire.modifier-table": ROWS,
        "assault.modifier-table": ROWS,
        "pin.table": NUMBER,
        "fire.target-under-fire": ROWS,
        "hits.half-in-cover": NUMBER,
        "assault.no-markers": BARS,
        "tech.ap-from-anti-tank": NUMBER,
    },
    "fubar4": {
        "meta.cardinal-rule": BARS,
        "dice.six-succeeds": NUMBER,
        "dice.one-fails": NUMBER,
        "turn.structure": FRAME,
        "turn.keep-until-fail": FRAME,
        "turn.to-and-fro": FRAME,
        "turn.marker": FRAME,
        "setup.more-players": FRAME,
        "fire.suppressed-cannot": BARS,
        "fire.line-of-sight": BARS,
        "fire.not-both": BARS,
        "fire.edge-of-cover": BARS,
        "fire.deep-in-cover": BARS,
        "fire.cover-blocks-sight": BARS,
        "suppress.maximum": BARS,
        "cover.movement": BOUNDS,
        "close.by-assault": BOUNDS,
        "weapon.cannon-mounts": BARS,
        "armour.no-slowing": BOUNDS,
        "armour.table": ROWS,
        "vehicle.activation": FRAME,
        "vehicle.move-soft": BOUNDS,
        "vehicle.small-arms-useless": BARS,
        "vehicle.never-suppressed": BARS,
        "measure.units": NUMBER,
    },
}
"""By edition: a rule, and why no fact names it."""
