"""Positions set up by players: a setup file as a picture, and as the beginning of a match."""

from __future__ import annotations

import logging
from collections.abc import Callable

from client_protocol.from_server import SetupChecked
from server.kernel.dice import DerivedDice
from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.kernel.procedure import EndlessRunError, Run
from server.kernel.ruleset import Ruleset
from server.kernel.state import OVER, State
from server.kernel.views import DeskView, Renderer, table_view

log = logging.getLogger("underfire.positions")

LARGEST = 256 * 1024
"""The most bytes of a setup file: a usual one has some ten thousand."""

LONGEST = 600
"""The most characters of a sentence about a file."""

RulesOf = Callable[[str], Ruleset]
"""Returns the rules of an edition. Raises `RulesetError` if this server does not have it."""


def check_setup(rules_of: RulesOf, id_: str, data: bytes) -> SetupChecked:
    """Return the position that the setup file `data` describes, drawn as a match's would be; or why it describes none."""
    try:
        rules, state = _read(rules_of, data)
        view = Renderer(rules).view(state, DeskView())
    except RulesetError as error:
        return SetupChecked(id_, problem=_sentence(error))
    table = table_view(state.table, dict(rules.cover_names()))
    return SetupChecked(id_, "", state.edition, view, table, rules.words)


def open_position(rules_of: RulesOf, data: bytes) -> State | str:
    """Return the state in which a match from the setup file `data` begins; or, in a sentence, why none can."""
    try:
        rules, state = _read(rules_of, data)
        # Everything that its table would show must be renderable.
        Renderer(rules).view(state, DeskView())
    except RulesetError as error:
        return _sentence(error)
    return _unplayable(rules, state) or state


def _read(rules_of: RulesOf, data: bytes) -> tuple[Ruleset, State]:
    if len(data) > LARGEST:
        raise RulesetError(f"the file has {len(data)} bytes; a setup may have {LARGEST}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RulesetError("the file is not a text in UTF-8") from None
    mapping = setups.parse(text)
    edition = mapping.get("edition")
    if not isinstance(edition, str):
        raise RulesetError("the setup does not say by which edition it is played")
    rules = rules_of(edition)
    return rules, rules.read(mapping)


def _unplayable(rules: Ruleset, state: State) -> str:
    """Return why a match cannot begin there, in a sentence; "" if it can."""
    if state.result is not None or state.turn.phase == OVER:
        return "The match in this position is over: choose another phase, without a result."
    alive = {unit.side for unit in state.units.values() if not unit.left and unit.strength}
    if len(alive) < 2:
        without = " and ".join(side.name for side in state.sides.values() if side.id not in alive)
        return f"A match needs units in the game on two sides at least: there are none of {without}."
    # These dice are used only here: the match that is made has its own.
    run = Run(rules, state, DerivedDice(b"", "a trial", {}))
    try:
        run.begin()
    except EndlessRunError as error:
        return f"The game cannot be played from this position: {error}."
    except Exception:  # what the rules do with a position that they did not lead to cannot be predicted
        log.exception("the rules cannot begin in a position")
        return "The rules cannot go on from this position. Save it to a file and report it, please."
    if run.state.result is not None:
        return f"The match would be over at once: {run.state.result.reason}"
    return "" if run.asked is not None else "No seat would have anything to decide in this position."


def _sentence(error: RulesetError) -> str:
    """Return what is wrong, as a sentence."""
    text = str(error)
    # It may quote the file.
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} ..."
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
