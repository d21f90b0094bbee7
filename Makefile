# Every target sets up what it needs, in a fresh clone too: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(origin CXX),default)
CXX := c++
endif

# Folders too: theirs is the time that changes when a file goes.
SOURCES := pyproject.toml CMakeLists.txt LICENSE $(shell find native src -not -path '*/__pycache__*')

# Where there is a compiler, a native core that does not build is an error and not a reason to go without.
ifneq ($(shell command -v $(CXX) 2>/dev/null),)
export DECIDUOUS_REQUIRE_NATIVE ?= 1
endif

.PHONY: demo test lint sanitize bench soak clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 -q -m "not slow" tests

lint: $(VENV)/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror native/* tests/native/*.cpp

# The sanitized core lies in a copy of the package that PYTHONPATH puts before the installed one. libstdc++
# is preloaded too: ASan must find the function that throws C++ exceptions before any module brings it in.
# Threads are watched by TSan in a program of their own, as Python is not built for it.
SANITIZED := build/sanitize/site
sanitize: $(VENV)/installed
	rm -rf $(SANITIZED)
	$(BIN)/pip install -q --no-build-isolation --no-deps --target $(SANITIZED) -C build-dir=build/sanitize/cmake \
	    -C cmake.build-type=Debug -C cmake.define.DECIDUOUS_SANITIZE=ON .
	PYTHONPATH=$(SANITIZED) ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	    $(BIN)/python -m pytest -n 2 -q -p no:cacheprovider tests/native
	mkdir -p build/sanitize/threads
	cd build/sanitize/threads && $(CXX) -std=c++20 -O1 -g -fsanitize=thread -pthread -c \
	    $(addprefix ../../../,$(filter-out native/bind%,$(wildcard native/*.cpp)))
	set -e; for program in growing_with_threads surrogates_with_threads; do \
	    $(CXX) -std=c++20 -O1 -g -fsanitize=thread -pthread -Inative -o build/sanitize/$$program \
	        tests/native/$$program.cpp build/sanitize/threads/*.o; \
	    build/sanitize/$$program; done

# All benchmarks beside their peers, then benchmarks/RESULTS.md. `make bench CLAIMS=fit_classes` runs one script only,
# `make bench BENCH=--quick` tries them with tiny tables; BENCH may hold any of the scripts' options.
# A peer that cannot be installed is shown as absent, and a script that fails does not keep the others from running.
BENCH ?=
CLAIMS ?= $(basename $(notdir $(wildcard benchmarks/*.py)))
BENCH_BIN := .venv-bench/bin
bench: .venv-bench/installed
	failed=; for claim in $(sort $(CLAIMS)); do $(BENCH_BIN)/python benchmarks/$$claim.py $(BENCH) || failed=1; done; \
	    cd benchmarks && ../$(BENCH_BIN)/python -m common.report && test -z "$$failed"

# Everything, the slow tests too, with far more random examples.
soak: $(VENV)/installed
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n 2 -q tests

clean:
	rm -rf build dist $(VENV) .venv-bench .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

.venv-bench/created: benchmarks/requirements.txt
	$(PYTHON) -m venv .venv-bench
	$(BENCH_BIN)/pip install -q --upgrade pip
	grep -v '^#' $< | while read -r peer; do $(BENCH_BIN)/pip install -q "$$peer" || echo "not installed: $$peer"; done
	touch $@

.venv-bench/installed: .venv-bench/created $(SOURCES)
	$(BENCH_BIN)/pip install -q .
	touch $@

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q scikit-build-core nanobind cmake ninja
	touch $@

$(VENV)/installed: $(VENV)/created $(SOURCES)
	$(BIN)/pip install -q --no-build-isolation '.[dev]'
	touch $@
