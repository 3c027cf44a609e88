"""The dice of forces that live on: made from a secret that was fixed before, and from what the players of the battle brought.
Pure.

The league is made with the commitment to its secret. From that follows a secret for each force and battle, whose commitment is
written when the match is made; it is revealed when the steps after the battle are done, and the league's own when it is over. The
dice derive from the battle's secret and from the randomness that both players committed to and revealed in the match, so that
neither the server nor a player chooses them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from server.kernel.dice import DerivedDice, dice_context


def battle_secret(secret: bytes, fixture: int, player: str) -> bytes:
    """Return the secret of the dice after the battle of a fixture, for the force of a player."""
    return hmac.digest(secret, f"dice\0{fixture}\0{player}".encode(), hashlib.sha256)


def commitment(secret: bytes) -> str:
    """Return the commitment to a secret: its SHA-256 (hexadecimal)."""
    return hashlib.sha256(secret).hexdigest()


def dice(
    secret: bytes, league: str, fixture: int, player: str, randomness: Mapping[str, str], fallen: int
) -> DerivedDice:
    """Return the dice after a battle, of which so many have `fallen` already.

    Args:
        secret: the battle's secret, for this force.
        league: the league's id.
        fixture: the number of the fixture.
        player: the key of the force's player.
        randomness: what each seat of the match revealed.
        fallen: how many dice have fallen.
    """
    return DerivedDice(secret, dice_context(f"{league}|{fixture}|{player}", randomness), {"": fallen})
