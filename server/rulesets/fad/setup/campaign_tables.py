"""The numbers of campaigns: what happens to a force between two battles."""

from __future__ import annotations

from collections.abc import Mapping

from server.rulesets.shared.setup.rows import Row


class Campaign(Row, frozen=True):
    """What happens to a force between two battles. Tables have an entry for each face of a die.

    Attributes:
        infantry_replacements: whether a unit on foot gets back nothing ("none"), a part ("half") or all ("full").
        vehicle_replacements: whether a vehicle stays as it is ("none"), is repaired if it is damaged ("repaired"), or is made
            good if it is damaged or destroyed ("replaced").
        quality_loss: by how many levels the Quality changes.
        resolve_change: by how many levels the Resolve changes.
        half: the part of the losses that "half" replaces, in percent; it is rounded up.
        diluted: with replacements for this part of its first strength, in percent, a unit tests for a loss of Quality.
        reinforcements: how many dice are rolled for troopers who replace losses.
        new_squad: the least and the most troopers who form a new squad.
        new_quality: the Quality of such a squad.
        new_resolve: its Resolve.
        points: the campaign points of a platoon after a battle.
        prices: what is bought with them, and for how many.
        best_quality: the best Quality that can be bought.
        trained: the traits that can be bought where training alone gives some.
        single: the traits that only units of one figure may buy.
        steadfast: the traits of units whose Resolve never changes.
        damaged: the markers of a vehicle that is damaged.
        abandoned: the reasons for leaving of a vehicle whose crew has bailed out of it.
        destroyed: the reasons for leaving of units that are destroyed.
        routed: the reasons for leaving of units that have fled from the battle.
        captured: the marker of figures that have been taken prisoner.
        treated: the markers of fallen figures who are wounded and have been looked after.
        unhurt: the markers of fallen figures who get up again when the battle is over.
    """

    infantry_replacements: tuple[str, ...] = ()
    vehicle_replacements: tuple[str, ...] = ()
    quality_loss: tuple[int, ...] = ()
    resolve_change: tuple[int, ...] = ()
    half: int = 50
    diluted: int = 50
    reinforcements: int = 0
    new_squad: tuple[int, int] = (0, 0)
    new_quality: str = ""
    new_resolve: str = ""
    points: int = 0
    prices: Mapping[str, int] = {}
    best_quality: str = ""
    trained: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    steadfast: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    abandoned: tuple[str, ...] = ()
    destroyed: tuple[str, ...] = ()
    routed: tuple[str, ...] = ()
    captured: str = ""
    treated: tuple[str, ...] = ()
    unhurt: tuple[str, ...] = ()
