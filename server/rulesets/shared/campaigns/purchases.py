"""Spending campaign points, as far as families have it alike."""

from __future__ import annotations

from client_protocol.campaigns import Buy
from server.kernel.campaigns.roster import RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.rulesets.shared.campaigns.words import points_text


def key_of(answer: Buy) -> str:
    """Return the key that tells a purchase from what else is bought after a battle."""
    return f"{answer.what}:{answer.unit}"


def unknown(answer: Buy) -> str:
    """Return that campaign points do not buy something, as a sentence."""
    return f"Campaign points do not buy {answer.what!r}."


def unpaid(state: PostBattle, price: int) -> str:
    """Return that a price is too high, as a sentence; "" if it can be paid."""
    points = state.roster.points
    return f"It costs {points_text(price)}; the force has {points}." if price > points else ""


def out_of_service(unit: RosterUnit) -> str:
    """Return why a unit cannot be improved, as a sentence; "" if it can."""
    return "" if unit.strength else f"{unit.name} is not in service."


def repair_barred(unit: RosterUnit) -> str:
    """Return why a unit cannot be repaired, as a sentence; "" if it can."""
    return "" if unit.condition == "damaged" else f"{unit.name} is no damaged vehicle."


def replacement_barred(unit: RosterUnit) -> str:
    """Return why no other vehicle can take the place of a unit, as a sentence; "" if one can."""
    return "" if unit.condition == "lost" else f"{unit.name} is no destroyed vehicle."


def spending_title(state: PostBattle) -> str:
    """Return the title of the prompt that asks what points are spent on."""
    return f"What is bought? There are {points_text(state.roster.points)}."


def keeping_label(*, kept: bool) -> str:
    """Return the label of the answer that buys nothing more."""
    return "Keep the points" if kept else "Spend no more"
