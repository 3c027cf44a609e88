"""What only the server knows of a match: the dice secret, and the hashes of seat tokens and invites. Pure.

Tokens and invites themselves are never stored. A seat is taken by claiming its field, which the store gives to one only.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping

from msgspec import Struct

from client_protocol.codec import pack, unpack
from client_protocol.forces import Force

TOKEN_BYTES = 24
"""Random bytes of a token or invite: 192 bits."""
LONG_ID = 16
"""A message id of so many characters is taken for a random one."""


def new_token() -> str:
    """A token or invite that nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> bytes:
    """What is stored of a token or invite. They are random, so that a plain hash gives nothing away."""
    return hashlib.sha256(token.encode()).hexdigest().encode()


class Claim(Struct, frozen=True):
    """A seat that is taken: the hash of its token, who sits there, and the force that was brought along (None: none)."""

    token: bytes
    name: str
    force: Force | None = None


def claim(token: str, name: str, force: Force | None = None) -> bytes:
    """What the field of a taken seat holds. `name` is tidy: it has no NUL in it."""
    held = hashed(token) + b" " + name.encode()
    return held if force is None else held + b"\0" + pack(force)


def claimed(held: bytes) -> Claim:
    """The claim in the field of a taken seat."""
    token, _, rest = held.partition(b" ")
    name, brought, force = rest.partition(b"\0")
    return Claim(token, name.decode(), unpack(force, Force) if brought else None)


def seat_field(seat: str) -> str:
    """The field of a seat that is taken."""
    return f"token:{seat}"


def invite_field(seat: str) -> str:
    """The field of a seat's invite."""
    return f"invite:{seat}"


class Secrets:
    """What only the server knows of one match, as it was read last: shared by those who need it."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys


class Keys:
    """The private fields of a match, read."""

    def __init__(self, meta: Mapping[str, bytes]) -> None:
        self.secret = meta["secret"]
        self.claims: dict[str, Claim] = {}
        self._invites: dict[str, bytes] = {}
        for field, value in meta.items():
            kind, _, seat = field.partition(":")
            if kind == "token":
                self.claims[seat] = claimed(value)
            elif kind == "invite":
                self._invites[seat] = value

    def seat_of(self, token: str) -> str | None:
        """The seat that `token` belongs to."""
        given = hashed(token)
        found = [seat for seat, known in self.claims.items() if hmac.compare_digest(known.token, given)]
        return found[0] if found else None

    def invites(self, seat: str, invite: str) -> bool:
        """Whether `invite` is the one for `seat`."""
        known = self._invites.get(seat)
        return known is not None and hmac.compare_digest(known, hashed(invite))

    def token_for(self, seat: str, invite: str, id_: str) -> str:
        """The token for whoever takes `seat`: the same when the same message comes again because its answer was lost.

        Only an id that nobody can guess makes the message one's own; with a short one, every try gets another token.
        """
        if len(id_) < LONG_ID:
            return new_token()
        words = f"{seat}\0{invite}\0{id_}".encode()
        return hmac.digest(self.secret, b"seat token\0" + words, hashlib.sha256).hex()[: 2 * TOKEN_BYTES]
