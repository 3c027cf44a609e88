"""Dispatch: passes a message to the part of the match that handles it, if its sender may send it."""

from __future__ import annotations

from typing import TypeAlias

from client_protocol.from_client import (
    Answer,
    AskAdvice,
    AskLuckReport,
    AskPreview,
    AskWhatIf,
    CheckHead,
    Claim,
    CommitRandomness,
    Concede,
    ExportCase,
    ExportSetup,
    ExportText,
    Look,
    MakeOffer,
    Order,
    Recall,
    Replay,
    Report,
    Respond,
    RevealRandomness,
    Say,
    TakeBack,
)
from client_protocol.from_server import Refused, ServerMessage
from server.gateway.rooms import Room
from server.kernel.belief import Audience

Settling: TypeAlias = TakeBack | MakeOffer | Respond | Concede | Claim
SeatMessage: TypeAlias = (
    CommitRandomness | RevealRandomness | Answer | AskPreview | AskAdvice | AskWhatIf | Order | Settling
)
Files: TypeAlias = ExportSetup | ExportText | ExportCase
RoomMessage: TypeAlias = SeatMessage | CheckHead | Look | Recall | Replay | AskLuckReport | Files | Say | Report


async def reply_in(room: Room, audience: Audience, name: str, message: RoomMessage) -> ServerMessage:
    """Handle a message in a match, and return the reply; `name` is a spectator's name, or ""."""
    if isinstance(audience, str) and isinstance(message, SeatMessage):
        return await _reply_to_seat(room, audience, message)
    match message:
        case Look():
            return room.queries.look(audience, message)
        case CheckHead():
            return await room.check_head(message)
        case Recall():
            return await room.queries.recall(audience, message)
        case ExportSetup() | ExportText() | ExportCase():
            return await _file(room, audience, message)
        case Replay():
            return await room.queries.replay(audience, message)
        case AskLuckReport():
            return await room.queries.luck_report(message)
        case Say():
            return await room.say(audience, name, message)
        case Report():
            return await room.report(audience, message)
    return Refused(message.id, "no_seat", "You are watching: only a seat can do that.")


async def _file(room: Room, audience: Audience, message: Files) -> ServerMessage:
    """Return a file of a match."""
    match message:
        case ExportSetup():
            return room.queries.export_setup(audience, message)
        case ExportText():
            return await room.queries.export_text(audience, message)
        case ExportCase():
            return await room.queries.export_case(audience, message)


async def _reply_to_seat(room: Room, seat: str, message: SeatMessage) -> ServerMessage:
    """Handle a message that only a seat may send."""
    match message:
        case Answer():
            return await room.answer(seat, message)
        case AskPreview():
            return await room.queries.preview(seat, message)
        case AskAdvice():
            return await room.queries.advice(seat, message)
        case AskWhatIf():
            return await room.queries.what_if(seat, message)
        case Order():
            return await room.order(seat, message)
        case TakeBack() | MakeOffer() | Respond() | Concede() | Claim():
            return await room.settle_on_desk(seat, message)
        case CommitRandomness():
            return await room.commit(seat, message)
        case RevealRandomness():
            return await room.reveal(seat, message)
