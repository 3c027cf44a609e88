"""What the log and previews say of minefields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from client_protocol.choices import PathsDeclared
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.facts import Rolled
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.modules.mines.fields import RULE, field_of, fields, known, mines, number
from server.rulesets.fad.modules.mines.setting_off import (
    DUMMY,
    MINE,
    PAST,
    approached,
    dealt,
    slips_past,
)
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import reckon, successes

_COMES = {
    PAST: "passes it",
    DUMMY: "finds that it is a dummy",
    MINE: "sets off a mine",
}


def _encounter(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    name, _, result = fact.outcome.partition(" ")
    kind = "loss" if result == MINE else "move"
    return f"{state.units[fact.unit].name} comes near mine marker {name} and {_COMES[result]}.", kind, fact.rule


def _spared(rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    least = _least(rules, state.units[fact.unit])
    return successes(fact, "mine markers passed", "pass", [odds.at_least(least)])


def _least(rules: FadRules, unit: Unit) -> int:
    """Return the least face with which a unit passes a marker."""
    needed = rules.book.tables.mines.past_on
    return next(face for face in range(1, 7) if slips_past(rules, unit, face).value >= needed)


def _blast(rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    kind, _, hits = fact.outcome.partition(" ")
    told = "1 hit" if hits == "1" else f"{hits} hits"
    return f"{rules.book.mines[kind].name} under {state.units[fact.target].name}: {told}.", "fire", fact.rule


def _hits(_rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Return the luck of the side that laid a mine."""
    target, spread = state.units[fact.target], Counter[int]()
    for face in range(1, 7):
        spread[dealt(target, face)] += 1
    shares = {hits: Fraction(count, 6) for hits, count in spread.items()}
    return (reckon(fact.side, fact.unit, "mine hits", shares, dealt(target, fact.faces[0])),)


def warns(rules: FadRules, state: State, unit: Unit, way: PathsDeclared) -> Iterator[str]:
    """Yield what may happen to a unit on a way, as far as its player knows."""
    faces = _least(rules, unit) - 1
    for _, piece in approached(rules, state, unit, way.paths):
        kind = _kind(rules, state, piece.id)
        yield f"It comes near {piece.name}{kind}: on 1 to {faces} of a die it finds out what that is."


def _kind(rules: FadRules, state: State, piece: str) -> str:
    """Return what a player knows of a marker, in brackets; "" if that is nothing."""
    if piece in known(state):
        return ""
    own = {mine.letter: mine for mine in mines(state)}.get(field_of(state, piece).letter)
    if own is None:
        return ""
    return f" (yours: {rules.book.mines[own.type].name.lower()})" if own.piece == piece else " (yours: a dummy)"


def card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    """Yield what the player of a unit knows of the minefields of its side."""
    own = {mine.letter: mine for mine in mines(state)}
    for field in fields(state):
        if field.side == unit.side and field.letter in own:
            mine = own[field.letter]
            commands = ", commanded by this unit" if field.commander == unit.id else ""
            told = (
                f"marker {number(field, mine.piece)} is the mine: {rules.book.mines[mine.type].name.lower()}{commands}"
            )
            yield CardLine(f"Minefield {field.letter}", told, RULE)


ROLLS: Mapping[str, ModuleRoll[FadRules]] = {
    "minefield": ModuleRoll(_encounter, _spared),
    "mine": ModuleRoll(_blast, _hits),
}
