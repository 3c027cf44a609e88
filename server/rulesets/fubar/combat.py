"""Close combat: a round of it, and the fights that go on from turn to turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.bodies import apart, bodies
from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    ConditionLost,
    Declared,
    FiguresLost,
    Rolled,
    UnitMoved,
)
from server.kernel.procedure import Steps, ask_all, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.kernel.traits import has
from server.rulesets.fubar import casualties, dice, fights, saves
from server.rulesets.fubar.contact import touching, unengaged, ways_in
from server.rulesets.fubar.fights import Pair, cease, connected, foes, members, pairs
from server.rulesets.fubar.game import (
    LEADER,
    SUPPRESSED,
    UNTIL_NEXT_TRY,
    FubarGame,
    FubarRules,
    suppressed,
)

__all__ = ["CombatBonus", "CombatNeed", "Fight", "cease", "continue_fight", "going_on", "register", "round_"]

CAUSE = "close_combat"
"""The cause in the fact of figures that fall hand to hand."""


class CombatNeed(Question, frozen=True):
    """The number that the die of `figure` of `unit` must reach in close combat."""

    unit: str
    figure: str


class CombatBonus(Question, frozen=True):
    """The number added to the die of `figure` of `unit` in close combat."""

    unit: str
    figure: str


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(CombatNeed, lambda state, q: _need_lines(rules, state.units[q.unit], q.figure))
    rules.advisers.add(CombatBonus, lambda state, q: _bonus_lines(rules, state.units[q.unit], q.figure))


def _need_lines(rules: FubarRules, unit: Unit, figure: str) -> Iterator[Line]:
    level = rules.figure_level(unit, figure)
    # fubar4/close.roll: Expertise alone; neither weapons nor aiming add to it
    yield Line("SET", level.expertise, level.name, "close.roll")


def _bonus_lines(rules: FubarRules, unit: Unit, figure: str) -> Iterator[Line]:
    # fubar4/close.suppressed
    if SUPPRESSED in unit.figures[figure].conditions:
        yield Line("ADD", rules.book.tables.close_combat.suppressed, "suppressed", "close.suppressed")


# --- a round --------------------------------------------------------------------------------------------------------


class Blow(Fixed, frozen=True):
    """The figures of `unit` that strike at `enemy` and need the same number."""

    unit: str
    enemy: str
    figures: tuple[str, ...]
    need: Explained
    bonus: Explained


def blows(rules: FubarRules, state: State, fight: Sequence[Pair]) -> list[Blow]:
    """Return who strikes at whom in a round among these pairs: every figure in contact strikes once.

    A figure that touches several units strikes at the first of them in the order of the pairs. Suppressed figures have a blow
    of their own (fubar4/close.suppressed).
    """
    found: list[Blow] = []
    for unit_id in members(fight):
        unit = state.units[unit_id]
        enemies = foes(fight, unit_id)
        # fubar4/close.roll: only figures in base contact
        targets = {key: met[0] for key, met in touching(unit, [state.units[foe] for foe in enemies]).items()}
        groups: dict[tuple[int, Explained, Explained], list[str]] = {}
        for key, enemy in targets.items():
            need = rules.advisers.answer(state, CombatNeed(unit_id, key))
            bonus = rules.advisers.answer(state, CombatBonus(unit_id, key))
            groups.setdefault((enemies.index(enemy), need, bonus), []).append(key)
        for (enemy_at, need, bonus), figures in sorted(
            groups.items(), key=lambda item: (item[0][0], -item[0][2].value)
        ):
            found.append(Blow(unit_id, enemies[enemy_at], tuple(figures), need, bonus))
    return found


def round_(game: FubarGame, fight: Sequence[Pair]) -> Steps[None]:
    """Fight one round among these pairs: all dice at once, then saves, then the owners remove their dead."""
    # fubar4/close.roll: figures that fall in this round strike nevertheless
    hits: dict[str, int] = {}
    for blow in blows(game.rules, game.state, fight):
        hits[blow.enemy] = hits.get(blow.enemy, 0) + (yield from _strike(game, blow))
    lost: dict[str, int] = {}
    for unit, count in hits.items():
        unsaved = (yield from _save(game, unit, count)) if count else 0
        # fubar4/close.casualties: hits beyond the unit's figures are lost
        lost[unit] = min(unsaved, game.unit(unit).strength)
    engaged = {unit: _engaged(game.state, unit) for unit in lost}
    dead = yield from _pick_dead(game, lost, engaged)
    for unit, figures in dead.items():
        if figures:
            yield from casualties.fell(game, unit, figures, CAUSE, "close.casualties")


def _strike(game: FubarGame, blow: Blow) -> Steps[int]:
    faces = yield from roll(len(blow.figures), purpose="close-combat")
    marks = dice.marks(faces, blow.need.value, blow.bonus.value)
    landed = marks.count(dice.HIT)
    yield Rolled(
        purpose="close-combat",
        rule="close.suppressed" if blow.bonus.value else "close.roll",
        faces=faces,
        marks=marks,
        numbers=(blow.need, blow.bonus) if blow.bonus.value else (blow.need,),
        outcome=str(landed),
        side=game.unit(blow.unit).side,
        unit=blow.unit,
        target=blow.enemy,
    )
    return landed


def _save(game: FubarGame, unit: str, hits: int) -> Steps[int]:
    """Roll the saves of `unit` against `hits`, by the armour that most of it wear, and return how many hits get through
    (fubar4/close.casualties, fubar4/armour.majority-save).
    """
    save = game.rules.advisers.answer(game.state, saves.PersonalSave(unit))
    if not save.value:
        return hits
    faces = yield from roll(hits, purpose="close-save")
    marks = dice.marks(faces, save.value, success=dice.SAVED)
    through = marks.count(dice.FAILED)
    yield Rolled(
        "close-save",
        "close.casualties",
        faces,
        marks=marks,
        numbers=(save,),
        outcome=str(through),
        side=game.unit(unit).side,
        unit=unit,
    )
    return through


def _engaged(state: State, unit: str) -> list[str]:
    own = state.units[unit]
    return list(touching(own, state.enemies_of(own.side)))


# --- who falls ------------------------------------------------------------------------------------------------------


def _pick_dead(
    game: FubarGame, lost: Mapping[str, int], engaged: Mapping[str, Sequence[str]]
) -> Steps[dict[str, tuple[str, ...]]]:
    """Return the figures that each unit loses. Owners who have a choice pick at the same time."""
    dead: dict[str, tuple[str, ...]] = {}
    waiting: list[str] = []
    for unit, count in lost.items():
        sure, doubtful, picks = _candidates(game.unit(unit), engaged[unit], count)
        dead[unit] = (*sure, *doubtful[:picks])
        if 0 < picks < len(doubtful):
            waiting.append(unit)
    while waiting:
        # A seat with several units in the fight is asked about one after the other.
        asked: dict[str, Asked] = {}
        turn: dict[str, str] = {}
        for unit in waiting:
            seat = game.state.seat_of(unit)
            if seat not in asked:
                turn[seat] = unit
                asked[seat] = _dead_asked(game.believed(seat), unit, engaged[unit], lost[unit])
        picked = yield from ask_all(asked)
        for seat, answer in picked.items():
            value = answer.values[0]
            assert isinstance(value, FiguresPicked), "checked against the choice"
            unit = turn[seat]
            sure, _, _ = _candidates(game.unit(unit), engaged[unit], lost[unit])
            dead[unit] = (*sure, *value.figures)
        waiting = [unit for unit in waiting if unit not in turn.values()]
    return dead


def _candidates(unit: Unit, engaged: Sequence[str], count: int) -> tuple[list[str], list[str], int]:
    """Return the figures that fall in any case, those from which the owner picks, and how many he picks.

    Figures in contact fall first (fubar4/close.casualties).
    """
    front = _worth(unit, engaged)
    rear = _worth(unit, [key for key in unit.living if key not in engaged])
    if count <= len(front):
        return [], front, count
    return front, rear, count - len(front)


def _worth(unit: Unit, figures: Sequence[str]) -> list[str]:
    """Return figures in the order in which they fall by default: support gunners and the leader last."""

    def rank(key: str) -> int:
        figure = unit.figures[key]
        return 2 if has(figure, LEADER) else int(bool(figure.role))

    return sorted(figures, key=rank)


def _dead_asked(state: State, unit_id: str, engaged: Sequence[str], count: int) -> Asked:
    unit = state.units[unit_id]
    _, offered, picks = _candidates(unit, engaged, count)
    rule = "close.casualties"
    label = f"{unit.name} loses {picks}"
    in_order = tuple(key for key in unit.living if key in offered)
    pick = FiguresParameter(label, unit_id, in_order, picks, picks)
    choice = Choice("losses", "These fall", rule, "Figures in contact fall first.", (pick,))
    default = Picked("losses", (FiguresPicked(tuple(offered[:picks])),))
    return Asked(f"Choose which {picks} of {unit.name} fall", (choice,), default, rule, unit_id)


# --- from turn to turn ----------------------------------------------------------------------------------------------


class Fight(Fixed, frozen=True):
    """A close combat: the pairs of units that are locked in it."""

    pairs: tuple[Pair, ...]


def going_on(state: State) -> list[Fight]:
    """Return the fights whose round of this turn is still to be fought; valid before the initiative roll
    (fubar4/close.continues).

    Units that have been activated this turn have already fought.
    """
    turn = state.turn.number
    return [
        Fight(group)
        for group in connected(pairs(state))
        if any(state.units[unit].activated < turn for unit in members(group))
    ]


def meet(game: FubarGame, fight: Sequence[Pair]) -> Steps[None]:
    """Mark, after a round, the pairs that still have enemies near as fighting on next turn, and end the other fights."""
    reach = inches(game.rules.book.tables.close_combat.step_up)
    lasting = [both for both in fight if _near(game.state, both, reach)]
    yield from fights.begin(game, lasting)
    yield from fights.end(game, [both for both in fight if both not in lasting])


def _near(state: State, both: Pair, reach: int) -> bool:
    """Return whether two units are in contact, or near enough to be brought into contact."""
    one, other = (state.units[unit] for unit in both)
    if one.left or other.left:
        return False
    return apart(bodies(one).values(), bodies(other).values()) <= reach


def continue_fight(game: FubarGame, fight: Fight) -> Steps[None]:
    """Fight this turn's round of a fight that goes on. It is the activation of its units (fubar4/close.continues)."""
    units = members(fight.pairs)
    yield Declared(units[0], "fights-on", fights.RULE, foes(fight.pairs, units[0])[0])
    for unit in _by_side(game.state, units):
        yield from bring_up(game, unit, foes(fight.pairs, unit))
    touching_pairs = [both for both in fight.pairs if _in_contact(game.state, both)]
    touching_pairs += [fights.pair(game.state, *both) for both in drawn_in(game.state, units, touching_pairs)]
    # Pairs that are no longer in contact stop fighting, and their units are free to act.
    yield from fights.end(game, [both for both in fight.pairs if both not in touching_pairs])
    fighters = members(touching_pairs)
    for unit in fighters:
        yield ActivationBegan(unit)
        # fubar4/action.table: the effects of an action last until the next activation
        for condition in UNTIL_NEXT_TRY:
            if condition in game.unit(unit).conditions:
                yield ConditionLost(unit, condition, "action.table")
    if fighters:
        yield from round_(game, touching_pairs)
    for unit in fighters:
        # fubar4/suppress.recover: they activate without a roll, and their suppressed figures stand up after the round
        down = tuple(suppressed(game.unit(unit)))
        if down and not game.unit(unit).left:
            yield FiguresLost(unit, down, SUPPRESSED, "suppress.recover")
    yield from meet(game, touching_pairs)
    for unit in fighters:
        yield ActivationEnded(unit)


