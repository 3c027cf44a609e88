"""The feed as a companion of a server: a process that a server starts, keeps running, and takes along when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager

log = logging.getLogger("underfire.feed")

# -P: a folder called server in the working directory is not ours.
COMMAND = (sys.executable, "-P", "-m", "server", "feed", "--with-server")
LONGEST_WAIT = 30.0
"""The longest pause before a feed that has ended is started again, in seconds."""
STOP_SECONDS = 5.0
"""Seconds that a feed has to end in order."""


@asynccontextmanager
async def companion(variables: Mapping[str, str]) -> AsyncIterator[None]:
    """Run a feed in a process of its own until the block is left; it is started again when it ends before.

    Args:
        variables: of its environment, besides those of this process.
    """
    keeping = asyncio.create_task(_keep({**os.environ, **variables}), name="feed")
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


async def until_closed(work: Coroutine[object, object, None]) -> None:
    """Do the work of a companion until its server has ended, however it ended: its standard input is closed then."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    working = asyncio.ensure_future(work)
    closing = asyncio.ensure_future(reader.read())
    try:
        await asyncio.wait({working, closing}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, closing):
            task.cancel()
        await asyncio.gather(working, closing, return_exceptions=True)


async def _keep(environment: Mapping[str, str]) -> None:
    wait = 0.5
    while True:
        # A session of its own: Ctrl-C is meant for the server, which then ends the feed.
        process = await asyncio.create_subprocess_exec(*COMMAND, stdin=PIPE, env=environment, start_new_session=True)
        loop = asyncio.get_running_loop()
        since = loop.time()
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            await _end(process)
            raise
        wait = 0.5 if loop.time() - since > LONGEST_WAIT else min(LONGEST_WAIT, 2 * wait)
        log.warning("the feed has ended with code %d and is started again in %g s", code, wait)
        await asyncio.sleep(wait)


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
