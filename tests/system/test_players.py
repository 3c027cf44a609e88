"""Players with keys on a real server: known again on another device, and told that it is their turn."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from pathlib import Path

from client_protocol.client import StartPage, Table
from client_protocol.from_server import Accepted, Introduced, MatchMade, NoticesSet, PlayerFound, Refused
from client_protocol.players import NoticeSettings, Webhook
from tests.support.endpoint import Endpoint, endpoint
from tests.support.player_keys import ADA, BO
from tests.support.servers import serving, until
from tests.system.play import make_match, token

WAITS = {"UNDERFIRE_NOTICE_AFTER": "1", "UNDERFIRE_ORIGINS": "https://play.example.org"}


def settings(there: Endpoint) -> dict[str, str]:
    """A server that may send notices to this machine."""
    return {
        **WAITS,
        "UNDERFIRE_NOTICE_NETWORKS": "127.0.0.0/8, ::1/128",
        "UNDERFIRE_NOTICE_CA_FILE": str(there.certificate),
    }


def asked(table: Table) -> list[str]:
    """The seats that are asked, as a table sees it."""
    return [seat for seat, row in table.view.seats.items() if row.asked]


async def deploy(table: Table) -> None:
    """Answer by the default, once, and see what comes of it."""
    await until(lambda: table.prompt is not None and not table.prompt.answered)
    assert table.prompt is not None
    reply = await table.answer(table.prompt.default.choice, table.prompt.default.values)
    assert isinstance(reply, Accepted), reply
    await until(lambda: table.seq >= reply.seq)


async def test_a_player_goes_on_on_another_device_and_is_told_of_a_turn_while_no_page_is_open(tmp_path: Path) -> None:
    async with endpoint(tmp_path) as there, serving(tmp_path / "server", settings=settings(there)) as server:
        made = await make_match(server)
        assert isinstance(made, MatchMade)
        async with AsyncExitStack() as stack:
            blue, red = [
                await stack.enter_async_context(Table.sit(server.address, made.match, token(made, seat)))
                for seat in ("blue", "red")
            ]
            for table, key in ((blue, ADA), (red, BO)):
                assert isinstance(await table.tie_seat(key.key, key.sign), Accepted)
            await until(
                lambda: {seat: row.key for seat, row in red.view.seats.items()} == {"blue": ADA.key, "red": BO.key}
            )
        async with StartPage.open(server.address) as phone:
            # Before she has shown the key, the server does nothing in her name.
            hook = NoticeSettings(webhook=Webhook(there.url("ada")))
            refused = await phone.set_notices(hook)
            assert isinstance(refused, Refused)
            assert refused.code == "introduce_first"
            forged = await phone.introduce(ADA.key, "Ada", BO.sign)
            assert isinstance(forged, Refused)
            assert forged.code == "wrong_signature"
            known = await phone.introduce(ADA.key, "Ada", ADA.sign)
            assert isinstance(known, Introduced)
            ((match, seat, pass_),) = [(one.match, one.seat, one.token) for one in known.seats]
            assert (match, seat) == (made.match, "blue")
            tried = await phone.set_notices(hook, test=True)
            assert isinstance(tried, NoticesSet)
            assert tried.faults == ()
            found = await phone.ask_player(ADA.key)
            assert isinstance(found, PlayerFound)
            assert (found.player.name, found.player.seats) == ("Ada", 1)
        assert [json.loads(post.body)["event"] for post in there.posts] == ["test"]
        async with Table.sit(server.address, made.match, token(made, "red")) as red:
            async with Table.sit(server.address, made.match, pass_) as phone_table:
                assert phone_table.seat == "blue"
                # What she is asked while she is there she knows.
                while asked(red) != ["red"]:
                    await until(lambda: bool(asked(red)))
                    if asked(red) == ["blue"]:
                        await deploy(phone_table)
            while asked(red) != ["blue"]:
                await until(lambda: bool(asked(red)))
                if asked(red) == ["red"]:
                    await deploy(red)
            await until(lambda: len(there.posts) > 1)
        news = json.loads(there.posts[1].body)
        assert news["event"] == "your_turn"
        assert [waits["seat"] for waits in news["waits"]] == ["blue"]
        assert news["waits"][0]["url"] == f"https://play.example.org/#/m/{made.match}"
        for secret in (pass_, there.url("ada"), token(made, "red")):
            assert secret not in server.log


async def test_an_operator_who_wants_no_notices_sends_none(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, settings={"UNDERFIRE_NOTICES": "off"}) as server,
        StartPage.open(server.address) as page,
    ):
        known = await page.introduce(ADA.key, "Ada", ADA.sign)
        assert isinstance(known, Introduced)
        assert known.push_key == ""
        refused = await page.set_notices(NoticeSettings(webhook=Webhook("https://example.org/hook")))
        assert isinstance(refused, Refused)
        assert refused.code == "no_notices"
        assert isinstance(await page.forget_player(), Accepted)
        unknown = await page.ask_player(ADA.key)
        assert isinstance(unknown, Refused)
        assert unknown.code == "no_player"
