/* lieder.h - what a program that embeds Lieder sees.
 *
 * A session (Lieder) knows classes and models. A model is components, parameters and
 * connections, all by name. A system (LiederSystem) is a model made ready for numbers: it
 * turns a state vector x at time t into derivatives, and names every variable. Nothing is
 * global: any number of sessions and systems live side by side in one process. One session
 * must not be used by two threads at a time; two sessions may.
 *
 * Return codes follow one rule: negative failed, zero done, positive done with news.
 * Texts that come back belong to the session or the system that gave them.
 */
#ifndef LIEDER_H
#define LIEDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program was built with; docs/c.md has the rule of compatibility: up to version 1 a program
 * and a library fit if major and minor are equal. */
#define LIEDER_VERSION "0.1.0"

/* the version of the library that the program runs with */
const char *lieder_version(void);

/* ------------------------------------------------------------------ status and errors */

typedef enum LiederStatus {
    LIEDER_DONE = 0,
    LIEDER_NO_MEMORY = -1,  /* the allocator returned NULL */
    LIEDER_BAD_MODEL = -2,  /* see the diagnostics */
    LIEDER_BAD_USE = -3,    /* an argument is wrong; see the diagnostics */
    LIEDER_SINGULAR = -4,   /* a linear group has no solution at this state */
    LIEDER_NOT_FINITE = -5, /* a state or derivative became NaN or infinite */
    LIEDER_IO = -6,         /* a file or a socket */
    LIEDER_GAVE_UP = -7,    /* a solver cannot go on; see the diagnostics */
    LIEDER_STOPPED = 1      /* done, but before the end: a callback or an event ended it */
} LiederStatus;

/* the status in a few words; a constant text */
const char *lieder_status_text(LiederStatus status);

typedef enum LiederSeverity { LIEDER_WARNING, LIEDER_ERROR } LiederSeverity;

typedef struct LiederDiagnostic {
    LiederSeverity severity;
    const char *message; /* what is wrong, with the value */
    const char *advice;  /* what to do about it, or NULL */
    const char *path;    /* component path as in "crab[3].revolute", or NULL */
    const char *file;    /* source file or NULL; then line and column from 1 */
    int line, column, length;
    const char *source; /* the source line, or NULL */
    /* What is true of several elements of an array stands here once for each. The first one counts
     * the others, which a program may leave out when it shows diagnostics. */
    size_t nelement; /* of the first one: how many others */
    bool counted;    /* of the others: an earlier diagnostic counts this one */
} LiederDiagnostic;

/* ------------------------------------------------------------------ session */

/* Grows, shrinks, allocates (block NULL) and frees (size 0) memory; NULL when it cannot. */
typedef struct LiederAllocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t size);
    void *user;
} LiederAllocator;

typedef struct Lieder Lieder;

/* A session with the whole component library; alloc NULL means realloc and free. NULL when
 * memory ran out. */
Lieder *lieder_create(const LiederAllocator *alloc);
/* Frees the session with its classes and models; systems, observers, steppers and modes have to be
 * destroyed before. NULL is allowed, as in every function that destroys something. */
void lieder_destroy(Lieder *session);

/* All that was found wrong since lieder_diagnostic_clear, in the order in which it was found. At
 * most 200 are kept; print_all says how many more there were. */
size_t lieder_diagnostic_count(const Lieder *session);
/* Valid until the next diagnostic is added or all are cleared; NULL if there is none of this
 * number. */
const LiederDiagnostic *lieder_diagnostic_get(const Lieder *session, size_t index);
/* Writes severity, place, message, source line and advice, as lines. */
void lieder_diagnostic_print(const LiederDiagnostic *diagnostic, FILE *to);
void lieder_diagnostic_print_all(const Lieder *session, FILE *to);
void lieder_diagnostic_clear(Lieder *session);

/* ------------------------------------------------------------------ classes, reflected */

/* a variable of a domain, for display */
typedef struct LiederVariable {
    const char *name, *unit, *text;
} LiederVariable;

/* Where the text of a message depends on the domain: each is a sentence of advice in its words. The
 * engine knows no domain; without such a text a message speaks of ports, potentials and flows. */
