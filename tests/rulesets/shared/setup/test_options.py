"""Options as a start page shows them: below their headings."""

from __future__ import annotations

import pytest

from server.kernel.errors import RulesetError
from server.rulesets.library import edition, every_edition
from server.rulesets.shared.setup.options import OptionRow, option_infos

MOON, STARS, RAIN = (OptionRow(key, key.title(), 1, maximum=2) for key in ("moon", "stars", "rain"))


def test_options_stand_below_their_headings_and_those_without_one_last() -> None:
    shown = option_infos([RAIN, STARS, MOON], {"Night": ("moon", "stars")})
    assert [(option.group, option.id) for option in shown] == [("Night", "moon"), ("Night", "stars"), ("", "rain")]


@pytest.mark.parametrize("groups", [{"Night": ("sun",)}, {"Night": ("moon",), "Day": ("moon",)}])
def test_a_heading_cannot_name_what_is_no_option_or_is_named_twice(groups: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(RulesetError, match="which is no option or in another group"):
        option_infos([MOON, STARS], groups)


@pytest.mark.parametrize("name", every_edition())
def test_every_option_of_an_edition_has_a_heading_with_others(name: str) -> None:
    groups = [option.group for option in edition(name).info.options]
    assert "" not in groups, "say in [option_groups] where it stands"
    assert min(map(groups.count, groups)) > 1
