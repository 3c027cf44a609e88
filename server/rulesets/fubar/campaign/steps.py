"""The steps after a battle, in their order: the dice for the units, campaign points, and what they buy.

A step in which there is nothing to decide passes without an answer, so that `due` is always dice, a prompt, or None: then the
next match can be played with `force_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client_protocol.campaigns import Buy, CampaignChoice, CampaignDue, GoOn
from server.kernel.campaigns.facts import AnyFact, PointsGained, StepBegan, StepsDone, StruckOff
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fubar.campaign import purchases, rolls
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.shared.campaigns.steps import passed


def after_battle(own: Terms, roster: Roster, outcomes: Sequence[UnitOutcome]) -> tuple[AnyFact, ...]:
    """Return the facts with which the steps after a battle begin; they are folded into `PostBattle(roster)`.

    Raises:
        ValueError: the outcomes are not those of the force that `force_of` gave for the roster.
    """
    return _passed(own, PostBattle(roster), (rolls.battle_fought(own, roster, outcomes),))


def due(own: Terms, state: PostBattle) -> CampaignDue | None:
    """Return what comes next: dice, a prompt to the owner, or None if the steps are done."""
    match state.step:
        case "dice":
            return rolls.dice(own, state)
        case "spend":
            return purchases.spend_prompt(own, state)
        case _:
            return None


def rolled(own: Terms, state: PostBattle, faces: Sequence[int]) -> tuple[AnyFact, ...]:
    """Return the facts to which the dice that are due lead. Raises `ValueError`: no dice are due, or not so many."""
    if state.step != "dice":
        raise ValueError("No dice are due.")
    return _passed(own, state, rolls.facts_of(own, state, faces))


def check(own: Terms, state: PostBattle, answer: CampaignChoice) -> str:
    """Return why an answer is not legal now, as a sentence; "" if it is."""
    match (state.step, answer):
        case ("spend", GoOn()):
            return ""
        case ("spend", Buy()):
            return purchases.barred(own, state, answer)
        case _:
            return "Something else is asked now."


def answered(own: Terms, state: PostBattle, answer: CampaignChoice) -> tuple[AnyFact, ...]:
    """Return the facts to which a legal answer leads. Raises `ValueError`: the answer is not legal; the text says why."""
    why = check(own, state, answer)
    if why:
        raise ValueError(why)
    facts = purchases.bought(own, state, answer) if isinstance(answer, Buy) else _done(own, state)
    return _passed(own, state, tuple(facts))


def _passed(own: Terms, state: PostBattle, facts: tuple[AnyFact, ...]) -> tuple[AnyFact, ...]:
    return passed(state, facts, lambda after: _undecided(own, after))


def _undecided(own: Terms, state: PostBattle) -> Iterator[AnyFact]:
    """Yield the facts of a step that passes without dice or a decision; none if it needs one."""
    if state.step == "dice" and not state.queue:
        # Win or lose: both forces of a match gain the same.
        yield PointsGained(points=own.table.points)
        yield StepBegan(step="spend")
    elif state.step == "spend" and not purchases.offers(own, state):
        yield from _done(own, state)


def _done(own: Terms, state: PostBattle) -> Iterator[AnyFact]:
    """Yield the facts with which the steps end: units that have no figure left and vehicles that are lost are struck off."""
    for number in state.roster.there:
        if not state.unit(number).strength:
            yield StruckOff(unit=number)
    yield StepsDone(points=state.roster.points if own.settings.bank_points else 0)
