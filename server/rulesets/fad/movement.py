"""Movement: distances, difficult ground, and coherency."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import chain

from msgspec.structs import replace

from client_protocol.choices import (
    Bond,
    EndCondition,
    EndRule,
    EndsCovered,
    EndsFarther,
    EndsInTerrain,
    EndsTogether,
    GoesAway,
    KeepsInside,
    PathParameter,
    PathsDeclared,
    Why,
)
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import check_path, end_places, terrain_of
from server.kernel.answers.paths import Around
from server.kernel.attaching import figures_of
from server.kernel.bodies import is_vehicle
from server.kernel.finding.closing_up import Scattered
from server.kernel.finding.reach import Reach
from server.kernel.procedure import Steps
from server.kernel.questions import Question, total
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import (
    Point,
    direction,
    inches,
    inches_text,
    moved,
)
from server.kernel.space.paths import cohesive
from server.kernel.standing import enemies, obstacles, widest_after
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.attached import COHERENCY, team_of
from server.rulesets.fad.game import FOR_SCOUTS, RECON, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.setup.book import Armour
from server.rulesets.fad.vehicles import transport
from server.rulesets.shared import boarding
from server.rulesets.shared.distances import Nearest, enemies_by_distance, visible_enemies

MOVE = "move"
RUSH = "rush"
CHARGE = "charge"
LEAP = "leap"
"""A charge of a squad that has just got off a vehicle."""
OFF = "off"
"""Getting off a vehicle: as far as half of a plain Move."""

CHARGES = (CHARGE, LEAP)
"""The ways to come into contact."""
_ALLOWANCE_RULES = {
    MOVE: "move.infantry",
    RUSH: "move.rush",
    CHARGE: "move.charge-bonus",
    LEAP: "transport.disembark",
}
"""The rules by which paths are refused that are too long."""


class MoveAllowance(Question, frozen=True):
    """How far each figure of `unit` may go, in mil. `manner` is move, rush, charge, leap or off."""

    unit: str
    manner: str


class CoherencyDistance(Question, frozen=True):
    """The largest gap allowed between squad members, in mil."""

    unit: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(MoveAllowance, lambda state, q: _allowance_lines(rules, state, q), unit="mil")
    rules.advisers.add(CoherencyDistance, lambda state, q: _coherency_lines(rules, state.units[q.unit]), unit="mil")


def _allowance_lines(rules: FadRules, state: State, question: MoveAllowance) -> Iterator[Line]:
    unit = state.units[question.unit]
    book = rules.book
    if question.manner == LEAP:
        # fad4/transport.disembark: its move is used up
        yield Line("SET", 0, "has got off a vehicle", "transport.disembark")
    else:
        # fad4/move.infantry
        yield Line("SET", inches(book.tables.movement.infantry), "infantry Move", "move.infantry")
        armour = rules.armour(unit)
        if armour.move:
            # fad4/tech.personal-armour
            yield Line("ADD", inches(armour.move), armour.name, "tech.personal-armour")
        for line in rules.trait_lines("move", unit):
            yield replace(line, amount=inches(line.amount))
        if UNDER_FIRE in unit.conditions:
            # fad4/underfire.move-penalty, fad5/under-fire.movement: off its Move, and not off the bonus of a charge
            yield Line("ADD", inches(book.tables.movement.under_fire), "Under Fire", "underfire.move-penalty")
    if question.manner == RUSH:
        # fad4/move.rush, fad4/move.modifiers-before-doubling: SCALE counts after every ADD
        yield Line("SCALE", 100 * book.tables.movement.rush_factor, "Rush", "move.rush")
    if question.manner in CHARGES:
        # fad4/move.charge-bonus: never together with a Rush, so it is never doubled
        yield Line("ADD", inches(book.tables.movement.charge_bonus), "charge", "move.charge-bonus")


def _coherency_lines(rules: FadRules, unit: Unit) -> Iterator[Line]:
    quality = rules.quality(unit)
    # fad4/coherency.distance
    yield Line("SET", inches(quality.coherency), quality.name, "coherency.distance")
    armour = None if is_vehicle(unit) else rules.armour(unit)
    if armour is not None and armour.coherency:
        # fad4/tech.personal-armour, fad5/move.coherency-powered: in place of what its Quality says, whatever else applies
        yield Line("SET", inches(armour.coherency), armour.name, "move.coherency-powered")
    elif armour is not None and (reason := _scouts(rules, unit, armour)):
        # fad5/move.coherency-recon: applied once
        yield Line("ADD", inches(rules.book.tables.movement.recon), reason, "move.coherency-recon")


def _scouts(rules: FadRules, unit: Unit, armour: Armour) -> str:
    """Return why a unit spreads as scouts do; "" if it does not."""
    if has(unit, RECON):
        return rules.book.traits[RECON].name
    return armour.name if FOR_SCOUTS in armour.traits else ""


def allowance(rules: FadRules, state: State, unit: str, manner: str) -> Explained:
    """Return the answer to `MoveAllowance`."""
    return rules.advisers.answer(state, MoveAllowance(unit, manner))


def coherent(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether the unit keeps its coherency (fad4/coherency.distance)."""
    # fad5/unit.individual-bases: from edge to edge of round bases
    return _together(unit, rules.advisers.answer(state, CoherencyDistance(unit.id)).value)


