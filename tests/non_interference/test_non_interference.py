"""No audience notices another's secret through any channel: a thousand pairs of worlds, compared byte by byte."""

from __future__ import annotations

import types
from collections.abc import AsyncIterator, Iterable
from typing import get_args

import pytest
import pytest_asyncio

from client_protocol.from_client import AskPreview, ClientMessage
from client_protocol.from_server import Preview, Refused, ServerMessage
from server.gateway.broadcast import Broadcast
from server.kernel.belief import Audience
from server.kernel.dice import Roll
from server.kernel.state import State
from server.matches.log import fold as log_module
from server.matches.projections import frames, notation, queries, replay
from server.matches.projections.frames import Frame
from server.matches.projections.queries import Queries
from server.matches.setup import forks
from tests.non_interference.channels import CHANNELS, NEVER_HERE
from tests.non_interference.pairs import FEED, FEED_SUMMARY, WIRE, WIRE_COMPRESSED, Figures, Noticed
from tests.non_interference.running import quick_valkey, run

PAIRS = 1000
SEED = 0
KINDS = {
    "a sealed answer",
    "a standing order",
    "a hidden force",
    "talk among one's own side",
    "talk among those who watch",
    "dice that have not fallen",
    "what was secret before the end",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with quick_valkey(tmp_path_factory.mktemp("pairs")) as found:
        yield found


def test_every_message_of_a_client_is_a_channel() -> None:
    assert set(CHANNELS) == set(get_args(ClientMessage))


@pytest.mark.asyncio(loop_scope="module")
async def test_a_thousand_pairs_of_worlds_are_the_same_to_every_other_audience(url: str) -> None:
    figures = Figures()
    async for _, found in run(url, SEED, PAIRS):
        figures.add(found)
    assert figures.pairs >= PAIRS
    assert set(figures.secrets) == KINDS
    assert {kind.__name__ for kind in CHANNELS} <= set(figures.compared)
    assert min(figures.compared[WIRE], figures.compared[WIRE_COMPRESSED], figures.compared[FEED]) > PAIRS
    assert figures.compared[FEED_SUMMARY] > 0
    # Each message of the server was compared, or it is said why it need not be.
    compared = set(figures.replies)
    assert compared == {kind.__name__ for kind in get_args(ServerMessage)} - {kind.__name__ for kind in NEVER_HERE}


# --- this test can fail -----------------------------------------------------------------------------------------------


def careless(state: State, _audience: Audience) -> State:
    return state


# From these seeds on it is noticed soon.
CARELESS = [(frames, 0), (queries, 1), (replay, 0), (notation, 6), (forks, 59)]


@pytest.mark.parametrize(("module", "seed"), CARELESS, ids=[module.__name__ for module, _ in CARELESS])
@pytest.mark.asyncio(loop_scope="module")
async def test_a_belief_that_leaks_a_secret_is_noticed(
    url: str, monkeypatch: pytest.MonkeyPatch, module: types.ModuleType, seed: int
) -> None:
    monkeypatch.setattr(module, "believed", careless)
    with pytest.raises(Noticed):
        await some(url, seed)


@pytest.mark.asyncio(loop_scope="module")
async def test_frames_of_what_is_private_are_noticed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "notices", lambda _audience, _seat, _replaced: True)
    with pytest.raises(Noticed, match="a sealed answer"):
        await some(url, 0)


@pytest.mark.asyncio(loop_scope="module")
async def test_dice_that_leak_beforehand_are_noticed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def foretelling(self: Queries, _seat: str, message: AskPreview) -> Preview | Refused:
        return Preview(message.id, "What will fall", str(self._referee._dice().faces(Roll(1))))

    monkeypatch.setattr(Queries, "preview", foretelling)
    with pytest.raises(Noticed, match="dice that have not fallen"):
        await some(url, 13)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_context_that_private_frames_of_others_disturb_is_noticed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = Broadcast.publish

    def careless_publish(self: Broadcast, frames: Iterable[Frame]) -> None:
        frames = list(frames)
        told = {frame.audience for frame in frames}
        for viewer, audience in self._audiences.items():
            if viewer not in told:
                audience._context.begin()
        publish(self, frames)

    monkeypatch.setattr(Broadcast, "publish", careless_publish)
    with pytest.raises(Noticed, match="the wire, compressed"):
        await some(url, 0)


async def some(url: str, seed: int) -> None:
    """Some pairs of several settings."""
    async for _ in run(url, seed, 100):
        pass
