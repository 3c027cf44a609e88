"""Discipline: forming the groups before the first turn, and testing each at the start of every turn."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.explained import Explained, Line
from server.kernel.facts import Noted, Reasoned, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.space.geometry import centroid, distance, inches, to_mil
from server.kernel.space.sight import stands_in
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.generated.noting import ATTITUDE, shown
from server.rulesets.fad.uncontrolled.groups import (
    APPROACHES,
    ENGAGE,
    FALL_BACK,
    GATHER,
    HOLD,
    ORDERS,
    RALLY,
    STAND,
    TARGET,
    Group,
    commanded,
    formed,
    goal_point,
    groups_of,
    losses,
    middle,
    middle_of,
    unformed,
)
from server.rulesets.shared.distances import visible_enemies
from server.rulesets.shared.turns import ACTIVATIONS

TESTED = "groups_tested"
"""The note of a match that says in which turn the groups were tested last."""
OPTION = "uncontrolled_approach"
"""The option that says what uncontrolled groups are to do, unless their scenario says it."""
SCORE = "uncontrolled_discipline"
"""The option that says what their Discipline is."""
FORMED = "formed"
LOWERED = "lowered"


def due(state: State) -> bool:
    """Return whether groups are to be tested at this boundary: a turn has begun (fad4/ai.discipline-test)."""
    return (
        bool(state.desk.uncontrolled)
        and state.turn.phase == ACTIVATIONS
        and state.book.get(TESTED) != state.turn.number
        and bool(commanded(state))
    )


def begin_turn(game: FadGame) -> Steps[None]:
    """Form the groups if they are not formed yet, and test each of them, in the order in which their first units stand in the
    roster.
    """
    for side in unformed(game.state):
        approach = yield from _approach(game, side.id)
        for group in list(formed(game.rules, game.state, side, approach)):
            chosen = game.state.options.get(SCORE)
            own = int(chosen) if isinstance(chosen, str) and chosen.isdigit() else group.discipline
            yield replace(group, discipline=own).noted
            yield Reasoned(
                _first(game.state, group).id, f"{FORMED}:{group.approach}", "ai.groups", group.id, "", group.goal
            )
    yield Noted(TESTED, game.state.turn.number)
    found = [group for side in commanded(game.state) for group in groups_of(game.state, side.id)]
    for group in sorted(found, key=lambda group: _first(game.state, group).number):
        if group.living(game.state):
            yield from _turn_of(game, group)


def _first(state: State, group: Group) -> Unit:
    return state.units[group.units[0]]


def _approach(game: FadGame, side: str) -> Steps[str]:
    """Return what the groups of a side are to do: as the match's option says, or as a die for its attitude does."""
    chosen = game.state.options.get(OPTION, ENGAGE)
    if chosen in APPROACHES:
        return str(chosen)
    table = game.rules.book.tables
    minded = shown(game.state, side, ATTITUDE)
    if minded:
        # fad4/ai.approach: its attitude was settled as the set-up was generated
        return table.uncontrolled.attitude[table.generating.npc_attitude.index(minded)]
    (face,) = yield from roll(1, purpose="attitude")
    # fad4/npc.stance-attitude, fad4/ai.approach
    approach = game.rules.book.tables.uncontrolled.attitude[face - 1]
    yield Rolled("attitude", "npc.stance-attitude", (face,), outcome=approach, side=side)
    return approach


# --- the test -------------------------------------------------------------------------------------------------------


def _turn_of(game: FadGame, group: Group) -> Steps[None]:
    """Test one group, unless it withdraws still; see before whether its losses lower its Discipline, and whether it has done what
    it was to do.
    """
    table = game.rules.book.tables.uncontrolled
    first = group.living(game.state)[0].id
    group = replace(group, attacks=tuple(row for row in group.attacks if row[2] >= game.state.turn.number - 1))
    if not group.lowered and 2 * losses(game.rules, game.state, group) >= group.began:
        # fad4/ai.abort: once, and never worse than 5+
        group = replace(group, lowered=True, discipline=min(group.discipline + 1, max(table.worst, group.discipline)))
        yield group.noted
        yield Reasoned(first, LOWERED, "ai.abort", group.id, "", str(group.discipline))
    group = yield from _over(game, group)
    if group.refuge:
        if not gathered(game.rules, game.state, group):
            # fad4/ai.discipline-fail: no tests until it gets there
            yield replace(group, standing=GATHER).noted
            yield Reasoned(first, "withdraws", "ai.discipline-fail", group.id, "", group.refuge)
            return
        group = replace(group, refuge="")
    faces = yield from roll(table.dice, purpose="discipline")
    marks = tuple("pass" if face >= group.discipline else "fail" for face in faces)
    passes = marks.count("pass")
    # fad4/ai.discipline-pass, fad4/ai.discipline-hold, fad4/ai.discipline-fail
    standing = ORDERS if passes >= table.passes else STAND if passes else GATHER
    rule = {ORDERS: "ai.discipline-pass", STAND: "ai.discipline-hold", GATHER: "ai.discipline-fail"}[standing]
    refuge = _refuge(game.rules, game.believed(game.state.sides[group.side].seat), group) if standing == GATHER else ""
    group = replace(group, standing=standing, refuge=refuge)
    yield group.noted
    need = Explained(group.discipline, (Line("SET", group.discipline, f"group {group.id}, each die", "ai.discipline"),))
    yield Rolled("discipline", rule, faces, 6, marks, (need,), f"{group.id}:{standing}", group.side, first)
    if refuge:
        yield Reasoned(first, "refuge", "ai.discipline-fail", group.id, "", refuge)


