"""Positions in which squads fight hand to hand and break sooner than in any scenario."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from client_protocol.shapes import OptionValue
from server.kernel.state import State
from server.rulesets.fad.bots import BOT_KINDS, GUN_BOT
from server.rulesets.fad.game import SNIPER_RIFLE
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.variants import Weapons
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared.setup.book import ALWAYS, ON
from tests.support.battlefield import battle, fad, line, piece, unit, vehicle
from tests.support.tabletop import Row

Vehicles = Callable[[random.Random, Book, str, float, Mapping[str, OptionValue]], list[Row]]
"""Makes the vehicles of a side, in a line at this height."""


def position(
    chance: random.Random,
    options: Mapping[str, OptionValue],
    edition: str = "fad4",
    terrain: Sequence[Row] = (),
    between: Callable[[float], Sequence[Row]] = lambda _: (),
    vehicles: Vehicles | None = None,
) -> State:
    """Return a position with two or three squads a side, 8 to 12 inches apart, of every kind: large, tiny, rabble, half dead,
    marked; and vehicles, by default those of FAD 4. `terrain` are more pieces, and so are those `between` the lines, given where
    these six inches begin in the south.
    """
    apart = chance.choice([8.0, 9.0, 10.0, 12.0])
    south = chance.choice([2.0, 12.0, 24.0])
    units = [
        squad(chance, fad(edition).book, side, 3 + 15.0 * place, y, options)
        for side, y in (("blue", south), ("red", south + apart + 1))
        for place in range(chance.randrange(2, 4))
    ]
    for side, y in (("blue", south), ("red", south + apart + 1)):
        behind = 2.2 if side == "red" else -2.2 if south > 2 else 1.5
        units += _with_squads(chance, fad(edition).book, side, units, y + behind, _played(fad(edition).book, options))
    if south > 2:
        rear = {"blue": south - 5, "red": south + apart + 6}
        for side, y in rear.items():
            units += (vehicles or _vehicles)(chance, fad(edition).book, side, y, options)
    pieces = [
        piece("wall", (2, south + 5), (12, south + 5)),
        piece("dense_woods", (16, south + 2), (24, south + 7)),
        piece("cliff", (26, south + 3), (28, south + 7)),
        piece("ruin", (32, south - 2), (40, south + 4), flags=["demolishable"]),
    ]
    return battle(
        *units,
        terrain=[*pieces, *terrain, *between(south + 2.2)],
        options=options,
        phase="turn",
        turn=0,
        first="",
        active="",
        rules=fad(edition),
        assets=_assets(chance, fad(edition).book) if options.get("indirect_fire") == ON else None,
    )


def _played(book: Book, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return the options, with what an edition always plays switched on."""
    return {**options, **{module: ON for module, how in book.edition.modules.items() if how == ALWAYS}}


def _assets(chance: random.Random, book: Book) -> dict[str, list[Row]]:
    """Return some batteries off the table, of every kind."""
    kinds, qualities = list(book.heavy_weapons), list(book.qualities)
    found: dict[str, list[Row]] = {}
    for side in ("blue", "red"):
        rows: list[Row] = []
        for number in range(chance.randrange(3)):
            row: Row = {"id": f"{side}-gun-{number}", "name": f"Gun {number}", "weapon": chance.choice(kinds)}
            more: tuple[Row, ...] = ({}, {"strikes": 1}, {"lost": True}, {"quality": chance.choice(qualities)})
            rows.append(row | chance.choice(more))
        found[side] = rows
    return found


_HAND_TO_HAND = ("assault_troops", "shock_troops", "weak")
"""Traits of squads that some editions have."""


def _changed(chance: random.Random, book: Book, weapon: str, weapons: Weapons) -> str:
    """Return a weapon, now and then with traits and rounds that fit it."""
    if chance.randrange(3):
        return weapon
    lists: dict[Weapons, Mapping[str, object]] = {
        "small_arm": book.small_arms,
        "support": book.support_weapons,
        "heavy": book.heavy_weapons,
    }
    rows = lists[weapons]
    traits = [f"{weapon}.{key}" for key in book.weapon_traits if f"{weapon}.{key}" in rows]
    made = chance.choice([weapon, *traits])
    rounds = [key for key, row in book.munitions.items() if row.fits(weapon)] if weapons == "heavy" else []
    sampled = chance.sample(rounds, min(len(rounds), chance.randrange(4)))
    picked = [key for key in rounds if key in sampled]
    mixed = "_".join(picked) if len(picked) > 1 and chance.randrange(3) == 0 else ".".join(picked)
    return f"{made}.{mixed}" if mixed and len(f"{made}.{mixed}") <= 60 else made


