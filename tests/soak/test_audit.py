"""The audit finds each way in which a log and the players' accounts can disagree."""

from __future__ import annotations

import asyncio
import copy
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Answer, Say
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.view import Story
from server.kernel.clocks import begun
from server.kernel.desk_facts import ClockSet, Said
from server.matches.log.entries import Aside, decode
from server.matches.log.fold import Fold
from tests.soak import bout as bout_module
from tests.soak.audit import audit
from tests.soak.bout import Bout, starts
from tests.soak.faults import Outage
from tests.soak.findings import Audited
from tests.soak.timed import TOLERANCE, check_clocks
from tests.soak.witness import Account, Sent
from tests.support.servers import serving
from tests.system.play import entries

ANSWERS = 25
CLOCK = ClockTerms("live", 600, 5, 30)


@dataclass
class Played:
    """A match, its log, and what its tables tell."""

    match: str
    entries: list[bytes]
    accounts: dict[str, Account]
    secrets: dict[str, str]

    def audited(self) -> list[str]:
        return audit(self.match, self.entries, list(self.accounts.values()), self.secrets, ()).wrong

    @property
    def seat(self) -> Account:
        """One that has answered."""
        return next(one for one in self.accounts.values() if self._accepted(one, Answer))

    def accepted(self, kind: type) -> Sent:
        """Something of this kind that was accepted."""
        return self.all_accepted(kind)[0]

    def all_accepted(self, kind: type) -> list[Sent]:
        """Everything of this kind that was accepted."""
        return [sent for one in self.accounts.values() for sent in self._accepted(one, kind)]

    def _accepted(self, account: Account, kind: type) -> list[Sent]:
        sent = account.sent.values()
        return [one for one in sent if isinstance(one.message, kind) and isinstance(one.reply, Accepted)]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A match that was played for a while on a real server, without any fault."""
    folder = tmp_path_factory.mktemp("audited")

    async def play() -> Played:
        async with serving(folder) as server:
            start = next(one for one in starts() if len(one.seats) == 2)
            played = await Bout.begin(lambda: server.address, random.Random(3), start)
            playing = asyncio.create_task(played.play())
            while played.answers < ANSWERS and not playing.done():  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.05)
            played.stop.set()
            await playing
            log = await entries(folder, played.made.match)
            told = {one.audience: one for one in played.accounts}
            return Played(played.made.match, log, told, played.secrets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bout_module, "CLOCKS", (CLOCK,))
        return asyncio.run(play())


@pytest.fixture
def played(once: Played) -> Played:
    """The match, to be spoilt."""
    return copy.deepcopy(once)


def test_a_match_without_a_fault_is_found_to_be_right(played: Played) -> None:
    assert played.audited() == []


def lose(played: Played) -> None:
    """The last quarter of the log is gone."""
    del played.entries[-len(played.entries) // 4 :]


def double(played: Played) -> None:
    """A line of chat is in the log once more."""
    fold = Fold(played.entries[0])
    for payload in played.entries[1:]:
        fold.add(payload)
    said = played.accepted(Say).message
    assert isinstance(said, Say)
    audience = next(one.audience for one in played.accounts.values() if said.id in one.sent)
    body = Aside((Said(audience, "Wat", said.text, said.channel),), audience, f"{audience}:{said.id}")
    played.entries.append(fold.entry(body, fold.decided_at, bytes(16)))


def mean_otherwise(played: Played) -> None:
    """The player sent another answer than the log has."""
    sent = played.accepted(Answer)
    assert isinstance(sent.message, Answer)
    sent.message = replace(sent.message, choice=Picked("another").choice)


def refuse(played: Played) -> None:
    """What is in the log was refused."""
    sent = played.accepted(Answer)
    sent.reply = Refused(sent.message.id, "busy", "Not now.")


def turn_round(played: Played) -> None:
    """The player sent everything the other way round."""
    played.seat.sent = dict(reversed(played.seat.sent.items()))


def show_otherwise(played: Played) -> None:
    """A frame had something else in it."""
    seq, update = next(iter(played.seat.updates.items()))
    played.seat.updates[seq] = replace(update, patch={**update.patch, "turn": 99})


def show_what_is_not(played: Played) -> None:
    """There was a frame that the log does not make."""
    played.seat.updates[100_000] = Update(seq=100_000, patch={}, story=())


def show_another_snapshot(played: Played) -> None:
    """A newcomer saw something else."""
    first, *rest = played.seat.snapshots
    played.seat.snapshots = [replace(first, view=replace(first.view, turn=99)), *rest]


def whisper_loudly(played: Played) -> None:
    """A frame held what others said in private."""
    played.secrets["word-whispered"] = ""
    seq, update = next(iter(played.seat.updates.items()))
    played.seat.updates[seq] = replace(update, story=(Story("chat", "word-whispered"),))


# The first answers may be sealed ones, for which no clock runs.


def charge_too_much(played: Played) -> None:
    """The player was done long before the log says so."""
    for sent in played.all_accepted(Answer):
        sent.replied_at = 1


def charge_too_little(played: Played) -> None:
    """The player took an hour."""
    for sent in played.all_accepted(Answer):
        sent.at += 3_600_000


def see_otherwise(played: Played) -> None:
    """A table made something else of what it was sent."""
    seq, (view, prompt) = next(iter(played.seat.states.items()))
    played.seat.states[seq] = replace(view, turn=99), prompt


def publish_a_secret(played: Played) -> None:
    """The broker was sent what others said in private."""
    played.secrets["word-whispered"] = "red"
    played.accounts[""].others.append(b"... word-whispered ...")


def refuse_again(played: Played) -> None:
    """An answer that was acknowledged was refused when it was sent again."""
    sent = played.accepted(Answer)
    sent.again.append(Refused(sent.message.id, "prompt_closed", "Too late."))


def acknowledge_again(played: Played) -> None:
    """An answer that is not in the log was acknowledged when it was sent again."""
    sent = played.seat.sent["never"] = Sent(Answer("never", "1", "move"), 1)
    sent.again.append(Accepted("never", 1))


SPOILT: list[tuple[Callable[[Played], None], str]] = [
    (lose, "was acknowledged, and is not in the log"),
    (lose, "which the log does not make"),
    (double, "is in the log 2 times"),
    (mean_otherwise, "is something else"),
    (refuse, "was refused (busy), and is in the log"),
    (turn_round, "before entry"),
    (show_otherwise, "and is due as"),
    (show_what_is_not, "was shown frame 100000, which the log does not make"),
    (show_another_snapshot, "a snapshot of"),
    (whisper_loudly, "was told what spectators said in private"),
    (see_otherwise, "and is due to have"),
    (publish_a_secret, "was told what red said in private"),
    (refuse_again, "and refused (prompt_closed) when it was sent again"),
    (acknowledge_again, "was acknowledged when it was sent again, and is not in the log"),
    (charge_too_much, "are charged, and"),
    (charge_too_little, "and the player took"),
]


@pytest.mark.parametrize(
    ("spoil", "complaint"), SPOILT, ids=[f"{spoil.__name__}-{n}" for n, (spoil, _) in enumerate(SPOILT)]
)
def test_the_audit_finds_each_kind_of_damage(played: Played, spoil: Callable[[Played], None], complaint: str) -> None:
    spoil(played)
    assert [wrong for wrong in played.audited() if complaint in wrong]


@pytest.mark.parametrize(
    ("up", "complaint"),
    [
        (60_000, "60000 ms of up-time in 60000 ms, of which no server ran for 47000"),
        (61_000 + TOLERANCE, "of up-time in 60000 ms"),
        (-1, "up-time went back by 1 ms"),
        (13_000, ""),
    ],
)
def test_up_time_is_what_went_by_while_a_server_ran(once: Played, up: int, complaint: str) -> None:
    fold = Fold(once.entries[0])
    log = [decode(1, once.entries[0])]
    for at in (0, 60_000):
        aside = Aside((ClockSet(begun(CLOCK, fold.seats, 1_000 + (up if at else 0))),))
        payload = fold.entry(aside, at, bytes(16))
        fold.add(payload)
        log.append(decode(fold.number, payload))
    gone = Outage("kill -9 of all servers", 5_000, 55_000, dead=(5_000, 55_000))
    wrong = list(check_clocks(Audited(), log, [], [gone]))
    assert [complaint in one for one in wrong] == ([True] if complaint else [])
