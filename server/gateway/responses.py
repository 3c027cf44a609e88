"""Responses to requests, with the headers that all of ours have."""

from __future__ import annotations

import email.utils
from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Response

from server.gateway.files import ASK_AGAIN

# Scripts and styles only from ourselves, nothing framed, nothing sent anywhere else.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    # Text becomes markup only through the policy under which Svelte instantiates its own templates; the other one names the
    # service worker.
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html underfire-worker"
)
SECURITY = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)

NOTHING = "There is nothing here.\n"
NOTHING_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>There is no page at this address - Underfire</title></head><body><h1>There is no page at this address</h1>"
    '<p>The link is incomplete, or it was made by another version. <a href="/">Go to the start page</a>.</p></body></html>\n'
)


def respond(status: HTTPStatus, body: bytes, content_type: str, cache: str = ASK_AGAIN) -> Response:
    """Return a response with all our usual headers."""
    headers = Headers(
        (
            ("Date", email.utils.formatdate(usegmt=True)),
            ("Connection", "close"),
            ("Content-Length", str(len(body))),
            ("Content-Type", content_type),
            ("Cache-Control", cache),
            *SECURITY,
        )
    )
    return Response(status.value, status.phrase, headers, body)


def text(status: HTTPStatus, sentence: str) -> Response:
    """Return a response of one sentence."""
    return respond(status, sentence.encode(), "text/plain; charset=utf-8")


def nothing(headers: Headers) -> Response:
    """Return the response where nothing is: to a browser, which says that it reads pages, one with a way back."""
    if not any("text/html" in accepted for accepted in headers.get_all("Accept")):
        return text(HTTPStatus.NOT_FOUND, NOTHING)
    return respond(HTTPStatus.NOT_FOUND, NOTHING_PAGE.encode(), "text/html; charset=utf-8")
