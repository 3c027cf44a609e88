"""The family's tables of numbers, one struct each. Distances are inches. What has a default is lacking in some editions."""

from __future__ import annotations

from typing import Literal

from server.rulesets.fad.setup.campaign_tables import Campaign
from server.rulesets.fad.setup.force_tables import Bounds, Form, Points
from server.rulesets.fad.setup.generating import Generating
from server.rulesets.shared.setup.rows import Row


class QualityTest(Row, frozen=True):
    """How many dice a Quality Test has."""

    dice: int


class RangeBands(Row, frozen=True):
    """The upper edge of each band, as a multiple of close range."""

    close: int
    medium: int
    long: int

    def of(self, band: str) -> int:
        """The multiple of a band; 1 for base range, which is none."""
        return {"close": self.close, "medium": self.medium, "long": self.long}.get(band, 1)


class FireEffect(Row, frozen=True):
    """How many dice a Fire Effect roll has, of which the highest counts, and the least that comes out."""

    squad_dice: int
    individual_dice: int
    minimum: int


class FireEffectModifiers(Row, frozen=True):
    """What is added to a Fire Effect, besides what the shooters' and the target's Quality adds. `riflemen` is for each full
    `riflemen_each` of them. The weapons of a vehicle Under Fire have `vehicle_under_fire`, those served from outside
    `outside_under_fire`.
    """

    at_base_range: int
    at_medium_range: int
    at_long_range: int
    target_under_fire_or_pinned: int
    target_bunched_up: int
    riflemen: int
    riflemen_each: int
    shooter_under_fire_or_broken: int
    vehicle_under_fire: int = 0
    outside_under_fire: int = 0
    target_concealed_sniper: int = 0
    open_fire: int = 0


class BunchedUp(Row, frozen=True):
    """When a unit stands too close together: figures less than `gap` apart, by their `share` of the unit in percent, or by how
    many `figures` hang together.
    """

    gap: float
    share: int = 0
    figures: int = 0


class FirePriority(Row, frozen=True):
    """How many levels of Quality lower a unit Under Fire counts, and whether it is said that it can harm none of those it may
    choose. `armed_only`: non-combatants take no place.
    """

    under_fire_levels: int = 0
    unharmable: bool = False
    armed_only: bool = False


class Cover(Row, frozen=True):
    """What percentage of a squad must be in cover, and how near behind a cover's edge a figure has it. `of_seen`: only figures
    that may be hit are asked. `rough`: a unit with a figure in difficult ground is not in the open, though nothing covers it.
    """

    share: int
    edge_reach: float
    of_seen: bool = False
    rough: bool = False


class Movement(Row, frozen=True):
    """How far infantry goes, in inches. `rolled` is what is added to each die where moves are rolled, `clear` how far figures
    keep from enemies when they do not assault, and `slack` how much of a move may be left that must be used up. Where both dice
    of a Rush are rolled again for the best, `rush_again` is true. `recon` is what scouts add to their coherency distance. With
    `rush_watched` all of the way counts of a unit that Rushes Under Fire, and every enemy; else where it ends, and the nearest
    enemy that it sees.
    """

    infantry: float
    rush_factor: int
    charge_bonus: float
    under_fire: float
    rolled: float = 0
    clear: float = 0
    slack: float = 0
    recon: float = 0
    rush_again: bool = False
    rush_watched: bool = False


class Morale(Row, frozen=True):
    """How many passes of a Morale Test rally and let a unit fall back, and how far the enemies of one that stays must be."""

    rally_passes: int
    fall_back_passes: int
    safe_distance: float


