/* sanitized.h - numbers of repetitions under sanitizers, where a run is 20 to 100 times slower.
 * Only for tests whose property the optimised run checks in full: make test-sanitized is after
 * memory and undefined behaviour, which fewer repetitions of the same code show as well. */
#ifndef TEST_HELP_SANITIZED_H
#define TEST_HELP_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define IS_SANITIZED 0
#endif

#define UNLESS_SANITIZED(full, sanitized) (IS_SANITIZED ? (sanitized) : (full))

#endif