def _over(game: FadGame, group: Group) -> Steps[Group]:
    """Let a group that has done what it was to do hold there (fad4/ai.target-advance)."""
    if group.approach != TARGET or not achieved(game.rules, game.believed(game.state.sides[group.side].seat), group):
        return group
    kind, _, key = group.goal.partition(":")
    at = (
        game.state.objectives[key].at
        if kind == "objective"
        else middle_of(game.state, game.state.sides[group.side], group.living(game.state))
    )
    group = replace(group, approach=HOLD, at=at, goal=group.goal if kind != "unit" else "")
    yield group.noted
    yield Reasoned(group.living(game.state)[0].id, "achieved", "ai.target-advance", group.id, "", group.goal)
    return group


def achieved(rules: FadRules, state: State, group: Group) -> bool:
    """Return whether the unit that a group is to destroy is gone, or what it is to occupy is occupied with no enemy near."""
    kind, _, key = group.goal.partition(":")
    if kind == "unit":
        return bool(state.units[key].left)
    table = rules.book.tables.uncontrolled
    own = any(occupies(rules, state, group, unit) for unit in group.living(state))
    clear = inches(table.clear)
    return own and not any(
        off_goal(state, group, enemy) <= clear for enemy in state.enemies_of(group.side) if enemy.on_table
    )


def off_goal(state: State, group: Group, unit: Unit) -> int:
    """Return how far the nearest base of a unit is from what a group is to occupy or hold, in mil."""
    kind, _, key = group.goal.partition(":")
    if kind == "piece":
        piece = next((piece for piece in state.table.terrain if piece.id == key), None)
        if piece is not None:
            return min((max(0, to_mil(piece.distance(at)) - radius) for at, radius in unit.places()), default=1 << 30)
    at = goal_point(state, group)
    return min((max(0, to_mil(distance(at, place)) - radius) for place, radius in unit.places()), default=1 << 30)


def occupies(rules: FadRules, state: State, group: Group, unit: Unit) -> bool:
    """Return whether a unit occupies what a group is to take: a figure within 3" of a marker, or inside a terrain piece."""
    near = 0 if group.goal.startswith("piece:") else inches(rules.book.tables.uncontrolled.occupied)
    return unit.on_table and off_goal(state, group, unit) <= near


# --- where a group withdraws to -------------------------------------------------------------------------------------


def _refuge(rules: FadRules, state: State, group: Group) -> str:
    """Return the nearest defensible position, chosen once from the group's middle: terrain that gives cover and is no nearer to
    an enemy in sight than the group is, or else its rallying point (fad4/ai.discipline-fail).
    """
    units = [unit for unit in group.living(state) if unit.on_table]
    if not units:
        return RALLY
    centre = centroid([middle(state, unit) for unit in units])
    seen = {near.unit for unit in units for near in visible_enemies(rules, state, unit)}
    foes = [middle(state, state.units[key]) for key in seen]
    for piece in sorted(covering(rules, state), key=lambda piece: (piece.distance(centre), piece.id)):
        if all(piece.distance(foe) >= distance(centre, foe) or piece.distance(centre) == 0 for foe in foes):
            return f"piece:{piece.id}"
    return RALLY


def covering(rules: FadRules, state: State) -> Iterator[Terrain]:
    """Yield the terrain that gives cover and can be entered or stood at."""
    given = rules.cover_pieces(state)
    return (piece for piece in state.table.terrain if piece.id in given and "impassable" not in piece.flags)


def gathered(rules: FadRules, state: State, group: Group) -> bool:
    """Return whether every living unit of a group is at the place to which it withdraws."""
    return all(at_refuge(rules, state, group, unit) for unit in group.living(state) if unit.on_table)


def at_refuge(rules: FadRules, state: State, group: Group, unit: Unit) -> bool:
    """Return whether a unit has a figure in the terrain to which its group withdraws, or within 3" of its rallying point."""
    kind, _, key = group.refuge.partition(":")
    piece = next((piece for piece in state.table.terrain if piece.id == key), None) if kind == "piece" else None
    if piece is not None:
        return any(stands_in(at, radius, piece, rules.edge_reach()) for at, radius in unit.places())
    near = inches(rules.book.tables.uncontrolled.gathered)
    return any(to_mil(distance(at, group.rally)) - radius <= near for at, radius in unit.places())


def refuge_point(state: State, group: Group) -> tuple[int, int]:
    """Return the middle of the place to which a group withdraws."""
    kind, _, key = group.refuge.partition(":")
    piece = next((piece for piece in state.table.terrain if piece.id == key), None) if kind == "piece" else None
    return group.rally if piece is None else centroid(list(piece.outline))


def named(approach: str) -> str:
    """Return an approach as players read it."""
    return {TARGET: "Target", ENGAGE: "Engage", HOLD: "Hold", FALL_BACK: "Fall Back"}[approach]
