# The two commands of a fresh machine are `make demo` and `make test`; both make their own virtual environment.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
BUILD := $(VENV)/.installed
SOURCES := $(shell find csrc src -name '*.cpp' -o -name '*.h' -o -name '*.py') CMakeLists.txt pyproject.toml

.PHONY: demo test live bench sanitize lint docs wheel clean

demo: $(BUILD)
	$(PY) -m pip install -q tqdm
	$(PY) examples/gpt/train.py
	$(VENV)/bin/flambeau parity --threads 1

test: $(BUILD) $(VENV)/.test-tools
	$(PY) -m pytest tests --ignore=tests/live -q

# Comparison with a real PyTorch in the same environment: see .ci/run.
live: $(BUILD) $(VENV)/.test-tools
	$(PY) -m pytest tests/live -q

bench: $(BUILD) $(VENV)/.test-tools
	$(PY) benchmarks/run.py --sweep

sanitize:
	tools/sanitize.sh

lint: $(VENV)/.lint-tools
	$(VENV)/bin/ruff check src tests tools examples benchmarks
	$(VENV)/bin/clang-format --dry-run --Werror $$(find csrc -name '*.cpp' -o -name '*.h')
	$(VENV)/bin/mypy

# docs/coverage.md also holds measurements, docs/performance.md times: tools/write_coverage.py and `make bench`.
docs: $(BUILD)
	$(PY) tools/write_stubs.py

wheel: $(BUILD)
	$(PY) tools/check_wheel.py dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --upgrade pip

# What is tested is the wheel, built once.
$(BUILD): $(VENV)/bin/python $(SOURCES)
	rm -f dist/flambeau-*.whl
	$(PY) -m pip wheel -q --no-deps -w dist .
	$(PY) -m pip install -q --no-deps --force-reinstall dist/flambeau-*.whl
	touch $@

$(VENV)/.test-tools: $(VENV)/bin/python pyproject.toml
	$(PY) -m pip install -q 'pytest>=8' pytest-timeout 'hypothesis>=6' 'numpy>=1.26' safetensors
	touch $@

$(VENV)/.lint-tools: $(VENV)/bin/python
	$(PY) -m pip install -q ruff==0.17.6 mypy==2.4.1 clang-format==23.1.5
	touch $@

clean:
	rm -rf build dist $(VENV) .venv-live src/flambeau/*.so
