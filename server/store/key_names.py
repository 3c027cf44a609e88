"""The names of the store's keys in Redis; `store` describes their values."""

from __future__ import annotations

import re

INDEX = b"uf:matches"
DEADLINES = b"uf:deadlines"
UP = b"uf:up"
REPORTS = b"uf:reports"
REPORTED = b"uf:reported"
SIGNERS = b"uf:signers"
EXHIBITIONS = b"uf:exhibitions"
FEED = b"uf:feed"
"""The feed's progress; see `feed.progress`."""
FEED_LEASE = b"uf:feed:lease"
"""The process that publishes the feed."""
FEED_LEAGUES = b"uf:feed:leagues"
"""What the broker may retain of leagues: a hash, from a league to the highest number of a fixture; see `feed.league_feed`."""
FEED_PLAYERS = b"uf:feed:players"
"""What servers leave for the feed to do for players: a list; see `feed.outbox`."""
SANCTIONS = b"uf:sanctions"
"""The names of the sanctions, by when they end; see `moderation.sanctions`."""
SANCTION_CHANGES = b"uf:sanctions:changes"
"""The number of changes of sanctions: reading it tells whether they must be read again."""
DORMANT_LEASE = b"uf:dormant:lease"
"""The server that looks for matches that are not played any more."""
NOTES = b"uf:notes"
"""The number of changes of summaries: reading it tells whether the list must be read again."""
LISTED_INDEX = b"uf:listed"
"""The index of the list: a sorted set of the listed matches, the last of which comes first; see `shared_summaries.place`."""

LEAGUES = b"uf:leagues"
"""The leagues, by when they were made: a sorted set; see `store.league_logs`."""
LEAGUES_DUE = b"uf:leagues:due"
"""The leagues to look after, by when (ms since 1970): a sorted set."""

NOTICES = b"uf:notices"
"""Whom to tell next that decisions wait, and when (ms since 1970): a sorted set; see `notices.queue`."""
NOTICES_HELD = b"uf:notices:held"
"""Whom servers are telling just now, and until when they have them to themselves: a sorted set."""
HERE = b"uf:here"
"""The seats that are connected to any server, and when that was seen last: a sorted set; see `notices.presence`."""
PUSH_KEY = b"uf:push_key"
"""The private key by which push services know the servers of this database."""

_MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_id(match_id: str) -> None:
    """Raise `ValueError` if this cannot be a match's id.

    Other characters could end the hash tag of a key, or the part after it, or lead out of a folder.
    """
    if not _MATCH_ID.fullmatch(match_id):
        raise ValueError(f"{match_id!r} cannot be a match's id: letters, digits, _ and -, at most 64 of them")


def league_key(league: str, part: bytes) -> bytes:
    """Return the key of a part of a league's data; see `store.league_logs`."""
    check_id(league)
    return b"uf:league:{" + league.encode() + b"}:" + part


def player_key(key: str) -> bytes:
    """Return the key of the hash of what is kept of a player; `key` is the player's, in hexadecimal."""
    return b"uf:player:{" + bytes.fromhex(key).hex().encode() + b"}"


def player_seats_key(key: str) -> bytes:
    """Return the key of the sorted set of the seats that are tied to a player's key."""
    return player_key(key) + b":seats"


def notices_key(recipient: str) -> bytes:
    """Return the key of the hash of the decisions of which a recipient is to be told; see `notices.queue`."""
    return b"uf:notices:" + recipient.encode()


def _key(match_id: str, part: bytes) -> bytes:
    check_id(match_id)
    return b"uf:{" + match_id.encode() + b"}:" + part


def sanction_key(name: str) -> bytes:
    """Return the key of a sanction, which expires with it."""
    return b"uf:sanction:" + name.encode()


def bucket_key(kind: str, address: str) -> bytes:
    """Return the key of the bucket of a kind, of an address or ("") of all strangers; see `gateway.shared_limits`."""
    return f"uf:bucket:{{{kind}}}:{address}".encode()


def log_key(match_id: str) -> bytes:
    """Return the key of the stream of a match's entries."""
    return _key(match_id, b"log")


def answers_key(match_id: str) -> bytes:
    """Return the key of the hash from answer ids to versions."""
    return _key(match_id, b"answers")


def meta_key(match_id: str) -> bytes:
    """Return the key of the hash of private fields."""
    return _key(match_id, b"meta")


def live_key(match_id: str) -> bytes:
    """Return the channel on which new entries are published."""
    return _key(match_id, b"live")


def append_keys(match_id: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Return `log_key`, `answers_key`, `meta_key` and `live_key`: what an append needs, with the id checked once."""
    log = log_key(match_id)
    front = log.removesuffix(b"log")
    return log, front + b"answers", front + b"meta", front + b"live"


def new_log_key(match_id: str, token: str) -> bytes:
    """Return the key of a log that is being restored, which no reader sees yet; `token` belongs to this restoring alone."""
    return _key(match_id, b"new-log:" + token.encode())


def new_answers_key(match_id: str, token: str) -> bytes:
    """Return the key of the answers of such a log."""
    return _key(match_id, b"new-answers:" + token.encode())
