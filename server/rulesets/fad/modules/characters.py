"""Characters: units of one figure that join others and leave them at will, and lead those that they are with."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from client_protocol.explained import Line
from client_protocol.luck import Luck
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.attaching import figures_of, own_figures
from server.kernel.bodies import is_vehicle, riders
from server.kernel.errors import RulesetError
from server.kernel.facts import Rolled, UnitAttached
from server.kernel.notes import word
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import about
from server.kernel.state import State, Unit
from server.rulesets.fad.attached import ATTACH, characters, fit, is_character, is_team
from server.rulesets.fad.game import BUSY, CHARACTER, FadGame, FadRules
from server.rulesets.fad.leading import gone, leads_others, led_from_afar, lent
from server.rulesets.fad.machines import rout
from server.rulesets.fad.melee import AssaultScore
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.morale import RALLIED, ROUTED
from server.rulesets.fad.movement import CoherencyDistance
from server.rulesets.fad.previews import luck
from server.rulesets.fad.quality import AGAIN
from server.rulesets.fad.responding import CommandResponse
from server.rulesets.fad.setup.book import Leadership
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.fad.vehicles.assault import MODIFIERS, TABLE_7, StrikeBonus, WeakestArmour
from server.rulesets.shared.distances import apart
from server.rulesets.shared.modules import Advice, ModuleRoll

UNIT = "adv.characters.unit"
LEADERSHIP = "adv.characters.leadership"
REROLL = "adv.characters.morale-reroll"
BONUS = "adv.characters.branch-bonus"
STRENGTH = "adv.characters.resolve-strength"
RESPONSE = "adv.characters.command-response"
RESPONDS = 1
"""What a character adds to the Command Response test of the unit that he is with, whatever his leadership."""

BRANCH = "leader_branch"
"""The key of a character's profile under which his branch stands."""
INFANTRY, GUNNERY, CAVALRY = "infantry", "gunnery", "cavalry"
"""The branches, by what they lead: squads, weapon teams, vehicles."""


def leadership(rules: FadRules, unit: Unit) -> Leadership:
    """Return the leadership of a character."""
    return rules.book.leaderships[word(unit.profile, "leadership")]


def leader(rules: FadRules, state: State, unit: Unit) -> Unit | None:
    """Return the character who leads a unit: of those who are with it, or lead it from afar, the one who leads best; None if
    there is none. With a vehicle are those aboard, alone or with a squad.
    """
    if is_vehicle(unit):
        aboard = riders(state, unit.id)
        found = [one for one in aboard if is_character(one)]
        found += [one for squad in aboard for one in characters(state, squad)]
    else:
        found = characters(state, unit)
    # fad4/tech.personal-armour: in a Command suit he leads one unit, his own or another
    found = [*(one for one in found if not leads_others(state, one)), *led_from_afar(state, unit)]
    # fad5/adv.characters.attach: one character at most benefits a unit, the best; of equals the first
    return max(found, key=lambda one: leadership(rules, one).rating, default=None)


def _acts(state: State, unit: Unit, leads: Unit) -> bool:
    """Return whether a character takes part in what a unit does: not if he has acted already this turn."""
    if leads.attached != unit.id:
        return True
    return not any(BUSY in figure.conditions for figure in figures_of(state, leads).values())


def _bonus(rules: FadRules, state: State, unit: Unit, branch: str) -> Iterator[Line]:
    leads = leader(rules, state, unit)
    if leads is None or word(leads.profile, BRANCH) != branch or not _acts(state, unit, leads):
        return
    rating = leadership(rules, leads).rating
    if rating:
        yield Line("ADD", rating, leads.name, BONUS)


def _branch(unit: Unit) -> str:
    """Return the branch of a unit (fad5/adv.characters.branches)."""
    return CAVALRY if is_vehicle(unit) else GUNNERY if is_team(unit) else INFANTRY


