/* export.c - an FMU from a system: checks, texts, compiler, archive.
 *
 * The texts are written into a folder of their own below the temporary directory, the compiler runs
 * there, and the archive is made of these files, with equal bytes for equal models. The compiler
 * gets the texts of the model alone if the program contains the runtime as an object (texts.c),
 * which takes half the time; a compiler that the user names gets all texts. */
#include "compile/compile.h"
#include "fmi/fmi.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"

enum { MAX_SCALARS = 100000, MAX_SHAPES = 512, PATH = 4096 };

/* a file of the archive's folder sources/ */
typedef struct Text {
    char name[128];
    TextBuffer text;         /* generated, or empty: */
    const char *begin, *end; /* a source of Lieder */
} Text;

typedef struct Export {
    LiederSystem *system;
    Diagnostics *diag;
    const LiederAllocator *alloc;
    FmiTexts t;
    FmiRows rows;
    VEC(Text) texts;
    TextBuffer description, build;
    char folder[PATH]; /* temporary, or "" */
    FmiSource object;  /* the compiled runtime; begin NULL: it is compiled with the model */
    TextBuffer binary;
} Export;

static LiederStatus no_memory(Export *x)
{
    diag_error(x->diag, NULL, NULL, "not enough memory for the export");
    return LIEDER_NO_MEMORY;
}

/* ------------------------------------------------------------------ what can be exported */

/* only explicit fixed steps fit into an FMU */
static LiederStatus check_solver(Export *x)
{
    const FmiExport *e = x->t.e;
    if (e->solver < LIEDER_RK1 || e->solver > LIEDER_RK4) {
        diag_error(
            x->diag, NULL, NULL,
            "%s cannot go into an FMU: co-simulation takes explicit fixed steps there\n"
            "name --solver rk1, rk2, rk3 or rk4 and a --step that 'lieder eigen' calls stable; "
            "an importer may still choose its own solver by model exchange",
            lieder_solver_name(e->solver));
        return LIEDER_BAD_USE;
    }
    if (!(e->step > 0) || !isfinite(e->step)) {
        diag_error(x->diag, NULL, NULL, "a step of %g is impossible\nthe step must be positive",
                   e->step);
        return LIEDER_BAD_USE;
    }
    return LIEDER_DONE;
}

/* reports every part of the model that the runtime cannot evaluate */
static LiederStatus check_shapes(Export *x)
{
    LiederStatus status = LIEDER_DONE;
    char path[512];
    for (size_t i = 0; i < x->system->shapes.n; i++) {
        SystemShape *ss = &x->system->shapes.items[i];
        const char *reason =
            ss->shape->asleep ? "it is spare: nothing is connected to it" : shape_unfit(ss);
        if (!reason)
            continue;
        diag_error(x->diag, NULL, lane_path(x->system, ss, 0, 0, path, sizeof path),
                   "the part of the model that begins here cannot be exported: %s", reason);
        status = LIEDER_BAD_USE;
    }
    if (x->system->shapes.n > MAX_SHAPES) {
        diag_error(
            x->diag, NULL, NULL,
            "the model has %zu different parts; an FMU may have %d\nmake equal parts an array",
            x->system->shapes.n, MAX_SHAPES);
        status = LIEDER_BAD_USE;
    }
    return status;
}

/* all event indicators have rows, and FMI 2 can count the variables */
static LiederStatus check_rows(Export *x)
{
    size_t crossings = 0;
    for (size_t i = 0; i < x->rows.crossings.n; i++)
        crossings += x->rows.list.items[x->rows.crossings.items[i]].n;
    if (crossings != x->system->nchoice) {
        diag_error(
            x->diag, NULL, NULL,
            "%zu of %zu event indicators are no variables of the model\nit cannot be exported",
            x->system->nchoice - crossings, x->system->nchoice);
        return LIEDER_BAD_USE;
    }
    if (x->t.e->version == 3 || x->rows.n <= MAX_SCALARS)
        return LIEDER_DONE;
    diag_error(x->diag, NULL, NULL,
               "FMI 2 has no arrays: the model would have %zu variables, %d are the limit\n"
               "export it as FMI 3, where an array is one variable",
               x->rows.n, MAX_SCALARS);
    return LIEDER_BAD_USE;
}

