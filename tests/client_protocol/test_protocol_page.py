from __future__ import annotations

import base64
import importlib
import inspect
import json
import re
import typing
from pathlib import Path
from typing import cast

import msgspec
import pytest

import client_protocol
from client_protocol import choices, codec
from client_protocol.client.start import PART
from client_protocol.from_client import ClientMessage
from client_protocol.from_server import EditionInfo, OptionInfo, ScenarioInfo, ServerMessage, Welcome
from client_protocol.shapes import PROTOCOL
from server.gateway import goodbyes, session
from server.gateway.limits import Limits, Rate
from server.gateway.uploads import AGE, LARGEST
from server.matches.setup import positions
from server.work.desk import WorkError
from tests.client_protocol.validating import faults, way_of


def shown(text: str) -> dict[str, object]:
    """A message as the page shows it: in JSON, and so with bytes in base64."""
    example: dict[str, object] = json.loads(text)
    for field in ("data", "head"):
        if isinstance(data := example.get(field), str):
            example[field] = base64.b64decode(data, validate=True)
    return example


PAGE = (Path(client_protocol.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = [shown(text) for text in BLOCKS]
PLAIN: list[dict[str, object]] = [json.loads(text) for text in BLOCKS]
KINDS: dict[object, type[msgspec.Struct]] = {
    kind.__struct_config__.tag: kind for kind in (*typing.get_args(ClientMessage), *typing.get_args(ServerMessage))
}


def fits(shown: object, full: object) -> bool:
    """Whether all that an example shows is in the message: what it leaves out is at its default."""
    if isinstance(shown, dict) and isinstance(full, dict):
        return all(key in full and fits(value, full[key]) for key, value in shown.items())
    if isinstance(shown, list) and isinstance(full, list | tuple):
        return len(shown) == len(full) and all(fits(one, other) for one, other in zip(shown, full, strict=True))
    return shown == full


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["type"]))
def test_each_example_is_a_message(example: dict[str, object]) -> None:
    message = codec.typed(example, KINDS[example["type"]])
    assert fits(example, codec.plain(message))


@pytest.mark.parametrize("example", PLAIN, ids=lambda example: str(example["type"]))
def test_each_example_fits_the_schema(example: dict[str, object]) -> None:
    assert faults(example, way_of(example)) == []


def test_the_welcome_shows_everything_that_an_edition_has() -> None:
    (welcome,) = [example for example in PLAIN if example["type"] == "welcome"]
    (edition,) = codec.typed(welcome, Welcome).editions
    assert edition.options
    assert edition.scenarios
    told = cast("list[dict[str, list[dict[str, object]]]]", welcome["editions"])[0]
    assert set(told) == set(EditionInfo.__struct_fields__)
    assert set(told["options"][0]) == set(OptionInfo.__struct_fields__)
    assert set(told["scenarios"][0]) == set(ScenarioInfo.__struct_fields__)


def test_no_message_is_left_out() -> None:
    for tag in KINDS:
        assert f"`{tag}`" in PAGE or f'"{tag}"' in PAGE, tag


def test_no_field_that_a_client_sends_is_left_out() -> None:
    for kind in typing.get_args(ClientMessage):
        for field in kind.__struct_fields__:
            assert f"`{field}`" in PAGE or f'"{field}"' in PAGE, (kind, field)


def test_codes_are_those_of_the_server() -> None:
    for ending in vars(goodbyes).values():
        if isinstance(ending, goodbyes.Ending) and ending is not goodbyes.FULL:
            assert re.search(rf"\| {ending.close_code} \|.*`{ending.goodbye.code}`", PAGE), ending
    server = Path(session.__file__).parents[1]
    sources = [file for part in ("gateway", "matches", "kernel", "leagues") for file in (server / part).rglob("*.py")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    codes = set(re.findall(r'(?:Refused\(|_refused?\(|Refusal\()(?:[^,]+, )?"(\w+)"', source))
    codes |= {"league", *re.findall(r'ActError\((?:[^()]|\([^()]*\))*, "(\w+)"\)', source)}
    codes |= {getattr(goodbyes, name).goodbye.code for name in re.findall(r"_turned_away\(goodbyes\.(\w+)\)", source)}
    codes |= {error.code for error in codec.CodecError.__subclasses__()}
    codes |= {error.code for error in WorkError.__subclasses__()}
    assert len(codes) > 60
    section = PAGE.partition("## Refusals")[2].partition("## ")[0]
    told = {
        code for row in re.findall(r"^\| ([^|]*) \|", section, re.MULTILINE) for code in re.findall(r"`(\w+)`", row)
    }
    assert codes - told == set()
    # The kinds of what is wrong with a path are put together with their prefix.
    assert {code for code in told - codes if not code.startswith("path_")} == set()


def test_limits_are_those_of_the_server() -> None:
    limits = Limits()
    rates = re.findall(r"^\| ([^|]+) \| (\d+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
    told = {what: Rate(int(burst), _per_second(pace)) for what, burst, pace in rates}
    for what, rate in {
        "a seat's messages": limits.seat,
        "messages of those who watch, and on the start page": limits.spectator,
        "`say` and `report`": limits.chat,
        "`ask_preview`, `look`, `ask_what_if`, `check_force` and `convert_force`": limits.previews,
        "`make_match`, `take_seat` and `import_match`": limits.makings,
        "`upload`": limits.uploads,
        "`check_setup`": limits.setups,
        "`ping`": limits.pings,
    }.items():
        assert told.pop(what) == rate, what
    assert told == {}
    assert f"at most {limits.waiting} messages".lower() in PAGE.lower()
    assert f"protocol number **{PROTOCOL}**" in PAGE
    assert f"a connection keeps one, of at most {LARGEST // 1024 // 1024} MiB" in PAGE
    assert f"nothing came of it for {AGE:g} seconds" in PAGE
    assert f"may have {limits.per_address} connections open" in PAGE
    assert f"in at most {positions.LARGEST // 1024} KiB" in PAGE
    assert "at most 12,000 bytes each" in PAGE
    assert PART == 12_000


def _per_second(pace: str) -> float:
    """A pace in words, as a number of messages."""
    if slow := re.fullmatch(r"one in ([\d.]+) seconds", pace):
        return 1 / float(slow[1])
    found = re.fullmatch(r"(\d+) a (second|minute)", pace)
    assert found is not None, pace
    return int(found[1]) / (60 if found[2] == "minute" else 1)


def test_the_classes_that_bots_need_are_where_the_page_says() -> None:
    section = PAGE.partition("\n## In Python")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([\w.]+)` \| (.*) \|$", section, re.MULTILINE)
    assert len(rows) > 6
    for name, module, told in rows:
        found = getattr(importlib.import_module(module), name)
        for member in re.findall(r"`([a-z_]+)(?:\(\))?`", told):
            assert member in {*vars(found), *dir(found), *_attributes(found)}, (name, member)


def _attributes(kind: type) -> set[str]:
    """What an object of this class has, as its own source names it."""
    return set(re.findall(r"self\.(\w+)\b", inspect.getsource(kind)))


def test_each_parameter_has_its_value_on_the_page() -> None:
    section = PAGE.partition("\n## In Python")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)\(([\w, ]+)\)` \|$", section, re.MULTILINE)
    told = {getattr(choices, parameter): (getattr(choices, value), fields) for parameter, value, fields in rows}
    assert set(told) == set(typing.get_args(choices.Parameter))
    for parameter, (value, fields) in told.items():
        assert value.__struct_config__.tag == parameter.__struct_config__.tag
        assert ", ".join(value.__struct_fields__) == fields
