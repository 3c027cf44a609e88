"""Special weapons: what heavy weapons do by the footnotes of their table (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations

from client_protocol.choices import Choice, Picked, Why
from client_protocol.explained import Line
from client_protocol.from_server import Chance
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionGained, ConditionLost, FiguresGained, Rolled
from server.kernel.procedure import Steps
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, at_most, contains, gap, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.game import POWERED, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import Act, FadMarker, FadModule, FigureMarker, Held, Task, WeaponEffect
from server.rulesets.fad.modules import bursts
from server.rulesets.fad.modules.pinning import PINNED
from server.rulesets.fad.modules.recover_wounded import NERVE_STRUCK, WOUNDED
from server.rulesets.fad.previews import luck
from server.rulesets.fad.quality import QualityNeed, quality_test
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.modules import Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line

RULE = "tech.weapon-tables"
WEBBED = "webbed"
TERRIFIED = "terrified"
BREAK_FREE = "break-free"
STOPS_VEHICLES = "stops_vehicles"
"""The trait of a web cannon that may be aimed at vehicles."""


# --- shells that pin where they land --------------------------------------------------------------------------------


def lies_on(rules: FadRules, unit: Unit, at: Point) -> bool:
    """Return whether a point is on a squad: within 1" of one of its figures, or among them."""
    near = inches(rules.book.tables.special.on_squad)
    places = unit.places()
    if any(at_most(gap(at, 0, *place), near) for place in places):
        return True
    return any(contains(corners, at) for corners in combinations([place for place, _ in places], 3))


def _on(rules: FadRules, state: State, at: Point) -> list[Unit]:
    """Return the squads on the table on which a point lies, friends too."""
    return [
        unit for unit in state.units.values() if unit.on_table and not is_vehicle(unit) and lies_on(rules, unit, at)
    ]


def _pin(game: FadGame, _unit: str, _weapon: str, at: Point) -> Steps[None]:
    for unit in _on(game.rules, game.state, at):
        yield from bursts.pin(game, unit.id)


