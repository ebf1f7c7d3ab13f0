/* fuzz_pattern.c - libFuzzer target: no text makes the regular expressions of the command line
 * crash, loop or lie.
 *
 * The first line is the expression, the second a name. Either the expression is refused with a
 * message, or the name is matched at once as it is piece by piece.
 *
 *   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc \
 *       test/record/fuzz_pattern.c src/base/[a-z]*.c -lm -o fuzz_pattern
 *   ./fuzz_pattern -max_len=300 NEW_CORPUS test/record/corpus
 */
#include "record/pattern.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_pattern: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), message[128];
    memcpy(text, data, size);
    text[size] = '\0';
    char *name = strchr(text, '\n');
    if (name)
        *name++ = '\0';
    Pattern *p = pattern_create(text, message, sizeof message);
    require(p || *message, "a refusal without a reason");
    if (p && name) {
        bool whole = pattern_matches(p, name);
        int state = pattern_start(p);
        for (const char *c = name; *c; c++)
            state = pattern_step(p, state, c, 1);
        require(pattern_failed(p) || pattern_accepts(p, state) == whole,
                "in pieces it is something else");
    }
    pattern_destroy(p);
    free(text);
    return 0;
}
