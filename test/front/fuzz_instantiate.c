/* fuzz_instantiate.c - libFuzzer target: no text makes the front end crash, loop or lie.
 *
 * Each input is loaded and its last model instantiated, with small limits: either there is a
 * model, or there is a diagnostic that says why not, with a message and a place inside the text.
 * Now and then the same with an allocator that fails from the k-th request on. What follows a line
 * "//override NAME=VALUE" at the start of the text is an override.
 *
 *   CC=clang CFLAGS="-fsanitize=fuzzer-no-link,address,undefined" cmake -S . -B build-fuzz \
 *       -DLIEDER_TESTS=OFF && cmake --build build-fuzz --target lieder
 *   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc \
 *       test/front/fuzz_instantiate.c build-fuzz/liblieder.a -lklu -lm -o fuzz_instantiate
 *   ./fuzz_instantiate -max_len=4096 -dict=test/front/modelica.dict NEW_CORPUS test/front/corpus \
 *       test/front/wrong models
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "front/front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_instantiate: %s\n", what);
        abort();
    }
}

/* an allocator that says no from the k-th request on */
typedef struct Miser {
    size_t left;
    bool on;
} Miser;

static void *miser_resize(void *user, void *block, size_t old_size, size_t size)
{
    Miser *miser = user;
    if (miser->on && size > 0 && miser->left-- == 0) {
        miser->left = 0;
        return NULL;
    }
    return memory_default.resize(memory_default.user, block, old_size, size);
}

static void check_diagnostics(const Lieder *session, LiederStatus status)
{
    size_t n = lieder_diagnostic_count(session), nerror = 0;
    for (size_t i = 0; i < n; i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        nerror += d->severity == LIEDER_ERROR;
        require(d->message && *d->message, "an empty message");
        require(!d->file || (d->line >= 1 && d->column >= 1 && d->length >= 1),
                "a place before the text");
    }
    require((status == LIEDER_DONE) == (nerror == 0),
            "status and diagnostics contradict each other");
}

static void instantiate(Front *front, Lieder *session, const char *text,
                        const FrontOverride *overrides, size_t noverride, bool generous)
{
    front_set_limits(front, (FrontLimits){.steps = 200000, .memory = 20000000, .instances = 1000});
    const char *model = NULL;
    FrontExperiment experiment;
    LiederStatus status = front_load_text(front, "fuzz", text);
    if (status == LIEDER_DONE)
        status = front_instantiate(front, front_last_model(front), overrides, noverride,
                                   &experiment, &model);
    require((status == LIEDER_DONE) == (model != NULL), "done, but no model");
    if (generous)
        check_diagnostics(session, status);
    Place place;
    front_place(front, "a.b[3].c", &place);
}

/* one session for many inputs; a new one now and then, since models stay in it */
static void with_memory(const char *text, const FrontOverride *overrides, size_t noverride)
{
    static Lieder *session;
    static Front *front;
    static int count;
    if (count++ % 200 == 0) {
        front_destroy(front);
        lieder_destroy(session);
        session = lieder_create(NULL);
        front = session ? front_create(session) : NULL;
        require(front, "no front end though there is memory");
    }
    front_clear(front);
    lieder_diagnostic_clear(session);
    instantiate(front, session, text, overrides, noverride, true);
}

static void without_memory(const char *text, const FrontOverride *overrides, size_t noverride,
                           size_t left)
{
    Miser miser = {.left = left};
    LiederAllocator alloc = {.resize = miser_resize, .user = &miser};
    Lieder *session = lieder_create(&alloc);
    require(session, "no session though there is memory");
    miser.on = true;
    Front *front = front_create(session);
    if (front)
        instantiate(front, session, text, overrides, noverride, false);
    front_destroy(front);
    lieder_destroy(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), name[100] = "", value[100] = "";
    memcpy(text, data, size);
    text[size] = '\0';
    size_t noverride = sscanf(text, "//override %99[^=\n]=%99[^\n]", name, value) == 2;
    FrontOverride o = {.name = name, .value = value};
    with_memory(text, &o, noverride);
    unsigned hash = 1;
    for (size_t i = 0; i < size; i++)
        hash = hash * 31 + data[i];
    if (hash % 32 == 0)
        without_memory(text, &o, noverride, 1 + hash / 32 % 1500);
    free(text);
    return 0;
}
