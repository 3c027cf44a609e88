"""Running a case: a setup, answers and scripted dice in one file (docs/cases.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.answers.check import Ask, Refusal
from server.kernel.cases.dice import CaseDice
from server.kernel.cases.expectations import Unmet, unmet_answers, unmet_facts, unmet_refusal
from server.kernel.cases.questions import Answered, answer, not_asked, open_to, picked_for, refusal_of
from server.kernel.cases.schema import (
    FORMAT,
    Case,
    CaseAnswer,
    CaseError,
    CaseQuestion,
    CaseValue,
    ExpectedFact,
    LabelledDice,
    convert,
)
from server.kernel.cases.telling import Row, facts_told, refusal_told
from server.kernel.cases.values import written
from server.kernel.dice import DiceError, Roll
from server.kernel.files import setups
from server.kernel.procedure import RollUnansweredError, Run, Step
from server.kernel.ruleset import Ruleset
from server.kernel.state import State

__all__ = ["FORMAT", "Case", "CaseAnswer", "CaseError", "CaseValue", "Resolved", "convert", "resolve", "write"]

NOTHING = Step((), ())


class Resolved(Struct, frozen=True):
    """A step of a case: the number of its answer (0: the rules began), the seat and its answer, the state before and after
    it, what happened, the open ask.

    Args:
        facts: what happened, as plain data.
        rolls: the dice that fell, with their purposes.
        refusal: why the answer was refused, so that nothing happened.
        answered: the questions asked here.
        expected, unmet: how many expectations the case has here, and those that are not met.
        wanted: the roll for which the case has no dice; the step ends in its middle.
    """

    number: int
    seat: str
    picked: Picked | None
    before: State
    after: State
    step: Step
    ask: Ask | None
    facts: tuple[Row, ...] = ()
    rolls: tuple[LabelledDice, ...] = ()
    refusal: Refusal | None = None
    answered: tuple[Answered, ...] = ()
    expected: int = 0
    unmet: tuple[Unmet, ...] = ()
    wanted: Roll | None = None


# --- running --------------------------------------------------------------------------------------------------------


def resolve(rules: Ruleset, start: State, case: Case) -> Iterator[Resolved]:
    """Run the rules from `start`, a state at a boundary, with the answers and dice of `case`, step by step.

    Raises:
        CaseError: at the first answer, question or die that does not fit, and for dice left over. A step that ends in its middle,
            and an answer that is refused without being meant to be, are given before that.
    """
    if case.programs:
        start = replace(start, desk=replace(start.desk, programs=case.programs))
    dice = CaseDice(case.dice)
    desk = _Desk(rules, Run(rules, start, dice), dice)
    yield from desk.step(0, "", None, case.expect, case.question)
    for number, one in enumerate(case.answer, 1):
        yield from desk.answer(number, one)
    try:
        dice.finish()
    except DiceError as error:
        raise CaseError(str(error)) from error


class _Desk:
    """A case that is being run."""

    def __init__(self, rules: Ruleset, run: Run, dice: CaseDice) -> None:
        self._rules = rules
        self._run = run
        self._dice = dice

    def answer(self, number: int, one: CaseAnswer) -> Iterator[Resolved]:
        """Give an answer, or only check it if its refusal is expected."""
        where, run = f"answer {number}", self._run
        asked = open_to(run, one.seat)
        if asked is None and one.refused is None:
            raise CaseError(f"{where}: {not_asked(run, one.seat)}")
        picked = Picked(one.choice) if asked is None else picked_for(asked, one.choice, one.values, where)
        refusal = refusal_of(run, one.seat, asked, picked)
        if one.refused is None and refusal is None:
            yield from self.step(number, one.seat, picked, one.expect, one.question)
            return
        unmet = () if one.refused is None else unmet_refusal(one.refused, refusal, where)
        answered, expected, more = self._ask(one.question if one.refused is not None else (), f"{where}, ")
        yield Resolved(
            number=number,
            seat=one.seat,
            picked=picked,
            before=run.state,
            after=run.state,
            step=NOTHING,
            ask=run.asked,
            refusal=refusal,
            answered=answered,
            expected=expected + (one.refused is not None),
            unmet=(*unmet, *more),
        )
        if one.refused is None and refusal is not None:
            rule = f" [{refusal.rule}]" if refusal.rule else ""
            raise CaseError(f"{where} ({one.seat}: {picked.choice}) is refused: {refusal.sentence}{rule}")

    def step(
        self,
        number: int,
        seat: str,
        picked: Picked | None,
        expect: Sequence[ExpectedFact],
        questions: Sequence[CaseQuestion],
    ) -> Iterator[Resolved]:
        """Run the rules (with `picked`; None: begin), then compare expectations, and answer questions."""
        before, run = self._run.state, self._run
        where = f"answer {number}, " if number else ""
        try:
            step = run.begin() if picked is None else run.answer(seat, picked)
        except RollUnansweredError as error:
            facts = tuple(facts_told(self._rules, before, error.step.facts))
            yield Resolved(
                number=number,
                seat=seat,
                picked=picked,
                before=before,
                after=run.state,
                step=error.step,
                ask=None,
                facts=facts,
                rolls=self._dice.fallen(),
                wanted=error.roll,
            )
            raise CaseError(f"{f'answer {number}' if number else 'before the first answer'}: {error}") from error
        facts = tuple(facts_told(self._rules, before, step.facts))
        unmet = unmet_facts(expect, step.facts, facts, where)
        answered, expected, more = self._ask(questions, where)
        yield Resolved(
            number=number,
            seat=seat,
            picked=picked,
            before=before,
            after=run.state,
            step=step,
            ask=run.asked,
            facts=facts,
            rolls=self._dice.fallen(),
            answered=answered,
            expected=len(expect) + expected,
            unmet=(*unmet, *more),
        )

    def _ask(
        self, questions: Sequence[CaseQuestion], where: str
    ) -> tuple[tuple[Answered, ...], int, tuple[Unmet, ...]]:
        """Return the answers to questions, the number of expectations, and the unmet ones."""
        found: list[Answered] = []
        unmet: list[Unmet] = []
        for number, question in enumerate(questions, 1):
            place = f"{where}question {number}"
            found.append(answer(self._run, question, place))
            unmet += unmet_answers(question.expect, found[-1].rows, place)
        return tuple(found), sum(len(question.expect) for question in questions), tuple(unmet)


# --- writing --------------------------------------------------------------------------------------------------------


def write(start: State, answers: Sequence[tuple[str, Picked]], dice: Sequence[int]) -> dict[str, object]:
    """Return a case that starts from `start` (a state at a boundary) and gives these answers and dice."""
    rows = [CaseAnswer(seat, picked.choice, tuple(map(written, picked.values))) for seat, picked in answers]
    programs = {"programs": start.desk.machines} if start.desk.machines else {}
    return {
        "format": FORMAT,
        **programs,
        "setup": setups.write(start),
        "answer": [msgspec.to_builtins(row) for row in rows],
        "dice": list(dice),
    }


# --- telling --------------------------------------------------------------------------------------------------------


def told(resolved: Resolved) -> Row:
    """Return a step as plain data: the answer, the dice, each fact with its story and its numbers line by line, the open ask;
    and, where there are any, a refusal, questions with their answers, expectations, the roll without dice.
    """
    answered = None if resolved.picked is None else {"seat": resolved.seat, **msgspec.to_builtins(resolved.picked)}
    row: Row = {
        "step": resolved.number,
        "answer": answered,
        "dice": [face for roll in resolved.rolls for face in roll.faces],
        "rolls": [msgspec.to_builtins(roll) for roll in resolved.rolls],
        "facts": list(resolved.facts),
    }
    if resolved.refusal is not None:
        row["refused"] = refusal_told(resolved.refusal)
    if resolved.answered:
        row["questions"] = [question_told(one) for one in resolved.answered]
    if resolved.expected:
        unmet = [msgspec.to_builtins(one) for one in resolved.unmet]
        row["expected"] = {"met": resolved.expected - len(unmet), "unmet": unmet}
    if resolved.wanted is not None:
        wanted = resolved.wanted
        row["wanted"] = {"for": wanted.purpose, "count": wanted.count, "sides": wanted.sides}
    return {**row, "open": open_told(resolved.ask)}


def question_told(answered: Answered) -> Row:
    """Return a question as the case has it, and its answers."""
    question = msgspec.to_builtins(answered.question)
    question.pop("expect", None)
    wrong: Row = {"problems": list(answered.problems)} if answered.problems else {}
    return {**question, "answers": list(answered.rows), **wrong}


def end_told(last: Resolved) -> Row:
    """Return the end of a case: the position as a setup, and the open ask."""
    return {"position": setups.write(last.after), "open": open_told(last.ask)}


def open_told(ask: Ask | None) -> Row:
    """Return what is asked, by seat."""
    return {} if ask is None else dict(msgspec.to_builtins(dict(ask.seats)))
