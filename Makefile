# Everything here works in a fresh clone with Python 3.11 or later, git and make.
# Everything it needs is installed into .venv and nowhere else. Two exceptions: if there is no Chromium
# or Chrome, `make test-all` fetches one, see tests/browser/ensure_browser.py; Spark has .venv-spark.

PYTHON ?= python3
PORT ?= 8501
ARGS ?=

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet

# One empty file per finished step; newer requirements make it out of date.
MADE := $(VENV)/.made
FOR_RUN := $(VENV)/.installed-run
FOR_DEV := $(VENV)/.installed-dev
FOR_BENCH := $(VENV)/.installed-bench
FOR_DOCS := $(VENV)/.installed-docs

SPARK := .venv-spark
FOR_SPARK := $(SPARK)/.installed-spark

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-spark raises java check house lock docs bundle pictures bench papers clean
.DELETE_ON_ERROR:

help:
	@echo "make run     start the app on this machine: http://127.0.0.1:$(PORT)"
	@echo "make test    run the desk tests in parallel: core, pages, command line"
	@echo "make test-all  run every test, as .ci/run does: also browser, server, engine, delivery, papers"
	@echo "make test-spark  run the tests of Spark, as .ci/run does; needs Java 17 or later, and 900 MB in $(SPARK)"
	@echo "make raises  list each refusal in the code that neither of these two reached"
	@echo "make check   ruff (rules and format), and mypy on core"
	@echo "make house   count rooms, imports between them, and duplicates"
	@echo "make lock    renew requirements*.lock from requirements*.txt, with hashes"
	@echo "make docs    build the site into dist/site, with slides and sample files; warnings are errors"
	@echo "make bench   measure the speed of core and of the tools it is compared with"
	@echo "make bundle  make a folder in dist/ that installs the app without a network"
	@echo "make pictures  retake the pictures of README and docs, from the running app"
	@echo "make papers  redraw the papers' figures next to the printed ones, into papers.html (some minutes)"
	@echo "make clean   remove the virtual environment and all caches"
	@echo
	@echo "PORT=8600 make run          another port"
	@echo "PYTHON=python3.12 make run  another Python, used when $(VENV) is made"
	@echo "make test ARGS='-k attack'  arguments for pytest; 'make run' (--open, --demo), bench and bundle take them, too"

run: $(FOR_RUN)
	@exec $(PY) launch.py --port "$(PORT)" $(ARGS)

# The tests start many processes; without saved bytecode each would recompile what it imports.
test test-all: export PYTHONDONTWRITEBYTECODE=
# The desk run: no browser, server, engine or installed program, and few examples per property.
test: export HYPOTHESIS_PROFILE ?= desk
test: $(FOR_DEV)
	@$(PY) -m pytest -n auto --dist worksteal -m "not long" $(ARGS)

# Every process that a test starts records each `raise` it reaches in .raised; `make raises` lists the others.
test-all test-spark: export COMPOSITION_RAISED := $(CURDIR)/.raised
test-all test-spark: export PYTHONPATH := $(CURDIR)/tests/guard
test-all: $(FOR_DEV) $(FOR_DOCS)
	@$(PY) tests/browser/ensure_browser.py
	@$(PY) -m pytest -n auto --dist worksteal $(ARGS)

raises: $(FOR_DEV)
	@$(PY) tests/guard/raised.py .raised

# In one process: each of these tests starts and stops Spark, and none may find another test's Spark.
test-spark: export SPARK_LOCAL_IP = 127.0.0.1
test-spark: java $(FOR_SPARK)
	@$(SPARK)/bin/python -m pytest -k spark tests/core/test_engine_spark*.py tests/core/test_engine_frames.py $(ARGS)

# Checked before each run: without Java every test of Spark would be skipped.
java:
	@"$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version >/dev/null 2>&1 || { \
		echo "Spark needs Java 17 or later, and there is none: install it (on Debian and Ubuntu the package is openjdk-17-jre-headless), or set JAVA_HOME to its folder." >&2; exit 1; }

check: $(FOR_DEV)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check . || { echo "'$(PY) -m ruff format .' fixes this."; exit 1; }
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-logo

house: $(FOR_DEV)
	@$(PY) -m tests.house $(ARGS)

bundle: $(FOR_DEV)
	@$(PY) -m delivery.bundle $(ARGS)

docs: $(FOR_DOCS)
	@$(PY) -m delivery.site $(ARGS)
	@echo "$(PY) -m http.server --bind 127.0.0.1 --directory dist/site shows it on http://127.0.0.1:8000"

pictures: $(FOR_DEV)
	@$(PY) tests/browser/ensure_browser.py
	@$(PY) -m delivery.pictures $(ARGS)
	@$(PY) -m delivery.moving

bench: $(FOR_BENCH)
	@$(PY) -m benchmarks $(ARGS)

papers: $(FOR_RUN)
	@$(PY) -m benchmarks.papers $(ARGS)

clean:
	rm -rf $(VENV) $(SPARK) .raised .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
		echo "'$(PYTHON)' was not found: install Python 3.11 or later, or name it with PYTHON=..., as in 'PYTHON=python3.12 make run'." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or later is needed, but '$(PYTHON)' is $$("$(PYTHON)" -V 2>&1): name another with PYTHON=..., as in 'PYTHON=python3.12 make run'." >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "'$(PYTHON)' comes without venv: install it (on Debian and Ubuntu the package is python3-venv) and try again." >&2; exit 1; }
	@echo "Making the virtual environment $(VENV) ..."
	@rm -rf $(VENV)
	@"$(PYTHON)" -m venv $(VENV)
	@touch $@

$(FOR_RUN): requirements.lock $(MADE)
	@echo "Installing requirements.lock into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(FOR_DEV): requirements-dev.lock $(MADE)
	@echo "Installing requirements-dev.lock into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $(FOR_RUN) $@

$(FOR_BENCH): requirements-bench.lock $(MADE)
	@echo "Installing requirements-bench.lock into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements-bench.lock
	@touch $(FOR_RUN) $@

$(FOR_DOCS): requirements-docs.lock $(MADE)
	@echo "Installing requirements-docs.lock into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements-docs.lock
	@touch $(FOR_RUN) $@

$(FOR_SPARK): requirements-spark.lock $(MADE)
	@echo "Installing requirements-spark.lock into $(SPARK) ..."
	@rm -rf $(SPARK)
	@$(PY) -m venv --without-pip $(SPARK)
	@$(PIP) --python $(SPARK)/bin/python install --require-hashes -r requirements-spark.lock
	@touch $@

# The locks list every package with the hashes of its files, for Python 3.11 and later.
lock: $(FOR_DEV)
	@set --; for part in "" -dev -bench -docs -spark; do \
		$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
			--no-emit-index-url --no-emit-find-links "$$@" requirements$$part.txt -o requirements$$part.lock || exit 1; \
		set -- "$$@" -c requirements$$part.lock; \
	done
	@echo "requirements*.lock are renewed; commit them with the change that required it."
