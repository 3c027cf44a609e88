// Generated from client_protocol/*.py by `python -m client_protocol.typescript`: do not edit.
/* eslint-disable */

// -------------------- client_protocol/shapes.py --------------------

/** The protocol's number; a client that speaks another one is told to reload. */
export const PROTOCOL = 6;

/** A length in thousandths of an inch. */
export type Mil = number;

/** An angle in hundredths of a degree, counter-clockwise from the table's x axis. */
export type Angle = number;

/** A place on the table: (x, y) in thousandths of an inch from the lower left corner. */
export type Point = [Mil, Mil];

/** An id of a match, seat, side, unit, figure, terrain piece, rule, prompt or answer. */
export type Id = string;

/** What a player wants to be called; shown as text, never as markup. */
export type Name = string;

/** One line of chat; shown as text, never as markup. */
export type ChatText = string;

/** A seat token or an invite: unguessable, never logged, never in a URL that reaches a server. */
export type Secret = string;

/** Thirty-two bytes in lower-case hexadecimal: a SHA-256 digest, or a seat's randomness. */
export type Hex32 = string;

/** A player's key in lower-case hexadecimal; "" for none. */
export type Key = string;

/** Sixty-four bytes in lower-case hexadecimal: an Ed25519 signature (RFC 8032). */
export type Hex64 = string;

/** The SHA-256 of an entry of a match's log, 32 bytes; none where it is not told. */
export type Head = Uint8Array;

/** Such a hash, as it was told. */
export type ToldHead = Uint8Array;

/** A span of time in milliseconds. */
export type Millis = number;

/** A place in an audience's own dense sequence of frames; -1: nothing seen yet. */
export type Sequence = number;

/** What an option of an edition is set to: the key of a choice, a number, or yes or no. */
export type OptionValue = Id | number | boolean;

// -------------------- client_protocol/explained.py --------------------

export type Stage = "SET" | "ADD" | "SCALE" | "CAP";

/**
 * One contribution to a number.
 *
 * `stage` says how it counts: SET gives the starting value, ADD is added, SCALE multiplies (in percent), CAP is an upper
 * bound (a lower one where `amount` is given with `floor`). `reason` is a few words for people, `rule` the rule's id.
 */
export type Line = [stage: Stage, amount: number, reason: string, rule: Id, floor: boolean];

/**
 * A number and its lines, in the order in which they count.
 *
 * Lengths are in thousandths of an inch (`unit` = "mil"); numbers with decimals are in thousandths too (`unit` = "milli").
 */
export type Explained = [value: number, lines: Line[], unit: string];

// -------------------- client_protocol/choices.py --------------------

/** Why something is not allowed: a sentence for people and the id of the rule behind it. */
export interface Why {
  sentence: string;
  rule: Id;
}

/** Every figure ends farther (edge to edge) from the nearest figure or hull of `units` than it began. */
export interface EndsFarther {
  type: "farther";
  units: Id[];
}

/** Every figure ends closer (edge to edge) to the nearest figure or hull of `units` than it began. */
export interface EndsCloser {
  type: "closer";
  units: Id[];
}

/**
 * At least `figures` of the unit's figures end in one of `pieces`: base centre inside an area piece, or base edge within
 * `reach` of a linear one.
 */
export interface EndsInTerrain {
  type: "in_terrain";
  pieces: Id[];
  figures: number;
  reach: Mil;
}

/** At least one figure ends in contact with a figure or hull of one of `units`. */
export interface EndsTouching {
  type: "touching";
  units: Id[];
}

/**
 * At least `figures` figures (0: every one) end within `reach` of a figure or hull of one of `units`, edge to edge; of its
 * figures only those in `among` count (empty: all).
 */
export interface EndsNear {
  type: "near";
  units: Id[];
  reach: Mil;
  figures: number;
  among: Id[];
}

/** Each figure of `least` ends at least so far (base edge to base edge) from the nearest figure or hull of `units`. */
export interface EndsBeyond {
  type: "beyond";
  units: Id[];
  least: [Id, Mil][];
}

/**
 * At least `figures` of the unit's figures use up `least` of their movement on their path, or end in one of `pieces` (as for
 * `EndsInTerrain`), or, if that `hides` them, out of sight of every unit in `watchers`. Only the server knows about sight: a
 * client asks it for a preview.
 */
export interface EndsSpent {
  type: "spent";
  least: Mil;
  figures: number;
  pieces: Id[];
  reach: Mil;
  watchers: Id[];
  hides: boolean;
}

/**
 * Every figure that moves ends, seen from where it began, at most `spread` to either side of the direction `angle` (both in
 * hundredths of a degree).
 */
export interface EndsAlong {
  type: "along";
  angle: Angle;
  spread: Angle;
}

/**
 * Every figure ends in the terrain `piece` (base centre inside an area, or base edge within `reach` of a line), or closer to
 * it than it began, measured from its centre.
 */
export interface EndsAtPiece {
  type: "at_piece";
  piece: Id;
  reach: Mil;
}

/** Those of `figures` that stand end with no gap over `gap` (base edge to base edge) between them that hold them together. */
export interface EndsTogether {
  type: "together";
  figures: Id[];
  gap: Mil;
}

/**
 * At least `figures` of the unit's figures end in cover of `pieces` against the nearest figure of `units`, both measured at
 * their centres: in an area, or with the border or the line that is between the two at most `reach` from the base.
 */
export interface EndsCovered {
  type: "covered";
  units: Id[];
  pieces: Id[];
  figures: number;
  reach: Mil;
}

/** Every figure ends with its base or hull at most `reach` from the table's edge. */
export interface EndsAtEdge {
  type: "edge";
  reach: Mil;
}

/**
 * Every figure ends farther (edge to edge) from the nearest figure or hull of `units` than it began, and at no point of its
 * path comes nearer to it. For figures on bases.
 */
export interface GoesAway {
  type: "away";
  units: Id[];
}

/**
 * The whole path of every figure that moves, measured at its centre, lies inside `pieces` (areas): what one of them does not
 * cover another one does.
 */
export interface KeepsInside {
  type: "inside";
  pieces: Id[];
}

/** A condition on where figures end, however they get there. */
export type EndPlace =
  | EndsFarther
  | EndsCloser
  | EndsInTerrain
  | EndsTouching
  | EndsNear
  | EndsBeyond
  | EndsAlong
  | EndsAtPiece
  | EndsTogether
  | EndsCovered
  | EndsAtEdge;

/** A condition on all of a path. */
export type WholeWay = GoesAway | KeepsInside;

export type EndCondition =
  | EndsFarther
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
  | EndsSpent
  | GoesAway
  | KeepsInside;

/** A path must meet at least one of `any_of`; if not, `why` says so. */
export interface EndRule {
  any_of: EndCondition[];
  why: Why;
}

/** A unit that could be named, in the order in which the rules rank it; `why` is set when it may not be. */
export interface Candidate {
  unit: Id;
  note: string;
  why: Why | null;
}

/** Name one of `candidates` that has no `why`. Answered by `UnitNamed`. */
export interface UnitParameter {
  type: "unit";
  label: string;
  candidates: Candidate[];
}

/** The rule behind what a terrain piece does to a path: what it costs, or that it is not entered. */
export interface GroundRule {
  piece: Id;
  rule: Id;
}

/**
 * Move a unit: a path for each figure that moves. Answered by `PathsDeclared`.
 *
 * A path starts where the figure stands and runs through the given points, measured at the base's centre. Each part
 * inside a piece of `costly` costs its percentage (the dearest piece counts where they overlap). A path may not come
 * nearer to a piece of `barred`, or to a figure of a unit in `avoid`, than the bases allow; it must end on the table,
 * off all other bases, with no gap over `gap` between the figures that hold the unit together (`gap` 0: no limit), and meet
 * each rule of `ends` (unless no figure moves and `may_stay`). `clear` is how far it keeps away from figures and hulls of
 * `avoid`, beyond not touching them; no path leads through a hull. A path that enters a piece of `limits` may be as long as
 * its entry there. `figures` are those that may move (empty: all). To units of `avoid` that are `receding` no figure on a base
 * comes nearer on its way than it began, by `receding_rule`.
 *
 * A refusal names the rule that refuses: for a piece its entry in `grounds`, for bases and hulls `base_rule`, for the table's
 * edge `table_rule`; `allowance_rule` replaces each of these that is left out. `less` says what reduces `allowance`, which would
 * be `full` without it (0: nothing does): a path that is too long for `allowance` but not for `full` is refused by that.
 *
 * For a unit with a hull the path is that of its centre; it faces along each leg, turns on the spot, and ends at the `facing` of
 * `PathsDeclared` (none: as its last leg ran). Its whole width counts for `barred`, `limits`, bases and the table's edge. A path
 * that leads `over` everything, of a hull or of a figure, is stopped on its way by the table's edge alone; its end must be as
 * free as any other. One that is `straight` has one leg, and a hull ends facing along it. A hull that can `jump` is not on its
 * way at all: of its one leg only the length and the end count.
 *
 * Ground outside the pieces of `costly` costs `ground` percent, for the reason `dear`. `boards` are the vehicles that the unit
 * may get into afterwards, with how near to its hull every figure must then be.
 */
export interface PathParameter {
  type: "path";
  unit: Id;
  allowance: Mil;
  costly: [Id, number][];
  barred: Id[];
  avoid: Id[];
  gap: Mil;
  gap_rule: Id;
  allowance_rule: Id;
  ends: EndRule[];
  may_stay: boolean;
  clear: Mil;
  clear_rule: Id;
  limits: [Id, Mil][];
  limits_rule: Id;
  figures: Id[];
  grounds: GroundRule[];
  base_rule: Id;
  table_rule: Id;
  full: Mil;
  less: Why | null;
  over: boolean;
  receding: Id[];
  receding_rule: Id;
  straight: boolean;
  jump: boolean;
  ground: number;
  dear: Why | null;
  boards: [Id, Mil][];
}

/** Pick from `least` to `most` of a unit's `figures`. Answered by `FiguresPicked`. */
export interface FiguresParameter {
  type: "figures";
  label: string;
  unit: Id;
  figures: Id[];
  least: number;
  most: number;
}

/**
 * How figures walk that get off a hull: from contact with its `outline`, by at most `allowance`, past all figures of the
 * units in `avoid`. `costly` are the pieces that cost more, with percent; `rule` is the rule by which they walk.
 */
export interface Landing {
  outline: Point[];
  allowance: Mil;
  costly: [Id, number][];
  avoid: Id[];
  rule: Id;
}

