"""Looking after leagues: results are taken in when matches end, and fixtures end at their deadlines."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.leagues import FixtureView
from server.kernel.desk_facts import SecretRevealed
from server.leagues.acts import fixture_in
from server.leagues.campaigns import unfought
from server.leagues.errors import ActError
from server.leagues.fortune import luck_of
from server.leagues.leagues import LOOK_MS, Held, Leagues, due_at
from server.leagues.log.facts import Happened, MatchLost, ResultTaken
from server.leagues.log.league import Battle, League
from server.leagues.map_turns import orders_until, overdue
from server.matches.background import Background
from server.matches.log.timeline import Timeline
from server.matches.projections.deeds import Deeds, deeds
from server.store.errors import MatchRemoved, StoreUnavailable
from server.store.following import Sleep
from server.work.slicing import in_slices

log = logging.getLogger("underfire.leagues")

LOOK_SECONDS = LOOK_MS / 1000
"""Seconds between two looks."""
AT_ONCE = 50
"""How many leagues are looked after in one look."""
FAILED_MS = 60_000
"""So long until a league is looked after again that could not be, in ms."""
ENDS = pack(SecretRevealed.__struct_config__.tag)
"""In the bytes of an entry that reveals the secret of the dice, as the last thing that a match's server does. Other entries may
hold these bytes too: they only cost a look.
"""
OVERDUE = "It was not played by its deadline."


class MatchLogs(Protocol):
    """What is looked at of the logs of matches."""

    async def length(self, match_id: str) -> int:
        """Return the version of the log's last entry; 0 if there is none."""
        ...

    async def read_some(self, match_id: str, after: int) -> tuple[list[tuple[int, bytes]], bool]:
        """Return the next entries after a version, and whether there may be more."""
        ...


