"""The programs that can play a seat, by name. A match's `programs` name one for each seat that no person plays."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from msgspec import Struct

from client_protocol.choices import Picked
from server.kernel.answers.check import Asked, check
from server.kernel.answers.sampling import sample
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.opponents.policy import decide
from server.opponents.strengths import STRENGTHS, Strength

Answer = Callable[[Ruleset, State, Asked, str, str], Picked]
"""Returns a legal answer: of the rules, the state as the seat may know it, what it is asked, the seat, and a seed."""


class Program(Struct, frozen=True):
    """A program: its name in messages, its name and a sentence for players, and how it answers. One that is not `offered` plays
    only in simulations.
    """

    id: str
    name: str
    summary: str
    answer: Answer
    offered: bool = True


def at_random(_rules: Ruleset, believed: State, asked: Asked, _seat: str, seed: str) -> Picked:
    """Return an answer drawn by chance; the default if the one that was drawn is not legal."""
    picked = sample(believed, asked, random.Random(seed))
    return picked if check(believed, asked, picked) is None else asked.default


def _by_strength(strength: Strength, rules: Ruleset, believed: State, asked: Asked, seat: str, seed: str) -> Picked:
    return decide(rules, believed, asked, seat, strength, seed)


RANDOM: Final = "random"
PROGRAMS: Final[Mapping[str, Program]] = {
    RANDOM: Program(RANDOM, "Random", "Does anything that is legal.", at_random, offered=False),
    **{
        key: Program(key, strength.name, strength.summary, partial(_by_strength, strength))
        for key, strength in STRENGTHS.items()
    },
}
"""All programs by name."""
