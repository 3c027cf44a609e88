from __future__ import annotations

import json
import re
import typing
from pathlib import Path

import msgspec
import pytest

import client_protocol
from client_protocol import codec
from client_protocol.client import Table
from client_protocol.messages import ClientMessage, ServerMessage
from client_protocol.shapes import PROTOCOL
from server.gateway import goodbyes, session
from server.gateway.limits import Limits

PAGE = (Path(client_protocol.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
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


def test_no_message_is_left_out() -> None:
    for tag in KINDS:
        assert f"`{tag}`" in PAGE or f'"{tag}"' in PAGE, tag


def test_codes_and_limits_are_those_of_the_server() -> None:
    for ending in vars(goodbyes).values():
        if isinstance(ending, goodbyes.Ending) and ending is not goodbyes.FULL:
            assert re.search(rf"\| {ending.close_code} \|.*`{ending.goodbye.code}`", PAGE), ending
    server = Path(session.__file__).parents[1]
    sources = [Path(session.__file__), *server.glob("matches/*.py"), *server.glob("kernel/*.py")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    codes = re.findall(r'(?:Refused\([^,]+, |_refuse\([^,]+, |Refusal\()"(\w+)"', source)
    codes += [error.code for error in codec.CodecError.__subclasses__()]
    assert len(codes) > 40
    for code in codes:
        assert f"`{code}`" in PAGE, code
    limits = Limits()
    assert f"| a seat's messages | {limits.seat.burst} | {limits.seat.per_second:g} a second |" in PAGE
    assert f"at most {limits.waiting} messages".lower() in PAGE.lower()
    assert f"protocol number **{PROTOCOL}**" in PAGE


def test_the_bot_on_the_page_uses_what_there_is() -> None:
    (bot,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    compile(bot, "PROTOCOL.md", "exec")
    for name in re.findall(r"table\.(\w+)", bot):
        assert hasattr(Table, name), name
