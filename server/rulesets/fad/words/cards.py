"""A unit's card, and the names of its roles and conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from client_protocol.view import CardLine, Word
from server.kernel.attaching import figures_of
from server.kernel.bodies import is_vehicle
from server.kernel.notes import word
from server.kernel.ruleset import Gear
from server.kernel.space.geometry import inches_text
from server.kernel.state import OVER, Figure, State, Unit
from server.rulesets.fad import plasma_cooler
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.attached import is_character, is_team, rule_of
from server.rulesets.fad.commanders import COMMANDER, platoon
from server.rulesets.fad.commanders import RULE as PLATOON_RULE
from server.rulesets.fad.game import CHARACTER, LEADER, POWERED, FadRules
from server.rulesets.fad.generated import words as generated
from server.rulesets.fad.generated.noting import is_marker
from server.rulesets.fad.melee import KillDice
from server.rulesets.fad.movement import MOVE, CoherencyDistance, allowance
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.shot import BANDS, band_limits
from server.rulesets.fad.words import special_cards, vehicle_card
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
_COOLER = {
    plasma_cooler.COOLER: Word(
        "Plasma Cooler", "It ends the turn: units that have not activated may fire at short range.", plasma_cooler.RULE
    )
}
VEHICLES = {
    "beyond_repair": Word("Beyond repair", "Its crew could not repair it.", "vehicle.beyond-repair"),
    "bailed_out": Word("Abandoned", "Its crew bailed out and fled.", "morale.vehicle-bail-out"),
}


def words(
    book: Book, conditions: Iterable[str], apart: Collection[str] = (), leaving: Collection[str] = ()
) -> dict[str, Word]:
    """Return the names of these conditions of the edition, of the phases, and of the reasons for which units leave, and vehicles
    alone (`leaving`). Figures with those in `apart` stand away from their unit.
    """
    rows = (book.conditions[key] for key in conditions)
    vehicles = {key: VEHICLES[key] for key in leaving}
    cooler = _COOLER if any(option.id == plasma_cooler.OPTION for option in book.edition.option) else {}
    special = special_cards.WORDS if COMMANDER in book.traits else {}
    named = {row.id: Word(row.name, row.text, row.rule, row.id in apart) for row in rows}
    return named | _WORDS | vehicles | cooler | special


def card(rules: FadRules, state: State, unit: Unit) -> tuple[CardLine, ...]:
    """Return the lines of `unit`'s card, as it stands: words that stand for numbers (fad5/unit.profile)."""
    if is_marker(unit):
        return generated.card(state, unit)
    if is_vehicle(unit):
        own = vehicle_card.card(rules, state, unit)
        return (*own, *_platoon(unit), *rules.told_of_vehicle(state, unit), *rules.trait_card(unit))
    quality, resolve, arm, armour = rules.quality(unit), rules.resolve(unit), rules.small_arm(unit), rules.armour(unit)
    limits = band_limits(rules, unit)
    breaks = f"{resolve.casualties} lost" if resolve.casualties else f"{resolve.percent}% lost"
    coherency = rules.advisers.answer(state, CoherencyDistance(unit.id)).value
    model = armour_of(rules, state)
    rating = model.rating(rules, state, unit) + model.passive(rules)
    figures = figures_of(state, unit) if unit.attached else unit.figures
    standing = sum(not figure.fallen for figure in figures.values())
    lines = [
        CardLine("Figures", f"{standing} of {len(figures)}", "resolve.infantry"),
        CardLine("Quality", f"{quality.name} ({quality.need}+)", "quality.table"),
        CardLine("Resolve", f"{resolve.name} (broken at {breaks})", "resolve.infantry"),
        CardLine("Weapon", f"{arm.name}, damage +{arm.damage}", "tech.weapon-tables"),
    ]
    lines += [CardLine("Blast", value, "blast.impact-area") for value in _blast(rules, unit)]
    lines += _attached(rules, state, unit)
    if unit.aboard:
        lines.append(CardLine("Aboard", state.units[unit.aboard].name, "transport.single-unit"))
    lines += [CardLine("Support", value, "shoot.support-weapons") for value in _support(rules, unit)]
    ranges = f"base {inches_text(limits['base'])}, close {inches_text(limits['close'])}, medium {inches_text(limits['medium'])}"
    lines += [
        CardLine("Range", f"{ranges}, long {inches_text(limits['long'])}", "shoot.range-bands"),
        CardLine("Armour", f"{armour.name} ({model.reach(rating)})", "tech.personal-armour"),
        CardLine("Move", inches_text(allowance(rules, state, unit.id, MOVE).value), "move.infantry"),
        CardLine("Coherency", inches_text(coherency), "coherency.distance"),
        CardLine("Fire Priority", f"{rules.chapters.fire.priority(rules, unit)} closest", "shoot.fire-priority"),
    ]
    lines += _platoon(unit)
    lines += [CardLine("Suit", told, "tech.personal-armour") for told in _suit(rules, state, unit)]
    return (*lines, *rules.module_card(state, unit), *rules.trait_card(unit))


