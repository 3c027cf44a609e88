"""What a seat is asked and what it answers: prompts, choices, the closed set of parameter kinds, and their values.

The client knows no rules: it draws these, and every answer is one of the choices with a value for each parameter.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from client_protocol.shapes import Angle, Id, Mil, Point


class Why(Struct, frozen=True, gc=False):
    """Why something is not allowed: a sentence for people and the id of the rule behind it."""

    sentence: str
    rule: Id = ""


# --- conditions on where a path may end, and where it may lead -------------------------------------------------------


class EndsFarther(Struct, frozen=True, gc=False, tag="farther"):
    """Every figure ends farther (edge to edge) from the nearest figure or hull of `units` than it began."""

    units: tuple[Id, ...]


class EndsCloser(Struct, frozen=True, gc=False, tag="closer"):
    """Every figure ends closer (edge to edge) to the nearest figure or hull of `units` than it began."""

    units: tuple[Id, ...]


class EndsInTerrain(Struct, frozen=True, gc=False, tag="in_terrain"):
    """At least `figures` of the unit's figures end in one of `pieces`: base centre inside an area piece, or base edge within
    `reach` of a linear one.
    """

    pieces: tuple[Id, ...]
    figures: int
    reach: Mil = 1000


class EndsTouching(Struct, frozen=True, gc=False, tag="touching"):
    """At least one figure ends in contact with a figure or hull of one of `units`."""

    units: tuple[Id, ...]


class EndsNear(Struct, frozen=True, gc=False, tag="near"):
    """At least `figures` figures (0: every one) end within `reach` of a figure or hull of one of `units`, edge to edge; of its
    figures only those in `among` count (empty: all).
    """

    units: tuple[Id, ...]
    reach: Mil
    figures: int = 0
    among: tuple[Id, ...] = ()


class EndsBeyond(Struct, frozen=True, gc=False, tag="beyond"):
    """Each figure of `least` ends at least so far (base edge to base edge) from the nearest figure or hull of `units`."""

    units: tuple[Id, ...]
    least: tuple[tuple[Id, Mil], ...]


class EndsSpent(Struct, frozen=True, gc=False, tag="spent"):
    """At least `figures` of the unit's figures use up `least` of their movement on their path, or end in one of `pieces` (as for
    `EndsInTerrain`), or, if that `hides` them, out of sight of every unit in `watchers`. Only the server knows about sight: a
    client asks it for a preview.
    """

    least: Mil
    figures: int
    pieces: tuple[Id, ...] = ()
    reach: Mil = 1000
    watchers: tuple[Id, ...] = ()
    hides: bool = False


class EndsAlong(Struct, frozen=True, gc=False, tag="along"):
    """Every figure that moves ends, seen from where it began, at most `spread` to either side of the direction `angle` (both in
    hundredths of a degree).
    """

    angle: Angle
    spread: Angle


class EndsAtPiece(Struct, frozen=True, gc=False, tag="at_piece"):
    """Every figure ends in the terrain `piece` (base centre inside an area, or base edge within `reach` of a line), or closer to
    it than it began, measured from its centre.
    """

    piece: Id
    reach: Mil = 1000


class EndsTogether(Struct, frozen=True, gc=False, tag="together"):
    """Those of `figures` that stand end with no gap over `gap` (base edge to base edge) between them that hold them together."""

    figures: tuple[Id, ...]
    gap: Mil


class EndsCovered(Struct, frozen=True, gc=False, tag="covered"):
    """At least `figures` of the unit's figures end in cover of `pieces` against the nearest figure of `units`, both measured at
    their centres: in an area, or with the border or the line that is between the two at most `reach` from the base.
    """

    units: tuple[Id, ...]
    pieces: tuple[Id, ...]
    figures: int
    reach: Mil = 1000


class EndsAtEdge(Struct, frozen=True, gc=False, tag="edge"):
    """Every figure ends with its base or hull at most `reach` from the table's edge."""

    reach: Mil = 20


class GoesAway(Struct, frozen=True, gc=False, tag="away"):
    """Every figure ends farther (edge to edge) from the nearest figure or hull of `units` than it began, and at no point of its
    path comes nearer to it. For figures on bases.
    """

    units: tuple[Id, ...]


class KeepsInside(Struct, frozen=True, gc=False, tag="inside"):
    """The whole path of every figure that moves, measured at its centre, lies inside `pieces` (areas): what one of them does not
    cover another one does.
    """

    pieces: tuple[Id, ...]


