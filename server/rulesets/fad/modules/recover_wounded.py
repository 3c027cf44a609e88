"""Recover Wounded: damage that barely takes a figure out only wounds it; its squad can treat it, carry it, or leave it behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from msgspec.structs import replace

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, PathsDeclared, Picked, Why
from client_protocol.explained import Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked, bases, terrain_of
from server.kernel.facts import (
    ConditionGained,
    Declared,
    FiguresCarried,
    FiguresGained,
    FiguresLost,
    FiguresRose,
    Rolled,
)
from server.kernel.finding.ground import Ground
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, distance, gap, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.allocation import least_worth
from server.rulesets.fad.command import able, free
from server.rulesets.fad.firing import offer_shot
from server.rulesets.fad.game import BUSY, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Act, FadMarker, FadModule, FigureMarker, Push, Task, Wounding
from server.rulesets.fad.movement import CoherencyDistance, MoveAllowance
from server.rulesets.fad.previews.moves import preview_move
from server.rulesets.fad.travel import arrive, cover, intent
from server.rulesets.shared.modules import Action, Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import reckon, successes
from server.rulesets.shared.words.chances import chance_line
from server.rulesets.shared.words.narration import figures_text

WOUNDED = "wounded"
STABILISED = "stabilised"
NERVE_STRUCK = "nerve_struck"
"""The marker of a figure that a nerve disruptor wounded."""
LEFT_LYING = "left_lying"
LEFT_WOUNDED = "left_wounded"
"""The marker of a unit that abandoned wounded figures against its will: its Resolve is lower for the rest of the match."""
RECOVERED, DEAD = "recovered", "dead"

TREAT = "recover-wounded"
PUSH, PUSH_RULE = "inspire-recover", "turn.inspiration-recover"
CARRY, CARRY_RUSH = "carry-wounded", "carry-wounded-rush"
_MANNERS = {CARRY: movement.MOVE, CARRY_RUSH: movement.RUSH}


class RecoveryBonus(Question, frozen=True):
    """What is added to each die with which `unit` treats a wounded figure, or one that a nerve disruptor wounded (`nerves`)."""

    unit: str
    nerves: bool = False


def _bonus_lines(rules: FadRules, state: State, question: RecoveryBonus) -> Iterator[Line]:
    unit = state.units[question.unit]
    marked = next((key for key in (UNDER_FIRE, *rules.coming_off(unit)) if key in unit.conditions), "")
    if marked:
        amount = rules.book.tables.wounds.under_fire
        yield Line("ADD", amount, rules.book.conditions[marked].name, "adv.wounded-roll")
    if question.nerves:
        yield Line("ADD", rules.book.tables.special.nerves, "wounded by a nerve disruptor", "tech.weapon-tables")


def recovery(rules: FadRules, number: int, *, nerves: bool = False) -> str:
    """Return what a recovery number makes of a wounded figure; whom a nerve disruptor wounded does not recover."""
    wounds = rules.book.tables.wounds
    if number >= wounds.recovered and not nerves:
        return RECOVERED
    return STABILISED if number >= wounds.stabilised else DEAD


# --- wounding -------------------------------------------------------------------------------------------------------


def _wounded(rules: FadRules, margins: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """Return the figures that one hit took out, by less than what kills: a second wound kills (fad4/damage.infantry)."""
    killed_by = rules.book.tables.wounds.killed_by
    return tuple(figure for figure, over in margins.items() if len(over) == 1 and over[0] < killed_by)


def _at_once(_rules: FadRules, fallen: Sequence[str]) -> tuple[str, ...]:
    """Return the farther half of the figures that fall, rounded up."""
    return tuple(fallen[len(fallen) // 2 :])


def _note(rules: FadRules) -> str:
    return f"A figure that falls is only wounded unless the damage beats its armour by {rules.book.tables.wounds.killed_by}."


# --- who lies where -------------------------------------------------------------------------------------------------


def _lying(unit: Unit, *conditions: str) -> dict[str, Point]:
    """Return the fallen figures of a unit that have one of these markers, and their places."""
    wanted = set(conditions)
    return {
        key: figure.at
        for key, figure in unit.figures.items()
        if figure.fallen and figure.at is not None and not wanted.isdisjoint(figure.conditions)
    }


def _distance(rules: FadRules, state: State, unit: Unit) -> int:
    return rules.advisers.answer(state, CoherencyDistance(unit.id)).value


def _near(unit: Unit, wounded: str, places: Mapping[str, Point], limit: int) -> bool:
    """Return whether one of the figures at `places` is within `limit` of a wounded one, edge to edge."""
    lying = unit.figures[wounded]
    assert lying.at is not None, "it lies on the table"
    return any(round(gap(lying.at, lying.radius, at, unit.figures[key].radius)) <= limit for key, at in places.items())


def _standing(unit: Unit) -> dict[str, Point]:
    return {key: figure.at for key, figure in unit.living.items() if figure.at is not None}


def _reached(rules: FadRules, state: State, unit: Unit, *conditions: str) -> tuple[str, ...]:
    """Return the wounded with one of these markers that lie within the coherency distance of a standing figure."""
    limit, standing = _distance(rules, state, unit), _standing(unit)
    return tuple(key for key in _lying(unit, *conditions) if _near(unit, key, standing, limit))


# --- treating -------------------------------------------------------------------------------------------------------


def _team(rules: FadRules, unit: Unit) -> int:
    """Return how many figures treat each of the wounded of a unit: none if its suits repair themselves
    (fad4/tech.personal-armour).
    """
    return 0 if "self_repairing" in rules.armour(unit).traits else rules.book.tables.wounds.team


def _offer(rules: FadRules, state: State, unit: Unit) -> Choice:
    # fad4/setup.advanced-modules: two figures for each of the wounded
    rule, team = "adv.wounded-aid-team", _team(rules, unit)
    patients = _reached(rules, state, unit, WOUNDED) if team else tuple(_lying(unit, WOUNDED))
    most = min(len(patients), len(able(unit)) // team) if team else len(patients)
    why = None
    if not _lying(unit, WOUNDED):
        why = Why(f"No figure of {unit.name} is wounded and untreated.", rule)
    elif not patients:
        limit = inches_text(_distance(rules, state, unit))
        why = Why(f"The wounded of {unit.name} lie more than {limit} from every figure of it.", rule)
    elif not most:
        why = Why(f"{unit.name} has fewer than {team} figures free to treat a wounded one.", rule)
    parameter = FiguresParameter("Wounded to treat", unit.id, patients, 1, max(most, 1))
    helped = f"{team} figures treat each of them and do nothing else" if team else "Their suits treat them"
    text = f"{helped}: a die decides."
    return Choice(TREAT, "Recover Wounded", rule, text, (parameter,), why, preview=True)


def _treat(game: FadGame, unit_id: str, picked: Picked) -> Steps[None]:
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    rules, unit = game.rules, game.unit(unit_id)
    patients = tuple(key for key in unit.figures if key in value.figures)
    helpers = least_worth(rules, unit, len(patients) * _team(rules, unit), able(unit))
    if helpers:
        yield FiguresGained(unit_id, helpers, BUSY, "adv.wounded-others-act")
    for nerves in (False, True):
        group = tuple(key for key in patients if (NERVE_STRUCK in unit.figures[key].conditions) == nerves)
        if group:
            yield from _roll_recovery(game, unit_id, group, nerves=nerves)


def _roll_recovery(game: FadGame, unit_id: str, patients: tuple[str, ...], *, nerves: bool) -> Steps[None]:
    """Roll for each of the wounded, all of them struck by a nerve disruptor or none."""
    rules, unit = game.rules, game.unit(unit_id)
    bonus = rules.advisers.answer(game.state, RecoveryBonus(unit_id, nerves))
    faces = yield from roll(len(patients), purpose="recovery")
    results = [recovery(rules, face + bonus.value, nerves=nerves) for face in faces]
    yield Rolled(
        purpose="recovery",
        rule="adv.wounded-roll",
        faces=faces,
        marks=tuple("fail" if result == DEAD else "pass" for result in results),
        numbers=(bonus,) if bonus.lines else (),
        outcome=" ".join(results),
        side=unit.side,
        unit=unit_id,
    )
    treated = dict(zip(patients, results, strict=True))
    yield FiguresLost(unit_id, patients, WOUNDED, "adv.wounded-roll")
    for result in (RECOVERED, STABILISED):
        found = tuple(key for key, own in treated.items() if own == result)
        if found and result == RECOVERED:
            yield from stand_up(game, unit_id, found)
        elif found:
            yield FiguresGained(unit_id, found, STABILISED, "adv.wounded-stabilised")


def within_reach(rules: FadRules, state: State, unit: Unit, figure: str) -> tuple[str, ...]:
    """Return the untreated wounded of a unit that lie within its coherency distance of one of its figures."""
    at = unit.figures[figure].at
    places = {} if at is None else {figure: at}
    limit = _distance(rules, state, unit)
    return tuple(key for key in _lying(unit, WOUNDED) if _near(unit, key, places, limit))


def treat_one(game: FadGame, unit_id: str, patient: str) -> Steps[None]:
    """Roll for one of the wounded, without helpers."""
    nerves = NERVE_STRUCK in game.unit(unit_id).figures[patient].conditions
    yield from _roll_recovery(game, unit_id, (patient,), nerves=nerves)


def _pushed(_rules: FadRules, _state: State, unit: Unit) -> Why | None:
    return None if _lying(unit, WOUNDED) else Why(f"No figure of {unit.name} is wounded and untreated.", PUSH_RULE)


def _push(game: FadGame, unit_id: str) -> Steps[None]:
    """Roll for one of the wounded of an inspired squad, without helpers (fad5/turn.inspiration-recover): for one who could get up
    again, if there is one.
    """
    unit = game.unit(unit_id)
    (patient, *_) = sorted(_lying(unit, WOUNDED), key=lambda key: NERVE_STRUCK in unit.figures[key].conditions)
    yield from treat_one(game, unit_id, patient)
    yield from free(game, unit_id)


def stand_up(game: FadGame, unit_id: str, figures: tuple[str, ...], rule: str = "adv.wounded-recovered") -> Steps[None]:
    """Let figures stand up where they lie, or at the nearest free place; they act from the next activation on."""
    state, unit = game.state, game.unit(unit_id)
    barred = terrain_of(state, on_foot(game.rules, state).closed)
    ground = Ground((state.table.width, state.table.height), barred, bases(state))
    places: dict[str, Point] = {}
    for key in figures:
        figure = unit.figures[key]
        assert figure.at is not None, "it lies on the table"
        at = ground.nearest(figure.at, figure.radius)
        assert at is not None, "a table has a free place for one base"
        ground.take(at, figure.radius)
        places[key] = at
    yield FiguresRose(unit_id, places, rule)
    abandoned = tuple(key for key in figures if LEFT_LYING in unit.figures[key].conditions)
    if abandoned:
        yield FiguresLost(unit_id, abandoned, LEFT_LYING, rule)
    yield FiguresGained(unit_id, figures, BUSY, rule)


def _preview(rules: FadRules, state: State, unit: Unit, picked: Picked) -> Preview | None:
    value = picked.values[0] if picked.values else None
    if not isinstance(value, FiguresPicked) or not value.figures:
        return None
    struck = [key for key in value.figures if NERVE_STRUCK in unit.figures[key].conditions]
    nerves = len(struck) == len(value.figures)
    bonus = rules.advisers.answer(state, RecoveryBonus(unit.id, nerves))
    die = odds.highest(1)

    def chance(result: str) -> Fraction:
        return odds.chance(die, lambda face: recovery(rules, face + bonus.value, nerves=nerves) == result)

    labels = ((RECOVERED, "Fit again"), (STABILISED, "Stabilised"), (DEAD, "Dies"))
    chances = tuple(chance_line(label, chance(result)) for result, label in labels)
    count = len(value.figures)
    return Preview(
        f"{unit.name} treats {count} wounded",
        "1D6 for each",
        (("Added to each die", bonus),) if bonus.lines else (),
        chances,
        (
            f"{figures_text(count * _team(rules, unit))} help and do nothing else."
            if _team(rules, unit)
            else "Their suits treat them; no figure helps.",
            *(["Whom a nerve disruptor wounded does not recover, and is harder to stabilise."] * bool(struck)),
        ),
    )


# --- leaving them behind, and carrying them ---------------------------------------------------------------------------


def _setting_out(game: FadGame, unit_id: str, ends: Mapping[str, Point]) -> Steps[None]:
    """Roll for a unit whose move leaves untreated wounded behind; each is rolled for once."""
    rules, state, unit = game.rules, game.state, game.unit(unit_id)
    if LEFT_WOUNDED in unit.conditions:
        return
    limit = _distance(rules, state, unit)
    carried = _lying(unit, BUSY)
    left = tuple(
        key
        for key in _lying(unit, WOUNDED)
        if key not in carried and LEFT_LYING not in unit.figures[key].conditions and not _near(unit, key, ends, limit)
    )
    if not left:
        return
    need = rules.book.tables.wounds.leave_on
    faces = yield from roll(1, purpose="leave_wounded")
    kept = faces[0] >= need
    yield Rolled(
        purpose="leave_wounded",
        rule="adv.wounded-leave-behind",
        faces=faces,
        marks=("pass" if kept else "fail",),
        outcome="kept" if kept else "lowered",
        side=unit.side,
        unit=unit_id,
    )
    yield FiguresGained(unit_id, left, LEFT_LYING, "adv.wounded-leave-behind")
    if not kept:
        yield ConditionGained(unit_id, LEFT_WOUNDED, "adv.wounded-leave-behind")


def _carried(rules: FadRules, state: State, unit: Unit) -> tuple[str, ...]:
    """Return the wounded that the unit takes along: one for each standing figure, the untreated ones first."""
    found = (*_reached(rules, state, unit, WOUNDED), *_reached(rules, state, unit, STABILISED))
    return tuple(islice(found, unit.strength))


def _half(rules: FadRules, state: State, question: MoveAllowance) -> Iterator[Line]:
    if _lying(state.units[question.unit], BUSY):
        yield Line("SCALE", rules.book.tables.wounds.carrying, "carries wounded", "adv.wounded-carry")


def _laden(rules: FadRules, state: State, unit: Unit) -> State:
    """Return a state in which a unit has taken up the wounded that it takes along."""
    taken = {key: unit.figures[key] for key in _carried(rules, state, unit)}
    busy = {key: replace(figure, conditions=(*figure.conditions, BUSY)) for key, figure in taken.items()}
    return state.with_unit(replace(unit, figures={**unit.figures, **busy}))


def _carry_offer(key: str, label: str, text: str, rules: FadRules, state: State, unit: Unit) -> Choice | None:
    carried = _carried(rules, state, unit)
    if not carried:
        return None
    manner, rule = _MANNERS[key], "adv.wounded-carry"
    rush = manner == movement.RUSH
    ends = movement.rush_ends(rules, state, unit) if rush else ()
    whole = movement.allowance(rules, state, unit.id, manner).value
    less = Why(f"Without the wounded it would have {inches_text(whole)}.", rule)
    laden = _laden(rules, state, unit)
    half = replace(movement.path_parameter(rules, laden, unit.id, manner, ends), full=whole, less=less)
    stuck = rules.barred(state, unit, Act.MOVE) or (rules.barred(state, unit, Act.RUSH) if rush else None)
    if stuck is None and rush and "no_rush" in rules.armour(unit).traits:
        stuck = Why(f"{rules.armour(unit).name} is too heavy to Rush in.", "tech.personal-armour")
    told = f"Take {len(carried)} wounded along, at half the distance; {text}{intent(rules, laden, unit.id, manner)}"
    return Choice(key, label, rule, told, (half,), stuck, rules.foretells_moves(state))


def _offer_carry(rules: FadRules, state: State, unit: Unit) -> Choice | None:
    text = "those who carry do not shoot afterwards."
    return _carry_offer(CARRY, "Carry the wounded, then fire", text, rules, state, unit)


def _offer_carry_rush(rules: FadRules, state: State, unit: Unit) -> Choice | None:
    return _carry_offer(CARRY_RUSH, "Move Out with the wounded", "no shooting.", rules, state, unit)


def _carry(game: FadGame, unit_id: str, picked: Picked) -> Steps[None]:
    way = picked.values[0]
    assert isinstance(way, PathsDeclared), "checked against the choice"
    unit = game.unit(unit_id)
    manner = _MANNERS[picked.choice]
    yield Declared(unit_id, picked.choice, "adv.wounded-carry")
    pairs = _pairs(game.rules, game.state, unit)
    busy = tuple(figure for pair in pairs.items() for figure in pair)
    yield FiguresGained(unit_id, busy, BUSY, "adv.wounded-carriers-no-shooting")
    yield from movement.set_out(game, unit_id, way)
    rule = {movement.MOVE: "move.infantry", movement.RUSH: "move.rush"}[manner]
    yield from cover(game, unit_id, way.paths, manner, rule)
    if game.unit(unit_id).left:
        return
    # Whose carrier has fallen on the way lies where he fell.
    figures = game.unit(unit_id).figures
    laid = {patient: at for patient, carrier in pairs.items() if (at := figures[carrier].at) is not None}
    yield FiguresCarried(unit_id, laid, "adv.wounded-carry")
    yield from arrive(game, unit_id)
    if manner == movement.MOVE:
        yield from offer_shot(game, unit_id)


def _preview_carry(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return how likely a unit that carries wounded comes as far as a way leads, where that is not sure."""
    way = picked.values[0] if picked.values else None
    if not isinstance(way, PathsDeclared):
        return None
    return preview_move(rules, _laden(rules, state, state.units[asked.unit]), asked, picked.choice, way)


