"""Standing orders: which of them a seat may give. Pure."""

from __future__ import annotations

from client_protocol.from_client import Order
from client_protocol.from_server import Refused
from server.kernel.ruleset import Ruleset
from server.kernel.state import State


def refusal(rules: Ruleset, believed: State, seat: str, message: Order) -> Refused | None:
    """Return why `seat` cannot give this order, from what it may know; None if it can."""
    unit = believed.units.get(message.unit)
    # Another player's unit and a missing one are refused in the same words, so that trying ids reveals no unit.
    if unit is None or believed.seat_of(unit.id) != seat:
        return Refused(message.id, "no_such_unit", "Orders are given to units of one's own; this is none of them.")
    if unit.left:
        return Refused(message.id, "not_allowed", f"{unit.name} is out of the game, and takes no orders.")
    if message.order not in rules.orders:
        keys = ", ".join(rules.orders) or "none here"
        return Refused(message.id, "no_such_order", f"The orders that a unit can be given are: {keys}.")
    return None
