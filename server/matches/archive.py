"""A match as one file: every entry, the hash of the last, and the dice secret once it is published. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.matches.log import Fold, digest

FORMAT = "underfire match 1"


class Archive(Struct, frozen=True, forbid_unknown_fields=True):
    """The file. `head` is the hash of the last entry, `secret` the dice secret (hexadecimal; "" while it is not published)."""

    format: str
    entries: tuple[bytes, ...]
    head: bytes
    secret: str


class ArchiveError(Exception):
    """Bytes that are no match file. `offset` is how many of them are in order, when that is known."""


def export(payloads: Sequence[bytes]) -> bytes:
    """The file of the match whose log these entries are. Raises `LogError` when they are no log."""
    fold = Fold(payloads[0])
    for payload in payloads[1:]:
        fold.add(payload)
    return pack(Archive(FORMAT, tuple(payloads), digest(payloads[-1]), fold.state.desk.secret))


def read(data: bytes) -> Archive:
    """The match in a file. Raises `ArchiveError`: it is none, or not one byte for byte."""
    try:
        found = unpack(data, Archive)
    except CodecError as error:
        raise ArchiveError(f"this is no match file: {error.sentence}") from error
    if found.format != FORMAT:
        raise ArchiveError(f"the file's format is {found.format!r}; this reads {FORMAT!r}")
    if pack(found) != data:
        raise ArchiveError("the file is not written the way match files are")
    return found
