"""Non-combatants: groups that never fight. They run from enemies that they see, and units close by can steer them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.choices import (
    Candidate,
    Choice,
    EndRule,
    EndsFarther,
    PathParameter,
    PathsDeclared,
    Picked,
    UnitNamed,
    UnitParameter,
    Why,
)
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    ActivationSpent,
    ConditionLost,
    Declared,
    Rolled,
    UnitLeft,
)
from server.kernel.procedure import Steps, ask
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import about, centroid, direction, inches, inches_text
from server.kernel.standing import end_places
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad import attached, movement
from server.rulesets.fad.falling_back import to_the_edge
from server.rulesets.fad.game import NEUTRAL, NON_COMBATANT, FadGame, FadRules, coming_off
from server.rulesets.fad.going import along
from server.rulesets.fad.module import Act, FadModule, Going
from server.rulesets.fad.morale import ROUTED
from server.rulesets.fad.previews.luck import quality_test as quality_luck
from server.rulesets.fad.quality import QualityNeed, quality_test
from server.rulesets.fad.travel import go, intent
from server.rulesets.fad.vehicles import embarking
from server.rulesets.shared.distances import Nearest, apart
from server.rulesets.shared.modules import Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.setup.book import ON
from server.rulesets.shared.ways import first_legal_shift
from server.rulesets.shared.words.chances import chance_line

SPARED = "noncombatants_spared"
"""The option by which no unit may attack them."""
LEAVES = "noncombatants_leave"
"""The option by which they leave the table where they flee to its edge."""

FLEES, FROZEN, STANDS = "flees", "cornered", "stands-by"
STEERS, STEERED, STEER_TO = "steer", "steered", "steer-to"
MOVES, WAITS = "group-move-out", "group-hold"
LET_BE = "let-be"
_TURNS = (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)
"""The directions in which a group flees: straight away first, then in steps of 15 degrees to either side."""
_EIGHTHS = range(8, 0, -1)


def is_group(unit: Unit) -> bool:
    """Return whether a unit is a group of non-combatants."""
    return has(unit, NON_COMBATANT)


# --- they do not fight ----------------------------------------------------------------------------------------------


def _bars(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    if is_group(unit) and act in (Act.SHOOT, Act.ASSAULT, Act.STRIKE_BACK):
        return Why(f"{unit.name} are non-combatants, and never fight.", "adv.noncombatants-profile")
    return None


def _spared(_rules: FadRules, state: State, unit: Unit) -> Why | None:
    if is_group(unit) and state.options.get(SPARED) == ON:
        return Why(f"{unit.name} are non-combatants, whom this match spares.", "adv.noncombatants-profile")
    return None


def _helpless(unit: Unit) -> str:
    return "adv.noncombatants-profile" if is_group(unit) else ""


# --- they run -------------------------------------------------------------------------------------------------------


def _threats(rules: FadRules, state: State, unit: Unit) -> list[Nearest]:
    """Return the armed units that a group sees and runs from, nearest first: enemies, for a neutral group all."""
    armed = [
        other
        for other in state.units.values()
        if other.on_table and not is_group(other) and (has(unit, NEUTRAL) or other.side != unit.side)
    ]
    found = [Nearest(apart(unit, other), other.id) for other in armed if rules.sees(state, unit, other)]
    return sorted(found, key=lambda nearest: (nearest.distance, nearest.unit))


def _instead(game: FadGame, unit_id: str) -> Steps[bool]:
    """Let a group run from what it sees, or move as its owner likes (adv.noncombatants.move-out-only)."""
    unit = game.unit(unit_id)
    if not is_group(unit):
        return False
    threats = _threats(game.rules, game.state, unit)
    if threats:
        yield from _flee(game, unit_id, threats[0].unit)
    elif has(unit, NEUTRAL):
        yield Declared(unit_id, STANDS, "adv.noncombatants-move-out-only")
    else:
        yield from _move_out(game, unit_id)
    return True


def _flee(game: FadGame, unit_id: str, enemy: str) -> Steps[None]:
    """Rush straight away from an enemy, as far as there is a way (adv.noncombatants.flee)."""
    rule, state = "adv.noncombatants-flee", game.state
    way = _way_out(game.rules, state, unit_id, enemy)
    if way is None or _farthest(state.units[unit_id], way) < _rush(game.rules, state, unit_id) - 1:
        edge = to_the_edge(game.rules, state, unit_id, movement.RUSH)
        if state.options.get(LEAVES) == ON and edge is not None and _may_move(game.rules, state, unit_id):
            yield Declared(unit_id, FLEES, rule, enemy)
            yield UnitLeft(unit_id, "left_table", rule)
            return
    if way is None:
        yield Declared(unit_id, FROZEN, rule)
        return
    yield Declared(unit_id, FLEES, rule, enemy)
    yield from go(game, unit_id, way, movement.RUSH, rule)


def _may_move(rules: FadRules, state: State, unit_id: str) -> bool:
    return rules.barred(state, state.units[unit_id], Act.MOVE) is None


def _rush(rules: FadRules, state: State, unit_id: str) -> int:
    return movement.allowance(rules, state, unit_id, movement.RUSH).value


def _farthest(unit: Unit, way: PathsDeclared) -> float:
    starts = {key: figure.at for key, figure in unit.living.items()}
    lengths = (
        max(abs(path[-1][0] - at[0]), abs(path[-1][1] - at[1]))
        for key, path in way.paths.items()
        if (at := starts[key]) is not None
    )
    return max(lengths, default=0)


def _way_out(rules: FadRules, state: State, unit_id: str, enemy: str) -> PathsDeclared | None:
    """Return the way of a group that flees: as straight away as it can go, and so as far as it can; None if there is none."""
    if not _may_move(rules, state, unit_id):
        return None
    unit = state.units[unit_id]
    why = Why(f"{unit.name} flee from {state.units[enemy].name}.", "adv.noncombatants-flee")
    ends = (EndRule((EndsFarther((enemy,)),), why),)
    parameter = movement.path_parameter(rules, state, unit_id, movement.RUSH, ends, may_stay=False)
    away = direction(_middle(state.units[enemy]), _middle(unit))
    # A mil less, since ends are rounded.
    lengths = [parameter.allowance * eighth // 8 - 1 for eighth in _EIGHTHS]
    shifts = ((away + turn * 1500, length) for turn in _TURNS for length in lengths)
    return first_legal_shift(state, parameter, shifts)


def _middle(unit: Unit) -> tuple[int, int]:
    return centroid([at for at, _ in unit.places()])


def _move_out(game: FadGame, unit_id: str) -> Steps[None]:
    """Let the owner of a group that sees no enemy move it."""
    rules, seat, rule = game.rules, game.state.seat_of(unit_id), "adv.noncombatants-move-out-only"
    state = game.believed(seat)
    unit = state.units[unit_id]
    parameter = movement.path_parameter(rules, state, unit_id, movement.RUSH, movement.rush_ends(rules, state, unit))
    stuck = rules.barred(state, unit, Act.MOVE)
    told = f"They see no enemy, and go where you like.{intent(rules, state, unit_id, movement.RUSH)}"
    choices = (
        Choice(MOVES, "Move Out", rule, told, (parameter,), stuck, rules.foretells_moves(state)),
        Choice(WAITS, "Hold", rule, "They stay where they are."),
    )
    asked = Asked(f"{unit.name}: non-combatants only Move Out", choices, Picked(WAITS), rule, unit_id)
    picked = yield from ask(seat, asked)
    if picked.choice == WAITS:
        yield Declared(unit_id, STANDS, rule)
        return
    yield Declared(unit_id, "move-out", rule)
    yield from go(game, unit_id, picked.values[0], movement.RUSH, "move.rush")
    yield from embarking.offer_seats(game, unit_id)


# --- neutral groups -------------------------------------------------------------------------------------------------


def _ending(game: FadGame) -> Steps[None]:
    """Let the neutral groups act that have not been steered this turn, in their order (adv.noncombatants.move-out-only)."""
    neutral = [unit for unit in game.state.units.values() if has(unit, NEUTRAL) and is_group(unit)]
    for unit in sorted(neutral, key=lambda unit: int(of(unit)[NEUTRAL])):  # type: ignore[arg-type]  # a number by its row
        now = game.unit(unit.id)
        if now.on_table and now.activated < game.state.turn.number:
            yield ActivationBegan(unit.id)
            # fad4/activation.resolve-first: who does not rout runs anyway
            if (yield from game.rules.chapters.morale.check_resolve(game, unit.id)) == ROUTED:
                continue
            yield from _instead(game, unit.id)
            yield from _clear(game, unit.id)
            yield ActivationEnded(unit.id)
            yield from attached.settle(game)


def _clear(game: FadGame, unit_id: str) -> Steps[None]:
    for condition in coming_off(game.rules, game.unit(unit_id)):
        yield ConditionLost(unit_id, condition, "activation.clear-markers")


# --- steering -------------------------------------------------------------------------------------------------------


def _groups(rules: FadRules, state: State, unit: Unit) -> Iterator[tuple[Unit, Why | None]]:
    """Yield the groups that have not acted this turn and are near enough to be steered, each with why they cannot be."""
    reach = inches(rules.book.tables.non_combatants.reach)
    for group in state.units.values():
        if (
            is_group(group)
            and group.on_table
            and group.id != unit.id
            and group.activated < state.turn.number
            and apart(unit, group) <= reach
        ):
            yield group, rules.barred(state, group, Act.MOVE)


def _arrived(game: FadGame, unit_id: str) -> Steps[None]:
    """Let a unit that has moved try to steer a group (adv.noncombatants.control)."""
    rule, seat = "adv.noncombatants-control", game.state.seat_of(unit_id)
    state = game.believed(seat)
    unit = state.units[unit_id]
    if is_group(unit) or not unit.on_table or state.turn.unit != unit_id:
        return
    found = list(_groups(game.rules, state, unit))
    if all(why is not None for _, why in found):
        return
    candidates = tuple(Candidate(group.id, about(apart(unit, group)), why) for group, why in found)
    text = "A Quality Test of 1D6: if it passes, they rush at once where you like."
    steer = Choice(STEERS, "Steer them", rule, text, (UnitParameter("Group", candidates),), preview=True)
    choices = (steer, Choice(LET_BE, "Let them be", rule))
    asked = Asked(f"{unit.name} may steer non-combatants", choices, Picked(LET_BE), rule, unit_id)
    picked = yield from ask(seat, asked)
    if picked.choice == LET_BE:
        return
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    yield Declared(unit_id, STEERS, rule, named.unit)
    passes = yield from quality_test(game, unit_id, "steer", rule, lambda count: STEERED if count else LET_BE, dice=1)
    if passes:
        yield from _steer(game, unit_id, named.unit)


def _steer(game: FadGame, unit_id: str, group_id: str) -> Steps[None]:
    """Move a group as the player of a unit likes. That is its activation of this turn."""
    rules, seat, rule = game.rules, game.state.seat_of(unit_id), "adv.noncombatants-control"
    state = game.believed(seat)
    group = state.units[group_id]
    parameter = movement.path_parameter(rules, state, group_id, movement.RUSH)
    default = _to_unit(rules, state, parameter, unit_id)
    choice = Choice(STEER_TO, "Send them there", rule, "Up to a full Rush.", (parameter,), preview=True)
    title = f"{state.units[unit_id].name} steers {group.name}"
    picked = yield from ask(seat, Asked(title, (choice,), Picked(STEER_TO, (default,)), rule, group_id))
    way = picked.values[0]
    assert isinstance(way, PathsDeclared), "checked against the choice"
    yield ActivationSpent(group_id, rule)
    # They are led: no dice say how far they come, and they leave no wounded against their will.
    yield from along(game, Going(unit=group_id, paths=way.paths, manner=movement.RUSH, rule=rule, seat=seat))
    if not game.unit(group_id).left:
        yield from _clear(game, group_id)


def _to_unit(rules: FadRules, state: State, parameter: PathParameter, unit_id: str) -> PathsDeclared:
    """Return the straight way of a group to the unit that steers it, to within the distance at which it stops."""
    group, unit = state.units[parameter.unit], state.units[unit_id]
    stops = inches(rules.book.tables.non_combatants.stops)
    far = min(parameter.allowance, apart(group, unit) - stops)
    if far > 0:
        towards = direction(_middle(group), _middle(unit))
        way = first_legal_shift(state, parameter, ((towards, far * eighth // 8) for eighth in _EIGHTHS))
        if way is not None:
            return way
    return PathsDeclared({})


def _preview_steering(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return how likely a group follows a unit that calls out to it, and what it does else."""
    named = picked.values[0] if picked.values else None
    if not isinstance(named, UnitNamed):
        return None
    unit, group = state.units[asked.unit], state.units[named.unit]
    need = rules.advisers.answer(state, QualityNeed(unit.id))
    far = inches_text(_rush(rules, state, group.id))
    threats = _threats(rules, state, group)
    alone = (
        f"they flee from {state.units[threats[0].unit].name}, which they see"
        if threats
        else "they stay where they are"
        if has(group, NEUTRAL)
        else "their owner moves them"
    )
    notes = (
        f"If they follow, they Rush at once, up to {far} where you like, and have acted for this turn.",
        f"If not, {alone} when they activate.",
    )
    chances = (chance_line("They follow", odds.at_least(need.value)),)
    return Preview(f"{unit.name} steers {group.name}", "1D6", (("The die", need),), chances, notes)


