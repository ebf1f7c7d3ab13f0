/* load.h - models written in Modelica, and component classes out of shared libraries.
 *
 *   Lieder *session = lieder_create(NULL);
 *   lieder_load(session, "models/scale/Fleet.mo");
 *   LiederSystem *system = lieder_system_create(session, lieder_last_model(session), NULL);
 *
 * The session owns what is loaded, and keeps it until it is destroyed. A loaded class may be named
 * like any other class in lieder_system_create; it is instantiated anew every time, so that systems
 * made before stay as they are. What is wrong with a text goes to the diagnostics of the session,
 * with file, line, column and the line itself.
 *
 * Classes in C (lieder_class_register, lieder_extension_load) are known in Modelica text by their
 * names if they are registered before the first call of lieder_load. */
#ifndef LIEDER_LOAD_H
#define LIEDER_LOAD_H

#include <lieder/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file, or a folder with package.mo. LIEDER_IO if it cannot be read, LIEDER_BAD_MODEL if its text
 * is wrong: see the diagnostics. Several files may be loaded; none may define what is there. */
LiederStatus lieder_load(Lieder *session, const char *path);
/* The same from memory; name stands for the file in diagnostics. Both texts are copied. */
LiederStatus lieder_load_text(Lieder *session, const char *name, const char *text);
/* Full name of the last class that can be simulated of what was loaded last, or NULL; valid until
 * the next load. */
const char *lieder_last_model(const Lieder *session);

/* A modifier from outside the text, as --override of the program has it: "crab[3].cart.m" and
 * "2.5". A start value is set by the name of its state. by_element: the value is a list {2, 2.5, 3}
 * with one number for each element of the first array in the path. */
typedef struct LiederOverride {
    const char *name, *value;
    bool by_element;
} LiederOverride;

/* What the annotations of a model say about a run; NaN or AUTO where they say nothing:
 *   annotation(experiment(StopTime = 2, Interval = 1e-2, Tolerance = 1e-8),
 *              __Lieder(solver = "rk3", step = 1e-3, chatter = "hold")) */
typedef struct LiederExperiment {
    double start, stop, tolerance, interval, step;
    LiederSolver solver;
    LiederChatter chatter;
} LiederExperiment;
/* the defaults of lieder_simulate with what an experiment says over them */
LiederSimulateOptions lieder_experiment_options(const LiederExperiment *experiment);

/* lieder_system_create for a class of what was loaded, with overrides, and with its annotations in
 * *experiment. options and experiment may be NULL. NULL: see the diagnostics. */
LiederSystem *lieder_system_load(Lieder *session, const char *class_name,
                                 const LiederOverride *overrides, size_t noverride,
                                 const LiederSystemOptions *options, LiederExperiment *experiment);

/* Registers the classes of a shared library: see LIEDER_EXTENSION in component.h. Its code runs in
 * this program; load only what you trust. LIEDER_IO if it cannot be loaded, LIEDER_BAD_USE if it
 * was built for other headers or one of its classes is refused. It stays loaded as long as the
 * session lives. */
LiederStatus lieder_extension_load(Lieder *session, const char *path);

#ifdef __cplusplus
}
#endif
#endif
