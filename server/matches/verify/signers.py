"""Who signed a file, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.matches.log.signatures import Signature, unsigned_by


def signers(signatures: Sequence[Signature], entries: int, unsigned: str, *, demanded: bool) -> list[str]:
    """Return who signed a file, which entries the signatures cover, and which they do not.

    Args:
        signatures: those of the file, all valid.
        entries: how many entries it has.
        unsigned: what a file proves that no key has signed, as a sentence.
        demanded: the keys that must have signed the file were named.
    """
    found = [f"Signed by {one.key.hex()}: its servers wrote entries {one.first} to {one.last}." for one in signatures]
    signed = unsigned_by(signatures, [one.key for one in signatures], entries)
    if not found:
        found.append(unsigned)
    elif signed is not None:
        found.append(f"Entries {signed[0]} to {signed[1]} are not signed.")
    if signatures and not demanded:
        found.append(
            "A file cannot say whose key that is: compare it with the one on your server's About page, or name that with --key."
        )
    return found
