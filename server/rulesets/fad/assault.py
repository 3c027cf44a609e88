"""Close assault on infantry: free shot, charge, fight, losses, falling back."""

from __future__ import annotations

from client_protocol.choices import (
    Choice,
    FiguresParameter,
    FiguresPicked,
    PathsDeclared,
    Picked,
    Why,
)
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Declared, Rolled
from server.kernel.procedure import Steps, ask, ask_all, roll
from server.kernel.space.geometry import inches
from server.kernel.standing import TOUCH
from server.rulesets.fad import allocation, damage, shooting
from server.rulesets.fad.charge import charge_parameter, coming_up, in_contact, kept_together
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.melee import (
    DRAW,
    OVERRUN,
    WON,
    AssaultDice,
    AssaultScore,
    DeflectNumber,
    KillNumber,
    kill_dice,
    outcomes,
)
from server.rulesets.fad.movement import CHARGE
from server.rulesets.fad.shot import aim
from server.rulesets.fad.travel import go, intent
from server.rulesets.shared.charging import following, surrounding, way_into_contact
from server.rulesets.shared.distances import apart


def close_assault(
    game: FadGame, attacker: str, target: str, *, manner: str = CHARGE, sudden: bool = False
) -> Steps[None]:
    """Let `attacker` assault `target`, from the declaration to the retreat. It charges in this `manner` (charge, leap); a
    `sudden` assault gives the target no free shot (fad4/assault.vehicle-counterattack).
    """
    yield Declared(attacker, "assault", "assault.vehicle-counterattack" if sudden else "assault.declare", target)
    if not sudden:
        yield from free_shot(game, target, attacker)
    if game.unit(attacker).left:
        return
    if not (yield from charge(game, attacker, target, manner)):
        return
    if (yield from overrun(game, target)):
        return
    yield from game.rules.chapters.fight.gather(game, attacker, target)
    if game.unit(attacker).left:
        return
    won, lost = yield from determine_victor(game, attacker, target)
    yield from casualties(game, attacker, target, won, lost)
    yield from fall_back(game, attacker, target, won, lost)


def overrun(game: FadGame, target: str) -> Steps[bool]:
    """Wipe out a unit that cannot fight hand to hand, and return whether it was one."""
    rule = game.rules.helpless(game.state, game.unit(target))
    if rule:
        yield from damage.lose(game, target, tuple(game.unit(target).living), "assault", rule)
    return bool(rule)


def free_shot(game: FadGame, defender: str, attacker: str) -> Steps[None]:
    """Offer the target a shot at the attackers, at the range from where they start (fad4/assault.free-shot).

    Fire Priority does not apply, it needs no activation, units that may not shoot do not get it, and it leaves no markers
    (fad4/assault.no-markers).
    """
    seat = game.state.seat_of(defender)
    state = game.believed(seat)
    shot = aim(game.rules, state, defender, attacker)
    if isinstance(shot, Why):
        return
    rule = "assault.free-shot"
    name, other = state.units[defender].name, state.units[attacker].name
    choices = (
        Choice("free-shot", "Fire", rule, f"A free shot at {other} before it charges.", preview=True),
        Choice("hold-fire", "Hold fire", rule),
    )
    asked = Asked(f"{name} may fire at the assaulters", choices, Picked("free-shot"), rule, defender)
    picked = yield from ask(seat, asked)
    if picked.choice != "free-shot":
        return
    if not (yield from hindered(game, defender, attacker)):
        yield from shooting.shoot(game, shot, free=True)


def hindered(game: FadGame, defender: str, attacker: str) -> Steps[bool]:
    """Do what comes before a free shot at the attackers, and return whether there is none then."""
    for hinders in game.rules.hindering(game.state):
        if (yield from hinders(game, defender, attacker)):
            return True
    return False


