"""Gadgets and gear: dazzle suits, haywire emitters, guarded systems, regen units (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked, Why
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, FiguresLost, Noted
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import Point, inches, inches_text
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad.game import POWERED, UNDER_FIRE, FadGame, FadRules, guarded
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.modules.recover_wounded import RECOVER_WOUNDED, STABILISED, WOUNDED, stand_up
from server.rulesets.fad.shot import BANDS, Shot
from server.rulesets.fad.vehicles.reaching import in_contact
from server.rulesets.shared.distances import apart
from server.rulesets.shared.modules import Declaration

RULE = "tech.gear"
DAZZLE, HAYWIRE, REGEN = "dazzle_suits", "haywire_emitter", "regen_unit"
"""The traits of units that have them. Guarded systems do what `server.rulesets.fad.game.guarded` says."""
MOVED = "gear.moved"
"""The note of a match that lists the units with dazzle suits that have moved in their last activation."""
STILL, MOVING = "close", "medium"
"""The farthest bands at which a unit in dazzle suits is fired at, if it has not moved and if it has."""
CARRIERS = 2
"""How many figures carry a regen unit, and do not fire; powered armour carries it alone."""
EMITS, HEALS = "haywire", "regenerates"


# --- dazzle suits ---------------------------------------------------------------------------------------------------


def _movers(state: State) -> tuple[str, ...]:
    """Return the units in dazzle suits that have moved. Raises `ValueError` if the note holds something else."""
    note = state.book.get(MOVED, ())
    if not isinstance(note, tuple):
        raise ValueError(note)  # noqa: TRY004 - the caller knows one kind of error for all notes that cannot be read
    return tuple(str(key) for key in note)


def _note(game: FadGame, unit_id: str, *, moved: bool) -> Steps[None]:
    others = tuple(key for key in _movers(game.state) if key != unit_id)
    now = (*others, unit_id) if moved else others
    if now != _movers(game.state):
        yield Noted(MOVED, now)


def _setting_out(game: FadGame, unit_id: str, ends: Mapping[str, Point]) -> Steps[None]:
    """Note that a unit in dazzle suits moves: at will, in a charge, or as it falls back."""
    figures = game.unit(unit_id).figures
    if has(game.unit(unit_id), DAZZLE) and any(figures[key].at != at for key, at in ends.items()):
        yield from _note(game, unit_id, moved=True)


def _trims(rules: FadRules, state: State, unit: Unit, shot: Shot) -> Shot | Why:
    target = state.units[shot.target]
    if has(target, DAZZLE):
        most = MOVING if target.id in _movers(state) else STILL
        if BANDS.index(shot.band) > BANDS.index(most):
            sentence = f"{target.name} wears dazzle suits: it is fired at up to {most} range."
            return Why(sentence, RULE)
    return _carrying(rules, unit, shot)


# --- haywire emitters -----------------------------------------------------------------------------------------------


def _reached(rules: FadRules, state: State, unit: Unit) -> list[Unit]:
    """Return the units in powered armour that an emitter of `unit` reaches, friends too."""
    far = inches(rules.book.tables.technology.haywire)
    return [
        other
        for other in state.units.values()
        if other.id != unit.id
        and other.on_table
        and not is_vehicle(other)
        and POWERED in rules.armour(other).traits
        and not guarded(other)
        and apart(unit, other) <= far
    ]


def _begin(game: FadGame, unit_id: str) -> Steps[None]:
    unit = game.unit(unit_id)
    if has(unit, DAZZLE):
        yield from _note(game, unit_id, moved=False)
    if not has(unit, HAYWIRE) or not unit.on_table:
        return
    reached = _reached(game.rules, game.state, unit)
    if not reached:
        return
    enemies = sum(other.side != unit.side for other in reached)
    names = ", ".join(other.name for other in reached)
    far = inches_text(inches(game.rules.book.tables.technology.haywire))
    choices = (
        Choice(EMITS, "Switch it on", RULE, f"Marks the powered armour within {far} Under Fire: {names}."),
        Choice("no-haywire", "Leave it off", RULE),
    )
    default = Picked(EMITS if 2 * enemies > len(reached) else "no-haywire")
    picked = yield from ask(
        game.state.seat_of(unit_id), Asked(f"{unit.name} has a haywire emitter", choices, default, RULE, unit_id)
    )
    if picked.choice != EMITS:
        return
    yield Declared(unit_id, EMITS, RULE)
    for other in reached:
        if UNDER_FIRE not in other.conditions and not game.rules.replaced(other, UNDER_FIRE):
            yield ConditionGained(other.id, UNDER_FIRE, RULE)


# --- regen units ----------------------------------------------------------------------------------------------------


def _carrying(rules: FadRules, unit: Unit, shot: Shot) -> Shot | Why:
    """Return what is left of the fire of a squad of which two figures carry a regen unit."""
    if not has(unit, REGEN) or shot.mount or is_vehicle(unit) or POWERED in rules.armour(unit).traits:
        return shot
    armed = {key for key, _ in rules.carried(unit)}
    # Those of a team that is with the squad serve its weapon.
    own = [key for key, figure in unit.living.items() if not figure.of]
    free = [key for key in own if key not in armed]
    idle = set(own) if len(own) <= CARRIERS else set(free[-CARRIERS:])
    firing = tuple(key for key in shot.firing if key not in idle)
    if not firing:
        return Why(f"Those of {unit.name} who could fire carry the regen unit.", RULE)
    return shot if firing == shot.firing else replace(shot, firing=firing)


def _arrived(game: FadGame, unit_id: str) -> Steps[None]:
    unit = game.unit(unit_id)
    if not has(unit, REGEN) or not game.rules.plays(game.state, RECOVER_WOUNDED.id):
        return
    found = [
        (host, key)
        for host in game.state.units_of(unit.side)
        for key, figure in host.figures.items()
        if not {WOUNDED, STABILISED}.isdisjoint(figure.conditions) and in_contact(unit, figure)
    ]
    if not found:
        return
    hosts = {host.id: tuple(key for one, key in found if one.id == host.id) for host, _ in found}
    choices = tuple(
        Choice(
            f"{HEALS}:{host}",
            f"Heal one of {game.unit(host).name}",
            RULE,
            "It is fit again.",
            (FiguresParameter("Wounded", host, keys, 1, 1),),
        )
        for host, keys in hosts.items()
    )
    first = next(iter(hosts))
    default = Picked(f"{HEALS}:{first}", (FiguresPicked(hosts[first][:1]),))
    none = Choice("no-regen", "Heal none", RULE)
    asked = Asked(f"{unit.name} reaches wounded with its regen unit", (*choices, none), default, RULE, unit_id)
    picked = yield from ask(game.state.seat_of(unit_id), asked)
    if picked.choice == "no-regen":
        return
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    host = picked.choice.partition(":")[2]
    yield Declared(unit_id, HEALS, RULE, "" if host == unit_id else host)
    for marker in (WOUNDED, STABILISED):
        marked = tuple(key for key in value.figures if marker in game.unit(host).figures[key].conditions)
        if marked:
            yield FiguresLost(host, marked, marker, RULE)
    yield from stand_up(game, host, value.figures, RULE)


# --- words and files ------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    if has(unit, DAZZLE):
        most = MOVING if unit.id in _movers(state) else STILL
        yield CardLine("Dazzle suits", f"fired at up to {most} range", RULE)


def _suits(rules: FadRules, unit: Unit) -> None:
    """Refuse gear on what does not carry it. Raises `RulesetError`."""
    if is_vehicle(unit) and DAZZLE in of(unit):
        raise RulesetError(f"{unit.name}: a vehicle wears no dazzle suits")
    if REGEN in of(unit) and not is_vehicle(unit):
        powered = POWERED in rules.armour(unit).traits
        # A team that is with the squad has a weapon of its own.
        own = [figure for figure in unit.figures.values() if not figure.of]
        if not powered and len(own) < CARRIERS:
            raise RulesetError(f"{unit.name}: {CARRIERS} figures carry a regen unit")
        if any(rules.heavy(figure.role) for figure in own):
            raise RulesetError(f"{unit.name}: a regen unit takes the place of a heavy weapon")


def _admit(state: State) -> None:
    try:
        listed = _movers(state)
    except ValueError:
        raise RulesetError(f"the book's {MOVED} list units") from None
    if not set(listed) <= state.units.keys():
        raise RulesetError(f"the book's {MOVED} name a unit that is not there")


GEAR = FadModule(
    id="gear",
    beginning=_begin,
    setting_out=_setting_out,
    arrived=_arrived,
    trims=_trims,
    suits=_suits,
    card=_card,
    declares={
        EMITS: Declaration("switches its haywire emitter on", "fire"),
        HEALS: Declaration("uses its regen unit on", "morale"),
    },
    admit=_admit,
)