/**
 * Those `figures` of a unit that keep nearer together than the rest of it: with no gap over `gap` between those of them that
 * stand, by `rule`. A refusal calls them by `name`.
 */
export interface Bond {
  unit: Id;
  figures: Id[];
  gap: Mil;
  rule: Id;
  name: string;
}

/**
 * Place all figures of `units` inside `zone` (a polygon; bases and hulls wholly inside), off all other bases and hulls,
 * each unit off the terrain of its entry in `barred` and with no gap over its entry in `gaps` (0: no limit). `suggested` holds
 * a legal placement, `facings` the facings of hulls in it. With a `landing` each figure must also have a way from that hull
 * to its place; only the server looks for it. Figures keep `clear` of those of the units in `avoid`, and of their hulls; of
 * objectives in it they keep clear by their middles. `bonds` are about parts of the units. Answered by `FiguresPlaced`.
 */
export interface PlacementParameter {
  type: "placement";
  units: Id[];
  zone: Point[];
  gaps: Mil[];
  barred: Id[][];
  suggested: Record<Id, Point>[];
  gap_rule: Id;
  facings: Record<Id, Angle>[];
  landing: Landing | null;
  avoid: Id[];
  clear: Mil;
  clear_rule: Id;
  bonds: Bond[];
}

/**
 * A direction within `spread` of `middle` on either side, for a unit that is going to be moved `length` that way.
 * Answered by `DirectionTaken`.
 */
export interface DirectionParameter {
  type: "direction";
  label: string;
  unit: Id;
  middle: Angle;
  spread: Angle;
  length: Mil;
}

/**
 * What a row of an assignment may be given. `key` is unique within the parameter's meaning: the same key in two rows is the
 * same thing (a target, a weapon). `unit` is the unit it points at, if any; `note` a few words.
 */
export interface RowOption {
  key: Id;
  label: string;
  unit: Id;
  note: string;
}

/**
 * Something that can be given one of `options`: a figure, a weapon. `figure` is the figure of the parameter's unit it stands
 * for, if any.
 */
export interface AssignmentRow {
  key: Id;
  label: string;
  options: RowOption[];
  figure: Id;
}

/**
 * Give from `least` to `most` of `rows` one of their options each; the others get none (`none` says what that means).
 * `limits` says how often an option may be given at most in all. `suggested` is a legal answer. Answered by `Assigned`.
 */
export interface AssignmentParameter {
  type: "assignment";
  label: string;
  unit: Id;
  rows: AssignmentRow[];
  least: number;
  most: number;
  suggested: Record<Id, Id>;
  limits: [Id, number][];
  none: string;
}

/**
 * A place on the declared `paths` of a unit (starts included), in thousandths of the way, inside one of `spans` (from, to,
 * both included); `suggested` is one. Answered by `StopTaken`.
 */
export interface StopParameter {
  type: "stop";
  label: string;
  unit: Id;
  paths: Record<Id, Point[]>;
  spans: [number, number][];
  suggested: number;
}

/**
 * A unit that looks for another one: with one of these figures (none: with any). One that sees `over` everything sees every
 * point.
 */
export interface Spotter {
  unit: Id;
  figures: Id[];
  over: boolean;
}

/**
 * A point on the table: the middle of a circle of `radius`. It lies within `reach` of the base's edge of `figure` of `unit`
 * and in its sight, and the circle takes in at least a part of a base of a unit in `near` (none: it may lie anywhere). A
 * refusal names `reach_rule`, `sight_rule`, or is `near_why`. `suggested` is a legal point (null: none is known). A vehicle's
 * `mount` must bear on it. A unit that sees `over` everything sees every point. Where there are `spotters`, one of them must
 * see the point, and the unit need not. With `nearest` the one unit nearest to the point is struck, vehicles too, and not all on
 * foot in the circle. Who stands in one of the terrain pieces `shelters` is in the circle only if the point lies in that piece
 * too. With `around` it lies within `reach` of that point in place of the base, whatever is in sight. Units in `through` stand
 * in the way: no line counts that passes over their bases, or between two of one unit that are less than `gap` apart; a refusal
 * names `through_rule`. Answered by `PointTaken`.
 */
export interface PointParameter {
  type: "point";
  label: string;
  unit: Id;
  figure: Id;
  reach: Mil;
  radius: Mil;
  near: Id[];
  near_why: Why;
  suggested: Point | null;
  reach_rule: Id;
  sight_rule: Id;
  mount: Id;
  over: boolean;
  spotters: Spotter[];
  nearest: boolean;
  shelters: Id[];
  through: Id[];
  gap: Mil;
  through_rule: Id;
  around: Point | null;
}

export type Parameter =
  | UnitParameter
  | PathParameter
  | FiguresParameter
  | PlacementParameter
  | DirectionParameter
  | AssignmentParameter
  | StopParameter
  | PointParameter;

/** The points a figure passes, its start left out; the last one is where it ends. */
export type Path = Point[];

/** A unit, for `UnitParameter`. */
export interface UnitNamed {
  type: "unit";
  unit: Id;
}

/**
 * Paths by figure id, for `PathParameter`; a figure that is left out stays where it is. `facing` is where a hull points at
 * the end.
 */
export interface PathsDeclared {
  type: "path";
  paths: Record<Id, Path>;
  facing?: Angle | null;
}

/** Figures, for `FiguresParameter`. */
export interface FiguresPicked {
  type: "figures";
  figures: Id[];
}

/**
 * A place for each figure of each unit, in the order of the parameter's `units`, for `PlacementParameter`; `facings` are
 * those of hulls, in the same order (left out: as suggested).
 */
export interface FiguresPlaced {
  type: "placement";
  places: Record<Id, Point>[];
  facings?: Record<Id, Angle>[];
}

/** A direction in hundredths of a degree, for `DirectionParameter`. */
export interface DirectionTaken {
  type: "direction";
  angle: Angle;
}

/** An option for each row that gets one, by the rows' keys, for `AssignmentParameter`. */
export interface Assigned {
  type: "assignment";
  given: Record<Id, Id>;
}

/** A place on the way in thousandths, for `StopParameter`. */
export interface StopTaken {
  type: "stop";
  at: number;
}

/** A point on the table, for `PointParameter`. */
export interface PointTaken {
  type: "point";
  at: Point;
}

export type Value =
  | UnitNamed
  | PathsDeclared
  | FiguresPicked
  | FiguresPlaced
  | DirectionTaken
  | Assigned
  | StopTaken
  | PointTaken;

export type Values = Value[];

/**
 * One thing a seat may do. `key` names it in the answer; a choice with `why` is shown but cannot be taken.
 *
 * `preview` tells whether `AskPreview` says something about it (odds, modifiers) before it is taken.
 */
export interface Choice {
  key: Id;
  label: string;
  rule: Id;
  consequence: string;
  parameters: Parameter[];
  why: Why | null;
  preview: boolean;
}

/** An answer's content: the key of a choice, and a value for each of its parameters in their order. */
export interface Picked {
  choice: Id;
  values: Values;
}

/**
 * An open question to one seat: what it may do, and what is played for it when its time runs out (`default`).
 *
 * `sealed` is set when several seats are asked at once: an answer stays unseen until the last is in and may be replaced
 * until then; `answered` then says that this seat has one in.
 */
export interface Prompt {
  id: Id;
  seat: Id;
  title: string;
  choices: Choice[];
  default: Picked;
  rule: Id;
  unit: Id;
  sealed: boolean;
  answered: boolean;
}

// -------------------- client_protocol/clocks.py --------------------

/** A time to decide, in whole seconds, at most a hundred days. */
export type Seconds = number;

/** What happens when a seat's time is up: the prompt's default is played, or the others may claim the game. */
export type AtZero = "default" | "claim";

/**
 * What a clock gives each seat.
 *
 * `live`: a `bank` for the whole match, `increment` more after each decision, and an `allowance` that is used up first while
 * a player is disconnected. `correspondence`: the whole `bank` anew for each decision.
 */
export interface ClockTerms {
  kind: "live" | "correspondence";
  bank: number;
  increment?: Seconds;
  allowance?: Seconds;
  at_zero?: AtZero;
}

/**
 * The clocks as they stood at the server's up-time `at` (milliseconds in which a server was up; `Welcome` and `Pong` say
 * what it is now). Since then they run for the seats that are asked and have not answered: first off `allowance` for those
 * who are `away`, then off `remaining`. Nothing runs while `paused`. `up` are the seats whose time is up, so that the others
 * may claim the game.
 */
export interface ClockView {
  terms: ClockTerms;
  at: number;
  remaining: Record<Id, Millis>;
  allowance: Record<Id, Millis>;
  away: Id[];
  paused: boolean;
  up: Id[];
}

/**
 * What one player may offer the others: to end as a draw, to stop or start the clocks, another clock, to take back, to change
 * who plays a seat: a program or its player.
 */
export type OfferKind = "draw" | "pause" | "resume" | "clock" | "take_back" | "hand_over";

/**
 * An open offer: who makes it, of what kind, who has accepted, the clock that is offered (None: none). Of a take-back,
 * `text` says what returns, one line for each decision and event that is undone, and `frame` is the frame of this audience
 * after which the match would go on. Of a hand-over, `hand` is the seat, and `name` who would play it: a program (`program` is
 * its name in messages) or ("") the seat's player again.
 */
export interface OfferView {
  seat: Id;
  kind: OfferKind;
  accepted: Id[];
  clock: ClockTerms | null;
  text: string[];
  frame: number;
  hand: Id;
  program: Id;
  name: string;
}

// -------------------- client_protocol/view.py --------------------

/**
 * A piece of terrain. `outline` is a closed polygon, or an open line where `linear`. `sight` is clear, depth, depth_in_all,
 * depth_from_edge, occupied or solid (see PROTOCOL.md); `sight_depth` goes with those that name a depth. `notes` say in words
 * what it does.
 */
export interface TerrainView {
  id: Id;
  name: string;
  kind: string;
  outline: Point[];
  linear: boolean;
  cover: string;
  flags: string[];
  sight: string;
  sight_depth: Mil;
  notes: string[];
}

/** The table: width and height, its terrain as the match began (it never moves; what comes later is in the view). */
export interface TableView {
  width: Mil;
  height: Mil;
  terrain: TerrainView[];
}

