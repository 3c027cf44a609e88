"""Demolition: with the action Command a squad rigs the charges that it carries to a target, and blows it up from a distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked, Why
from client_protocol.explained import Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel import notes
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, FiguresGained, Noted, Rolled, TerrainAdded, TerrainChanged
from server.kernel.notes import Note
from server.kernel.procedure import Steps, roll
from server.kernel.questions import total
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, between, distance, edges, inches, inches_text, moved, to_mil, to_point
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.kernel.traits import has, of
from server.rulesets.fad import damage, shooting
from server.rulesets.fad.allocation import least_worth
from server.rulesets.fad.collapse import bring_down
from server.rulesets.fad.command import able
from server.rulesets.fad.game import BUSY, POWERED, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import FadModule, Task
from server.rulesets.fad.previews.luck import quality_test as quality_luck
from server.rulesets.fad.quality import QualityNeed, passes_text, quality_test
from server.rulesets.shared.modules import Declaration, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import successes
from server.rulesets.shared.words.chances import chance_line
from server.rulesets.shared.words.narration import figures_text

CHARGES = "demolition_charges"
"""The trait of a unit that carries charges: how many sets it began with."""
ENGINEER = "engineer"
"""The trait of a figure that rigs and detonates better."""
DEMOLISHABLE = "demolishable"
"""The flag of a terrain piece that charges can destroy."""

KIND = "charges"
"""The kind of terrain that shows where charges lie."""
LAID = "demolitions.laid"
"""The note of a match that lists the charges that were laid."""
STOOD = "demolitions.stood"
"""The note on where the figures stood of a unit that goes on rigging in its activation."""
DAMAGED = "demolitions.damaged"
"""The note that lists badly damaged targets, each with the unit that damaged it."""

WORKING, RIGGED, SPENT = "working", "rigged", "spent"
TASK, RIG, DETONATE = "demolition", "rig-charges", "detonate-charges"
DESTROYED, BADLY, FIZZLE = "destroyed", "badly-damaged", "fizzle"
UNFINISHED = "charges-unfinished"
LABEL = "Demolition"

_SIZE = 500
"""Half the width in mil of the mark that shows where charges lie."""


class Laid(Struct, frozen=True):
    """A set of charges: who laid it, the target, the piece that shows it, where it lies, and how far it is (working, rigged,
    spent).
    """

    unit: str
    target: str
    shown: str
    at: Point
    how: str


# --- notes ----------------------------------------------------------------------------------------------------------


def laid(state: State) -> list[Laid]:
    """Return the charges that were laid, in that order. Raises `ValueError` if the note holds something else."""
    return [_read(row) for row in notes.rows(state.book, LAID)]


def _read(row: object) -> Laid:
    match row:
        case (str(unit), str(target), str(shown), int(x), int(y), str(how)) if how in (WORKING, RIGGED, SPENT):
            return Laid(unit, target, shown, (x, y), how)
        case _:
            raise ValueError(row)


def _noted(charges: list[Laid]) -> Noted:
    note: Note = tuple((one.unit, one.target, one.shown, *one.at, one.how) for one in charges)
    return Noted(LAID, note)


def _with(state: State, changed: Laid) -> Noted:
    return _noted([changed if one.shown == changed.shown else one for one in laid(state)])


def damaged(state: State) -> dict[str, str]:
    """Return the badly damaged targets, each with the unit that damaged it. Raises `ValueError` as `laid` does."""
    found: dict[str, str] = {}
    for row in notes.rows(state.book, DAMAGED):
        match row:
            case (str(target), str(unit)):
                found[target] = unit
            case _:
                raise ValueError(row)
    return found


def _own(state: State, unit: Unit, *how: str) -> list[Laid]:
    return [one for one in laid(state) if one.unit == unit.id and one.how in how]


def left(state: State, unit: Unit) -> int:
    """Return how many sets of charges a unit has left."""
    number = of(unit).get(CHARGES, 0)
    return (number if isinstance(number, int) else 0) - len(_own(state, unit, WORKING, RIGGED, SPENT))


# --- rigging --------------------------------------------------------------------------------------------------------


def target_of(rules: FadRules, state: State, unit: Unit, figure: str) -> Terrain | None:
    """Return the nearest piece at which a figure can rig charges (adv.demolitions.rig); None if there is none in reach."""
    own = unit.figures[figure]
    if own.at is None:
        return None
    table = rules.book.tables.demolition
    found = [
        (to_mil(piece.distance(own.at)) - own.radius, place, piece)
        for place, piece in enumerate(state.table.terrain)
        if not piece.linear and (DEMOLISHABLE in piece.flags or piece.kind in table.targets)
    ]
    near = [row for row in found if row[0] <= inches(table.reach)]
    return min(near, key=lambda row: row[:2])[2] if near else None


def _offer_rig(rules: FadRules, state: State, unit: Unit) -> Choice:
    free = tuple(key for key in able(unit) if target_of(rules, state, unit, key) is not None)
    reach = inches_text(inches(rules.book.tables.demolition.reach))
    why = None
    if CHARGES not in of(unit):
        why = Why(f"{unit.name} carries no demolition charges.", "adv.demolitions-charges")
    elif _own(state, unit, WORKING):
        why = Why(f"{unit.name} has charges that it finishes by staying in place.", "adv.demolitions-rig")
    elif not left(state, unit):
        why = Why(f"{unit.name} has no charges left.", "adv.demolitions-charges")
    elif not free:
        why = Why(
            f"No free figure of {unit.name} is within {reach} of what charges can destroy.", "adv.demolitions-rig"
        )
    parameter = FiguresParameter("Who rigs the charges", unit.id, free, 1, 1)
    text = f"A figure within {reach} of its target does nothing else: a Quality Test decides."
    return Choice(RIG, "Rig charges", "adv.demolitions-rig", text, (parameter,), why, preview=True)


def _dice(rules: FadRules, unit: Unit) -> int:
    table = rules.book.tables.demolition
    marked = UNDER_FIRE in unit.conditions or any(True for _ in rules.coming_off(unit))
    return table.under_fire if marked else table.dice


def _granted(unit: Unit, figure: str) -> Line | None:
    # adv.demolitions.engineer: one die less, and one pass more
    if has(unit.figures[figure], ENGINEER):
        return Line("SET", 1, "engineer", "adv.demolitions-engineer")
    return None


def _rig(game: FadGame, unit_id: str, picked: Picked) -> Steps[None]:
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    (figure,) = value.figures
    rules, unit = game.rules, game.unit(unit_id)
    target = target_of(rules, game.state, unit, figure)
    assert target is not None, "only figures in reach of a target are offered"
    yield FiguresGained(unit_id, (figure,), BUSY, "adv.demolitions-busy")
    yield Declared(unit_id, RIG, "adv.demolitions-rig")
    passes = yield from quality_test(
        game,
        unit_id,
        "rig-charges",
        "adv.demolitions-rig",
        lambda count: _rigged(rules, count),
        dice=_dice(rules, unit),
        granted=_granted(unit, figure),
    )
    how = _rigged(rules, passes)
    if how == FIZZLE:
        return
    number = len(_own(game.state, unit, WORKING, RIGGED, SPENT)) + 1
    at = unit.figures[figure].at
    assert at is not None, "he stands next to his target"
    charges = Laid(unit_id, target.id, f"{KIND}-{unit_id}-{number}", _touching(target, at), how)
    yield _noted([*laid(game.state), charges])
    yield TerrainAdded(_shown(game, charges), "adv.demolitions-rig")


def _rigged(rules: FadRules, passes: int) -> str:
    """Return what so many passes make of charges that are being rigged."""
    if passes >= rules.book.tables.demolition.rigged:
        return RIGGED
    return WORKING if passes else FIZZLE


def _touching(target: Terrain, at: Point) -> Point:
    """Return the place on the border of a piece that is nearest to a point."""

    def foot(a: Point, b: Point) -> Point:
        whole = distance(a, b)
        along = ((at[0] - a[0]) * (b[0] - a[0]) + (at[1] - a[1]) * (b[1] - a[1])) / whole**2 if whole else 0.0
        return to_point(between(a, b, max(0.0, min(1.0, along))))

    return min((foot(a, b) for a, b in edges(target.outline, linear=False)), key=lambda place: distance(place, at))


def _shown(game: FadGame, charges: Laid) -> Terrain:
    """Return the piece that shows where charges lie."""
    kind, table = game.rules.book.kind(KIND), game.state.table
    corners = (moved(charges.at, turn * 4500, _SIZE) for turn in range(8))
    outline = tuple((min(max(x, 0), table.width), min(max(y, 0), table.height)) for x, y in corners)
    how = "being rigged" if charges.how == WORKING else "rigged"
    name = f"Charges of {game.unit(charges.unit).name}, {how}"
    return kind.piece(charges.shown, KIND, outline, name)


def _preview_rig(rules: FadRules, state: State, unit: Unit, picked: Picked) -> Preview | None:
    value = picked.values[0] if picked.values else None
    if not isinstance(value, FiguresPicked) or len(value.figures) != 1:
        return None
    target = target_of(rules, state, unit, value.figures[0])
    if target is None:
        return None
    labels = ((RIGGED, "Rigged"), (WORKING, "Rigged if it stays in place"), (FIZZLE, "Fails"))
    dice = _dice(rules, unit)
    title = f"{unit.name} rigs charges at {target.name}"
    return _foretold(rules, state, unit, value.figures[0], dice, title, labels, lambda count: _rigged(rules, count))


def _foretold(
    rules: FadRules,
    state: State,
    unit: Unit,
    figure: str,
    dice: int,
    title: str,
    labels: tuple[tuple[str, str], ...],
    outcome: Callable[[int], str],
    notes: tuple[str, ...] = (),
) -> Preview:
    need = rules.advisers.answer(state, QualityNeed(unit.id))
    granted = _granted(unit, figure)
    free = 0 if granted is None else granted.amount
    spread = {passes + free: weight for passes, weight in odds.passes(dice - free, need.value).items()}

    def chance(key: str) -> Fraction:
        return odds.chance(spread, lambda count: outcome(count) == key)

    chances = tuple(chance_line(label, chance(key)) for key, label in labels)
    numbers = [("Each die", need), *([("Passes without a die", total([granted]))] if granted else [])]
    told = f"{dice - free}D6, each on its own" if dice > free else "no dice"
    return Preview(title, told, tuple(numbers), chances, notes)


# --- staying in place -----------------------------------------------------------------------------------------------


def _begin(game: FadGame, unit_id: str) -> Steps[None]:
    unit = game.unit(unit_id)
    if _own(game.state, unit, WORKING):
        standing = ((key, figure.at) for key, figure in unit.living.items())
        yield Noted(STOOD, tuple((unit_id, key, *at) for key, at in standing if at is not None))


def _conclude(game: FadGame, unit_id: str) -> Steps[None]:
    """Finish the charges of a unit of which no figure has moved in its activation, or give up the work."""
    stood = _stood(game.state)
    if not stood:
        return
    yield Noted(STOOD, ())
    unit = game.unit(unit_id)
    stays = not unit.left and all(stood.get(key, figure.at) == figure.at for key, figure in unit.living.items())
    for charges in _own(game.state, unit, WORKING):
        if stays:
            done = replace(charges, how=RIGGED)
            yield _with(game.state, done)
            yield TerrainChanged(charges.shown, _shown(game, done), "adv.demolitions-rig")
        else:
            yield Declared(unit_id, UNFINISHED, "adv.demolitions-rig")
            yield _noted([one for one in laid(game.state) if one.shown != charges.shown])
            yield TerrainChanged(charges.shown, None, "adv.demolitions-rig")


def _stood(state: State) -> dict[str, Point]:
    """Return where the figures stood of the unit that goes on rigging. Raises `ValueError` as `laid` does."""
    found: dict[str, Point] = {}
    for row in notes.rows(state.book, STOOD):
        match row:
            case (str(), str(key), int(x), int(y)):
                found[key] = (x, y)
            case _:
                raise ValueError(row)
    return found


# --- detonating -----------------------------------------------------------------------------------------------------


def _too_near(rules: FadRules, state: State, unit: Unit) -> tuple[str, ...]:
    """Return the figures of a unit that are too near to charges that it has rigged (adv.demolitions.detonate-clear)."""
    clear = inches(rules.book.tables.demolition.clear)
    places = [one.at for one in _own(state, unit, RIGGED)]
    return tuple(
        key
        for key, figure in unit.living.items()
        if figure.at is not None and any(distance(figure.at, at) - figure.radius < clear for at in places)
    )


def _offer_detonate(rules: FadRules, state: State, unit: Unit) -> Choice:
    near = _too_near(rules, state, unit)
    clear = inches_text(inches(rules.book.tables.demolition.clear))
    why = None
    text = "A figure does nothing else: a Quality Test says what the charges do."
    if not _own(state, unit, RIGGED):
        why = Why(f"{unit.name} has rigged no charges.", "adv.demolitions-detonate")
    elif near and unit.strength == 1:
        # adv.demolitions.last-soldier
        text = f"He is closer than {clear}, and is killed in the blast."
    elif near:
        sentence = f"{figures_text(len(near))} of {unit.name} {'is' if len(near) == 1 else 'are'} closer than {clear}."
        why = Why(sentence, "adv.demolitions-detonate-clear")
    elif not able(unit):
        why = Why(f"All figures of {unit.name} are busy.", "adv.demolitions-busy")
    return Choice(DETONATE, "Detonate charges", "adv.demolitions-detonate", text, (), why, preview=True)


def _demolisher(rules: FadRules, unit: Unit) -> str:
    """Return the figure that detonates: an engineer, else the one whose weapon counts least."""
    free = able(unit)
    engineers = tuple(key for key in free if has(unit.figures[key], ENGINEER))
    return least_worth(rules, unit, 1, engineers or free)[0]


def _detonate(game: FadGame, unit_id: str, _picked: Picked) -> Steps[None]:
    rules, unit = game.rules, game.unit(unit_id)
    near, figure = _too_near(rules, game.state, unit), _demolisher(rules, unit)
    yield FiguresGained(unit_id, (figure,), BUSY, "adv.demolitions-busy")
    yield Declared(unit_id, DETONATE, "adv.demolitions-detonate")
    for charges in _own(game.state, unit, RIGGED):
        if all(one.shown != charges.shown or one.how != RIGGED for one in laid(game.state)):
            continue  # they went up with their target
        dice = rules.book.tables.demolition.detonate
        passes = yield from quality_test(
            game,
            unit_id,
            "detonate-charges",
            "adv.demolitions-detonate",
            lambda count: _blown(rules, count),
            dice=dice,
            granted=_granted(game.unit(unit_id), figure),
        )
        yield _with(game.state, replace(charges, how=SPENT))
        yield TerrainChanged(charges.shown, None, "adv.demolitions-detonate")
        result = _blown(rules, passes)
        if result == DESTROYED:
            yield from collapse(game, charges.target, "adv.demolitions-detonate")
        elif result == BADLY and charges.target not in damaged(game.state):
            rows = {**damaged(game.state), charges.target: unit_id}
            yield Noted(DAMAGED, tuple(rows.items()))
    if near and not game.unit(unit_id).left:
        # adv.demolitions.last-soldier: he dies whatever the result
        yield from damage.lose(game, unit_id, near, "blast", "adv.demolitions-last-soldier")


def _blown(rules: FadRules, passes: int) -> str:
    """Return what charges do that go off with so many passes."""
    if passes >= rules.book.tables.demolition.destroyed:
        return DESTROYED
    return BADLY if passes else FIZZLE


def _preview_detonate(rules: FadRules, state: State, unit: Unit, _picked: Picked) -> Preview | None:
    charges = _own(state, unit, RIGGED)
    if not charges or not able(unit):
        return None
    names = {piece.id: piece.name for piece in state.table.terrain}
    targets = ", ".join(dict.fromkeys(names[one.target] for one in charges))
    labels = ((DESTROYED, "Destroyed"), (BADLY, "Badly damaged"), (FIZZLE, "Hardly damaged"))
    dice = rules.book.tables.demolition.detonate
    fall = rules.book.tables.demolition.collapse
    notes = (f"What is badly damaged falls on {fall}+ at the end of each turn.",)
    title = f"{unit.name} blows up {targets}"
    figure = _demolisher(rules, unit)
    return _foretold(rules, state, unit, figure, dice, title, labels, lambda count: _blown(rules, count), notes)


# --- what falls -----------------------------------------------------------------------------------------------------


def collapse(game: FadGame, target: str, rule: str, inside_rule: str = "adv.demolitions-detonate") -> Steps[None]:
    """Turn a piece of terrain into rubble, with the charges at it, and roll for those inside by `inside_rule`. Of a wall or a
    hedge nothing is left.
    """
    state = game.state
    piece = next(piece for piece in state.table.terrain if piece.id == target)
    # fad5/damage.building-collapse
    crushes = bool(game.rules.book.kind(piece.kind).walls) or game.rules.book.tables.demolition.crushes
    inside = {
        unit.id: tuple(key for key, own in unit.living.items() if own.at is not None and piece.holds(own.at))
        for unit in state.units.values()
        if unit.on_table
    }
    left = game.rules.book.tables.demolition.rubble
    kind = game.rules.book.kind(left)
    rubble = kind.piece(piece.id, left, piece.outline, f"{kind.name} of {piece.name}")
    if crushes:
        yield from bring_down(game, target)
    else:
        yield TerrainChanged(piece.id, None if piece.linear else rubble, rule)
    for charges in laid(game.state):
        if charges.target == target and charges.how != SPENT:
            yield _with(game.state, replace(charges, how=SPENT))
            yield TerrainChanged(charges.shown, None, rule)
    if target in damaged(game.state):
        rows = {key: unit for key, unit in damaged(game.state).items() if key != target}
        yield Noted(DAMAGED, tuple(rows.items()))
    for unit, figures in inside.items():
        if figures and not crushes:
            yield from _bury(game, unit, figures, inside_rule)


def _bury(game: FadGame, unit_id: str, figures: tuple[str, ...], rule: str) -> Steps[None]:
    """Roll a die for each figure of a unit that was inside."""
    rules, unit = game.rules, game.unit(unit_id)
    table, powered = rules.book.tables.demolition, POWERED in rules.armour(unit).traits
    wounding = rules.wounding(game.state)
    out, dead = table.powered_out if powered else table.out, 0
    if wounding is not None:
        out = table.powered_wounded if powered else table.wounded
        dead = table.powered_killed if powered else table.killed
    need = total([Line("SET", out, "each figure inside", rule)])
    faces = yield from roll(len(figures), purpose="collapse")
    marks = tuple("kill" if face >= out else "pass" for face in faces)
    fallen = tuple(key for key, face in zip(figures, faces, strict=True) if face >= out)
    yield Rolled(
        purpose="collapse",
        rule=rule,
        faces=faces,
        marks=marks,
        numbers=(need,),
        outcome=str(len(fallen)),
        side=unit.side,
        unit=unit_id,
    )
    wounded = tuple(key for key, face in zip(figures, faces, strict=True) if out <= face < dead)
    if fallen:
        yield from damage.lose(game, unit_id, fallen, "blast", rule, wounded)
    yield from shooting.mark(game, unit_id, total(()), rule)


def _ending(game: FadGame) -> Steps[None]:
    """Roll for each badly damaged target (adv.demolitions.badly-damaged)."""
    need = game.rules.book.tables.demolition.collapse
    for target, unit in damaged(game.state).items():
        faces = yield from roll(1, purpose="giving_way")
        falls = faces[0] >= need
        yield Rolled(
            purpose="giving_way",
            rule="adv.demolitions-badly-damaged",
            faces=faces,
            marks=("pass" if falls else "fail",),
            outcome=target,
            side=game.unit(unit).side,
            unit=unit,
        )
        if falls:
            yield from collapse(game, target, "adv.demolitions-badly-damaged")


# --- words and files ------------------------------------------------------------------------------------------------


def _card(_rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    if CHARGES in of(unit):
        names = {piece.id: piece.name for piece in state.table.terrain}
        at = ", ".join(
            f"{one.how} at {names.get(one.target, 'its target')}" for one in _own(state, unit, WORKING, RIGGED)
        )
        yield CardLine("Charges", f"{left(state, unit)} left" + (f"; {at}" if at else ""), "adv.demolitions-charges")
    engineers = [key for key, figure in unit.living.items() if has(figure, ENGINEER)]
    if engineers:
        yield CardLine("Engineer", f"figure {', '.join(engineers)}", "adv.demolitions-engineer")


def _rig_story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = {
        RIGGED: "the charges are rigged",
        WORKING: "they are rigged at the end of its next activation, if it stays in place",
        FIZZLE: "no success",
    }[fact.outcome]
    return f"{state.units[fact.unit].name} rigs charges: {passes_text(fact)}, {result}.", "fire", fact.rule


def _detonate_story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = {
        DESTROYED: "the target is destroyed",
        BADLY: "the target is badly damaged",
        FIZZLE: "they fizzle, and the target is hardly damaged",
    }[fact.outcome]
    return f"The charges of {state.units[fact.unit].name}: {passes_text(fact)}, {result}.", "fire", fact.rule


def _collapse_story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    inside, out = len(fact.faces), figures_text(int(fact.outcome))
    return f"{state.units[fact.unit].name} had {figures_text(inside)} inside: {out} out.", "loss", fact.rule


def _collapse_luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count those who come out of the rubble, for their unit."""
    (need,) = fact.numbers
    return successes(fact, "who get out", "pass", [1 - odds.at_least(need.value)] * len(fact.faces))


