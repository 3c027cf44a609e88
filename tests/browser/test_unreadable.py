"""The page of a match that the server cannot open, now or for good."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import redis
from playwright.async_api import expect

from server.store.embedded import EmbeddedValkey
from tests.browser.conftest import People
from tests.support.servers import ServerProcess, valkey_pid
from tests.system.play import make_match


async def restart(server: ServerProcess) -> None:
    """So that no match is at hand."""
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)


async def test_a_match_that_cannot_be_opened_now_is_opened_when_the_database_is_back(
    own_server: ServerProcess, people: People, tmp_path: Path
) -> None:
    match = (await make_match(own_server)).match
    await restart(own_server)
    page = (await people.come(own_server)).page
    await page.goto(own_server.address)
    pid = valkey_pid(tmp_path)
    os.kill(pid, signal.SIGSTOP)
    try:
        await page.goto(f"{own_server.address}/#/m/{match}")
        await expect(page.get_by_text("The server cannot reach its database").first).to_be_visible()
    finally:
        os.kill(pid, signal.SIGCONT)
    await expect(page.get_by_text("Live", exact=True)).to_be_visible()


async def test_a_damaged_match_is_said_to_be_damaged_and_not_tried_again(
    own_server: ServerProcess, people: People, tmp_path: Path
) -> None:
    match = (await make_match(own_server)).match
    await asyncio.to_thread(own_server.stop)
    async with EmbeddedValkey(tmp_path) as valkey:
        with redis.Redis.from_url(valkey.url) as client:
            client.xdel(f"uf:{{{match}}}:log", "1-0")
    await asyncio.to_thread(own_server.start)
    page = (await people.come(own_server)).page
    for _ in range(2):
        await page.goto(own_server.address)
        await page.goto(f"{own_server.address}/#/m/{match}")
        await expect(page.get_by_text("tell the server's operator").first).to_be_visible()
    assert " ".join(own_server.log.split()).count(f"The log of match {match} is damaged") == 1
