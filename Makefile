# Everything runs in .venv, which is made when it is missing. PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench docs league clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@ $(VENV)/installed

setup: $(VENV)/installed  ## make .venv and install paraphrast into it

demo: setup  ## compare two systems on the bundled examples
	$(BIN)/paraphrast compare \
	  -c copycat=examples/paraphrase/copycat.txt -c rewriter=examples/paraphrase/rewriter.txt \
	  -r examples/paraphrase/references.jsonl -s examples/paraphrase/sources.txt \
	  -m bleu -m chrf++ -m ter -m rougeL -m pinc -m rouge_p

lint: $(VENV)/installed-dev  ## ruff, mypy and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## everything that must hold, with the reference tools as oracles
	$(BIN)/pytest

bench: $(VENV)/installed-dev  ## speed against the reference tools, in the same run
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.meta

docs: $(VENV)/installed-docs  ## build the documentation into site/
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

league: $(VENV)/installed-dev  ## judge every lexical metric and rewrite docs/league.md
	$(BIN)/python docs/league.py

clean:  ## remove what the other targets made
	rm -rf $(VENV) site docs/metrics .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
