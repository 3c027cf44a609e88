"""The codec, MessagePack in and out: the only file that imports the two libraries for it.

What comes in is decoded by type in one step (`msgspec`), so that no untyped data from outside exists: its size is checked
first, then every tag, field, number and length. What goes out, and what is stored, is packed in one step too: in a third of
the time that the reference library (`msgpack`) takes, and to the same bytes, which the tests hold it to. That library reads
what `msgspec` does not: the beginning of a message that is invalid.
"""

# ruff: noqa: N818  # the errors' names are the words of the protocol page

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import TypeVar, cast, overload

import msgpack  # type: ignore[import-untyped]  # the package publishes no types
import msgspec

from client_protocol.from_client import ClientMessage
from client_protocol.from_server import ServerMessage
from client_protocol.shapes import Id

LARGEST_INWARD = 16 * 1024
"""The most bytes of a message from a client."""

T = TypeVar("T")


class CodecError(Exception):
    """Invalid bytes. `code` is for programs, `sentence` for people, `id` is the message's own, or "" if it cannot be read."""

    code = "malformed"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.id = ""


class TooLarge(CodecError):
    """The message has more bytes than are allowed; it was not decoded."""

    code = "too_large"


class TooDeep(CodecError):
    """Maps and arrays are nested deeper than in any message."""

    code = "too_deep"


class Malformed(CodecError):
    """The bytes are not MessagePack, or end too early or too late."""

    code = "malformed"


class UnknownType(CodecError):
    """The message's `type` is unknown."""

    code = "unknown_type"


class NotAllowed(CodecError):
    """It is MessagePack, but a field is missing, unknown, of the wrong type, or out of its bounds."""

    code = "invalid"


_ordered = msgspec.msgpack.Encoder(order="deterministic")


@cache
def _decoder(kind: Hashable) -> msgspec.msgpack.Decoder[object]:
    return msgspec.msgpack.Decoder(cast("type[object]", kind))


# Tuples are the wire's lists; a mapping is sent in the order of its keys, so that equal structs are equal bytes.
def plain(value: object) -> object:
    """Return a struct as maps, lists, texts and numbers; keys in a fixed order, so that equal structs give equal results."""
    return cast("object", msgspec.to_builtins(value, builtin_types=(bytes,), order="deterministic"))


def typed(value: object, kind: type[T]) -> T:
    """Return maps, lists, texts and numbers as a struct of the type `kind`.

    Raises:
        NotAllowed: they do not fit the type.
    """
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise NotAllowed(_sentence(error)) from None


def as_stored(value: T) -> T:
    """Return a struct as it comes back when it was packed: equal, and with its maps in the order of their keys."""
    return cast("T", _decoder(cast("Hashable", type(value))).decode(_ordered.encode(value)))


def pack(value: object) -> bytes:
    """Return a struct as MessagePack: equal structs give equal bytes."""
    return _ordered.encode(value)


@overload
def unpack(data: bytes, kind: type[T]) -> T: ...
@overload
def unpack(data: bytes, kind: Hashable) -> object: ...
def unpack(data: bytes, kind: object) -> object:
    """Return MessagePack as a value of the type `kind` (a struct, or a union of tagged structs).

    Raises:
        CodecError: one of its subclasses, saying what is wrong.
    """
    try:
        return _decoder(kind).decode(data)
    except RecursionError:
        raise TooDeep("The message is nested too deeply.") from None
    except msgspec.ValidationError as error:
        if str(error).endswith("at `$.type`"):
            raise UnknownType("There is no message of this type.") from None
        raise NotAllowed(_sentence(error)) from None
    except (msgspec.DecodeError, ValueError, OverflowError):
        # msgspec.DecodeError is a ValueError, as are texts that are not UTF-8; both say the same to a player.
        raise Malformed("The bytes are not well-formed MessagePack.") from None


def _sentence(error: Exception) -> str:
    return f"The message does not fit: {str(error)[:160]}."


def _id_in(data: bytes) -> str:
    """Return the id of an invalid message; "" if it has no readable and valid id.

    The message is parsed only up to its id: what follows may be anything.
    """
    unpacker = msgpack.Unpacker(max_buffer_size=LARGEST_INWARD)
    try:
        unpacker.feed(data)
        for _ in range(unpacker.read_map_header()):
            if unpacker.unpack() == "id":
                return msgspec.convert(unpacker.unpack(), Id)
            unpacker.skip()
    except (ValueError, msgpack.UnpackException):
        pass
    return ""


def decode_client(data: bytes) -> ClientMessage:
    """Decode a message from a client.

    Raises:
        CodecError: one of its subclasses, saying what is wrong, with the message's id. The message has had no effect.
    """
    if len(data) > LARGEST_INWARD:
        raise TooLarge(f"A message may have at most {LARGEST_INWARD} bytes; this one has {len(data)}.")
    try:
        return cast("ClientMessage", unpack(data, ClientMessage))
    except CodecError as error:
        error.id = _id_in(data)
        raise


def decode_server(data: bytes) -> ServerMessage:
    """Decode a message from the server, for clients.

    Raises:
        CodecError: the server speaks another protocol.
    """
    return cast("ServerMessage", unpack(data, ServerMessage))


encode: Callable[[ClientMessage | ServerMessage], bytes] = pack
"""Encodes a message of the wire."""
