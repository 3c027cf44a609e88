"""Signing: the key with which the servers of a database sign, and the match files that they sign."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from server.matches import signing_key
from server.matches.log.signatures import Signature, sign, signed_as
from server.matches.signing_key import KeyFault, SigningKey
from server.store.errors import StoreError
from server.store.store import MatchStore

ROTATION = "deploy/README.md says how a key is replaced."


class OtherSigner(StoreError):  # noqa: N818 - a condition
    """The servers of this database sign with another key."""

    def __init__(self, own: bytes, known: Sequence[str]) -> None:
        if own.hex() in known:
            what = f"The key {own.hex()} was replaced: the servers of this database sign with {known[0]} now."
        else:
            what = f"The servers of this database sign with the key {known[0]}, and this one has {own.hex()}."
        super().__init__(
            f"{what} Give this server the same key file as the others, in UNDERFIRE_SIGNING_KEY_FILE. {ROTATION}"
        )


class SignerMissing(StoreError):  # noqa: N818
    """The servers of this database sign, and this process has no key."""

    def __init__(self, known: Sequence[str], file: Path | None) -> None:
        where = "this one has none" if file is None else f"there is no key in {file}"
        super().__init__(
            f"The servers of this database sign matches with the key {known[0]}, and {where}. Name its file in "
            "UNDERFIRE_SIGNING_KEY_FILE, or put it back from a backup. If it is lost, `underfire key rotate --lost` makes "
            "another one in its place."
        )


@dataclass(frozen=True)
class KeySource:
    """Where a server's key is: in a text, in a file, or (both None) nowhere."""

    text: str | None = field(default=None, repr=False)
    file: Path | None = None

    def read(self) -> SigningKey | None:
        """Read the key; None: there is none yet.

        Raises:
            KeyFault: it cannot be used.
        """
        if self.text is not None:
            # A file of environment variables cannot hold line breaks.
            return signing_key.parse(self.text.replace("\\n", "\n"), "UNDERFIRE_SIGNING_KEY")
        try:
            return None if self.file is None else signing_key.read(self.file)
        except FileNotFoundError:
            return None


class Signing:
    """Signs the matches of a store.

    Args:
        store: an open store.
        key: the key of its servers; None: they have none, and files carry only the signatures that they were imported with.
        older: public halves of the keys that were used before, the newest first.
    """

    def __init__(self, store: MatchStore, key: SigningKey | None = None, older: Sequence[bytes] = ()) -> None:
        self._store = store
        self._key = key
        self.older = tuple(older)

    @property
    def public(self) -> bytes | None:
        """The public half (32 bytes) of the key; None: there is none."""
        return None if self._key is None else self._key.public

    async def of(self, match: str, payloads: Sequence[bytes]) -> tuple[Signature, ...]:
        """Return the signatures of a match whose whole log this is.

        Raises:
            StoreError: the match's private fields cannot be read.
        """
        meta = await self._store.get_meta(match)
        return signed_as(meta, match, payloads, None if self._key is None else self._key.private)

    def of_log(self, name: str, payloads: Sequence[bytes], domain: str) -> tuple[Signature, ...]:
        """Return the signature of a whole log that servers of this store wrote; () without a key. `domain` says what it is the
        log of.
        """
        return () if self._key is None else (sign(self._key.private, name, 1, payloads, domain),)


async def open_signing(store: MatchStore, source: KeySource, role: Literal["server", "reader"] = "server") -> Signing:
    """Return the `Signing` of a store.

    Args:
        store: an open store.
        source: where the key is. A missing file is created if the store has no key yet.
        role: a server, which may create a key and registers it; or a command, which only uses the servers' key.

    Raises:
        KeyFault: the key cannot be used.
        OtherSigner: the servers of this store sign with another key.
        SignerMissing: they sign, and this process has no key.
        StoreUnavailable: the store does not answer.
    """
    # The order matters: another server that starts now creates the file before it registers the key.
    known = await store.signers()
    key = await asyncio.to_thread(source.read)
    if key is None:
        if known:
            raise SignerMissing(known, source.file)
        if source.file is None or role == "reader":
            return Signing(store)
        await asyncio.to_thread(signing_key.make, source.file, SigningKey.new())
        key = await asyncio.to_thread(source.read)
        if key is None:
            raise KeyFault(f"The key file {source.file} was made and is gone again.")
    own, older = key.public.hex(), [one.hex() for one in key.older]
    if role == "server" and known[:1] != [own]:
        known = await store.claim_signer(own, older)
    elif not known:
        return Signing(store)
    if known[0] != own:
        raise OtherSigner(key.public, known)
    return Signing(store, key, tuple(bytes.fromhex(one) for one in dict.fromkeys((*known[1:], *older))))
