"""Options: the settings of an edition that are chosen when a match is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from client_protocol.from_server import OptionChoice, OptionInfo
from client_protocol.shapes import OptionValue
from server.kernel.errors import RulesetError
from server.rulesets.shared.setup.rows import Row


class OptionValueRow(Row, frozen=True):
    """One value of an option."""

    value: OptionValue
    title: str
    consequence: str


class OptionRow(Row, frozen=True):
    """An option of an edition: a list of values, or a range of whole numbers."""

    id: str
    title: str
    default: OptionValue
    choice: tuple[OptionValueRow, ...] = ()
    minimum: int = 0
    maximum: int = 0
    consequence: str = ""
    rule: str = ""

    def allows(self, value: OptionValue) -> bool:
        """Return whether the option may have this value."""
        if self.choice:
            return any(type(c.value) is type(value) and c.value == value for c in self.choice)
        return isinstance(value, int) and not isinstance(value, bool) and self.minimum <= value <= self.maximum


def settle(edition: str, options: Iterable[OptionRow], *chosen: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return the value of every option: the last one that `chosen` gives, else the default.

    Args:
        edition: the edition's name, for sentences.
        options: the edition's options.
        chosen: values by option, the weakest first (a scenario's) and the strongest last (the players').

    Raises:
        RulesetError: an option does not exist, or cannot have the value.
    """
    rows = {row.id: row for row in options}
    settled = {row.id: row.default for row in rows.values()}
    for values in chosen:
        for key, value in values.items():
            if key not in rows:
                raise RulesetError(f"{edition} has no option {key!r}; it has {', '.join(rows)}")
            if not rows[key].allows(value):
                raise RulesetError(f"the option {key!r} cannot be {value!r}")
            settled[key] = value
    return settled


def option_infos(options: Iterable[OptionRow], groups: Mapping[str, Sequence[str]]) -> tuple[OptionInfo, ...]:
    """Return options as a start page shows them: group by group, and those of no group last.

    Args:
        options: the edition's options.
        groups: the options of each group, by its heading.

    Raises:
        RulesetError: a group names an option that does not exist, or that stands in another group.
    """
    rows = {row.id: row for row in options}
    grouped = []
    for heading, members in groups.items():
        for option in members:
            row = rows.pop(option, None)
            if row is None:
                raise RulesetError(f"the options {heading!r} name {option!r}, which is no option or in another group")
            grouped.append(_info(row, heading))
    return (*grouped, *(_info(row, "") for row in rows.values()))


def _info(row: OptionRow, group: str) -> OptionInfo:
    if row.choice:
        choices = tuple(OptionChoice(c.value, f"{c.title} – {c.consequence}") for c in row.choice)
    else:
        values = range(row.minimum, row.maximum + 1)
        choices = tuple(OptionChoice(value, f"{value} – {row.consequence}") for value in values)
    return OptionInfo(row.id, row.title, choices, row.default, row.rule, group)