EndPlace = (
    EndsFarther
    | EndsCloser
    | EndsInTerrain
    | EndsTouching
    | EndsNear
    | EndsBeyond
    | EndsAlong
    | EndsAtPiece
    | EndsTogether
    | EndsCovered
    | EndsAtEdge
)
"""A condition on where figures end, however they get there."""
WholeWay = GoesAway | KeepsInside
"""A condition on all of a path."""
EndCondition = EndPlace | EndsSpent | WholeWay


class EndRule(Struct, frozen=True, gc=False):
    """A path must meet at least one of `any_of`; if not, `why` says so."""

    any_of: tuple[EndCondition, ...]
    why: Why


# --- parameters -----------------------------------------------------------------------------------------------------


class Candidate(Struct, frozen=True, gc=False):
    """A unit that could be named, in the order in which the rules rank it; `why` is set when it may not be."""

    unit: Id
    note: str = ""
    why: Why | None = None


class UnitParameter(Struct, frozen=True, gc=False, tag="unit"):
    """Name one of `candidates` that has no `why`. Answered by `UnitNamed`."""

    label: str
    candidates: tuple[Candidate, ...]


class GroundRule(Struct, frozen=True, gc=False):
    """The rule behind what a terrain piece does to a path: what it costs, or that it is not entered."""

    piece: Id
    rule: Id


class PathParameter(Struct, frozen=True, gc=False, tag="path"):
    """Move a unit: a path for each figure that moves. Answered by `PathsDeclared`.

    A path starts where the figure stands and runs through the given points, measured at the base's centre. Each part
    inside a piece of `costly` costs its percentage (the dearest piece counts where they overlap). A path may not come
    nearer to a piece of `barred`, or to a figure of a unit in `avoid`, than the bases allow; it must end on the table,
    off all other bases, with no gap over `gap` between the figures that hold the unit together (`gap` 0: no limit), and meet
    each rule of `ends` (unless no figure moves and `may_stay`). `clear` is how far it keeps away from figures and hulls of
    `avoid`, beyond not touching them; no path leads through a hull. A path that enters a piece of `limits` may be as long as
    its entry there. `figures` are those that may move (empty: all). To units of `avoid` that are `receding` no figure on a base
    comes nearer on its way than it began, by `receding_rule`.

    A refusal names the rule that refuses: for a piece its entry in `grounds`, for bases and hulls `base_rule`, for the table's
    edge `table_rule`; `allowance_rule` replaces each of these that is left out. `less` says what reduces `allowance`, which would
    be `full` without it (0: nothing does): a path that is too long for `allowance` but not for `full` is refused by that.

    For a unit with a hull the path is that of its centre; it faces along each leg, turns on the spot, and ends at the `facing` of
    `PathsDeclared` (none: as its last leg ran). Its whole width counts for `barred`, `limits`, bases and the table's edge. A path
    that leads `over` everything, of a hull or of a figure, is stopped on its way by the table's edge alone; its end must be as
    free as any other. One that is `straight` has one leg, and a hull ends facing along it. A hull that can `jump` is not on its
    way at all: of its one leg only the length and the end count.

    Ground outside the pieces of `costly` costs `ground` percent, for the reason `dear`. `boards` are the vehicles that the unit
    may get into afterwards, with how near to its hull every figure must then be.
    """

    unit: Id
    allowance: Mil
    costly: tuple[tuple[Id, int], ...] = ()
    barred: tuple[Id, ...] = ()
    avoid: tuple[Id, ...] = ()
    gap: Mil = 0
    gap_rule: Id = ""
    allowance_rule: Id = ""
    ends: tuple[EndRule, ...] = ()
    may_stay: bool = True
    clear: Mil = 0
    clear_rule: Id = ""
    limits: tuple[tuple[Id, Mil], ...] = ()
    limits_rule: Id = ""
    figures: tuple[Id, ...] = ()
    grounds: tuple[GroundRule, ...] = ()
    base_rule: Id = ""
    table_rule: Id = ""
    full: Mil = 0
    less: Why | None = None
    over: bool = False
    receding: tuple[Id, ...] = ()
    receding_rule: Id = ""
    straight: bool = False
    jump: bool = False
    ground: int = 100
    dear: Why | None = None
    boards: tuple[tuple[Id, Mil], ...] = ()


class FiguresParameter(Struct, frozen=True, gc=False, tag="figures"):
    """Pick from `least` to `most` of a unit's `figures`. Answered by `FiguresPicked`."""

    label: str
    unit: Id
    figures: tuple[Id, ...]
    least: int
    most: int


class Landing(Struct, frozen=True, gc=False):
    """How figures walk that get off a hull: from contact with its `outline`, by at most `allowance`, past all figures of the
    units in `avoid`. `costly` are the pieces that cost more, with percent; `rule` is the rule by which they walk.
    """

    outline: tuple[Point, ...]
    allowance: Mil
    costly: tuple[tuple[Id, int], ...] = ()
    avoid: tuple[Id, ...] = ()
    rule: Id = ""


