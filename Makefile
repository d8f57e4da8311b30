# Everything runs in .venv, which is made when it is missing. PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup demo check lint test soak bench house docs wheels league stress quality checks backbones round-trips \
	generator-pairs clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[encoder]' --editable ./weights/encoder --editable ./weights/generator
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]' --editable ./weights/encoder --editable ./weights/encoder-base \
		--editable ./weights/generator
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[docs,encoder]' --editable ./weights/encoder --editable ./weights/generator
	@touch $@ $(VENV)/installed

setup: $(VENV)/installed  ## make .venv and install paraphrast into it

demo: setup  ## compare two systems on the bundled examples
	$(BIN)/paraphrast compare \
	  -c copycat=examples/paraphrase/copycat.txt -c rewriter=examples/paraphrase/rewriter.txt \
	  -r examples/paraphrase/references.jsonl -s examples/paraphrase/sources.txt \
	  -m bleu -m chrf++ -m ter -m rougeL -m pinc -m rouge_p \
	  -m bertscore -m parableu -m paratag
	$(BIN)/paraphrast tag "The company sold 40 trucks to Poland in March." \
	  "The firm sold 25 trucks to Norway in March."

check: lint  ## lint and the quick tests, in under three minutes: before each commit
	$(BIN)/pytest -q -n 2 --dist loadfile @tests/quick.txt

lint: $(VENV)/installed-dev  ## ruff, mypy and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint backbones/minilm  ## everything that must hold, with the reference tools as oracles
	$(BIN)/pytest -n 2 --dist loadfile  # files are shared out between two processes

soak: $(VENV)/installed-dev  ## kills, damaged files, full disks, the server under load; PARAPHRAST_SOAK=200 for more
	$(BIN)/pytest -m soak -s tests/soak

bench: $(VENV)/installed-dev  ## speed against the reference tools, in the same run
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.meta
	$(BIN)/python -m benchmarks.encoder
	$(BIN)/python recipes/backbones.py minilm
	$(BIN)/python -m benchmarks.embedding
	$(BIN)/python -m benchmarks.mine
	$(BIN)/python recipes/restored.py weights/generator/paraphrast_generator backbones/paraphraser
	$(BIN)/python -m benchmarks.generate
	$(BIN)/python -m benchmarks.constraints
	$(BIN)/python -m benchmarks.build

house: $(VENV)/installed-dev  ## figures of the code itself: files, names, calls, starting times
	$(BIN)/python -m benchmarks.house

docs: $(VENV)/installed-docs  ## build the documentation into site/
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheels: $(VENV)/installed-dev  ## build wheels and sdists of the package and the weights into dist/
	for project in . weights/*/; do $(BIN)/python -m build --no-isolation --outdir dist $$project || exit 1; done

league: $(VENV)/installed-dev  ## judge the metrics and rewrite docs/league.md
	$(BIN)/python docs/league.py

stress: $(VENV)/installed-dev  ## our metrics on minimal pairs and edge cases; rewrites docs/stress.md
	$(BIN)/python docs/stress.py

quality: $(VENV)/installed-dev  ## the encoders on held-out sets; rewrites docs/quality.md
	$(BIN)/python docs/quality.py

checks: $(VENV)/installed-dev  ## precision and recall of the judge's deterministic checks
	$(BIN)/python recipes/measure_checks.py

backbones/minilm: | $(VENV)/installed-dev
	$(BIN)/python recipes/backbones.py minilm

backbones: | $(VENV)/installed-dev  ## fetch the pretrained weights that the recipes start from
	$(BIN)/python recipes/backbones.py

round-trips: backbones  ## write the machine-translated candidates that recipes/mini.toml reads
	$(BIN)/python recipes/round_trips.py --output runs/round_trips.jsonl.gz

generator-pairs: backbones  ## write the pairs that recipes/generator.toml reads
	$(BIN)/python recipes/generator_pairs.py --output runs/generator_data

clean:  ## remove what the other targets made
	rm -rf $(VENV) site dist docs/metrics .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
