"""Munitions: the rounds that cannon, mortars, missile launchers and auto cannon fire (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from client_protocol.choices import Assigned, AssignmentParameter, AssignmentRow, Choice, Picked, RowOption, Why
from client_protocol.explained import Line
from client_protocol.from_server import Chance
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.bodies import body, is_vehicle
from server.kernel.facts import Declared, FiguresGained, Rolled, UnitNoted
from server.kernel.procedure import Steps, roll
from server.kernel.questions import total
from server.kernel.space.geometry import Point, to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fad import damage, shooting
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.arms import ROUNDS
from server.rulesets.fad.game import POWERED, FadGame, FadRules, guarded
from server.rulesets.fad.module import FadModule, FigureMarker, WeaponEffect
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.setup.variants import ADDED, LOADED, MIXED
from server.rulesets.fad.shot import Shot
from server.rulesets.fad.vehicles.characteristics import weapons
from server.rulesets.shared.modules import Action, Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import reaching, successes
from server.rulesets.shared.words.chances import chance_line, expected_line
from server.rulesets.shared.words.narration import figures_text

RULE = "tech.munitions"
LOAD = "load"
SHUT_DOWN = "shut_down"
"""The marker on figures in powered armour that a scramble round has shut down."""
REDEEMS, SCRAMBLES = "redeems", "scrambles"
"""The traits of redeemer and scramble rounds."""
_AIMED = "round"
"""What stands for the mount of a round that hits as a shot does, wherever it was fired from."""


# --- loading --------------------------------------------------------------------------------------------------------


def _armed(rules: FadRules, unit: Unit) -> Iterator[tuple[str, HeavyWeapon]]:
    """Yield the weapons of a unit that carry rounds: mounts, or figures that serve one, with their rows."""
    keys = weapons(unit) if is_vehicle(unit) else [key for key, one in unit.living.items() if rules.heavy(one.role)]
    for key in keys:
        row = rules.mounted(unit, key)
        if row.rounds:
            yield key, row


def _named(rules: FadRules, load: str) -> str:
    """Return the name of a round by its id."""
    return " and ".join(rules.book.munitions[one].name.lower() for one in load.split(MIXED))


def _told(rules: FadRules, row: HeavyWeapon) -> str:
    """Return the numbers of a weapon that is loaded with a round, and what it does besides."""
    numbers = row.shown.partition(": ")[2].rpartition(", crew")[0]
    better = f", Fire Effect +{row.fire_effect + row.at_infantry} at infantry" if row.at_infantry else ""
    return f"{numbers}{better}{rules.book.footnotes(row)}"


def _offer(rules: FadRules, state: State, unit: Unit) -> Choice | None:
    armed = list(_armed(rules, unit))
    if not armed or unit.profile.get(ROUNDS):
        return None
    rows = []
    for key, row in armed:
        loaded = [rules.book.heavy_weapons[f"{row.id}{LOADED}{load}"] for load in row.rounds]
        options = tuple(
            RowOption(one.loaded, _named(rules, one.loaded).capitalize(), note=_told(rules, one))
            for one in loaded
            if rules.spent(state, unit, one) is None
        )
        if options:
            rows.append(AssignmentRow(key, row.name, options, "" if is_vehicle(unit) else key))
    if not rows:
        carried = [rules.book.heavy_weapons[f"{row.id}{LOADED}{load}"] for _, row in armed for load in row.rounds]
        unplayed = next((why for one in carried if (why := rules.unplayed(state, one)) is not None), None)
        why = unplayed or Why(f"{unit.name} has used up its special rounds.", RULE)
        return Choice(LOAD, "Load special rounds", RULE, "", why=why)
    parameter = AssignmentParameter(
        label="Which weapon is loaded with what",
        unit=unit.id,
        rows=tuple(rows),
        least=1,
        most=len(rows),
        suggested={rows[0].key: rows[0].options[0].key},
        none="conventional rounds",
    )
    text = "For this activation; what is not loaded fires conventional rounds. It acts afterwards."
    return Choice(LOAD, "Load special rounds", RULE, text, (parameter,))


def _load(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    value = picked.values[0]
    assert isinstance(value, Assigned), "checked against the choice"
    yield Declared(unit, LOAD, RULE)
    yield UnitNoted(unit, ROUNDS, tuple(value.given.items()))


def _unload(game: FadGame, unit: str) -> Steps[None]:
    if game.unit(unit).profile.get(ROUNDS):
        yield UnitNoted(unit, ROUNDS, ())


# --- redeemers ------------------------------------------------------------------------------------------------------


def _vaporise(game: FadGame, shots: tuple[Shot, ...], _at: Point) -> Steps[None]:
    for shot in shots:
        yield from damage.lose(game, shot.target, shot.seen, "blast", RULE)
        yield from shooting.mark(game, shot.target, total(()), "blast.marks-under-fire")


def _foretell_vapour(_rules: FadRules, _state: State, shot: Shot, on_target: Fraction) -> tuple[Chance, ...]:
    return (expected_line("Expected losses", on_target * len(shot.seen)),)


def _vehicles(state: State, at: Point, radius: int, *, spares: bool = False) -> list[Unit]:
    """Return the vehicles on the table of which a part lies within `radius` mil of a point; none that is guarded against
    interference if that `spares` it.
    """
    return [
        unit
        for unit in state.units.values()
        if is_vehicle(unit)
        and unit.on_table
        and not (spares and guarded(unit))
        and any(to_mil(apart(body(figure), Body(at, 0))) <= radius for figure in unit.figures.values())
    ]


def _burn(game: FadGame, unit: str, weapon: str, at: Point) -> Steps[None]:
    for vehicle in _vehicles(game.state, at, game.rules.book.heavy_weapons[weapon].radius):
        # One hit on the facing towards the point, with the anti-tank rating of the round, as of a shot that is aimed
        shot = Shot(unit, vehicle.id, (), (), 0, "", "none", (), weapon, _AIMED, origin=at)
        yield from game.rules.vehicles.strike(game, shot, 1)
        yield from shooting.mark(game, vehicle.id, total(()), "blast.marks-under-fire")


def _foretell_burn(rules: FadRules, state: State, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    radius = max(row.radius for row in _loads(rules, REDEEMS))
    return tuple(chance_line(f"Takes a hit: {unit.name}", on_target) for unit in _vehicles(state, at, radius))


def _loads(rules: FadRules, trait: str) -> list[HeavyWeapon]:
    """Return the weapons of the table as they are loaded with a round of a trait alone."""
    return [
        rules.book.heavy_weapons[f"{weapon}{ADDED}{one.id}{LOADED}{one.id}"]
        for one in rules.book.munitions.values()
        if trait in one.grants
        for weapon in one.weapons
    ]


# --- scramblers -----------------------------------------------------------------------------------------------------


def _scramble(game: FadGame, shots: tuple[Shot, ...], _at: Point) -> Steps[None]:
    for shot in shots:
        target = game.unit(shot.target)
        if POWERED in game.rules.armour(target).traits and not guarded(target):
            yield from _scramble_unit(game, shot)
        yield from shooting.mark(game, shot.target, total(()), "blast.marks-under-fire")


def _scramble_unit(game: FadGame, shot: Shot) -> Steps[None]:
    need = total([Line("SET", game.rules.book.tables.technology.scrambled, "each suit in the blast", RULE)])
    faces = yield from roll(len(shot.seen), purpose="scramble")
    out = tuple(key for key, face in zip(shot.seen, faces, strict=True) if face >= need.value)
    yield Rolled(
        purpose="scramble",
        rule=RULE,
        faces=faces,
        marks=tuple("kill" if face >= need.value else "fail" for face in faces),
        numbers=(need,),
        outcome=str(len(out)),
        side=game.unit(shot.shooter).side,
        unit=shot.shooter,
        target=shot.target,
    )
    if out:
        yield from damage.lose(game, shot.target, out, "blast", RULE)
        if not game.unit(shot.target).left:
            yield FiguresGained(shot.target, out, SHUT_DOWN, RULE)


def _foretell_scramble(rules: FadRules, state: State, shot: Shot, on_target: Fraction) -> tuple[Chance, ...]:
    target = state.units[shot.target]
    if POWERED not in rules.armour(target).traits or guarded(target):
        return (expected_line("Expected losses", Fraction(0)),)
    out = odds.at_least(rules.book.tables.technology.scrambled)
    return (expected_line("Expected suits that shut down", on_target * len(shot.seen) * out),)


def _shut_down(game: FadGame, _unit: str, weapon: str, at: Point) -> Steps[None]:
    for vehicle in _vehicles(game.state, at, game.rules.book.heavy_weapons[weapon].radius, spares=True):
        # fad4/tech.weapon-tables: what penetrates by itself is critical
        assert game.rules.vehicles.penetrate is not None, "an edition with scramble rounds says what that does"
        yield from game.rules.vehicles.penetrate(game, vehicle.id, RULE)


def _foretell_shut_down(rules: FadRules, state: State, at: Point, on_target: Fraction) -> tuple[Chance, ...]:
    radius = min(row.radius for row in _loads(rules, SCRAMBLES))
    found = _vehicles(state, at, radius, spares=True)
    return tuple(chance_line(f"Critically Damaged: {unit.name}", on_target) for unit in found)


# --- words ----------------------------------------------------------------------------------------------------------


def _card(rules: FadRules, _state: State, unit: Unit) -> Iterator[CardLine]:
    note = unit.profile.get(ROUNDS, ())
    loaded = {row[0]: row[1] for row in note if isinstance(row, tuple)} if isinstance(note, tuple) else {}
    for key, row in _armed(rules, unit):
        carried = ", ".join(_named(rules, load) for load in row.rounds)
        now = f"; loaded: {_named(rules, str(loaded[key]))}" if key in loaded else ""
        yield CardLine("Rounds", f"{carried}{now}", RULE)


def _story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    name, suits = state.units[fact.target].name, figures_text(len(fact.faces))
    return f"{name} had {suits} in the blast: {figures_text(int(fact.outcome))} shut down.", "loss", fact.rule


def _luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    return reaching(fact, "suits shut down", "kill")


def _cling_story(rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    bonus, *ratings = fact.numbers
    reach = " or ".join(dict.fromkeys(armour_of(rules, state).reach(rating.value) for rating in ratings))
    out = figures_text(int(fact.outcome))
    name = state.units[fact.target].name
    return f"It clings: damage 1D6 +{bonus.value} against armour {reach}: {out} of {name} out.", "fire", fact.rule


def _cling_luck(rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    bonus, *ratings = fact.numbers
    each = ratings if len(ratings) > 1 else ratings * len(fact.faces)
    chances = [armour_of(rules, state).kills(rating.value - bonus.value) for rating in each]
    return successes(fact, "kills", "kill", chances)


MUNITIONS = FadModule(
    id="munitions",
    actions=(Action(key=LOAD, offer=_offer, carry_out=_load, free=True),),
    vehicle_actions=(Action(key=LOAD, offer=_offer, carry_out=_load, free=True),),
    figure_markers=(FigureMarker(SHUT_DOWN, fallen=True, alive=True, treated=True),),
    weapon_effects=(
        WeaponEffect(
            trait=REDEEMS,
            burst=_vaporise,
            landed=_burn,
            foretell_burst=_foretell_vapour,
            foretell_landing=_foretell_burn,
            anywhere=True,
            note="It vaporises all infantry in its blast, and hits vehicles there with an anti-tank rating of 8.",
        ),
        WeaponEffect(
            trait=SCRAMBLES,
            burst=_scramble,
            landed=_shut_down,
            foretell_burst=_foretell_scramble,
            foretell_landing=_foretell_shut_down,
            anywhere=True,
            note="It shuts down powered armour in its blast on 5 or 6, and damages vehicles; other infantry is unharmed.",
        ),
        WeaponEffect(trait="ignores_cover", ignores_cover=True, note="Cover does not count against it."),
        WeaponEffect(trait="strikes_top", note="It strikes the top of a vehicle, which is rated as its rear."),
        WeaponEffect(
            trait=damage.CLINGS, note="Each figure that is hit takes a second hit with damage +1, not counted above."
        ),
    ),
    concluding=_unload,
    card=_card,
    vehicle_card=_card,
    declares={LOAD: Declaration("loads special rounds", "fire")},
    rolls={"scramble": ModuleRoll(_story, _luck), "cling": ModuleRoll(_cling_story, _cling_luck)},
)
