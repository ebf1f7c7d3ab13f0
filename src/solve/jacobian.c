/* jacobian.c - the Jacobian of a system by differences.
 *
 * Lanes do not see each other, so the matrix is block diagonal with one block per lane, and all
 * lanes of a shape share one pattern. A column of all lanes costs one evaluation of the shape:
 *
 *   J[:, j] = (f(x + d e_j) - f(x)) / d_j,   d_j = sqrt(eps) max(|x_j|, SCALE), per lane
 *
 * Columns that share no row are taken together (greedy colouring). The pattern of small blocks
 * is full. For larger ones each state is moved at a generic point and the derivatives whose
 * bits change are noted, with all choices off and on, so that a contact that is open now is not
 * overlooked. What a state does not influence keeps its bits, because the same operations
 * run in the same order. Probing with NaN was rejected: blocks are compiled for finite numbers.
 */
#include "solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FULL_BLOCK = 8 };
static const double SCALE = 1e-2;

/* ------------------------------------------------------------------ pattern of a block */

/* marks[r * n + c]: state c moves derivative r in some lane */
static bool probe_pattern(Jacobian *j, uint32_t shape, double t, const double *x,
                          const double *choices, unsigned char *marks)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    size_t n = ss->shape->states.n, nlane = ss->shape->nlane;
    Moment moment = {.decided = NAN, .choices = choices};
    unsigned long long seed = 88172645463325252ull;
    double *x0 = j->moved + ss->first_state;
    memcpy(j->moved, x, j->n * sizeof(double));
    for (size_t i = 0; i < n * nlane; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        x0[i] += 1e-3 * (1 + fabs(x0[i])) * (0.25 + 0.5 * (double)(seed >> 11) * 0x1p-53);
    }
    memcpy(j->step, j->moved, j->n * sizeof(double));
    if (team_shape_derivatives(j->team, shape, t, &moment, j->moved, j->base) != LIEDER_DONE)
        return false;
    for (size_t c = 0; c < n; c++) {
        double *column = x0 + c * nlane;
        for (size_t l = 0; l < nlane; l++)
            column[l] += 1e-3 * (1 + fabs(column[l]));
        LiederStatus status =
            team_shape_derivatives(j->team, shape, t, &moment, j->moved, j->changed);
        if (status != LIEDER_DONE)
            return false;
        for (size_t r = 0; r < n; r++)
            for (size_t l = 0; l < nlane; l++) {
                size_t at = ss->first_state + r * nlane + l;
                if (j->changed[at] != j->base[at])
                    marks[r * n + c] = 1;
            }
        memcpy(column, j->step + ss->first_state + c * nlane, nlane * sizeof(double));
    }
    return true;
}

/* greedy: a state gets the first colour that no column with a common row has */
static void colour_block(struct JacobianShape *s, const unsigned char *marks, size_t n,
                         unsigned char *taken)
{
    for (size_t c = 0; c < n; c++) {
        memset(taken, 0, n);
        for (size_t other = 0; other < c; other++)
            for (size_t r = 0; r < n; r++)
                if (marks[r * n + c] && marks[r * n + other]) {
                    taken[s->colour[other]] = 1;
                    break;
                }
        uint32_t colour = 0;
        while (taken[colour])
            colour++;
        s->colour[c] = colour;
        if (colour + 1 > s->ncolour)
            s->ncolour = colour + 1;
    }
}

static LiederStatus find_pattern(Jacobian *j, uint32_t shape, double t, const double *x)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    struct JacobianShape *s = &j->shapes.items[shape];
    size_t n = ss->shape->states.n, nchoice = j->team->system->nchoice;
    unsigned char *marks = memory_zeroed(j->alloc, n * n + n + 1);
    double *choices = memory_zeroed(j->alloc, (nchoice + 1) * sizeof(double));
    s->colour = memory_zeroed(j->alloc, n * sizeof(uint32_t));
    s->column = memory_zeroed(j->alloc, (n + 1) * sizeof(uint32_t));
    bool ok = marks && choices && s->colour && s->column;
    bool sparse = ok && n > FULL_BLOCK;
    for (int side = 0; side < (ss->crossings.n ? 2 : 1) && sparse; side++) {
        for (size_t i = 0; i < nchoice; i++)
            choices[i] = side;
        sparse = probe_pattern(j, shape, t, x, choices, marks);
    }
    if (ok) {
        if (!sparse)
            memset(marks, 1, n * n);
        for (size_t i = 0; i < n; i++)
            marks[i * n + i] = 1; /* I - gamma J */
        colour_block(s, marks, n, marks + n * n);
        for (size_t i = 0; i < n * n; i++)
            s->nrow += marks[i];
        s->row = memory_zeroed(j->alloc, s->nrow * sizeof(uint32_t));
        ok = s->row;
    }
    size_t at = 0;
    for (size_t c = 0; c < n && ok; c++) {
        s->column[c] = (uint32_t)at;
        for (size_t r = 0; r < n; r++)
            if (marks[r * n + c])
                s->row[at++] = (uint32_t)r;
        s->column[c + 1] = (uint32_t)at;
    }
    memory_free(j->alloc, marks, n * n + n + 1);
    memory_free(j->alloc, choices, (nchoice + 1) * sizeof(double));
    j->nonzeros += s->nrow * ss->shape->nlane;
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* ------------------------------------------------------------------ creation */

