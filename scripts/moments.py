"""Find moments for the start page: record games between the strongest programs, and name the least likely rolls that cost the
most figures. `server/moments/moments.toml` names those that were chosen; its games are among the files that this writes.

    python scripts/moments.py record fad4 crossroads-patrol --seeds 1 2 3 --into games
    python scripts/moments.py find games/*.underfire
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from client_protocol.from_client import MakeMatch
from client_protocol.from_server import Refused
from server.kernel.answers.check import check
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Body, opening
from server.matches.log.fold import Fold
from server.matches.log.match_file import export, read
from server.matches.log.secrets import Keys, Secrets
from server.matches.play.abandonment import Abandonment
from server.matches.play.due import due
from server.matches.play.machine_turns import machine_turn
from server.matches.play.presence import Presence
from server.matches.play.referee import Referee
from server.matches.projections.luck import luck_report
from server.matches.setup.creation import from_scenario, make
from server.opponents.programs import PROGRAMS
from server.opponents.strengths import COMMANDER
from server.rulesets.library import edition

MADE = 1_795_000_000_000
"""When the games begin (ms since 1970)."""
STEP_MS = 4_000
"""How long after the entry before it each entry is written."""
CERTAIN = 10_000
"""A chance of one, in ten-thousandths."""


class Recorded:
    """A match between programs that is played at once, and its log."""

    def __init__(self, rules: Ruleset, scenario: str, seed: int) -> None:
        sides = rules.open(scenario, {}).sides.values()
        message = MakeMatch(
            "1",
            rules.info.id,
            scenario,
            "Record",
            (),
            listed=False,
            programs={side.seat: COMMANDER.id for side in sides},
        )
        made = make(message, message.name, from_scenario(message, {rules.info.id: rules}.__getitem__), 0, _names())
        assert not isinstance(made, Refused), made
        words = f"{rules.info.id} {scenario} {seed}".encode()
        secret = hashlib.sha256(words).digest()
        opened = replace(
            made.opened,
            match=f"moment-{rules.info.id}-{scenario}-{seed}",
            commitment=hashlib.sha256(secret).hexdigest(),
        )
        self.entries = [opening(opened, MADE, self._salt(words))]
        self._secrets = Secrets(Keys({"secret": secret}))
        self._referee = Referee(rules, secret, Fold(self.entries[0]))
        self._rules, self._words = rules, words

    def play(self) -> Recorded:
        """Play to the end."""
        while (body := self._next()) is not None:
            planned, parent = body if isinstance(body, tuple) else (body, 0)
            now = MADE + STEP_MS * len(self.entries)
            salt = self._salt(self._words + str(len(self.entries)).encode())
            payload = self._referee.fold.entry(planned, now, salt, parent)
            self._referee.take(payload, own=True)
            self.entries.append(payload)
        return self

    def _next(self) -> Body | tuple[Body, int] | None:
        at = STEP_MS * len(self.entries)

        def up() -> int:
            return at

        planned = due(self._referee, self._secrets, Presence(), Abandonment(), up)
        if planned is not None:
            return planned
        turn = machine_turn(self._referee, self._secrets)
        if turn is None:
            return None
        picked = PROGRAMS[turn.program].answer(self._rules, turn.state, turn.asked, turn.seat, turn.seed)
        assert check(turn.state, turn.asked, picked) is None, "a program gives answers that may be given"
        return self._referee.answer(turn.seat, picked, f"machine-{turn.seat}-{turn.seed[:24]}", up)

    @staticmethod
    def _salt(words: bytes) -> bytes:
        return hashlib.sha256(b"salt" + words).digest()[:16]


def _names() -> dict[str, str]:
    return {program.id: f"{program.name} (computer)" for program in PROGRAMS.values()}


def record(edition_id: str, scenario: str, seeds: Sequence[int], into: Path) -> None:
    """Record games, one for each seed."""
    into.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        data = export(Recorded(edition(edition_id), scenario, seed).play().entries)
        path = into / f"moment-{edition_id}-{scenario}-{seed}.underfire"
        path.write_bytes(data)
        print(f"{path}: {len(data)} bytes")


def find(files: Sequence[Path], most: int) -> None:
    """Print the least likely rolls of games that cost figures, the least likely of all games first."""
    found = []
    for path in files:
        entries = read(path.read_bytes()).entries
        opened = Fold(entries[0]).opened
        try:
            rows = luck_report(edition(opened.edition), entries)
        except RulesetError as error:
            print(f"{path}: {error}")
            continue
        for row in rows:
            lost = sum(row.fallen.values())
            chance = row.luck.better + row.luck.as_good
            if lost and row.luck.deviation:
                found.append((chance / lost, chance, lost, path.name, row))
    for _, chance, lost, name, row in sorted(found, key=lambda one: one[0])[:most]:
        print(f"{name} frame {row.frame} turn {row.turn}: {chance / CERTAIN:.2%}, {lost} lost {row.fallen}: {row.text}")


def main() -> None:
    """Record or find."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    doing = parser.add_subparsers(dest="what", required=True)
    recording = doing.add_parser("record", help="record games")
    recording.add_argument("edition")
    recording.add_argument("scenario")
    recording.add_argument("--seeds", type=int, nargs="+", default=[1])
    recording.add_argument("--into", type=Path, default=Path("games"))
    finding = doing.add_parser("find", help="name the least likely rolls")
    finding.add_argument("files", type=Path, nargs="+")
    finding.add_argument("--most", type=int, default=40)
    flags = parser.parse_args()
    if flags.what == "record":
        record(flags.edition, flags.scenario, flags.seeds, flags.into)
    else:
        find(flags.files, flags.most)


if __name__ == "__main__":
    main()