def charge(game: FadGame, attacker: str, target: str, manner: str = CHARGE) -> Steps[bool]:
    """Move the surviving attackers into contact, and return whether they got there (fad4/assault.move-in). Those who are in
    contact stay where they are.
    """
    touches = apart(game.unit(attacker), game.unit(target)) <= TOUCH
    seat = game.state.seat_of(attacker)
    state = game.believed(seat)
    parameter = (coming_up if touches else charge_parameter)(game.rules, state, attacker, target, manner)
    if parameter is None:
        return True
    way = PathsDeclared({}) if touches else way_into_contact(state, parameter, target)
    if way is None:
        # After the losses no figure can reach contact.
        yield from game.rules.chapters.fight.fall_short(game, attacker, target, manner)
        return False
    together = (surrounding if is_vehicle(state.units[target]) else following)(state, parameter, way)
    told = "" if is_vehicle(state.units[target]) else "All figures close in afterwards."
    if game.rules.chapters.fight.keeps_together:
        # fad5/move.coherency
        parameter, together = kept_together(game.rules, state, parameter, together)
        told = "The squad keeps its coherency, or comes as near to it as it can."
    told = f"{told}{intent(game.rules, state, attacker, manner)}".strip()
    shown = game.rules.foretells_moves(state)
    choice = Choice("charge", "Charge", "assault.move-in", told, (parameter,), preview=shown)
    title = f"{state.units[attacker].name} charges {state.units[target].name}"
    picked = yield from ask(seat, Asked(title, (choice,), Picked("charge", (together,)), "assault.move-in", attacker))
    if picked.values[0] != PathsDeclared({}):
        yield from go(game, attacker, picked.values[0], manner, "assault.move-in", target)
    if game.unit(attacker).left:
        return False
    if in_contact(game.state, attacker, target):
        return True
    # fad4/move.variable-declare: only a move that is rolled for can fall short of a place that was allowed
    yield Declared(attacker, "falls-short", "assault.move-in", target)
    return False


def determine_victor(game: FadGame, attacker: str, target: str) -> Steps[tuple[str, str]]:
    """Roll both scores, and return the outcome for the attacker and for the target (fad4/assault.victor-roll)."""
    own = yield from score(game, attacker, target, charging=True)
    other = yield from score(game, target, attacker, charging=False)
    return outcomes(game.rules, own.value, other.value)


def score(game: FadGame, unit: str, enemy: str, *, charging: bool) -> Steps[Explained]:
    """Roll the score of a unit against an enemy (fad4/assault.victor-roll)."""
    count = game.rules.advisers.answer(game.state, AssaultDice(unit)).value
    faces = yield from roll(count, purpose="assault")
    # Keep the highest, never add.
    best = Line("SET", max(faces), f"highest of {count}D6" if count > 1 else "1D6", "assault.victor-roll")
    question = AssaultScore(unit, enemy, charging, _fighters(game, unit, enemy), _fighters(game, enemy, unit))
    total = game.rules.advisers.answer(game.state, question, best)
    kept = faces.index(max(faces))
    marks = tuple("kept" if i == kept else "" for i in range(count))
    side = game.unit(unit).side
    yield Rolled("assault", "assault.victor-roll", faces, 6, marks, (total,), str(total.value), side, unit, enemy)
    return total


def _fighters(game: FadGame, unit: str, enemy: str) -> tuple[str, ...]:
    return game.rules.chapters.fight.fighters(game.rules, game.state, unit, enemy)


def casualties(game: FadGame, attacker: str, target: str, won: str, lost: str) -> Steps[None]:
    """Roll to kill for every living figure, both sides at once; the owners pick their dead (fad4/assault.kill-table)."""
    by_attacker = yield from kills(game, attacker, target, won, lost)
    by_target = yield from kills(game, target, attacker, lost, won)
    by_attacker = yield from deflected(game, target, attacker, by_attacker)
    by_target = yield from deflected(game, attacker, target, by_target)
    losses = {target: by_attacker, attacker: by_target}
    # fad4/assault.overrun: the losing squad is wiped out
    wiped_out = {unit for unit, outcome in ((attacker, won), (target, lost)) if outcome == OVERRUN}
    losses |= {unit: game.unit(unit).strength for unit in wiped_out}
    dead = yield from pick_dead(game, losses, {attacker: target, target: attacker})
    for unit, figures in dead.items():
        if figures:
            whole = len(figures) == game.unit(unit).strength
            rule = "assault.kill-table" if whole else "assault.select-losses"
            yield from damage.lose(game, unit, figures, "assault", "assault.overrun" if unit in wiped_out else rule)


def kills(game: FadGame, unit: str, enemy: str, outcome: str, other: str, *, dice: int | None = None) -> Steps[int]:
    """Roll the kill dice of a unit, one for each figure that fights or so many `dice`; return how many of the enemy's figures
    fall.
    """
    if other == OVERRUN:
        return 0  # the winner of an overrun does not roll: the losers are all dead
    if dice is None:
        dice = kill_dice(game.rules, game.state, unit, _fighters(game, unit, enemy), outcome)
    need = game.rules.advisers.answer(game.state, KillNumber(outcome))
    faces = yield from roll(dice, purpose="kills")
    marks = tuple("kill" if face >= need.value else "fail" for face in faces)
    # Kills beyond the enemy's number are lost. Armour does not save.
    killed = min(marks.count("kill"), len(_fighters(game, enemy, unit)))
    rule = "assault.overrun-dice" if outcome == OVERRUN else "assault.kill-table"
    yield Rolled("kills", rule, faces, 6, marks, (need,), str(killed), game.unit(unit).side, unit, enemy)
    return killed


