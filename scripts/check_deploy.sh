#!/usr/bin/env bash
# Checks the configuration files in deploy/ with the checkers of the programs that read them, as far as these are installed.
# The tests start Mosquitto with its own file, and Caddy, where it is installed, in front of real servers.
set -euo pipefail
cd "$(dirname "$0")/../deploy"

if command -v caddy >/dev/null; then
    UNDERFIRE_DOMAIN=http://127.0.0.1:1 caddy validate --config Caddyfile --adapter caddyfile >/dev/null 2>&1 ||
        { UNDERFIRE_DOMAIN=http://127.0.0.1:1 caddy validate --config Caddyfile --adapter caddyfile; exit 1; }
fi

if command -v systemd-analyze >/dev/null; then
    # The program that the unit starts is installed elsewhere, or not at all.
    wrong="$(systemd-analyze verify ./underfire.service 2>&1 | grep -F underfire.service | grep -v 'is not executable' || true)"
    [ -z "$wrong" ] || { printf '%s\n' "$wrong" >&2; exit 1; }
fi

if command -v docker >/dev/null && docker compose version >/dev/null 2>&1; then
    UNDERFIRE_DOMAIN=localhost FEED_PASSWORD=x docker compose --file compose.yaml config --quiet
fi
