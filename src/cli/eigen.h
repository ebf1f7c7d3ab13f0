/* eigen.h - what the files of 'lieder eigen' share, and what the viewer needs of them.
 *
 *   eigen.c           the command: options, the run to the point, the linear model there
 *   eigen_print.c     the eigenvalues as a table or as JSON
 *   eigen_steps.c     stable steps: the largest, whether a given one is, the T_D for a wanted one
 *   eigen_matrices.c  A, B, C, D as a file
 */
#ifndef LIEDER_CLI_EIGEN_H
#define LIEDER_CLI_EIGEN_H

#include "analysis/analysis.h"
#include "cli/cli.h"

typedef VEC(const char *) Paths;

/* NaN: not given */
typedef struct EigenSettings {
    const char *output;
    double at, step, wanted;
    LiederSolver solver;
    ModelSource source;
    Paths inputs, outputs;
    bool all;
} EigenSettings;

typedef struct Analysis {
    Log *log;
    const EigenSettings *settings;
    Loaded loaded;
    LiederSystem *system;
    MotionPoint point;
    Linear linear;
    Spectrum spectrum;
    bool linearised;
    FILE *to; /* of the report as JSON */
} Analysis;

/* The model at the point, and its eigenvalues; eigen_drop is due in any case. */
ExitCode eigen_find(Analysis *a);
void eigen_drop(Analysis *a);

/* ------------------------------------------------------------------ eigen_print.c */

/* as text or JSON, the stable steps of all explicit solvers included */
void eigen_print(const Analysis *a);
/* state s of the lanes of a block; returns buffer */
const char *eigen_state_name(const Analysis *a, const Block *b, size_t s, char *buffer,
                             size_t size);
/* "-500 +-1322.88i"; returns buffer */
const char *eigen_value_text(const Eigenvalue *v, char *buffer, size_t size);

/* ------------------------------------------------------------------ eigen_steps.c */

/* the largest stable step of every explicit solver */
void eigen_print_steps(const Analysis *a);
/* is --step stable? */
void eigen_judge_steps(const Analysis *a);
/* the T_D of the world that makes --wanted-step stable */
ExitCode eigen_search_TD(const Analysis *a);

/* ------------------------------------------------------------------ eigen_matrices.c */

ExitCode eigen_write_matrices(const Analysis *a);

#endif
