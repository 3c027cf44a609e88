"""Groups of an uncontrolled force: what they are to do, and what is noted about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.kernel.facts import Noted
from server.kernel.notes import Note, secret
from server.kernel.space.geometry import Point, centroid, distance
from server.kernel.state import Side, State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import NEUTRAL, FadRules
from server.rulesets.fad.generated.noting import generated
from server.rulesets.fad.generated.victory import aims

TARGET, ENGAGE, HOLD, FALL_BACK = "target", "engage", "hold", "fall-back"
APPROACHES = (TARGET, ENGAGE, HOLD, FALL_BACK)
"""What a group may be to do (fad4/ai.approach)."""

ORDERS, STAND, GATHER = "orders", "stand", "gather"
"""What a group does this turn by its discipline test: its orders, it holds where it is, or it withdraws to its refuge."""

PREFIX = "group."
"""What the notes of the groups begin with; the group's name follows."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RALLY = "rally"
"""The refuge of a group that withdraws to its rallying point."""


class Group(Struct, frozen=True, kw_only=True):
    """A group of units of an uncontrolled force (fad4/ai.groups).

    Attributes:
        id: its name, a letter.
        side: the force.
        units: its units, in roster order.
        approach: what it is to do.
        goal: what a group with the approach Target is to destroy or occupy, or one with Hold to hold: "objective:", "unit:" or
            "piece:" and an id, or "" for the point `at`.
        at: the middle of what it holds.
        rally: its rallying point.
        discipline: what each die of its test must reach.
        began: how many figures it began with.
        lowered: whether losses have lowered its Discipline.
        standing: what it does this turn.
        refuge: where it withdraws to: "piece:" and an id, or its rallying point; "" if it does not.
        attacks: the enemies that have attacked a unit of the group: enemy, the group's unit, the turn.
        nearing: the enemies that came nearer to what it holds in their last activation.
        seat: the seat that alone may know of it; "" if all may.
    """

    id: str
    side: str
    units: tuple[str, ...]
    approach: str
    rally: Point
    at: Point
    discipline: int
    began: int
    goal: str = ""
    lowered: bool = False
    standing: str = ORDERS
    refuge: str = ""
    attacks: tuple[tuple[str, str, int], ...] = ()
    nearing: tuple[str, ...] = ()
    seat: str = ""

    def living(self, state: State) -> list[Unit]:
        """Return its units that are in the game, in roster order."""
        return [state.units[key] for key in self.units if key in state.units and not state.units[key].left]

    @property
    def held(self) -> Group:
        """It, with what its units hold as its goal: for those that have fallen back their rallying point (fad4/ai.fall-back)."""
        return replace(self, goal="", at=self.rally) if self.approach == FALL_BACK else self

    @property
    def noted(self) -> Noted:
        """The fact that notes it as it is."""
        return Noted(_key(self.seat) + self.id, _note(self))


# --- notes ----------------------------------------------------------------------------------------------------------


def _note(group: Group) -> Note:
    rows: list[tuple[int | str, ...]] = [
        ("side", group.side),
        ("units", *group.units),
        ("approach", group.approach),
        ("goal", group.goal),
        ("at", *group.at),
        ("rally", *group.rally),
        ("discipline", group.discipline),
        ("began", group.began),
        ("lowered", int(group.lowered)),
        ("standing", group.standing),
        ("refuge", group.refuge),
        ("nearing", *group.nearing),
    ]
    return (*rows, *(("attack", *attack) for attack in group.attacks))


def _key(seat: str) -> str:
    """Return what the notes of groups begin with of which a seat alone may know, or all if there is no seat."""
    return secret(seat, PREFIX) if seat else PREFIX


def groups_of(state: State, side: str) -> list[Group]:
    """Return the groups of a side that are formed, in the order of their names; those that are known here."""
    found = (
        _read(key.removeprefix(_key(seat)), value, seat)
        for seat in ("", state.sides[side].seat)
        for key, value in state.book.items()
        if key.startswith(_key(seat))
    )
    return sorted((group for group in found if group.side == side and group.began), key=lambda group: group.id)


def group_of(state: State, unit: Unit) -> Group | None:
    """Return the group of a unit of an uncontrolled force."""
    return next((group for group in groups_of(state, unit.side) if unit.id in group.units), None)


def _rows(value: Note) -> dict[str, tuple[int | str, ...]]:
    rows = value if isinstance(value, tuple) else ()
    return {str(row[0]): row[1:] for row in rows if isinstance(row, tuple) and row and row[0] != "attack"}


