"""The numbers by which the set-up of a scenario is generated. Distances are inches. Editions that generate none lack them all."""

from __future__ import annotations

from collections.abc import Mapping

from server.rulesets.shared.setup.rows import Row


class Stance(Row, frozen=True):
    """A stance of a force.

    Attributes:
        zone: how deep its deployment zone is.
        points: the Recon Points that it gives.
        dummies: the dummy markers that it gives for each platoon.
        calls: the calls for fire from off the table that it gives.
    """

    zone: float
    points: int = 0
    dummies: int = 0
    calls: int = 0


class Generating(Row, frozen=True, kw_only=True):
    """How the set-up of a scenario is generated.

    Attributes:
        stances: the stances, by name.
        attitudes: the attitudes, each with its Recon Points.
        missions: the missions, each with what stances and attitudes add to its die.
        scouts: the traits of units that are good scouts.
        barred: the traits of units that are sent on no recon duty.
        npc_stance: the stance of a force without a player, by the face of a die.
        npc_attitude: its attitude, by the face of a die.
        npc_markers: how its contact markers are placed, by the face of a die.
        npc_recon: from this number on a die sends a squad of a platoon on recon duty.
        npc_block: from this number on a die spends a Recon Point to block.
        squads: the most squads of a platoon.
        platoon: the Recon Points of a platoon.
        duty: the Recon Points of each unit on recon duty.
        bonuses: to how many missions a player may add one.
        sector: how far objective markers are from each other.
        held: the radius in which an objective is occupied.
        dummies: the dummy markers of a platoon.
        batch: how many markers are placed at a time.
        lost: up to this number on a die a unit on recon duty is destroyed.
        back: from this number on it is back in time.
        arrival: the turn in which a delayed unit enters.
        strip: how deep the strip along its edge is in which a unit enters.
        dispersed: how far from each other dispersed markers are at least.
        concentrated: how far from the next one a concentrated marker is at most.
        block: from this number on a die a block succeeds.
        move: how far a Recon Point moves a marker.
        moves: how many markers it moves.
        contact: enemy markers that come this near by moving are revealed.
        call: the weapon that fires from off the table when a stance gives calls.
        clash: the depth of both zones when both forces have the same mission.
        keep: how far enemies are kept from an objective that is taken.
        turns: at the end of how many turns in a row.
        hold: how far enemies are kept from objectives that are held.
        hold_turns: at the end of how many turns in a row.
        touch: how near infantry comes to an objective that it contacts.
        exit: how near to the enemy's edge a squad leaves the table.
    """

    stances: Mapping[str, Stance] = {}
    attitudes: Mapping[str, int] = {}
    missions: Mapping[str, Mapping[str, int]] = {}
    scouts: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    npc_stance: tuple[str, ...] = ()
    npc_attitude: tuple[str, ...] = ()
    npc_markers: tuple[str, ...] = ()
    npc_recon: int = 5
    npc_block: int = 4
    squads: int = 4
    platoon: int = 1
    duty: int = 2
    bonuses: int = 2
    sector: float = 6
    held: float = 4
    dummies: int = 5
    batch: int = 5
    lost: int = 1
    back: int = 6
    arrival: int = 2
    strip: float = 4
    dispersed: float = 6
    concentrated: float = 12
    block: int = 4
    move: float = 6
    moves: int = 2
    contact: float = 12
    call: str = ""
    clash: float = 18
    keep: float = 8
    turns: int = 2
    hold: float = 15
    hold_turns: int = 3
    touch: float = 1
    exit: float = 2
