"""Matches that were played over the wire until a seat gave up, for tests of what comes after the end."""

from __future__ import annotations

from client_protocol.client.link import new_id, open_link
from client_protocol.client.start import StartPage
from client_protocol.from_client import Concede, EnterMatch
from client_protocol.from_server import Accepted, MatchMade, Refused
from client_protocol.shapes import PROTOCOL
from tests.browser.battles import ANY, Battle
from tests.support.servers import ServerProcess
from tests.system.play import Battle as Played
from tests.system.play import token


async def concede(server: ServerProcess, match: str, seat_token: str) -> None:
    """A seat gives up."""
    async with open_link(server.address) as link:
        await link.send(EnterMatch(PROTOCOL, match, seat_token))
        await link.send(Concede(asked := new_id()))
        while True:
            reply = await link.receive()
            assert not isinstance(reply, Refused), reply
            if isinstance(reply, Accepted) and reply.id == asked:
                return


async def begun(server: ServerProcess, answers: int, battle: Battle = ANY) -> MatchMade:
    """A match of which all seats are ours, after so many answers, each of them the default."""
    async with StartPage.open(server.address) as start:
        made = await start.make_match(battle.edition.id, battle.scenario.id, "Ann", tuple(battle.sides))
    assert isinstance(made, MatchMade), made
    async with Played.at(server, made) as played:
        for _ in range(answers):
            table = await played.next()
            if table is None or table.prompt is None:
                break
            await played.give(table, table.prompt.default)
    return made


async def finished(server: ServerProcess, answers: int = 12, battle: Battle = ANY) -> MatchMade:
    """Such a match after its first seat has given up."""
    made = await begun(server, answers, battle)
    await concede(server, made.match, token(made, next(iter(battle.sides))))
    return made
