/* pattern.c - nonzeros and colours of the block of a Jacobian that a shape has for each lane.
 *
 * The pattern of small blocks is full. For larger ones each state is moved at a generic point and
 * the derivatives whose bits change are noted, with all choices off and on, so that a contact that
 * is open now is not overlooked. Derivatives that do not depend on the state keep their bits,
 * because the same operations run in the same order. Probing with NaN was rejected: blocks are
 * compiled for finite numbers.
 *
 * Where all classes of the shape are instructions, these show which states a derivative may depend
 * on (depend.c). Then only these entries are tried, all states that share no derivative at once, so
 * that a chain of ten thousand states takes a few evaluations. Columns that share no row are one
 * colour (greedy colouring), here and in the Jacobian itself.
 */
#include "solve/method/depend.h"
#include "solve/events/events.h"
#include "solve/method/jacobian.h"
#include "solve/run/ranks.h"

#include <math.h>
#include <string.h>

enum { FULL_BLOCK = 8 };

/* Entries that may not be zero: row[first[c]] ... are those of column c; mark: by entry, it is not.
 * Columns of one colour share no row. */
typedef struct Candidates {
    size_t n, nentry;
    uint32_t *first, *row, *colour;
    size_t ncolour;
    unsigned char *mark;
} Candidates;

static void candidates_drop(const Jacobian *j, Candidates *c)
{
    memory_free(j->alloc, c->first, (c->n + 1) * sizeof(uint32_t));
    memory_free(j->alloc, c->row, (c->nentry + 1) * sizeof(uint32_t));
    memory_free(j->alloc, c->colour, (c->n + 1) * sizeof(uint32_t));
    memory_free(j->alloc, c->mark, c->nentry + 1);
}

static bool candidates_room(const Jacobian *j, Candidates *c)
{
    c->first = memory_zeroed(j->alloc, (c->n + 1) * sizeof(uint32_t));
    c->row = memory_zeroed(j->alloc, (c->nentry + 1) * sizeof(uint32_t));
    c->colour = memory_zeroed(j->alloc, (c->n + 1) * sizeof(uint32_t));
    c->mark = memory_zeroed(j->alloc, c->nentry + 1);
    return c->first && c->row && c->colour && c->mark;
}

/* moves all states to a generic point, which depends on state and lane alone; kept in j->step */
static void leave_point(Jacobian *j, const SystemShape *ss, const double *x)
{
    memcpy(j->moved, x, j->n * sizeof(double));
    for (size_t s = 0; s < ss->shape->states.n; s++)
        for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
            double *value = &j->moved[home_state(ss, s, lane)];
            uint64_t numbers[] = {s, ss->shape->first_lane + lane}; /* the same on any rank */
            unsigned long long seed = hash_bytes(HASH_SEED, numbers, sizeof numbers);
            seed ^= seed >> 29;
            *value += 1e-3 * (1 + fabs(*value)) * (0.25 + 0.5 * (double)(seed >> 11) * 0x1p-53);
        }
    memcpy(j->step, j->moved, j->n * sizeof(double));
}

/* marks the entries of column c whose derivatives have moved, and moves its state back */
static void mark_changed(Jacobian *j, const SystemShape *ss, Candidates *to, size_t c)
{
    for (size_t lane = 0, one; lanes_next(ss, &lane, &one, 1); lane++) {
        for (uint32_t k = to->first[c]; k < to->first[c + 1]; k++) {
            size_t at = home_state(ss, to->row[k], lane);
            if (j->changed[at] != j->base[at])
                to->mark[k] = 1;
        }
        size_t at = home_state(ss, c, lane);
        j->moved[at] = j->step[at];
    }
}

/* marks the entries where a state moves a derivative in some lane */
static bool probe_pattern(Jacobian *j, uint32_t shape, double t, const double *x,
                          const double *memory, const double *choices, Candidates *to)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    Moment here = {.event_time = NAN, .choices = choices, .memory = memory};
    leave_point(j, ss, x);
    if (team_shape_derivatives(j->team, shape, t, &here, j->moved, j->base) != LIEDER_DONE)
        return false;
    for (uint32_t colour = 0; colour < to->ncolour; colour++) {
        for (size_t c = 0; c < to->n; c++)
            for (size_t lane = 0, one; to->colour[c] == colour && lanes_next(ss, &lane, &one, 1);
                 lane++) {
                double *value = &j->moved[home_state(ss, c, lane)];
                *value += 1e-3 * (1 + fabs(*value));
            }
        LiederStatus status =
            team_shape_derivatives(j->team, shape, t, &here, j->moved, j->changed);
        if (status != LIEDER_DONE)
            return false;
        for (size_t c = 0; c < to->n; c++)
            if (to->colour[c] == colour)
                mark_changed(j, ss, to, c);
    }
    return true;
}

