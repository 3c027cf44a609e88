"""A unit's card, and the names of its roles and conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from client_protocol.view import CardLine, Word
from server.kernel.ruleset import Gear
from server.kernel.space.geometry import inches_text
from server.kernel.state import OVER, State, Unit
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.game import LEADER, FadRules
from server.rulesets.fad.movement import MOVE, CoherencyDistance, allowance
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.shot import band_limits
from server.rulesets.shared.setup.deployment import NO_ROOM
from server.rulesets.shared.turns import ACTIVATIONS, DEPLOYMENT, NEXT_TURN

_WORDS = {
    DEPLOYMENT: Word("Deployment", "The sides place their units.", "setup.victory"),
    NEXT_TURN: Word("End of the turn", "The next turn is about to begin.", "turn.structure"),
    ACTIVATIONS: Word("Activations", "The sides activate one unit each in turn.", "turn.alternate-activation"),
    OVER: Word("Over", "The match has ended.", "setup.victory"),
    "destroyed": Word("Destroyed", "All its figures are out of action.", "damage.infantry"),
    "routed": Word("Routed", "It routed or surrendered.", "morale.rout"),
    NO_ROOM: Word("No room", "Its deployment zone had no free space for it.", "setup.victory"),
    "left_table": Word("Left the table", "It fell back off the table.", "assault.fall-back"),
}


def words(book: Book, conditions: Iterable[str]) -> dict[str, Word]:
    """Return the names of these conditions of the edition, of the phases, and of the reasons for which units leave."""
    rows = (book.conditions[key] for key in conditions)
    return {row.id: Word(row.name, row.text, row.rule) for row in rows} | _WORDS


def card(rules: FadRules, state: State, unit: Unit) -> tuple[CardLine, ...]:
    """Return the lines of `unit`'s card, as it stands."""
    quality, resolve, arm, armour = rules.quality(unit), rules.resolve(unit), rules.small_arm(unit), rules.armour(unit)
    limits = band_limits(rules, unit)
    breaks = f"{resolve.casualties} lost" if resolve.casualties else f"{resolve.percent}% lost"
    coherency = rules.advisers.answer(state, CoherencyDistance(unit.id)).value
    model = armour_of(rules)
    lines = [
        CardLine("Figures", f"{unit.strength} of {len(unit.figures)}", "resolve.infantry"),
        CardLine("Quality", f"{quality.name} ({quality.need}+)", "quality.table"),
        CardLine("Resolve", f"{resolve.name} (broken at {breaks})", "resolve.infantry"),
        CardLine("Weapon", f"{arm.name}, damage +{arm.damage}", "tech.weapon-tables"),
    ]
    lines += [CardLine("Support", value, "shoot.support-weapons") for value in _support(rules, unit)]
    ranges = f"base {inches_text(limits['base'])}, close {inches_text(limits['close'])}, medium {inches_text(limits['medium'])}"
    lines += [
        CardLine("Range", f"{ranges}, long {inches_text(limits['long'])}", "shoot.range-bands"),
        CardLine("Armour", f"{armour.name} ({model.reach(model.rating(rules, state, unit))})", "tech.personal-armour"),
        CardLine("Move", inches_text(allowance(rules, state, unit.id, MOVE).value), "move.infantry"),
        CardLine("Coherency", inches_text(coherency), "coherency.distance"),
        CardLine("Fire Priority", f"{rules.chapters.fire.priority(rules, unit)} closest", "shoot.fire-priority"),
    ]
    return (*lines, *rules.module_card(state, unit), *rules.trait_card(unit))


def _support(rules: FadRules, unit: Unit) -> Iterator[str]:
    """Yield a line on each kind of support weapon in `unit`: what it adds, or why it adds nothing
    (fad4/shoot.support-weapons).
    """
    carried = Counter(weapon.id for _, weapon in rules.carried(unit))
    for weapon_id, number in carried.items():
        weapon = rules.book.support_weapons[weapon_id]
        effect = "+1D6" if weapon.fire_effect_die else f"+{weapon.fire_effect}"
        times = f"{number} × " if number > 1 else ""
        hand_to_hand = f", +{weapon.assault_bonus} in a close assault" if weapon.assault_bonus else ""
        yield f"{times}{weapon.name}, {effect} up to {weapon.band} range{hand_to_hand}"
    if not carried:
        for figure in unit.living.values():
            idle = rules.support(figure.role)
            if idle is not None:
                yield f"{idle.name} counts for nothing: the last figure fights with the squad's small arm"


def gear(rules: FadRules, role: str) -> Gear:
    """Return what a figure of this role is or carries."""
    weapon = rules.support(role)
    if weapon is not None:
        return Gear(weapon.name, "gun")
    return Gear("Leader", "star") if role == LEADER else Gear()