/* ------------------------------------------------------------------ texts */

/* a name of C: letters, digits and underscores */
static void make_identifier(const char *model, char to[64])
{
    const char *dot = strrchr(model, '.');
    size_t n = 0;
    for (const char *c = dot ? dot + 1 : model; *c && n < 60; c++)
        to[n++] = isalnum((unsigned char)*c) ? *c : '_';
    to[n] = 0;
    if (n == 0 || isdigit((unsigned char)to[0])) {
        memmove(to + 1, to, n + 1);
        to[0] = 'M';
    }
}

static Text *add_text(Export *x, const char *name)
{
    Text text = {0};
    snprintf(text.name, sizeof text.name, "%s", name);
    return vec_push(x->alloc, &x->texts, text) ? &x->texts.items[x->texts.n - 1] : NULL;
}

static bool has_text(const Export *x, const char *name)
{
    for (size_t i = 0; i < x->texts.n; i++)
        if (strcmp(x->texts.items[i].name, name) == 0)
            return true;
    return false;
}

static const char *text_begin(const Text *t)
{
    return t->begin ? t->begin : t->text.items;
}

static size_t text_length(const Text *t)
{
    return t->begin ? (size_t)(t->end - t->begin) : t->text.n;
}

/* the end of a comment or a text in quotes that begins here; NULL: none begins */
static const char *skip(const char *c, const char *end, bool *comment)
{
    *comment = c[0] == '/' && c + 1 < end && c[1] == '*';
    if (*comment) {
        const char *close = strstr(c + 2, "*/");
        return close && close < end ? close + 2 : end;
    }
    if (*c != '"' && *c != '\'')
        return NULL;
    const char *close = c + 1;
    while (close < end && *close != *c)
        close += *close == '\\' ? 2 : 1;
    return close < end ? close + 1 : end;
}

/* a text of the runtime that this FMU has: of one version, and with events if there are any; or
 * NULL
 */
static const FmiSource *find_runtime(const Export *x, const char *name, size_t length)
{
    size_t n;
    const FmiSource *list = runtime_list(&n);
    for (size_t i = 0; i < n; i++) {
        const char *own = list[i].name;
        bool events = strcmp(own, "events.c") == 0 || strcmp(own, "history.c") == 0;
        bool sparse = strcmp(own, "sparse.c") == 0, late = strcmp(own, "late.c") == 0;
        if (strlen(own) == length && memcmp(own, name, length) == 0)
            return strcmp(own, x->t.e->version == 3 ? "fmi2.c" : "fmi3.c") == 0 ||
                           (events && !system_has_events(x->system)) ||
                           (sparse && !system_has_sparse(x->system)) ||
                           (late && !system_has_instants(x->system))
                       ? NULL
                       : &list[i];
    }
    return NULL;
}

/* the text that a line includes if it belongs to fmu.c; *c is set behind the line then */
static const FmiSource *find_text_part(const Export *x, const char **c, const char *end)
{
    static const char word[] = "#include \"";
    size_t n = strlen(word), length = 0;
    if ((size_t)(end - *c) < n || memcmp(*c, word, n) != 0)
        return NULL;
    const char *name = *c + n;
    while (name + length < end && name[length] != '"')
        length++;
    const FmiSource *part =
        length > 2 && name[length - 1] == 'c' ? find_runtime(x, name, length) : NULL;
    if (part)
        *c = name + length + 1;
    return part;
}

/* Sources of Lieder go into an FMU without comments, empty lines and indentation, half the size;
 * fmu.h keeps its first comment, the map. fmu.c becomes one text with the files of the runtime that
 * it includes. */
