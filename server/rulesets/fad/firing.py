"""Asking a seat for a target, and shooting at it."""

from __future__ import annotations

from functools import partial

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, Why
from server.kernel.answers.check import Asked
from server.kernel.procedure import Steps, ask, ask_later
from server.kernel.state import State
from server.kernel.structs import Fixed
from server.rulesets.fad import blast, shooting
from server.rulesets.fad.fire_priority import by_priority, surely_shoots, targets
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.shot import ALONE, SMALL_ARMS, SMART, Shot, aim, without
from server.rulesets.shared.targets import target_choice as targets_of


def target_choice(
    key: str, label: str, rule: str, consequence: str, candidates: tuple[Candidate, ...], when: str = "shoot.when"
) -> Choice:
    """Return a choice that names a target; `when` is the rule to show if there is no enemy on the table."""
    return targets_of(key, label, rule, consequence, candidates, when)


class Part(Fixed, frozen=True):
    """A part of the fire of a squad with a heavy weapon, as the key of a choice names it.

    Attributes:
        mount: what is aimed (see `server.rulesets.fad.shot.aim`): "" for both parts together.
        open_fire: whether the squad stays and takes the action Open Fire.
        target: the unit that is fired at; "" if the choice has a parameter that names it.
    """

    mount: str
    open_fire: bool
    target: str = ""

    def key(self) -> str:
        """Return the key of its choice."""
        return _BETWEEN.join((_PART, _OPEN if self.open_fire else _PLAIN, self.mount, self.target))


_PART, _OPEN, _PLAIN, _BETWEEN = "part", "open", "plain", "|"
APART = "adv.weapon-teams.separate-targets"
TOGETHER = "adv.weapon-teams.combined-fire"


def part_of(choice: str) -> Part | None:
    """Return the part that a choice fires; None if it is another choice."""
    if not choice.startswith(_PART + _BETWEEN):
        return None
    _, how, mount, target = choice.split(_BETWEEN)
    return Part(mount, how == _OPEN, target)


def fire_at(game: FadGame, unit: str, picked: Picked, *, open_fire: bool = False, alone: bool = False) -> Steps[None]:
    """Shoot at the target that `picked` names. The small arms and the heavy weapon of a squad may fire at it together, or each
    at a target of its own (fad5/adv.weapon-teams.separate-targets), unless no other than this one `alone` may be fired at.
    """
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    crew = game.rules.crew(game.state, game.unit(unit))
    if crew is not None and not crew.whole:
        yield from _fire_parts(game, unit, named.unit, crew.gunner, open_fire=open_fire, alone=alone)
        return
    shot = aim(game.rules, game.state, unit, named.unit)
    assert isinstance(shot, Shot), "only legal targets are offered"
    if alone:
        # Fire Priority does not count, and no weapon has a target of its own.
        yield from shooting.shoot(game, shot, open_fire=open_fire)
        return
    shot = by_priority(game.rules, game.state, shot)
    apart = yield from _smart(game, shot, open_fire=open_fire)
    left = without(game.rules, game.state, shot, frozenset(apart)) if apart else shot
    assert isinstance(left, Shot), "only those are apart without whom the others still fire"
    yield from shooting.shoot(game, left, open_fire=open_fire)
    for figure, target in apart.items():
        lone = aim(game.rules, game.state, unit, target, ALONE + figure)
        if isinstance(lone, Shot) and not game.unit(target).left:
            yield from shooting.shoot(game, lone, open_fire=open_fire)


def _smart(game: FadGame, shot: Shot, *, open_fire: bool) -> Steps[dict[str, str]]:
    """Ask at which other enemies the figures of a squad fire whose support weapons have targets of their own, before any die
    falls; by default they fire with the squad. Return the target of each that fires apart.
    """
    seat, unit, found = game.state.seat_of(shot.shooter), shot.shooter, dict[str, str]()
    for figure, weapon in shot.supporting:
        if SMART not in game.rules.book.support_weapons[weapon].traits:
            continue
        if isinstance(without(game.rules, game.state, shot, frozenset((*found, figure))), Why):
            continue
        state = game.believed(seat)
        rows = tuple(row for row in targets(game.rules, state, unit, ALONE + figure) if row.unit != shot.target)
        key, name = Part(ALONE + figure, open_fire).key(), game.rules.book.support_weapons[weapon].name.lower()
        apart = target_choice(key, f"Fire the {name} at another enemy", "tech.weapon-traits", "With one die.", rows)
        if apart.why is not None:
            continue
        along = Choice("with-squad", "Fire it with the squad", "tech.weapon-traits")
        title = f"{state.units[unit].name}: at whom does its {name} fire?"
        picked = yield from ask(seat, Asked(title, (along, apart), Picked("with-squad"), "tech.weapon-traits", unit))
        if picked.choice == key:
            named = picked.values[0]
            assert isinstance(named, UnitNamed), "checked against the choice"
            found[figure] = named.unit
    return found


