/* load.c - from what stands on the command line to a model that is ready for
 * numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cluster/cluster.h"
#include "model/class/session.h"

static const char *class_name(const void *from, size_t index)
{
    const LiederClass *c = lieder_class_get(from, index);
    return c ? lieder_class_name(c) : NULL;
}

/* ------------------------------------------------------------------ names of the library */

#define DIALECTIC "Dialectic."

const LiederClass *library_find(const Lieder *session, const char *name)
{
    const LiederClass *found = lieder_class_find(session, name);
    if (!found && strncmp(name, DIALECTIC, strlen(DIALECTIC)) == 0)
        found = lieder_class_find(session, name + strlen(DIALECTIC));
    return found;
}

/* the text of the library is the one place that says which packages stand in Dialectic */
const char *library_name(const Front *front, const char *class_name, char *buffer, size_t size)
{
    const char *text = front_library_text(front), *end = strstr(text, "\nend Dialectic;");
    const char *dot = strchr(class_name, '.');
    char key[128];
    if (dot)
        snprintf(key, sizeof key, "package %.*s\n", (int)(dot - class_name), class_name);
    else
        snprintf(key, sizeof key, "model %s ", class_name);
    const char *at = strstr(text, key);
    snprintf(buffer, size, "%s%s", at && end && at < end ? DIALECTIC : "", class_name);
    return buffer;
}

const char *library_advice(const Lieder *session, const Front *front, const char *name,
                           char *buffer, size_t size)
{
    char full[256];
    if (strncmp(name, DIALECTIC, strlen(DIALECTIC)) == 0)
        name += strlen(DIALECTIC);
    const char *meant = suggest(name, class_name, session);
    if (meant)
        snprintf(buffer, size, "did you mean %s?", library_name(front, meant, full, sizeof full));
    else
        snprintf(buffer, size, "'lieder list' shows the library");
    return buffer;
}

/* ------------------------------------------------------------------ loading */

/* a file or folder, or at least meant to be one; otherwise it names a library
 * model */
static bool is_path(const char *operand)
{
    struct stat st;
    size_t n = strlen(operand);
    return strchr(operand, '/') || (n > 3 && strcmp(operand + n - 3, ".mo") == 0) ||
           stat(operand, &st) == 0;
}

/* reads a file into the front end; reports why that failed, once */
static ExitCode load_file(Loaded *l, Log *log, const char *path)
{
    if (access(path, R_OK) != 0) {
        log_error(log, "cannot read %s: %s", path, strerror(errno));
        return EXIT_IO;
    }
    LiederStatus status = front_load(l->front, path);
    size_t before = log->nerror;
    log_diagnostics(log, l->session, l->front);
    if (status == LIEDER_DONE)
        return EXIT_DONE;
    if (log->nerror == before)
        log_error(log, "cannot read %s: %s", path, lieder_status_text(status));
    return status == LIEDER_IO ? EXIT_IO : EXIT_MODEL;
}

/* the classes of --load, before the front end examines what the session has */
static ExitCode load_extensions(Loaded *l, Log *log)
{
    for (size_t i = 0; i < log->nextension; i++) {
        LiederStatus status = lieder_extension_load(l->session, log->extensions[i]);
        log_diagnostics(log, l->session, NULL);
        if (status != LIEDER_DONE)
            return status == LIEDER_IO ? EXIT_IO : EXIT_USAGE;
    }
    return EXIT_DONE;
}

bool load_libraries(Front *front, const ModelSource *source)
{
    for (size_t i = 0; i < source->libraries.n; i++)
        if (!front_add_library(front, source->libraries.items[i]))
            return false;
    const char *path = getenv("MODELICAPATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", (int)n, path);
        if (n && n < sizeof folder && !front_add_library(front, folder))
            return false;
        path += n + (path[n] == ':');
    }
    return true;
}

