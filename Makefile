# A thin front for CMake. `make run` and `make test` install what they need (scripts/packages.txt).
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all setup build run test test-sanitized bench install format clean

all: build

setup:
	@scripts/setup.sh

build: setup
	@cmake -S . -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build build -j $(JOBS)

run: build
	@mkdir -p results
	build/lieder simulate models/crane_crab.mo --output results/crane_crab.csv

test: build
	ctest --test-dir build --output-on-failure
	@$(MAKE) --no-print-directory test-sanitized

test-sanitized: setup
	@cmake -S . -B build-sanitized -DLIEDER_SANITIZE=ON > /dev/null
	@cmake --build build-sanitized -j $(JOBS)
	ASAN_OPTIONS=allocator_may_return_null=1 ctest --test-dir build-sanitized --output-on-failure

bench: build
	build/lieder-bench

install: build
	cmake --install build

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-sanitized results
