"""Signatures of match files: what is signed, how that is written, and how it is checked. Pure.

A signature is Ed25519 (RFC 8032) by the key of a deployment: the servers of one database. It states that these servers wrote
the entries from `first` to `last` of a match, and that entry `last` has the hash `head`, which fixes the whole log up to
there. docs/dice.md says what a signature proves and what it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Meta, Struct

from client_protocol.codec import pack, unpack
from server.matches.log.entries import digest
from server.matches.log.finding import Wrong

DOMAIN = "underfire match signature 1"
"""The first field of the signed statement: no other signature by the key can be taken for one of a match."""
MOST = 16
"""How many signatures a file may carry: each deployment that continued the match adds one."""

OWN_FROM = "own_from"
"""The private field of a match that names the first entry which servers of this database wrote. Matches that are older than
signatures have no such field, and are not signed.
"""
BROUGHT = "brought_signatures"
"""The private field with the signatures of the file from which a match was imported."""

Number = Annotated[int, Meta(ge=1, le=1 << 32)]
Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32)]
Bytes64 = Annotated[bytes, Meta(min_length=64, max_length=64)]


class Signature(Struct, frozen=True, forbid_unknown_fields=True):
    """A signature in a file: the public half of the key, the first and the last entry that its servers wrote, the hash of the
    last one, and the signature itself.
    """

    key: Bytes32
    first: Number
    last: Number
    head: Bytes32
    signature: Bytes64


Signatures = Annotated[tuple[Signature, ...], Meta(max_length=MOST)]


def statement(match: str, first: int, last: int, head: bytes, domain: str = DOMAIN) -> bytes:
    """Return the bytes to sign: an array in MessagePack's shortest form."""
    return pack([domain, match, first, last, head])


def sign(key: Ed25519PrivateKey, match: str, first: int, payloads: Sequence[bytes], domain: str = DOMAIN) -> Signature:
    """Sign a log up to its last entry; the servers of `key` wrote it from the entry `first` on. `domain` says what it is the log
    of.
    """
    last, head = len(payloads), digest(payloads[-1])
    signed = key.sign(statement(match, first, last, head, domain))
    return Signature(key.public_key().public_bytes_raw(), first, last, head, signed)


def signed_as(
    meta: Mapping[str, bytes], match: str, payloads: Sequence[bytes], key: Ed25519PrivateKey | None
) -> tuple[Signature, ...]:
    """Return the signatures for a match's file: those that it was imported with, and this deployment's own over what its
    servers wrote. Entries that were only imported are never signed.

    Args:
        meta: the private fields of the match.
        match: the match.
        payloads: the whole log.
        key: the deployment's key; None: it has none.
    """
    brought = unpack(meta[BROUGHT], Signatures) if BROUGHT in meta else ()
    assert isinstance(brought, tuple), "the codec gives what it was asked for"
    first = int(meta.get(OWN_FROM, b"0"))
    if key is None or not 0 < first <= len(payloads):
        return brought
    return (*brought, sign(key, match, first, payloads))


def origin_fields(entries: int, brought: tuple[Signature, ...] = ()) -> dict[str, bytes]:
    """Return the private fields of a match whose first `entries` entries were imported with these signatures."""
    own = {OWN_FROM: str(entries + 1).encode()}
    return {**own, BROUGHT: pack(brought)} if brought else own


def check(signatures: Sequence[Signature], match: str, payloads: Sequence[bytes], domain: str = DOMAIN) -> None:
    """Check the signatures of a file whose hash chain is valid. Raises `Wrong` at the first invalid one."""
    before = 0
    for one in signatures:
        whose = f"the signature by {one.key.hex()}"
        if not before < one.first <= one.last:
            raise Wrong(0, f"{whose} is about entries that another one is about, or about none")
        if one.last > len(payloads):
            raise Wrong(
                0, f"{whose} is about {one.last} entries, and there are {len(payloads)}: the file was cut short"
            )
        if digest(payloads[one.last - 1]) != one.head:
            raise Wrong(one.last, f"{whose} is about another entry than this: the log was written anew")
        try:
            Ed25519PublicKey.from_public_bytes(one.key).verify(
                one.signature, statement(match, one.first, one.last, one.head, domain)
            )
        except (InvalidSignature, ValueError):
            raise Wrong(0, f"{whose} is not good: it was made for another match or log, or changed") from None
        before = one.last


def unsigned_by(signatures: Sequence[Signature], keys: Sequence[bytes], entries: int) -> tuple[int, int] | None:
    """Return the first range of entries that no signature by one of these keys covers, or None."""
    after = 0
    for one in (one for one in signatures if one.key in keys):
        if one.first > after + 1:
            return after + 1, one.first - 1
        after = one.last
    return None if after == entries else (after + 1, entries)
