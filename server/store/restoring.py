"""Restoring a match from a whole log, as an import does.

A long log cannot be written in one atomic step without blocking Redis for all other users. So it is built under private keys,
part by part, and one last script makes a match of it. Parts that a crash leaves behind expire.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping, Sequence

from server.store.errors import REMOVED, MatchExists, MatchRemoved, StoreError
from server.store.key_names import INDEX, answers_key, log_key, meta_key, new_answers_key, new_log_key
from server.store.redis_link import Word
from server.store.replies import fields, verdict
from server.store.retrying import Commands
from server.store.scripts import RESTORE_END, RESTORE_PART

PART_ENTRIES = 500
PART_BYTES = 1_000_000
"""The size of a part in bytes, exceeded by at most one entry: a few milliseconds of Redis' time."""

LEFT_MS = 600_000
"""How long parts are kept, in ms, if nothing more comes."""


async def restore(
    commands: Commands,
    match_id: str,
    made_ms: int,
    meta: Mapping[str, bytes],
    entries: Sequence[bytes],
    answers: Mapping[str, int],
    *,
    over_tombstone: bool,
) -> None:
    """Make a match with this log; see `MatchStore.restore`."""
    log, earlier, private = log_key(match_id), answers_key(match_id), meta_key(match_id)
    if not entries or not all(0 < version <= len(entries) for version in answers.values()):
        raise ValueError(f"the log of match {match_id} has no entries, or not those that answers name")
    if await _taken(commands, match_id, over_tombstone=over_tombstone):
        raise MatchExists(match_id)  # before anything long is sent
    token = base64.urlsafe_b64encode(os.urandom(9)).decode()
    new = (new_log_key(match_id, token), new_answers_key(match_id, token))
    by_version: dict[int, list[Word]] = {}
    for answer_id, version in answers.items():
        by_version.setdefault(version, []).extend((answer_id, version))
    first = 1
    for part in _parts(entries):
        after = first + len(part)
        named = [word for version in range(first, after) for word in by_version.get(version, ())]
        reply, _ = await commands.run(RESTORE_PART, new, (first, LEFT_MS, len(part), *part, *named))
        _check(match_id, verdict(reply))
        first = after
    keys = (*new, log, earlier, private, INDEX)
    words = (match_id, made_ms, len(entries), token, b"1" if over_tombstone else b"", *fields(meta))
    reply, _ = await commands.run(RESTORE_END, keys, words)
    _check(match_id, verdict(reply))


async def _taken(commands: Commands, match_id: str, *, over_tombstone: bool) -> bool:
    match await commands.command("HMGET", meta_key(match_id), ":made", ":tombstone"):
        case [None, _]:
            return False
        case [_, bytes(note)] if note == REMOVED:
            raise MatchRemoved(match_id)
        case [_, bytes()]:
            return not over_tombstone
    return True


def _parts(entries: Sequence[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for entry in entries:
        part.append(entry)
        size += len(entry)
        if len(part) == PART_ENTRIES or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _check(match_id: str, outcome: tuple[bytes, int]) -> None:
    word, top = outcome
    if word == REMOVED:
        raise MatchRemoved(match_id)
    if word == b"exists":
        raise MatchExists(match_id)
    if word != b"ok":
        raise StoreError(f"Match {match_id} cannot be restored: of its new log, {top} entries are there.")
