from __future__ import annotations

from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]
