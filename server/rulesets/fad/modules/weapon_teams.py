"""Heavy Weapons Teams: a weapon with its crew, which moves or fires; alone, or attached to a squad whose fire it joins."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.choices import Why
from client_protocol.explained import Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.attaching import figures_of, key_within, own_figures
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import FigureRearmed, Noted, Rolled
from server.kernel.procedure import Steps
from server.kernel.space.geometry import Point, inches
from server.kernel.state import Figure, State, Unit
from server.kernel.traits import has
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.attached import COHERENCY, fit, is_team, team_of
from server.rulesets.fad.game import ABANDONED, POWERED, WEAPON_TEAM, FadGame, FadRules
from server.rulesets.fad.module import Act, Crew, FadModule
from server.rulesets.fad.movement import CoherencyDistance, MoveAllowance
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.shared.modules import Advice, ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import successes
from server.rulesets.shared.words.narration import figures_text

UNIT = "adv.weapon-teams.unit"
MOVEMENT = "adv.weapon-teams.movement"
FIRE = "adv.weapon-teams.fire"
LOSSES = "adv.weapon-teams.crew-loss"
ATTACHED_MOVE = "adv.weapon-teams.attached-move"
GUNNER = "gunner_suit"
"""The trait of units in powered armour that may move and fire their heavy weapons."""
MAN_PORTABLE = "man_portable"
"""The trait of weapons with which a crew may Rush."""

POSTS = "weapon_teams.posts"
"""The note of a match with the turn, and where each crew stood when it began: unit, figure and place."""
FIRED = "weapon_teams.fired"
"""The note of a match with a turn, and the unit that has fired its heavy weapon in its own activation."""


# --- crews ----------------------------------------------------------------------------------------------------------


def _team(state: State, unit: Unit) -> tuple[Unit, dict[str, Figure]] | None:
    """Return the team that serves a unit's heavy weapon, the unit itself or one attached to it, and its figures in that unit."""
    if is_team(unit):
        return unit, own_figures(unit)
    team = team_of(state, unit) if any(figure.of for figure in unit.figures.values()) else None
    return None if team is None else (team, figures_of(state, team))


def _crew(rules: FadRules, state: State, unit: Unit) -> Crew | None:
    found = None if unit.attached else _team(state, unit)
    if found is None:
        figures = {} if unit.attached else _suited(rules, unit)
        gunner = next((key for key, figure in figures.items() if not figure.fallen), "")
        return Crew(gunner, frozenset((gunner,)), len(unit.figures) == 1) if gunner else None
    team, figures = found
    living = frozenset(key for key, figure in figures.items() if not figure.fallen)
    gunner = next((key for key in unit.figures if key in living and rules.heavy(unit.figures[key].role)), "")
    return Crew(gunner, living, team.id == unit.id) if gunner else None


def _suited(rules: FadRules, unit: Unit) -> dict[str, Figure]:
    """Return the figure in powered armour that carries a heavy weapon: a team of one within its squad (tech.suits)."""
    if not rules.suits or is_vehicle(unit) or POWERED not in rules.armour(unit).traits:
        return {}
    return {key: figure for key, figure in own_figures(unit).items() if rules.heavy(figure.role) is not None}


def _needed(rules: FadRules, unit: Unit) -> bool:
    """Return whether a unit in powered armour carries a heavy weapon that is aimed, apart from its squad's fire."""
    weapons = (rules.heavy(figure.role) for figure in _suited(rules, unit).values())
    return any(weapon is not None and not weapon.blasts for weapon in weapons)


def _served(rules: FadRules, state: State, unit: Unit) -> tuple[Unit, dict[str, Figure]] | None:
    """Return the figures that serve a unit's heavy weapon, and the unit that they belong to; None if there are none."""
    figures = _suited(rules, unit)
    return _team(state, unit) or ((unit, figures) if figures else None)


def _lost(state: State, unit: Unit) -> int:
    found = _team(state, unit)
    return 0 if found is None else sum(figure.fallen for figure in found[1].values())


def _places(state: State, team: Unit, figures: dict[str, Figure]) -> Iterator[tuple[str, str, Point]]:
    """Yield the living figures of a team with the keys that are its own, and their places on the table."""
    for key, figure in figures.items():
        if figure.at is not None and not figure.fallen:
            yield team.id, key.removeprefix(key_within(team.id, "")), figure.at


# --- moving or firing -----------------------------------------------------------------------------------------------


def _turn_begins(game: FadGame) -> Steps[None]:
    rows: list[tuple[str | int, ...]] = []
    for unit in game.state.units.values():
        found = None if unit.left or unit.attached else _served(game.rules, game.state, unit)
        if found is not None:
            rows += [(team, key, *at) for team, key, at in _places(game.state, *found)]
    if rows:
        yield Noted(POSTS, (game.state.turn.number, *rows))