/**
 * A figure: where its base's centre is (null: not on the table), its radius, what it is or carries in words (`role`), the
 * sign drawn for that in the place of its side's letter ("star" for one who leads, "gun" for one that differs otherwise, mostly
 * by a heavier weapon, "unknown" for a marker that may be anything, "" for an ordinary one), whether it has fallen. The sign of
 * a vehicle says what it moves on: "" for tracks, "wheels", "legs", "hover", "flyer" for one in the air, "grounded" for a flyer
 * on the ground.
 *
 * `conditions` are the markers on it alone (keys of the snapshot's `words`). A vehicle has a `hull`, (length along its facing,
 * width), and a `facing`; `at` is then the hull's centre.
 */
export interface FigureView {
  at: Point | null;
  radius: Mil;
  role: string;
  sign: string;
  fallen: boolean;
  conditions: string[];
  hull: Point | null;
  facing: Angle;
}

/**
 * A characteristic on a unit's card: what it is called (`Move`), how it stands (`6"`), the rule that says what it means, and
 * its place on the card, counted from 0: maps have no order.
 */
export interface CardLine {
  label: string;
  value: string;
  rule: Id;
  place: number;
}

/**
 * A vehicle's weapon: its name, the arc it bears on (`spread` to either side of `middle`, counted from the facing; 18000: all
 * round), its range, whether it is lost.
 */
export interface MountView {
  name: string;
  middle: Angle;
  spread: Angle;
  reach: Mil;
  lost: boolean;
}

/**
 * A unit. `card` holds the lines of its card by their labels, `conditions` are keys of the snapshot's `words`; `left` says
 * why it is out of the game ("" while it is in). `mounts` are a vehicle's weapons; `aboard` is the vehicle that carries it,
 * `attached` the unit among whose figures its own stand; it has none then.
 * `order` is its standing order, shown to its own seat alone (a key of the snapshot's `orders`).
 */
export interface UnitView {
  side: Id;
  name: string;
  number: number;
  figures: Record<Id, FigureView>;
  card: Record<string, CardLine>;
  conditions: string[];
  activated: boolean;
  left: string;
  mounts: Record<Id, MountView>;
  aboard: Id;
  order: Id;
  attached: Id;
}

/** What a side has off the table: its name, and the lines of its card by their labels. */
export interface AssetView {
  name: string;
  card: Record<string, CardLine>;
}

/**
 * A side: its name, letter and base shape ("circle", "square", "diamond", "hexagon"), its seat, its deployment zone, and
 * what it has off the table (`assets`), as far as that may be known.
 */
export interface SideView {
  name: string;
  letter: string;
  shape: string;
  seat: Id;
  zone: Point[];
  assets: Record<Id, AssetView>;
}

/**
 * A seat: who sits there ("" while it is free), whether its randomness is in, whether it is being asked, and whether its
 * sealed answer is in. `force` names the force that it brought instead of the scenario's ("" for the scenario's), `brings`
 * lists that force's units, where they may be known. `take_back` says whether its last decision can be taken back: freely,
 * with the others' consent, or ("") not at all. `conceded`: it has given up; its decisions are made by their defaults. `program`
 * is the program that holds it ("" for a player); `lent` names the player who has handed it over to that program, and can have
 * it back ("": it was the program's from the beginning). `key` is the player's key that the seat is tied to ("": to none).
 */
export interface SeatView {
  side: Id;
  name: string;
  ready: boolean;
  asked: boolean;
  sealed: boolean;
  force: string;
  brings: string[];
  take_back: "" | "free" | "consent";
  conceded: boolean;
  program: Id;
  lent: string;
  key: string;
}

/** An objective marker, the radius in which it is held, and the side that holds it now ("" for none). */
export interface ObjectiveView {
  name: string;
  at: Point;
  radius: Mil;
  held_by: Id;
}

/**
 * What ended a match: the rules (by the scenario's victory conditions, or nothing left), its players and their clocks, or the
 * operator of its server.
 */
export type Ending = "rules" | "concession" | "agreement" | "time" | "abandonment" | "operator";

/**
 * How the match ended: the winning side ("" for a draw), the reason in a sentence, the rule behind it ("" where `how` says
 * it), and what ended it.
 */
export interface ResultView {
  winner: Id;
  reason: string;
  rule: Id;
  how: Ending;
}

/**
 * A deck of cards that says which unit activates next: how many cards of each side are left in it, and the units whose
 * cards have been drawn this turn, in their order. `rule` is the rule behind it. `others` are the cards left that are no unit's;
 * `drawn` names such cards, too. The edition's words say what they are, or `SpecialCards` of those that name a unit or a side.
 */
export interface DeckView {
  left: Record<Id, number>;
  drawn: Id[];
  rule: string;
  others: Id[];
}

/** A card that names a unit or a side: `word` says what it is, in the edition's words; `unit` or `side` is what it names. */
export interface SpecialCard {
  word: Id;
  unit: Id;
  side: Id;
}

/** Of a deck, the cards that name a unit or a side, by their ids, and the drawn cards that lie `aside` until they are used. */
export interface SpecialCards {
  named: Record<Id, SpecialCard>;
  aside: Id[];
}

/** How a match is won, in sentences, and how it stands; "" before the battle and after its end. `rule` says so. */
export interface Aim {
  how: string;
  stands: string;
  rule: Id;
}

/**
 * Where something struck the table, until the next activation: the unit that fired or called fire, the point that it aimed
 * at, the point that it struck (the same one, unless it went astray), and the radius of what it affected there. `rule` is the
 * rule behind it. Of what is `called` and has not struck the point is the one that was called.
 */
export interface ImpactView {
  unit: Id;
  aimed: Point;
  struck: Point;
  radius: Mil;
  rule: Id;
  called: boolean;
}

/**
 * The next match of the same players: its id, and the seat in it of each player's seat in this one. A player sits down there
 * with the invite that `client_protocol.next_match` works out: the hexadecimal SHA-256 of `next match`, the hexadecimal SHA-256
 * of the seat's token in this match, and the id, with a zero byte between them.
 */
export interface NextMatch {
  match: Id;
  seats: Record<Id, Id>;
}

/**
 * Everything an audience sees of a match, apart from the table, the words and its prompt (see `Snapshot`). `terrain` are
 * the pieces that came about in play, `gone` those that were taken away, `offers` what players offer each other, `deck` the
 * cards by which units activate in a match that is played with cards, `special_cards` what those say that are no unit's,
 * `impact` where something struck last, `aim` how the match is won. `advice`: players may ask the computer what it would do
 * (`AskAdvice`). `next` is the next match of the same players. `concludes` is when the server concludes the match unless it is
 * played before, in milliseconds since 1970 (0: no date was told). `league` is the league for which it was made ("": for none).
 */
export interface View {
  title: string;
  turn: number;
  turn_limit: number;
  phase: string;
  active_side: Id;
  active_unit: Id;
  sides: Record<Id, SideView>;
  seats: Record<Id, SeatView>;
  units: Record<Id, UnitView>;
  objectives: Record<Id, ObjectiveView>;
  result: ResultView | null;
  terrain: Record<Id, TerrainView>;
  gone: Id[];
  clock: ClockView | null;
  offers: Record<Id, OfferView>;
  deck: DeckView | null;
  impact: ImpactView | null;
  special_cards: SpecialCards | null;
  advice: boolean;
  aim: Aim | null;
  next: NextMatch | null;
  concludes: number;
  league: string;
}

/**
 * A condition or phase key in words: label, what it does, the rule. Figures with a condition that is `apart` stand away from
 * their unit.
 */
export interface Word {
  label: string;
  text: string;
  rule: Id;
  apart: boolean;
}

/** A die as it fell: sides, face, and what it came to ("pass", "fail", "kept", "hit", "kill", "" for nothing special). */
export type Die = [sides: number, face: number, mark: string];

/** Who hears a line of chat: all audiences; the speaker's own side; the spectators (all audiences once the match is over). */
export type Channel = "table" | "side" | "spectators";

/** The ways of figures of a unit, by figure id, their starts included: those that they went, or only `declared`. */
export interface Trail {
  unit: Id;
  ways: Record<Id, Point[]>;
  declared?: boolean;
}

/**
 * One line of the log, in this audience's form. `kind` is for an icon ("roll", "move", "fire", "assault", "morale",
 * "loss", "turn", "chat", "deploy", "end", "seat", "back", "clock", "offer"); `numbers` explain the number the dice were held
 * against or made. Of chat, `text` is what was said, `channel` who hears it and `speaker` who said it: a seat's id, or "" and
 * the `name` of a spectator. `at` is the moment in milliseconds since 1970 (0: not told). `trail` is what the table shows of
 * a move that may come less far than it was declared.
 */
export interface Story {
  kind: string;
  text: string;
  rule?: Id;
  side?: Id;
  units?: Id[];
  dice?: Die[];
  numbers?: Explained[];
  die_index?: number;
  channel?: Channel | null;
  speaker?: Id;
  name?: string;
  at?: number;
  trail?: Trail | null;
}

// -------------------- client_protocol/forces.py --------------------

export const FORCE_FORMAT = "underfire force 1";

/** What a field of a force may hold. */
export type Entry = Id | number | boolean;

export type Entries = Record<Id, Entry>;

export type Rows = Entries[];

/** A unit of a force: its kind, its name, the fields of its kind and the rows of its lists. */
export interface ForceUnit {
  kind: Id;
  name: Name;
  fields?: Entries;
  rows?: Record<Id, Rows>;
}

/** A whole force, for one edition. */
export interface Force {
  format: string;
  edition: Id;
  name: Name;
  units: ForceUnit[];
  about?: string;
}

/** A value a field may have: in words, and with what it means. */
export interface FormChoice {
  value: Entry;
  label: string;
  note: string;
}

/**
 * A field. With `choices` it is one of them; without, its default says what it is: a number from `least` to `most`, or yes
 * or no. `rule` is the rule behind it. Fields with the same `group` belong together under that heading, and most units leave
 * them at their defaults; "" for those that every unit has.
 */
export interface FormField {
  key: Id;
  label: string;
  default: Entry;
  choices: FormChoice[];
  least: number;
  most: number;
  rule: Id;
  group: string;
}

/** A list of `least` to `most` rows, each with these fields. `one` is what a row is called. */
export interface FormList {
  key: Id;
  label: string;
  one: string;
  fields: FormField[];
  least: number;
  most: number;
}

/** A kind of unit: its fields and its lists. */
export interface FormKind {
  key: Id;
  label: string;
  fields: FormField[];
  lists: FormList[];
}

/**
 * What a force of an edition is put together from. `measure` is what a report's totals count ("Weight", "Points"), in
 * `unit`: whole numbers, or thousandths ("milli").
 */
