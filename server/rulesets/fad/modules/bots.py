"""Bots: machines that go along with a unit, take no part in its fights, and help it each in its way (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked, Why
from client_protocol.explained import Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, FiguresFell, Noted, Rolled
from server.kernel.procedure import Steps, ask, roll
from server.kernel.questions import total
from server.kernel.state import Figure, State, Unit
from server.kernel.traits import has
from server.rulesets.fad.bots import BOT_KINDS, GUN_BOT, bots, is_bot
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Act, Endurance, FadModule, FigureMarker, Shield
from server.rulesets.fad.modules.recover_wounded import RECOVER_WOUNDED, treat_one, within_reach
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.modules import Advice, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import reaching

RULE = "tech.bots"
MED, SUPPLY, SHIELD = "med_bot", "supply_bot", "shield_bot"
BOT_DAMAGED = "bot_damaged"
"""The marker of a bot that has been wounded."""
ENGINEER = "engineer"
SHIELDED = "bots.shielded"
"""The note of a match with a turn, and the units whose shield-bots have been at work in it, each with the hits that they met."""
MOST, MOST_WITH_ENGINEERS = 1, 3
"""How many bots a unit has at most, without and with an engineer."""
TREATS = "med-bot"
LEFT_ALONE = "bots"
"""Why bots fall whose unit has no one left."""


# --- fire -----------------------------------------------------------------------------------------------------------


def _trims(_rules: FadRules, _state: State, unit: Unit, shot: Shot) -> Shot | Why:
    """Leave out the bots that do not fire: all but those with a gun that reaches the target."""
    if shot.mount or is_vehicle(unit) or not bots(unit):
        return shot
    guns = {key for key, _ in shot.supporting}
    firing = tuple(key for key in shot.firing if key in guns or not is_bot(unit.figures[key]))
    if not firing:
        return Why(f"Only bots of {unit.name} could fire.", RULE)
    return shot if firing == shot.firing else replace(shot, firing=firing)


def _supplied(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    shot = question.shot
    unit = state.units[shot.shooter]
    if shot.origin is None and not shot.mount and not is_vehicle(unit) and bots(unit, SUPPLY):
        yield Line("ADD", rules.book.tables.technology.supply, "supply-bot", RULE)


# --- damage ---------------------------------------------------------------------------------------------------------


def _kept(rules: FadRules, unit: Unit, margins: Mapping[str, Sequence[int]]) -> tuple[str, ...]:
    """Return the bots that are only damaged: by one wound, if it is the first."""
    kills = rules.book.tables.wounds.killed_by
    return tuple(
        key
        for key, over in margins.items()
        if is_bot(unit.figures[key])
        and len(over) == 1
        and over[0] < kills
        and BOT_DAMAGED not in unit.figures[key].conditions
    )


def _note(rules: FadRules, unit: Unit) -> str:
    if not bots(unit):
        return ""
    told = (
        f"A bot is only damaged by a first hit that does not beat its armour by {rules.book.tables.wounds.killed_by}."
    )
    return f"Bots have the armour of their own. {told}"


def _bars(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    if act == Act.RUSH and any(BOT_DAMAGED in unit.figures[key].conditions for key in bots(unit)):
        return Why(f"A bot of {unit.name} is damaged: the unit does not Rush.", RULE)
    return None


def _losing(game: FadGame, unit_id: str) -> Steps[None]:
    """Let bots stop whose unit has no one left."""
    unit = game.unit(unit_id)
    alone = bots(unit)
    if alone and len(alone) == unit.strength:
        yield FiguresFell(unit_id, alone, LEFT_ALONE, RULE)


# --- shields --------------------------------------------------------------------------------------------------------


def _met(state: State) -> dict[str, int]:
    """Return how many hits the shield-bots of each unit have met in this turn. Raises `ValueError` if the note holds something
    else.
    """
    match state.book.get(SHIELDED, ()):
        case ():
            return {}
        case (int(turn), *rows):
            return dict(map(_row, rows)) if turn == state.turn.number else {}
        case note:
            raise ValueError(note)


def _row(row: object) -> tuple[str, int]:
    match row:
        case (str(unit), int(met)):
            return unit, met
        case _:
            raise ValueError(row)


def _left(rules: FadRules, state: State, unit: Unit) -> int:
    count = len(bots(unit, SHIELD)) * rules.book.tables.technology.shielded_hits
    return max(0, count - _met(state).get(unit.id, 0)) if count else 0


def _chance(rules: FadRules) -> Fraction:
    return odds.at_least(rules.book.tables.technology.shield)


def _save(game: FadGame, shot: Shot, hits: int) -> Steps[int]:
    """Roll for the first hits that a unit takes in a turn, and return how many are left of all."""
    rules, unit = game.rules, game.unit(shot.target)
    met = min(hits, _left(rules, game.state, unit))
    if not met:
        return hits
    need = total([Line("SET", rules.book.tables.technology.shield, "each hit, shield-bot", RULE)])
    faces = yield from roll(met, purpose="shield")
    marks = tuple("pass" if face >= need.value else "fail" for face in faces)
    left = hits - marks.count("pass")
    yield Rolled("shield", RULE, faces, 6, marks, (need,), str(left), unit.side, unit.id, shot.shooter)
    before = _met(game.state)
    now = {**before, unit.id: before.get(unit.id, 0) + met}
    yield Noted(SHIELDED, (game.state.turn.number, *now.items()))
    return left


def _shield_story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    saved = fact.marks.count("pass")
    what = "no hit" if not saved else "one hit" if saved == 1 else f"{saved} hits"
    return f"The shield-bot of {state.units[fact.unit].name} stops {what}.", "fire", fact.rule


def _shield_luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the hits that are stopped, for the unit with the bot."""
    return reaching(fact, "hits stopped", "pass")