def _fire_parts(game: FadGame, unit: str, target: str, gunner: str, *, open_fire: bool, alone: bool) -> Steps[None]:
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    weapon = game.rules.mounted(state.units[unit], gunner).name
    both = aim(game.rules, state, unit, target)
    assert isinstance(both, Shot), "only legal targets are offered"
    found = [("", "Together", TOGETHER)] if both.joined else []
    found += [
        (mount, label, APART)
        for mount, label in ((SMALL_ARMS, "Only the small arms"), (gunner, f"Only the {weapon.lower()}"))
        if isinstance(aim(game.rules, state, unit, target, mount), Shot)
    ]
    mount = found[0][0]
    if len(found) > 1:
        parts = {Part(part, open_fire, target).key(): part for part, _, _ in found}
        choices = tuple(
            Choice(key, label, rule, _SAID[part == ""], preview=True)
            for (key, part), (_, label, rule) in zip(parts.items(), found, strict=True)
        )
        title = f"{state.units[unit].name}: who fires at {state.units[target].name}?"
        picked = yield from ask(seat, Asked(title, choices, Picked(choices[0].key), APART, unit))
        mount = parts[picked.choice]
    shot = aim(game.rules, game.state, unit, target, mount)
    assert isinstance(shot, Shot), "only legal parts are offered"
    yield from shooting.shoot(game, shot, open_fire=open_fire)
    if mount and not alone:
        other = gunner if mount == SMALL_ARMS else SMALL_ARMS
        yield from offer_part(game, unit, other, target, open_fire=open_fire)


_SAID = {True: "One roll for both.", False: "The other part may then fire at another enemy."}


def offer_part(game: FadGame, unit: str, mount: str, spent: str = "", *, open_fire: bool) -> Steps[None]:
    """Offer the fire of one part of a squad, at another target than the one on which the other part's fire is `spent`."""
    if game.unit(unit).left or (mount != SMALL_ARMS and mount not in game.unit(unit).living):
        return
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    own = state.units[unit]
    found = tuple(row for row in targets(game.rules, state, unit, mount) if row.unit != spent)
    what = "small arms" if mount == SMALL_ARMS else game.rules.mounted(own, mount).name.lower()
    fire = target_choice(Part(mount, open_fire).key(), f"Fire the {what}", APART, "", found, APART)
    blasts = () if mount == SMALL_ARMS else tuple(blast.choices(game.rules, state, own))
    able = tuple(choice for choice in (fire, *blasts) if choice.why is None)
    if not able:
        return
    choices = (*able, Choice("hold-fire", "Hold fire", APART))
    asked = Asked(f"{own.name} may fire its {what} too", choices, Picked("hold-fire"), APART, unit)
    picked = yield from ask(seat, asked)
    if picked.choice == fire.key:
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        shot = aim(game.rules, game.state, unit, named.unit, mount)
        assert isinstance(shot, Shot), "only legal targets are offered"
        yield from shooting.shoot(game, shot, open_fire=open_fire)
    elif picked.choice != "hold-fire":
        yield from blast.fire(game, unit, picked)


def offer_shot(game: FadGame, unit: str) -> Steps[None]:
    """Offer a shot at the end of a move, if there is a target, and if the unit has not met its end on the way."""
    if game.unit(unit).left:
        return
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    make = partial(_asked_shot, game.rules, unit)
    if surely_shoots(game.rules, state, unit):
        picked = yield from ask_later(game, seat, make)
    else:
        asked = make(state)
        if asked.choices[0].why is not None:
            return
        picked = yield from ask(seat, asked)
    if picked.choice == "fire":
        yield from fire_at(game, unit, picked)


def _asked_shot(rules: FadRules, unit: str, state: State) -> Asked:
    fire = target_choice("fire", "Fire", "shoot.when", "", targets(rules, state, unit))
    choices = (fire, Choice("hold-fire", "Hold fire", "shoot.when"))
    return Asked(f"{state.units[unit].name} may shoot", choices, Picked("hold-fire"), "shoot.when", unit)
