"""A prompt of each kind of parameter, as a server sent it in whole matches that were played over the wire, with an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from functools import partial
from typing import get_args

from client_protocol.choices import Parameter
from client_protocol.shapes import PROTOCOL
from tests.protocol_pages.wire import Message, Talk
from tests.system.play import Player, Randomly, press_on

PLAYED: tuple[tuple[str, str, Callable[[], Player]], ...] = (
    ("fad4", "crossroads-patrol", lambda: press_on),
    *(("fad4", "mortar-lane", partial(Randomly, seed)) for seed in range(3)),
    *(("fubar4", "crossed-hedges", partial(Randomly, seed)) for seed in range(20)),
)
"""Matches that are played, one after the other, until each kind has been answered: edition, scenario, and who plays."""
KINDS = {str(kind.__struct_config__.tag) for kind in get_args(Parameter)}
SEATS = ("blue", "red")
Answered = tuple[Message, Message]
"""A prompt, and an answer to it that was accepted."""


async def welcome(address: str) -> Message:
    """What a server says first."""
    async with Talk.at(address, "page") as page:
        await page.say({"type": "enter_lobby", "protocol": PROTOCOL})
        return await page.until("welcome")


async def answered(address: str) -> dict[str, Answered]:
    """For each kind of parameter the shortest prompt that was answered with a value of that kind."""
    found: dict[str, Answered] = {}
    for edition, scenario, player in PLAYED:
        if found.keys() == KINDS:
            break
        for talk in await match(address, edition, scenario, player()):
            for example in _accepted(talk):
                for kind in {value["type"] for value in example[1]["values"]}:
                    found[kind] = min(found.get(kind, example), example, key=_length)
    return dict(sorted(found.items()))


def _accepted(talk: Talk) -> Iterator[Answered]:
    """The prompts of a connection, each with the answer to it that was accepted."""
    prompts: dict[str, Message] = {}
    answers: dict[str, Message] = {}
    for _, message in talk.said:
        if prompt := message.get("prompt") if message["type"] in {"snapshot", "update"} else None:
            prompts[prompt["id"]] = prompt
        elif message["type"] == "answer":
            answers[message["id"]] = message
        if message["type"] == "accepted" and (answer := answers.get(message["id"])):
            yield prompts[answer["prompt"]], answer


def _length(example: Answered) -> int:
    return len(json.dumps(example))


async def match(address: str, edition: str, scenario: str, player: Player) -> list[Talk]:
    """A whole match: the connections of its start page and of its seats."""
    async with AsyncExitStack() as stack:
        page, *seats = [
            await stack.enter_async_context(Talk.at(address, name)) for name in (f"page-{scenario}", *SEATS)
        ]
        await page.say({"type": "enter_lobby", "protocol": PROTOCOL})
        await page.until("matches")
        made = await page.ask("make_match", edition=edition, scenario=scenario, name="Ann", mine=list(SEATS))
        for seat, given in zip(seats, made["passes"], strict=True):
            await seat.sit(made["match"], given["token"])
        for seat in seats:
            await seat.commit()
        for seat in seats:
            await seat.level()
            await seat.reveal()
        while not seats[0].over:
            deciding = next((seat for seat in seats if seat.asked), None)
            if deciding is None:
                await seats[0].hear()
            else:
                await _decides(deciding, player)
            for seat in seats:
                await seat.level()
        return [page, *seats]


async def _decides(seat: Talk, player: Player) -> None:
    """Answer what is asked; with the default, where the player has guessed what is not allowed."""
    asked = seat.asked
    assert asked is not None, "it is asked"
    reply = await seat.answer(player(seat.view, asked))
    if reply["type"] == "refused":
        reply = await seat.answer(asked.default)
    assert reply["type"] == "accepted", reply
