"""Positions in which squads fight hand to hand and break sooner than in the scenario."""

from __future__ import annotations

import random
from collections.abc import Mapping

from client_protocol.shapes import OptionValue
from server.kernel.state import State
from tests.rulesets.fad4 import wild


def position(chance: random.Random, options: Mapping[str, OptionValue]) -> State:
    """Return a position as in FAD 4's random games: squads of every kind, 8 to 12 inches apart."""
    return wild.position(chance, options, "fad5")