class Bond(Struct, frozen=True, gc=False):
    """Those `figures` of a unit that keep nearer together than the rest of it: with no gap over `gap` between those of them that
    stand, by `rule`. A refusal calls them by `name`.
    """

    unit: Id
    figures: tuple[Id, ...]
    gap: Mil
    rule: Id
    name: str


class PlacementParameter(Struct, frozen=True, gc=False, tag="placement"):
    """Place all figures of `units` inside `zone` (a polygon; bases and hulls wholly inside), off all other bases and hulls,
    each unit off the terrain of its entry in `barred` and with no gap over its entry in `gaps` (0: no limit). `suggested` holds
    a legal placement, `facings` the facings of hulls in it. With a `landing` each figure must also have a way from that hull
    to its place; only the server looks for it. Figures keep `clear` of those of the units in `avoid`, and of their hulls; of
    objectives in it they keep clear by their middles. `bonds` are about parts of the units. Answered by `FiguresPlaced`.
    """

    units: tuple[Id, ...]
    zone: tuple[Point, ...]
    gaps: tuple[Mil, ...]
    barred: tuple[tuple[Id, ...], ...]
    suggested: tuple[dict[Id, Point], ...]
    gap_rule: Id = ""
    facings: tuple[dict[Id, Angle], ...] = ()
    landing: Landing | None = None
    avoid: tuple[Id, ...] = ()
    clear: Mil = 0
    clear_rule: Id = ""
    bonds: tuple[Bond, ...] = ()


class DirectionParameter(Struct, frozen=True, gc=False, tag="direction"):
    """A direction within `spread` of `middle` on either side, for a unit that is going to be moved `length` that way.
    Answered by `DirectionTaken`.
    """

    label: str
    unit: Id
    middle: Angle
    spread: Angle
    length: Mil


class RowOption(Struct, frozen=True, gc=False):
    """What a row of an assignment may be given. `key` is unique within the parameter's meaning: the same key in two rows is the
    same thing (a target, a weapon). `unit` is the unit it points at, if any; `note` a few words.
    """

    key: Id
    label: str
    unit: Id = ""
    note: str = ""


class AssignmentRow(Struct, frozen=True, gc=False):
    """Something that can be given one of `options`: a figure, a weapon. `figure` is the figure of the parameter's unit it stands
    for, if any.
    """

    key: Id
    label: str
    options: tuple[RowOption, ...]
    figure: Id = ""


class AssignmentParameter(Struct, frozen=True, gc=False, tag="assignment"):
    """Give from `least` to `most` of `rows` one of their options each; the others get none (`none` says what that means).
    `limits` says how often an option may be given at most in all. `suggested` is a legal answer. Answered by `Assigned`.
    """

    label: str
    unit: Id
    rows: tuple[AssignmentRow, ...]
    least: int
    most: int
    suggested: dict[Id, Id]
    limits: tuple[tuple[Id, int], ...] = ()
    none: str = "nothing"


class StopParameter(Struct, frozen=True, gc=False, tag="stop"):
    """A place on the declared `paths` of a unit (starts included), in thousandths of the way, inside one of `spans` (from, to,
    both included); `suggested` is one. Answered by `StopTaken`.
    """

    label: str
    unit: Id
    paths: dict[Id, tuple[Point, ...]]
    spans: tuple[tuple[int, int], ...]
    suggested: int


class Spotter(Struct, frozen=True, gc=False):
    """A unit that looks for another one: with one of these figures (none: with any). One that sees `over` everything sees every
    point.
    """

    unit: Id
    figures: tuple[Id, ...] = ()
    over: bool = False


class PointParameter(Struct, frozen=True, gc=False, tag="point"):
    """A point on the table: the middle of a circle of `radius`. It lies within `reach` of the base's edge of `figure` of `unit`
    and in its sight, and the circle takes in at least a part of a base of a unit in `near` (none: it may lie anywhere). A
    refusal names `reach_rule`, `sight_rule`, or is `near_why`. `suggested` is a legal point (null: none is known). A vehicle's
    `mount` must bear on it. A unit that sees `over` everything sees every point. Where there are `spotters`, one of them must
    see the point, and the unit need not. With `nearest` the one unit nearest to the point is struck, vehicles too, and not all on
    foot in the circle. Who stands in one of the terrain pieces `shelters` is in the circle only if the point lies in that piece
    too. With `around` it lies within `reach` of that point in place of the base, whatever is in sight. Units in `through` stand
    in the way: no line counts that passes over their bases, or between two of one unit that are less than `gap` apart; a refusal
    names `through_rule`. Answered by `PointTaken`.
    """

    label: str
    unit: Id
    figure: Id
    reach: Mil
    radius: Mil
    near: tuple[Id, ...]
    near_why: Why
    suggested: Point | None = None
    reach_rule: Id = ""
    sight_rule: Id = ""
    mount: Id = ""
    over: bool = False
    spotters: tuple[Spotter, ...] = ()
    nearest: bool = False
    shelters: tuple[Id, ...] = ()
    through: tuple[Id, ...] = ()
    gap: Mil = 0
    through_rule: Id = ""
    around: Point | None = None


