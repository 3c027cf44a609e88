"""A line to the database that reads along: it can lose the reply to an append, and sees the append come again."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import TypeAlias

import hiredis

from server.store.scripts import APPEND
from tests.soak.line import Connection, Line, Reach, Way

Append: TypeAlias = tuple[bytes, bytes]
"""An append: the key of its log, and the answer id."""
LOG_WORD, ANSWER_WORD = 3, 9
"""Where they stand in a command: EVALSHA, the script, the number of keys (4), the keys, and the arguments of `append.lua`."""


@dataclass(eq=False)
class _Exchange(Connection):
    """A connection to the database: how many commands and replies have passed, and the number of the command whose reply is to
    be lost (0: none).
    """

    commands: hiredis.Reader = field(default_factory=hiredis.Reader)
    replies: hiredis.Reader = field(default_factory=hiredis.Reader)
    asked: int = 0
    replied: int = 0
    doomed: int = 0


class StoreLine(Line):
    """A line to the database of a server and its feed."""

    def __init__(self, reach: Reach, chance: random.Random) -> None:
        super().__init__(reach, chance)
        self.lost = 0
        """To how many appends the reply was lost: the database had carried them out."""
        self.again = 0
        """How many of these came again."""
        self._losing = False
        self._unsure: set[Append] = set()

    def lose_reply(self) -> None:
        """Cut the connection of the next append after the database has carried it out and before its reply arrives."""
        self._losing = True

    def _connected(self, writer: asyncio.StreamWriter) -> Connection:
        return _Exchange([writer])

    def _passes(self, connection: Connection, way: Way, data: bytes) -> int | None:
        assert isinstance(connection, _Exchange)
        if way == "up":
            self._ask(connection, data)
        elif self._lost(connection, data):
            return 0
        return super()._passes(connection, way, data)

    def _ask(self, exchange: _Exchange, data: bytes) -> None:
        """Note the commands in a piece."""
        exchange.commands.feed(data)
        while (command := exchange.commands.gets()) is not False:
            exchange.asked += 1
            append = _append(command)
            if append is None:
                continue
            if append in self._unsure:
                self._unsure.remove(append)
                self.again += 1
            elif self._losing and not exchange.doomed:
                self._losing = False
                exchange.doomed = exchange.asked
                self._unsure.add(append)

    def _lost(self, exchange: _Exchange, data: bytes) -> bool:
        """Note the replies in a piece; return whether the one that is to be lost is among them."""
        exchange.replies.feed(data)
        while exchange.replies.gets() is not False:
            exchange.replied += 1
        if exchange.doomed and exchange.replied >= exchange.doomed:
            self.lost += 1
            return True
        return False


def _append(command: object) -> Append | None:
    """Return what a command appends, if it does."""
    match command:
        case [bytes(), bytes(script), *_] if script in {APPEND.sha, APPEND.text}:
            log, answer = command[LOG_WORD], command[ANSWER_WORD]
            assert isinstance(log, bytes)
            assert isinstance(answer, bytes)
            return log, answer
    return None
