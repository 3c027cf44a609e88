"""The story of the desk and of going back: seats, dice shares, clocks, offers, chat, sealed answers. The rules narrate what
happens on the table.
"""

from __future__ import annotations

from client_protocol.clocks import ClockTerms
from client_protocol.view import Story
from server.kernel.belief import EVERYTHING, Audience
from server.kernel.desk_facts import (
    ClockPaused,
    ClockSet,
    Conceded,
    DiceRenewed,
    DormancyTold,
    ForceBrought,
    NextMade,
    OfferAccepted,
    OfferClosed,
    Offered,
    RandomnessRevealed,
    Said,
    SeatAway,
    SeatHanded,
    SeatHere,
    SeatTaken,
    SeatTied,
    SecretRevealed,
    TimeUp,
)
from server.kernel.facts import Fact
from server.kernel.state import State
from server.matches.log.entries import Stepped, TakenBack
from server.matches.log.names import moment, player, side_of, span
from server.matches.log.player_keys import fingerprint


def desk_story(state: State, fact: Fact, audience: Audience, at: int = 0) -> tuple[Story, ...]:
    """Return the story of an aside's fact for an audience, or nothing. `at` is its time (ms)."""
    if isinstance(fact, SeatTaken | SeatTied | SeatHanded):
        return (_seat_story(state, fact),)
    if isinstance(fact, ForceBrought):
        if fact.hidden and audience not in (fact.seat, EVERYTHING):
            return ()
        return (_of(state, fact.seat, "seat", f"brings a force of their own: {fact.force.name}."),)
    if isinstance(fact, Said):
        side, name = side_of(state, fact.seat), player(state, fact.seat) if fact.seat else fact.name or "A spectator"
        return (Story("chat", fact.text, side=side, channel=fact.heard_on, speaker=fact.seat, name=name, at=at),)
    if isinstance(fact, DormancyTold):
        text = f"The server concludes this match on {moment(fact.until)}, unless it is played before: it was silent for long."
        return (Story("clock", text),)
    if isinstance(fact, RandomnessRevealed):
        return (_of(state, fact.seat, "seat", "is ready."),)
    if isinstance(fact, SecretRevealed | NextMade | Conceded):
        return (_end_story(state, fact),)
    if isinstance(fact, DiceRenewed):
        text = "Another server goes on with this match, with its own dice: every player takes a seat again."
        return (Story("seat", text),)
    return clock_story(state, fact) or offer_story(state, fact)


def _seat_story(state: State, fact: SeatTaken | SeatTied | SeatHanded) -> Story:
    """Return the story of a fact about who plays a seat."""
    if isinstance(fact, SeatHanded):
        return _handed(state, fact)
    if isinstance(fact, SeatTied):
        return _of(state, fact.seat, "seat", f"plays with the key {fingerprint(fact.key)}.")
    side = side_of(state, fact.seat)
    playing = f" plays {state.sides[side].name}" if side else f" takes the seat {fact.seat}"
    return Story("seat", f"{fact.name}{playing}.", side=side)


def _end_story(state: State, fact: SecretRevealed | NextMade | Conceded) -> Story:
    """Return the story of a fact about the end of a match, and what follows it."""
    if isinstance(fact, Conceded):
        return _of(state, fact.seat, "end", "concedes.")
    if isinstance(fact, NextMade):
        return _of(state, fact.seat, "seat", "makes the next match.")
    return Story("end", "The dice secret is published: every die of the match can be checked.")


def clock_story(state: State, fact: Fact) -> tuple[Story, ...]:
    """Return the story of a fact about the clocks."""
    if isinstance(fact, ClockSet):
        return (Story("clock", f"The clocks are set: {terms(fact.clock.terms if fact.clock else None)}."),)
    if isinstance(fact, ClockPaused):
        return (Story("clock", "The clocks are stopped." if fact.paused else "The clocks go on."),)
    if isinstance(fact, TimeUp):
        return (_of(state, fact.seat, "clock", "has no time left: the game may be claimed."),)
    if isinstance(fact, SeatAway):
        # A player who has not come yet has lost no connection, and is only shown as away.
        lost = bool(fact.link) and fact.fold(state) is not state
        return (_of(state, fact.seat, "clock", "has lost the connection."),) if lost else ()
    if isinstance(fact, SeatHere):
        clock = state.desk.clock
        back = clock is not None and fact.seat in clock.away and fact.seat in clock.here
        return (_of(state, fact.seat, "clock", "is back."),) if back else ()
    return ()


