"""`underfire simulate`: whole games, the same for the same seed, and what they come to. Of every edition that there is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from client_protocol.choices import AssignmentParameter, AssignmentRow, Choice, PathParameter, Picked, Why
from server.cli import main
from server.commands.simulate import plan, rules_asked, rules_told, share, untouched
from server.kernel.answers.check import Ask, Asked
from server.kernel.desk_facts import StandingOrder
from server.kernel.facts import MatchEnded
from server.opponents.simulation import play
from server.rulesets import library
from server.rulesets.library import editions
from tests.support.toy_rules import ToyRules

EDITIONS = list(editions())
every_edition = pytest.mark.parametrize("name", EDITIONS)


def first_scenario(name: str) -> str:
    return editions()[name].info.scenarios[0].id


def summary(capsys: pytest.CaptureFixture[str], *flags: str, games: int = 2) -> dict[str, Any]:
    assert main(["simulate", "--games", str(games), "--json", *flags]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@every_edition
def test_a_seed_gives_the_same_games_again(capsys: pytest.CaptureFixture[str], name: str) -> None:
    timed = {"seconds", "games_per_second", "steps_per_second"}
    flags = ("--edition", name, "--scenario", first_scenario(name))

    def played(seed: str) -> dict[str, Any]:
        (row,) = summary(capsys, *flags, "--seed", seed)["scenarios"]
        return {key: value for key, value in row.items() if key not in timed}

    one, again, other = (played(seed) for seed in ("5", "5", "50"))
    assert one == again
    assert one != other
    assert sum(one["winners"].values()) == one["games"] == 2
    assert (one["refusals"], one["edition"]) == (0, name)


def test_simulate_plays_every_scenario_when_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    told = summary(capsys, games=1)
    played = [(row["edition"], row["scenario"]) for row in told["scenarios"]]
    assert played == [(name, s.id) for name, rules in editions().items() for s in rules.info.scenarios]
    for name, rules in editions().items():
        ids = [row["id"] for row in rules.reference]
        assert 0 < len(told["untouched"][name]) < len(ids)
        assert set(told["untouched"][name]) < set(ids)


@every_edition
def test_options_reach_the_game(capsys: pytest.CaptureFixture[str], name: str) -> None:
    limit = next(option for option in editions()[name].info.options if option.id == "turn_limit")
    least = min(int(choice.value) for choice in limit.choices if choice.value)
    flags = ("--edition", name, "--scenario", first_scenario(name), "--option", f"turn_limit={least}")
    (row,) = summary(capsys, *flags)["scenarios"]
    assert row["turns_90_percent"] <= least


def test_simulate_prints_its_figures_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    scenario = editions()[EDITIONS[0]].info.scenarios[0]
    assert main(["simulate", "--edition", EDITIONS[0], "--scenario", scenario.id, "--games", "1"]) == 0
    told = capsys.readouterr().out
    for word in (
        f"{scenario.name} ({EDITIONS[0]}): 1 games",
        "games/s",
        "steps/s",
        "(median)",
        "winners",
        "refusals   0",
        f"{editions()[EDITIONS[0]].info.name}: no game touched",
    ):
        assert word in told


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--scenario", "moonbase"], "there is no scenario 'moonbase'"),
        (["--edition", "moon"], "there is no edition 'moon' here"),
        (["--edition", EDITIONS[0], "--option", "turn_limit=99"], "the option 'turn_limit' cannot be '99'"),
        (["--edition", EDITIONS[0], "--option", "weather"], "'weather' is not KEY=VALUE"),
        (["--games", "0"], "at least one game"),
    ],
)
def test_simulate_refuses_impossible_flags_with_a_sentence(
    flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", *flags]) == 1
    assert sentence in capsys.readouterr().err


def test_a_scenario_is_found_in_the_editions_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())
    ((rules, scenarios),) = plan([], ["three-way"])
    assert (rules.info.id, scenarios) == ("toy", ["three-way"])
    assert [scenarios for _, scenarios in plan(["toy"], [])] == [["duel", "three-way"]]


def test_three_random_seats_play_and_give_orders() -> None:
    rules = ToyRules(rounds=8)
    games = [list(play(rules, rules.open("three-way", {}), seed, orders=True)) for seed in range(6)]
    for played in games:
        assert {step.seat for step in played} == {"", "red", "blue", "green"}
        assert isinstance(played[-1].step.facts[-1], MatchEnded)
        assert not any(step.refused for step in played)
    orders = [order for played in games for step in played for order in step.orders]
    assert {order.order for order in orders} == {"ask", "press", "stop"}
    assert all(isinstance(order, StandingOrder) for order in orders)
    # Without the option, no seat gives any.
    assert not any(step.orders for step in play(rules, rules.open("three-way", {}), 1))


def test_rules_are_counted_in_facts_in_numbers_and_in_prompts() -> None:
    rules = ToyRules()
    told: set[str] = set()
    asked: set[str] = set()
    for played in play(rules, rules.open("duel", {}), 1):
        told |= rules_told(played.step.facts)
        asked |= rules_asked(played.ask)
    assert told >= {"toy/bid", "toy/bonus", "toy/loss", "toy/end"}
    assert asked == {"toy/bid", "toy/loss", "toy/press"}
    assert untouched(rules, told | asked) == ["toy/idle"]


def test_rules_are_found_wherever_a_prompt_names_them() -> None:
    path = PathParameter(
        "u", 100, (("wood", 200),), gap=3, gap_rule="a", allowance_rule="b", clear_rule="c", limits_rule="d"
    )
    rows = AssignmentParameter("Hits", "u", (AssignmentRow("1", "One", ()),), 0, 1, {"1": "x"})
    choices = (Choice("go", "Go", "e", parameters=(path, rows)), Choice("no", "No", why=Why("Not now.", "f")))
    assert rules_asked(Ask({"red": Asked("What?", choices, Picked("go"), "g")})) == set("abcdefg")
    assert rules_asked(None) == set()


def test_a_share_of_values_lies_at_or_below() -> None:
    assert [share([5, 1, 4, 2, 3], percent) for percent in (20, 50, 90, 100)] == [1, 3, 5, 5]
    assert share([], 50) == 0
