"""A client for programs: bots, tests, the command line.

    import asyncio
    from client_protocol.client import Refused, StartPage, Table

    SERVER = "http://127.0.0.1:8000"

    async def play(match: str, token: str) -> None:
        async with Table.sit(SERVER, match, token) as table:
            async for prompt in table.prompts():
                await table.answer(prompt.default.choice, prompt.default.values)
            print(table.seat, table.view.result)

    async def main() -> None:
        async with StartPage.open(SERVER) as page:
            edition = page.welcome.editions[0]
            scenario = edition.scenarios[0]
            made = await page.make_match(edition.id, scenario.id, "Ann", mine=tuple(seat for seat, _ in scenario.seats))
        if isinstance(made, Refused):
            raise SystemExit(made.sentence)
        await asyncio.gather(*(play(made.match, way.token) for way in made.passes))

    asyncio.run(main())

An answer names a choice and has a value for each of the choice's `parameters`; `default` is always a legal one. An answer
that is refused changes nothing: `answer` returns the `Refused`, the prompt is still open (`Table.prompt`), and can be
answered otherwise. `prompts` raises `RefusedError` when it is left like that.

A `Table` connects again by itself, resumes where it was, and sends again what was not replied to, under the same id. It
commits to the seat's share of the dice and reveals it without being told.
"""

from __future__ import annotations

from client_protocol.client.link import EndedError, RefusedError
from client_protocol.client.start import StartPage
from client_protocol.client.table import Table
from client_protocol.from_server import Refused

__all__ = ["EndedError", "Refused", "RefusedError", "StartPage", "Table"]
