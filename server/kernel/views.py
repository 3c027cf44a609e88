"""Views of believed states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import is_
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from client_protocol.clocks import ClockView, OfferView
from client_protocol.view import (
    Aim,
    AssetView,
    CardLine,
    FigureView,
    ObjectiveView,
    ResultView,
    SeatView,
    SideView,
    TableView,
    TerrainView,
    UnitView,
    View,
)
from server.kernel.clocks import Clock
from server.kernel.consulted import Consulted, Read
from server.kernel.ruleset import Ruleset
from server.kernel.space.terrain import DEEP, Terrain
from server.kernel.state import Brought, Figure, Objective, Side, State, Table, Unit
from server.kernel.structs import Fixed


class _Rendered(NamedTuple):
    """A unit's view, and all that it was made from: the unit, its order, its company, what all cards tell of, and the notes that
    its card reads.
    """

    unit: Unit
    order: str
    company: list[Unit]
    told: Any
    read: Read
    view: UnitView


class DeskView(Fixed, frozen=True):
    """The parts of a view that the state does not hold: the asked seats, how each seat may take back, open offers, when the match
    is concluded if it is not played before (ms since 1970; 0: no date was told).
    """

    asked: frozenset[str] = frozenset()
    take_back: Mapping[str, Literal["free", "consent"]] = {}
    offers: dict[str, OfferView] = {}  # noqa: RUF012 - msgspec copies it
    concludes: int = 0


def advised(state: State) -> bool:
    """Return whether players may ask the computer for advice: the match was made so, or one player is alone."""
    desk = state.desk
    if state.result is not None:
        return False
    programs = desk.machines.keys() - desk.lenders.keys()
    return desk.advice is True or sum(side.seat not in programs for side in state.sides.values()) == 1


class Renderer:
    """Renders one match's believed states. Units that are the same as last time, in the same company, are not rendered again."""

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._units: dict[str, _Rendered] = {}
        self._all: tuple[int, tuple[object, ...], dict[str, UnitView]] | None = None
        self._sides: dict[str, tuple[Side, int, SideView]] = {}
        self._seats: tuple[tuple[object, ...], dict[str, SeatView]] | None = None
        self._objectives: tuple[dict[str, Objective], dict[str, ObjectiveView]] | None = None
        self._clocks: tuple[Clock, ClockView] | None = None
        self._aim: tuple[tuple[object, ...], Aim | None] | None = None
        self._told: object = None

    def afresh(self) -> Renderer:
        """Return a renderer that has rendered nothing yet."""
        return Renderer(self._rules)

    def forget(self) -> None:
        """Forget what was rendered last: the next view is rendered from nothing."""
        self._units.clear()
        self._all = None
        self._sides = {}
        self._seats = None
        self._objectives = None
        self._clocks = None
        self._aim = None

    def view(self, state: State, desk: DeskView) -> View:
        """Return the view of `state`, with the parts that it does not hold."""
        return View(
            title=state.title,
            turn=state.turn.number,
            turn_limit=self._rules.turn_limit(state),
            phase=state.turn.phase,
            active_side=state.turn.active,
            active_unit=state.turn.unit,
            sides={side.id: self._side(state, side) for side in state.sides.values()},
            seats=self._seated(state, desk),
            units=self._rendered(state),
            objectives=self._marked(state.objectives),
            result=None
            if state.result is None
            else ResultView(state.result.winner, state.result.reason, state.result.rule, state.result.how),
            terrain=self._terrain(state.table),
            gone=state.table.gone,
            clock=self._clock(state.desk.clock),
            offers=desk.offers,
            deck=self._rules.deck(state),
            impact=self._rules.impact(state),
            special_cards=self._rules.special_cards(state),
            advice=advised(state),
            aim=self._aimed(state),
            next=state.desk.followed_by,
            concludes=desk.concludes,
            league=state.desk.of_league,
        )

    def _rendered(self, state: State) -> dict[str, UnitView]:
        """Return the views of all units. Of most, nothing has changed since the last view: they are settled in this loop."""
        turn, orders = state.turn.number, state.desk.orders
        told = self._rules.cards_tell_of(state)
        if told != self._told:
            self._told = told
        about = (state.units, orders, self._told, state.book)
        if self._all is not None and self._all[0] == turn and all(map(is_, self._all[1], about)):
            return self._all[2]
        companies = _companies(state)
        views: dict[str, UnitView] = {}
        for key, unit in state.units.items():
            known, company = self._units.get(key), companies.get(key, _ALONE)
            if (
                known is not None
                and known.unit is unit
                and known.view.activated == (0 < unit.activated == turn)
                and known.order == orders.get(key, "")
                and self._same_about(known, company, state)
            ):
                views[key] = known.view
            else:
                views[key] = self._unit(state, unit, company, known)
        self._all = (turn, about, views)
        return views

    def _seated(self, state: State, desk: DeskView) -> dict[str, SeatView]:
        """Return the views of all seats; those that are the same as last time are not rendered again."""
        about = (state.sides, state.desk, state.sealed)
        known: Mapping[str, SeatView] = {}
        if self._seats is not None and all(map(is_, self._seats[0], about)):
            known = self._seats[1]
        views: dict[str, SeatView] = {}
        for side in state.sides.values():
            asked = side.seat in desk.asked
            take_back: _TakeBack = desk.take_back.get(side.seat, "")
            before = known.get(side.seat)
            if before is not None and before.asked == asked and before.take_back == take_back:
                views[side.seat] = before
            else:
                views[side.seat] = _seat(state, side, asked=asked, take_back=take_back)
        self._seats = (about, views)
        return views

    def _marked(self, objectives: dict[str, Objective]) -> dict[str, ObjectiveView]:
        if self._objectives is None or self._objectives[0] is not objectives:
            self._objectives = (
                objectives,
                {one.id: ObjectiveView(one.name, one.at, one.radius, one.held_by) for one in objectives.values()},
            )
        return self._objectives[1]

    def _aimed(self, state: State) -> Aim | None:
        """Return how the match is won, which is told anew only when what decides it may have changed."""
        about = (state.units, state.objectives, state.turn, state.result, state.victory)
        if self._aim is None or not all(map(is_, self._aim[0], about)):
            self._aim = (about, self._rules.aim(state))
        return self._aim[1]

    def _clock(self, clock: Clock | None) -> ClockView | None:
        if clock is None or self._clocks is None or self._clocks[0] is not clock:
            self._clocks = None if clock is None else (clock, _clock(clock))
        return None if self._clocks is None else self._clocks[1]

    def _side(self, state: State, side: Side) -> SideView:
        known = self._sides.get(side.id)
        if known is not None and (known[0] is side or known[0] == side) and known[1] == state.turn.number:
            return known[2]
        assets = {
            asset.id: AssetView(asset.name, _keyed(lines))
            for asset in side.off_table.values()
            if (lines := self._rules.asset(state, asset))
        }
        view = SideView(side.name, side.letter, side.shape, side.seat, side.zone, assets)
        self._sides[side.id] = (side, state.turn.number, view)
        return view

    def _terrain(self, table: Table) -> dict[str, TerrainView]:
        if not table.added:
            return {}
        names = dict(self._rules.cover_names())
        return {piece.id: _terrain(piece, names) for piece in table.terrain[-table.added :]}

    def _unit(self, state: State, unit: Unit, company: list[Unit], known: _Rendered | None) -> UnitView:
        order = state.desk.orders.get(unit.id, "")
        card, read = self._card(state, unit, company, known)
        view = UnitView(
            side=unit.side,
            name=unit.name,
            number=unit.number,
            figures=self._figures(unit, known),
            card=card,
            conditions=unit.conditions,
            activated=0 < unit.activated == state.turn.number,
            left=unit.left,
            mounts=known.view.mounts
            if known is not None and known.unit.mounts is unit.mounts
            else {key: self._rules.mount(unit, mount) for key, mount in unit.mounts.items()},
            aboard=unit.aboard,
            order=order,
            attached=unit.attached or "",
        )
        self._units[unit.id] = _Rendered(unit, order, company, self._told, read, view)
        return view

    def _card(
        self, state: State, unit: Unit, company: list[Unit], known: _Rendered | None
    ) -> tuple[dict[str, CardLine], Read]:
        """Return a unit's card, and the notes that it has read. Lines that are as last time are the same objects, so that a diff
        need not look into them.
        """
        if (
            known is not None
            and self._same_about(known, company, state)
            and not self._rules.card_tells_place(unit)
            and _stands_elsewhere(known.unit, unit)
        ):
            return known.view.card, known.read
        notes = Consulted(state.book)
        # A state of its own for each card: what the rules remember of one state cannot keep a note from being read here.
        card = _keyed(self._rules.card(replace(state, book=notes), unit))
        if known is None:
            return card, notes.read
        before = known.view.card
        if card == before:
            return before, notes.read
        return {key: _same(before.get(key), line) for key, line in card.items()}, notes.read

    def _same_about(self, known: _Rendered, company: list[Unit], state: State) -> bool:
        """Return whether all is the same of which a unit's card tells besides the unit itself."""
        return (
            known.told is self._told
            and (known.company is company or _same_units(known.company, company))
            and known.read.same_in(state.book)
        )

    def _figures(self, unit: Unit, known: _Rendered | None) -> dict[str, FigureView]:
        """Return the views of a unit's figures; those that are the same as last time are not rendered again."""
        if known is None:
            return {key: self._figure(unit, figure) for key, figure in unit.figures.items()}
        before, views = known.unit.figures, known.view.figures
        # A vehicle is drawn by what is on its unit too: a flyer may have come down.
        same = known.unit.conditions == unit.conditions
        if before is unit.figures and same:
            return views
        return {
            key: views[key]
            if before.get(key) is figure and (same or figure.hull is None)
            else self._figure(unit, figure)
            for key, figure in unit.figures.items()
        }

    def _figure(self, unit: Unit, figure: Figure) -> FigureView:
        gear = self._rules.gear(unit, figure)
        return FigureView(
            at=figure.at,
            radius=figure.radius,
            role=gear.words,
            sign=gear.sign,
            fallen=figure.fallen,
            conditions=figure.conditions,
            hull=None if figure.hull is None else (figure.hull.length, figure.hull.width),
            facing=figure.facing,
        )


