"""How the log tells what an uncontrolled side does, and why."""

from __future__ import annotations

from client_protocol.luck import Luck
from client_protocol.view import Story
from server.kernel.facts import Reasoned, Rolled
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.uncontrolled.discipline import FORMED, LOWERED, named
from server.rulesets.fad.uncontrolled.groups import APPROACHES, GATHER, ORDERS, STAND, groups_of
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.previews import luck

_RESULTS = {
    ORDERS: "carries on with its orders",
    STAND: "is unsure, and holds where it is this turn",
    GATHER: "gives up its aim for now, and withdraws",
}
_ATTITUDES = {"engage": "aggressive (Engage)", "target": "cautious (Target)", "hold": "passive (Hold)"}

_REASONS = {
    "stand-cover": "unsure of its orders, it seeks cover",
    "stand-hide": "unsure of its orders and in the open, it goes out of sight",
    "stand-fire": "unsure of its orders, it stays and fires at {target}",
    "stand-wait": "unsure of its orders, it stays where it is",
    "gather-run": "it withdraws at full speed to {place}",
    "gather-move": "it withdraws to {place}",
    "gather-fire": "it waits for its group, and fires at {target}",
    "gather-wait": "it waits for its group",
    "engage-assault": "Engage: its assault factor is good enough, it assaults {target}",
    "engage-fire": "Engage: an enemy is in sight, it fires at {target}",
    "engage-cover": "Engage: an enemy is in sight, it moves to better its position",
    "engage-range": "Engage: no enemy is in range, it moves to cover from which one is",
    "engage-close": "Engage: no enemy is in range, it goes towards {target}",
    "engage-feature": "Engage: no enemy is in sight, it advances to {place}",
    "engage-edge": "Engage: no enemy is in sight, it advances to the enemy's edge",
    "engage-wait": "Engage: it can do nothing better than wait",
    "target-occupier": "Target: {target} occupies {place}, and is assaulted",
    "target-assault": "Target: {target} is in its way, and its assault factor is good enough",
    "target-advance": "Target: it goes for {place} and fights what is in its way",
    "target-fire": "Target: {target} is in its way, it fires",
    "target-wait": "Target: it stays where it is",
    "target-run": "Target: no enemy is in its way, it hurries to {place}",
    "target-move": "Target: no enemy is in its way, it goes to {place}",
    "hold-reclaim": "Hold: its position is lost, it assaults {target} to reclaim it",
    "hold-return": "Hold: it goes back to {place}, and fires",
    "hold-run": "Hold: it goes back to {place} at full speed",
    "hold-move": "Hold: it goes back to {place}",
    "hold-fire": "Hold: {target} threatens its position, it fires",
    "hold-wait": "Hold: it keeps its position",
    "fall-back-break": "Fall Back: its way is cut off, it assaults {target}",
    "fall-back-cut-off": "Fall Back: its way is cut off, it seeks cover",
    "fall-back-return": "Fall Back: it was fired upon, goes on at combat speed and returns the fire",
    "fall-back-run": "Fall Back: it goes to its rallying point at full speed",
    "fall-back-move": "Fall Back: it goes to its rallying point",
    "fall-back-fire": "Fall Back: it gets no farther, and fires at {target}",
    "fall-back-wait": "Fall Back: it gets no farther",
    "let-off": "it lets its troops off",
}
_GROUP = {
    LOWERED: "Group {by} has lost half of its figures: its Discipline is {value}+ from now on.",
    "withdraws": "Group {by} withdraws to {place} still, and is not tested.",
    "refuge": "Group {by} withdraws to {place}.",
    "achieved": "Group {by} has done what it was to do, and holds there.",
}


_ORDERS = (FORMED, "achieved", *APPROACHES)
"""What the reasons begin with that tell the approach of a group, or its goal."""


def reasoned(rules: FadRules, state: State, fact: Reasoned) -> Story | None:
    """Return the sentence that says why the rules decided as they did; None for those who may not know what the group is to do
    (fad4/ai.approach).
    """
    unit = state.units[fact.unit]
    group = next((group for group in groups_of(state, unit.side) if group.id == fact.by), None)
    if group is None and fact.reason.startswith(_ORDERS):
        return None
    units = (fact.unit, fact.target) if fact.target else (fact.unit,)
    kind, _, approach = fact.reason.partition(":")
    if kind == FORMED and group is not None:
        names = ", ".join(state.units[key].name for key in group.units)
        goal = f" {place_name(state, fact.place)}" if fact.place else ""
        text = f"Group {fact.by}: {names}. Discipline {group.discipline}+, approach {named(approach)}{goal}."
        return Story("turn", text, fact.rule, unit.side, group.units)
    if fact.reason in _GROUP:
        text = _GROUP[fact.reason].format(by=fact.by, place=place_name(state, fact.place), value=fact.place)
        return Story("morale", text, fact.rule, unit.side, units)
    target = state.units[fact.target].name if fact.target else "the enemy"
    said = _REASONS[fact.reason].format(target=target, place=place_name(state, fact.place))
    return Story("turn", f"{unit.name} (group {fact.by}): {said}.", fact.rule, unit.side, units)


def place_name(state: State, place: str) -> str:
    """Return a place as the log names it: an objective, a unit, a terrain piece, or a point."""
    kind, _, key = place.partition(":")
    if kind == "objective" and key in state.objectives:
        return state.objectives[key].name
    if kind == "unit" and key in state.units:
        return state.units[key].name
    if kind == "piece":
        piece = next((piece for piece in state.table.terrain if piece.id == key), None)
        if piece is not None:
            return piece.name
    return "its rallying point" if place == "rally" else "its position"


def _discipline(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    by, _, standing = fact.outcome.partition(":")
    known = [named(group.approach) for group in groups_of(state, fact.side) if group.id == by]
    faces = " ".join(str(face) for face in fact.faces)
    result = _RESULTS[standing] + "".join(f" ({approach})" for approach in known if standing == ORDERS)
    return f"Group {by}, Discipline {fact.numbers[0].value}+: {faces}, {result}.", "morale", fact.rule


def _attitude(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    name = state.sides[fact.side].name
    return f"Attitude of {name}: {_ATTITUDES[fact.outcome]}.", "roll", fact.rule


def _lucky(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    return luck.reaching(fact, "passes", "pass")


ROLLS = {
    "discipline": ModuleRoll[FadRules](_discipline, _lucky),
    "attitude": ModuleRoll[FadRules](_attitude),
}
