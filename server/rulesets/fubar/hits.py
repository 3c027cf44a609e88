"""Unsaved hits on infantry: its owner chooses which figures fall and which are suppressed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from client_protocol.choices import Assigned, AssignmentParameter, AssignmentRow, Choice, Picked, RowOption
from server.kernel.answers.check import Asked
from server.kernel.facts import FiguresGained
from server.kernel.procedure import Steps, ask
from server.kernel.state import Figure, State, Unit
from server.kernel.traits import has
from server.rulesets.fubar.casualties import fell
from server.rulesets.fubar.game import LEADER, SUPPRESSED, FubarGame, FubarRules, suppressed

CASUALTY = "casualty"
RULE = "fire.unsaved"


def take(game: FubarGame, shooter: str, target: str, seen: Sequence[str], hits: int) -> Steps[None]:
    """Let the owner of `target` give unsaved `hits` to figures of `seen` (nearest first), as suppressed or as casualties."""
    seat = game.state.seat_of(target)
    parameter = parameter_for(game.rules, game.believed(seat), target, seen, hits)
    if parameter is None:
        return
    given = parameter.suggested
    if not _settled(parameter):
        asked = _asked(game.rules, game.state, shooter, target, parameter)
        picked = yield from ask(seat, asked)
        value = picked.values[0]
        assert isinstance(value, Assigned), "checked against the choice"
        given = value.given
    # fubar4/fire.not-both: each figure is given one of the two
    down = tuple(row.key for row in parameter.rows if given.get(row.key) == SUPPRESSED)
    fallen = tuple(row.key for row in parameter.rows if given.get(row.key) == CASUALTY)
    if down:
        yield FiguresGained(target, down, SUPPRESSED, RULE)
    if fallen:
        yield from fell(game, target, fallen, "fire", RULE)


def parameter_for(
    rules: FubarRules, state: State, target: str, seen: Sequence[str], hits: int
) -> AssignmentParameter | None:
    """Return the parameter that asks the owner of `target`, or None if no figure is left that a hit could reach."""
    unit = state.units[target]
    rows = [key for key in seen if key in unit.living]
    # fubar4/fire.unsaved: hits beyond the figures seen are lost
    count = min(hits, len(rows))
    if not count:
        return None
    more = still_suppressible(rules, unit)
    return AssignmentParameter(
        label="One hit per figure",
        unit=target,
        rows=tuple(_row(rules, unit, key, more) for key in rows),
        least=count,
        most=count,
        suggested=_suggested(rules, unit, rows, count, more),
        limits=((SUPPRESSED, more),),
        none="unhurt",
    )


def still_suppressible(rules: FubarRules, unit: Unit) -> int:
    """Return how many more figures of a unit may be suppressed, by the unit's level and not its leader's
    (fubar4/suppress.maximum).
    """
    return max(0, rules.level(unit).max_suppressed - len(suppressed(unit)))


def _row(rules: FubarRules, unit: Unit, key: str, more: int) -> AssignmentRow:
    figure = unit.figures[key]
    options = [RowOption(CASUALTY, "Casualty")]
    # fubar4/fire.unsaved: a figure that is already suppressed cannot be suppressed again
    if more and SUPPRESSED not in figure.conditions:
        options.insert(0, RowOption(SUPPRESSED, "Suppressed"))
    return AssignmentRow(key, " ".join(("Figure", key, *_known_as(rules, figure))), tuple(options), key)


def _known_as(rules: FubarRules, figure: Figure) -> Iterable[str]:
    known = [
        *(["leader"] if has(figure, LEADER) else []),
        *([rules.weapon(figure.role).words] if figure.role in rules.book.weapons else []),
        *(["suppressed"] if SUPPRESSED in figure.conditions else []),
    ]
    return [f"({', '.join(known)})"] if known else []


def _suggested(rules: FubarRules, unit: Unit, rows: Sequence[str], hits: int, more: int) -> dict[str, str]:
    """Return the default: suppress as many as possible, those farthest from the enemy; of the rest the nearest fall.

    The leader and support gunners fall last.
    """
    able = [key for key in reversed(rows) if SUPPRESSED not in unit.figures[key].conditions]
    down = able[: min(more, hits)]
    others = [key for key in rows if key not in down]
    fallen = sorted(others, key=lambda key: worth(rules, unit.figures[key]))[: hits - len(down)]
    return dict.fromkeys(down, SUPPRESSED) | dict.fromkeys(fallen, CASUALTY)


def worth(rules: FubarRules, figure: Figure) -> int:
    """Return the rank of a figure for the default: the leader and support gunners (1) fall after all others (0)."""
    return int(has(figure, LEADER) or figure.role in rules.book.weapons)


def _settled(parameter: AssignmentParameter) -> bool:
    """Return whether there is nothing to choose: every figure is hit, and none can be suppressed."""
    return parameter.most == len(parameter.rows) and all(len(row.options) == 1 for row in parameter.rows)


def _asked(rules: FubarRules, state: State, shooter: str, target: str, parameter: AssignmentParameter) -> Asked:
    unit = state.units[target]
    count = "1 hit" if parameter.most == 1 else f"{parameter.most} hits"
    level, down = rules.level(unit), len(suppressed(unit))
    # fubar4/suppress.maximum
    already = f"; {down} are." if down else "."
    limit = f"Of a {level.name} unit {level.max_suppressed} may be suppressed at once{already}"
    consequence = (
        f"A suppressed figure cannot fire and makes the next activation harder; a casualty is out of the game. {limit}"
    )
    choice = Choice("take-hits", f"Take {count}", "suppress.maximum", consequence, (parameter,))
    default = Picked(choice.key, (Assigned(parameter.suggested),))
    return Asked(f"{unit.name} takes {count} from {state.units[shooter].name}", (choice,), default, RULE, target)
