from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from client_protocol import schema
from client_protocol.shapes import PROTOCOL
from tests.client_protocol.validating import faults, kinds

ANSWER = {"type": "answer", "id": "12345678", "prompt": "p", "choice": "c"}


def test_the_copy_in_the_repository_is_up_to_date() -> None:
    assert schema.TARGET.read_text(encoding="utf-8") == schema.generate()


def test_check_tells_a_stale_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schema, "TARGET", tmp_path / "schema.json")
    assert schema.main(["--check"]) == 1
    assert schema.main([]) == 0
    assert schema.main(["--check"]) == 0
    schema.TARGET.write_text("{}\n", encoding="utf-8")
    assert schema.main(["--check"]) == 1
    assert "schema.json is out of date: run `python -m client_protocol.schema`" in capsys.readouterr().err


def test_the_schema_is_valid_and_names_this_protocol() -> None:
    whole = json.loads(schema.generate())
    Draft202012Validator.check_schema(whole)
    assert whole["title"].endswith(f" {PROTOCOL}")
    validator = Draft202012Validator(whole)
    assert validator.is_valid({"type": "ping", "id": "1"})
    assert validator.is_valid({"type": "pong", "id": "1", "now": 1, "up": 2})
    assert not validator.is_valid({"type": "ping"})
    assert "discriminator" not in schema.generate()


def test_no_type_is_sent_both_ways() -> None:
    assert not kinds("FromClient").keys() & kinds("FromServer").keys()


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"id": "short"}, "$.id"),
        ({"id": 12345678}, "$.id"),
        ({"choice": None}, "$.choice"),
        ({"surprise": 1}, "surprise"),
        ({"values": [{"type": "unit", "unit": "u"}] * 9}, "$.values"),
        ({"values": [{"type": "stop", "at": 1001}]}, "$.values"),
        ({"values": [{"type": "path", "paths": {"f": [[0, 0, 0]]}}]}, "$.values"),
        ({"values": [{"type": "path", "paths": {"f": [[0, 10**8]]}}]}, "$.values"),
        ({"values": [{"type": "direction"}]}, "$.values"),
    ],
)
def test_the_bounds_of_the_codec_are_those_of_the_schema(more: dict[str, object], fault: str) -> None:
    assert faults(ANSWER, "FromClient") == []
    found = faults(ANSWER | more, "FromClient")
    assert len(found) == 1
    assert fault in found[0]