def _falls_story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    name = next(piece.name for piece in state.table.terrain if piece.id == fact.outcome)
    result = "gives way" if fact.marks == ("pass",) else "holds for now"
    return f"{name} is badly damaged, and {result}.", "fire", fact.rule


def _falls_luck(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count whether the target falls, for the unit that damaged it."""
    return successes(fact, "targets that fall", "pass", [odds.at_least(rules.book.tables.demolition.collapse)])


def _admit(state: State) -> None:
    try:
        charges, hurt = laid(state), damaged(state)
        _stood(state)
    except ValueError:
        raise RulesetError(
            f"the book's {LAID} list a unit, a target, a piece, a place in mil and how far the charges are; {DAMAGED} a target "
            f"and a unit; {STOOD} a unit, a figure and its place"
        ) from None
    pieces = {piece.id for piece in state.table.terrain}
    for one in charges:
        there = {one.target} if one.how == SPENT else {one.target, one.shown}
        if one.unit not in state.units or not there <= pieces:
            raise RulesetError(f"the book's {LAID} name {one.unit}, {one.target} or {one.shown}, which is not there")
    for target, unit in hurt.items():
        if unit not in state.units or target not in pieces:
            raise RulesetError(f"the book's {DAMAGED} name {target} or {unit}, which is not there")


DEMOLITIONS = FadModule(
    id="demolitions",
    traits=(CHARGES, ENGINEER),
    tasks=(
        Task(key=RIG, label=LABEL, offer=_offer_rig, carry_out=_rig, preview=_preview_rig, of=TASK),
        Task(key=DETONATE, label=LABEL, offer=_offer_detonate, carry_out=_detonate, preview=_preview_detonate, of=TASK),
    ),
    beginning=_begin,
    concluding=_conclude,
    ending=_ending,
    card=_card,
    declares={
        RIG: Declaration("rigs demolition charges"),
        DETONATE: Declaration("detonates its charges", "fire"),
        UNFINISHED: Declaration("moves, and the work on its charges is lost"),
    },
    rolls={
        RIG: ModuleRoll(_rig_story, quality_luck),
        DETONATE: ModuleRoll(_detonate_story, quality_luck),
        "collapse": ModuleRoll(_collapse_story, _collapse_luck),
        "giving_way": ModuleRoll(_falls_story, _falls_luck),
    },
    admit=_admit,
)
