"""What a generated set-up notes: openly, and secretly for the seat of a side alone."""

from __future__ import annotations

from msgspec.structs import replace

from server.kernel import notes
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted
from server.kernel.notes import SECRETS, Note, secret
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import CHARACTER, MARKER, SNIPER, WEAPON_TEAM, FadRules
from server.rulesets.shared.turns import DEPLOYMENT

STEP = "generated"
"""The note of a match whose set-up is generated: the step that comes next, or `DONE`."""
FIRST_STEP = "stance"
DONE = "done"

STANCE, ATTITUDE, MISSION = "stance", "attitude", "mission"
FACES = "faces"
"""Under the name of what fell in secret, a dot and this: the face."""
DUTY = "duty"
"""The units on recon duty."""
POINTS = "points"
"""The Recon Points that are left."""
DELAYED = "generated.delayed"
"""The units that enter the table later."""
CHOOSER = "generated.chooser"
"""The side that chose its edge of the table, or whose edge fell first."""
CLASH = "generated.clash"
"""Whether both sides had the same mission."""
TARGET = "target"
"""The far objective that an Assault is after."""


def uncontrolled(state: State, side: str) -> bool:
    """Return whether a side has no player: the rules play it."""
    return state.sides[side].seat in state.desk.uncontrolled


def hide(state: State, side: str, name: str, value: Note) -> Noted:
    """Return the fact that notes something for the seat of a side alone."""
    return Noted(secret(state.sides[side].seat, name), value)


def hidden(state: State, side: str, name: str) -> Note | None:
    """Return what is noted for the seat of a side alone; None if it is not, or not known here."""
    return state.book.get(secret(state.sides[side].seat, name))


def hidden_words(state: State, side: str, name: str) -> tuple[str, ...]:
    """Return words that are noted for the seat of a side alone; none if they are not known here."""
    return notes.words(state.book, secret(state.sides[side].seat, name))


def show(side: str, name: str, value: str) -> Noted:
    """Return the fact that notes something of a side openly."""
    return Noted(f"generated.{name}.{side}", value)


def shown(state: State, side: str, name: str) -> str:
    """Return what is noted openly of a side; "" if nothing is."""
    return notes.word(state.book, f"generated.{name}.{side}", "")


def known(state: State, side: str, name: str) -> str:
    """Return what is noted of a side, openly or secretly; "" where it is not known."""
    own = hidden(state, side, name)
    return shown(state, side, name) or (own if isinstance(own, str) else "")


def points(state: State, side: str) -> int:
    """Return the Recon Points that a side has left; 0 where they are not known."""
    own = hidden(state, side, POINTS)
    return own if isinstance(own, int) else 0


def generated(state: State) -> bool:
    """Return whether the set-up of this match is, or was, generated."""
    return STEP in state.book


def due(state: State) -> bool:
    """Return whether a step of the generation comes next."""
    return state.turn.phase == DEPLOYMENT and state.book.get(STEP, DONE) != DONE


def begun(rules: FadRules, state: State) -> State:
    """Return a position whose set-up is to be generated with the note that it has secrets. Raises `RulesetError`."""
    if not generated(state):
        return state
    if not rules.book.tables.generating.stances:
        raise RulesetError(f"{rules.book.edition.name} generates no set-ups")
    return with_secrets(state)


def with_secrets(state: State) -> State:
    """Return a position with the note that the match has secrets."""
    return replace(state, book={**state.book, SECRETS: True})


# --- troops -----------------------------------------------------------------------------------------------------------

_SUPPORTS = (WEAPON_TEAM, CHARACTER, SNIPER)
"""The traits of infantry that supports squads."""


def troops(state: State, side: str) -> list[Unit]:
    """Return the units of a side that are deployed on their own, in roster order (fad5/scenario.true-markers)."""
    return [unit for unit in state.units_of(side) if not (is_marker(unit) or unit.aboard or unit.attached)]


def squads(rules: FadRules, state: State, side: str) -> list[Unit]:
    """Return the squads of a side, also those aboard a vehicle: infantry that fights and supports no other
    (fad5/scenario.generator).
    """
    infantry = [unit for unit in state.units_of(side) if not (is_marker(unit) or is_vehicle(unit))]
    return [unit for unit in infantry if not (rules.bystander(state, unit) or any(has(unit, one) for one in _SUPPORTS))]


def platoons(rules: FadRules, state: State, side: str) -> int:
    """Return how many platoons a side has: so many as hold its squads, and one at least (fad5/scenario.recon-points)."""
    return max(1, -(-len(squads(rules, state, side)) // rules.book.tables.generating.squads))


def begun_platoons(rules: FadRules, state: State, side: str) -> int:
    """Return how many platoons a side had as the game began; before that, how many it has."""
    return notes.number(state.book, platoons_key(side), platoons(rules, state, side))


def platoons_key(side: str) -> str:
    """Return the note that says how many platoons a side had as the game began."""
    return f"generated.platoons.{side}"


def is_marker(unit: Unit) -> bool:
    """Return whether a unit is a marker that stands for one, or for none."""
    return MARKER in unit.profile


def scouts(rules: FadRules, unit: Unit) -> bool:
    """Return whether a unit is good at recon."""
    return any(has(unit, trait) for trait in rules.book.tables.generating.scouts)
