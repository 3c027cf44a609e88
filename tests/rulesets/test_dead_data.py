"""Every key, field, flag and option in an edition's data is read by code."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from server.kernel.belief import believed
from server.kernel.facts import Fact
from server.kernel.files.forces import examine
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.opponents.simulation import play
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fubar.ruleset import FubarRuleset
from server.rulesets.library import editions, every_edition
from tests.cases.resolved import names, steps
from tests.rules_coverage import partly
from tests.rulesets.fad5.campaigns import fought
from tests.rulesets.fubar4 import campaigns
from tests.rulesets.openings import WILD, kinds, opening
from tests.rulesets.reading import Read, noting

PLAYED: dict[str, Callable[[str], FadRuleset | FubarRuleset]] = {
    "fad4": FadRuleset,
    "fad5": FadRuleset,
    "fubar4": FubarRuleset,
}
"""The packages of an edition's rules."""
RULESETS = Path(__file__).parents[2] / "server" / "rulesets"
GAMES = {WILD: 16}
"""How many games of a kind are played; the other kinds have as many as below."""
OTHERS = 3
CAMPAIGNS = 12
"""How many campaigns are fought with an edition that has some."""
KEYS = {"id", "kind"}
"""Fields that identify rows: they are read when the book is made."""
AT_ONCE = {f"edition.{field}" for field in ("tables", "rows", "option", "keys", "modules")}
"""Modules that make the book, the rules object or the list of editions; modules are otherwise checked one by one."""


def family_of(name: str) -> str:
    """Return the folder of an edition's family."""
    (family,) = {path.parent.parent.name for path in RULESETS.rglob("edition.toml") if path.parent.name == name}
    return family


@cache
def read_of(name: str) -> Read:
    """Return what is read of an edition's book while its cases run and some games are played and shown, until all is read."""
    noted, edition = Read(), PLAYED[name](name)
    edition.rules.book = noting(edition.book, noted)
    _shown(edition)
    for case in names(name):
        for resolved in steps(f"{name}/{case}", edition):
            _told(edition, resolved.before, resolved.step.facts)
    most = max(GAMES.values())
    for seed, kind in ((seed, kind) for seed in range(most) for kind in kinds(name) if seed < GAMES.get(kind, OTHERS)):
        if not dead_in(noted):
            break
        _played(edition, kind, seed)
    return noted


def dead_in(noted: Read) -> list[str]:
    """Return what no code has read."""
    return [entry for entry in noted.dead if entry not in AT_ONCE and entry.rpartition(".")[2] not in KEYS]


def _told(rules: Ruleset, state: State, facts: Sequence[Fact]) -> None:
    """Narrate facts, and ask how lucky they were."""
    for fact in facts:
        rules.story(state, fact)
        rules.luck(state, fact)
        state = fact.fold(state)


def _shown(rules: Ruleset) -> None:
    """Ask for everything that is shown before a game."""
    assert rules.info.id
    assert rules.version
    assert rules.reference
    assert rules.position_parts is not None
    for force in rules.ready_forces:
        examine(rules, force, {})
    if isinstance(rules, FadRuleset):
        fought(rules, CAMPAIGNS)
    elif isinstance(rules, FubarRuleset):
        campaigns.fought(rules, CAMPAIGNS)


def _played(rules: Ruleset, kind: str, seed: int) -> None:
    chance = random.Random(f"{kind} {seed}")
    ask = None
    for played in play(rules, opening(rules.info.id, kind, seed), seed, orders=True):
        if ask is not None and played.picked is not None:
            rules.preview(believed(played.before, played.seat), ask.seats[played.seat], played.picked)
        _told(rules, played.before, played.step.facts)
        state, ask = played.after, played.ask
        for unit in state.units.values():
            rules.card(state, unit)
            for figure in unit.figures.values():
                rules.gear(unit, figure)
        if chance.randrange(20) == 0:
            one, other = chance.choice(list(state.units)), chance.choice(list(state.units))
            rules.what_if(state, one, other)


def read_by_family(name: str) -> set[str]:
    """Return what is read of the book of an edition that players may choose, and that shares its family with this one."""
    kin = [other for other in editions() if other != name and family_of(other) == family_of(name)]
    return set().union(*(read_of(other).read for other in kin))


@pytest.mark.parametrize("name", every_edition())
def test_every_value_of_an_editions_data_is_read(name: str) -> None:
    dead = dead_in(read_of(name))
    if partly(name):
        # It has the data of the family before it has all chapters that read them.
        dead = [entry for entry in dead if entry not in read_by_family(name)]
    assert dead == [], "no code reads them: obey them, or strike them from the data"


def test_the_check_finds_data_that_is_not_read() -> None:
    assert "range_bands.close" in read_of("fad4").read
    assert "weapons.fire_points" in read_of("fubar4").read
    book = every_edition()["fad4"].book  # type: ignore[attr-defined]  # every edition has one
    noted = Read()
    unread = noting(book, noted)
    assert {"fire_effect.minimum", "armours.modifier", "edition.actions.infantry", "option.default"} <= set(noted.dead)
    assert unread.tables.fire_effect.minimum == 0
    assert unread.armours["light"].modifier == 0
    assert {"fire_effect.minimum", "armours.modifier"} <= noted.read


def words(name: str) -> Iterator[tuple[str, str]]:
    """Return an edition's options and actions, its rows' flags, and the traits that do what their rows do not say, with where
    they stand; without the flags and options of which rows of the ground say what they do.
    """
    book = every_edition()[name].book  # type: ignore[attr-defined]  # every edition has one
    grounds = getattr(book, "grounds", {})
    settings = {row.option for row in grounds.values()}
    for option in (row for row in book.edition.option if row.id not in settings):
        yield f"option {option.id}", re.sub(r"_\d+$", "_", option.id)
    for kind, actions in book.edition.actions.items():
        yield from ((f"actions {kind} {action}", action) for action in actions)
    for table in type(book).__struct_fields__:
        rows = getattr(book, table)
        for row in rows.values() if isinstance(rows, dict) else ():
            for flag in set(getattr(row, "flags", ())).difference(grounds):
                yield f"{table} {flag}", flag
    for trait in book.traits.values():
        if not trait.adjusts and not trait.carries:
            yield f"trait {trait.id}", trait.id


@pytest.mark.parametrize("name", every_edition())
def test_every_flag_option_and_action_of_the_data_occurs_in_the_code(name: str) -> None:
    folders = (RULESETS / family_of(name), RULESETS / "shared", RULESETS.parent / "matches", RULESETS.parent / "kernel")
    code = "".join(file.read_text("utf-8") for folder in folders for file in folder.rglob("*.py"))
    assert [where for where, word in words(name) if not re.search(rf"""["']{re.escape(word)}""", code)] == []