export interface ForceForm {
  kinds: FormKind[];
  measure: string;
  notes: string[];
  unit: string;
}

/**
 * What is wrong with a force, in a sentence, and where: the unit's place in the force (-1: the whole), the list and the row
 * within it, the field.
 */
export interface ForceProblem {
  sentence: string;
  rule: Id;
  unit: number;
  list: Id;
  row: number;
  field: Id;
}

/** A unit of a force as the rules see it: the lines of its card and what it counts for. */
export interface UnitReport {
  card: CardLine[];
  total: Explained;
}

/** What the rules say of a force: nothing wrong when there are no `problems`. `units` are given as far as they can be read. */
export interface ForceReport {
  problems: ForceProblem[];
  total: number;
  units: UnitReport[];
}

/**
 * A force of one edition made into one of another: the `force`, and what was `changed` in it or left out, a sentence each. If
 * nothing of it can be converted there is no force, and `refusal` says why.
 */
export interface Conversion {
  force: Force | null;
  changed: string[];
  refusal: string;
}

// -------------------- client_protocol/campaigns.py --------------------

/** The number of a unit in its roster, counted from 0; -1: of no unit. */
export type UnitNumber = number;

/** The name of a figure; "": it has none. */
export type FigureName = string;

/** A number of figures. */
export type Figures = number;

/** Buy something: for a unit, and of which kind, where there are several (a trait, a personality). */
export interface Buy {
  type: "buy";
  what: Id;
  unit?: UnitNumber;
  value?: string;
}

/** Form a new squad of so many reinforcements; 0: form none. */
export interface FormSquad {
  type: "squad";
  figures?: Figures;
}

/** Share the reinforcements out: how many join each unit, as (unit, figures). The others are lost. */
export interface Share {
  type: "share";
  shares?: [UnitNumber, Figures][];
}

/** Buy nothing, or nothing more, and go on. */
export interface GoOn {
  type: "go_on";
}

/** Let the dice that are due fall; `on`: and those after them, until something is asked or all is done. */
export interface Roll {
  type: "roll";
  on?: boolean;
}

/** An answer to a question that leaves a choice. */
export type CampaignChoice = Buy | FormSquad | Share | GoOn;

export type CampaignAnswer = Roll | Buy | FormSquad | Share | GoOn;

/** An answer that is legal now, in words. `points` is what it costs. */
export interface CampaignOffer {
  answer: CampaignChoice;
  label: string;
  points?: number;
  rule?: string;
}

/**
 * A question to the owner of a force: to which step it belongs, what is asked, the legal answers (of sharing out only the
 * default, since `most` says which others are legal), and the one that is given at the deadline if the owner gives none.
 * `troopers` are the reinforcements there are to use, `most` how many of them may join each unit, as (unit, figures). `rule` is
 * the rule that asks; "" if the edition has no entry for it.
 */
export interface CampaignPrompt {
  type: "prompt";
  step: "more_dice" | "squad" | "share" | "spend";
  title: string;
  offers: CampaignOffer[];
  default: CampaignChoice;
  troopers?: number;
  most?: [number, number][];
  rule?: string;
}

/** A player names the figures of a unit of their force: the names by the figures' places; "": a figure has none. */
export interface NameFigures {
  type: "name_figures";
  unit: UnitNumber;
  names: FigureName[];
}

/** A row of the table by which dice are read: what comes out, and how many of the ways in which the dice fall lead to it. */
export interface Odds {
  result: string;
  ways: number;
  of: number;
}

/**
 * Dice that are due: what they are rolled for, for which unit (its number; -1: for none), how many there are (all have six
 * sides), what they are for in a sentence, what can come out, and the rule that asks for them; "" if the edition has no entry
 * for it.
 */
export interface CampaignDice {
  type: "dice";
  kind: string;
  unit: number;
  count: number;
  title: string;
  odds: Odds[];
  rule?: string;
}

/** What is due after a battle. */
export type CampaignDue = CampaignDice | CampaignPrompt;

/** A level of a unit: what it is called, its present name, and its name at the start. */
export type Level = [what: string, now: string, started: string];

/** A figure of a unit: its name ("": it has none), and whether the unit has it not any more. */
export interface RosterFigure {
  name?: FigureName;
  missing?: boolean;
}

/**
 * A unit of a roster: its number, name and kind, how many of its figures are there of how many, how it stands, its levels,
 * what it fought, lost and put out of action, why it sits the next battle out ("": it does not), and its story. `members` are
 * its figures by their places, whom its player can name; empty for a vehicle and for a figure that is alone.
 */
export interface RosterUnitView {
  number: number;
  name: string;
  kind: string;
  figures: number;
  of: number;
  levels: Level[];
  condition?: "fit" | "damaged" | "lost" | "struck";
  battles?: number;
  lost?: number;
  kills?: number;
  sits_out?: string;
  story?: string;
  members?: RosterFigure[];
}

/**
 * A line of a roster's history: when (ms since 1970), in a sentence, of which unit (its number; -1: of the force), of which
 * fixture (0: none), in which match, with the number of the entry in it at which a replay may begin (0: none). `faces` are the
 * dice that fell, and `rule` is the rule behind it.
 */
export interface RosterLine {
  at: number;
  text: string;
  unit?: number;
  fixture?: number;
  match?: Id;
  step?: number;
  faces?: number[];
  rule?: string;
}

/**
 * The roster of a player: its name, the battles that it has fought, its campaign points, its units, its history (the latest
 * last). While steps after a battle are to be taken, `due` is the next of them, `fixture` the battle, `until` the deadline at
 * which the default is taken (ms since 1970; 0: none), and `step` the number of the step, which an answer names.
 */
export interface RosterView {
  player: string;
  name: string;
  battles: number;
  points: number;
  units: RosterUnitView[];
  history?: RosterLine[];
  due?: CampaignDice | CampaignPrompt | null;
  fixture?: number;
  until?: number;
  step?: number;
}

// -------------------- client_protocol/maps.py --------------------

/** An area of a map. */
export type AreaId = string;

/** A coordinate on a map, in thousandths of its width or height, from the upper left corner. */
export type MapPlace = number;

/** The points that an area gives. */
export type Worth = number;

/** The number of a turn, counted from 1. */
export type Turn = number;

/** An area: where it lies, the scenario of the battles in it, and the points that it gives its holder each turn. */
export interface MapArea {
  id: AreaId;
  name: Name;
  x: Figures;
  y: Figures;
  scenario: Id;
  worth?: Worth;
}

/**
 * Areas, the routes between them, and the areas where forces begin: those of the players in the order in which they joined.
 * There is a way from each area to each other one.
 */
export interface CampaignMap {
  areas: MapArea[];
  routes: [AreaId, AreaId][];
  homes: AreaId[];
}

/**
 * A player orders their force to a neighbouring area in a turn, or to stay: `to` is the area in which it stands. The order is
 * sealed: the others see only that there is one. Until the orders are revealed, another one may take its place.
 */
export interface MoveForce {
  type: "move_force";
  turn: Turn;
  to: AreaId;
}

/** The organiser reveals the orders of a turn before its deadline: those who have given none stay. */
export interface RevealOrders {
  type: "reveal_orders";
  turn: Turn;
}

/**
 * A player's force on the map: its home, the area in which it stands, the area from which it came where it has met an enemy
 * ("": it came from none). `ordered`: its order for this turn is given, or it can have none,
 * since it stands with an enemy in one area (`engaged`).
 */
export interface MapForce {
  player: Hex32;
  home: AreaId;
  area: AreaId;
  came?: string;
  ordered?: boolean;
  engaged?: boolean;
}

/** A fixture that is fought for an area. */
export interface MapBattle {
  fixture: number;
  area: AreaId;
}

/**
 * How a campaign's map stands. `phase`: no turn has begun or the last one is over (`rest`), orders are given until `until`
 * (ms since 1970; 0: without a deadline), or battles are fought. `held` are the areas that are held, with their holders, and
 * `gained` what areas have given to players at the end of each turn so far, the first one first. `order` is the asker's own, the
 * area to which it goes; "": none; `side_orders` are those of the others of their side. Before the first turn forces stand in
 * the homes that they would have now.
 */
export interface MapView {
  phase?: "rest" | "orders" | "battles";
  until?: number;
  forces?: MapForce[];
  held?: [AreaId, Hex32][];
  battles?: MapBattle[];
  gained?: [Hex32, number[]][];
  order?: string;
  side_orders?: [Hex32, AreaId][];
}

// -------------------- client_protocol/leagues.py --------------------

/**
 * Who meets whom: those who have challenged each other; each one each other; those who stand alike; those who have not lost yet;
 * a challenger and a player who stands higher; those whose forces meet on a map.
 */
export type Format = "free" | "round_robin" | "swiss" | "elimination" | "ladder" | "map";

/**
 * A side of a league by its place among the sides of the terms, counted from 1; 0: none, or, for those who join, the one with
 * the fewest players.
 */
export type SideNumber = number;

/**
 * What decides between players with equal points: the points among themselves; those of all opponents; those of the opponents
 * that were beaten, and half of those with whom it was a draw; the number of wins; the figures that the opponents lost.
 */
export type TieBreak = "head_to_head" | "buchholz" | "sonneborn_berger" | "wins" | "losses_inflicted";

/** What a fixture counts as that was not played by its deadline: it waits for the organiser, is a draw, or counts for none. */
export type Unplayed = "wait" | "draw" | "void";

/** How a fixture ended: a player has won, none has, or it counts for no player. */
export type Outcome = "won" | "draw" | "void";

/** What the organiser says of a league; shown as text, never as markup. */
export type About = string;

/** Why the organiser has decided something. */
export type Reason = string;

/** Points for a result. */
export type Points = number;

/**
 * What a league is played by.
 *
 * Its matches are of the `edition`, of the `scenarios` in turns, with these `options` and this `clock`. `rounds` is how many
 * rounds a Swiss league has (0: as many as single out a winner among those of its first round), or turns a campaign on a `map`
 * (0: until the organiser ends it); other formats have as many as they need. The format of that name, and no other, needs a
 * map; the scenarios of its areas are among the league's. A round is to be played within `days` days (0: it takes as long as
 * it takes), and what was not counts as `unplayed` says. On a map orders are given within `days` days, and then battles are
 * fought within as many. `win`, `draw` and `loss` are the points for a result, `tie_breaks` decide between equal points, the
 * first one first. Where it is not `open`, the organiser admits players. A league that is not `listed` is shown only to its
 * players and to those who have its invite. `total` is the most that a force may count for when it joins, in the edition's
 * measure (0: any). With a `campaign` forces live on: they carry losses, levels and points from battle to battle by the
 * edition's rules, under these settings (see `EditionInfo.campaign`); steps after a battle that a player does not take within
 * `step_hours` hours are taken by their defaults (0: they wait).
 * With `sides`, two at least, each player plays for one of them: those of one side do not meet each other, know each other's
 * forces, and their points are their side's. In an elimination and on a ladder there are none.
 */
