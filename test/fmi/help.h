/* help.h - shared by the tests of fmi/: models exported into a folder of their own, and the
 * functions of an FMU, loaded as an importer does. */
#ifndef TEST_FMI_HELP_H
#define TEST_FMI_HELP_H

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <lieder/load.h>

#include "fmi/fmi.h"

static char folder[] = "/tmp/lieder-fmi-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static inline const char *in_folder(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

/* a system of one lane's records, as an export needs it */
static inline LiederSystem *load_scalar(Lieder *session, const char *text, const char *model)
{
    LiederSystemOptions o = lieder_system_defaults();
    o.isa = LIEDER_ISA_SCALAR;
    size_t n = strlen(text);
    LiederStatus status = n > 3 && strcmp(text + n - 3, ".mo") == 0
                              ? lieder_load(session, text)
                              : lieder_load_text(session, "test.mo", text);
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    LiederSystem *system =
        lieder_system_load(session, model ? model : lieder_last_model(session), NULL, 0, &o, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    return system;
}

static inline bool always(void *user, const char *name)
{
    (void)user;
    (void)name;
    return true;
}

static inline FmiExport export_defaults(int version)
{
    return (FmiExport){.model = "Test",
                       .version = version,
                       .solver = LIEDER_RK4,
                       .step = 1e-3,
                       .stop = NAN,
                       .tolerance = NAN,
                       .also = always};
}

/* the text of an entry; the caller drops it */
static inline TextBuffer read_entry(const char *fmu, const char *name)
{
    Unzip u;
    TextBuffer text = {0};
    assert_true(unzip_open(&u, &memory_default, fmu));
    const UnzipEntry *e = unzip_find(&u, name);
    assert_non_null(e);
    assert_true(unzip_read(&u, e, &text));
    unzip_close(&u);
    return text;
}

/* ------------------------------------------------------------------ an FMU of FMI 3, loaded */

typedef struct Fmu {
    void *library;
    TextBuffer description;
    char token[64];
} Fmu;

/* unpacks into folder/name and loads the binary */
static inline Fmu load_fmu(const char *fmu, const char *name, const char *binary)
{
    char path[512], into[256];
    Unzip u;
    Fmu f = {.description = read_entry(fmu, "modelDescription.xml")};
    in_folder(name, into);
    assert_int_equal(mkdir(into, 0700), 0);
    assert_true(unzip_open(&u, &memory_default, fmu));
    assert_true(unzip_extract(&u, into, ""));
    unzip_close(&u);
    snprintf(path, sizeof path, "%s/%s", into, binary);
    f.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f.library)
        fprintf(stderr, "%s\n", dlerror());
    assert_non_null(f.library);
    const char *token = strstr(f.description.items, "instantiationToken=\"");
    const char *guid = strstr(f.description.items, "guid=\"");
    assert_true(token || guid);
    sscanf(token ? token + 20 : guid + 6, "%63[^\"]", f.token);
    return f;
}

static inline void drop_fmu(Fmu *f)
{
    vec_drop(&memory_default, &f->description);
    dlclose(f->library);
}

/* the value reference of a variable, by its name */
static inline uint32_t reference(const Fmu *f, const char *name)
{
    char key[600];
    snprintf(key, sizeof key, "name=\"%s\" valueReference=\"", name);
    const char *at = strstr(f->description.items, key);
    if (!at)
        fprintf(stderr, "no variable %s\n", name);
    assert_non_null(at);
    return (uint32_t)strtoul(at + strlen(key), NULL, 10);
}

/* the function of a name, called with a type: CALL(f, int, "fmi3Terminate", void *)(instance) */
#define CALL(f, result, name, ...) ((result(*)(__VA_ARGS__))(uintptr_t)find_function(f, name))
static inline void *find_function(const Fmu *f, const char *name)
{
    void *function = dlsym(f->library, name);
    if (!function)
        fprintf(stderr, "no function %s\n", name);
    assert_non_null(function);
    return function;
}

static inline void *instantiate3(const Fmu *f, bool co_simulation, void *log)
{
    if (co_simulation)
        return CALL(f, void *, "fmi3InstantiateCoSimulation", const char *, const char *,
                    const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, void *,
                    void *)("one", f->token, NULL, false, false, false, true, NULL, 0, NULL, log,
                            NULL);
    return CALL(f, void *, "fmi3InstantiateModelExchange", const char *, const char *, const char *,
                bool, bool, void *, void *)("one", f->token, NULL, false, false, NULL, log);
}

static inline int enter3(const Fmu *f, void *m)
{
    return CALL(f, int, "fmi3EnterInitializationMode", void *, bool, double, double, bool,
                double)(m, false, 0, 0, false, 0);
}

static inline int call3(const Fmu *f, void *m, const char *name)
{
    return CALL(f, int, name, void *)(m);
}

static inline int step3(const Fmu *f, void *m, double t, double size)
{
    bool event, terminate, early;
    double reached;
    return CALL(f, int, "fmi3DoStep", void *, double, double, bool, bool *, bool *, bool *,
                double *)(m, t, size, true, &event, &terminate, &early, &reached);
}

static inline int get3(const Fmu *f, void *m, uint32_t vr, double *to, size_t n)
{
    return CALL(f, int, "fmi3GetFloat64", void *, const uint32_t *, size_t, double *,
                size_t)(m, &vr, 1, to, n);
}

static inline int set3(const Fmu *f, void *m, uint32_t vr, const double *from, size_t n)
{
    return CALL(f, int, "fmi3SetFloat64", void *, const uint32_t *, size_t, const double *,
                size_t)(m, &vr, 1, from, n);
}

#endif
