"""An edition plays modules that its family has, and those that a match chooses have an option."""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.rulesets.shared.rules import Rules
from server.rulesets.shared.setup.book import Book, Edition
from server.rulesets.shared.setup.options import OptionRow
from server.rulesets.shared.setup.rows import Row

NIGHT = OptionRow("night", "Night", "off")
EDITION = Edition("moon", "Moon", 1, {})


class MoonRules(Rules[Book]):
    modules = ("night", "dust")


def moon(modules: dict[str, Literal["always", "option"]], *options: OptionRow) -> MoonRules:
    """The rules of an edition that plays these modules."""
    own = replace(EDITION, modules=modules, option=options)
    return MoonRules(Book(edition=own, palette={}, covers={}, traits={}, tables=Row(), reference=()))


def test_the_modules_of_the_family_can_be_played() -> None:
    assert moon({"night": "option", "dust": "always"}, NIGHT).book.edition.modules == {
        "night": "option",
        "dust": "always",
    }


@pytest.mark.parametrize(
    ("modules", "sentence"),
    [
        ({"nihgt": "option"}, "moon plays 'nihgt', which is not one of the family's modules: night, dust"),
        ({"dust": "option"}, "moon lets a match choose 'dust', and has no option of that name"),
    ],
)
def test_other_modules_and_modules_without_their_option_are_refused(
    modules: dict[str, Literal["always", "option"]], sentence: str
) -> None:
    with pytest.raises(RulesetError, match=sentence):
        moon(modules, NIGHT)