def _attached(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    """Yield what a character, or a weapons team, has that others have not, and the unit to which one is attached."""
    if is_character(unit):
        row, branch = rules.book.leaderships[word(unit.profile, "leadership")], word(unit.profile, "leader_branch")
        yield CardLine("Leadership", f"{row.name} (+{row.rating})", "adv.characters.leadership")
        yield CardLine("Branch", rules.book.branches[branch].name, "adv.characters.branch-bonus")
    figures = figures_of(state, unit) if unit.attached else unit.figures
    suited = rules.suits and POWERED in rules.armour(unit).traits
    for figure in figures.values() if is_team(unit) or suited else ():
        weapon = None if figure.fallen else rules.heavy(figure.role)
        # What a squad fires at points has a line of its own.
        if weapon is not None and (is_team(unit) or not weapon.blasts):
            far = inches_text(band_limits(rules, unit, weapon)["long"])
            bonus = f", Fire Effect +{weapon.fire_effect}" if weapon.fire_effect else ""
            told = f"{weapon.name}, up to {far}, damage +{weapon.damage}{bonus}"
            yield CardLine("Heavy weapon", told, "adv.weapon-teams.unit" if is_team(unit) else "tech.suits")
    if unit.attached:
        yield CardLine("Attached to", state.units[unit.attached].name, rule_of(unit))


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


def _suit(rules: FadRules, state: State, unit: Unit) -> Iterator[str]:
    """Yield what a suit does in a close assault, in words, besides stopping shots."""
    armour = rules.armour(unit)
    bonus = armour.assault_bonus + sum(line.amount for line in rules.trait_lines("assault", unit))
    told = [f"+{bonus}"] if bonus else []
    # Of a figure without a weapon that adds to them.
    dice = rules.advisers.answer(state, KillDice(unit.id, "")).value
    if dice > 1:
        told.append(f"{dice} kill dice a figure")
    if armour.deflects:
        told.append(f"deflects kills on {armour.deflects}+")
    if told:
        yield f"{', '.join(told)} in a close assault"


def gear(rules: FadRules, figure: Figure) -> Gear:
    """Return what a figure is or carries, by its role and its traits."""
    weapon = rules.support(figure.role) or rules.heavy(figure.role)
    own = Gear()
    if weapon is not None:
        own = Gear(weapon.name, "gun")
    elif figure.role == CHARACTER:
        own = Gear(rules.book.traits[CHARACTER].name, "star")
    elif figure.role == LEADER:
        own = Gear("Leader", "star")
    elif figure.role in rules.book.small_arms:
        # fad5/shoot.mixed-weapons-range
        own = Gear(rules.book.small_arms[figure.role].name)
    said = (own.words, *(trait.name for trait, _ in rules.borne(figure)))
    return replace(own, words=", ".join(words for words in said if words))


def _platoon(unit: Unit) -> list[CardLine]:
    name = platoon(unit)
    return [CardLine("Platoon", name, PLATOON_RULE)] if name else []