def _gear(chance: random.Random, book: Book, armour: str, roles: Sequence[str], figures: int) -> dict[str, object]:
    """Return grenades, gear and upgrades of suits, which go together with what a squad has."""
    if not book.weapon_traits["terror"].heavy:
        return {}  # the edition has no technology
    heavy = any(role in book.heavy_weapons for role in roles)
    own = ["haze", "defensive", "jinx", "razorfield"]
    found = [f"{name}_grenades" for name in own if chance.randrange(5) == 0]
    found += [name for name in ("dazzle_suits", "haywire_emitter", "guarded_systems") if chance.randrange(6) == 0]
    powered = "powered" in book.armours[armour].traits
    found += [name for name in ("short_range_warp", "warp_receiver") if chance.randrange(4) == 0]
    if not heavy and (powered or figures > 1) and chance.randrange(6) == 0:
        found.append("regen_unit")
    if powered:
        upgrades = ["scout_suit", "gunner_suit", "shielded_suit", *([] if heavy else ["assault_suit"])]
        worn = chance.sample(upgrades, chance.randrange(3))
        found += worn or (["crude_suit"] if chance.randrange(3) == 0 else [])
        if "crude_suit" not in found and "soldier_boys" in book.traits and chance.randrange(3) == 0:
            found.append("soldier_boys")
    return dict.fromkeys(found, True)


def _own(chance: random.Random, options: Mapping[str, OptionValue], *, placed: bool) -> dict[str, object]:
    """Return the traits of a squad that modules play; some groups that stand on the table obey no side."""
    civil = chance.randrange(8) == 0
    if options.get("noncombatants") == ON and (civil or chance.randrange(4) == 0):
        neutral = placed and chance.randrange(3) == 0
        return {"non_combatant": True, **({"neutral": chance.randrange(3)} if neutral else {})}
    if civil:
        return {"non_combatant": True}
    if options.get("demolitions") == ON and chance.randrange(2) == 0:
        return {"demolition_charges": chance.randrange(1, 4)}
    return {}


def squad(
    chance: random.Random,
    book: Book,
    side: str,
    x: float | None,
    y: float,
    options: Mapping[str, OptionValue],
    *,
    most: int = 10,
) -> Row:
    """Return a squad of at most so many figures, in a line from (x, y) on; off the table if `x` is None."""
    figures = chance.choice([number for number in (1, 2, 3, 5, 5, 8, 10) if number <= most])
    lost = chance.randrange(figures) if chance.randrange(3) == 0 else 0
    small_arm, armour = (
        chance.choice([arm for arm in book.small_arms if arm != SNIPER_RIFLE]),
        chance.choice(list(book.armours)),
    )
    powered = "powered" in book.armours[armour].traits
    weapons = [row.id for row in book.support_weapons.values() if powered or "powered_armour_only" not in row.traits]
    support = chance.sample(weapons, chance.randrange(min(3, figures)))
    if chance.randrange(3) == 0 and figures > len(support):
        aimed = not powered or options.get("weapon_teams") == ON
        support.append(chance.choice([key for key, row in book.heavy_weapons.items() if aimed or row.blasts]))
    support = [_changed(chance, book, key, "heavy" if key in book.heavy_weapons else "support") for key in support]
    small_arm = _changed(chance, book, small_arm, "small_arm")
    places = None if x is None else line((x, y), figures, chance.choice([1.4, 2.5]) if figures <= 5 else 1.3)
    quality, resolve = chance.choice(["rabble", *book.qualities]), chance.choice(list(book.resolves))
    leader = figures > len(support) and chance.randrange(2) == 0
    marks = chance.choice([(), (), ("under_fire",), ("pinned",), ("broken",), ("broken", "under_fire")])
    if not book.resolves[resolve].broken(lost, figures):
        # A unit is Broken only by losses that count.
        marks = tuple(mark for mark in marks if mark != "broken")
    own = _own(chance, options, placed=x is not None)
    if "non_combatant" in own and options.get("noncombatants") == ON:
        quality = next(iter(book.qualities))
    if powered and "linked" in book.traits and chance.randrange(2) == 0:
        own["linked"] = True
    own |= {trait: True for trait in _HAND_TO_HAND if trait in book.traits and chance.randrange(6) == 0}
    own |= _gear(chance, book, armour, support, figures)
    row = unit(
        side,
        places,
        lost=lost,
        quality=quality,
        resolve=resolve,
        small_arm=small_arm,
        armour=armour,
        support=support,
        leader=leader,
        conditions=marks,
        traits=own,
        figures=figures,
    )
    if "broken" not in marks:
        _lie(chance, book, row, options)
    if "demolition_charges" in own and chance.randrange(2):
        row["figures"][0]["engineer"] = True  # type: ignore[index]  # the rows of figures
    if figures == 1 and options.get("snipers") == ON and "non_combatant" not in own:
        row |= {"sniper": True, "small_arm": SNIPER_RIFLE}
    if "med_bot" in book.traits and figures > len(support) + 1 and not lost and "non_combatant" not in own:
        _add_bot(chance, book, row)
    return row


def _add_bot(chance: random.Random, book: Book, row: Row) -> None:
    """Make the last man of a squad a bot, now and then."""
    last = row["figures"][-1]  # type: ignore[index]  # the rows of figures
    if chance.randrange(3) == 0 and not last["role"]:
        kind = chance.choice(BOT_KINDS)
        last[kind] = True
        if kind == GUN_BOT:
            last["role"] = chance.choice([key for key, one in book.support_weapons.items() if not one.traits])


