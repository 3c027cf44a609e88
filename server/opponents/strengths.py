"""The strengths of the computer opponent: how far each of them looks."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Strength(Struct, frozen=True):
    """One strength.

    Attributes:
        id: the name of the program.
        name: as players read it.
        summary: what to expect of it, as players read it.
        careless: of a hundred decisions, how many it takes without thinking.
        wobble: by how many figures at most it misjudges what it looks at.
        ways: how many ways it looks at for a unit, apart from those to where it wants to go.
        cautious: how much it minds what could be shot at it afterwards.
        detours: whether it looks for ways around what stands in its way.
    """

    id: str
    name: str
    summary: str
    careless: int
    wobble: float
    ways: int
    cautious: float
    detours: bool


RECRUIT: Final = Strength(
    "recruit",
    "Recruit",
    "Does the first thing that looks right, and often forgets about cover.",
    careless=50,
    wobble=1.5,
    ways=2,
    cautious=0.0,
    detours=False,
)
VETERAN: Final = Strength(
    "veteran",
    "Veteran",
    "Picks its targets and keeps to cover, but does not see far.",
    careless=10,
    wobble=0.5,
    ways=4,
    cautious=0.2,
    detours=False,
)
COMMANDER: Final = Strength(
    "commander",
    "Commander",
    "Weighs every way and every shot, and does not hurry into your fire.",
    careless=0,
    wobble=0.0,
    ways=10,
    cautious=0.3,
    detours=True,
)
STRENGTHS: Final = {one.id: one for one in (RECRUIT, VETERAN, COMMANDER)}
"""The strengths by the names of their programs, the weakest first."""
