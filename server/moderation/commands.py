"""The commands that an operator gives to a running server, and its replies: what `underfire admin` and the gateway say to each
other, as JSON.

A command travels in a header of a request without a body, as the server reads no bodies of requests.
"""

from __future__ import annotations

import json
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from client_protocol.from_server import MatchSummary
from server.matches.overview import Row
from server.moderation.sanctions import Kind, Sanction
from server.moderation.subjects import Subject

PATH = "/admin"
"""The address of commands on a server."""
HEADER = "Underfire-Command"
"""The header that holds a command."""

MatchId: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]
Why: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500)]
Span: TypeAlias = Annotated[int, Meta(ge=0, le=100 * 365 * 86_400)]


class List(Struct, frozen=True, tag="list", forbid_unknown_fields=True):
    """List the newest matches, at most `most`."""

    most: Annotated[int, Meta(ge=1, le=1000)] = 50


class Inspect(Struct, frozen=True, tag="inspect", forbid_unknown_fields=True):
    """Tell more of a match, and who is connected to it at this server."""

    match: MatchId


class Close(Struct, frozen=True, tag="close", forbid_unknown_fields=True):
    """End a match, for a reason that its players read."""

    match: MatchId
    why: Why


class Impose(Struct, frozen=True, tag="impose", forbid_unknown_fields=True):
    """Ban or mute a subject for so many seconds (0: without an end)."""

    kind: Kind
    subject: Subject
    seconds: Span = 0


class Lift(Struct, frozen=True, tag="lift", forbid_unknown_fields=True):
    """Lift a ban or a mute."""

    kind: Kind
    subject: Subject


class Bans(Struct, frozen=True, tag="bans", forbid_unknown_fields=True):
    """List the bans and mutes."""


class Drain(Struct, frozen=True, tag="drain", forbid_unknown_fields=True):
    """Take no new connections at this server, send those that are open to other ones, and end."""


Command: TypeAlias = List | Inspect | Close | Impose | Lift | Bans | Drain


class Present(Struct, frozen=True):
    """A connection to a match: its seat ("": a spectator, called `name`), and its address."""

    seat: str
    name: str
    address: str


class Done(Struct, frozen=True, tag="done"):
    """The command was carried out; the sentence says what was done."""

    sentence: str


class Failed(Struct, frozen=True, tag="failed"):
    """The command was not carried out; the sentence says why."""

    sentence: str


class Listed(Struct, frozen=True, tag="listed"):
    """The newest matches, as the list knows them."""

    matches: tuple[MatchSummary, ...]


class Inspected(Struct, frozen=True, tag="inspected"):
    """A match, and who is connected to it at this server."""

    row: Row
    present: tuple[Present, ...]


class Sanctioned(Struct, frozen=True, tag="sanctioned"):
    """The bans and mutes that hold, the newest first."""

    sanctions: tuple[Sanction, ...]


Reply: TypeAlias = Done | Failed | Listed | Inspected | Sanctioned

_COMMANDS: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_REPLIES: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)


def header_of(command: Command) -> str:
    """Return a command as the value of its header: JSON, in which other characters than those of ASCII are escaped."""
    return json.dumps(msgspec.to_builtins(command))


def command_in(header: str) -> Command:
    """Return the command in a header.

    Raises:
        msgspec.DecodeError: there is none.
    """
    return _COMMANDS.decode(header.encode("utf-8", "replace"))


def reply_in(body: bytes) -> Reply:
    """Return the reply in a response.

    Raises:
        msgspec.DecodeError: there is none.
    """
    return _REPLIES.decode(body)
