/* compile.c - visit compile.h.
 *
 * A compiler is a child process. Several run side by side, and the simulation goes on meanwhile:
 * generated code gives the same bits as the kernels, so it does not matter when it takes over.
 */
#include "compile/compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"

enum { MAX_ARGUMENTS = 40, MAX_COMPILERS = 4 };
static const double COMPILER_SECONDS = 60; /* then it is stopped */

typedef struct CompileJob {
    SystemShape *ss;
    Fusion fusion; /* no kernels: the shape as a whole */
    char key[CACHE_KEY];
    double work; /* an estimate: ops times lanes */
    pid_t compiler;
    double began;
    char temporary[CACHE_PATH];
} CompileJob;

struct Compilation {
    LiederSystem *system;
    const LiederAllocator *alloc;
    VEC(CompileJob) jobs;
    size_t next, running, done; /* the next job to start; how many run, how many have ended */
    char compiler[CACHE_PATH / 2];
    char directory[CACHE_PATH / 2], sources[CACHE_PATH / 2 + 64];
    char wrong[512]; /* the first failure, which compilation_end reports; then nothing is started */
};

__attribute__((format(printf, 2, 3))) static void keep_failure(Compilation *c, const char *format,
                                                               ...)
{
    va_list arguments;
    if (c->wrong[0])
        return;
    va_start(arguments, format);
    vsnprintf(c->wrong, sizeof c->wrong, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------ the command */

/* The same as for the kernels of the library, visit cmake/lanes.cmake: no contraction, so that all
 * code gives the same bits. -O3 for gcc, which takes the local record apart only then. Lanes are
 * vectors already; packing the numbers of one lane into others as well makes them wait for each
 * other, measured a fifth slower for one lane. */
static const char *const options[] = {"-std=gnu17",
                                      "-w",
                                      "-O3",
                                      "-fno-tree-slp-vectorize",
                                      "-fPIC",
                                      "-shared",
                                      "-ffp-contract=off",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-ffinite-math-only",
                                      "-fno-signed-zeros",
                                      NULL};
static const char *const isa_options[][6] = {
    [LIEDER_ISA_SCALAR] = {NULL},
    [LIEDER_ISA_SSE2] = {NULL},
    [LIEDER_ISA_AVX2] = {"-mavx2", "-mfma", "-mtune=haswell", NULL},
    [LIEDER_ISA_AVX512] = {"-mavx512f", "-mavx512dq", "-mavx512vl", "-mfma",
                           "-mprefer-vector-width=512", NULL},
};

/* one lane uses the instructions of the wide ones where there are some: they have three operands */
static const char *const *options_for(LiederIsa isa)
{
    bool wide = isa == LIEDER_ISA_SCALAR && machine_has(LIEDER_ISA_AVX2);
    return isa_options[wide ? LIEDER_ISA_AVX2 : isa];
}

/* $LIEDER_CC, or the first of these on the path; visit lanes.inc for why clang comes first. Empty:
 * there is none. */
void compiler_find(char *path, size_t size)
{
    static const char *const names[] = {"clang", "cc", "gcc"};
    const char *own = getenv("LIEDER_CC"), *search = getenv("PATH");
    if (own && *own) {
        snprintf(path, size, "%s", own);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *p = search; p && *p; p += strcspn(p, ":"), p += *p == ':') {
            snprintf(path, size, "%.*s/%s", (int)strcspn(p, ":"), p, names[i]);
            if (path[0] == '/' && access(path, X_OK) == 0)
                return;
        }
    path[0] = 0;
}

/* everything but the text that determines the compiled file */
static void hash_command(const Compilation *c, CacheHash *h, LiederIsa isa)
{
    struct stat file;
    cache_hash_add(h, c->sources, strlen(c->sources) + 1); /* its name is a hash of the blocks */
    cache_hash_add(h, c->compiler, strlen(c->compiler) + 1);
    if (stat(c->compiler, &file) == 0) { /* another version has another size or date */
        cache_hash_add(h, &file.st_size, sizeof file.st_size);
        cache_hash_add(h, &file.st_mtime, sizeof file.st_mtime);
    }
    for (const char *const *o = options; *o; o++)
        cache_hash_add(h, *o, strlen(*o) + 1);
    for (const char *const *o = options_for(isa); *o; o++)
        cache_hash_add(h, *o, strlen(*o) + 1);
}

/* starts the compiler; its messages go to temporary.log */
static bool start_compiler(Compilation *c, CompileJob *job)
{
    char text[CACHE_PATH], key[64], log[CACHE_PATH + 8], include[CACHE_PATH];
    snprintf(text, sizeof text, "%s/%s.c", c->directory, job->key);
    snprintf(key, sizeof key, "-DSHAPE_KEY=\"%s\"", job->key);
    snprintf(include, sizeof include, "-I%s", c->sources);
    snprintf(job->temporary, sizeof job->temporary, "%s/new.XXXXXX", c->directory);
    int file = mkstemp(job->temporary);
    if (file < 0) {
        keep_failure(c, "a file cannot be made in %s", c->directory);
        return false;
    }
    close(file);
    snprintf(log, sizeof log, "%s.log", job->temporary);
    const char *arguments[MAX_ARGUMENTS] = {c->compiler};
    size_t n = 1;
    for (const char *const *o = options; *o; o++)
        arguments[n++] = *o;
    for (const char *const *o = options_for(job->ss->plan.lean.isa); *o; o++)
        arguments[n++] = *o;
    arguments[n++] = include;
    arguments[n++] = key;
    arguments[n++] = text;
    arguments[n++] = "-o";
    arguments[n++] = job->temporary;
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int output = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = input < 0 || output < 0
                     ? errno
                     : child_start(&job->compiler, arguments, input, output, output);
    if (input >= 0)
        close(input);
    if (output >= 0)
        close(output);
    job->began = clock_seconds();
    if (status == 0)
        return true;
    job->compiler = 0;
    keep_failure(c, "the compiler \"%s\" cannot be started: %s", c->compiler, strerror(status));
    return false;
}

/* ------------------------------------------------------------------ one shape */

/* gives the shape its lists with generated kernels; false: the file has no kernels */
static bool take_kernels(Compilation *c, CompileJob *job, LiederKernel *const *kernels)
{
    Fused *fused = &job->fusion.fused;
    OpList *lists[] = {&fused->explicit_, &fused->reduce, &fused->solve};
    if (!kernels)
        return false;
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l]->n; i++)
            if (!lists[l]->items[i].code.run)
                lists[l]->items[i].code.run = kernels[lists[l]->items[i].component];
    job->ss->code.fused = *fused;
    *fused = (Fused){0};
    fusion_drop(&job->fusion, c->alloc);
    return true;
}

