"""Command: a unit of infantry stays where it is and takes two different tasks, of which shooting is one."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, Picked, UnitNamed, UnitParameter
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared, FiguresGained, FiguresLost
from server.kernel.procedure import Steps, ask
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.fad.bots import fighting
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.firing import fire_at, target_choice
from server.rulesets.fad.game import BUSY, OPEN_FIRE, FadGame, FadRules
from server.rulesets.fad.module import Act, Task
from server.rulesets.fad.shot import Shot, aim

RULE = "action.command"
FIRE = "command-fire"
DONE = "command-done"
TASKS = 2
"""How many different tasks the action has at most."""
_ORDER = ("first task", "second task")


def offer(rules: FadRules, state: State, unit: Unit) -> Iterator[Choice]:
    """Yield the action. Where shooting alone would be a worse Open Fire, it needs a module that adds a task."""
    tasks = rules.tasks(state, unit)
    barred = [task.offer(rules, state, unit).why for task in tasks]
    if not rules.has_action(OPEN_FIRE):
        # fad5/turn.action-command: shooting is a task like the others
        barred.append(_shoot(rules, state, unit).why)
    if not barred:
        return
    why = rules.barred(state, unit, Act.COMMAND) or (None if None in barred else barred[0])
    named = ", ".join(dict.fromkeys(task.label for task in tasks))
    text = "Stay, and shoot."
    if tasks:
        text = f"Stay, and take two different tasks in the order you like: {named} or Shoot."
    yield Choice("command", "Command", RULE, text, why=why)


def command(game: FadGame, unit: str) -> Steps[None]:
    """Let a unit take its tasks: the owner picks the first, and then another one (fad4/action.command)."""
    yield Declared(unit, "command", RULE)
    seat = game.state.seat_of(unit)
    done: set[str] = set()
    while len(done) < TASKS:
        asked = _asked(game, unit, done)
        if all(choice.why is not None for choice in asked.choices if choice.key != DONE):
            return
        picked = yield from ask(seat, asked)
        if picked.choice == DONE:
            return
        task = task_of(game.rules, game.state, game.unit(unit), picked.choice)
        done.add(picked.choice if task is None else task.of or task.key)
        if task is not None:
            yield from task.carry_out(game, unit, picked)
        else:
            yield from _fire(game, unit, picked)
        if game.unit(unit).left:
            return


def task_of(rules: FadRules, state: State, unit: Unit, choice: str) -> Task | None:
    """Return the task that a module of this match offers a unit as the choice of this key, or as one of several, or None."""
    return next((task for task in rules.tasks(state, unit) if task.key == choice.partition(":")[0]), None)


def preview(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the preview of a task of a module, or None if there is nothing to say."""
    task = task_of(rules, state, state.units[asked.unit], picked.choice)
    return None if task is None or task.preview is None else task.preview(rules, state, state.units[asked.unit], picked)


def free(game: FadGame, unit: str) -> Steps[None]:
    """Take the marker off the figures that took part in a task, when their unit's activation ends."""
    busy = tuple(key for key, figure in game.unit(unit).figures.items() if BUSY in figure.conditions)
    if busy:
        yield FiguresLost(unit, busy, BUSY, RULE)


def _asked(game: FadGame, unit_id: str, done: set[str]) -> Asked:
    rules, state = game.rules, game.believed(game.state.seat_of(unit_id))
    unit = state.units[unit_id]
    # fad4/action.command: two different ones, and no bonus to the shot
    left = [task for task in rules.tasks(state, unit) if (task.of or task.key) not in done]
    choices = [each for task in left for each in _ways(rules, state, unit, task)]
    default = Picked(DONE)
    if FIRE not in done:
        shoot = _shoot(rules, state, unit)
        choices.insert(0, shoot)
        if not done and shoot.why is None:
            default = Picked(FIRE, (UnitNamed(_nearest(shoot)),))
    choices.append(Choice(DONE, "Nothing more" if done else "Nothing", RULE))
    return Asked(f"{unit.name}: Command, {_ORDER[len(done)]}", tuple(choices), default, RULE, unit_id)


def _ways(rules: FadRules, state: State, unit: Unit, task: Task) -> tuple[Choice, ...]:
    """Return the choices of a task: those that say more, or else the one that names it."""
    return (task.ways(rules, state, unit) if task.ways else ()) or (task.offer(rules, state, unit),)


def _shoot(rules: FadRules, state: State, unit: Unit) -> Choice:
    said = "Without a bonus." if rules.has_action(OPEN_FIRE) else ""
    return target_choice(FIRE, "Shoot", RULE, said, targets(rules, state, unit.id))


def _nearest(shoot: Choice) -> str:
    (parameter,) = shoot.parameters
    assert isinstance(parameter, UnitParameter), "a choice of a target"
    return next(candidate.unit for candidate in parameter.candidates if candidate.why is None)


def _fire(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    shot = aim(game.rules, game.state, unit, named.unit)
    assert isinstance(shot, Shot), "only legal targets are offered"
    yield from fire_at(game, unit, picked)
    # Who shoots takes part in nothing else.
    yield FiguresGained(unit, shot.firing, BUSY, RULE)


def able(unit: Unit) -> tuple[str, ...]:
    """Return the figures of a unit that can still take part in a task, in roster order."""
    # fad4/tech.weapon-tables: bots help in no task
    return tuple(key for key in fighting(unit) if BUSY not in unit.figures[key].conditions)
