"""Checking a league file: the chain, signatures, who acted, rounds, the dice and the steps of campaigns, results. Pure.

docs/leagues.md says what the check proves and what it does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import partial

from client_protocol.campaigns import CampaignDice
from client_protocol.codec import pack
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.dice import Roll
from server.kernel.errors import RulesetError
from server.leagues.acts import Judge
from server.leagues.campaigns import Campaign, until
from server.leagues.log.dice import battle_secret, commitment, dice
from server.leagues.log.entries import Entry, LeagueFold, LeagueLogError
from server.leagues.log.facts import (
    BattleTaken,
    LeagueClosed,
    LeagueFact,
    LeagueMade,
    ResultTaken,
    RoundOpened,
    RulesChanged,
    StepTaken,
)
from server.leagues.log.league import League
from server.leagues.log.league_file import DOMAIN, LeagueFile, LeagueFileError, read
from server.leagues.log.remembering import remembered
from server.leagues.log.sealed import Sealing
from server.leagues.verify.acts import check_act
from server.leagues.verify.campaign_map import ToldSealing, check_followed
from server.leagues.verify.deciders import not_theirs
from server.leagues.verify.report import LeagueReport
from server.leagues.verify.results import RulesOf, check_battles, check_result
from server.leagues.weighing import weigh
from server.matches.log import signatures
from server.matches.log.finding import Wrong


def verify(data: bytes, rules_of: RulesOf, matches: Mapping[str, bytes] | None = None) -> LeagueReport:
    """Check a league file.

    Args:
        data: the file.
        rules_of: the editions.
        matches: the files of matches by their ids, as far as they are there.

    Raises:
        Wrong: the first fault. Its entry is that of the league's log.
    """
    try:
        file = read(data)
    except LeagueFileError as error:
        raise Wrong(0, str(error)) from error
    return _Check(file, rules_of, matches or {}).run()


class _Check:
    """One pass over the entries of a file."""

    def __init__(self, file: LeagueFile, rules_of: RulesOf, matches: Mapping[str, bytes]) -> None:
        self._file = file
        self._rules_of = rules_of
        self._matches = matches
        try:
            self.fold = LeagueFold(file.entries[0])
        except LeagueLogError as error:
            raise Wrong(1, str(error)) from error
        league = self.fold.league
        rules = rules_of(league.terms.edition)
        self._rules: CampaignRules | None = None
        if rules is not None and league.terms.campaign is not None:
            try:
                self._rules = rules.campaign(league.terms.campaign)
            except RulesetError as error:
                raise Wrong(1, f"its campaign cannot be: {error}") from error
        self._edition = rules
        self._secrets: dict[tuple[int, str], bytes] = {}
        self._master = b""
        self._rounds = self._steps = self._dice = self._sealed = 0
        self._versions = [league.version]
        self._version = "" if rules is None else rules.version
        self._differences: list[tuple[int, str]] = []
        self._found: list[str] = []
        self._missing: list[str] = []

    def run(self) -> LeagueReport:
        """Check entry by entry."""
        hashes = self._chain()
        signatures.check(self._file.signatures, self.fold.league.id, self._file.entries, DOMAIN)
        self._reveal()
        sealing = ToldSealing(self.fold.entries)
        judge = self._judge(sealing)
        league = LeagueFold(self._file.entries[0]).league
        for number, entry in enumerate(self.fold.entries, 1):
            version, before = _version(league, entry), league
            if judge is not None and _is_act(entry):
                self._by_rules(version, number, partial(check_act, number, league, entry, judge))
            self._by_rules(version, number, partial(check_followed, number, league, entry, sealing))
            for fact in entry.facts:
                self._fact(league, entry, fact, number)
                if not isinstance(fact, LeagueMade):
                    league = fact.fold(league)
                if league.version not in self._versions:
                    self._versions.append(league.version)
            league = remembered(before, league, number, entry.by, entry.facts)
        return LeagueReport(
            league.id,
            league.terms.name,
            len(hashes),
            self._rounds,
            self._steps,
            self._dice,
            self._sealed,
            self._judge is not None,
            tuple(self._versions),
            tuple(self._differences),
            tuple(self._found),
            tuple(self._missing),
            hashes,
            self._file.signatures,
        )

    def _judge(self, sealing: Sealing) -> Judge | None:
        """Return who decides on what players and organisers did; None: the edition is not installed here."""
        rules, terms = self._edition, self.fold.league.terms
        if rules is None:
            return None
        campaign = None if self._rules is None else Campaign(self._rules, b"")
        return Judge(lambda force: weigh(rules, terms, force), sealing, campaign)

    def _chain(self) -> tuple[bytes, ...]:
        """Fold all entries, and return their hashes."""
        for number, payload in enumerate(self._file.entries[1:], 2):
            try:
                self.fold.add(payload)
            except LeagueLogError as error:
                raise Wrong(number, str(error)) from error
        for number, (payload, entry) in enumerate(zip(self._file.entries, self.fold.entries, strict=True), 1):
            if pack(entry) != payload:
                raise Wrong(number, "it is not written the way entries are")
        if self.fold.head != self._file.head:
            raise Wrong(len(self._file.entries), "its hash is not the file's head: it was changed")
        return tuple(hashlib.sha256(payload).digest() for payload in self._file.entries)

    def _reveal(self) -> None:
        """Take all secrets that are revealed, and hold them against their commitments."""
        final = self.fold.league
        fixture: dict[str, int] = {}
        for number, entry in enumerate(self.fold.entries, 1):
            for fact in entry.facts:
                if isinstance(fact, BattleTaken):
                    fixture[fact.player] = fact.fixture
                elif isinstance(fact, StepTaken) and fact.secret:
                    self._secrets[fixture[fact.player], fact.player] = self._secret(final, number, fixture, fact)
                elif isinstance(fact, LeagueClosed) and fact.secret:
                    self._master = bytes.fromhex(fact.secret)
                    if commitment(self._master) != final.commitment:
                        raise Wrong(number, "the secret of the dice is not the one that the league was made with")
        for (battle, player), secret in self._secrets.items() if self._master else ():
            if battle_secret(self._master, battle, player) != secret:
                raise Wrong(0, f"the dice after fixture {battle} do not follow from the league's secret")

    def _secret(self, league: League, number: int, fixture: Mapping[str, int], fact: StepTaken) -> bytes:
        battle, secret = fixture[fact.player], bytes.fromhex(fact.secret)
        players, commitments = league.fixtures[battle].players, league.commitments.get(battle, ())
        fixed = dict(zip(players, commitments, strict=False)).get(fact.player)
        if commitment(secret) != fixed:
            raise Wrong(number, "the secret of the dice is not the one that was fixed before the match")
        return secret

    # --- facts -------------------------------------------------------------------------------------------------------

    def _fact(self, league: League, entry: Entry, fact: LeagueFact, number: int) -> None:
        why_not = not_theirs(league, entry, fact)
        if why_not:
            raise Wrong(number, why_not)
        match fact:
            case LeagueMade() if entry.by != fact.key:
                raise Wrong(number, "another player than its organiser made the league")
            case RoundOpened():
                self._rounds += 1
            case StepTaken():
                self._dice_of(league, fact, number)
                self._by_rules(league.version, number, partial(self._step, league, entry, fact, number))
            case ResultTaken() if fact.head:
                self._result(league, entry, fact, number)
            case BattleTaken():
                if not any(isinstance(one, ResultTaken) and one.fixture == fact.fixture for one in entry.facts):
                    raise Wrong(number, "a battle is taken in without the result of its match")
            case _:
                pass

    def _by_rules(self, version: str, number: int, check: Callable[[], None]) -> None:
        """Check what the rules decided. Where another version of them did than is installed here, a difference is no fault."""
        try:
            check()
        except Wrong as wrong:
            if version == self._version:
                raise
            self._differences.append((number, wrong.what))

    def _step(self, league: League, entry: Entry, fact: StepTaken, number: int) -> None:
        member = league.players[fact.player]
        if self._rules is None or member.campaign is None or member.battle is None:
            return
        due = self._rules.due(member.campaign)
        try:
            if isinstance(due, CampaignDice):
                if fact.dice is None or len(fact.dice.faces) != due.count:
                    raise Wrong(number, f"{due.count} dice were due")
                led_to = self._rules.rolled(member.campaign, fact.dice.faces)
            elif due is None or fact.answer is None:
                raise Wrong(number, "something else was due")
            else:
                led_to = self._rules.answered(member.campaign, fact.answer)
                if not entry.by and fact.answer != due.default:
                    raise Wrong(number, "another answer than the default was taken at the deadline")
        except ValueError as error:
            raise Wrong(number, f"the rules do not allow this step: {error}") from error
        if led_to != fact.facts:
            raise Wrong(number, "the rules lead to something else")
        after = fact.fold(league).players[fact.player]
        if fact.until != (0 if after.battle is None else until(league, entry.at)):
            raise Wrong(number, "its deadline is another one than the league's terms say")
        if bool(fact.secret) != (after.battle is None):
            raise Wrong(number, "the secret of the dice is not revealed after the last step, or before it")
        self._steps += 1

    def _dice_of(self, league: League, fact: StepTaken, number: int) -> None:
        battle = league.players[fact.player].battle
        if fact.dice is None or battle is None:
            return
        secret = self._secrets.get((battle.fixture, fact.player))
        if secret is None and self._master:
            secret = battle_secret(self._master, battle.fixture, fact.player)
        if secret is None:
            self._sealed += len(fact.dice.faces)
            return
        randomness = league.randomness.get(battle.fixture, {})
        source = dice(secret, league.id, battle.fixture, fact.player, randomness, battle.dice)
        if source.faces(Roll(len(fact.dice.faces))) != fact.dice:
            raise Wrong(number, "these dice do not follow from the secret")
        self._dice += len(fact.dice.faces)

    def _result(self, league: League, entry: Entry, fact: ResultTaken, number: int) -> None:
        match = league.fixtures[fact.fixture].match
        data = self._matches.get(match)
        if data is None:
            self._missing.append(match)
            return
        fought = check_result(league, fact, data, self._rules_of, number)
        if self._rules is not None:
            self._by_rules(league.version, number, partial(check_battles, league, entry, fact, fought, self._rules))
        self._found.append(match)


def _is_act(entry: Entry) -> bool:
    """Return whether a player or an organiser has done something in a league that there is, other than a step after a battle."""
    return bool(entry.by) and not any(isinstance(fact, LeagueMade | StepTaken) for fact in entry.facts)


def _version(league: League, entry: Entry) -> str:
    """Return the version of the rules that decided on an entry."""
    changed = [fact.version for fact in entry.facts if isinstance(fact, RulesChanged)]
    return changed[-1] if changed else league.version
