# How everything runs: by hand, in .ci/run and in the workflows. `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMPS := $(VENV)/.stamps
WHEELS := target/wheels
DIST := target/dist

# One interpreter for every build, so that cargo's cache holds across targets.
export PYO3_PYTHON := $(CURDIR)/$(PY)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Handed on to pytest, as in: make test PYTEST_ARGS="-k rrf"
PYTEST_ARGS ?=
# Extras that come with the installed wheel.
EXTRAS ?= all

.DEFAULT_GOAL := help
.PHONY: help setup build test test-rust test-python fuzz soak demo bench bench-full bench-rust quality \
	lint lint-rust lint-python types format docs wheel sdist check-dist audit clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- setting up -------------------------------------------------------------------------------

setup: $(STAMPS)/dev ## create .venv with the pinned tools
	@command -v cargo >/dev/null || { \
	  echo "cargo was not found: install Rust 1.89 or later (https://rustup.rs), then try again"; exit 1; }

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Each dependency group of pyproject.toml is installed once, and again when that file changes.
$(STAMPS)/%: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet "pip>=25.1"
	$(PY) -m pip install --quiet --group $*
	@mkdir -p $(STAMPS) && touch $@

# The wheel is what a user gets, so it is what is tested: never the source folder.
build: setup ## build the wheel and install it into .venv
	@rm -rf $(WHEELS) && mkdir -p $(WHEELS)
	$(PY) -m maturin build --release --out $(WHEELS)
	$(PY) -m pip install --quiet "$$(echo $(WHEELS)/rankmeld-*.whl)[$(EXTRAS)]"
	$(PY) -m pip install --quiet --force-reinstall --no-deps $(WHEELS)/rankmeld-*.whl

# --- testing ----------------------------------------------------------------------------------

test: test-rust test-python ## run every test: cargo's, then pytest on the installed wheel

test-rust: setup
	cargo test --workspace

test-python: build
	$(PY) -m pytest $(PYTEST_ARGS)

# Hypothesis finds the property tests by its marker; each gets an hour before it counts as stuck.
FUZZ_CASES ?= 100000
fuzz: build ## search for counterexamples with a large budget: proptest, then hypothesis
	PROPTEST_CASES=$(FUZZ_CASES) cargo test --release -p rankmeld-core
	$(PY) -m pytest --hypothesis-profile=fuzz --timeout=3600 -m hypothesis $(PYTEST_ARGS)

soak: build ## ten minutes of eight threads on one cache: memory must stay flat
	$(PY) tests/cache/soak.py 600

demo: EXTRAS := cli,embed,embed-static
demo: build ## index a real manual, ask three questions, explain the answers
	$(PY) examples/demo/run.py

bench: build $(STAMPS)/test ## a quick pass over the benchmarks, against the reference
	$(PY) -m benches.python --quick

bench-full: build $(STAMPS)/peers ## every benchmark, with the libraries people use today beside it
	$(PY) -m benches.python

bench-rust: setup ## criterion benchmarks of the core
	cargo bench --workspace

quality: build $(STAMPS)/test ## how good the answers are on collections with known answers: docs/quality.md
	$(PY) -m benches.quality

# --- checking ----------------------------------------------------------------------------------

lint: lint-rust lint-python types ## formatting, lints, types and the stub

lint-rust: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

lint-python: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .

types: build
	$(PY) -m mypy
	$(PY) -m mypy.stubtest rankmeld._core

format: setup ## rewrite the sources in the house's formatting
	cargo fmt --all
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

docs: build $(STAMPS)/docs ## build the documentation into target/docs; a warning is an error
	$(PY) -m sphinx -W --keep-going -q -b html -d target/doctrees docs target/docs
	@echo "open target/docs/index.html"

# --- packages ---------------------------------------------------------------------------------

wheel: setup $(STAMPS)/manylinux ## build the portable Linux wheel (manylinux_2_17) into target/dist
	@mkdir -p $(DIST) && rm -f $(DIST)/*.whl
	@# zig is found through the environment's own folder.
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PY) -m maturin build --release --zig --compatibility manylinux_2_17 --out $(DIST)

sdist: setup ## build the source distribution into target/dist
	@mkdir -p $(DIST) && rm -f $(DIST)/*.tar.gz
	$(PY) -m maturin sdist --out $(DIST)

check-dist: wheel sdist ## install both packages into fresh environments and use them
	$(PY) scripts/check_dist.py $(DIST)

audit: build $(STAMPS)/audit ## known vulnerabilities of what we depend on, and the workflows
	@command -v cargo-deny >/dev/null || { \
	  echo "cargo-deny was not found: cargo install --locked cargo-deny, then try again"; exit 1; }
	cargo deny check
	$(PY) -m pip_audit --skip-editable
	$(VENV)/bin/zizmor --offline --min-severity medium .github/workflows

clean: ## remove what was built (not .venv)
	cargo clean