static bool copy_code(Export *x, const FmiSource *source, TextBuffer *to)
{
    const char *begin = source->begin;
    bool comment, ok = true;
    if (strcmp(source->name, "fmu.h") == 0) {
        begin = skip(begin, source->end, &comment);
        ok = ok && text_add(x->alloc, to, "%.*s", (int)(begin - source->begin), source->begin);
    }
    for (const char *c = begin; c < source->end && ok;) {
        const FmiSource *part = find_text_part(x, &c, source->end);
        if (part) {
            ok = copy_code(x, part, to);
            continue;
        }
        const char *next = skip(c, source->end, &comment);
        if (!next)
            next = c + 1;
        if (comment) {
            ok = vec_push(x->alloc, to, ' ');
        } else if (*c == '\n') {
            while (to->n && to->items[to->n - 1] == ' ')
                to->n--;
            if (to->n && to->items[to->n - 1] != '\n')
                ok = vec_push(x->alloc, to, '\n');
        } else {
            bool blank = *c == ' ' && (!to->n || strchr(" \n", to->items[to->n - 1]));
            for (const char *b = c; b < next && ok && !blank; b++)
                ok = vec_push(x->alloc, to, *b);
        }
        c = next;
    }
    return ok && text_add(x->alloc, to, "\n");
}

static bool copy_file(Export *x, const FmiSource *source, TextBuffer *to)
{
    return text_add(x->alloc, to,
                    "/* Part of Lieder " LIEDER_VERSION ", without its comments. */\n") &&
           copy_code(x, source, to);
}

/* the runtime, as fmu.c and its headers, and the licence */
static bool add_runtime(Export *x)
{
    size_t n;
    const FmiSource *list = runtime_list(&n);
    for (size_t i = 0; i < n; i++) {
        bool is_c = text_ends(list[i].name, ".c");
        if ((is_c && strcmp(list[i].name, "fmu.c") != 0) ||
            (strcmp(list[i].name, "sparse.h") == 0 && !system_has_sparse(x->system)))
            continue;
        Text *t = add_text(x, list[i].name);
        if (!t)
            return false;
        if (is_c || text_ends(list[i].name, ".h")) {
            if (!copy_file(x, &list[i], &t->text))
                return false;
            continue;
        }
        t->begin = list[i].begin;
        t->end = list[i].end;
    }
    return true;
}

/* adds the sources of Lieder that the texts include, and those that these include */
static bool add_includes(Export *x)
{
    for (size_t i = 0; i < x->texts.n; i++) {
        const char *at = text_begin(&x->texts.items[i]);
        const char *end = at + text_length(&x->texts.items[i]);
        while ((at = at < end ? memchr(at, '#', (size_t)(end - at)) : NULL)) {
            char name[128], close;
            at++;
            if (sscanf(at, "include %*[<\"]%127[^>\"\n]%c", name, &close) != 2 || has_text(x, name))
                continue;
            FmiSource room;
            const FmiSource *source = include_find(name, &room);
            if (!source)
                continue;
            Text *t = add_text(x, name);
            if (!t || !copy_file(x, source, &t->text))
                return false;
            end = text_begin(&x->texts.items[i]) + text_length(&x->texts.items[i]);
        }
    }
    return true;
}

static const char compiler_options[] =
    "-std=gnu17 -w -O3 -fno-tree-slp-vectorize -fPIC -fvisibility=hidden "
    "-fno-asynchronous-unwind-tables -ffp-contract=off -fno-math-errno -fno-trapping-math "
    "-ffinite-math-only -fno-signed-zeros";

