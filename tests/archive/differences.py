"""The recorded games whose steps come out differently after a rule was corrected: by game, the entries and the reason."""

from __future__ import annotations

_FLAGS: dict[str, tuple[int, ...]] = {
    "terrain.agreed: scenarios' terrain has lost the flags that said what vehicles may enter, of which there are none": (
        1,
    )
}

_SENTENCES = "setup.victory: the sentence that tells why a side wins speaks of sides"

DIFFERENCES: dict[str, dict[str, tuple[int, ...]]] = {
    "fubar4/hedges-brought": {_SENTENCES: (104,)},
    "fubar4/hedges-brought-typed": {_SENTENCES: (94,)},
    "fubar4/hedges-forked": {_SENTENCES: (48,)},
    "fubar4/hedges-taken-back": {
        "close.move-in: figures step up around what is in the way, not only straight": (75,),
        _SENTENCES: (88,),
    },
    "fubar4/position-typed": {_SENTENCES: (74,)},
    "fad4/crossroads-taken-back": _FLAGS,
    "fad4/relay-timed": _FLAGS,
    "fad4/relay-went-on": _FLAGS,
    "fad4/ridge-conceded": _FLAGS,
    "fad4/position": {"resolve.infantry: a squad that its losses do not break any more is no longer Broken": (14,)},
    "fad4/position-typed": {
        "tech.weapon-tables: figures that a stunner takes out are stunned, and can be captured": (41,)
    },
    "fad5/inn-timed": {"scenario.appendices-are-optional: The Ferry Inn's forces were evened out": (1,)},
    "fad5/strip-went-on": {
        "scenario.appendices-are-optional: Salt Pan Strip's forces and places were evened out": (1,)
    },
    "fubar4/roadblock-by-letter": {
        "setup.victory: The Roadblock's garrison begins behind the village, and the road out is the crossroads": (1,),
        _SENTENCES: (206,),
    },
    "fubar4/position": {
        "action.walk: a unit that is stopped among others moves to the nearest free space, which sampling missed": (47,)
    },
}
"""By game: why its steps come out differently today, and the numbers of their entries. Each line is a rule that was corrected
after the game was recorded; any other difference is a fault of the rules.
"""


def known(game: str) -> list[int]:
    """Return the entries of a game that are known to come out differently, in order."""
    return sorted(entry for entries in DIFFERENCES.get(game, {}).values() for entry in entries)