class Vehicles(Row, frozen=True):
    """Vehicles: the armour rating below which a facing is soft skin, by how much a critical hit exceeds the armour, how many
    times its Resolve in hits removes a vehicle, the passes that repair one and those that leave it damaged, the kinds of
    ground that none drives into, how near a tank must be to bolster
    infantry, how many vehicles a squad has at most, and how near together they keep. Whether its squads are `formations` of
    vehicles that act alone. Whether `woods_hide` those in them from a flyer. Whether a flyer `touches_down` to let troops off,
    and takes off before it acts; how many degrees to either side are straight `ahead` of one that strafes. How near to a killed
    vehicle infantry is marked (`shock`); with how many dice a squad tests its nerve that assaults one (`nerve_dice`), of which
    `nerve_passes` must pass; how near to a shock vehicle figures fall (`shock_reach`); and whether only weapons with an anti-tank
    rating are fired at vehicles (`rated_only`). Which heavy weapons are `machine_guns` for fire control, and how far a `slow`
    move goes.
    """

    soft_below: int = 0
    critical_by: int = 0
    removed_at: int = 0
    repaired: int = 0
    still_damaged: int = 0
    solid: tuple[str, ...] = ()
    bolsters: float = 0
    most_in_squad: int = 0
    coherency: float = 0
    formations: bool = False
    touches_down: bool = False
    woods_hide: bool = False
    ahead: int = 0
    shock: float = 0
    nerve_dice: int = 0
    nerve_passes: int = 0
    shock_reach: float = 0
    rated_only: bool = False
    machine_guns: tuple[str, ...] = ()
    slow: float = 0


class Transport(Row, frozen=True):
    """Troops in vehicles: whether a vehicle and those aboard are one unit, and act `together`; how near to a vehicle, in inches,
    a figure gets in (`contact`; 0: it touches it); into how many parts of its move a squad that gets off divides it, of which it
    may go one (`share`), or how far from the vehicle it is set down (`off`) and how far from the enemy (`clear`), in inches; how
    near to the wreck, in inches, the passengers of a lost vehicle stand, the number on a die from which on they are killed, that
    for those in powered armour (`powered_killed_on`; 0: the same), and whether they are then Under Fire (`marked`); the seats
    that a figure in powered armour and a heavy weapon take up.
    """

    together: bool = True
    contact: float = 0
    share: int = 2
    off: float = 0
    clear: float = 0
    reach: float = 0
    killed_on: int = 7
    powered_killed_on: int = 0
    marked: bool = True
    powered_seats: int = 1
    heavy_seats: int = 0


class Cards(Row, frozen=True):
    """How far an inspired squad moves, in inches, and how many degrees a reaction's move may be off the straight line."""

    inspired_move: float = 0
    reaction_bend: int = 0


class Crossfire(Row, frozen=True):
    """How far apart two enemies shoot in a crossfire, in inches, and the passes with which their target holds out."""

    apart: float = 0
    passes: int = 0


class Blast(Row, frozen=True):
    """How a blast is ranged in and how it strikes: the dice of the Quality Test and the passes that it needs, the dice of the
    strike (0: one for each pass), and whether each unit is struck by a roll of its own.

    `scatter`: what is added to the one die by which a shell scatters, in inches, at close, medium and long range; empty where a
    die falls for each one that failed, and the shell goes at most half of its way. `shelters` are the kinds of ground in which
    figures are struck only by what bursts in the same piece.
    """

    ranging_dice: int
    ranging_passes: int
    strike_dice: int
    separately: bool
    scatter: tuple[int, ...] = ()
    shelters: tuple[str, ...] = ()


class LineOfFire(Row, frozen=True):
    """How wide a gap in a friendly squad must be, in inches, for infantry to fire through it; 0: any is wide enough. `scattered`
    is the farthest range of scattered fire, in inches, and `scattered_dice` its dice, each of which hits on `scattered_hit`.
    """

    gap: float = 0
    scattered: float = 0
    scattered_dice: int = 0
    scattered_hit: int = 0


class Artillery(Row, frozen=True):
    """Indirect fire: the dice of the timing test, the passes with which a strike arrives, and those with which contact is lost;
    the dice of the accuracy test; the dice of a strike (as `Blast.strike_dice`); how near to the point, in inches, a weapon
    without a blast finds its target; the kinds of ground from which mortars do not fire; the Quality of a crew off the table
    unless it is said, and the most strikes that may be said.
    """

    timing_dice: int = 0
    arrives: int = 0
    lost: int = 0
    accuracy_dice: int = 0
    strike_dice: int = 0
    finds: float = 0
    roofed: tuple[str, ...] = ()
    quality: str = ""
    most_strikes: int = 0


