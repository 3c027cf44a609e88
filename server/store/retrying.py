"""Redis commands, retried until their outcome is known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from redis.exceptions import (
    MasterDownError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)

from server.store.errors import StoreError, StoreUnavailable
from server.store.redis_link import Link, LinkDown, LinkLost, Word
from server.store.scripts import Script
from server.store.wire import Reply

RETRY_SECONDS = 0.1
"""Seconds before a command is tried again that Redis refuses for now."""

# Temporary refusals: memory or the disk is full, a replica is being promoted, a script runs too long ...
_PASSING_KINDS = (OutOfMemoryError, ReadOnlyError, MasterDownError, TryAgainError)
_PASSING_CODES = ("MISCONF", "BUSY", "NOREPLICAS")

# The ones that concern every write, and last until the operator does something.
_UNWRITABLE_KINDS = (OutOfMemoryError, ReadOnlyError)
_UNWRITABLE_CODES = ("MISCONF", "NOREPLICAS")


class Commands:
    """The store's two links for commands.

    `blocked` says in a sentence why no command may be sent; "" if they may. `refused` is Redis' message when it could not
    write, until `written` is called.

    Args:
        writes: for scripts.
        reads: for everything else: reading a long log must not hold up writing.
        wait_seconds: how long one command may be tried.
        on_refusal: called whenever `refused` has changed.
    """

    def __init__(self, writes: Link, reads: Link, wait_seconds: float, on_refusal: Callable[[], None]) -> None:
        self.blocked = ""
        self.refused = ""
        self._on_refusal = on_refusal
        self._writes = writes
        self._reads = reads
        self._wait_seconds = wait_seconds

    async def command(self, *words: Word) -> Reply:
        """Send an idempotent command, and wait for its reply across lost connections.

        Raises:
            StoreUnavailable: no reply in time.
            StoreError: Redis refuses the command.
        """
        reply, _ = await self._insist(self._reads, words)
        return reply

    async def run(
        self,
        script: Script,
        keys: tuple[bytes, ...],
        words: Iterable[Word],
        at_once: Callable[[Reply], None] | None = None,
    ) -> tuple[Reply, bool]:
        """Run an idempotent script, and retry it until it has an outcome.

        Args:
            script: the script.
            keys: its keys.
            words: its other arguments.
            at_once: called with its reply before this returns; see `Link.call`.

        Returns:
            Its reply, and whether an earlier run may have succeeded although its reply was lost.

        Raises:
            StoreUnavailable: no reply in time.
            StoreError: Redis refuses the script.
        """
        return await self._insist(self._writes, (len(keys), *keys, *words), script, at_once)

    def written(self) -> None:
        """Note that Redis has written something, so that `refused` is over."""
        self._refuse("")

    def _refuse(self, reason: str) -> None:
        if bool(reason) != bool(self.refused):
            self.refused = reason
            self._on_refusal()

    async def _insist(
        self,
        link: Link,
        words: tuple[Word, ...],
        script: Script | None = None,
        at_once: Callable[[Reply], None] | None = None,
    ) -> tuple[Reply, bool]:
        loop = link.loop
        deadline = loop.time() + self._wait_seconds
        head: tuple[Word, ...] = (b"EVALSHA", script.sha) if script else ()
        doubtful = False
        while True:
            if self.blocked:
                raise StoreUnavailable(self.blocked)
            try:
                return await link.call(*head, *words, deadline=deadline, at_once=at_once), doubtful
            except NoScriptError:
                # A Redis that was just started knows no scripts. EVAL sends the text, and Redis keeps it.
                head = (b"EVAL", script.text) if script else head
            except LinkLost as lost:
                doubtful = True
                if loop.time() > deadline:
                    raise StoreUnavailable(f"Redis does not answer: {lost}") from None
            except LinkDown:
                raise StoreUnavailable(f"Redis does not answer: {link.reason}") from None
            except ResponseError as refusal:
                self._judge(refusal)
                if loop.time() > deadline:
                    raise StoreUnavailable(f"Redis cannot be written: {refusal}") from refusal
                await asyncio.sleep(RETRY_SECONDS)

    def _judge(self, refusal: ResponseError) -> None:
        """Return if a refusal is temporary.

        Raises:
            StoreError: it is not.
        """
        said = str(refusal)
        if not isinstance(refusal, _PASSING_KINDS) and not said.startswith(_PASSING_CODES):
            raise StoreError(f"Redis refuses a command: {refusal}") from refusal
        if isinstance(refusal, _UNWRITABLE_KINDS) or said.startswith(_UNWRITABLE_CODES):
            self._refuse(said)
