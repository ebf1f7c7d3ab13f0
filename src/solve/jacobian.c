/* jacobian.c - the Jacobian of a system by differences.
 *
 * Lanes do not see each other, so the matrix is block diagonal with one block per lane, and all
 * lanes of a shape share one pattern. A column of all lanes costs one evaluation of the shape:
 *
 *   J[:, j] = (f(x + d e_j) - f(x)) / d_j,   d_j = sqrt(eps) max(|x_j|, SCALE nominal_j), per lane
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
                          const double *memory, const double *choices, unsigned char *marks)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    size_t n = ss->shape->states.n;
    Moment here = {.event_time = NAN, .choices = choices, .memory = memory};
    memcpy(j->moved, x, j->n * sizeof(double));
    for (size_t s = 0; s < n; s++)
        for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
            double *value = &j->moved[home_state(ss, s, lane)];
            uint64_t numbers[] = {s, ss->shape->first_lane + lane}; /* whoever owns the lane */
            unsigned long long seed = hash_bytes(HASH_SEED, numbers, sizeof numbers);
            seed ^= seed >> 29;
            *value += 1e-3 * (1 + fabs(*value)) * (0.25 + 0.5 * (double)(seed >> 11) * 0x1p-53);
        }
    memcpy(j->step, j->moved, j->n * sizeof(double));
    if (team_shape_derivatives(j->team, shape, t, &here, j->moved, j->base) != LIEDER_DONE)
        return false;
    for (size_t c = 0; c < n; c++) {
        for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
            double *value = &j->moved[home_state(ss, c, lane)];
            *value += 1e-3 * (1 + fabs(*value));
        }
        LiederStatus status =
            team_shape_derivatives(j->team, shape, t, &here, j->moved, j->changed);
        if (status != LIEDER_DONE)
            return false;
        for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
            for (size_t r = 0; r < n; r++) {
                size_t at = home_state(ss, r, lane);
                if (j->changed[at] != j->base[at])
                    marks[r * n + c] = 1;
            }
            size_t at = home_state(ss, c, lane);
            j->moved[at] = j->step[at];
        }
    }
    return true;
}

/* where the columns of each row stand, from the rows of each column; false: memory ran out */
typedef struct RowTable {
    uint32_t *first, *column;
} RowTable;

static bool rows_of_columns(const Jacobian *j, const struct JacobianShape *s, size_t n, RowTable *t)
{
    t->first = memory_zeroed(j->alloc, (n + 2) * sizeof(uint32_t));
    t->column = memory_zeroed(j->alloc, (s->nrow + 1) * sizeof(uint32_t));
    if (!t->first || !t->column)
        return false;
    for (size_t k = 0; k < s->nrow; k++)
        t->first[s->row[k] + 2]++;
    for (size_t r = 0; r < n; r++)
        t->first[r + 2] += t->first[r + 1];
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++)
            t->column[t->first[s->row[k] + 1]++] = c;
    return true;
}

/* Greedy: a state gets the first colour that no column with a common row has. taken[colour]: the
 * last column that met it. */
static bool colour_block(Jacobian *j, struct JacobianShape *s, size_t n)
{
    RowTable t = {0};
    uint32_t *taken = memory_zeroed(j->alloc, (n + 1) * sizeof(uint32_t));
    bool ok = taken && rows_of_columns(j, s, n, &t);
    for (uint32_t c = 0; ok && c < n; c++) {
        for (uint32_t k = s->column[c]; k < s->column[c + 1]; k++)
            for (uint32_t i = t.first[s->row[k]]; t.column[i] < c; i++)
                taken[s->colour[t.column[i]]] = c + 1;
        uint32_t colour = 0;
        while (taken[colour] == c + 1)
            colour++;
        s->colour[c] = colour;
        if (colour + 1 > s->ncolour)
            s->ncolour = colour + 1;
    }
    memory_free(j->alloc, taken, (n + 1) * sizeof(uint32_t));
    memory_free(j->alloc, t.first, (n + 2) * sizeof(uint32_t));
    memory_free(j->alloc, t.column, (s->nrow + 1) * sizeof(uint32_t));
    return ok;
}

/* the marks of all ranks; false: some lane could not be probed */
static bool join_marks(const Jacobian *j, bool probed, unsigned char *marks, size_t n)
{
    const LiederRanks *r = j->team->system->options.ranks;
    if (rank_count(j->team->system) < 2)
        return probed;
    double *all = memory_zeroed(j->alloc, n * sizeof(double));
    bool ok = !ranks_any(j->team->system, !probed || !all);
    for (size_t i = 0; i < n && ok; i++)
        all[i] = marks[i];
    if (ok)
        r->combine(r->user, LIEDER_GREATEST, all, n);
    for (size_t i = 0; i < n && ok; i++)
        marks[i] = all[i] > 0;
    memory_free(j->alloc, all, n * sizeof(double));
    return ok;
}

