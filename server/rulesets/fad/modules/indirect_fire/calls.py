"""Calling fire: who calls, for which battery and where, and whether the strike comes."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, Picked, PointParameter, PointTaken, Spotter, Why
from client_protocol.explained import Line
from server.kernel.facts import ActivationSpent, AssetNoted, ConditionLost, Declared, FiguresGained, Noted
from server.kernel.procedure import Steps
from server.kernel.space.geometry import Point, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad import supply
from server.rulesets.fad.blast import CALLED, IMPACT, POINT
from server.rulesets.fad.calling import MayCall, TimingNeed
from server.rulesets.fad.game import BUSY, LEADER, FadGame, FadRules, coming_off
from server.rulesets.fad.modules.indirect_fire import assets
from server.rulesets.fad.modules.indirect_fire.batteries import (
    Battery,
    accuracy,
    batteries,
    loads,
    radius,
    reach,
    silent,
    used_up,
)
from server.rulesets.fad.modules.indirect_fire.points import suggested
from server.rulesets.fad.modules.indirect_fire.strikes import Strike, land
from server.rulesets.fad.modules.scout import scouts
from server.rulesets.fad.modules.weapon_traits import LIMITED
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.setup.variants import MIXED, round_name

CALL = "call"
"""The key of the task. That of each of its choices names the figure that calls and what it calls."""
RULE = "adv.artillery-callers"
BUSY_RULE = "adv.artillery-caller-busy"
TIMING_RULE = "adv.artillery-timing"
NO_LOSS = "adv.artillery-mortar-no-loss"
ON_BOARD = "adv.artillery-on-board-mortars"
ARRIVES, GARBLED, LOST = "arrives", "garbled", "lost"


def may_call(_rules: FadRules, state: State, question: MayCall) -> Iterator[Line]:
    """Yield that the leader of a squad may call fire."""
    # adv.artillery-callers: one that has fallen, or is wounded, does not
    if state.units[question.unit].figures[question.figure].role == LEADER:
        yield Line("SET", 1, "leads its squad", RULE)


def timing(rules: FadRules, state: State, question: TimingNeed) -> Iterator[Line]:
    """Yield what the Quality of the unit that calls makes of each die."""
    quality = rules.quality(state.units[question.unit])
    yield Line("SET", quality.need, f"{quality.name}, each die", "quality.table")


def callers(rules: FadRules, state: State, unit: Unit) -> tuple[str, ...]:
    """Return the figures of a unit that may call fire and stand on the table, in roster order (adv.artillery-callers)."""
    standing = (key for key, figure in unit.living.items() if figure.at is not None)
    return tuple(key for key in standing if rules.advisers.answer(state, MayCall(unit.id, key)).value > 0)


# --- the choices ----------------------------------------------------------------------------------------------------


def offer(rules: FadRules, state: State, unit: Unit) -> Choice:
    """Return the task as one choice, with why it cannot be done now."""
    return Choice(
        CALL, "Call Fire", RULE, "A leader calls a strike on a point that it sees.", why=_why(rules, state, unit)
    )


def ways(rules: FadRules, state: State, unit: Unit) -> tuple[Choice, ...]:
    """Return a choice for each figure that can call and each battery; none if nothing can be called.

    A module whose units call fire otherwise than with the action Command offers the same choices, and has `call` carry out the
    one that is picked.
    """
    if _why(rules, state, unit) is not None:
        return ()
    able = _able(rules, state, unit)
    # fad4/tech.weapon-tables: the type of round is said with the call
    return tuple(
        _way(rules, state, unit, figure, loaded, several=len(able) > 1)
        for figure in able
        for battery in batteries(rules, state, unit.side)
        for loaded in loads(rules, battery)
    )


def _able(rules: FadRules, state: State, unit: Unit) -> tuple[str, ...]:
    # adv.scout.call-fire: a scout is busy with nothing but scouting
    scouting = scouts(unit)
    figures = callers(rules, state, unit)
    return tuple(key for key in figures if key in scouting or BUSY not in unit.figures[key].conditions)


def _why(rules: FadRules, state: State, unit: Unit) -> Why | None:
    if not callers(rules, state, unit):
        return Why(f"{unit.name} has no leader on the table to call fire.", RULE)
    if not _able(rules, state, unit):
        return Why(f"The leader of {unit.name} takes part in another task.", BUSY_RULE)
    found = batteries(rules, state, unit.side)
    if not found:
        return Why(f"{state.sides[unit.side].name} has no battery and no mortar to call.", assets.RULE)
    barred = [silent(rules, state, unit.side, battery) for battery in found]
    return None if None in barred else barred[0]


def _way(rules: FadRules, state: State, unit: Unit, figure: str, battery: Battery, *, several: bool) -> Choice:
    key = f"{CALL}:{figure}:{battery.id}{f':{battery.load}' if battery.load else ''}"
    by = f" (figure {figure})" if several else ""
    if battery.load:
        types = [rules.book.munitions[one] for one in battery.load.split(MIXED)]
        by = f" with {round_name(types)} rounds{by}"
    weapon, area = battery.weapon, inches_text(radius(rules, battery.weapon))
    struck = f"all infantry within {area}, friends too" if weapon.blasts else f"the unit nearest to it within {area}"
    consequence = f"{weapon.name}: strikes {struck}, if the call comes through. Who calls does nothing else."
    why = silent(rules, state, unit.side, battery) or used_up(rules, state, unit.side, battery)
    if why is not None:
        return Choice(key, f"Call {battery.name}{by}", RULE, consequence, why=why)
    return Choice(
        key, f"Call {battery.name}{by}", RULE, consequence, (_point(rules, state, unit, figure, battery),), preview=True
    )


def _point(rules: FadRules, state: State, unit: Unit, figure: str, battery: Battery) -> PointParameter:
    """Return where a strike may be called: wherever the caller sees, in reach of the mortar (adv.artillery-impact-point)."""
    fires = (battery.id, battery.figure) if battery.asset is None else (unit.id, figure)
    parameter = PointParameter(
        battery.weapon.name,
        *fires,
        reach(rules, state, battery),
        radius(rules, battery.weapon),
        (),
        Why(""),
        reach_rule=ON_BOARD,
        sight_rule=POINT,
        spotters=(Spotter(unit.id, (figure,), rules.airborne(unit)),),
        nearest=not battery.weapon.blasts,
    )
    return suggested(rules, state, parameter, (unit,))


# --- the call -------------------------------------------------------------------------------------------------------


def called(rules: FadRules, state: State, unit: str, choice: str) -> tuple[str, Battery]:
    """Return the figure that calls by a choice of `ways`, and what it calls."""
    _, figure, wanted, *load = choice.split(":")
    found = batteries(rules, state, state.units[unit].side)
    battery = next(battery for battery in found if battery.id == wanted)
    return figure, next(one for one in loads(rules, battery) if [one.load] == (load or [""]))


def point_of(picked: Picked) -> Point:
    """Return the point that an answer names."""
    taken = picked.values[0]
    assert isinstance(taken, PointTaken), "checked against the choice"
    return taken.at


def call(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    """Call the battery that `picked` names; if the call comes through, its strike lands."""
    figure, battery = called(game.rules, game.state, unit, picked.choice)
    at = point_of(picked)
    yield Declared(unit, CALL, RULE)
    # adv.artillery-caller-busy
    yield FiguresGained(unit, (figure,), BUSY, BUSY_RULE)
    yield from _use(game, unit, battery)
    by = unit if battery.asset is not None else battery.id
    yield Noted(IMPACT, (by, at, at, radius(game.rules, battery.weapon), CALLED))
    if not (yield from _comes_through(game, unit, figure, battery)):
        return
    yield from _spend_strike(game, unit, battery)
    need = accuracy(game.rules, game.state, battery)
    caller = figure if battery.asset is not None else battery.figure
    yield from land(game, Strike(by, caller, battery.weapon, at, need, off_table=battery.asset is not None))
    if battery.asset is not None and LIMITED in battery.weapon.traits:
        side = game.unit(unit).side
        yield from supply.used(game, unit, battery.weapon.name, supply.of_battery(side, battery.id))


def _use(game: FadGame, unit: str, battery: Battery) -> Steps[None]:
    """Use up what a battery can do this turn, whether the call comes through or not."""
    state = game.state
    if battery.asset is not None:
        yield AssetNoted(state.units[unit].side, battery.id, assets.CALLED, state.turn.number)
        return
    # adv.artillery-on-board-mortars: it counts as the shot of its activation
    yield ActivationSpent(battery.id, ON_BOARD)
    for condition in coming_off(game.rules, game.unit(battery.id)):
        yield ConditionLost(battery.id, condition, ON_BOARD)


def outcome(rules: FadRules, battery: Battery, passes: int) -> str:
    """Return what so many passes of the timing test come to."""
    table = rules.book.tables.artillery
    if passes >= table.arrives:
        return ARRIVES
    # adv.artillery-mortar-no-loss
    return LOST if passes <= table.lost and battery.asset is not None else GARBLED


def _comes_through(game: FadGame, unit: str, figure: str, battery: Battery) -> Steps[bool]:
    rules = game.rules
    # adv.artillery-timing
    passes = yield from quality_test(
        game,
        unit,
        "timing",
        # adv.artillery-mortar-no-loss
        TIMING_RULE if battery.asset is not None else NO_LOSS,
        lambda passes: f"{outcome(rules, battery, passes)} {battery.id}",
        dice=rules.book.tables.artillery.timing_dice,
        need=rules.advisers.answer(game.state, TimingNeed(unit, figure)),
    )
    result = outcome(rules, battery, passes)
    if result == LOST:
        yield AssetNoted(game.unit(unit).side, battery.id, assets.LOST, value=True)
    return result == ARRIVES


def _spend_strike(game: FadGame, unit: str, battery: Battery) -> Steps[None]:
    """Take a strike from a battery that has only so many."""
    left = None if battery.asset is None else assets.strikes_left(battery.asset)
    if left is not None:
        yield AssetNoted(game.unit(unit).side, battery.id, assets.STRIKES, left - 1)
