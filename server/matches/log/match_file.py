"""A match as one file: every entry, the hash of the last, the dice secret once it is published, and who signed it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.matches.log.entries import digest
from server.matches.log.fold import Fold
from server.matches.log.signatures import Signature, Signatures

FORMAT = "underfire match 1"
SIGNED = "underfire match 2"
"""The format of a file that carries signatures; there is no other difference."""


class Archive(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The file. `head` is the hash of the last entry, `secret` the dice secret (hexadecimal; "" while it is not published).
    `signatures` are there in the format `SIGNED` alone, and at least one of them.
    """

    format: str
    entries: tuple[bytes, ...]
    head: bytes
    secret: str
    signatures: Signatures = ()


class ArchiveError(Exception):
    """Bytes that are no match file. `offset` is how many of them are in order, when that is known."""


def export(payloads: Sequence[bytes], signatures: tuple[Signature, ...] = ()) -> bytes:
    """The file of the match whose log these entries are. Raises `LogError` when they are no log."""
    fold = Fold(payloads[0])
    for payload in payloads[1:]:
        fold.add(payload)
    return written(payloads, fold.state.desk.secret, signatures)


def written(payloads: Sequence[bytes], secret: str, signatures: tuple[Signature, ...] = ()) -> bytes:
    """The file of these entries, whatever they are."""
    form = SIGNED if signatures else FORMAT
    return pack(Archive(form, tuple(payloads), digest(payloads[-1]), secret, signatures))


def read(data: bytes) -> Archive:
    """The match in a file. Raises `ArchiveError`: it is none, or not one byte for byte."""
    try:
        found = unpack(data, Archive)
    except CodecError as error:
        raise ArchiveError(f"this is no match file: {error.sentence}") from error
    if found.format not in {FORMAT, SIGNED}:
        raise ArchiveError(f"the file's format is {found.format!r}; this reads {FORMAT!r} and {SIGNED!r}")
    if (found.format == SIGNED) != bool(found.signatures):
        raise ArchiveError(f"files of the format {SIGNED!r} carry signatures, and those of {FORMAT!r} carry none")
    if pack(found) != data:
        raise ArchiveError("the file is not written the way match files are")
    return found


def salvage(data: bytes) -> tuple[list[bytes], int]:
    """What is still found of a damaged file: its entries up to the damage, and the number of the entry in which the damage
    lies (0: before or after all of them).

    It walks by hand over what `export` writes: a map of four or five, its second entry a list of byte strings.
    """
    starts = (
        head + pack("format") + pack(form) + pack("entries") for head, form in ((b"\x84", FORMAT), (b"\x85", SIGNED))
    )
    start = next((start for start in starts if data.startswith(start)), b"")
    if not start:
        return [], 0
    at = len(start)
    count, at = _length(data, at, {0xDC: 2, 0xDD: 4}, small=0x90)
    entries: list[bytes] = []
    while len(entries) < count:
        size, at = _length(data, at, {0xC4: 1, 0xC5: 2, 0xC6: 4})
        # An entry's own first byte is that of a list of six; what follows it is another entry or the head.
        if size < 0 or at + size > len(data) or data[at : at + 1] != b"\x96" or not _ends(data, at + size):
            return entries, len(entries) + 1
        entries.append(data[at : at + size])
        at += size
    return entries, 0


def _ends(data: bytes, at: int) -> bool:
    return data[at : at + 1] in {b"\xc4", b"\xc5", b"\xc6"} or data[at:].startswith(pack("head"))


def _length(data: bytes, at: int, sizes: dict[int, int], small: int = -1) -> tuple[int, int]:
    """The length that a MessagePack head at `at` declares (-1: it is another head), and where what it heads begins."""
    head = data[at] if at < len(data) else -1
    if 0 <= small <= head < small + 16:
        return head - small, at + 1
    width = sizes.get(head)
    if width is None:
        return -1, at
    return int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width
