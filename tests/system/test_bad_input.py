"""Messages that no client should send, sent to a real server in the middle of a battle of each edition: they are refused with
a sentence, and nothing happens.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator

import msgpack  # type: ignore[import-untyped]
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from client_protocol.choices import (
    Assigned,
    FiguresPlaced,
    Picked,
    PlacementParameter,
    Prompt,
    StopTaken,
    UnitNamed,
    Value,
)
from client_protocol.client import EndedError, StartPage, Table
from client_protocol.client.link import new_id, websocket_address
from client_protocol.codec import typed
from client_protocol.forces import Force
from client_protocol.from_client import (
    Answer,
    AskPreview,
    CheckForce,
    ClientMessage,
    ConvertForce,
    EnterMatch,
    MakeMatch,
    Order,
    Ping,
    Recall,
    TakeSeat,
)
from client_protocol.from_server import Accepted, Goodbye, Pong, Refused, ServerMessage
from client_protocol.shapes import PROTOCOL, Point
from client_protocol.view import View
from server.rulesets.library import editions
from tests.gateway.conftest import Peer
from tests.support.servers import ServerProcess
from tests.system.peers import ask, peer_at, sit
from tests.system.play import Battle, entries, make_match, peaceful, standing, token
from tests.system.wrong_ways import WAYS, away_from_the_squad, everybody, forward, through_rock, ways

GROUNDS = {name: peaceful(rules)[0] for name, rules in editions().items()}
"""For each edition a scenario of infantry, with impassable ground if there is one."""
ONE = next(iter(GROUNDS.items()))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for all of this: nothing that it is sent may harm it."""
    process = ServerProcess(tmp_path_factory.mktemp("server"))
    process.start()
    yield process
    assert process.stop() == 0, process.log
    assert "Traceback" not in process.log, process.log


def resting(prompt: Prompt) -> Picked:
    """Return the choice that needs no values."""
    return Picked(next(choice.key for choice in prompt.choices if choice.why is None and not choice.parameters))


def wants_action(prompt: Prompt) -> bool:
    """Return whether a squad may move in several ways, or do nothing."""
    return len(ways(prompt)) > 1 and any(choice.why is None and not choice.parameters for choice in prompt.choices)


@contextlib.asynccontextmanager
async def acting(server: ServerProcess, scenario: str) -> AsyncIterator[Battle]:
    async with Battle.at(server, await make_match(server, scenario)) as battle:
        assert await battle.play_until(wants_action, lambda _view, prompt: prompt.default)
        yield battle


@pytest.fixture
async def battle(server: ServerProcess) -> AsyncIterator[Battle]:
    """A battle in which a seat is asked for a squad's action. What it is sent has nothing to do with its rules."""
    async with acting(server, ONE[1]) as battle:
        yield battle


@pytest.fixture(params=GROUNDS.values(), ids=list(GROUNDS))
async def each_battle(server: ServerProcess, request: pytest.FixtureRequest) -> AsyncIterator[Battle]:
    """Such a battle of each edition."""
    async with acting(server, request.param) as battle:
        yield battle


@pytest.fixture(params=GROUNDS.values(), ids=list(GROUNDS))
async def deploying(server: ServerProcess, request: pytest.FixtureRequest) -> AsyncIterator[Battle]:
    """A battle of each edition in which a seat is asked where to place its second squad."""
    async with Battle.at(server, await make_match(server, request.param)) as battle:

        def second(prompt: Prompt) -> bool:
            return bool(placed(battle.tables[prompt.seat].view, prompt.seat))

        assert await battle.play_until(second, lambda _view, prompt: prompt.default)
        yield battle


def placed(view: View, seat: str) -> list[Point]:
    """Return where the figures of a seat stand."""
    units = [key for key, unit in view.units.items() if unit.side == view.seats[seat].side]
    return [at for key in units for at in standing(view, key).values()]


@contextlib.asynccontextmanager
async def untouched(server: ServerProcess, battle: Battle) -> AsyncIterator[None]:
    """Check that nothing inside the block changes the match: neither its entries nor what each audience sees and is asked."""

    async def everything() -> object:
        seen = []
        for audience in battle.tables:
            async with Table.sit(server.address, battle.match, token(battle.made, audience)) as fresh:
                seen.append(fresh.snapshot)
        return seen, await entries(server.data_dir, battle.match)

    before, links = await everything(), [table.links for table in battle.tables.values()]
    yield
    assert await everything() == before
    assert [table.links for table in battle.tables.values()] == links


def force_of(**fields: object) -> dict[str, object]:
    """Return a force of one unit with these fields."""
    unit = {"kind": "infantry", "name": "First", **fields}
    return {"format": "underfire force 1", "edition": ONE[0], "name": "Ours", "units": [unit]}