class Wounds(Row, frozen=True):
    """What is wounded and how it is treated: damage of `killed_by` above the armour kills; a `team` of so many figures treats one
    of the wounded, with `under_fire` added to its die if the unit is marked. From `recovered` on it is fit again, from
    `stabilised` on it lives. Who leaves wounded behind rolls `leave_on` or more. `carrying` is the share of a move, in percent.
    """

    killed_by: int = 0
    team: int = 0
    under_fire: int = 0
    recovered: int = 0
    stabilised: int = 0
    leave_on: int = 0
    carrying: int = 0


class Scout(Row, frozen=True):
    """How far a scout goes, in coherency distances of his squad, and how far he keeps from the enemy, in inches."""

    reach: int = 0
    clear: float = 0


class Buildings(Row, frozen=True):
    """How near to an opening, in inches, figures fire from it, and how many with small arms do."""

    reach: float = 0
    figures: int = 0


class Demolition(Row, frozen=True):
    """Demolition charges. `reach`: how near to its target a figure rigs them, in inches, with so many `dice`, or those
    `under_fire`; `rigged` passes do it at once. `clear`: how far the unit is away, in inches, when it detonates them, with
    `detonate` dice; `destroyed` passes destroy the target, fewer damage it badly, and then it falls at the end of a turn on
    `collapse` or more. `targets` are the kinds of terrain that can be blown up without a flag, and `rubble` is what is left of
    them.

    Of those inside, figures fall on `out` or more, in powered armour on `powered_out`; where figures are only wounded, they are
    from `wounded` on, and die from `killed` on. Where what falls `crushes`, buildings come down on those inside as destroyed
    transports do on theirs.
    """

    reach: float = 0
    dice: int = 0
    under_fire: int = 0
    rigged: int = 0
    clear: float = 0
    detonate: int = 0
    destroyed: int = 0
    collapse: int = 0
    targets: tuple[str, ...] = ()
    rubble: str = ""
    out: int = 0
    powered_out: int = 0
    wounded: int = 0
    powered_wounded: int = 0
    killed: int = 0
    powered_killed: int = 0
    crushes: bool = False


class TerrainEvents(Row, frozen=True):
    """Terrain events. They come on the die `event_on`, from the tables for these kinds of terrain: `woods`, `building`, `swamp`.
    `trap_on`, `footing_on`: on which die a figure falls that enters or moves; `predators_on`, `collapse_on`, `stands_on`: from
    which number on a figure is lost, a building comes down, and one is saved from that. A vehicle that may bog rolls `bog_dice`,
    of which `bog_passes` must pass, on wheels `bog_wheels`. Infantry more than `swamp_conceals` inches within a swamp has this
    `swamp_cover` from outside.
    """

    event_on: int = 0
    woods: tuple[str, ...] = ()
    building: tuple[str, ...] = ()
    swamp: tuple[str, ...] = ()
    swamp_conceals: float = 0
    swamp_cover: str = "none"
    trap_on: int = 7
    footing_on: int = 7
    predators_on: int = 7
    collapse_on: int = 7
    stands_on: int = 7
    bog_dice: int = 0
    bog_passes: int = 0
    bog_wheels: int = 0


class Mines(Row, frozen=True):
    """Minefields: a unit meets a marker that comes `near` to it, and passes from the number `past_on` on; an `engineer` adds to
    its die. A field's markers are suggested so far `apart`, those of a round lie within `scatter` of where it landed, and spider
    mines `crawl` so far. Distances are inches.
    """

    near: float = 0
    past_on: int = 7
    engineer: int = 0
    apart: float = 0
    scatter: float = 0
    crawl: float = 0


class NonCombatants(Row, frozen=True):
    """How near a unit comes to steer a group, and how near the group then stops to it, in inches."""

    reach: float = 0
    stops: float = 0