def _effect(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    unit = state.units[question.shot.shooter]
    served = question.shot.mount and question.shot.mount in unit.figures
    yield from _bonus(rules, state, unit, GUNNERY if served and not is_vehicle(unit) else _branch(unit))


def _score(rules: FadRules, state: State, question: AssaultScore) -> Iterator[Line]:
    unit = state.units[question.unit]
    yield from _bonus(rules, state, unit, _branch(unit))


def _strike(rules: FadRules, state: State, question: StrikeBonus) -> Iterator[Line]:
    # Where only anti-vehicle charges count, he does not.
    if state.options.get(MODIFIERS, TABLE_7) == TABLE_7:
        unit = state.units[question.unit]
        yield from _bonus(rules, state, unit, _branch(unit))


def _defence(rules: FadRules, state: State, question: WeakestArmour) -> Iterator[Line]:
    yield from _bonus(rules, state, state.units[question.vehicle], CAVALRY)


def _again(rules: FadRules, state: State, unit: Unit) -> Line | None:
    leads = leader(rules, state, unit)
    rating = 0 if leads is None else leadership(rules, leads).rating
    return Line("ADD", rating, leads.name, REROLL) if leads is not None and rating else None


def _response(rules: FadRules, state: State, question: CommandResponse) -> Iterator[Line]:
    leads = leader(rules, state, state.units[question.unit])
    if leads is not None:
        yield Line("ADD", RESPONDS, leads.name, RESPONSE)


# --- joining --------------------------------------------------------------------------------------------------------


def _near(rules: FadRules, state: State, unit: Unit) -> Iterator[Candidate]:
    """Yield the units within whose coherency distance a character stands."""
    for host in state.units_of(unit.side):
        if host.on_table and fit(rules, state, unit, host):
            mil = apart(unit, host)
            if mil <= rules.advisers.answer(state, CoherencyDistance(host.id)).value:
                yield Candidate(host.id, about(mil))


def _ended(game: FadGame, unit: str) -> Steps[None]:
    """Ask whether a character who has acted on his own joins a unit near him."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    own = state.units[unit]
    if not is_character(own) or not own.on_table:
        return
    near = tuple(_near(game.rules, state, own))
    if not near:
        return
    join = Choice(
        "join", "Join", ATTACH, "He is one of its figures, until he leaves it.", (UnitParameter("Unit", near),)
    )
    stay = Choice("on-his-own", "Stay on his own", ATTACH)
    asked = Asked(f"{own.name} may join a unit", (join, stay), Picked("on-his-own"), ATTACH, unit)
    picked = yield from ask(seat, asked)
    if picked.choice == "join":
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        yield UnitAttached(unit, named.unit, ATTACH)


# --- words and files ------------------------------------------------------------------------------------------------


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    leads = None if is_character(unit) else leader(rules, state, unit)
    if leads is not None:
        branch = rules.book.branches[word(leads.profile, BRANCH)].name.lower()
        row = leadership(rules, leads)
        yield CardLine("Led by", f"{leads.name} ({row.name} +{row.rating}, {branch})", LEADERSHIP)


def _far_away(_rules: FadRules, state: State) -> object:
    """Return who leads a unit without being with it, and does so no more."""
    return [(row.officer, gone(state, state.units[row.officer])) for row in lent(state)]


def _story(rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    unit = state.units[fact.unit]
    who = fact.numbers[1].lines[0].reason
    passed = fact.marks.count("pass")
    own = rout(rules, state, unit)
    gone = f"it {own.told}" if own else "it routs and is gone"
    result = {RALLIED: "it rallies and acts normally", ROUTED: gone}.get(fact.outcome, "it stays broken")
    dice = "a failed die" if len(fact.faces) == 1 else f"{len(fact.faces)} failed dice"
    return f"{who} has {dice} of {unit.name} rolled again: {passed} more passed, {result}.", "morale", fact.rule


def _luck(rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    return luck.quality_test(rules, state, fact)


def _admit(rules: FadRules, state: State) -> None:
    for unit in state.units.values():
        if not is_character(unit):
            continue
        figures = figures_of(state, unit) if unit.attached else own_figures(unit)
        if [figure.role for figure in figures.values()] != [CHARACTER]:
            raise RulesetError(f"{unit.name} is a character: a unit of one figure, with the role {CHARACTER!r}")
        host = state.units[unit.attached] if unit.attached else None
        if host is not None and not unit.left and not fit(rules, state, unit, host):
            raise RulesetError(f"{unit.name} cannot be attached to {host.name}: he joins squads and weapons teams")


CHARACTERS = FadModule(
    id="officers",
    traits=(CHARACTER,),
    advisers=(
        Advice(FireEffect, _effect, rank=Rank.SHOOTER),
        Advice(AssaultScore, _score),
        Advice(StrikeBonus, _strike),
        Advice(WeakestArmour, _defence),
        Advice(CommandResponse, _response),
    ),
    again=_again,
    ended=_ended,
    card=_card,
    card_tells_of=_far_away,
    rolls={AGAIN: ModuleRoll(_story, _luck)},
    inspect=_admit,
)
