"""A player who is not connected is told that it is their turn: once per decision, not in floods, and never without need."""

from __future__ import annotations

import base64
import json
import logging
from dataclasses import dataclass

import http_ece  # type: ignore[import-untyped]  # the packages publish no types
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec.structs import replace
from py_vapid import Vapid02  # type: ignore[import-untyped]

from client_protocol.from_server import Accepted
from client_protocol.players import Body, NoticeSettings, PushTo, Webhook
from server.notices import queue
from server.notices.outbound import Outbound
from server.store.store import MatchStore
from tests.notices.conftest import Server, server_on
from tests.support.endpoint import Endpoint
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import DUEL, Table, begun, rooms_on


class Browser:
    """A browser with a push subscription: it alone can read what it is sent (RFC 8291)."""

    def __init__(self, there: Endpoint, path: str = "push") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = b"0123456789abcdef"
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.to = PushTo(there.url(path), base64.urlsafe_b64encode(point).decode(), _text(self._auth))

    def read(self, body: bytes) -> dict[str, object]:
        """Decrypt a notice."""
        plain = http_ece.decrypt(body, private_key=self._key, auth_secret=self._auth, version="aes128gcm")
        found: dict[str, object] = json.loads(plain)
        return found


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Seated:
    """A match whose seats are tied to keys, and whose players are gone."""

    table: Table
    match: str

    @property
    def decides(self) -> str:
        (seat,) = self.table.asked
        return seat

    def leave(self) -> None:
        """Let all connections end."""
        for listener in self.table.listeners.values():
            self.table.room.leave(listener.connection)


async def seated(server: Server, key: PlayerKey = ADA, seat: str = "red") -> Seated:
    """A match in which `seat` is tied to a key, and the other one to Bo's; both have been deployed."""
    table = await begun(server.rooms)
    match = table.room.match
    for at, held in ((seat, key), (next(one for one in table.room.seats if one != seat), BO)):
        assert isinstance(await table.room.tie(at, held.tie(match, at, "Ada")), Accepted)
    one = Seated(table, match)
    await answered(one)
    return one


async def told(server: Server, key: PlayerKey, settings: NoticeSettings) -> None:
    """Let the player with a key be told in these ways."""
    await server.registry.introduce(key.key, "Ada")
    assert await server.desk.set_notices(key.key, settings, test=False) == ()


async def answered(one: Seated) -> None:
    """Let decisions be made without a connection, up to the next one that a single seat is asked."""
    table = one.table
    while True:
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        await table.give(seat, table.default(seat))
        if len(table.asked) == 1:
            return


def hook(there: Endpoint, body: Body = "plain", path: str = "hook") -> NoticeSettings:
    return NoticeSettings(webhook=Webhook(there.url(path), body))


async def waiting(server: Server, there: Endpoint, settings: NoticeSettings | None = None) -> Seated:
    """A match in which a decision has just been asked of a player who is away, and wants to be told by webhook."""
    one = await seated(server)
    for key in (ADA, BO):
        await told(server, key, settings or hook(there))
    one.leave()
    await server.pass_(0)
    await answered(one)
    return one


async def test_a_player_who_is_away_is_told_once_what_waits_and_where(server: Server, there: Endpoint) -> None:
    one = await waiting(server, there)
    await server.pass_(30)
    assert there.posts == []
    await server.pass_(15)
    (post,) = there.posts
    news = json.loads(post.body)
    assert news["event"] == "your_turn"
    (waits,) = news["waits"]
    assert (waits["match"], waits["seat"], waits["player"]) == (one.match, one.decides, "Ada")
    assert waits["url"] == f"https://play.example.org/#/m/{one.match}"
    assert waits["url"] in news["text"]
    for _ in range(5):
        await server.pass_(4000)
    assert len(there.posts) == 1


async def test_the_next_decision_is_told_again(server: Server, there: Endpoint) -> None:
    one = await waiting(server, there)
    await server.pass_(60)
    first = one.decides
    while one.decides == first:
        await answered(one)
    await server.pass_(200)
    assert len(there.posts) == 2
    assert json.loads(there.posts[1].body)["waits"][0]["seat"] == one.decides


async def test_a_decision_that_was_made_meanwhile_is_not_told(server: Server, there: Endpoint) -> None:
    one = await waiting(server, there)
    await one.table.play_out()
    await server.pass_(60)
    assert there.posts == []
    assert await server.queue.claim(server.hands.now + 10**9, 10) == []


async def test_a_player_who_is_connected_is_told_nothing(server: Server, there: Endpoint) -> None:
    one = await seated(server)
    for key in (ADA, BO):
        await told(server, key, hook(there))
    await answered(one)
    await server.pass_(3600)
    assert there.posts == []


