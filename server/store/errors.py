"""What can go wrong between a match and its log, as a tree.

``StoreError`` catches all of it. ``StoreUnavailable`` passes by itself; every other one is an answer about one match
and stays the same however often one asks.
"""

from __future__ import annotations

from pathlib import Path


class EmbeddedError(Exception):
    """There is no Valkey of our own, and the sentence says why."""


class StoreError(Exception):
    """Anything that the store refuses or cannot do."""


class StoreUnavailable(StoreError):  # noqa: N818 - it names a condition that passes, not a mistake
    """Redis did not answer within the time a caller may be kept waiting.

    After an append this does not say that the entry is missing: it may have been written and only the reply lost. Throw
    the scratch state away, read the log again once the store is back, and answer with the same answer id.
    """


class NoServerData(StoreError):  # noqa: N818
    """The folder that was named holds no data of an Underfire server."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"No data of an Underfire server lies in {folder}. Name the folder that its server keeps matches in, with "
            "--data-dir or UNDERFIRE_DATA_DIR."
        )
        self.folder = folder


class UnknownMatch(StoreError):  # noqa: N818
    """No match of this id was ever made here."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"There is no match {match_id}.")
        self.match_id = match_id


class MatchExists(StoreError):  # noqa: N818
    """A match of this id was made before."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"There is a match {match_id} already.")
        self.match_id = match_id


class MatchClosed(StoreError):  # noqa: N818
    """The match was archived: a tombstone stands where its log was.

    ``note`` is what was written on it, for instance the name of the file that holds the log now.
    """

    def __init__(self, match_id: str, note: bytes = b"") -> None:
        super().__init__(f"Match {match_id} is over and archived.")
        self.match_id = match_id
        self.note = note


REMOVED = b"removed"
"""What stands on the tombstone of a match that the operator has removed. The scripts know the word, too."""


class MatchRemoved(MatchClosed):
    """The operator has removed the match. Its id is taken for good."""

    def __init__(self, match_id: str) -> None:
        super().__init__(match_id, REMOVED)
        self.args = (f"The operator of this server has removed the match {match_id}.",)


def closed(match_id: str, note: bytes) -> MatchClosed:
    """Return what a tombstone with this note says of its match."""
    return MatchRemoved(match_id) if note == REMOVED else MatchClosed(match_id, note)


DAMAGED = (
    "It is left as it is, and the match cannot be opened; all others go on. To play it on, stop the server, restore its data "
    "from a backup, and start it again."
)
"""What the operator is told of a log that cannot be read."""


class LogDamaged(StoreError):  # noqa: N818
    """A log is not the versions 1, 2, 3 ... without a gap, or is shorter than it was.

    Nothing that this server writes makes such a log: somebody else has, or Redis has lost what it acknowledged.
    """

    def __init__(self, match_id: str, what: str) -> None:
        super().__init__(f"The log of match {match_id} is damaged: {what.removesuffix('.')}.")
        self.match_id = match_id
