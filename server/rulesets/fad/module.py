"""What a module of the family may add besides what modules of any family add. Chapters reach it through the rules object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from client_protocol.choices import Choice, Picked, Why
from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.march import Paths
from server.kernel.procedure import Steps
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point
from server.kernel.state import State, Unit
from server.rulesets.shared.modules import Marker, Module

if TYPE_CHECKING:  # the rules object holds the modules
    from server.rulesets.fad.game import FadGame, FadRules
    from server.rulesets.fad.setup.book import HeavyWeapon
    from server.rulesets.fad.shot import Shot


class Act(StrEnum):
    """What a module may forbid a unit. Falling back is an act of its own (`Held`)."""

    SHOOT = "shoot"
    MOVE = "move"
    ASSAULT = "assault"


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
        treated: whether a fallen figure with it counts no longer as a casualty when Resolve is checked.
    """

    id: str
    fallen: bool = False
    treated: bool = False


class Task(Struct, frozen=True, kw_only=True):
    """A task that a module adds to those of which the action Command takes two.

    Attributes:
        key: the key of its choice. No other choice of the family has it.
        label: its name within a sentence.
        offer: the choice for a unit, from what its seat may know, with why it cannot be done now.
        carry_out: does it. Figures that take part get the marker `at_task` (see `server.rulesets.fad.command`).
        preview: what is said of it before it is taken; None if there is nothing to say.
        concerns: whether a unit is offered it at all; None if every unit is.
    """

    key: str
    label: str
    offer: Callable[[FadRules, State, Unit], Choice]
    carry_out: Callable[[FadGame, str, Picked], Steps[None]]
    preview: Callable[[FadRules, State, Unit, Picked], Preview | None] | None = None
    concerns: Callable[[Unit], bool] | None = None


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


class WeaponEffect(Struct, frozen=True, kw_only=True):
    """What heavy weapons with a trait do besides what their numbers say.

    Attributes:
        trait: the trait.
        unfit: why such a weapon is not aimed at a unit, given what its seat may know; None if it may be.
        most_hits: how many hits a shot deals at most; 0 for any number.
        strike: what its hits do in place of damage.
        hit: what follows its hits and their damage, given the shot, the hits and the target as it was before.
        landed: what a shell does where it landed, besides its strike, given who fired it.
        foretell: the chances that a preview adds on a shot, given how likely each number of hits is.
        foretell_landing: those that it adds on a shell, given where it is aimed and how likely it lands there.
        note: the sentence that previews add; "" for none.
    """

    trait: str
    unfit: Callable[[FadRules, State, HeavyWeapon, Unit], Why | None] | None = None
    most_hits: int = 0
    strike: Callable[[FadGame, Shot, int], Steps[None]] | None = None
    hit: Callable[[FadGame, Shot, Unit], Steps[None]] | None = None
    landed: Callable[[FadGame, str, Point], Steps[None]] | None = None
    foretell: Callable[[FadRules, State, Shot, Mapping[int, Fraction]], tuple[Chance, ...]] | None = None
    foretell_landing: Callable[[FadRules, State, Point, Fraction], tuple[Chance, ...]] | None = None
    note: str = ""


class FadModule(Module["FadRules"], frozen=True, kw_only=True):
    """A module of the family.

    Attributes:
        aftermath: what shots leave behind.
        follow: what follows a shot that was not free, when its marker lies.
        travel: how units move, where that is not to the end of the paths that they declare.
        figure_markers: the markers on single figures that it brings.
        tasks: what it adds to the tasks of the action Command.
        wounding: what damage does that does not always kill. One module at most has it.
        setting_out: what comes before a unit moves as its player wants, given where its figures are going to end.
        beginning: what comes when a unit's activation begins.
        weapon_effects: what heavy weapons do by their traits.
        traits: the traits of units that only a match with the module plays; a position with one is refused without it.
    """

    markers: tuple[FadMarker, ...] = ()
    figure_markers: tuple[FigureMarker, ...] = ()
    tasks: tuple[Task, ...] = ()
    wounding: Wounding | None = None
    setting_out: Callable[[FadGame, str, Mapping[str, Point]], Steps[None]] | None = None
    beginning: Callable[[FadGame, str], Steps[None]] | None = None
    weapon_effects: tuple[WeaponEffect, ...] = ()
    traits: tuple[str, ...] = ()
    aftermath: Aftermath | None = None
    follow: Callable[[FadGame, Shot], Steps[None]] | None = None
    travel: Travel | None = None
