"""The luck report: what each roll of a match could be expected to give, and what it gave. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from client_protocol.luck import LuckRow
from server.kernel.facts import Fact, FiguresFell, Rolled, UnitLeft
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Stepped
from server.matches.log.timeline import Timeline
from server.work.slicing import Sliced, at_once

RECKONED_AT_ONCE = 10
"""How many steps are read between two pauses."""


def luck_report(rules: Ruleset, payloads: Sequence[bytes]) -> tuple[LuckRow, ...]:
    """Return the rolls of a match in order, on the line that was played to the end. `payloads` is the whole log."""
    timeline = Timeline(payloads[0])
    at_once(timeline.add(payloads[1:]))
    return at_once(luck_rows(timeline, rules))


def luck_by_side(rules: Ruleset, payloads: Sequence[bytes]) -> dict[str, int]:
    """Return the luck of each side over a match, in hundredths of a standard deviation. The luck of a roll is how many standard
    deviations lie between what fell and what was to be expected. `payloads` is the whole log.
    """
    sums: dict[str, float] = {}
    for luck in (row.luck for row in luck_report(rules, payloads)):
        score = (luck.fell - luck.expected) / luck.deviation if luck.deviation else 0.0
        sums[luck.side] = sums.get(luck.side, 0.0) + score
    return {side: round(100 * score) for side, score in sums.items()}


def luck_rows(timeline: Timeline, rules: Ruleset) -> Sliced[tuple[LuckRow, ...]]:
    """Return the rolls on the line that was played to the end, in order; a row for each side whose luck a roll was."""
    rows: list[LuckRow] = []
    for count, (number, stand) in enumerate(sorted(timeline.standing().items()), 1):
        added = timeline.entry(number)
        body = added.envelope.body
        if isinstance(body, Stepped):
            rows.extend(_rows(rules, number - 1, added.before, body.facts[:stand]))
        if count % RECKONED_AT_ONCE == 0:
            yield
    return tuple(rows)


def _rows(rules: Ruleset, frame: int, state: State, facts: Sequence[Fact]) -> list[LuckRow]:
    rows: list[LuckRow] = []
    fallen: Counter[str] = Counter()
    for fact in facts:
        if isinstance(fact, Rolled):
            rows.extend(_rolled(rules, frame, state, fact))
        elif isinstance(fact, FiguresFell):
            fallen[state.units[fact.unit].side] += len(fact.figures)
        elif isinstance(fact, UnitLeft):
            fallen[state.units[fact.unit].side] += state.units[fact.unit].strength
        state = fact.fold(state)
    lost = {side: count for side, count in fallen.items() if count}
    return [LuckRow(r.frame, r.turn, r.text, r.luck, r.dice, r.rule, r.target, lost) for r in rows]


def _rolled(rules: Ruleset, frame: int, state: State, fact: Rolled) -> list[LuckRow]:
    lucks = rules.luck(state, fact)
    if not lucks:
        return []
    story = rules.story(state, fact)
    text, dice = (story.text, story.dice) if story is not None else ("", ())
    return [LuckRow(frame, state.turn.number, text, luck, dice, fact.rule, fact.target) for luck in lucks]