def _read(name: str, value: Note, seat: str = "") -> Group:
    rows = _rows(value)
    listed = value if isinstance(value, tuple) else ()
    attacks = [row[1:] for row in listed if isinstance(row, tuple) and row and row[0] == "attack"]
    return Group(
        id=name,
        side=_word(rows, "side"),
        units=_words(rows, "units"),
        approach=_word(rows, "approach"),
        goal=_word(rows, "goal"),
        at=_point(rows, "at"),
        rally=_point(rows, "rally"),
        discipline=_number(rows, "discipline"),
        began=_number(rows, "began"),
        lowered=bool(_number(rows, "lowered")),
        standing=_word(rows, "standing") or ORDERS,
        refuge=_word(rows, "refuge"),
        attacks=tuple((str(foe), str(unit), int(turn)) for foe, unit, turn in attacks),
        nearing=_words(rows, "nearing"),
        seat=seat,
    )


def _words(rows: Mapping[str, tuple[int | str, ...]], key: str) -> tuple[str, ...]:
    return tuple(str(item) for item in rows.get(key, ()))


def _word(rows: Mapping[str, tuple[int | str, ...]], key: str) -> str:
    return next(iter(_words(rows, key)), "")


def _number(rows: Mapping[str, tuple[int | str, ...]], key: str) -> int:
    row = rows.get(key, ())
    return row[0] if row and isinstance(row[0], int) else 0


def _point(rows: Mapping[str, tuple[int | str, ...]], key: str) -> Point:
    row = rows.get(key, ())
    return (row[0], row[1]) if len(row) == 2 and isinstance(row[0], int) and isinstance(row[1], int) else (0, 0)


# --- who is uncontrolled --------------------------------------------------------------------------------------------


def commanded(state: State) -> list[Side]:
    """Return the sides that the rules play."""
    return [side for side in state.sides.values() if side.seat in state.desk.uncontrolled]


def unformed(state: State) -> list[Side]:
    """Return the sides that the rules play and whose groups are not formed yet."""
    return [side for side in commanded(state) if not groups_of(state, side.id)]


# --- forming groups -------------------------------------------------------------------------------------------------


def formed(rules: FadRules, state: State, side: Side, approach: str) -> Iterator[Group]:
    """Yield the groups of a side: those that its scenario names, and the others by where their units stand (fad4/ai.groups).
    Those to which the scenario gives no approach get this one.
    """
    obeying = [unit for unit in state.units_of(side.id) if not has(unit, NEUTRAL)]
    notes = sorted((key.removeprefix(PREFIX), note) for key, note in state.book.items() if key.startswith(PREFIX))
    named = {name: _read(name, note) for name, note in notes}
    own = [group for group in named.values() if group.side == side.id]
    taken = {unit for group in own for unit in group.units}
    for group in own:
        yield _complete(rules, state, group, side, approach)
    letters = (letter for letter in _names() if letter not in named)
    used = {group.id for other in state.sides for group in groups_of(state, other)}
    letters = (letter for letter in letters if letter not in used)
    for units in _by_place(rules, state, side, [unit for unit in obeying if unit.id not in taken]):
        plain = Group(
            id=next(letters),
            side=side.id,
            units=tuple(unit.id for unit in units),
            approach="",
            rally=(0, 0),
            at=(0, 0),
            discipline=0,
            began=0,
        )
        yield _complete(rules, state, plain, side, approach)


def _names() -> Iterator[str]:
    number = 1
    while True:
        yield from (f"{letter}{number if number > 1 else ''}" for letter in LETTERS)
        number += 1


