"""A server with secrets in use writes none of them, in either form of its log, whatever fails."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import redis

from client_protocol.client import Table
from client_protocol.from_client import EnterMatch
from client_protocol.from_server import Goodbye
from client_protocol.shapes import PROTOCOL
from tests.support.mosquitto import broker
from tests.support.servers import LONGEST, ServerProcess, ended, until
from tests.support.valkey import valkey
from tests.system.peers import peer_at
from tests.system.play import Battle, make_match, press_on, token

ADMIN = "operators-own-secret-of-40-letters-xxxxx"
REDIS = "redis-own-secret"
MQTT = "brokers-own-secret"
SAID = ("Underfire ", "Open ", "Matches are kept", "The rules' inner loops", "The web client", "Ctrl-C", "Stopping ...")
"""How lines begin that are printed for a person, on standard output."""


def command(server: ServerProcess, secret: str) -> int:
    """Send a command with a token, and return the status."""
    asking = urllib.request.Request(  # noqa: S310 - our own server
        f"{server.address}/admin",
        headers={"Authorization": f"Bearer {secret}", "Underfire-Command": '{"type":"bans"}'},
        method="POST",
    )
    try:
        with urllib.request.urlopen(asking, timeout=LONGEST) as response:  # noqa: S310 - our own server
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.parametrize("form", ["json", "pretty"])
async def test_no_secret_is_written_whatever_fails(tmp_path: Path, form: str) -> None:
    program = shutil.which("mosquitto_passwd")
    assert program, "it comes with Mosquitto"
    passwords = tmp_path / "passwords"
    await asyncio.to_thread(
        subprocess.run, [program, "-b", "-c", str(passwords), "feed", MQTT], check=True, capture_output=True
    )
    (tmp_path / "db").mkdir()
    async with (
        valkey(tmp_path / "db") as url,
        broker(tmp_path, "allow_anonymous false", f"password_file {passwords}") as mosquitto,
    ):
        database = redis.Redis.from_url(url)
        user = ("ACL", "SETUSER", "under", "on", f">{REDIS}", "~*", "&*", "+@all")
        await asyncio.to_thread(database.execute_command, *user)
        server = ServerProcess(
            tmp_path / "server",
            settings={
                "UNDERFIRE_LOG_LEVEL": "debug",
                "UNDERFIRE_LOG_FORMAT": form,
                "UNDERFIRE_ADMIN_TOKEN": ADMIN,
                "UNDERFIRE_REDIS_URL": url.replace("unix://", f"unix://under:{REDIS}@"),
                "UNDERFIRE_MQTT_URL": mosquitto.url.replace("mqtt://", f"mqtt://feed:{MQTT}@"),
            },
        )
        with ended([server], tmp_path / "server"):
            await asyncio.to_thread(server.start)
            made = await make_match(server)
            secrets = [ADMIN, REDIS, MQTT, *(one.token or one.invite for one in made.passes)]
            async with Battle.at(server, made) as battle:
                table = await battle.next()
                assert table is not None
                assert table.prompt is not None
                await battle.give(table, press_on(table.view, table.prompt))
                await battle.tables["red"].say("a word at the table")
                right = token(made, "red")
                wrong = right[:-1] + ("A" if right[-1] != "A" else "B")
                async with peer_at(server) as peer:
                    await peer.send(EnterMatch(PROTOCOL, made.match, wrong))
                    assert isinstance((await peer.rest())[-1], Goodbye)
                    secrets.append(wrong)
                async with peer_at(server) as peer:
                    for _ in range(2):
                        await peer.socket.send(token(made, "red").encode())
                    await peer.closed()
                assert [await asyncio.to_thread(command, server, one) for one in (ADMIN, ADMIN[:-1] + "y")] == [
                    200,
                    401,
                ]
                secrets.append(ADMIN[:-1] + "y")
                # The database turns the server away, and then the broker is gone.
                await asyncio.to_thread(database.execute_command, "ACL", "SETUSER", "under", "off")
                await asyncio.to_thread(database.execute_command, "CLIENT", "KILL", "USER", "under")
                await until(lambda: server.health()["ok"] is False)
                await asyncio.to_thread(database.execute_command, "ACL", "SETUSER", "under", "on")
                await until(lambda: server.health()["ok"] is True)
                await asyncio.to_thread(mosquitto.stop)
                await until(lambda: "broker" in server.log)
            async with Table.sit(server.address, made.match, token(made, "blue")) as again:
                await until(lambda: again.seq >= 0)
            assert await asyncio.to_thread(server.stop) == 0
        await asyncio.to_thread(database.close)
    text = server.log
    assert not [secret for secret in secrets if secret in "".join(text.split())]
    assert "a word at the table" not in text
    lines = [line for line in text.splitlines() if not line.startswith(SAID)]
    assert "the database is away" in " ".join(text.split())
    if form == "json":
        logged = [json.loads(line) for line in lines]
        assert {"time", "level", "logger", "message"} <= set.intersection(*(set(one) for one in logged))
        assert [one["address"] for one in logged if "token came from" in one["message"]] == ["127.0.0.1"]
