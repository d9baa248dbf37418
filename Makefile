# Two commands for a newcomer (README.md), the rest for contributors (CONTRIBUTING.md).
# Everything is installed into .venv, again only after a change of what it was built from.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

SOURCES := pyproject.toml CMakeLists.txt \
  $(shell find src native -type f -not -name '*.pyc' -not -name '*.so')
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test check reproduce format clean

help:
	@echo "make demo    install fastge into $(VENV), run its demo, leave pictures in demo-output/"
	@echo "make test    check, then every test, with coverage"
	@echo "make check   format, lint, types, dependency rule, doctests"
	@echo "make format  rewrite the code as 'make check' wants it"
	@echo "make clean   remove everything that was made here, but not results/"
	@echo "make reproduce [ONLY='four_moons images'] [SMALL=1] [PATIENCE=10]"
	@echo "             every figure of the paper, measured again; stop and go on as you like"

demo: $(VENV)/.installed
	$(BIN)/fastge demo --output demo-output

test: check
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered --cov-fail-under=95

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q --doctest-modules --pyargs fastge

reproduce: $(VENV)/.installed-experiments
	cd experiments && $(abspath $(BIN))/python -m reproduce $(if $(ONLY),--only $(ONLY)) \
	  $(if $(SMALL),--small) $(if $(PATIENCE),--patience $(PATIENCE))

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist demo-output .coverage .hypothesis .mypy_cache .pytest_cache \
	  .ruff_cache .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	@echo "Building fastge and installing it into $(VENV); the first time takes a minute or two"
	$(INSTALL) '.[plot,image]'
	touch $@

$(VENV)/.installed-experiments: $(SOURCES) | $(BIN)/python
	@echo "Building fastge and installing it into $(VENV); the first time takes a minute or two"
	$(INSTALL) '.[experiments]'
	touch $(VENV)/.installed $@

$(VENV)/.installed-dev: $(SOURCES) | $(BIN)/python
	@echo "Building fastge and installing it into $(VENV); the first time takes a minute or two"
	$(INSTALL) '.[dev]'
	touch $(VENV)/.installed $(VENV)/.installed-experiments $@