def _by_place(rules: FadRules, state: State, side: Side, units: list[Unit]) -> list[list[Unit]]:
    """Return units in groups of neighbours along their edge of the table, none larger than the rules form them."""
    if not units:
        return []
    along = 1 if side.edge in {"west", "east"} else 0
    ranked = sorted(units, key=lambda unit: (middle(state, unit)[along], unit.number))
    parts = -(-len(ranked) // rules.book.tables.uncontrolled.group)
    size, more = divmod(len(ranked), parts)
    found: list[list[Unit]] = []
    for part in range(parts):
        count = size + (part < more)
        found.append(sorted(ranked[:count], key=lambda unit: unit.number))
        ranked = ranked[count:]
    return found


def _complete(rules: FadRules, state: State, group: Group, side: Side, approach: str) -> Group:
    units = group.living(state)
    chosen = group.approach or approach
    centre = middle_of(state, side, units)
    at = group.at if group.at != (0, 0) else centre
    goal = group.goal
    if chosen == TARGET and not goal:
        # fad4/ai.approach: what the mission of its side is about, else an objective marker, each time the nearest
        able = sorted(aims(state, side.id) or [f"objective:{key}" for key in state.objectives])
        goal = min(able, key=lambda one: distance(goal_point(state, replace(group, goal=one)), centre), default="")
        chosen = chosen if goal else ENGAGE
    return replace(
        group,
        units=tuple(unit.id for unit in units),
        approach=chosen,
        goal=goal,
        at=at,
        rally=group.rally if group.rally != (0, 0) else rallying_point(state, side),
        discipline=group.discipline or majority(rules, units),
        began=max(1, sum(len(unit.figures) for unit in units)),
        # fad4/npc.missions: its goal would tell the mission
        seat=side.seat if generated(state) else "",
    )


def goal_point(state: State, group: Group) -> Point:
    """Return the middle of what a group is to destroy, occupy or hold."""
    kind, _, key = group.goal.partition(":")
    if kind == "objective" and key in state.objectives:
        return state.objectives[key].at
    if kind == "unit" and key in state.units:
        return middle(state, state.units[key])
    if kind == "piece":
        piece = next((piece for piece in state.table.terrain if piece.id == key), None)
        if piece is not None:
            return centroid(list(piece.outline))
    return group.at


def majority(rules: FadRules, units: list[Unit]) -> int:
    """Return the number of the Quality of most units; of two that are as frequent the worse (fad4/ai.discipline)."""
    counted = Counter(rules.quality(unit).need for unit in units)
    return max(counted, key=lambda need: (counted[need], need), default=rules.book.tables.uncontrolled.worst)


def rallying_point(state: State, side: Side) -> Point:
    """Return the middle of the edge of the table at which a side's zone lies (fad4/ai.rallying-point)."""
    width, height = state.table.width, state.table.height
    ends = {
        "south": (width // 2, 0),
        "north": (width // 2, height),
        "west": (0, height // 2),
        "east": (width, height // 2),
    }
    return ends.get(side.edge) or (centroid(side.zone) if side.zone else (width // 2, height // 2))


def middle(state: State, unit: Unit) -> Point:
    """Return the middle of a unit's bases, or of the vehicle or unit that it is with; of its side's zone, if it is not there."""
    return middle_of(state, state.sides[unit.side], [unit])


def middle_of(state: State, side: Side, units: Sequence[Unit]) -> Point:
    """Return the middle of those of a side's units that are on the table; of its zone, if none is."""
    found = [at for unit in units if (at := _place(state, unit)) is not None]
    if found or side.zone:
        return centroid(found or list(side.zone))
    return (state.table.width // 2, state.table.height // 2)


def _place(state: State, unit: Unit) -> Point | None:
    places = [at for at, _ in unit.places()]
    if places:
        return centroid(places)
    other = unit.aboard or unit.attached
    return _place(state, state.units[other]) if isinstance(other, str) and other in state.units else None


def losses(rules: FadRules, state: State, group: Group) -> int:
    """Return how many figures of a group are casualties: all that have fallen and were not treated, and all of the units that
    are gone (fad4/ai.abort).
    """
    units = [state.units[key] for key in group.units if key in state.units]
    return sum(len(unit.figures) if unit.left else rules.casualties(unit) for unit in units)


# --- files ----------------------------------------------------------------------------------------------------------


def inspect(rules: FadRules, state: State) -> None:
    """Refuse groups of a position that cannot be played (docs/setups.md). Raises `RulesetError`."""
    seen: set[str] = set()
    for key, value in state.book.items():
        if not key.startswith(PREFIX):
            continue
        try:
            group = _read(key.removeprefix(PREFIX), value)
        except (TypeError, ValueError):
            raise RulesetError(f"the note {key} is no group of units") from None
        _check_units(rules, state, group, seen)
        _check_orders(rules, state, group)


def _check_units(rules: FadRules, state: State, group: Group, seen: set[str]) -> None:
    name = f"group {group.id}"
    if group.side not in state.sides:
        raise RulesetError(f"{name} belongs to the side {group.side!r}, which the setup does not have")
    for unit in group.units:
        if unit not in state.units or state.units[unit].side != group.side or unit in seen:
            raise RulesetError(f"{name}: {unit!r} is no unit of its side, or is in another group too")
        seen.add(unit)
    most = rules.book.tables.uncontrolled.most
    if not 0 < len(group.units) <= most:
        # fad4/ai.groups
        raise RulesetError(f"{name} has {len(group.units)} units; a group has 1 to {most}")


def _check_orders(rules: FadRules, state: State, group: Group) -> None:
    name, needs = f"group {group.id}", {0, *(row.need for row in rules.book.qualities.values())}
    if group.approach not in ("", *APPROACHES):
        raise RulesetError(f"{name} cannot have the approach {group.approach!r}; there are {', '.join(APPROACHES)}")
    if group.discipline not in needs:
        # fad4/ai.discipline
        raise RulesetError(f"{name} cannot have the Discipline {group.discipline}")
    if group.standing not in {ORDERS, STAND, GATHER}:
        raise RulesetError(f"{name} cannot do {group.standing!r}")
    known: dict[str, Collection[str]] = {
        "objective": state.objectives,
        "unit": state.units,
        "piece": {piece.id for piece in state.table.terrain},
    }
    for place in (group.goal, "" if group.refuge == RALLY else group.refuge):
        kind, _, key = place.partition(":")
        if place and key not in known.get(kind, ()):
            raise RulesetError(f"{name}: {place!r} is no objective, unit or terrain piece of the setup")
