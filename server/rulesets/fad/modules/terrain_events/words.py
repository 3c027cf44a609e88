"""What the log says of terrain events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from client_protocol.luck import Luck
from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.modules.terrain_events.bogging import FREE
from server.rulesets.fad.modules.terrain_events.happening import NOTHING
from server.rulesets.fad.previews import luck
from server.rulesets.fad.setup.tables import TerrainEvents
from server.rulesets.shared.modules import ModuleRoll
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import successes
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


def _spared(least: Callable[[TerrainEvents], int]) -> Callable[[FadRules, State, Rolled], tuple[Luck, ...]]:
    """Return what counts the figures that the ground spares, for their unit; `least` says on what it takes them."""

    def counted(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
        spared = 1 - odds.at_least(least(rules.book.tables.terrain_events))
        return successes(fact, "figures spared", "pass", [spared] * len(fact.faces))

    return counted


ROLLS: Mapping[str, ModuleRoll[FadRules]] = {
    "terrain_event": ModuleRoll(_reached),
    "terrain_event_table": ModuleRoll(_event),
    "booby_trap": ModuleRoll(_falls("Booby traps in the way"), _spared(lambda table: table.trap_on)),
    "footing": ModuleRoll(_falls("The muck swallows some"), _spared(lambda table: table.footing_on)),
    "predators": ModuleRoll(_falls("Predators are after a figure"), _spared(lambda table: table.predators_on)),
    "unstable": ModuleRoll(_unstable),
    "strongly_built": ModuleRoll(_stands),
    "bogging": ModuleRoll(_bogs, luck.quality_test),
}
