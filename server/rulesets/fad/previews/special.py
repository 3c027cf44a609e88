"""What previews add on heavy weapons that do more than their numbers say."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.from_server import Chance
from server.kernel.space.geometry import Point
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import Shot


def special_chances(rules: FadRules, state: State, shot: Shot, hits: Mapping[int, Fraction]) -> tuple[Chance, ...]:
    """Return the chances that a shot's weapon adds, given how likely each number of hits is."""
    return tuple(
        chance
        for effect in rules.fired(state, shot)
        if effect.foretell is not None
        for chance in effect.foretell(rules, state, shot, hits)
    )


def landing_chances(rules: FadRules, state: State, weapon: str, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    """Return the chances that the weapon adds to a shell aimed at a point, given how likely it lands there."""
    return tuple(
        chance
        for effect in rules.effects(weapon)
        if effect.foretell_landing is not None
        for chance in effect.foretell_landing(rules, state, at, on_target)
    )


def special_notes(rules: FadRules, weapon: str) -> tuple[str, ...]:
    """Return the sentences that the weapon adds."""
    return tuple(effect.note for effect in rules.effects(weapon) if effect.note)
