"""The scenarios of an edition: the setups that come with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable

from client_protocol.from_server import Balance, ScenarioInfo
from client_protocol.shapes import OptionValue
from server.kernel.files import setups
from server.rulesets.shared.setup.options import OptionRow
from server.rulesets.shared.setup.rows import read


def read_scenarios(folder: Traversable) -> dict[str, setups.Setup]:
    """Return the setups in the TOML files of `folder`, by id, the shortest game first; none if there is no such folder.

    Raises `RulesetError` if one cannot be read.
    """
    if not folder.is_dir():
        return {}
    found = [setups.convert(read(path)) for path in folder.iterdir() if path.name.endswith(".toml")]
    return {setup.id: setup for setup in sorted(found, key=lambda setup: (setup.minutes, setup.id))}


def defaults_of(setup: setups.Setup, options: Iterable[OptionRow]) -> dict[str, OptionValue]:
    """Return the options that a setup sets, among them its turn limit and its way of deploying, which stand elsewhere in it."""
    known = {row.id for row in options}
    own: dict[str, OptionValue] = {key: value for key, value in setup.options.items() if key in known}
    if "turn_limit" in known and "turn_limit" in setup.victory:
        own["turn_limit"] = setup.victory["turn_limit"]
    if "deployment" in known and "mode" in setup.deployment:
        own["deployment"] = setup.deployment["mode"]
    return own


def scenario_info(
    setup: setups.Setup, defaults: Mapping[str, OptionValue], balance: Balance | None = None
) -> ScenarioInfo:
    """Return a scenario as a start page shows it."""
    return ScenarioInfo(
        id=setup.id,
        name=setup.name,
        summary=setup.summary,
        minutes=setup.minutes,
        seats=tuple((side.id, side.name) for side in setup.side),
        defaults=dict(defaults),
        balance=balance,
    )