def bring_up(game: FubarGame, unit: str, enemies: Sequence[str]) -> Steps[None]:
    """Bring all figures of `unit` into contact that touch no enemy and have one near (fubar4/close.continues)."""
    reach = inches(game.rules.book.tables.close_combat.step_up)
    figures = unengaged(game.state, unit, enemies, reach)
    yield from step_up(game, unit, figures, enemies)


def step_up(game: FubarGame, unit: str, figures: Sequence[str], enemies: Sequence[str]) -> Steps[None]:
    """Move `figures` of `unit` into contact with near figures of the units `enemies`, nearest first (fubar4/close.move-in)."""
    reach = inches(game.rules.book.tables.close_combat.step_up)
    ways = ways_in(game.rules, game.state, unit, figures, enemies, reach)
    if ways:
        yield UnitMoved(unit, "step-up", ways, "close.move-in")


def drawn_in(state: State, stepping: Sequence[str], fight: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that `stepping` units form with further enemies whom their figures touch now: all units that are touched
    are in the fight (fubar4/close.move-in).
    """
    known = {fights.pair(state, *both) for both in (*fights.pairs(state), *fight)}
    found: list[Pair] = []
    for unit_id in stepping:
        unit = state.units[unit_id]
        touched = dict.fromkeys(enemy for met in touching(unit, state.enemies_of(unit.side)).values() for enemy in met)
        for enemy in touched:
            if (both := fights.pair(state, enemy, unit_id)) not in known:
                known.add(both)
                found.append((enemy, unit_id))
    return found


def _in_contact(state: State, both: Pair) -> bool:
    one, other = (state.units[unit] for unit in both)
    return bool(touching(one, [other]))


def _by_side(state: State, units: Sequence[str]) -> list[str]:
    """Return units in the order of the sides, and those of one side in roster order."""
    sides, order = list(state.sides), list(state.units)
    return sorted(units, key=lambda unit: (sides.index(state.units[unit].side), order.index(unit)))
