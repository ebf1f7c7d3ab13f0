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
 * Everything is found on that side of the crossings where the state is: choices are held.
 */
#ifndef LIEDER_ANALYSIS_H
#define LIEDER_ANALYSIS_H

#include <complex.h>

#include "solve/events/events.h"

/* why LAPACK, which is loaded when it is first called, cannot be loaded; "" if it can. Returns
 * buffer. Eigenvalues and stability functions need it. */
const char *analysis_problem(char *buffer, size_t size);

/* ------------------------------------------------------------------ point.c */

/* Where a motion stands at a time. The choices are those of the run that led there (held), else
 * they are to be decided. */
typedef struct MotionPoint {
    LiederSystem *system;
    double t, *x, *choices, *memory;
    bool held, taken; /* taken: a run has led there, and memory is what it held */
    bool (*progress)(void *user, double t, const LiederStatistics *statistics);
    void *user;
} MotionPoint;

/* The start at options->start, or the end of a run to options->stop where that is later. What the
 * options say of rows is ignored. point_drop is due in any case, before the system goes. */
LiederStatus point_find(MotionPoint *p, LiederSystem *system, const LiederSimulateOptions *options,
                        LiederStatistics *statistics);
void point_drop(MotionPoint *p);
/* A past is no state: refuses systems with delays, which cannot be treated in some way. */
LiederStatus refuse_delays(LiederSystem *system, const char *how);
/* warns that what delays bring is held where a system is linearised */
void tell_delays(LiederSystem *system);

/* ------------------------------------------------------------------ difference.c */

/* Derivatives of n functions of one variable. */
typedef struct Difference {
    const LiederAllocator *alloc;
    size_t n;
    double *value, *error;      /* what was found, and how far it may be off */
    double *high, *low, *width; /* a pair of evaluations, and what lies between them */
    double *table;              /* samples, then extrapolations, n rows */
    double *least;              /* the smallest error of the newest level */
    double *noise;              /* of the value */
    double *near, *far;         /* rounding of the functions at the point and near h = 1 */
} Difference;

/* Evaluates the functions on both sides of the point, at h times the natural size of the variable.
 * A failure means that this is too far. */
typedef LiederStatus DifferenceEnds(void *user, double h, double *high, double *low, double *width);

LiederStatus difference_create(Difference *d, const LiederAllocator *alloc, size_t n);
void difference_drop(Difference *d);
/* one_sided: `low` is the point itself. The failure of the last evaluation if none went well. */
LiederStatus difference_find(Difference *d, bool one_sided, DifferenceEnds *ends, void *user);

/* ------------------------------------------------------------------ linearise.c */

/* larger blocks have no matrix: A is only applied to vectors */
enum { MAX_DENSE = 4000 };

/* The blocks of a shape: entry (r, c) of lane l is A[(l * n + c) * n + r]; NULL: too large. Lanes
 * that are evaluated elsewhere (see model/change/structure.h) are left out: lanes_next has those
 * that are here. `error` is laid out alike and bounds the differences. */
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
    bool rough; /* for advice about steps: entries that are not known well are no warning */
} LinearPoint;

/* Errors are in the session's diagnostics. linear_drop is due in any case. A Linear stays where it
 * was made: its parts know each other. */
LiederStatus linear_create(Linear *l, LiederSystem *system, const LinearPoint *point);
void linear_drop(Linear *l);
/* A of the whole system into nstate x nstate zeros, column by column; no block may lack its A */
void linear_matrix(const Linear *l, double *A);
/* product = A v for one lane, by differences along v; any size. room: 4 n numbers */
LiederStatus linear_apply(Linear *l, uint32_t shape, size_t lane, const double *v, double *product,
                          double *room);

/* ------------------------------------------------------------------ eigen.c, extreme.c */

enum { SHARES = 4 };

typedef struct Eigenvalue {
    double re, im; /* conjugate pairs stand together, the positive one first */
    double error;  /* distance within which the true one lies, to first order */
    struct {
        uint32_t state; /* of the shape */
        float part;     /* participation, of all states together 1 */
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
    size_t products; /* of matrices too large to be written down */
} Spectrum;

LiederStatus spectrum_create(Spectrum *s, Linear *l);
/* The same, without LAPACK where all blocks are small: for what comes up in every run. */
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

/* All eigenvalues of one block and, in parts, the participations: state r in eigenvalue k is
 * parts[k * n + r]. A and error are left as they are. `few` picks the largest parts. */
LiederStatus eigen_dense(const LiederAllocator *alloc, size_t n, const double *A,
                         const double *error, Eigenvalue *values, double *parts);
void eigen_shares(Eigenvalue *value, const double *parts, size_t n);
void eigen_sort(Eigenvalue *values, size_t n);
/* the n fastest eigenvalues of a lane; *n becomes the number found */
LiederStatus eigen_extreme(Linear *l, uint32_t shape, size_t lane, Eigenvalue *values, size_t *n,
                           size_t *products);

/* small.c: all eigenvalues of a block of up to EIGEN_SMALL states, without LAPACK; false: they were
 * not found, as where a number is not finite. */
enum { EIGEN_SMALL = 40 };
bool eigen_small(size_t n, const double *A, const double *error, Eigenvalue *values);
/* participations out of the magnitudes of a left and a right eigenvector; condition: |w* v| */
void eigen_parts(size_t n, const double *w, const double *v, double condition, double *parts);

/* What an eigenvalue is, given what is known about its error. */
typedef enum Motion { MOTION_REST, MOTION_DECAYING, MOTION_UNDAMPED, MOTION_GROWING } Motion;
Motion eigen_motion(const Eigenvalue *value);

/* ------------------------------------------------------------------ stability.c */

enum { BDF_ORDERS = 5 };

/* A solver applied to the test equation x' = lambda x; a multistep solver is a method for each
 * order. */
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
/* does a motion that steps multiply by this much stay? Rounding does not count. */
bool stability_holds(double growth);
/* The longest step that does not make exp(lambda t) grow, and no shorter one does either; explicit
 * methods by the roots of |R|^2 - 1 along the ray. Infinite if none does. */
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

/* Is a step stable with this T_D? Negative: could not be found out. */
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
 * naming what still moves. */
LiederStatus steady_find(LiederSystem *system, double t, double *x);
/* Positions in x become those in which elastic elements carry no force, near where they are;
 * velocities stay. LIEDER_BAD_MODEL after naming an element that does not fit. */
LiederStatus assemble_find(LiederSystem *system, double t, double *x);

#endif
