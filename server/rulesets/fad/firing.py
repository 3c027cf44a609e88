"""Asking a seat for a target, and shooting at it."""

from __future__ import annotations

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed
from server.kernel.answers.check import Asked
from server.kernel.procedure import Steps, ask
from server.rulesets.fad import shooting
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.shot import Shot, aim, targets
from server.rulesets.shared.targets import target_choice as targets_of


def target_choice(
    key: str, label: str, rule: str, consequence: str, candidates: tuple[Candidate, ...], when: str = "shoot.when"
) -> Choice:
    """Return a choice that names a target; `when` is the rule to show if there is no enemy on the table."""
    return targets_of(key, label, rule, consequence, candidates, when)


def fire_at(game: FadGame, unit: str, picked: Picked, *, open_fire: bool = False) -> Steps[None]:
    """Shoot at the target that `picked` names."""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    shot = aim(game.rules, game.state, unit, named.unit)
    assert isinstance(shot, Shot), "only legal targets are offered"
    yield from shooting.shoot(game, shot, open_fire=open_fire)


def offer_shot(game: FadGame, unit: str) -> Steps[None]:
    """Offer a shot at the end of a move, if there is a target."""
    state = game.believed(game.state.seat_of(unit))
    fire = target_choice("fire", "Fire", "shoot.when", "", targets(game.rules, state, unit))
    if fire.why is not None:
        return
    choices = (fire, Choice("hold-fire", "Hold fire", "shoot.when"))
    asked = Asked(f"{state.units[unit].name} may shoot", choices, Picked("hold-fire"), "shoot.when", unit)
    picked = yield from ask(state.seat_of(unit), asked)
    if picked.choice == "fire":
        yield from fire_at(game, unit, picked)
