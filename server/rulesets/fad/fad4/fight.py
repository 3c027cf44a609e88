"""FAD 4's close assault: all figures of both squads move into contact and fight, and the owners pick their dead."""

from __future__ import annotations

from client_protocol.choices import Choice, DirectionParameter, DirectionTaken, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import centroid, direction
from server.kernel.state import State
from server.rulesets.fad.bots import fighting
from server.rulesets.fad.chapters import Fight, Losses
from server.rulesets.fad.charge import advance, close_in
from server.rulesets.fad.game import BUSY, FadGame, FadRules
from server.rulesets.fad.retreat import Retreat, withdraw


def _fighters(_rules: FadRules, state: State, unit: str, _enemy: str) -> tuple[str, ...]:
    # fad4/assault.move-in; fad5/adv.characters.attach: not a character who has acted this turn
    # fad4/tech.weapon-tables: bots do not fight
    own = state.units[unit]
    return tuple(key for key in fighting(own) if BUSY not in own.figures[key].conditions)


def _losses(_rules: FadRules, state: State, unit: str, _enemy: str, _count: int) -> Losses:
    # fad4/assault.select-losses
    return Losses((), fighting(state.units[unit]) or tuple(state.units[unit].living))


def _fall_short(game: FadGame, attacker: str, target: str, manner: str) -> Steps[None]:
    # fad4/assault.move-in: the survivors move as far as they can
    yield from advance(game, attacker, target, manner)
    yield Declared(attacker, "falls-short", "assault.move-in", target)


def _withdraw(game: FadGame, unit: str, enemy: str, length: int, rule: str) -> Steps[None]:
    """Let a squad fall back straight, in a direction that its owner picks (fad4/assault.fall-back)."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    own = [at for at, _ in state.units[unit].places()]
    # A squad that was wiped out has no figures left to fall back from, so its last places count.
    foe = state.units[enemy]
    theirs = [at for at, _ in foe.places()] or [figure.at for figure in foe.figures.values() if figure.at is not None]
    away = direction(centroid(theirs), centroid(own))
    bend = 100 * game.rules.book.tables.close_assault.fall_back_bend
    cone = DirectionParameter("Direction", unit, away, bend, length)
    choice = Choice("fall-back", "Fall back", rule, "Straight away, or bent towards cover.", (cone,))
    asked = Asked(
        f"{state.units[unit].name} falls back", (choice,), Picked("fall-back", (DirectionTaken(away),)), rule, unit
    )
    picked = yield from ask(seat, asked)
    taken = picked.values[0]
    assert isinstance(taken, DirectionTaken), "checked against the choice"
    yield from withdraw(game, unit, Retreat(enemy, taken.angle, length, away, bend, rule))


FIGHT = Fight(gather=close_in, fighters=_fighters, losses=_losses, fall_short=_fall_short, withdraw=_withdraw)