def _lie(chance: random.Random, book: Book, row: Row, options: Mapping[str, OptionValue]) -> None:
    """Give the fallen figures of a squad markers, where they are played."""
    marks: tuple[str, ...] = ()
    if options.get("recover_wounded") == ON:
        marks = ("wounded", "wounded", "stabilised")
    elif book.weapon_traits["terror"].heavy and chance.randrange(3) == 0:
        marks = ("stunned",)
    for figure in row["figures"] if marks else ():  # type: ignore[attr-defined]  # the rows of figures
        if figure["fallen"]:
            figure["conditions"] = [chance.choice(marks)]


def _with_squads(
    chance: random.Random, book: Book, side: str, squads: list[Row], y: float, options: Mapping[str, OptionValue]
) -> list[Row]:
    """Return a weapons team and a character behind the squads of a side, where they are played; some attached to one."""
    names = [f"{side}-{place}" for place, row in enumerate((one for one in squads if one["side"] == side), 1)]
    own = [row for row in squads if row["side"] == side]
    for name, row in zip(names, own, strict=True):
        row["id"] = row["id"] or name
    found: list[Row] = []
    for option, make in (("weapon_teams", _team), ("officers", _character)):
        if options.get(option) == ON and chance.randrange(3):
            host = chance.randrange(len(own))
            x = 3 + 15.0 * host + (0.0 if option == "weapon_teams" else 6.0)
            row = make(chance, book, side, (x, y))
            attached = bool(chance.randrange(2)) and (
                option != "weapon_teams" or "attached_teams" in book.edition.modules
            )
            if attached and not own[host].get("sniper"):
                own[host]["conditions"] = [mark for mark in own[host]["conditions"] if mark != "broken"]  # type: ignore[attr-defined]  # a list of marks
                row |= {"attached": names[host], "quality": own[host]["quality"], "resolve": own[host]["resolve"]}
            found.append(row | {"id": f"{side}-{option}"})
    return found


def _team(chance: random.Random, book: Book, side: str, at: tuple[float, float]) -> Row:
    crew = chance.choice([1, 2, 3, 4])
    weapon = _changed(chance, book, chance.choice(list(book.heavy_weapons)), "heavy")
    lost = chance.randrange(crew) if chance.randrange(3) == 0 else 0
    own = {"quality": chance.choice(list(book.qualities)), "resolve": chance.choice(list(book.resolves))}
    places = line(at, crew, 1.3)
    return unit(side, places, figures=crew, support=[weapon], lost=lost, traits={"weapon_team": True}) | own


def _character(chance: random.Random, book: Book, side: str, at: tuple[float, float]) -> Row:
    row = unit(side, [at], figures=1, quality=chance.choice(list(book.qualities)), traits={"officer": True})
    row["figures"][0]["role"] = "officer"  # type: ignore[index]  # the rows of figures
    if "command_suit" in book.traits and chance.randrange(2):
        row |= {"armour": "light-powered", "traits": {"officer": True, "command_suit": True}}
    return row | {
        "leadership": chance.choice(list(book.leaderships)),
        "leader_branch": chance.choice(list(book.branches)),
    }


def _vehicles(chance: random.Random, book: Book, side: str, y: float, options: Mapping[str, OptionValue]) -> list[Row]:
    """Return no vehicle, one, or a squad of two; some with a squad aboard."""
    count = chance.randrange(3)
    crew = {"quality": chance.choice(list(book.qualities)), "resolve": chance.choice(list(book.resolves))}
    mates = {SQUAD: "Wolves"} if count > 1 else {}
    found: list[Row] = []
    for place in range(count):
        carrier, seats = f"{side}-carrier-{place}", chance.choice([0, 5, 10, 10])
        own = _vehicle(chance, book, side, 20 + 9 * place, y, seats)
        found.append(own | crew | mates | {"id": carrier, "seats": seats})
        if seats and chance.randrange(2):
            found.append(squad(chance, book, side, None, 0, options, most=(seats - 1) // 2) | {"aboard": carrier})
    return found


def _vehicle(chance: random.Random, book: Book, side: str, x: float, y: float, seats: int) -> Row:
    weapons = [
        _changed(chance, book, key, "heavy") for key in chance.sample(list(book.heavy_weapons), chance.randrange(1, 4))
    ]
    tokens = chance.choice([0, 0, 0, 1])
    marks: list[str] = ["under_fire"] if chance.randrange(3) == 0 else []
    if tokens:
        marks += chance.choice([["vehicle_damaged"], ["critically_damaged", "vehicle_damaged"]])
    return vehicle(
        side,
        (x, y),
        facing=chance.randrange(360),
        mobility=chance.choice(["fly", "hover", "track", "walk", "wheel"]),
        armour=chance.choice([(0, 0, 0), (3, 0, 0), (6, 4, 3), (9, 6, 4)]),
        weapons=weapons,
        hull=chance.choice([(2.0, 1.5), (4.0, 2.0)]),
        conditions=marks,
        damage_tokens=tokens,
    ) | (
        {"traits": {"cryostasis": True, "warp_receiver": True}}
        if seats and "cryostasis" in book.traits and chance.randrange(2)
        else {}
    )