/* a sparse pattern by rows: column[first[r]] ... are the columns of row r */
typedef struct RowTable {
    uint32_t *first, *column;
} RowTable;

/* from a pattern by columns; false: no memory */
static bool rows_of_columns(const Jacobian *j, const uint32_t *column, const uint32_t *row,
                            size_t n, RowTable *t)
{
    size_t nrow = column[n];
    t->first = memory_zeroed(j->alloc, (n + 2) * sizeof(uint32_t));
    t->column = memory_zeroed(j->alloc, (nrow + 1) * sizeof(uint32_t));
    if (!t->first || !t->column)
        return false;
    for (size_t k = 0; k < nrow; k++)
        t->first[row[k] + 2]++;
    for (size_t r = 0; r < n; r++)
        t->first[r + 2] += t->first[r + 1];
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t k = column[c]; k < column[c + 1]; k++)
            t->column[t->first[row[k] + 1]++] = c;
    return true;
}

/* Does some derivative depend on all states? Then no two columns share a colour. */
static bool has_full_row(const RowTable *t, size_t n)
{
    for (size_t r = 0; r < n; r++)
        if (t->first[r + 1] - t->first[r] == n)
            return true;
    return false;
}

/* Greedy: a state gets the first colour that no column with a common row has. taken[colour]: the
 * last column that met it. Rows of column c are row[column[c]] ... */
static bool colour_columns(const Jacobian *j, const uint32_t *column, const uint32_t *row, size_t n,
                           uint32_t *colour_of, size_t *ncolour)
{
    RowTable t = {0};
    uint32_t *taken = memory_zeroed(j->alloc, (n + 1) * sizeof(uint32_t));
    bool ok = taken && rows_of_columns(j, column, row, n, &t);
    bool full = ok && has_full_row(&t, n);
    for (uint32_t c = 0; full && c < n; c++)
        colour_of[c] = c;
    if (full)
        *ncolour = n;
    for (uint32_t c = 0; ok && !full && c < n; c++) {
        for (uint32_t k = column[c]; k < column[c + 1]; k++)
            for (uint32_t i = t.first[row[k]]; t.column[i] < c; i++)
                taken[colour_of[t.column[i]]] = c + 1;
        uint32_t colour = 0;
        while (taken[colour] == c + 1)
            colour++;
        colour_of[c] = colour;
        if (colour + 1 > *ncolour)
            *ncolour = colour + 1;
    }
    memory_free(j->alloc, taken, (n + 1) * sizeof(uint32_t));
    memory_free(j->alloc, t.first, (n + 2) * sizeof(uint32_t));
    memory_free(j->alloc, t.column, (column[n] + 1) * sizeof(uint32_t));
    return ok;
}

/* every derivative may depend on every state; false: no memory */
static bool all_candidates(const Jacobian *j, Candidates *to)
{
    to->nentry = to->n * to->n;
    if (!candidates_room(j, to))
        return false;
    for (size_t c = 0; c < to->n; c++) {
        to->first[c + 1] = (uint32_t)((c + 1) * to->n);
        to->colour[c] = (uint32_t)c;
        for (size_t r = 0; r < to->n; r++)
            to->row[c * to->n + r] = (uint32_t)r;
    }
    to->ncolour = to->n;
    return true;
}

/* the entries that instructions show, with the diagonal; false: memory ran out */
static bool known_candidates(const Jacobian *j, Candidates *to, const Dependence *d)
{
    to->nentry = d->state.n + to->n;
    if (!candidates_room(j, to))
        return false;
    uint32_t *count = to->colour; /* by column, meanwhile: entries so far */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t r = 0; r < to->n; r++) {
            bool diagonal = false;
            for (uint32_t k = d->first.items[r]; k < d->first.items[r + 1]; k++) {
                uint32_t c = d->state.items[k];
                to->row[pass ? to->first[c] + count[c] : 0] = r;
                count[c]++;
                diagonal |= c == r;
            }
            if (diagonal)
                continue;
            to->row[pass ? to->first[r] + count[r] : 0] = r;
            count[r]++;
        }
        for (size_t c = 0; pass == 0 && c < to->n; c++)
            to->first[c + 1] = to->first[c] + count[c];
        memset(count, 0, to->n * sizeof *count);
    }
    return colour_columns(j, to->first, to->row, to->n, to->colour, &to->ncolour);
}

