"""The Reaction card: a unit reacts to the enemy whose card is drawn next, by fire or by a move (fad5/turn.cards-reaction)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from client_protocol.choices import (
    Candidate,
    Choice,
    EndRule,
    EndsAlong,
    EndsAtPiece,
    EndsFarther,
    PathsDeclared,
    Picked,
    UnitNamed,
    UnitParameter,
    Why,
)
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle, pose
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask_later
from server.kernel.space.geometry import about, centroid, direction
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad import movement, rushed
from server.rulesets.fad.game import BROKEN, NEUTRAL, FadGame, FadRules
from server.rulesets.fad.given_fire import fire_given, given_fire
from server.rulesets.fad.module import Act
from server.rulesets.fad.special_cards import REACTION, REACTION_RULE
from server.rulesets.fad.travel import arrive, go, intent
from server.rulesets.fad.vehicles import squads
from server.rulesets.fad.vehicles.driving import CAUTIOUS, drive, drive_parameter
from server.rulesets.shared.deck import discards
from server.rulesets.shared.distances import enemies_by_distance

UNUSED = "reaction_unused"
"""The option that says what happens to a Reaction card after which no unit's card is drawn."""
CARRY = "carry"
"""Its value for a card that waits for the next unit's."""
FIRE, MOVE = "turn.reaction-fire", "turn.reaction-move"
REACT_FIRE, TOWARDS, COVER, AWAY, NONE = "react-fire", "react-towards", "react-cover", "react-away", "no-reaction"


def waiting_cards(state: State) -> int:
    """Return how many Reaction cards lie aside for the next unit's card."""
    carries = state.options.get(UNUSED) == CARRY
    found = 0
    for card in discards(state):
        if card == REACTION:
            found = found + 1 if carries else 1
        elif not carries or card in state.units:
            # fad5/turn.cards-reaction: each is for one unit's card
            found = max(0, found - 1) if carries else 0
    return found


def waits(state: State) -> bool:
    """Return whether the next card, if it is a unit's, may be reacted to."""
    return waiting_cards(state) > 0


def react(game: FadGame, drawn: str) -> Steps[None]:
    """Let the other side react to a unit whose card is drawn, with one of its units, before that unit activates."""
    side = next(side for side in game.state.sides if side != game.unit(drawn).side)
    seat = game.state.sides[side].seat
    state = game.believed(seat)
    if all(candidate.why is not None for candidate in _candidates(game.rules, state, state.units[drawn])):
        return
    picked = yield from ask_later(game, seat, partial(_asked, game.rules, drawn))
    if picked.choice == "react":
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        yield from _react_with(game, named.unit, drawn)


def _asked(rules: FadRules, drawn: str, state: State) -> Asked:
    name = state.units[drawn].name
    candidates = tuple(_candidates(rules, state, state.units[drawn]))
    text = f"It fires at {name}, or moves, before {name} acts. It uses up nothing of its own activation."
    choices = (
        Choice("react", "React", REACTION_RULE, text, (UnitParameter("Unit", candidates),)),
        Choice(NONE, "No reaction", REACTION_RULE, "The card is used up."),
    )
    return Asked(f"A Reaction card: react to {name}?", choices, Picked(NONE), REACTION_RULE)


def _candidates(rules: FadRules, state: State, drawn: Unit) -> Iterator[Candidate]:
    """Yield the enemies of the unit drawn, nearest first, each with why it cannot react."""
    if not drawn.on_table:
        return
    for near in enemies_by_distance(state, drawn):
        unit = state.units[near.unit]
        if has(unit, NEUTRAL):
            continue
        # fad5/turn.cards-reaction: the line of sight runs from the unit that reacts
        if rules.sees(state, unit, drawn):
            why = _why_not(_choices(rules, state, unit, drawn))
        else:
            why = Why(f"{unit.name} does not see {drawn.name}.", REACTION_RULE)
        yield Candidate(unit.id, about(near.distance), why)


def _why_not(choices: Iterator[Choice]) -> Why | None:
    """Return why the first of some choices cannot be taken if none of them can; None if one can."""
    first = next(choices).why
    return None if first is None or any(choice.why is None for choice in choices) else first


def _react_with(game: FadGame, unit: str, drawn: str) -> Steps[None]:
    picked = yield from ask_later(game, game.state.seat_of(unit), partial(_asked_how, game.rules, unit, drawn))
    if picked.choice == NONE:
        return
    if picked.choice == REACT_FIRE:
        yield Declared(unit, REACT_FIRE, FIRE, drawn)
        yield from fire_given(game, unit, picked)
        return
    yield Declared(unit, picked.choice, MOVE, drawn)
    paths = picked.values[0]
    assert isinstance(paths, PathsDeclared), "checked against the choice"
    own = game.unit(unit)
    if is_vehicle(own):
        began = pose(own).at
        yield from drive(game, unit, paths, "drive", MOVE)
        yield from arrive(game, unit)
        yield from squads.note(game, unit, began)
    else:
        yield from go(game, unit, paths, movement.MOVE, MOVE)


