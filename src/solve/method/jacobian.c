/* jacobian.c - the Jacobian of a system by differences.
 *
 * Lanes do not see each other, so the matrix is block diagonal with one block per lane, and all
 * lanes of a shape share one pattern. A column of all lanes costs one evaluation of the shape:
 *
 *   J[:, j] = (f(x + d e_j) - f(x)) / d_j,   d_j = sqrt(eps) max(|x_j|, SCALE nominal_j), per lane
 *
 * Columns that share no row are taken together (pattern.c).
 */
#include "solve/method/jacobian.h"
#include "base/clock.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SCALE = 1e-2, LARGE = 1e5;

/* The rows of a column have to be sorted in the whole matrix. States of a guest have their places
 * at home, in any order: finds where each row of its columns stands. */
static bool rank_rows(Jacobian *j, uint32_t shape)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    struct JacobianShape *s = &j->shapes.items[shape];
    s->nrank = ss->guest.room ? ss->shape->nlane * s->nrow : 0;
    if (s->nrank == 0)
        return true;
    s->rank = memory_zeroed(j->alloc, s->nrank * sizeof(uint32_t));
    if (!s->rank)
        return false;
    for (size_t l = 0; l < ss->shape->nlane; l++)
        for (size_t c = 0; c < ss->shape->states.n; c++)
            for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++)
                for (uint32_t i = s->column[c]; i < s->column[c + 1]; i++)
                    s->rank[l * s->nrow + k] +=
                        home_state(ss, s->row[i], l) < home_state(ss, s->row[k], l);
    return true;
}

/* where the columns of the whole begin; a state that sleeps has its diagonal alone */
static bool count_columns(Jacobian *j)
{
    j->columns = memory_zeroed(j->alloc, (j->n + 1) * sizeof *j->columns);
    if (!j->columns)
        return false;
    for (size_t i = 0; i < j->n; i++)
        j->columns[i + 1] = 1;
    for (uint32_t i = 0; i < j->shapes.n; i++) {
        const SystemShape *ss = &j->team->system->shapes.items[i];
        const struct JacobianShape *s = &j->shapes.items[i];
        for (size_t c = 0; c < ss->shape->states.n; c++)
            for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++)
                j->columns[home_state(ss, c, lane) + 1] = s->column[c + 1] - s->column[c];
        if (!rank_rows(j, i))
            return false;
    }
    for (size_t i = 0; i < j->n; i++)
        j->columns[i + 1] += j->columns[i];
    j->nonzeros = (size_t)j->columns[j->n];
    return true;
}

/* ------------------------------------------------------------------ creation */

LiederStatus jacobian_create(Jacobian *j, Team *team, double t, const Moment *moment,
                             const double *x)
{
    *j = (Jacobian){.team = team, .alloc = SYSTEM_ALLOC(team->system), .n = team->system->nstate};
    size_t bytes = j->n * sizeof(double);
    j->moved = memory_zeroed(j->alloc, bytes);
    j->base = memory_zeroed(j->alloc, bytes);
    j->changed = memory_zeroed(j->alloc, bytes);
    j->step = memory_zeroed(j->alloc, bytes);
    j->noise = memory_zeroed(j->alloc, bytes);
    bool ok = j->moved && j->base && j->changed && j->step && j->noise &&
              vec_resize(j->alloc, &j->shapes, team->system->shapes.n);
    LiederStatus status = ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
    for (uint32_t i = 0; i < team->system->shapes.n && status == LIEDER_DONE; i++) {
        const SystemShape *ss = &team->system->shapes.items[i];
        size_t lane = 0, one;
        bool shared = rank_count(team->system) > 1 && !ss->shape->asleep;
        if (ss->shape->states.n &&
            (shared || lanes_next(ss, &lane, &one, 1))) /* not all of it sleeps */
            status = pattern_find(j, i, t, moment, x);
    }
    if (status == LIEDER_DONE && !count_columns(j))
        status = LIEDER_NO_MEMORY;
    if (status != LIEDER_DONE)
        jacobian_drop(j);
    return status;
}

void jacobian_drop(Jacobian *j)
{
    if (!j->alloc)
        return;
    for (size_t i = 0; i < j->shapes.n; i++) {
        struct JacobianShape *s = &j->shapes.items[i];
        size_t n = j->team->system->shapes.items[i].shape->states.n;
        memory_free(j->alloc, s->colour, n * sizeof(uint32_t));
        memory_free(j->alloc, s->column, (n + 1) * sizeof(uint32_t));
        memory_free(j->alloc, s->row, s->nrow * sizeof(uint32_t));
        memory_free(j->alloc, s->rank, s->nrank * sizeof(uint32_t));
    }
    vec_drop(j->alloc, &j->shapes);
    size_t bytes = j->n * sizeof(double);
    memory_free(j->alloc, j->moved, bytes);
    memory_free(j->alloc, j->base, bytes);
    memory_free(j->alloc, j->changed, bytes);
    memory_free(j->alloc, j->step, bytes);
    memory_free(j->alloc, j->noise, bytes);
    memory_free(j->alloc, j->columns, (j->n + 1) * sizeof *j->columns);
    *j = (Jacobian){0};
}

