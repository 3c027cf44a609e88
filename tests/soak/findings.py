"""What an audit compared, and what it found to be wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Audited:
    """What was compared, by name, and what was found to be wrong: `lost` and `doubled` count what was acknowledged or shown and
    is not in the log, and what is there twice.
    """

    compared: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0

    def add(self, other: Audited) -> None:
        """Count these too."""
        self.compared.update(other.compared)
        self.wrong += other.wrong
        self.lost += other.lost
        self.doubled += other.doubled


def called(audience: str) -> str:
    """An audience in words."""
    return audience or "spectators"