LiederStatus jacobian_create(Jacobian *j, Team *team, double t, const Moment *moment,
                             const double *x)
{
    (void)moment;
    *j = (Jacobian){.team = team, .alloc = SYSTEM_ALLOC(team->system), .n = team->system->nstate};
    size_t bytes = j->n * sizeof(double);
    j->moved = memory_zeroed(j->alloc, bytes);
    j->base = memory_zeroed(j->alloc, bytes);
    j->changed = memory_zeroed(j->alloc, bytes);
    j->step = memory_zeroed(j->alloc, bytes);
    bool ok = j->moved && j->base && j->changed && j->step &&
              vec_resize(j->alloc, &j->shapes, team->system->shapes.n);
    LiederStatus status = ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
    for (uint32_t i = 0; i < team->system->shapes.n && status == LIEDER_DONE; i++)
        if (team->system->shapes.items[i].shape->states.n)
            status = find_pattern(j, i, t, x);
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
    }
    vec_drop(j->alloc, &j->shapes);
    size_t bytes = j->n * sizeof(double);
    memory_free(j->alloc, j->moved, bytes);
    memory_free(j->alloc, j->base, bytes);
    memory_free(j->alloc, j->changed, bytes);
    memory_free(j->alloc, j->step, bytes);
    *j = (Jacobian){0};
}

void jacobian_pattern(const Jacobian *j, int64_t *columns, int64_t *rows)
{
    int64_t at = 0;
    for (size_t i = 0; i < j->shapes.n; i++) {
        const SystemShape *ss = &j->team->system->shapes.items[i];
        const struct JacobianShape *s = &j->shapes.items[i];
        size_t nlane = ss->shape->nlane;
        for (size_t c = 0; c < ss->shape->states.n; c++)
            for (size_t l = 0; l < nlane; l++) {
                columns[ss->first_state + c * nlane + l] = at;
                for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++)
                    rows[at++] = (int64_t)(ss->first_state + s->row[k] * nlane + l);
            }
    }
    columns[j->n] = at;
}

/* ------------------------------------------------------------------ numbers */

LiederStatus jacobian_evaluate(Jacobian *j, double t, const Moment *moment, const double *x,
                               const double *dx, double *values)
{
    double began = clock_seconds();
    size_t first = 0; /* in values: of the shape at hand */
    LiederStatus status = LIEDER_DONE;
    memcpy(j->moved, x, j->n * sizeof(double));
    for (size_t i = 0; i < j->n; i++) {
        double d = sqrt(DBL_EPSILON) * fmax(fabs(x[i]), SCALE);
        volatile double moved = x[i] + (x[i] < 0 ? -d : d);
        j->step[i] = moved - x[i]; /* exactly what is added */
    }
    for (uint32_t i = 0; i < j->shapes.n && status == LIEDER_DONE; i++) {
        const SystemShape *ss = &j->team->system->shapes.items[i];
        const struct JacobianShape *s = &j->shapes.items[i];
        size_t n = ss->shape->states.n, nlane = ss->shape->nlane, base = ss->first_state;
        for (uint32_t colour = 0; colour < s->ncolour && status == LIEDER_DONE; colour++) {
            for (size_t c = 0; c < n; c++)
                for (size_t l = 0; l < nlane && s->colour[c] == colour; l++)
                    j->moved[base + c * nlane + l] =
                        x[base + c * nlane + l] + j->step[base + c * nlane + l];
            status = team_shape_derivatives(j->team, i, t, moment, j->moved, j->changed);
            for (size_t c = 0; c < n; c++) {
                if (s->colour[c] != colour)
                    continue;
                size_t nk = s->column[c + 1] - s->column[c];
                for (size_t l = 0; l < nlane; l++) {
                    double *to = values + first + s->column[c] * nlane + l * nk;
                    double factor = 1 / j->step[base + c * nlane + l];
                    for (size_t k = 0; k < nk; k++) {
                        size_t at = base + s->row[s->column[c] + k] * nlane + l;
                        to[k] = (j->changed[at] - dx[at]) * factor;
                    }
                    j->moved[base + c * nlane + l] = x[base + c * nlane + l];
                }
            }
        }
        first += s->nrow * nlane;
        if (s->ncolour > j->evaluations)
            j->evaluations = s->ncolour;
    }
    j->count++;
    j->team->evaluations += j->evaluations;
    j->team->seconds += clock_seconds() - began;
    return status;
}
