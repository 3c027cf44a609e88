"""The parts of a run: each measures something, and gives the lines that say so."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from server.kernel.ruleset import Ruleset
from server.kernel.sight import field_of
from server.matches.embedded import EmbeddedValkey
from server.rulesets import library
from tests.benchmarks import cold, fan_out, floor, load, rules, serving
from tests.benchmarks.control import child
from tests.benchmarks.lines import (
    Line,
    at_least,
    at_least_floor,
    at_most,
    at_most_floor,
    kilobytes,
    line,
    microseconds,
    milliseconds,
    octets,
    per_second,
    percentile,
)
from tests.benchmarks.prepared import SPECTATORS, Order, Prepared, long_log, prepare
from tests.benchmarks.sockets import WebSocket

EDITION = "fad4"


@dataclass(frozen=True)
class Size:
    """How much is measured. The last of `scenarios` is the one that is served."""

    rounds: int
    lone_orders: int
    matches: int
    orders_each: int
    watchers: tuple[int, ...]
    watched_orders: int
    bursts: int
    games: int
    long_steps: int
    scenarios: tuple[str, ...] = ("crossroads-patrol", "hold-the-relay", "ridge-farm")

    @property
    def scenario(self) -> str:
        return self.scenarios[-1]


FULL = Size(5, 120, 100, 10, (200, 1000), 30, 8, 12, 1000)
QUICK = Size(3, 50, 100, 4, (200, 1000), 10, 3, 4, 1000)
TINY = Size(1, 4, 3, 2, (5,), 2, 1, 1, 40, ("crossroads-patrol",))
"""Enough to see that everything runs."""


def edition() -> Ruleset:
    return library.edition(EDITION)


def fresh_edition() -> Ruleset:
    """The rules as a server has them that has just been started: they remember nothing."""
    field_of.cache_clear()
    return library.EDITIONS[EDITION](EDITION)


# --- the rules alone ------------------------------------------------------------------------------------------------


def of_rules(size: Size) -> Iterator[Line]:
    ours, floors = [], []
    for number in range(size.rounds):
        # Other games each time, and a map that nobody knows yet: what the rules remember of one must not help another.
        seeds = range(number * size.games, (number + 1) * size.games)
        recorded = [rules.record(edition(), size.scenario, seed) for seed in seeds]
        ours.append(rules.decisions_per_second(fresh_edition(), recorded))
        floors.append(rules.folds_per_second(recorded))
    yield line("rules alone, decisions", per_second, ours, floors, at_least(12_500), "the same facts, only folded")
    for scenario in size.scenarios:
        games = []
        for number in range(size.rounds):
            seeds = range(number * size.games, (number + 1) * size.games)
            games.append(rules.games_per_second(fresh_edition(), scenario, seeds))
        yield line(f"rules alone, games, {scenario}", per_second, games, None, at_least(30))


# --- bytes ----------------------------------------------------------------------------------------------------------


def of_bytes(games: Sequence[Prepared]) -> Iterator[Line]:
    orders = [order for game in games for order in game.orders]
    moves = [order for order in orders if order.moves]
    beside = "the order itself"

    def to_seats(order: Order) -> float:
        return mean(size for audience, size in order.told.items() if audience != SPECTATORS)

    sent, sent_to_move = [mean(len(order.message) for order in orders)], [median(len(order.message) for order in moves)]
    yield line(
        "bytes of a move, to who watches",
        octets,
        [o.told[SPECTATORS] for o in moves],
        sent_to_move,
        at_most(64),
        beside,
    )
    yield line(
        "bytes of a move, to a seat, prompts too", octets, [*map(to_seats, moves)], sent_to_move, at_most(64), beside
    )
    yield line(
        "bytes of an order, to who watches, mean",
        octets,
        [mean(o.told[SPECTATORS] for o in orders)],
        sent,
        at_most(120),
        beside,
    )
    yield line("bytes of an order, to a seat, mean", octets, [mean(map(to_seats, orders))], sent, at_most(120), beside)


# --- with a database ------------------------------------------------------------------------------------------------


@contextmanager
def database() -> Iterator[str]:
    """A Valkey that syncs before it answers, for everybody who is measured; its URL."""

    @asynccontextmanager
    async def running(directory: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
        async with EmbeddedValkey(Path(directory)) as embedded:
            yield embedded.url

    with tempfile.TemporaryDirectory(prefix="underfire-bench-") as directory, asyncio.Runner() as runner:
        manager = running(directory)
        url: str = runner.run(manager.__aenter__())
        try:
            yield url
        finally:
            runner.run(manager.__aexit__(None, None, None))


def of_cold(size: Size, redis_url: str) -> Iterator[Line]:
    ruleset = edition()
    entries = long_log(ruleset, size.scenario, "long", size.long_steps + 10)
    prepared = Prepared("long", ("red", "blue"), entries)
    asyncio.run(cold.put_all(redis_url, [prepared]))
    loaded, decoded = asyncio.run(cold.times(redis_url, ruleset, prepared, size.rounds))
    what = f"a match of {size.long_steps:,} steps back on a cold node"
    yield line(what, milliseconds, loaded, decoded, at_most(0.008), "its entries read and decoded")


def of_servers(
    size: Size, redis_url: str, core: int, lone: Sequence[Prepared], crowd: Sequence[Prepared]
) -> Iterator[Line]:
    """The two servers in turns, with the same orders. `lone` are whole matches, two more than rounds."""
    asyncio.run(cold.put_all(redis_url, [*lone, *crowd]))
    orders = [order for game in lone for order in game.orders]
    entry_bytes = round(mean(order.entry_bytes for order in orders))
    frame_bytes = round(mean(size for order in orders for size in order.told.values()))
    floor_flags = ("--entry-bytes", entry_bytes, "--frame-bytes", frame_bytes)
    common = ("--core", core, "--redis", redis_url)
    with ExitStack() as stack:
        contenders = (
            load.Contender(stack.enter_context(child("serving", *common)), serving.GREETINGS, serving.REPLIES),
            load.Contender(stack.enter_context(child("floor", *common, *floor_flags)), floor.GREETINGS, floor.REPLIES),
        )
        yield from _of_orders(size, contenders, lone, crowd)


def _of_orders(
    size: Size, contenders: Sequence[load.Contender], lone: Sequence[Prepared], crowd: Sequence[Prepared]
) -> Iterator[Line]:
    beside = "bare websockets and redis-py"
    for contender in contenders:  # what is only loaded once is loaded now
        load.alone(contender, lone[-1], size.lone_orders)
    held = [contender.child.held for contender in contenders]
    tables = [[load.Table(contender, prepared) for prepared in crowd] for contender in contenders]

    def each_holds() -> list[list[float]]:
        return [[(c.child.held - before) / len(crowd)] for c, before in zip(contenders, held, strict=True)]

    begun = each_holds()
    half: list[list[float]] = [[], []]
    worst: list[list[float]] = [[], []]
    rates: list[list[float]] = [[], []]
    watched: list[list[float]] = [[], []]
    for number in range(size.rounds):
        for which, contender in enumerate(contenders):
            gc.collect()
            times = load.alone(contender, lone[number], size.lone_orders)
            half[which].append(median(times))
            worst[which].append(percentile(times, 99))
        for which, contender in enumerate(contenders):
            gc.collect()
            began = contender.child.cpu
            orders = load.crowd(tables[which], size.orders_each)
            rates[which].append(orders / (contender.child.cpu - began))
    played = each_holds()
    for table in (*tables[0], *tables[1]):
        table.close()
    watchers = max(size.watchers)
    crowded = [load.Table(contender, lone[-2], watchers) for contender in contenders]
    for _ in range(size.rounds):
        for which, table in enumerate(crowded):
            gc.collect()
            watched[which].append(median(load.latencies(table, size.watched_orders // size.rounds + 1)))
    for table in crowded:
        table.close()

    yield line("order to the other seat, p50", microseconds, half[0], half[1], at_most_floor(1.25), beside)
    yield line("order to the other seat, p99", microseconds, worst[0], worst[1], at_most_floor(1.5), beside)
    yield line(
        f"the same with {watchers:,} watchers, p50",
        microseconds,
        watched[0],
        half[0],
        at_most_floor(2.2),
        "ours without watchers",
    )
    yield line(
        f"orders per core second, {len(crowd)} matches", per_second, rates[0], rates[1], at_least_floor(0.95), beside
    )
    yield line("memory of a match, two sockets, begun", kilobytes, begun[0], begun[1], at_most(63_000), beside)
    after = size.rounds * size.orders_each
    yield line(
        f"memory of a match, two sockets, {after} orders", kilobytes, played[0], played[1], at_most(63_000), beside
    )


def of_fan_out(size: Size, core: int, frame_bytes: int) -> Iterator[Line]:
    for watchers in size.watchers:
        with child("fan_out", "--core", core, "--frame-bytes", frame_bytes) as server:
            sockets = {way: [WebSocket(server.port) for _ in range(watchers)] for way in ("underfire", "library")}
            found: dict[str, list[float]] = {way: [] for way in sockets}
            for way, group in sockets.items():
                for socket in group:
                    socket.send(way.encode())
            for _ in range(size.rounds):
                for way, group in sockets.items():
                    bursts = max(1, size.bursts * max(size.watchers) // watchers)
                    found[way].append(fan_out.frames_per_second(server, group, way, bursts))
            for socket in (*sockets["underfire"], *sockets["library"]):
                socket.close()
        what = f"frames per core second, {watchers:,} watchers"
        beside = "the library's `broadcast`"
        yield line(what, per_second, found["underfire"], found["library"], at_least_floor(1.3), beside)


# --- all of it ------------------------------------------------------------------------------------------------------


def lines(size: Size, core: int, only: Sequence[str]) -> Iterator[Line]:
    """Everything that is measured, or only some parts of it."""
    ruleset = edition()
    lone = [prepare(ruleset, size.scenario, f"lone-{number}", number) for number in range(size.rounds + 2)]
    if "bytes" in only:
        yield from of_bytes(lone)
    if "rules" in only:
        yield from of_rules(size)
    if "fan-out" in only:
        told = [order.told[SPECTATORS] for game in lone for order in game.orders]
        yield from of_fan_out(size, core, round(mean(told)))
    if {"cold", "server"} & set(only):
        with database() as redis_url:
            if "cold" in only:
                yield from of_cold(size, redis_url)
            if "server" in only:
                most = size.rounds * size.orders_each
                crowd = [
                    prepare(ruleset, size.scenario, f"crowd-{number}", number, most) for number in range(size.matches)
                ]
                yield from of_servers(size, redis_url, core, lone, crowd)


PARTS = ("bytes", "rules", "fan-out", "cold", "server")
