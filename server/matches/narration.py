"""What happens beside the table, in words: seats, dice shares, chat, sealed answers, rewinds. What happens on it is told by
the rules.
"""

from __future__ import annotations

from client_protocol.view import Story
from server.kernel.facts import Fact, ForceBrought, RandomnessRevealed, Said, SeatTaken, SecretRevealed
from server.kernel.state import State


def side_of(state: State, seat: str) -> str:
    """The side that `seat` plays; "" if it plays none."""
    return next((side.id for side in state.sides.values() if side.seat == seat), "")


def player(state: State, seat: str) -> str:
    """What to call the player at `seat`: the name, or the side's while nobody has sat down."""
    name = state.desk.players.get(seat, "")
    side = state.sides.get(side_of(state, seat))
    return name or (side.name if side is not None else seat)


def beside(state: State, fact: Fact, audience: str) -> tuple[Story, ...]:
    """An aside's fact in words, for an audience; nothing where there is nothing to tell it."""
    if isinstance(fact, SeatTaken):
        side = side_of(state, fact.seat)
        playing = f" plays {state.sides[side].name}" if side else f" takes the seat {fact.seat}"
        return (Story("seat", f"{fact.name}{playing}.", side=side),)
    if isinstance(fact, ForceBrought):
        if fact.hidden and fact.seat != audience:
            return ()
        side = side_of(state, fact.seat)
        text = f"{player(state, fact.seat)} brings a force of their own: {fact.force.name}."
        return (Story("seat", text, side=side),)
    if isinstance(fact, Said):
        speaker = player(state, fact.seat) if fact.seat else f"{fact.name or 'A watcher'} (watching)"
        return (Story("chat", f"{speaker}: {fact.text}", side=side_of(state, fact.seat)),)
    if isinstance(fact, RandomnessRevealed):
        text = f"{player(state, fact.seat)}'s share of the dice is in."
        return (Story("seat", text, side=side_of(state, fact.seat)),)
    if isinstance(fact, SecretRevealed):
        return (Story("end", "The secret behind the dice is published: the match can be checked, die by die."),)
    return ()


def sealed(state: State, seat: str) -> Story:
    """That `seat` has answered a question that others are asked too. It tells nothing of the answer."""
    return Story("seat", f"{player(state, seat)} has decided.", side=side_of(state, seat))


def rewound(reason: str) -> Story:
    """That the match went back to the last boundary."""
    return Story("turn", reason)


def tidy(text: str) -> str:
    """What somebody typed, on one line and without characters that are not seen or turn the writing around."""
    seen = "".join(" " if c.isspace() else c for c in text if c.isspace() or c.isprintable() or c == "\u200d")
    return " ".join(seen.split())
