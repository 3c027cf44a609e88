"""Taking a seat: who may have it, and the claim on it, in the match's private fields."""

from __future__ import annotations

from client_protocol.from_client import TakeSeat
from client_protocol.from_server import Refused, SeatTaken
from server.matches.log.secrets import Keys, claim, claimed, hashed, seat_field
from server.matches.play.seats import refusal, tidied
from server.matches.room import Room
from server.store.store import MatchStore


async def seat_taken(store: MatchStore, room: Room, message: TakeSeat, name: str) -> SeatTaken | Refused:
    """Give a free seat of a match to the player of this name, who has its invite or needs none, or return why not.

    Raises:
        StoreError: the seat cannot be claimed now.
    """
    keys = Keys(await store.get_meta(message.match))
    refused = room.no_seat(message, keys)
    if refused is not None:
        return refused
    invited = keys.invites(message.seat, message.invite)
    if message.invite and not invited:
        return Refused(message.id, "wrong_invite", "This invite is not for this seat.")
    if not invited and not room.inviting:
        return Refused(message.id, "wrong_invite", "This match is not open to all: its seats are taken with an invite.")
    if room.kept(message.seat) and message.seat not in keys.claims and (message.force is not None or not invited):
        sentence = "This seat is kept for the player whose force it is." if not invited else "Your force is set."
        return Refused(message.id, "wrong_invite" if not invited else "force", sentence)
    force = None if message.force is None else tidied(message.force)
    token = keys.token_for(message.seat, message.invite, message.id)
    if force is not None and not room.mustering and message.seat not in keys.claims:
        return Refused(message.id, "force", "Forces cannot be brought to this match any more: take the seat without.")
    if force is not None and message.seat not in keys.claims:
        refused = refusal(message.id, room.rules, force, room.options)
        if refused is not None:
            return refused
    held = await store.claim_meta(message.match, seat_field(message.seat), claim(token, name, force))
    found = claimed(held)
    if found.token != hashed(token):
        return Refused(message.id, "seat_taken", "This seat is already taken.")
    done = await room.sit_down(message.seat, found, message.id)
    if isinstance(done, Refused):
        return done
    return SeatTaken(message.id, message.match, message.seat, token)
