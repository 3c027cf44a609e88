"""When a mission is done, and how a match with missions ends (fad5/mission.general, fad4/npc.missions)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

from server.kernel import notes
from server.kernel.attaching import figures_anywhere
from server.kernel.bodies import body, is_vehicle
from server.kernel.facts import Fact, MatchEnded, Noted, UnitLeft
from server.kernel.notes import secret
from server.kernel.procedure import Steps
from server.kernel.setup_facts import SideDeclared
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.rulesets.fad.attached import is_character
from server.rulesets.fad.game import BROKEN, CHARACTER, LEADER, FadGame, FadRules
from server.rulesets.fad.generated.ground import depth, other_side
from server.rulesets.fad.generated.missions import (
    ASSAULT,
    EXPAND,
    HOLD,
    INFILTRATE,
    INTERFERE,
    PATROL,
    STRIKE,
    SWEEP,
    far_objectives,
    middle_objectives,
    near_objectives,
)
from server.rulesets.fad.generated.noting import (
    DONE,
    MISSION,
    STEP,
    TARGET,
    begun_platoons,
    hide,
    known,
    platoons,
    platoons_key,
    squads,
    uncontrolled,
)
from server.rulesets.fad.generated.patrolling import contacted, touched
from server.rulesets.shared.objectives import off

RULE = "scenario.mission-done"
THROUGH = "infiltrated"
"""The reason of a squad that has left the table over the enemy's edge."""
BEGAN = "generated.units"
"""The units with which the game began, and of which a Sweep must break half."""
ROW = "row"
"""For how many turns in a row a side's mission has been as it should."""
COMMANDER = "generated.commander."
"""Who commands a side, by the side: a unit, and the figure."""


def end_turn(game: FadGame) -> Steps[None]:
    """Take stock at the end of a turn: who has left over the enemy's edge, what was touched, and what is held."""
    for side in list(game.state.sides):
        mission = known(game.state, side, MISSION)
        if mission == INFILTRATE:
            for unit in list(through(game.rules, game.state, side)):
                yield UnitLeft(unit, THROUGH, RULE)
        if mission == PATROL:
            yield from _contacts(game, side)
        held = _held(game.rules, game.state, side, mission)
        if held is not None:
            row = notes.number(game.state.book, _row(game.state, side), 0)
            yield hide(game.state, side, ROW, row + 1 if held else 0)


def _row(state: State, side: str) -> str:
    return secret(state.sides[side].seat, ROW)


def _there(rules: FadRules, state: State, units: Iterable[Unit]) -> list[Unit]:
    """Return those of the units that are on the table and fight (fad5/mission.assault)."""
    return [unit for unit in units if unit.on_table and not rules.bystander(state, unit)]


def _infantry(rules: FadRules, state: State, side: str) -> list[Unit]:
    return [unit for unit in _there(rules, state, state.units_of(side)) if not is_vehicle(unit)]


def _contacts(game: FadGame, side: str) -> Iterator[Fact]:
    # Who was placed there, or got off, has not moved there.
    own, reach = _infantry(game.rules, game.state, side), inches(game.rules.book.tables.generating.touch)
    return contacted(game, side, lambda key: _off(game.state, own, key) <= reach)


def _off(state: State, units: Sequence[Unit], objective: str) -> float:
    """Return how far the nearest figure of the units is from an objective, in mil."""
    figures = [figure for unit in units for figure in unit.living.values() if figure.at is not None]
    return min((off(body(figure), state.objectives[objective]) for figure in figures), default=inf)


def _held(rules: FadRules, state: State, side: str, mission: str) -> bool | None:
    """Return whether a mission of keeping something is as it should be at the end of this turn; None for other missions."""
    table = rules.book.tables.generating
    foes = _there(rules, state, state.enemies_of(side))
    if mission == HOLD:
        # fad5/mission.hold: no closer than that
        return all(_off(state, foes, key) >= inches(table.hold) for key in near_objectives(state, side))
    if mission in {ASSAULT, EXPAND}:
        wanted = middle_objectives(state) if mission == EXPAND else [known(state, side, TARGET)]
        # fad5/mission.occupy
        own = [unit for unit in _infantry(rules, state, side) if BROKEN not in unit.conditions]
        return all(
            _off(state, own, key) <= inches(table.held) and _off(state, foes, key) >= inches(table.keep)
            for key in wanted
        )
    return None


def through(rules: FadRules, state: State, side: str) -> Iterator[str]:
    """Yield the unbroken squads of a side that stand at the enemy's edge with all of their figures."""
    edge = state.sides[other_side(state, side)].edge
    reach, whole = inches(rules.book.tables.generating.exit), depth(state, edge)
    for unit in squads(rules, state, side):
        if unit.on_table and BROKEN not in unit.conditions:
            places = unit.places()
            lengths = [at[0] if edge in {"west", "east"} else at[1] for at, _ in places]
            gaps = [length if edge in {"west", "south"} else whole - length for length in lengths]
            if all(gap - radius <= reach for gap, (_, radius) in zip(gaps, places, strict=True)):
                yield unit.id