def _together(unit: Unit, limit: int) -> bool:
    places = unit.places()
    return cohesive([at for at, _ in places], [radius for _, radius in places], limit)


def path_parameter(
    rules: FadRules,
    state: State,
    unit_id: str,
    manner: str,
    ends: tuple[EndRule, ...] = (),
    *,
    may_stay: bool = True,
    fixed: Explained | None = None,
) -> PathParameter:
    """Return the path parameter of a move of `unit_id` in this `manner` (move, rush or charge), or as far as is `fixed`."""
    unit = state.units[unit_id]
    limit = rules.advisers.answer(state, CoherencyDistance(unit_id)).value
    explained = allowance(rules, state, unit_id, manner) if fixed is None else fixed
    full, less = _unlessened(explained)
    ground = on_foot(rules, state)
    closing = rules.closing(state, unit)
    # fad5/move.no-overlap: but for a declared assault
    clear = 0 if manner in CHARGES else inches(rules.book.tables.movement.clear)
    parameter = PathParameter(
        unit=unit_id,
        allowance=explained.value,
        costly=ground.costly,
        barred=(*ground.closed, *[row.piece for row in closing]) if closing else ground.closed,
        avoid=tuple([enemy.id for enemy in enemies(state, unit.side)]),
        gap=0 if manner in CHARGES else limit,
        gap_rule="coherency.distance",
        allowance_rule=_ALLOWANCE_RULES[manner] if fixed is None else fixed.lines[0].rule,
        ends=ends,
        may_stay=may_stay,
        grounds=(*closing, *ground.rules),
        base_rule="move.no-overlap",
        table_rule="move.no-overlap",
        full=full,
        less=less,
        clear=clear,
        clear_rule="move.no-overlap" if clear else "",
        boards=_boards(rules, state, unit) if fixed is None and manner in (MOVE, RUSH) else (),
    )
    if parameter.gap and not _together(unit, limit):
        # fad4/coherency.broken: a squad that moves must restore its coherency, or come as close to it as it can
        narrowest = _narrowest(rules, state, parameter, tuple(unit.living), limit)
        parameter = replace(parameter, gap=max(limit, narrowest), gap_rule="coherency.broken")
    return _with_crew(rules, state, parameter) if parameter.gap else parameter


def _boards(rules: FadRules, state: State, unit: Unit) -> tuple[tuple[str, int], ...]:
    """Return the vehicles that a squad may get into after a Move or Rush (fad4/transport.embark, fad5/transport.boarding)."""
    # Of most sides none can be got into.
    if not any(other.seats for other in state.units.values()):
        return ()
    return boarding.in_reach(state, transport.carriers(rules, state, unit), transport.contact(rules))


def crew_bond(rules: FadRules, state: State, unit: Unit) -> tuple[tuple[str, ...], int]:
    """Return the standing figures of the weapons team that is attached to a unit, and the largest gap between them, in mil; none
    if there is no team (fad5/move.coherency-weapon-team).
    """
    team = team_of(state, unit) if any(figure.of for figure in unit.figures.values()) else None
    if team is None:
        return (), 0
    standing = tuple([key for key, one in figures_of(state, team).items() if not one.fallen and one.at is not None])
    return standing, rules.advisers.answer(state, CoherencyDistance(team.id)).value


def crew_bonds(rules: FadRules, state: State, unit: Unit) -> tuple[Bond, ...]:
    """Return the bond of the weapons team that is attached to a unit, wherever it is set down
    (fad5/move.coherency-weapon-team).
    """
    team = team_of(state, unit) if any(figure.of for figure in unit.figures.values()) else None
    if team is None:
        return ()
    crew = tuple([key for key, one in figures_of(state, team).items() if not one.fallen])
    limit = rules.advisers.answer(state, CoherencyDistance(team.id)).value
    return (Bond(unit.id, crew, limit, COHERENCY, f"The crew of {unit.name}'s weapon"),)