/* the C of all shapes, model.h, and copies of our own sources */
static bool generate_texts(Export *x)
{
    char name[64];
    bool ok = true;
    for (size_t i = 0; i < x->system->shapes.n && ok; i++) {
        snprintf(name, sizeof name, "shape_%zu.c", i);
        Text *t = add_text(x, name);
        ok = t && shape_source(&x->t, i, &t->text);
    }
    Text *h = ok ? add_text(x, "model.h") : NULL;
    return h &&
           text_add(x->alloc, &h->text,
                    "/* Written by Lieder " LIEDER_VERSION ". */\n#define FMI_VERSION %d\n%s%s%s",
                    x->t.e->version, system_has_events(x->system) ? "#define FMU_EVENTS\n" : "",
                    system_has_sparse(x->system) ? "#define FMU_SPARSE\n" : "",
                    system_has_instants(x->system) ? "#define FMU_TIMED\n" : "") &&
           add_runtime(x) && add_includes(x);
}

/* A token distinguishes models: a hash of the description and of all sources, so that equal exports
 * are equal files. model.c and the description have it inside and come last. */
static bool make_token(Export *x)
{
    CacheHash h = cache_hash_start();
    char key[CACHE_KEY];
    TextBuffer draft = {0};
    bool ok = model_description(&x->t, &draft) && model_source(&x->t, &draft);
    if (ok)
        cache_hash_add(&h, draft.items, draft.n);
    for (size_t i = 0; i < x->texts.n; i++)
        cache_hash_add(&h, text_begin(&x->texts.items[i]), text_length(&x->texts.items[i]));
    cache_hash_key(&h, key);
    snprintf(x->t.token, sizeof x->t.token, "{%.8s-%.4s-%.4s-%.4s-%.12s}", key, key + 8, key + 12,
             key + 16, key + 20);
    vec_drop(x->alloc, &draft);
    Text *m = ok ? add_text(x, "model.c") : NULL;
    return m && model_source(&x->t, &m->text) && model_description(&x->t, &x->description) &&
           build_description(&x->t, compiler_options, &x->build);
}

/* ------------------------------------------------------------------ the compiler */

static LiederStatus fail_file(Export *x, const char *what, const char *path)
{
    diag_error(x->diag, NULL, NULL, "cannot %s %s: %s", what, path, strerror(errno));
    return LIEDER_IO;
}

/* the folder of a file below x->folder */
static bool make_folders(const Export *x, const char *name)
{
    char path[2 * PATH];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", x->folder, (int)(slash - name), name);
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

/* writes a file into the folder of the export, and makes the folders above it */
static LiederStatus write_file(Export *x, const char *name, const char *begin, size_t n)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", x->folder, name);
    FILE *file = make_folders(x, name) ? fopen(path, "w") : NULL;
    if (!file)
        return fail_file(x, "write", path);
    bool ok = fwrite(begin, 1, n, file) == n;
    ok = fclose(file) == 0 && ok;
    return ok ? LIEDER_DONE : fail_file(x, "write", path);
}

/* writes all sources into a folder of their own; with a compiled runtime that, and first.c with
 * model.c and the first shape */
static LiederStatus write_texts(Export *x)
{
    const char *base = getenv("TMPDIR");
    snprintf(x->folder, sizeof x->folder, "%s/lieder-export.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(x->folder)) {
        LiederStatus status = fail_file(x, "make a folder", x->folder);
        x->folder[0] = 0;
        return status;
    }
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < x->texts.n && status == LIEDER_DONE; i++) {
        const Text *t = &x->texts.items[i];
        if (strncmp(t->name, "../", 3) != 0)
            status = write_file(x, t->name, text_begin(t), text_length(t));
    }
    if (!x->object.begin || status != LIEDER_DONE)
        return status;
    const char *first = x->system->shapes.n
                            ? "#include \"fmu.h\"\n#include \"shape_0.c\"\n#include \"model.c\"\n"
                            : "#include \"fmu.h\"\n#include \"model.c\"\n";
    status = write_file(x, "first.c", first, strlen(first));
    if (status == LIEDER_DONE)
        status = write_file(x, x->object.name, x->object.begin,
                            (size_t)(x->object.end - x->object.begin));
    return status;
}