_ALONE: list[Unit] = []
_TakeBack = Literal["", "free", "consent"]


def _companies(state: State) -> dict[str, list[Unit]]:
    """Return the company of each unit that is not alone: the units aboard it or attached to it, the one that it is attached to
    or aboard of, and the company of those aboard.
    """
    found: dict[str, list[Unit]] = {}
    for unit in state.units.values():
        for other in (unit.attached, unit.aboard):
            if other:
                host = state.units[other]
                found.setdefault(unit.id, []).append(host)
                found.setdefault(host.id, []).append(unit)
                if host.aboard:
                    found.setdefault(host.aboard, []).append(unit)
    return found


def _same_units(one: list[Unit], other: list[Unit]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _clock(clock: Clock) -> ClockView:
    return ClockView(
        clock.terms, clock.at, clock.remaining, clock.allowance, tuple(sorted(clock.away)), clock.paused, clock.up
    )


def _seat(state: State, side: Side, *, asked: bool, take_back: _TakeBack) -> SeatView:
    seat, desk = side.seat, state.desk
    return SeatView(
        side=side.id,
        name=desk.players.get(seat, ""),
        ready=seat in desk.randomness,
        asked=asked,
        sealed=seat in state.sealed,
        take_back=take_back,
        conceded=seat in desk.conceded,
        program=desk.machines.get(seat, ""),
        lent=desk.lenders.get(seat, ""),
        key=desk.keys.get(seat, ""),
        **_brought(desk.forces.get(seat)),
    )


def _brought(brought: Brought | None) -> dict[str, Any]:
    if brought is None:
        return {}
    force = brought.force
    return {"force": force.name, "brings": tuple(unit.name for unit in force.units)}


@lru_cache(maxsize=2048)
def _keyed(lines: tuple[CardLine, ...]) -> dict[str, CardLine]:
    """Return card lines under keys of their own, so that a patch names only the line that changed. Equal cards are shared."""
    card: dict[str, CardLine] = {}
    count: dict[str, int] = {}
    for place, line in enumerate(lines):
        number = count[line.label] = count.get(line.label, 0) + 1
        card[line.label if number == 1 else f"{line.label} {number}"] = replace(line, place=place)
    return card


def _same(before: CardLine | None, line: CardLine) -> CardLine:
    return before if before is not None and before == line else line


def _stands_elsewhere(before: Unit, unit: Unit) -> bool:
    """Return whether a unit has at most moved or been activated: no card tells of that."""
    return replace(before, figures=unit.figures, activated=unit.activated) == unit and (
        before.figures is unit.figures
        or (
            len(before.figures) == len(unit.figures)
            and all(_differs_by_place(before.figures.get(key), figure) for key, figure in unit.figures.items())
        )
    )


def _differs_by_place(before: Figure | None, figure: Figure) -> bool:
    return before is figure or (before is not None and replace(before, at=figure.at, facing=figure.facing) == figure)


def table_view(table: Table, cover_names: dict[str, str]) -> TableView:
    """Return the table with its terrain as the match began, for a snapshot."""
    terrain = table.terrain[: len(table.terrain) - table.added]
    return TableView(table.width, table.height, tuple(_terrain(piece, cover_names) for piece in terrain))


def _terrain(piece: Terrain, cover_names: dict[str, str]) -> TerrainView:
    notes = []
    if piece.cover in cover_names and piece.cover != "none":
        notes.append(cover_names[piece.cover])
    # One with a colon tells the rules something, not people.
    notes.extend(flag.replace("_", " ") for flag in piece.flags if ":" not in flag)
    sight = {
        "solid": "blocks sight",
        "occupied": "blocks sight through it",
        **dict.fromkeys(DEEP, f'sight reaches {piece.sight_depth / 1000:g}" inside'),
    }.get(piece.sight)
    if sight:
        notes.append(sight)
    return TerrainView(
        id=piece.id,
        name=piece.name,
        kind=piece.kind,
        outline=piece.outline,
        linear=piece.linear,
        cover=piece.cover,
        flags=piece.flags,
        sight=piece.sight,
        sight_depth=piece.sight_depth,
        notes=tuple(notes),
    )
