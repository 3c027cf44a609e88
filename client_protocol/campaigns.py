"""Campaigns: what the owner of a force is asked after a battle, what they may answer, and how a roster stands."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from client_protocol.shapes import Id

UnitNumber = Annotated[int, Meta(ge=-1, le=1000)]
"""The number of a unit in its roster, counted from 0; -1: of no unit."""
FigureName = Annotated[str, Meta(max_length=40)]
"""The name of a figure; "": it has none."""
Figures = Annotated[int, Meta(ge=0, le=1000)]
"""A number of figures."""


class Buy(Struct, frozen=True, omit_defaults=True, tag="buy", forbid_unknown_fields=True):
    """Buy something: for a unit, and of which kind, where there are several (a trait, a personality)."""

    what: Id
    unit: UnitNumber = -1
    value: Annotated[str, Meta(max_length=64)] = ""


class FormSquad(Struct, frozen=True, omit_defaults=True, tag="squad", forbid_unknown_fields=True):
    """Form a new squad of so many reinforcements; 0: form none."""

    figures: Figures = 0


class Share(Struct, frozen=True, omit_defaults=True, tag="share", forbid_unknown_fields=True):
    """Share the reinforcements out: how many join each unit, as (unit, figures). The others are lost."""

    shares: Annotated[tuple[tuple[UnitNumber, Figures], ...], Meta(max_length=200)] = ()


class GoOn(Struct, frozen=True, tag="go_on", forbid_unknown_fields=True):
    """Buy nothing, or nothing more, and go on."""


class Roll(Struct, frozen=True, omit_defaults=True, tag="roll", forbid_unknown_fields=True):
    """Let the dice that are due fall; `on`: and those after them, until something is asked or all is done."""

    on: bool = False


CampaignChoice = Buy | FormSquad | Share | GoOn
"""An answer to a question that leaves a choice."""
CampaignAnswer = Roll | CampaignChoice


class CampaignOffer(Struct, frozen=True, omit_defaults=True):
    """An answer that is legal now, in words. `points` is what it costs."""

    answer: CampaignChoice
    label: str
    points: int = 0
    rule: str = ""


class CampaignPrompt(Struct, frozen=True, omit_defaults=True, tag="prompt"):
    """A question to the owner of a force: to which step it belongs, what is asked, the legal answers (of sharing out only the
    default, since `most` says which others are legal), and the one that is given at the deadline if the owner gives none.
    `troopers` are the reinforcements there are to use, `most` how many of them may join each unit, as (unit, figures). `rule` is
    the rule that asks; "" if the edition has no entry for it.
    """

    step: Literal["more_dice", "squad", "share", "spend"]
    title: str
    offers: tuple[CampaignOffer, ...]
    default: CampaignChoice
    troopers: int = 0
    most: tuple[tuple[int, int], ...] = ()
    rule: str = ""


class NameFigures(Struct, frozen=True, tag="name_figures", forbid_unknown_fields=True):
    """A player names the figures of a unit of their force: the names by the figures' places; "": a figure has none."""

    unit: UnitNumber
    names: Annotated[tuple[FigureName, ...], Meta(max_length=60)]


class Odds(Struct, frozen=True):
    """A row of the table by which dice are read: what comes out, and how many of the ways in which the dice fall lead to it."""

    result: str
    ways: int
    of: int


class CampaignDice(Struct, frozen=True, omit_defaults=True, tag="dice"):
    """Dice that are due: what they are rolled for, for which unit (its number; -1: for none), how many there are (all have six
    sides), what they are for in a sentence, what can come out, and the rule that asks for them; "" if the edition has no entry
    for it.
    """

    kind: str
    unit: int
    count: int
    title: str
    odds: tuple[Odds, ...]
    rule: str = ""


CampaignDue = CampaignDice | CampaignPrompt
"""What is due after a battle."""


class Level(Struct, frozen=True, array_like=True):
    """A level of a unit: what it is called, its present name, and its name at the start."""

    what: str
    now: str
    started: str


class RosterFigure(Struct, frozen=True, omit_defaults=True):
    """A figure of a unit: its name ("": it has none), and whether the unit has it not any more."""

    name: FigureName = ""
    missing: bool = False


class RosterUnitView(Struct, frozen=True, omit_defaults=True):
    """A unit of a roster: its number, name and kind, how many of its figures are there of how many, how it stands, its levels,
    what it fought, lost and put out of action, why it sits the next battle out ("": it does not), and its story. `members` are
    its figures by their places, whom its player can name; empty for a vehicle and for a figure that is alone.
    """

    number: int
    name: str
    kind: str
    figures: int
    of: int
    levels: tuple[Level, ...]
    condition: Literal["fit", "damaged", "lost", "struck"] = "fit"
    battles: int = 0
    lost: int = 0
    kills: int = 0
    sits_out: str = ""
    story: str = ""
    members: tuple[RosterFigure, ...] = ()


class RosterLine(Struct, frozen=True, omit_defaults=True):
    """A line of a roster's history: when (ms since 1970), in a sentence, of which unit (its number; -1: of the force), of which
    fixture (0: none), in which match, with the number of the entry in it at which a replay may begin (0: none). `faces` are the
    dice that fell, and `rule` is the rule behind it.
    """

    at: int
    text: str
    unit: int = -1
    fixture: int = 0
    match: Id = ""
    step: int = 0
    faces: tuple[int, ...] = ()
    rule: str = ""


class RosterView(Struct, frozen=True, omit_defaults=True):
    """The roster of a player: its name, the battles that it has fought, its campaign points, its units, its history (the latest
    last). While steps after a battle are to be taken, `due` is the next of them, `fixture` the battle, `until` the deadline at
    which the default is taken (ms since 1970; 0: none), and `step` the number of the step, which an answer names.
    """

    player: str
    name: str
    battles: int
    points: int
    units: tuple[RosterUnitView, ...]
    history: tuple[RosterLine, ...] = ()
    due: CampaignDue | None = None
    fixture: int = 0
    until: int = 0
    step: int = 0
