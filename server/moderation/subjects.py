"""The subjects of sanctions: whom a ban or a mute is about.

A kind of subject is a struct here, with its name in `key` and its words in `told`; and a line in `server.gateway.moderated`,
which knows what a connection is.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class AddressSubject(Struct, frozen=True, tag="address", forbid_unknown_fields=True):
    """All who come from an address: an IPv4 address, or the IPv6 network of a household, as limits count them."""

    address: str


class SeatSubject(Struct, frozen=True, tag="seat", forbid_unknown_fields=True):
    """The player who holds a seat of a match."""

    match: str
    seat: str


class PlayerSubject(Struct, frozen=True, tag="player", forbid_unknown_fields=True):
    """The player with a key: wherever they have introduced themselves, and at every seat that is tied to the key."""

    player: str


Subject: TypeAlias = AddressSubject | SeatSubject | PlayerSubject


def key(subject: Subject) -> str:
    """Return the name of a subject, which no other one has."""
    match subject:
        case AddressSubject(address):
            return f"address:{address}"
        case SeatSubject(match, seat):
            return f"seat:{match}/{seat}"
        case PlayerSubject(player):
            return f"player:{player}"


def told(subject: Subject) -> str:
    """Return a subject in words, for the operator."""
    match subject:
        case AddressSubject(address):
            return f"the address {address}"
        case SeatSubject(match, seat):
            return f"the seat {seat} of the match {match}"
        case PlayerSubject(player):
            return f"the player with the key {player}"