/* loads the compiled shape, if it is in the cache and whole */
static bool load(Compilation *c, CompileJob *job)
{
    char path[CACHE_PATH];
    snprintf(path, sizeof path, "%s/%s.so", c->directory, job->key);
    if (!cache_intact(path) || !known_hold(job->ss, &job->ss->code.known))
        return false;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *key = library ? dlsym(library, "lieder_shape_key") : NULL;
    if (!key || strcmp(key, job->key) != 0) {
        if (library)
            dlclose(library);
        return false;
    }
    bool ok;
    if (job->fusion.kernels.n) {
        ok = take_kernels(c, job, dlsym(library, "lieder_kernels"));
    } else {
        *(void **)&job->ss->code.compiled = dlsym(library, "lieder_shape");
        ok = job->ss->code.compiled != NULL;
    }
    if (ok)
        job->ss->code.library = library;
    else
        dlclose(library);
    return ok;
}

/* the first line of a compiler's messages */
static void read_log(const CompileJob *job, char *line, int size)
{
    char log[CACHE_PATH + 8];
    snprintf(log, sizeof log, "%s.log", job->temporary);
    FILE *file = fopen(log, "r");
    line[0] = 0;
    if (file && fgets(line, size, file))
        line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
}

static void remove_temporary(CompileJob *job)
{
    char log[CACHE_PATH + 8];
    snprintf(log, sizeof log, "%s.log", job->temporary);
    unlink(log);
    unlink(job->temporary);
}

/* The compiler has ended: keeps and loads its file, or notes why not. */
static void finish_job(Compilation *c, CompileJob *job, int status)
{
    char path[CACHE_PATH], line[200];
    snprintf(path, sizeof path, "%s/%s.so", c->directory, job->key);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        read_log(job, line, sizeof line);
        keep_failure(c, "the compiler \"%s\" failed: %s", c->compiler,
                     line[0] ? line : "it said nothing");
    } else if (!cache_keep(job->temporary, path) ||
               (!load(c, job) && known_hold(job->ss, &job->ss->code.known))) {
        keep_failure(c, "what the compiler \"%s\" made in %s cannot be loaded", c->compiler,
                     c->directory);
    }
    remove_temporary(job);
    job->compiler = 0;
}

/* hashes a text without its comments, whose names of components do not matter */
static void hash_text(CacheHash *hash, const char *text)
{
    while (*text) {
        const char *comment = strstr(text, "/*"), *end = comment ? strstr(comment, "*/") : NULL;
        size_t n = end ? (size_t)(comment - text) : strlen(text);
        cache_hash_add(hash, text, n);
        text = end ? end + 2 : text + n;
    }
}

/* Writes one function, or kernels for sequences that recur in a shape that is too long for that. An
 * empty text: the library's kernels remain. False: memory ran out. */
static bool choose_form(Compilation *c, CompileJob *job, TextBuffer *text)
{
    SystemShape *ss = job->ss;
    size_t ops = shape_ops(ss);
    if (ops > COMPILE_SOON_OPS) {
        if (!fusion_make(&ss->plan.lean, &ss->code.known.places, &job->fusion, c->alloc))
            return false;
        if (job->fusion.kernels.n)
            return fusion_generate(c->system, ss, &job->fusion, text);
    }
    return ops > COMPILE_MAX_OPS || shape_generate(c->system, ss, false, text);
}

