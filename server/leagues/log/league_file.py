"""League files: the entries of a league's log, the hash of the last one, and signatures. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.leagues.log.entries import LeagueFold
from server.leagues.log.facts import BattleTaken, StepTaken
from server.matches.log.signatures import Signature, Signatures

FORMAT = "underfire league 1"
SUFFIX = ".underfire"
DOMAIN = "underfire league signature 1"
"""The first field of the signed statement: no signature of a match can be taken for one of a league."""


class LeagueFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a league file. `head` is the hash of the last entry."""

    format: str
    entries: tuple[bytes, ...]
    head: bytes
    signatures: Signatures = ()


class LeagueFileError(Exception):
    """Bytes that are not a league file."""


def written(payloads: Sequence[bytes], signatures: tuple[Signature, ...]) -> bytes:
    """Return a file of these entries, without looking at them."""
    return pack(LeagueFile(FORMAT, tuple(payloads), hashlib.sha256(payloads[-1]).digest(), signatures))


def is_league_file(data: bytes) -> bool:
    """Return whether the data begins as league files do."""
    return data[1:].startswith(pack("format") + pack(FORMAT))


def read(data: bytes) -> LeagueFile:
    """Return the content of a league file. Raises `LeagueFileError` if the data is not one, byte for byte."""
    try:
        found = unpack(data, LeagueFile)
    except CodecError as error:
        raise LeagueFileError(f"this is no league file: {error.sentence}") from error
    if found.format != FORMAT:
        raise LeagueFileError(f"the file's format is {found.format!r}; this reads {FORMAT!r}")
    if pack(found) != data or not found.entries:
        raise LeagueFileError("the file is not written the way league files are")
    return found


def open_entries(fold: LeagueFold) -> int:
    """Return how many entries of a league all may read now: those before the first step after a battle whose steps are still
    being taken, since others see steps only when all are taken.
    """
    busy = {
        player: member.battle.fixture for player, member in fold.league.players.items() if member.battle is not None
    }
    if fold.league.closed or not busy:
        return fold.number
    battle: dict[str, int] = {}
    for entry in fold.entries:
        for fact in entry.facts:
            if isinstance(fact, StepTaken) and fact.player in busy and battle[fact.player] == busy[fact.player]:
                return entry.number - 1
            if isinstance(fact, BattleTaken):
                battle[fact.player] = fact.fixture
    return fold.number