export interface LeagueTerms {
  name: Name;
  edition: Id;
  scenarios: Id[];
  format?: Format;
  rounds?: number;
  about?: About;
  options?: Record<Id, OptionValue>;
  clock?: ClockTerms | null;
  days?: number;
  unplayed?: Unplayed;
  win?: Worth;
  draw?: Worth;
  loss?: Worth;
  tie_breaks?: TieBreak[];
  open?: boolean;
  listed?: boolean;
  campaign?: Record<Id, OptionValue> | null;
  step_hours?: number;
  map?: CampaignMap | null;
  sides?: Name[];
  total?: number;
}

/** Join a league with a force, with the `invite` of one that is not listed. */
export interface Join {
  type: "join";
  force: Force;
  invite?: Secret;
  side?: SideNumber;
}

/** The organiser admits a player who asks to join, or does not. */
export interface Admit {
  type: "admit";
  player: Hex32;
  yes: boolean;
}

/** A player leaves the league; or the organiser has `player` leave it, for a `reason`. What was played stands. */
export interface Withdraw {
  type: "withdraw";
  player?: Key;
  reason?: string;
}

/** A player brings another force from now on; not while a match of theirs is running. */
export interface ChangeForce {
  type: "change_force";
  force: Force;
}

/** A player plays for another side from now on, or an organiser has `player` do so; only before they have met an opponent. */
export interface ChangeSide {
  type: "change_side";
  side: SideNumber;
  player?: Key;
}

/**
 * The organiser begins the next round. `after` is the number of the round before it, 0 for the first one: of two organisers
 * who do so at once, one is told that it was done.
 */
export interface PairRound {
  type: "pair_round";
  after: Figures;
}

/** A player challenges another one, in a free league or on a ladder. */
export interface Meet {
  type: "meet";
  player: Hex32;
}

/** A player accepts the challenge of a fixture, or declines it; the challenger may take it back in this way. */
export interface AnswerChallenge {
  type: "answer_challenge";
  fixture: number;
  yes: boolean;
}

/**
 * The organiser decides how a fixture counts, for a reason that all can read. What was decided or played before stays in the
 * league's log.
 */
export interface Settle {
  type: "settle";
  fixture: number;
  outcome: Outcome;
  winner?: Key;
  reason?: ChatText;
}

/**
 * The player who made the league appoints a co-organiser, or dismisses one (not `yes`). A co-organiser may do all that an
 * organiser may, but not this.
 */
export interface Appoint {
  type: "appoint";
  player: Hex32;
  yes: boolean;
}

/** The organiser ends the league: nothing more is played. */
export interface Close {
  type: "close";
}

/**
 * The organiser undoes what an organiser did by mistake, for a reason that all can read: the act that stands in the league's
 * log as this entry (see `LeagueView.undo`). Both stay in the log.
 */
export interface Undo {
  type: "undo";
  entry: number;
  reason: ChatText;
}

/**
 * A player names another player of the league who plays a fixture in their place, with their force (`by` "": takes that
 * back); an organiser may do so for `player`. Only before the match is made.
 */
export interface StandIn {
  type: "stand_in";
  fixture: number;
  by?: Key;
  player?: Key;
}

/** A player takes the step after a battle that is due for their force: its number (`RosterView.step`), and the answer. */
export interface TakeStep {
  type: "take_step";
  step: number;
  answer: CampaignAnswer;
}

export type LeagueAct =
  | Join
  | Admit
  | Withdraw
  | ChangeForce
  | ChangeSide
  | PairRound
  | Meet
  | AnswerChallenge
  | StandIn
  | Settle
  | TakeStep
  | NameFigures
  | Appoint
  | MoveForce
  | RevealOrders
  | Close
  | Undo;

/**
 * A player of a league: the key, the name, the force (None: it is hidden, as the league's options say, until the league is
 * over). `state`: they ask to join, play, or have left. `total` is what the force counts for, in the edition's measure. Where
 * forces live on, `battles` is how many theirs has fought, and `steps` the fixture after which they have steps to take (0: no
 * steps). `side` is the side for which they play (0: there are none).
 */
export interface LeaguePlayer {
  key: Hex32;
  name: Name;
  force: Force | null;
  total: number;
  state?: "asks" | "plays" | "left";
  battles?: number;
  steps?: number;
  side?: number;
}

/**
 * A match that is to be played: its number in the league, its round, its players (one alone has a bye), its scenario. `match`
 * is the match once there is one. `state`: it is a challenge that was not accepted yet, waits, is played, or is over: then
 * `outcome` says how, `winner` who has won, `reason` why, and `settled` whether the organiser decided so. `losses` are the
 * figures that each of the players lost, `luck` is the luck of each by the match's luck report, in hundredths of a standard
 * deviation (empty: it is not known). `until` is the deadline (ms since 1970; 0: none). `ended` is its place among those
 * that are over, in the order in which they first ended (0: it is not over). `stand_ins` are players who play it in the place
 * of its own, as (player, who plays). `unfought`: where forces live on, its match ended before its first turn, so that no force
 * has fought.
 */
export interface FixtureView {
  number: number;
  round: number;
  players: Hex32[];
  scenario: Id;
  state?: "challenge" | "waits" | "played" | "over";
  match?: Id;
  outcome?: Outcome | "";
  winner?: Key;
  reason?: string;
  settled?: boolean;
  losses?: number[];
  until?: number;
  ended?: number;
  luck?: number[];
  stand_ins?: [Hex32, Hex32][];
  unfought?: boolean;
}

/**
 * A player's place: `rank` is shared by players whom no tie-break tells apart. `tie_breaks` are the values of the league's
 * tie-breaks, in their order, in hundredths. `form` is how the last fixtures went, the latest last: a letter each, of "WDL".
 * `inflicted` and `suffered` are the figures that the opponents and the player lost. `luck` is the player's luck in all matches
 * of which it is known, `lucky` of them, in hundredths of a standard deviation.
 */
export interface Standing {
  rank: number;
  player: Hex32;
  played: number;
  won: number;
  drawn: number;
  lost: number;
  points: number;
  tie_breaks: number[];
  form: string;
  inflicted: number;
  suffered: number;
  luck: number;
  lucky: number;
}

/**
 * A side's place in a league with sides, by the points of its players together: `rank` is shared by sides with as many.
 * `players` is how many play for it.
 */
export interface SideStanding {
  rank: number;
  side: number;
  players: number;
  played: number;
  won: number;
  drawn: number;
  lost: number;
  points: number;
}

/** What has happened in a league: when (ms since 1970), in a sentence, and in which match ("": in none). */
export interface LeagueNews {
  at: number;
  text: string;
  match: Id;
}

/**
 * What an organiser did that can be undone: the number of its entry in the league's log, when that was (ms since 1970), and
 * what it was in a sentence. `why_not` says in a sentence why it cannot be undone now ("": it can).
 */
export interface UndoView {
  entry: number;
  at: number;
  text: string;
  why_not?: string;
}

/**
 * A league as lists show it. `matches` is how many were played or settled, `champion` the name of who has won a league
 * that is over ("": it is not over, or several share the first place).
 */
export interface LeagueSummary {
  id: Id;
  name: Name;
  edition: Id;
  format: Format;
  state: "gathers" | "runs" | "over";
  players: number;
  round: number;
  made_at: number;
  matches: number;
  champion: string;
}

/**
 * A league as one may see it. `round` is the number of the present round, `rounds` how many there will be (0: that is
 * open). `next_round` says why the next round cannot begin yet, "" if it can, None to those who are no organisers. The first
 * of the `organisers` has made it. `undo` is for organisers: what they did lately that can be undone, the latest first.
 * `invite` is for those whom the organiser invites; `webhook` is the host of the league's webhook ("": it has none), for
 * organisers. `calendar` is where a player's own calendar is on this server, for programs that subscribe to it. `you` is the
 * asker's key, "" for a stranger. `head` is the hash of the last entry of the league's log, and `map` how the map of a
 * campaign stands.
 */
export interface LeagueView {
  id: Id;
  terms: LeagueTerms;
  state: "gathers" | "runs" | "over";
  organisers: [Hex32, Name][];
  made_at: number;
  round?: number;
  rounds?: number;
  players?: LeaguePlayer[];
  fixtures?: FixtureView[];
  standings?: Standing[];
  sides?: SideStanding[];
  news?: LeagueNews[];
  next_round?: string | null;
  invite?: Secret;
  webhook?: About;
  calendar?: string;
  you?: Key;
  head?: string;
  map?: MapView | null;
  undo?: UndoView[];
}

// -------------------- client_protocol/luck.py --------------------

/** Ten-thousandths. */
export type Myriad = number;

/**
 * How lucky a roll was for the `side` that wished it well.
 *
 * `wanted` says what was counted ("hits", "saves", "the highest die"); `expected` is its mean and `fell` what came, both in
 * ten-thousandths; `deviation` the standard deviation, so that rolls of different kinds can be added up as
 * (fell - expected) / deviation. It is 0 where nothing else could fall: such a roll is no luck at all. `better` and `as_good`
 * are the chances, in ten-thousandths, of more than that, and of just that.
 */
export interface Luck {
  side: Id;
  unit: Id;
  wanted: string;
  expected: Myriad;
  fell: Myriad;
  deviation: Myriad;
  better: Myriad;
  as_good: Myriad;
}

/**
 * A roll of a luck report: the frame of the all-seeing replay in which it fell, its turn, how it is told, its dice, its
 * luck, and the figures that were lost in the same step, by side.
 */
export interface LuckRow {
  frame: Sequence;
  turn: number;
  text: string;
  luck: Luck;
  dice: Die[];
  rule: Id;
  target: Id;
  fallen: Record<Id, number>;
}

// -------------------- client_protocol/players.py --------------------

/** An address on the web, by HTTPS. */
export type Address = string;

/** Bytes in the alphabet of URLs (RFC 4648, section 5), as browsers give the keys of a push subscription. */
export type Base64 = string;