typedef enum LiederAdvice {
    LIEDER_ADVICE_RIGID_LOOP,  /* two rigid ways drive a node: how a loop is closed */
    LIEDER_ADVICE_NO_ROOT,     /* no root drives a node: what to connect it to */
    LIEDER_ADVICE_NO_ZERO,     /* the same in a network */
    LIEDER_ADVICE_NO_PIVOT,    /* nothing answers to an unknown: what is wrong, then what to do */
    LIEDER_ADVICE_LARGE_PIVOT, /* the answer is beyond the range of numbers: the same two */
    LIEDER_ADVICE_OPEN,        /* a question about an unknown that may be open */
    LIEDER_ADVICE_SINGULAR,    /* a linear group has no unique solution: why that may be */
    LIEDER_ADVICE_LOST_DIGITS, /* what to do about LiederElastic below */
    LIEDER_ADVICE_LONG_STEP,   /* how a model becomes less stiff */
    LIEDER_ADVICE_LOPSIDED,    /* why the matrix of a net may not be symmetric, and what to do */
    LIEDER_ADVICE_COUNT
} LiederAdvice;

/* Members by whose names a class with two ports of the domain is known to be elastic. If it has all
 * three, its flow is about stiffness times the difference of the first signals of the two ports,
 * and a run warns where rounding takes the digits of that difference. */
typedef struct LiederElastic {
    const char *elongation, *stiffness, *flow;
} LiederElastic;

/* A port type. Its variables stand in the order signals, potentials, flows; flows come once
 * per regime (elastic, kinetic). The engine knows nothing else about physics. */
typedef struct LiederDomain {
    const char *name, *text;
    int nsignal, npotential, nflow, nregime;
    unsigned inertial;               /* bits of the potentials (bit 0: the first) to which links
                                        answer by themselves; laws have columns of the others only
                                        where a component further from the root answers to them */
    const LiederVariable *variables; /* nsignal + npotential + nregime * nflow */
    bool power; /* There are two regimes. The signals are nflow positions, then nflow velocities v;
                   the first nflow potentials are velocities v_el; flows of the first regime times
                   v_el plus flows of the second times v is the power into a component. Energies of
                   a model are those of its components with such ports. */
    const char *const *advice;    /* by LiederAdvice, NULL where there is none; or NULL */
    const LiederElastic *elastic; /* or NULL */
} LiederDomain;

typedef enum LiederMemberKind {
    LIEDER_PORT,
    LIEDER_PARAMETER,
    LIEDER_STATE,
    LIEDER_UNKNOWN,
    LIEDER_OBSERVABLE,
    LIEDER_CROSSING,
    LIEDER_MEMORY,  /* a discrete number, which events change */
    LIEDER_TIMER,   /* the time of the next event of a component */
    LIEDER_REQUEST, /* end of the run, or a condition that does not hold */
    LIEDER_HISTORY, /* the past of a variable */
    LIEDER_GUESS    /* where the iteration of a system of equations begins */
} LiederMemberKind;

typedef enum LiederType { LIEDER_TYPE_REAL, LIEDER_TYPE_INTEGER, LIEDER_TYPE_BOOLEAN } LiederType;

/* One member of a class as a program may list it. Fields that do not apply are zero. */
typedef struct LiederMemberInfo {
    LiederMemberKind kind;
    const char *name, *unit, *text;
    const LiederDomain *domain; /* port */
    bool input, output;         /* port: of signal kind */
    bool optional;              /* port: may stay open */
    int length;                 /* parameter: 1, n for a vector, 0 for a table of any size */
    int ndim;                   /* parameter with several indices: how many, else 0 */
    const size_t *sizes;        /* and the size of each, whose product is length */
    double fallback, min, max;  /* parameter: default (NaN: none) and admissible range */
    const char *environment; /* parameter: default comes from this parameter of the environment */
    bool structural;         /* parameter: a switch or a count */
    const char *derivative;  /* state: name of its derivative */
    double start;            /* state, memory: start value if none is set */
    const char *residual;    /* unknown: name of its residual */
} LiederMemberInfo;

typedef struct LiederClass LiederClass; /* opaque here; authors see component.h */

/* The classes of a session, in the order in which they were registered. Classes and their texts
 * live as long as the session. */