/* removes what write_texts, the compiler and the linker have made, and nothing else */
static void remove_folder(Export *x)
{
    char path[2 * PATH];
    static const char *const folders[] = {"lieder", "library", "compile", "model", ""};
    static const char *const files[] = {"model.so", "log", "first.c", "runtime.o"};
    if (!x->folder[0])
        return;
    for (size_t i = 0; i < x->texts.n; i++) {
        snprintf(path, sizeof path, "%s/%s", x->folder, x->texts.items[i].name);
        if (strncmp(x->texts.items[i].name, "../", 3) != 0)
            unlink(path);
    }
    for (size_t i = 0; i <= x->system->shapes.n; i++) {
        snprintf(path, sizeof path, "%s/%zu.o", x->folder, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/%zu.log", x->folder, i);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", x->folder, files[i]);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", x->folder, folders[i]);
        rmdir(path);
    }
}

/* the first line of the messages of a compiler */
static LiederStatus fail_compiler(Export *x, const char *compiler, const char *log)
{
    char line[300] = "", next[300];
    FILE *file = fopen(log, "r");
    /* the first error, else the first line: those before say where a file was included */
    while (file && !strstr(line, "error") && fgets(next, sizeof next, file))
        if (!line[0] || strstr(next, "error"))
            snprintf(line, sizeof line, "%.*s", (int)strcspn(next, "\n"), next);
    if (file)
        fclose(file);
    diag_error(x->diag, NULL, NULL,
               "the compiler \"%s\" failed: %s\nLIEDER_CC names another one; --binary no writes an "
               "FMU with sources only",
               compiler, line[0] ? line : "it said nothing");
    return LIEDER_IO;
}

/* starts a compiler with options and further arguments; its messages go to the log */
static pid_t start_compiler(const char *compiler, const char *const *more, const char *log)
{
    const char *arguments[64] = {compiler};
    char copy[sizeof compiler_options];
    size_t n = 1;
    memcpy(copy, compiler_options, sizeof copy);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        arguments[n++] = word;
    if (machine_has(LIEDER_ISA_AVX2)) {
        arguments[n++] = "-mavx2";
        arguments[n++] = "-mfma";
        arguments[n++] = "-mtune=haswell";
    }
    while (*more)
        arguments[n++] = *more++;
    pid_t child = 0;
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (input < 0 || output < 0 || child_start(&child, arguments, input, output, output) != 0)
        child = 0;
    if (input >= 0)
        close(input);
    if (output >= 0)
        close(output);
    return child;
}