/** How often a player is told: of each decision soon, or of all that wait once an hour or once a day. */
export type Digest = "each" | "hour" | "day";

/** The JSON that an address takes: our own fields, or a message of Discord's or Slack's webhooks. */
export type Body = "plain" | "discord" | "slack";

/** An address that is sent JSON when a decision waits. */
export interface Webhook {
  url: Address;
  body?: Body;
}

/** A browser's push subscription (RFC 8030): where it is told, and the keys for which notices are encrypted (RFC 8291). */
export interface PushTo {
  endpoint: Address;
  p256dh: Base64;
  auth: Base64;
}

/**
 * How a player wants to be told of decisions that wait while no page of theirs is open. `topic`: at their own topic of the
 * public feed's broker.
 */
export interface NoticeSettings {
  digest?: Digest;
  webhook?: Webhook | null;
  push?: PushTo[];
  topic?: boolean;
}

/** A seat that is tied to a player's key, and a token for it. */
export interface PlayersSeat {
  match: Id;
  seat: Id;
  token: Secret;
}

/**
 * What all may know of a player: the key, the name that it was last introduced with, the names before that, since when it is
 * known here (ms since 1970), and the number of seats that are tied to it.
 */
export interface PublicPlayer {
  key: Hex32;
  name: Name;
  names: Name[];
  since: number;
  seats: number;
}

// -------------------- client_protocol/from_client.py --------------------

/**
 * First message of a start page: answered by `Welcome`, then `Matches` now and whenever they change. `matches` are the
 * sender's own, whose summaries are sent even if they are not listed.
 */
export interface EnterLobby {
  type: "enter_lobby";
  protocol: number;
  matches?: Id[];
}

/**
 * The start page wants the listed matches that come after one, of which it gives what it was told: its `state`, when it was
 * made, its id. Answered by `MatchPage`.
 */
export interface MoreMatches {
  type: "more_matches";
  id: Id;
  state: "open" | "running" | "over";
  made_at: number;
  match: Id;
}

/**
 * Which match between two programs is played for those who look at the start page? One is made if the last one is over.
 * Answered by `Exhibition`, or by `Refused` where there is none.
 */
export interface AskExhibition {
  type: "ask_exhibition";
  id: Id;
}

/** Which moments of recorded matches come with this server? Answered by `Moments`. */
export interface AskMoments {
  type: "ask_moments";
  id: Id;
}

/**
 * First message of a table: sit down with a seat's `token`, or watch (no token; `name` is what a spectator wants to be
 * called). Answered by `Welcome`, then by the `Update`s missed since `since` or by a `Snapshot`.
 */
export interface EnterMatch {
  type: "enter_match";
  protocol: number;
  match: Id;
  token?: Secret;
  since?: Sequence;
  name?: FigureName;
}

/**
 * A moment of a match: after the frame `frame` of the audience `view` (a seat, "" for spectators, "*" for everything).
 * `token` is the seat's, for a seat's view of a match that is not over.
 */
export interface ForkPoint {
  match: Id;
  view: Id;
  frame: Sequence;
  token?: Secret;
}

/**
 * A match that is over, of whose players another one is made: `tokens` are those of the maker's seats in it. With `swap` each
 * player has the next side.
 */
export interface MatchBefore {
  match: Id;
  tokens: Secret[];
  swap?: boolean;
}

/**
 * Make a match. `mine` are the seats the maker takes at once (all of them: hot-seat), `forces` what they bring instead of the
 * scenario's forces, by seat. It begins as `scenario` says; or, where `fork` is given, from that moment of another match; or,
 * where `setup` names an upload, from that setup file. Edition, scenario and options are then those of the position, and are
 * not looked at. Where `after` is given, it is the next match of the players of that one, with all of its terms; nothing but
 * `name` is then looked at, and the other players learn of it there (`View.next`). `programs` are seats that a program holds,
 * each with its name: one of `Welcome.programs`, or "uncontrolled" where the edition lists it (`EditionInfo.programs`). Such a
 * seat has no invite. `advice`: all players may ask the computer for advice; a player without another one always may. Answered
 * by `MatchMade`.
 */
export interface MakeMatch {
  type: "make_match";
  id: Id;
  edition: Id;
  scenario: Id;
  name: Name;
  mine: Id[];
  options?: Record<Id, OptionValue>;
  listed?: boolean;
  forces?: Record<Id, Force>;
  clock?: ClockTerms | null;
  fork?: ForkPoint | null;
  setup?: Id;
  programs?: Record<Id, Id>;
  advice?: boolean;
  after?: MatchBefore | null;
}

/**
 * A part of something too large for one message: part `part` of `of` (counted from 0) of the upload that the client calls
 * `upload`, in order. They are kept until a message names the upload, the connection ends, or 60 seconds after its last part.
 * Answered by `Accepted`.
 */
export interface Upload {
  type: "upload";
  id: Id;
  upload: Id;
  part: number;
  of: number;
  data: Uint8Array;
}

/** What position does the uploaded setup file describe? Answered by `SetupChecked`. */
export interface CheckSetup {
  type: "check_setup";
  id: Id;
  upload: Id;
}

/** Take in the uploaded match file. Answered by `MatchMade`, with an invite for each seat of a match that is not over. */
export interface ImportMatch {
  type: "import_match";
  id: Id;
  upload: Id;
}

/**
 * Take a free seat with its invite (or without one when the match is listed as open), and bring a `force` (none: the
 * scenario's). Answered by `SeatTaken`.
 */
export interface TakeSeat {
  type: "take_seat";
  id: Id;
  match: Id;
  seat: Id;
  name: Name;
  invite?: Secret;
  force?: Force | null;
}

/** What do the rules say of this force, under these options? Answered by `ForceChecked` or `Refused`. */
export interface CheckForce {
  type: "check_force";
  id: Id;
  force: Force;
  options?: Record<Id, OptionValue>;
}

/**
 * Make this force into one for another edition, one that takes over forces of its edition (`converts` at
 * `/forces/<id>.json`). Answered by `ForceConverted` or `Refused`.
 */
export interface ConvertForce {
  type: "convert_force";
  id: Id;
  force: Force;
  edition: Id;
}

/**
 * Tie the sender's seat to a player's key, for all to see and for good: `signature` is the key's on the seat (see
 * PROTOCOL.md). Answered by `Accepted`.
 */
export interface TieSeat {
  type: "tie_seat";
  id: string;
  key: Hex32;
  signature: Hex64;
}

/** The sender wants to show that it holds a player's key. Answered by `Challenge`. */
export interface AskChallenge {
  type: "ask_challenge";
  id: Id;
}

/**
 * This connection is the player's who holds `key`, and wants to be called `name`: `signature` is the key's on the last
 * challenge and the name (see PROTOCOL.md). Answered by `Introduced`.
 */
export interface Introduce {
  type: "introduce";
  id: Id;
  key: Hex32;
  name: Name;
  signature: Hex64;
}

/**
 * Tell the player of this connection in these ways from now on; only after `Introduce`. With `test` each way is tried at
 * once, and what goes wrong is told. Answered by `NoticesSet`.
 */
export interface SetNotices {
  type: "set_notices";
  id: Id;
  notices: NoticeSettings;
  test?: boolean;
}

/**
 * Give the player of this connection a new password for their own topic at the feed's broker; only after `Introduce`.
 * Answered by `TopicGiven`.
 */
export interface AskTopic {
  type: "ask_topic";
  id: Id;
}

/**
 * Forget the player of this connection: name, notices, and which seats the key has. What is in the logs of matches stays.
 * Answered by `Accepted`.
 */
export interface ForgetPlayer {
  type: "forget_player";
  id: Id;
}

/** Who is the player with this key? Answered by `PlayerFound` or `Refused`. */
export interface AskPlayer {
  type: "ask_player";
  id: Id;
  key: Hex32;
}

/**
 * Send a webhook of the sender's seat whenever a decision of this match waits for a player who is not connected (None: no
 * more). Answered by `NoticesSet`.
 */
export interface SetMatchWebhook {
  type: "set_match_webhook";
  id: Id;
  webhook: Webhook | null;
}

/**
 * Which leagues are there, and which of them are the sender's? Answered by `Leagues`. `after` leaves out as many of the
 * newest: it is 0, or the `more` of the last answer.
 */
export interface AskLeagues {
  type: "ask_leagues";
  id: Id;
  after?: number;
}

/**
 * Make a league, of which the player who sent `Introduce` is the organiser. Answered by `LeagueShown`. The same message sent
 * again makes no other league.
 */
export interface MakeLeague {
  type: "make_league";
  id: string;
  terms: LeagueTerms;
}

/** What is in a league? `invite` is that of a league that is not listed. Answered by `LeagueShown`. */
export interface AskLeague {
  type: "ask_league";
  id: Id;
  league: Id;
  invite?: Secret;
}

/**
 * How does the force of a player stand in a league in which forces live on? `invite` is that of a league that is not listed.
 * Answered by `RosterShown`.
 */
export interface AskRoster {
  type: "ask_roster";
  id: Id;
  league: Id;
  player: Hex32;
  invite?: Secret;
}

/**
 * Do something in a league, as the player who sent `Introduce`. Answered by `LeagueShown`, with the league as it is then. The
 * same message sent again does nothing more.
 */
export interface ActInLeague {
  type: "act_in_league";
  id: string;
  league: Id;
  act: LeagueAct;
  invite?: Secret;
}

/**
 * An organiser, who sent `Introduce`, names the webhook that is told what happens in a league (None: no more), and it is
 * tried. With `test` nothing is changed: the one that is there is tried. Answered by `NoticesSet`.
 */
export interface SetLeagueWebhook {
  type: "set_league_webhook";
  id: Id;
  league: Id;
  webhook?: Webhook | null;
  test?: boolean;
}

/** The player who sent `Introduce` wants to play a fixture of theirs. Answered by `FixtureSeat`. */
export interface PlayFixture {
  type: "play_fixture";
  id: Id;
  league: Id;
  fixture: number;
}

/** A seat's commitment to its share of the dice: the SHA-256 of its 32 random bytes. */
export interface CommitRandomness {
  type: "commit";
  id: Id;
  digest: Hex32;
}

/** A seat's 32 random bytes, once every seat has committed. */
export interface RevealRandomness {
  type: "reveal";
  id: Id;
  randomness: Hex32;
}

/** The answer to an open prompt. `id` is the client's own: sent again after a lost connection it gets its first result. */
export interface Answer {
  type: "answer";
  id: string;
  prompt: Id;
  choice: Id;
  values?: Values;
}