size_t lieder_class_count(const Lieder *session);
/* NULL if there is no class of this number, or none of this name ("Planar.Revolute") */
const LiederClass *lieder_class_get(const Lieder *session, size_t index);
const LiederClass *lieder_class_find(const Lieder *session, const char *name);
const char *lieder_class_name(const LiederClass *class_);
const char *lieder_class_text(const LiederClass *class_);
bool lieder_class_is_model(const LiederClass *class_); /* composed, not native */
/* Members by number from 0: of a native class all of them, of a model the ports that it exposes, of
 * a template its arguments. The index must be below the count. */
size_t lieder_class_member_count(const LiederClass *class_);
LiederMemberInfo lieder_class_member(const LiederClass *class_, size_t index);

/* ------------------------------------------------------------------ models */

typedef struct LiederModel LiederModel;

/* An empty model. Its name is a class from now on: add it to other models like any other. The
 * session owns it; name and text are copied. NULL, with a diagnostic, if the name is taken or
 * memory ran out; all calls below take NULL and do nothing then. */
LiederModel *lieder_model_create(Lieder *session, const char *name, const char *text);

/* The calls below report mistakes as diagnostics of the session and go on, so that a builder
 * needs no checks: lieder_system_create refuses the model and shows all of them. Texts and numbers
 * are copied.
 *
 * Components are added under a name of their own, as one or as an array of n, with elements name[1]
 * ... name[n]. Classes are found by their full name ("Planar.Body"). */
void lieder_model_add(LiederModel *model, const char *name, const char *class_name);
void lieder_model_add_array(LiederModel *model, const char *name, const char *class_name, size_t n);
/* an array with several dimensions: its elements are name[1,1], name[1,2] ... */
void lieder_model_add_grid(LiederModel *model, const char *name, const char *class_name, int ndim,
                           const size_t *dimensions);
/* Path of a parameter or of a state's start value: "cart.m", "crab[7].revolute.phi",
 * "rod.r[1]", "grid[1,2].m". An array without index means every element. A number that is set
 * twice has the later value, one that a model around this one sets that of the outermost. The
 * attributes of a state are "revolute.phi.nominal" (the size at which an error of the tolerance is
 * allowed, 1), ".min" and ".max" (a run reports a state beyond them). */
void lieder_model_set(LiederModel *model, const char *path, double value);
/* A vector or table parameter: all its n numbers (a table row by row). */
void lieder_model_set_vector(LiederModel *model, const char *path, const double *values, size_t n);
/* One value for each element of the arrays on the path, the first index outermost. */
void lieder_model_set_each(LiederModel *model, const char *path, const double *values, size_t n);
/* Joins the connection sets of two ports of one domain, by path: "rod.frame_b". */
void lieder_model_connect(LiederModel *model, const char *port, const char *other);
/* Makes an inner port a port of the model itself. */
void lieder_model_expose(LiederModel *model, const char *name, const char *inner_port);
/* A component, model or array (a plain name) that may be connected to nothing at first: see
 * lieder_system_connect. */
void lieder_model_spare(LiederModel *model, const char *name);

/* A model with counts or switches that decide its structure: `build` fills it for the given
 * arguments. Registered once, it is a class like any other: "Examples.Chain" with n. Texts and
 * arguments are not copied: they live as long as the session, as does `user`. */
typedef struct LiederTemplate {
    const char *name, *text;
    int nargument;
    const struct LiederArgument {
        const char *name, *text;
        double fallback, min, max;
    } * arguments;
    void (*build)(LiederModel *model, const double *arguments, void *user);
    void *user;
} LiederTemplate;
/* LIEDER_BAD_USE, with a diagnostic, if the name is taken; LIEDER_NO_MEMORY */
LiederStatus lieder_template_register(Lieder *session, const LiederTemplate *template_);

/* ------------------------------------------------------------------ systems */

typedef struct LiederSystem LiederSystem;

typedef enum LiederMethod {
    LIEDER_METHOD_AUTO, /* trees by elimination, few loops by a dense complement, nets of small
                           parts as such, else sparse */
    LIEDER_METHOD_TREE, /* elimination and complement, whatever the number of loops; electrical
                           networks have no root and are solved sparse all the same */
    LIEDER_METHOD_SPARSE,
    LIEDER_METHOD_PROBE, /* every unknown probed, dense solve: the scheme of the paper */
    LIEDER_METHOD_NET    /* many small parts held together by damped elastic elements: iteration or
                            factorisation; sparse where the shape is not like that */
} LiederMethod;