class WeaponTeam(Row, frozen=True):
    """Heavy weapons teams: their coherency distance, and what each man of the crew that is lost takes off their moves, both in
    inches, and off their Fire Effect; and whether they fire with Engage the Enemy and move with Move Out, and never both.
    """

    coherency: float = 0
    move: float = 0
    fire: int = 0
    moves_out: bool = False


class Special(Row, frozen=True):
    """What special weapons do: how near to a figure, in inches, a shell falls on its squad; the kinds of ground in which an RPG
    is aimed at infantry, and the share of its figures, in percent, that must be there; the dice of a Quality Test that breaks
    a web; and what is added to the die with which a figure is treated whom a nerve disruptor wounded.

    `grav_penetrates` are the mobilities whose armour a grav gun penetrates. A conversion gun wounds and kills from these numbers
    on; terrain of the kinds `converted`, no longer or wider than `small` inches, `collapses` in its blast from that number on;
    and these are its anti-tank ratings `against_stationary` and `against_immobilised` vehicles.
    """

    on_squad: float = 0
    structures: tuple[str, ...] = ()
    share: int = 0
    free_dice: int = 0
    nerves: int = 0
    grav_penetrates: tuple[str, ...] = ()
    converts_wounded: int = 0
    converts_killed: int = 0
    converted: tuple[str, ...] = ()
    small: float = 0
    collapses: int = 0
    against_stationary: int = 0
    against_immobilised: int = 0


class Hits(Row, frozen=True):
    """How hits fall on figures: whether one that is drawn at random may be drawn `again` for the next hit; which figures an
    owner who does not choose gives up; and whether of the hits that one roll for a squad saves the `saved_first` are those
    that were dealt first.
    """

    again: bool = False
    given_up: Literal["least-worth", "closest"] = "least-worth"
    saved_first: bool = False


class Support(Row, frozen=True):
    """Whether support weapons are used only while a figure of the squad that carries small arms is left, and whether their
    gunners have `no_rifle`: they fire nothing where their own weapon is not fired.
    """

    rifleman: bool = False
    no_rifle: bool = False


class Units(Row, frozen=True):
    """Units on foot: the Quality and the Resolve of one of which a setup does not say it, where it need not, and the most figures
    that a squad has (0: as many as a file may hold).
    """

    quality: str = ""
    resolve: str = ""
    most_figures: int = 0


class LosingHeart(Row, frozen=True):
    """With what share of a side's units gone, in percent, the Resolve of the others falls by a level each time."""

    steps: tuple[int, ...] = ()


class Technology(Row, frozen=True):
    """Weapons, munitions and gear that only some forces have: the number on a die from which on what is in limited supply lasts,
    how far a razorfield makes an enemy fall back, in inches, the number from which on a scramble round shuts a suit down, the
    damage of the second hit of cling-fire, how far a haywire emitter reaches, in inches, the kinds of ground that wipe rounds
    wipe out, how far from a receiver a squad comes out that warps, in inches, what a supply-bot adds to the Fire Effect, and from
    which number on a die for each a shield-bot stops how many hits in a turn.
    """

    lasts: int = 0
    razorfield: float = 0
    scrambled: int = 0
    clings: int = 0
    haywire: float = 0
    plants: tuple[str, ...] = ()
    warp: float = 0
    supply: int = 0
    shield: int = 0
    shielded_hits: int = 0


class Initiative(Row, frozen=True):
    """Whether the higher die may also go second, and what a draw means."""

    winner_chooses: bool
    draw: Literal["loser-of-last-turn", "roll-again"]


class ArmourRatings(Row, frozen=True):
    """Whether armour is a fixed rating, which piercing lowers if it is above `piercing_above`, never below `piercing_floor`, or
    for a vehicle below `vehicle_floor`. A defender who rolls no die counts as having rolled `passive`.
    """

    fixed: bool
    piercing_above: int = 0
    piercing_floor: int = 0
    vehicle_floor: int = 0
    passive: int = 0