def _pairs(rules: FadRules, state: State, unit: Unit) -> dict[str, str]:
    """Return who carries each of the wounded: those whose weapons count least, the nearest of them."""
    pairs: dict[str, str] = {}
    for patient in _carried(rules, state, unit):
        lying = unit.figures[patient].at
        assert lying is not None, "it lies on the table"
        free = {key: distance(at, lying) for key, at in _standing(unit).items() if key not in pairs.values()}
        (pairs[patient],) = least_worth(rules, unit, 1, tuple(sorted(free, key=free.__getitem__)))
    return pairs


# --- words ----------------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, _state: State, unit: Unit) -> Iterator[CardLine]:
    wounded, stable = len(_lying(unit, WOUNDED)), len(_lying(unit, STABILISED))
    if wounded or stable:
        parts = [f"{wounded} untreated"] * bool(wounded) + [f"{stable} stabilised"] * bool(stable)
        yield CardLine("Wounded", ", ".join(parts), "adv.wounded-out-of-action")


def _treated(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    results = fact.outcome.split()
    words = {RECOVERED: "fit again", STABILISED: "stabilised", DEAD: "dead"}
    parts = [f"{results.count(key)} {word}" for key, word in words.items() if key in results]
    return f"{state.units[fact.unit].name} treats its wounded: {', '.join(parts)}.", "morale", fact.rule


def _treated_luck(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count those who live, for the unit that treats them."""
    need = rules.book.tables.wounds.stabilised - sum(bonus.value for bonus in fact.numbers)
    return successes(fact, "who live", "pass", [odds.at_least(need)] * len(fact.faces))


def _left(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "it goes on as before" if fact.marks == ("pass",) else "its Resolve is one level lower from now on"
    return f"{state.units[fact.unit].name} leaves wounded behind: {result}.", "morale", fact.rule


def _left_luck(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    chance = odds.at_least(rules.book.tables.wounds.leave_on)
    spread = {1: chance, 0: 1 - chance}
    return (reckon(fact.side, fact.unit, "passes", spread, int(fact.marks == ("pass",))),)


RECOVER_WOUNDED = FadModule(
    id="recover_wounded",
    markers=(FadMarker(id=LEFT_WOUNDED, resolve=1),),
    figure_markers=(
        FigureMarker(WOUNDED, fallen=True, alive=True),
        FigureMarker(STABILISED, fallen=True, alive=True, treated=True),
        FigureMarker(LEFT_LYING, fallen=True),
    ),
    advisers=(Advice(RecoveryBonus, _bonus_lines), Advice(MoveAllowance, _half, unit="mil")),
    wounding=Wounding(_wounded, _at_once, WOUNDED, "adv.wounded-threshold", _note),
    setting_out=_setting_out,
    tasks=(Task(key=TREAT, label="Recover Wounded", offer=_offer, carry_out=_treat, preview=_preview),),
    actions=(
        Action(key=CARRY, offer=_offer_carry, carry_out=_carry, preview=_preview_carry),
        Action(key=CARRY_RUSH, offer=_offer_carry_rush, carry_out=_carry, preview=_preview_carry),
    ),
    card=_card,
    declares={
        CARRY: Declaration("carries its wounded"),
        CARRY_RUSH: Declaration("moves out with its wounded"),
        PUSH: Declaration("is inspired and looks after a wounded man", "morale"),
    },
    inspires=(
        Push(
            key=PUSH,
            label="Recover a wounded man",
            text="A die is rolled for one wounded man of a squad; he needs no helpers.",
            rule=PUSH_RULE,
            barred=_pushed,
            carry_out=_push,
        ),
    ),
    rolls={"recovery": ModuleRoll(_treated, _treated_luck), "leave_wounded": ModuleRoll(_left, _left_luck)},
)
