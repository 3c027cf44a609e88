"""Telling of leagues: posts to their webhooks, and reminders of deadlines to players. Every server looks what there is to tell,
and of several one tells it: by the same queue as decisions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Literal

from client_protocol.players import Webhook
from server.leagues.errors import ActError
from server.leagues.leagues import Leagues
from server.leagues.log.entries import LeagueFold, LeagueLogError
from server.leagues.log.league import League
from server.leagues.map_turns import orders_until, without_order
from server.leagues.standing_in import seat_holder, sitting
from server.leagues.webhook import set_posted, set_webhook, webhook_of
from server.notices.league_news import (
    Deadline,
    Happening,
    happenings,
    nearing,
    open_battle,
    open_fixture,
    orders_reminded_at,
    orders_reminder,
    post,
    reminded_at,
    reminder,
    steps_reminded_at,
    steps_reminder,
    trial,
    worth_a_post,
)
from server.notices.queue import Decision, Queue
from server.notices.tries import given_up
from server.notices.ways import Ways, wanted
from server.players.registry import Registry
from server.store.errors import LogDamaged, UnknownMatch

PAUSE_MS = 2_000
"""Milliseconds between two posts at least, where one cannot hold all."""
REMEMBERED = 20_000
"""How many reminders it is remembered that they are queued: the queue knows it too, but has to be asked."""


class LeagueNotices:
    """Tells of leagues.

    Args:
        leagues: the leagues.
        queue: who is to be told, and of what.
        registry: the players.
        ways: tells them.
        now_ms: milliseconds since 1970.
    """

    def __init__(
        self, leagues: Leagues, queue: Queue, registry: Registry, ways: Ways, now_ms: Callable[[], int]
    ) -> None:
        self._leagues = leagues
        self._queue = queue
        self._registry = registry
        self._ways = ways
        self._now_ms = now_ms
        self._reminded: dict[tuple[str, Decision], None] = {}

    # --- what there is to tell ---------------------------------------------------------------------------------------

    async def note(self, league: str) -> int | None:
        """Queue what there is to tell of a league, and return when there may be more although nothing happens (ms since 1970);
        None: never. Doing so again, on any server, adds nothing. Raises `StoreError`.
        """
        fold, now = await self._leagues.fold(league), self._now_ms()
        found, entries = fold.league, tuple(fold.entries)
        webhook, posted = await webhook_of(self._leagues.logs, league)
        if webhook is not None and posted < len(entries):
            for entry in entries[posted:]:
                if worth_a_post(entry):
                    await self._queue.add(_webhook(league), _of_entry(league, entry.number), now)
            await set_posted(self._leagues.logs, league, len(entries))
        later = [
            *[at async for at in self._deadlines(found, now, hooked=webhook is not None)],
            *[at async for at in self._steps(found, now)],
            *[at async for at in self._orders(found, now)],
        ]
        return min(later, default=None)

    async def _deadlines(self, league: League, now: int, *, hooked: bool) -> AsyncIterator[int]:
        """Queue the reminders of fixtures' deadlines that are due, and yield when others are (ms since 1970)."""
        for fixture in league.fixtures.values():
            if open_fixture(league, fixture.number, now) is None:
                continue
            if now < reminded_at(league, fixture):
                yield reminded_at(league, fixture)
                continue
            recipients = [_player(league.id, sitting(fixture, key)) for key in fixture.players]
            for recipient in [_webhook(league.id), *recipients] if hooked else recipients:
                await self._remind(recipient, Decision(league.id, f"fixture-{fixture.number}", "deadline"), now)

    async def _steps(self, league: League, now: int) -> AsyncIterator[int]:
        """Queue the reminders of steps after battles that are due, and yield when others are (ms since 1970)."""
        for player, member in league.players.items():
            battle = member.battle
            if battle is None or open_battle(league, player, battle.fixture) is None:
                continue
            if now < steps_reminded_at(league, battle):
                yield steps_reminded_at(league, battle)
            else:
                decision = Decision(league.id, f"steps-{battle.fixture}", "deadline")
                await self._remind(_player(league.id, player), decision, now)

    async def _orders(self, league: League, now: int) -> AsyncIterator[int]:
        """Queue the reminders of orders on a map that are due, and yield when others are (ms since 1970)."""
        due, until = without_order(league), orders_until(league)
        if not due or not now < until:
            return
        if now < orders_reminded_at(league):
            yield orders_reminded_at(league)
            return
        # A turn that was undone begins again with the same number, and with another deadline.
        decision = Decision(league.id, f"orders-{league.round}", str(until))
        for player in due:
            await self._remind(_player(league.id, player), decision, now)

    async def _remind(self, recipient: str, decision: Decision, now: int) -> None:
        if (recipient, decision) in self._reminded:
            return
        await self._queue.add(recipient, decision, now)
        self._reminded[recipient, decision] = None
        while len(self._reminded) > REMEMBERED:
            del self._reminded[next(iter(self._reminded))]

    # --- telling it --------------------------------------------------------------------------------------------------

    async def tell_webhook(self, name: str) -> None:
        """Post to a league's webhook what is queued for it, as much as one post can hold. Raises `StoreError`."""
        league = name.partition("/")[2]
        fold, (webhook, _) = await self._fold(league), await webhook_of(self._leagues.logs, league)
        if fold is None or webhook is None:
            await self._queue.forget(name)
            return
        decisions = sorted(await self._queue.decisions(name), key=_order)
        told = [(decision, self._happenings(fold, decision)) for decision in decisions]
        waiting = [one for _, happened in told for one in happened]
        if not waiting:
            await self._queue.done(name, [(one, "dropped") for one, _ in told], again_at=self._now_ms())
            return
        made = post(fold.league, waiting, self._leagues.address)
        sent = await self._ways.tell(made, webhook)
        if not sent.reached and not await given_up(self._queue, name, sent.faults, self._now_ms()):
            return
        how: Literal["told"] = "told"
        done, room = [], len(made.happened)
        for decision, happened in told:
            room -= len(happened)
            if room < 0:
                break
            done.append((decision, how))
        now = self._now_ms()
        await self._queue.done(name, done or [(told[0][0], how)], told_at=now, again_at=now + PAUSE_MS)

    def _happenings(self, fold: LeagueFold, decision: Decision) -> list[Happening]:
        kind, _, number = decision.seat.partition("-")
        if kind == "entry":
            return happenings(fold, fold.entries[int(number) - 1], self._leagues.address)
        fixture = open_fixture(fold.league, int(number), self._now_ms())
        return [] if fixture is None else [nearing(fold.league, fixture, self._leagues.address)]

    async def tell_player(self, name: str) -> None:
        """Remind a player of the deadlines of a league. Raises `StoreError`."""
        league, _, key = name.partition("/")[2].partition("/")
        fold, settings = await self._fold(league), await self._registry.notices(key)
        if fold is None or not wanted(settings):
            await self._queue.forget(name)
            return
        for decision in await self._queue.decisions(name):
            notice = self._reminder(fold.league, key, decision)
            if notice is None:
                await self._queue.done(name, [(decision, "dropped")], again_at=self._now_ms())
                continue
            await self._tell_player(name, key, decision, notice)
            return

    def _reminder(self, league: League, key: str, decision: Decision) -> Deadline | None:
        """Return what a player is reminded of; None if it has been done meanwhile, or another player does it."""
        kind, _, number = decision.seat.partition("-")
        if kind == "steps":
            battle = open_battle(league, key, int(number))
            return None if battle is None else steps_reminder(league, key, battle, self._leagues.address)
        if kind == "orders":
            due = league.round == int(number) and key in without_order(league)
            return (
                orders_reminder(league, self._leagues.address)
                if due and self._now_ms() < orders_until(league)
                else None
            )
        fixture = open_fixture(league, int(number), self._now_ms())
        if fixture is None or not seat_holder(fixture, key):
            return None
        return reminder(league, fixture, key, self._leagues.address)

    async def _tell_player(self, name: str, key: str, decision: Decision, notice: Deadline) -> None:
        settings = await self._registry.notices(key)
        sent = await self._ways.tell(notice, settings.webhook, settings.push, key if settings.topic else "")
        if not sent.reached and not await given_up(self._queue, name, sent.faults, self._now_ms()):
            return
        now = self._now_ms()
        await self._queue.done(name, [(decision, "told")], told_at=now, again_at=now)

    async def _fold(self, league: str) -> LeagueFold | None:
        try:
            return await self._leagues.fold(league)
        except (UnknownMatch, LogDamaged, LeagueLogError):
            return None

    # --- what organisers say -----------------------------------------------------------------------------------------

    async def set_webhook(self, league: str, key: str, webhook: Webhook | None, *, test: bool) -> tuple[str, ...]:
        """Name a league's webhook for an organiser, or none, and try it; with `test`, try the one that is there. Return what went
        wrong. Raises `ActError`, `StoreError`.
        """
        # It does not exist for those who may not see it.
        shown = await self._leagues.show(league, key)
        if key not in dict(shown.organisers):
            raise ActError("Only an organiser of this league can do that.", "no_organiser")
        logs, fold = self._leagues.logs, await self._leagues.fold(league)
        held, posted = await webhook_of(logs, league)
        if test:
            if held is None:
                raise ActError("This league has no webhook.")
            webhook = held
        else:
            await set_webhook(logs, league, webhook, fold.number if held is None else posted)
        if webhook is None:
            await self._queue.forget(_webhook(league))
            return ()
        return (await self._ways.tell(trial(fold.league, self._leagues.address), webhook)).faults


def _webhook(league: str) -> str:
    """Return the recipient that is a league's webhook."""
    return f"league/{league}"


def _player(league: str, key: str) -> str:
    """Return the recipient who is a player, for the deadlines of a league: those are not put off as decisions may be."""
    return f"deadline/{league}/{key}"


def _of_entry(league: str, number: int) -> Decision:
    return Decision(league, f"entry-{number}", str(number))


def _order(decision: Decision) -> tuple[str, int]:
    """Return the place of what is queued: entries in their order, then deadlines."""
    kind, _, number = decision.seat.partition("-")
    return kind, int(number)
