"""Batteries off the table: what a side can call, as a setup or the match gives it, and what is noted of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from client_protocol.choices import Why
from client_protocol.view import CardLine
from server.kernel.errors import RulesetError
from server.kernel.notes import Note, number, word
from server.kernel.space.geometry import inches_text
from server.kernel.state import Asset, State, changed
from server.rulesets.fad import supply
from server.rulesets.fad.game import QUALITY, FadRules
from server.rulesets.fad.setup.book import HeavyWeapon, Quality
from server.rulesets.fad.setup.variants import LOADED, MIXED, round_name
from server.rulesets.shared.setup import admission

RULE = "adv.artillery-assets"
LOST_RULE = "adv.artillery-timing"

WEAPON = "weapon"
STRIKES = "strikes"
"""How many strikes are left; without this note they are not counted."""
CALLED = "called"
"""The last turn in which it was called."""
LOST = "lost"
"""Whether contact with it is lost for good."""

GIVEN = "off_table_artillery"
"""The option by which each side has a battery more than the scenario says."""
NONE = "none"
HIDDEN = "hidden_forces"
"""The option by which the other side does not know of a battery before it is called."""
SUPPORT = "match-support"
"""The id of the battery that the match gives each side."""
MOST = 8
"""The most assets of a side that a setup may have."""
MOST_TURNS = 1_000


def profile(rules: FadRules, name: str, other: Mapping[str, object]) -> dict[str, Note]:
    """Return the profile of a battery in a setup. Raises `RulesetError`."""
    table, weapons, qualities = rules.book.tables.artillery, rules.book.heavy_weapons, rules.book.qualities
    weapon, quality = other.get(WEAPON), other.get(QUALITY, table.quality)
    if not isinstance(weapon, str) or weapon not in weapons or LOADED in weapon:
        raise RulesetError(f"{name}: {WEAPON} {weapon!r} is not one of {', '.join(weapons)}")
    if not isinstance(quality, str) or quality not in qualities:
        raise RulesetError(f"{name}: {QUALITY} {quality!r} is not one of {', '.join(qualities)}")
    found: dict[str, Note] = {WEAPON: weapon, QUALITY: quality}
    for key, most in ((STRIKES, table.most_strikes), (CALLED, MOST_TURNS)):
        if key in other:
            found[key] = admission.number(f"{name}: {key}", other[key], 0, most)
    if LOST in other:
        if not isinstance(other[LOST], bool):
            raise RulesetError(f"{name}: {LOST} is true or false, not {other[LOST]!r}")
        found[LOST] = bool(other[LOST])
    unknown = set(other) - {WEAPON, QUALITY, STRIKES, CALLED, LOST}
    if unknown:
        raise RulesetError(f"{name} has unknown fields: {', '.join(sorted(unknown))}")
    return found


def given(rules: FadRules, state: State) -> State:
    """Return a position in which each side has what the match gives it, and batteries that were never called are hidden if
    rosters are.
    """
    kind = state.options.get(GIVEN, NONE)
    hides = state.options.get(HIDDEN) is True
    for side in state.sides.values():
        own = dict(side.off_table)
        if isinstance(kind, str) and kind != NONE and SUPPORT not in own and len(own) < MOST:
            name = f"{rules.book.heavy_weapons[kind].name} battery"
            own[SUPPORT] = Asset(SUPPORT, name, {WEAPON: kind, QUALITY: rules.book.tables.artillery.quality})
        # Where something may be hidden, each side has a list, so that none says by having one that it is not empty.
        if own or hides:
            shown = {key: replace(asset, hidden=hides and not called(asset)) for key, asset in own.items()}
            state = replace(state, sides=changed(state.sides, side.id, replace(side, assets=shown)))
    return state


def weapon_of(rules: FadRules, asset: Asset) -> HeavyWeapon:
    """Return the weapon of a battery."""
    return rules.book.heavy_weapons[word(asset.profile, WEAPON)]


def quality_of(rules: FadRules, asset: Asset) -> Quality:
    """Return the Quality of its crew."""
    return rules.book.qualities[word(asset.profile, QUALITY)]


def called(asset: Asset) -> int:
    """Return the last turn in which a battery was called; 0 if it never was."""
    return number(asset.profile, CALLED, 0)


def strikes_left(asset: Asset) -> int | None:
    """Return how many strikes a battery has left; None if they are not counted."""
    return number(asset.profile, STRIKES) if STRIKES in asset.profile else None


def silent(state: State, asset: Asset) -> Why | None:
    """Return why a battery off the table cannot be called now; None if it can."""
    if asset.profile.get(LOST) is True:
        return Why(f"Contact with {asset.name} is lost for good.", LOST_RULE)
    if strikes_left(asset) == 0:
        return Why(f"{asset.name} has no strike left.", RULE)
    if 0 < called(asset) == state.turn.number:
        # adv.artillery-assets: one call a turn, whether it came through or not
        return Why(f"{asset.name} was called this turn.", RULE)
    return None


def card(rules: FadRules, state: State, asset: Asset) -> tuple[CardLine, ...]:
    """Return the lines of a battery's card."""
    weapon, quality = weapon_of(rules, asset), quality_of(rules, asset)
    if weapon.blasts:
        does = f"blast {inches_text(weapon.radius)}, damage +{weapon.damage}"
        kind = "adv.artillery-blast-resolution"
    else:
        effect = f"Fire Effect +{weapon.fire_effect}, " if weapon.fire_effect else ""
        does = f"{effect}damage +{weapon.damage}, AP {weapon.armour_piercing}"
        kind = "adv.artillery-non-blast"
    left = strikes_left(asset)
    sides = (key for key, side in state.sides.items() if side.off_table.get(asset.id) == asset)
    runs_out = tuple(line for side in sides for line in supply.told(state, supply.of_battery(side, asset.id)))
    if asset.profile.get(LOST) is True:
        status = CardLine("Status", "contact lost", LOST_RULE)
    elif left == 0:
        status = CardLine("Status", "out of shells", RULE)
    elif 0 < called(asset) == state.turn.number:
        status = CardLine("Status", "called this turn", RULE)
    else:
        status = CardLine("Status", "ready", RULE)
    lines = [
        CardLine("Weapon", f"{weapon.name}, {does}", kind),
        CardLine("Crew", f"{quality.name} ({quality.need}+)", "adv.artillery-accuracy"),
    ]
    if weapon.rounds:
        named = (round_name([rules.book.munitions[one] for one in load.split(MIXED)]) for load in weapon.rounds)
        lines.append(CardLine("Rounds", ", ".join(named), "tech.munitions"))
    if left is not None:
        lines.append(CardLine("Strikes left", str(left), RULE))
    return (*lines, *runs_out, status)