/** What would come of a choice, from what the seat may know; never logged. Answered by `Preview` or `Refused`. */
export interface AskPreview {
  type: "ask_preview";
  id: Id;
  prompt: Id;
  choice: Id;
  values?: Values;
}

/**
 * What would the computer answer to the open prompt, and why? Only where the view's `advice` says so; computed from what the
 * seat may know, never logged, and told to no other seat. Answered by `Advice` or `Refused`.
 */
export interface AskAdvice {
  type: "ask_advice";
  id: Id;
  prompt: Id;
}

/**
 * Give a unit of the sender's own a standing order, a key of the snapshot's `orders`, unseen by others. Answered by
 * `Accepted`.
 */
export interface Order {
  type: "order";
  id: string;
  unit: Id;
  order: Id;
}

/** Lines of sight from a unit to another one, as things stand. Answered by `Sight`. */
export interface Look {
  type: "look";
  id: Id;
  unit: Id;
  target: Id;
}

/** Where a unit is imagined to be: places of its figures, and facings of those that have one. */
export interface GhostPlaces {
  places: Record<Id, Point>;
  facings?: Record<Id, Angle>;
}

/**
 * Ask what `unit` would see and could do if units of the sender's own stood at `ghosts`. Computed from what the seat may
 * know, never logged, and told to no other seat. Answered by `WhatIf`.
 */
export interface AskWhatIf {
  type: "ask_what_if";
  id: Id;
  unit: Id;
  ghosts: Record<Id, GhostPlaces>;
}

/**
 * Take back the sender's last decision, or all since the frame `frame`: at once if that is free, else when all others
 * consent. Answered by `Accepted`.
 */
export interface TakeBack {
  type: "take_back";
  id: string;
  frame?: Sequence;
}

/**
 * Offer the others a draw, a pause of the clocks, their going on, or another clock (None: none); or that the program
 * `program` of `Welcome.programs` plays on in the place of a player (`hand_over`; "": that the sender takes the own seat back).
 * `hand` is the seat, by default the sender's own; another one only where the sender could claim the game. Answered
 * by `Accepted`.
 */
export interface MakeOffer {
  type: "offer";
  id: string;
  kind: "draw" | "pause" | "resume" | "clock" | "hand_over";
  clock?: ClockTerms | null;
  hand?: string;
  program?: string;
}

/** Accept an open offer, or decline it (the sender's own: withdraw it). Answered by `Accepted`. */
export interface Respond {
  type: "respond";
  id: string;
  offer: Id;
  accept: boolean;
}

/** Give up. Answered by `Accepted`. */
export interface Concede {
  type: "concede";
  id: string;
}

/** Claim the game, because another player's time is up or the match has been stalled for too long. Answered by `Accepted`. */
export interface Claim {
  type: "claim";
  id: string;
}

/** Say a line of chat. Seats speak at the table or to their own side, spectators to spectators. Answered by `Accepted`. */
export interface Say {
  type: "say";
  id: string;
  text: ChatText;
  channel?: Channel;
}

/** Report the chat of the frame `frame` to the operator of this server. Answered by `Accepted`. */
export interface Report {
  type: "report";
  id: string;
  frame: Sequence;
  reason: ChatText;
}

/**
 * Ask for the match from its beginning as an audience saw it, from after the frame `after` on. `view` is the sender's own
 * audience, or, if the match is over, any audience, or "*" for everything. Answered by `ReplayPart`.
 */
export interface Replay {
  type: "replay";
  id: Id;
  view: Id;
  after?: Sequence;
}

/** What luck each roll of a match that is over had. Answered by `LuckReport`. */
export interface AskLuckReport {
  type: "ask_luck_report";
  id: Id;
}

/** The match so far as a text to read, as the audience may know it. Answered by `Exported`. */
export interface ExportText {
  type: "export_text";
  id: Id;
}

/** The story before the frame `before` (at most 200 frames). Answered by `History`. */
export interface Recall {
  type: "recall";
  id: Id;
  before: Sequence;
}

/** The position as the audience may know it, as a setup file. Answered by `Exported`. */
export interface ExportSetup {
  type: "export_setup";
  id: Id;
}

/**
 * Export the last step up to the frame `frame` of the audience `view` as a case file. `view` is the sender's own
 * audience, or, if the match is over, any audience, or "*" for everything. Answered by `Exported`.
 */
export interface ExportCase {
  type: "export_case";
  id: Id;
  view: Id;
  frame: Sequence;
}

/**
 * Is the log of this match still the one of which one was told this `head`? Answered by `Accepted`, or, if no entry has that
 * hash, by `Refused` with the code `other_log`.
 */
export interface CheckHead {
  type: "check_head";
  id: Id;
  head: ToldHead;
}

/** Is the link alive? Answered by `Pong`. */
export interface Ping {
  type: "ping";
  id: Id;
}

export type ClientMessage =
  | EnterLobby
  | EnterMatch
  | MoreMatches
  | AskExhibition
  | AskMoments
  | MakeMatch
  | Upload
  | CheckSetup
  | ImportMatch
  | TakeSeat
  | CheckForce
  | ConvertForce
  | TieSeat
  | AskChallenge
  | Introduce
  | SetNotices
  | AskTopic
  | ForgetPlayer
  | AskPlayer
  | SetMatchWebhook
  | AskLeagues
  | MakeLeague
  | AskLeague
  | AskRoster
  | ActInLeague
  | SetLeagueWebhook
  | PlayFixture
  | CommitRandomness
  | RevealRandomness
  | Answer
  | AskPreview
  | AskAdvice
  | Order
  | Look
  | AskWhatIf
  | TakeBack
  | MakeOffer
  | Respond
  | Concede
  | Claim
  | Say
  | Report
  | Recall
  | Replay
  | AskLuckReport
  | ExportCase
  | ExportSetup
  | ExportText
  | CheckHead
  | Ping;

// -------------------- client_protocol/from_server.py --------------------

/** A value an option may have, and what it means in a sentence. */
export interface OptionChoice {
  value: OptionValue;
  label: string;
}

/**
 * An option of an edition: id, title, what it may be, what it is when nothing is said, the rule behind it, and the
 * heading of the group in which a page shows it, where options are many. Options of a group follow each other.
 */
export interface OptionInfo {
  id: Id;
  title: string;
  choices: OptionChoice[];
  default: OptionValue;
  rule: Id;
  group: string;
}

/**
 * How evenly a scenario is won: of so many `games` between equals (the program `program` on all sides) how many each seat
 * `won`; the others were drawn.
 */
export interface Balance {
  games: number;
  won: Record<Id, number>;
  program: Id;
}

/**
 * An explanation of a prompt that offers all of `choices` (keys, up to a colon). In its text `{key}` stands for that choice
 * as the prompt calls it, and `{prompt}` for the prompt's title.
 */
export interface Lesson {
  choices: Id[];
  title: string;
  text: string;
}

/**
 * A scenario: its name, a summary, about how many minutes it takes, its seats as (seat, side's name), and how evenly it is
 * won, if that was measured.
 */
export interface ScenarioInfo {
  id: Id;
  name: string;
  summary: string;
  minutes: number;
  seats: [Id, string][];
  defaults: Record<Id, OptionValue>;
  balance: Balance | null;
}

/** A guided battle: a match of a scenario of its own against a program, whose prompts are explained. */
export interface Guide {
  scenario: ScenarioInfo;
  lessons: Lesson[];
}

/**
 * An edition that can be played here: its options and scenarios. Its rule reference is at `/rules/<id>.json`. If
 * `forces`, players may bring forces; the form for them and ready ones are at `/forces/<id>.json`. `programs` are those that
 * can hold a seat of its matches: "uncontrolled" plays a side by the rules' own method. `guide` is its guided battle, if it
 * has one, and `about` says in a sentence what its battles are like. `campaign` is what a league may settle of what happens to
 * forces between battles; None if the edition has no rules for that.
 */
export interface EditionInfo {
  id: Id;
  name: string;
  options: OptionInfo[];
  scenarios: ScenarioInfo[];
  forces: boolean;
  programs: Id[];
  guide: Guide | null;
  about: string;
  campaign: OptionInfo[] | null;
}

/** How a seat stands: figures left, figures it began with, objectives held. */
export type Score = [seat: Id, left: number, of: number, objectives: number];

/**
 * A match in the list of the start page. `state` is open (a seat is free), running or over; `seats` are
 * (seat, side's name, player or ""). `since` is when the seats to decide were asked, or when the match ended (ms since 1970).
 */
export interface MatchSummary {
  match: Id;
  title: string;
  edition: Id;
  state: "open" | "running" | "over";
  turn: number;
  made_at: number;
  seats: [Id, string, string][];
  deciding: Id[];
  result: ResultView | null;
  since: number;
  score: Score[];
  clock: ClockTerms | null;
  spectators: number;
  turn_limit: number;
}

/** A program that can play a seat: its name for `MakeMatch.programs`, its name and a sentence about it for players. */
export interface ProgramInfo {
  id: Id;
  name: string;
  summary: string;
}

/**
 * The first answer: the protocol's number, the software's version, what can be played, and against which programs. `now` is
 * the server's time in milliseconds since 1970, `up` the milliseconds in which a server was up, by which clocks run. `abandoned`
 * is a sentence on the operator's policy for stalled matches without a clock.
 */
export interface Welcome {
  type: "welcome";
  protocol: number;
  version: string;
  now: number;
  editions: EditionInfo[];
  up: number;
  abandoned: string;
  programs: ProgramInfo[];
}

/**
 * The first page of the listed matches, to a start page: open ones first, then those that are running, then those that are
 * over, each the newest first. `more` says whether there are more (see `MoreMatches`). `mine` are those of its
 * `EnterLobby.matches` that are not on this page.
 */
export interface Matches {
  type: "matches";
  matches: MatchSummary[];
  mine: MatchSummary[];
  more: boolean;
}

/**
 * The changes since the `Matches` and `MatchesChanged` before: matches that have come to the first page or changed there
 * (`changed`), changes among the receiver's own (`mine`), and matches that are no longer on either (`gone`).
 */
export interface MatchesChanged {
  type: "matches_changed";
  changed: MatchSummary[];
  gone: Id[];
  mine: MatchSummary[];
  more: boolean;
}

/** The answer to `AskExhibition`: the match, to be watched like any other. It is removed some time after its end. */
export interface Exhibition {
  type: "exhibition";
  id: Id;
  match: Id;
}

