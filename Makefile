# `make train` and `make test` are all that a fresh machine needs, beside Python 3.11 or newer and make.
# Every target may be run again, and may be interrupted.

PYTHON ?= $(shell python3.11 -c pass 2>/dev/null && echo python3.11 || echo python3)
PY := .venv/bin/python

MINUTES ?= 5
SEED ?= 1
OUT ?= runs/quick
PYTEST_ARGS ?=
# The share of random games that the tests of the environment play; the slow ways of running them play fewer.
SCALE_NOJIT ?= 0.02
SCALE_BOUNDS ?= 0.2
LOWEST_TESTS ?= $(wildcard tests/env/test_aec_*.py tests/env/test_vector_*.py) \
	tests/env/test_partners.py tests/env/test_render.py tests/env/test_drawing.py tests/env/test_testing.py
# Processes that test at the same time: one a core. A test may run in any of them and in any order.
WORKERS ?= logical
PARALLEL := -n $(WORKERS) --maxprocesses 8 --dist worksteal
TORCH ?= 2.13.0

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env train champion test test-perf check format test-nojit test-bounds test-lowest bench constraints docs clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# install DIRECTORY, WHAT: a complete virtual environment, or a new one. While an install runs, a file stands
# beside the folder; one that is still there at the start means that the last install was cut short.
define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/it")'
	@echo "== $(1): installing (a few minutes the first time)"
	@if [ -e $(1).incomplete ] || ! $(1)/bin/python -m pip --version >/dev/null 2>&1; then \
	    touch $(1).incomplete; $(PYTHON) -m venv --clear $(1); fi
	@touch $(1).incomplete; rm -f $(1)/.installed
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"  # knows dependency groups
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2)
	@rm $(1).incomplete
	@touch $(1)/.installed
endef

.venv/.installed: pyproject.toml constraints.txt
	$(call install,.venv,-c constraints.txt -e ".[play]" --group dev)

.venv-lowest/.installed: pyproject.toml constraints-lowest.txt
	$(call install,.venv-lowest,-c constraints-lowest.txt -e . --group test)

env: .venv/.installed ## make the virtual environment .venv

train: .venv/.installed ## train a team by self-play (MINUTES=5 SEED=1 OUT=runs/quick)
	$(PY) -m train.selfplay --preset quick --minutes $(MINUTES) --seed $(SEED) --out $(OUT) --if-exists number

champion: .venv/.installed ## how the player in players/weights was made, with SEED=2 (60 minutes)
	$(PY) -m train.expert_iteration --preset two-cores --minutes 60 --threads 1 --ppo.critic-warmup-updates 20 \
	    --ppo.critic-width 0 --seed $(SEED) --eval.every 300 --eval.pairs 1024 --out runs/champion --if-exists number

test: .venv/.installed ## run the tests (PYTEST_ARGS="-k name" to choose)
	$(PY) -m pytest -q -m "not slow and not perf" $(PARALLEL) $(PYTEST_ARGS)

test-perf: .venv/.installed ## the tests that measure time or memory, one after the other
	$(PY) -m pytest -q -m "perf and not slow" $(PYTEST_ARGS)

check: .venv/.installed ## format, lint and types, changing nothing
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m pyright

format: .venv/.installed ## put the code in form
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

test-nojit: .venv/.installed ## the tests of the environment with the compiler off
	NUMBA_DISABLE_JIT=1 PERSIAN_RUMMY_TEST_SCALE=$(SCALE_NOJIT) \
	    $(PY) -m pytest -q -m "not slow and not perf" $(PARALLEL) tests/env $(PYTEST_ARGS)

test-bounds: .venv/.installed ## the tests of the environment with array bounds checked
	NUMBA_BOUNDSCHECK=1 PERSIAN_RUMMY_TEST_SCALE=$(SCALE_BOUNDS) \
	    $(PY) -m pytest -q -m "not slow and not perf" $(PARALLEL) tests/env $(PYTEST_ARGS)

test-lowest: .venv-lowest/.installed ## the AEC and vector environments on the lowest versions that the ranges allow
	.venv-lowest/bin/python -m pytest -q -m "not slow and not perf" $(LOWEST_TESTS) $(PYTEST_ARGS)

bench: .venv/.installed ## decisions per second of both environments
	$(PY) -m experiments.speed --peers none

# In a clean environment, torch first and alone: what else is installed follows it. A local build's tag (+cpu, +cu…) is
# dropped, so the file holds for every build of the same release.
constraints: ## write constraints.txt again, from the newest versions that the ranges allow (TORCH=2.13.0)
	$(PYTHON) -m venv --clear .venv-constraints
	.venv-constraints/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1" torch==$(TORCH)
	.venv-constraints/bin/python -m pip install --quiet --disable-pip-version-check torch==$(TORCH) ".[play,plot]" \
	    --group wandb --group export --group ray --group dev
	{ sed -n '/^#/p' constraints.txt; .venv-constraints/bin/python -m pip freeze --all --exclude pip \
	    --exclude persian-rummy-rl | sed 's/+[a-z0-9.]*$$//'; } > constraints.txt.new
	mv constraints.txt.new constraints.txt
	rm -rf .venv-constraints

.venv-docs/.installed: pyproject.toml
	$(call install,.venv-docs,--group docs)

docs: .venv-docs/.installed ## build the documentation site into site/
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict

clean: ## remove caches and builds; keep the environments and the runs
	rm -rf build dist site .cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +
