"""Scout: with the action Command a squad sends one of its figures ahead, who comes back when it activates again."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.choices import (
    Choice,
    EndRule,
    EndsNear,
    FiguresParameter,
    FiguresPicked,
    GroundRule,
    PathParameter,
    PathsDeclared,
    Picked,
    Why,
)
from client_protocol.explained import Line
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked, bases, check_path, hulls, terrain_of
from server.kernel.facts import Declared, FiguresGained, FiguresLost, UnitMoved
from server.kernel.finding.ground import Ground
from server.kernel.procedure import Steps, ask
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, distance, inches, inches_text, to_mil
from server.kernel.standing import end_places
from server.kernel.state import State, Unit
from server.rulesets.fad.attached import COHERENCY
from server.rulesets.fad.bots import SPOT_BOT, bots, is_bot
from server.rulesets.fad.calling import MayCall
from server.rulesets.fad.command import able
from server.rulesets.fad.cover import figures_in_cover
from server.rulesets.fad.game import BUSY, LEADER, FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Act, FadModule, FigureMarker, Task
from server.rulesets.fad.movement import CoherencyDistance, crew_bond
from server.rulesets.shared.modules import Advice, Declaration

SCOUTING = "scouting"
"""The marker on a scout who is out, until his squad activates again."""
SCOUT = "scout"
PLACE, PUT_BACK = "place-scout", "return-scout"
OUT, BACK = "scout-out", "scout-back"
"""The manners of his moves: he is lifted and put down, so that only the ends of his ways count."""
SEES = "scout-sees"


def scouts(unit: Unit) -> tuple[str, ...]:
    """Return the figures of a unit that scout for it, in roster order."""
    return tuple(key for key, figure in unit.living.items() if SCOUTING in figure.conditions)


def _may_call(_rules: FadRules, state: State, question: MayCall) -> Iterator[Line]:
    # adv.scout.call-fire: as the second task of his unit, from where he is
    if question.figure in scouts(state.units[question.unit]):
        yield Line("SET", 1, "scouts", "adv.scout-call-fire")


def _coherency(rules: FadRules, state: State, unit: Unit) -> int:
    return rules.advisers.answer(state, CoherencyDistance(unit.id)).value


def _reach(rules: FadRules, state: State, unit: Unit) -> int:
    return rules.book.tables.scout.reach * _coherency(rules, state, unit)


# --- out ------------------------------------------------------------------------------------------------------------


def _offer(rules: FadRules, state: State, unit: Unit) -> Choice:
    free, out = able(unit), scouts(unit)
    # adv.scout.action: none would stay with a lone figure; adv.pinning.no-shooting: a Pinned unit sends none
    why = rules.barred(state, unit, Act.MOVE)
    if why is None and out:
        why = Why(f"{unit.name} has a scout out already.", "adv.scout-action")
    elif why is None and unit.strength < 2:
        why = Why(f"{unit.name} is one figure: none would stay.", "adv.scout-action")
    elif why is None and not free:
        why = Why(f"All figures of {unit.name} are busy.", "adv.scout-action")
    parameter = FiguresParameter("The scout", unit.id, free, 1, 1)
    far = inches_text(_reach(rules, state, unit))
    text = (
        f"One figure is put down up to {far} from another one of its squad, sees from there, and comes back next turn."
    )
    return Choice(SCOUT, "Scout", "adv.scout-action", text, (parameter,), why, preview=True)


def _scout(game: FadGame, unit_id: str, picked: Picked) -> Steps[None]:
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    (figure,) = value.figures
    # adv.scout.others-act: the rest may take another task
    yield FiguresGained(unit_id, (figure,), BUSY, "adv.scout-others-act")
    yield FiguresGained(unit_id, (figure,), SCOUTING, "adv.scout-action")
    yield from _place(game, unit_id, figure, "scout")
    for bot in bots(game.unit(unit_id), SPOT_BOT):
        if game.unit(unit_id).strength > len(scouts(game.unit(unit_id))) + 1:
            yield from _send_bot(game, unit_id, bot)


def _send_bot(game: FadGame, unit_id: str, bot: str) -> Steps[None]:
    """Let a spot-bot be put down like the scout, besides him (fad4/tech.weapon-tables)."""
    rule, name = "tech.bots", game.unit(unit_id).name
    choices = (
        Choice("send-bot", "Send it", rule, "It is put down like the scout, and comes back with him."),
        Choice("keep-bot", "Keep it", rule),
    )
    asked = Asked(f"{name} may send its spot-bot ahead too", choices, Picked("keep-bot"), rule, unit_id)
    picked = yield from ask(game.state.seat_of(unit_id), asked)
    if picked.choice == "send-bot":
        yield FiguresGained(unit_id, (bot,), BUSY, rule)
        yield FiguresGained(unit_id, (bot,), SCOUTING, rule)
        yield from _place(game, unit_id, bot, "spot-bot")


def _place(game: FadGame, unit_id: str, figure: str, named: str) -> Steps[None]:
    """Ask where a figure is put down that scouts, and put it there."""
    seat = game.state.seat_of(unit_id)
    state = game.believed(seat)
    parameter = _placing(
        game.rules, state, state.units[unit_id], figure, _reach(game.rules, state, state.units[unit_id])
    )
    text = f"Drag {'it' if is_bot(state.units[unit_id].figures[figure]) else 'him'} there: whatever lies between does not matter."
    choice = Choice(PLACE, f"Put the {named} there", "adv.scout-place", text, (parameter,), preview=True)
    title = f"{state.units[unit_id].name}: where does its {named} go?"
    asked = Asked(title, (choice,), Picked(PLACE, (PathsDeclared({}),)), "adv.scout-place", unit_id)
    placed = yield from ask(seat, asked)
    yield from _put(game, unit_id, figure, placed, OUT, "adv.scout-place")
    for enemy in _uncovered(game.rules, game.state, unit_id, figure):
        yield Declared(unit_id, SEES, "adv.scout-uncover", enemy)


def _put(game: FadGame, unit_id: str, figure: str, picked: Picked, manner: str, rule: str) -> Steps[None]:
    """Put a figure where its way ends. No way is gone (adv.scout.place): what waits along it does not happen."""
    value = picked.values[0]
    assert isinstance(value, PathsDeclared), "checked against the choice"
    path = value.paths.get(figure, ())
    if path and path[-1] != game.unit(unit_id).figures[figure].at:
        yield UnitMoved(unit_id, manner, {figure: (path[-1],)}, rule)


def _placing(
    rules: FadRules, state: State, unit: Unit, figure: str, reach: int, crew: tuple[str, ...] = ()
) -> PathParameter:
    """Return the parameter by which a scout is put down within `reach` mil of another figure of his squad, or of his `crew`."""
    others = crew or tuple(key for key in unit.living if key != figure)
    rule = COHERENCY if crew else "adv.scout-place"
    name = inches_text(reach)
    mates = f"his crew in {unit.name}" if crew else unit.name
    near = EndRule(
        (EndsNear((unit.id,), reach, among=others),),
        Why(f"The scout ends within {name} of another figure of {mates}.", rule),
    )
    barred = on_foot(rules, state).closed
    return PathParameter(
        unit=unit.id,
        allowance=_farthest(unit, figure, reach),
        barred=barred,
        avoid=tuple(enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table),
        allowance_rule=rule,
        ends=(near,),
        clear=inches(rules.book.tables.scout.clear),
        clear_rule=rule,
        figures=(figure,),
        grounds=tuple(GroundRule(piece, "terrain.agreed") for piece in barred),
        base_rule="move.infantry",
        table_rule="move.infantry",
        over=True,
    )


def _farthest(unit: Unit, figure: str, reach: int) -> int:
    """Return how far a figure can be from its place within `reach` mil of another: how near it ends says more."""
    own = unit.figures[figure]
    assert own.at is not None, "a scout stands on the table"
    mates = [(mate.at, mate.radius) for key, mate in unit.living.items() if key != figure and mate.at is not None]
    return reach + max(to_mil(distance(own.at, at)) + radius + own.radius for at, radius in mates)


def _uncovered(rules: FadRules, state: State, unit_id: str, figure: str) -> Iterator[str]:
    """Yield the enemies that the scout sees and the rest of his squad does not. Markers that hide units would be revealed by the
    same lines of sight (adv.scout.uncover).
    """
    unit = state.units[unit_id]
    standing = [key for key, own in unit.figures.items() if own.at is not None and not own.fallen]
    for enemy in state.enemies_of(unit.side):
        if enemy.on_table:
            lines = rules.sightlines(state, unit, enemy)
            seeing = {key for place, key in enumerate(standing) if lines.nearest_seen(place) is not None}
            if seeing == {figure}:
                yield enemy.id


def _preview(rules: FadRules, state: State, unit: Unit, picked: Picked) -> Preview | None:
    """Return how far a figure may be sent, and what its squad has left to do."""
    value = picked.values[0] if picked.values else None
    if not isinstance(value, FiguresPicked) or not value.figures:
        return None
    (figure,) = value.figures
    together = rules.advisers.answer(state, CoherencyDistance(unit.id))
    far, left = inches_text(_reach(rules, state, unit)), unit.strength - 1
    notes = (
        f"He is put down up to {far} from another figure, and does nothing else; the other {left} may take the second task.",
        "Until his squad activates again he need not keep together with it, and can be shot at where he is.",
    )
    title = f"{unit.name} sends figure {figure} ahead"
    return Preview(title, "no dice", ((f"Coherency, times {rules.book.tables.scout.reach}", together),), (), notes)


def _preview_place(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return whom a scout sees from a place, whom he alone sees, and whether he has cover there."""
    way = picked.values[0] if picked.values else None
    unit = state.units[asked.unit]
    if not isinstance(way, PathsDeclared) or not scouts(unit):
        return None
    figure = next((key for key in way.paths if key in unit.figures), scouts(unit)[-1])
    (at, radius) = end_places(unit, way)[figure]
    there = replace(unit, figures={**unit.figures, figure: replace(unit.figures[figure], at=at)})
    imagined = state.with_unit(there)
    standing = [key for key, own in there.figures.items() if own.at is not None and not own.fallen]
    place = standing.index(figure)
    seen = [
        enemy
        for enemy in imagined.enemies_of(unit.side)
        if enemy.on_table and rules.sightlines(imagined, there, enemy).nearest_seen(place) is not None
    ]
    alone = set(_uncovered(rules, imagined, unit.id, figure))
    names = [f"{enemy.name}{' (he alone)' if enemy.id in alone else ''}" for enemy in seen]
    covered = figures_in_cover(rules, imagined, [(at, radius)])
    notes = (
        f"From there he sees {', '.join(names)}, and is seen."
        if seen
        else "From there he sees no enemy, and none sees him.",
        "He stands in cover." if covered else "He stands in the open.",
    )
    return Preview(f"The scout of {unit.name} there", "", (), (), notes)


