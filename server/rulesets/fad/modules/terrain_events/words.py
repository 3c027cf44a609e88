"""What the log says of terrain events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.modules.terrain_events.bogging import FREE, PURPOSE
from server.rulesets.fad.modules.terrain_events.effects import COLLAPSE, FOOTING, PREDATORS, STANDS, TRAP
from server.rulesets.fad.modules.terrain_events.happening import DIE, NOTHING, TABLE
from server.rulesets.fad.previews import luck
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.words.narration import figures_text


def _name(state: State, piece: str) -> str:
    return next((one.name for one in state.table.terrain if one.id == piece), piece)


def _reached(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    piece, _, result = fact.outcome.partition(" ")
    more = "there is nothing unusual there" if result == NOTHING else "something is unusual there"
    return f"{state.units[fact.unit].name} reaches {_name(state, piece)} first: {more}.", "move", fact.rule


def _event(rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    piece, _, event = fact.outcome.partition(" ")
    row = rules.book.terrain_events[event]
    return f"{_name(state, piece)}: {row.name}. {row.text}", "move", fact.rule


def _falls(told: str) -> Callable[[FadRules, State, Rolled], tuple[str, str, str]]:
    def story(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
        text = f"{told} of {state.units[fact.unit].name}: {figures_text(int(fact.outcome))} lost."
        return text, "loss" if int(fact.outcome) else "move", fact.rule

    return story


def _unstable(_rules: FadRules, _state: State, fact: Rolled) -> tuple[str, str, str]:
    return f"{fact.outcome} is unstable: it {'falls' if fact.marks == ('kill',) else 'stands'}.", "loss", fact.rule


def _stands(_rules: FadRules, _state: State, fact: Rolled) -> tuple[str, str, str]:
    return (
        f"{fact.outcome} is strongly built: it {'stands' if fact.marks == ('pass',) else 'falls'}.",
        "loss",
        fact.rule,
    )


def _bogs(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    result = "goes on through the soft ground" if fact.outcome == FREE else "bogs down in the soft ground"
    return f"{state.units[fact.unit].name} {result}.", "move", fact.rule


ROLLS: Mapping[str, ModuleRoll[FadRules]] = {
    DIE: ModuleRoll(_reached),
    TABLE: ModuleRoll(_event),
    TRAP: ModuleRoll(_falls("Booby traps in the way")),
    FOOTING: ModuleRoll(_falls("The muck swallows some")),
    PREDATORS: ModuleRoll(_falls("Predators are after a figure")),
    COLLAPSE: ModuleRoll(_unstable),
    STANDS: ModuleRoll(_stands),
    PURPOSE: ModuleRoll(_bogs, luck.quality_test),
}
