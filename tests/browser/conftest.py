"""A browser for the session, a server for it, and rooms with people in them for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ViewportSize, async_playwright, expect

from server.gateway.files import find_client
from tests.browser.player import PATIENCE, Player
from tests.support.servers import ServerProcess, serving

FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]
WHOLE = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The programs that have all that Chromium has."""
LEAN = ("chromium-headless-shell", *WHOLE)
"""The same, after one without what a window needs: it takes a third less of the processor's time for the same pages."""
expect.set_options(timeout=PATIENCE)
LAPTOP: ViewportSize = {"width": 1366, "height": 768}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
            # One loop for all: the browser lives as long as the session does.
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that no test kills."""
    assert find_client() is not None, "the web client is not built: `make test` does that"
    server = ServerProcess(tmp_path_factory.mktemp("data"))
    server.start()
    yield server
    server.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def own_server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """A server for one test, which may do to it what it likes."""
    async with serving(tmp_path) as server:
        yield server


@asynccontextmanager
async def launched(programs: Sequence[str] = LEAN) -> AsyncIterator[Browser]:
    """Launch the system's Chromium, without its background traffic: the first of these programs that is there."""
    program = next(filter(None, map(shutil.which, programs)), None)
    assert program, "there is no Chromium on the path: `make test` says how to get one"
    rooted = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=[*FLAGS, *rooted])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """A browser for all tests; each person in them has a context of their own in it."""
    async with launched() as browser:
        yield browser


class How(TypedDict, total=False):
    """What Playwright's new_context is told about a browser."""

    viewport: ViewportSize
    color_scheme: Literal["light", "dark"]
    reduced_motion: Literal["reduce", "no-preference"]
    has_touch: bool
    is_mobile: bool
    device_scale_factor: float
    accept_downloads: bool


PHONE: How = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


class People:
    """Gives people a browser each, and notes the errors of their pages."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    async def come(self, server: ServerProcess, **how: Unpack[How]) -> Player:
        """A person with a fresh browser; `how` says which one."""
        how.setdefault("viewport", LAPTOP)
        context = await self._browser.new_context(**how)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        player = Player(await context.new_page(), server.address)
        player.page.on("pageerror", lambda error: self.faults.append(f"{error.message}\n{error.stack}"))
        return player

    async def leave(self) -> None:
        for context in self._contexts:
            await context.close()


@asynccontextmanager
async def gathered(browser: Browser) -> AsyncIterator[People]:
    """The people of a test, which fails if one of their pages raised an error."""
    people = People(browser)
    yield people
    await people.leave()
    assert not people.faults, people.faults


@pytest_asyncio.fixture(loop_scope="session")
async def people(chromium: Browser) -> AsyncIterator[People]:
    """The people of a test."""
    async with gathered(chromium) as people:
        yield people