# --- and back -------------------------------------------------------------------------------------------------------


def _begin(game: FadGame, unit_id: str) -> Steps[None]:
    """Bring the scout of a unit back before it checks its Resolve (adv.scout.return)."""
    out = tuple(key for key, own in game.unit(unit_id).figures.items() if SCOUTING in own.conditions)
    for figure in scouts(game.unit(unit_id)):
        if game.unit(unit_id).strength > 1:
            yield from _return(game, unit_id, figure)
    if out:
        yield FiguresLost(unit_id, out, SCOUTING, "adv.scout-return")


def _return(game: FadGame, unit_id: str, figure: str) -> Steps[None]:
    seat = game.state.seat_of(unit_id)
    state = game.believed(seat)
    unit, rule = state.units[unit_id], "adv.scout-return"
    parameter = _returning(game.rules, state, unit, figure)
    way = _way_back(state, parameter, figure)
    if way is None:
        # There is no free space next to his squad: he must find his own way to it.
        return
    choice = Choice(PUT_BACK, "Put him there", rule, "Within the coherency distance of another figure.", (parameter,))
    title = f"{unit.name}: where does its scout come back?"
    picked = yield from ask(seat, Asked(title, (choice,), Picked(PUT_BACK, (way,)), rule, unit_id))
    yield from _put(game, unit_id, figure, picked, BACK, rule)


