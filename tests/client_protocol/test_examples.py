"""The programs of the documentation, run as a reader would run them, against a real server."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import re
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import client_protocol
from client_protocol.client import StartPage, Table
from client_protocol.from_server import MatchMade
from server.app import running
from server.config import Settings

SERVER, MATCH, SEAT, INVITE = "http://127.0.0.1:8000", "k3v9", "red", "come-and-play"
"""What the examples call what they need."""
LONGEST = 60.0
"""Seconds in which an example has played its match."""


def programs() -> Iterator[tuple[str, str]]:
    """Each whole program of the documentation, under the name of the text that it stands in."""
    folder = Path(client_protocol.__file__).parent
    for page in sorted(folder.glob("*.md")):
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            yield page.name, code
    for module in pkgutil.iter_modules(client_protocol.__path__):
        text = importlib.import_module(f"client_protocol.{module.name}").__doc__ or ""
        for block in re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE):
            if re.search(r"^ +(import|from) ", block, re.MULTILINE):
                yield module.name, textwrap.dedent(block)


PROGRAMS = list(programs())


def test_the_example_programs_of_all_pages_are_found() -> None:
    names = [name for name, _ in PROGRAMS]
    assert names.count("client") == 1
    assert names.count("PROTOCOL.md") >= 1


@asynccontextmanager
async def opponent(address: str) -> AsyncIterator[MatchMade]:
    """A match whose seat `red` is free, and in which `blue` answers whatever it is asked with the default."""

    async def play(made: MatchMade) -> None:
        async with Table.sit(address, made.match, made.passes[0].token) as table:
            async for prompt in table.prompts():
                await table.answer(prompt.default.choice, prompt.default.values)

    async with StartPage.open(address) as page:
        made = await page.make_match("fad4", "crossroads-patrol", "Ann", ("blue",))
    assert isinstance(made, MatchMade)
    playing = asyncio.create_task(play(made))
    yield made
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def run(program: Path) -> tuple[int, str]:
    """Run a program; its exit code and what it printed. One that does not end by itself is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", str(program), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(LONGEST):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        pytest.fail("the example does not end")
    assert process.returncode is not None
    return process.returncode, said.decode()


@pytest.mark.parametrize("code", [code for _, code in PROGRAMS], ids=[name for name, _ in PROGRAMS])
async def test_each_program_plays_a_whole_match(tmp_path: Path, code: str) -> None:
    assert SERVER in code
    async with (
        running(Settings(port=0, data_dir=tmp_path / "data", moments=False)) as server,
        opponent(server.address) as made,
    ):
        invite = next(given.invite for given in made.passes if given.seat == SEAT)
        for shown, real in ((SERVER, server.address), (MATCH, made.match), (INVITE, invite)):
            code = code.replace(shown, real)
        program = tmp_path / "example.py"
        program.write_text(code, encoding="utf-8")
        status, said = await run(program)
    assert status == 0, said
    assert "how='rules'" in said, said
