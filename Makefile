# The commands of those who work on OneKernel; docs/en/contributing.md says when to use which. They run in .venv, which
# the first of them makes. Words for pytest: make test ARGS="tests/unit -k cache".
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
PORT ?= 8000

.PHONY: check fix test test-all test-corpora suite docs bench matrix

check: $(BIN)/python  ## linters, types, and everything generated compared with what it is generated from
	$(BIN)/python -m ruff check
	$(BIN)/python -m mypy
	$(BIN)/onekernel author starters --check
	$(BIN)/onekernel author stamp --check
	$(BIN)/python -m audits.book tables --check
	$(BIN)/python -m audits.book drawings --check

fix: $(BIN)/python  ## writes what `check` compares: imports in order, starters, stamps of translations, tables
	$(BIN)/python -m ruff check --fix
	$(BIN)/onekernel author starters
	$(BIN)/python -m audits.book tables
	$(BIN)/python -m audits.book drawings
	$(BIN)/onekernel author stamp

test: $(BIN)/python  ## the fast tests, in parallel: before each commit
	$(PYTEST) -m "not slow" $(ARGS)

test-all: $(BIN)/python  ## all tests, in parallel: before a change is handed in
	$(PYTEST) $(ARGS)

test-corpora: $(BIN)/python  ## all tests with the whole corpora, of which the others take a sample: hours
	$(PYTEST) --corpora $(ARGS)

suite: $(BIN)/python  ## how long the tests take on this machine, for the table of docs/en/contributing.md
	$(BIN)/python -m audits.suite $(ARGS)
	$(BIN)/python -m audits.book tables

docs: $(BIN)/zensical  ## the pages as a site, built strictly, on this machine
	$(BIN)/onekernel docs --port $(PORT)

bench: $(BIN)/python  ## the results of docs/en/results.md, again, on this machine's GPU; without one, what it would measure
	$(BIN)/python bench/softmax.py
	$(BIN)/python bench/roofline.py
	$(BIN)/python -m audits.book tables

matrix:  ## a cell of the matrix of machines in an environment of its own, CELL=py3.12-torch2.15-clang16; without one, the cells
	PYTHONPATH=src python3 -m audits.matrix $(CELL) $(ARGS)

$(BIN)/python:
	python3 -m venv .venv
	$(BIN)/pip install -q -e ".[test]"

$(BIN)/zensical: $(BIN)/python
	$(BIN)/pip install -q -e ".[docs]"
