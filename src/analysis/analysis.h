/* analysis.h - linear analysis of a system at one point of its motion.
 *
 *   point.c        the state at a time, with the choices that hold there
 *   difference.c   derivatives by extrapolated differences, with an estimate of their error
 *   linearise.c    dx = A dx + B du, dy = C dx + D du at (t, x), lane by lane
 *   eigen.c        eigenvalues with error bounds and participations: LAPACK; equal lanes once
 *   extreme.c      the fastest eigenvalues of a block that is too large for that: ARPACK
 *   small.c        the same for a small block, without a library
 *   stability.c    stability functions of the solvers: steps, regions, the T_D for a step
 *
 * *   steady.c       states in which a system rests; assembling mechanisms
 *
 * Choices of crossings are held while numbers are varied.
 */
#ifndef LIEDER_ANALYSIS_H
#define LIEDER_ANALYSIS_H

#include <complex.h>

#include "solve/events/events.h"

/* why LAPACK, which is loaded when it is first called, cannot be loaded; "" if it can. Returns
 * buffer. Eigenvalues and stability functions need it. */
const char *analysis_problem(char *buffer, size_t size);

/* ------------------------------------------------------------------ point.c */

/* The state of a system at a time, with choices and memory. */
typedef struct MotionPoint {
    LiederSystem *system;
    double t, *x, *choices, *memory;
    bool held;  /* choices are those of a run; else they have to be decided */
    bool taken; /* a run has led there, and memory is its memory; else the start values */
    /* for point_find: those of its options */
    bool (*progress)(void *user, double t, const LiederStatistics *statistics);
    void *user;
} MotionPoint;

/* The start at options->start, or the end of a run to options->stop where that is later. The
 * options about rows are ignored. Call point_drop in any case, before the system is destroyed. */
LiederStatus point_find(MotionPoint *p, LiederSystem *system, const LiederSimulateOptions *options,
                        LiederStatistics *statistics);
void point_drop(MotionPoint *p);
/* reports an error if the system has delays: "a model with a delay cannot be HOW" */
LiederStatus refuse_delays(LiederSystem *system, const char *how);
/* warns if the system has delays: their outputs are held where a system is linearised */
void warn_of_delays(LiederSystem *system);

/* ------------------------------------------------------------------ difference.c */

/* Derivatives of n functions of one variable. */
typedef struct Difference {
    const LiederAllocator *alloc;
    size_t n;
    /* n each */
    double *value, *error;      /* the derivatives, and bounds of their errors */
    double *high, *low, *width; /* a pair of evaluations, and the distance between them */
    double *table;              /* n rows of samples, then of extrapolations */
    double *least;              /* the smallest error of the newest level */
    double *noise;              /* rounding of the value */
    double *near, *far;         /* rounding of the functions at the point and near h = 1 */
} Difference;

/* Evaluates the functions on both sides of the point, at h times the natural size of the variable.
 * A failure means that this is too far. */
typedef LiederStatus DifferenceEnds(void *user, double h, double *high, double *low, double *width);

LiederStatus difference_create(Difference *d, const LiederAllocator *alloc, size_t n);
void difference_drop(Difference *d);
/* one_sided: `low` is the point itself. Returns the failure of the last evaluation if none went
 * well. */
LiederStatus difference_find(Difference *d, bool one_sided, DifferenceEnds *ends, void *user);

/* ------------------------------------------------------------------ linearise.c */

/* larger blocks have no matrix: A is only applied to vectors */
enum { MAX_DENSE = 4000 };

/* The blocks of a shape: entry (r, c) of lane l is A[(l * n + c) * n + r]; NULL: too large. Lanes
 * that are evaluated elsewhere (see model/change/structure.h) are zero: lanes_next finds the
 * others. `error` has the same layout: bounds of the errors of A. */
typedef struct LinearShape {
    size_t n, nlane;
    double *A, *error;
} LinearShape;

typedef struct Linear {
    LiederSystem *system;
    Team team;
    Events events;
    Moment moment;
    double t, *x, *dx;
    VEC(LinearShape) shapes; /* as in system->shapes */
    /* inputs and outputs, columns one after the other */
    size_t ninput, noutput;
    double *B, *C, *D; /* nstate x ninput, noutput x nstate, noutput x ninput */
    double *u, *y;     /* their values here */
    bool rough;        /* as in LinearPoint */
} Linear;

/* Where to linearise. choices as the run left them (hold), or NULL: decided at (t, x). */
typedef struct LinearPoint {
    double t;
    const double *x, *choices;
    const double *memory;      /* NULL: start values */
    const char *const *inputs; /* parameters or open signal inputs, by path */
    size_t ninput;
    const char *const *outputs; /* anything an observer knows */
    size_t noutput;
    bool rough; /* for advice about steps: no warning about inaccurate entries */
} LinearPoint;

/* Errors are in the session's diagnostics. Call linear_drop in any case. A Linear cannot be moved
 * in memory: its parts point to each other. */
LiederStatus linear_create(Linear *l, LiederSystem *system, const LinearPoint *point);
void linear_drop(Linear *l);
/* writes A of the whole system into nstate x nstate zeros, column by column; every block needs its
 * A */
void linear_matrix(const Linear *l, double *A);
/* product = A v for one lane, by differences along v; any size. room: 4 n numbers */
LiederStatus linear_apply(Linear *l, uint32_t shape, size_t lane, const double *v, double *product,
                          double *room);

/* ------------------------------------------------------------------ eigen.c, extreme.c */

enum { SHARES = 4 };

typedef struct Eigenvalue {
    double re, im; /* conjugate pairs stand together, the positive one first */
    double error;  /* the true one lies within this distance, to first order */
    struct {
        uint32_t state; /* of the shape */
        float part;     /* participation; the sum over all states is 1 */
    } shares[SHARES];   /* the largest ones, largest first */
} Eigenvalue;

