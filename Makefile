# A thin front for CMake. `make run` and `make test` install what they need (scripts/packages.txt).
MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local

.PHONY: all setup build mpi run test test-full test-mpi sanitized test-sanitized test-threads test-view fuzz test-libraries test-fmi bench bench-docs bench-mpi bench-peers bench-view pictures guide-pictures install package test-package format clean

all: build

setup:
	@scripts/setup.sh

build: setup
	@cmake -S . -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build build -j $(JOBS)

run: build
	@mkdir -p results
	build/lieder simulate models/crane_crab.mo --output results/crane_crab.csv
	@build/lieder plot results/crane_crab.csv --panel --y prismatic.s revolute.phi --size 100x20
	build/lieder plot results/crane_crab.csv --output results/crane_crab.png
	build/lieder draw results/crane_crab.csv --model models/crane_crab.mo --to 0.95 --output results/crane_crab_motion.png
	build/lieder draw results/crane_crab.csv --model models/crane_crab.mo --animate --output results/crane_crab_motion.svg
	@echo "pictures: results/crane_crab.png and crane_crab_motion.png; in a browser crane_crab_motion.svg moves"
	@echo "to see it move beside its curves, with sliders: build/lieder view models/crane_crab.mo"

# the program as ranks of MPI, build/lieder-mpi: docs/clusters.md
mpi: build
	@scripts/setup.sh scripts/packages-mpi.txt
	@cmake -S . -B build > /dev/null
	@cmake --build build -j $(JOBS) --target lieder-mpi

# several processes against one: the same files to the byte. OpenMPI is installed here only.
test-mpi: mpi
	@scripts/test_mpi.sh

# every test, optimised, in brief: a few minutes from a clean clone. .ci/run has them in full, the sanitizers and the fuzzers as
# well: CONTRIBUTING.md
test: build
	ctest --test-dir build --output-on-failure -j $(JOBS)

# the same tests with all seeds, sizes and pairs of each: test/help/full.h
test-full: build
	LIEDER_TESTS=full ctest --test-dir build --output-on-failure -j $(JOBS)

# every test under AddressSanitizer and UBSan. clang, because it takes half of gcc's time for it, and the fuzz targets are linked
# with the same library.
sanitized: setup
	@cmake -S . -B build-sanitized -DLIEDER_SANITIZE=ON -DCMAKE_C_COMPILER=clang > /dev/null
	@cmake --build build-sanitized -j $(JOBS)

test-sanitized: sanitized
	ASAN_OPTIONS=allocator_may_return_null=1 ctest --test-dir build-sanitized --output-on-failure -j $(JOBS)

# runs with several threads under ThreadSanitizer
test-threads: setup
	@cmake -S . -B build-threads -DLIEDER_SANITIZE_THREADS=ON -DCMAKE_C_COMPILER=gcc > /dev/null
	@cmake --build build-threads -j $(JOBS) --target test_simulate test_pool
	TSAN_OPTIONS=halt_on_error=1 ctest --test-dir build-threads -R '^test_(simulate|pool)$$' --output-on-failure

# the viewer's page in Debian's Chromium, which is installed here only
test-view: build
	@scripts/setup.sh scripts/packages-view.txt
	@scripts/test_view.sh

# sizes and times of the viewer's page, in the browser of test-view; then the pictures of docs/viewer.md
bench-view: build
	@scripts/setup.sh scripts/packages-view.txt
	@cd test/view/page && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@node bench/view.mjs
	@node test/view/page/pictures.mjs docs/pictures

# the front end, readers of files and expressions on kept corpora and a little beyond: one sequence of inputs every time, so that a
# landing does not depend on luck. FUZZ_SECONDS=600 FUZZ_SEED=0 for a long run from a seed that changes
FUZZ_SECONDS ?= 10
FUZZ_SEED ?= 1
fuzz: sanitized
	@scripts/fuzz.sh build-sanitized $(FUZZ_SECONDS) $(FUZZ_SEED)

# examples of libraries that are not part of the project against their references; writes docs/libraries.md. How
# LIBRARIES is laid out: scripts/libraries.sh
test-libraries: build
	@scripts/libraries.sh $(LIBRARIES)
	@LIBRARIES="$(LIBRARIES)" scripts/test_guide.sh build/lieder

# the tools of others on our FMUs, which the user has built: scripts/test_fmi.sh
test-fmi: build
	@scripts/test_fmi.sh "$(FMUSIM)" "$(FMPY)" "$(SCHEMAS)" "$(FMUS)"

bench: build
	build/lieder-bench

# two ranks against two threads, memory and messages of ranks; needs a machine without other work: results/bench_mpi.md
bench-mpi: mpi
	python3 bench/mpi.py

# what make bench left, into docs/performance.md, docs/performance/table.md and docs/pictures
bench-docs: build
	@sed -i -e '/bench.md: begin/,/bench.md: end/{//!d}' -e '/bench.md: begin/r results/bench.md' docs/performance/table.md
	@sed -i -e '/bench_aims.md: begin/,/bench_aims.md: end/{//!d}' -e '/bench_aims.md: begin/r results/bench_aims.md' docs/performance.md
	@scripts/pictures.sh 003

# other programs on the same mechanisms: MuJoCo and Simbody of Debian
bench-peers: build
	@scripts/setup.sh scripts/packages-peers.txt
	@cmake -S . -B build > /dev/null
	@cmake --build build -j $(JOBS) --target lieder-bench-peers
	build/lieder-bench-peers

# the experiments of the papers, drawn: docs/pictures
pictures: build
	@scripts/pictures.sh

# those of the guide and of the machines, by the commands that stand there: docs/pictures/guide
guide-pictures: build
	@scripts/test_guide.sh build/lieder docs/pictures/guide

install: build
	cmake --install build
	@[ "$$(id -u)" != 0 ] || ldconfig

# Debian packages, in build-package/packages, with programs as Debian has them: at any place in memory, with shared libraries; lintian
# is installed here only
package: setup
	@scripts/setup.sh scripts/packages-package.txt
	@cmake -S . -B build-package -DCMAKE_INSTALL_PREFIX=/usr -DLIEDER_TESTS=OFF -DLIEDER_PIE=ON > /dev/null
	@cmake --build build-package -j $(JOBS) --target lieder-cli lieder-shared lieder-static lieder-python
	@rm -rf build-package/packages && cd build-package && cpack > cpack.log || { cat cpack.log; exit 1; }
	@rm -rf build-package/packages/_CPack_Packages; ls -s build-package/packages/*.deb
	lintian --fail-on error build-package/packages/*.deb

# the packages in a clean root of Debian, as root
test-package: package
	@scripts/install/test_package.sh build-package/packages

# code by clang-format, documents in lines of 100 characters
format:
	clang-format -i $$(git ls-files '*.c' '*.h')
	@scripts/wrap.py $$(git ls-files '*.md' | grep -v '^docs/libraries.md$$')

clean:
	rm -rf build build-package build-sanitized build-threads results
