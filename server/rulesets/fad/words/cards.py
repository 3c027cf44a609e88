"""A unit's card, and the names of its roles and conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from client_protocol.view import CardLine, Word
from server.kernel.bodies import is_vehicle
from server.kernel.ruleset import Gear
from server.kernel.space.geometry import inches_text
from server.kernel.state import OVER, State, Unit
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.game import LEADER, VEHICLE, FadRules
from server.rulesets.fad.movement import MOVE, CoherencyDistance, allowance
from server.rulesets.fad.setup.book import Armour, Book
from server.rulesets.fad.shot import BANDS, band_limits
from server.rulesets.fad.words import vehicle_card
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
_VEHICLES = {
    "beyond_repair": Word("Beyond repair", "Its crew could not repair it.", "vehicle.beyond-repair"),
    "bailed_out": Word("Abandoned", "Its crew bailed out and fled.", "morale.vehicle-bail-out"),
}


def words(book: Book, conditions: Iterable[str]) -> dict[str, Word]:
    """Return the names of these conditions of the edition, of the phases, and of the reasons for which units leave."""
    rows = (book.conditions[key] for key in conditions)
    vehicles = _VEHICLES if VEHICLE in book.edition.actions else {}
    return {row.id: Word(row.name, row.text, row.rule) for row in rows} | _WORDS | vehicles


def card(rules: FadRules, state: State, unit: Unit) -> tuple[CardLine, ...]:
    """Return the lines of `unit`'s card, as it stands."""
    if is_vehicle(unit):
        return (*vehicle_card.card(rules, state, unit), *rules.trait_card(unit))
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
    lines += [CardLine("Blast", value, "blast.impact-area") for value in _blast(rules, unit)]
    if unit.aboard:
        lines.append(CardLine("Aboard", state.units[unit.aboard].name, "transport.single-unit"))
    lines += [CardLine("Support", value, "shoot.support-weapons") for value in _support(rules, unit)]
    ranges = f"base {inches_text(limits['base'])}, close {inches_text(limits['close'])}, medium {inches_text(limits['medium'])}"
    lines += [
        CardLine("Range", f"{ranges}, long {inches_text(limits['long'])}", "shoot.range-bands"),
        CardLine("Armour", f"{armour.name} ({model.reach(model.rating(rules, state, unit))})", "tech.personal-armour"),
        CardLine("Move", inches_text(allowance(rules, state, unit.id, MOVE).value), "move.infantry"),
        CardLine("Coherency", inches_text(coherency), "coherency.distance"),
        CardLine("Fire Priority", f"{rules.chapters.fire.priority(rules, unit)} closest", "shoot.fire-priority"),
    ]
    lines += [CardLine("Suit", told, "tech.personal-armour") for told in _suit(armour)]
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
        fires = rules.book.adds(weapon) if weapon.modes else f"{effect} up to {weapon.band} range"
        told = [fires] if weapon.band in BANDS else []
        if weapon.assault_bonus:
            told.append(f"+{weapon.assault_bonus} in a close assault")
        if weapon.kill_dice:
            told.append(f"{weapon.kill_dice} kill die more in a close assault")
        yield f"{times}{weapon.name}, {', '.join(told)}"
    if not carried:
        for figure in unit.living.values():
            idle = rules.support(figure.role)
            if idle is not None:
                yield f"{idle.name} counts for nothing: the last figure fights with the squad's small arm"


def _blast(rules: FadRules, unit: Unit) -> Iterator[str]:
    """Yield a line on the weapon of `unit` that blasts, if it has one (fad4/blast.strike-effect)."""
    for figure in unit.living.values():
        weapon = rules.heavy(figure.role)
        if weapon is not None and weapon.blasts:
            reach = inches_text(band_limits(rules, unit, weapon)["long"])
            bonus = f", strike +{weapon.fire_effect}" if weapon.fire_effect else ""
            radius = inches_text(weapon.radius)
            yield f"{weapon.name}, radius {radius}, up to {reach}, damage +{weapon.damage}{bonus}{rules.book.footnotes(weapon)}"


def _suit(armour: Armour) -> Iterator[str]:
    """Yield what a suit does in a close assault, in words, besides stopping shots."""
    told = [f"+{armour.assault_bonus}"] if armour.assault_bonus else []
    if armour.kill_dice > 1:
        told.append(f"{armour.kill_dice} kill dice a figure")
    if armour.deflects:
        told.append(f"deflects kills on {armour.deflects}+")
    if told:
        yield f"{', '.join(told)} in a close assault"


def gear(rules: FadRules, role: str) -> Gear:
    """Return what a figure of this role is or carries."""
    weapon = rules.support(role) or rules.heavy(role)
    if weapon is not None:
        return Gear(weapon.name, "gun")
    return Gear("Leader", "star") if role == LEADER else Gear()
