"""An edition's tables are laid over its family's key by key, and come out typed; what is wrong is said with its place."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from server.kernel.errors import RulesetError
from server.rulesets.shared.setup.laid import tables
from server.rulesets.shared.setup.rows import Row


class Walking(Row, frozen=True):
    far: float
    uphill: int = 0


class Weather(Row, frozen=True):
    rain: int = 1


class Tables(Row, frozen=True, kw_only=True):
    walking: Walking
    weather: Weather = Weather()


FAMILY = {"walking": {"far": 6}}


def test_without_tables_of_its_own_an_edition_has_the_familys() -> None:
    assert tables(Tables, FAMILY, {}) == Tables(walking=Walking(6.0, 0), weather=Weather(1))


def test_keys_are_changed_and_added_one_by_one() -> None:
    own = {"walking": {"uphill": 2}, "weather": {"rain": 3}}
    assert tables(Tables, FAMILY, own) == Tables(walking=Walking(6.0, 2), weather=Weather(3))
    assert tables(Tables, FAMILY, {"walking": {"far": 7.5}}).walking.far == 7.5


@pytest.mark.parametrize(
    ("family", "own", "sentence"),
    [
        (FAMILY, {"wlaking": {"far": 7}}, "edition.toml has a table 'wlaking', which is not one of walking, weather"),
        ({**FAMILY, "wheather": {}}, {}, "tables.toml has a table 'wheather'"),
        ({}, {}, "tables.toml lacks the table 'walking'"),
        (
            FAMILY,
            {"walking": {"afr": 7}},
            r"edition.toml, \[tables.walking\] has 'afr', which is not one of far, uphill",
        ),
        ({"walking": {"far": 6, "down": 1}}, {}, r"tables.toml, \[walking\] has 'down'"),
        ({"walking": {"uphill": 1}}, {}, r"tables.toml, \[walking\] lacks far"),
        (
            FAMILY,
            {"walking": {"uphill": 1.5}},
            r"edition.toml, \[tables.walking\], uphill: Expected `int`, got `float`",
        ),
        ({"walking": {"far": "6"}}, {}, r"tables.toml, \[walking\], far: Expected `float`, got `str`"),
    ],
)
def test_what_is_wrong_is_refused_with_file_table_and_key(
    family: Mapping[str, Mapping[str, object]], own: Mapping[str, Mapping[str, object]], sentence: str
) -> None:
    with pytest.raises(RulesetError, match=sentence):
        tables(Tables, family, own)
