"""Signs of life in a log: which entries show that a match is still played. Pure.

Only what all audiences notice counts: the date at which a match is concluded is told to all, and would else tell of what some may
not know, such as an order.
"""

from __future__ import annotations

from server.kernel.desk_facts import ClockRead, DormancyTold, SeatAway, TimeUp
from server.matches.log.entries import Aside, Body, Rewound

OF_THE_SERVER = (ClockRead, DormancyTold, SeatAway, TimeUp)
"""Facts that a server adds by itself, though no player is there."""


def shows_life(body: Body) -> bool:
    """Return whether an entry that all notice shows that a match is still played."""
    if isinstance(body, Aside):
        return not all(isinstance(fact, OF_THE_SERVER) for fact in body.facts)
    return not isinstance(body, Rewound)


def concluded_at(body: Body) -> int:
    """Return the date (ms since 1970) at which an entry says that the match is concluded; 0 if it says none."""
    facts = body.facts if isinstance(body, Aside) else ()
    return next((fact.until for fact in facts if isinstance(fact, DormancyTold)), 0)
