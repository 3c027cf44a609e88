"""Rule keys lead to the edition's own entries, and every key that a chapter names is linked."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import fields

from client_protocol.choices import Candidate, Choice, Picked, UnitParameter, Why
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Ask, Asked
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import ActivationEnded, Declared, Rolled
from server.kernel.procedure import Steps, ask
from server.opponents.simulation import play
from server.rulesets.library import edition, every_edition
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.keys import Keys
from server.rulesets.shared.setup.book import Book
from tests.rulesets.openings import opening

RULESETS = Path(__file__).parents[3] / "server" / "rulesets"
LINKS: Mapping[str, str | bool] = {"fire.range": "moon/shoot.range", "fire.rain": False}
KEYS = Keys("moon", LINKS, ["shoot.range", "move.hop"])  # type: ignore[arg-type]  # as TOML gives them


# --- what a key leads to ----------------------------------------------------------------------------------------------


def test_a_key_leads_to_its_entry_and_an_entry_to_itself() -> None:
    assert [KEYS.entry(key) for key in ("fire.range", "shoot.range", "move.hop", "")] == [
        "shoot.range",
        "shoot.range",
        "move.hop",
        "",
    ]


@pytest.mark.parametrize("key", ["fire.rain", "fire.wind"])
def test_a_key_for_a_rule_that_the_edition_does_not_have_is_an_error(key: str) -> None:
    with pytest.raises(RulesetError, match=f"moon has no rule for {key}"):
        KEYS.entry(key)


@pytest.mark.parametrize(
    ("links", "sentence"),
    [
        ({"fire.range": "moon/shoot.far"}, "leads to shoot.far, which is no entry of moon"),
        ({"fire.range": "moon/move.hop", "move.hop": "moon/shoot.range"}, "which is a key that leads elsewhere"),
    ],
)
def test_a_link_to_no_entry_or_to_another_linked_key_is_refused(links: dict[str, str], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        Keys("moon", links, ["shoot.range", "move.hop"])


def test_keys_in_all_nested_values_are_replaced_by_entries() -> None:
    line = Line("ADD", 1, "range", "fire.range")
    why = Why("Too far.", "fire.range")
    rolled = Rolled("fire", "fire.range", (3,), numbers=(Explained(1, (line,), ""),))
    choice = Choice("fire", "Fire", "fire.range", "", (UnitParameter("At", (Candidate("red-1", "", why),)),), why)
    told = KEYS.told((rolled, choice, {"range": why}, "fire.range"))
    assert b"fire.range" not in msgspec.json.encode(told[:3]), told
    assert told[3] == "fire.range", "a text is no rule"
    assert KEYS.told(told) == told, "once told it stays so"
    plain = Keys("moon", {}, ["fire.range"])
    assert plain.told(rolled) is rolled


def test_keys_in_a_procedures_prompts_and_facts_are_replaced_and_answers_reach_it() -> None:
    def procedure() -> Steps[str]:
        yield Declared("blue-1", "fires", "fire.range")
        picked = yield from ask(
            "blue", Asked("Fire?", (Choice("fire", "Fire", "fire.range"),), Picked("fire"), "fire.range")
        )
        yield ActivationEnded("blue-1")
        return picked.choice

    steps = KEYS.telling(procedure())
    assert next(steps) == Declared("blue-1", "fires", "shoot.range")
    asked = next(steps)
    assert isinstance(asked, Ask)
    assert asked.seats["blue"].rule == asked.seats["blue"].choices[0].rule == "shoot.range"
    assert steps.send({"blue": Picked("fire")}) == ActivationEnded("blue-1")
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == "fire"


# --- the editions' keys -----------------------------------------------------------------------------------------------

KEY = re.compile(r"[a-z-]+(\.[a-z0-9-]+)+")


def chapters_of(name: str) -> set[str]:
    """Return the first parts of the keys of the edition's family: the chapters of any of its editions."""
    family = _family(name)
    entries = (row["id"] for other in every_edition() if _family(other) == family for row in edition(other).reference)
    return {entry.partition(".")[0] for entry in entries}