# --- bytes ------------------------------------------------------------------------------------------------------------

RAW: list[tuple[str, bytes | str]] = [
    ("malformed", b""),
    ("malformed", b"\xc1\xc1\xc1"),
    ("malformed", "a text"),
    ("malformed", b"\xdf\xff\xff\xff\xff"),
    ("unknown_type", msgpack.packb({"type": "surrender", "id": "1"})),
    ("invalid", msgpack.packb({"type": "answer", "id": "12345678"})),
    ("invalid", msgpack.packb({"type": "order", "id": "1", "unit": "u", "order": "stop"})),
    ("invalid", msgpack.packb({"type": "check_force", "id": "1", "force": {"units": []}})),
    ("invalid", msgpack.packb({"type": "check_force", "id": "1", "force": force_of(fields={"a": 1.5})})),
    ("invalid", msgpack.packb({"type": "check_force", "id": "1", "force": force_of(fields={"a": 10**6})})),
    ("invalid", msgpack.packb({"type": "check_force", "id": "1", "force": force_of(rows={"f": [{}] * 61})})),
    ("invalid", msgpack.packb({"type": "check_force", "id": "1", "force": force_of(points=3)})),
    ("invalid", msgpack.packb({"type": "take_seat", "id": "1", "match": "m", "seat": "s", "name": "n", "force": 7})),
    ("invalid", msgpack.packb({"type": "ping", "id": "1", "admin": True})),
    ("invalid", msgpack.packb({"type": "recall", "id": "1", "before": 10**12})),
    ("invalid", msgpack.packb({"type": "say", "id": "12345678", "text": "x" * 301})),
    ("invalid", msgpack.packb([1, 2, 3])),
    ("too_deep", b"\x82\xa1a" + b"\x91" * 16_000 + b"\xc0\xa4type\xa4ping"),
]


@pytest.mark.parametrize(("code", "data"), RAW, ids=[f"{code}-{number}" for number, (code, _) in enumerate(RAW)])
async def test_a_connection_that_sends_invalid_bytes_is_refused_once_and_then_closed(
    server: ServerProcess, battle: Battle, code: str, data: bytes | str
) -> None:
    async with untouched(server, battle), peer_at(server) as peer:
        await sit(peer, battle.match, token(battle.made, "red"))
        await peer.socket.send(data)
        refused = await peer.expect(Refused)
        assert (refused.code, refused.sentence[-1]) == (code, ".")
        # The first one is forgiven: the connection can be used.
        assert (await ask(peer, Ping("p"), Pong)).id == "p"
        await peer.socket.send(data)
        *_, last = await peer.rest()
        assert isinstance(last, Goodbye)
        assert (last.code, await peer.closed()) == ("malformed", 1008)


async def test_an_endless_message_closes_the_connection(server: ServerProcess, battle: Battle) -> None:
    async with untouched(server, battle), peer_at(server) as peer:
        await sit(peer, battle.match, token(battle.made, "red"))
        await peer.socket.send(b"\x00" * (16 * 1024 + 1))
        assert await peer.closed() == 1009


# --- who one is -------------------------------------------------------------------------------------------------------


async def test_a_wrong_token_gives_no_seat(server: ServerProcess, battle: Battle) -> None:
    right = token(battle.made, "red")
    async with untouched(server, battle):
        for wrong in ("guess", right[:-1] + ("A" if right[-1] != "A" else "B"), right.swapcase(), right + "\n"):
            async with peer_at(server) as peer:
                await peer.send(EnterMatch(PROTOCOL, battle.match, wrong))
                refused = await peer.expect(Refused)
                assert (refused.code, refused.sentence[-1]) == ("wrong_token", ".")
                assert not (await peer.expect(Goodbye)).again
                assert await peer.closed() == 4001
        with pytest.raises(EndedError):
            async with Table.sit(server.address, battle.match, "guess"):
                pass


async def test_a_page_of_another_origin_cannot_connect(server: ServerProcess, battle: Battle) -> None:
    url = websocket_address(server.address)
    async with untouched(server, battle):
        for origin in ("https://evil.example", "null", server.address.replace("http:", "ftp:"), server.address + "0"):
            with pytest.raises(InvalidStatus) as refused:
                async with connect(url, origin=origin):  # type: ignore[arg-type] # any text is an origin
                    pass
            assert refused.value.response.status_code == 403
        async with connect(url, origin=server.address):  # type: ignore[arg-type] # the same
            pass


