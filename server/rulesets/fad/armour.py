"""How armour works: as a fixed rating, or with a die of the defender for each hit. The edition decides which."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.shared.previews import odds


class Armour(Struct, frozen=True, kw_only=True):
    """The procedures and numbers of one kind of armour.

    Attributes:
        rating: the armour of a unit, without what counts in the place of the defender's die.
        passive: what counts in its place; 0 if a die is rolled, or if the rating is all.
        lowered: what a weapon's armour piercing leaves of that rating.
        saves: rolls the defender's die for each hit; returns 0 for each hit if the defender rolls no dice.
        kills: the chance that a hit takes its figure out, from the rating minus the weapon's damage bonus.
        squad: the distribution of how many of some hits kill if one roll counts for all of them, from the number of hits and
            the rating minus the damage bonus.
        rolls: whether the defender rolls.
        reach: what the damage die must reach, in words.
        title: the label of that number in a preview.
    """

    rating: Callable[[FadRules, State, Unit], int]
    lowered: Callable[[FadRules, int, int], int]
    saves: Callable[[FadGame, str, int], Steps[tuple[int, ...]]]
    kills: Callable[[int], Fraction]
    squad: Callable[[int, int], dict[int, Fraction]]
    reach: Callable[[int], str]
    title: str
    passive: Callable[[FadRules], int] = lambda _: 0
    rolls: bool = False


DAMAGE_MODE = "damage_mode"
"""The option that says what is rolled for damage where the defender rolls too."""
PASSIVE, SQUAD = "passive", "squad"
"""Two of its values: the defender rolls no die, and one roll counts for the squad."""


def armour_of(rules: FadRules, state: State) -> Armour:
    """Return how armour works in this match."""
    if rules.book.tables.armour.fixed:
        return FIXED
    # fad5/damage.passive
    return COUNTED if state.options.get(DAMAGE_MODE) == PASSIVE else ROLLED


def unsaved(hits: int, damage: int, armour: int) -> int:
    """Return how many hits kill: one is saved for each point by which the armour is above the damage
    (fad4/damage.squad-based).
    """
    return max(0, hits - max(0, armour - damage))


# --- a fixed rating -------------------------------------------------------------------------------------------------


def base(state: State) -> int:
    """Return the armour base of a match, to which armour adds (fad4/tech.personal-armour)."""
    number = state.options.get("armour_base", 4)
    assert isinstance(number, int), "the option is a whole number"
    return number


def _based(rules: FadRules, state: State, unit: Unit) -> int:
    # fad4/tech.personal-armour: on this match's armour base
    return base(state) + _modifier(rules, state, unit)


def _lowered(rules: FadRules, printed: int, piercing: int) -> int:
    return pierced(rules, printed, piercing, rules.book.tables.armour.piercing_floor)


def pierced(rules: FadRules, printed: int, piercing: int, floor: int) -> int:
    """Return what armour piercing leaves of a fixed rating: tested on the printed rating, and never below the floor
    (fad4/damage.armour-piercing).
    """
    return printed if printed <= rules.book.tables.armour.piercing_above else max(printed - piercing, floor)


def _unrolled(_game: FadGame, _target: str, hits: int) -> Steps[tuple[int, ...]]:
    yield from ()
    return (0,) * hits


def _one_die(hits: int, need: int) -> dict[int, Fraction]:
    return odds.over(odds.highest(1), lambda face: {unsaved(hits, face, need): Fraction(1)})


FIXED = Armour(
    rating=_based,
    lowered=_lowered,
    saves=_unrolled,
    kills=odds.at_least,
    squad=_one_die,
    reach=str,
    title="Armour to reach",
)


# --- a die for each hit ---------------------------------------------------------------------------------------------


def _modifier(rules: FadRules, _state: State, unit: Unit) -> int:
    return modifier(rules, unit)


def modifier(rules: FadRules, unit: Unit) -> int:
    """Return what a unit's armour adds, with what its suits add to that."""
    return rules.armour(unit).modifier + sum(line.amount for line in rules.trait_lines("armour", unit))


def _not_lowered(_rules: FadRules, printed: int, _piercing: int) -> int:
    return printed


def _rolled(game: FadGame, target: str, hits: int) -> Steps[tuple[int, ...]]:
    faces = yield from roll(hits, purpose="armour")
    side = game.unit(target).side
    yield Rolled("armour", "tech.personal-armour", faces, outcome=str(sum(faces)), side=side, unit=target)
    return faces


def _against_a_die(need: int) -> Fraction:
    return odds.opposed(-need)


def _two_dice(hits: int, need: int) -> dict[int, Fraction]:
    return odds.over(odds.highest(1), lambda defence: _one_die(hits, need + defence))


def _with_a_die(rating: int) -> str:
    return f"1D6 {rating:+d}"


ROLLED = Armour(
    rating=_modifier,
    lowered=_not_lowered,
    saves=_rolled,
    kills=_against_a_die,
    squad=_two_dice,
    reach=_with_a_die,
    title="Armour to reach (plus 1D6 for each hit)",
    rolls=True,
)


# --- the same, with a number in the place of the die ----------------------------------------------------------------


def _counted(rules: FadRules) -> int:
    return rules.book.tables.armour.passive


COUNTED = replace(FIXED, rating=_modifier, lowered=_not_lowered, passive=_counted)