ExitCode load_source(Loaded *l, Log *log, const ModelSource *source)
{
    const char *operand = source->file, *model = source->model;
    *l = (Loaded){.session = lieder_create(NULL)};
    ExitCode loaded = l->session ? load_extensions(l, log) : EXIT_DONE;
    if (loaded != EXIT_DONE)
        return loaded;
    l->front = l->session ? front_create(l->session) : NULL;
    if (!l->front || !load_libraries(l->front, source)) {
        log_error(log, "out of memory");
        return EXIT_SIMULATION;
    }
    front_set_limits(l->front, source->limits);
    l->imports.alloc = HEAP;
    if (source->fmus)
        front_set_fmu(l->front, imports_class, &l->imports);
    const char *name = operand;
    char full[256];
    ExitCode code = EXIT_DONE;
    for (size_t i = 0; i < source->before.n && code == EXIT_DONE; i++)
        code = load_file(l, log, source->before.items[i]);
    if (code != EXIT_DONE)
        return code;
    bool any_library = source->libraries.n || getenv("MODELICAPATH");
    if (!operand) {
        name = model;
    } else if (is_path(operand)) {
        code = load_file(l, log, operand);
        if (code != EXIT_DONE)
            return code;
        name = model ? model : front_last_model(l->front);
        if (!name) {
            log_error(log,
                      "%s has no model that could be simulated\na model is a class "
                      "with components, not "
                      "partial, with a value for every parameter",
                      operand);
            return EXIT_MODEL;
        }
    } else if (model) {
        log_error(log, "--model names a model of a file, but %s is no file", operand);
        return EXIT_USAGE;
    } else {
        const LiederClass *class_ = library_find(l->session, operand);
        if (!class_ && !any_library && !source->before.n) {
            log_error(log, "there is no file and no library model %s\n%s", operand,
                      library_advice(l->session, l->front, operand, full, sizeof full));
            return EXIT_MODEL;
        }
        if (class_)
            name = library_name(l->front, lieder_class_name(class_), full, sizeof full);
    }
    if (snprintf(l->title, sizeof l->title, "%s", name) < (int)sizeof l->title)
        return EXIT_DONE;
    log_error(log, "the name of the model is too long: %.100s...\nit may have %zu characters", name,
              sizeof l->title - 1);
    return EXIT_USAGE;
}

ExitCode load_model(Loaded *l, Log *log, const ModelSource *source)
{
    ExitCode code = load_source(l, log, source);
    if (code != EXIT_DONE)
        return code;
    front_set_alone(l->front, source->alone);
    return load_instance(l, log, &source->overrides);
}

ExitCode load_instance(Loaded *l, Log *log, const Overrides *overrides)
{
    LiederStatus status = front_instantiate(l->front, l->title, overrides->items, overrides->n,
                                            &l->experiment, &l->model);
    size_t before = log->nerror;
    log_diagnostics(log, l->session, l->front);
    if (status >= 0)
        return EXIT_DONE;
    if (log->nerror == before)
        log_error(log, "%s: %s", l->title, lieder_status_text(status));
    return status == LIEDER_IO ? EXIT_IO : EXIT_MODEL;
}

/* what was found out about a system, or why there is none */
static LiederSystem *say_system(Loaded *l, Log *log, LiederSystem *system)
{
    size_t before = log->nerror;
    log_diagnostics(log, l->session, l->front);
    if (!system && log->nerror == before)
        log_error(log, "%s: out of memory", l->title);
    return system;
}

LiederSystem *load_system(Loaded *l, Log *log)
{
    LiederSystem *system = lieder_system_create(l->session, l->model, NULL);
    return say_system(l, log, system);
}

LiederSystem *load_shared_system(Loaded *l, Log *log)
{
    LiederSystemOptions options = lieder_system_defaults();
    options.ranks = cluster_ranks();
    size_t first = l->session->diag.list.n;
    LiederSystem *system = lieder_system_create(l->session, l->model, &options);
    if (options.ranks && ranks_worst(!system) > 0) { /* for one of them is enough */
        ranks_join_diagnostics(l->session, first);
        lieder_system_destroy(system);
        system = NULL;
    }
    return say_system(l, log, system);
}

char *load_file_of(Log *log, const char *operand, const char **model)
{
    const char *colon = strrchr(operand, ':');
    size_t n = colon ? (size_t)(colon - operand) : 0;
    bool two = n && colon[1] && !strchr(colon, '/') && access(operand, F_OK) != 0;
    *model = two ? colon + 1 : NULL;
    return path_join(log, operand, two ? n : strlen(operand), "");
}

void loaded_drop(Loaded *l)
{
    imports_drop(&l->imports);
    front_destroy(l->front);
    lieder_destroy(l->session);
}