def _asked_how(rules: FadRules, unit: str, drawn: str, state: State) -> Asked:
    own, other = state.units[unit], state.units[drawn]
    none = Choice(NONE, "No reaction", REACTION_RULE, "The card is used up.")
    choices = (*_choices(rules, state, own, other), none)
    return Asked(f"{own.name} reacts to {other.name}", choices, Picked(NONE), REACTION_RULE, unit)


def _choices(rules: FadRules, state: State, unit: Unit, drawn: Unit) -> Iterator[Choice]:
    """Yield how a unit may react, without the choice not to."""
    text = "Whatever enemies are nearer."
    fire = given_fire(rules, state, unit, (REACT_FIRE, "Fire"), FIRE, (drawn.id,), text=text)
    if (why := rushed.barred(state, unit)) is not None:
        # fad5/move.rush
        fire = replace(fire, parameters=(), why=why)
    yield fire
    yield from _moves(rules, state, unit, drawn)


# --- moves ----------------------------------------------------------------------------------------------------------


def _moves(rules: FadRules, state: State, unit: Unit, drawn: Unit) -> Iterator[Choice]:
    """Yield the three moves: straight towards the unit drawn, towards cover, and straight away from it
    (fad5/turn.reaction-move).
    """
    barred = rules.barred(state, unit, Act.MOVE)
    towards = direction(_middle(unit), _middle(drawn))
    bend = round(100 * rules.book.tables.cards.reaction_bend)
    degrees = f"at most {bend // 100}° off the straight line"
    straight = f"A Move, each figure {degrees}."
    broken = None
    if BROKEN in unit.conditions:
        broken = Why(f"{unit.name} is Broken and does not move towards the enemy.", MOVE)
    why = Why(f"Every figure must end straight towards {drawn.name}, {degrees}.", MOVE)
    ends = (EndRule((EndsAlong(towards, bend),), why),)
    yield _move(rules, state, unit, (TOWARDS, f"Move towards {drawn.name}", straight), ends, barred or broken)
    cover = (COVER, "Move towards cover", "A Move into one piece of cover, or nearer to it.")
    yield _move(rules, state, unit, cover, *_to_cover(rules, state, unit, drawn, barred))
    why = Why(f"Every figure must end straight away from {drawn.name}, {degrees}.", MOVE)
    ends = (EndRule((EndsAlong((towards + 18_000) % 36_000, bend),), why),)
    yield _move(rules, state, unit, (AWAY, f"Move away from {drawn.name}", straight), ends, barred)


def _to_cover(
    rules: FadRules, state: State, unit: Unit, drawn: Unit, barred: Why | None
) -> tuple[tuple[EndRule, ...], Why | None]:
    pieces = _enterable(rules, state, rules.cover_pieces(state))
    if not pieces:
        return (), barred or Why("There is no cover on the table.", MOVE)
    why = Why("Every figure must end in the same piece of cover, or nearer to it than it is now.", MOVE)
    reach = rules.edge_reach()
    rows = [EndRule(tuple(EndsAtPiece(piece, reach) for piece in pieces), why)]
    if BROKEN in unit.conditions:
        why = Why(f"{unit.name} is Broken: every figure must end farther from {drawn.name} as well.", MOVE)
        rows.append(EndRule((EndsFarther((drawn.id,)),), why))
    return tuple(rows), barred


def _enterable(rules: FadRules, state: State, pieces: Iterable[str]) -> tuple[str, ...]:
    closed = rules.pieces_with(state, "impassable")
    return tuple(piece for piece in pieces if piece not in closed)


def _middle(unit: Unit) -> tuple[int, int]:
    return centroid([at for at, _ in unit.places()])


def _move(
    rules: FadRules, state: State, unit: Unit, named: tuple[str, str, str], ends: tuple[EndRule, ...], why: Why | None
) -> Choice:
    """Return the choice of a move by its key, its label and what it says."""
    key, label, said = named
    if is_vehicle(unit):
        parameter = drive_parameter(rules, state, unit.id, CAUTIOUS, ends)
        text = f"{said} It drives at cautious speed."
        # fad5/move.vehicle-formations: it counts as the move of one of its vehicles
        stays = rules.vehicles.stuck(unit) or rules.vehicles.crippled(unit) or squads.held(rules, state, unit)
        return Choice(key, label, MOVE, text, (parameter,), why or stays)
    way = movement.path_parameter(rules, state, unit.id, movement.MOVE, ends)
    shown = rules.foretells_moves(state)
    text = f"{said}{intent(rules, state, unit.id, movement.MOVE)}"
    return Choice(key, label, MOVE, text, (way,), why, shown)
