"""Positions in which squads fight hand to hand and break sooner than in any scenario."""

from __future__ import annotations

import random
from collections.abc import Mapping

from client_protocol.shapes import OptionValue
from server.kernel.state import State
from server.rulesets.fad.game import SNIPER_RIFLE
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared.setup.book import ON
from tests.support.battlefield import battle, fad, line, piece, unit, vehicle
from tests.support.tabletop import Row


def position(chance: random.Random, options: Mapping[str, OptionValue], edition: str = "fad4") -> State:
    """Return a position with two or three squads a side, 8 to 12 inches apart, of every kind: large, tiny, rabble, half dead,
    marked.
    """
    apart = chance.choice([8.0, 9.0, 10.0, 12.0])
    south = chance.choice([2.0, 12.0, 24.0])
    units = [
        _squad(chance, fad(edition).book, side, 3 + 15.0 * place, y, options)
        for side, y in (("blue", south), ("red", south + apart + 1))
        for place in range(chance.randrange(2, 4))
    ]
    for side, y in (("blue", south), ("red", south + apart + 1)):
        behind = 2.2 if side == "red" else -2.2 if south > 2 else 1.5
        units += _with_squads(chance, fad(edition).book, side, units, y + behind, options)
    if edition == "fad4" and south > 2:
        rear = {"blue": south - 5, "red": south + apart + 6}
        for side, y in rear.items():
            units += _vehicles(chance, fad(edition).book, side, y, options)
    terrain = [
        piece("wall", (2, south + 5), (12, south + 5)),
        piece("dense_woods", (16, south + 2), (24, south + 7)),
        piece("cliff", (26, south + 3), (28, south + 7)),
        piece("ruin", (32, south - 2), (40, south + 4), flags=["demolishable"]),
    ]
    return battle(
        *units,
        terrain=terrain,
        options=options,
        phase="turn",
        turn=0,
        first="",
        active="",
        rules=fad(edition),
        assets=_assets(chance, fad(edition).book) if options.get("indirect_fire") == ON else None,
    )


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


def _squad(
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
        support.append(chance.choice(list(book.heavy_weapons)))
    apart = chance.choice([1.4, 2.5]) if figures <= 5 else 1.3
    places = None if x is None else line((x, y), figures, apart)
    quality, resolve = chance.choice(["rabble", *book.qualities]), chance.choice(list(book.resolves))
    leader = figures > len(support) and chance.randrange(2) == 0
    marks = chance.choice([(), (), ("under_fire",), ("pinned",), ("broken",), ("broken", "under_fire")])
    if not book.resolves[resolve].broken(lost, figures):
        # A unit is Broken only by losses that count.
        marks = tuple(mark for mark in marks if mark != "broken")
    own = _own(chance, options, placed=x is not None)
    if "non_combatant" in own and options.get("noncombatants") == ON:
        quality = next(iter(book.qualities))
    if powered and chance.randrange(2) == 0:
        own["linked"] = True
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
    if options.get("recover_wounded") == ON and "broken" not in marks:
        for figure in row["figures"]:  # type: ignore[attr-defined]  # the rows of figures
            if figure["fallen"]:
                figure["conditions"] = [chance.choice(["wounded", "wounded", "stabilised"])]
    if "demolition_charges" in own and chance.randrange(2):
        row["figures"][0]["engineer"] = True  # type: ignore[index]  # the rows of figures
    if figures == 1 and options.get("snipers") == ON and "non_combatant" not in own:
        row |= {"sniper": True, "small_arm": SNIPER_RIFLE}
    return row


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
            if chance.randrange(2) and not own[host].get("sniper"):
                own[host]["conditions"] = [mark for mark in own[host]["conditions"] if mark != "broken"]  # type: ignore[attr-defined]  # a list of marks
                row |= {"attached": names[host], "quality": own[host]["quality"], "resolve": own[host]["resolve"]}
            found.append(row | {"id": f"{side}-{option}"})
    return found


def _team(chance: random.Random, book: Book, side: str, at: tuple[float, float]) -> Row:
    crew = chance.choice([1, 2, 3, 4])
    weapon = chance.choice(list(book.heavy_weapons))
    lost = chance.randrange(crew) if chance.randrange(3) == 0 else 0
    own = {"quality": chance.choice(list(book.qualities)), "resolve": chance.choice(list(book.resolves))}
    places = line(at, crew, 1.3)
    return unit(side, places, figures=crew, support=[weapon], lost=lost, traits={"weapon_team": True}) | own


def _character(chance: random.Random, book: Book, side: str, at: tuple[float, float]) -> Row:
    row = unit(side, [at], figures=1, quality=chance.choice(list(book.qualities)), traits={"officer": True})
    row["figures"][0]["role"] = "officer"  # type: ignore[index]  # the rows of figures
    return row | {
        "leadership": chance.choice(list(book.leaderships)),
        "leader_branch": chance.choice(list(book.branches)),
    }


def _vehicles(chance: random.Random, book: Book, side: str, y: float, options: Mapping[str, OptionValue]) -> list[Row]:
    """Return no vehicle, one, or a squad of two; some with a squad aboard."""
    count = chance.randrange(3)
    crew = {"quality": chance.choice(list(book.qualities)), "resolve": chance.choice(list(book.resolves))}
    squad = {SQUAD: "Wolves"} if count > 1 else {}
    found: list[Row] = []
    for place in range(count):
        carrier, seats = f"{side}-carrier-{place}", chance.choice([0, 5, 10, 10])
        own = _vehicle(chance, book, side, 20 + 9 * place, y)
        found.append(own | crew | squad | {"id": carrier, "seats": seats})
        if seats and chance.randrange(2):
            found.append(_squad(chance, book, side, None, 0, options, most=(seats - 1) // 2) | {"aboard": carrier})
    return found


def _vehicle(chance: random.Random, book: Book, side: str, x: float, y: float) -> Row:
    weapons = chance.sample(list(book.heavy_weapons), chance.randrange(1, 4))
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
    )