Parameter = (
    UnitParameter
    | PathParameter
    | FiguresParameter
    | PlacementParameter
    | DirectionParameter
    | AssignmentParameter
    | StopParameter
    | PointParameter
)

# --- values ---------------------------------------------------------------------------------------------------------

Path = Annotated[tuple[Point, ...], Meta(max_length=40)]
"""The points a figure passes, its start left out; the last one is where it ends."""


class UnitNamed(Struct, frozen=True, gc=False, tag="unit", forbid_unknown_fields=True):
    """A unit, for `UnitParameter`."""

    unit: Id


class PathsDeclared(Struct, frozen=True, gc=False, tag="path", forbid_unknown_fields=True):
    """Paths by figure id, for `PathParameter`; a figure that is left out stays where it is. `facing` is where a hull points at
    the end.
    """

    paths: Annotated[dict[Id, Path], Meta(max_length=60)]
    facing: Angle | None = None


class FiguresPicked(Struct, frozen=True, gc=False, tag="figures", forbid_unknown_fields=True):
    """Figures, for `FiguresParameter`."""

    figures: Annotated[tuple[Id, ...], Meta(max_length=60)]


class FiguresPlaced(Struct, frozen=True, gc=False, tag="placement", forbid_unknown_fields=True):
    """A place for each figure of each unit, in the order of the parameter's `units`, for `PlacementParameter`; `facings` are
    those of hulls, in the same order (left out: as suggested).
    """

    places: Annotated[tuple[Annotated[dict[Id, Point], Meta(max_length=60)], ...], Meta(max_length=40)]
    facings: Annotated[tuple[Annotated[dict[Id, Angle], Meta(max_length=60)], ...], Meta(max_length=40)] = ()


class DirectionTaken(Struct, frozen=True, gc=False, tag="direction", forbid_unknown_fields=True):
    """A direction in hundredths of a degree, for `DirectionParameter`."""

    angle: Angle


class Assigned(Struct, frozen=True, gc=False, tag="assignment", forbid_unknown_fields=True):
    """An option for each row that gets one, by the rows' keys, for `AssignmentParameter`."""

    given: Annotated[dict[Id, Id], Meta(max_length=60)]


class StopTaken(Struct, frozen=True, gc=False, tag="stop", forbid_unknown_fields=True):
    """A place on the way in thousandths, for `StopParameter`."""

    at: Annotated[int, Meta(ge=0, le=1000)]


class PointTaken(Struct, frozen=True, gc=False, tag="point", forbid_unknown_fields=True):
    """A point on the table, for `PointParameter`."""

    at: Point


Value = UnitNamed | PathsDeclared | FiguresPicked | FiguresPlaced | DirectionTaken | Assigned | StopTaken | PointTaken
Values = Annotated[tuple[Value, ...], Meta(max_length=8)]

# --- prompts --------------------------------------------------------------------------------------------------------


class Choice(Struct, frozen=True, gc=False):
    """One thing a seat may do. `key` names it in the answer; a choice with `why` is shown but cannot be taken.

    `preview` tells whether `AskPreview` says something about it (odds, modifiers) before it is taken.
    """

    key: Id
    label: str
    rule: Id = ""
    consequence: str = ""
    parameters: tuple[Parameter, ...] = ()
    why: Why | None = None
    preview: bool = False


class Picked(Struct, frozen=True, gc=False):
    """An answer's content: the key of a choice, and a value for each of its parameters in their order."""

    choice: Id
    values: Values = ()


class Prompt(Struct, frozen=True, gc=False):
    """An open question to one seat: what it may do, and what is played for it when its time runs out (`default`).

    `sealed` is set when several seats are asked at once: an answer stays unseen until the last is in and may be replaced
    until then; `answered` then says that this seat has one in.
    """

    id: Id
    seat: Id
    title: str
    choices: tuple[Choice, ...]
    default: Picked
    rule: Id = ""
    unit: Id = ""
    sealed: bool = False
    answered: bool = False
