"""Writes the wire as a JSON Schema, `client_protocol/schema.json`, from the message structs.

    python -m client_protocol.schema            writes the file
    python -m client_protocol.schema --check    compares, and ends with 1 when the file is out of date

The schema describes messages as JSON shows them: MessagePack's binary type is a text in base64 there. A server serves it
at `/schema.json`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from client_protocol.from_client import ClientMessage
from client_protocol.from_server import ServerMessage
from client_protocol.generated import write_or_check
from client_protocol.shapes import PROTOCOL

TARGET = Path(__file__).parent / "schema.json"
ABOUT = (
    "Every message of the protocol: FromClient is what a client sends, FromServer what a server sends; each message's type "
    "is in its definition. On the wire they are MessagePack, whose binary type is shown here as a text in base64. Generated "
    "from client_protocol/*.py by `python -m client_protocol.schema`: do not edit."
)


def schema() -> dict[str, Any]:
    """Return the schema of all messages (JSON Schema, draft 2020-12); each struct is one of its `$defs`, under its name."""
    unions, structs = msgspec.json.schema_components((ClientMessage, ServerMessage), ref_template="#/$defs/{name}")
    definitions = dict(zip(("FromClient", "FromServer"), map(_plain, unions), strict=True))
    definitions |= {name: _plain(struct) for name, struct in structs.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Underfire protocol {PROTOCOL}",
        "description": ABOUT,
        "anyOf": [{"$ref": "#/$defs/FromClient"}, {"$ref": "#/$defs/FromServer"}],
        "$defs": definitions,
    }


def _plain(part: object) -> object:
    """Return a part of the schema with only the draft's keywords: without OpenAPI's discriminators, with descriptions on one
    line.
    """
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, dict):
        return part
    plain = {key: _plain(value) for key, value in part.items() if key != "discriminator"}
    if isinstance(text := plain.get("description"), str):
        plain["description"] = " ".join(text.split())
    if isinstance(tag := plain.get("properties"), dict) and list(tag.get("type", {})) == ["enum"]:
        plain["properties"] = tag | {"type": {"const": tag["type"]["enum"][0]}}
    return plain


def generate() -> str:
    """Return the whole text of `schema.json`."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


@cache
def protocol_schema() -> bytes:
    """Return the schema as it is installed."""
    return TARGET.read_bytes()


def main(arguments: list[str] | None = None) -> int:
    """Write `schema.json`, or with `--check` return whether it is up to date (0) or not (1)."""
    return write_or_check("client_protocol.schema", __doc__.partition("\n")[0], TARGET, generate(), arguments)


if __name__ == "__main__":
    raise SystemExit(main())
