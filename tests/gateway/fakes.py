"""Matches that obey no rules: what the gateway needs to be tested without them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from msgspec.structs import replace

from client_protocol.choices import Choice, Picked, Prompt
from client_protocol.forces import Conversion, Force, ForceReport
from client_protocol.from_client import (
    Answer,
    AskAdvice,
    AskExhibition,
    AskLuckReport,
    AskMoments,
    AskPreview,
    AskWhatIf,
    CheckForce,
    CheckHead,
    Claim,
    CommitRandomness,
    Concede,
    ConvertForce,
    ExportCase,
    ExportSetup,
    ExportText,
    Look,
    MakeMatch,
    MakeOffer,
    MoreMatches,
    Order,
    Recall,
    Replay,
    Report,
    Respond,
    RevealRandomness,
    Say,
    TakeBack,
    TakeSeat,
    TieSeat,
)
from client_protocol.from_server import (
    Accepted,
    Advice,
    EditionInfo,
    Exhibition,
    Exported,
    ForceChecked,
    ForceConverted,
    History,
    LuckReport,
    MatchMade,
    MatchPage,
    MatchSummary,
    Moments,
    Pass,
    Preview,
    Refused,
    Remembered,
    ReplayFrame,
    ReplayPart,
    SeatTaken,
    SetupChecked,
    Sight,
    Snapshot,
    Status,
    Update,
    Welcome,
    WhatIf,
)
from client_protocol.shapes import PROTOCOL
from client_protocol.view import ResultView, SeatView, Story, TableView, UnitView, View
from server.gateway import broadcast
from server.gateway.connection import Connection
from server.kernel.belief import SPECTATORS, Audience
from server.matches.log.audiences import text_of
from server.store.errors import MatchRemoved

TOKENS = {"blue-token": "blue", "red-token": "red"}
BLUE, RED = TOKENS
AUDIENCES = ("blue", "red", "")
PART = 2
"""How many frames a part of a replay has."""
Settling = TakeBack | MakeOffer | Respond | Concede | Claim
AtDesk = Settling | Report | TieSeat


class FakeQueries:
    """Says what was asked of it. `frames` is what there is to replay, which begins with what `snapshot` gives an audience."""

    def __init__(self, snapshot: Callable[[str], Snapshot]) -> None:
        self.frames: tuple[ReplayFrame, ...] = ()
        self.what_ifs: list[tuple[str, AskWhatIf]] = []
        self._snapshot = snapshot

    async def preview(self, seat: str, message: AskPreview) -> Preview | Refused:
        return Preview(message.id, f"{seat} might {message.choice}")

    async def advice(self, seat: str, message: AskAdvice) -> Advice | Refused:
        return Advice(message.id, message.prompt, "wait", (), f"{seat} has time.")

    def look(self, audience: Audience, message: Look) -> Sight | Refused:
        return Sight(message.id, message.unit, message.target, 1000, (), f"seen by {text_of(audience) or 'all'}")

    async def what_if(self, seat: str, message: AskWhatIf) -> WhatIf | Refused:
        self.what_ifs.append((seat, message))
        return WhatIf(message.id, message.unit, ())

    async def replay(self, audience: Audience, message: Replay) -> ReplayPart | Refused:
        if message.view != text_of(audience):
            return Refused(message.id, "not_over", "The match is not over.")
        frames = [frame for frame in self.frames if frame.seq > message.after][:PART]
        start = self._snapshot(text_of(audience)) if message.after < 0 else None
        last = len(self.frames)
        return ReplayPart(message.id, tuple(frames), last, bool(frames) and frames[-1].seq < last, start)

    async def luck_report(self, message: AskLuckReport) -> LuckReport | Refused:
        return LuckReport(message.id, ())

    async def export_text(self, audience: Audience, message: ExportText) -> Exported | Refused:  # noqa: ARG002
        return Exported(message.id, "m.txt", "1. They met.\n")

    async def export_case(self, audience: Audience, message: ExportCase) -> Exported | Refused:  # noqa: ARG002
        return Exported(message.id, f"case-{message.view}-{message.frame}.json", "{}\n")

    async def recall(self, audience: Audience, message: Recall) -> History:  # noqa: ARG002
        return History(message.id, (Remembered(1, (Story("turn", "long ago"),)),))

    def export_setup(self, audience: Audience, message: ExportSetup) -> Exported | Refused:  # noqa: ARG002
        return Exported(message.id, "setup.toml", "turn = 1\n")


class FakeRoom:
    """A match in which every answer counts a turn, and says so to all."""

    def __init__(self, match: str) -> None:
        self.match = match
        self.keys: dict[str, str] = {}
        self.turn = 0
        self.seq = 0
        self.results: dict[str, int] = {}
        self.committed: list[str] = []
        self.revealed: dict[str, str] = {}
        self.settled: list[tuple[str, AtDesk]] = []
        self.said: list[tuple[str, str, Say]] = []
        self.queries = FakeQueries(self.snapshot)
        self.orders: list[tuple[str, str, str]] = []
        self.units: dict[str, UnitView] = {}
        self.result: ResultView | None = None
        self.extra: dict[str, object] = {}
        self.gate: asyncio.Event | None = None
        self.closed_prompts: set[str] = set()
        self.inside: set[Connection] = set()
        self.audiences = {name: broadcast.Audience(self._shows(name), spectators=name == "") for name in AUDIENCES}

    def _shows(self, audience: str) -> Callable[[], Snapshot]:
        return lambda: self.snapshot(audience)

    def key_of(self, seat: str) -> str:
        return self.keys.get(seat, "")

    async def tie(self, seat: str, message: TieSeat) -> Accepted | Refused:
        self.settled.append((seat, message))
        return Accepted(message.id, self.seq)

    def prompt(self, audience: str) -> Prompt | None:
        if audience == "":
            return None
        wait = Choice("wait", "Wait")
        return Prompt(f"p{self.seq}", audience, "What now?", (wait,), Picked("wait"))

    def snapshot(self, audience: str) -> Snapshot:
        seats = {name: SeatView(side=name, name=name.title()) for name in ("blue", "red")}
        view = View("A fight", self.turn, 6, "play", "", "", {}, seats, self.units, {}, self.result)
        return Snapshot(
            seq=self.seq,
            match=self.match,
            seat=audience,
            edition="fake",
            view=view,
            table=TableView(48_000, 48_000, ()),
            words={},
            commitment="0" * 64,
            prompt=self.prompt(audience),
            committed=tuple(self.committed),
            revealed=tuple(self.revealed),
        )

    def tell(self, story: str) -> None:
        self.seq += 1
        for name, audience in self.audiences.items():
            audience.publish(self.seq, self._update(name, story))

    def _update(self, audience: str, story: str) -> Update:
        return Update(
            seq=self.seq,
            patch={"turn": self.turn} | ({"result": self.result} if self.result else {}) | self.extra,
            story=(Story("turn", story),),
            prompt=self.prompt(audience),
            committed=tuple(self.committed),
            revealed=tuple(self.revealed),
        )

    async def check_head(self, message: CheckHead) -> Accepted | Refused:
        return Accepted(message.id)

    async def admit(self, token: str) -> Audience | None:
        return TOKENS.get(token) if token else SPECTATORS

    def enter(self, audience: Audience, since: int, connection: Connection) -> None:
        self.inside.add(connection)
        self.audiences[text_of(audience)].enter(connection, since, self.seq)

    def leave(self, connection: Connection) -> None:
        self.inside.discard(connection)
        for audience in self.audiences.values():
            audience.leave(connection)

    def answer(self, seat: str, message: Answer) -> asyncio.Future[Accepted | Refused]:
        return asyncio.ensure_future(self.replied(seat, message))

    async def replied(self, seat: str, message: Answer) -> Accepted | Refused:
        if self.gate is not None:
            await self.gate.wait()
        if message.choice == "explode":
            raise RuntimeError("a bug")
        if message.choice == "too late":
            raise MatchRemoved(self.match)
        if message.prompt in self.closed_prompts:
            return Refused(message.id, "closed", "That has been answered already.")
        if message.id not in self.results:
            self.turn += 1
            self.tell(f"{seat} answers")
            self.results[message.id] = self.seq
        return Accepted(message.id, self.results[message.id])

    async def order(self, seat: str, message: Order) -> Accepted | Refused:
        self.orders.append((seat, message.unit, message.order))
        return Accepted(message.id, self.seq)

    async def say(self, audience: Audience, name: str, message: Say) -> Accepted | Refused:
        self.said.append((text_of(audience), name, message))
        self.tell(f"{text_of(audience) or name or 'A spectator'}: {message.text}")
        return Accepted(message.id, self.seq)

    async def settle_on_desk(self, seat: str, message: Settling) -> Accepted | Refused:
        if self.gate is not None:
            await self.gate.wait()
        return self._once(seat, message)

    async def report(self, audience: Audience, message: Report) -> Accepted | Refused:
        return self._once(text_of(audience), message)

    def _once(self, audience: str, message: AtDesk) -> Accepted:
        if message.id not in self.results:
            self.settled.append((audience, message))
            self.results[message.id] = self.seq
        return Accepted(message.id, self.results[message.id])

    async def commit(self, seat: str, message: CommitRandomness) -> Accepted | Refused:
        self.committed.append(seat)
        self.tell("commits")
        return Accepted(message.id)

    async def reveal(self, seat: str, message: RevealRandomness) -> Accepted | Refused:
        if len(self.committed) < 2:
            return Refused(message.id, "early", "Not all have committed.")
        self.revealed[seat] = message.randomness
        self.tell("reveals")
        return Accepted(message.id)


class FakeRooms:
    """One match, called `m`."""

    def __init__(self) -> None:
        self.room = FakeRoom("m")
        self.state = Status("live", 0)
        self.up = 5000
        self.brought: list[Force | None] = []
        self.files: list[bytes] = []
        self.wanted: list[MakeMatch] = []
        self.matches: list[MatchSummary] = []
        self.unlisted: dict[str, MatchSummary] = {}
        self.listeners: list[Callable[[], None]] = []
        self.status_callbacks: list[Callable[[Status], None]] = []

    @property
    def up_ms(self) -> int:
        return self.up

    @property
    def held(self) -> int:
        return 1

    @property
    def status(self) -> Status:
        return self.state

    def become(self, status: Status) -> None:
        self.state = status
        for callback in self.status_callbacks:
            callback(status)

    def welcome(self) -> Welcome:
        return Welcome(PROTOCOL, "1.2.3", 0, (EditionInfo("fake", "Fake", (), ()),), self.up)

    async def get(self, match: str) -> FakeRoom | None:
        if match == "broken":
            raise RuntimeError("a bug")
        if match == "removed":
            raise MatchRemoved(match)
        return self.room if match == "m" else None

    async def import_match(self, id_: str, data: bytes) -> MatchMade | Refused:
        self.files.append(data)
        return Refused(id_, "no_import", "Not here.")

    async def check_setup(self, id_: str, setup: bytes) -> SetupChecked:
        self.files.append(setup)
        return SetupChecked(id_, problem=f"{len(setup)} bytes")

    async def make(self, message: MakeMatch, setup: bytes = b"") -> MatchMade | Refused:
        self.wanted.append(message)
        if setup:
            self.files.append(setup)
        if message.edition != "fake":
            return Refused(message.id, "no_edition", "There is no such edition here.")
        self.matches.insert(0, MatchSummary(f"n{len(self.matches)}", message.name, "fake", "open", 0, 0, ()))
        for callback in self.listeners:
            callback()
        return MatchMade(message.id, "m", (Pass("blue", token=BLUE), Pass("red", invite="come")))

    async def take_seat(self, message: TakeSeat) -> SeatTaken | Refused:
        self.brought.append(message.force)
        if message.invite != "come":
            return Refused(message.id, "invite", "This invite is not for this seat.")
        return SeatTaken(message.id, message.match, message.seat, RED)

    def check_force(self, message: CheckForce) -> ForceChecked | Refused:
        return ForceChecked(message.id, ForceReport((), len(message.force.units)))

    def convert_force(self, message: ConvertForce) -> ForceConverted | Refused:
        return ForceConverted(message.id, Conversion(replace(message.force, edition=message.edition), ("changed",)))

    more_listed = False

    async def more_matches(self, message: MoreMatches) -> MatchPage | Refused:
        after = next((n for n, info in enumerate(self.matches) if info.match == message.match), -1)
        return MatchPage(message.id, tuple(self.matches[after + 1 :]))

    async def exhibition(self, message: AskExhibition) -> Exhibition | Refused:
        return Exhibition(message.id, "m0")

    async def moments(self, message: AskMoments) -> Moments | Refused:
        return Moments(message.id, ())

    async def listing(self) -> tuple[MatchSummary, ...]:
        return tuple(self.matches)

    async def summaries(self, matches: Collection[str]) -> tuple[MatchSummary, ...]:
        found = {info.match: info for info in self.matches} | self.unlisted
        return tuple(found[match] for match in matches if match in found)

    def changed(self) -> None:
        for callback in self.listeners:
            callback()

    def on_listing_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        self.listeners.append(callback)
        return lambda: self.listeners.remove(callback)

    def on_status(self, callback: Callable[[Status], None]) -> Callable[[], None]:
        self.status_callbacks.append(callback)
        return lambda: self.status_callbacks.remove(callback)
