# Underfire's verbs. Each does what it needs first, and only once: a note of what is done lies next to what
# was made, so that removing the one removes the other.
#
#   make play     install, build the web client, start the server and print its address
#   make test     every test, in Python and in the web client
#   make check    formatting, linting, types, generated files
#   make rules    which rules of each edition are obeyed, tested, reached by a game and told
#   make demo-cluster  three servers behind one address, one killed on the way, and the audit of every match
#   make bench    how fast, next to a floor measured in the same run
#   make build    the wheel, with the web client inside, in dist/
#   make compiled compile the rules' inner loops, where a C compiler is at hand; the verbs above do it too
#   make lock     make the lock files anew from requirements/*.in
#   make clean    remove everything that was installed or built here

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BIN := .venv/bin
PY := $(BIN)/python
# Errors alone: pip warns of what its own next versions will do.
PIP := $(PY) -m pip install -qq --disable-pip-version-check
# A Node that was installed into the environment is found first, next to its Python; then the system's.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix web_client --no-audit --no-fund --no-update-notifier

# The tests of a module stay together. More than four workers would each start a browser and a server for little.
WORKERS := $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 4 ? cores : 4)))

# The tests start hundreds of servers: Python compiles their modules once, wherever it is told to keep nothing.
KEEPING := PYTHONDONTWRITEBYTECODE=

DONE := .venv/.done
WEB := web_client/dist/index.html
WEB_SOURCES := $(wildcard $(shell git ls-files --cached --others --exclude-standard web_client 2>/dev/null))

.PHONY: help play test check rules demo-cluster bench build compiled lock clean
help:
	@sed -n '3,/^$$/s/^# *//p' Makefile

# --- what the verbs stand on -----------------------------------------------------------------------------------------

$(DONE)/venv:
	@scripts/environment.sh venv
	@mkdir -p $(DONE)
	@touch $@

# The checkout itself is linked into the environment without asking any registry for a build tool.
$(DONE)/runtime: $(DONE)/venv requirements/runtime.lock requirements/build.lock pyproject.toml
	@echo "Installing what the server needs ..."
	@$(PIP) --require-hashes -r requirements/runtime.lock -r requirements/build.lock
	@$(PIP) --no-deps --no-index --no-build-isolation --editable .
	@touch $@

$(DONE)/dev: $(DONE)/runtime requirements/dev.lock
	@echo "Installing what the tests need ..."
	@$(PIP) --require-hashes -r requirements/dev.lock
	@touch $@

$(DONE)/node: $(DONE)/venv requirements/node.lock
	@scripts/environment.sh node
	@touch $@

web_client/node_modules/.done: $(DONE)/node web_client/package.json web_client/package-lock.json
	@echo "Installing what the web client is built with ..."
	@$(NPM) ci --loglevel=error
	@touch $@

$(WEB): web_client/node_modules/.done $(WEB_SOURCES)
	@echo "Building the web client ..."
	@$(NPM) run --silent build
	@touch $@

$(DONE)/system: $(DONE)/venv
	@scripts/environment.sh system chromium
	@scripts/environment.sh headless
	@scripts/environment.sh system redis-server
	@scripts/environment.sh system mosquitto
	@touch $@

# Looks by itself at what is up to date, and says in one line why the rules' inner loops run uncompiled if they do.
compiled: $(DONE)/runtime
	@$(PY) scripts/compile.py

# --- the verbs -------------------------------------------------------------------------------------------------------

# PLAY takes the server's flags: make play PLAY="--port 9000"
play: $(DONE)/runtime $(WEB) compiled
	@exec $(BIN)/underfire serve $(PLAY)

# PYTEST takes pytest's: make test PYTEST="-k morale". pytest comes last: its closing line is what one looks for.
test: $(DONE)/dev $(WEB) $(DONE)/system compiled
	@$(NPM) run --silent test
	@$(KEEPING) $(PY) -m pytest -n $(WORKERS) --dist loadscope $(PYTEST)

check: $(DONE)/dev web_client/node_modules/.done
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(PY) -m client_protocol.typescript --check
	@$(PY) -m client_protocol.schema --check
	@$(NPM) run --silent check
	@scripts/check_deploy.sh

rules: $(DONE)/dev compiled
	@$(PY) -m tests.rules_coverage

# DEMO takes its flags: make demo-cluster DEMO="--matches 40 --seconds 120"
demo-cluster: $(DONE)/dev $(DONE)/system compiled
	@$(PY) -m tests.soak.cluster $(DEMO)

bench: $(DONE)/dev compiled
	@$(PY) -m tests.benchmarks $(BENCH)

build: $(DONE)/runtime $(WEB)
	@rm -rf dist
	@$(PY) -m hatchling build
	@ls dist

# Needs uv on the path. --universal: one file for every platform; no host and no index is written down.
LOCK := uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links
lock:
	@command -v uv >/dev/null || { echo "make lock needs uv: 'pip install uv', outside this environment." >&2; exit 1; }
	@cd requirements && $(LOCK) dev.in -o dev.lock && $(LOCK) -c dev.lock runtime.in -o runtime.lock \
		&& $(LOCK) -c dev.lock build.in -o build.lock && $(LOCK) node.in -o node.lock

clean:
	@rm -rf .venv dist server/_compiled web_client/node_modules web_client/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
