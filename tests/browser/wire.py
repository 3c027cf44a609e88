"""What a page is sent: for each seat that is played in it the view and the open prompt, as its own client holds them.

So a test knows what is asked without knowing any edition's words, and does it on the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
from playwright.async_api import Page, Request, WebSocket

from client_protocol.choices import AssignmentParameter, Choice, PathParameter, Prompt, UnitParameter
from client_protocol.codec import decode_server
from client_protocol.from_server import Snapshot, Update
from tests.support.playing import merged


class Seat:
    """What one seat, or the spectators, have been sent."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = {}
        self.size = (0, 0)
        self.prompt: Prompt | None = None


class Wire:
    """Listens to a page's websockets from the moment the page is made."""

    def __init__(self, page: Page) -> None:
        self._links: dict[WebSocket, Seat] = {}
        self._frame = page.main_frame
        page.on("websocket", self._listen)
        page.on("request", self._leave)

    @property
    def view(self) -> dict[str, Any]:
        """What is seen of the match, empty until it is sent: while a page goes from one match to the next it has none.

        A link of a start page, which shows other matches, may close a little later.
        """
        return next((seat.view for seat in reversed(self._links.values()) if seat.view), {})

    @property
    def size(self) -> tuple[int, int]:
        """The table's, in mil."""
        return next(seat.size for seat in reversed(self._links.values()) if seat.view)

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is open; of several that of the seat which has not answered yet."""
        open_ = [seat.prompt for seat in self._links.values() if seat.prompt is not None]
        return min(open_, key=lambda prompt: prompt.answered, default=None)

    @property
    def open(self) -> set[str]:
        """The ids of all prompts that are open."""
        return {seat.prompt.id for seat in self._links.values() if seat.prompt is not None}

    def _listen(self, socket: WebSocket) -> None:
        if not socket.url.endswith("/ws"):
            return  # a broker's
        seat = self._links[socket] = Seat()
        socket.on("framereceived", partial(_take, seat))
        socket.on("close", self._forget)

    def _leave(self, request: Request) -> None:
        # A page that is loaded anew does not always tell that the websockets of the one before are closed.
        if request.is_navigation_request() and request.frame == self._frame:
            self._links.clear()

    def _forget(self, socket: WebSocket) -> None:
        self._links.pop(socket, None)


def _take(seat: Seat, data: str | bytes) -> None:
    if isinstance(data, str):
        return
    message = decode_server(data)
    if isinstance(message, Snapshot):
        seat.size = (message.table.width, message.table.height)
        seat.view, seat.prompt = msgspec.to_builtins(message.view), message.prompt
    elif isinstance(message, Update):
        now = merged(seat.view, message.patch)
        assert isinstance(now, dict)
        seat.view = now
        if message.prompt is not None or message.closed:
            seat.prompt = message.prompt


# --- what a choice is -----------------------------------------------------------------------------------------------


def open_choices(prompt: Prompt) -> Iterator[Choice]:
    """The choices that may be taken."""
    yield from (choice for choice in prompt.choices if choice.why is None)


def ways(prompt: Prompt) -> list[Choice]:
    """The choices by which a unit may go where its player likes, the farthest first."""
    found = [
        (parameter.allowance, choice)
        for choice in open_choices(prompt)
        for parameter in choice.parameters[:1]
        if isinstance(parameter, PathParameter) and parameter.allowance and not parameter.ends
    ]
    return [choice for _, choice in sorted(found, key=lambda row: -row[0])]


def attacks(prompt: Prompt) -> list[Choice]:
    """The choices by which a unit shoots: at a unit that one names, or figure by figure. These have a preview."""
    return [
        choice
        for choice in open_choices(prompt)
        if choice.preview and isinstance(next(iter(choice.parameters), None), UnitParameter | AssignmentParameter)
    ]


def is_action(prompt: Prompt) -> bool:
    """Whether a unit is asked what it does."""
    return bool(prompt.unit) and len(prompt.choices) > 2 and any(_is_way(choice) for choice in prompt.choices)


def _is_way(choice: Choice) -> bool:
    return len(choice.parameters) == 1 and isinstance(choice.parameters[0], PathParameter)
