"""Players' topics: each player alone reads their own, with a password that the feed has the broker take.

Mosquitto does that with its dynamic security plugin, which is commanded by messages:
https://mosquitto.org/documentation/dynamic-security/
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from server.feed.broker import Publish, Sleep
from server.feed.outbox import Letter, Outbox
from server.feed.topics import Topics
from server.store.errors import StoreUnavailable

log = logging.getLogger("underfire.feed")

CONTROL = "$CONTROL/dynamic-security/v1"
"""The topic at which the plugin takes commands."""
PUBLIC, PLAYER, FEED = "underfire-public", "underfire-player", "underfire-feed"
"""The roles at the broker: to read what is public; to read one's own topic, with the player's key at its end; to write all."""
GROUP = "underfire-everyone"
"""The group of those who name no user."""
POLL_SECONDS = 1.0
"""Seconds between two looks into the outbox."""

Command = dict[str, object]


class PlayersTopics:
    """Publishes to players' topics, and lets players read them.

    Args:
        outbox: what servers leave for the feed.
        publish: publishes a message.
        topics: where to.
        user: the feed's own name at the broker.
        sleep: waits between two looks.
    """

    def __init__(self, outbox: Outbox, publish: Publish, topics: Topics, user: str, sleep: Sleep) -> None:
        self._outbox = outbox
        self._publish = publish
        self._topics = topics
        self._user = user
        self._sleep = sleep

    async def run(self) -> None:
        """Deal with what servers leave, until cancelled.

        Raises:
            StoreError: the database refuses.
        """
        await self._command(self._roles())
        while True:
            try:
                while (letter := await self._outbox.first()) is not None:
                    await self._see_to(letter)
                    await self._outbox.drop()
            except StoreUnavailable:
                pass  # what was done is done again then, to the same end
            await self._sleep(POLL_SECONDS)

    async def _see_to(self, letter: Letter) -> None:
        if letter.kind == "notice":
            await self._publish(self._topics.turn(letter.key), letter.content)
            return
        # A player who had a password gets another one: the old one must not be good any longer. Each has a role, since the plugin
        # of Mosquitto 2.0 puts no user's name into a topic.
        role = f"{PLAYER}-{letter.key}"
        commands: list[Command] = [
            {"command": "deleteClient", "username": letter.key},
            {"command": "deleteRole", "rolename": role},
        ]
        if letter.kind == "credentials":
            commands += [
                _role(role, _may("subscribeLiteral", self._topics.turn(letter.key))),
                {
                    "command": "createClient",
                    "username": letter.key,
                    "password": letter.content.decode(),
                    "roles": [{"rolename": role}, {"rolename": PUBLIC}],
                },
            ]
        await self._command(commands)

    async def _command(self, commands: Sequence[Command]) -> None:
        await self._publish(CONTROL, msgspec.json.encode({"commands": commands}))

    def _roles(self) -> list[Command]:
        """Return the commands that make the roles. Those that are there already are left as they are."""
        everything, public = self._topics.all, self._topics.public
        return [
            _role(FEED, *(_may(what, everything) for what in ("publishClientSend", "subscribePattern"))),
            {"command": "addClientRole", "username": self._user, "rolename": FEED},
            _role(PUBLIC, *(_may("subscribePattern", topic) for topic in public)),
            {"command": "createGroup", "groupname": GROUP, "roles": [{"rolename": PUBLIC}]},
            {"command": "setAnonymousGroup", "groupname": GROUP},
        ]


def _may(what: str, topic: str) -> Command:
    return {"acltype": what, "topic": topic, "priority": 0, "allow": True}


def _role(name: str, *rights: Command) -> Command:
    return {"command": "createRole", "rolename": name, "acls": list(rights)}