static bool wait_for(pid_t child)
{
    int status;
    if (child <= 0)
        return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* number of texts for the compiler: the shapes, and fmu.c unless the runtime is compiled */
static size_t count_objects(const Export *x)
{
    size_t n = x->system->shapes.n;
    return x->object.begin ? (n ? n : 1) : n + 1;
}

/* the i-th text for the compiler */
static void name_source(const Export *x, size_t i, char *to, size_t size)
{
    if (x->object.begin && i == 0)
        snprintf(to, size, "%s/first.c", x->folder);
    else if (i < x->system->shapes.n)
        snprintf(to, size, "%s/shape_%zu.c", x->folder, i);
    else
        snprintf(to, size, "%s/fmu.c", x->folder);
}

/* one object from each file, several compilers at a time, then the library */
static LiederStatus compile_texts(Export *x, const char *compiler)
{
    enum { AT_ONCE = 4 };
    size_t n = count_objects(x);
    pid_t children[AT_ONCE] = {0};
    char source[PATH + 64], object[PATH + 64], include[PATH + 8], log[PATH + 64];
    LiederStatus status = LIEDER_DONE;
    snprintf(include, sizeof include, "-I%s", x->folder);
    for (size_t i = 0; i < n + AT_ONCE; i++) {
        if (children[i % AT_ONCE] && !wait_for(children[i % AT_ONCE]) && status == LIEDER_DONE) {
            snprintf(log, sizeof log, "%s/%zu.log", x->folder, i - AT_ONCE);
            status = fail_compiler(x, compiler, log);
        }
        children[i % AT_ONCE] = 0;
        if (i >= n || status != LIEDER_DONE)
            continue;
        name_source(x, i, source, sizeof source);
        snprintf(object, sizeof object, "%s/%zu.o", x->folder, i);
        snprintf(log, sizeof log, "%s/%zu.log", x->folder, i);
        /* the runtime is compiled for size rather than speed */
        bool own = i < x->system->shapes.n;
        const char *more[] = {include, "-c", source, "-o", object, own ? NULL : "-Os", NULL};
        children[i % AT_ONCE] = start_compiler(compiler, more, log);
        if (children[i % AT_ONCE] <= 0)
            status = fail_compiler(x, compiler, log);
    }
    return status;
}

/* the shared library of the FMU from all objects; what the linker prints goes to a log */
static LiederStatus link_objects(Export *x, const char *compiler)
{
    size_t n = count_objects(x);
    char library[PATH + 64], log[PATH + 64], runtime[PATH + 64];
    const char **more = memory_zeroed(x->alloc, (n + 12) * sizeof *more);
    char(*objects)[PATH + 64] = memory_zeroed(x->alloc, n * sizeof *objects);
    LiederStatus status = more && objects ? LIEDER_DONE : no_memory(x);
    if (status == LIEDER_DONE) {
        size_t at = 0;
        snprintf(library, sizeof library, "%s/model.so", x->folder);
        snprintf(log, sizeof log, "%s/log", x->folder);
        more[at++] = compiler;
        more[at++] = "-shared";
        more[at++] = "-s";
        more[at++] = "-Wl,-z,noseparate-code,--hash-style=gnu,--build-id=none,--gc-sections";
        for (size_t i = 0; i < n; i++) {
            snprintf(objects[i], sizeof objects[i], "%s/%zu.o", x->folder, i);
            more[at++] = objects[i];
        }
        if (x->object.begin) {
            snprintf(runtime, sizeof runtime, "%s/%s", x->folder, x->object.name);
            more[at++] = runtime;
        }
        more[at++] = "-o";
        more[at++] = library;
        more[at++] = "-lm";
        pid_t child = 0;
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC),
            output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (null < 0 || output < 0 || child_start(&child, more, null, output, output) != 0 ||
            !wait_for(child))
            status = fail_compiler(x, compiler, log);
        if (null >= 0)
            close(null);
        if (output >= 0)
            close(output);
    }
    memory_free(x->alloc, more, (n + 12) * sizeof *more);
    memory_free(x->alloc, objects, n * sizeof *objects);
    return status;
}

/* the shared library as bytes for the archive */
static LiederStatus read_binary(Export *x)
{
    char path[PATH + 64];
    struct stat st;
    snprintf(path, sizeof path, "%s/model.so", x->folder);
    FILE *file = fopen(path, "r");
    if (!file || fstat(fileno(file), &st) != 0) {
        if (file)
            fclose(file);
        return fail_file(x, "read", path);
    }
    bool ok = vec_resize(x->alloc, &x->binary, (size_t)st.st_size);
    size_t n = ok ? fread(x->binary.items, 1, x->binary.n, file) : 0;
    fclose(file);
    return !ok ? no_memory(x) : n == x->binary.n ? LIEDER_DONE : fail_file(x, "read", path);
}

/* from sources to the shared library: written, compiled, linked, read, cleaned up */
static LiederStatus make_binary(Export *x)
{
    char compiler[PATH];
    compiler_find(compiler, sizeof compiler);
    if (!compiler[0]) {
        diag_error(
            x->diag, NULL, NULL,
            "there is no C compiler on the path\ninstall clang or gcc, name one by LIEDER_CC, "
            "or let --binary no write an FMU with sources only");
        return LIEDER_IO;
    }
    const char *own = getenv("LIEDER_CC");
    if (!(own && *own) && machine_has(LIEDER_ISA_AVX2))
        x->object = runtime_object(x->t.e->version);
    LiederStatus status = write_texts(x);
    if (status == LIEDER_DONE)
        status = compile_texts(x, compiler);
    if (status == LIEDER_DONE)
        status = link_objects(x, compiler);
    if (status == LIEDER_DONE)
        status = read_binary(x);
    remove_folder(x);
    return status;
}

