"""A stand-in for the server, which serves the replay of an invented match of any length."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from playwright.async_api import Page, WebSocketRoute

from client_protocol.codec import decode_client, pack
from client_protocol.explained import Explained, Line
from client_protocol.from_client import AskLuckReport, EnterMatch, Ping, Replay
from client_protocol.from_server import (
    LuckReport,
    Pong,
    Refused,
    ReplayFrame,
    ReplayPart,
    ServerMessage,
    Snapshot,
    Update,
    Welcome,
)
from client_protocol.luck import Luck, LuckRow
from client_protocol.shapes import PROTOCOL
from client_protocol.view import (
    Die,
    FigureView,
    ResultView,
    SeatView,
    SideView,
    Story,
    TableView,
    TerrainView,
    UnitView,
    View,
    Word,
)
from tests.support.playing import merged

MATCH = "long"
SIDES = {"blue": SideView("Blue", "B", "circle", "b", ()), "red": SideView("Red", "R", "square", "r", ())}
SIZE = 48_000
UNITS = 12
FIGURES = 8
A_TURN = 125
PART = 200
RESULT = ResultView("blue", "Red has nobody left on the table.", "", "rules")

Patch = dict[str, Any]


def _piece(name: str, kind: str, x: int, y: int, width: int, height: int) -> TerrainView:
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return TerrainView(name.lower(), name, kind, corners, False, "", (), "clear", 0)


TABLE = TableView(
    SIZE,
    SIZE,
    (
        _piece("Wood", "wood", 8_000, 20_000, 9_000, 7_000),
        _piece("House", "building", 24_000, 22_000, 6_000, 5_000),
        _piece("Hill", "hill", 34_000, 16_000, 10_000, 12_000),
    ),
)


def beginning() -> View:
    """How the match begins: two forces that face each other."""
    units = {}
    for number in range(2 * UNITS):
        side, row = ("blue", 4_000) if number < UNITS else ("red", SIZE - 6_000)
        x = 2_000 + (number % UNITS) * 3_800
        figures = {
            f"{number}-{i}": FigureView((x + i % 2 * 1_300, row + i // 2 * 1_300), 500, "rifle" if i else "leader")
            for i in range(FIGURES)
        }
        units[f"u{number}"] = UnitView(side, f"Squad {number + 1}", number % UNITS + 1, figures, {})
    seats = {"b": SeatView("blue", "Ann", True), "r": SeatView("red", "Bob", True)}
    return View("The long day", 0, 8, "play", "", "", SIDES, seats, units, {})


def long_match(count: int) -> tuple[View, list[ReplayFrame], View]:
    """A match of so many frames: its beginning, its frames, its end."""
    chance = random.Random(4)
    start = beginning()
    view = msgspec.to_builtins(start)
    frames: list[ReplayFrame] = []
    turn = 0
    for seq in range(1, count + 1):
        at = 1_700_000_000_000 + seq * 5_000
        patch: Patch = {}
        back = -1
        story: tuple[Story, ...]
        if seq == count:
            patch, story = {"result": msgspec.to_builtins(RESULT)}, (Story("end", RESULT.reason, side="blue"),)
        elif seq % A_TURN == 1:
            turn += 1
            patch, story = {"turn": turn}, (Story("turn", f"Turn {turn}"),)
        elif seq == 60:
            back, story = 57, (Story("back", "Ann takes back; Bob agreed.", side="blue"),)
        elif seq % 40 == 7:
            story = (Story("chat", f"Well, that was step {seq}.", channel="table", speaker="b", at=at),)
        else:
            patch, story = _step(view, seq, chance)
        view = merged(view, patch)
        frames.append(ReplayFrame(seq, at, turn, patch, story, back))
    return start, frames, msgspec.convert(view, View)


def _step(view: Patch, seq: int, chance: random.Random) -> tuple[Patch, tuple[Story, ...]]:
    """A unit moves, or fires at another one."""
    unit = chance.choice(list(view["units"]))
    row = view["units"][unit]
    standing = [key for key, figure in row["figures"].items() if not figure["fallen"]]
    if chance.random() < 0.6 and standing:
        by = chance.randint(-2_000, 2_000), chance.randint(-2_500, 2_500)
        moved = {
            key: {"at": [min(max(at + add, 500), SIZE - 500) for at, add in zip(figure["at"], by, strict=True)]}
            for key, figure in row["figures"].items()
            if key in standing
        }
        patch = {"active_unit": unit, "units": {unit: {"figures": moved, "activated": True}}}
        return patch, (Story("move", f"{row['name']} moves {seq}.", side=row["side"], units=(unit,)),)
    fallen = chance.sample(standing, min(len(standing), chance.randint(0, 1)))
    patch = {"units": {unit: {"figures": {key: {"fallen": True} for key in fallen}}}} if fallen else {}
    dice = tuple(Die(6, face, "hit" if face > 4 else "") for face in (chance.randint(1, 6) for _ in range(5)))
    number = Explained(5, (Line("SET", 4, "regular", ""), Line("ADD", 1, "cover", "")))
    told = [Story("fire", f"Fire at {row['name']} {seq}.", units=(unit,), dice=dice, numbers=(number,))]
    if fallen:
        told.append(Story("loss", f"{row['name']} loses one.", side=row["side"], units=(unit,)))
    return patch, tuple(told)


def luck_of(frames: Sequence[ReplayFrame], start: View) -> tuple[LuckRow, ...]:
    """Return the luck of the rolls in a long match's story."""
    rows = []
    for frame in frames:
        for story in frame.story:
            if not story.dice or not story.units:
                continue
            target = story.units[0]
            side = "red" if start.units[target].side == "blue" else "blue"
            hits = sum(die.mark == "hit" for die in story.dice)
            luck = Luck(
                side, "u0" if side == "blue" else f"u{UNITS}", "hits", 16_667, hits * 10_000, 10_541, 2_000, 3_000
            )
            fallen = {start.units[target].side: 1} if len(frame.story) > 1 else {}
            rows.append(LuckRow(frame.seq, frame.turn, story.text, luck, story.dice, "", target, fallen))
    return tuple(rows)