def deflected(game: FadGame, unit: str, enemy: str, kills: int) -> Steps[int]:
    """Roll for the armour of `unit`, which may undo kills, and return how many are left. A squad that is overrun suffers none: it
    is wiped out without dice.
    """
    need = game.rules.advisers.answer(game.state, DeflectNumber(unit, enemy))
    if not kills or not need.value:
        return kills
    faces = yield from roll(kills, purpose="deflect")
    marks = tuple("pass" if face >= need.value else "fail" for face in faces)
    left = marks.count("fail")
    side = game.unit(unit).side
    yield Rolled("deflect", "assault.powered-deflect", faces, 6, marks, (need,), str(left), side, unit, enemy)
    return left


def pick_dead(game: FadGame, losses: dict[str, int], enemies: dict[str, str]) -> Steps[dict[str, tuple[str, ...]]]:
    """Return the figures that each unit loses. Owners who have a choice pick at the same time (fad4/assault.select-losses)."""
    dead: dict[str, tuple[str, ...]] = {}
    sure: dict[str, tuple[str, ...]] = {}
    asked: dict[str, Asked] = {}
    units: dict[str, str] = {}
    for unit, count in losses.items():
        living = game.unit(unit).living
        if not 0 < count < len(living):
            dead[unit] = allocation.least_worth(game.rules, game.unit(unit), count, tuple(living))
            continue
        fall = game.rules.chapters.fight.losses(game.rules, game.state, unit, enemies[unit], count)
        free = count - len(fall.sure)
        default = allocation.least_worth(game.rules, game.unit(unit), free, fall.choice)
        dead[unit], sure[unit] = (*fall.sure, *default), fall.sure
        if 0 < free < len(fall.choice):
            seat = game.state.seat_of(unit)
            name = game.unit(unit).name
            pick = FiguresParameter(f"{name} loses {free}", unit, fall.choice, free, free)
            choice = Choice("losses", "These fall", "assault.select-losses", "", (pick,))
            title = f"Choose which {free} of {name} fall"
            asked[seat] = Asked(
                title, (choice,), Picked("losses", (FiguresPicked(default),)), "assault.select-losses", unit
            )
            units[seat] = unit
    if asked:
        picked = yield from ask_all(asked)
        for seat, answer in picked.items():
            value = answer.values[0]
            assert isinstance(value, FiguresPicked), "checked against the choice"
            dead[units[seat]] = (*sure[units[seat]], *value.figures)
    return dead


def fall_back(game: FadGame, attacker: str, target: str, won: str, lost: str) -> Steps[None]:
    """Move the loser 6" back, or after a draw each unit 3", the attacker first (fad4/assault.fall-back).

    Units that may not move fall back as well. Falling back does not make a unit Broken. The winner stays where it is
    (fad5/assault.winner-stays).
    """
    book = game.rules.book
    if won == DRAW:
        length, rule = inches(book.tables.close_assault.fall_back_draw), "assault.draw"
        back = {attacker: (target, length, rule), target: (attacker, length, rule)}
    else:
        loser, winner = (target, attacker) if won == WON else (attacker, target)
        back = {loser: (winner, inches(book.tables.close_assault.fall_back_lost), "assault.fall-back")}
    for unit, (enemy, _, _) in tuple(back.items()):
        pushed = yield from pushed_back(game, unit, enemy)
        if pushed is not None:
            back[enemy] = (unit, *pushed)
    for unit, (enemy, length, rule) in back.items():
        yield from withdraw_from(game, unit, enemy, length, rule)


def pushed_back(game: FadGame, unit: str, enemy: str) -> Steps[tuple[int, str] | None]:
    """Return how far, in mil, and by which rule a unit that must fall back makes its enemy fall back too; None if it does not."""
    for pushes in game.rules.pushing(game.state):
        if game.unit(unit).left or game.unit(enemy).left:
            return None
        found = yield from pushes(game, unit, enemy)
        if found is not None:
            return found
    return None


def withdraw_from(game: FadGame, unit: str, enemy: str, length: int, rule: str) -> Steps[None]:
    """Let a squad fall back `length` mil from an enemy."""
    if not game.unit(unit).left:
        yield from game.rules.chapters.fight.withdraw(game, unit, enemy, length, rule)