typedef enum LiederIsa {
    LIEDER_ISA_AUTO,
    LIEDER_ISA_SCALAR,
    LIEDER_ISA_SSE2,
    LIEDER_ISA_AVX2,
    LIEDER_ISA_AVX512
} LiederIsa;

/* Several processes, the ranks, share a model: each makes a system that owns some of the lanes. Its
 * states are those of its own lanes; names, the table of variables and handles are those of the
 * whole model (lieder_handle_here). All ranks take the same steps of one run, and what decides
 * about these goes through `combine`, which all call in the same order. Results have the bits of
 * one process.
 *
 * A model that is one large net is cut: each rank makes its part and the neighbours of that, whose
 * states it has, too. Then every evaluation, observers included, is a call that all ranks make, and
 * results are those of one process but for the rounding of an iteration. */
typedef enum LiederCombine { LIEDER_GREATEST, LIEDER_SUM } LiederCombine;
/* Bytes to another rank and bytes from it. That rank has a letter to this one, with the sizes
 * exchanged. */
typedef struct LiederLetter {
    int rank;
    const void *sent;
    size_t nsent;
    void *received;
    size_t nreceived;
} LiederLetter;
typedef struct LiederRanks {
    int rank, count; /* this one, from 0; all */
    /* Each value becomes that of all ranks together: the greatest one, where NaN is greater than
     * all numbers, or the sum of whole numbers. */
    void (*combine)(void *user, LiederCombine how, double *values, size_t n);
    /* sends the n bytes of rank `from` to rank 0, where they replace what `bytes` held; these two
     * ranks call it */
    void (*collect)(void *user, int from, void *bytes, size_t n);
    /* Letters between ranks, all at once; returns when its own are sent and received. NULL: there
     * are none, and nets are not cut. */
    void (*exchange)(void *user, const LiederLetter *letters, size_t n);
    void *user;
} LiederRanks;

typedef struct LiederSystemOptions {
    LiederMethod method;
    LiederIsa isa;
    int strip;                /* lanes evaluated together; 0: chosen from the size of the shape */
    const LiederRanks *ranks; /* NULL: this process alone; must live as long as the system */
} LiederSystemOptions;
LiederSystemOptions lieder_system_defaults(void);

/* Makes the named model ready for numbers. It is the caller's to destroy, before the session; the
 * model may be changed afterwards without any effect on it. NULL: see the diagnostics, which have
 * all that is wrong at once. options may be NULL. */
LiederSystem *lieder_system_create(Lieder *session, const char *model_name,
                                   const LiederSystemOptions *options);
void lieder_system_destroy(LiederSystem *system);

/* Generates C for the shapes of the system, has it compiled (`cc`, or $LIEDER_CC) and uses it from
 * now on: several times faster, same results to the bit. Compiled shapes are kept in the user's
 * cache directory, so that the next time costs a millisecond. LIEDER_STOPPED: something did not
 * work, see the warning; the system goes on with the kernels of the library, as it does for shapes
 * that cannot be compiled (networks, nets, classes of other programs, many components of which no
 * two are connected alike). */
LiederStatus lieder_system_compile(LiederSystem *system);

/* the length of x, which does not change while the system lives */
size_t lieder_system_state_count(const LiederSystem *system);
/* The start values of all states. What a start block cannot find is NaN, and the status and the
 * session's diagnostics say why. */
LiederStatus lieder_system_start(const LiederSystem *system, double *x);
/* dx = f(t, x); allocates nothing. LIEDER_SINGULAR, LIEDER_NOT_FINITE or LIEDER_GAVE_UP when it
 * fails: a diagnostic names the component. */
LiederStatus lieder_system_derivatives(LiederSystem *system, double t, const double *x, double *dx);
/* index of a state in x by path ("crab[3].revolute.phi"), or -1 */
ptrdiff_t lieder_system_state_index(const LiederSystem *system, const char *path);
/* path of a state; returns buffer, in which a text that is too long is cut off */
const char *lieder_system_state_name(const LiederSystem *system, size_t index, char *buffer,
                                     size_t size);

/* Changes a parameter while the system lives, or reads it; path as in lieder_model_set, but it must
 * name one number. Switches and counts cannot be changed. LIEDER_BAD_USE, with a diagnostic, if
 * there is no such number or the value is not admissible. lieder_handle_set (variables.h) is the
 * same without the search for the path. */