def keys_of(name: str) -> Iterator[tuple[str, str]]:
    """Return the keys in the code of the edition, its family and the shared rules, and in the rows of its book, with where they
    are.
    """
    yield from keys_of_rows(edition(name).book)  # type: ignore[attr-defined]  # every edition has one
    family = RULESETS / _family(name)
    others = [folder for folder in family.iterdir() if (folder / "edition.toml").is_file() and folder.name != name]
    chapters = chapters_of(name)
    for file in (*family.rglob("*.py"), *(RULESETS / "shared").rglob("*.py")):
        if any(folder in file.parents for folder in others):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            key = node.value if isinstance(node, ast.Constant) else None
            if isinstance(key, str) and KEY.fullmatch(key) and key.partition(".")[0] in chapters:
                yield key, file.relative_to(RULESETS).as_posix()


def keys_of_rows(book: Book) -> Iterator[tuple[str, str]]:
    """The keys in the rows of a book: in their fields that hold a rule."""
    for listed in fields(book):
        rows = getattr(book, listed.name)
        for row in rows.values() if isinstance(rows, dict) else ():
            for field in fields(row) if isinstance(row, Struct) else ():
                if field.name.endswith("rule") and getattr(row, field.name):
                    yield getattr(row, field.name), f"the row {row.id} of {listed.name}"


def _family(name: str) -> str:
    (family,) = {path.parent.parent.name for path in RULESETS.rglob("edition.toml") if path.parent.name == name}
    return family


@pytest.mark.parametrize("name", every_edition())
def test_an_edition_links_every_key_of_its_chapters(name: str) -> None:
    rules = edition(name)
    assert isinstance(rules, PlayableEdition)
    keys = rules.keys
    named = dict(keys_of(name))
    assert len(named) > 50
    lacking = {key: where for key, where in named.items() if not keys.has(key)}
    assert lacking == {}, "say in [keys] where they lead, or that there is no such rule"


@pytest.mark.parametrize("name", every_edition())
def test_an_edition_links_only_keys_that_its_chapters_name(name: str) -> None:
    rules = edition(name)
    assert isinstance(rules, PlayableEdition)
    family = [other for other in every_edition() if _family(other) == _family(name)]
    known = {key for key, _ in keys_of(name)} | {row["id"] for other in family for row in edition(other).reference}
    assert set(rules.book.edition.keys) - known == set()


def rules_in(value: object, name: str = "") -> Iterator[str]:
    """Return every rule in a value as it goes over the wire: all fields whose name marks them as a rule."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from rules_in(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from rules_in(item, name)
    elif isinstance(value, str) and (name == "rule" or name.endswith("_rule")):
        yield value


def test_everything_that_a_game_of_an_edition_sends_names_its_own_entries() -> None:
    rules = edition("fad5")
    entries = {row["id"] for row in rules.reference} | {""}
    named: set[str] = set()
    for seed in range(6):
        chance, ask_ = random.Random(seed), None
        for played in play(rules, opening("fad5", "wild", seed), seed):
            told: list[object] = [played.step.facts, played.ask and dict(played.ask.seats), rules.words]
            state = played.before
            for fact in played.step.facts:
                told += [rules.story(state, fact), rules.luck(state, fact)]
                state = fact.fold(state)
            if ask_ is not None and played.picked is not None:
                told.append(rules.preview(believed(played.before, played.seat), ask_.seats[played.seat], played.picked))
            if chance.randrange(4) == 0:
                one, other = chance.sample(list(state.units.values()), 2)
                told += [rules.card(state, one), rules.what_if(state, one.id, other.id)]
                if one.on_table and other.on_table and one.side != other.side:
                    told += [
                        rules.finding(state, topic, one.id, other.id) for topic in ("range", "sight", "cover", "fire")
                    ]
            named |= set(rules_in(msgspec.json.decode(msgspec.json.encode(told))))
            ask_ = played.ask
    assert named <= entries, sorted(named - entries)
    assert len(named) > 40