class Keeping(Background):
    """Looks after leagues while it is open (`async with`). Every server does so: each result is taken in once, by its answer id.

    Args:
        leagues: the leagues.
        logs: the logs of matches.
        sleep: waits between two looks.
    """

    def __init__(self, leagues: Leagues, logs: MatchLogs, sleep: Sleep = asyncio.sleep) -> None:
        self.leagues = leagues
        self._logs = logs
        self._sleep = sleep
        self.told: Callable[[str], Awaitable[int | None]] = _untold
        """Called whenever a league was looked after, to tell of what has happened; it returns when there may be more to tell."""
        self._read: dict[str, int] = {}
        """Up to which entry the logs of matches have been looked through."""

    async def run(self) -> None:
        """Look until cancelled. While the database is away, wait for it."""
        while True:
            await self.attempt(self.look)
            await self._sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Look after all leagues that are due. Raises `StoreUnavailable`."""
        leagues = self.leagues
        for league in await leagues.logs.due(leagues.now_ms(), AT_ONCE):
            try:
                await self._look_after(league)
            except StoreUnavailable:
                raise
            except Exception:
                log.exception("league %s could not be looked after", league)
                await leagues.logs.put_off(league, leagues.now_ms() + FAILED_MS)

    async def _look_after(self, league: str) -> None:
        leagues = self.leagues
        found = (await leagues.fold(league)).league
        # In a league that is over nothing happens any more; that it is over may have to be told.
        if not found.closed:
            await self._do_what_is_due(found)
        after, seen = (fold := await leagues.fold(league)).league, fold.number
        times = [due_at(after, leagues.now_ms()), await self.told(league)]
        await leagues.logs.set_due(league, min((at for at in times if at is not None), default=None), seen)

    async def _do_what_is_due(self, found: League) -> None:
        now = self.leagues.now_ms()
        for fixture in found.fixtures.values():
            if fixture.state == "played":
                await self._take_result(found, fixture)
            elif fixture.state == "waits" and fixture.until and fixture.until <= now:
                await self._end(found, fixture)
        for player, member in found.players.items():
            if member.battle is not None and 0 < member.battle.until <= now:
                await self._take_step(found, player, member.battle)
        if 0 < orders_until(found) <= now:
            await self._reveal_orders(found)

    async def _may_be_over(self, match: str) -> bool:
        """Return whether a match may have ended since this was asked last. So a match that goes on, perhaps for weeks, need not
        be held in memory.
        """
        read = self._read.get(match, 0)
        length = await self._logs.length(match)
        if length < read or not length:
            return True  # it was removed
        entries = [] if length == read else (await self._logs.read_some(match, read))[0]
        if any(ENDS in payload for _, payload in entries):
            return True
        self._read[match] = read + len(entries)
        return False

    async def _take_result(self, league: League, fixture: FixtureView) -> None:
        if not await self._may_be_over(fixture.match):
            return
        try:
            room = await self.leagues.matches.get(fixture.match)
        except MatchRemoved:
            await self._append(
                league.id, f"~lost:{fixture.match}", fixture, lambda _now, _at: (MatchLost(fixture.number),)
            )
            return
        outcome = None if room is None else room.outcome()
        if room is None or outcome is None:
            return
        player_of = dict(zip(room.seats, fixture.players, strict=False))
        result = ResultTaken(
            fixture.number,
            "won" if outcome.winner else "draw",
            player_of.get(outcome.winner, ""),
            outcome.reason,
            tuple(outcome.losses.get(seat, 0) for seat in player_of),
            outcome.entries,
            outcome.head,
            await luck_of(room),
        )
        campaign = await self.leagues.campaign(league)
        if campaign is None:
            await self._append(league.id, f"~result:{fixture.match}", fixture, lambda _now, _at: (result,))
        else:
            done = await _deeds(room)
            taken = replace(result, randomness=dict(outcome.state.desk.randomness), unfought=unfought(outcome))

            def consider(now: League, at: int) -> tuple[Happened, ...]:
                return (taken, *campaign.battles(now, fixture, outcome, player_of, done, at))

            await self._append(league.id, f"~result:{fixture.match}", fixture, consider)
        self._read.pop(fixture.match, None)

    async def _end(self, league: League, fixture: FixtureView) -> None:
        """End a fixture that was not played by its deadline, as the league's terms say."""
        unplayed = league.terms.unplayed
        if unplayed == "wait":
            return
        overdue = ResultTaken(fixture.number, unplayed, "", OVERDUE)
        await self._append(league.id, f"~overdue:{fixture.number}", fixture, lambda _now, _at: (overdue,))

    async def _take_step(self, league: League, player: str, battle: Battle) -> None:
        """Take the default of the step that a player has not taken by its deadline."""
        campaign = await self.leagues.campaign(league)
        if campaign is None:
            return

        def consider(now: League, at: int) -> tuple[Happened, ...]:
            if now.players[player].battle != battle:
                raise ActError("It has changed meanwhile.")
            return (campaign.step(now, player, battle.step, None, at),)

        with contextlib.suppress(ActError):
            await self.leagues.append(league.id, f"~step:{battle.fixture}:{player}:{battle.step}", "", consider)

    async def _reveal_orders(self, league: League) -> None:
        """Reveal the orders of a turn at their deadline."""
        turn, sealing = league.round, await self.leagues.sealing(league.id)
        with contextlib.suppress(ActError):
            await self.leagues.append(
                league.id, f"~orders:{turn}", "", lambda now, at: (overdue(now, turn, at, sealing),)
            )

    async def _append(
        self, league: str, answer_id: str, fixture: FixtureView, facts: Callable[[League, int], tuple[Happened, ...]]
    ) -> None:
        def consider(now: League, at: int) -> tuple[Happened, ...]:
            if fixture_in(now, fixture.number) != fixture:
                raise ActError("It has changed meanwhile.")
            return facts(now, at)

        with contextlib.suppress(ActError):
            await self.leagues.append(league, answer_id, "", consider)


async def _deeds(room: Held) -> dict[str, Deeds]:
    first, *others = await room.payloads()
    timeline = Timeline(first)
    await in_slices(timeline.add(others))
    return await in_slices(deeds(timeline))


async def _untold(_league: str) -> int | None:
    return None
