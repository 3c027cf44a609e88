"""Units that enter the table later: delayed on recon duty, or as an engagement escalates (fad5/scenario.recon-return)."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import Choice, FiguresPlaced, Picked, PlacementParameter
from server.kernel.answers.check import Asked
from server.kernel.facts import ActivationSpent, Noted, PhaseBegan, UnitPlaced
from server.kernel.procedure import Steps, ask
from server.kernel.setup_facts import SideSettled
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated.ground import other_side, strip
from server.rulesets.fad.generated.noting import (
    CHOOSER,
    CLASH,
    DELAYED,
    DONE,
    DUTY,
    STEP,
    begun_platoons,
    generated,
    hidden_words,
    troops,
    uncontrolled,
)
from server.rulesets.fad.generated.victory import started
from server.rulesets.fad.setup.deployment import deployment
from server.rulesets.shared.setup.berths import Berth, FreeSpace
from server.rulesets.shared.turns import NEXT_TURN

RULE = "scenario.recon-return"
CLASH_RULE = "scenario.escalating-engagement"


def waiting_outside(state: State, side: str) -> list[Unit]:
    """Return the units of a side that have not entered the table yet."""
    return [unit for unit in troops(state, side) if not unit.on_table]


def enters_later(state: State, unit: Unit) -> bool:
    """Return whether a unit has yet to enter the table: one that was delayed, or all in turn as an engagement escalates."""
    due = bool(state.book.get(CLASH)) or state.turn.number <= 2
    return generated(state) and due and unit in waiting_outside(state, unit.side)


def enter(game: FadGame) -> Steps[None]:
    """As a turn begins, let those enter that are due; the others have no activation this turn."""
    if not generated(game.state):
        return
    for side in list(game.state.sides):
        outside = waiting_outside(game.state, side)
        for unit in _coming(game, side, outside):
            yield from place(game, side, unit, _border(game, side, unit))
        for one in waiting_outside(game.state, side):
            yield ActivationSpent(one.id, CLASH_RULE if game.state.book.get(CLASH) else RULE)


def _border(game: FadGame, side: str, unit: str) -> tuple[tuple[int, int], ...]:
    """Return the strip along a side's edge in which a unit enters: as deep as the rules say, or deeper for one that needs it."""
    edge, deep = game.state.sides[side].edge, inches(game.rules.book.tables.generating.strip)
    zones = [strip(game.state, edge, 0, deep * times) for times in (1, 2, 3, 4)]
    state = game.believed(game.state.sides[side].seat)
    return next((zone for zone in zones if _berth(game, state, state.units[unit], zone) is not None), zones[-1])


def _coming(game: FadGame, side: str, outside: Sequence[Unit]) -> list[str]:
    """Return who enters this turn: one unit a platoon as a battle escalates, else all that were delayed."""
    table, state = game.rules.book.tables.generating, game.state
    if state.book.get(CLASH):
        count = begun_platoons(game.rules, state, side)
        return [unit.id for unit in outside[:count]]
    return [unit.id for unit in outside] if state.turn.number >= table.arrival else []


def place(game: FadGame, side: str, unit: str, zone: tuple[tuple[int, int], ...]) -> Steps[None]:
    """Have a unit placed in a zone by its side. One for which there is no space waits for another turn."""
    rules, seat = deployment(game.rules, game.state), game.state.sides[side].seat
    state = game.believed(seat)
    one = state.units[unit]
    berth = _berth(game, state, one, zone)
    if berth is None:
        return
    if uncontrolled(game.state, side):
        yield UnitPlaced(unit, berth.places, berth.facings)
        return
    parameter = PlacementParameter(
        units=(unit,),
        zone=zone,
        gaps=(rules.gap(state, one),),
        barred=(rules.barred(state, one),),
        suggested=(berth.places,),
        gap_rule=rules.gap_rule,
        facings=(berth.facings,) if berth.facings else (),
        bonds=tuple(rules.bonds(state, one)),
    )
    rule = CLASH_RULE if game.state.book.get(CLASH) else RULE
    choice = Choice("enter", f"Place {one.name}", rule, "", (parameter,))
    default = Picked("enter", (FiguresPlaced(parameter.suggested, parameter.facings),))
    picked = yield from ask(seat, Asked(f"{one.name} enters the table", (choice,), default, rule))
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    facings = placed.facings or parameter.facings or ({},)
    yield UnitPlaced(unit, placed.places[0], facings[0])


def _berth(game: FadGame, state: State, unit: Unit, zone: tuple[tuple[int, int], ...]) -> Berth | None:
    rules = deployment(game.rules, state)
    return FreeSpace(state).find(
        unit, zone, rules.gap(state, unit), rules.barred(state, unit), rules.bonds(state, unit)
    )


def clash(game: FadGame) -> Steps[None]:
    """Deploy for an Escalating Engagement: the units that were on recon duty, by turns, 18 inches deep; no markers, no Recon
    Points (fad5/mission.escalating-engagement).
    """
    first = str(game.state.book[CHOOSER])
    order = (first, other_side(game.state, first))
    reach = inches(game.rules.book.tables.generating.clash)
    for side in order:
        edge = game.state.sides[side].edge
        yield SideSettled(side, edge, strip(game.state, edge, 0, reach), CLASH_RULE)
    sent: dict[str, list[str]] = {}
    for side in order:
        duty = hidden_words(game.state, side, DUTY)
        able = [unit.id for unit in troops(game.state, side)]
        sent[side] = [unit for unit in able if unit in duty] or (yield from _one(game, side, able))
    for number in range(max(len(units) for units in sent.values())):
        for side in order:
            if number < len(sent[side]):
                yield from place(game, side, sent[side][number], game.state.sides[side].zone)
    yield from start(game)


def _one(game: FadGame, side: str, able: Sequence[str]) -> Steps[list[str]]:
    """Return the one unit that a side without any on recon duty places: its player's choice, else the first."""
    if uncontrolled(game.state, side) or len(able) < 2:
        return list(able[:1])
    choices = tuple(Choice(f"first:{unit}", game.unit(unit).name, CLASH_RULE) for unit in able)
    asked = Asked("Which of your units is there first?", choices, Picked(choices[0].key), CLASH_RULE)
    picked = yield from ask(game.state.sides[side].seat, asked)
    return [picked.choice.partition(":")[2]]


def start(game: FadGame) -> Steps[None]:
    """End the set-up: the first turn comes next."""
    yield from started(game.rules, game.state)
    yield Noted(STEP, DONE)
    yield Noted(DELAYED, ())
    yield PhaseBegan(NEXT_TURN)
