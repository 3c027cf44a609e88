"""Who may say what, and how fast: a table of every message there is, from four places."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from client_protocol.from_client import (
    ActInLeague,
    Answer,
    AskAdvice,
    AskChallenge,
    AskExhibition,
    AskLeague,
    AskLeagues,
    AskLuckReport,
    AskMoments,
    AskPlayer,
    AskPreview,
    AskRoster,
    AskTopic,
    AskWhatIf,
    CheckForce,
    CheckHead,
    CheckSetup,
    Claim,
    ClientMessage,
    CommitRandomness,
    Concede,
    ConvertForce,
    EnterLobby,
    EnterMatch,
    ExportCase,
    ExportSetup,
    ExportText,
    ForgetPlayer,
    ImportMatch,
    Introduce,
    Look,
    MakeLeague,
    MakeMatch,
    MakeOffer,
    MoreMatches,
    Order,
    Ping,
    PlayFixture,
    Recall,
    Replay,
    Report,
    Respond,
    RevealRandomness,
    Say,
    SetLeagueWebhook,
    SetMatchWebhook,
    SetNotices,
    TakeBack,
    TakeSeat,
    TieSeat,
    Upload,
)
from client_protocol.from_server import (
    Matches,
    MatchesChanged,
    Refused,
    ServerMessage,
    Snapshot,
    Status,
    Update,
    Welcome,
)
from client_protocol.shapes import PROTOCOL
from server.gateway.limits import Limits, Rate
from server.kernel.belief import SPECTATORS
from tests.gateway.conftest import Connect, Peer
from tests.gateway.fakes import BLUE, FakeRooms
from tests.gateway.samples import KINDS, sample

Kind = type[ClientMessage]
ENTERING: tuple[Kind, ...] = (EnterLobby, EnterMatch)
ANYWHERE: tuple[Kind, ...] = (
    MoreMatches,
    AskExhibition,
    AskMoments,
    MakeMatch,
    Upload,
    CheckSetup,
    ImportMatch,
    TakeSeat,
    CheckForce,
    ConvertForce,
    Ping,
    AskChallenge,
    Introduce,
    AskPlayer,
    SetNotices,
    AskTopic,
    ForgetPlayer,
    AskLeagues,
    MakeLeague,
    AskLeague,
    AskRoster,
    ActInLeague,
    SetLeagueWebhook,
    PlayFixture,
)
IN_A_MATCH: tuple[Kind, ...] = (
    Look,
    Recall,
    Replay,
    AskLuckReport,
    ExportSetup,
    ExportText,
    ExportCase,
    CheckHead,
    Say,
    Report,
)
SEATED: tuple[Kind, ...] = (
    Answer,
    AskPreview,
    AskAdvice,
    AskWhatIf,
    Order,
    TakeBack,
    MakeOffer,
    Respond,
    Concede,
    Claim,
    CommitRandomness,
    RevealRandomness,
    TieSeat,
    SetMatchWebhook,
)
OF_THE_ROOM = tuple(kind for kind in (*IN_A_MATCH, *SEATED) if kind is not SetMatchWebhook)
PLACES = ("outside", "start page", "spectator", "seat")
WRONG_PLACE = {"enter_first", "entered", "no_room", "no_seat"}
UNASKED = (Update, Matches, MatchesChanged, Status)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
each_place = pytest.mark.parametrize("place", PLACES)


def test_no_message_is_forgotten() -> None:
    told = (*ENTERING, *ANYWHERE, *IN_A_MATCH, *SEATED)
    assert sorted(kind.__name__ for kind in told) == sorted(kind.__name__ for kind in KINDS)
    assert all(type(sample(kind)) is kind for kind in KINDS)


def verdict(kind: Kind, place: str) -> str:
    """The code with which a message is refused where it does not belong; nothing where it does."""
    if kind in ENTERING:
        return "" if place == "outside" else "entered"
    if place == "outside":
        return "enter_first"
    if kind in ANYWHERE or place == "seat":
        return ""
    if place == "start page":
        return "no_room"
    return "no_seat" if kind in SEATED else ""


async def at(peer: Peer, place: str) -> None:
    """Goes to a place."""
    if place == "start page":
        await peer.ask(EnterLobby(PROTOCOL), Welcome)
        await peer.expect(Matches)
    elif place != "outside":
        await peer.enter(BLUE if place == "seat" else "")


async def reply_to(peer: Peer, message: ClientMessage) -> ServerMessage:
    await peer.send(message)
    while isinstance(reply := await peer.receive(), UNASKED):
        pass
    return reply


def listened(obj: object, heard: list[tuple[str, tuple[object, ...]]], *, but: set[str]) -> None:
    """Notes each call of the object's methods from now on."""

    def noted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: object) -> object:
            heard.append((name, args))
            return method(*args)

        return call

    for name, method in inspect.getmembers(obj, inspect.ismethod):
        if not name.startswith("_") and name not in but:
            setattr(obj, name, noted(name, method))