def _with_crew(rules: FadRules, state: State, parameter: PathParameter) -> PathParameter:
    """Return how a unit may move whose weapons team keeps nearer together than the rest of it
    (fad5/move.coherency-weapon-team).
    """
    unit = state.units[parameter.unit]
    crew, limit = crew_bond(rules, state, unit)
    if len(crew) < 2:
        return parameter
    least = limit
    if widest_gap(unit, crew) > limit:
        # fad4/coherency.broken: the crew too must restore its coherency, or come as close to it as it can
        least = max(limit, _narrowest(rules, state, parameter, crew, limit))
    return replace(parameter, ends=(*parameter.ends, _crew_rule(unit, crew, least)))


def crew_rules(rules: FadRules, state: State, unit: Unit, way: PathsDeclared | None = None) -> tuple[EndRule, ...]:
    """Return how near together the weapons team that is attached to a unit ends: within its coherency distance, or no farther
    apart than after `way` (none: than it stands). Empty if there is no team of two or more.
    """
    crew, limit = crew_bond(rules, state, unit)
    if len(crew) < 2:
        return ()
    return (_crew_rule(unit, crew, max(limit, widest_after(unit, way or PathsDeclared({}), crew))),)


def _crew_rule(unit: Unit, crew: tuple[str, ...], least: int) -> EndRule:
    why = f"The crew of {unit.name}'s weapon keeps together: no gap between its figures is over {inches_text(least)}."
    return EndRule((EndsTogether(crew, least),), Why(why, COHERENCY))


