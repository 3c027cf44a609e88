"""A refusal reaches the sender of what was refused, and leaves nothing waiting for ever."""

from __future__ import annotations

import asyncio

import pytest

from client_protocol.choices import FiguresPlaced
from client_protocol.client import EndedError, StartPage, Table
from client_protocol.client.link import RefusedError
from client_protocol.client.table import HELD_BACK
from client_protocol.codec import LARGEST_INWARD
from client_protocol.from_client import Answer
from client_protocol.from_server import Accepted, Refused, Status
from client_protocol.view import ResultView
from tests.client_protocol.hosting import Host, sitting
from tests.gateway.fakes import BLUE, FakeRoom

LARGE = (FiguresPlaced(({f"figure-{number}-{'x' * 60}": (0, 0) for number in range(60)},) * 5),)


class Particular(FakeRoom):
    """A match in which only the choice `wait` may be taken, of the prompt that is open, and not while the database is away."""

    away = 0
    """How many answers find the database away."""

    async def replied(self, seat: str, message: Answer) -> Accepted | Refused:
        if self.away:
            self.away -= 1
            return Refused(message.id, "database_away", "The database is away.")
        if message.choice == "too-late":
            return Refused(message.id, "prompt_closed", "That has been decided already.")
        if message.choice != "wait":
            return Refused(message.id, "values", "Deploy needs 1 value, a placement; none was given.")
        return await super().replied(seat, message)


@pytest.fixture
def room(host: Host) -> Particular:
    host.rooms.room = room = Particular("m")
    room.committed, room.revealed = ["blue", "red"], {"blue": "", "red": ""}
    return room


def soon(room: FakeRoom) -> None:
    """The next answer ends the match."""
    room.result = ResultView("blue", "Red has left the table.", "r")


async def playing(table: Table, choice: str) -> list[str]:
    """Play on, always with the same choice; the prompts that were asked."""
    asked = []
    async for prompt in table.prompts():
        asked.append(prompt.id)
        await table.answer(choice)
    return asked


async def test_a_loop_that_leaves_its_prompt_refused_is_told_and_does_not_hang(host: Host, room: Particular) -> None:
    async with sitting(host, BLUE) as blue:
        with pytest.raises(
            RefusedError, match=r"Deploy needs 1 value, a placement; none was given\. \(values\)"
        ) as raised:
            await playing(blue, "deploy")
        assert raised.value.refused.code == "values"
        assert room.seq == 0


async def test_the_prompt_that_was_refused_is_open_and_can_be_asked_for_again(host: Host, room: Particular) -> None:
    async with sitting(host, BLUE) as blue:
        with pytest.raises(RefusedError):
            await playing(blue, "deploy")
        assert blue.prompt is not None
        soon(room)
        assert await playing(blue, "wait") == ["p0"]


async def test_a_loop_goes_on_when_a_refused_prompt_is_answered_otherwise(host: Host, room: Particular) -> None:
    codes = []
    async with sitting(host, BLUE) as blue:
        async for prompt in blue.prompts():
            reply = await blue.answer("deploy")
            assert isinstance(reply, Refused)
            codes.append(reply.code)
            if prompt.id == "p2":
                soon(room)
            assert isinstance(await blue.answer("wait"), Accepted)
    assert codes == ["values"] * 3


async def test_a_refusal_in_another_task_ends_the_loop_too(host: Host, room: Particular) -> None:
    async with sitting(host, BLUE) as blue:

        async def loop() -> None:
            async for _ in blue.prompts():
                answering.set()

        answering = asyncio.Event()
        looping = asyncio.create_task(loop())
        await answering.wait()
        assert isinstance(await blue.answer("deploy"), Refused)
        with pytest.raises(RefusedError):
            await looping
        assert room.seq == 0


async def test_a_prompt_that_was_decided_meanwhile_is_waited_past(host: Host, room: Particular) -> None:
    asked = []
    async with sitting(host, BLUE) as blue:
        async for prompt in blue.prompts():
            asked.append(prompt.id)
            if prompt.id == "p0":
                late = await blue.answer("too-late")
                assert isinstance(late, Refused)
                # The loop goes on before the frame is here that closes the prompt.
                asyncio.get_running_loop().call_soon(room.tell, "Its time is up.")
            else:
                soon(room)
                await blue.answer("wait")
    assert asked == ["p0", "p1"]


async def test_an_answer_waits_for_the_database(host: Host, room: Particular) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    room.away = 2
    async with sitting(host, BLUE, sleep) as blue:
        assert isinstance(await blue.answer("wait"), Accepted)
    assert waits == [HELD_BACK] * 2


async def test_an_invalid_message_is_refused_to_its_sender(host: Host) -> None:
    async with sitting(host, BLUE) as blue:
        refused = await blue.say("x" * 301)
        assert isinstance(refused, Refused)
        assert (refused.code, "300" in refused.sentence) == ("invalid", True)
        assert isinstance(await blue.say("x" * 300), Accepted)
    async with StartPage.open(host.address) as page:
        nameless = await page.take_seat("m", "red", "")
        assert isinstance(nameless, Refused)
        assert nameless.code == "invalid"


async def test_a_message_that_is_too_large_is_refused_without_losing_the_link(host: Host) -> None:
    async with sitting(host, BLUE) as blue:
        refused = await blue.answer("wait", LARGE)
        assert isinstance(refused, Refused)
        assert refused.code == "too_large"
        assert str(LARGEST_INWARD) in refused.sentence
        assert blue.links == 1
    async with StartPage.open(host.address) as page:
        endless = await page.take_seat("m", "red", "x" * LARGEST_INWARD)
        assert isinstance(endless, Refused)
        assert endless.code == "too_large"


async def test_a_start_page_that_is_lost_says_so_however_late_it_is_asked(host: Host) -> None:
    async with StartPage.open(host.address) as page:
        host.cut()
        for _ in range(2):
            with pytest.raises(EndedError) as ended:
                await page.take_seat("m", "red", "Ann")
            assert ended.value.code == "lost"


async def test_a_start_page_of_another_protocol_says_so_however_late_it_is_asked(host: Host) -> None:
    async with StartPage.open(host.address) as page:
        assert host.gateway is not None
        for session in host.gateway._sessions:
            session.connection.send(Status("asleep", 0))  # type: ignore[arg-type]  # that is the point
        for _ in range(2):
            with pytest.raises(EndedError):
                await page.take_seat("m", "red", "Ann")