/* ------------------------------------------------------------------ the archive */

static void add_binary(Export *x, Zip *zip)
{
    char name[PATH];
    struct utsname machine;
    uname(&machine);
    if (x->t.e->version == 2 && strcmp(machine.machine, "x86_64") == 0)
        snprintf(name, sizeof name, "binaries/linux64/%s.so", x->t.identifier);
    else
        snprintf(name, sizeof name, "binaries/%s-linux/%s.so", machine.machine, x->t.identifier);
    zip_add(zip, name, x->binary.items, x->binary.n);
}

/* the FMU itself, which replaces an older one as a whole */
static LiederStatus write_archive(Export *x, const char *path)
{
    Zip zip = {.alloc = x->alloc};
    char name[256], reason[FILE_REASON];
    zip_add(&zip, "modelDescription.xml", x->description.items, x->description.n);
    if (x->binary.n)
        add_binary(x, &zip);
    if (x->t.e->version == 3)
        zip_add(&zip, "sources/buildDescription.xml", x->build.items, x->build.n);
    for (size_t i = 0; i < x->texts.n; i++) {
        const Text *t = &x->texts.items[i];
        bool out = strncmp(t->name, "../", 3) == 0;
        snprintf(name, sizeof name, "%s%s", out ? "" : "sources/", out ? t->name + 3 : t->name);
        zip_add(&zip, name, text_begin(t), text_length(t));
    }
    LiederStatus status = zip_end(&zip) ? LIEDER_DONE : no_memory(x);
    NewFile file;
    int error = status == LIEDER_DONE ? new_file_open(&file, path, FILE_ATOMIC) : 0;
    if (status == LIEDER_DONE && !error) {
        size_t done;
        error = file_write(file.fd, -1, zip.bytes.items, zip.bytes.n, &done);
        if (!error)
            error = new_file_publish(&file);
        int closed = new_file_close(&file);
        error = error ? error : closed;
    }
    if (error) {
        diag_error(x->diag, NULL, NULL, "cannot write %s: %s", path, file_reason(error, reason));
        status = LIEDER_IO;
    }
    zip_drop(&zip);
    return status;
}

LiederStatus fmi_export(LiederSystem *system, const FmiExport *e, const char *path)
{
    Export x = {.system = system,
                .diag = &system->session->diag,
                .alloc = SYSTEM_ALLOC(system),
                .t = {.e = e, .alloc = SYSTEM_ALLOC(system)}};
    x.t.rows = &x.rows;
    x.rows.system = system;
    make_identifier(e->model, x.t.identifier);
    LiederStatus status = check_solver(&x), shapes = check_shapes(&x);
    if (shapes != LIEDER_DONE)
        status = shapes;
    if (status == LIEDER_DONE && !rows_make(&x.rows, system, e->also, e->user))
        status = LIEDER_BAD_USE;
    if (status == LIEDER_DONE && !rows_scale(&x.t, &x.rows))
        status = no_memory(&x);
    if (status == LIEDER_DONE)
        status = check_rows(&x);
    if (status == LIEDER_DONE && !(generate_texts(&x) && make_token(&x)))
        status = no_memory(&x);
    if (status == LIEDER_DONE && !e->sources_only)
        status = make_binary(&x);
    if (status == LIEDER_DONE)
        status = write_archive(&x, path);
    for (size_t i = 0; i < x.texts.n; i++)
        vec_drop(x.alloc, &x.texts.items[i].text);
    vec_drop(x.alloc, &x.texts);
    vec_drop(x.alloc, &x.description);
    vec_drop(x.alloc, &x.build);
    vec_drop(x.alloc, &x.binary);
    rows_drop(&x.rows);
    return status;
}