def offer_story(state: State, fact: Fact) -> tuple[Story, ...]:
    """Return the story of a fact about an offer."""
    if isinstance(fact, Offered) and fact.kind == "hand_over":
        return (_of(state, fact.seat, "offer", _handing(state, fact)),)
    if isinstance(fact, Offered):
        return (_of(state, fact.seat, "offer", _OFFERS[fact.kind].format(terms=terms(fact.clock))),)
    if isinstance(fact, OfferAccepted):
        return (_of(state, fact.seat, "offer", "agrees."),)
    if isinstance(fact, OfferClosed) and fact.seat:
        offer = state.desk.offers.get(fact.offer)
        own = offer is not None and offer.seat == fact.seat
        return (_of(state, fact.seat, "offer", "withdraws the offer." if own else "does not agree."),)
    return ()


def _handing(state: State, fact: Offered) -> str:
    """Return what is offered about who plays a seat, after the name of who offers it."""
    if not fact.program:
        return f"gives the seat back if the others agree: {state.desk.lenders.get(fact.seat, '')} wants to play again."
    if fact.hand == fact.seat:
        return f"asks to leave the seat to {fact.name}."
    return f"asks to let {fact.name} play on for {player(state, fact.hand)}."


def _handed(state: State, fact: SeatHanded) -> Story:
    """Return the sentence that says who plays a seat from here on."""
    side, name = side_of(state, fact.seat), player(state, fact.seat)
    what = state.sides[side].name if side else fact.seat
    if fact.program:
        return Story("seat", f"{fact.name} plays {what} from here on, in the place of {name}.", side=side)
    return Story(
        "seat", f"{state.desk.lenders.get(fact.seat, '')} plays {what} again, in the place of {name}.", side=side
    )


_OFFERS = {
    "draw": "offers a draw.",
    "pause": "asks to stop the clocks.",
    "resume": "asks to let the clocks go on.",
    "clock": "asks for another clock: {terms}.",
    "take_back": "asks to take back.",
}


def _of(state: State, seat: str, kind: str, what: str) -> Story:
    return Story(kind, f"{player(state, seat)} {what}", side=side_of(state, seat))


def terms(clock: ClockTerms | None) -> str:
    """Return the terms of a clock in words."""
    if clock is None:
        return "no clock"
    if clock.kind == "correspondence":
        return f"{span(clock.bank)} for each decision"
    more = f", and {span(clock.increment)} more after each decision" if clock.increment else ""
    return f"{span(clock.bank)} for each player{more}"


def played(state: State, step: Stepped) -> tuple[Story, ...]:
    """Return the sentence that the server answered in the player's place, and why; nothing for other steps."""
    if step.played == "time":
        return (_of(state, step.seat, "clock", "has no time left: the default is played."),)
    if step.played == "conceded":
        return (_of(state, step.seat, "seat", "has conceded: the default is played."),)
    return ()


def taken_back(state: State, body: TakenBack) -> Story:
    """Return the sentence that a player takes back, with whose consent."""
    agreed = ", ".join(player(state, seat) for seat in body.agreed)
    if not agreed:
        return _of(state, body.seat, "back", "takes back.")
    what = f"takes back; {agreed} agreed. New dice will be rolled."
    return _of(state, body.seat, "back", what)


def sealed(state: State, seat: str) -> Story:
    """Return the sentence that `seat` has answered a question that others are asked too. It reveals nothing of the answer."""
    return Story("seat", f"{player(state, seat)} has decided.", side=side_of(state, seat))


def rewound(reason: str) -> Story:
    """Return the sentence that the match went back to the last boundary."""
    return Story("turn", reason)
