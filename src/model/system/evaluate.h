/* evaluate.h - what the files that put numbers through a program share: workspace.c fills records,
 * evaluate.c runs programs on them, explain.c reports why that failed, start.c finds start values.
 * Others include system.h. */
#ifndef LIEDER_MODEL_EVALUATE_H
#define LIEDER_MODEL_EVALUATE_H

#include "model/system/system.h"

#include <math.h>

enum { MAX_ITERATIONS = 1000 }; /* of components that iterate, see evaluate.c */

static inline void run_ops(const OpList *list, const LiederStrip *strip, const uint32_t *at)
{
    for (size_t i = 0; i < list->n; i++) {
        const Op *op = &list->items[i];
        lieder_run(op->code, strip, at + op->at, op->add);
    }
}

/* lanes that the records of a workspace hold */
static inline size_t workspace_width(const SystemShape *ss)
{
    return (size_t)(ss->strip * ss->plan.lean.lanes);
}

/* records that n lanes fill */
static inline int records_of(const Program *p, size_t n)
{
    return (int)((n + (size_t)p->lanes - 1) / (size_t)p->lanes);
}

/* ------------------------------------------------------------------ workspace.c */

/* parameters of the lanes at hand and the constants that depend on them; the others are there
 * already */
void load_lanes(const SystemShape *ss, const Workspace *w, const Program *p, const LaneOps *ops,
                LiederStrip *strip, size_t lane, size_t n);
/* times, memory and choices of the moment; `lane` is lane `skip` of the strip whose times it has */
void load_moment(SystemShape *ss, const Program *p, const LaneOps *ops, LiederStrip *strip,
                 const Moment *moment, size_t lane, size_t skip, size_t n);
/* timers of the moment, and requests of zero: before blocks that may set them run */
void load_rest(const SystemShape *ss, const Program *p, const LaneOps *ops,
               const LiederStrip *strip, const Moment *moment, size_t lane, size_t n);

/* x: state s of the l-th lane at hand is x[s * stride + l] */
static inline void load_states(const Program *p, const LaneOps *ops, const LiederStrip *strip,
                               const double *x, size_t stride, size_t n)
{
    ops->load_all(strip, p->state_place.items, p->state_place.n, x, stride, n);
}

/* times as the moment has them, from lane `skip` of the strip on */
static inline void load_times(LiederStrip *strip, const Moment *moment, size_t skip)
{
    if (!isnan(moment->event_time))
        strip->event_time = moment->event_time;
    if (!moment->times)
        return;
    strip->times = moment->times + skip;
    strip->event_times = (moment->event_times ? moment->event_times : moment->times) + skip;
}

/* ------------------------------------------------------------------ evaluate.c */

/* the strip of one record that holds the full layout */
LiederStrip record_strip(const SystemShape *ss, const Workspace *workspace, double t);

/* one evaluation of a strip */
typedef struct Evaluation {
    LiederSystem *system;
    SystemShape *ss;
    Workspace *workspace;
    double t;
    const Moment *moment;
} Evaluation;

/* ways to run a program: ops as they are; lists, perhaps fused; one code for the whole shape */
typedef enum Tier { TIER_PLAIN, TIER_LISTS, TIER_WHOLE } Tier;

/* by as many lanes as the workspace holds; *at: lane of the strip where it failed */
LiederStatus evaluate_pieces(const Evaluation *e, Tier tier, size_t lane, size_t n, const double *x,
                             size_t x_stride, double *dx, size_t dx_stride, size_t *at);
/* one lane of a shape that is no tree: its derivatives, or *culprit */
LiederStatus evaluate_alone(SystemShape *ss, const Workspace *w, double t, const Moment *moment,
                            size_t lane, const double *x, size_t x_stride, double *dx,
                            size_t dx_stride, uint32_t *culprit);
/* the link whose pivot is too small, and the pivot */
bool find_small_pivot(SystemShape *ss, const Program *p, const LiederStrip *strip, int lane,
                      uint32_t *component, double *pivot);

/* ------------------------------------------------------------------ explain.c */

/* reports why a lane could not be evaluated; returns `status` */
LiederStatus report_lane(LiederSystem *system, SystemShape *ss, uint32_t culprit, size_t lane,
                         double pivot, double t, LiederStatus status);
/* reports the first system of equations that has failed in a lane of a record, of start blocks or
 * of others; false: there is none */
bool find_failed_system(LiederSystem *system, const SystemShape *ss, const Program *p,
                        const double *record, size_t in_record, size_t lane, double t,
                        bool at_start);

#endif
