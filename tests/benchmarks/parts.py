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

from server import compiled
from server.kernel.belief import Audience
from server.kernel.ruleset import Ruleset
from server.rulesets import library
from server.store.embedded import EmbeddedValkey
from tests.benchmarks import (
    aims,
    capacity,
    cold,
    fan_out,
    floor,
    forms,
    load,
    prompts,
    rules,
    seasons,
    seeds,
    serving,
    wire,
)
from tests.benchmarks.control import child
from tests.benchmarks.lines import (
    Line,
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
from tests.benchmarks.loop import new_loop
from tests.benchmarks.prepared import SPECTATORS, Order, Prepared, long_match, prepare
from tests.benchmarks.sockets import WebSocket

_WARMING = 3
"""How many matches are played before servers are measured."""


@dataclass(frozen=True)
class Size:
    """How much is measured. Whole games are played of so many `scenarios` of each edition (0: of all), on the big table so
    many `prompts` of one. Both forms of the rules, and what a core holds, are measured of so many `editions` (0: of all).
    """

    rounds: int
    lone_orders: int
    matches: int
    orders_each: int
    spectators: tuple[int, ...]
    watched_orders: int
    bursts: int
    games: int
    long_steps: int
    prompts: int
    effort: capacity.Effort
    season: seasons.Effort
    scenarios: int = 0
    editions: int = 0
    warming_orders: int = 10_000

    @property
    def alone(self) -> int:
        """How many matches are played one by one: one in each round, one with spectators, and some to warm the servers up."""
        return self.rounds + 1 + _WARMING


FULL = Size(5, 120, 100, 10, (200, 1000), 30, 8, 12, 1000, 400, capacity.FULL, seasons.FULL)
QUICK = Size(3, 50, 100, 4, (200, 1000), 10, 3, 4, 1000, 200, capacity.QUICK, seasons.QUICK)
TINY = Size(1, 4, 3, 2, (5,), 2, 1, 1, 40, 5, capacity.TINY, seasons.TINY, 1, 1, 4)
"""Enough to see that everything runs."""


# --- the rules alone ------------------------------------------------------------------------------------------------


def of_rules(size: Size, ruleset: Ruleset) -> Iterator[Line]:
    """The rules that remember nothing of the table (cold), then with what they remember from the same games (warm)."""
    name, chosen = ruleset.info.name, seeds.first(size.games)
    recorded = [rules.record(ruleset, rules.served(ruleset), seed) for seed in chosen]
    cold_times, warm_times, floors = [], [], []
    for _ in range(size.rounds):
        rules_now = rules.fresh(ruleset)
        cold_times.append(rules.deciding(rules_now, recorded))
        warm_times.append(rules.deciding(rules_now, recorded))
        floors.append(rules.folding(recorded))
    decisions = sum(len(game.answers) for game in recorded)
    cold_rate, warm_rate, floor_rate = (decisions / rules.best(times) for times in (cold_times, warm_times, floors))
    floor_is = "the same facts, only folded"
    aim = aims.DECISIONS.get(ruleset.info.id)
    yield line(f"rules alone, decisions, cold, {name}", per_second, [cold_rate], [floor_rate], aim, floor_is)
    yield line(f"rules alone, decisions, warm, {name}", per_second, [warm_rate], [floor_rate], None, floor_is)
    for scenario in ruleset.info.scenarios[: size.scenarios or None]:
        games, folds = [], []
        for _ in range(size.rounds):
            games.append(rules.playing(rules.fresh(ruleset), scenario.id, chosen))
            folds.append(rules.folding(recorded))
        rate, floor_rate = (len(chosen) / rules.best(times) for times in (games, folds))
        aim = aims.GAMES.get(scenario.id)
        what = f"rules alone, games, {name}, {scenario.name}"
        yield line(what, per_second, [rate], [floor_rate], aim, "games that are served, only folded")


def of_forms(size: Size, core: int, ruleset: Ruleset) -> Iterator[Line]:
    """What compiling the rules gains. Nothing is measured where they are not compiled."""
    if compiled.WHY_NOT:
        return
    found = forms.both(ruleset, core, size.rounds, size.games)
    for memory, rate in found["on"].items():
        what = f"rules compiled, decisions, {memory}, {ruleset.info.name}"
        yield line(what, per_second, [rate], [found["off"][memory]], None, "the same, uncompiled")


def of_prompts(size: Size, ruleset: Ruleset) -> Iterator[Line]:
    """How long a prompt takes to make, on the tables of the scenarios and on a big one."""
    starts = [ruleset.open(scenario.id, {}) for scenario in ruleset.info.scenarios[: size.scenarios or None]]
    chosen = seeds.first(size.games)
    on_ours = prompts.measured(ruleset, starts, chosen)
    on_big = prompts.measured(ruleset, [prompts.big_table(ruleset)], chosen[:1], size.prompts)
    for where, made in (("", on_ours), (f"{prompts.FIGURES} figures, {prompts.PIECES} pieces, ", on_big)):
        times = [one.seconds for one in made]
        name = f"{where}{ruleset.info.name}"
        yield line(f"a prompt made, p50, {name}", microseconds, [median(times)], None, None)
        yield line(f"a prompt made, p99, {name}", microseconds, [percentile(times, 99)], None, at_most(0.003))
        yield line(f"a prompt made, worst, {name}", microseconds, [max(times)], None, at_most(0.010))


# --- bytes ----------------------------------------------------------------------------------------------------------


def _p99(sizes: Sequence[int]) -> float:
    return percentile(sizes, 99)


def _wire(order: Order) -> dict[Audience, int]:
    return order.wire


def _plain(order: Order) -> dict[Audience, int]:
    return order.plain


def of_bytes(name: str, games: Sequence[Prepared]) -> Iterator[Line]:
    """The bytes of whole websocket frames, as they go over TCP to a peer that takes them compressed."""
    orders = [order for game in games for order in game.orders]
    moves = [order for order in orders if order.moves]
    floor_is = "the same, not compressed"

    def to_seats(sizes: dict[Audience, int]) -> list[int]:
        return [size for audience, size in sizes.items() if audience != SPECTATORS]

    def to_spectators(sizes: dict[Audience, int]) -> list[int]:
        return [sizes[SPECTATORS]]

    for what, these, readers, figure, aim in (
        ("bytes of a move, to a spectator, p50", moves, to_spectators, median, at_most(120)),
        ("bytes of a move, to a seat, prompts too, p50", moves, to_seats, median, at_most(120)),
        ("bytes of an order, to a spectator, mean", orders, to_spectators, mean, at_most(150)),
        ("bytes of an order, to a spectator, p50", orders, to_spectators, median, None),
        ("bytes of an order, to a spectator, p99", orders, to_spectators, _p99, None),
        ("bytes of an order, to a seat, mean", orders, to_seats, mean, at_most(300)),
        ("bytes of an order, to a seat, p50", orders, to_seats, median, None),
        ("bytes of an order, to a seat, p99", orders, to_seats, _p99, None),
    ):
        ours, plain = ([n for order in these for n in readers(sizes(order))] for sizes in (_wire, _plain))
        yield line(f"{what}, {name}", octets, [figure(ours)], [figure(plain)], aim, floor_is)
    for to, seats in (("a spectator", (SPECTATORS,)), ("a seat", games[0].seats)):
        packed, compressed = zip(*(wire.seconds(game, seat) for game in games for seat in seats), strict=True)
        what = f"compressing a frame to {to}, {name}"
        yield line(what, microseconds, compressed, packed, None, "packing it as MessagePack")
    held = [wire.held([order.told[seat] for order in game.orders]) for game in games for seat in game.seats]
    what = f"memory of a compressing seat, {len(games[0].orders)} orders, {name}"
    yield line(
        what, kilobytes, [ours for ours, _ in held], [plain for _, plain in held], at_most_floor(1.05), "a plain one"
    )


# --- with a database ------------------------------------------------------------------------------------------------


@contextmanager
def database() -> Iterator[str]:
    """A Valkey that syncs before it answers, for all servers that are measured; its URL."""

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


def of_cold(size: Size, redis_url: str, ruleset: Ruleset) -> Iterator[Line]:
    prepared = long_match(ruleset, rules.served(ruleset), f"{ruleset.info.id}-long", size.long_steps + 10)
    asyncio.run(cold.put_all(redis_url, [prepared]))
    with asyncio.Runner(loop_factory=new_loop()) as runner:
        loaded, decoded = runner.run(cold.times(redis_url, ruleset, prepared, size.rounds))
    what = f"a match of {size.long_steps:,} steps back on a cold node, {ruleset.info.name}"
    yield line(what, milliseconds, loaded, decoded, at_most(0.008), "its entries read and decoded")


def of_servers(
    size: Size,
    redis_url: str,
    core: int,
    name: str,
    lone: Sequence[Prepared],
    crowd: Sequence[Prepared],
    later: Sequence[Prepared],
) -> Iterator[Line]:
    """The two servers in turns, with the same orders. `lone` are whole matches, `size.alone` of them; `later` are more, which
    come when those of the `crowd` are there.
    """
    asyncio.run(cold.put_all(redis_url, [*lone, *crowd, *later]))
    entry_bytes, frame_bytes = _sizes(lone)
    floor_flags = ("--entry-bytes", entry_bytes, "--frame-bytes", frame_bytes)
    common = ("--core", core, "--redis", redis_url)
    with ExitStack() as stack:
        contenders = (
            load.Contender(stack.enter_context(child("serving", *common)), serving.GREETINGS, serving.REPLIES),
            load.Contender(stack.enter_context(child("floor", *common, *floor_flags)), floor.GREETINGS, floor.REPLIES),
        )
        yield from _of_orders(size, contenders, name, lone, crowd, later)


def _sizes(games: Sequence[Prepared]) -> tuple[int, int]:
    """Return the mean size of an entry, and of a frame as it is sent, in bytes."""
    orders = [order for game in games for order in game.orders]
    entry_bytes = round(mean(order.entry_bytes for order in orders))
    return entry_bytes, round(mean(size for order in orders for size in order.wire.values()))


class _Memory:
    """The memory that each of some servers has taken for so many matches since this was made, in bytes a match."""

    def __init__(self, contenders: Sequence[load.Contender], matches: int) -> None:
        self._contenders = contenders
        self._matches = matches
        self._before = [contender.child.held for contender in contenders]

    def each(self) -> list[list[float]]:
        return [
            [(contender.child.held - before) / self._matches]
            for contender, before in zip(self._contenders, self._before, strict=True)
        ]


def _of_memory(
    contenders: Sequence[load.Contender], later: Sequence[Prepared], orders: int
) -> tuple[list[list[float]], list[list[float]], list[list[float]]]:
    """What a further match takes, in bytes, on servers that hold many: loaded, with two sockets, and after so many orders.

    What is done for the first time, and every hundred orders at once, leave free room behind, which does not grow with the
    matches: in each stage, half of `later` fills what the stage before has left, and the other half is measured.
    """
    half = len(later) // 2
    filling, measured = later[:half], later[half:]
    load.visit(contenders, filling)
    memory = _Memory(contenders, len(measured))
    load.visit(contenders, measured)
    alone = memory.each()
    fillers = [[load.Table(contender, one) for one in filling] for contender in contenders]
    memory = _Memory(contenders, len(measured))
    tables = [[load.Table(contender, one) for one in measured] for contender in contenders]
    entered = memory.each()
    for own in fillers:
        load.crowd(own, orders)
    memory = _Memory(contenders, len(measured))
    for own in tables:
        load.crowd(own, orders)
    played = memory.each()
    for own in (*fillers, *tables):
        for table in own:
            table.close()
    begun = [[left + more] for [left], [more] in zip(alone, entered, strict=True)]
    return alone, begun, [[left + more] for [left], [more] in zip(begun, played, strict=True)]


def _of_orders(
    size: Size,
    contenders: Sequence[load.Contender],
    name: str,
    lone: Sequence[Prepared],
    crowd: Sequence[Prepared],
    later: Sequence[Prepared],
) -> Iterator[Line]:
    floor_is = "bare websockets and redis-py"
    # What is only loaded once is loaded now.
    load.warm_up(contenders, lone[size.rounds + 1 :], size.warming_orders)
    first = _Memory(contenders, len(crowd))
    tables = [[load.Table(contender, prepared) for prepared in crowd] for contender in contenders]
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
    first_hundred = first.each()
    alone, begun, played = _of_memory(contenders, later, size.rounds * size.orders_each)
    for table in (*tables[0], *tables[1]):
        table.close()
    spectators = max(size.spectators)
    crowded = [load.Table(contender, lone[size.rounds], spectators) for contender in contenders]
    for _ in range(size.rounds):
        for which, table in enumerate(crowded):
            gc.collect()
            watched[which].append(median(load.latencies(table, size.watched_orders // size.rounds + 1)))
    for table in crowded:
        table.close()

    yield line(f"order to the other seat, p50, {name}", microseconds, half[0], half[1], at_most_floor(1.6), floor_is)
    yield line(f"order to the other seat, p99, {name}", microseconds, worst[0], worst[1], at_most_floor(3), floor_is)
    yield line(
        f"the same with {spectators:,} spectators, p50, {name}",
        microseconds,
        watched[0],
        half[0],
        at_most_floor(2.2),
        "ours without spectators",
    )
    yield line(
        f"orders per core second, {len(crowd)} matches, {name}",
        per_second,
        rates[0],
        rates[1],
        aims.ORDERS.get(name),
        floor_is,
    )
    yield line(f"memory of a match, without sockets, {name}", kilobytes, alone[0], alone[1], at_most(40_000), floor_is)
    yield line(
        f"memory of a match, two sockets, begun, {name}", kilobytes, begun[0], begun[1], at_most(80_000), floor_is
    )
    after = size.rounds * size.orders_each
    yield line(
        f"memory of a match, two sockets, {after} orders, {name}",
        kilobytes,
        played[0],
        played[1],
        at_most(150_000),
        floor_is,
    )
    yield line(
        f"the same, of the first {len(crowd)} matches on a server, {name}",
        kilobytes,
        first_hundred[0],
        first_hundred[1],
        None,
        floor_is,
    )


def of_server_forms(size: Size, redis_url: str, core: int, ruleset: Ruleset) -> Iterator[Line]:
    """What compiling the rules gains a whole server: both forms play the same orders in turns, each in matches of its own.
    Nothing is measured where they are not compiled.
    """
    if compiled.WHY_NOT:
        return
    matches = max(1, size.matches // 4)
    crowds = {form: _crowd(ruleset, matches, size.rounds * size.orders_each, form) for form in ("on", "off")}
    asyncio.run(cold.put_all(redis_url, [prepared for crowd in crowds.values() for prepared in crowd]))
    rates: dict[str, list[float]] = {form: [] for form in crowds}
    with ExitStack() as stack:
        servers = {
            form: stack.enter_context(
                child("serving", "--core", core, "--redis", redis_url, environment={compiled.SWITCH: form})
            )
            for form in crowds
        }
        tables = {
            form: [
                load.Table(load.Contender(server, serving.GREETINGS, serving.REPLIES), prepared)
                for prepared in crowds[form]
            ]
            for form, server in servers.items()
        }
        for _ in range(size.rounds):
            for form, server in servers.items():
                gc.collect()
                began = server.cpu
                orders = load.crowd(tables[form], size.orders_each)
                rates[form].append(orders / (server.cpu - began))
        for table in (*tables["on"], *tables["off"]):
            table.close()
    what = f"rules compiled, orders per core second, {matches} matches, {ruleset.info.name}"
    yield line(what, per_second, rates["on"], rates["off"], None, "the same, uncompiled")


def of_fan_out(size: Size, core: int, frame_bytes: int) -> Iterator[Line]:
    for spectators in size.spectators:
        with child("fan_out", "--core", core, "--frame-bytes", frame_bytes) as server:
            sockets = {way: [WebSocket(server.port) for _ in range(spectators)] for way in ("underfire", "library")}
            found: dict[str, list[float]] = {way: [] for way in sockets}
            for way, group in sockets.items():
                for socket in group:
                    socket.send(way.encode())
            for _ in range(size.rounds):
                for way, group in sockets.items():
                    bursts = max(1, size.bursts * max(size.spectators) // spectators)
                    found[way].append(fan_out.frames_per_second(server, group, way, bursts))
            for socket in (*sockets["underfire"], *sockets["library"]):
                socket.close()
        what = f"frames per core second, {spectators:,} spectators"
        floor_is = "the library's `broadcast`"
        yield line(what, per_second, found["underfire"], found["library"], at_least_floor(1.3), floor_is)


def of_leagues(size: Size, core: int, rulesets: Sequence[Ruleset]) -> Iterator[Line]:
    """How long a season is shown, of one edition in which forces live on."""
    live_on = [ruleset for ruleset in rulesets if ruleset.info.campaign is not None]
    with database() as redis_url:
        for ruleset in live_on[:1]:
            yield from seasons.lines(size.season, redis_url, core, ruleset)


# --- all of it ------------------------------------------------------------------------------------------------------


def lines(size: Size, core: int, only: Sequence[str], editions: Sequence[str] = ()) -> Iterator[Line]:
    """Everything that is measured, or only some parts of it, of every edition or only of some."""
    rulesets = [library.edition(name) for name in editions or library.editions()]
    lone = {ruleset.info.id: _whole(ruleset, size.alone) for ruleset in rulesets}
    some = rulesets[: size.editions or None]
    for ruleset in rulesets:
        yield from _alone(size, core, only, ruleset, lone[ruleset.info.id], ruleset in some)
    if "fan-out" in only:
        told = [order.plain[SPECTATORS] for games in lone.values() for game in games for order in game.orders]
        yield from of_fan_out(size, core, round(mean(told)))
    if "leagues" in only:
        yield from of_leagues(size, core, rulesets)
    if {"cold", "server", "capacity"} & set(only):
        with database() as redis_url:
            for ruleset in rulesets:
                yield from _with_database(size, redis_url, core, only, ruleset, lone[ruleset.info.id], ruleset in some)


def _alone(
    size: Size, core: int, only: Sequence[str], ruleset: Ruleset, lone: Sequence[Prepared], whole: bool
) -> Iterator[Line]:
    """What is measured without a server; `whole` also measures what is measured of some editions alone."""
    if "bytes" in only:
        yield from of_bytes(ruleset.info.name, lone)
    if "rules" in only:
        yield from of_rules(size, ruleset)
        if whole:
            yield from of_forms(size, core, ruleset)
    if "prompts" in only:
        yield from of_prompts(size, ruleset)


def _with_database(
    size: Size,
    redis_url: str,
    core: int,
    only: Sequence[str],
    ruleset: Ruleset,
    lone: Sequence[Prepared],
    whole: bool,
) -> Iterator[Line]:
    """What needs a database; `whole` also measures what is measured of some editions alone."""
    if "cold" in only:
        yield from of_cold(size, redis_url, ruleset)
    if "server" in only:
        orders = size.rounds * size.orders_each
        crowd, *others = (_crowd(ruleset, size.matches, orders, form) for form in ("", "-filling", "-further"))
        later = [one for other in others for one in other]
        yield from of_servers(size, redis_url, core, ruleset.info.name, lone, crowd, later)
        if whole:
            yield from of_server_forms(size, redis_url, core, ruleset)
    if "capacity" in only and whole:
        yield from capacity.lines(size.effort, redis_url, core, ruleset, *_sizes(lone))


def _whole(ruleset: Ruleset, matches: int) -> list[Prepared]:
    """Whole matches."""
    name = ruleset.info.id
    chosen = seeds.first(matches)
    return [prepare(ruleset, rules.served(ruleset), f"{name}-lone-{seed}", seed) for seed in chosen]


def _crowd(ruleset: Ruleset, matches: int, most: int, form: str = "") -> list[Prepared]:
    """The beginnings of many matches, called after a form of the rules that plays them alone."""
    name = f"{ruleset.info.id}{form}"
    chosen = seeds.first(matches)
    return [
        prepare(ruleset, rules.served(ruleset), f"{name}-crowd-{number}", seed, most)
        for number, seed in enumerate(chosen)
    ]


PARTS = ("bytes", "rules", "prompts", "fan-out", "cold", "server", "leagues", "capacity")
