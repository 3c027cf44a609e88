"""Removing a match permanently, by the operator of a server: a tombstone stays, and a file that only the operator can read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from server.matches.archive_folder import ArchiveFolder, save_surely
from server.matches.log import match_file
from server.matches.log.fold import Fold
from server.matches.log.signatures import Signature
from server.matches.signing import Signing
from server.store.errors import LogDamaged, MatchClosed, MatchRemoved, StoreError, StoreUnavailable
from server.store.following import Sleep
from server.store.store import MatchStore

ATTEMPTS = 20
"""How often a match is read again that is being written to, and how often a locked folder is tried."""
PAUSE_SECONDS = 0.1
"""Seconds between two tries to lock the folder."""


class Removal(Struct, frozen=True):
    """The result of a removal: whether the match had been removed `before`, the file in which its data is `kept` (None: it is
    not kept), and whether such a file was deleted (`forgotten`).
    """

    before: bool = False
    kept: Path | None = None
    forgotten: bool = False


async def about(store: MatchStore, match_id: str) -> str:
    """Return a short description of a match, for the operator who is about to remove it.

    Raises:
        MatchRemoved: it was removed before.
        UnknownMatch: there is no such match.
        StoreUnavailable: Redis does not answer.
    """
    try:
        entries = [payload for _, payload in await store.read(match_id)]
    except (StoreUnavailable, MatchRemoved):
        raise
    except LogDamaged:
        return "a match whose log is damaged"
    except MatchClosed:
        return "a match that is over, and whose file is not here"
    try:
        fold = Fold(entries[0])
        for payload in entries[1:]:
            fold.add(payload)
    except Exception:  # noqa: BLE001 - it may hold anything, and is to be removed all the same
        return "a match whose log cannot be played"
    state = fold.state
    players = ", ".join(f"{name} ({seat})" for seat, name in state.desk.players.items())
    stands = "over" if state.result is not None else "going on"
    return f"{fold.opened.title}, {stands}, {f'with {players}' if players else 'with no players yet'}"


async def remove(
    store: MatchStore,
    files: ArchiveFolder | None,
    match_id: str,
    *,
    forget: bool = False,
    sleep: Sleep = asyncio.sleep,
    signing: Signing | None = None,
) -> Removal:
    """Remove a match: live, over, or archived. After any interruption, either the match is there whole, or the tombstone and
    the file are.

    Args:
        store: an open store.
        files: the folder of archived matches, in which removed ones have a folder of their own; None: there is none.
        match_id: the match.
        forget: keep no file, and delete the file that an earlier removal kept.
        sleep: waits for the folder.
        signing: signs the kept file, if given.

    Raises:
        UnknownMatch: there is no such match.
        StoreError: what was stored cannot be read or kept, and `forget` is not given; or the match is being written to
            continually.
        StoreUnavailable: Redis does not answer; the match may or may not have been removed.
        OSError: a file cannot be written or deleted.
    """
    if files is None and not forget:
        raise StoreError(
            "There is no folder to keep the match in: name one with --data-dir, or add --forget to keep nothing of it."
        )
    # Servers archive matches meanwhile: what is read here must still be in its place when its log is deleted.
    async with _held(files, sleep):
        for _ in range(ATTEMPTS):
            try:
                await store.check_open(match_id)
                expected = await store.length(match_id)
                kept = None if forget else await _kept(store, files, match_id, expected, signing)
            except MatchRemoved:
                return await _cleared(files, match_id, forget=forget)
            except MatchClosed:
                expected = 0
                kept = await _kept_from_file(files, match_id, forget=forget)
            if await _replaced(store, match_id, expected):
                cleared = await _cleared(files, match_id, forget=forget)
                return Removal(kept=kept, forgotten=cleared.forgotten)
    raise StoreError(f"Match {match_id} is being written to all the time. Try again in a moment.")


@asynccontextmanager
async def _held(files: ArchiveFolder | None, sleep: Sleep) -> AsyncIterator[None]:
    if files is None:
        yield
        return
    for _ in range(ATTEMPTS):
        with files.held() as held:
            if held:
                yield
                return
        await sleep(PAUSE_SECONDS)
    raise StoreError("A server is archiving matches in that folder at this moment. Try again in a moment.")


async def _kept(
    store: MatchStore, files: ArchiveFolder | None, match_id: str, expected: int, signing: Signing | None
) -> Path:
    """Keep a log up to a version in a file."""
    try:
        entries = [payload for _, payload in await store.read(match_id)][:expected]
    except LogDamaged as damaged:
        raise StoreError(
            f"{damaged} It cannot be kept so: add --forget to remove it and keep nothing of it."
        ) from damaged
    signatures = await signing.of(match_id, entries) if signing is not None else ()
    return await _save(files, match_id, await asyncio.to_thread(_file, entries, signatures))


async def _kept_from_file(files: ArchiveFolder | None, match_id: str, *, forget: bool) -> Path | None:
    """Copy an archived match's file to the folder of removed matches."""
    data = None if files is None else await asyncio.to_thread(files.load, match_id)
    if data is None and not (forget and files is not None):
        raise StoreError(
            f"The match {match_id} lies in a file of its servers' data directory, and not in the one that was named: name "
            "theirs with --data-dir."
        )
    return None if forget or data is None else await _save(files, match_id, data)


async def _save(files: ArchiveFolder | None, match_id: str, data: bytes) -> Path:
    assert files is not None, "without a folder nothing is kept"
    removed = files.removed()
    await asyncio.to_thread(save_surely, removed, match_id, data)
    return removed.where(match_id)


def _file(entries: Sequence[bytes], signatures: tuple[Signature, ...]) -> bytes:
    """Return the match file of a log, even of one that cannot be folded."""
    try:
        return match_file.export(entries, signatures)
    except Exception:  # noqa: BLE001 - a log that holds anything at all may have to be removed above all
        return match_file.written(entries, "", signatures)


async def _replaced(store: MatchStore, match_id: str, expected: int) -> bool:
    """Return whether the match is removed now; False: it has gone on, or was archived."""
    try:
        await store.remove(match_id, expected)
    except MatchRemoved:
        pass  # by another operator, a moment ago
    except StoreUnavailable:
        raise
    except StoreError:
        if await store.length(match_id) == expected:
            raise
        return False
    return True


async def _cleared(files: ArchiveFolder | None, match_id: str, *, forget: bool) -> Removal:
    """Delete the remaining files of a removed match."""
    if files is None:
        return Removal(before=True)
    await asyncio.to_thread(files.delete, match_id)
    removed = files.removed()
    if forget:
        return Removal(before=True, forgotten=await asyncio.to_thread(removed.delete, match_id))
    return Removal(before=True, kept=removed.where(match_id) if removed.exists(match_id) else None)
