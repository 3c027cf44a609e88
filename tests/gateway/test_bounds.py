"""Everything that comes from outside has its bounds: read off the types, tried at them, and sent through the gateway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgpack  # type: ignore[import-untyped]
import pytest
from msgspec import inspect

from client_protocol import codec
from client_protocol.from_client import AskWhatIf, CheckSetup, ClientMessage, GhostPlaces, Ping, Upload
from client_protocol.from_server import Accepted, Goodbye, Pong, Refused, SetupChecked, WhatIf
from tests.gateway.conftest import Connect
from tests.gateway.fakes import BLUE, FakeRooms
from tests.gateway.samples import KINDS, sample

Kind = type[ClientMessage]
# The protocol's number is compared with the one there is, and no more is made of it.
FREE = {"EnterLobby.protocol", "EnterMatch.protocol"}


def packed(value: object) -> bytes:
    return cast("bytes", msgpack.packb(value, use_bin_type=True))


def leaves(info: inspect.Type, path: str, above: tuple[type, ...] = ()) -> Iterator[tuple[str, inspect.Type]]:
    """Every type that is met on the way into a message, and where."""
    yield path, info
    match info:
        case inspect.StructType():
            if info.cls not in above:
                for field in info.fields:
                    yield from leaves(field.type, f"{path}.{field.name}", (*above, info.cls))
        case inspect.UnionType():
            for kind in info.types:
                yield from leaves(kind, path, above)
        case inspect.VarTupleType() | inspect.ListType():
            yield from leaves(info.item_type, f"{path}[]", above)
        case inspect.TupleType():
            for kind in info.item_types:
                yield from leaves(kind, f"{path}[]", above)
        case inspect.DictType():
            yield from leaves(info.key_type, f"{path}{{key}}", above)
            yield from leaves(info.value_type, f"{path}{{}}", above)


def bounded(info: inspect.Type) -> bool:
    """Whether what is of this type can only be so large."""
    match info:
        case inspect.StrType():
            return info.max_length is not None or info.pattern is not None
        case inspect.IntType():
            return info.ge is not None and info.le is not None
        case inspect.BytesType() | inspect.VarTupleType() | inspect.ListType() | inspect.DictType():
            return info.max_length is not None
        case inspect.StructType():
            # Of a struct that lets unknown fields pass one could send anything.
            return info.forbid_unknown_fields
        case inspect.AnyType() | inspect.FloatType() | inspect.RawType():
            return False
    return True


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_that_a_client_sends_is_bounded(kind: Kind) -> None:
    unbounded = {path for path, info in leaves(inspect.type_info(kind), kind.__name__) if not bounded(info)}
    assert unbounded - FREE == set()


def beyond(info: inspect.Type) -> list[object]:
    """Values just beyond what the type allows, and of other types."""
    match info:
        case inspect.IntType(ge=int(least), le=int(most)):
            return [least - 1, most + 1, "1", 1.5]
        case inspect.StrType(pattern=str()):
            return ["0" * 63, "0" * 65, "G" * 64, "A" * 64, 1]
        case inspect.StrType(max_length=int(most)):
            return ["x" * (most + 1), 1, *(["x" * (info.min_length - 1)] if info.min_length else [])]
        case inspect.BytesType(max_length=int(most)):
            return [bytes(most + 1), 7, *([bytes(info.min_length - 1)] if info.min_length else [])]
        case inspect.VarTupleType(max_length=int(most)):
            return [[{}] * (most + 1), {}]
        case inspect.DictType(max_length=int(most)):
            return [{str(number): {} for number in range(most + 1)}, []]
        case inspect.LiteralType():
            return ["surprise"]
        case inspect.BoolType():
            return [1, "true"]
        case inspect.StructType():
            return [{"surprise": 1}, []]
    return []


def misfits(kind: Kind) -> Iterator[tuple[str, dict[str, object]]]:
    """Messages of a kind of which one field is out of bounds, and which."""
    honest = cast("dict[str, Any]", codec.plain(sample(kind)))
    for field in cast("inspect.StructType", inspect.type_info(kind)).fields:
        for of in field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,):
            for value in beyond(of):
                yield f"{kind.__name__}.{field.name}", {**honest, field.encode_name: value}


MISFITS = [pytest.param(message, id=name) for kind in KINDS for name, message in misfits(kind)]


@pytest.mark.parametrize("message", MISFITS)
def test_a_message_beyond_its_bounds_is_refused(message: dict[str, object]) -> None:
    with pytest.raises(codec.CodecError) as caught:
        codec.decode_client(packed(message))
    assert caught.value.code in {"invalid", "too_large"}


# --- through the gateway ------------------------------------------------------------------------------------------------

PART = {"type": "upload", "id": "1", "upload": "u", "part": 0, "of": 1, "data": b"x"}


async def test_a_message_may_have_its_last_byte(open_peer: Connect, rooms: FakeRooms) -> None:
    peer = await open_peer()
    await peer.enter(BLUE)
    largest = Upload("i" * 80, "u" * 80, 4095, 4096, bytes(12_000))
    assert len(codec.encode(largest)) < codec.LARGEST_INWARD
    # What is sent is padded with a field that is not known, to the byte: it is looked into, and forgiven.
    empty = packed({"type": "ping", "id": "1", "x": b""})
    pad = codec.LARGEST_INWARD - len(empty) - 1
    await peer.socket.send(packed({"type": "ping", "id": "1", "x": bytes(pad)}))
    assert (await peer.expect(Refused)).code == "invalid"
    await peer.socket.send(packed({"type": "ping", "id": "1", "x": bytes(pad + 1)}))
    assert await peer.closed() == 1009
    assert rooms.files == []


async def test_as_much_as_a_message_holds_can_be_imagined(open_peer: Connect, rooms: FakeRooms) -> None:
    peer = await open_peer()
    await peer.enter(BLUE)
    places = {f"f{number:02}": (48_000, 48_000) for number in range(60)}
    ghosts = {f"u{number:02}": GhostPlaces(places) for number in range(23)}
    message = AskWhatIf("1", "u00", ghosts)
    assert 12_000 < len(codec.encode(message)) <= codec.LARGEST_INWARD
    await peer.ask(message, WhatIf)
    assert rooms.room.queries.what_ifs == [("blue", message)]


@pytest.mark.parametrize(
    "bad",
    [
        PART | {"data": "text, not bytes"},
        PART | {"data": [1, 2, 3]},
        PART | {"data": bytes(12_001)},
        PART | {"part": -1},
        PART | {"part": 4097},
        PART | {"of": 0},
        PART | {"of": 4097},
        PART | {"upload": "u" * 81},
        PART | {"more": 1},
        {key: value for key, value in PART.items() if key != "data"},
    ],
    ids=lambda bad: (
        "-".join(f"{key}={str(value)[:12]}" for key, value in bad.items() if PART.get(key) != value) or "no"
    ),
)
async def test_a_malformed_part_is_forgiven_once_and_keeps_what_is_there(
    open_peer: Connect, rooms: FakeRooms, bad: dict[str, object]
) -> None:
    peer = await open_peer()
    await peer.enter()
    await peer.ask(Upload("1", "u", 0, 2, b"ab"), Accepted)
    await peer.socket.send(packed(bad))
    assert (await peer.expect(Refused)).code == "invalid"
    await peer.ask(Upload("2", "u", 1, 2, b"cd"), Accepted)
    await peer.ask(CheckSetup("3", "u"), SetupChecked)
    assert rooms.files == [b"abcd"]
    await peer.socket.send(packed(bad))
    await peer.expect(Refused)
    assert (await peer.expect(Goodbye)).code == "malformed"
    assert await peer.closed() == 1008


async def test_uploads_end_with_their_connection(open_peer: Connect, rooms: FakeRooms) -> None:
    peer = await open_peer()
    await peer.enter(BLUE)
    await peer.ask(Upload("1", "u", 0, 2, b"ab"), Accepted)
    await peer.socket.close()
    again = await open_peer()
    await again.enter(BLUE)
    assert (await again.ask(Upload("2", "u", 1, 2, b"cd"), Refused)).code == "upload"
    assert (await again.ask(CheckSetup("3", "u"), Refused)).code == "no_upload"
    await again.ask(Ping("4"), Pong)
    assert rooms.files == []
