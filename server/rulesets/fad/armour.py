"""How armour works: as a fixed rating, or with a die of the defender for each hit. The edition decides which."""

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
    """The procedures and numbers of one kind of armour.

    Attributes:
        rating: the armour of a unit.
        lowered: what a weapon's armour piercing leaves of that rating.
        saves: rolls the defender's die for each hit; returns 0 for each hit if the defender rolls no dice.
        kills: the chance that a hit takes its figure out, from the rating minus the weapon's damage bonus.
        reach: what the damage die must reach, in words.
        title: the label of that number in a preview.
    """

    rating: Callable[[FadRules, State, Unit], int]
    lowered: Callable[[FadRules, int, int], int]
    saves: Callable[[FadGame, str, int], Steps[tuple[int, ...]]]
    kills: Callable[[int], Fraction]
    reach: Callable[[int], str]
    title: str


def armour_of(rules: FadRules) -> Armour:
    """Return how armour works in the edition."""
    return FIXED if rules.book.tables.armour.fixed else ROLLED


# --- a fixed rating -------------------------------------------------------------------------------------------------


def base(state: State) -> int:
    """Return the armour base of a match, to which armour adds (fad4/tech.personal-armour)."""
    number = state.options.get("armour_base", 4)
    assert isinstance(number, int), "the option is a whole number"
    return number


def _based(rules: FadRules, state: State, unit: Unit) -> int:
    # fad4/tech.personal-armour: on this match's armour base
    return base(state) + rules.armour(unit).modifier


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


# --- a die for each hit ---------------------------------------------------------------------------------------------


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
    title="Armour to reach (plus 1D6 for each hit)",
)
