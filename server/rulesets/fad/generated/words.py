"""How the log tells the steps of a generated set-up."""

from __future__ import annotations

from client_protocol.luck import Luck
from client_protocol.view import CardLine, Story
from server.kernel import notes
from server.kernel.facts import Rolled
from server.kernel.notes import secret
from server.kernel.setup_facts import AssetGained, ObjectivePlaced, SideDeclared
from server.kernel.state import State, Unit
from server.rulesets.fad.game import MARKER, FadRules
from server.rulesets.fad.generated.markers import AMBUSHED, TRUE
from server.rulesets.fad.generated.victory import THROUGH
from server.rulesets.fad.module import Leaving
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.previews import luck, odds

_DECLARED = {
    "edge-won": "{side} wins the roll for the edges of the table.",
    "edge": "{side} takes the {value} edge.",
    "stance": "{side} shows its stance: {value}{dice}.",
    "attitude": "{side} shows its attitude: {value}{dice}.",
    "clash": "Both sides were given the mission {value}: the engagement escalates, and each is to sweep the other.",
    "mission": "Mission of {side}: {value}.",
    "mission-hidden": "Dice in secret give {side} its mission.",
    "commander": "The commander of {side} is with {unit}.",
    "target": "{side} is after {objective}.",
    "touched": "Infantry of {side} has contacted {objective}.",
    "places-first": "{side} places its contact markers first.",
    "markers-placed": "{side} places {value}.",
    "minefield": "{side} lays minefield {value}.",
    "revealed": "{side} reveals {value}.",
    "passes": "{side} spends no Recon Point.",
    "spends": "{side} spends a Recon Point to {value}.",
}


def declared(_rules: FadRules, state: State, fact: SideDeclared) -> Story:
    """Return the sentence for what a side declares or shows."""
    faces = ", ".join(str(face) for face in fact.faces)
    place, unit = state.objectives.get(fact.value), state.units.get(fact.value)
    text = _DECLARED[fact.action].format(
        side=state.sides[fact.side].name,
        value=fact.value.capitalize() if fact.action in {"stance", "attitude", "mission", "clash"} else fact.value,
        dice=f" (its die: {faces})" if faces else "",
        objective="" if place is None else place.name,
        unit="" if unit is None else unit.name,
    )
    return Story("deploy", text, fact.rule, fact.side)


def objective(_rules: FadRules, state: State, fact: ObjectivePlaced) -> Story:
    """Return the sentence for an objective marker that is placed."""
    which = fact.objective.id.partition(".")[2]
    return Story("deploy", f"{state.sides[fact.side].name} places its {which} objective.", fact.rule, fact.side)


def gained(_rules: FadRules, state: State, fact: AssetGained) -> Story:
    """Return the sentence for what a side gets off the table."""
    return Story("deploy", f"{state.sides[fact.side].name} may call {fact.asset.name}.", fact.rule, fact.side)


def card(state: State, unit: Unit) -> tuple[CardLine, ...]:
    """Return the card of a marker: what it stands for, where that is known."""
    rule = "scenario.true-markers"
    key = secret(state.sides[unit.side].seat, TRUE)
    if unit.profile[MARKER] != "contact" or key not in state.book or not unit.on_table:
        return (CardLine("Marker", "Something may be there, or nothing", rule),)
    true = unit.id in notes.words(state.book, key)
    return (CardLine("Marker", "True: one of your units" if true else "Dummy: nothing is there", rule),)


# --- dice -------------------------------------------------------------------------------------------------------------


def _edge(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    return f"A die puts {state.sides[fact.side].name} at the {fact.outcome} edge.", "roll", fact.rule


def _objective(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    return f"Dice draw the place of the {fact.outcome} objective of {state.sides[fact.side].name}.", "roll", fact.rule


def _missions(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    told = ", ".join(f"{number.lines[0].reason} {number.value}" for number in fact.numbers)
    return f"Missions for {state.sides[fact.side].name}: {told}.", "roll", fact.rule


_RETURNS = {
    AMBUSHED: "is destroyed in an ambush",
    "delayed": "is delayed, and enters the table on turn 2",
    "back": "is back in time",
}


def _returns(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    return f"{state.units[fact.unit].name} was on recon duty: it {_RETURNS[fact.outcome]}.", "roll", fact.rule


_SPREADS = {
    "dispersed": 'dispersed, none within 6" of another',
    "free": "without a restriction",
    "concentrated": 'concentrated, none more than 12" from the next',
}


def _spread(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    return f"Markers of {state.sides[fact.side].name}: {_SPREADS[fact.outcome]}.", "roll", fact.rule


def _place(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    return f"Dice draw the place of {state.units[fact.unit].name}.", "roll", fact.rule


def _marker(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    stands = state.units[fact.outcome].name if fact.outcome in state.units else "a dummy"
    name = f"{state.units[fact.unit].name} of {state.sides[fact.side].name}"
    return f"{name} is revealed: {stands}, of {fact.sides} that it could be.", "roll", fact.rule


def _try(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    does = "spends a Recon Point to block it" if fact.outcome == "try" else "lets it happen"
    return f"{state.sides[fact.side].name} {does}.", "roll", fact.rule


def _block(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    does = "blocks it" if fact.outcome == "blocked" else "fails to block it"
    return f"{state.sides[fact.side].name} {does}.", "roll", fact.rule


def _first(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    scores = ", ".join(f"{side.name} {face}" for side, face in zip(state.sides.values(), fact.faces, strict=False))
    return f"Who places the first markers: {scores}.", "roll", fact.rule


def _lucky(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Of these dice the higher is the better for the side."""
    return (luck.reckon(fact.side, fact.unit, "the die", odds.highest(1), fact.faces[0]),)


ROLLS = {
    "random-edge": ModuleRoll[FadRules](_edge),
    "objective-place": ModuleRoll[FadRules](_objective),
    "missions": ModuleRoll[FadRules](_missions),
    "recon-return": ModuleRoll[FadRules](_returns, _lucky),
    "marker-spread": ModuleRoll[FadRules](_spread),
    "marker-place": ModuleRoll[FadRules](_place),
    "marker": ModuleRoll[FadRules](_marker),
    "block-try": ModuleRoll[FadRules](_try, _lucky),
    "block": ModuleRoll[FadRules](_block, _lucky),
    "first-markers": ModuleRoll[FadRules](_first),
}
LEAVING = (
    Leaving(
        AMBUSHED,
        "Lost on recon",
        "It was destroyed on recon duty.",
        "scenario.recon-return",
        "was destroyed on recon duty",
    ),
    Leaving(
        THROUGH,
        "Got through",
        "It left the table over the enemy's edge.",
        "scenario.mission-done",
        "leaves the table over the enemy's edge",
    ),
)
