"""Quality Tests: three dice, each compared with the unit's Quality."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from client_protocol.explained import Explained, Line
from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question, total
from server.kernel.state import State
from server.rulesets.fad.game import FadGame, FadRules

AGAIN = "again"
"""The purpose of a roll in which failed dice of a test fall once more, and the outcome of the test's first roll then."""


class QualityNeed(Question, frozen=True):
    """The number that each die of `unit`'s Quality Test must reach."""

    unit: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""

    def table(state: State, question: QualityNeed) -> Iterator[Line]:
        quality = rules.quality(state.units[question.unit])
        # fad4/quality.table
        yield Line("SET", quality.need, f"{quality.name}, each die", "quality.table")

    rules.advisers.add(QualityNeed, table)


def quality_test(
    game: FadGame,
    unit: str,
    purpose: str,
    rule: str,
    outcome: Callable[[int], str],
    *,
    dice: int | None = None,
    granted: Line | None = None,
    need: Explained | None = None,
    again: Line | None = None,
) -> Steps[int]:
    """Roll `unit`'s Quality Test and return the number of passes (fad4/quality.test).

    `purpose` is the purpose of the roll, `rule` the rule that asks for it. `outcome` turns the number of passes into a key
    that the fact carries. `dice` is how many fall, if not as many as in every such test. `granted` are passes without a die,
    in the place of which no die falls. `need` is what each die must reach, if that is not the unit's own Quality. `again` is how
    many failed dice are rolled once more, each once: that is a roll of its own (purpose `again`), and the first one's outcome is
    `AGAIN` then.
    """
    need = game.rules.advisers.answer(game.state, QualityNeed(unit)) if need is None else need
    free = total([granted] if granted else [])
    dice = game.rules.book.tables.quality_test.dice if dice is None else dice
    left = dice - free.value
    faces = (yield from roll(left, purpose=purpose)) if left else ()
    # fad4/quality.test: each die that equals or exceeds the need passes
    marks = tuple("pass" if face >= need.value else "fail" for face in faces)
    passes = marks.count("pass") + free.value
    failed = min(marks.count("fail"), again.amount if again else 0)
    yield Rolled(
        purpose=purpose,
        rule=rule,
        faces=faces,
        marks=marks,
        numbers=(need, free) if granted else (need,),
        outcome=AGAIN if failed else outcome(passes),
        side=game.unit(unit).side,
        unit=unit,
    )
    if again is not None and failed:
        # fad5/adv.characters.morale-reroll
        faces = yield from roll(failed, purpose="again")
        marks = tuple("pass" if face >= need.value else "fail" for face in faces)
        passes += marks.count("pass")
        yield Rolled(
            purpose="again",
            rule=again.rule,
            faces=faces,
            marks=marks,
            numbers=(need, total([again])),
            outcome=outcome(passes),
            side=game.unit(unit).side,
            unit=unit,
        )
    return passes


def passes_text(fact: Rolled) -> str:
    """Return how many dice of a Quality Test passed, in words."""
    passes = fact.marks.count("pass") + sum(free.value for free in fact.numbers[1:])
    return "1 pass" if passes == 1 else f"{passes} passes"
