"""A database that is out of memory, or does not answer at all, and what a real server says about it."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import redis

from client_protocol.from_client import EnterMatch, ExportText, Report, Say
from client_protocol.from_server import Accepted, Goodbye, Refused
from client_protocol.shapes import PROTOCOL
from server.store.embedded import EmbeddedValkey
from tests.support.servers import serving, until, valkey_pid
from tests.system.peers import ask, peer_at, sit
from tests.system.play import make_match, token


async def test_a_server_whose_database_is_out_of_memory_reports_itself_unhealthy(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server)
        async with peer_at(server) as blue:
            await sit(blue, made.match, token(made, "blue"))
            with redis.Redis.from_url(EmbeddedValkey(tmp_path).url) as operator:
                operator.config_set("maxmemory", "1mb")
                await until(lambda: server.get("/health").status == 503)
                operator.config_set("maxmemory", "0")
            await until(lambda: server.get("/health").status == 200)
            await ask(blue, Say("say-00000001", "Back again"), Accepted)


async def test_requests_are_refused_with_a_sentence_in_time_while_the_database_is_silent(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made, other = await make_match(server), await make_match(server)
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)  # so that the other match is not in memory
        async with peer_at(server) as blue, peer_at(server) as red, peer_at(server) as late:
            await sit(blue, made.match, token(made, "blue"))
            await sit(red, made.match, token(made, "red"))
            said = await ask(blue, Say("say-00000001", "Hello?"), Accepted)
            os.kill(valkey := valkey_pid(tmp_path), signal.SIGSTOP)
            try:
                await late.send(EnterMatch(PROTOCOL, other.match, token(other, "red")))
                async with asyncio.timeout(15):
                    reported, written, told = await asyncio.gather(
                        ask(red, Report("report-00001", said.seq, "rude"), Refused),
                        ask(blue, ExportText("text"), Refused),
                        late.rest(),
                    )
            finally:
                os.kill(valkey, signal.SIGCONT)
        assert (reported.code, written.code) == ("database_away", "database_away")
        assert isinstance(told[-1], Goodbye)
        assert (told[-1].code, told[-1].again) == ("database_away", True)
        await until(lambda: server.health()["ok"] is True)
