"""How evenly a scenario's sides win: `python -m tests.playthroughs.balance fad4/dry-ford --games 200 --seats sensible`.

Sensible seats play as in the playthroughs, random ones as in the soak. Neither plays well, so what comes out says whether a side
has no chance, not which is the better one.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator

from client_protocol.choices import Picked
from server.kernel.answers.check import Asked
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.procedure import Run
from server.kernel.ruleset import Ruleset
from server.kernel.state import Result, State
from server.opponents.simulation import RandomDice
from server.rulesets.library import edition
from tests.playthroughs.seats import sensible

SEATS: dict[str, Callable[[State, Asked, random.Random], Picked]] = {"sensible": sensible, "random": sample}
"""The seats that can play, by name."""


def results(rules: Ruleset, scenario: str, seats: str, games: range, options: dict[str, str]) -> Iterator[Result]:
    """Yield the results of games of `scenario` between two such `seats`, one for each seed of `games`."""
    for seed in games:
        chance = random.Random(seed)
        run = Run(rules, rules.open(scenario, options), RandomDice(random.Random(seed + 1_000_000)))
        run.begin()
        while run.asked is not None:
            seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
            run.answer(seat, SEATS[seats](believed(run.state, seat), run.asked.seats[seat], chance))
        assert run.state.result is not None, "a game ends with a result"
        yield run.state.result


def main() -> None:
    """Play the games and print how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", help="an edition and a scenario, as fad4/dry-ford")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first game")
    parser.add_argument("--seats", choices=SEATS, default="sensible")
    parser.add_argument("--option", action="append", default=[], help="an option of the match, as snipers=on")
    given = parser.parse_args()
    name, _, scenario = given.scenario.partition("/")
    options = dict(option.split("=", 1) for option in given.option)
    ended: Counter[tuple[str, str]] = Counter()
    for result in results(edition(name), scenario, given.seats, range(given.first, given.first + given.games), options):
        ended[(result.winner or "draw", result.reason)] += 1
    won: Counter[str] = Counter()
    for (winner, _), count in ended.items():
        won[winner] += count
    shares = ", ".join(f"{winner} {100 * count / given.games:.0f}%" for winner, count in won.most_common())
    print(f"{given.scenario}, {given.games} games of {given.seats} seats: {shares}")
    for (winner, reason), count in ended.most_common():
        print(f"    {count:4} {winner}: {reason}")


if __name__ == "__main__":
    main()
