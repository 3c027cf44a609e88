"""The address of an MQTT broker, with credentials and TLS."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

PORTS = {"mqtt": 1883, "mqtts": 8883}
"""The usual port of each scheme."""
ROOT = "underfire"
"""The first level of all topics, unless another one is named."""
_LEVELS = re.compile(r"/[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")


class AddressError(ValueError):
    """The address cannot be used; the message is a sentence, without the password."""


@dataclass(frozen=True)
class BrokerAddress:
    """Where a broker is, and how one signs in there.

    `root` is the first level (or levels) of all topics. `ca_file` holds the certificates that are trusted in place of the
    system's. `tls` says whether the connection is encrypted.
    """

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    root: str = ROOT
    ca_file: Path | None = None

    def __str__(self) -> str:
        """Return the address without credentials."""
        return f"{self.host}:{self.port}"

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the context of TLS, or None where there is no TLS.

        Raises:
            OSError: the file of certificates cannot be read.
            AddressError: it holds no certificates.
        """
        if not self.tls:
            return None
        try:
            return ssl.create_default_context(cafile=None if self.ca_file is None else str(self.ca_file))
        except ssl.SSLError:
            raise AddressError(f"There are no certificates in {self.ca_file}.") from None


def broker_address(text: str, ca_file: Path | None = None) -> BrokerAddress:
    """Return the address in `mqtt://USER:PASSWORD@HOST:PORT/ROOT`, or `mqtts://...` with TLS.

    Args:
        text: the address; all but scheme and host may be left out.
        ca_file: certificates to trust in place of the system's.

    Raises:
        AddressError: it is no such address.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise AddressError("The broker's port must be a number from 1 to 65535.") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.query or parts.fragment:
        # It may hold a password, and is therefore not repeated.
        raise AddressError(
            "The broker's address is written mqtt://USER:PASSWORD@HOST:PORT, or mqtts:// with TLS, such as "
            "mqtts://feed:secret@mqtt.example.org."
        )
    if parts.path not in ("", "/") and not _LEVELS.fullmatch(parts.path):
        raise AddressError("The first level of the topics is made of letters, digits, _, - and dots.")
    return BrokerAddress(
        host=parts.hostname,
        port=port or PORTS[parts.scheme],
        tls=parts.scheme == "mqtts",
        user=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        root=parts.path.strip("/") or ROOT,
        ca_file=ca_file,
    )
