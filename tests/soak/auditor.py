"""Audits matches while others go on: fetches each log and file as soon as the match has stopped, and holds them to the players'
accounts in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Self

from server.store.errors import StoreError
from server.store.store import MatchStore
from tests.soak.audit import audit
from tests.soak.bout import Bout
from tests.soak.broker import Follower
from tests.soak.faults import Outage
from tests.soak.findings import Audited
from tests.soak.sites import Site
from tests.support.servers import underfire

PUBLISHED = 120.0
"""Seconds in which the file of a match that is over must be given out; faults go on meanwhile."""
PAUSE = 0.5


class Auditor:
    """Use it as a context manager.

    Args:
        folder: where files are put for a moment, and what was found of each match with something wrong.
        site: its servers are asked for files, and its database for logs.
        follower: has what the feed published.
        say: told a line of each match.
    """

    def __init__(self, folder: Path, site: Site, follower: Follower, say: Callable[[str], None]) -> None:
        self.follower = follower
        self.found = Audited()
        self.finished = 0
        self.verified = 0
        self.replayed = 0
        self.answers = 0
        self.reconnects = 0
        self.sent_again: Counter[str] = Counter()
        self.editions: Counter[str] = Counter()
        self._folder = folder
        self._site = site
        self._say = say
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    async def audit(self, bout: Bout, outages: Sequence[Outage]) -> None:
        """Audit a match that has stopped. `outages` are those until now."""
        match = bout.made.match
        published = await self.follower.account(match, bout.witnesses[""].seq)
        # The log comes last: that players have left is an entry, too, and may be published meanwhile.
        entries = await self._entries(match)
        found = await asyncio.get_running_loop().run_in_executor(
            self._pool, audit, match, entries, [*bout.accounts, published], bout.secrets, list(outages)
        )
        file = self._folder / f"{match}.underfire"
        if bout.over:
            self.finished += 1
            await self._fetch(match, file)
        else:
            await asyncio.to_thread(_underfire, "export", match, file, *self._site.named)
        code, said = await asyncio.to_thread(_underfire, "verify", file)
        if code:
            found.wrong.append(f"{match}: verify says: {said}")
        self.verified += not code
        file.unlink(missing_ok=True)
        self.replayed += bout.replayed
        self.answers += bout.answers
        self.reconnects += sum(max(0, witness.links - 1) for witness in bout.witnesses.values())
        for witness in bout.witnesses.values():
            self.sent_again.update(witness.sent_again)
        self.editions[bout.start.edition] += 1
        self.found.add(found)
        if found.wrong:
            (self._folder / f"wrong-{match}.txt").write_text("\n".join(found.wrong))
        self._say(f"{match}: {len(entries)} entries, {len(found.wrong)} wrong")

    async def _entries(self, match: str) -> list[bytes]:
        """The log as the database has it; waits while it is away."""
        while True:
            with contextlib.suppress(StoreError):
                async with MatchStore(self._site.store_url) as store:
                    return [payload for _, payload in await store.read(match)]
            await asyncio.sleep(PAUSE)

    async def _fetch(self, match: str, file: Path) -> None:
        """Get the file of a match that is over, as players do."""
        async with asyncio.timeout(PUBLISHED):
            while True:
                with contextlib.suppress(OSError):
                    page = await asyncio.to_thread(self._site.servers[0].get, f"/matches/{match}.underfire")
                    if page.status == 200:
                        await asyncio.to_thread(file.write_bytes, page.body)
                        return
                await asyncio.sleep(PAUSE)


def _underfire(*words: object) -> tuple[int, str]:
    """Run the command; its exit code, and what it says."""
    done = underfire(*words)
    return done.returncode, done.stdout + done.stderr