def _posts(state: State) -> dict[tuple[str, str], Point] | None:
    """Return where each crew stood when this turn began; None if no such turn was noted. Raises `ValueError` if the note holds
    something else.
    """
    note = state.book.get(POSTS, ())
    if note == ():
        return None
    match note:
        case (int(turn), *rows):
            found = dict(map(_post, rows))
            return found if turn == state.turn.number else None
        case _:
            raise ValueError(note)


def _post(row: object) -> tuple[tuple[str, str], Point]:
    match row:
        case (str(unit), str(figure), int(x), int(y)):
            return (unit, figure), (x, y)
        case _:
            raise ValueError(row)


def _moved(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether a crew stands elsewhere than when the turn began, for whatever reason (fad5/adv.weapon-teams.fire)."""
    posts, found = _posts(state), _served(rules, state, unit)
    if posts is None or found is None:
        return False
    return any(posts.get((team, key)) != at for team, key, at in _places(state, *found))


def _fired(state: State) -> tuple[int, tuple[str, ...]]:
    """Return the units that have fired their heavy weapon in their own activations, and in which turn; older rules noted all of
    a turn. Raises `ValueError` if the note holds something else.
    """
    match state.book.get(FIRED, ()):
        case ():
            return 0, ()
        case (int(turn), *units) if all(isinstance(unit, str) for unit in units):
            return turn, tuple(str(unit) for unit in units)
        case note:
            raise ValueError(note)


def _begins(game: FadGame, _unit: str) -> Steps[None]:
    """Forget who has fired: it may move in a later activation of the same turn (fad5/turn.seize-initiative)."""
    if game.state.book.get(FIRED):
        yield Noted(FIRED, ())


def _fires(game: FadGame, unit: str, served: bool) -> Steps[None]:
    # fad5/turn.cards-reaction: who reacts uses up nothing of its own activation
    if served and game.state.turn.unit == unit and game.rules.crew(game.state, game.unit(unit)) is not None:
        yield Noted(FIRED, (game.state.turn.number, unit))


def _bars(rules: FadRules, state: State, unit: Unit, act: str) -> Why | None:
    crew = rules.crew(state, unit)
    if crew is None:
        return None
    served = rules.mounted(unit, crew.gunner)
    weapon = served.name.lower()
    if crew.whole and rules.book.tables.weapon_team.moves_out and act == Act.ADVANCE:
        # fad5/turn.action-engage
        return Why(f"{unit.name} fires in place or moves out, and does not do both.", FIRE)
    # fad4/tech.weapon-tables: a man portable weapon may be carried in a Rush
    suited = bool(_suited(rules, unit))
    free = suited and has(unit, GUNNER)
    if act == Act.RUSH and not suited and MAN_PORTABLE not in served.traits:
        return Why(f"{unit.name} carries a {weapon}: it moves, and never Rushes.", MOVEMENT)
    if act == Act.SERVE or (act == Act.SHOOT and crew.whole):
        if unit.aboard:
            return Why(f"{unit.name} does not fire its {weapon} from aboard.", FIRE)
        if _moved(rules, state, unit) and not (free and state.turn.unit == unit.id):
            rule = FIRE if crew.whole else ATTACHED_MOVE
            return Why(f"{unit.name} has moved this turn: its {weapon} does not fire.", rule)
    if act == Act.MOVE and not free and state.turn.unit == unit.id and (state.turn.number, unit.id) in _shots(state):
        return Why(f"{unit.name} has fired its {weapon}: it does not move in this activation.", FIRE)
    return _bars_team(unit, act) if crew.whole and not suited else None


def _shots(state: State) -> set[tuple[int, str]]:
    turn, units = _fired(state)
    return {(turn, unit) for unit in units}


def _bars_team(unit: Unit, act: str) -> Why | None:
    if act == Act.ASSAULT:
        return Why(f"{unit.name} is a weapons team and starts no Close Assault.", UNIT)
    if act == Act.COMMAND:
        return Why(f"{unit.name} is a weapons team, and Command is for squads.", UNIT)
    return None


# --- losses ---------------------------------------------------------------------------------------------------------


def _allowance(rules: FadRules, state: State, question: MoveAllowance) -> Iterator[Line]:
    lost = _lost(state, state.units[question.unit])
    if lost:
        yield Line("ADD", lost * inches(rules.book.tables.weapon_team.move), _crew_lost(lost), LOSSES)
        yield Line("CAP", 0, "never below 0", LOSSES, floor=True)


def _effect(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    shot, unit = question.shot, state.units[question.shot.shooter]
    lost = _lost(state, unit) if shot.joined or shot.mount in unit.figures else 0
    if lost:
        yield Line("ADD", lost * rules.book.tables.weapon_team.fire, _crew_lost(lost), LOSSES)


def _crew_lost(lost: int) -> str:
    return f"{lost} of the crew lost"


def _coherency(rules: FadRules, state: State, question: CoherencyDistance) -> Iterator[Line]:
    # fad5/move.coherency-weapon-team
    if is_team(state.units[question.unit]):
        yield Line("SET", inches(rules.book.tables.weapon_team.coherency), "weapons team", COHERENCY)


def _losing(game: FadGame, unit_id: str) -> Steps[None]:
    """Let another of the crew take over the weapon of one who fell."""
    unit = game.unit(unit_id)
    found = _team(game.state, unit)
    if found is None:
        return
    living = [key for key, figure in found[1].items() if not figure.fallen]
    down = [key for key, figure in found[1].items() if figure.fallen and game.rules.heavy(figure.role)]
    if living and down:
        weapon = unit.figures[down[0]].role
        yield FigureRearmed(unit_id, down[0], "", LOSSES)
        yield FigureRearmed(unit_id, living[0], weapon, LOSSES)


# --- words and files ------------------------------------------------------------------------------------------------


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    found = None if unit.attached else _team(state, unit)
    if found is not None:
        team, figures = found
        standing = sum(not figure.fallen for figure in figures.values())
        rule = LOSSES if standing < len(figures) else UNIT
        yield CardLine("Crew", f"{standing} of {len(figures)}" + ("" if is_team(unit) else f", {team.name}"), rule)


def _joined_damage(rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    own, other, *ratings = fact.numbers
    armour = " or ".join(dict.fromkeys(armour_of(rules, state).reach(rating.value) for rating in ratings))
    out = figures_text(int(fact.outcome))
    text = (
        f"Damage 1D6 +{own.value}, and +{other.value} for every second hit, against armour {armour}: "
        f"{out} of {state.units[fact.target].name} out."
    )
    return text, "fire", fact.rule


def _joined_at_vehicle(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    own, other, *_ = fact.numbers
    hits = "hit penetrates" if fact.outcome == "1" else "hits penetrate"
    text = f"Damage 1D6 +{own.value}, and +{other.value} for every second hit: {fact.outcome} {hits}"
    return f"{text} {state.units[fact.target].name}.", "fire", fact.rule


def _needs(fact: Rolled) -> list[int]:
    """Return what each die of a roll for damage has to show (see `server.rulesets.fad.damage.damage_numbers`)."""
    own, other, *ratings = (number.value for number in fact.numbers)
    each = ratings if len(ratings) > 1 else ratings * len(fact.faces)
    return [rating - (other if place % 2 else own) for place, rating in enumerate(each)]


def _joined_luck(rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the dice that kill, for the shooter."""
    chances = [armour_of(rules, state).kills(need) for need in _needs(fact)]
    return successes(fact, "kills", "kill", chances)


def _vehicle_luck(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the hits that penetrate, for the shooter."""
    chances = [odds.at_least(need) for need in _needs(fact)]
    through = replace(fact, marks=tuple("" if mark == "fail" else "hit" for mark in fact.marks))
    return successes(through, "penetrating hits", "hit", chances)


def _admit(rules: FadRules, state: State) -> None:
    try:
        _posts(state)
        _fired(state)
    except ValueError:
        raise RulesetError(
            f"the book's {POSTS} are a turn and the places of crews, and {FIRED} a turn and units"
        ) from None
    for unit in state.units.values():
        if not is_team(unit):
            continue
        figures = figures_of(state, unit) if unit.attached else own_figures(unit)
        served = [figure for figure in figures.values() if rules.heavy(figure.role)]
        host = state.units[unit.attached] if unit.attached else None
        if not served and ABANDONED in (host or unit).profile:
            continue
        if len(served) != 1 or (served[0].fallen and not unit.left):
            raise RulesetError(f"{unit.name} is a weapons team: one of its figures that stand serves a heavy weapon")
        if host is not None and not rules.attaches_teams(state):
            raise RulesetError(f"{unit.name} is a unit of its own here: do not attach it to {host.name}")
        if host is not None and not unit.left and not fit(rules, _without(state, unit), unit, host):
            raise RulesetError(
                f"{unit.name} cannot be attached to {host.name}: a team is attached to a squad of its Quality and "
                "Resolve, one to each"
            )


def _without(state: State, unit: Unit) -> State:
    """Return a state in which a unit is not there, so that it is not in its own way."""
    return replace(state, units={key: one for key, one in state.units.items() if key != unit.id})


WEAPON_TEAMS = FadModule(
    id="weapon_teams",
    traits=(WEAPON_TEAM,),
    needed=_needed,
    crew=_crew,
    bars=_bars,
    beginning=_begins,
    firing=_fires,
    losing=_losing,
    turning=_turn_begins,
    advisers=(Advice(CoherencyDistance, _coherency, unit="mil"),),
    card=_card,
    inspect=_admit,
)
"""Teams as units of their own."""
CREWS = FadModule(
    id="attached_teams",
    switch="weapon_teams",
    attaches_teams=True,
    advisers=(
        Advice(MoveAllowance, _allowance, unit="mil"),
        Advice(FireEffect, _effect, rank=Rank.SHOOTER),
    ),
    rolls={
        "joined_damage": ModuleRoll(_joined_damage, _joined_luck),
        "joined_vehicle_damage": ModuleRoll(_joined_at_vehicle, _vehicle_luck),
    },
)
"""What the loss of men costs a crew, and teams that are attached to squads (`server.rulesets.fad.attached`)."""