class LongMatch:
    """Serves a match of `count` frames over a page's websocket. While it is not `over`, only the first `shown` are
    there, and `play` lets it go on.
    """

    def __init__(self, count: int, shown: int = -1) -> None:
        self.start, self.frames, self.end = long_match(count)
        self.shown = count if shown < 0 else shown
        self.asked: list[Replay] = []
        self._sockets: list[WebSocketRoute] = []

    @property
    def over(self) -> bool:
        return self.shown == len(self.frames)

    def view_at(self, count: int) -> View:
        """The view after so many frames."""
        view: object = msgspec.to_builtins(self.start)
        for frame in self.frames[:count]:
            view = merged(view, frame.patch)
        return msgspec.convert(view, View)

    async def take_over(self, page: Page) -> None:
        """Stand in the place of the server for this page."""
        await page.route_web_socket("**/ws", self._connected)

    def play(self, count: int) -> None:
        """So many frames more happen."""
        for frame in self.frames[self.shown : self.shown + count]:
            self.shown += 1
            for socket in self._sockets:
                socket.send(pack(Update(frame.seq, frame.patch, frame.story)))

    def _connected(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        socket.on_message(lambda data: self._answer(socket, data))

    def _answer(self, socket: WebSocketRoute, data: str | bytes) -> None:
        assert isinstance(data, bytes)
        message = decode_client(data)
        answers: list[ServerMessage] = []
        if isinstance(message, EnterMatch):
            answers = [Welcome(PROTOCOL, "0", 0), self._snapshot(self.view_at(self.shown), self.shown)]
        elif isinstance(message, Ping):
            answers = [Pong(message.id, 0)]
        elif isinstance(message, Replay):
            self.asked.append(message)
            answers = [self._part(message)]
        elif isinstance(message, AskLuckReport):
            answers = [LuckReport(message.id, luck_of(self.frames, self.start))]
        for answer in answers:
            socket.send(pack(answer))

    def _part(self, message: Replay) -> ServerMessage:
        if message.view and not self.over:
            return Refused(message.id, "not_yet", "What others saw is shown when the match is over.")
        after = max(message.after, 0)
        frames = tuple(self.frames[after : min(after + PART, self.shown)])
        last = after + len(frames)
        start = self._snapshot(self.start, 0) if message.after < 0 else None
        return ReplayPart(message.id, frames, self.shown, last < self.shown, start)

    def _snapshot(self, view: View, seq: int) -> Snapshot:
        words = {"play": Word("Play", "Units act in turn.")}
        seats = tuple(view.seats)
        return Snapshot(seq, MATCH, "", "toy", view, TABLE, words, "0" * 64, None, seats, seats)
