/* full.h - tests have a brief part, which `make test` runs, and a full one, which .ci/run runs as
 * well, by LIEDER_TESTS=full in the environment (make test-full). In full a test takes more seeds,
 * sizes and pairs of what it takes in brief, never less. Sanitized tests are always brief: they
 * are after memory and undefined behaviour, which fewer repetitions of the same code show.
 * CONTRIBUTING.md has a table of what is in full only. */
#ifndef TEST_HELP_FULL_H
#define TEST_HELP_FULL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "help/sanitized.h"

static inline bool tests_are_full(void)
{
    const char *tests = getenv("LIEDER_TESTS");
    return !IS_SANITIZED && tests && strcmp(tests, "full") == 0;
}

#define IN_FULL(full, brief) (tests_are_full() ? (full) : (brief))

#endif