/**
 * A moment of a recorded match: the frames `first` to `last` of its all-seeing replay, and what happens there, as a title and
 * a sentence.
 */
export interface Moment {
  match: Id;
  edition: Id;
  title: string;
  sentence: string;
  first: Sequence;
  last: Sequence;
}

/** The answer to `AskMoments`. Each match can be replayed and taken home like any other that is over. */
export interface Moments {
  type: "moments";
  id: Id;
  moments: Moment[];
}

/** More of the listed matches, as they stand now; `more` says whether there are still more. */
export interface MatchPage {
  type: "match_page";
  id: Id;
  matches: MatchSummary[];
  more: boolean;
}

/** A way into a match: a seat with either its `token` (it is yours) or its `invite` (to give away). */
export interface Pass {
  seat: Id;
  token: Secret;
  invite: Secret;
}

/** The match that `MakeMatch` made, with the tokens of the maker's seats and the invites for the others. */
export interface MatchMade {
  type: "match_made";
  id: Id;
  match: Id;
  passes: Pass[];
}

/** The seat is yours: keep the token. */
export interface SeatTaken {
  type: "seat_taken";
  id: Id;
  match: Id;
  seat: Id;
  token: Secret;
}

/** What the key of `Introduce` has to sign: thirty-two random bytes in hexadecimal, good for one try on this connection. */
export interface Challenge {
  type: "challenge";
  id: Id;
  challenge: Hex32;
}

/**
 * This server knows the player: how they are told of decisions that wait, the key for push subscriptions here (`push_key`, ""
 * where none is sent), whether players have topics at the feed's broker (`topics`), and tokens for the seats that are tied to
 * the key.
 */
export interface Introduced {
  type: "introduced";
  id: Id;
  player: PublicPlayer;
  notices: NoticeSettings;
  push_key: string;
  topics: boolean;
  seats: PlayersSeat[];
}

/** The settings stand; `faults` says in a sentence each what went wrong when they were tried. */
export interface NoticesSet {
  type: "notices_set";
  id: Id;
  faults: string[];
}

/**
 * The player's own topic at the feed's broker, the user and password with which it can be read, and the address for browsers
 * ("" for none). The password is told once, and the one before is good no more.
 */
export interface TopicGiven {
  type: "topic_given";
  id: Id;
  topic: string;
  user: Id;
  password: Secret;
  address: string;
}

/** Who the player of `AskPlayer` is. */
export interface PlayerFound {
  type: "player_found";
  id: Id;
  player: PublicPlayer;
}

/**
 * The leagues that the asker may see, the newest first, and the ids of their own. Where there are older ones, `more` is the
 * `after` that asks for them (0: there are none).
 */
export interface Leagues {
  type: "leagues";
  id: Id;
  leagues: LeagueSummary[];
  own: Id[];
  more: number;
}

/** A league, as the asker may see it now. */
export interface LeagueShown {
  type: "league_shown";
  id: Id;
  league: LeagueView;
}

/** The roster of a player of a league, as the asker may see it now. */
export interface RosterShown {
  type: "roster_shown";
  id: Id;
  league: Id;
  roster: RosterView;
}

/**
 * A player's seat in the match of a fixture. It is taken with the `invite`; where it is tied to the player's key already, the
 * `token` is for it.
 */
export interface FixtureSeat {
  type: "fixture_seat";
  id: Id;
  match: Id;
  seat: Id;
  invite: Secret;
  token: Secret;
}

/** What the rules say of the force of `CheckForce`. */
export interface ForceChecked {
  type: "force_checked";
  id: Id;
  report: ForceReport;
}

/** The outcome of `ConvertForce`. */
export interface ForceConverted {
  type: "force_converted";
  id: Id;
  conversion: Conversion;
}

/** What position an uploaded setup describes, drawn as a match's would be; or, in `problem`, why it describes none. */
export interface SetupChecked {
  type: "setup_checked";
  id: Id;
  problem: string;
  edition: Id;
  view: View | null;
  table: TableView | null;
  words: Record<string, Word>;
}

/**
 * The whole of what an audience sees, at the frame `seq` of its own sequence. `seat` is "" for spectators.
 *
 * `commitment` is the SHA-256 of the server's dice secret; `committed` and `revealed` name the seats whose digest or
 * randomness is in; `prompt` is this seat's open prompt. `orders` are the standing orders that units can be given, by key;
 * `origin` says in a sentence where a match comes from that was not begun from a scenario ("" for one that was). `head` is the
 * hash of the log's entry that made the frame `seq`: all of the log up to there follows from it (empty in a replay).
 */
export interface Snapshot {
  type: "snapshot";
  seq: Sequence;
  match: Id;
  seat: Id;
  edition: Id;
  view: View;
  table: TableView;
  words: Record<string, Word>;
  commitment: Hex32;
  prompt: Prompt | null;
  committed: Id[];
  revealed: Id[];
  orders: Record<Id, Word>;
  origin: string;
  head: Head;
}

/**
 * One frame: `patch` is a merge patch (RFC 7396) on the view, `story` what happened, in order.
 *
 * `prompt` is this seat's open prompt, sent when it changes; `closed` says that the one before is closed. `head` is the hash of
 * the log's entry that made the frame, as in `Snapshot`; most frames leave it out.
 */
export interface Update {
  type: "update";
  seq: Sequence;
  patch?: Record<string, unknown>;
  story?: Story[];
  prompt?: Prompt | null;
  closed?: boolean;
  committed?: Id[] | null;
  revealed?: Id[] | null;
  head?: Head;
}

/** The message `id` was taken, and is on the log for good; `seq` is its frame in this audience's sequence. */
export interface Accepted {
  type: "accepted";
  id: Id;
  seq: Sequence;
}

/**
 * The message `id` was not taken, and nothing has changed: what was ordered, which rule forbids it, what is allowed.
 *
 * `where` marks the place on the table for a path that is not legal. `match` is the one that is there already, where a match
 * cannot be imported for that.
 */
export interface Refused {
  type: "refused";
  id: Id;
  code: string;
  sentence: string;
  rule: Id;
  where: Point | null;
  figure: Id;
  match: Id;
}

/** A line of odds: a label, its value in words ("1.7 hits"), and its probability where it has one (in 1/10,000). */
export interface Chance {
  label: string;
  value: string;
  per_myriad: number;
}

/** What would come of a choice: the dice, the numbers with their lines, the odds. */
export interface Preview {
  type: "preview";
  id: Id;
  title: string;
  dice: string;
  numbers: [string, Explained][];
  chances: Chance[];
  notes: string[];
}

/** The answer to `AskAdvice`: the choice and its values as an `Answer` has them, and why, in a sentence. */
export interface Advice {
  type: "advice";
  id: Id;
  prompt: Id;
  choice: Id;
  values: Values;
  why: string;
}

/** A line from a figure to a figure of the target: clear, or blocked by a terrain piece; the target figure's cover. */
export interface SightRay {
  figure: Id;
  target: Id;
  clear: boolean;
  start: Point;
  end: Point;
  blocked_by: Id;
  cover: string;
}

/** Which figures see which, the nearest gap between the two units, and the words for it. */
export interface Sight {
  type: "sight";
  id: Id;
  unit: Id;
  target: Id;
  distance: number;
  rays: SightRay[];
  summary: string;
}

/** A frame's story, in `History`. */
export interface Remembered {
  seq: Sequence;
  story: Story[];
}

/** The story of earlier frames, oldest first; `more` says that there are still earlier ones. */
export interface History {
  type: "history";
  id: Id;
  frames: Remembered[];
  more: boolean;
}

/**
 * A frame of a replay: what was seen and told then. `at` is the moment in milliseconds since 1970, `turn` the turn it belongs
 * to. Where something was taken back, `back` is the frame to which the match returned.
 */
export interface ReplayFrame {
  seq: Sequence;
  at: number;
  turn: number;
  patch?: Record<string, unknown>;
  story?: Story[];
  back?: Sequence;
}

/**
 * Frames of a replay, in order; `start` is how the match began, before the first frame (first part only). `more` says
 * that there are further ones by now, `last` is the last one's number.
 */
export interface ReplayPart {
  type: "replay_part";
  id: Id;
  frames: ReplayFrame[];
  last: Sequence;
  more: boolean;
  start: Snapshot | null;
}

/** What luck each roll had, in order. */
export interface LuckReport {
  type: "luck_report";
  id: Id;
  rolls: LuckRow[];
}

/** What a unit would see of another one, and the odds of what it could do to it, from where it is imagined to be. */
export interface WhatIfTarget {
  target: Id;
  sight: Sight;
  previews: Preview[];
}

/**
 * The answer to `AskWhatIf`: one entry for each other unit on the table. `problems` are places where a unit could not
 * stand.
 */
export interface WhatIf {
  type: "what_if";
  id: Id;
  unit: Id;
  targets: WhatIfTarget[];
  problems: string[];
}

/** A file's name and text. */
export interface Exported {
  type: "exported";
  id: Id;
  filename: string;
  text: string;
}

/** Whether this server can take answers: `live`, or `read_only` while its database is away, since `since` (ms). */
export interface Status {
  type: "status";
  state: "live" | "read_only";
  since: number;
  sentence: string;
}

/** The link is alive; `now` is the server's time in milliseconds since 1970, `up` its up-time (see `Welcome`). */
export interface Pong {
  type: "pong";
  id: Id;
  now: number;
  up: number;
}

/** The server is going to close the connection, and why. `again` says whether connecting anew is of use. */
export interface Goodbye {
  type: "goodbye";
  code: string;
  sentence: string;
  again: boolean;
}

export type ServerMessage =
  | Welcome
  | Matches
  | MatchesChanged
  | MatchPage
  | Exhibition
  | Moments
  | MatchMade
  | SeatTaken
  | Challenge
  | Introduced
  | NoticesSet
  | TopicGiven
  | PlayerFound
  | Leagues
  | LeagueShown
  | RosterShown
  | FixtureSeat
  | ForceChecked
  | ForceConverted
  | SetupChecked
  | Snapshot
  | Update
  | Accepted
  | Refused
  | Preview
  | Advice
  | Sight
  | WhatIf
  | History
  | ReplayPart
  | LuckReport
  | Exported
  | Status
  | Pong
  | Goodbye;

/** The most characters that texts of these types may have. */
export const LONGEST = {
  Id: 80,
  Name: 40,
  ChatText: 300,
  Secret: 100,
  FigureName: 40,
  About: 1000,
  Reason: 300,
  Address: 1000,
  Base64: 200,
} as const;