def _foretell_pin(rules: FadRules, state: State, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    return tuple(chance_line(f"Pinned, as it lands on it: {unit.name}", on_target) for unit in _on(rules, state, at))


# --- rockets --------------------------------------------------------------------------------------------------------


def _only_in_structures(rules: FadRules, state: State, weapon: HeavyWeapon, target: Unit) -> Why | None:
    if is_vehicle(target) or POWERED in rules.armour(target).traits:
        return None
    special = rules.book.tables.special
    walls = [piece.outline for piece in state.table.terrain if piece.kind in special.structures]
    places = [at for at, _ in target.places()]
    if sum(any(contains(outline, at) for outline in walls) for at in places) * 100 >= special.share * len(places):
        return None
    sentence = (
        f"The {weapon.name} is for vehicles, powered armour and structures; {target.name} is none of them and in none."
    )
    return Why(sentence, RULE)


# --- terror and nerves ----------------------------------------------------------------------------------------------


def _terrify(game: FadGame, shot: Shot, _before: Unit) -> Steps[None]:
    target = game.unit(shot.target)
    if not is_vehicle(target) and TERRIFIED not in target.conditions:
        yield ConditionGained(shot.target, TERRIFIED, RULE)


def _foretell_terror(_rules: FadRules, state: State, shot: Shot, hits: Mapping[int, Fraction]) -> tuple[Chance, ...]:
    if is_vehicle(state.units[shot.target]):
        return ()
    return (chance_line("Must test its morale", odds.chance(hits, bool)),)


def _strike_nerves(game: FadGame, shot: Shot, before: Unit) -> Steps[None]:
    target = game.unit(shot.target)
    struck = tuple(
        key
        for key, figure in target.figures.items()
        if WOUNDED in figure.conditions and WOUNDED not in before.figures[key].conditions
    )
    if struck:
        yield FiguresGained(shot.target, struck, NERVE_STRUCK, RULE)


# --- webs -----------------------------------------------------------------------------------------------------------


def _not_at_vehicles(_rules: FadRules, _state: State, weapon: HeavyWeapon, target: Unit) -> Why | None:
    if is_vehicle(target) and STOPS_VEHICLES not in weapon.traits:
        return Why(f"The {weapon.name.lower()} is for infantry; its web does not hold {target.name}.", RULE)
    return None


def _web(game: FadGame, shot: Shot, _hits: int) -> Steps[None]:
    target = game.unit(shot.target)
    if is_vehicle(target):
        # fad4/tech.weapon-tables: what immobilises a vehicle damages it
        yield from game.rules.vehicles.immobilise(game, shot.target, RULE)
        return
    if UNDER_FIRE in target.conditions:
        yield ConditionLost(shot.target, UNDER_FIRE, RULE)
    if WEBBED not in target.conditions:
        yield ConditionGained(shot.target, WEBBED, RULE)


def _foretell_web(_rules: FadRules, state: State, shot: Shot, hits: Mapping[int, Fraction]) -> tuple[Chance, ...]:
    label = "Damaged" if is_vehicle(state.units[shot.target]) else "Webbed"
    return (chance_line(label, odds.chance(hits, bool)),)


def webbed(unit: Unit) -> bool:
    """Return whether a web holds the unit."""
    return WEBBED in unit.conditions


def _bars(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    held = {Act.SHOOT: "shoot", Act.MOVE: "move", Act.ASSAULT: "start a Close Assault", Act.STRIKE_BACK: "strike back"}
    what = held.get(Act(act))
    if what is None:
        return None
    return Why(f"{unit.name} is webbed and cannot {what} until it breaks free.", RULE)


def _target_lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    conditions = state.units[question.shot.target].conditions
    if WEBBED in conditions and PINNED not in conditions:
        amount = rules.book.tables.fire_effect_modifiers.target_under_fire_or_pinned
        yield Line("ADD", amount, "target webbed", "pin.harder-target")


def _offer(_rules: FadRules, _state: State, unit: Unit) -> Choice:
    text = "A Quality Test of 1D6: if it passes, the web no longer holds the squad."
    why = None if webbed(unit) else Why(f"No web holds {unit.name}.", RULE)
    return Choice(BREAK_FREE, "Break free", RULE, text, why=why, preview=True)


def _break_free(game: FadGame, unit: str, _picked: Picked) -> Steps[None]:
    dice = game.rules.book.tables.special.free_dice
    passes = yield from quality_test(
        game, unit, "break_free", RULE, lambda count: "free" if count else "held", dice=dice
    )
    if passes:
        yield ConditionLost(unit, WEBBED, RULE)


def _preview(rules: FadRules, state: State, unit: Unit, _picked: Picked) -> Preview:
    need = rules.advisers.answer(state, QualityNeed(unit.id))
    dice = rules.book.tables.special.free_dice
    free = odds.chance(odds.passes(dice, need.value), bool)
    return Preview(f"{unit.name} pulls at the web", f"{dice}D6", (("The die", need),), (chance_line("Free", free),))


# --- words ----------------------------------------------------------------------------------------------------------


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "breaks free of the web" if fact.outcome == "free" else "is still held by the web"
    return f"{state.units[fact.unit].name} {result}.", "morale", fact.rule


SPECIAL_WEAPONS = FadModule(
    id="special_weapons",
    markers=(
        FadMarker(
            id=WEBBED,
            replaces=UNDER_FIRE,
            bars=_bars,
            advisers=(Advice(FireEffect, _target_lines, rank=Rank.MARKERS),),
            held=Held("held-by-web", RULE, "it stays broken, and the web keeps it where it is"),
        ),
        FadMarker(id=TERRIFIED, comes_off=True, tests=True),
    ),
    figure_markers=(FigureMarker(NERVE_STRUCK, fallen=True),),
    weapon_effects=(
        WeaponEffect(
            trait="pins_where_it_lands",
            landed=_pin,
            foretell_landing=_foretell_pin,
            note='A shell that lands within 1" of a figure, or among the figures of a squad, pins it.',
        ),
        WeaponEffect(trait="structures_only", unfit=_only_in_structures),
        WeaponEffect(trait="terror", hit=_terrify, foretell=_foretell_terror),
        WeaponEffect(
            trait="nerves", hit=_strike_nerves, note="Whom it only wounds does not recover, and is harder to stabilise."
        ),
        WeaponEffect(
            trait="webs",
            unfit=_not_at_vehicles,
            strike=_web,
            foretell=_foretell_web,
            note="Its hits do no damage: a single one webs the whole squad.",
        ),
        WeaponEffect(trait="slow_firing", most_hits=1, note="It hits once at most."),
        bursts.GRAV_GUN,
    ),
    tasks=(
        Task(
            key=BREAK_FREE,
            label="Break free",
            offer=_offer,
            carry_out=_break_free,
            preview=_preview,
            concerns=webbed,
        ),
    ),
    declares={"held-by-web": Declaration("is broken and webbed, and stays put", "morale")},
    rolls={"break_free": ModuleRoll(_story, luck.quality_test)},
)
