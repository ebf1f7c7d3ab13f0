/* fuzz_parse.c - libFuzzer target: no bytes make the parser crash, loop or lie.
 *
 * Checks per input: every diagnostic has a place inside the text; a text without errors
 * prints to a text with the same tree; a failing allocation is survived.
 *
 *   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc \
 *       test/front/fuzz_parse.c $(find src/front src/base -name '[a-z]*.c') -lm -o fuzz_parse
 *   ./fuzz_parse -max_len=4096 NEW_CORPUS test/front/corpus
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/syntax/parse.h"
#include "front/syntax/print.h"
#include "tree_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_parse: %s\n", what);
        abort();
    }
}

/* an allocator that says no from the k-th request on */
typedef struct Miser {
    size_t left;
} Miser;

static void *miser_resize(void *user, void *block, size_t old_size, size_t size)
{
    Miser *miser = user;
    if (size > 0 && miser->left-- == 0) {
        miser->left = 0;
        return NULL;
    }
    return memory_default.resize(memory_default.user, block, old_size, size);
}

static void check_places(const Diagnostics *diag, const SyntaxFile *file)
{
    require(diag->nerrors >= file->nerrors, "an error was counted but not reported");
    require(file->nerrors <= PARSE_MAX_ERRORS, "too many errors");
    for (size_t i = 0; i < diag->list.n; i++) {
        const LiederDiagnostic *d = &diag->list.items[i];
        require(d->line >= 1 && d->column >= 1 && d->length >= 1, "a place before the text");
        require((uint32_t)d->line <= file->nline, "a place behind the text");
    }
}

static void check_round_trip(Arena *arena, Interner *names, const SyntaxFile *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    print_file(file, to);
    fclose(to);
    Diagnostics diag;
    diag_init(&diag, &memory_default);
    SyntaxFile *again = parse_text(arena, names, &diag, "printed", text, length);
    require(again && again->nerrors == 0, "a printed tree does not parse");
    require(tree_equal(file, again), "a printed tree parses to another one");
    diag_drop(&diag);
    free(text);
}

static void parse(const char *text, size_t size, const LiederAllocator *alloc)
{
    Arena arena;
    Interner names;
    Diagnostics diag;
    arena_init(&arena, alloc);
    intern_init(&names, alloc);
    diag_init(&diag, alloc);
    SyntaxFile *file = parse_text(&arena, &names, &diag, "fuzz", text, size);
    bool whole = alloc->resize == memory_default.resize;
    require(file || !whole, "no tree though there is memory");
    require(file || arena.failed, "no tree though no allocation failed");
    if (file) {
        check_places(&diag, file);
        if (whole && file->nerrors == 0)
            check_round_trip(&arena, &names, file);
    }
    diag_drop(&diag);
    intern_drop(&names);
    arena_drop(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    parse(text, size, &memory_default);
    Miser miser = {.left = hash_bytes(HASH_SEED, data, size) % 40};
    parse(text, size, &(LiederAllocator){.resize = miser_resize, .user = &miser});
    free(text);
    return 0;
}