async def test_a_player_who_leaves_a_decision_open_is_told_after_a_while(server: Server, there: Endpoint) -> None:
    one = await seated(server)
    for key in (ADA, BO):
        await told(server, key, hook(there))
    one.leave()
    await server.pass_(200)
    assert there.posts == []
    await server.pass_(150)
    assert len(there.posts) == 1


async def test_a_player_who_is_connected_to_another_server_is_told_nothing(
    server: Server, there: Endpoint, store: MatchStore, outbound: Outbound
) -> None:
    one = await waiting(server, there)
    async with rooms_on(store, hands=server.hands) as rooms:
        other = await server_on(store, outbound, rooms, server.hands)
        room = await rooms.get(one.match)
        assert room is not None
        Table(room)
        await other.presence.beat()
        await server.pass_(0)
        server.hands.move(20)
        await other.presence.beat()
        await server.pass_(25)
        assert there.posts == []


async def test_of_two_servers_one_tells(server: Server, there: Endpoint, store: MatchStore, outbound: Outbound) -> None:
    await waiting(server, there)
    await server.asking.settle()
    async with rooms_on(store, hands=server.hands) as rooms:
        other = await server_on(store, outbound, rooms, server.hands)
        server.hands.move(60)
        await server.noticing.look()
        await other.noticing.look()
    assert len(there.posts) == 1


async def test_a_server_that_is_killed_amid_it_loses_nothing(
    server: Server, there: Endpoint, store: MatchStore, outbound: Outbound
) -> None:
    await waiting(server, there)
    await server.asking.settle()
    server.hands.move(60)
    # It has taken the recipient, and never comes back.
    assert len(await server.queue.claim(server.hands.now, 8)) == 1
    async with rooms_on(store, hands=server.hands) as rooms:
        other = await server_on(store, outbound, rooms, server.hands)
        await other.noticing.look()
        assert there.posts == []
        server.hands.move(121)
        await other.noticing.look()
    assert len(there.posts) == 1


async def test_notices_of_one_player_are_at_least_a_minute_apart(server: Server, there: Endpoint) -> None:
    # One player of both sides: each decision is theirs.
    table = await begun(server.rooms)
    match = table.room.match
    for seat in table.room.seats:
        await table.room.tie(seat, ADA.tie(match, seat, "Ada", f"tie-seat-{seat}"))
    one = Seated(table, match)
    await answered(one)
    await told(server, ADA, hook(there))
    one.leave()
    await server.pass_(0)
    for _ in range(3):
        await answered(one)
        await server.pass_(41)
    assert len(there.posts) == 2


async def test_a_digest_tells_at_once_what_has_collected(server: Server, there: Endpoint) -> None:
    one = await waiting(server, there, replace(hook(there), digest="hour"))
    await server.pass_(60)
    assert len(there.posts) == 1
    key = {"red": ADA, "blue": BO}[one.decides]
    # Two more matches wait for the same player, ten minutes later.
    others = {await waits_for(server, key, f"make-{number}") for number in (2, 3)}
    await server.pass_(600)
    assert len(there.posts) == 1
    await server.pass_(3600)
    assert len(there.posts) == 2
    told_of = [waits["match"] for waits in json.loads(there.posts[1].body)["waits"]]
    assert sorted(told_of) == sorted(others)


async def waits_for(server: Server, key: PlayerKey, id_: str) -> str:
    """Another match, which waits for a player who is away."""
    table = await begun(server.rooms, replace(DUEL, id=id_))
    one = Seated(table, table.room.match)
    await answered(one)
    await table.room.tie(one.decides, key.tie(one.match, one.decides, "Ada"))
    one.leave()
    return one.match


async def test_a_browser_reads_its_notice_and_the_push_service_knows_the_server(
    server: Server, there: Endpoint
) -> None:
    browser = Browser(there)
    one = await waiting(server, there, NoticeSettings(push=(browser.to,)))
    await server.pass_(60)
    (post,) = there.posts
    assert one.match.encode() not in post.body
    news = browser.read(post.body)
    assert news["event"] == "your_turn"
    assert one.match in str(news["waits"])
    headers = {name.lower(): value for name, value in post.headers.items()}
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    assert Vapid02.verify(auth=headers["authorization"])
    assert f"k={server.desk.push_key}" in headers["authorization"].replace(" ", "")


