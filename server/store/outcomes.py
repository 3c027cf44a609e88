"""The results of the store's calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Appended:
    """The entry is in the log, on disk, as this version."""

    version: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The log has an entry with this answer id already, as this version; nothing was appended."""

    version: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The log's last version is `current`, not the expected one; nothing was appended."""

    current: int


Outcome: TypeAlias = Appended | Duplicate | Conflict


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the store can be written and followed right now, since when (ms since 1970), and if not, why."""

    up: bool
    since_ms: int
    reason: str
    notice: str = ""
    """The sentence for players, if there is more to say than that the database is away."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A match in the index: its id and when it was made (ms since 1970)."""

    match_id: str
    made_ms: int
