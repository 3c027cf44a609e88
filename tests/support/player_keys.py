"""Keys of players in tests."""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from client_protocol.from_client import Introduce, TieSeat
from client_protocol.statements import player_statement, seat_statement


@dataclass(frozen=True)
class PlayerKey:
    """A player's key, made of a number."""

    number: int

    @property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(bytes([self.number]) * 32)

    @property
    def key(self) -> str:
        """Its public half."""
        return self._private.public_key().public_bytes_raw().hex()

    def sign(self, statement: bytes) -> bytes:
        """Its signature on a statement."""
        return self._private.sign(statement)

    def tie(self, match: str, seat: str, name: str, id_: str = "tie-seat-1") -> TieSeat:
        """The message that ties a seat to it."""
        return TieSeat(id_, self.key, self._private.sign(seat_statement(match, seat, name)).hex())

    def introduce(self, challenge: str, name: str, id_: str = "1") -> Introduce:
        """The message by which its holder is introduced."""
        return Introduce(id_, self.key, name, self._private.sign(player_statement(challenge, name)).hex())


ADA, BO = PlayerKey(1), PlayerKey(2)
