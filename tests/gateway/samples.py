"""One message of each kind, made from its type alone: a new kind of message has one before a test is written for it."""

from __future__ import annotations

import re
import typing

from msgspec import inspect

from client_protocol import codec
from client_protocol.from_client import ClientMessage
from client_protocol.shapes import PROTOCOL

KINDS: tuple[type[ClientMessage], ...] = typing.get_args(ClientMessage)


PATTERNED = ("0" * 64, "0" * 128, "https://example.org")


def sample(kind: type[ClientMessage]) -> ClientMessage:
    """A message of this kind that says as little as it may."""
    plain = _struct(typing.cast("inspect.StructType", inspect.type_info(kind)))
    if "protocol" in plain:
        plain["protocol"] = PROTOCOL
    return codec.typed(plain, kind)


def _struct(info: inspect.StructType) -> dict[str, object]:
    plain: dict[str, object] = {} if info.tag is None else {"type": info.tag}
    for field in info.fields:
        if field.required:
            plain[field.encode_name] = _value(field.type)
    return plain


def _text(info: inspect.StrType) -> str:
    if info.pattern:
        return next(one for one in PATTERNED if re.match(info.pattern, one))
    return "x" * max(1, info.min_length or 0)


def _value(info: inspect.Type) -> object:
    if isinstance(info, inspect.UnionType):
        return None if info.includes_none else _value(info.types[0])
    match info:
        case inspect.StrType():
            return _text(info)
        case inspect.IntType():
            return max(0, info.ge or 0)
        case inspect.BytesType():
            return b"x" * max(1, info.min_length or 0)
        case inspect.BoolType():
            return True
        case inspect.LiteralType():
            return info.values[0]
        case inspect.DictType():
            return {}
        case inspect.VarTupleType():
            return [_value(info.item_type)] * (info.min_length or 0)
        case inspect.StructType():
            return _struct(info)
    raise NotImplementedError(f"no sample of {info}")
