"""The steps after a battle, in their order: what is due, and what an answer or dice lead to (fad5/campaign.scope).

A league holds a `PostBattle`, asks `due` for what comes next, gives `rolled` the faces or `answered` the owner's answer, stores
the facts that come out and folds them. Steps in which there is nothing to decide pass by themselves, so that `due` is always
dice, a prompt, or None: then the next match can be played with `force_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from client_protocol.campaigns import Buy, CampaignChoice, CampaignDue, FormSquad, GoOn, Share
from server.kernel.campaigns.facts import AnyFact, StepBegan, StepsDone, StruckOff, fold
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster
from server.kernel.campaigns.state import PostBattle, Step
from server.rulesets.fad.campaign import purchases, reinforcing, rolls
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.shared.campaigns.steps import passed


def after_battle(own: Terms, roster: Roster, outcomes: Sequence[UnitOutcome]) -> tuple[AnyFact, ...]:
    """Return the facts with which the steps after a battle begin; they are folded into `PostBattle(roster)`.

    Args:
        own: the terms of the campaign.
        roster: the roster, as it was when the battle began.
        outcomes: what the battle did to the force that `force_of` gave for it (see `outcome.outcome`).

    Raises:
        ValueError: the outcomes are not those of that force.
    """
    return (rolls.battle_fought(own, roster, outcomes),)


def due(own: Terms, state: PostBattle) -> CampaignDue | None:
    """Return what comes next: dice, a prompt to the owner, or None if the steps are done."""
    match state.step:
        case "dice":
            return rolls.dice(own, state)
        case "more_dice":
            return purchases.more_dice_prompt(own, state)
        case "squad":
            return reinforcing.squad_prompt(own, state)
        case "share":
            return reinforcing.share_prompt(own, state)
        case "spend":
            return purchases.spend_prompt(own, state)
        case "rest":
            return None


def rolled(own: Terms, state: PostBattle, faces: Sequence[int]) -> tuple[AnyFact, ...]:
    """Return the facts to which the dice that are due lead.

    Args:
        own: the terms of the campaign.
        state: the force, with dice due.
        faces: the faces of the dice, as many as are due.

    Raises:
        ValueError: no dice are due, or not so many.
    """
    if state.step != "dice":
        raise ValueError("No dice are due.")
    return passed(state, rolls.facts_of(own, state, faces), lambda after: _of_itself(own, after))


def check(own: Terms, state: PostBattle, answer: CampaignChoice) -> str:
    """Return why an answer is not legal now, as a sentence; "" if it is."""
    match (state.step, answer):
        case (("more_dice" | "spend"), GoOn()):
            return ""
        case (("more_dice" | "spend"), Buy()):
            return purchases.barred(own, state, answer)
        case ("squad", FormSquad()):
            return reinforcing.squad_barred(own, state, answer)
        case ("share", Share()):
            return reinforcing.share_barred(state, answer)
        case _:
            return "Something else is asked now."


def answered(own: Terms, state: PostBattle, answer: CampaignChoice) -> tuple[AnyFact, ...]:
    """Return the facts to which a legal answer leads.

    Args:
        own: the terms of the campaign.
        state: the force, with a prompt due.
        answer: the owner's answer.

    Raises:
        ValueError: the answer is not legal. The text says why.
    """
    why = check(own, state, answer)
    if why:
        raise ValueError(why)
    return passed(state, tuple(_facts(own, state, answer)), lambda after: _of_itself(own, after))


def _facts(own: Terms, state: PostBattle, answer: CampaignChoice) -> Iterator[AnyFact]:
    match answer:
        case Buy():
            yield from purchases.bought(own, state, answer)
        case FormSquad(figures=figures):
            if figures:
                yield reinforcing.squad_formed(own, state, figures)
            yield StepBegan(step="share")
        case Share():
            yield from reinforcing.shared(own, state, answer)
            yield from _emptied(own, fold(state, *reinforcing.shared(own, state, answer)))
            yield StepBegan(step="spend")
        case GoOn():
            if state.step == "more_dice":
                yield StepBegan(step="squad")
            else:
                yield from _done(own, state)


def _of_itself(own: Terms, state: PostBattle) -> Iterator[AnyFact]:
    """Yield the facts of a step that passes without dice or a decision; none if it needs one."""
    if state.step == "rest" or _OPEN[state.step](own, state):
        return
    if state.step in _NEXT:
        yield StepBegan(step=_NEXT[state.step])
    elif state.step == "share":
        yield from _facts(own, state, Share())
    else:
        yield from _done(own, state)


_NEXT: Mapping[Step, Step] = {"dice": "more_dice", "more_dice": "squad", "squad": "share"}
"""The steps that follow those in which nothing happened."""
_OPEN: Mapping[Step, Callable[[Terms, PostBattle], bool]] = {
    "dice": lambda _own, state: bool(state.queue),
    "more_dice": lambda own, state: state.roster.points >= own.table.prices["reinforcement_die"],
    "squad": lambda own, state: bool(reinforcing.sizes(own, state)),
    "share": lambda _own, state: bool(state.troopers and reinforcing.gaps(state)),
    "spend": lambda own, state: bool(purchases.offers(own, state)),
}
"""Whether there is something to roll or to decide in a step."""


def _emptied(own: Terms, state: PostBattle) -> Iterator[AnyFact]:
    """Yield the units on foot that still have no figure when the reinforcements have been shared out: they are struck off
    (fad5/campaign.infantry-replacements).
    """
    for number in state.roster.there:
        unit = state.unit(number)
        if not unit.vehicle and not unit.lone and not unit.strength:
            yield StruckOff(rule=own.rule(rolls.INFANTRY), unit=number)


def _done(own: Terms, state: PostBattle) -> Iterator[AnyFact]:
    """Yield the facts with which the steps end: lone figures and vehicles that have not come back are struck off."""
    for number in state.roster.there:
        unit = state.unit(number)
        if not unit.strength:
            rule = rolls.VEHICLES if unit.vehicle else rolls.LONE
            yield StruckOff(rule=own.rule(rule), unit=number)
    kept = state.roster.points if own.settings.bank_points else 0
    yield StepsDone(rule=own.rule(rolls.EXPERIENCE), points=kept)
