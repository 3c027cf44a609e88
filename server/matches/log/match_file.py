"""Match files: every entry of a match, the hash of the last one, the dice secret once it is published, and signatures. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.matches.log.entries import digest
from server.matches.log.fold import Fold
from server.matches.log.signatures import Signature, Signatures

FORMAT = "underfire match 1"
SIGNED = "underfire match 2"
"""The format of a file with signatures; it differs in nothing else."""


class MatchFile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The content of a match file. `head` is the hash of the last entry, `secret` the dice secret (hexadecimal; "" while it
    is not published). Only the format `SIGNED` has `signatures`, at least one.
    """

    format: str
    entries: tuple[bytes, ...]
    head: bytes
    secret: str
    signatures: Signatures = ()


class MatchFileError(Exception):
    """Bytes that are not a match file. `offset` is the number of valid bytes at the beginning, if known."""


def export(payloads: Sequence[bytes], signatures: tuple[Signature, ...] = ()) -> bytes:
    """Return the file of the match with this log. Raises `LogError` if the entries are not a log."""
    fold = Fold(payloads[0])
    for payload in payloads[1:]:
        fold.add(payload)
    return written(payloads, fold.state.desk.secret, signatures)


def written(payloads: Sequence[bytes], secret: str, signatures: tuple[Signature, ...] = ()) -> bytes:
    """Return a file of these entries, without looking at them."""
    form = SIGNED if signatures else FORMAT
    return pack(MatchFile(form, tuple(payloads), digest(payloads[-1]), secret, signatures))


def read(data: bytes) -> MatchFile:
    """Return the content of a match file. Raises `MatchFileError` if the data is not one, byte for byte."""
    try:
        found = unpack(data, MatchFile)
    except CodecError as error:
        raise MatchFileError(f"this is no match file: {error.sentence}") from error
    if found.format not in {FORMAT, SIGNED}:
        raise MatchFileError(f"the file's format is {found.format!r}; this reads {FORMAT!r} and {SIGNED!r}")
    if (found.format == SIGNED) != bool(found.signatures):
        raise MatchFileError(f"files of the format {SIGNED!r} carry signatures, and those of {FORMAT!r} carry none")
    if pack(found) != data:
        raise MatchFileError("the file is not written the way match files are")
    return found


def salvage(data: bytes) -> tuple[list[bytes], int]:
    """Return what can be read of a damaged file: its entries up to the damage, and the number of the damaged entry (0: the
    damage is before or after all of them).

    It parses what `export` writes: a map of four or five keys, whose second value is a list of byte strings.
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
        # An entry's first byte is the head of a list of six; another entry or the key of the head follows it.
        if size < 0 or at + size > len(data) or data[at : at + 1] != b"\x96" or not _ends(data, at + size):
            return entries, len(entries) + 1
        entries.append(data[at : at + size])
        at += size
    return entries, 0


def _ends(data: bytes, at: int) -> bool:
    return data[at : at + 1] in {b"\xc4", b"\xc5", b"\xc6"} or data[at:].startswith(pack("head"))


def _length(data: bytes, at: int, sizes: dict[int, int], small: int = -1) -> tuple[int, int]:
    """Return the length that the MessagePack head at `at` declares (-1: it is another kind of head), and where its content
    begins.
    """
    head = data[at] if at < len(data) else -1
    if 0 <= small <= head < small + 16:
        return head - small, at + 1
    width = sizes.get(head)
    if width is None:
        return -1, at
    return int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width