async def test_a_taken_seat_is_not_given_again(server: ServerProcess, battle: Battle) -> None:
    async with untouched(server, battle), StartPage.open(server.address) as page:
        for invite in ("", "guess"):
            taken = await page.take_seat(battle.match, "red", "Mallory", invite)
            assert isinstance(taken, Refused)
            assert taken.code in {"seat_taken", "wrong_invite"}
        assert isinstance(await page.make_match(ONE[0], "no-such", "Ann", ()), Refused)
        assert isinstance(await page.make_match("no-such", ONE[1], "Ann", ()), Refused)


async def test_markup_in_names_and_chat_stays_text(server: ServerProcess) -> None:
    name, line = '<img src=x onerror="alert(1)">', "<script>alert(1)</script> &amp; **bold**"
    async with StartPage.open(server.address) as page:
        made = await page.make_match(*ONE, name, ("blue", "red"))
        assert not isinstance(made, Refused)
        async with Table.sit(server.address, made.match, token(made, "blue")) as table:
            assert table.view.seats["blue"].name == name
            reply = await table.say(line)
            assert isinstance(reply, Accepted)
            history = await table.recall(reply.seq + 1)
            assert not isinstance(history, Refused)
            assert any(line in story.text for frame in history.frames for story in frame.story)


# --- answers ----------------------------------------------------------------------------------------------------------


async def refused_answer(table: Table, picked: Picked, prompt: str | None = None) -> Refused:
    """Return a refusal that says, besides its code, why."""
    reply = await table.answer(picked.choice, picked.values, prompt)
    assert isinstance(reply, Refused), reply
    assert not reply.sentence[0].islower()
    assert reply.sentence[-1] == "."
    return reply


async def test_answers_to_prompts_that_are_not_open_are_refused(server: ServerProcess, each_battle: Battle) -> None:
    battle = each_battle
    (table,) = battle.asked
    other = battle.tables["red" if table.seat == "blue" else "blue"]
    prompt = table.prompt
    assert prompt is not None
    rest, moving = resting(prompt), ways(prompt)[0][0]
    async with untouched(server, battle):
        assert (await refused_answer(table, rest, str(int(prompt.id) - 1))).code == "prompt_closed"
        assert (await refused_answer(table, rest, "no-such-prompt")).code == "prompt_closed"
        # The id is that of the other seat's prompt.
        assert (await refused_answer(other, rest, prompt.id)).code == "not_your_prompt"
        assert (await refused_answer(battle.spectator, rest, prompt.id)).code == "no_seat"
        assert (await refused_answer(table, Picked("surrender"))).code == "no_such_choice"
        assert (await refused_answer(table, Picked(rest.choice, (UnitNamed("red-1"),)))).code == "values"
        assert (await refused_answer(table, Picked(moving))).code == "values"
        wrong: list[Value] = [UnitNamed("red-1"), Assigned({"1": "red-1"}), StopTaken(500)]
        for value in wrong:
            assert (await refused_answer(table, Picked(moving, (value,)))).code == "values"
        # The same holds for a preview.
        for picked in (Picked("surrender"), Picked(moving)):
            assert isinstance(await table.preview(picked.choice, picked.values), Refused)
    barred = next(choice for choice in prompt.choices if choice.why is not None)
    async with untouched(server, battle):
        refused = await refused_answer(table, Picked(barred.key, (UnitNamed("red-1"),)))
        assert barred.why is not None
        assert (refused.sentence, refused.rule) == (barred.why.sentence, barred.why.rule)
    # The right answer is still accepted.
    await battle.give(table, rest)


async def test_an_answer_sent_twice_counts_once(server: ServerProcess, each_battle: Battle) -> None:
    battle = each_battle
    (table,) = battle.asked
    assert table.prompt is not None
    answer = Answer(new_id(), table.prompt.id, resting(table.prompt).choice)
    async with peer_at(server) as one, peer_at(server) as other:
        for peer in (one, other):
            await sit(peer, battle.match, token(battle.made, table.seat))
        # At the same time over two connections, and once more when it is decided.
        first, second = await asyncio.gather(ask(one, answer, Accepted), ask(other, answer, Accepted))
        assert first == second
        await battle.level(table, first.seq)
        async with untouched(server, battle):
            assert await ask(one, answer, Accepted) == first
            late = await ask(other, replace(answer, id=new_id()), Refused)
            assert late.code in {"prompt_closed", "not_your_prompt"}


