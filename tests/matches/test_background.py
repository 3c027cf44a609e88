"""Background tasks: what fails once is tried again, and is logged once as long as it fails alike."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.leagues.keeping import Keeping
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import Archiver
from server.matches.background import Background
from server.matches.deadlines import Deadlines
from server.matches.dormant import Dormant
from server.matches.listing import MatchList
from server.matches.play.dormancy import Dormancy
from server.matches.rooms import Rooms
from server.matches.uptime import Uptime
from server.moderation.sanctions import Sanctions
from server.notices.noticing import Noticing
from server.notices.presence import Presence
from server.store.errors import StoreError, StoreUnavailable
from tests.support.room import eventually

FAULTS = (StoreError("Redis refuses a command: NOPERM"), StoreUnavailable("It is away."), RuntimeError("A bug."))
ANY: Any = None
"""Stands for what a task is given and does not use here."""


async def at_once(_seconds: float) -> None:
    await asyncio.sleep(0)


def tasks(folder: Path) -> Iterator[Background]:
    yield Deadlines(ANY, ANY, ANY, at_once)
    yield Archiver(ANY, ArchiveFolder(folder), 1, lambda: 0, at_once)
    yield Dormant(ANY, ANY, Dormancy(90, 14), lambda: 0, at_once)
    yield Keeping(ANY, ANY, at_once)
    yield Sanctions(ANY, lambda: 0, at_once)
    yield Uptime(ANY, lambda: 0.0, at_once)
    yield Presence(ANY, ANY, lambda: 0, at_once)
    yield Noticing(ANY, ANY, ANY, ANY, ANY, "", lambda: 0, at_once)


def failing(faults: list[Exception]) -> tuple[Callable[[], Any], list[int]]:
    """What raises each of these errors in turn, and then is done; and a list with an element for each time that it was."""
    done: list[int] = []

    async def attempted() -> None:
        if faults:
            raise faults.pop(0)
        done.append(1)

    return attempted, done


async def test_a_look_that_fails_does_not_end_those_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in tasks(tmp_path):
        look, done = failing(list(FAULTS))
        monkeypatch.setattr(task, "beat" if hasattr(task, "beat") else "look", look)
        running = asyncio.create_task(task.run())
        await eventually(lambda done=done, running=running: done or running.done())  # type: ignore[misc]
        assert not running.done(), type(task).__name__
        running.cancel()


async def test_what_fails_alike_again_and_again_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    look, done = failing([*FAULTS[:1] * 3, *FAULTS[1:2] * 3, *FAULTS[2:] * 2])
    deadlines = Deadlines(ANY, ANY, ANY, at_once)
    with caplog.at_level(logging.ERROR, "underfire.background"):
        for _ in range(9):
            await deadlines.attempt(look)
        assert done
        assert caplog.messages == ["Deadlines has failed, and is tried again"] * 2
        again, _ = failing(list(FAULTS[2:]))
        await deadlines.attempt(again)
        assert len(caplog.messages) == 3


async def test_the_list_and_the_closing_of_rooms_survive_a_fault(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, name, run in (
        (rooms, "_close_surplus", rooms._evict_idle),
        (rooms._list, "flush", lambda: MatchList.poll(rooms._list, at_once)),
    ):
        look, done = failing(list(FAULTS))
        monkeypatch.setattr(owner, name, look)
        monkeypatch.setattr(rooms, "_sleep", at_once)
        running = asyncio.create_task(run())
        await eventually(lambda done=done, running=running: done or running.done())  # type: ignore[misc]
        assert not running.done(), name
        running.cancel()
        monkeypatch.undo()