@each_kind
@each_place
async def test_a_message_in_the_wrong_place_does_not_reach_the_rooms(
    open_peer: Connect, rooms: FakeRooms, kind: Kind, place: str
) -> None:
    peer = await open_peer()
    await at(peer, place)
    heard: list[tuple[str, tuple[object, ...]]] = []
    listened(rooms, heard, but={"welcome", "get", "listing", "summaries", "on_status", "on_listing_change"})
    # What the room reads on its own, to send frames to all audiences, is not an answer to this message.
    listened(rooms.room, heard, but={"admit", "enter", "leave", "tell", "snapshot", "prompt"})
    listened(rooms.room.queries, heard, but=set())
    message = sample(kind)
    if isinstance(message, EnterMatch):
        message = EnterMatch(PROTOCOL, "m")
    reply = await reply_to(peer, message)
    refused = reply.code if isinstance(reply, Refused) else ""
    expected = verdict(kind, place)
    if expected:
        assert (refused, heard) == (expected, [])
    else:
        assert refused not in WRONG_PLACE
    if not isinstance(reply, Welcome | Snapshot):
        assert getattr(reply, "id", None) == getattr(message, "id", "")


@pytest.mark.parametrize("kind", OF_THE_ROOM, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("place", ["spectator", "seat"])
async def test_a_message_counts_for_the_audience_that_has_entered(
    open_peer: Connect, rooms: FakeRooms, kind: Kind, place: str
) -> None:
    peer = await open_peer()
    await at(peer, place)
    heard: list[tuple[str, tuple[object, ...]]] = []
    listened(rooms.room, heard, but={"tell", "snapshot", "prompt", "replied"})
    listened(rooms.room.queries, heard, but=set())
    message = sample(kind)
    await reply_to(peer, message)
    if verdict(kind, place):
        assert heard == []
        return
    ((_, args),) = heard
    who: tuple[object, ...] = () if kind in (AskLuckReport, CheckHead) else ("blue" if place == "seat" else SPECTATORS,)
    name = ("",) if kind is Say else ()
    assert args == (*who, *name, message)


# --- how fast -----------------------------------------------------------------------------------------------------------

SLOW = Limits(
    seat=Rate(12, 1),
    spectator=Rate(9, 1),
    chat=Rate(2, 1),
    previews=Rate(3, 1),
    makings=Rate(4, 1),
    uploads=Rate(5, 1),
    setups=Rate(6, 1),
    pings=Rate(7, 1),
    strikes=Rate(1000, 1),
)
PACED: dict[str, tuple[Kind, ...]] = {
    "chat": (Say, Report),
    "previews": (AskPreview, AskAdvice, Look, CheckForce, ConvertForce, AskWhatIf),
    "makings": (
        MakeMatch,
        TakeSeat,
        ImportMatch,
        Introduce,
        SetNotices,
        SetMatchWebhook,
        AskTopic,
        ForgetPlayer,
        MakeLeague,
        ActInLeague,
        SetLeagueWebhook,
        PlayFixture,
    ),
    "uploads": (Upload,),
    "setups": (CheckSetup,),
    "pings": (Ping,),
}


def pace(kind: Kind, place: str) -> Rate:
    """The rate of a message; every message has one."""
    name = next((name for name, kinds in PACED.items() if kind in kinds), "seat" if place == "seat" else "spectator")
    found = getattr(SLOW, name)
    assert isinstance(found, Rate)
    return found


@pytest.mark.parametrize("limits", [SLOW], ids=["slow"])
@each_kind
@pytest.mark.parametrize("place", PLACES[1:])
async def test_each_message_has_its_pace(open_peer: Connect, kind: Kind, place: str) -> None:
    peer = await open_peer()
    await at(peer, place)
    taken = 0
    while True:
        reply = await reply_to(peer, sample(kind))
        if isinstance(reply, Refused) and reply.code == "rate":
            break
        taken += 1
        assert taken <= 100, "there is no bound"
    assert taken == pace(kind, place).burst