/* where in a column of the whole the k-th row of a shape's columns stands, in one lane */
static size_t rank_of(const struct JacobianShape *s, size_t c, uint32_t k, size_t lane)
{
    return s->rank ? s->rank[lane * s->nrow + k] : k - s->column[c];
}

void jacobian_pattern(const Jacobian *j, int64_t *columns, int64_t *rows)
{
    memcpy(columns, j->columns, (j->n + 1) * sizeof *columns);
    for (size_t i = 0; i < j->n; i++)
        rows[columns[i]] = (int64_t)i; /* remains where a state sleeps */
    for (size_t i = 0; i < j->shapes.n; i++) {
        const SystemShape *ss = &j->team->system->shapes.items[i];
        const struct JacobianShape *s = &j->shapes.items[i];
        for (size_t c = 0; c < ss->shape->states.n; c++)
            for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
                int64_t *to = rows + columns[home_state(ss, c, lane)];
                for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++)
                    to[rank_of(s, c, k, lane)] = (int64_t)home_state(ss, s->row[k], lane);
            }
    }
}

/* ------------------------------------------------------------------ numbers */

double jacobian_step(double x, double nominal)
{
    double size = fmax(fabs(x), SCALE * nominal), d = sqrt(DBL_EPSILON) * size;
    if (size > LARGE) /* an angle of 6e8 rad is not moved by a turn; four digits of f are left */
        d = fmax(sqrt(DBL_EPSILON) * LARGE, 1e4 * DBL_EPSILON * size);
    volatile double moved = x + (x < 0 ? -d : d);
    return moved - x; /* exactly what is added */
}

/* A state is known to eps |x|: |df_i/dx_j| eps |x_j| of its derivatives is rounding, summed over j.
 * `changed` is free by now. */
static void jacobian_noise(Jacobian *j, const double *x, const double *values)
{
    memset(j->changed, 0, j->n * sizeof(double));
    for (size_t i = 0; i < j->shapes.n; i++) {
        const SystemShape *ss = &j->team->system->shapes.items[i];
        const struct JacobianShape *s = &j->shapes.items[i];
        for (size_t c = 0; c < ss->shape->states.n; c++)
            for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
                size_t column = home_state(ss, c, lane);
                const double *from = values + j->columns[column];
                for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++)
                    j->changed[home_state(ss, s->row[k], lane)] +=
                        fabs(from[rank_of(s, c, k, lane)] * x[column]);
            }
    }
    for (size_t i = 0; i < j->n; i++)
        j->noise[i] = fmax(j->noise[i], DBL_EPSILON * j->changed[i]);
}

/* moves the states of one colour, in all lanes */
static void move_colour(Jacobian *j, uint32_t shape, uint32_t colour, const double *x)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    const struct JacobianShape *s = &j->shapes.items[shape];
    for (size_t c = 0; c < ss->shape->states.n; c++)
        for (size_t lane = 0, one; s->colour[c] == colour && lanes_next(ss, &lane, &one, 1);
             lane++) {
            size_t at = home_state(ss, c, lane);
            j->moved[at] = x[at] + j->step[at];
        }
}

/* the columns of the states of one colour from the derivatives where they are moved; moves them
 * back */
static void take_colour(Jacobian *j, uint32_t shape, uint32_t colour, const double *x,
                        const double *dx, double *values)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    const struct JacobianShape *s = &j->shapes.items[shape];
    for (size_t c = 0; c < ss->shape->states.n; c++)
        for (size_t lane = 0, one; s->colour[c] == colour && lanes_next(ss, &lane, &one, 1);
             lane++) {
            size_t column = home_state(ss, c, lane);
            double *to = values + j->columns[column], factor = 1 / j->step[column];
            for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++) {
                size_t at = home_state(ss, s->row[k], lane);
                to[rank_of(s, c, k, lane)] = (j->changed[at] - dx[at]) * factor;
            }
            j->moved[column] = x[column];
        }
}

LiederStatus jacobian_evaluate(Jacobian *j, double t, const Moment *moment, const double *x,
                               const double *dx, double *values)
{
    double began = clock_seconds();
    LiederStatus status = LIEDER_DONE;
    memcpy(j->moved, x, j->n * sizeof(double));
    for (size_t i = 0; i < j->n; i++) {
        values[j->columns[i]] = 0; /* remains where a state sleeps */
        j->step[i] = jacobian_step(x[i], state_nominal(j->team->system, i));
    }
    for (uint32_t i = 0; i < j->shapes.n && status == LIEDER_DONE; i++) {
        size_t ncolour = j->shapes.items[i].ncolour;
        for (uint32_t colour = 0; colour < ncolour && status == LIEDER_DONE; colour++) {
            move_colour(j, i, colour, x);
            status = team_shape_derivatives(j->team, i, t, moment, j->moved, j->changed);
            take_colour(j, i, colour, x, dx, values);
        }
        if (ncolour > j->evaluations)
            j->evaluations = ncolour;
    }
    if (status == LIEDER_DONE)
        jacobian_noise(j, x, values);
    j->count++;
    j->team->evaluations += j->evaluations;
    j->team->seconds += clock_seconds() - began;
    return status;
}
