"""Exporting a step as a case: the last boundary before it as a setup, the answers since, the dice that fell. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from client_protocol.choices import Picked
from server.kernel.belief import EVERYTHING, Audience, believed
from server.kernel.cases import resolving
from server.kernel.cases.setups import setup_of
from server.kernel.cases.telling import Row
from server.kernel.desk_facts import ForceBrought, StandingOrder
from server.kernel.errors import RulesetError
from server.kernel.facts import AnswerSealed
from server.kernel.files import setups
from server.kernel.procedure import Happened
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Stepped, decode
from server.matches.log.fold import Fold
from server.matches.log.forms import Form
from server.matches.play.moments import may_hide, moment

HIDDEN = (
    "Something may be hidden from you in that step, and the match is not over: you can save it as a case when it is."
)
DESK = "That step depends on standing orders, or on forces that players brought; a case can have neither."
OTHERWISE = "The rules of this server play that step differently, so a case of it would not show what happened."


def step_as_case(rules: Ruleset, payloads: Sequence[bytes], view: Audience, frame: int) -> Row | str:
    """Return the last step up to a frame as a case file, or why it cannot be one. The case was run, and gives that step.

    Of a match that is not over, only a step from which nothing is hidden can be exported; as with a fork, that is decided
    from public knowledge alone.

    Args:
        rules: the edition.
        payloads: the whole log.
        view: a seat, the spectators, or `belief.EVERYTHING`.
        frame: of that audience's sequence, 0 for the beginning.
    """
    found = moment(payloads, view, frame)
    if found is None:
        return "There is no such moment in that match."
    fold, over = found
    if not over and view == EVERYTHING:
        return HIDDEN
    last = _last_step(payloads, fold.number, fold.form)
    if last is None:
        return "There is no step of the rules up to that moment: choose a later one."
    number, step = last
    before = Fold(payloads[0])
    for payload in payloads[1 : number - 1]:
        before.add(payload)
    if not over and (_hides(step, rules) or any(may_hide(one, view, orders=False) for one in (before, fold))):
        return HIDDEN
    facts = [fact for happened in before.since if happened.aside for fact in happened.facts]
    desk = before.boundary.desk
    if desk.orders or desk.forces or any(isinstance(fact, StandingOrder | ForceBrought) for fact in facts):
        return DESK
    boundary = before.boundary if over else believed(before.boundary, view)
    every: list[Happened | Stepped] = [*(happened for happened in before.since if not happened.aside), step]
    answers = [(one.seat, one.picked) for one in every if one.picked is not None]
    dice = [face for one in every for taken in one.rolls for face in taken.faces]
    return _checked(rules, resolving.write(boundary, answers, dice), step)


def _last_step(payloads: Sequence[bytes], number: int, form: Form) -> tuple[int, Stepped] | None:
    """Return the last step on the line that leads to an entry, and its number. Sealed answers are not counted."""
    while number > 1:
        envelope = decode(number, payloads[number - 1], form)
        if isinstance(envelope.body, Stepped) and not envelope.body.sealing:
            return number, envelope.body
        number = envelope.parent
    return None


def _hides(step: Stepped, rules: Ruleset) -> bool:
    """Return whether a step itself may hold a secret (see `moments.may_hide`), or whether refusing it would reveal that an
    order was given.
    """
    return (
        bool(rules.orders)
        or any(isinstance(fact, AnswerSealed) for fact in step.facts)
        or any(taken.stream for taken in step.rolls)
    )


def _checked(rules: Ruleset, written: Row, step: Stepped) -> Row | str:
    """Return the case, its dice labelled with their purposes, if it gives this step; otherwise why not."""
    case = resolving.convert(written)
    try:
        resolved = list(resolving.resolve(rules, rules.read(setup_of(case, str)), case))
    except RulesetError:
        return OTHERWISE
    last = resolved[-1]
    if (last.step.facts, last.picked or Picked("")) != (tuple(step.facts), step.picked or Picked("")):
        return OTHERWISE
    about = f"{last.before.title}, turn {last.before.turn.number}: a step of a match."
    dice = [msgspec.to_builtins(roll) for one in resolved for roll in one.rolls]
    return {"format": written["format"], "about": about, **written, "dice": dice}


def text_of(case: Row) -> str:
    """Return the text of a case's file."""
    return setups.dump(case)
