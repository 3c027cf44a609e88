"""What a module of the family may add besides what modules of any family add. Chapters reach it through the rules object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from client_protocol.choices import Choice, GroundRule, PathsDeclared, Picked, Why
from client_protocol.explained import Explained, Line
from client_protocol.from_server import Chance
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.march import Paths
from server.kernel.notes import Note
from server.kernel.procedure import Steps
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point
from server.kernel.space.terrain import Terrain
from server.kernel.state import Asset, State, Unit
from server.rulesets.shared.modules import Action, Marker, Module

if TYPE_CHECKING:  # the rules object holds the modules
    from server.rulesets.fad.game import FadGame, FadRules
    from server.rulesets.fad.setup.book import HeavyWeapon, SmallArm, SupportWeapon
    from server.rulesets.fad.shot import Shot


class Act(StrEnum):
    """What a module may forbid a unit. Falling back is an act of its own (`Held`)."""

    SHOOT = "shoot"
    MOVE = "move"
    RUSH = "rush"
    ADVANCE = "advance"
    """Moving as a part of Engage the Enemy."""
    ASSAULT = "assault"
    SERVE = "serve"
    """Firing the heavy weapon that figures of the unit serve."""
    COMMAND = "command"
    ALIGHT = "alight"
    """Shooting as it gets off a vehicle."""
    STRIKE_BACK = "strike_back"
    """Striking at a vehicle that has driven into the unit."""


class Held(Struct, frozen=True):
    """What a marker makes of a unit that should fall back: it takes no action.

    Attributes:
        declared: what the unit declares instead (`server.kernel.facts.Declared`), for which its module has the words.
        rule: the rule that says so.
        foretold: what its Morale Test comes to, as the log tells it.
    """

    declared: str
    rule: str
    foretold: str


class Foretold(Struct, frozen=True):
    """What a preview of a shot adds to its numbers and chances."""

    numbers: tuple[tuple[str, Explained], ...] = ()
    chances: tuple[Chance, ...] = ()


class Aftermath(Struct, frozen=True):
    """What a shot leaves behind on its target, unless it is a free shot.

    Attributes:
        leave: given the target and the Fire Effect, places a marker instead of Under Fire; returns whether it did.
        foretell: what a preview says of that, given the target and how likely each Fire Effect is.
    """

    leave: Callable[[FadGame, str, Explained], Steps[bool]]
    foretell: Callable[[FadRules, State, str, Mapping[int, Fraction]], Foretold]


class Pace(Struct, frozen=True):
    """How far a move will take a unit, before its dice fall.

    Attributes:
        dice: the dice, in words.
        certain: what is added to them, in mil.
        spread: how likely each length is, in mil.
    """

    dice: str
    certain: Explained
    spread: Mapping[int, Fraction]


class Going(Struct, frozen=True, kw_only=True):
    """A move of a unit along declared paths.

    Attributes:
        unit: the unit.
        paths: its paths, the starts left out.
        manner: the manner of the move.
        rule: its rule.
        target: the unit that is assaulted, if it is a charge.
        facing: where a hull points at the end, in hundredths of a degree; None for as it drove.
        limit: how much movement it has, in mil, if that is not its own allowance.
        seat: the seat that drew its way, if that is not its owner's.
    """

    unit: str
    paths: Paths
    manner: str
    rule: str
    target: str = ""
    facing: int | None = None
    limit: int | None = None
    seat: str = ""


class Progress(Enum):
    """Whether a unit goes on that has met something on its way: it does, it was halted and its player may change the rest of its
    way, or it comes no farther.
    """

    ON = "on"
    HALTED = "halted"
    STUCK = "stuck"


class Meeting(Struct, frozen=True):
    """What a unit meets on its declared paths.

    Attributes:
        t: how far along them, from 0 to 1.
        happening: what happens then.
        rule: its rule.
        kept: whether a unit that it halts goes on as declared if its owner says nothing else; otherwise it stops.
    """

    t: float
    happening: Callable[[FadGame], Steps[Progress]]
    rule: str
    kept: bool = False


class Travel(Struct, frozen=True):
    """How units move in a match in which it is not sure that they arrive. What they may declare is a move as far as it could take
    them at most (`server.rulesets.fad.movement.MoveAllowance`).

    Attributes:
        go: moves a unit along its declared paths as far as it comes. Given the manner and the rule of the move and, if it is a
            charge, the unit that is assaulted.
        reach: rolls for how far a move of this manner takes a unit, in mil.
        pace: how far it will take the unit, before that roll.
        rule: the rule by which paths are declared.
    """

    go: Callable[[FadGame, str, Paths, str, str, str], Steps[None]]
    reach: Callable[[FadGame, str, str], Steps[Explained]]
    pace: Callable[[FadRules, State, str, str], Pace]
    rule: str


class FadMarker(Marker["FadRules"], frozen=True, kw_only=True):
    """A marker of the family.

    Attributes:
        held: a unit with it does not fall back when a Morale Test would have it so.
        resolve: how many levels lower its Resolve counts.
        tests: whether a unit with it takes a Morale Test when it activates, whatever its losses.
    """

    held: Held | None = None
    resolve: int = 0
    tests: bool = False


class FigureMarker(Struct, frozen=True):
    """A marker on single figures. Like a unit's marker, it does what it does wherever it lies.

    Attributes:
        id: the condition, which is a row of the edition's list.
        fallen: whether figures that have fallen have it, and no others.
        alive: whether a fallen figure with it is not dead.
        treated: whether a fallen figure with it counts no longer as a casualty when Resolve is checked.
        apart: whether figures with it need not keep together with their unit. They may have it fallen or not.
        stays: whether it stays on figures that fall.
    """

    id: str
    fallen: bool = False
    alive: bool = False
    treated: bool = False
    apart: bool = False
    stays: bool = False


class Task(Struct, frozen=True, kw_only=True):
    """A task that a module adds to those of which the action Command takes two.

    Attributes:
        key: the key of its choice. No other choice of the family has it.
        label: its name within a sentence.
        offer: the choice for a unit, from what its seat may know, with why it cannot be done now.
        carry_out: does it. Figures that take part get the marker `at_task` (see `server.rulesets.fad.command`).
        preview: what is said of it before it is taken; None if there is nothing to say.
        ways: the choices that take its place, if there are any; the key of each is that of the task, a colon, and more.
        of: the task of which it is one way, if it is one of several: a unit takes one of them. They have the same label.
        concerns: whether a unit is offered it at all; None if every unit is.
    """

    key: str
    label: str
    offer: Callable[[FadRules, State, Unit], Choice]
    carry_out: Callable[[FadGame, str, Picked], Steps[None]]
    preview: Callable[[FadRules, State, Unit, Picked], Preview | None] | None = None
    ways: Callable[[FadRules, State, Unit], tuple[Choice, ...]] | None = None
    of: str = ""
    concerns: Callable[[Unit], bool] | None = None


class Push(Struct, frozen=True, kw_only=True):
    """A way to inspire a squad that a module adds.

    Attributes:
        key: the key of its choice, and what the squad declares, for which the module has the words.
        label: its name.
        text: what comes of it.
        rule: the rule behind it.
        barred: why a squad cannot be inspired so; None if it can.
        carry_out: does it.
    """

    key: str
    label: str
    text: str
    rule: str
    barred: Callable[[FadRules, State, Unit], Why | None]
    carry_out: Callable[[FadGame, str], Steps[None]]


class Wounding(Struct, frozen=True):
    """What damage does to a figure that it takes out, if it does not always kill.

    Attributes:
        wounded: which of the figures that fall are only wounded, given by how much each hit on each of them reached its armour.
        at_once: which of them are, if one die of damage counts for all; they come in the order in which they were hit.
        marker: the marker on the wounded, and `rule` the rule that places it.
        note: the sentence that a preview of a shot adds.
    """

    wounded: Callable[[FadRules, Mapping[str, Sequence[int]]], tuple[str, ...]]
    at_once: Callable[[FadRules, Sequence[str]], tuple[str, ...]]
    marker: str
    rule: str
    note: Callable[[FadRules], str]


class Endurance(Struct, frozen=True):
    """How machines among the figures of units take damage.

    Attributes:
        kept: which figures of a unit that damage would take out only come to harm, given by how much each hit on each of them
            reached its armour.
        marker: the marker on them, and `rule` the rule that places it.
        least: by how much a hit must beat the armour of a unit that is all machines to take one out; 0 for other units.
        note: the sentence that a preview of a shot at a unit adds; "" for none.
    """

    kept: Callable[[FadRules, Unit, Mapping[str, Sequence[int]]], tuple[str, ...]]
    marker: str
    rule: str
    least: Callable[[FadRules, Unit], int]
    note: Callable[[FadRules, Unit], str]


class Shield(Struct, frozen=True):
    """What saves units from hits.

    Attributes:
        left: from how many hits a unit may yet be saved.
        chance: how likely each of them is stopped.
        save: rolls for the hits of a shot and returns how many are left.
    """

    left: Callable[[FadRules, State, Unit], int]
    chance: Callable[[FadRules], Fraction]
    save: Callable[[FadGame, Shot, int], Steps[int]]


class Assets(Struct, frozen=True):
    """What sides have off the table by a module.

    Attributes:
        profile: checks the characteristics of an asset in a setup (its name, the other fields) and returns its profile. Raises
            `RulesetError`.
        card: the lines of its card.
        given: the position with what the match's options give the sides.
    """

    profile: Callable[[FadRules, str, Mapping[str, object]], dict[str, Note]]
    card: Callable[[FadRules, State, Asset], tuple[CardLine, ...]]
    given: Callable[[FadRules, State], State]


class Crew(Struct, frozen=True):
    """Figures that serve a heavy weapon, which fires apart from its unit's small arms.

    Attributes:
        gunner: the figure with the weapon.
        figures: all of them that live, the gunner among them.
        whole: whether the unit is nothing else.
    """

    gunner: str
    figures: frozenset[str]
    whole: bool


class Leaving(Struct, frozen=True):
    """A reason for which units leave the game by a module, as players read it: its name, a sentence and the rule. `told` is what
    follows the unit's name in the log.
    """

    id: str
    label: str
    text: str
    rule: str
    told: str


class WeaponEffect(Struct, frozen=True, kw_only=True):
    """What heavy weapons with a trait do besides what their numbers say.

    Attributes:
        trait: the trait.
        unfit: why such a weapon is not aimed at a unit, given what its seat may know; None if it may be.
        most_hits: how many hits a shot deals at most; 0 for any number.
        strike: what its hits do in place of damage.
        hit: what follows its hits and their damage, given the shot, the hits and the target as it was before.
        burst: what a shell does to the units in its blast in place of a strike, given a shot at each of them and where it landed.
        landed: what a shell does where it landed, besides its strike, given who fired it (or called it) and the weapon.
        anti_tank: the anti-tank rating against a vehicle, in place of that of its row.
        foretell: the chances that a preview adds on a shot, given how likely each number of hits is.
        foretell_burst: those that it says of a unit in the blast in place of hits and losses, given how likely it lands there.
        foretell_landing: those that it adds on a shell, given where it is aimed and how likely it lands there.
        wounding: what it does in place of a wound to figures that it takes out; what would kill only wounds then.
        ignores_cover: whether cover does not count for its target.
        anywhere: whether its shells may be aimed at any point, also where no enemy stands.
        note: the sentence that previews add; "" for none.
    """

    trait: str
    unfit: Callable[[FadRules, State, HeavyWeapon, Unit], Why | None] | None = None
    most_hits: int = 0
    strike: Callable[[FadGame, Shot, int], Steps[None]] | None = None
    hit: Callable[[FadGame, Shot, Unit], Steps[None]] | None = None
    burst: Callable[[FadGame, tuple[Shot, ...], Point], Steps[None]] | None = None
    landed: Callable[[FadGame, str, str, Point], Steps[None]] | None = None
    anti_tank: Callable[[FadRules, State, HeavyWeapon, Unit], int] | None = None
    foretell: Callable[[FadRules, State, Shot, Mapping[int, Fraction]], tuple[Chance, ...]] | None = None
    foretell_burst: Callable[[FadRules, State, Shot, Fraction], tuple[Chance, ...]] | None = None
    foretell_landing: Callable[[FadRules, State, Point, Fraction], tuple[Chance, ...]] | None = None
    wounding: Wounding | None = None
    ignores_cover: bool = False
    anywhere: bool = False
    note: str = ""


class Preparation(Struct, frozen=True):
    """What comes before the sides deploy: whether it is still due in a match, and what then comes first."""

    due: Callable[[State], bool]
    carry_out: Callable[[FadGame], Steps[None]]


class FadModule(Module["FadRules"], frozen=True, kw_only=True):
    """A module of the family.

    Attributes:
        leaving: the reasons of its own for which units leave the game.
        attaches_teams: whether heavy weapons with their crews are attached to squads.
        arms_suits: whether a wearer of powered armour may carry a heavy weapon.
        crew: the crew of the heavy weapon of a unit; None if it has none. One module at most has it.
        firing: what comes when a unit opens fire that is not a free shot, given whether its heavy weapon takes part.
        losing: what comes when figures of a unit have fallen, before it is seen whether any is left.
        ended: what comes when a unit's activation is over.
        turning: what comes when a turn begins.
        solitary: the traits of units to which no other is attached.
        inspect: refuses a position that comes from a file and that the module could not play. Raises `RulesetError`.
        again: how many failed dice of its Morale Tests a unit rolls again, as a line; None if it does not.
        aftermath: what shots leave behind.
        follow: what follows a shot that was not free, when its marker lies.
        travel: how units move, where that is not to the end of the paths that they declare.
        figure_markers: the markers on single figures that it brings.
        tasks: what it adds to the tasks of the action Command.
        wounding: what damage does that does not always kill. One module at most has it.
        setting_out: what comes before a unit moves as its player wants, given where its figures are going to end.
        beginning: what comes when a unit's activation begins.
        concluding: what comes when it ends.
        instead: what a unit that may act does in the place of its action; it returns whether it did.
        arrived: what comes when a unit has ended a move that its player wanted, other than a charge.
        ending: what comes at the end of a turn.
        spared: why a unit may not be shot at or assaulted; None if it may.
        helpless: the rule by which a unit that is assaulted is overrun without a fight; "" for others.
        bystander: whether a unit has no part in the fighting: it takes no place among the nearest enemies, and a side without
            other units has none left to fight with.
        suits: refuses a unit of a position that the module cannot play. Raises `RulesetError`.
        weapon_effects: what heavy weapons do by their traits.
        traits: the traits of units that only a match with the module plays; a position with one is refused without it.
        needed: whether a unit is one that only a match with the module plays, for another reason.
        assets: what sides have off the table; a position with something there is refused without the module. One module at most
            has it.
        vehicle_actions: the actions that it adds to those of a vehicle that activates.
        vehicle_card: the lines that it adds to a vehicle's card.
        hinders: what comes before the free shot of a unit that another one assaults, given both; it returns whether there is
            none then.
        foretell_hindrance: how likely the free shot of a unit at another is fired, as a line; None if nothing hinders it.
        flees: what comes before a squad falls back, by a Morale Test or from a close assault.
        trims: what is left of a shot of a unit, or why there is none.
        spent: why a unit can fire a heavy weapon no more, or not where it is; None if it can.
        used: what comes when a unit has fired weapons, given their rows, free shots too.
        pushes: what a unit does that must fall back from an enemy, given both; it returns how far the enemy falls back then, in
            mil, and the rule, or None.
        inspires: the ways to inspire a squad that it adds.
        endurance: how the machines that it brings take damage.
        shield: what saves units from hits.
        stands_fast: whether a unit does not fall back when a Morale Test would have it so.
        routs: for what reason a unit leaves the game that routs, if it is not that it routs.
        goes: how units move along declared paths, where things happen on the way: `server.rulesets.fad.modules.halting.go`.
        meets: what a unit meets on its way, if the match has units `go` so.
        passed: what comes when a unit has gone along paths up to a t, given how it began.
        preparing: what comes before the sides deploy, while it is due.
        secretive: whether it notes what one seat alone may know.
        warns: what may happen to a unit on a way, as its preview says it, as far as its player knows.
        closes: the pieces of terrain that a unit does not enter, each with its rule, besides those that none enters.
        conceals: the pieces of terrain that conceal infantry at a place from outside them, each with its level of cover.
        withstands: what comes before a building comes down, given it; it returns whether it stands.
        heartened: the rule by which a unit's losses do not break it where it stands; "" if they do.
        previews: what is said of choices that it asks for itself before they are taken, by their keys; None if there is nothing
            to say.
    """

    markers: tuple[FadMarker, ...] = ()
    figure_markers: tuple[FigureMarker, ...] = ()
    tasks: tuple[Task, ...] = ()
    wounding: Wounding | None = None
    setting_out: Callable[[FadGame, str, Mapping[str, Point]], Steps[None]] | None = None
    beginning: Callable[[FadGame, str], Steps[None]] | None = None
    concluding: Callable[[FadGame, str], Steps[None]] | None = None
    instead: Callable[[FadGame, str], Steps[bool]] | None = None
    arrived: Callable[[FadGame, str], Steps[None]] | None = None
    ending: Callable[[FadGame], Steps[None]] | None = None
    spared: Callable[[FadRules, State, Unit], Why | None] | None = None
    helpless: Callable[[Unit], str] | None = None
    bystander: Callable[[Unit], bool] | None = None
    suits: Callable[[FadRules, Unit], None] | None = None
    weapon_effects: tuple[WeaponEffect, ...] = ()
    traits: tuple[str, ...] = ()
    leaving: tuple[Leaving, ...] = ()
    attaches_teams: bool = False
    arms_suits: bool = False
    needed: Callable[[FadRules, Unit], bool] | None = None
    crew: Callable[[FadRules, State, Unit], Crew | None] | None = None
    firing: Callable[[FadGame, str, bool], Steps[None]] | None = None
    losing: Callable[[FadGame, str], Steps[None]] | None = None
    ended: Callable[[FadGame, str], Steps[None]] | None = None
    turning: Callable[[FadGame], Steps[None]] | None = None
    solitary: tuple[str, ...] = ()
    inspect: Callable[[FadRules, State], None] | None = None
    again: Callable[[FadRules, State, Unit], Line | None] | None = None
    aftermath: Aftermath | None = None
    follow: Callable[[FadGame, Shot], Steps[None]] | None = None
    travel: Travel | None = None
    assets: Assets | None = None
    vehicle_actions: tuple[Action[FadRules], ...] = ()
    vehicle_card: Callable[[FadRules, State, Unit], Iterable[CardLine]] | None = None
    hinders: Callable[[FadGame, str, str], Steps[bool]] | None = None
    foretell_hindrance: Callable[[FadRules, State, Unit, Unit], Chance | None] | None = None
    pushes: Callable[[FadGame, str, str], Steps[tuple[int, str] | None]] | None = None
    flees: Callable[[FadGame, str], Steps[None]] | None = None
    trims: Callable[[FadRules, State, Unit, Shot], Shot | Why] | None = None
    spent: Callable[[FadRules, State, Unit, HeavyWeapon], Why | None] | None = None
    used: Callable[[FadGame, str, Sequence[SmallArm | SupportWeapon | HeavyWeapon]], Steps[None]] | None = None
    inspires: tuple[Push, ...] = ()
    endurance: Endurance | None = None
    shield: Shield | None = None
    stands_fast: Callable[[Unit], bool] | None = None
    routs: Callable[[Unit], Leaving | None] | None = None
    goes: Callable[[FadGame, Going], Steps[None]] | None = None
    meets: Callable[[FadRules, State, Going], Iterable[Meeting]] | None = None
    passed: Callable[[FadGame, Unit, Going, float], Steps[None]] | None = None
    preparing: Preparation | None = None
    secretive: bool = False
    warns: Callable[[FadRules, State, Unit, PathsDeclared], Iterable[str]] | None = None
    closes: Callable[[FadRules, State, Unit], Iterable[GroundRule]] | None = None
    conceals: Callable[[FadRules, State, Point], Iterable[tuple[Terrain, str]]] | None = None
    withstands: Callable[[FadGame, Terrain], Steps[bool]] | None = None
    heartened: Callable[[FadRules, State, Unit], str] | None = None
    previews: Mapping[str, Callable[[FadRules, State, Asked, Picked], Preview | None]] = {}
