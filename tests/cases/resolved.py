"""Cases of rules: tests/cases/<edition>/<rule id>.toml is a case (docs/setups.md), <rule id>.txt beside it what comes of it.

There is one for each rule that no random game is sure to touch, and for those that leave no trace of their id in a game (that a
6 succeeds, that suppressed figures do not fire): its text shows what the rule does. `python -m tests.cases --write` writes the
texts anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from server.kernel import cases, setups
from server.rulesets.library import edition, editions
from tests.playthroughs.telling import Teller, answered, roster, the_end

FOLDER = Path(__file__).parent


def names(name: str) -> list[str]:
    """The rules of an edition that there is a case of."""
    return sorted(path.stem for path in (FOLDER / name).glob("*.toml"))


CASES = [f"{name}/{rule}" for name in editions() for rule in names(name)]


def path(case: str) -> Path:
    """Where the text of a case stands."""
    return FOLDER / f"{case}.txt"


def text(case: str) -> str:
    """What comes of a case: what it is about, who stands where with what, and step by step what is answered and what follows."""
    return "\n".join(_lines(case)) + "\n"


def _lines(case: str) -> Iterator[str]:
    file = FOLDER / f"{case}.toml"
    read = cases.convert(setups.parse(file.read_text(encoding="utf-8")))
    rules = edition(case.partition("/")[0])
    setup = cases.setup_of(read, lambda name: (file.parent / name).read_text(encoding="utf-8"))
    start = rules.read(setup)
    assert start.edition == rules.info.id, "a case lies in the folder of its edition"
    teller, ask, state = Teller(rules, start), None, start
    yield read.about.strip()
    yield from roster(rules, start)
    for number, resolved in enumerate(cases.resolve(rules, start, read.answer, read.dice)):
        yield ""
        if resolved.picked is None or ask is None:
            yield "=== 0 · the rules begin"
        else:
            asked = ask.seats[resolved.seat]
            yield f"=== {number} · {resolved.seat}: {asked.title}"
            yield f"    > {answered(resolved.before, asked, resolved.picked)}"
        state, ask = resolved.before, resolved.ask
        for fact in resolved.step.facts:
            state = fact.fold(state)
        yield from teller.step(resolved.before, resolved.step, state, ask)
    yield from the_end(state)


def reached(name: str) -> set[str]:
    """The rules of an edition that its cases reach: those they are named after, and those that come up once the rules begin."""
    found = set(names(name))
    for rule in names(name):
        _, _, played = path(f"{name}/{rule}").read_text(encoding="utf-8").partition("===")
        found |= set(re.findall(r"\[([a-z]+\.[a-z0-9-]+)\]", played))
    return found
