"""The private fields of a match: the dice secret, and the hashes of seat tokens and invites. Pure.

Tokens and invites themselves are never stored. A seat is claimed by writing its field, which the store allows once.
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
"""A message id of at least this many characters counts as random."""


def new_token() -> str:
    """Return a new token or invite that cannot be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> bytes:
    """Return the hash of a token or invite that is stored. They are random, so a plain hash reveals nothing."""
    return hashlib.sha256(token.encode()).hexdigest().encode()


class Claim(Struct, frozen=True):
    """A taken seat: the hash of its token, the player's name, and the force that they brought (None: none)."""

    token: bytes
    name: str
    force: Force | None = None


def claim(token: str, name: str, force: Force | None = None) -> bytes:
    """Return the value of a taken seat's field. `name` is cleaned: it has no NUL in it."""
    held = hashed(token) + b" " + name.encode()
    return held if force is None else held + b"\0" + pack(force)


def claimed(held: bytes) -> Claim:
    """Return the claim in a taken seat's field."""
    token, _, rest = held.partition(b" ")
    name, brought, force = rest.partition(b"\0")
    return Claim(token, name.decode(), unpack(force, Force) if brought else None)


def seat_field(seat: str) -> str:
    """Return the name of a taken seat's field."""
    return f"token:{seat}"


def webhook_field(seat: str) -> str:
    """Return the name of the field with what a seat wants to be sent when a decision waits."""
    return f"webhook:{seat}"


def invite_field(seat: str) -> str:
    """Return the name of the field with a seat's invite."""
    return f"invite:{seat}"


PLAYERS = "players"
"""The private field from which follow the tokens that players get by their keys: thirty-two random bytes."""


class Secrets:
    """The private fields of one match, as they were read last; shared by those who need them."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys


class Keys:
    """The private fields of a match, decoded."""

    def __init__(self, meta: Mapping[str, bytes]) -> None:
        self.secret = meta["secret"]
        self._players = meta.get(PLAYERS, b"")
        self.webhooks: dict[str, bytes] = {}
        """What the seats want to be sent when a decision waits, packed."""
        self.claims: dict[str, Claim] = {}
        self._invites: dict[str, bytes] = {}
        for field, value in meta.items():
            kind, _, seat = field.partition(":")
            if kind == "token":
                self.claims[seat] = claimed(value)
            elif kind == "invite":
                self._invites[seat] = value
            elif kind == "webhook" and value:
                self.webhooks[seat] = value

    def seat_of(self, token: str) -> str | None:
        """Return the seat that `token` belongs to, or None."""
        given = hashed(token)
        found = [seat for seat, known in self.claims.items() if hmac.compare_digest(known.token, given)]
        return found[0] if found else None

    def players_token(self, seat: str, key: str) -> str:
        """Return the token by which the holder of `key` enters a seat that is tied to it; "" if none is in this match."""
        if not self._players:
            return ""
        words = f"player's token\0{seat}\0{key}".encode()
        return hmac.digest(self._players, words, hashlib.sha256).hex()[: 2 * TOKEN_BYTES]

    def tied_seat_of(self, token: str, tied: Mapping[str, str]) -> str | None:
        """Return the seat that a player's token belongs to, of those that are tied to keys, or None."""
        found = [
            seat
            for seat, key in tied.items()
            if self._players and hmac.compare_digest(self.players_token(seat, key).encode(), token.encode())
        ]
        return found[0] if found else None

    def invites(self, seat: str, invite: str) -> bool:
        """Return whether `invite` is the one for `seat`."""
        known = self._invites.get(seat)
        return known is not None and hmac.compare_digest(known, hashed(invite))

    def token_for(self, seat: str, invite: str, id_: str) -> str:
        """Return the token for the player who takes `seat`: the same one if the same message is sent again because its answer
        was lost.

        Only an id that cannot be guessed identifies the sender; with a short id, every try gets another token.
        """
        if len(id_) < LONG_ID:
            return new_token()
        words = f"{seat}\0{invite}\0{id_}".encode()
        return hmac.digest(self.secret, b"seat token\0" + words, hashlib.sha256).hex()[: 2 * TOKEN_BYTES]