def _returning(rules: FadRules, state: State, unit: Unit, figure: str) -> PathParameter:
    """Return the parameter by which a scout is put back: wherever he could end a move near enough to his squad."""
    crew, near = crew_bond(rules, state, unit)
    if figure in crew and len(crew) > 1:
        # fad5/move.coherency-weapon-team: one of a crew comes back to it
        among: tuple[str, ...] = tuple(key for key in crew if key != figure)
        parameter = _placing(rules, state, unit, figure, near, among)
    else:
        parameter = _placing(rules, state, unit, figure, _coherency(rules, state, unit))
    return PathParameter(
        unit=unit.id,
        allowance=parameter.allowance,
        barred=parameter.barred,
        avoid=parameter.avoid,
        allowance_rule="adv.scout-return",
        ends=parameter.ends,
        may_stay=False,
        figures=(figure,),
        grounds=parameter.grounds,
        base_rule="move.infantry",
        table_rule="move.infantry",
        over=True,
    )


def _way_back(state: State, parameter: PathParameter, figure: str) -> PathsDeclared | None:
    """Return the way to the legal place nearest to the leader, else to another figure; None if there is none."""
    unit = state.units[parameter.unit]
    scout = unit.figures[figure]
    own = (scout.at, scout.radius)
    size = (state.table.width, state.table.height)
    taken = [base for base in bases(state) if base != own]
    ground = Ground(size, terrain_of(state, parameter.barred), taken, hulls=hulls(state))
    among = {key for rule in parameter.ends for end in rule.any_of if isinstance(end, EndsNear) for key in end.among}
    mates: list[tuple[str, Point]] = [
        (mate.role, mate.at) for key, mate in unit.living.items() if key in among and mate.at is not None
    ]
    for _, at in sorted(mates, key=lambda mate: mate[0] != LEADER):
        place = ground.nearest(at, scout.radius)
        if place is not None:
            way = PathsDeclared({figure: (place,)} if place != scout.at else {})
            if check_path(state, parameter, way) is None:
                return way
    return None


# --- words ----------------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, _state: State, unit: Unit) -> Iterator[CardLine]:
    out = scouts(unit)
    if out:
        yield CardLine("Scout", f"figure {', '.join(out)} is out until it activates again", "adv.scout-return")


SCOUT_MODULE = FadModule(
    id="scout",
    advisers=(Advice(MayCall, _may_call),),
    figure_markers=(FigureMarker(SCOUTING, apart=True),),
    tasks=(Task(key=SCOUT, label="Scout", offer=_offer, carry_out=_scout, preview=_preview),),
    beginning=_begin,
    card=_card,
    declares={SEES: Declaration("has a scout in sight of")},
    previews={PLACE: _preview_place},
    manners={OUT: "puts its scout down, {far} away", BACK: "takes its scout back, from {far} away"},
)