# --- med-bots -------------------------------------------------------------------------------------------------------


def _beginning(game: FadGame, unit_id: str) -> Steps[None]:
    """Let each med-bot treat one of the wounded that lie near enough to it."""
    rules = game.rules
    if not rules.plays(game.state, RECOVER_WOUNDED.id):
        return
    for bot in bots(game.unit(unit_id), MED):
        unit = game.unit(unit_id)
        patients = within_reach(rules, game.state, unit, bot)
        if not patients:
            continue
        treated = FiguresParameter("Wounded", unit_id, patients, 1, 1)
        choices = (
            Choice(
                TREATS, "Treat one", RULE, "A die decides; no figure helps, and the action is not used.", (treated,)
            ),
            Choice("no-med-bot", "Treat none", RULE),
        )
        default = Picked(TREATS, (FiguresPicked(patients[:1]),))
        title = f"The med-bot of {unit.name} may treat a wounded figure"
        picked = yield from ask(game.state.seat_of(unit_id), Asked(title, choices, default, RULE, unit_id))
        if picked.choice == TREATS:
            value = picked.values[0]
            assert isinstance(value, FiguresPicked), "checked against the choice"
            yield Declared(unit_id, TREATS, RULE)
            yield from treat_one(game, unit_id, value.figures[0])


# --- words and files ------------------------------------------------------------------------------------------------


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    found = bots(unit)
    if not found:
        return
    names = [_named(rules, unit.figures[key]) for key in found]
    yield CardLine("Bots", ", ".join(names), RULE)
    if bots(unit, SHIELD):
        need = rules.book.tables.technology.shield
        yield CardLine("Shield-bot", f"stops each of the next {_left(rules, state, unit)} hits on {need}+", RULE)


def _named(rules: FadRules, figure: Figure) -> str:
    name = next(rules.book.traits[kind].name for kind in BOT_KINDS if has(figure, kind))
    weapon = rules.support(figure.role)
    armed = f" with {weapon.name.lower()}" if weapon is not None else ""
    return f"{name.lower()}{armed}{' (damaged)' if BOT_DAMAGED in figure.conditions else ''}"


def _suits(rules: FadRules, unit: Unit) -> None:
    """Refuse more bots than a unit has, and those that are fitted out wrongly. Raises `RulesetError`."""
    found = [figure for figure in unit.figures.values() if is_bot(figure) and not figure.of]
    if not found:
        return
    if is_vehicle(unit):
        raise RulesetError(f"{unit.name}: bots go along with units on foot")
    if len(found) == sum(not figure.of for figure in unit.figures.values()):
        raise RulesetError(f"{unit.name}: bots go along with others, and are no unit of their own")
    engineers = any(has(figure, ENGINEER) for figure in unit.figures.values())
    most = MOST_WITH_ENGINEERS if engineers else MOST
    if len(found) > most:
        raise RulesetError(
            f"{unit.name}: it has at most {most} bot{'s' * (most > 1)}; {MOST_WITH_ENGINEERS} with an engineer"
        )
    for figure in found:
        if sum(has(figure, kind) for kind in BOT_KINDS) > 1:
            raise RulesetError(f"{unit.name}: a bot is of one kind")
        if has(figure, GUN_BOT) != (rules.support(figure.role) is not None) or (
            figure.role and not has(figure, GUN_BOT)
        ):
            raise RulesetError(f"{unit.name}: a gun-bot has a support weapon, and no other bot is armed")


def _admit(state: State) -> None:
    try:
        _met(state)
    except ValueError:
        raise RulesetError(f"the book's {SHIELDED} are a turn, and units with a number of hits") from None


BOTS = FadModule(
    id="robots",
    advisers=(Advice(FireEffect, _supplied, rank=Rank.SHOOTER),),
    figure_markers=(FigureMarker(BOT_DAMAGED, stays=True),),
    endurance=Endurance(_kept, BOT_DAMAGED, RULE, lambda _rules, _unit: 0, _note),
    shield=Shield(_left, _chance, _save),
    trims=_trims,
    bars=_bars,
    losing=_losing,
    beginning=_beginning,
    card=_card,
    suits=_suits,
    declares={TREATS: Declaration("has its med-bot treat a wounded figure", "morale")},
    rolls={"shield": ModuleRoll(_shield_story, _shield_luck)},
    admit=_admit,
)
