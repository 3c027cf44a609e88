"""Checking assignments and stops on a path; a fault is a sentence that says what would be allowed."""

from __future__ import annotations

from collections import Counter

from client_protocol.choices import Assigned, AssignmentParameter, StopParameter, StopTaken


def assignment_fault(parameter: AssignmentParameter, value: Assigned) -> str | None:
    """Return what is wrong with giving `value` to the rows of `parameter`, or None."""
    rows = {row.key: row for row in parameter.rows}
    for key, option in value.given.items():
        row = rows.get(key)
        if row is None:
            asked = ", ".join(_named(row.key, row.label) for row in parameter.rows)
            return f"{parameter.label}: {key!r} is not asked for here; these are: {asked}."
        if all(one.key != option for one in row.options):
            known = option_label(parameter, option)
            what = f"{option!r}" if known == option else known
            offered = ", ".join(_named(one.key, one.label) for one in row.options)
            return f"{parameter.label}: {row.label} cannot be given {what}; it can be given: {offered}."
    given = len(value.given)
    if not parameter.least <= given <= parameter.most:
        few = str(parameter.least)
        wanted = few if parameter.least == parameter.most else f"{few} to {parameter.most}"
        return f"{parameter.label}: choose for {wanted} of {len(rows)}; you chose for {given}."
    times = Counter(value.given.values())
    for option, most in parameter.limits:
        if times[option] > most:
            label = option_label(parameter, option)
            return f"{parameter.label}: {label} can be given {most} times at most; it is given {times[option]} times."
    return None


def _named(key: str, label: str) -> str:
    """Return the label of something, with the key that names it in an answer if the label does not contain it."""
    return label if key in label.split() else f"{label} ({key})"


def option_label(parameter: AssignmentParameter, option: str) -> str:
    """Return the label of an option in the first row that has it."""
    return next((one.label for row in parameter.rows for one in row.options if one.key == option), option)


def stop_fault(parameter: StopParameter, value: StopTaken) -> str | None:
    """Return what is wrong with stopping at `value`, or None."""
    if any(first <= value.at <= last for first, last in parameter.spans):
        return None
    spans = ", ".join(
        f"{first / 10:g} %" if first == last else f"{first / 10:g} to {last / 10:g} %"
        for first, last in parameter.spans
    )
    return f"{parameter.label}: it can be at {spans} of the way, not at {value.at / 10:g} %."