/* joins the marks of all ranks; false: some lane could not be evaluated, or no memory */
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

/* Marks the entries that some lane shows, with all choices on both sides; all of them where a lane
 * cannot be evaluated. False: memory ran out. */
static bool probe_sides(Jacobian *j, uint32_t shape, double t, const Moment *moment,
                        const double *x, Candidates *to)
{
    const SystemShape *ss = &j->team->system->shapes.items[shape];
    size_t nchoice = j->team->system->nchoice, nmemory = j->team->system->nmemory;
    double *choices = memory_zeroed(j->alloc, (nchoice + nmemory + 1) * sizeof(double));
    if (!choices)
        return false;
    double *memory = choices + nchoice;
    size_t first = 0, one;
    bool here = lanes_next(ss, &first, &one, 1), probed = true,
         held = ss->held.nmemory > ss->held.nguess;
    for (int side = 0; side < (ss->held.crossings.n || held ? 2 : 1) && probed && here; side++) {
        for (size_t i = 0; i < nchoice; i++)
            choices[i] = side;
        probed = probe_pattern(j, shape, t, x, moment->memory, choices, to);
        for (size_t i = 0; i < nmemory; i++) /* a factor that is zero now may be another later */
            memory[i] = side;
        guesses_copy(j->team->system, moment->memory, memory);
        if (probed && held)
            probed = probe_pattern(j, shape, t, x, memory, choices, to);
    }
    if (!join_marks(j, probed, to->mark, to->first[to->n]))
        memset(to->mark, 1, to->nentry);
    memory_free(j->alloc, choices, (nchoice + nmemory + 1) * sizeof(double));
    return true;
}

/* the pattern of a Jacobian from the marked candidates and the diagonal, with its colours */
static bool take_marked(Jacobian *j, struct JacobianShape *s, Candidates *from)
{
    size_t n = from->n;
    for (size_t c = 0; c < n; c++)
        for (uint32_t k = from->first[c]; k < from->first[c + 1]; k++) {
            from->mark[k] |= from->row[k] == c; /* I - gamma J */
            s->nrow += from->mark[k];
        }
    s->colour = memory_zeroed(j->alloc, n * sizeof(uint32_t));
    s->column = memory_zeroed(j->alloc, (n + 1) * sizeof(uint32_t));
    s->row = memory_zeroed(j->alloc, s->nrow * sizeof(uint32_t));
    if (!s->colour || !s->column || !s->row)
        return false;
    uint32_t at = 0;
    for (size_t c = 0; c < n; c++) {
        for (uint32_t k = from->first[c]; k < from->first[c + 1]; k++)
            if (from->mark[k])
                s->row[at++] = from->row[k];
        s->column[c + 1] = at;
    }
    return colour_columns(j, s->column, s->row, n, s->colour, &s->ncolour);
}

LiederStatus pattern_find(Jacobian *j, uint32_t shape, double t, const Moment *moment,
                          const double *x)
{
    const LiederSystem *system = j->team->system;
    const SystemShape *ss = &system->shapes.items[shape];
    Candidates c = {.n = ss->shape->states.n};
    Dependence d = {0};
    /* all ranks have to list the same candidates, also those without lanes */
    bool known = c.n > FULL_BLOCK && rank_count(system) < 2 && dependence_find(&d, ss, j->alloc);
    bool ok = known ? known_candidates(j, &c, &d) : all_candidates(j, &c);
    if (ok && c.n > FULL_BLOCK)
        ok = probe_sides(j, shape, t, moment, x, &c) && !should_stop(j->team->stop_check, 0);
    else if (ok)
        memset(c.mark, 1, c.nentry);
    ok = ok && take_marked(j, &j->shapes.items[shape], &c);
    candidates_drop(j, &c);
    dependence_drop(&d, j->alloc);
    return ok                                    ? LIEDER_DONE
           : should_stop(j->team->stop_check, 0) ? LIEDER_STOPPED
                                                 : LIEDER_NO_MEMORY;
}