class CloseAssault(Row, frozen=True):
    """How a close assault is rolled and who falls back how far; `fall_back_bend` is in degrees from straight away, and
    `fall_back_clear` how far off the enemy one ends at least.
    """

    squad_dice: int
    individual_dice: int
    overrun_factor: int
    fall_back_lost: float
    fall_back_draw: float
    fall_back_bend: int
    fall_back_clear: float = 0


class CloseAssaultModifiers(Row, frozen=True):
    """What is added to the score of a close assault: `outnumber` for each figure more, `quality` for each level above."""

    charging: int
    better_armour: int
    outnumber: int
    quality: int


class CloseCombatKill(Row, frozen=True):
    """What a figure's die must reach to kill, by the outcome."""

    won: int
    draw: int
    lost: int
    overrun: int

    def of(self, outcome: str) -> int:
        """What a die must reach after `outcome`."""
        return {"won": self.won, "draw": self.draw, "lost": self.lost, "overrun": self.overrun}[outcome]


class Uncontrolled(Row, frozen=True):
    """How the rules play a side. Lengths in inches.

    Attributes:
        dice: how many dice a group rolls for its Discipline.
        passes: with how many of them it carries out its orders; with fewer, but at least one, it holds its position.
        worst: the worst Discipline that losses can lead to.
        group: the most units of a group that is formed by the rules.
        most: the most units of any group.
        attitude: what each face of the die for a side's attitude says: the approach of its groups.
        between: how near to the line to its objective an enemy is between a unit and that.
        occupied: how near to an objective or a rallying point an enemy occupies it.
        clear: an objective is taken when no enemy is nearer than this.
        formation: how far apart the units of a running group are at most.
        position: the radius of a position that is held round a point.
        around: enemies who are that near to a position are shot at by those who hold it.
        rallied: how near to its rallying point a unit has reached it.
        gathered: how near to the place to which it withdraws a unit has reached it.
        detour: how much of its way a unit gives up for cover when it falls back.
    """

    dice: int = 3
    passes: int = 2
    worst: int = 5
    group: int = 4
    most: int = 6
    attitude: tuple[str, ...] = ()
    between: float = 6
    occupied: float = 3
    clear: float = 8
    formation: float = 8
    position: float = 6
    around: float = 8
    rallied: float = 6
    gathered: float = 3
    detour: float = 3


class Tables(Row, frozen=True, kw_only=True):
    """All tables of an edition."""

    quality_test: QualityTest
    range_bands: RangeBands
    fire_effect: FireEffect
    fire_effect_modifiers: FireEffectModifiers
    bunched_up: BunchedUp
    fire_priority: FirePriority = FirePriority()
    line_of_fire: LineOfFire = LineOfFire()
    cover: Cover
    movement: Movement
    morale: Morale
    cards: Cards = Cards()
    crossfire: Crossfire = Crossfire()
    blast: Blast
    vehicles: Vehicles = Vehicles()
    transport: Transport = Transport()
    artillery: Artillery = Artillery()
    wounds: Wounds = Wounds()
    scout: Scout = Scout()
    buildings: Buildings = Buildings()
    demolition: Demolition = Demolition()
    terrain_events: TerrainEvents = TerrainEvents()
    mines: Mines = Mines()
    non_combatants: NonCombatants = NonCombatants()
    weapon_team: WeaponTeam = WeaponTeam()
    special: Special = Special()
    hits: Hits = Hits()
    support: Support = Support()
    units: Units = Units()
    losing_heart: LosingHeart = LosingHeart()
    technology: Technology = Technology()
    initiative: Initiative
    armour: ArmourRatings
    close_assault: CloseAssault
    close_assault_modifiers: CloseAssaultModifiers
    close_combat_kill: CloseCombatKill
    points: Points = Points()
    bounds: Bounds = Bounds()
    form: Form = Form()
    uncontrolled: Uncontrolled = Uncontrolled()
    generating: Generating = Generating()
    campaign: Campaign = Campaign()
