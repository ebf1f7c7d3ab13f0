/* bits.h - shared by the tests of exported models: a model as an FMU of FMI 3, and all its
 * variables against those of our own stepper. */
#ifndef TEST_FMI_BITS_H
#define TEST_FMI_BITS_H

#include "fmi/help.h"

static const char machine[] = "binaries/x86_64-linux/Test.so";

/* all variables at the end of a run of ours, by an observer */
static inline double observed(LiederSystem *system, LiederStepper *s, const char *name)
{
    LiederObserver *o = lieder_observer_create(system);
    double value;
    assert_true(lieder_observer_add(o, name) == 0);
    assert_int_equal(lieder_stepper_observe(s, o, &value), LIEDER_DONE);
    lieder_observer_destroy(o);
    return value;
}

/* rows of kinds that can be read, elements in the order of the row */
static inline void compare_all(const Fmu *f, void *m, LiederSystem *system, LiederStepper *s)
{
    size_t seen = 0;
    for (size_t i = 0; i < lieder_variable_count(system); i++) {
        LiederVariableInfo info = lieder_variable_info(system, i);
        char name[500], key[600];
        double values[16];
        LiederHandle h;
        lieder_variable_name(system, i, name, sizeof name);
        snprintf(key, sizeof key, "<Float64 name=\"%s\" ", name);
        if (info.n > 16 || info.kind == LIEDER_VARIABLE_PARAMETER ||
            !strstr(f->description.items, key))
            continue;
        assert_int_equal(get3(f, m, reference(f, name), values, info.n), 0);
        for (size_t e = 0; e < info.n; e++) {
            assert_true(lieder_variable_handle(system, i, e, &h));
            lieder_handle_name(system, &h, key, sizeof key);
            double expected = observed(system, s, key);
            if (values[e] != expected)
                fprintf(stderr, "%s: %.17g, not %.17g\n", key, values[e], expected);
            assert_true(values[e] == expected);
            seen++;
        }
    }
    assert_true(seen > 2);
}

static inline void print_log(void *environment, int status, const char *category,
                             const char *message)
{
    (void)environment;
    fprintf(stderr, "status %d, %s: %s\n", status, category, message);
}

/* co-simulation against a stepper of ours; the system and its session are destroyed */
static inline void check_bits_of(Lieder *session, LiederSystem *system, const char *into,
                                 LiederSolver solver, double h)
{
    char path[256];
    FmiExport e = export_defaults(3);
    e.solver = solver;
    e.step = h;
    char name[64];
    snprintf(name, sizeof name, "%s.fmu", into);
    LiederStatus status = fmi_export(system, &e, in_folder(name, path));
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    Fmu f = load_fmu(path, into, machine);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.step = e.step;
    LiederStepper *s = lieder_stepper_create(system, &o);
    assert_non_null(s);
    void *m = instantiate3(&f, true, (void *)(uintptr_t)print_log);
    assert_non_null(m);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    compare_all(&f, m, system, s);
    /* pieces of any length that the step divides, summed up with their rounding */
    double t = 0;
    for (int i = 0; i < 40; i++) {
        size_t n = 1 + (size_t)(i * 7 % 11);
        assert_int_equal(lieder_stepper_step(s, n), LIEDER_DONE);
        assert_int_equal(step3(&f, m, t, (double)n * h), 0);
        t += (double)n * h;
    }
    compare_all(&f, m, system, s);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    lieder_stepper_destroy(s);
    drop_fmu(&f);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static inline void check_bits_at(const char *text, const char *into, LiederSolver solver, double h)
{
    Lieder *session = lieder_create(NULL);
    check_bits_of(session, load_scalar(session, text, NULL), into, solver, h);
}

static inline void check_bits(const char *text, const char *into, LiederSolver solver)
{
    check_bits_at(text, into, solver, 1e-3);
}

static inline Fmu export_text(const char *text, const char *into, int version)
{
    char path[256], name[64];
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, text, NULL);
    FmiExport e = export_defaults(version);
    e.step = 1e-2;
    snprintf(name, sizeof name, "%s.fmu", into);
    assert_int_equal(fmi_export(system, &e, in_folder(name, path)), LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return load_fmu(path, into, machine);
}

#endif
