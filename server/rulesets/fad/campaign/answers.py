"""What the owner of a force may answer after a battle, and the prompts that ask for it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.rulesets.fad.campaign.state import Step

Purchase = Literal[
    "quality",
    "resolve",
    "reinforcement_die",
    "return_lone_figure",
    "repair_vehicle",
    "personality",
    "leadership",
    "replace_vehicle",
    "trait",
]
"""What can be bought with campaign points."""


class Buy(Struct, frozen=True, omit_defaults=True, tag="buy", tag_field="answer", forbid_unknown_fields=True):
    """Buy something: for a unit, by its number, and of which kind, where there are several (a trait, a personality)."""

    what: Purchase
    unit: int = -1
    value: str = ""


class FormSquad(Struct, frozen=True, omit_defaults=True, tag="squad", tag_field="answer", forbid_unknown_fields=True):
    """Form a new squad of so many reinforcements; 0: form none."""

    figures: int = 0


class Share(Struct, frozen=True, omit_defaults=True, tag="share", tag_field="answer", forbid_unknown_fields=True):
    """Share the reinforcements out: how many join each unit, by its number. The others are lost."""

    shares: dict[int, int] = {}


class GoOn(Struct, frozen=True, tag="go_on", tag_field="answer", forbid_unknown_fields=True):
    """Buy nothing, or nothing more, and go on."""


Answer = Buy | FormSquad | Share | GoOn


class Offer(Struct, frozen=True, omit_defaults=True):
    """An answer that is legal now, in words. `points` is what it costs."""

    answer: Answer
    label: str
    points: int = 0
    rule: str = ""


class Prompt(Struct, frozen=True, omit_defaults=True):
    """A question to the owner of a force.

    Attributes:
        step: the step to which it belongs.
        title: what is asked.
        offers: the legal answers; of sharing out only the default, since `most` says which others are legal.
        default: the answer that is given if the owner gives none.
        troopers: how many reinforcements there are to use.
        most: how many of them may join each unit, by its number.
        rule: the rule that asks; "" if the edition has no entry for it.
    """

    step: Step
    title: str
    offers: tuple[Offer, ...]
    default: Answer
    troopers: int = 0
    most: dict[int, int] = {}
    rule: str = ""
