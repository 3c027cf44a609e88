from __future__ import annotations

import ast
import base64
import importlib
import inspect
import json
import re
import typing
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import cast

import msgspec
import pytest

import client_protocol
from client_protocol import choices, codec
from client_protocol.client.start import PART
from client_protocol.from_client import ClientMessage
from client_protocol.from_server import EditionInfo, OptionInfo, ScenarioInfo, ServerMessage, Welcome
from client_protocol.leagues import LeagueAct
from client_protocol.shapes import PROTOCOL
from server import app
from server.gateway import goodbyes, league_files, notices, server, session, site
from server.gateway.limits import Limits, Rate
from server.gateway.uploads import AGE, LARGEST
from server.kernel.files.position_parts import PositionParts
from server.kernel.space.terrain import Sight
from server.matches.setup import positions
from server.moderation import commands
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
SECTIONS = {text.partition("\n")[0]: text for text in PAGE.split("\n## ")}
"""The page's sections by their headings, each with its subsections."""


def structs(*types: object) -> dict[type[msgspec.Struct], set[str]]:
    """Return all structs that are in these types, at any depth, each with the words that its own fields may hold."""
    found: dict[type[msgspec.Struct], set[str]] = {}

    def look_into(type_: object, words: set[str]) -> None:
        if typing.get_origin(type_) is typing.Literal:
            words.update(word for word in typing.get_args(type_) if word)
        elif isinstance(type_, type) and issubclass(type_, msgspec.Struct):
            if type_ not in found:
                found[type_] = set()
                for field in typing.get_type_hints(type_, include_extras=True).values():
                    look_into(field, found[type_])
        else:
            for inner in typing.get_args(type_):
                look_into(inner, words)

    look_into(typing.Union[types], set())  # noqa: UP007 - of types that are known only here
    return found


ALL = structs(ClientMessage, ServerMessage)
ARRAYS = [kind for kind in ALL if kind.__struct_config__.array_like]
"""Those that travel as arrays: their fields have no names on the wire."""
WIRE = {kind: words for kind, words in ALL.items() if kind not in ARRAYS}


def untold(kind: type[msgspec.Struct], text: str) -> list[str]:
    """Return what a text does not name in backticks or in an example of a struct: its type, its fields, the words in these."""
    names = {*kind.__struct_fields__, *WIRE[kind], str(kind.__struct_config__.tag or "")} - {""}
    return sorted(name for name in names if f"`{name}`" not in text and f'"{name}"' not in text)


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


@pytest.mark.parametrize("kind", WIRE, ids=lambda kind: kind.__name__)
def test_one_section_tells_the_whole_of_each_struct(kind: type[msgspec.Struct]) -> None:
    missing = {heading: untold(kind, section) for heading, section in SECTIONS.items()}
    nearest = min(missing, key=lambda heading: len(missing[heading]))
    assert missing[nearest] == [], f"what is missing under {nearest!r}"


def test_the_page_says_how_many_structs_travel_as_arrays() -> None:
    assert len(ARRAYS) == 5
    assert "Five small structures travel as arrays" in PAGE


@pytest.mark.parametrize("kind", typing.get_args(choices.Parameter), ids=lambda kind: kind.__name__)
def test_bots_find_the_whole_of_each_parameter_under_its_heading(kind: type[msgspec.Struct]) -> None:
    for part in structs(kind):
        assert untold(part, SECTIONS["The parameters"]) == [], part.__name__


def test_each_end_condition_is_in_the_table_with_its_own_fields() -> None:
    table = PAGE.partition("\n### End conditions\n")[2].partition("\n#")[0]
    assert fields_by_type(table) == {
        kind.__struct_config__.tag: list(kind.__struct_fields__) for kind in typing.get_args(choices.EndCondition)
    }


def test_each_act_in_a_league_is_in_the_table_with_its_own_fields() -> None:
    assert fields_by_type(SECTIONS["Leagues"]) == {
        kind.__struct_config__.tag: list(kind.__struct_fields__) for kind in typing.get_args(LeagueAct)
    }


