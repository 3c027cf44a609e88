"""Cases of rules: tests/cases/<edition>/<rule id>.toml is a case (docs/cases.md), <rule id>.txt next to it is its result.
A case names one of the setups in tests/cases/<edition>/setups, and says what it has otherwise.

There is one for each rule that no random game is sure to touch, and for those that leave no trace of their id in a game (that a
6 succeeds, that suppressed figures do not fire): its text shows what the rule does. `python -m tests.cases --write` writes the
texts anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from server.commands.simulate import rules_told
from server.kernel.cases import resolving
from server.kernel.cases.schema import Case
from server.kernel.cases.setups import setup_of
from server.kernel.files import setups
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.rulesets.library import edition, every_edition
from tests.cases.questions import question_lines
from tests.playthroughs.telling import Teller, answered, roster, the_end

FOLDER = Path(__file__).parent


def names(name: str) -> list[str]:
    """The rules of an edition that there is a case of."""
    return sorted(path.stem for path in (FOLDER / name).glob("*.toml"))


CASES = [f"{name}/{rule}" for name in every_edition() for rule in names(name)]


def path(case: str) -> Path:
    """Where the text of a case stands."""
    return FOLDER / f"{case}.txt"


def text(case: str) -> str:
    """What comes of a case: what it is about, who stands where with what, and step by step what is answered, what follows,
    and what the rules say when they are asked. Raises `AssertionError` when it does not come as the case expects.
    """
    read, rules, start = _read(case)
    return "\n".join(lines(rules, start, read)) + "\n"


def _read(case: str) -> tuple[Case, Ruleset, State]:
    """A case, the rules that it is about, and where it begins."""
    read = load(case)
    rules = edition(case.partition("/")[0])
    start = rules.read(setup_of(read, neighbour_of(case)))
    assert start.edition == rules.info.id, "a case lies in the folder of its edition"
    return read, rules, start


def neighbour_of(case: str) -> Callable[[str], str]:
    """Return what reads a file that a case names: it lies next to the case."""
    return lambda name: (FOLDER / case).parent.joinpath(name).read_text(encoding="utf-8")


def load(case: str) -> Case:
    """A case, read from its file."""
    return resolving.convert(setups.parse((FOLDER / f"{case}.toml").read_text(encoding="utf-8")))


def expectations(case: Case) -> int:
    """How much a case expects: facts, answers to questions, refusals."""
    steps = [*case.expect, *(one for answer in case.answer for one in answer.expect)]
    questions = [*case.question, *(one for answer in case.answer for one in answer.question)]
    refused = [answer for answer in case.answer if answer.refused is not None]
    return len(steps) + len(refused) + sum(len(question.expect) for question in questions)


def lines(rules: Ruleset, start: State, read: Case) -> Iterator[str]:
    """The lines of `text`."""
    teller, ask, state = Teller(rules, start), None, start
    yield read.about.strip()
    yield from roster(rules, start)
    unmet: list[str] = []
    for resolved in resolving.resolve(rules, start, read):
        yield ""
        if resolved.picked is None or ask is None:
            yield "=== 0 · the rules begin"
        else:
            asked = ask.seats[resolved.seat]
            yield f"=== {resolved.number} · {resolved.seat}: {asked.title}"
            yield f"    > {answered(resolved.before, asked, resolved.picked)}"
        state, ask = resolved.after, resolved.ask
        if resolved.refusal is not None:
            yield f"    Refused: {resolved.refusal.sentence} [{resolved.refusal.rule}]"
        else:
            yield from teller.step(resolved.before, resolved.step, state, ask)
        yield from question_lines(resolved)
        unmet += [one.sentence for one in resolved.unmet]
    assert not unmet, "\n".join(unmet)
    yield from the_end(state)


def steps(case: str, rules: Ruleset | None = None) -> Iterator[resolving.Resolved]:
    """The steps of a case, by the edition's rules unless others are given."""
    read, own, start = _read(case)
    yield from resolving.resolve(rules or own, start, read)


def reached(name: str) -> set[str]:
    """The rules of an edition that its cases reach: those that a fact names. What a case is called after reaches nothing."""
    every = (step for rule in names(name) for step in steps(f"{name}/{rule}"))
    return {rule for resolved in every for rule in rules_told(resolved.step.facts)}