LiederStatus lieder_system_set(LiederSystem *system, const char *path, double value);
LiederStatus lieder_system_get(LiederSystem *system, const char *path, double *value);

/* Connections may change while the system lives: a crane lets go of its load, a satellite docks.
 * The first two calls collect changes; lieder_system_restructure makes all of them at once.
 *
 *   lieder_system_disconnect(system, "load.frame_a");
 *   lieder_system_connect(system, "flight.frame_b", "load.frame_a");
 *   status = lieder_system_restructure(system, x);
 *
 * connect joins the connection sets of two ports; disconnect takes one port out of its set, and
 * the others stay together. A path may lead into an array of models that no connection of the
 * model reaches; the one element is taken out of it.
 *
 * x keeps its length, and every state its index, for the life of the system. Components are neither
 * made nor destroyed, so what must appear is in the model from the beginning, marked by
 * lieder_model_spare: spare components that are connected to none but spare ones sleep. Their
 * states keep their numbers and have derivatives of zero, and observers return NaN. For components
 * that wake up, restructure writes start values into x (x may be NULL). Positions and velocities
 * are not mapped: what the new connections demand of joints that take over, the caller writes into
 * x.
 *
 * What is wrong with the new connections (no way to a root, a rigid loop, a joint without inertia
 * ...) is in the diagnostics with its path, the result is LIEDER_BAD_MODEL or LIEDER_BAD_USE, and
 * the system is as it was before. The same holds for LIEDER_NO_MEMORY. The collected changes are
 * gone either way. If a connect or disconnect was refused, restructure refuses all changes.
 *
 * The cost is that of analysing the parts that the changes touch, each a set of components that
 * connections hold together, with their old and new connections: it depends on their size, and not
 * on that of the system. Their shapes are remembered for a while, so that changing back and forth
 * is cheaper than the first time. Evaluating a part that was changed costs a little more, since its
 * states are read through indices. In a run (simulate.h) call the first two from a callback. */
LiederStatus lieder_system_connect(LiederSystem *system, const char *port, const char *other);
LiederStatus lieder_system_disconnect(LiederSystem *system, const char *port);
LiederStatus lieder_system_restructure(LiederSystem *system, double *x);

/* Any variable of any component as a number at (t, x): states, derivatives, port variables,
 * observables, parameters. Paths are found once and evaluated many times. */
typedef struct LiederObserver LiederObserver;
/* the caller's to destroy, before the system; NULL: no memory */
LiederObserver *lieder_observer_create(LiederSystem *system);
void lieder_observer_destroy(LiederObserver *observer);
/* index of the new value in the output of evaluate, or -1 with a diagnostic */
ptrdiff_t lieder_observer_add(LiederObserver *observer, const char *path);
size_t lieder_observer_count(const LiederObserver *observer);
/* the unit of a value that was added, "" where there is none; the system's text */
const char *lieder_observer_unit(const LiederObserver *observer, size_t index);
/* all values at (t, x), in the order in which they were added; a failure is that of the derivatives
 * there */
LiederStatus lieder_observer_evaluate(LiederObserver *observer, double t, const double *x,
                                      double *values);
/* In the callbacks of a run whose lanes have clocks of their own: has the lane of a value ended,
 * because it failed? Its values are NaN from then on. */
bool lieder_observer_ended(const LiederObserver *observer, size_t index);
/* Adds a diagnostic that says why a value is not finite at (t, x): it names the equations that are
 * not solved, or else the variable, by the given name, and where it is declared. */
void lieder_observer_explain(LiederObserver *observer, size_t index, const char *name, double t,
                             const double *x);

/* What instantiation found: shapes, lanes, groups. */
typedef struct LiederSystemInfo {
    size_t nstate, nunknown, ncomponent;
    size_t all_states;    /* of all ranks together */
    size_t nshape, nlane; /* lanes over all shapes */
    size_t ngroup;        /* linear groups over all shapes (one lane each) */
    size_t largest_group; /* unknowns of the largest */
    size_t ncompiled;     /* shapes that run as generated code */
    size_t bytes;         /* held by the system in all */
    LiederIsa isa;
} LiederSystemInfo;
LiederSystemInfo lieder_system_info(const LiederSystem *system);

#ifdef __cplusplus
}
#endif
#endif
