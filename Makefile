# `make help` lists what there is. Nothing outside this folder is needed beforehand but python3
# (3.11 or newer) and make; `make test` looks for a Chromium, `make test-all` also for an R, a PostgreSQL,
# an HAProxy and strace, and each installs what is missing.
.DEFAULT_GOAL := help
.PHONY: help run central-dp check test test-all soak lint bench interval-coverage clean vectors translations reference hashes lock audit sbom
PYTHON ?= python3
FLASK = .venv/bin/flask --app app

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1	/'

.venv/ready: requirements.lock tools/venv.sh
	@sh tools/venv.sh $(PYTHON) requirements.lock ready

.venv/ready-central-dp: requirements-central-dp.lock tools/venv.sh
	@echo "This adds OpenDP, about 270 MB, to .venv."
	@sh tools/venv.sh $(PYTHON) requirements-central-dp.lock ready-central-dp

.venv/ready-dev: requirements-dev.lock tools/venv.sh
	@sh tools/venv.sh $(PYTHON) requirements-dev.lock ready-dev

central-dp: .venv/ready-central-dp ## Install the engine of central DP releases (OpenDP)

run: .venv/ready ## Set up and serve the demo on http://127.0.0.1:8000 (PORT=9000 for another port)
	@$(FLASK) serve

.PHONY: dev
dev: .venv/ready ## Serve this folder for development, restart after each change (data in .dev/)
	@.venv/bin/python -m tools.dev

# A marker in the test's own file says that `make test` leaves it to `make test-all`.
LEFT_OUT = slow or needs_postgresql or needs_r or needs_haproxy or needs_strace
PYTEST = .venv/bin/python -m pytest --numprocesses=auto --maxprocesses=5 --dist=worksteal

check: .venv/ready-dev ## Lint and the fast tests, in a minute
	@.venv/bin/ruff check -q .
	@.venv/bin/ruff format --check -q .
	@.venv/bin/mypy
	@.venv/bin/python -m tools.prose
	@.venv/bin/python -m tools.browser
	@.venv/bin/python -m pytest -q --numprocesses=2 --dist=worksteal -m "fast and not ($(LEFT_OUT))"

test: .venv/ready-dev ## Set up, browser included, and run the tests that need only Python and Chromium
	@.venv/bin/python -m tools.browser
	@$(PYTEST) -m "not ($(LEFT_OUT))"

test-all: .venv/ready-dev ## The tests that `make test` leaves out: slow ones, PostgreSQL, R, HAProxy, strace
	@.venv/bin/python -m tools.browser
	@.venv/bin/python -m tools.r
	@.venv/bin/python -m tools.postgresql
	@.venv/bin/python -m tools.strace
	@.venv/bin/python -m tools.haproxy
	@$(PYTEST) -m "$(LEFT_OUT)"

soak: .venv/ready-dev ## The longest tests in full, one after the other (docs/evidence/reliability.md)
	@.venv/bin/python -m tools.browser
	@CANDOR_SOAK=yes .venv/bin/python -m pytest -v -m soak --durations=0

lint: .venv/ready-dev ## Style, types, plain English, and the JavaScript checks
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/python -m tools.prose
	.venv/bin/python -m tools.browser
	.venv/bin/python -m pytest -q tests/browser/test_scripts.py

# Goes on without the libraries where they cannot be installed; says so, and tries again next time
.venv-bench/ready: bench/requirements.lock tools/venv.sh
	@sh tools/venv.sh $(PYTHON) bench/requirements.lock ready .venv-bench || \
	sh tools/venv.sh $(PYTHON) requirements.lock ready-alone .venv-bench

bench: .venv-bench/ready ## Compare accuracy and speed with two other libraries, in one run
	@.venv-bench/bin/python -m bench

interval-coverage: .venv/ready-dev ## Measure anew how often every kind of interval holds the truth (half an hour)
	@.venv/bin/python -m bench.interval_coverage.coverage

vectors: .venv/ready-dev ## Write tests/vectors anew after a mechanism was added
	@.venv/bin/python -m tests.vectors.write

translations: .venv/ready-dev ## Add new sentences to translations/, for somebody to translate
	@.venv/bin/python -m tools.translations

reference: .venv/ready-dev ## Write the generated parts of docs/reference/ from the code
	@.venv/bin/python -m tools.reference

hashes: ## Write the hashes of the respondents' scripts into SECURITY.md
	@$(PYTHON) -m tools.hashes

.venv-audit/ready: tools/requirements-audit.lock tools/venv.sh
	@sh tools/venv.sh $(PYTHON) tools/requirements-audit.lock ready .venv-audit

lock: .venv-audit/ready ## Write the locks anew after a change of requirements (NEWEST=yes: all that is indirect, too)
	@.venv-audit/bin/python -m tools.lock $(if $(NEWEST),--newest)

audit: .venv-audit/ready ## Look for published holes in everything that is locked
	@.venv-audit/bin/python -m tools.audit

sbom: .venv-audit/ready ## List what Candor runs on in sbom.json (CycloneDX)
	@.venv-audit/bin/python -m tools.sbom

clean: ## Remove the environment and caches; data in instance/ stays
	rm -rf .venv .venv-bench .venv-audit .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