def _preview_way(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return from whom a group would flee next, where it is sent."""
    way = picked.values[0] if picked.values else None
    if not isinstance(way, PathsDeclared):
        return None
    group = state.units[asked.unit]
    ends = {key: replace(group.figures[key], at=at) for key, (at, _) in end_places(group, way).items()}
    there = replace(group, figures={**group.figures, **ends})
    threats = _threats(rules, state.with_unit(there), there)
    note = (
        f"From there they see {state.units[threats[0].unit].name}, and flee from it when they next activate."
        if threats
        else "There they see none from whom they flee, as all now stand."
    )
    return Preview(f"{group.name} go there", "", (), (), (note,))


# --- words and files ------------------------------------------------------------------------------------------------


def _card(rules: FadRules, _state: State, unit: Unit) -> Iterator[CardLine]:
    if is_group(unit):
        reach = inches_text(inches(rules.book.tables.non_combatants.reach))
        text = "flees from enemies in sight; never fights"
        if has(unit, NEUTRAL):
            text = "flees from all armed units in sight; obeys no side"
        yield CardLine("Non-combatants", text, "adv.noncombatants-flee")
        yield CardLine("Steered by", f"any unit that ends a move within {reach}", "adv.noncombatants-control")


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "they follow" if fact.outcome == STEERED else "they do not listen"
    return f"{state.units[fact.unit].name} calls out to non-combatants: {result}.", "move", fact.rule


def _suits(rules: FadRules, unit: Unit) -> None:
    if has(unit, NEUTRAL) and not is_group(unit):
        raise RulesetError(f"{unit.name} is neutral, which only non-combatants are")
    if not is_group(unit):
        return
    if is_vehicle(unit):
        raise RulesetError(f"{unit.name} is a vehicle: non-combatants go on foot")
    if rules.level(unit):
        lowest = next(iter(rules.book.qualities.values())).name
        raise RulesetError(f"{unit.name} are non-combatants, and count as {lowest}: give them that Quality")


NONCOMBATANTS = FadModule(
    id="noncombatants",
    traits=(NEUTRAL,),
    bars=_bars,
    spared=_spared,
    helpless=_helpless,
    bystander=is_group,
    instead=_instead,
    arrived=_arrived,
    ending=_ending,
    suits=_suits,
    card=_card,
    declares={
        FLEES: Declaration("flee from"),
        FROZEN: Declaration("have nowhere to flee to"),
        STANDS: Declaration("stay where they are"),
        STEERS: Declaration("tries to steer"),
    },
    rolls={STEERS: ModuleRoll(_story, quality_luck)},
    previews={STEERS: _preview_steering, STEER_TO: _preview_way},
)