async def test_a_browser_that_has_ended_its_subscription_is_forgotten(server: Server, there: Endpoint) -> None:
    old, new = Browser(there, "old"), Browser(there, "new")
    one = await waiting(server, there, NoticeSettings(push=(old.to, new.to)))
    there.answers = [410]
    await server.pass_(60)
    assert [post.path for post in there.posts] == ["/old", "/new"]
    key = {"red": ADA, "blue": BO}[one.decides].key
    assert (await server.registry.notices(key)).push == (new.to,)


async def test_what_is_not_accepted_is_sent_again_later_and_dropped_in_the_end(
    server: Server, there: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    there.answers = [500] * 6
    await waiting(server, there, hook(there, path="secret-path"))
    await server.pass_(45)
    for minutes in (1, 5, 30, 120):
        assert not caplog.records
        before = len(there.posts)
        await server.pass_(minutes * 60 - 5)
        assert len(there.posts) == before
        await server.pass_(10)
        assert len(there.posts) == before + 1
    with caplog.at_level(logging.WARNING):
        await server.pass_(6 * 3600 + 1)
    assert len(there.posts) == 6
    (line,) = [record.getMessage() for record in caplog.records]
    assert "dropped after 6 tries" in line
    assert "localhost answered 500" in line
    assert "secret-path" not in line
    for _ in range(3):
        await server.pass_(86_400)
    assert len(there.posts) == 6


async def test_a_match_tells_its_own_webhook_whose_turn_it_is(server: Server, there: Endpoint) -> None:
    table = await begun(server.rooms)
    one = Seated(table, table.room.match)
    await answered(one)
    webhook = Webhook(there.url("club"), "discord")
    assert await server.desk.set_match_webhook(one.match, "red", webhook) == ()
    (trial,) = there.posts
    assert "tells you here" in json.loads(trial.body)["content"]
    one.leave()
    await server.pass_(0)
    await answered(one)
    await server.pass_(60)
    news = json.loads(there.posts[1].body)
    assert news["content"].startswith("Ada, it is your turn in ")
    assert news["allowed_mentions"] == {"parse": []}
    await server.desk.set_match_webhook(one.match, "red", None)
    await answered(one)
    await server.pass_(4000)
    assert len(there.posts) == 2


@pytest.mark.parametrize(("body", "field"), [("discord", "content"), ("slack", "text"), ("plain", "text")])
async def test_ways_are_tried_when_a_player_asks_for_it(
    server: Server, there: Endpoint, body: Body, field: str
) -> None:
    await server.registry.introduce(ADA.key, "Ada")
    assert await server.desk.set_notices(ADA.key, hook(there, body), test=True) == ()
    assert "Underfire tells you here" in json.loads(there.posts[0].body)[field]
    there.answers = [403]
    faults = await server.desk.set_notices(ADA.key, hook(there, body), test=True)
    assert faults == ("The webhook was not sent: localhost answered 403.",)


async def test_a_player_who_is_forgotten_is_told_nothing_more(server: Server, there: Endpoint) -> None:
    await waiting(server, there)
    await server.asking.settle()
    for key in (ADA, BO):
        await server.desk.forget(key.key)
    await server.pass_(3600)
    assert there.posts == []
    assert await server.registry.find(ADA.key) is None


async def test_seats_of_a_key_come_with_tokens_for_another_device(server: Server) -> None:
    one = await seated(server)
    await server.registry.introduce(ADA.key, "Ada")
    await server.desk.tied(ADA.key, one.match, "red")
    await server.desk.tied(ADA.key, "gone", "red")
    (seat,) = await server.desk.seats(ADA.key)
    assert (seat.match, seat.seat) == (one.match, "red")
    assert await one.table.room.admit(seat.token) == "red"


async def test_a_player_s_earlier_names_are_told(server: Server) -> None:
    for name in ("Ada", "Ada L.", "Ada", "Countess"):
        server.hands.move(10)
        await server.registry.introduce(ADA.key, name)
    found = await server.registry.find(ADA.key)
    assert found is not None
    assert (found.name, found.names) == ("Countess", ("Ada", "Ada L."))
    assert found.since == server.hands.now - 30_000


def test_a_recipient_of_a_match_and_a_player_have_names_of_their_own() -> None:
    assert queue.player("ab") != queue.webhook("ab", "red")


async def test_a_player_who_comes_and_leaves_again_is_told_once_they_are_gone(server: Server, there: Endpoint) -> None:
    one = await waiting(server, there)
    here = one.table.listeners[one.decides].connection
    one.table.room.enter(one.decides, -1, here)
    await server.pass_(45)
    await server.pass_(600)
    assert there.posts == []
    one.table.room.leave(here)
    # For half a minute another server could still have the connection.
    await server.pass_(31)
    await server.pass_(31)
    assert len(there.posts) == 1