def aims(state: State, side: str) -> list[str]:
    """Return what a side has to go for in its mission, as far as is known here: "objective:" or "unit:" and an id; nothing if
    that is all over the table (fad4/ai.approach).
    """
    mission = known(state, side, MISSION)
    if mission == STRIKE:
        found = notes.words(state.book, COMMANDER + other_side(state, side))
        commander = state.units.get(found[0]) if found else None
        return [] if commander is None else [f"unit:{commander.attached or commander.id}"]
    about = {
        ASSAULT: [known(state, side, TARGET)],
        EXPAND: middle_objectives(state),
        HOLD: near_objectives(state, side),
        INFILTRATE: far_objectives(state, side),
        PATROL: [*middle_objectives(state), *far_objectives(state, side)],
    }
    return [f"objective:{key}" for key in about.get(mission, [])]


# --- who has won ------------------------------------------------------------------------------------------------------


def _swept(rules: FadRules, state: State, side: str) -> bool:
    foe = other_side(state, side)
    began = [key for key in notes.words(state.book, BEGAN) if key in state.units and state.units[key].side == foe]
    gone = [key for key in began if state.units[key].left not in {"", THROUGH}]
    return 2 * len(gone) >= len(began) > 0


def _struck(rules: FadRules, state: State, side: str) -> bool:
    found = notes.words(state.book, COMMANDER + other_side(state, side))
    if not found or found[0] not in state.units:
        return False
    unit = state.units[found[0]]
    figure = figures_anywhere(state, unit).get(found[1])
    # fad5/mission.strike: one who is only wounded lives
    return unit.left == "destroyed" or (figure is not None and rules.dead(figure))


def _patrolled(_rules: FadRules, state: State, side: str) -> bool:
    seen = touched(state, side)
    far = any(key in seen for key in far_objectives(state, side))
    return far and all(key in seen for key in middle_objectives(state))


def _through(rules: FadRules, state: State, side: str) -> bool:
    gone = sum(unit.side == side and unit.left == THROUGH for unit in state.units.values())
    return gone >= begun_platoons(rules, state, side)


def _kept(rules: FadRules, state: State, side: str) -> bool:
    table = rules.book.tables.generating
    wanted = table.hold_turns if known(state, side, MISSION) == HOLD else table.turns
    return notes.number(state.book, _row(state, side), 0) >= wanted


def _never(_rules: FadRules, _state: State, _side: str) -> bool:
    # fad5/mission.interfere: it is won when the last turn is over
    return False


_DONE: dict[str, Callable[[FadRules, State, str], bool]] = {
    ASSAULT: _kept,
    EXPAND: _kept,
    HOLD: _kept,
    INFILTRATE: _through,
    INTERFERE: _never,
    PATROL: _patrolled,
    STRIKE: _struck,
    SWEEP: _swept,
}


def in_missions(state: State) -> bool:
    """Return whether the match is decided by missions."""
    return state.book.get(STEP) == DONE


def decided(rules: FadRules, state: State, there: Sequence[str]) -> MatchEnded | None:
    """Return how a match with missions ends at the end of this turn; None if it goes on. `there` are the sides with units."""
    missions = {side: known(state, side, MISSION) for side in state.sides}
    done = [side for side in state.sides if _DONE[missions[side] or INTERFERE](rules, state, side)]
    if len(done) == 1:
        return _won(state, done[0], f"has carried out its mission, {missions[done[0]].capitalize()}")
    if done:
        return MatchEnded("", "Both sides have carried out their missions.", RULE)
    if len(there) == 1:
        return _won(state, there[0], "has the last units in the game")
    if not there:
        return MatchEnded("", "Neither side has a unit left.", RULE)
    if state.turn.number < int(state.victory.get("turn_limit", 10)):
        return None
    denying = [side for side in state.sides if missions[side] == INTERFERE]
    if len(denying) == 1:
        return _won(state, denying[0], "has kept the enemy from its victory: its mission was Interfere")
    return MatchEnded("", "The last turn is over, and neither side has carried out its mission.", RULE)


def _won(state: State, side: str, how: str) -> MatchEnded:
    return MatchEnded(side, f"{state.sides[side].name} {how}.", RULE)


def disclosed(state: State) -> Iterator[Fact]:
    """Yield the missions that were secret, as the match ends (fad4/npc.missions)."""
    for side in state.sides:
        mission = known(state, side, MISSION)
        if uncontrolled(state, side) and mission and f"generated.mission.{side}" not in state.book:
            yield SideDeclared(side, "mission", "npc.missions", mission)


def started(rules: FadRules, state: State) -> Iterator[Fact]:
    """Yield what is noted as the set-up is over."""
    # fad5/mission.sweep
    units = [unit.id for unit in state.units.values() if not (unit.attached or rules.bystander(state, unit))]
    yield Noted(BEGAN, tuple(units))
    for side in state.sides:
        yield Noted(platoons_key(side), platoons(rules, state, side))
        yield from _commander(rules, state, side)


def _commander(rules: FadRules, state: State, side: str) -> Iterator[Fact]:
    """Yield who commands a side for the whole game: of its leaders who leads best, the first of several
    (fad5/mission.strike).
    """
    leaders = [
        (unit, key)
        for unit in state.units_of(side)
        for key, figure in figures_anywhere(state, unit).items()
        if figure.role in {CHARACTER, LEADER}
    ]
    if leaders:
        unit, key = max(leaders, key=lambda found: _rank(rules, found[0]))
        yield Noted(COMMANDER + side, (unit.id, key))
        yield SideDeclared(side, "commander", RULE, unit.id)


def _rank(rules: FadRules, unit: Unit) -> int:
    # An officer of any leadership is above the leaders of squads.
    return rules.book.leaderships[notes.word(unit.profile, "leadership")].rating if is_character(unit) else -1