def fields_by_type(text: str) -> dict[str, list[str]]:
    """Return what a text's tables of three columns have in the second column, by what they have in the first one."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*)\| [^|]+ \|$", text, re.MULTILINE)
    return {name: re.findall(r"`(\w+)`", fields) for name, fields in rows if "fields" not in fields}


def test_each_way_of_blocking_sight_and_each_sign_is_in_a_table() -> None:
    assert first_column("sight") == list(typing.get_args(Sight))
    assert set(first_column("sign")) == signs()


def first_column(heading: str) -> list[str]:
    """Return the words in the first column of the table that has this heading."""
    table = PAGE.partition(f"\n| `{heading}` |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)
    return [word for row in rows for word in re.findall(r"`(\w+)`", row)]


def signs() -> set[str]:
    """Return the signs that rule sets give to figures, by their code and their data."""
    rulesets = Path(session.__file__).parents[1] / "rulesets"
    found = {
        sign
        for file in rulesets.rglob("*.toml")
        for sign in re.findall(r'\bsign = "(\w+)"', file.read_text(encoding="utf-8"))
    }
    for file in rulesets.rglob("*.py"):
        if "Gear(" in (code := file.read_text(encoding="utf-8")):
            found |= set(_signs_in(ast.parse(code)))
    return found - {""}


def _signs_in(module: ast.Module) -> Iterator[str]:
    """Yield the texts that a module gives as the signs of `Gear`, also those that it has a name for."""
    named = {
        target.id: one.value
        for one in module.body
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Gear":
            for given in (*call.args[1:], *(one.value for one in call.keywords if one.arg == "sign")):
                for part in ast.walk(given):
                    known = named.get(part.id) if isinstance(part, ast.Name) else part
                    if isinstance(known, ast.Constant) and isinstance(known.value, str):
                        yield known.value


ADDRESSES = {
    site.MATCH_FILE: ["/matches/<id>.underfire"],
    league_files.ADDRESS: [f"/leagues/<id>{end}" for end in ("", ".json", ".csv", ".underfire")],
    league_files.OWN: [
        f"/leagues/<id>/<key>{end}" for end in (".ics", "/<token>.ics", ".underfire", "/<token>.underfire")
    ],
}


def test_every_address_and_every_status_is_told() -> None:
    section = SECTIONS["Over plain HTTP"]
    named = {site.WEBSOCKET, site.HEALTH, site.READY, league_files.STYLE_ADDRESS, commands.PATH, *notices.NOTICES}
    named |= set(re.findall(r'"(/[\w.]+)"', inspect.getsource(site.Site)))
    named |= {f"/{name}/<edition>.json" for name in ("rules", "forces", "positions")}
    for pattern, addresses in ADDRESSES.items():
        for address in addresses:
            whole = address.replace("<id>", "k3v9").replace("<key>", "0" * 64).replace("<token>", "0" * 48)
            assert pattern.fullmatch(whole), address
            named.add(address)
    rows = re.findall(r"^\| ([^|]*) \|", section, re.MULTILINE)
    assert named - {address for row in rows for address in re.findall(r"`([^`]*)`", row)} == set()
    sources = "".join(inspect.getsource(module) for module in (site, league_files, server))
    statuses = {HTTPStatus[name].value for name in re.findall(r"HTTPStatus\.([A-Z_]+)", sources)}
    assert [status for status in sorted(statuses) if not re.search(rf"\b{status}\b", section)] == []


def test_what_editions_say_over_http_is_told_field_by_field() -> None:
    rows = SECTIONS["Over plain HTTP"].splitlines()
    told = {
        name: re.findall(r'"(\w+)"', next(row for row in rows if row.startswith(f"| `/{name}/")))
        for name in ("rules", "forces", "positions")
    }
    assert told["positions"] == [field.encode_name for field in msgspec.structs.fields(PositionParts)]
    parts = json.loads(app.force_parts("fad5") or b"")
    assert set(told["forces"]) == {*parts, *parts["form"]}
    rules = json.loads(app.reference("fad4", frozenset({"fad5"})) or b"")
    entry = next(entry for entry in rules["rules"] if entry["elsewhere"])
    assert set(told["rules"]) == {*rules, *entry, *entry["elsewhere"][0]}


def test_codes_are_those_of_the_server() -> None:
    for ending in vars(goodbyes).values():
        if isinstance(ending, goodbyes.Ending) and ending is not goodbyes.FULL:
            assert re.search(rf"\| {ending.close_code} \|.*`{ending.goodbye.code}`", PAGE), ending
    folder = Path(session.__file__).parents[1]
    sources = [file for part in ("gateway", "matches", "kernel", "leagues") for file in (folder / part).rglob("*.py")]
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
        "`ask_preview`, `ask_advice`, `look`, `ask_what_if`, `check_force` and `convert_force`": limits.previews,
        "`make_match`, `take_seat` and `import_match`": limits.makings,
        "`upload`": limits.uploads,
        "`check_setup`": limits.setups,
        "`ping`": limits.pings,
    }.items():
        assert told.pop(what) == rate, what
    assert told == {}
    page = " ".join(PAGE.split())
    assert f"At most {limits.waiting} messages of one connection" in page
    assert f"protocol number **{PROTOCOL}**" in page
    assert f"a connection keeps one, of at most {LARGEST // 1024 // 1024} MiB" in page
    assert f"until {AGE:g} seconds after its last part" in page
    assert f"may have {limits.per_address} connections open" in page
    assert f"in at most {positions.LARGEST // 1024} KiB" in page
    assert "at most 12,000 bytes each" in page
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
