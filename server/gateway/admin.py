"""The address at which a running server takes its operator's commands, if it was given a token.

A command comes in a header of a POST request (see `moderation.commands`), with the token as `Authorization: Bearer TOKEN`, which
is never logged. Browsers send no such headers to servers of others, so the name under which the server is requested does not
matter here.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from http import HTTPStatus

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from server.gateway.guests import Guest, Guests
from server.gateway.responses import nothing, respond, text
from server.gateway.shared_limits import SharedLimits
from server.moderation.commands import HEADER, PATH, Failed, command_in
from server.moderation.operator import Here, Operator

log = logging.getLogger("underfire.admin")

KIND = "admin"
"""The kind of a wrong token, for the rates of addresses and strangers: see `Limits.address`."""
NO_STORE = "no-store"
WRONG = "This is not the token of this server's operator.\n"
TOO_MANY = "Too many wrong tokens came. Wait a while before you try again.\n"
UNREADABLE = "This is no command that this server knows. Is `underfire admin` of the same version as the server?"


class Admin:
    """Answers requests for commands.

    Args:
        token: the operator's token; "": there is none, and nothing at this address.
        operator: carries out commands; None: nothing is at this address.
        guests: counts wrong tokens at this server.
        shared: counts wrong tokens at all servers.
        here: this server.
    """

    def __init__(self, token: str, operator: Operator | None, guests: Guests, shared: SharedLimits, here: Here) -> None:
        self._digest = _digest(token) if token else b""
        self._operator = operator
        self._guests = guests
        self._shared = shared
        self._here = here

    def asked(self, request: Request) -> bool:
        """Return whether a request is for this address."""
        return request.path.partition("?")[0] == PATH

    async def respond(self, request: Request, guest: Guest) -> Response:
        """Return the response to a request for this address."""
        operator = self._operator
        if operator is None or not self._digest:
            return nothing(request.headers)
        if self._guests.spent(guest, KIND) or await self._shared.refusal(
            guest.address, KIND, stranger=False, take=False
        ):
            return text(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
        if not hmac.compare_digest(_digest(_token(request.headers)), self._digest):
            return await self._refused(guest)
        if request.method != "POST":
            response = text(HTTPStatus.METHOD_NOT_ALLOWED, "Commands come with POST.\n")
            response.headers["Allow"] = "POST"
            return response
        try:
            command = command_in(request.headers.get(HEADER, ""))
        except msgspec.DecodeError:
            return _reply(HTTPStatus.BAD_REQUEST, Failed(UNREADABLE))
        reply = await operator.carry_out(command, self._here, guest.address)
        return _reply(HTTPStatus.CONFLICT if isinstance(reply, Failed) else HTTPStatus.OK, reply)

    async def _refused(self, guest: Guest) -> Response:
        """Count a wrong token, and return the response to it."""
        if self._guests.refusal(guest, KIND, stranger=True) or await self._shared.refusal(
            guest.address, KIND, stranger=True
        ):
            return text(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
        log.warning("a wrong operator's token came from %s", guest.address, extra={"address": guest.address})
        response = text(HTTPStatus.UNAUTHORIZED, WRONG)
        response.headers["WWW-Authenticate"] = "Bearer"
        return response


def _token(headers: Headers) -> str:
    """Return the token that headers name; "" if they name none, or more than one."""
    named = headers.get_all("Authorization")
    scheme, _, token = named[0].partition(" ") if len(named) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else ""


def _digest(token: str) -> bytes:
    # Digests are of one length, so that the comparison takes as long for every token.
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).digest()


def _reply(status: HTTPStatus, reply: object) -> Response:
    return respond(status, msgspec.json.encode(reply), "application/json", NO_STORE)
