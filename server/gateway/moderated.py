"""What the operator's bans and mutes mean for one connection."""

from __future__ import annotations

from msgspec.structs import asdict, replace

from client_protocol.from_server import Refused
from server.gateway import goodbyes
from server.gateway.goodbyes import Ending
from server.moderation.sanctions import Sanction, Standing
from server.moderation.subjects import AddressSubject, PlayerSubject, SeatSubject, Subject


class Moderated:
    """Knows whom a connection belongs to, as sanctions name it: its address from the beginning, its seat once it has one,
    and its player's key once that is known.

    Args:
        standing: the sanctions that hold.
        address: the address of the connection, as limits count it.
    """

    __slots__ = ("_standing", "_subjects")

    def __init__(self, standing: Standing, address: str) -> None:
        self._standing = standing
        self._subjects: tuple[Subject, ...] = (AddressSubject(address),)

    def sit(self, match: str, seat: str) -> None:
        """Note that the connection belongs to a seat of a match."""
        self._subjects += (SeatSubject(match, seat),)

    def hold(self, key: str) -> None:
        """Note that the connection belongs to the player with this key."""
        subject = PlayerSubject(key)
        if key and subject not in self._subjects:
            self._subjects += (subject,)

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a line about the connection in the log: `address`, and `match`, `seat` and `player` once it has them."""
        return {name: value for subject in self._subjects for name, value in asdict(subject).items()}

    @property
    def ban(self) -> Ending | None:
        """How the connection ends if it is banned now; None if it is not."""
        found = self._standing.of("ban", self._subjects)
        return None if found is None else banned(found)

    def muted(self, id_: str) -> Refused | None:
        """Return the refusal of a line of chat with the message id `id_`; None if the connection may chat."""
        found = self._standing.of("mute", self._subjects)
        if found is None:
            return None
        return Refused(id_, "muted", f"The operator of this server has taken the chat away from you{found.until_when}.")


def banned(sanction: Sanction) -> Ending:
    """Return the end of a banned connection."""
    what = " at this seat" if isinstance(sanction.subject, SeatSubject) else ""
    sentence = f"The operator of this server does not let you play{what}{sanction.until_when}."
    return Ending(replace(goodbyes.BANNED.goodbye, sentence=sentence), goodbyes.BANNED.close_code)
