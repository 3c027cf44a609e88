"""Taking seats with forces: cleaning a force's names, checking it against the rules, and putting it on the desk. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from client_protocol.forces import Force
from client_protocol.from_client import MakeMatch
from client_protocol.from_server import Refused
from client_protocol.shapes import OptionValue
from server.kernel.desk_facts import DeskFact, ForceBrought, SeatTaken
from server.kernel.errors import RulesetError
from server.kernel.files.forces import examine, sentence
from server.kernel.ruleset import Ruleset
from server.kernel.state import Brought, State
from server.matches.log.entries import Aside
from server.matches.log.names import tidy
from server.matches.log.secrets import Claim

HIDDEN = "hidden_forces"
"""The option, in editions that have it, by which forces that players bring are hidden until they are on the roster, and what
sides have off the table until it is used first.
"""
MOST_REASONS = 3
"""How many of a force's problems a refusal names."""


def settled(rules: Ruleset, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return every option of the edition: its value in `options`, or its default.

    Raises:
        RulesetError: an option does not exist, or cannot have this value.
    """
    known = {option.id: option for option in rules.info.options}
    for key, value in options.items():
        if key not in known:
            raise RulesetError(f"{rules.info.name} has no option {key!r}")
        if not any(type(c.value) is type(value) and c.value == value for c in known[key].choices):
            raise RulesetError(f"the option {key!r} cannot be {value!r}")
    return {key: options.get(key, option.default) for key, option in known.items()}


def tidied(force: Force) -> Force:
    """Return `force` with cleaned names: see `names.tidy`."""
    units = tuple(replace(unit, name=tidy(unit.name)) for unit in force.units)
    return replace(force, name=tidy(force.name), about=tidy(force.about), units=units)


def refusal(id_: str, rules: Ruleset, force: Force, options: Mapping[str, OptionValue]) -> Refused | None:
    """Return why the message `id_` cannot bring the cleaned `force` to a match with these options; None if it can."""
    if not force.name or not all(unit.name for unit in force.units):
        return Refused(id_, "force", "This force cannot be brought: a name in it is empty.")
    try:
        problems = examine(rules, force, options).problems
    except RulesetError as error:
        return Refused(id_, "force", f"This force cannot be brought: {error}.")
    if not problems:
        return None
    reasons = [sentence(rules.force_form, force, problem) for problem in problems[:MOST_REASONS]]
    more = len(problems) - len(reasons)
    if more:
        reasons.append(f"And {more} more.")
    return Refused(id_, "force", " ".join(("This force cannot be brought.", *reasons)), problems[0].rule)


def brought(force: Force, options: Mapping[str, OptionValue]) -> Brought:
    """Return `force` as it lies on the desk of a match with these options."""
    return Brought(force, options.get(HIDDEN) is True)


def with_maker(message: MakeMatch, rules: Ruleset, options: Mapping[str, OptionValue]) -> dict[str, Brought] | Refused:
    """Return the forces, by seat, that the maker of a match brings, or a refusal."""
    if not set(message.forces) <= set(message.mine):
        return Refused(
            message.id, "force", "When you make a match, you can bring forces only to the seats that you take."
        )
    forces = {seat: tidied(force) for seat, force in message.forces.items()}
    refusals = (refusal(message.id, rules, force, options) for force in forces.values())
    refused = next((found for found in refusals if found is not None), None)
    return refused or {seat: brought(force, options) for seat, force in forces.items()}


def too_late(id_: str) -> Refused:
    """Return why the message `id_` gets no seat of a match that is over: its players are those who played it."""
    return Refused(
        id_, "match_not_running", "This match is over: its seats are those of its players. You can still watch it."
    )


def seated(seat: str, claim: Claim, state: State) -> Aside:
    """Return the entry by which the player who claimed `seat` takes it, with the force that they brought."""
    facts: list[DeskFact] = [SeatTaken(seat, claim.name)]
    if claim.force is not None:
        facts.append(ForceBrought(seat, claim.force, brought(claim.force, state.options).hidden))
    # Where another server continues the match, all players take their seats once more.
    again = f":{state.desk.commitment}" if state.desk.commitment else ""
    return Aside(tuple(facts), seat, f"{seat}:sit{again}")
