"""Clocks: how much time seats have to decide. Chosen when a match is made; its players may change it later together."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from client_protocol.shapes import Id, Millis

Seconds = Annotated[int, Meta(ge=0, le=100 * 86_400)]
"""A time to decide, in whole seconds, at most a hundred days."""

AtZero = Literal["default", "claim"]
"""What happens when a seat's time is up: the prompt's default is played, or the others may claim the game."""


class ClockTerms(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a clock gives each seat.

    `live`: a `bank` for the whole match, `increment` more after each decision, and an `allowance` that is used up first while
    a player is disconnected. `correspondence`: the whole `bank` anew for each decision.
    """

    kind: Literal["live", "correspondence"]
    bank: Annotated[int, Meta(ge=10, le=100 * 86_400)]
    increment: Seconds = 0
    allowance: Seconds = 0
    at_zero: AtZero = "default"


class ClockView(Struct, frozen=True, gc=False):
    """The clocks as they stood at the server's up-time `at` (milliseconds in which a server was up; `Welcome` and `Pong` say
    what it is now). Since then they run for the seats that are asked and have not answered: first off `allowance` for those
    who are `away`, then off `remaining`. Nothing runs while `paused`. `up` are the seats whose time is up, so that the others
    may claim the game.
    """

    terms: ClockTerms
    at: int
    remaining: dict[Id, Millis]
    allowance: dict[Id, Millis] = {}
    away: tuple[Id, ...] = ()
    paused: bool = False
    up: tuple[Id, ...] = ()


OfferKind = Literal["draw", "pause", "resume", "clock", "take_back", "hand_over"]
"""What one player may offer the others: to end as a draw, to stop or start the clocks, another clock, to take back, to change
who plays a seat: a program or its player.
"""


class OfferView(Struct, frozen=True, gc=False):
    """An open offer: who makes it, of what kind, who has accepted, the clock that is offered (None: none). Of a take-back,
    `text` says what returns, one line for each decision and event that is undone, and `frame` is the frame of this audience
    after which the match would go on. Of a hand-over, `hand` is the seat, and `name` who would play it: a program (`program` is
    its name in messages) or ("") the seat's player again.
    """

    seat: Id
    kind: OfferKind
    accepted: tuple[Id, ...] = ()
    clock: ClockTerms | None = None
    text: tuple[str, ...] = ()
    frame: int = -1
    hand: Id = ""
    program: Id = ""
    name: str = ""
