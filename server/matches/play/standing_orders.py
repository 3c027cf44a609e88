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
        return Refused(message.id, "no_such_unit", "You can give standing orders only to your own units.")
    if unit.left:
        return Refused(message.id, "not_allowed", f"{unit.name} is out of the game, and takes no standing orders.")
    if message.order not in rules.orders:
        keys = ", ".join(rules.orders) or "none here"
        return Refused(message.id, "no_such_order", f"A unit can have one of these standing orders: {keys}.")
    return None