# --- ways and places --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("manner", [0, 1], ids=["the longest way", "the next"])
async def test_illegal_paths_are_refused(server: ServerProcess, each_battle: Battle, manner: int) -> None:
    battle = each_battle
    (table,) = battle.asked
    assert table.prompt is not None
    key, way = ways(table.prompt)[manner]
    tries = [(code, declared(table.view, way)) for code, declared in WAYS]
    if way.gap:
        # Not every edition forbids a squad to spread out.
        tries.append(("coherency", away_from_the_squad(table, way)))
    if (through := through_rock(table, way)) is not None:
        tries.append(("path_impassable", through))
    async with untouched(server, battle):
        for code, declared in tries:
            refused = await refused_answer(table, Picked(key, (declared,)))
            assert refused.code == code, (declared, refused)
            if code.startswith("path"):
                assert (refused.figure != "", refused.where is not None, refused.rule != "") == (True, True, True)
            if code == "coherency":
                assert refused.rule == way.gap_rule
        turned = replace(everybody(table.view, way, 0, 0), facing=9_000)
        assert (await refused_answer(table, Picked(key, (turned,)))).code == "facing"
    # One legal inch of the same squad is accepted.
    inch = everybody(table.view, way, 0, 1_000 * forward(table.view, way))
    await battle.give(table, Picked(key, (inch,)))


async def test_impossible_places_are_refused(server: ServerProcess, deploying: Battle) -> None:
    table = deploying.asked[0]
    assert table.prompt is not None
    (choice, *_) = table.prompt.choices
    (placement,) = choice.parameters
    assert isinstance(placement, PlacementParameter)
    (suggested,) = placement.suggested
    key, (x, y) = next(iter(suggested.items()))
    assert table.snapshot is not None
    taken = placed(table.view, table.seat)[0]
    edge, far = min(px for px, _ in placement.zone), max(px for px, _ in placement.zone)
    height = table.snapshot.table.height
    wrong: list[tuple[str, dict[str, Point]]] = [
        ("zone", {key: (at[0], height - at[1]) for key, at in suggested.items()}),
        ("zone", suggested | {key: (edge - 5_000, y)}),
        ("on_base", suggested | {key: taken}),
        ("on_base", suggested | {key: list(suggested.values())[1]}),
        ("coherency", suggested | {key: (far - 1_000 if x < (edge + far) // 2 else edge + 1_000, y)}),
        ("places", {key: (x, y)}),
        ("places", suggested | {"no-such-figure": (x, y)}),
    ]
    async with untouched(server, deploying):
        for code, places in wrong:
            if code == "coherency" and not placement.gaps[0]:
                continue
            refused = await refused_answer(table, Picked(choice.key, (FiguresPlaced((places,)),)))
            assert refused.code == code, (places, refused)
    await deploying.give(table, Picked(choice.key, (FiguresPlaced((suggested,)),)))


# --- haste ------------------------------------------------------------------------------------------------------------

HASTY: list[tuple[str, int, Callable[[Battle], ClientMessage]]] = [
    ("red", 100, lambda _battle: Recall(new_id(), 0)),
    ("", 20, lambda _battle: Recall(new_id(), 0)),
    ("red", 10, lambda battle: AskPreview(new_id(), "0", battle.match)),
    ("", 6, lambda battle: TakeSeat(new_id(), battle.match, "red", "Mallory", "guess")),
    ("", 6, lambda _battle: MakeMatch(new_id(), ONE[0], "no-such", "Mallory", ())),
    ("", 10, lambda _battle: CheckForce(new_id(), typed(force_of(), Force))),
    ("", 10, lambda _battle: ConvertForce(new_id(), typed(force_of(), Force), ONE[0])),
    ("red", 100, lambda _battle: Order(new_id(), "blue-1", "stop")),
]


@pytest.mark.parametrize(
    ("seat", "burst", "message"),
    HASTY,
    ids=["seat", "spectator", "previews", "seats", "matches", "forces", "conversions", "orders"],
)
async def test_a_client_over_its_rate_is_refused_and_then_closed(
    server: ServerProcess, battle: Battle, seat: str, burst: int, message: Callable[[Battle], ClientMessage]
) -> None:
    async with untouched(server, battle), peer_at(server) as peer:
        await sit(peer, battle.match, token(battle.made, seat))
        for _ in range(burst):
            reply = await _reply(peer, message(battle))
            assert not (isinstance(reply, Refused) and reply.code == "rate")
        got: list[ServerMessage] = []
        with contextlib.suppress(ConnectionClosed):
            for _ in range(200):
                got.append(await _reply(peer, message(battle)))  # noqa: PERF401 - what came before the end counts
        *refused, last = [*got, *await peer.rest()]
        assert len(refused) >= 50
        assert sum(isinstance(reply, Refused) and reply.code == "rate" for reply in refused) >= 50
        assert isinstance(last, Goodbye)
        assert (last.code, await peer.closed()) == ("rate", 1008)
        # All others go on playing.
        assert not isinstance(await battle.tables["blue"].recall(0), Refused)


async def _reply(peer: Peer, message: ClientMessage) -> ServerMessage:
    """Return the next message, of any kind."""
    await peer.send(message)
    return await peer.receive()
