# `make help` lists the commands. You need only python3 (3.11 or newer) and make. The tests also
# need Chromium, and `make test-all` needs R, PostgreSQL, HAProxy, strace, Firefox and WebKit. Each
# command installs the programs that are missing.
.DEFAULT_GOAL := help
.PHONY: help run central-dp check test test-browser test-all soak lint bench evidence clean vectors translations reference hashes lock audit sbom release
PYTHON ?= python3
# Where an environment forbids bytecode, each process of the tests would compile every module and
# rewrite every test again.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1	/'

.venv/ready: requirements.txt tools/venv.sh
	@sh tools/venv.sh $(PYTHON) requirements.txt ready

.venv/ready-central-dp: requirements-central-dp.txt tools/venv.sh
	@echo "This adds OpenDP, about 270 MB, to .venv."
	@sh tools/venv.sh $(PYTHON) requirements-central-dp.txt ready-central-dp

.venv/ready-dev: requirements-dev.txt tools/venv.sh
	@sh tools/venv.sh $(PYTHON) requirements-dev.txt ready-dev

central-dp: .venv/ready-central-dp ## Install the engine of central DP releases (OpenDP)

run: .venv/ready ## Set up and serve the demo on http://127.0.0.1:8000 (PORT=9000 for another port)
	@.venv/bin/candor demo

.PHONY: dev
dev: .venv/ready ## Serve this folder for development, restart after each change (data in .dev/)
	@.venv/bin/python -m tools.dev

# Tests with one of these markers run in `make test-all` alone. Of the other tests, `make test` runs
# QUICK, and `make test-browser` the rest.
LEFT_OUT = slow or needs_postgresql or needs_r or needs_haproxy or needs_strace
QUICK = plain or not browser
PYTEST = .venv/bin/python -m pytest --numprocesses=auto --maxprocesses=5 --dist=worksteal

check: .venv/ready-dev ## Lint, and run the fast tests, in about a minute
	@.venv/bin/ruff check -q .
	@.venv/bin/ruff format --check -q .
	@.venv/bin/mypy
	@.venv/bin/python -m tools.prose
	@.venv/bin/python -m tools.browser
	@.venv/bin/python -m pytest -q --numprocesses=2 --dist=worksteal -m "fast and not ($(LEFT_OUT))"

test: .venv/ready-dev ## Set up, and run the tests that need only Python, and one browser test per page
	@.venv/bin/python -m tools.browser
	@$(PYTEST) -m "($(QUICK)) and not ($(LEFT_OUT))"

test-browser: .venv/ready-dev ## Run the other tests in Chromium
	@.venv/bin/python -m tools.browser
	@$(PYTEST) -m "not ($(QUICK)) and not ($(LEFT_OUT))"

test-all: .venv/ready-dev ## Run the tests that both leave out: slow ones, PostgreSQL, R, HAProxy, strace, Firefox, WebKit
	@.venv/bin/python -m tools.browser
	@.venv/bin/python -m tools.r
	@.venv/bin/python -m tools.postgresql
	@.venv/bin/python -m tools.strace
	@.venv/bin/python -m tools.haproxy
	@.venv/bin/python -m tools.engines
	@$(PYTEST) -m "$(LEFT_OUT)"

soak: .venv/ready-dev ## Run the longest tests in full, one after the other (docs/evidence/reliability.md)
	@.venv/bin/python -m tools.browser
	@CANDOR_SOAK=yes .venv/bin/python -m pytest -v -m soak --durations=0

lint: .venv/ready-dev ## Check style, types, plain English and JavaScript
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/python -m tools.prose
	.venv/bin/python -m tools.browser
	.venv/bin/python -m pytest -q tests/browser/test_scripts.py

# If the libraries cannot be installed, this says so and continues without them. The next call tries
# again.
.venv-bench/ready: bench/requirements.txt tools/venv.sh
	@sh tools/venv.sh $(PYTHON) bench/requirements.txt ready .venv-bench || \
	sh tools/venv.sh $(PYTHON) requirements.txt ready-alone .venv-bench

bench: .venv-bench/ready ## Compare accuracy and speed with two other libraries, in one run
	@.venv-bench/bin/python -m bench

evidence: .venv/ready-dev ## Measure all studies of docs/evidence again (six hours; continues after an interruption)
	@.venv/bin/python -m bench.all_evidence

vectors: .venv/ready-dev ## Write tests/vectors again after a mechanism was added
	@.venv/bin/python -m tests.vectors.write

translations: .venv/ready-dev ## Add new sentences to translations/, to be translated
	@.venv/bin/python -m tools.translations

reference: .venv/ready-dev ## Write the generated parts of docs/reference/ from the code
	@.venv/bin/python -m tools.reference

hashes: .venv/ready ## Write the hashes of the respondents' scripts into SECURITY.md
	@.venv/bin/python -m tools.hashes

.venv-audit/ready: tools/requirements-audit.txt tools/venv.sh
	@sh tools/venv.sh $(PYTHON) tools/requirements-audit.txt ready .venv-audit

lock: .venv-audit/ready ## Write the locks again after a change of pyproject.toml (PACKAGE=flask: update it; NEWEST=yes: all)
	@.venv-audit/bin/python -m tools.lock $(if $(NEWEST),--upgrade) $(if $(PACKAGE),--upgrade-package $(PACKAGE))

audit: .venv-audit/ready ## Look for known vulnerabilities in all locked packages
	@.venv-audit/bin/python -m tools.audit

release: .venv-audit/ready ## Build wheel, sources, SBOM and checksums into dist/ (KEY=path of an SSH key: sign them)
	@.venv-audit/bin/python -m tools.release

sbom: .venv-audit/ready ## List the packages of Candor in sbom.json (CycloneDX)
	@.venv-audit/bin/python -m tools.sbom

clean: ## Remove the environment and caches; data in instance/ stays
	rm -rf .venv .venv-bench .venv-audit .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