def crew_apart(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether the weapons team that is attached to a unit stands out of its coherency."""
    crew, limit = crew_bond(rules, state, unit)
    return widest_gap(unit, crew) > limit


def _unlessened(explained: Explained) -> tuple[int, Why | None]:
    """Return the allowance without its penalties, and a sentence that names them; 0 and None if there are none."""
    lessening = [line for line in explained.lines if line.stage == "ADD" and line.amount < 0]
    if not lessening:
        return 0, None
    full = total(line for line in explained.lines if line not in lessening).value
    reasons = " and ".join(line.reason for line in lessening)
    return full, Why(f"Without the penalty for {reasons} it would have {inches_text(full)}.", lessening[0].rule)


def closing_ways(
    state: State, parameter: PathParameter, figures: Collection[str] | None = None
) -> Iterator[PathsDeclared]:
    """Yield moves by which a scattered squad closes up, each once; of a part of it if only these `figures` move. They are not
    checked against `parameter`.

    The strays come to the main body, which stays, comes to meet them, or goes where `parameter` wants it to end.
    """
    unit = state.units[parameter.unit]
    if figures is not None:
        unit = replace(unit, figures={key: figure for key, figure in unit.figures.items() if key in figures})
    limit, far = parameter.gap, parameter.allowance
    reach = _reach(state, parameter)
    scattered = Scattered(unit, limit)
    body, *strays = scattered.middles()
    aims = [direction(body, stray) for stray in strays]
    if parameter.ends:
        aims += [angle * 3000 for angle in range(12)]
    shifts = [(0, 0), *(moved((0, 0), aim, length) for aim in aims for length in (far, far // 2))]
    told: set[tuple[tuple[str, tuple[Point, ...]], ...]] = set()
    for wanted in (limit - 2, limit // 2):  # rounding may add 2 mil
        for dx, dy in shifts:
            way = scattered.closing_up(wanted, (round(dx), round(dy)), reach)
            key = tuple(way.paths.items())
            if key and key not in told:
                told.add(key)
                yield way


def _narrowest(rules: FadRules, state: State, parameter: PathParameter, figures: tuple[str, ...], limit: int) -> int:
    """Return the least widest gap that these figures of a squad can have after its move, as far as `closing_ways` shows; any up
    to `limit` will do. Where they are a part of the squad, the whole of it keeps together as `parameter` wants.
    """
    # A decision asks about a move once for the move itself, and again for what it may end with.
    asked = (parameter, figures)
    known = rules.narrowest.get(state, asked)
    return rules.narrowest.keep(state, asked, _narrow(state, parameter, figures, limit)) if known is None else known


def _narrow(state: State, parameter: PathParameter, figures: Collection[str], limit: int) -> int:
    unit = state.units[parameter.unit]
    whole = len(figures) == len(unit.living)
    loose = replace(parameter, gap=0) if whole else parameter
    around = Around(state, loose)
    least = widest_gap(unit, figures)
    aimed = replace(parameter, gap=limit)
    ways = closing_ways(state, aimed)
    for way in ways if whole else chain(closing_ways(state, aimed, figures), ways):
        # Only a way that is better than the best so far needs to be checked.
        widest = widest_after(unit, way, figures)
        if widest < least and check_path(state, loose, way, around) is None:
            least = widest
            if least <= limit:
                break
    return least


def widest_gap(unit: Unit, figures: Collection[str]) -> int:
    """Return the widest gap, in mil, between these figures of a unit where they stand."""
    return widest_after(unit, PathsDeclared({}), figures)


def _reach(state: State, parameter: PathParameter) -> Reach:
    """Return what tells how far the allowance takes a figure straight towards a place, up to ground that it may not enter."""
    percent = dict(parameter.costly)
    costs = Costs([(piece, percent[piece.id]) for piece in terrain_of(state, tuple(percent))])
    around = obstacles(state, parameter.unit, terrain_of(state, parameter.barred), parameter.avoid, parameter.clear)
    return Reach(parameter.allowance, costs, around)


def set_out(game: FadGame, unit: str, way: PathsDeclared) -> Steps[None]:
    """Do what the modules of the match have done before a unit moves as its player wants."""
    ends = {key: at for key, (at, _) in end_places(game.unit(unit), way).items()}
    for hook in game.rules.setting_out(game.state):
        yield from hook(game, unit, ends)


def rush_ends(rules: FadRules, state: State, unit: Unit) -> tuple[EndRule, ...]:
    """Return where a Rush may end or lead: a unit Under Fire may only end in cover or farther from the enemy
    (fad4/underfire.rush-limits).
    """
    if UNDER_FIRE not in unit.conditions:
        return ()
    if rules.book.tables.movement.rush_watched:
        return _watched_rush(rules, state, unit)
    visible = visible_enemies(rules, state, unit)
    if not visible:
        return ()
    half = math.ceil(unit.strength / 2)
    why = Why(
        f"{unit.name} is Under Fire: it may Rush only so that {half} of its figures end in cover, or every figure ends farther "
        f"from {state.units[visible[0].unit].name}.",
        "underfire.rush-limits",
    )
    in_cover = EndsInTerrain(rules.cover_pieces(state), half, rules.edge_reach())
    return (EndRule((in_cover, EndsFarther((visible[0].unit,))), why),)


def _watched_rush(rules: FadRules, state: State, unit: Unit) -> tuple[EndRule, ...]:
    """Return where a Rush may lead and end (fad5/under-fire.rush): into cover, all the way inside of what gives cover, or away
    from the enemy. Every enemy counts that is known to stand on the table.
    """
    foes = tuple([enemy.id for enemy in enemies(state, unit.side)])
    if not foes:
        return ()
    half, cover = math.ceil(unit.strength / 2), rules.cover_pieces(state)
    into: EndCondition = EndsInTerrain(cover, half, rules.edge_reach())
    whom = ""
    visible = visible_enemies(rules, state, unit)
    if visible:
        # Against the nearest enemy that it sees.
        into = EndsCovered((visible[0].unit,), cover, half, rules.edge_reach())
        whom = f" from {state.units[visible[0].unit].name}"
    why = Why(
        f"{unit.name} is Under Fire: it may Rush only so that {half} of its figures end in cover{whom}, or all of its way lies "
        "inside cover, or every figure goes away from the enemy and at no point comes nearer.",
        "underfire.rush-limits",
    )
    areas = tuple([piece.id for piece in state.table.terrain if piece.id in cover and not piece.linear])
    return (EndRule((into, KeepsInside(areas), GoesAway(foes)), why),)


def threats(rules: FadRules, state: State, unit: Unit) -> list[Nearest]:
    """Return the enemies from which a broken unit falls back, the first of which counts: those that it sees, or all if it sees
    none, nearest first; or of all the nearest, where the edition says so (fad5/morale.fall-back-direction).
    """
    seen = [] if rules.chapters.morale.flees_unseen else visible_enemies(rules, state, unit)
    return seen or enemies_by_distance(state, unit)


def retreat_ends(rules: FadRules, state: State, unit: Unit) -> tuple[EndRule, ...]:
    """Return where a broken unit's retreat may end (fad4/morale.infantry-fall-back): farther from the enemy that threatens it."""
    nearest = threats(rules, state, unit)
    if not nearest:
        return ()
    enemy = state.units[nearest[0].unit]
    why = Why(
        f"{unit.name} falls back: every figure must end farther from {enemy.name} than it is now.",
        "morale.infantry-fall-back",
    )
    return (EndRule((EndsFarther((enemy.id,)),), why),)
