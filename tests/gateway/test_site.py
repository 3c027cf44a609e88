from __future__ import annotations

import asyncio
import gc
import gzip
import json
import socket
import tracemalloc
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request

from client_protocol import schema
from client_protocol.from_client import EnterLobby, Ping
from client_protocol.from_server import Status, Welcome
from client_protocol.shapes import PROTOCOL
from server.app import force_parts, of_each_edition, reference
from server.config import Settings
from server.gateway.files import Files, find_client
from server.gateway.limits import Limits
from server.gateway.server import Gateway
from server.gateway.site import FeedAddress
from tests.gateway.conftest import Connect
from tests.gateway.fakes import FakeRooms


@dataclass
class Got:
    status: int
    headers: dict[str, str]
    body: bytes


async def get(gateway: Gateway, path: str, method: str = "GET", **headers: str) -> Got:
    """Asks by hand: a client library would tidy the path up."""
    host, port = gateway.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    fields = {"Host": f"{host}:{port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    writer.write("\r\n".join(lines).encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    first, *rest = head.decode().split("\r\n")
    return Got(int(first.split()[1]), {k.lower(): v for k, _, v in (line.partition(": ") for line in rest)}, body)


async def test_the_client_is_served_with_strict_headers(gateway: Gateway) -> None:
    page = await get(gateway, "/")
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<title>Fake</title>" in page.body
    assert page.headers["cache-control"] == "no-cache"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert policy.endswith("require-trusted-types-for 'script'; trusted-types svelte-trusted-html underfire-worker")
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "server" not in page.headers


async def test_hashed_files_are_kept_for_ever_and_packed_where_it_helps(gateway: Gateway, client_files: Path) -> None:
    script = await get(gateway, "/assets/app-0a1b2c.js?x=1", Accept_Encoding="br, gzip")
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["content-encoding"] == "gzip"
    assert gzip.decompress(script.body) == (client_files / "assets" / "app-0a1b2c.js").read_bytes()
    for accepted in ("identity", "gzip;q=0"):
        plain = await get(gateway, "/assets/app-0a1b2c.js", Accept_Encoding=accepted)
        assert "content-encoding" not in plain.headers
        assert plain.body == gzip.decompress(script.body)
    image = await get(gateway, "/assets/dot.png", Accept_Encoding="gzip")
    assert (image.headers["content-type"], image.body) == ("image/png", b"\x89PNG")


async def test_a_browser_at_an_address_without_a_page_finds_a_way_back(gateway: Gateway) -> None:
    page = await get(gateway, "/leagues", Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (page.status, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b'<a href="/">Go to the start page</a>' in page.body
    program = await get(gateway, "/leagues", Accept="*/*")
    assert (program.status, program.headers["content-type"]) == (404, "text/plain; charset=utf-8")
    assert program.body == b"There is nothing here.\n"


async def test_a_page_that_is_known_already_is_not_sent_again(gateway: Gateway) -> None:
    page = await get(gateway, "/index.html")
    again = await get(gateway, "/index.html", If_None_Match=page.headers["etag"])
    assert (again.status, again.body) == (304, b"")


async def test_a_client_that_was_built_anew_is_served_anew(gateway: Gateway, client_files: Path) -> None:
    await get(gateway, "/")
    (client_files / "assets" / "app-ffffff.js").write_text("export const y = 2;", encoding="utf-8")
    (client_files / "index.html").write_text("<!doctype html><title>New</title>", encoding="utf-8")
    assert b"New" in (await get(gateway, "/")).body
    assert (await get(gateway, "/assets/app-ffffff.js")).status == 200


async def test_license_and_notice_are_told(gateway: Gateway) -> None:
    for path, words in (("/license.txt", b"MIT License"), ("/notice.txt", b"take no profit")):
        told = await get(gateway, path)
        assert (told.status, told.headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert words in told.body


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/assets",
        "/assets/",
        "/secret.txt",
        "/nothing",
        "/rules/../secret.json",
        "/matches/../secret.underfire",
    ],
)
async def test_only_files_of_the_web_client_are_served(gateway: Gateway, path: str) -> None:
    await get(gateway, "/")
    got = await get(gateway, path)
    assert got.status == 404
    assert b"secret" not in got.body


async def test_only_reading_is_understood(gateway: Gateway) -> None:
    head = await get(gateway, "/", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["content-length"]) > 0
    assert (await get(gateway, "/", "DELETE")).status == 405


async def test_the_schema_of_the_messages_is_served(gateway: Gateway) -> None:
    page = await get(gateway, "/schema.json")
    assert (page.status, page.headers["content-type"]) == (200, "application/schema+json")
    assert page.body.decode() == schema.generate()


async def test_health_tells_whether_answers_can_be_taken(gateway: Gateway, rooms: FakeRooms) -> None:
    well = await get(gateway, "/health")
    assert (well.status, json.loads(well.body)) == (200, {"ok": True, "database": "up", "version": "1.2.3"})
    rooms.become(Status("read_only", 1))
    ill = await get(gateway, "/health")
    assert (ill.status, json.loads(ill.body)["database"]) == (503, "down")


async def test_a_proxy_is_told_when_new_connections_should_go_elsewhere(gateway: Gateway, rooms: FakeRooms) -> None:
    assert (await get(gateway, "/ready", Host="10.0.0.7:8000")).status == 200
    rooms.become(Status("read_only", 1))
    assert (await get(gateway, "/ready")).status == 503
    rooms.become(Status("live", 2))
    gateway._shared.draining = True
    told = await get(gateway, "/ready")
    assert (told.status, told.body) == (503, b"The server is about to stop.\n")


async def test_pages_are_told_where_the_feed_is_and_may_connect_to_it(gateway: Gateway) -> None:
    nowhere = await get(gateway, "/feed.json")
    assert json.loads(nowhere.body) == {"url": "", "root": "", "protocol": PROTOCOL, "up": 5000}
    gateway._site._feed = FeedAddress("wss://play.example.org/mqtt", "club")
    told = await get(gateway, "/feed.json")
    assert json.loads(told.body) == {
        "url": "wss://play.example.org/mqtt",
        "root": "club",
        "protocol": PROTOCOL,
        "up": 5000,
    }
    assert "connect-src 'self' wss://play.example.org;" in told.headers["content-security-policy"]
    assert "wss://" not in nowhere.headers["content-security-policy"]


async def test_metrics_are_for_the_operator(gateway: Gateway, open_peer: Connect) -> None:
    peer = await open_peer()
    await peer.ask(EnterLobby(PROTOCOL), Welcome)
    await peer.receive()
    await peer.ask(Ping("1"), object)
    page = await get(gateway, "/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in (
        b'underfire_connections{kind="lobby"} 1.0',
        b'underfire_messages_total{type="Ping"} 1.0',
        b"underfire_appended_total 0.0",
        b"underfire_conflicts_total 0.0",
        b"underfire_loop_lag_seconds 0.0",
        b"underfire_answer_seconds_count 0.0",
        b"underfire_resumed_total 0.0",
        b"underfire_queued_bytes 0.0",
    ):
        assert line in page.body
    assert (await get(gateway, "/metrics", X_Forwarded_For="192.0.2.1")).status == 404


async def test_metrics_are_there_only_where_they_are_asked_for(gateway: Gateway) -> None:
    gateway._site._show_metrics = Settings().metrics
    assert (await get(gateway, "/metrics")).status == 404


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost", True),
        ("LOCALHOST:8000", True),
        ("underfire.localhost:8000", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("192.168.1.7:8000", True),
        ("play.example.org", True),
        ("play.example.org:8443", True),
        ("play.example.org.", True),
        (socket.gethostname(), True),
        ("rebound.example.net", False),
        ("rebound.example.net:8000", False),
        ("play.example.org.evil.net", False),
        ("evil.net/play.example.org", False),
        ("localhost@evil.net", False),
        ("play.example.org@evil.net", False),
        ("127.0.0.1.evil.net", False),
        ("notlocalhost", False),
        ("", False),
        ("[", False),
    ],
)
async def test_a_server_answers_only_to_its_own_names(gateway: Gateway, host: str, known: bool) -> None:
    for path in ("/", "/matches/over.underfire", "/metrics"):
        got = await get(gateway, path, Host=host)
        assert got.status == (200 if known else 421)
        if not known:
            assert b"UNDERFIRE_ORIGINS" in got.body
    # For a websocket, too: the page's origin has the same name as the host there.
    response = await gateway._site.respond(Request("/ws", Headers(Host=host, Origin=f"http://{host}")))
    assert (response is None) == known
    assert (await get(gateway, "/health", Host=host)).status == 200


async def test_a_request_with_two_hosts_is_refused(gateway: Gateway) -> None:
    assert (await get(gateway, "/", Host="localhost\r\nHost: evil.net")).status == 421


async def test_requests_for_what_is_not_there_take_no_memory(gateway: Gateway) -> None:
    site = gateway._site
    for kind, give in (("rules", partial(reference, offered=frozenset())), ("forces", force_parts)):
        site._editions[kind] = (of_each_edition(give), "There is none.\n")
    await site.respond(Request("/rules/nothing.json", Headers(Host="localhost")))
    tracemalloc.start()
    try:
        for number in range(1000):
            long, short = f"{number:04}" + "n" * 4000, f"{number:04}" + "n" * 76
            for path in (f"/{long}", f"/rules/{short}.json", f"/forces/{short}.json"):
                response = await site.respond(Request(path, Headers(Host="localhost")))
                assert response is not None
                assert response.status_code == 404
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < 50_000
    finally:
        tracemalloc.stop()


def test_the_file_of_an_edition_is_made_once_and_only_if_there_is_such_an_edition() -> None:
    made: list[str] = []

    def make(edition: str) -> bytes:
        made.append(edition)
        return edition.encode()

    give = of_each_edition(make)
    assert [give(name) for name in ("fad4", "chess", "fad4")] == [b"fad4", None, b"fad4"]
    assert made == ["fad4"]


async def test_rule_references_and_match_files_are_given(gateway: Gateway) -> None:
    rules = await get(gateway, "/rules/fake.json")
    assert json.loads(rules.body)["edition"] == "fake"
    assert (await get(gateway, "/rules/other.json")).status == 404
    forces = await get(gateway, "/forces/fake.json")
    assert json.loads(forces.body) == {"form": {}, "ready": []}
    assert (forces.headers["content-type"], forces.headers["cache-control"]) == (
        rules.headers["content-type"],
        rules.headers["cache-control"],
    )
    packed = await get(gateway, "/rules/fake.json", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == rules.body
    assert (await get(gateway, "/rules/fake.json", If_None_Match=rules.headers["etag"])).status == 304
    positions = await get(gateway, "/positions/fake.json")
    assert (positions.status, json.loads(positions.body)["units"]) == (200, [])
    assert (await get(gateway, "/positions/other.json")).status == 404
    none = await get(gateway, "/forces/other.json")
    assert (none.status, none.body[-2:]) == (404, b".\n")
    over = await get(gateway, "/matches/over.underfire")
    assert (over.status, over.body) == (200, b"the whole match")
    assert over.headers["content-disposition"] == 'attachment; filename="over.underfire"'
    assert (await get(gateway, "/matches/running.underfire")).status == 409
    assert (await get(gateway, "/matches/none.underfire")).status == 404
    removed = await get(gateway, "/matches/removed.underfire")
    assert (removed.status, removed.body) == (410, b"The operator of this server has removed this match.\n")


async def test_our_own_pages_and_programs_may_connect(gateway: Gateway, open_peer: Connect) -> None:
    own = gateway.address
    for origin in (None, own, own.replace("http://", "https://"), "https://play.example.org"):
        peer = await open_peer(origin=origin)
        await peer.ask(EnterLobby(PROTOCOL), Welcome)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil.example",
        "http://play.example.org",
        "https://play.example.org.evil.example",
        "https://sub.play.example.org",
        "https://PLAY.example.org",
        "https://play.example.org:444",
        "https://play.example.org/",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "file://",
    ],
)
async def test_pages_of_other_origins_may_not(gateway: Gateway, open_peer: Connect, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await open_peer(additional_headers={"Origin": origin})
    assert refused.value.response.status_code == 403


async def test_a_websocket_with_two_origins_is_refused(open_peer: Connect, gateway: Gateway) -> None:
    with pytest.raises(InvalidStatus):
        await open_peer(additional_headers=[("Origin", gateway.address), ("Origin", "https://evil.example")])


async def test_the_websocket_is_nothing_to_look_at(gateway: Gateway) -> None:
    assert (await get(gateway, "/ws")).status == 426


@pytest.mark.parametrize("limits", [Limits(connections=1)])
async def test_connections_are_bounded(open_peer: Connect, gateway: Gateway) -> None:
    await (await open_peer()).ask(EnterLobby(PROTOCOL), Welcome)
    with pytest.raises(InvalidStatus) as refused:
        await open_peer()
    assert refused.value.response.status_code == 503
    assert (await get(gateway, "/health")).status == 200


def test_a_client_that_is_not_built_is_no_file(tmp_path: Path) -> None:
    assert Files(None).get("/") is None
    assert Files(tmp_path).get("/") is None
    found = find_client()
    assert found is None or (found / "index.html").is_file()