/* nonzeros and colours of the block of one lane: probed with all choices on both sides, full if it
 * is small */
static LiederStatus find_pattern(Jacobian *j, uint32_t shape, double t, const Moment *moment,
                                 const double *x)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    struct JacobianShape *s = &j->shapes.items[shape];
    size_t n = ss->shape->states.n, nchoice = j->team->system->nchoice,
           nmemory = j->team->system->nmemory;
    unsigned char *marks = memory_zeroed(j->alloc, n * n + 1);
    double *choices = memory_zeroed(j->alloc, (nchoice + nmemory + 1) * sizeof(double));
    double *memory = choices ? choices + nchoice : NULL;
    s->colour = memory_zeroed(j->alloc, n * sizeof(uint32_t));
    s->column = memory_zeroed(j->alloc, (n + 1) * sizeof(uint32_t));
    bool ok = marks && choices && s->colour && s->column;
    bool sparse = ok && n > FULL_BLOCK;
    size_t first = 0, one;
    bool here = lanes_next(ss, &first, &one, 1);
    for (int side = 0; side < (ss->crossings.n || ss->nmemory ? 2 : 1) && sparse && here; side++) {
        for (size_t i = 0; i < nchoice; i++)
            choices[i] = side;
        sparse = probe_pattern(j, shape, t, x, moment->memory, choices, marks);
        for (size_t i = 0; i < nmemory; i++) /* a factor that is zero now may be another later */
            memory[i] = side;
        if (sparse && ss->nmemory)
            sparse = probe_pattern(j, shape, t, x, memory, choices, marks);
    }
    if (n > FULL_BLOCK)
        sparse = join_marks(j, sparse, marks, n * n);
    if (ok) {
        if (!sparse)
            memset(marks, 1, n * n);
        for (size_t i = 0; i < n; i++)
            marks[i * n + i] = 1; /* I - gamma J */
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
    ok = ok && colour_block(j, s, n);
    memory_free(j->alloc, marks, n * n + 1);
    memory_free(j->alloc, choices, (nchoice + nmemory + 1) * sizeof(double));
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* rows of a guest's column stand in the order of their homes */
static bool rank_rows(Jacobian *j, uint32_t shape)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    struct JacobianShape *s = &j->shapes.items[shape];
    s->nrank = ss->room ? ss->shape->nlane * s->nrow : 0;
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
    bool ok = j->moved && j->base && j->changed && j->step &&
              vec_resize(j->alloc, &j->shapes, team->system->shapes.n);
    LiederStatus status = ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
    for (uint32_t i = 0; i < team->system->shapes.n && status == LIEDER_DONE; i++) {
        const SystemShape *ss = &team->system->shapes.items[i];
        size_t lane = 0, one;
        bool shared = rank_count(team->system) > 1 && !ss->shape->asleep;
        if (ss->shape->states.n &&
            (shared || lanes_next(ss, &lane, &one, 1))) /* not all of it sleeps */
            status = find_pattern(j, i, t, moment, x);
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
        rows[columns[i]] = (int64_t)i; /* those that sleep; the others are written over */
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
    double d = sqrt(DBL_EPSILON) * fmax(fabs(x), SCALE * nominal);
    volatile double moved = x + (x < 0 ? -d : d);
    return moved - x; /* exactly what is added */
}

LiederStatus jacobian_evaluate(Jacobian *j, double t, const Moment *moment, const double *x,
                               const double *dx, double *values)
{
    double began = clock_seconds();
    LiederStatus status = LIEDER_DONE;
    memcpy(j->moved, x, j->n * sizeof(double));
    for (size_t i = 0; i < j->n; i++)
        values[j->columns[i]] = 0; /* for those that sleep */
    for (size_t i = 0; i < j->n; i++) {
        j->step[i] = jacobian_step(x[i], state_nominal(j->team->system, i));
    }
    for (uint32_t i = 0; i < j->shapes.n && status == LIEDER_DONE; i++) {
        const SystemShape *ss = &j->team->system->shapes.items[i];
        const struct JacobianShape *s = &j->shapes.items[i];
        for (uint32_t colour = 0; colour < s->ncolour && status == LIEDER_DONE; colour++) {
            for (size_t c = 0; c < ss->shape->states.n; c++)
                for (size_t lane = 0, one; s->colour[c] == colour && lanes_next(ss, &lane, &one, 1);
                     lane++) {
                    size_t at = home_state(ss, c, lane);
                    j->moved[at] = x[at] + j->step[at];
                }
            status = team_shape_derivatives(j->team, i, t, moment, j->moved, j->changed);
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
        if (s->ncolour > j->evaluations)
            j->evaluations = s->ncolour;
    }
    j->count++;
    j->team->evaluations += j->evaluations;
    j->team->seconds += clock_seconds() - began;
    return status;
}
