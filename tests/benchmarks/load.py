"""The load generator: it sends prepared answers, and knows when all sockets have got their frames."""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.benchmarks.control import Child
from tests.benchmarks.prepared import Order, Prepared
from tests.benchmarks.sockets import PATIENCE, WebSocket

REFUSED = b"\xa4type\xa7refused"
"""What stands in every refusal."""


@dataclass(frozen=True)
class Contender:
    """A server that is measured: how many messages it sends on entering, and how many after an order, the frame not counted."""

    child: Child
    greetings: int
    replies: int


class Table:
    """A match on a server, with a socket for each seat and one for each spectator."""

    def __init__(self, contender: Contender, prepared: Prepared, spectators: int = 0) -> None:
        self._replies = contender.replies
        self.seats = {seat: _enter(contender, prepared, seat) for seat in prepared.seats}
        self.spectators = [_enter(contender, prepared, "") for _ in range(spectators)]
        self.orders: Iterator[Order] = iter(prepared.orders)
        self.owed = 0
        """Messages that are still to come for the order that was sent last."""

    def close(self) -> None:
        for socket in (*self.seats.values(), *self.spectators):
            socket.close()

    def order(self) -> bool:
        """Send the next order. False when there is none."""
        order = next(self.orders, None)
        if order is None:
            return False
        self.owed = len(self.seats) + self._replies
        self.seats[order.seat].send(order.message)
        return True

    def timed(self) -> float:
        """Send the next order and wait for all sockets. Return the seconds until the other seat has its frame."""
        order = next(self.orders)
        own = self.seats[order.seat]
        (other,) = (socket for seat, socket in self.seats.items() if seat != order.seat)
        began = time.perf_counter()
        own.send(order.message)
        try:
            other.take()
        except TimeoutError:
            raise AssertionError(f"no socket gets a frame of the order; its seat gets {own.take()!r}") from None
        seen = time.perf_counter() - began
        for _ in range(1 + self._replies):
            _accept(own.take())
        for socket in self.spectators:
            socket.take()
        return seen


def _enter(contender: Contender, prepared: Prepared, seat: str) -> WebSocket:
    socket = WebSocket(contender.child.port)
    socket.send(prepared.entering(seat))
    for _ in range(contender.greetings):
        _accept(socket.take())
    return socket


def _accept(payload: bytes) -> bytes:
    assert REFUSED not in payload, payload
    return payload


def visit(contenders: Sequence[Contender], crowd: Sequence[Prepared]) -> None:
    """Let each server load many matches, and leave them without a socket."""
    for contender in contenders:
        for prepared in crowd:
            _enter(contender, prepared, prepared.seats[0]).close()


def warm_up(contenders: Sequence[Contender], games: Sequence[Prepared], most: int) -> None:
    """Let each server play so many orders of each of these games, one game after the other."""
    for contender in contenders:
        for prepared in games:
            alone(contender, prepared, most)


def alone(contender: Contender, prepared: Prepared, most: int) -> list[float]:
    """`latencies` at a table that is there for this alone."""
    table = Table(contender, prepared)
    try:
        return latencies(table, most)
    finally:
        table.close()


def latencies(table: Table, most: int) -> list[float]:
    """Seconds from an order to the other seat's frame, one order at a time."""
    found = []
    for _ in range(most):
        try:
            found.append(table.timed())
        except StopIteration:
            break
    return found


def crowd(tables: Sequence[Table], each: int) -> int:
    """Play so many orders at each of many tables, all tables at once. Returns how many orders there were."""
    sent = 0
    left = dict.fromkeys(range(len(tables)), each)
    with selectors.DefaultSelector() as selector:
        for number, table in enumerate(tables):
            for socket in table.seats.values():
                selector.register(socket, selectors.EVENT_READ, (number, socket))

        def go_on(number: int) -> None:
            nonlocal sent
            left[number] -= 1
            if left[number] < 0 or not tables[number].order():
                del left[number]
            else:
                sent += 1

        for number in list(left):
            go_on(number)
        while left:
            events = selector.select(PATIENCE)
            assert events, "the server says nothing more"
            for key, _ in events:
                number, socket = key.data
                table = tables[number]
                for payload in socket.ready():
                    _accept(payload)
                    table.owed -= 1
                if not table.owed and number in left:
                    go_on(number)
    return sent
