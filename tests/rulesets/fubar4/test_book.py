"""What the tables of the data name by its id is there."""

from __future__ import annotations

import pytest
from msgspec.structs import fields, replace

from server.kernel.errors import RulesetError
from server.rulesets.fubar.setup.book import check_names
from tests.rulesets.fubar4.battlefield import fubar4

FORM = [field.name for field in fields(fubar4().book.tables.form)]


@pytest.mark.parametrize("key", FORM)
def test_a_new_row_of_the_force_editor_has_what_there_is(key: str) -> None:
    book = fubar4().book
    wrong = replace(book.tables, form=replace(book.tables.form, **{key: "cardboard"}))
    with pytest.raises(RulesetError, match="the table form names 'cardboard', which is not one of "):
        check_names(replace(book, tables=wrong))


@pytest.mark.parametrize("key", ["tank_armour", "cannon_armour"])
def test_the_armours_of_tanks_are_armours_of_vehicles(key: str) -> None:
    book = fubar4().book
    wrong = replace(book.tables, vehicles=replace(book.tables.vehicles, **{key: ("heavy", "battlesuit")}))
    with pytest.raises(RulesetError, match="the table vehicles names 'battlesuit', which is not one of none, light"):
        check_names(replace(book, tables=wrong))
