"""What a database keeps of leagues, for a backup: their logs, private fields, and when to look after them."""

from __future__ import annotations

from msgspec import Struct

from server.store.errors import StoreError
from server.store.key_names import LEAGUES, LEAGUES_DUE, league_key
from server.store.league_logs import LeagueLogs
from server.store.outcomes import Appended, Duplicate
from server.store.replies import pairs
from server.store.store import MatchStore


class KeptLeague(Struct, frozen=True):
    """A league: its id, when it was made (ms since 1970), its private fields, its log, the versions of the answers in it, and
    when to look after it next (ms since 1970; None: not until something happens).
    """

    league: str
    made: int
    meta: dict[str, bytes]
    entries: tuple[bytes, ...]
    answers: dict[str, int] = {}
    due: int | None = None


async def leagues(store: MatchStore) -> tuple[KeptLeague, ...]:
    """Return all leagues of a database. Raises `StoreError`."""
    made = pairs(await store.command("ZRANGE", LEAGUES, 0, -1, "WITHSCORES"))
    return tuple([await _league(store, league.decode(), int(at)) for league, at in made])


async def _league(store: MatchStore, league: str, made: int) -> KeptLeague:
    logs = LeagueLogs(store)
    # The answers are read after the entries: an answer that is too new has no entry here, and is left out.
    entries = tuple(await logs.read(league))
    answers = pairs(await store.command("HGETALL", league_key(league, b"answers")))
    due = await store.command("ZSCORE", LEAGUES_DUE, league)
    return KeptLeague(
        league,
        made,
        await logs.meta(league),
        entries,
        {answer.decode(): int(version) for answer, version in answers if int(version) <= len(entries)},
        int(float(due)) if isinstance(due, bytes) else None,
    )


async def put_leagues(store: MatchStore, kept: tuple[KeptLeague, ...]) -> None:
    """Put leagues into a database. Raises `StoreError`: one came back as something else, or the store is away."""
    logs = LeagueLogs(store)
    for one in kept:
        answers = {version: answer for answer, version in one.answers.items()}
        first, *rest = one.entries
        await logs.create(one.league, one.made, one.meta, first)
        for version, payload in enumerate(rest, 2):
            answer = answers.get(version, f"~restored:{version}")
            outcome = await logs.append(one.league, version - 1, answer, payload, due=one.due)
            if not isinstance(outcome, Appended | Duplicate):
                break
        if tuple(await logs.read(one.league)) != one.entries or await logs.meta(one.league) != one.meta:
            raise StoreError(f"League {one.league} came back from the database as something else.")