/* Equal subsystems: lanes of a shape with the same block, bit by bit. */
typedef struct Block {
    uint32_t shape;
    size_t lane;     /* the first of them */
    size_t nlane;    /* how many they are */
    bool complete;   /* all eigenvalues; else the fastest ones */
    size_t n, first; /* in the values of the spectrum, by falling magnitude */
} Block;

typedef struct Spectrum {
    const LiederAllocator *alloc;
    VEC(Block) blocks;
    VEC(Eigenvalue) values;
    size_t products; /* A v of blocks without a matrix: how many */
} Spectrum;

LiederStatus spectrum_create(Spectrum *s, Linear *l);
/* The same, without LAPACK where all blocks are small: for questions of every run. */
LiederStatus spectrum_quick(Spectrum *s, Linear *l);
void spectrum_drop(Spectrum *s);
/* the block an eigenvalue belongs to */
const Block *spectrum_block(const Spectrum *s, size_t value);
/* the block of a shape with the fastest motion, and the number of its blocks; NULL: it has none */
const Block *spectrum_fastest(const Spectrum *s, uint32_t shape, size_t *count);
/* |lambda| of the k-th eigenvalue over all blocks of a shape */
void spectrum_range(const Spectrum *s, uint32_t shape, size_t k, double *least, double *most);
/* were all eigenvalues of all blocks found? */
bool spectrum_complete(const Spectrum *s);

/* All eigenvalues of one block; parts (NULL: not wanted): participation of state r in eigenvalue k
 * at parts[k * n + r]. eigen_shares keeps the largest of n parts; eigen_sort sorts by falling
 * magnitude. */
LiederStatus eigen_dense(const LiederAllocator *alloc, size_t n, const double *A,
                         const double *error, Eigenvalue *values, double *parts);
void eigen_shares(Eigenvalue *value, const double *parts, size_t n);
void eigen_sort(Eigenvalue *values, size_t n);
/* the n fastest eigenvalues of a lane; *n becomes the number found */
LiederStatus eigen_extreme(Linear *l, uint32_t shape, size_t lane, Eigenvalue *values, size_t *n,
                           size_t *products);

/* small.c: all eigenvalues of a block of up to EIGEN_SMALL states, without LAPACK; false: they were
 * not found, since a number is not finite, say. */
enum { EIGEN_SMALL = 40 };
bool eigen_small(size_t n, const double *A, const double *error, Eigenvalue *values);
/* participations out of the magnitudes of a left and a right eigenvector; condition: |w* v| */
void eigen_parts(size_t n, const double *w, const double *v, double condition, double *parts);

/* the kind of a motion, by its eigenvalue and the error of that */
typedef enum Motion { MOTION_REST, MOTION_DECAYING, MOTION_UNDAMPED, MOTION_GROWING } Motion;
Motion eigen_motion(const Eigenvalue *value);

/* ------------------------------------------------------------------ stability.c */

enum { BDF_ORDERS = 5 };

/* A solver applied to the test equation x' = lambda x; a multistep solver counts as a method for
 * each of its orders. */
typedef struct Method {
    LiederSolver solver;
    int order;
} Method;

size_t method_count(void);
Method method_at(size_t index); /* in the order of the table of solvers */
bool method_is_explicit(Method m);
const char *method_name(Method m, char *buffer, size_t size); /* "rk4", "bdf2" */

/* R(z) of a Runge-Kutta method, z = h lambda; not for bdf */
double complex stability_function(Method m, double complex z);
/* by how much a step multiplies the motion at most */
double stability_growth(Method m, double complex z);
/* is this growth at most 1, but for rounding? */
bool stability_holds(double growth);
/* The longest step such that neither it nor a shorter one makes exp(lambda t) grow; explicit
 * methods by the roots of |R|^2 - 1 along the ray. Infinite if no step does. */
double stability_step(Method m, double complex lambda);
/* The boundary |R(z)| = 1 as n points of a closed curve that starts and ends at 0. */
void stability_curve(Method m, size_t n, double complex *points);
/* alpha in degrees: all z with |arg(-z)| < alpha decay; 90: A-stable; 0: a bounded region */
double stability_angle(Method m);

/* The longest step for all motions of a spectrum that do not grow by themselves, and which one
 * limits it (its index, or -1). */
double spectrum_step(const Spectrum *s, Method m, ptrdiff_t *limiting);
/* the largest growth of these motions in one step of h, and which one */
double spectrum_growth(const Spectrum *s, Method m, double h, ptrdiff_t *worst);

/* is a step stable with this T_D? Negative: that cannot be evaluated */
typedef int DialecticProbe(void *user, double TD);
typedef enum DialecticResult {
    DIALECTIC_FOUND,
    DIALECTIC_ANY,   /* the smallest one tried is enough */
    DIALECTIC_NEVER, /* the largest one tried is not */
    DIALECTIC_FAILED
} DialecticResult;
/* The smallest T_D that makes a step of h stable, to 0.1 percent. */
DialecticResult dialectic_search(DialecticProbe *probe, void *user, double h, double *TD);

/* ------------------------------------------------------------------ steady.c */

/* x, the start values, becomes a state in which the system rests at time t. LIEDER_GAVE_UP after
 * reporting the states that still move. */
LiederStatus steady_find(LiederSystem *system, double t, double *x);
/* Positions in x become those near them in which elastic elements carry no force; velocities stay.
 * LIEDER_BAD_MODEL after reporting an element that does not fit. */
LiederStatus assemble_find(LiederSystem *system, double t, double *x);

#endif
