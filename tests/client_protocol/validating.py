"""Messages held against the schema that bots of other languages are given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jsonschema import Draft202012Validator

from client_protocol import schema

Way = str
"""`FromClient` or `FromServer`: who sends a message."""


@cache
def kinds(way: Way) -> dict[str, str]:
    """The definitions of all messages that go this way, by their types."""
    definitions = schema.schema()["$defs"]
    names = [option["$ref"].rpartition("/")[2] for option in definitions[way]["anyOf"]]
    return {definitions[name]["properties"]["type"]["const"]: name for name in names}


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema.schema()["$defs"]})


def faults(message: Mapping[str, object], way: Way) -> list[str]:
    """What is wrong with a message, as JSON shows it; nothing if it is in order."""
    name = kinds(way).get(str(message.get("type")))
    if name is None:
        return [f"there is no message of the type {message.get('type')!r}"]
    return faults_of(message, name)


def faults_of(value: object, name: str) -> list[str]:
    """What is wrong with something that a message carries, by the name of its definition."""
    return [f"{error.json_path}: {error.message}" for error in _validator(name).iter_errors(value)]


def way_of(message: Mapping[str, object]) -> Way:
    """Who sends a message of this type."""
    return "FromClient" if message["type"] in kinds("FromClient") else "FromServer"