/* the text of a shape, unless its code is in the cache already; false: no memory */
static bool add_job(Compilation *c, SystemShape *ss, double work)
{
    TextBuffer text = {0};
    char path[CACHE_PATH];
    CompileJob job = {.ss = ss, .work = work};
    bool ok = known_find(ss, c->alloc, &ss->code.known) && choose_form(c, &job, &text);
    if (ok && text.n) {
        CacheHash hash = cache_hash_start();
        hash_text(&hash, text.items);
        hash_command(c, &hash, ss->plan.lean.isa);
        cache_hash_key(&hash, job.key);
        if (!load(c, &job)) {
            snprintf(path, sizeof path, "%s/%s.c", c->directory, job.key);
            const char *wrong = cache_write(path, text.items, text.n);
            if (wrong)
                keep_failure(c, "%s: %s", c->directory, wrong);
            else if (!vec_push(c->alloc, &c->jobs, job))
                ok = false;
            else
                job.fusion = (Fusion){0};
        }
    }
    fusion_drop(&job.fusion, c->alloc);
    vec_drop(c->alloc, &text);
    return ok;
}

/* ------------------------------------------------------------------ all shapes */

static double work_of(const SystemShape *ss)
{
    return (double)(ss->plan.lean.explicit_.n + ss->plan.lean.reduce.n + ss->plan.lean.solve.n) *
           (double)ss->shape->nlane;
}

static int most_work_first(const void *a, const void *b)
{
    double x = ((const CompileJob *)a)->work, y = ((const CompileJob *)b)->work;
    return (x < y) - (x > y);
}

Compilation *compilation_begin(LiederSystem *system, double share)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    Compilation *c = memory_zeroed(alloc, sizeof *c);
    if (!c)
        return NULL;
    c->system = system;
    c->alloc = alloc;
    compiler_find(c->compiler, sizeof c->compiler);
    if (!c->compiler[0]) {
        keep_failure(c, "there is no C compiler on the path to make the model faster");
        return c;
    }
    const char *wrong = cache_directory(c->directory, sizeof c->directory);
    if (!wrong)
        wrong = cache_sources(c->directory, c->sources, sizeof c->sources);
    if (wrong) {
        keep_failure(c, "%s (%s)", wrong, c->directory);
        return c;
    }
    double all = 0;
    for (size_t i = 0; i < system->shapes.n; i++)
        all += work_of(&system->shapes.items[i]);
    for (size_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        double work = work_of(ss);
        if (shape_compiled(ss) || ss->shape->nlane == 0 || work < share * all ||
            shape_uncompilable(ss))
            continue;
        if (!add_job(c, ss, work)) {
            compilation_end(c);
            return NULL;
        }
    }
    if (c->jobs.n)
        qsort(c->jobs.items, c->jobs.n, sizeof(CompileJob), most_work_first);
    compilation_poll(c);
    return c;
}

bool compilation_poll(Compilation *c)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors > MAX_COMPILERS ? MAX_COMPILERS
                  : processors > 1           ? (size_t)processors
                                             : 1;
    for (size_t i = 0; i < c->next; i++) {
        CompileJob *job = &c->jobs.items[i];
        int status;
        if (!job->compiler)
            continue;
        pid_t ended = waitpid(job->compiler, &status, WNOHANG);
        if (ended == 0 && clock_seconds() - job->began > COMPILER_SECONDS)
            kill(-job->compiler, SIGKILL);
        if (ended == 0)
            continue;
        finish_job(c, job, ended > 0 ? status : -1);
        c->running--;
        c->done++;
    }
    for (; c->next < c->jobs.n && c->running < most; c->next++) {
        CompileJob *job = &c->jobs.items[c->next];
        if (c->wrong[0] || !start_compiler(c, job)) {
            if (job->temporary[0])
                remove_temporary(job);
            c->done++;
        } else {
            c->running++;
        }
    }
    return c->done == c->jobs.n;
}

static void compilation_wait(Compilation *c)
{
    struct timespec pause = {.tv_nsec = 1000000};
    while (!compilation_poll(c))
        nanosleep(&pause, NULL);
}

void compilation_end(Compilation *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->jobs.n; i++) {
        CompileJob *job = &c->jobs.items[i];
        fusion_drop(&job->fusion, c->alloc);
        if (!job->compiler)
            continue;
        child_stop(job->compiler);
        remove_temporary(job);
    }
    if (c->wrong[0])
        diag_warning(&c->system->session->diag, NULL, NULL,
                     "%s\nthe run goes on with the kernels of the library, which are slower",
                     c->wrong);
    vec_drop(c->alloc, &c->jobs);
    memory_free(c->alloc, c, sizeof *c);
}

LiederStatus lieder_system_compile(LiederSystem *system)
{
    size_t before = system->session->diag.list.n;
    Compilation *c = compilation_begin(system, 0);
    if (!c)
        return LIEDER_NO_MEMORY;
    compilation_wait(c);
    compilation_end(c);
    return system->session->diag.list.n > before ? LIEDER_STOPPED : LIEDER_DONE;
}
