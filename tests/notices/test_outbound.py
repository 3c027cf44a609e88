"""What the server may be made to ask, and what it must not."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from server.notices.outbound import LARGEST, Outbound, Undelivered, public
from tests.support.endpoint import Endpoint


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_an_address_of_the_public_internet_may_be_asked(address: str) -> None:
    assert public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.20.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",  # noqa: S104
        "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
        "2002:a00:1::",
    ],
)  # fmt: skip
def test_an_address_of_the_operator_s_own_must_not_be_asked(address: str) -> None:
    assert not public(address)


async def test_what_is_accepted_was_sent_whole(there: Endpoint, outbound: Outbound) -> None:
    await outbound.post(there.url("a"), b"body", {"X-Word": "so"})
    (post,) = there.posts
    assert (post.path, post.body, post.headers["X-Word"]) == ("/a", b"body", "so")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_this_machine_is_not_asked_whatever_it_is_called(there: Endpoint, host: str) -> None:
    async with Outbound((), str(there.certificate)) as strict:
        with pytest.raises(Undelivered, match="not an address of the public internet"):
            await strict.post(f"https://{host}:{there.port}/secret", b"", {})
    assert there.posts == []


async def test_a_redirect_to_where_the_server_must_not_ask_is_not_followed(there: Endpoint, outbound: Outbound) -> None:
    there.answers, there.location = [307, 307], "https://169.254.169.254/latest/meta-data"
    with pytest.raises(Undelivered, match="not an address of the public internet"):
        await outbound.post(there.url(), b"", {})
    there.location = there.url().replace("https:", "http:")
    with pytest.raises(Undelivered, match="HTTPS"):
        await outbound.post(there.url(), b"", {})
    assert len(there.posts) == 2


async def test_redirects_are_followed_twice(there: Endpoint, outbound: Outbound) -> None:
    there.answers, there.location = [307, 308], "/moved"
    await outbound.post(there.url(), b"body", {})
    assert [post.path for post in there.posts] == ["/hook", "/moved", "/moved"]
    assert all(post.body == b"body" for post in there.posts)
    there.answers = [307, 307, 307]
    with pytest.raises(Undelivered, match="too often"):
        await outbound.post(there.url(), b"body", {})


async def test_only_usual_ports_of_the_public_internet_are_asked(outbound: Outbound) -> None:
    assert outbound.allows("93.184.215.14", 443)
    assert not outbound.allows("93.184.215.14", 6379)
    async with Outbound((ip_network("10.0.0.0/8"),)) as allowing:
        assert allowing.allows("10.1.2.3", 6379)
        assert not allowing.allows("192.168.0.1", 443)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://example.org/x", "HTTPS"),
        ("https://user:word@example.org/x", "HTTPS"),
        ("https://", "HTTPS"),
        ("https://[", "cannot be reached"),
        ("https://no-such-host.invalid/secret-path", "no-such-host.invalid cannot be reached"),
    ],
)
async def test_what_cannot_be_asked_is_said_without_the_rest_of_the_address(
    outbound: Outbound, url: str, why: str
) -> None:
    with pytest.raises(Undelivered, match=why) as caught:
        await outbound.post(url, b"", {})
    assert "secret-path" not in str(caught.value)
    assert "word" not in str(caught.value)


async def test_a_certificate_that_is_not_trusted_ends_it(there: Endpoint) -> None:
    async with Outbound((ip_network("127.0.0.0/8"), ip_network("::1/128"))) as trusting:
        with pytest.raises(Undelivered, match="certificate of localhost is not trusted"):
            await trusting.post(there.url(), b"", {})
    assert there.posts == []


async def test_no_more_is_sent_than_a_push_service_takes(there: Endpoint, outbound: Outbound) -> None:
    with pytest.raises(Undelivered, match="too long"):
        await outbound.post(there.url(), b"x" * (LARGEST + 1), {})
    assert there.posts == []


async def test_an_address_that_will_never_take_anything_again_is_gone(there: Endpoint, outbound: Outbound) -> None:
    for status, gone in ((410, True), (404, True), (500, False), (429, False)):
        there.answers = [status]
        with pytest.raises(Undelivered, match=f"localhost answered {status}") as caught:
            await outbound.post(there.url(), b"", {})
        assert caught.value.gone is gone
