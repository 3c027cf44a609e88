"""How armour stands against damage: as a fixed rating, or with a die of the defender for each hit, as the edition has it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from msgspec import Struct

from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.shared.previews import odds


class Armour(Struct, frozen=True, kw_only=True):
    """How armour stands against damage.

    `rating` is the armour of a unit, and `lowered` what a weapon's armour piercing leaves of it. `saves` rolls what the
    defender rolls, a die for each hit, and returns 0 for each where it rolls none. `kills` is the chance that a hit takes its
    figure out which needs so much more than its bonus. `reach` is what must be reached, in words, and `title` what stands over
    it in a preview.
    """

    rating: Callable[[FadRules, State, Unit], int]
    lowered: Callable[[FadRules, int, int], int]
    saves: Callable[[FadGame, str, int], Steps[tuple[int, ...]]]
    kills: Callable[[int], Fraction]
    reach: Callable[[int], str]
    title: str


def armour_of(rules: FadRules) -> Armour:
    """How armour works in the edition."""
    return FIXED if rules.book.tables.armour.fixed else ROLLED


# --- a fixed rating ---------------------------------------------------------------------------------------------------


def _based(rules: FadRules, state: State, unit: Unit) -> int:
    # fad4/tech.personal-armour: on this match's armour base
    base = state.options.get("armour_base", 4)
    assert isinstance(base, int), "the option is a whole number"
    return base + rules.armour(unit).modifier


def _lowered(rules: FadRules, printed: int, piercing: int) -> int:
    # fad4/damage.armour-piercing: tested on the printed rating, and never below the floor
    if printed <= rules.book.tables.armour.piercing_above:
        return printed
    return max(printed - piercing, rules.book.tables.armour.piercing_floor)


def _unrolled(_game: FadGame, _target: str, hits: int) -> Steps[tuple[int, ...]]:
    yield from ()
    return (0,) * hits


FIXED = Armour(
    rating=_based,
    lowered=_lowered,
    saves=_unrolled,
    kills=odds.at_least,
    reach=str,
    title="Armour to reach",
)


# --- a die for each hit -----------------------------------------------------------------------------------------------


def _modifier(rules: FadRules, _state: State, unit: Unit) -> int:
    return rules.armour(unit).modifier


def _not_lowered(_rules: FadRules, printed: int, _piercing: int) -> int:
    return printed


def _rolled(game: FadGame, target: str, hits: int) -> Steps[tuple[int, ...]]:
    faces = yield from roll(hits, purpose="armour")
    side = game.unit(target).side
    yield Rolled("armour", "tech.personal-armour", faces, outcome=str(sum(faces)), side=side, unit=target)
    return faces


def _against_a_die(need: int) -> Fraction:
    return odds.opposed(-need)


def _with_a_die(rating: int) -> str:
    return f"1D6 {rating:+d}"


ROLLED = Armour(
    rating=_modifier,
    lowered=_not_lowered,
    saves=_rolled,
    kills=_against_a_die,
    reach=_with_a_die,
    title="Armour to reach, beside 1D6 for each hit",
)
