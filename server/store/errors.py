"""The errors of the store, as a tree.

`StoreError` catches all of them. `StoreUnavailable` is temporary; every other one is a permanent answer about one match.
"""

from __future__ import annotations

from pathlib import Path


class EmbeddedError(Exception):
    """There is no embedded Valkey; the message is a sentence that says why."""


class StoreError(Exception):
    """The base of all errors of the store."""


class StoreUnavailable(StoreError):  # noqa: N818 - it names a condition that passes, not a mistake
    """Redis did not answer within the time a caller may be kept waiting.

    After an append this does not say that the entry is missing: it may have been written and only the reply lost. Discard the
    scratch state, read the log again once the store is back, and answer with the same answer id.
    """


class NoServerData(StoreError):  # noqa: N818
    """The given folder holds no data of an Underfire server."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"No data of an Underfire server lies in {folder}. Name the folder that its server keeps matches in, with "
            "--data-dir or UNDERFIRE_DATA_DIR."
        )
        self.folder = folder


class UnknownMatch(StoreError):  # noqa: N818
    """There was never a match of this id."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"There is no match {match_id}.")
        self.match_id = match_id


class MatchExists(StoreError):  # noqa: N818
    """There is a match of this id already."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"There is a match {match_id} already.")
        self.match_id = match_id


class MatchClosed(StoreError):  # noqa: N818
    """The match was archived: its log was replaced by a tombstone.

    `note` is the tombstone's value, for instance the name of the file that holds the log now.
    """

    def __init__(self, match_id: str, note: bytes = b"") -> None:
        super().__init__(f"Match {match_id} is over and archived.")
        self.match_id = match_id
        self.note = note


REMOVED = b"removed"
"""The tombstone's value for a match that the operator has removed. The scripts know the word, too."""


class MatchRemoved(MatchClosed):
    """The operator has removed the match. Its id is not reused."""

    def __init__(self, match_id: str) -> None:
        super().__init__(match_id, REMOVED)
        self.args = (f"The operator of this server has removed the match {match_id}.",)


def closed(match_id: str, note: bytes) -> MatchClosed:
    """Return the error for a match whose tombstone has this note."""
    return MatchRemoved(match_id) if note == REMOVED else MatchClosed(match_id, note)


DAMAGED = (
    "It is left as it is, and the match cannot be opened; all others go on. To play it on, stop the server, restore its data "
    "from a backup, and start it again."
)
"""What the operator reads about a log that cannot be read."""


class LogDamaged(StoreError):  # noqa: N818
    """A log is not the versions 1, 2, 3 ... without a gap, or is shorter than it was.

    This server never writes such a log: another program has, or Redis has lost what it acknowledged.
    """

    def __init__(self, match_id: str, what: str) -> None:
        super().__init__(f"The log of match {match_id} is damaged: {what.removesuffix('.')}.")
        self.match_id = match_id
